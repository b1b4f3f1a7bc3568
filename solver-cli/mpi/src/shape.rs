//! Who talks to whom, and who has which cores and GPUs.
//!
//! Main types: [`Tree`] and [`Share`]. Ranks form a tree with rank 0 at its root: each rank but 0 gets its
//! cubes from its parent. The ranks on one host divide its cores and its GPUs among themselves.
//!
//! Invariant: every rank comes to the same tree, and to shares that do not overlap.

use nix::sched::{sched_getaffinity, CpuSet};
use nix::unistd::Pid;

/// The tree of so many ranks, each with at most so many children.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tree {
    /// How many ranks there are.
    pub ranks: u32,
    /// How many children a rank has at most; at least 1.
    pub children: u32,
}

impl Tree {
    /// The rank that a rank gets its cubes from; none for rank 0.
    pub fn parent(self, rank: u32) -> Option<u32> {
        rank.checked_sub(1).map(|before| before / self.children.max(1))
    }

    /// The ranks that get their cubes from a rank.
    pub fn children(self, rank: u32) -> std::ops::Range<u32> {
        let children = u64::from(self.children.max(1));
        let first = u64::from(rank) * children + 1;
        let within = |rank: u64| rank.min(u64::from(self.ranks)) as u32;
        within(first)..within(first + children)
    }

    /// A rank and all below it, the rank first.
    pub fn below(self, rank: u32) -> Vec<u32> {
        let mut all = vec![rank];
        let mut at = 0;
        while at < all.len() {
            all.extend(self.children(all[at]));
            at += 1;
        }
        all
    }
}

/// A set of cores: bit i of word i / 64 is core i.
pub type Cores = [u64; 16];

/// What a rank has of its host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Share {
    /// The number of the rank among those of its host, and how many these are.
    pub place: (u32, u32),
    /// How many cores are the rank's; at least 1.
    pub cores: usize,
}

impl Share {
    /// The share of the rank with the number `place` among those of a host, where `bound` says to which cores
    /// each of them is bound. Ranks that are bound to some core in common divide theirs.
    pub fn of(place: usize, bound: &[Cores]) -> Share {
        let mine = &bound[place];
        let overlaps = |other: &Cores| mine.iter().zip(other).any(|(a, b)| a & b != 0);
        let sharing: Vec<usize> = (0..bound.len()).filter(|&i| i == place || overlaps(&bound[i])).collect();
        let turn = sharing.iter().position(|&i| i == place).unwrap_or(0);
        let cores: usize = mine.iter().map(|word| word.count_ones() as usize).sum();
        let own = cores / sharing.len() + usize::from(turn < cores % sharing.len());
        Share { place: (place as u32, bound.len() as u32), cores: own.max(1) }
    }

    /// The numbers of those of `gpus` GPUs that are the rank's.
    pub fn gpus(self, gpus: u32) -> Vec<u32> {
        let (place, ranks) = self.place;
        (0..gpus).filter(|gpu| gpu % ranks.max(1) == place).collect()
    }
}

/// The cores that this process may run on.
pub fn cores() -> Cores {
    let mut cores = [0; 16];
    if let Ok(set) = sched_getaffinity(Pid::from_raw(0)) {
        for core in 0..CpuSet::count().min(1024) {
            if set.is_set(core).unwrap_or(false) {
                cores[core / 64] |= 1 << (core % 64);
            }
        }
    }
    cores
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_rank_but_the_first_has_one_parent() {
        for ranks in [1, 2, 3, 8, 9, 10, 74, 100] {
            for children in [1, 2, 3, 8, 200] {
                let tree = Tree { ranks, children };
                let mut parents = vec![0; ranks as usize];
                for rank in 0..ranks {
                    assert!(tree.children(rank).len() <= children as usize);
                    for child in tree.children(rank) {
                        assert_eq!(tree.parent(child), Some(rank));
                        parents[child as usize] += 1;
                    }
                }
                assert_eq!(parents[0], 0);
                assert!(parents[1..].iter().all(|&n| n == 1), "{tree:?}");
                let mut below = tree.below(0);
                below.sort_unstable();
                assert_eq!(below, (0..ranks).collect::<Vec<_>>(), "{tree:?}");
            }
        }
    }

    fn cores(of: impl IntoIterator<Item = usize>) -> Cores {
        let mut cores = [0; 16];
        of.into_iter().for_each(|core| cores[core / 64] |= 1 << (core % 64));
        cores
    }

    #[test]
    fn ranks_divide_what_they_have_in_common() {
        let of = |bound: &[Cores]| -> Vec<usize> {
            (0..bound.len()).map(|place| Share::of(place, bound).cores).collect()
        };
        let all = cores(0..10);
        assert_eq!(of(&[all, all, all]), [4, 3, 3]);
        assert_eq!(of(&[cores(0..2); 8]), [1; 8]);
        assert_eq!(of(&[cores(0..4), cores(4..10)]), [4, 6]);
        assert_eq!(of(&[cores(0..4), cores(0..4), cores(100..103)]), [2, 2, 3]);
        assert_eq!(of(&[cores([]); 2]), [1, 1]);
    }

    #[test]
    fn each_gpu_is_one_ranks() {
        let gpus = |place, ranks, gpus| Share { place: (place, ranks), cores: 1 }.gpus(gpus);
        assert_eq!((gpus(0, 2, 3), gpus(1, 2, 3)), (vec![0, 2], vec![1]));
        assert_eq!((gpus(0, 4, 2), gpus(3, 4, 2)), (vec![0], vec![]));
        assert!(gpus(0, 1, 0).is_empty());
    }
}
