//! Subsumption and self-subsuming resolution (Eén and Biere 2005, "Effective Preprocessing in SAT").
//!
//! Main function: [`subsume`]. A nogood that contains another nogood is superfluous. If it contains the other
//! but for the sign of one literal, that literal is superfluous: the resolvent of `{a, b}` and `{a, ¬b, c}`
//! is `{a, c}`, which replaces the second nogood. All nogoods that a nogood `C` can subsume or shorten
//! contain the variable of `C` that is in the fewest nogoods. A 64-bit signature of variables rules out most
//! of these.

use std::collections::VecDeque;

use solver_gpu::Lit;

use super::known::Conflict;
use super::sets::Sets;
use crate::meaning::Meaning;
use yasmin_ground::ids::NogoodId;

/// How many nogoods may be looked at, for each nogood.
const EFFORT: u64 = 8;
/// The least number of nogoods that may be looked at, which takes some milliseconds.
const LEAST_EFFORT: u64 = 1 << 20;
/// The largest number of nogoods that may be looked at, which takes some tenths of a second.
const MOST_EFFORT: u64 = 1 << 24;

/// Removes subsumed nogoods and superfluous literals. Returns how many nogoods and how many literals were
/// removed.
pub(super) fn subsume(sets: &mut Sets, vars: u32, meaning: &mut Meaning) -> Result<(u64, u64), Conflict> {
    let (mut removed, mut shortened) = (0, 0);
    let mut signature: Vec<u64> = sets.ids().map(|i| signature(sets.get(i))).collect();
    let effort = (EFFORT * sets.count() as u64).clamp(LEAST_EFFORT, MOST_EFFORT);
    let mut seen = 0;
    // Two nogoods of two literals yield nothing that equivalent and failed literals do not yield.
    let longer = sets.ids().position(|i| sets.get(i).len() > 2).unwrap_or(sets.count());
    // Where millions of nogoods have two literals, most of their variables are in no longer nogood.
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
            // The longest come first. The map was made in order of length, so all further nogoods are too
            // short as well.
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
                    meaning.nogood(sets.get(d));
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

/// Compares nogood `c` with `d`: whether `c` subsumes `d` or shortens it.
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

/// The variables of a nogood as bits of a word. Several variables share a bit.
fn signature(nogood: &[Lit]) -> u64 {
    nogood.iter().fold(0, |bits, lit| bits | 1 << (lit.var().0.wrapping_mul(0x9e37_79b9) >> 26))
}
