//! Reads the items of a ring (see [`solver_gpu::trace`]).
//!
//! Main function: [`items`]. The words are read in pieces, and a piece may begin or end within the ring at
//! any item.

use solver_gpu::trace::item;
use solver_gpu::Lit;

/// An item of the ring.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Item {
    /// A literal joined the trail. The reason is the device's.
    Literal { level: u32, lit: Lit, reason: u32 },
    /// Why a sum forced the next literal, or is violated.
    Because(Vec<Lit>),
    /// A violated nogood, and the length by which learning orders conflicts.
    Conflict { id: u32, length: u32 },
    /// A learned nogood.
    Learned { rank: u32, learner: u32, levels: u32, lits: Vec<Lit> },
    /// The variables of an unfounded set.
    Unfounded(Vec<u32>),
    /// A jump, from a level to another.
    Jump { how: u32, from: u32, to: u32, flips: bool, restarts: bool },
    /// An answer set.
    Answer,
    /// So many learned nogoods were renumbered.
    Deleted(u32),
}

/// All items in `words`.
///
/// # Panics
/// If the words are no items: an error in the solver.
pub fn items(words: &[u32]) -> Vec<Item> {
    let mut items = Vec::new();
    let mut rest = words;
    let mut take = |n: usize| {
        let (taken, after) = rest.split_at(n);
        rest = after;
        taken
    };
    let lits = |words: &[u32]| words.iter().map(|&word| Lit(word)).collect();
    let mut left = words.len();
    while left > 0 {
        let (read, item) = match take(1)[0] {
            item::TRAIL => {
                let &[level, n] = take(2) else { unreachable!("two words were taken") };
                let pairs = take(2 * n as usize).chunks_exact(2);
                items.extend(pairs.map(|pair| Item::Literal { level, lit: Lit(pair[0]), reason: pair[1] }));
                left -= 3 + 2 * n as usize;
                continue;
            }
            item::BECAUSE => {
                let n = take(1)[0] as usize;
                (2 + n, Item::Because(lits(take(n))))
            }
            item::CONFLICT => {
                let words = take(2);
                (3, Item::Conflict { id: words[0], length: words[1] })
            }
            item::LEARNED => {
                let &[rank, learner, levels, n] = take(4) else { unreachable!("four words were taken") };
                (5 + n as usize, Item::Learned { rank, learner, levels, lits: lits(take(n as usize)) })
            }
            item::UNFOUNDED => {
                let n = take(1)[0] as usize;
                (2 + n, Item::Unfounded(take(n).to_vec()))
            }
            item::JUMP => {
                let &[how, from, to, flips, restarts] = take(5) else {
                    unreachable!("five words were taken")
                };
                (6, Item::Jump { how, from, to, flips: flips == 1, restarts: restarts == 1 })
            }
            item::ANSWER => (1, Item::Answer),
            item::DELETED => (2, Item::Deleted(take(1)[0])),
            other => unreachable!("no item begins with {other}"),
        };
        left -= read;
        items.push(item);
    }
    items
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_item_is_read() {
        let words = [
            &[item::TRAIL, 2, 2, 4, 9, 7, 8][..],
            &[item::BECAUSE, 2, 3, Lit::TRUE.0],
            &[item::CONFLICT, 5, 3],
            &[item::LEARNED, 0, 1, 2, 1, 6],
            &[item::UNFOUNDED, 2, 0, 1],
            &[item::JUMP, 0, 5, 2, 0, 1],
            &[item::ANSWER],
            &[item::DELETED, 12],
        ]
        .concat();
        let want = [
            Item::Literal { level: 2, lit: Lit(4), reason: 9 },
            Item::Literal { level: 2, lit: Lit(7), reason: 8 },
            Item::Because(vec![Lit(3), Lit::TRUE]),
            Item::Conflict { id: 5, length: 3 },
            Item::Learned { rank: 0, learner: 1, levels: 2, lits: vec![Lit(6)] },
            Item::Unfounded(vec![0, 1]),
            Item::Jump { how: 0, from: 5, to: 2, flips: false, restarts: true },
            Item::Answer,
            Item::Deleted(12),
        ];
        assert_eq!(items(&words), want);
    }
}
