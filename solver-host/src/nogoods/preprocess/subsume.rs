//! Subsumption and self-subsuming resolution (Eén and Biere 2005, "Effective Preprocessing in SAT").
//!
//! Main function: [`subsume`]. A nogood that contains another one is superfluous. And if it would but for the
//! sign of one literal, that literal is: of `{a, b}` and `{a, ¬b, c}` the resolvent is `{a, c}`, which takes
//! the second's place. All nogoods that a nogood `C` could do this to have the variable of `C` that stands in
//! the fewest, and a 64-bit signature of variables rules out most of those.

use std::collections::VecDeque;

use solver_gpu::Lit;

use super::sets::Sets;
use super::Conflict;
use crate::ids::NogoodId;

/// Nogoods that may be looked at, for each nogood.
const EFFORT: u64 = 8;
/// But at least so many, a matter of milliseconds.
const LEAST_EFFORT: u64 = 1 << 20;
/// And at most so many, some tenths of a second.
const MOST_EFFORT: u64 = 1 << 24;

/// How many nogoods were removed, and how many literals.
pub(super) fn subsume(sets: &mut Sets, vars: u32) -> Result<(u64, u64), Conflict> {
    let (mut removed, mut shortened) = (0, 0);
    let mut signature: Vec<u64> = sets.ids().map(|i| signature(sets.get(i))).collect();
    let effort = (EFFORT * sets.count() as u64).clamp(LEAST_EFFORT, MOST_EFFORT);
    let mut seen = 0;
    // Two nogoods of two literals have nothing to say to each other that equivalence and failed literals do
    // not say.
    let longer = sets.ids().position(|i| sets.get(i).len() > 2).unwrap_or(sets.count());
    // Where millions of nogoods have two literals, most have none of their variables in a longer one.
    let mut in_longer = vec![false; vars as usize];
    let longer_lits = sets.ids().skip(longer).flat_map(|i| sets.get(i));
    longer_lits.for_each(|lit| in_longer[lit.var().0 as usize] = true);
    let may_matter = |&i: &NogoodId| sets.get(i).iter().all(|lit| in_longer[lit.var().0 as usize]);
    let shorter = sets.ids().take(longer).filter(may_matter);
    let mut queue: VecDeque<NogoodId> = shorter.chain(sets.ids().skip(longer)).collect();
    let mut found = Vec::new();
    while let Some(c) = queue.pop_front() {
        let nogood = sets.get(c);
        let listed = |lit: Lit| sets.listed(lit).len() + sets.listed(!lit).len();
        let Some(&rarest) = nogood.iter().min_by_key(|&&lit| listed(lit)) else { continue };
        seen += 1;
        if seen > effort {
            break;
        }
        found.clear();
        for lit in [rarest, !rarest] {
            // Longest first: as the map was made in order of length, what comes before some place is too
            // short.
            for &d in sets.listed(lit).iter().rev() {
                if d.index() < longer && nogood.len() == 2 {
                    break;
                }
                seen += 1;
                if d == c || signature[c.index()] & !signature[d.index()] != 0 {
                    continue;
                }
                match compare(nogood, sets.get(d)) {
                    Some(Finding::Subsumed) => found.push((d, None)),
                    Some(Finding::Resolved(lit)) => found.push((d, Some(lit))),
                    None => {}
                }
            }
        }
        for &(d, lit) in &found {
            match lit {
                None => {
                    sets.remove(d);
                    removed += 1;
                }
                Some(lit) => {
                    sets.shorten(d, lit);
                    shortened += 1;
                    if sets.get(d).is_empty() {
                        return Err(Conflict);
                    }
                    signature[d.index()] = self::signature(sets.get(d));
                    queue.push_back(d);
                }
            }
        }
    }
    Ok((removed, shortened))
}

enum Finding {
    Subsumed,
    /// The literal can be taken out.
    Resolved(Lit),
}

/// What nogood `c` says of `d`.
fn compare(c: &[Lit], d: &[Lit]) -> Option<Finding> {
    if c.len() > d.len() {
        return None;
    }
    let mut resolved = None;
    let mut rest = d.iter();
    for &lit in c {
        let &other = rest.find(|other| other.var() >= lit.var())?;
        if other.var() != lit.var() {
            return None;
        }
        if other != lit && resolved.replace(other).is_some() {
            return None;
        }
    }
    Some(resolved.map_or(Finding::Subsumed, Finding::Resolved))
}

/// A bit for each variable, some the same.
fn signature(nogood: &[Lit]) -> u64 {
    nogood.iter().fold(0, |bits, lit| bits | 1 << (lit.var().0.wrapping_mul(0x9e37_79b9) >> 26))
}
