//! Learned nogoods that a searcher has shown to others, and when a proof need not have them any more.
//!
//! Main type: [`Shown`]. A nogood is deleted once its searcher and all who have imported it have deleted
//! it, and nobody can import it any more: each searcher has *passed* the nogood's place in the pool,
//! whether it has imported the nogood or not. How far searchers are they say when they rest between two
//! launches ([`Looked`]).
//!
//! Invariant: whoever can import a nogood has not passed it, and whoever has passed it has said what it has
//! imported up to there. So no step that comes later relies on a nogood that is deleted.

use solver_gpu::layout::{class_of, Origin, Swarm, CLASSES, CLASS_SLOTS};
use solver_gpu::swarm::pool;
use solver_gpu::trace::learner;
use std::collections::{HashMap, VecDeque};

/// Which learned nogoods a searcher shows to others: those of at most so many literals that are cores, or
/// have at most so many levels or two literals.
#[derive(Clone, Copy, Debug, Default)]
pub struct Shared {
    /// The most literals.
    pub len: u32,
    /// The most levels.
    pub lbd: u32,
}

impl Shared {
    /// Whether a nogood of this origin, and of so many literals and levels, is shown to others.
    pub fn has(self, learner: u32, len: u32, levels: u32) -> bool {
        len <= self.len && (levels <= self.lbd || len <= 2 || learner == learner::CORE)
    }
}

/// A ticket of the pool for each class of lengths.
pub type Tickets = [u32; CLASSES as usize];

/// What is known of how far a searcher is in the pool.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Looks {
    /// Nothing: it may import any nogood, or begin to.
    #[default]
    Unknown,
    /// It imports nothing.
    Never,
    /// It was so far when it last rested.
    At(Looked),
}

/// How far a searcher at rest is in the pool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Looked {
    /// It imports nothing that was offered before these.
    from: Tickets,
    /// All that it has offered was offered before these.
    ends: Tickets,
}

impl Looked {
    /// A searcher that has looked at all before `seen`, while the pool ends at `ends`.
    pub fn new(seen: Tickets, ends: Tickets) -> Looked {
        // An import looks back only so far.
        let from = |at: usize| ends[at].wrapping_sub(ends[at].wrapping_sub(seen[at]).min(CLASS_SLOTS / 2));
        Looked { from: std::array::from_fn(from), ends }
    }
}

/// Where the classes of a pool in the host's memory end.
pub fn ends_of(swarm: &Swarm) -> Tickets {
    std::array::from_fn(|class| pool::end(swarm, class as u32))
}

/// What a searcher whose seat is taken passes over when it joins a swarm, as that may be deleted: all that
/// is in the pool but nogoods of one literal, which are never deleted.
pub fn passed_over(swarm: &Swarm) -> Tickets {
    let mut ends = ends_of(swarm);
    ends[0] = 0;
    ends
}

/// A nogood that was shown.
struct Nogood {
    /// Its serial number in the proof.
    serial: u64,
    /// The class of its length.
    class: u32,
    /// How many searchers have it. One that cannot be told may have it besides.
    holders: u32,
    /// Whether everybody has passed it.
    is_passed: bool,
}

/// See the module's documentation.
#[derive(Default)]
pub struct Shown {
    nogoods: HashMap<[u32; 2], Nogood>,
    /// For each class the nogoods that not everybody has passed, with a ticket that is larger than theirs.
    waiting: [VecDeque<(u32, Origin)>; CLASSES as usize],
}

impl Shown {
    /// Forgets all nogoods.
    pub fn clear(&mut self) {
        *self = Shown::default();
    }

    /// A searcher has learned a nogood of so many literals, which it shows to others.
    pub fn learn(&mut self, origin: Origin, len: u32, serial: u64) {
        let nogood = Nogood { serial, class: class_of(len.max(1)), holders: 1, is_passed: false };
        self.nogoods.insert(origin.words(), nogood);
    }

    /// A searcher has imported a nogood. Returns its serial number, if that is known.
    pub fn import(&mut self, origin: Origin) -> Option<u64> {
        let nogood = self.nogoods.get_mut(&origin.words())?;
        nogood.holders += 1;
        Some(nogood.serial)
    }

    /// A searcher has imported nogoods of which it cannot tell which. None of those that it might have
    /// imported is deleted.
    pub fn import_any(&mut self) {
        self.nogoods.values_mut().filter(|nogood| !nogood.is_passed).for_each(|nogood| nogood.holders += 1);
    }

    /// A searcher has deleted a nogood. Returns the serial number if the nogood is to be deleted in the
    /// proof.
    pub fn drop(&mut self, origin: Origin) -> Option<u64> {
        let nogood = self.nogoods.get_mut(&origin.words())?;
        nogood.holders -= 1;
        self.unneeded(origin)
    }

    /// The searcher that has learned these has offered them, before these tickets.
    pub fn offer(&mut self, origins: impl Iterator<Item = Origin>, looked: &Looked) {
        for origin in origins {
            let class = self.nogoods.get(&origin.words()).map_or(0, |nogood| nogood.class);
            if class > 0 {
                self.waiting[class as usize].push_back((looked.ends[class as usize], origin));
            }
        }
    }

    /// All searchers have looked so far. Returns the serial numbers of nogoods that are to be deleted in the
    /// proof.
    pub fn pass(&mut self, all: impl Iterator<Item = Looks>) -> Vec<u64> {
        // Tickets wrap around.
        let less = |a: u32, b: u32| if (a.wrapping_sub(b) as i32) < 0 { a } else { b };
        let mut least: Option<Tickets> = None;
        for looks in all {
            match (looks, &mut least) {
                (Looks::Unknown, _) => return Vec::new(),
                (Looks::Never, _) => {}
                (Looks::At(looked), None) => least = Some(looked.from),
                (Looks::At(looked), Some(least)) => {
                    least.iter_mut().zip(looked.from).for_each(|(least, from)| *least = less(*least, from));
                }
            }
        }
        let (Some(from), mut unneeded) = (least, Vec::new()) else { return Vec::new() };
        for (class, from) in from.into_iter().enumerate() {
            let is_before = |&mut (end, _): &mut (u32, Origin)| from.wrapping_sub(end) as i32 >= 0;
            while let Some((_, origin)) = self.waiting[class].pop_front_if(is_before) {
                if let Some(nogood) = self.nogoods.get_mut(&origin.words()) {
                    nogood.is_passed = true;
                }
                unneeded.extend(self.unneeded(origin));
            }
        }
        unneeded
    }

    /// The serial number of a nogood that is forgotten, as nobody has it or can have it.
    fn unneeded(&mut self, origin: Origin) -> Option<u64> {
        let is_unneeded = |nogood: &&Nogood| nogood.is_passed && nogood.holders == 0;
        let serial = self.nogoods.get(&origin.words()).filter(is_unneeded)?.serial;
        self.nogoods.remove(&origin.words());
        Some(serial)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The nogood of three literals, of class 2, that searcher 0 has learned.
    const NOGOOD: Origin = Origin::new(0, 7);

    const NOTHING: [u64; 0] = [];

    /// A searcher that has looked at so much of each class, of so much.
    fn looked(seen: u32, end: u32) -> Looked {
        Looked::new([seen; CLASSES as usize], [end; CLASSES as usize])
    }

    /// The serial numbers of what is deleted once searchers have looked so far, of so much.
    fn pass<const N: usize>(shown: &mut Shown, all: [(u32, u32); N]) -> Vec<u64> {
        shown.pass(all.into_iter().map(|(seen, end)| Looks::At(looked(seen, end))))
    }

    /// The nogood, with the serial number 5, which was offered before ticket 9.
    fn shown() -> Shown {
        let mut shown = Shown::default();
        shown.learn(NOGOOD, 3, 5);
        shown.offer([NOGOOD].into_iter(), &looked(3, 9));
        shown
    }

    #[test]
    fn a_nogood_stays_until_all_who_have_it_have_dropped_it() {
        let mut shown = shown();
        assert_eq!(shown.import(NOGOOD), Some(5));
        assert_eq!(pass(&mut shown, [(9, 9), (12, 12)]), NOTHING);
        assert_eq!(shown.drop(NOGOOD), None, "one searcher has it");
        assert_eq!(shown.drop(NOGOOD), Some(5));
        assert_eq!(shown.import(NOGOOD), None, "it is forgotten");
    }

    #[test]
    fn a_nogood_stays_as_long_as_somebody_may_import_it() {
        let mut shown = shown();
        assert_eq!(shown.drop(NOGOOD), None);
        assert_eq!(pass(&mut shown, [(9, 9), (8, 9)]), NOTHING, "one has not looked so far");
        assert_eq!(pass(&mut shown, []), NOTHING, "nobody has said how far it is");
        assert_eq!(shown.import(NOGOOD), Some(5));
        assert_eq!(pass(&mut shown, [(9, 9), (9, 9)]), NOTHING);
        assert_eq!(shown.drop(NOGOOD), Some(5));
    }

    #[test]
    fn who_does_not_look_passes_what_lies_too_far_back() {
        let mut shown = shown();
        assert_eq!(shown.drop(NOGOOD), None);
        assert_eq!(pass(&mut shown, [(0, 8 + CLASS_SLOTS / 2)]), NOTHING);
        assert_eq!(pass(&mut shown, [(0, 9 + CLASS_SLOTS / 2)]), [5]);
    }

    #[test]
    fn tickets_wrap_around() {
        let mut shown = Shown::default();
        shown.learn(NOGOOD, 3, 5);
        shown.offer([NOGOOD].into_iter(), &looked(0, 2));
        assert_eq!(shown.drop(NOGOOD), None);
        assert_eq!(pass(&mut shown, [(u32::MAX, u32::MAX), (3, 3)]), NOTHING);
        assert_eq!(pass(&mut shown, [(2, 2), (3, 3)]), [5]);
    }

    #[test]
    fn what_nobody_can_tell_and_one_literal_stay() {
        let mut shown = shown();
        shown.import_any();
        assert_eq!(shown.drop(NOGOOD), None);
        let unit = Origin::new(0, 8);
        shown.learn(unit, 1, 6);
        shown.offer([unit].into_iter(), &looked(9, 9));
        assert_eq!(shown.drop(unit), None);
        assert_eq!(pass(&mut shown, [(99, 99)]), NOTHING);
    }
}
