//! Nogoods that can be removed, shortened and added, with a map from literals to nogoods.
//!
//! Main type: [`Sets`]. Invariants: a nogood's literals are sorted, with no variable twice. A removed nogood
//! has length 0. The map may list nogoods that were removed or have lost the literal since; [`Sets::with`]
//! leaves these out.

use solver_gpu::Lit;

use super::known::{Conflict, Known};
use crate::lit_set::is_tautological;
use crate::rows::{Csr, LitRows};
use crate::store::{sort_by_length, NogoodStore};
use yasmin_ground::ids::NogoodId;

/// The nogoods and the map; see the module's documentation.
pub(super) struct Sets {
    lits: Vec<Lit>,
    start: Vec<u32>,
    len: Vec<u32>,
    /// For each literal the nogoods that contained the literal when the map was made, shortest first.
    occurs: Csr<NogoodId>,
    /// For each literal the index in `later` of the nogood that was added last, or `NONE`.
    last: Vec<u32>,
    /// The nogoods that were added. Each has the index of the one that was added before for the same literal.
    later: Vec<(NogoodId, u32)>,
}

const NONE: u32 = u32::MAX;

impl Sets {
    /// The nogoods of `store`, shortest first, with known values and equivalences applied.
    pub fn resolved(store: &NogoodStore, known: &mut Known) -> Result<Sets, Conflict> {
        let (start, lits) = match known.is_nothing() {
            true => (store.start.clone(), store.lits.clone()),
            false => resolve(store, known)?,
        };
        let len = start.windows(2).map(|pair| pair[1] - pair[0]).collect();
        Ok(Sets { lits, start, len, occurs: Csr::default(), last: Vec::new(), later: Vec::new() })
    }

    /// Makes the map from literals to nogoods.
    pub fn index(&mut self, vars: u32) {
        let sets = &*self;
        let pairs = sets.ids().flat_map(|i| sets.get(i).iter().map(move |lit| (lit.index(), i)));
        self.occurs = Csr::from_pairs(2 * vars as usize, pairs);
        self.last = vec![NONE; 2 * vars as usize];
    }

    /// How many nogoods there are, with those that were removed.
    pub fn count(&self) -> usize {
        self.len.len()
    }

    /// The numbers of all nogoods, with those that were removed, in order.
    pub fn ids(&self) -> impl Iterator<Item = NogoodId> + Clone {
        (0..self.count()).map(NogoodId::new)
    }

    /// The literals of nogood `i`. A nogood that was removed has none.
    pub fn get(&self, i: NogoodId) -> &[Lit] {
        let start = self.start[i.index()] as usize;
        &self.lits[start..start + self.len[i.index()] as usize]
    }

    /// The nogoods that may contain a literal, shortest first, of those that were there when the map was
    /// made.
    pub fn listed(&self, lit: Lit) -> &[NogoodId] {
        self.occurs.row(lit.index())
    }

    /// The nogoods that contain a literal.
    pub fn with(&self, lit: Lit) -> impl Iterator<Item = NogoodId> + '_ {
        let mut at = self.last[lit.index()];
        let added = std::iter::from_fn(move || {
            let (i, before) = *self.later.get(at as usize)?;
            at = before;
            Some(i)
        });
        self.listed(lit).iter().copied().chain(added).filter(move |&i| self.get(i).contains(&lit))
    }

    /// Removes a nogood.
    pub fn remove(&mut self, i: NogoodId) {
        self.len[i.index()] = 0;
    }

    /// Takes a literal out of a nogood.
    pub fn shorten(&mut self, i: NogoodId, lit: Lit) {
        let start = self.start[i.index()] as usize;
        let len = &mut self.len[i.index()];
        let row = &mut self.lits[start..start + *len as usize];
        if let Some(at) = row.iter().position(|&other| other == lit) {
            row.copy_within(at + 1.., at);
            *len -= 1;
        }
    }

    /// Adds a nogood, whose literals must be sorted.
    pub fn add(&mut self, nogood: &[Lit]) {
        let i = NogoodId::new(self.count());
        self.lits.extend_from_slice(nogood);
        self.len.push(nogood.len() as u32);
        self.start.push(self.lits.len() as u32);
        for lit in nogood {
            let last = std::mem::replace(&mut self.last[lit.index()], self.later.len() as u32);
            self.later.push((i, last));
        }
    }
}

fn resolve(store: &NogoodStore, known: &mut Known) -> Result<(Vec<u32>, Vec<Lit>), Conflict> {
    // Equal nogoods are found when the store is put together again.
    let mut left = LitRows::new();
    let mut row = Vec::new();
    for i in store.ids() {
        row.clear();
        row.extend(store.nogood(i).iter().map(|&lit| known.resolve(lit)).filter(|&lit| lit != Lit::TRUE));
        known.unify(&mut row);
        match row.last() {
            None => return Err(Conflict),
            // `FALSE` is the largest literal, so it is the last of a nogood that is never violated.
            Some(&Lit::FALSE) => {}
            Some(_) if is_tautological(&row) => {}
            Some(_) => left.push(&row),
        }
    }
    Ok(sort_by_length(left))
}
