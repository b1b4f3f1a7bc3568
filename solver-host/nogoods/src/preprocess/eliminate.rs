//! Bounded elimination of auxiliary variables (Eén and Biere 2005, "Effective Preprocessing in SAT").
//!
//! Main function: [`eliminate`]. It replaces all nogoods with a variable `b` by their resolvents on `b`. For
//! `p :- q, r. p :- s, t.` with bodies `b` and `c`, the resolvents are `{Fp, Tq, Tr}`, `{Fp, Ts, Tt}`, and
//! `{Tp, Fx, Fy}` for each `x` in the first body and `y` in the second.
//!
//! Only auxiliaries that nothing else needs are eliminated. Such a variable is the name of a conjunction, so
//! it has one value in an answer set. No answer set is found twice or lost when the variable goes.

use solver_gpu::{Lit, Var};

use super::known::{Conflict, Known};
use super::sets::Sets;
use yasmin_ground::ids::NogoodId;

/// How many literals may be looked at, for each nogood.
const EFFORT: u64 = 16;
/// The least number of literals that may be looked at, which takes some milliseconds.
const LEAST_EFFORT: u64 = 1 << 20;
/// The largest number of literals that may be looked at, which takes some tenths of a second.
const MOST_EFFORT: u64 = 1 << 25;
/// A variable in more nogoods than this is not eliminated, as that is hardly ever worth its resolvents.
const MOST_OCCURRENCES: usize = 64;

/// Eliminates variables where that leaves no more nogoods and literals than there were. Returns how many.
pub(super) fn eliminate(sets: &mut Sets, known: &mut Known, needed: &[bool]) -> Result<u64, Conflict> {
    let vars = (0..needed.len() as u32).map(Var).filter(|&v| !needed[v.0 as usize] && known.is_left(v));
    let occurrences = |v: Var| sets.listed(Lit::t(v)).len() * sets.listed(Lit::f(v)).len();
    let mut order: Vec<(usize, Var)> = vars.map(|v| (occurrences(v), v)).collect();
    order.retain(|&(product, _)| product <= MOST_OCCURRENCES * MOST_OCCURRENCES);
    order.sort_unstable();

    let effort = (EFFORT * sets.count() as u64).clamp(LEAST_EFFORT, MOST_EFFORT);
    let (mut seen, mut eliminated) = (0, 0);
    let mut resolvents = Resolvents::default();
    for (_, v) in order {
        if seen > effort {
            break;
        }
        let [held, falsified] = [Lit::t(v), Lit::f(v)].map(|lit| sets.with(lit).collect::<Vec<NogoodId>>());
        let size = |ids: &[NogoodId]| ids.iter().map(|&i| sets.get(i).len()).sum::<usize>();
        let (nogoods, literals) = (held.len() + falsified.len(), size(&held) + size(&falsified));
        seen += literals as u64;
        if nogoods > MOST_OCCURRENCES {
            continue;
        }
        resolvents.clear();
        let pairs = held.iter().flat_map(|&h| falsified.iter().map(move |&f| (h, f)));
        let fits = pairs.into_iter().all(|(h, f)| {
            let (h, f) = (sets.get(h), sets.get(f));
            seen += (h.len() + f.len()) as u64;
            resolvents.add(h, f, v);
            resolvents.len() <= nogoods && resolvents.lits.len() <= literals
        });
        if !fits {
            continue;
        }
        for (nogood, _) in resolvents.iter().zip(&resolvents.share).filter(|(_, shares)| **shares) {
            known.meaning.nogood(nogood);
        }
        if resolvents.iter().any(<[Lit]>::is_empty) {
            return Err(Conflict);
        }
        held.into_iter().chain(falsified).for_each(|i| sets.remove(i));
        resolvents.iter().for_each(|nogood| sets.add(nogood));
        known.eliminated[v.0 as usize] = true;
        eliminated += 1;
    }
    Ok(eliminated)
}

/// The resolvents of one variable, as rows of literals.
#[derive(Default)]
struct Resolvents {
    ends: Vec<usize>,
    lits: Vec<Lit>,
    /// Whether the two nogoods of each resolvent share a literal. Then more follows from the resolvent by unit
    /// propagation than from the two.
    share: Vec<bool>,
}

impl Resolvents {
    fn clear(&mut self) {
        self.ends.clear();
        self.share.clear();
        self.lits.clear();
    }

    fn len(&self) -> usize {
        self.ends.len()
    }

    fn iter(&self) -> impl Iterator<Item = &[Lit]> {
        (0..self.len()).map(|i| &self.lits[if i == 0 { 0 } else { self.ends[i - 1] }..self.ends[i]])
    }

    /// Adds the resolvent of two sorted nogoods on `v`, unless it is a tautology.
    fn add<'a>(&mut self, mut a: &'a [Lit], mut b: &'a [Lit], v: Var) {
        let begin = self.lits.len();
        let mut shares = false;
        loop {
            let from = match (a.first(), b.first()) {
                (Some(x), Some(y)) if y < x => &mut b,
                (Some(_), _) => &mut a,
                (None, Some(_)) => &mut b,
                (None, None) => break,
            };
            let lit = from[0];
            *from = &from[1..];
            if lit.var() == v {
                continue;
            }
            if self.lits[begin..].last() == Some(&lit) {
                shares = true;
                continue;
            }
            if self.lits[begin..].last() == Some(&!lit) {
                self.lits.truncate(begin);
                return;
            }
            self.lits.push(lit);
        }
        self.ends.push(self.lits.len());
        self.share.push(shares);
    }
}
