//! The nogoods, and what follows from each of them.
//!
//! Main types: [`Nogoods`], and [`Look`], by which others choose the nogoods to look at.

use super::assignment::{Cause, Conflict, Handle, Values};
use super::lit::Lit;

/// The nogoods.
#[derive(Debug, Default)]
pub struct Nogoods {
    /// Where the literals of each nogood begin, and how many there are: none once it is removed.
    spans: Vec<(u32, u32)>,
    lits: Vec<Lit>,
    /// Numbers of removed nogoods that nobody knows any more.
    free: Vec<u32>,
    /// How many of `lits` are of removed nogoods.
    wasted: usize,
}

/// From how many wasted literals on the memory is cleaned.
const MANY: usize = 1 << 14;

impl Nogoods {
    /// Stores a nogood over different variables.
    pub fn store(&mut self, lits: &[Lit]) -> Handle {
        // A nogood that has no room is not used. What follows without it is right.
        let Ok(start) = u32::try_from(self.lits.len()) else { return Handle::NOWHERE };
        self.lits.extend(lits);
        let span = (start, lits.len() as u32);
        match self.free.pop() {
            Some(number) => {
                self.spans[number as usize] = span;
                Handle(number)
            }
            None => {
                self.spans.push(span);
                Handle(self.spans.len() as u32 - 1)
            }
        }
    }

    /// The literals of a nogood; none if it was removed.
    pub fn lits(&self, Handle(number): Handle) -> &[Lit] {
        let (start, length) = self.spans.get(number as usize).copied().unwrap_or_default();
        &self.lits[start as usize..][..length as usize]
    }

    /// Removes a nogood. Returns whether it is time for [`Nogoods::clean`].
    pub fn remove(&mut self, Handle(number): Handle) -> bool {
        if let Some((_, length)) = self.spans.get_mut(number as usize) {
            self.wasted += std::mem::take(length) as usize;
        }
        self.wasted > MANY && self.wasted > self.lits.len() / 2
    }

    /// Frees the memory of removed nogoods, whose numbers nobody knows any more.
    pub fn clean(&mut self) {
        let mut lits = Vec::with_capacity(self.lits.len() - self.wasted);
        self.free.clear();
        for ((start, length), number) in self.spans.iter_mut().zip(0..) {
            let old = &self.lits[*start as usize..][..*length as usize];
            *start = lits.len() as u32;
            lits.extend(old);
            if old.is_empty() {
                self.free.push(number);
            }
        }
        (self.lits, self.wasted) = (lits, 0);
    }

    /// Looks at one nogood: if all of its literals but one hold, the complement of that one holds.
    pub fn follow(&self, handle: Handle, values: &mut Values) -> Result<(), Conflict> {
        values.cause = Cause::Nogood(handle);
        let lits = self.lits(handle);
        let mut others = lits.iter().filter(|&&lit| !values.is_true(lit));
        match (others.next(), others.next()) {
            (None, _) if !lits.is_empty() => Err(Conflict::found()),
            (Some(&lit), None) if values.is_open(lit) => values.assign(!lit),
            _ => Ok(()),
        }
    }
}

/// What a [`Finder`](super::Finder) may do: see values, put literals of a nogood in another order, and have
/// nogoods looked at. Nothing of this makes a literal hold that does not follow.
pub struct Look<'a> {
    nogoods: &'a mut Nogoods,
    values: &'a mut Values,
}

impl<'a> Look<'a> {
    /// Lends the nogoods and the values.
    pub fn new(nogoods: &'a mut Nogoods, values: &'a mut Values) -> Look<'a> {
        Look { nogoods, values }
    }

    /// The values of literals.
    pub fn values(&self) -> &Values {
        self.values
    }

    /// Puts a literal that does not hold, if there is one, in the place of `lit`, which is one of the first
    /// two of a nogood. Returns the other one of the two, and what is in the place now. If the other one is
    /// false, nothing is changed. Returns nothing if the nogood was removed.
    #[inline]
    pub fn replace(&mut self, Handle(number): Handle, lit: Lit) -> Option<(Lit, Lit)> {
        let (start, length) = self.nogoods.spans[number as usize];
        let lits = &mut self.nogoods.lits[start as usize..][..length as usize];
        if *lits.first()? == lit {
            lits.swap(0, 1);
        }
        if !self.values.is_false(lits[0]) {
            let open = (2..lits.len()).find(|&at| !self.values.is_true(lits[at]));
            lits.swap(1, open.unwrap_or(1));
        }
        Some((lits[0], lits[1]))
    }

    /// See [`Nogoods::follow`].
    pub fn follow(&mut self, handle: Handle) -> Result<(), Conflict> {
        self.nogoods.follow(handle, self.values)
    }
}
