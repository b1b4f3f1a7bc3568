//! A copy of all memory of a search, and what can be read off it.

use super::super::memory::Memory;
use super::cover;
use bytemuck::Pod;
use solver_gpu::conflict::Learned;
use solver_gpu::kernels::propagate_long::unpack;
use solver_gpu::layout::{MAX_CONFLICTS, NONE, SUMS};
use solver_gpu::watches::of_entry;
use solver_gpu::{Array, Lit, Var};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Range;
use std::sync::atomic::Ordering::Relaxed;

/// The control words as plain numbers; see [`solver_gpu::State`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct Words {
    pub propagations: u64,
    pub decisions: u64,
    pub completions: u64,
    pub violations: u64,
    pub learned_total: u64,
    pub learned_total_lits: u64,
    pub rounds: u64,
    pub conflict_steps: u64,
    pub restarts: u64,
    pub next_restart: u64,
    pub turn_end: u64,
    pub turn_len: u64,
    pub deleted: u64,
    pub keep: u32,
    pub learned_limit: u32,
    pub level: u32,
    pub trail_len: u32,
    pub committed: u32,
    pub visited: u32,
    pub conflicts: u32,
    pub backtrack_level: u32,
    pub target: u32,
    pub flip: u32,
    pub exhausted: u32,
    pub no_candidate: u32,
    pub unfounded: u32,
    pub learned: u32,
    pub learned_lits: u32,
    pub seen: u32,
    pub unlisted: u32,
    pub look_late: u32,
    pub bump: u32,
    pub lbd_recent: u32,
    pub lbd_ever: u32,
    pub deepest: u32,
    /// Scratch of Decision, which leaves it 0.
    pub best: u64,
    /// Scratch of whoever needs the last block, which leaves it 0.
    pub stamp: u32,
    pub projected: u32,
    pub turn: u32,
    pub longest_len: u32,
}

/// A sum nogood.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct Sum {
    pub condition: Lit,
    /// Literal, weight and counter of each item.
    pub items: Vec<(Lit, i64, u32)>,
    pub counters: Range<u32>,
}

/// Everything a kernel may change. Scratch (`founded`, `slot_deps`, ...) is left out.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct Snapshot {
    pub words: Words,
    pub value: Vec<i32>,
    pub reason: Vec<u32>,
    pub position: Vec<u32>,
    pub trail: Vec<Lit>,
    pub round: Vec<u32>,
    pub decision_at: Vec<Lit>,
    pub trail_at: Vec<u32>,
    pub deps: Vec<u32>,
    pub deps_words: usize,
    pub rank: Vec<u32>,
    pub phase: Vec<u32>,
    pub longest: Vec<u32>,
    pub kept_phase: Vec<u32>,
    pub watch: Vec<u64>,
    pub conflict: Vec<u32>,
    pub slot_lits: Vec<Lit>,
    /// Without hashes.
    pub slot: Vec<Learned>,
    pub learned: Vec<Vec<Lit>>,
    pub learned_lbd: Vec<u32>,
    pub learned_activity: Vec<u32>,
    pub learned_watch: Vec<u64>,
    /// For each literal the learned nogoods in its list of watches, as a set.
    pub watch_lists: Vec<BTreeSet<u32>>,
    /// The late nogoods.
    pub late: BTreeSet<u32>,
    /// The input's nogoods; they never change.
    pub input: Vec<Vec<Lit>>,
    pub mark: Vec<u32>,
    pub sums: Vec<Sum>,
    /// Of each counter, what it has and what it may have at most.
    pub held: Vec<i64>,
    pub most: Vec<i64>,
    /// The sums to look at.
    pub queue: BTreeSet<u32>,
    /// A hash of what no kernel may write.
    pub constant: u64,
}

impl Snapshot {
    /// Copies the memory, after all launches so far.
    pub fn take(m: &mut Memory) -> Snapshot {
        m.read_state().expect("a working device");
        let v = m.search;
        let s = &m.state;
        let word = |a: &std::sync::atomic::AtomicU32| a.load(Relaxed);
        let words = Words {
            propagations: s.propagations.load(Relaxed),
            decisions: s.decisions.load(Relaxed),
            completions: s.completions.load(Relaxed),
            violations: s.violations.load(Relaxed),
            learned_total: s.learned_total.load(Relaxed),
            learned_total_lits: s.learned_total_lits.load(Relaxed),
            rounds: s.rounds.load(Relaxed),
            conflict_steps: s.conflict_steps.load(Relaxed),
            restarts: s.restarts.load(Relaxed),
            next_restart: s.next_restart.load(Relaxed),
            turn_end: s.turn_end.load(Relaxed),
            turn_len: s.turn_len.load(Relaxed),
            deleted: s.deleted.load(Relaxed),
            keep: word(&s.keep),
            learned_limit: word(&s.learned_limit),
            level: word(&s.level),
            trail_len: word(&s.trail_len),
            committed: word(&s.committed),
            visited: word(&s.visited),
            conflicts: word(&s.conflicts),
            backtrack_level: word(&s.backtrack_level),
            target: word(&s.target),
            flip: word(&s.flip),
            exhausted: word(&s.exhausted),
            no_candidate: word(&s.no_candidate),
            unfounded: word(&s.unfounded),
            learned: word(&s.learned),
            learned_lits: word(&s.learned_lits),
            seen: word(&s.seen),
            unlisted: word(&s.unlisted),
            look_late: word(&s.look_late),
            bump: word(&s.bump),
            lbd_recent: word(&s.lbd_recent),
            lbd_ever: word(&s.lbd_ever),
            deepest: word(&s.deepest),
            best: s.best.load(Relaxed),
            stamp: word(&s.stamp),
            projected: word(&s.projected),
            turn: word(&s.turn),
            longest_len: word(&s.longest_len),
        };
        assert!(word(&s.queued) == 0 || words.unlisted == 1, "the queue of watches is worked off");
        let (touched, late) = (word(&s.touched) as usize, word(&s.late) as usize);
        let late = all(m, v.late)[..late].to_vec();
        let queue: BTreeSet<u32> = all(m, v.sum_queue)[..touched].iter().copied().collect();
        let flags = all(m, v.sum_touched);
        let flagged = (0..v.sums).filter(|&sum| flags[sum as usize] == 1).collect();
        assert_eq!((queue.len(), &queue), (touched, &flagged), "the queue of sums and its flags");
        let learned = words.learned as usize;
        let start = all(m, v.learned_start);
        let len = all(m, v.learned_len);
        let lit = all(m, v.learned_lit);
        let input_start = all(m, v.start);
        let input_lits = all(m, v.lits);
        let first = |mut all: Vec<u32>, n: u32| {
            all.truncate(n as usize);
            all
        };
        let snapshot = Snapshot {
            value: all(m, v.value),
            reason: all(m, v.reason),
            position: all(m, v.position),
            trail: all(m, v.trail)[..words.trail_len as usize].to_vec(),
            round: all(m, v.round),
            decision_at: all(m, v.decision_at),
            trail_at: all(m, v.trail_at),
            deps: all(m, v.deps),
            deps_words: v.deps_words as usize,
            rank: all(m, v.rank),
            phase: all(m, v.phase),
            longest: all(m, v.longest),
            kept_phase: all(m, v.kept_phase),
            watch: all(m, v.watch),
            conflict: first(all(m, v.conflict), words.conflicts.min(MAX_CONFLICTS)),
            slot_lits: all(m, v.slot_lits),
            slot: all(m, v.slot).into_iter().map(|learned| Learned { hash: 0, ..learned }).collect(),
            learned: (0..learned).map(|i| lit[start[i] as usize..][..len[i] as usize].to_vec()).collect(),
            learned_lbd: first(all(m, v.learned_lbd), words.learned),
            learned_activity: first(all(m, v.learned_activity), words.learned),
            learned_watch: all(m, v.learned_watch)[..learned].to_vec(),
            watch_lists: watch_lists(m),
            late: late.into_iter().filter(|&i| i != NONE).collect(),
            input: input_start
                .windows(2)
                .map(|w| input_lits[w[0] as usize..w[1] as usize].to_vec())
                .collect(),
            mark: all(m, v.mark),
            sums: sums(m),
            held: all(m, v.sum_held),
            most: all(m, v.sum_most),
            queue,
            constant: constant(m),
            words,
        };
        check_chunks(m, &snapshot);
        snapshot
    }

    /// Fails unless each learned nogood stands in the lists of the literals that it watches, or it is known that some does not.
    pub fn check_lists(&self) {
        if self.words.unlisted == 1 {
            return;
        }
        for (i, &pair) in self.learned_watch.iter().enumerate() {
            let (a, b) = unpack(pair);
            for lit in [a, b] {
                assert!(
                    self.watch_lists[lit.index()].contains(&(i as u32)),
                    "{i} is not in the list of {lit:?}"
                );
            }
        }
    }

    /// The literals of nogood `id`; of a sum, those that hold now.
    pub fn nogood(&self, id: u32) -> Cow<'_, [Lit]> {
        self.nogood_before(id, self.words.committed)
    }

    /// The literals of nogood `id`; of a sum, the condition and what held at place `before` of the trail.
    pub fn nogood_before(&self, id: u32, before: u32) -> Cow<'_, [Lit]> {
        if id >= SUMS {
            let sum = &self.sums[(id - SUMS) as usize];
            let condition = Some(sum.condition).filter(|&lit| lit != Lit::TRUE);
            return self.held_before(sum, before).map(|&(lit, ..)| lit).chain(condition).collect();
        }
        Cow::Borrowed(match (id as usize).checked_sub(self.input.len()) {
            None => &self.input[id as usize],
            Some(i) => &self.learned[i],
        })
    }

    /// The items of a sum that held at place `before` of the trail.
    fn held_before<'a>(
        &'a self,
        sum: &'a Sum,
        before: u32,
    ) -> impl DoubleEndedIterator<Item = &'a (Lit, i64, u32)> {
        sum.items.iter().filter(move |&&(lit, weight, _)| {
            weight > 0 && self.holds(lit) && self.position[lit.var().0 as usize] < before
        })
    }

    /// What of that is enough for `of`, or for a conflict if that is [`Lit::TRUE`]: of a sum items from the end are left out, while the first
    /// counter that is exceeded stays so.
    pub fn explanation(&self, id: u32, before: u32, of: Lit) -> Cow<'_, [Lit]> {
        if id < SUMS {
            return self.nogood_before(id, before);
        }
        let sum = &self.sums[(id - SUMS) as usize];
        let own = sum.items.iter().filter(|&&(lit, ..)| lit == !of);
        let mut weights: BTreeMap<u32, i64> = sum.counters.clone().map(|c| (c, 0)).collect();
        for &(_, weight, counter) in self.held_before(sum, before).chain(own) {
            *weights.get_mut(&counter).expect("a counter of the sum") += weight;
        }
        let exceeded = sum.counters.clone().find(|c| weights[c] != self.most[*c as usize]);
        let exceeded = exceeded.expect("a counter that is not at its limit");
        let mut left = weights[&exceeded] - self.most[exceeded as usize] - 1;
        assert!(left >= 0, "sum {id} says nothing of {of:?}");
        let mut lits: Vec<Lit> = Some(sum.condition).filter(|&lit| lit != Lit::TRUE).into_iter().collect();
        let mut is_enough = true;
        for &(lit, weight, counter) in self.held_before(sum, before).filter(|item| item.0 != !of).rev() {
            // Counters behind the one that is exceeded do not matter.
            let weight = if counter > exceeded { 0 } else { weight };
            is_enough = is_enough && counter >= exceeded && weight <= left;
            if is_enough {
                left -= weight;
                cover("an item that is not needed");
            } else {
                lits.push(lit);
            }
        }
        lits.into()
    }

    /// What the counters must have: the weights of the items that hold.
    pub fn counted(&self) -> Vec<i64> {
        let mut held = vec![0; self.held.len()];
        for (lit, weight, counter) in self.sums.iter().flat_map(|sum| sum.items.iter().copied()) {
            held[counter as usize] += if self.holds(lit) { weight } else { 0 };
        }
        held
    }

    /// Whether a sum's counters are above what they may be, once `weight` is added to `counter`: as digits, highest first.
    pub fn is_exceeded(&self, sum: &Sum, counter: u32, weight: i64) -> bool {
        let value = |c: u32| self.held[c as usize] + if c == counter { weight } else { 0 };
        let held: Vec<i64> = sum.counters.clone().map(value).collect();
        let most: Vec<i64> = sum.counters.clone().map(|c| self.most[c as usize]).collect();
        held > most
    }

    /// Level of a literal's variable, 0 if it is open.
    pub fn level(&self, lit: Lit) -> u32 {
        self.value[lit.var().0 as usize].unsigned_abs()
    }

    /// Whether the literal is in the assignment.
    pub fn holds(&self, lit: Lit) -> bool {
        self.level(lit) > 0 && (self.value[lit.var().0 as usize] > 0) != lit.is_false_sign()
    }

    /// Whether its variable is unassigned.
    pub fn is_open(&self, lit: Lit) -> bool {
        self.level(lit) == 0
    }

    /// Whether all literals hold.
    pub fn is_violated(&self, nogood: &[Lit]) -> bool {
        nogood.iter().all(|&l| self.holds(l))
    }

    /// The literal that must not hold, if the nogood is unit.
    pub fn unit(&self, nogood: &[Lit]) -> Option<Lit> {
        let open: Vec<Lit> = nogood.iter().copied().filter(|&l| !self.holds(l)).collect();
        (open.len() == 1 && self.is_open(open[0])).then(|| open[0])
    }

    /// Levels of the decisions that an assigned literal depends on, read off its bitmap.
    pub fn depends(&self, lit: Lit) -> BTreeSet<u32> {
        let row = lit.var().0 as usize * self.deps_words;
        (2..=self.level(lit))
            .filter(|&l| self.deps[row + (l as usize - 2) / 32] >> ((l - 2) % 32) & 1 == 1)
            .collect()
    }

    /// Reason and sign of a variable.
    pub fn claim(&self, var: Var) -> (u32, bool) {
        let word = self.reason[var.0 as usize];
        (word >> 1, word & 1 == 1)
    }
}

/// The lists of watches.
fn watch_lists(m: &mut Memory) -> Vec<BTreeSet<u32>> {
    let v = m.search;
    let (at, len, list) = (all(m, v.watch_at), all(m, v.watch_len), all(m, v.watch_list));
    let room = all(m, v.watch_room);
    let list = |lit: usize| &list[at[lit] as usize..][..len[lit].min(room[lit]) as usize];
    let mut places: Vec<(u32, u32)> = (0..at.len()).map(|lit| (at[lit], at[lit] + room[lit])).collect();
    places.sort_unstable();
    assert!(places.windows(2).all(|w| w[0].1 <= w[1].0), "lists of watches overlap");
    assert!(
        places.last().is_none_or(|last| last.1 <= m.state.watch_end.load(Relaxed)),
        "a list beyond the end"
    );
    let nogoods = |lit: usize| {
        list(lit).iter().map(|&entry| {
            assert!(entry != u64::MAX, "a list has a dead entry");
            of_entry(entry).0
        })
    };
    (0..at.len()).map(|lit| nogoods(lit).collect()).collect()
}

/// Checks that no candidate that is open is better than what its chunk says.
fn check_chunks(m: &mut Memory, s: &Snapshot) {
    let v = m.search;
    if v.chunk_best.is_empty() {
        return;
    }
    let (best, of) = (all(m, v.chunk_best), all(m, v.candidate_of));
    let open = (0..s.value.len()).filter(|&p| s.value[p] == 0 && of[p] != NONE);
    for p in open {
        let (i, rank) = (of[p], s.rank[p].saturating_mul(2).min(u32::MAX >> 1));
        let rank = if i < v.first_candidates { rank | 1 << 31 } else { rank };
        let key = (rank as u64) << 32 | (u32::MAX - (i ^ v.seed & 0x3fff_ffff)) as u64;
        assert!(key <= best[i as usize / 64], "candidate {i} is better than its chunk's best");
    }
}

/// The sum nogoods.
fn sums(m: &mut Memory) -> Vec<Sum> {
    let v = m.search;
    if v.sums == 0 {
        return Vec::new();
    }
    let (conditions, start, counters) =
        (all(m, v.sum_condition), all(m, v.sum_start), all(m, v.sum_counters));
    let (lits, weights, counter) = (all(m, v.sum_lit), all(m, v.sum_weight), all(m, v.sum_counter));
    (0..v.sums as usize)
        .map(|s| Sum {
            condition: conditions[s],
            items: (start[s] as usize..start[s + 1] as usize)
                .map(|i| (lits[i], weights[i], counter[i]))
                .collect(),
            counters: counters[s]..counters[s + 1],
        })
        .collect()
}

/// A hash of maps, candidates and loop rules.
fn constant(m: &mut Memory) -> u64 {
    let v = m.search;
    let mut hasher = DefaultHasher::new();
    for class in 0..3 {
        all(m, v.occurs_start[class]).hash(&mut hasher);
    }
    for words in [v.occurs_binary, v.occurs_ternary] {
        all(m, words).hash(&mut hasher);
    }
    for numbers in [
        v.occurs_ternary_id,
        v.occurs_long,
        v.candidate_head,
        v.candidate_of,
        v.loop_atom,
        v.component,
        v.loop_head,
        v.loop_positive_start,
        v.loop_positive,
        v.loop_occurs_start,
        v.loop_occurs,
        v.loop_rules_start,
        v.loop_rules_of,
        v.sum_of,
        v.sum_occurs_start,
        v.sum_occurs,
        v.loop_sum_atom,
        v.loop_sum_start,
        v.loop_sum_inner,
        v.loop_item_sum,
        v.loop_item_occurs_start,
        v.loop_item_occurs,
        v.directive_start,
        v.directive_kind,
        v.directive_priority,
    ] {
        all(m, numbers).hash(&mut hasher);
    }
    for weights in [v.loop_sum_bound, v.loop_item_weight] {
        all(m, weights).hash(&mut hasher);
    }
    for lits in [v.candidate_positive, v.candidate_body, v.loop_body, v.loop_item_lit] {
        all(m, lits).hash(&mut hasher);
    }
    hasher.finish()
}

fn all<T: Pod>(m: &mut Memory, array: Array<T>) -> Vec<T> {
    m.read(array, array.len()).expect("a working device")
}
