//! An executor that checks every launch of the executor that it wraps.
//!
//! Main type: [`Lockstep`]. Before and after each launch of a kernel it copies the search's memory and asks
//! the kernel's reference; when the resident search returns it checks what holds of any copy. All else is
//! passed on.
//!
//! Invariant: nothing but kernels and uploads changes a search's memory. A search that moves to a larger
//! block keeps all it had, whichever arrays have grown.

use super::arrays::{all, Arrays};
use super::snapshot::{Snapshot, Taken};
use super::{assign, cover, differences, invariants, learn, place, propagate, stability, sums, widen, Facts};
use solver_gpu::layout::{FIRST_LEARNED, MAX_CONFLICTS};
use solver_gpu::{Search, State};
use std::mem::offset_of;
use yasmin_device::{DeviceError, Executor, Geometry, Kernel, Progress, Setup, Traffic, Work};

/// An executor whose every launch is checked.
pub struct Lockstep {
    inner: Box<dyn Executor>,
    facts: Facts,
    /// The memory after the last launch, unless something was uploaded since.
    last: Option<Taken>,
    /// Whether arrays were copied to another block since the last launch.
    has_moved: bool,
    /// The resident search that is under way.
    started: Option<Search>,
}

impl Lockstep {
    /// Wraps the executor of one search, of the program that `facts` are about.
    pub fn new(inner: Box<dyn Executor>, facts: Facts) -> Self {
        Lockstep { inner, facts, last: None, has_moved: false, started: None }
    }

    /// What the memory is before a launch: what the launch before has left, wherever that lies now.
    fn before(&mut self, kernel: Kernel, search: &Search) -> Result<Snapshot, DeviceError> {
        let has_moved = std::mem::take(&mut self.has_moved);
        if let Some(last) = self.last.take() {
            if has_moved {
                Arrays::download(&mut *self.inner, &search.own)?.assert_unchanged_since(&last.arrays);
            }
            if last.snapshot.deps_words == search.own.deps_words as usize {
                return Ok(last.snapshot);
            }
            // The rows of bitmaps have become longer.
            return Ok(Taken::take(&mut *self.inner, search)?.snapshot);
        }
        // The host has written something.
        let before = Taken::take(&mut *self.inner, search)?;
        invariants::check(search, &self.facts, &before);
        if kernel != Kernel::RebuildWatches {
            before.snapshot.check_lists();
        }
        Ok(before.snapshot)
    }

    /// Copies the memory after a launch, and checks what holds after any launch.
    fn after(&mut self, kernel: Kernel, search: &Search) -> Result<Taken, DeviceError> {
        let after = Taken::take(&mut *self.inner, search)?;
        invariants::check(search, &self.facts, &after);
        if kernel != Kernel::ReduceLearned {
            // The lists are rebuilt after a deletion.
            after.snapshot.check_lists();
        }
        if kernel == Kernel::Stability {
            invariants::foundations(search, &self.facts, &after);
        }
        Ok(after)
    }

    /// Asks the kernel's reference.
    fn check(
        &mut self,
        kernel: Kernel,
        v: &Search,
        before: &Snapshot,
        after: &Snapshot,
    ) -> Result<(), DeviceError> {
        match kernel {
            Kernel::Commit | Kernel::Decide | Kernel::Complete | Kernel::Backjump | Kernel::Rephase => {
                assign::check(kernel, v, &self.facts, before, after)
            }
            Kernel::LearnForward
            | Kernel::LearnResolution
            | Kernel::RecordLearned
            | Kernel::ReduceLearned
            | Kernel::RebuildWatches => learn::check(kernel, v, before, after),
            Kernel::Place => place::check(v, before, after),
            Kernel::Stability => stability::check(&self.facts, before, after),
            Kernel::Differences => differences::check(&self.facts, before, after),
            Kernel::RecordTold => stability::record(v, before, after),
            Kernel::PropagateSums => sums::propagate(before, after),
            Kernel::Tighten => sums::tighten(v, before, after),
            Kernel::Trace => assert_eq!(before, after, "the trace changes the search"),
            Kernel::WidenDeps => {
                let narrow = all(&mut *self.inner, v.launch.narrow_deps)?;
                widen::check(narrow, v.launch.argument, before, after)
            }
            _ => propagate::check(kernel, v, &self.facts, before, after),
        }
        Ok(())
    }

    /// Adds to the conflicts all other violated nogoods, last first, if the test is to learn from all.
    /// Propagation stops at the first class with a conflict, so that conflicts of different lengths are rare
    /// otherwise.
    fn report_all_conflicts(&mut self, search: &Search, s: &mut Snapshot) -> Result<(), DeviceError> {
        if !self.facts.all_conflicts {
            return Ok(());
        }
        let input = (0..s.input.len() as u32).rev();
        let learned = (0..s.learned.len() as u32).rev().map(|i| FIRST_LEARNED + i);
        let is_other = |id: &u32| !s.conflict.contains(id) && s.is_violated(&s.nogood(*id));
        let others: Vec<u32> = learned.chain(input).filter(is_other).collect();
        s.conflict.extend(others);
        s.conflict.truncate(MAX_CONFLICTS as usize);
        s.words.conflicts = s.words.conflicts.max(s.conflict.len() as u32);
        let word = search.own.state.address() + offset_of!(State, conflicts) as u64;
        self.inner.upload(word, bytemuck::bytes_of(&s.words.conflicts))?;
        self.inner.upload(search.own.conflict.address(), bytemuck::cast_slice(&s.conflict))
    }
}

impl Executor for Lockstep {
    fn launch(&mut self, kernel: Kernel, work: Work, search: &Search) -> Result<(), DeviceError> {
        let mut before = self.before(kernel, search)?;
        if matches!(kernel, Kernel::LearnForward | Kernel::LearnResolution) {
            self.report_all_conflicts(search, &mut before)?;
        }
        self.inner.launch(kernel, work, search)?;
        let after = self.after(kernel, search)?;
        cover::launched(kernel, before != after.snapshot);
        self.check(kernel, search, &before, &after.snapshot)?;
        self.last = Some(after);
        Ok(())
    }

    fn start(&mut self, geometry: Geometry, search: &Search) -> Result<(), DeviceError> {
        self.before(Kernel::for_search(search), search)?;
        self.started = Some(*search);
        self.inner.start(geometry, search)
    }

    fn poll(&mut self) -> Result<Progress, DeviceError> {
        let progress = self.inner.poll()?;
        if progress == Progress::Returned {
            if let Some(search) = self.started.take() {
                let paused = Taken::take(&mut *self.inner, &search)?;
                invariants::check_paused(&search, &self.facts, &paused);
                self.last = Some(paused);
            }
        }
        Ok(progress)
    }

    fn upload(&mut self, address: u64, data: &[u8]) -> Result<(), DeviceError> {
        self.last = None;
        self.inner.upload(address, data)
    }

    fn name(&self) -> String {
        self.inner.name()
    }

    fn sibling(&self, setup: Setup) -> Result<Box<dyn Executor>, DeviceError> {
        self.inner.sibling(setup)
    }

    fn alloc(&mut self, bytes: usize) -> Result<u64, DeviceError> {
        self.inner.alloc(bytes)
    }

    fn free(&mut self, address: u64) {
        self.inner.free(address);
    }

    fn download(&mut self, address: u64, data: &mut [u8]) -> Result<(), DeviceError> {
        self.inner.download(address, data)
    }

    fn copy(&mut self, to: u64, from: u64, bytes: usize) -> Result<(), DeviceError> {
        self.has_moved = true;
        self.inner.copy(to, from, bytes)
    }

    fn synchronize(&mut self) -> Result<(), DeviceError> {
        self.inner.synchronize()
    }

    fn load(&mut self, kernel: Kernel) -> Result<(), DeviceError> {
        self.inner.load(kernel)
    }

    fn stop_word(&mut self) -> Result<u64, DeviceError> {
        self.inner.stop_word()
    }

    fn ask_to_return(&self) {
        self.inner.ask_to_return();
    }

    fn threads(&self) -> u32 {
        self.inner.threads()
    }

    fn rounds_a_launch(&self) -> u32 {
        self.inner.rounds_a_launch()
    }

    fn rounds_at_once(&self) -> u32 {
        self.inner.rounds_at_once()
    }

    fn traffic(&self) -> Traffic {
        self.inner.traffic()
    }
}
