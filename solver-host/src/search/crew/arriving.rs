//! A crew of another process that has not said yet that it is there.
//!
//! Main types: [`Peer`], the other end of a stream, and [`Arriving`], which becomes a [`Remote`] with the first message. A
//! crew that never arrives is told to leave.

use super::link::{Link, Patience};
use super::message::{mark_of, Message};
use super::remote::Remote;
use super::trade::Volume;
use crate::search::campaign::task::Task;
use crate::search::searcher::proof::Ledger;
use crate::search::SolveError;
use std::io::{Read, Write};
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
        Peer { name, from, to, patience, crews: 1, part: 1, may_go: false }
    }
}

/// See the module's documentation.
pub struct Arriving {
    task: Arc<Task>,
    name: String,
    volume: Volume,
    may_go: bool,
    link: Option<Link>,
    proof: Option<(Arc<Ledger>, u32)>,
}

impl Arriving {
    /// Begins to wait for a crew that is to search along in a task. A ledger has the proof, if there is one.
    ///
    /// # Errors
    /// [`SolveError::Threads`] if the system has no threads to give.
    pub fn new(task: &Arc<Task>, ledger: Option<&Arc<Ledger>>, peer: Peer) -> Result<Arriving, SolveError> {
        let link = Link::new(task, peer.from, peer.to, peer.patience)?;
        Ok(Arriving {
            task: task.clone(),
            name: peer.name,
            volume: Volume::of_crews(peer.crews),
            may_go: peer.may_go,
            link: Some(link),
            proof: ledger.map(|ledger| (ledger.clone(), peer.part)),
        })
    }

    /// The crew, if it has said that it is there. It says so once.
    ///
    /// # Errors
    /// [`SolveError::Crew`] if the stream has failed, or if the crew says something else.
    pub fn poll(&mut self) -> Result<Option<Remote>, SolveError> {
        let heard = self.link.as_ref().map(Link::hear).transpose()?.flatten();
        heard.map(|first| self.arrived(first)).transpose()
    }

    /// Waits for the crew, until `interrupt` says that it is enough.
    ///
    /// # Errors
    /// As [`Arriving::poll`], and if the crew has not come until then.
    pub fn wait(mut self, interrupt: &dyn Fn() -> bool) -> Result<Remote, SolveError> {
        let gone = SolveError::Internal("a crew has arrived twice");
        let first = self.link.as_ref().ok_or(gone)?.first(interrupt)?;
        self.arrived(first)
    }

    fn arrived(&mut self, first: Message) -> Result<Remote, SolveError> {
        // A crew that says something else is hung up on.
        let link = self.link.take().ok_or(SolveError::Internal("a crew has arrived twice"))?;
        let (searchers, numbers) = match first {
            Message::Hello(searchers, numbers, mark) if mark == mark_of(&self.task) => (searchers, numbers),
            Message::Hello(..) => {
                return Err(SolveError::Crew("it has another program, goal or options".into()));
            }
            other => return Err(SolveError::Crew(format!("its first message is {other:?}"))),
        };
        let name = std::mem::take(&mut self.name);
        let numbers = (searchers, numbers.max(searchers));
        Ok(Remote::new(&self.task, link, numbers, name, (self.volume, self.may_go), self.proof.take()))
    }
}

/// Takes those crews out of `arriving` that have said that they are there, and drops those that are gone and
/// may go.
///
/// # Errors
/// If the stream of another one has failed.
pub fn arrived(arriving: &mut Vec<Arriving>) -> Result<Vec<Remote>, SolveError> {
    let (mut here, mut i) = (Vec::new(), 0);
    while i < arriving.len() {
        match arriving[i].poll() {
            Ok(Some(remote)) => {
                here.push(remote);
                arriving.remove(i);
            }
            Ok(None) => i += 1,
            Err(SolveError::Gone(_)) if arriving[i].may_go => drop(arriving.remove(i)),
            Err(why) => return Err(why),
        }
    }
    Ok(here)
}

impl Drop for Arriving {
    fn drop(&mut self) {
        if let Some(link) = &mut self.link {
            // If the stream has failed, the other crew notices that too.
            let _ = link.say([Message::Leave]);
        }
    }
}
