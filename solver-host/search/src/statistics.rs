//! The statistics of a search.
//!
//! Main type: [`Statistics`], whose numbers are the rows of the table [`solver_gpu::statistics!`]. The sums
//! over searchers are [`Statistics::add`] and [`Statistics::add_counts`].

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use solver_gpu::layout::Counters;
use yasmin_nogoods::{Preprocessed, Report};

/// Declares [`Statistics`] and [`SwarmStatistics`]: a field for each row of the table, and how they are added
/// up.
macro_rules! declare {
    (
        search { $(
            #[$doc:meta]
            $name:ident: $Type:ident $(in $Word:ident)?, $how:ident $(, $key:ident $($text:literal)?)*;
        )* }
        swarm { $(
            #[$swarm_doc:meta]
            $swarm_name:ident: $SwarmType:ident $(in $SwarmWord:ident)?, $swarm_how:ident
                $(, $swarm_key:ident $($swarm_text:literal)?)*;
        )* }
    ) => {
        /// What a search has done since it began, in numbers, and the options and the program of the search.
        #[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
        #[serde(default)]
        pub struct Statistics {
            $(#[$doc] pub $name: $Type,)*
            /// What several searchers did for each other; all zeros for a single search.
            #[serde(skip_serializing_if = "SwarmStatistics::is_none")]
            pub swarm: SwarmStatistics,
            /// What has passed between this process and others.
            #[serde(skip_serializing_if = "Passed::is_none")]
            pub passed: Passed,
            /// How many searchers raced, and since when, whenever that has changed.
            #[serde(skip_serializing_if = "Vec::is_empty")]
            pub roles: Vec<Decided>,
            /// The statistics of each searcher on the processor and of each fleet; empty for a single search.
            #[serde(skip_serializing_if = "Vec::is_empty")]
            pub searchers: Vec<Statistics>,
            /// The size of the program and of its nogoods, before and after simplification.
            #[serde(skip_deserializing)]
            pub program: Report,
            /// What preprocessing did to the nogoods.
            #[serde(skip_deserializing)]
            pub preprocess: Preprocessed,
            /// The options in force, by name.
            pub options: Map<String, Value>,
        }

        /// What the searchers of a swarm did for each other.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
        #[serde(default)]
        pub struct SwarmStatistics {
            $(#[$swarm_doc] pub $swarm_name: $SwarmType,)*
            /// 1 plus the number of the searcher that ended the search, or 0.
            #[serde(skip)]
            pub winner: u64,
        }

        impl Statistics {
            /// Adds the statistics of another searcher, or of the same searcher at another time.
            pub fn add(&mut self, other: &Statistics) {
                $(add_up!($how self.$name, other.$name);)*
                self.swarm.add(&other.swarm);
            }

            /// Adds the words in which the kernels of a search have counted.
            pub fn add_counts(&mut self, counts: &Counters) {
                $($(
                    let count = $Type::from(loaded!($Word counts.$name));
                    add_up!($how self.$name, count);
                )?)*
                let swarm = &mut self.swarm;
                $($(
                    let count = $SwarmType::from(loaded!($SwarmWord counts.$swarm_name));
                    add_up!($swarm_how swarm.$swarm_name, count);
                )?)*
            }
        }

        impl SwarmStatistics {
            /// Adds the statistics of other searchers.
            pub fn add(&mut self, other: &SwarmStatistics) {
                $(add_up!($swarm_how self.$swarm_name, other.$swarm_name);)*
            }
        }
    };
}

/// Adds a number to another, as the number's row says.
macro_rules! add_up {
    (sum $mine:expr, $other:expr) => {
        $mine += $other
    };
    (max $mine:expr, $other:expr) => {
        $mine = $mine.max($other)
    };
    // The number belongs to the whole search.
    (once $mine:expr, $other:expr) => {};
}

/// The value of a word.
macro_rules! loaded {
    ($Word:ident $word:expr) => {
        $word.load()
    };
}

solver_gpu::statistics! { declare }

impl Statistics {
    /// The crews of other processes that these statistics are the sum of; themselves if there are none.
    pub(crate) fn each_crew(mut self) -> Vec<Statistics> {
        match self.searchers.is_empty() {
            true => vec![self],
            false => std::mem::take(&mut self.searchers),
        }
    }
}

/// A decision about how many searchers race.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Decided {
    /// The number of conflicts of all searchers in the phase before.
    pub conflicts: u64,
    /// So many of [`solver_gpu::layout::ROLES`] searchers race from then on.
    pub racing: u32,
    /// Why.
    pub because: Because,
}

/// Why so many searchers race.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Because {
    /// Nothing tells against cubes.
    #[serde(rename = "cubes_divide")]
    Divide,
    /// After many conflicts hardly any of the search space is closed.
    #[serde(rename = "cubes_stay_open")]
    StayOpen,
    /// Refutations of cubes do not need most of the decisions that made the cubes.
    #[serde(rename = "cubes_are_alike")]
    AreAlike,
}

/// What has passed between a process and all others that it talks to, in messages of a search.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Passed {
    /// The bytes that have come.
    pub bytes_in: u64,
    /// The bytes that were sent.
    pub bytes_out: u64,
    /// The seconds since the process began to talk to others.
    pub seconds: f64,
}

impl Passed {
    /// Whether nothing has passed.
    pub fn is_none(&self) -> bool {
        self.bytes_in == 0 && self.bytes_out == 0
    }

    /// Adds what has passed at another connection of the same process.
    pub fn add(&mut self, other: &Passed) {
        self.bytes_in += other.bytes_in;
        self.bytes_out += other.bytes_out;
        self.seconds = self.seconds.max(other.seconds);
    }
}

impl SwarmStatistics {
    /// Whether the search is a single one.
    pub fn is_none(&self) -> bool {
        self.searchers == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_number_is_added_up_as_its_row_says() {
        let counters = Counters::default();
        for (word, count) in [(&counters.decisions, 5), (&counters.offered, 3)] {
            word.store(count);
        }
        counters.deepest_level.store(9);
        let mut all =
            Statistics { decisions: 1, deepest_level: 7, seed: 2, answer_sets: 4, ..Statistics::default() };
        all.add_counts(&counters);
        assert_eq!((all.decisions, all.deepest_level, all.swarm.offered), (6, 9, 3));
        let swarm = SwarmStatistics { searchers: 2, idle_seconds: 0.5, ..all.swarm };
        let other =
            Statistics { launches: 8, deepest_level: 8, seed: 3, answer_sets: 6, swarm, ..all.clone() };
        all.add(&other);
        assert_eq!((all.decisions, all.launches, all.deepest_level, all.swarm.offered), (12, 8, 9, 6));
        assert_eq!((all.seed, all.answer_sets), (2, 4), "what is counted once");
        assert_eq!((all.swarm.searchers, all.swarm.idle_seconds), (2, 0.5));
    }
}
