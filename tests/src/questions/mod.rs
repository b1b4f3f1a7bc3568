//! Whether many questions at once are answered as the definition says: random programs, each asked a thousand
//! times.
//!
//! Main function: [`cases`]. Of each answer is compared: the verdict, the answer sets and how many there are,
//! the optimum, whether a core is one, and a minimal one. Some questions come late, some are cancelled, and
//! some have constraints, values of external atoms, rules, a bound and a projection of their own. Facets are
//! compared as well.

mod rules;

use std::collections::{BTreeMap, BTreeSet};

use yasmin::{
    Answer, Cancel, Control, DeviceKind, External, Facets, Goal, GpuSearchers, Holds, Literal, Optimization,
    Options, ParallelMode, Projection, Question, Reply, SearcherThreads, When,
};

use crate::machine::Machine;
use crate::random::Random;
use crate::rich::program::{Body, Rule};
use crate::rich::{self, Meaning, Rich};
use rules::{OwnRules, NEW};

/// A set of atoms: bit `a` is atom `a`.
type Set = u32;

/// What is said of an external atom that is none any more.
const RELEASED: i32 = 3;

/// How many questions a program is asked.
const EACH: usize = 1000;

/// What came of a number of questions.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    /// How many questions there were.
    pub questions: usize,
    /// How many of them have an answer set, and how many have none.
    pub satisfiable: usize,
    /// See [`Tally::satisfiable`].
    pub refuted: usize,
    /// How many were left before that was known.
    pub left: usize,
    /// How many conflicts the searches have met.
    pub conflicts: u64,
    /// How many were answered by fleets.
    pub by_fleets: usize,
    /// How many questions have rules, a bound or a projection of their own.
    pub own: usize,
    /// How many answers say what is optimal.
    pub optima: usize,
    /// A report for each program of which something was wrong.
    pub failures: Vec<String>,
}

/// Asks so many questions, of programs with the seeds from `first` on, on one of the devices after the other,
/// each by one solver or by three. Calls `told` with each failure.
pub fn cases(devices: &[DeviceKind], first: u64, count: usize, told: &mut dyn FnMut(&str)) -> Tally {
    let mut tally = Tally::default();
    for (seed, &device) in (first..).zip(devices.iter().cycle()) {
        if tally.questions >= count {
            break;
        }
        let each = EACH.min(count - tally.questions);
        let case = Case::new(device, seed);
        if let Err(how) = case.check(each, &mut tally) {
            let report = format!("questions seed {seed}: {how}\n{}", case.program.to_aspif());
            told(&report);
            tally.failures.push(report);
        }
    }
    tally
}

/// A program, what it means, and what is asked for.
struct Case {
    program: Rich,
    /// What the program means if its external atoms may be true or false.
    meaning: Meaning,
    /// The external atoms that are not released, with the values that the program gives them: 0 either, 1
    /// true, 2 false.
    externals: BTreeMap<i32, i32>,
    /// Rules that questions may have.
    rules: Vec<OwnRules>,
    goal: Goal,
    options: Options,
    seed: u64,
}

/// A question, and how it may be cancelled.
#[derive(Clone, Debug, Default)]
struct Asked {
    assumed: Vec<i32>,
    externals: BTreeMap<i32, i32>,
    constraints: Vec<Vec<i32>>,
    /// Which of the case's rules.
    rules: Option<usize>,
    bound: Option<Vec<i64>>,
    projection: Option<Vec<i32>>,
    limit: u64,
    minimal: bool,
    cancel: Option<Cancel>,
}

/// Choices of 16 atoms and random constraints of three literals, which make conflicts, and what they mean.
fn constraints(random: &mut Random) -> (Rich, Meaning) {
    let atoms = 16;
    let outputs = (1..=atoms).map(|atom| (format!("x{atom}"), vec![atom])).collect();
    let choice = Rule { choice: true, heads: (1..=atoms - 2).collect(), body: Body::All(Vec::new()) };
    // External atoms that may be true or false are choices as well.
    let externals = (atoms - 1..=atoms).map(|atom| (atom, random.below(3) as i32)).collect();
    let literal = |random: &mut Random| random.between(1, atoms) * if random.chance(60) { 1 } else { -1 };
    let bodies: Vec<Vec<i32>> = (0..50).map(|_| (0..3).map(|_| literal(random)).collect()).collect();
    let constraint =
        |body: &Vec<i32>| Rule { choice: false, heads: Vec::new(), body: Body::All(body.clone()) };
    let rules = std::iter::once(choice).chain(bodies.iter().map(constraint)).collect();
    let program = Rich { atoms, rules, outputs, externals, ..Rich::default() };
    let fits = |&set: &Set| !bodies.iter().any(|body| body.iter().all(|&lit| holds(lit, set)));
    let answer_sets: Vec<Set> = (0..1 << atoms).map(|bits: Set| bits << 1).filter(fits).collect();
    let costs = vec![Vec::new(); answer_sets.len()];
    (program, Meaning { answer_sets, costs })
}

/// The same options with a fleet: on a device with many threads, or, now and then, a simulated one beside the
/// searchers of the processor.
fn with_fleet(options: Options, random: &mut Random) -> Options {
    let (gpu_searchers, threads) = ([1, 2, 3, 7][random.below(4)], [32, 64][random.below(2)]);
    let fleet = Options {
        gpu_searchers: GpuSearchers::Searchers(gpu_searchers),
        searcher_threads: SearcherThreads::Threads(threads),
        ..options
    };
    match (options.device, random.below(3)) {
        (DeviceKind::Simt | DeviceKind::Gpu(_), _) => fleet,
        (DeviceKind::Auto, 0) => Options {
            join_device: DeviceKind::Simt,
            open_after: When::Milliseconds(0),
            gpu_searchers: GpuSearchers::Searchers(gpu_searchers.max(2)),
            ..fleet
        },
        _ => options,
    }
}

fn holds(lit: i32, set: Set) -> bool {
    (set >> lit.unsigned_abs() & 1 == 1) == (lit > 0)
}

impl Case {
    fn new(device: DeviceKind, seed: u64) -> Case {
        let mut random = Random::new(seed ^ 0x7175_6573);
        let (mut program, mut meaning) = match random.below(4) {
            0 => constraints(&mut random),
            1 => (rich::generate_weighted(seed), Meaning { answer_sets: Vec::new(), costs: Vec::new() }),
            _ => (rich::generate(seed), Meaning { answer_sets: Vec::new(), costs: Vec::new() }),
        };
        let mut externals: BTreeMap<i32, i32> = program.externals.iter().copied().collect();
        externals.retain(|_, value| *value < RELEASED);
        if meaning.answer_sets.is_empty() {
            // The command asks for these by `--assume`.
            program.assumptions.clear();
            let free = program.externals.iter().map(|&(atom, value)| (atom, value / RELEASED * RELEASED));
            meaning = Meaning::of(&Rich { externals: free.collect(), ..program.clone() });
        }
        let optimization = [Optimization::Opt, Optimization::OptN, Optimization::Enum, Optimization::Ignore]
            [random.below(4)];
        let goal = Goal { optimization, projection: Projection::No, ..Goal::default() };
        let options = Machine::from(device).set(Options { seed, ..Options::default() });
        // Questions that last no time at all are divided, or none is.
        let join_after = When::Milliseconds([0, 20][random.below(2)]);
        let parallel_mode = ParallelMode::Searchers([1, 3][random.below(2)]);
        let options = with_fleet(Options { parallel_mode, join_after, ..options }, &mut random);
        rules::show_others(&mut program, &mut random);
        let rules = (0..4).map(|_| OwnRules::new(&program, &mut random)).collect();
        Case { program, meaning, externals, rules, goal, options, seed }
    }

    /// The answer sets that a question is about, without those that cost too much: all, or the optimal ones.
    fn expected(&self, of: &Asked) -> Vec<(Set, &[i64])> {
        let rules = of.rules.map(|rules| &self.rules[rules]);
        let meaning = rules.map_or(&self.meaning, |rules| &rules.meaning);
        let pairs = meaning.answer_sets.iter().zip(&meaning.costs);
        let is_defined = |atom: i32| rules.is_some_and(|rules| rules.defined >> atom & 1 == 1);
        let has_value = |(atom, value): (&i32, &i32), set| match of.externals.get(atom).unwrap_or(value) {
            _ if is_defined(*atom) => true,
            0 => true,
            value => holds(*atom, set) == (*value == 1),
        };
        let with = |(set, _): &(&Set, &Vec<i64>)| {
            of.assumed.iter().all(|&lit| holds(lit, **set))
                && self.externals.iter().all(|external| has_value(external, **set))
                && !of.constraints.iter().any(|lits| lits.iter().all(|&lit| holds(lit, **set)))
        };
        let is_within =
            |costs: &[i64]| of.bound.as_ref().is_none_or(|bound| costs[..bound.len()] <= bound[..]);
        let mut expected: Vec<(Set, &[i64])> =
            pairs.filter(with).map(|(&set, costs)| (set, &costs[..])).collect();
        expected.retain(|&(_, costs)| is_within(costs));
        if matches!(self.goal.optimization, Optimization::Opt | Optimization::OptN) {
            let best = expected.iter().map(|&(_, costs)| costs).min();
            expected.retain(|&(_, costs)| Some(costs) == best);
        }
        expected
    }

    fn check(&self, questions: usize, tally: &mut Tally) -> Result<(), String> {
        let mut random = Random::new(self.seed ^ 0x6f72_6465);
        let text = self.program.to_aspif();
        let mut control =
            Control::read("random", text.as_bytes(), self.options).map_err(|error| error.to_string())?;
        let mut asked: Vec<Asked> = Vec::new();
        let mut literals: Vec<Literal> = Vec::new();
        for number in 1..=self.program.atoms {
            literals.push(control.numbered(number as u64).map_err(|error| error.to_string())?.positive());
        }
        let literal = |lit: i32| {
            let atom = literals[lit.unsigned_abs() as usize - 1];
            if lit > 0 {
                atom
            } else {
                !atom
            }
        };
        let mut replies = 0;
        while replies < questions {
            if asked.len() < questions && (control.open_questions() == 0 || random.chance(60)) {
                let most = 1 + random.below(6);
                let mut of = Asked {
                    assumed: self.literals(&mut random, most),
                    limit: [0, 1, 1, 1, 2, 3][random.below(6)],
                    minimal: random.chance(30),
                    cancel: random.chance(5).then(Cancel::new),
                    rules: random.chance(15).then(|| random.below(self.rules.len())),
                    bound: self.bound(&mut random),
                    projection: random.chance(10).then(|| self.atoms(&mut random)),
                    ..self.asked(&mut random)
                };
                if let Some(rules) = of.rules {
                    // An external atom that a rule defines has no value.
                    of.externals.retain(|&atom, _| self.rules[rules].defined >> atom & 1 == 0);
                }
                tally.own += usize::from(of.rules.is_some() || of.bound.is_some() || of.projection.is_some());
                let mut question = self.question(&of, &literal).limit(of.limit);
                if of.minimal {
                    question = question.minimal_core();
                }
                if let Some(cancel) = &of.cancel {
                    question = question.cancelled_by(cancel);
                }
                let number = control.submit(question).map_err(|error| error.to_string())?;
                if number != asked.len() as u64 {
                    return Err(format!("question {} has the number {number}", asked.len()));
                }
                asked.push(of);
                continue;
            }
            if random.chance(3) {
                asked.iter().filter_map(|of| of.cancel.as_ref()).for_each(Cancel::cancel);
            }
            let reply = control.reply(std::time::Duration::from_secs(100)).ok_or("no reply comes")?;
            replies += 1;
            let of = &asked[reply.number() as usize];
            let what = |how: String| {
                format!(
                    "question {}, {:?}: {of:?}, {:?}, {:?}: {how}",
                    reply.number(),
                    of.rules.map(|rules| &self.rules[rules].texts),
                    self.goal.optimization,
                    self.options.parallel_mode
                )
            };
            self.compare(of, &reply, &literal, tally).map_err(what)?;
        }
        tally.questions += questions;
        self.compare_facets(&mut control, &mut random, &literals)
    }

    /// Up to `most` literals.
    fn literals(&self, random: &mut Random, most: usize) -> Vec<i32> {
        let literal = |random: &mut Random| {
            random.between(1, self.program.atoms) * if random.chance(50) { 1 } else { -1 }
        };
        (0..random.below(most + 1)).map(|_| literal(random)).collect()
    }

    /// Costs that some answer set has, or nearly; now and then.
    fn bound(&self, random: &mut Random) -> Option<Vec<i64>> {
        let is_free = self.program.minimize.is_empty() || self.goal.optimization == Optimization::Ignore;
        if is_free || self.meaning.costs.is_empty() || !random.chance(15) {
            return None;
        }
        let costs = &self.meaning.costs[random.below(self.meaning.costs.len())];
        let len = random.below(costs.len() + 1);
        Some(costs[..len].iter().map(|cost| cost.saturating_add(random.below(3) as i64 - 1)).collect())
    }

    /// Some atoms.
    fn atoms(&self, random: &mut Random) -> Vec<i32> {
        (1..=self.program.atoms).filter(|_| random.chance(30)).collect()
    }

    /// Constraints and values of external atoms.
    fn asked(&self, random: &mut Random) -> Asked {
        let values = self.externals.keys().filter(|_| random.chance(40)).copied().collect::<Vec<i32>>();
        let externals = values.into_iter().map(|atom| (atom, random.below(3) as i32)).collect();
        let constraints = match random.below(3) {
            0 => (0..1 + random.below(3)).map(|_| self.literals(random, 4)).collect(),
            _ => Vec::new(),
        };
        Asked { externals, constraints, ..Asked::default() }
    }

    fn question(&self, of: &Asked, literal: &impl Fn(i32) -> Literal) -> Question {
        let question = Question::new().assume(of.assumed.iter().map(|&lit| literal(lit)));
        let values = [External::Free, External::True, External::False];
        let question = of.externals.iter().fold(question, |question, (&atom, &value)| {
            question.external(literal(atom).atom(), values[value as usize])
        });
        let constraints = of.constraints.iter();
        let question = constraints
            .fold(question, |question, lits| question.constraint(lits.iter().map(|&lit| literal(lit))));
        let rules = of.rules.map_or(&[][..], |rules| &self.rules[rules].texts);
        let question = rules.iter().fold(question, |question, text| question.rules(text));
        let question = match &of.projection {
            Some(atoms) => question.project(atoms.iter().map(|&atom| literal(atom).atom())),
            None => question,
        };
        let question = if let Some(bound) = &of.bound { question.bound(bound.clone()) } else { question };
        question.goal(self.goal.clone())
    }

    fn set_of(&self, answer: &Answer, literal: &impl Fn(i32) -> Literal) -> Set {
        let own: Vec<&str> = answer.own_names().collect();
        let new = (self.program.atoms + 1..).zip(NEW).filter(|(_, name)| own.contains(name));
        (1..=self.program.atoms)
            .filter(|&atom| answer.holds(literal(atom)))
            .chain(new.map(|(atom, _)| atom))
            .fold(0, |set, atom| set | 1 << atom)
    }

    fn compare(
        &self,
        of: &Asked,
        reply: &Reply,
        literal: &impl Fn(i32) -> Literal,
        tally: &mut Tally,
    ) -> Result<(), String> {
        if let Some(error) = reply.error() {
            return Err(error.to_string());
        }
        let expected = self.expected(of);
        tally.conflicts += reply.conflicts();
        tally.by_fleets += usize::from(reply.is_by_fleet());
        let is_cancelled = of.cancel.as_ref().is_some_and(Cancel::is_cancelled);
        match reply.is_satisfiable() {
            None if is_cancelled => tally.left += 1,
            None => return Err("no verdict".into()),
            Some(is_satisfiable) if is_satisfiable == expected.is_empty() => {
                return Err(format!(
                    "satisfiable: {is_satisfiable}, and there are {} answer sets",
                    expected.len()
                ));
            }
            Some(true) => tally.satisfiable += 1,
            Some(false) => tally.refuted += 1,
        }
        let optimizes = self.goal.optimization == Optimization::Opt && !self.program.minimize.is_empty();
        let found: Vec<Set> = reply.answers().iter().map(|answer| self.set_of(answer, literal)).collect();
        // What counts of an answer set.
        let counted =
            of.projection.as_ref().map_or(!0, |atoms| atoms.iter().fold(0, |set, atom| set | 1 << atom));
        let different: BTreeSet<Set> = found.iter().map(|set| set & counted).collect();
        let most = expected.iter().map(|(set, _)| set & counted).collect::<BTreeSet<Set>>().len();
        let is_known = |set: &Set| expected.iter().any(|(known, _)| known == set);
        // A search that was cancelled may be on its way to the optimum.
        let are_final =
            reply.is_exhausted() || !matches!(self.goal.optimization, Optimization::Opt | Optimization::OptN);
        if different.len() != found.len() || are_final && !found.iter().all(is_known) {
            return Err(format!("answer sets {found:?}, and there are {expected:?}"));
        }
        let wanted = match of.limit {
            _ if optimizes => most.min(1),
            0 => most,
            limit => most.min(limit as usize),
        };
        if found.len() > wanted.max(1) || !is_cancelled && found.len() != wanted {
            return Err(format!("{} answer sets and not {wanted}", found.len()));
        }
        if let Some(optimum) = reply.optimum().filter(|optimum| !optimum.is_empty()) {
            tally.optima += 1;
            if expected.first().is_none_or(|&(_, costs)| costs != optimum) {
                return Err(format!("{optimum:?} is not the optimum: {expected:?}"));
            }
        }
        if optimizes && reply.is_exhausted() && !found.is_empty() && reply.optimum().is_none() {
            return Err("the optimum is not told".into());
        }
        self.compare_core(of, reply, literal, is_cancelled)
    }

    fn compare_core(
        &self,
        of: &Asked,
        reply: &Reply,
        literal: &impl Fn(i32) -> Literal,
        is_cancelled: bool,
    ) -> Result<(), String> {
        let Some(core) = reply.core() else {
            return if reply.is_satisfiable() == Some(false) { Err("no core".into()) } else { Ok(()) };
        };
        let lits: Vec<i32> = of.assumed.iter().copied().filter(|&lit| core.contains(&literal(lit))).collect();
        // Values of external atoms are a part of the program here, and may be in a core as well.
        let is_core =
            |lits: &[i32]| self.expected(&Asked { assumed: lits.to_vec(), ..of.clone() }).is_empty();
        if !is_core(&lits) {
            return Err(format!("{lits:?} is no core"));
        }
        let unique: BTreeSet<i32> = lits.iter().copied().collect();
        let is_needed = |&lit: &i32| {
            let rest: Vec<i32> = unique.iter().copied().filter(|&other| other != lit).collect();
            !is_core(&rest)
        };
        let is_told = of.minimal && !is_cancelled && self.externals.is_empty();
        if is_told && !unique.iter().all(is_needed) {
            return Err(format!("{lits:?} is not minimal"));
        }
        Ok(())
    }

    fn compare_facets(
        &self,
        control: &mut Control,
        random: &mut Random,
        literals: &[Literal],
    ) -> Result<(), String> {
        let failed = |error: yasmin::Error| error.to_string();
        for _ in 0..3 {
            let assumed: Vec<i32> =
                (0..random.below(3)).map(|_| random.between(1, self.program.atoms)).collect();
            let mut of = Asked { assumed, ..self.asked(random) };
            if !self.program.minimize.is_empty() {
                // The optimum is looked for by a search of its own, which has no constraints.
                of.constraints.clear();
            }
            let Asked { assumed, constraints, .. } = &of;
            let at = |lit: i32| literals[lit.unsigned_abs() as usize - 1];
            let question = self.question(&of, &|lit| if lit > 0 { at(lit) } else { !at(lit) });
            let expected = self.expected(&of);
            let told = control.facets(literals, &question).map_err(failed)?;
            let with = |atom: usize| expected.iter().filter(|&&(set, _)| holds(atom as i32, set)).count();
            let holds = |atom: usize| match with(atom) {
                0 => Holds::Never,
                all if all == expected.len() => Holds::Always,
                _ => Holds::Sometimes,
            };
            let each = Facets::Each((1..=literals.len()).map(holds).collect());
            let right = if expected.is_empty() { Facets::Unsatisfiable } else { each };
            if told != right {
                return Err(format!("facets under {assumed:?}, {constraints:?}: {told:?} and not {right:?}"));
            }
            let counted = control.facet_counts(literals, &question).map_err(failed)?;
            let right =
                Some(((1..=literals.len()).map(|atom| with(atom) as u64).collect(), expected.len() as u64));
            if counted != right {
                return Err(format!(
                    "facets under {assumed:?}, {constraints:?}: {counted:?} and not {right:?}"
                ));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_questions_are_answered_as_the_definition_says() {
        for (device, count) in [(DeviceKind::Cpu, 20_000), (DeviceKind::Simt, 400)] {
            let tally = cases(&[device], yasmin_seeds::first(), count, &mut |report| println!("{report}"));
            assert!(tally.failures.is_empty(), "{}", tally.failures[0]);
            assert!(tally.refuted > 10 && tally.satisfiable > 10 && tally.own > count / 10, "{tally:?}");
        }
    }
}
