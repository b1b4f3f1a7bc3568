//! A copy of all memory of a search, and what can be read off it.
//!
//! Main function: [`Taken::take`]. Invariant: a [`Snapshot`] has what kernels may change in a form that does
//! not depend on the order in which threads ran where any order will do: lists of watches and queues are
//! sets.

use super::arrays::{all, control_words, Arrays};
use super::words::Words;
use bytemuck::Pod;
use solver_gpu::layout::{flag, Learned, Origin, Own, Record, MAX_CONFLICTS, NONE};
use solver_gpu::lit::unpack;
use solver_gpu::watches::{number_of, of_entry, INPUT};
use solver_gpu::{Lit, Problem, Search, State, Var};
use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hasher};
use std::mem::offset_of;
use std::ops::Range;
use yasmin_device::{DeviceError, Executor};

/// All memory of a search at one time.
pub struct Taken {
    /// The control words.
    pub state: State,
    /// The search's own arrays.
    pub arrays: Arrays,
    /// What the references compare.
    pub snapshot: Snapshot,
    /// Each candidate and its variable, where variables are candidates.
    pub candidates: Vec<(u32, u32)>,
}

impl Taken {
    /// Copies the memory, after all launches so far.
    ///
    /// # Errors
    /// If the device or a launch fails.
    pub fn take(executor: &mut dyn Executor, search: &Search) -> Result<Taken, DeviceError> {
        let state = control_words(executor, &search.own)?;
        let arrays = Arrays::download(executor, &search.own)?;
        let program = Program::download(executor, &search.problem)?;
        let snapshot = Snapshot::of(&search.own, &state, &arrays, program);
        let of = all(executor, search.problem.candidate_of)?;
        let candidates = (0..of.len()).map(|p| (of[p], p as u32)).filter(|&(i, _)| i != NONE).collect();
        Ok(Taken { state, arrays, snapshot, candidates })
    }
}

/// What no kernel may write.
struct Program {
    input: Vec<Vec<Lit>>,
    /// Sums, all items of weight 0.
    sums: Vec<Sum>,
    hash: u64,
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
    pub round_start: Vec<u32>,
    pub decision_at: Vec<Lit>,
    pub trail_at: Vec<u32>,
    pub deps: Vec<u32>,
    pub deps_words: usize,
    pub rank: Vec<u32>,
    pub saved_phase: Vec<u32>,
    pub sign_score: Vec<u32>,
    pub longest: Vec<u32>,
    pub kept_phase: Vec<u32>,
    pub watch: Vec<u64>,
    /// How many input nogoods stand in lists of watches.
    pub listed: usize,
    pub conflict: Vec<u32>,
    pub slot_lits: Vec<Lit>,
    /// Without hashes.
    pub slot: Vec<Learned>,
    pub learned: Vec<Vec<Lit>>,
    pub learned_lbd: Vec<u32>,
    pub learned_activity: Vec<u32>,
    pub learned_flags: Vec<u32>,
    pub learned_watch: Vec<u64>,
    pub learned_origin: Vec<Origin>,
    /// For each literal the numbers of the nogoods in its list of watches, as a set.
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
    /// The literals of the cube, and those of the core as a set.
    pub cube: Vec<Lit>,
    pub core: BTreeSet<Lit>,
    /// The bounds of difference constraints, and what the last round demanded of them.
    pub bound: Vec<i64>,
    pub bound_next: Vec<i64>,
    /// Of how many literals the bounds were last computed anew.
    pub anew_at: Option<u32>,
    /// A hash of the program's arrays, which no kernel may write.
    pub constant: u64,
}

impl Snapshot {
    /// What the copied arrays say.
    fn of(own: &Own, state: &State, a: &Arrays, program: Program) -> Snapshot {
        let words = Words::of(state);
        let learned = words.learned as usize;
        let of_each = |offset: usize| (0..learned).map(|i| record_word(a, i, offset)).collect();
        let nogood = |i: usize| {
            let [start, len]: [u32; 2] = record_word(a, i, offset_of!(Record, start));
            a.learned_lit[start as usize..][..len as usize].to_vec()
        };
        let late = a.late[..state.late.load() as usize].iter();
        Snapshot {
            value: a.value.clone(),
            reason: a.reason.clone(),
            position: a.position.clone(),
            trail: a.trail[..words.trail_len as usize].to_vec(),
            round_start: a.round_start.clone(),
            decision_at: a.decision_at.clone(),
            trail_at: a.trail_at.clone(),
            deps: a.deps.clone(),
            deps_words: own.deps_words as usize,
            rank: a.rank.clone(),
            saved_phase: a.saved_phase.clone(),
            sign_score: a.sign_score.clone(),
            longest: a.longest.clone(),
            kept_phase: a.kept_phase.clone(),
            watch: a.watch.clone(),
            listed: a.cursor.len(),
            conflict: a.conflict[..words.conflicts.min(MAX_CONFLICTS) as usize].to_vec(),
            slot_lits: a.slot_lits.clone(),
            slot: a.slot.iter().map(|&learned| Learned { hash: 0, ..learned }).collect(),
            learned: (0..learned).map(nogood).collect(),
            learned_lbd: of_each(offset_of!(Record, lbd)),
            learned_activity: of_each(offset_of!(Record, activity)),
            // The rest of the word only saves time, as `from` does.
            learned_flags: of_each(offset_of!(Record, flags))
                .iter()
                .map(|word| word & flag::FOREIGN)
                .collect(),
            learned_watch: (0..learned).map(|i| record_word(a, i, offset_of!(Record, watch))).collect(),
            learned_origin: a.learned_origin[..learned].to_vec(),
            watch_lists: (0..a.watch_at.len())
                .map(|lit| list(a, lit).iter().map(|&entry| of_entry(entry).0).collect())
                .collect(),
            late: late.copied().filter(|&i| i != NONE).collect(),
            input: program.input,
            mark: a.mark.clone(),
            sums: weighed(program.sums, &a.sum_weight),
            held: a.sum_held.clone(),
            most: a.sum_most.clone(),
            queue: a.sum_queue[..state.touched.load() as usize].iter().copied().collect(),
            cube: a.cube[..state.cube_len.load() as usize].to_vec(),
            core: a.core[..state.core_len.load() as usize].iter().copied().collect(),
            bound: a.bound.clone(),
            bound_next: a.bound_next.clone(),
            anew_at: a.log_at.first().copied(),
            constant: program.hash,
            words,
        }
    }

    /// The number of each nogood that belongs into lists of watches.
    pub fn numbers(&self) -> impl Iterator<Item = u32> + use<> {
        let learned = self.words.learned;
        (0..learned + self.listed as u32).map(move |index| number_of(index, learned))
    }

    /// The literals that the nogood with this number watches.
    pub fn watched(&self, number: u32) -> (Lit, Lit) {
        unpack(match number & INPUT {
            0 => self.learned_watch[number as usize],
            _ => self.watch[(number & !INPUT) as usize],
        })
    }

    /// Fails unless each nogood stands in the lists of the literals that it watches, or it is known that some
    /// does not.
    pub fn check_lists(&self) {
        if self.words.unlisted == 1 {
            return;
        }
        for i in self.numbers() {
            let (a, b) = self.watched(i);
            for lit in [a, b] {
                assert!(self.watch_lists[lit.index()].contains(&i), "{i} is not in the list of {lit:?}");
            }
        }
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

impl Program {
    /// Copies the program, after all launches so far.
    fn download(executor: &mut dyn Executor, v: &Problem) -> Result<Program, DeviceError> {
        let (start, lits) = (all(executor, v.nogood_start)?, all(executor, v.nogood_lits)?);
        let input = start.windows(2).map(|w| lits[w[0] as usize..w[1] as usize].to_vec()).collect();
        Ok(Program { input, sums: sums(executor, v)?, hash: hash(executor, v)? })
    }
}

/// A hash of all arrays of the program.
fn hash(executor: &mut dyn Executor, v: &Problem) -> Result<u64, DeviceError> {
    let mut arrays = Vec::new();
    v.each_array(|_, _, array| arrays.push(array));
    let mut hasher = DefaultHasher::new();
    for array in arrays {
        hasher.write(&all(executor, array)?);
    }
    Ok(hasher.finish())
}

/// The sum nogoods, with weights of 0.
fn sums(executor: &mut dyn Executor, v: &Problem) -> Result<Vec<Sum>, DeviceError> {
    if v.sums == 0 {
        return Ok(Vec::new());
    }
    let (conditions, start) = (all(executor, v.sum_condition)?, all(executor, v.sum_start)?);
    let (lits, counter) = (all(executor, v.sum_lit)?, all(executor, v.sum_counter)?);
    let counters = all(executor, v.sum_counters)?;
    let items = |s: usize| start[s] as usize..start[s + 1] as usize;
    let sum = |s: usize| Sum {
        condition: conditions[s],
        items: items(s).map(|i| (lits[i], 0, counter[i])).collect(),
        counters: counters[s]..counters[s + 1],
    };
    Ok((0..v.sums as usize).map(sum).collect())
}

/// The word at a distance from the beginning of the record of learned nogood `i`.
fn record_word<T: Pod>(a: &Arrays, i: usize, offset: usize) -> T {
    let at = i * size_of::<Record>() + offset;
    bytemuck::pod_read_unaligned(&a.learned_record[at..at + size_of::<T>()])
}

/// The sums with the weights of their items, which kernels may change.
fn weighed(mut sums: Vec<Sum>, weights: &[i64]) -> Vec<Sum> {
    let items = sums.iter_mut().flat_map(|sum| &mut sum.items);
    items.zip(weights).for_each(|(item, &weight)| item.1 = weight);
    sums
}

/// The entries of a literal's list of watches.
pub fn list(a: &Arrays, lit: usize) -> &[u64] {
    &a.watch_list[a.watch_at[lit] as usize..][..a.watch_len[lit].min(a.watch_capacity[lit]) as usize]
}
