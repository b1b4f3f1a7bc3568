//! A crew of another process that has not said yet that it is there.
//!
//! Main types: [`Peer`], the other end of a stream, and [`Arriving`], which becomes a [`Remote`] with the first
//! message. A crew that never arrives is told to leave. If the search begins anew, a crew arrives once more.

use super::link::{Link, Patience};
use super::message::Message;
use super::remote::Remote;
use super::trade::Volume;
use crate::campaign::task::Task;
use crate::searcher::proof::Ledger;
use crate::{SolveError, Statistics};
use std::collections::VecDeque;
use std::io::{Read, Write};
use std::ops::ControlFlow;
use std::sync::Arc;

/// A crew of another process, at the other end of a stream.
pub struct Peer {
    /// What it is called in statistics.
    pub name: String,
    /// What it says.
    pub from: Box<dyn Read + Send>,
    /// What is said to it.
    pub to: Box<dyn Write + Send>,
    /// How long it is waited for.
    pub patience: Patience,
    /// How many searchers on processors the crew has, with those of crews beyond it; 0 if that is not known.
    /// The more searchers there are, the sooner they divide what they search.
    pub searchers: u32,
    /// How many crews, each in a process of its own, the nogoods come from that are passed to it.
    pub crews: u32,
    /// Which part of a proof it writes, if the search is proved.
    pub part: u32,
    /// Whether the search goes on if the crew is gone: others search what it had. The crew has to know that
    /// as well, as [`Helper::home`](super::assist::Helper::home) says to it.
    pub may_go: bool,
}

impl Peer {
    /// A crew at the other end of a stream, besides which there is only one.
    pub fn new(from: Box<dyn Read + Send>, to: Box<dyn Write + Send>) -> Peer {
        let (name, patience) = ("another crew".into(), Patience::default());
        Peer { name, from, to, patience, searchers: 0, crews: 1, part: 1, may_go: false }
    }
}

/// See the module's documentation.
pub struct Arriving {
    /// For which tasks the crew is going to say that it is there, one after the other. It is to search the
    /// last one.
    tasks: VecDeque<Arc<Task>>,
    /// What the crew has done so far. Its name is that of the device.
    so_far: Statistics,
    volume: Volume,
    may_go: bool,
    link: Link,
    proof: Option<(Arc<Ledger>, u32)>,
}

impl Arriving {
    /// Begins to wait for a crew that is to search along in a task. A ledger has the proof, if there is one.
    ///
    /// # Errors
    /// [`SolveError::Threads`] if the system has no threads to give.
    pub fn new(task: &Arc<Task>, ledger: Option<&Arc<Ledger>>, peer: Peer) -> Result<Arriving, SolveError> {
        let link = Link::new(task, peer.from, peer.to, peer.patience)?.of_home();
        Ok(Arriving {
            tasks: [task.clone()].into(),
            so_far: Statistics { device: peer.name, ..Statistics::default() },
            volume: Volume::of_crews(peer.crews),
            may_go: peer.may_go,
            link,
            proof: ledger.map(|ledger| (ledger.clone(), peer.part)),
        })
    }

    /// Tells a crew that was there, as [`Arriving::begin_anew`] does, and begins to wait for it once more.
    ///
    /// # Errors
    /// As [`Arriving::begin_anew`].
    pub fn again(remote: Remote, least: u32) -> Result<Arriving, SolveError> {
        let (link, so_far, (volume, may_go)) = remote.parts();
        let mut again = Arriving { tasks: VecDeque::new(), so_far, volume, may_go, link, proof: None };
        again.begin_anew(least)?;
        Ok(again)
    }

    /// Tells the crew that the search begins anew, without what symmetries exclude if there are at least
    /// `least`. The caller has to say for which task, with [`Arriving::expect`], before it looks for the
    /// crew. No search that is proved begins anew.
    ///
    /// # Errors
    /// [`SolveError::Gone`] or [`SolveError::Crew`] if the stream has failed.
    pub fn begin_anew(&mut self, least: u32) -> Result<(), SolveError> {
        match self.link.say([Message::Anew(least)]) {
            // Whoever looks for the crew notices that.
            Err(SolveError::Gone(_)) if self.may_go => Ok(()),
            said => said,
        }
    }

    /// Says which task the crew that was told to begin anew is to search.
    pub fn expect(&mut self, task: &Arc<Task>) {
        self.link.turn_to(task);
        self.tasks.push_back(task.clone());
    }

    /// What the crew has done so far, as [`counts`](super::seat::Mate::counts) says. It has done nothing
    /// unless the search has begun anew.
    pub fn counts(&self) -> Statistics {
        Statistics { passed: self.link.passed(), ..self.so_far.clone() }
    }

    /// Takes the next message of the crew over, which must say that the crew is there. A crew that says
    /// something else is hung up on.
    fn hear(mut self, message: Message) -> Result<ControlFlow<Remote, Arriving>, SolveError> {
        let task = self.tasks.pop_front().ok_or(SolveError::Internal("nobody is waited for"))?;
        let wrong = match message {
            Message::Hello(searchers, numbers, mark) if mark == task.mark() => {
                return Ok(match self.tasks.is_empty() {
                    true => ControlFlow::Break(self.remote(&task, (searchers, numbers.max(searchers)))),
                    false => ControlFlow::Continue(self),
                });
            }
            Message::Hello(..) => "it has another program, goal or options".into(),
            other => format!("its first message is {other:?}"),
        };
        self.link.hang_up();
        Err(SolveError::Crew(wrong))
    }

    fn remote(self, task: &Arc<Task>, numbers: (u32, u32)) -> Remote {
        let Arriving { so_far, volume, may_go, link, proof, .. } = self;
        Remote::new(task, link, numbers, so_far, (volume, may_go), proof)
    }

    /// What has come of the crew by now: it is there, or has still to be waited for. Nothing if it is gone
    /// and has never been there.
    fn poll(mut self) -> Result<Option<ControlFlow<Remote, Arriving>>, SolveError> {
        loop {
            let heard = match self.link.hear() {
                Ok(Some(message)) => self.hear(message)?,
                Ok(None) => return Ok(Some(ControlFlow::Continue(self))),
                Err(SolveError::Gone(_)) if self.may_go => return Ok(self.gone().map(ControlFlow::Break)),
                Err(why) => return Err(why),
            };
            match heard {
                ControlFlow::Break(_) => return Ok(Some(heard)),
                ControlFlow::Continue(still) => self = still,
            }
        }
    }

    /// The crew, which is gone, as one whose work statistics tell of. Nothing if it has never searched along.
    fn gone(mut self) -> Option<Remote> {
        let task = self.tasks.pop_back().filter(|_| !self.so_far.searchers.is_empty())?;
        let searchers = self.so_far.swarm.searchers as u32;
        let mut remote = self.remote(&task, (searchers, searchers));
        remote.note_loss();
        Some(remote)
    }

    /// Waits for the crew, until `interrupt` says that it is enough.
    ///
    /// # Errors
    /// [`SolveError::Gone`] if the crew is gone; [`SolveError::Crew`] if it says something else, or if it has
    /// not come until then.
    pub fn wait(mut self, interrupt: &dyn Fn() -> bool) -> Result<Remote, SolveError> {
        loop {
            let message = self.link.first(interrupt)?;
            match self.hear(message)? {
                ControlFlow::Break(remote) => return Ok(remote),
                ControlFlow::Continue(still) => self = still,
            }
        }
    }
}

/// Takes those crews out of `arriving` that have said that they are there, and drops those that are gone and
/// may go.
///
/// # Errors
/// If the stream of another one has failed.
pub fn arrived(arriving: &mut Vec<Arriving>) -> Result<Vec<Remote>, SolveError> {
    let mut here = Vec::new();
    for one in std::mem::take(arriving) {
        match one.poll()? {
            Some(ControlFlow::Break(remote)) => here.push(remote),
            Some(ControlFlow::Continue(still)) => arriving.push(still),
            None => {}
        }
    }
    Ok(here)
}
