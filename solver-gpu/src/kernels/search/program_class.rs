//! Classes of programs that there is a kernel for.
//!
//! The search is one function, and half of its instructions are for what most programs do not have. The other
//! instructions lie between these and further apart, and fetching instructions is a fifth of what a search
//! waits for. So the search is compiled several times: where a word of the problem or of the settings is
//! known to the compiler, the code that depends on the word is gone.

use crate::layout::{asks, writes, NONE};
use crate::{Search, Swarm};

/// What is known of a search before it begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProgramClass {
    /// The search learns from one conflict at a time, by resolution alone; the program has no sums, no
    /// difference constraints, nothing that is to be decided first, and no positive loops.
    Tight,
    /// The same as [`ProgramClass::Tight`], with positive loops.
    WithLoops,
    /// Nothing is known.
    Any,
}

/// Words of a search, and what they are: a function that tells whether they are, and one that says so to the
/// compiler.
macro_rules! words {
    ($are:ident, $known:ident: $($part:ident.$field:ident = $value:expr;)*) => {
        fn $are(s: &Search) -> bool {
            $(s.$part.$field == $value)&&*
        }

        #[cuda_std::inlined]
        fn $known(mut s: Search) -> Search {
            $(s.$part.$field = $value;)*
            s
        }
    };
}

words! { are_plain, plain:
    settings.slots = 1;
    settings.track_deps = 0;
    settings.resolves = 1;
    settings.goal = NONE;
    settings.assumes = 0;
    settings.assumed = 0;
    settings.asks = asks::NEVER;
    problem.sums = 0;
    problem.sum_items = 0;
    problem.project = 0;
    problem.first_candidates = 0;
    problem.advised = 0;
    problem.loop_sums = 0;
    problem.loop_items = 0;
    problem.arcs = 0;
}

words! { are_tight, tight:
    problem.loop_rules = 0;
}

impl ProgramClass {
    /// The smallest class that a search is of.
    pub fn of(s: &Search) -> ProgramClass {
        match (are_plain(s), are_tight(s)) {
            (true, true) => ProgramClass::Tight,
            (true, false) => ProgramClass::WithLoops,
            (false, _) => ProgramClass::Any,
        }
    }

    /// The same search, which is of this class, belongs to a swarm and writes to its ring what `writes` says,
    /// in words that the compiler knows.
    #[cuda_std::inlined]
    pub(in crate::kernels) fn known_searcher(self, s: Search, writes: u32) -> Search {
        let mut s = self.of_class(s);
        s.launch.writes = writes;
        s
    }

    /// The same search, which is of this class and alone, in words that the compiler knows.
    #[cuda_std::inlined]
    pub(super) fn known(self, s: Search) -> Search {
        let mut s = self.of_class(s);
        s.swarm = Swarm::default();
        s.launch.writes = writes::NOTHING;
        s
    }

    /// The same search, which is alone and writes to its ring what `writes` says, in words that the compiler
    /// knows.
    #[cuda_std::inlined]
    pub(super) fn writing(self, s: Search, writes: u32) -> Search {
        let mut s = self.known(s);
        s.launch.writes = writes;
        s
    }

    /// The same search, which is of this class.
    #[cuda_std::inlined]
    fn of_class(self, s: Search) -> Search {
        debug_assert!(self == ProgramClass::Any || self == ProgramClass::of(&s));
        match self {
            ProgramClass::Tight => tight(plain(s)),
            ProgramClass::WithLoops => plain(s),
            ProgramClass::Any => s,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_known_is_so() {
        let mut s = plain(Search::default());
        (s.problem.vars, s.problem.loop_rules) = (3, 2);
        let of = |change: fn(&mut Search)| {
            let mut s = s;
            change(&mut s);
            ProgramClass::of(&s)
        };
        assert_eq!(ProgramClass::of(&Search::default()), ProgramClass::Any, "nobody learns");
        assert_eq!(of(|_| {}), ProgramClass::WithLoops);
        assert_eq!(of(|s| s.problem.loop_rules = 0), ProgramClass::Tight);
        assert_eq!(of(|s| s.problem.sums = 1), ProgramClass::Any);
        assert_eq!(of(|s| s.settings.goal = 0), ProgramClass::Any);
        assert_eq!(of(|s| s.problem.advised = 1), ProgramClass::Any);
        assert_eq!(of(|s| s.problem.arcs = 2), ProgramClass::Any);
        s.problem.loop_rules = 0;
        let known = ProgramClass::Tight.known(s);
        assert_eq!((known.problem.vars, known.problem.loop_rules, known.settings.goal), (3, 0, NONE));
    }
}
