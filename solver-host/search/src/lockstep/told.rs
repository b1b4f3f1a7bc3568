//! Searches that are told nogoods at their fixpoints, by a propagator that knows nothing.

use super::{options, random_program, solver};
use crate::searcher::propagation::{Checks, Failure, PropagateControl, Propagator, Validity, Wishes};
use crate::{Goal, Step};
use solver_gpu::hash::mix;
use solver_gpu::{Lit, Var};
use std::sync::{Arc, Mutex};
use yasmin_device::DeviceKind;

/// Adds random clauses over the program's atoms, a few at each fixpoint.
struct Teller {
    atoms: u32,
    state: u64,
}

impl Teller {
    fn below(&mut self, n: u64) -> u64 {
        self.state = mix(self.state.wrapping_add(1));
        self.state % n
    }
}

impl Propagator for Teller {
    fn check(&mut self, control: &mut PropagateControl<'_>) -> Result<(), Failure> {
        for _ in 0..self.below(3) {
            // Long clauses, of which most are satisfied; and short ones of literals that do not hold, which
            // are violated or unit.
            let is_long = self.below(2) == 0;
            let mut clause: Vec<Lit> = Vec::new();
            for _ in 0..1 + self.below(if is_long { 6 } else { 3 }) {
                let lit = Lit::new(Var(self.below(self.atoms as u64) as u32), self.below(2) == 0);
                let holds = control.assignment().value(lit) == Some(true);
                clause.push(if holds && !is_long { !lit } else { lit });
            }
            let is_locked = self.below(4) == 0;
            let goes_on = control.add_clause(&clause, Validity { is_locked, ..Validity::default() })?;
            if !goes_on || self.below(2) == 0 && !control.propagate()? {
                break;
            }
        }
        Ok(())
    }
}

/// Searches random programs, each launch of which is checked.
pub fn searches(device: DeviceKind, randoms: u64) {
    for seed in 0..randoms {
        let program = random_program(seed);
        if program.atoms == 0 {
            continue;
        }
        let teller = Teller { atoms: program.atoms, state: seed };
        let wishes = Wishes { checks: Checks { at_fixpoints: true, when_total: true }, ..Wishes::default() };
        let mut solver = solver(&program, &Goal::default(), options(seed, device));
        let propagator: Arc<Mutex<dyn Propagator>> = Arc::new(Mutex::new(teller));
        solver.lead.searcher.propagate_by(0, vec![(propagator, wishes)]).expect("a working device");
        for _ in 0..40 {
            match solver.next_answer(&|| false) {
                Ok(Step::Answer(_)) => {}
                Ok(_) => break,
                Err(error) => panic!("seed {seed}: {error}"),
            }
        }
    }
}
