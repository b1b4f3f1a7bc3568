//! Kinds of programs that there is a kernel for.
//!
//! The search is one function, and half of its instructions are for what most programs do not have. Nobody goes there, but the others lie
//! between them and further apart, and fetching instructions is a fifth of what a search waits for. So it is compiled several times: where a
//! word of [`Search`] is known to the compiler, what depends on it is gone.

use crate::layout::NONE;
use crate::Search;

/// What is known of a search before it begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Learning from one conflict, by resolution alone, no sums, nothing that is to be decided first, no positive loops.
    Tight,
    /// The same with positive loops.
    Founded,
    /// Nothing.
    Any,
}

/// Words of a search, and what they are: a function that tells whether they are, and one that says so to the compiler.
macro_rules! words {
    ($are:ident, $known:ident: $($field:ident = $value:expr;)*) => {
        fn $are(s: &Search) -> bool {
            $(s.$field == $value)&&*
        }

        #[inline(always)]
        fn $known(s: Search) -> Search {
            Search { $($field: $value,)* ..s }
        }
    };
}

words! { are_plain, plain:
    slots = 1;
    track_deps = 0;
    resolves = 1;
    sums = 0;
    sum_items = 0;
    goal = NONE;
    project = 0;
    first_candidates = 0;
    advised = 0;
    loop_sums = 0;
    loop_items = 0;
}

words! { are_tight, tight:
    loop_rules = 0;
}

impl Kind {
    /// The one with least that a search is of.
    pub fn of(s: &Search) -> Kind {
        match (are_plain(s), are_tight(s)) {
            (true, true) => Kind::Tight,
            (true, false) => Kind::Founded,
            (false, _) => Kind::Any,
        }
    }

    /// The same search, which is of this kind, in words that the compiler knows.
    #[inline(always)]
    pub(super) fn known(self, s: Search) -> Search {
        debug_assert!(self == Kind::Any || self == Kind::of(&s));
        match self {
            Kind::Tight => tight(plain(s)),
            Kind::Founded => plain(s),
            Kind::Any => s,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_known_is_so() {
        let s = Search { vars: 3, loop_rules: 2, ..plain(Search::default()) };
        let of = |change: fn(&mut Search)| {
            let mut s = s;
            change(&mut s);
            Kind::of(&s)
        };
        assert_eq!(Kind::of(&Search::default()), Kind::Any, "nobody learns");
        assert_eq!(of(|_| {}), Kind::Founded);
        assert_eq!(of(|s| s.loop_rules = 0), Kind::Tight);
        assert_eq!(of(|s| s.sums = 1), Kind::Any);
        assert_eq!(of(|s| s.goal = 0), Kind::Any);
        assert_eq!(of(|s| s.advised = 1), Kind::Any);
        let known = Kind::Tight.known(Search { loop_rules: 0, ..s });
        assert_eq!((known.vars, known.loop_rules, known.resolves, known.goal), (3, 0, 1, NONE));
    }
}
