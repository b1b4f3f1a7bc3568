//! What learning by resolution goes through, which a proof names so that nobody has to look for it again.
//!
//! Main type: [`Reasons`]. A search that is not proved is compiled without all that, and so is a step of several
//! blocks, which would share the end of the ring.
//!
//! Invariant: each of the reasons is unit, or violated, if the learned nogood holds and the reasons of literals
//! before it on the trail are propagated.

use crate::assign::reason_of;
use crate::layout::NogoodId;
use crate::threads::scratch::{counter, Counter};
use crate::threads::stride::{block_of_grid, is_first};
use crate::threads::token::WholeWarp;
use crate::threads::warp::lanes_below;
use crate::trace::{is_proof, item, Ring};
use crate::{Lit, Search};

/// Index of the shared counter that holds how many reasons minimisation has written.
const MINIMISED: usize = 10;
/// Index of the shared counter that tells the other warps how many reasons resolution has written.
const RESOLVED: usize = 11;
/// Words before the reasons.
const HEAD: u32 = 4;

/// The reasons for the nogood of one slot (see [`item::REASONS`]).
pub struct Reasons<'a> {
    s: &'a Search,
    ring: Ring<'a>,
    /// Whether they are written.
    are_wanted: bool,
    /// How many reasons resolution has written. The lanes that resolve hold the same value.
    resolved: u32,
}

impl<'a> Reasons<'a> {
    /// None yet. A barrier has to follow.
    #[cuda_std::inlined]
    pub fn none(s: &'a Search) -> Reasons<'a> {
        let are_wanted = is_proof(&s.launch) && block_of_grid(&s.launch).1 == 1;
        let this = Reasons { s, ring: Ring::open(s), are_wanted, resolved: 0 };
        if are_wanted && is_first() {
            this.minimised().store(0);
        }
        this
    }

    #[cuda_std::inlined]
    fn minimised(&self) -> Counter {
        counter(&self.s.launch, MINIMISED)
    }

    /// For how many reasons of minimisation there is room: one of each variable.
    #[cuda_std::inlined]
    fn most_minimised(&self) -> u32 {
        self.s.problem.vars.saturating_sub(self.resolved)
    }

    /// Adds the violated nogood or sum, or the reason of a literal. The lanes that resolve, or the only thread.
    #[cuda_std::inlined]
    pub fn add(&mut self, id: NogoodId) {
        if self.are_wanted {
            if is_first() {
                self.ring.put(HEAD + self.resolved, id.0);
            }
            self.resolved += 1;
        }
    }

    /// Adds the reasons of the lanes that the bits `lanes` name; the lowest is the last one on the trail.
    #[cuda_std::inlined]
    pub fn add_of_lanes(&mut self, _: &mut WholeWarp, lanes: u32, is_named: bool, id: NogoodId) {
        if self.are_wanted {
            if is_named {
                self.ring.put(HEAD + self.resolved + lanes_below(lanes).count_ones(), id.0);
            }
            self.resolved += lanes.count_ones();
        }
    }

    /// Adds the reason of a literal that follows from others, once resolution is over. Any thread that knows how
    /// far that came. Two threads may add the same reason.
    #[cuda_std::inlined]
    pub fn add_minimised(&self, lit: Lit) {
        if !self.are_wanted {
            return;
        }
        let index = self.minimised().count(1);
        if index < self.most_minimised() {
            let at = HEAD + self.resolved + 2 * index;
            self.ring.put(at, self.s.own.position.read(lit.var().0));
            self.ring.put(at + 1, reason_of(&self.s.own, lit).0);
        }
    }

    /// Tells the other warps how far resolution came. Called by the first thread, before a barrier.
    #[cuda_std::inlined]
    pub fn tell(&self) {
        if self.are_wanted {
            counter(&self.s.launch, RESOLVED).store(self.resolved);
        }
    }

    /// Hears what [`Reasons::tell`] told. Called by all threads after the barrier.
    #[cuda_std::inlined]
    pub fn hear(&mut self) {
        if self.are_wanted {
            self.resolved = counter(&self.s.launch, RESOLVED).now();
        }
    }

    /// Makes the reasons part of the ring, as those of slot `slot`. Called by the first thread, after a barrier that
    /// all threads have passed since they added reasons.
    #[cuda_std::inlined]
    pub fn close(mut self, slot: u32) {
        if self.are_wanted && self.resolved > 0 {
            let both = self.s.settings.track_deps & self.s.settings.resolves;
            let minimised = self.minimised().now().min(self.most_minimised());
            self.ring.header([item::REASONS, slot >> both, self.resolved, minimised]);
            self.ring.move_on(HEAD + self.resolved + 2 * minimised);
            self.ring.close();
        }
    }
}
