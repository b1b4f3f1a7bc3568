//! The stamps that order what the searchers of a swarm tell, in a trace or a proof.

use super::memory::Memory;
use solver_gpu::Swarm;
use std::sync::Arc;

/// The stamp of a lane from which nothing comes.
pub const NEVER: u64 = u64::MAX;

/// The stamps of one searcher.
#[derive(Default)]
pub struct Stamps {
    /// The stamp of what comes next from the ring, if it has none of its own.
    pub now: u64,
    /// The swarm whose stamps the search takes though it is not one of its searchers, and what keeps its
    /// memory.
    beside: Option<(Swarm, Arc<dyn Send + Sync>)>,
}

impl Stamps {
    /// The search goes on by itself beside the searchers of a swarm, in the memory `home`, or not any more.
    pub fn go_beside(&mut self, swarm: Option<(Swarm, Arc<dyn Send + Sync>)>) {
        self.beside = swarm;
    }

    /// Whether the search goes on beside the searchers of a swarm.
    pub fn is_beside(&self) -> bool {
        self.beside.is_some()
    }

    /// Stamps what the host enters, as kernels stamp what they write.
    pub fn take(&mut self, memory: &Memory) {
        if let Some(swarm) = self.swarm(memory) {
            self.now = swarm.hub().stamps.fetch_add(1) + 1;
        }
    }

    /// Stamps what comes from the ring of a search beside a swarm, whose kernels take no stamps.
    pub fn take_beside(&mut self, memory: &Memory) {
        if self.beside.is_some() {
            self.take(memory);
        }
    }

    /// A stamp that whatever comes next is not below.
    pub fn next(&self, memory: &Memory) -> u64 {
        self.swarm(memory).map_or(NEVER, |swarm| swarm.hub().stamps.load_relaxed() + 1)
    }

    /// The swarm whose stamps the search takes, if there is one.
    fn swarm<'a>(&'a self, memory: &'a Memory) -> Option<&'a Swarm> {
        let own = &memory.search.swarm;
        self.beside.as_ref().map(|(swarm, _)| swarm).or(own.is_any().then_some(own))
    }
}
