//! Which nogoods follow from a store of nogoods by unit propagation.
//!
//! Main type: [`Implied`]; main function: [`Implied::follows`]. A nogood follows if its literals, assigned
//! together, lead to a conflict (reverse unit propagation, Goldberg and Novikov 2003).
//! Nogoods may be added at any time. `preprocess/probe.rs` propagates on a store that stays as it is, and so
//! needs no watches of its own.
//!
//! Invariant: between two calls only what follows without assumptions is assigned, and a nogood's first two
//! literals do not hold unless its complement is assigned.

use super::store::NogoodStore;
use solver_gpu::Lit;

/// Nogoods that are known to hold, and what follows from them alone.
pub struct Implied {
    /// The nogoods. The first two literals of each are watched.
    nogoods: Vec<Box<[Lit]>>,
    /// For each literal the nogoods that watch it.
    watches: Vec<Vec<u32>>,
    /// Whether each literal holds.
    holds: Vec<bool>,
    trail: Vec<Lit>,
    /// Whether the nogoods contradict each other.
    is_refuted: bool,
    /// How many nogoods may still be looked at.
    effort: u64,
}

/// Some nogood is violated.
struct Conflict;

impl Implied {
    /// Knows the nogoods of a store over so many variables. Afterwards so many nogoods may be looked at.
    pub fn of(store: &NogoodStore, vars: u32, effort: u64) -> Implied {
        let literals = 2 * (vars as usize + 1);
        let mut implied = Implied {
            nogoods: Vec::new(),
            watches: vec![Vec::new(); literals],
            holds: vec![false; literals],
            trail: Vec::new(),
            is_refuted: false,
            effort: u64::MAX,
        };
        store.ids().for_each(|id| implied.add(store.nogood(id)));
        implied.effort = effort;
        implied
    }

    /// Adds a nogood that holds.
    pub fn add(&mut self, nogood: &[Lit]) {
        let mut nogood: Box<[Lit]> = nogood.into();
        // What holds already is not watched, if that can be.
        nogood.sort_by_key(|lit| self.holds[lit.index()]);
        let open = nogood.iter().filter(|lit| !self.holds[lit.index()]).count();
        let first = nogood.first().copied();
        if nogood.len() > 1 {
            let number = self.nogoods.len() as u32;
            nogood[..2].iter().for_each(|lit| self.watches[lit.index()].push(number));
            self.nogoods.push(nogood);
        }
        let at = self.trail.len();
        let result = match (open, first) {
            (0, _) | (_, None) => Err(Conflict),
            (1, Some(last)) => self.assign(!last).and_then(|()| self.propagate(at)),
            _ => Ok(()),
        };
        self.is_refuted |= result.is_err();
    }

    /// Whether a nogood follows from those that are known, as far as the effort goes.
    pub fn follows(&mut self, nogood: &[Lit]) -> bool {
        if self.is_refuted {
            return true;
        }
        if self.effort == 0 {
            return false;
        }
        let before = self.trail.len();
        let assigned = nogood.iter().try_for_each(|&lit| self.assign(lit));
        let result = assigned.and_then(|()| self.propagate(before));
        let holds = &mut self.holds;
        self.trail.drain(before..).for_each(|lit| holds[lit.index()] = false);
        // Without effort left, propagation ends before it is complete, and finds no conflict that is none.
        result.is_err()
    }

    fn assign(&mut self, lit: Lit) -> Result<(), Conflict> {
        if self.holds[(!lit).index()] {
            return Err(Conflict);
        }
        if !std::mem::replace(&mut self.holds[lit.index()], true) {
            self.trail.push(lit);
        }
        Ok(())
    }

    /// Assigns what follows from the literals of the trail from a position on.
    fn propagate(&mut self, mut at: usize) -> Result<(), Conflict> {
        while let Some(&lit) = self.trail.get(at).filter(|_| self.effort > 0) {
            at += 1;
            let mut watching = std::mem::take(&mut self.watches[lit.index()]);
            self.effort = self.effort.saturating_sub(watching.len() as u64);
            let mut result = Ok(());
            watching.retain(|&number| {
                if result.is_err() {
                    return true;
                }
                let nogood = &mut self.nogoods[number as usize];
                if nogood[0] == lit {
                    nogood.swap(0, 1);
                }
                let other = nogood[0];
                if self.holds[(!other).index()] {
                    return true;
                }
                match nogood[2..].iter().position(|lit| !self.holds[lit.index()]) {
                    Some(place) => {
                        nogood.swap(1, place + 2);
                        self.watches[nogood[1].index()].push(number);
                        false
                    }
                    None => {
                        result = self.assign(!other);
                        true
                    }
                }
            });
            self.watches[lit.index()].append(&mut watching);
            result?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::store::Collector;
    use super::*;
    use solver_gpu::Var;

    /// Random nogoods over few variables: what follows by propagation is violated by no model, and a nogood
    /// of all decisions that lead to a conflict follows.
    #[test]
    fn what_follows_holds_in_every_model() {
        const VARS: u32 = 6;
        let mut random = 1u64;
        let mut below = |n: u64| {
            random = solver_gpu::hash::mix(random);
            random % n
        };
        let (mut followed, mut models_seen) = (0, 0);
        for _ in 0..300 {
            let mut some = |most: u64| -> Vec<Lit> {
                let mut lits: Vec<Lit> = (0..1 + below(most))
                    .map(|_| Lit::new(Var(below(VARS as u64) as u32), below(2) == 1))
                    .collect();
                lits.sort_unstable();
                lits.dedup_by_key(|lit| lit.var());
                lits
            };
            let nogoods: Vec<Vec<Lit>> = (0..9).map(|_| some(4)).collect();
            let mut store = Collector::new(true);
            nogoods.iter().for_each(|nogood| store.push(nogood));
            let mut implied = Implied::of(&store.finish(VARS), VARS, 1 << 20);
            let holds = |set: u32, lit: &Lit| (set >> lit.var().0 & 1 == 1) != lit.is_false_sign();
            let violates = |set: u32, nogood: &[Lit]| nogood.iter().all(|lit| holds(set, lit));
            let models: Vec<u32> =
                (0..1 << VARS).filter(|&set| !nogoods.iter().any(|nogood| violates(set, nogood))).collect();
            models_seen += models.len();
            for _ in 0..20 {
                let asked = some(5);
                if implied.follows(&asked) {
                    followed += 1;
                    assert!(!models.iter().any(|&set| violates(set, &asked)), "{nogoods:?} {asked:?}");
                    implied.add(&asked);
                }
            }
            // Each nogood follows from itself.
            assert!(nogoods.iter().all(|nogood| implied.follows(nogood)), "{nogoods:?}");
        }
        assert!(followed > 300 && models_seen > 300, "{followed} {models_seen}");
    }

    #[test]
    fn without_effort_nothing_follows() {
        let (a, b) = (Lit::t(Var(0)), Lit::t(Var(1)));
        let mut store = Collector::new(true);
        store.push(&[a, b]);
        let store = store.finish(2);
        assert!(Implied::of(&store, 2, 100).follows(&[a, b]));
        assert!(!Implied::of(&store, 2, 0).follows(&[a, b]));
    }
}
