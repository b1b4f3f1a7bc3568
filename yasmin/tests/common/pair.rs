//! A control that random programs grow in, beside what its answers should be.
//!
//! Main type: [`Pair`].

use super::enforcer::{Enforcer, Shared};
use super::proofs::Claim;
use super::spec::{holds, Lit, Rule, Set, Spec};
use super::Random;
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};
use yasmin::{Atom, Control, Error, External, Goal, Literal, Optimization, Options, Question, Reasoning};

/// A control and what it should be.
pub struct Pair {
    pub control: Control,
    pub atoms: Vec<Atom>,
    pub spec: Spec,
    /// What the propagator enforces, if there is one.
    pub enforced: Option<Arc<Mutex<Shared>>>,
    /// What each question has claimed that left nothing out, sorted: see [`proofs::Claim`].
    pub claims: Vec<Claim>,
}

impl Pair {
    /// A control without a program.
    pub fn new(options: Options) -> Pair {
        Pair {
            control: Control::new(options),
            atoms: vec![],
            spec: Spec::default(),
            enforced: None,
            claims: vec![],
        }
    }

    pub fn literal(&self, &(atom, is_positive): &Lit) -> Literal {
        let lit = self.atoms[atom].positive();
        if is_positive {
            lit
        } else {
            !lit
        }
    }

    pub fn lits(&self, lits: &[Lit]) -> Vec<Literal> {
        lits.iter().map(|lit| self.literal(lit)).collect()
    }

    /// Adds atoms, and rules for these and for external atoms.
    pub fn grow(&mut self, random: &mut Random) -> Result<(), Error> {
        // Half of the time for new atoms alone, so that nothing else has to be translated.
        let are_new = random.one_in(2);
        let first = self.atoms.len();
        let more = (1 + random.below(3)).min(9 - first);
        for place in first..first + more {
            let atom = self.control.atom();
            self.atoms.push(atom);
            self.control.show(&format!("p({place})"), &[atom.positive()])?;
            if random.one_in(4) {
                let value = [External::Free, External::True, External::False][random.below(3)];
                self.control.external(atom, value)?;
                self.spec.externals.push((place, value));
            }
        }
        self.spec.atoms = self.atoms.len();
        let all = self.atoms.len();
        let heads: Vec<usize> = (0..all)
            .filter(|place| {
                let is_external = || self.spec.externals.iter().any(|(atom, _)| atom == place);
                *place >= first || !are_new && is_external()
            })
            .collect();
        if heads.is_empty() {
            return Ok(());
        }
        for _ in 0..1 + random.below(2 * more + 2) {
            let lit = |random: &mut Random| (random.below(all), random.below(5) > 1);
            let body: Vec<Lit> = (0..random.below(3)).map(|_| lit(random)).collect();
            let sum = random.one_in(4).then(|| {
                let terms =
                    (0..1 + random.below(3)).map(|_| (lit(random), random.below(6) as i64 - 2)).collect();
                (random.below(6) as i64 - 1, terms)
            });
            let count = if body.is_empty() && sum.is_none() { 1 + random.below(2) } else { random.below(3) };
            // Now and then a rule for any atom, after which what was learned may not hold any more.
            let is_any = !are_new && random.one_in(12);
            let mut head = || if is_any { random.below(all) } else { heads[random.below(heads.len())] };
            let mut of: Vec<usize> = (0..count).map(|_| head()).collect();
            of.dedup();
            let rule = Rule { is_choice: !of.is_empty() && random.one_in(2), heads: of, body, sum };
            let mut body = self.lits(&rule.body);
            if let Some((bound, terms)) = &rule.sum {
                let terms: Vec<(Literal, i64)> =
                    terms.iter().map(|(lit, weight)| (self.literal(lit), *weight)).collect();
                body.push(self.control.sum(*bound, &terms)?.positive());
            }
            let atoms: Vec<Atom> = rule.heads.iter().map(|&head| self.atoms[head]).collect();
            match rule.is_choice {
                true => self.control.choice(&atoms, &body)?,
                false => self.control.rule(&atoms, &body)?,
            }
            self.spec.rules.push(rule);
        }
        if random.one_in(3) {
            let terms = vec![((random.below(all), random.one_in(2)), random.below(7) as i64 - 3)];
            let named: Vec<(Literal, i64)> = terms.iter().map(|(lit, w)| (self.literal(lit), *w)).collect();
            self.control.minimize(0, &named)?;
            self.spec.minimize.extend(terms);
        }
        Ok(())
    }

    /// Forgets now and then what is minimized. What is minimized later has the same literals.
    pub fn lose(&mut self, random: &mut Random) {
        if random.one_in(4) {
            self.control.remove_minimize();
            self.spec.minimize.clear();
        }
    }

    /// Registers a propagator that enforces clauses.
    pub fn register(&mut self, seed: u64) {
        let shared = Arc::new(Mutex::new(Shared { may_decide: true, ..Shared::default() }));
        self.control.register(Enforcer::new(&shared, seed));
        self.enforced = Some(shared);
    }

    /// Gives external atoms other values.
    pub fn switch(&mut self, random: &mut Random) {
        for (atom, value) in &mut self.spec.externals {
            if *value != External::Release && random.one_in(3) {
                let values = [External::Free, External::True, External::False, External::Release];
                let most = if random.one_in(4) { 4 } else { 3 };
                *value = values[random.below(most)];
                self.control.external(self.atoms[*atom], *value).expect("an atom of the program");
            }
        }
    }

    /// Has the propagator demand more, or something else.
    pub fn demand(&mut self, random: &mut Random) {
        let Some(shared) = self.enforced.clone() else { return };
        let mut shared = shared.lock().expect("no panic");
        // Clauses that held for one question are replaced only if all of them held for one question.
        if self.spec.clauses.is_empty() {
            shared.are_tagged = random.one_in(3);
        }
        if shared.are_tagged {
            self.spec.clauses.clear();
        }
        let all = self.atoms.len();
        for _ in 0..random.below(4) {
            let clause = (0..1 + random.below(3)).map(|_| (random.below(all), random.one_in(2))).collect();
            self.spec.clauses.push(clause);
        }
        shared.literals = self.atoms.iter().flat_map(|atom| [atom.positive(), !atom.positive()]).collect();
        shared.clauses = self.spec.clauses.iter().map(|clause| self.lits(clause)).collect();
    }

    /// Asks one question and compares everything that the answers say.
    pub fn ask(&mut self, random: &mut Random, what: &str) -> Result<(), Error> {
        let all = self.atoms.len();
        let assumed: Vec<Lit> =
            (0..2 * all).filter(|_| random.one_in(8)).map(|lit| (lit / 2, lit % 2 == 0)).collect();
        let lits = self.lits(&assumed);
        let plain = Goal::default();
        let goal = match random.below(6) {
            0 | 1 => Goal { optimization: Optimization::Ignore, ..plain },
            2 => plain,
            3 => Goal { optimization: Optimization::OptN, ..plain },
            4 => Goal { reasoning: Reasoning::Brave, optimization: Optimization::Ignore, ..plain },
            _ => Goal { reasoning: Reasoning::Cautious, optimization: Optimization::Ignore, ..plain },
        };
        let limit = [0, 0, 1, 2][random.below(4)];
        let what = format!("{what}: {:?}, assumed {assumed:?}, {goal:?}, limit {limit}", self.spec);
        let fits = |spec: &Spec, lits: &[Lit]| -> Vec<Set> {
            spec.answer_sets().into_iter().filter(|&set| lits.iter().all(|lit| holds(set, lit))).collect()
        };
        let right = fits(&self.spec, &assumed);
        let best = right.iter().map(|&set| self.spec.costs(set)).min();
        let question = Question::new().assume(lits).goal(goal.clone()).limit(limit);
        let mut answers = self.control.solve(&question)?;
        let mut found: Vec<(Set, Vec<String>, Vec<i64>, bool)> = Vec::new();
        for answer in answers.by_ref() {
            let answer = answer?;
            let set = (0..all)
                .filter(|&place| answer.holds(self.atoms[place]))
                .fold(0, |set, place| set | 1 << place);
            let names = answer.names().map(String::from).collect();
            found.push((set, names, answer.costs().to_vec(), answer.is_optimal()));
        }
        assert!(found.iter().all(|(set, ..)| right.contains(set)), "{what}: {found:?}");
        assert!(limit == 0 || found.len() as u64 <= limit, "{what}");
        assert_eq!(answers.is_satisfiable(), Some(!right.is_empty()), "{what}");
        assert!(answers.is_exhausted() || limit > 0 && found.len() as u64 == limit, "{what}");
        let is_enumerated = goal.reasoning == Reasoning::Enumerate
            && (goal.optimization == Optimization::Ignore || self.spec.minimize.is_empty());
        if answers.is_exhausted() {
            self.claims.push(match found.len() {
                0 => Claim::None,
                count if is_enumerated => Claim::All(count as u64),
                _ => Claim::Best,
            });
        }
        if right.is_empty() {
            let core = answers.core().expect("a core");
            let places = |lit: &Literal| {
                let place = self.atoms.iter().position(|&atom| atom == lit.atom()).expect("an atom of ours");
                (place, lit.is_positive())
            };
            let core: Vec<Lit> = core.iter().map(places).collect();
            // Whatever the values of external atoms that the core does not name. Released atoms are false for
            // good.
            let mut free = self.spec.clone();
            let open = free.externals.iter_mut().filter(|(_, value)| *value != External::Release);
            open.for_each(|(_, value)| *value = External::Free);
            assert!(fits(&free, &core).is_empty(), "{what}: {core:?} is no core");
            return Ok(());
        }
        assert_eq!(answers.core(), None, "{what}");
        let minimizes = !self.spec.minimize.is_empty();
        let sets: BTreeSet<Set> = found.iter().map(|(set, ..)| *set).collect();
        match (goal.reasoning, goal.optimization) {
            (Reasoning::Enumerate, Optimization::Opt | Optimization::OptN) if minimizes => {
                if answers.is_exhausted() {
                    assert_eq!(answers.optimum(), best.map(|best| vec![best]).as_deref(), "{what}");
                    assert!(found.iter().any(|(set, ..)| Some(self.spec.costs(*set)) == best), "{what}");
                }
                assert!(found.iter().all(|(set, _, costs, _)| costs == &[self.spec.costs(*set)]), "{what}");
                if answers.is_exhausted() && goal.optimization == Optimization::OptN {
                    let optimal: BTreeSet<Set> =
                        right.iter().copied().filter(|&set| Some(self.spec.costs(set)) == best).collect();
                    let told = found.iter().filter(|(.., is_optimal)| *is_optimal).map(|(set, ..)| *set);
                    assert_eq!(told.collect::<BTreeSet<_>>(), optimal, "{what}");
                }
            }
            (Reasoning::Enumerate, _) => {
                assert_eq!(sets.len(), found.len(), "{what}: one is told twice");
                assert!(!answers.is_exhausted() || sets.len() == right.len(), "{what}: {found:?}, {right:?}");
            }
            (reasoning, _) if answers.is_exhausted() => {
                let is_consequence = |place: usize| match reasoning {
                    Reasoning::Brave => right.iter().any(|set| set >> place & 1 == 1),
                    _ => right.iter().all(|set| set >> place & 1 == 1),
                };
                let names: Vec<String> = (0..all)
                    .filter(|&place| is_consequence(place))
                    .map(|place| format!("p({place})"))
                    .collect();
                assert_eq!(found.last().map(|(_, names, ..)| names), Some(&names), "{what}");
            }
            _ => {}
        }
        Ok(())
    }
}
