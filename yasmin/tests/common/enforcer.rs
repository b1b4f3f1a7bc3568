//! A propagator that enforces clauses, and that checks all that it is told.

use super::Random;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};
use yasmin::{Assignment, Checks, Failure, Init, Literal, Propagating, Propagator, Validity};

/// What the test and its propagator share.
#[derive(Default)]
pub struct Shared {
    /// The literals of all atoms, both of each.
    pub literals: Vec<Literal>,
    /// One of each has to hold.
    pub clauses: Vec<Vec<Literal>>,
    /// Whether later questions may be about other clauses.
    pub are_tagged: bool,
    /// How often the propagator has added a clause, and how often the search had to stop for that.
    pub added: [u64; 2],
    /// How many literals were told of, and how many were undone.
    pub told: [u64; 2],
    /// The searchers that have told of anything.
    pub searchers: BTreeSet<u32>,
    /// How often the propagator has decided.
    pub decided: u64,
    /// Whether decisions are taken: not where answer sets are projected.
    pub may_decide: bool,
}

/// See the module.
pub struct Enforcer {
    shared: Arc<Mutex<Shared>>,
    random: Random,
    watched: BTreeSet<Literal>,
    /// What each searcher has told of.
    told: BTreeMap<u32, BTreeSet<Literal>>,
    /// Which clauses are added at a fixpoint: none, those that are unit or violated, or any.
    style: usize,
    checks: Checks,
}

impl Enforcer {
    pub fn new(shared: &Arc<Mutex<Shared>>, seed: u64) -> Enforcer {
        Enforcer {
            shared: shared.clone(),
            random: Random(seed),
            watched: BTreeSet::new(),
            told: BTreeMap::new(),
            style: 0,
            checks: Checks::default(),
        }
    }

    /// Compares what was told with what the search says.
    fn compare(&self, assignment: Assignment<'_>, is_all: bool) {
        let nothing = BTreeSet::new();
        let told = self.told.get(&assignment.searcher()).unwrap_or(&nothing);
        let holds = |literal: &Literal| assignment.value(*literal) == Some(true);
        assert!(told.iter().all(holds), "told of what does not hold");
        if is_all {
            let missed: Vec<&Literal> =
                self.watched.iter().filter(|&lit| holds(lit) && !told.contains(lit)).collect();
            assert!(missed.is_empty(), "not told of {missed:?}");
        }
        let trail: Vec<Literal> = (0..assignment.len()).filter_map(|at| assignment.trail(at)).collect();
        assert_eq!(trail.len(), assignment.len());
        assert_eq!(assignment.is_total(), assignment.len() == assignment.variables());
        let mut end = 0;
        for level in 0..=assignment.decision_level() {
            let range = assignment.of_level(level).expect("a level");
            assert_eq!(range.start, end, "levels follow each other");
            end = range.end;
            let of_level = trail[range].iter();
            assert!(
                of_level.clone().all(|&lit| assignment.level(lit) == Some(level)),
                "the level of a literal"
            );
            assert!(of_level.clone().all(holds), "the trail holds");
            assert_eq!(
                assignment.decision(level),
                if level == 0 { None } else { of_level.clone().next().copied() }
            );
        }
        assert_eq!(end, trail.len());
    }

    /// Adds clauses, until the search has to stop. Returns whether it need not.
    fn add(
        &mut self,
        search: &mut Propagating<'_, '_>,
        wants: impl Fn(&mut Random, usize) -> bool,
    ) -> Result<bool, Failure> {
        let shared = self.shared.clone();
        let (clauses, is_tagged) = {
            let shared = shared.lock().expect("no panic");
            (shared.clauses.clone(), shared.are_tagged)
        };
        for clause in &clauses {
            let open = match clause.iter().any(|&lit| search.assignment().value(lit) == Some(true)) {
                true => usize::MAX,
                false => clause.iter().filter(|&&lit| search.assignment().value(lit).is_none()).count(),
            };
            if !wants(&mut self.random, open) {
                continue;
            }
            let validity = Validity { is_tagged, is_locked: self.random.one_in(4), ..Validity::default() };
            let mut goes_on = search.add_valid_clause(clause, validity)?;
            assert_eq!(goes_on, open > 0, "a clause with {open} open literals");
            if goes_on && self.random.one_in(2) {
                goes_on = search.propagate()?;
                if goes_on && open == 1 {
                    assert!(clause.iter().any(|&lit| search.assignment().value(lit) == Some(true)), "unit");
                }
            }
            assert_eq!(search.assignment().has_conflict(), !goes_on);
            let mut shared = shared.lock().expect("no panic");
            shared.added[0] += 1;
            shared.added[1] += u64::from(!goes_on);
            if !goes_on {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

impl Propagator for Enforcer {
    fn init(&mut self, init: &mut Init<'_>) -> Result<(), Failure> {
        let shared = self.shared.lock().expect("no panic");
        self.told.clear();
        self.watched = match self.random.below(3) {
            0 => BTreeSet::new(),
            1 => shared.literals.iter().copied().collect(),
            _ => shared.literals.iter().copied().filter(|_| self.random.one_in(2)).collect(),
        };
        self.watched.iter().for_each(|&literal| init.watch(literal));
        self.style = self.random.below(3);
        self.checks = Checks { at_fixpoints: self.random.one_in(3), when_total: true };
        init.checks(self.checks);
        if self.random.one_in(2) {
            init.undoes_checks();
        }
        if shared.may_decide && self.random.one_in(3) {
            init.decides();
        }
        Ok(())
    }

    fn propagate(&mut self, search: &mut Propagating<'_, '_>, changes: &[Literal]) -> Result<(), Failure> {
        assert!(!changes.is_empty());
        let told = self.told.entry(search.assignment().searcher()).or_default();
        for &literal in changes {
            assert!(self.watched.contains(&literal), "told of what is not watched");
            assert!(told.insert(literal), "told twice of {literal:?}");
            assert_eq!(search.assignment().value(literal), Some(true));
            assert!(search.watches(literal)?);
        }
        self.compare(search.assignment(), true);
        let mut shared = self.shared.lock().expect("no panic");
        shared.told[0] += changes.len() as u64;
        shared.searchers.insert(search.assignment().searcher());
        drop(shared);
        match self.style {
            0 => Ok(()),
            1 => self.add(search, |_, open| open < 2).map(|_| ()),
            _ => self.add(search, |random, _| random.one_in(4)).map(|_| ()),
        }
    }

    fn undo(&mut self, assignment: Assignment<'_>, changes: &[Literal]) -> Result<(), Failure> {
        self.compare(assignment, false);
        let told = self.told.entry(assignment.searcher()).or_default();
        for literal in changes {
            assert!(told.remove(literal), "undone, and never told: {literal:?}");
            assert_eq!(assignment.level(*literal), Some(assignment.decision_level()));
        }
        self.shared.lock().expect("no panic").told[1] += changes.len() as u64;
        Ok(())
    }

    fn check(&mut self, search: &mut Propagating<'_, '_>) -> Result<(), Failure> {
        self.compare(search.assignment(), true);
        let is_total = search.assignment().is_total();
        assert!(is_total || self.checks.at_fixpoints);
        if is_total || self.random.one_in(2) {
            self.add(search, |_, open| open == 0)?;
        }
        Ok(())
    }

    fn decide(&mut self, assignment: Assignment<'_>, fallback: Literal) -> Result<Option<Literal>, Failure> {
        self.compare(assignment, true);
        assert_eq!(assignment.value(fallback), None);
        let mut shared = self.shared.lock().expect("no panic");
        let open: Vec<Literal> =
            shared.literals.iter().copied().filter(|&lit| assignment.value(lit).is_none()).collect();
        let chosen = match self.random.below(3) {
            0 => None,
            1 => Some(fallback),
            _ if open.is_empty() => None,
            _ => Some(open[self.random.below(open.len())]),
        };
        shared.decided += u64::from(chosen.is_some_and(|chosen| chosen != fallback));
        Ok(chosen)
    }
}
