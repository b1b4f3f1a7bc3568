//! What the searchers of one device share: the words and arrays of a *swarm*.
//!
//! A *searcher* is one search with memory of its own. A *swarm* is all searchers of one device. The searchers
//! of a swarm share cubes (see [`crate::swarm::queue`]), nogoods (see [`crate::swarm::pool`]) and the words
//! of [`Hub`].
//!
//! Invariant: searchers run at once, so all shared words belong to the family of [`SharedU32`]. The literals
//! of a cube are handed over by a releasing store and an acquiring load.

use crate::hash::mix;
use core::mem::offset_of;
use cuda_std::array::Array;
use cuda_std::atomic::{SharedU32, SharedU64};
use cuda_std::thread;

/// The largest number of literals of a cube.
pub const MAX_CUBE: u32 = 255;

/// The largest number of candidates among which a searcher chooses where to divide its cube.
pub const MAX_LOOK: u32 = 64;

/// The number of cubes that wait for a searcher at most. A power of two.
pub const QUEUE: usize = 1024;

/// Of so many searchers in a row, [`Hub::racing`] search everything. A power of two.
pub const ROLES: u32 = 64;

/// In place of a number of racers: roles change at random, for tests.
pub const CHANGE: u32 = ROLES + 1;

/// Whether searcher `number` searches everything if `racing` of [`ROLES`] searchers do. Those who do are
/// spread over the row: of 2, 4, 8 ... searchers in a row, the share that does is the same but for rounding.
#[cuda_std::inlined]
pub const fn races_of(number: u32, racing: u32) -> bool {
    let at = (number % ROLES).reverse_bits() >> (ROLES.leading_zeros() + 1);
    number > 0 && at + racing >= ROLES
}

/// The number of 32-bit words of a cube in the queue: the length, then the literals.
pub const CUBE_WORDS: u32 = MAX_CUBE + 1;

/// The number of classes of shared nogoods, by length.
pub const CLASSES: u32 = 6;

/// The number of nogoods of one class that the pool holds. A power of two.
pub const CLASS_SLOTS: u32 = 8192;

/// The number of hashes by which the pool recognises doubles. A power of two.
pub const DOUBLES: u32 = 1 << 18;

/// The largest number of literals of a shared nogood.
pub const MAX_SHARED: u32 = 32;

/// Returns the class of nogoods of `len` literals, which is at least 1 and at most [`MAX_SHARED`].
#[cuda_std::inlined]
pub const fn class_of(len: u32) -> u32 {
    u32::BITS - (len - 1).leading_zeros()
}

/// Returns the largest number of literals of a nogood in `class`.
#[cuda_std::inlined]
pub const fn width_of(class: u32) -> u32 {
    1 << class
}

/// The number of words of a slot before the literals: the length, then the origin.
pub const SLOT_HEADER: u32 = 3;

/// Returns the number of words of a slot of `class`.
#[cuda_std::inlined]
pub const fn slot_words(class: u32) -> u32 {
    SLOT_HEADER + width_of(class)
}

/// Returns the index in [`Swarm::pool_words`] of the first word of slot `slot` of `class`.
#[cuda_std::inlined]
pub const fn pool_word(class: u32, slot: u32) -> u32 {
    // The literals of the classes before take 1, 2, 4, ... words for each slot.
    (width_of(class) - 1 + class * SLOT_HEADER) * CLASS_SLOTS + slot * slot_words(class)
}

/// The number of words of [`Swarm::pool_words`].
pub const POOL_WORDS: usize = pool_word(CLASSES, 0) as usize;

/// What a searcher works on: the values of [`State::mode`](super::State::mode).
pub mod mode {
    /// The search is in no swarm.
    pub const ALONE: u32 = 0;
    /// The searcher has a cube, which nobody else searches.
    pub const CUBE: u32 = 1;
    /// The searcher searches everything, as others do, with a seed of its own.
    pub const RACE: u32 = 2;
    /// The searcher waits for a cube.
    pub const IDLE: u32 = 3;
    /// The searcher was somewhere in another search. It goes back to level 1, to search everything as others
    /// do.
    pub const BACK: u32 = 4;
    /// The searcher has a neighbourhood of the best answer set (see [`crate::swarm::near`]).
    pub const NEAR: u32 = 5;
}

/// How far a searcher has come with its lookahead: the values of [`State::looking`](super::State::looking).
pub mod looking {
    /// The searcher has not looked ahead since it last gave a cube away.
    pub const NOT: u32 = 0;
    /// No probe is under way, and the next one is due.
    pub const BETWEEN: u32 = 1;
    /// A probe is under way.
    pub const PROBES: u32 = 2;
    /// The searcher has decided on the best candidate, and may give a cube away.
    pub const LOOKED: u32 = 3;
}

/// The argument of the kernel `tighten` for an objective: the bound falls to just below the costs.
pub const BETTER: u32 = 0;
/// The argument of the kernel `tighten` for brave and cautious reasoning: items that do not hold are taken
/// out.
pub const NARROW: u32 = 1;

/// Declares the struct of shared words, and the names of its words for errors.
macro_rules! hub {
    ($($(#[$doc:meta])* $word:ident: $Word:ty,)*) => {
        /// The words that all searchers of a swarm share.
        #[repr(C)]
        #[derive(Debug, Default)]
        pub struct Hub { $($(#[$doc])* pub $word: $Word,)* }

        impl Hub {
            /// The name of each word, and the distance of the word from the beginning of the struct in bytes.
            pub const NAMES: &[(&str, usize)] = &[$((stringify!($word), offset_of!(Hub, $word)),)*];
        }
    };
}

hub! {
    /// The number of answer sets that all searchers have found.
    answers: SharedU64,
    /// The number of answer sets after which all searchers return; 0 for no limit.
    answers_limit: SharedU64,
    /// How many of [`ROLES`] searchers search everything as others do. All others take cubes.
    racing: SharedU64,
    /// The number of stamps that proved searchers have taken (see [`crate::trace`]).
    stamps: SharedU64,
    /// 1 if all searchers have to return.
    stop: SharedU32,
    /// 1 once there is nothing left to search.
    done: SharedU32,
    /// The number of cubes that wait in the queue or are searched.
    open: SharedU32,
    /// The number of searchers that would take a cube.
    hungry: SharedU32,
    /// The ticket of the next cube to take from the queue.
    head: SharedU32,
    /// The ticket of the next cube to put into the queue.
    tail: SharedU32,
    /// The number of searchers that have returned because the host has to do something for them.
    parked: SharedU32,
    /// 1 plus the number of the searcher that has ended the search, or 0.
    winner: SharedU32,
    /// The version of the bound: even when the bound may be read, and larger by two after each change.
    bound_version: SharedU32,
    /// 1 if there is nothing left to search for anybody, and not only no cube: a searcher has searched
    /// everything. 2 if there is nothing without assumptions either.
    refuted: SharedU32,
    /// The number of words of [`Swarm::replies`] that are written.
    replied: SharedU32,
    /// The number of words of the longest reply for which there was no room.
    unreplied: SharedU32,
}

// SAFETY: the struct consists of integers, of which zeros are a value.
unsafe impl bytemuck::Zeroable for Hub {}

/// The part of a search that says how the search belongs to a swarm. All arrays are empty in a search alone.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct Swarm {
    /// The number of searchers of the swarm, or 0 for a search that is alone.
    pub searchers: u32,
    /// The number of the launch's first searcher. Block `b` of the launch is searcher `first + b`.
    pub first: u32,
    /// The distance in bytes between the blocks of memory of a launch's neighbouring searchers.
    pub block_bytes: u64,
    /// 1 if searchers may search everything as others do, [`Hub::racing`] of [`ROLES`] of them. That may tell
    /// an answer set twice.
    pub may_race: u32,
    /// If this is not 0, one in so many searchers searches near the best answer set, and `near` has room for
    /// literals.
    pub near_best: u32,
    /// 1 if all searchers begin by searching everything. That may tell an answer set twice.
    pub races_first: u32,
    /// The number of conflicts that a searcher has met before it first gives a cube away.
    pub split_from: u32,
    /// The number of conflicts between two times that a searcher gives a cube away.
    pub split_after: u32,
    /// The number of candidates among which a searcher chooses where to divide its cube; 0: the lowest
    /// decision divides the cube.
    pub look_ahead: u32,
    /// The largest length of a nogood that is offered to others; 0 for none.
    pub share_len: u32,
    /// The largest LBD of a nogood that is offered to others.
    pub share_lbd: u32,
    /// The number of conflicts between two imports, at first.
    pub import_every: u32,
    /// The largest number of nogoods that one import takes.
    pub import_most: u32,
    /// 1 if a searcher that is out of room deletes learned nogoods, because the device has no more memory.
    pub makes_do: u32,
    /// 1 if all searchers of the launch return soon once many of them want a cube, because others have cubes,
    /// too.
    pub asks_outside: u32,
    /// What an answer set changes in the goal, if there is one: an argument of the kernel `tighten`.
    pub tightens: u32,
    /// The number of words of a row of `questions`; 0 if searchers share one search, and take cubes.
    pub question_words: u32,
    /// The shared words: one element.
    pub hub: Array<Hub>,
    /// [`QUEUE`]: which lap of the queue each slot is in.
    pub cube_lap: Array<SharedU32>,
    /// [`QUEUE`] rows of [`CUBE_WORDS`]: the cubes.
    pub cubes: Array<u32>,
    /// [`CLASSES`]: the number of nogoods of each class that were put into the pool.
    pub pool_end: Array<SharedU32>,
    /// [`CLASSES`] rows of [`CLASS_SLOTS`]: the version of each slot of the pool.
    pub pool_version: Array<SharedU32>,
    /// The slots of the pool, one class after the other (see [`pool_word`]): the length, the two words of the
    /// origin, then the literals.
    pub pool_words: Array<SharedU32>,
    /// [`DOUBLES`]: hashes of nogoods that were offered.
    pub doubles: Array<SharedU64>,
    /// The bound that the goal's counters have for all searchers: twice as many words as the goal has
    /// counters.
    pub bound: Array<SharedU32>,
    /// One bit for each item of the goal: 1 once the item is taken out (brave and cautious reasoning).
    pub known: Array<SharedU32>,
    /// One bit for each variable, if the searchers are under assumptions: 1 once the refutation of a cube
    /// needs what is assumed of the variable. Empty without assumptions.
    pub core: Array<SharedU32>,
    /// What was chosen in the best answer set that is known: the number of literals, then the literals. Only
    /// the host writes the array, on the processor also while searchers run. Empty unless an optimum is
    /// looked for.
    pub near: Array<SharedU32>,
    /// The order of the questions that wait, between the hub's `head` and `tail`, then the rows of questions
    /// (see [`crate::swarm::questions`]). The host writes the array between two launches.
    pub questions: Array<u32>,
    /// What searchers reply to questions.
    pub replies: Array<u32>,
}

/// What the sizes of a swarm's arrays depend on.
#[derive(Clone, Copy, Debug, Default)]
pub struct Sizes {
    /// The number of counters of the goal.
    pub counters: usize,
    /// The number of items of the goal.
    pub items: usize,
    /// The number of variables, if the searchers are under assumptions; else 0.
    pub vars: usize,
    /// The largest number of literals of [`Swarm::near`], or 0 if nobody searches near an answer set.
    pub choices: usize,
}

impl Swarm {
    /// What the sizes of the arrays depend on. Items and variables are rounded up to 32.
    pub fn sizes(&self) -> Sizes {
        Sizes {
            counters: self.bound.len() / 2,
            items: 32 * self.known.len(),
            vars: 32 * self.core.len(),
            choices: self.near.len().saturating_sub(1),
        }
    }

    /// The shared words.
    #[cuda_std::inlined]
    pub fn hub(&self) -> &Hub {
        self.hub.get(0u32)
    }

    /// The number of the searcher that the calling block is.
    #[cuda_std::inlined]
    pub fn me(&self) -> u32 {
        self.first + thread::block_idx_x()
    }

    /// Whether searcher `number` takes no cube at present. Searcher 0 always takes cubes. With [`CHANGE`] in
    /// place of a number of racers, `step` decides, which differs from call to call.
    #[cuda_std::inlined]
    pub fn races(&self, number: u32, step: u64) -> bool {
        if self.may_race == 0 {
            return self.is_near(number);
        }
        let racing = match self.hub().racing.load_relaxed() as u32 {
            CHANGE => mix(step ^ (number as u64) << 32) as u32 % ROLES,
            racing => racing,
        };
        races_of(number, racing) || self.is_near(number)
    }

    /// Whether searcher `number` searches near the best answer set.
    #[cuda_std::inlined]
    pub fn is_near(&self, number: u32) -> bool {
        self.near_best > 0 && number > 0 && number % self.near_best == self.near_best / 2
    }

    /// How many of `without` searchers that join without a cube count as wanting one at once. Those who may
    /// race count themselves, once they know their role.
    pub fn hungry_at_first(&self, without: u32) -> u32 {
        without * (1 - self.may_race)
    }

    /// Whether the search belongs to a swarm.
    #[cuda_std::inlined]
    pub fn is_any(&self) -> bool {
        self.searchers > 0
    }

    /// Whether the searchers answer questions, and share no search.
    #[cuda_std::inlined]
    pub fn has_questions(&self) -> bool {
        self.question_words > 0
    }

    /// Calls `visit` with the name of each array, the size of the array's elements and the array's bytes.
    pub fn each_array(&self, mut visit: impl FnMut(&'static str, usize, Array<u8>)) {
        macro_rules! visit_all {
            ($($array:ident)*) => {
                $(visit(stringify!($array), self.$array.element_bytes(), self.$array.bytes());)*
            };
        }
        visit_all!(hub cube_lap cubes pool_end pool_version pool_words doubles bound known core near questions replies);
    }

    /// Returns arrays of these sizes, which have no memory yet.
    pub fn of_size(Sizes { counters, items, vars, choices }: Sizes) -> Swarm {
        Swarm {
            hub: super::own::nowhere(1),
            cube_lap: super::own::nowhere(QUEUE),
            cubes: super::own::nowhere(QUEUE * CUBE_WORDS as usize),
            pool_end: super::own::nowhere(CLASSES as usize),
            pool_version: super::own::nowhere((CLASSES * CLASS_SLOTS) as usize),
            pool_words: super::own::nowhere(POOL_WORDS),
            doubles: super::own::nowhere(DOUBLES as usize),
            bound: super::own::nowhere(2 * counters),
            known: super::own::nowhere(items.div_ceil(32)),
            core: super::own::nowhere(vars.div_ceil(32)),
            near: super::own::nowhere(if choices > 0 { 1 + choices } else { 0 }),
            ..Swarm::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_length_has_a_class_that_is_wide_enough() {
        for len in 1..=MAX_SHARED {
            let class = class_of(len);
            assert!(class < CLASSES && width_of(class) >= len, "{len}");
            assert!(class == 0 || width_of(class - 1) < len, "{len}");
        }
    }

    #[test]
    fn slots_of_the_pool_do_not_overlap() {
        for class in 0..CLASSES {
            let words = slot_words(class);
            assert_eq!(pool_word(class, 3) - pool_word(class, 2), words);
            assert_eq!(pool_word(class, CLASS_SLOTS - 1) + words, pool_word(class + 1, 0), "class {class}");
        }
        assert_eq!(pool_word(0, 0), 0);
    }
}
