//! Visits of lists of watches by one thread.
//!
//! Main function: [`visit_list`]. Where one thread searches, the lists also have the input nogoods of more
//! than three literals. The paper visits those by a map of all literals (see
//! [`crate::kernels::propagate_long`]).

use crate::assign::{in_frontier, is_held, later, propose, report_conflict, status, Status};
use crate::layout::{NogoodId, Record};
use crate::lit::{pack, unpack};
use crate::nogood::{nogood_in_learned, nogood_of, Nogood};
use crate::not_held::{first_not_held, not_held};
use crate::watches::{append, cut, entry, of_entry, INPUT};
use crate::{Lit, Own, Search};
use core::hint::cold_path;
use cuda_std::atomic::SearchU64;

/// Visits one list in a block of one thread, which takes one entry after the other.
///
/// In the build for one thread this is a function of its own, so that the compiler keeps in registers what
/// this loop needs, and not what the rest of the search does.
#[cfg_attr(feature = "alone", inline(never))]
#[cfg_attr(not(feature = "alone"), inline(always))]
pub fn visit_list(s: &Search, lit: Lit, len: u32) {
    let own = &s.own;
    let at = own.watch_at.read(lit.0);
    let mut kept = at;
    for place in at..at + len {
        let old = own.watch_list.read(place);
        let (i, other) = of_entry(old);
        let new = match status(own, other) {
            Status::Falsified => Some(old),
            _ => follow_alone(s, (i, lit), true).map(|other| entry(i, other)),
        };
        if let Some(new) = new {
            own.watch_list.write(kept, new);
            kept += 1;
        }
    }
    cut(own, lit, kept - at);
}

/// Does what `follow` does for learned nogoods, for the nogood with number `i` in whose list `lit` has an
/// entry, by one thread.
#[cuda_std::inlined]
pub(super) fn follow_alone(s: &Search, (i, lit): (u32, Lit), in_turn: bool) -> Option<Lit> {
    match i & INPUT {
        0 => {
            follow_any(&s.own, &Learned { own: &s.own, i, record: s.own.learned_record.get(i) }, lit, in_turn)
        }
        _ => follow_any(&s.own, &Input { s, i: i & !INPUT }, lit, in_turn),
    }
}

/// A nogood in lists of watches.
trait Watched {
    /// The nogood's number.
    fn number(&self) -> u32;
    /// The nogood's id.
    fn id(&self) -> NogoodId;
    /// The literals.
    fn nogood(&self) -> Nogood;
    /// The pair of watched literals.
    fn watch(&self) -> &SearchU64;
    /// A literal that may be open again, or any that holds.
    fn tried(&self, lit: Lit) -> Lit;
    /// Notes that the nogood has stopped watching `lit`.
    fn set_tried(&self, lit: Lit);
    /// The index at which the search for another literal begins.
    fn cursor(&self) -> u32;
    /// Changes that index.
    fn set_cursor(&self, index: u32);
}

/// A learned nogood.
struct Learned<'a> {
    own: &'a Own,
    i: u32,
    record: &'a Record,
}

impl Watched for Learned<'_> {
    #[cuda_std::inlined]
    fn number(&self) -> u32 {
        self.i
    }

    #[cuda_std::inlined]
    fn id(&self) -> NogoodId {
        NogoodId::of_learned(self.i)
    }

    #[cuda_std::inlined]
    fn nogood(&self) -> Nogood {
        nogood_in_learned(self.own, (self.record.start.now(), self.record.len.now()))
    }

    #[cuda_std::inlined]
    fn watch(&self) -> &SearchU64 {
        &self.record.watch
    }

    #[cuda_std::inlined]
    fn tried(&self, _: Lit) -> Lit {
        Lit(self.record.from.now())
    }

    #[cuda_std::inlined]
    fn set_tried(&self, lit: Lit) {
        self.record.from.store(lit.0);
    }

    #[cuda_std::inlined]
    fn cursor(&self) -> u32 {
        self.record.cursor()
    }

    #[cuda_std::inlined]
    fn set_cursor(&self, index: u32) {
        self.record.set_cursor(index);
    }
}

/// An input nogood, by its index among those of more than three literals.
struct Input<'a> {
    s: &'a Search,
    i: u32,
}

impl Watched for Input<'_> {
    #[cuda_std::inlined]
    fn number(&self) -> u32 {
        INPUT | self.i
    }

    #[cuda_std::inlined]
    fn id(&self) -> NogoodId {
        NogoodId(self.s.problem.ternary_end + self.i)
    }

    #[cuda_std::inlined]
    fn nogood(&self) -> Nogood {
        nogood_of(&self.s.problem, &self.s.own, self.id())
    }

    #[cuda_std::inlined]
    fn watch(&self) -> &SearchU64 {
        self.s.own.watch.atomic(self.i)
    }

    #[cuda_std::inlined]
    fn tried(&self, lit: Lit) -> Lit {
        lit
    }

    #[cuda_std::inlined]
    fn set_tried(&self, _: Lit) {}

    #[cuda_std::inlined]
    fn cursor(&self) -> u32 {
        self.s.own.cursor.read(self.i)
    }

    #[cuda_std::inlined]
    fn set_cursor(&self, index: u32) {
        self.s.own.cursor.write(self.i, index);
    }
}

/// Follows a nogood in whose list `lit` has an entry.
///
/// Of a nogood's literals, the one that stopped being watched last may be open again, so that literal is
/// tried first ([`Record::from`]; clasp does so, too). If it does not hold, the literals in the store are not
/// read. Else the search goes on after the literal that it found last ([`Record::cursor`]; Gent 2013).
#[cuda_std::inlined]
fn follow_any(own: &Own, watched: &impl Watched, lit: Lit, in_turn: bool) -> Option<Lit> {
    let (a, b) = unpack(watched.watch().now());
    if lit != a && lit != b {
        return None;
    }
    let other = if lit == a { b } else { a };
    let status_of_other = status(own, other);
    match status_of_other {
        Status::Falsified => return Some(other),
        Status::Held if in_turn && other < lit && in_frontier(own, other) => return Some(other),
        _ => {}
    }
    let (is_open, i, tried) = (status_of_other == Status::Open, watched.number(), watched.tried(lit));
    let nogood = watched.nogood();
    let found = match !is_held(own, tried) && tried != other {
        true => Some(tried),
        false => {
            let found = not_held(own, nogood, watched.cursor(), other, other);
            found.is_any().then(|| {
                watched.set_cursor(found.place + 1);
                found.lit
            })
        }
    };
    let Some(found) = found else {
        match is_open {
            true => propose(own, !other, watched.id()),
            false => report_conflict(own, watched.id()),
        }
        return Some(other);
    };
    if is_open {
        watched.set_tried(lit);
        watched.watch().store(pack(found, other));
        append(own, found, i, other);
        return None;
    }
    cold_path();
    // Both watched literals hold.
    let second = first_not_held(own, nogood, found);
    let partner = second.unwrap_or_else(|| later(own, lit, other));
    watched.set_tried(if partner == lit { other } else { lit });
    watched.watch().store(pack(found, partner));
    append(own, found, i, partner);
    if second.is_some() {
        append(own, partner, i, found);
    } else if status(own, found) == Status::Open {
        propose(own, !found, watched.id());
    }
    (partner == lit).then_some(found)
}
