//! Optimisation by cores and by answer sets, in turns.
//!
//! Main type: [`Turns`]. Covers and rotas are solved by cores at once, and hardly by answer sets. For knapsacks
//! and steel mills the opposite is the case. Nobody can tell from the program. So one searcher does both in turns.
//! Nogoods that the search learns in one turn stay for the other, and each tactic is told of the answer sets of
//! both.
//!
//! The longer nogoods are, the less of the search space each of them excludes. So the tactic whose conflicts teach
//! shorter nogoods gets the longer turns, up to [`MOST`] times as long.
//!
//! Invariant: a turn ends only while its tactic waits for an answer set or a refutation without a limit of its
//! own. So the tactic goes on later as if nothing had happened.

use crate::search::campaign::guide::cores::Cores;
use crate::search::campaign::guide::steps::Steps;
use crate::search::campaign::guide::tactic::{Additions, Effort, NextVar, Reason, Tactic, Verdict};
use crate::search::Statistics;
use solver_gpu::Lit;

/// The most times by which one tactic's turns are longer than those of the other.
const MOST: f64 = 8.0;

/// By this power of the ratio of the nogoods' lengths turns differ.
const POWER: i32 = 4;

/// See the module's documentation.
pub struct Turns {
    cores: Cores,
    steps: Steps,
    /// Whether it is the cores' turn.
    by_cores: bool,
    /// How many conflicts two turns take together, half of which are the first's if both teach alike.
    length: u64,
    /// What the search has done until the last event, and until the present turn began.
    now: Effort,
    began: Effort,
    /// The number of the search's conflicts at which the present turn ends.
    ends: u64,
    /// What was done in all turns of the cores, and of the steps.
    by_each: [Effort; 2],
    next: NextVar,
}

impl Turns {
    /// Turns of the two tactics, of which the first takes `first` conflicts. The first new variable will be
    /// `next`, whichever of them takes it.
    pub fn new(first: u64, cores: Cores, steps: Steps, next: NextVar) -> Turns {
        let (now, by_each) = (Effort::default(), [Effort::default(); 2]);
        Turns {
            cores,
            steps,
            by_cores: true,
            length: first.saturating_mul(2),
            now,
            began: now,
            ends: first,
            by_each,
            next,
        }
    }

    /// Lets `act` tell something to the cores, whose new variables follow all others.
    fn tell_cores<T>(&mut self, act: impl FnOnce(&mut Cores) -> T) -> T {
        self.cores.next = self.next;
        let result = act(&mut self.cores);
        self.next = self.cores.next;
        result
    }

    /// The same for the other tactic.
    fn tell_steps<T>(&mut self, act: impl FnOnce(&mut Steps) -> T) -> T {
        self.steps.next = self.next;
        let result = act(&mut self.steps);
        self.next = self.steps.next;
        result
    }

    /// The tactic whose turn it is.
    fn present(&self) -> &dyn Tactic {
        match self.by_cores {
            true => &self.cores,
            false => &self.steps,
        }
    }

    /// Ends the turn after an event if that is due.
    fn after(&mut self, verdict: Verdict) -> Verdict {
        if self.now.conflicts >= self.ends && self.present().budget().is_none() {
            self.end_turn();
        }
        verdict
    }

    fn end_turn(&mut self) {
        let done = &mut self.by_each[usize::from(!self.by_cores)];
        done.conflicts += self.now.conflicts - self.began.conflicts;
        done.literals += self.now.literals - self.began.literals;
        self.by_cores = !self.by_cores;
        self.began = self.now;
        if self.by_cores {
            self.length = self.length.saturating_add(self.length / 2);
        }
        let part = self.share_of_cores();
        let part = if self.by_cores { part } else { 1.0 - part };
        self.ends = self.now.conflicts.saturating_add((self.length as f64 * part) as u64).max(1);
    }

    /// Which part of the conflicts of two turns is the cores'.
    fn share_of_cores(&self) -> f64 {
        let [cores, steps] = self.by_each.map(|done| done.literals as f64 / done.conflicts.max(1) as f64);
        if cores == 0.0 || steps == 0.0 {
            return 0.5;
        }
        let times = (steps / cores).powi(POWER).clamp(1.0 / MOST, MOST);
        times / (1.0 + times)
    }

    /// What two tactics say of one event: one proof is enough.
    fn either(one: Verdict, other: Verdict) -> Verdict {
        match (one, other) {
            (Verdict::GoesOn, Verdict::GoesOn) => Verdict::GoesOn,
            _ => Verdict::Over,
        }
    }
}

impl Tactic for Turns {
    fn at(&mut self, effort: Effort) {
        self.now = effort;
    }

    /// The steps' guess says it, and the cores need none.
    fn demands_better(&self) -> bool {
        false
    }

    fn answered(&mut self, costs: &[i64]) -> Verdict {
        let by_cores = self.by_cores;
        let cores = self.tell_cores(|cores| match by_cores {
            true => cores.answered(costs),
            false => cores.told(costs),
        });
        let steps = self.tell_steps(|steps| match by_cores {
            true => steps.told(costs),
            false => steps.answered(costs),
        });
        self.after(Turns::either(cores, steps))
    }

    fn told(&mut self, costs: &[i64]) -> Verdict {
        let cores = self.tell_cores(|cores| cores.told(costs));
        let steps = self.tell_steps(|steps| steps.told(costs));
        // The search may go on as it is, so the turn does not end here.
        Turns::either(cores, steps)
    }

    fn has_changed(&self) -> bool {
        self.cores.has_changed() || self.steps.has_changed()
    }

    fn refuted(&mut self, core: &[Lit]) -> Verdict {
        debug_assert!(!self.by_cores || self.steps.aside().is_none_or(|aside| !core.contains(&aside)));
        let verdict = match self.by_cores {
            true => self.tell_cores(|cores| cores.refuted(core)),
            false => self.tell_steps(|steps| steps.refuted(core)),
        };
        self.after(verdict)
    }

    /// No proof follows both tactics, so these are taken to be dropped.
    fn reasons(&mut self) -> Vec<Reason> {
        let mut reasons = self.cores.reasons();
        reasons.extend(self.steps.reasons());
        reasons
    }

    fn gave_up(&mut self) -> Verdict {
        let verdict = match (self.by_cores, self.present().budget()) {
            // The turn is over, and the tactic does not know of turns.
            (_, None) => Verdict::GoesOn,
            (true, Some(_)) => self.tell_cores(|cores| cores.gave_up()),
            (false, Some(_)) => self.tell_steps(|steps| steps.gave_up()),
        };
        self.after(verdict)
    }

    fn assumptions(&self) -> Vec<Lit> {
        let mut lits = self.present().assumptions();
        // The cores do not assume the guess, and nothing but an assumption gives its condition a value.
        lits.extend(self.steps.aside().filter(|_| self.by_cores));
        lits
    }

    fn budget(&self) -> Option<u64> {
        let left = self.ends.saturating_sub(self.now.conflicts).max(1);
        Some(self.present().budget().unwrap_or(left))
    }

    fn additions(&mut self) -> Additions {
        let (mut all, more) = (self.cores.additions(), self.steps.additions());
        all.vars += more.vars;
        all.sums.extend(more.sums);
        all
    }

    fn lower(&self) -> &[i64] {
        self.cores.lower().max(self.steps.lower())
    }

    fn counts(&self) -> Statistics {
        self.cores.counts()
    }
}
