//! Finds failed literals: a literal is false if unit propagation refutes it (Freeman 1995; Le Berre 2001).
//!
//! Main function: [`fail_literals`]. With `{Ta, Fb}`, `{Ta, Fc}` and `{Tb, Tc}`, `a` implies `b` and `c`,
//! which violate a nogood, so `a` is false. Only roots of the binary implications are tried, because a root
//! fails whenever a literal that it implies fails.

use solver_gpu::Lit;

use super::known::{Conflict, Known};
use crate::store::NogoodStore;
use yasmin_ground::ids::NogoodId;

/// How many nogoods may be looked at for each literal in the store. This bounds the number of passes over the
/// store.
const EFFORT: u64 = 2;
/// The least number of nogoods that may be looked at, which takes some milliseconds.
const LEAST_EFFORT: u64 = 1 << 20;
/// The largest number of nogoods that may be looked at, which takes some tenths of a second.
const MOST_EFFORT: u64 = 1 << 22;

/// Assigns what follows from unit nogoods and failed literals. Returns how many values failed literals gave.
pub(super) fn fail_literals(store: &NogoodStore, known: &mut Known) -> Result<u64, Conflict> {
    let were_open = vec![[0, 1]; store.len() - store.ternary_end as usize];
    let mut search = Probing { store, known, trail: Vec::new(), were_open, seen: 0 };
    for id in store.ids().take(store.units as usize) {
        search.set(!store.nogood(id)[0])?;
    }
    search.propagate(0)?;
    let units = search.trail.len();
    let effort = (EFFORT * store.lits.len() as u64).clamp(LEAST_EFFORT, MOST_EFFORT);
    let binary = &store.occurrences[0];
    for lit in (0..binary.rows() as u32).map(Lit) {
        // `x` implies `lit` by a nogood `{x, ¬lit}`.
        let is_root = binary.row((!lit).index()).is_empty() && !binary.row(lit.index()).is_empty();
        if !is_root || !search.known.is_open(lit) {
            continue;
        }
        if search.seen > effort {
            break;
        }
        let before = search.trail.len();
        let failed = search.set(lit).and_then(|()| search.propagate(before)).is_err();
        search.take_back(before);
        if failed {
            search.known.meaning.nogood(&[lit]);
            search.set(!lit)?;
            search.propagate(before)?;
        }
    }
    Ok((search.trail.len() - units) as u64)
}

/// Unit propagation on the nogoods as they are laid out.
struct Probing<'a> {
    store: &'a NogoodStore,
    known: &'a mut Known,
    trail: Vec<Lit>,
    /// For each long nogood the positions of two literals that were open. As long as both are open, no other
    /// literal of the nogood is looked at.
    were_open: Vec<[u32; 2]>,
    /// How many nogoods were looked at.
    seen: u64,
}

impl Probing<'_> {
    fn set(&mut self, lit: Lit) -> Result<(), Conflict> {
        if self.known.is_open(lit) {
            self.known.assign(lit);
            self.trail.push(lit);
        } else if !self.known.holds(lit) {
            return Err(Conflict);
        }
        Ok(())
    }

    fn take_back(&mut self, to: usize) {
        self.trail.drain(to..).for_each(|lit| self.known.take_back(lit));
    }

    fn propagate(&mut self, mut at: usize) -> Result<(), Conflict> {
        let (store, pairs) = (self.store, self.store.pairs());
        while let Some(&lit) = self.trail.get(at) {
            at += 1;
            let [binary, ternary, long] = store.occurrences.each_ref().map(|class| class.row(lit.index()));
            self.seen += (binary.len() + ternary.len() + long.len()) as u64;
            for &id in binary {
                let [a, b] = pairs[(id - store.units) as usize];
                self.set(!if a == lit { b } else { a })?;
            }
            for &id in ternary {
                if let Some(last) = self.last(store.nogood(NogoodId(id)), &mut [0, 1])? {
                    self.set(!last)?;
                }
            }
            for &id in long {
                let place = (id - store.ternary_end) as usize;
                let mut open = self.were_open[place];
                let last = self.last(store.nogood(NogoodId(id)), &mut open)?;
                self.were_open[place] = open;
                if let Some(last) = last {
                    self.set(!last)?;
                }
            }
        }
        Ok(())
    }

    /// The open literal of a nogood whose other literals hold. `open` has the positions of two literals that
    /// were open, or of any two.
    fn last(&self, nogood: &[Lit], open: &mut [u32; 2]) -> Result<Option<Lit>, Conflict> {
        if open.iter().all(|&i| self.known.is_open(nogood[i as usize])) {
            return Ok(None);
        }
        // The search starts at the first of the two positions: literals before that mostly hold, and would be
        // looked at each time that one more literal holds.
        let from = open[0] as usize;
        let mut last = None;
        for i in (from..nogood.len()).chain(0..from) {
            let lit = nogood[i];
            if self.known.holds(lit) {
                continue;
            }
            if !self.known.is_open(lit) {
                return Ok(None);
            }
            if let Some((first, _)) = last {
                *open = [first, i as u32];
                return Ok(None);
            }
            last = Some((i as u32, lit));
        }
        last.map(|(_, lit)| Some(lit)).ok_or(Conflict)
    }
}
