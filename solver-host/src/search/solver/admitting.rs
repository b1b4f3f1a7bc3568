//! Crews of other processes: how the solver lets them in.
//!
//! Main functions: [`Solver::admit`], which waits for a crew, and [`Solver::admit_later`], which does not.
//!
//! Invariant: a crew that is let in and is told of a cube is heard of again, or others search the cube, or
//! the search fails.

use super::{Others, Solver};
use crate::search::crew::arriving::{arrived, Arriving, Peer};
use crate::search::crew::seat::IdleThread;
use crate::search::SolveError;

impl Solver {
    /// Lets the crew at the other end of a stream search along as soon as others join this search (see
    /// [`assist`](crate::search::assist)). Waits until that crew says that it is there, for as long as `interrupt`, which
    /// is asked every few milliseconds, lets it. This must be called before the search begins.
    ///
    /// # Errors
    /// [`SolveError::Crew`] if the stream fails, if what comes is no message of such a crew, or if the wait
    /// is over. [`SolveError::Contradiction`] if the options let nobody join, or if the crew [may
    /// go](Peer::may_go) and the search is proved.
    pub fn admit(&mut self, peer: Peer, interrupt: &dyn Fn() -> bool) -> Result<(), SolveError> {
        self.let_crews_join(&peer)?;
        let may_go = peer.may_go;
        match Arriving::new(&self.campaign.task, self.searcher.ledger(), peer)?.wait(interrupt) {
            Ok(remote) => self.resting.remotes.push(remote),
            Err(SolveError::Gone(_)) if may_go => {}
            Err(why) => return Err(why),
        }
        Ok(())
    }

    /// The same without waiting: the crew joins when it has said that it is there, and others have joined. If it comes too
    /// late, or never, it has no part in the search.
    ///
    /// # Errors
    /// [`SolveError::Contradiction`] as [`Solver::admit`]; [`SolveError::Threads`]. What becomes of the
    /// stream is told by the search.
    pub fn admit_later(&mut self, peer: Peer) -> Result<(), SolveError> {
        self.let_crews_join(&peer)?;
        self.arriving.push(Arriving::new(&self.campaign.task, self.searcher.ledger(), peer)?);
        Ok(())
    }

    /// Prepares the search for one more crew of another process.
    fn let_crews_join(&mut self, peer: &Peer) -> Result<(), SolveError> {
        let may_go = peer.may_go;
        let is_whole_proof = self.searcher.ledger().is_some_and(|ledger| !ledger.has_parts);
        let may_join = self.searcher.is_resident() && !self.searcher.is_traced() && !is_whole_proof;
        let is_processor = self.searcher.memory.executor().threads() == 1;
        if matches!(self.others, Others::None) && may_join && is_processor {
            (self.others, self.turns) = (Others::MayJoin(1, false), None);
        }
        match self.others {
            Others::MayJoin(..) if may_go && self.searcher.is_proved() => {
                let why = "a proof needs what each crew has written, so that none of them may go";
                Err(SolveError::Contradiction(why.into()))
            }
            Others::MayJoin(..) => {
                if may_go {
                    self.campaign.expect_repeats();
                }
                self.elsewhere += peer.searchers;
                Ok(())
            }
            _ => {
                let why =
                    "another crew can only join a search that begins on the processor, is resident, and is \
                           not traced, and writes no proof of one part";
                Err(SolveError::Contradiction(why.into()))
            }
        }
    }

    /// Whether crews of other processes search along, or may come.
    pub(super) fn has_other_crews(&self) -> bool {
        !(self.resting.remotes.is_empty() && self.arriving.is_empty())
    }

    /// Lets those crews into the search that have arrived since the last call.
    ///
    /// # Errors
    /// If a stream has failed.
    pub(super) fn receive_crews(&mut self) -> Result<(), SolveError> {
        for remote in arrived(&mut self.arriving)? {
            match &mut self.others {
                Others::Crew(crew) => {
                    crew.add_remote(remote, IdleThread::start("another crew".into())?, &self.campaign.plan)?;
                }
                _ => self.resting.remotes.push(remote),
            }
        }
        Ok(())
    }
}
