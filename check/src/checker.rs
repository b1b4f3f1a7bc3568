//! The checker: it accepts or refuses one step after the other.
//!
//! Main type: [`Checker`].

use crate::answers::Definition;
use crate::completion::Completion;
use crate::components::Components;
use crate::conclusion::Conclusion;
use crate::loops::Loops;
use crate::program::Program;
use crate::proof::{Step, THE_SUMS};
use crate::propagate::{Engine, Logged, Record};
use crate::question::{Kind, Question};
use crate::serials::Serials;
use crate::trusted::differences;
use crate::trusted::lit::{Lit, Var};
use crate::trusted::{Goal, Handle};
use crate::vocabulary::Vocabulary;
use std::cmp::Ordering;
use std::collections::HashSet;
use std::num::NonZeroUsize;

/// Why a step is refused.
pub type Refusal = String;

/// Which nogoods a checker checks: one of so many after one another.
#[derive(Clone, Copy, Debug)]
pub struct Share {
    /// Which share, from 0.
    pub number: usize,
    /// How many shares there are.
    pub of: NonZeroUsize,
}

impl Share {
    /// All nogoods.
    pub const WHOLE: Share = Share { number: 0, of: NonZeroUsize::MIN };
}

/// One of several questions that differ in what they assume.
#[derive(Debug)]
struct Call {
    /// The literals that have to hold, as the proof numbers them.
    numbers: Vec<i64>,
    assumed: Vec<Lit>,
    /// Whether it was finished.
    is_over: bool,
}

/// An optimum that an earlier question proved.
#[derive(Debug)]
struct Optimum {
    costs: Vec<i128>,
    /// The literals of the call without which a better answer set may be left.
    assumed: Vec<i64>,
}

/// The state between two steps. A refused step adds nothing to what is known.
#[derive(Debug)]
pub struct Checker {
    words: Vocabulary,
    engine: Engine,
    completion: Completion,
    definition: Definition,
    loops: Loops,
    question: Option<Question>,
    /// The present call, or the last one.
    call: Option<Call>,
    /// What the calls have concluded that were finished with a conclusion.
    concluded: Vec<Conclusion>,
    optimum: Option<Optimum>,
    nogoods: Serials,
    /// The serial numbers by which the nogood of the next step follows, if the proof says so.
    because: Option<Vec<i64>>,
    /// How many steps did not follow by such nogoods alone, and were propagated.
    propagated: u64,
    /// What is assumed besides the program: nogoods, in words.
    assumed: Vec<String>,
    /// How many of `nogoods`, the first ones, stay when another question is asked.
    kept: usize,
    /// How many stay if its bounds are within these.
    kept_within: (Vec<i128>, usize),
    share: Share,
    end: Option<bool>,
}

impl Checker {
    /// A checker of a program, before the first step.
    pub fn new(program: Program) -> Checker {
        Checker::begin(program, |_| {}, Share::WHOLE)
    }

    /// The same, which checks a share of the nogoods and takes the others over unchecked. All else is
    /// checked. A proof is right if, for each share, a checker accepts each step: the first wrong step would
    /// be in one of the shares.
    pub fn sharing(program: Program, share: Share) -> Checker {
        Checker::begin(program, |_| {}, share)
    }

    /// The same, which logs what it adds.
    pub fn logging(program: Program) -> Checker {
        Checker::begin(program, Engine::begin_log, Share::WHOLE)
    }

    /// One that records what follows from what, and what is wrong with nogoods, which it adds all the same.
    pub(crate) fn recording(program: Program) -> Checker {
        Checker::begin(program, Engine::begin_record, Share::WHOLE)
    }

    /// Lets somebody note something in the record.
    pub(crate) fn record(&mut self, note: impl FnOnce(&mut Record)) {
        self.engine.record(|record, _| note(record));
    }

    /// Takes the record.
    pub(crate) fn take_record(mut self) -> Box<Record> {
        let mut taken = None;
        self.record(|record| taken = Some(Box::new(std::mem::take(record))));
        taken.unwrap_or_default()
    }

    fn begin(program: Program, prepare: fn(&mut Engine), share: Share) -> Checker {
        let goal = Goal::new(&program.costs);
        let mut engine = Engine::new(program.variables, goal);
        prepare(&mut engine);
        let mut words = Vocabulary::new(program);
        let completion = Completion::new(&words.program, &mut engine, &mut words.definitions);
        let components = Components::new(&words.program, &completion.rules_of);
        Checker {
            definition: Definition::new(&words.program, &components),
            loops: Loops::new(&words.program, &components),
            words,
            engine,
            completion,
            question: None,
            call: None,
            concluded: Vec::new(),
            optimum: None,
            nogoods: Serials::default(),
            because: None,
            propagated: 0,
            assumed: Vec::new(),
            kept: 0,
            kept_within: (Vec::new(), 0),
            share,
            end: None,
        }
    }

    /// Checks a step. Returns whether it is an answer set.
    ///
    /// # Errors
    /// If the step is refused; says why.
    pub fn step(&mut self, step: &Step) -> Result<bool, Refusal> {
        if self.end.is_some() {
            return Err("the proof has ended before".into());
        }
        // A step that was refused may have left assumptions.
        self.engine.undo();
        let because = self.because.take();
        if because.is_some() && !matches!(step, Step::Nogood(_)) {
            return Err("a step `n` has to follow a step `b`".into());
        }
        match step {
            Step::Assumption(lits) => self.assume(lits)?,
            Step::Definition { var, lits } => self.words.define(&mut self.engine, *var, lits)?,
            Step::Sum { var, bound, terms } => self.words.sum(&mut self.engine, *var, *bound, terms)?,
            Step::Because(serials) => self.because = Some(serials.clone()),
            Step::Nogood(lits) => self.nogood(lits, None, &because.unwrap_or_default())?,
            Step::Loop { lits, atoms } => self.nogood(lits, Some(atoms), &[])?,
            Step::Cycle(numbers) => self.cycle(numbers)?,
            Step::Question { kind, bounds } => self.ask(*kind, bounds)?,
            Step::Call(lits) => self.call(lits)?,
            Step::Finished { is_refuted, core } => self.finish(*is_refuted, core)?,
            Step::Answer(atoms) => self.answer(atoms)?,
            Step::Rewriting { priority, weight, var } => {
                self.words.rewrite(&mut self.engine, [*priority, *weight, *var])?;
            }
            Step::Least { priority, var } => self.words.least(&mut self.engine, [*priority, *var])?,
            Step::Deletion(number) => self.delete(*number)?,
            Step::End(is_concluded) => {
                if *is_concluded && self.call.is_none() {
                    self.conclusion_of_question()?;
                }
                self.end = Some(*is_concluded);
            }
        }
        Ok(matches!(step, Step::Answer(_)))
    }

    /// The program.
    pub fn program(&self) -> &Program {
        &self.words.program
    }

    /// The present question.
    pub fn question(&self) -> Option<&Question> {
        self.question.as_ref()
    }

    /// Takes what was logged since this was last asked.
    pub fn take_log(&mut self) -> Vec<Logged> {
        self.engine.take_log()
    }

    /// Whether assuming the literals leads to a conflict by these reasons, each looked at once, in this
    /// order. The assumptions stay.
    fn follows_by(&mut self, lits: &[Lit], because: &[i64]) -> bool {
        let nogoods = &self.nogoods;
        let named = |&number: &i64| match number {
            THE_SUMS => Some(None),
            _ => nogoods.get(number).map(Some),
        };
        let is_conflict = self.engine.is_refuted()
            || lits.iter().any(|&lit| self.engine.assume(lit).is_err())
            || self.engine.follow(because.iter().filter_map(named)).is_err();
        if is_conflict {
            self.engine.explain(lits);
        }
        is_conflict
    }

    /// See [`Loops::founded`].
    fn founded(&mut self, set: &[Var], propagates: bool) -> Option<Var> {
        let Checker { loops, words, completion, engine, .. } = self;
        loops.founded(&words.program, completion, engine, set, propagates)
    }

    /// How many steps did not follow by the nogoods that the proof names, and were propagated.
    pub fn propagated(&self) -> u64 {
        self.propagated
    }

    /// Whether assuming the literals leads to a conflict. The assumptions stay.
    fn leads_to_conflict(&mut self, lits: &[Lit]) -> bool {
        let is_conflict = self.engine.is_refuted()
            || lits.iter().any(|&lit| self.engine.assume(lit).is_err())
            || self.engine.propagate().is_err();
        if is_conflict {
            self.engine.explain(lits);
        }
        is_conflict
    }

    /// The names of atoms with their numbers, one of each in a line.
    pub fn names(&self) -> impl Iterator<Item = String> + '_ {
        self.words.program.outputs.iter().filter_map(|output| match output.condition[..] {
            [lit] if lit.is_positive() => {
                let name = output.name.replace(char::is_control, " ");
                Some(format!("{} is {name}", self.words.program.number(lit.var())))
            }
            _ => None,
        })
    }

    /// The names that the last answer set shows.
    pub fn shown(&self) -> impl Iterator<Item = &str> {
        self.definition.shown(&self.words.program)
    }

    /// What is proved of one question: something only after a step `e 1`.
    pub fn conclusion(&self) -> Option<Conclusion> {
        let is_concluded = self.end == Some(true) && self.call.is_none();
        is_concluded.then(|| self.conclusion_of_question().ok())?
    }

    /// What is proved by each call that was finished with a conclusion: something only after a step `e 1`.
    pub fn conclusions_of_calls(&self) -> &[Conclusion] {
        if self.end == Some(true) {
            &self.concluded
        } else {
            &[]
        }
    }

    fn conclusion_of_question(&self) -> Result<Conclusion, Refusal> {
        if self.question.is_some() && !self.engine.is_refuted() {
            return Err("the question is not refuted: propagation finds no conflict".into());
        }
        self.concluded_under(&[])
    }

    /// What is proved of the question, which these literals of the call refute. If it says that costs are
    /// optimal, it also names the literals under which they are.
    fn concluded_under(&self, core: &[i64]) -> Result<Conclusion, Refusal> {
        let question = self.question.as_ref().ok_or("no question was asked")?;
        let optimum = self.optimum.as_ref().filter(|optimum| question.is_among(&optimum.costs));
        let rest = optimum.map_or(&[][..], |optimum| &optimum.assumed);
        let known: HashSet<i64> = core.iter().copied().collect();
        let named = core.iter().chain(rest.iter().filter(|number| !known.contains(number)));
        let program = &self.words.program;
        let told = named.map(|&number| program.told(number));
        let assumed = self.assumed.iter().cloned().chain(told).collect();
        Ok(Conclusion::new(program, assumed, question, optimum.is_some()))
    }

    /// Asks the question again, of the answer sets in which all of the literals hold. What holds without
    /// these stays.
    fn call(&mut self, numbers: &[i64]) -> Result<(), Refusal> {
        let assumed = self.words.lits(numbers)?;
        let Some(question) = &self.question else { return Err("no question was asked".into()) };
        let (kind, bounds) = (question.kind, question.bounds.clone());
        self.keep();
        self.forget(self.kept_within.1);
        self.engine.restart(bounds.clone(), true);
        self.question = Some(Question::new(&self.words.program, kind, bounds));
        self.optimum = None;
        self.call = Some(Call { numbers: numbers.to_vec(), assumed, is_over: false });
        Ok(())
    }

    /// Keeps the nogoods so far if they rest on no answer set: if they rest on no bounds either for whatever
    /// is asked next, and otherwise for questions within these bounds. What rests on lower ones than others
    /// is not kept.
    fn keep(&mut self) {
        let Some(question) = self.question.as_ref().filter(|question| question.answers == 0) else { return };
        let (bounds, kept) = &mut self.kept_within;
        if question.bounds == *bounds {
            *kept = self.nogoods.last();
            if bounds.is_empty() {
                self.kept = *kept;
            }
            self.engine.keep(bounds.is_empty());
        }
    }

    /// Forgets all nogoods but the first `kept`.
    fn forget(&mut self, kept: usize) {
        self.nogoods.take_after(kept).into_iter().for_each(|handle| self.engine.remove(handle));
        let added = self.question.as_mut().map(|question| std::mem::take(&mut question.added));
        added.unwrap_or_default().into_iter().for_each(|handle| self.engine.remove(handle));
    }

    /// Ends a call. If nothing is left to look for, assuming `core` has to lead to a conflict.
    fn finish(&mut self, is_refuted: bool, core: &[i64]) -> Result<(), Refusal> {
        let Some(call) = self.call.as_mut().filter(|call| !call.is_over) else {
            return Err("no call is under way".into());
        };
        if let Some(other) = core.iter().find(|number| !call.numbers.contains(number)) {
            return Err(format!("the call does not assume {other}"));
        }
        call.is_over = true;
        if is_refuted {
            let lits = self.words.lits(core)?;
            let is_conflict = self.leads_to_conflict(&lits);
            self.engine.undo();
            if !is_conflict {
                self.call.iter_mut().for_each(|call| call.is_over = false);
                return Err("the call is not refuted: propagation finds no conflict".into());
            }
            let conclusion = self.concluded_under(core)?;
            let within = &self.kept_within.0;
            if core.is_empty() && conclusion.answer_sets == 0 && conclusion.bounds == *within {
                // There is no answer set within the bounds.
                self.engine.refute_for_good(within.is_empty());
            }
            self.concluded.push(conclusion);
        }
        Ok(())
    }

    /// The literals of the call that the refutation of the present question rests on: none, or all. Nothing
    /// if the question is not refuted.
    fn refuting(&mut self) -> Option<Vec<i64>> {
        if self.engine.is_refuted() {
            return Some(Vec::new());
        }
        let call = self.call.as_ref().filter(|call| !call.is_over)?;
        let (numbers, assumed) = (call.numbers.clone(), call.assumed.clone());
        let is_refuted = self.leads_to_conflict(&assumed);
        self.engine.undo();
        is_refuted.then_some(numbers)
    }

    /// The literals with the numbers.
    ///
    /// # Errors
    /// If a variable was not introduced.
    pub fn lits(&self, numbers: &[i64]) -> Result<Vec<Lit>, Refusal> {
        self.words.lits(numbers)
    }

    /// Assumes a nogood.
    fn assume(&mut self, numbers: &[i64]) -> Result<(), Refusal> {
        if self.question.is_some() {
            return Err("what is assumed comes before the first question".into());
        }
        let lits = self.words.lits(numbers)?;
        let program = &self.words.program;
        let words: Vec<String> = numbers.iter().map(|&number| program.told(number)).collect();
        self.assumed.push(match numbers {
            [number] => program.told(-number),
            _ => format!("not all of {{{}}}", words.join(", ")),
        });
        self.engine.add_permanent(lits);
        self.engine.settle();
        Ok(())
    }

    /// Checks a nogood and adds it. `atoms` are those that a loop nogood names; if none of them is in the
    /// nogood, a nogood is added for each of them. `because` has reasons by which it may follow.
    fn nogood(&mut self, numbers: &[i64], atoms: Option<&[i64]>, because: &[i64]) -> Result<(), Refusal> {
        let lits = self.words.lits(numbers)?;
        let set = atoms.map(|atoms| self.words.atoms(atoms)).transpose()?;
        let atoms = atoms.filter(|atoms| !atoms.iter().any(|atom| numbers.contains(atom)));
        if self.nogoods.last() % self.share.of == self.share.number {
            let mut judged = self.judge(&lits, set, because);
            self.record(|record| record.wrong = std::mem::replace(&mut judged, Ok(())).err());
            judged?;
        }
        self.engine.undo();
        match atoms {
            None => self.add(lits),
            Some(atoms) => {
                for &atom in atoms {
                    self.add([&lits[..], &[self.words.lit(atom)?]].concat());
                }
            }
        }
        self.engine.settle();
        Ok(())
    }

    /// Whether a nogood follows, perhaps as it is one of a set of atoms that are unfounded.
    fn judge(&mut self, lits: &[Lit], set: Option<Vec<Var>>, because: &[i64]) -> Result<(), Refusal> {
        let is_unfounded = |this: &mut Checker, set| this.founded(set, false).is_none();
        if self.follows_by(lits, because) || set.as_ref().is_some_and(|set| is_unfounded(self, set)) {
            return Ok(());
        }
        self.propagated += 1;
        // What the nogoods of the proof have led to stays assumed.
        if self.leads_to_conflict(lits) {
            return Ok(());
        }
        if let Some(weighed) = self.words.definitions.exclude(lits, self.engine.values()) {
            self.engine.need(weighed.into_iter().map(|var| Lit::new(var, true)));
            return Ok(());
        }
        let set = set.ok_or("propagation finds no conflict")?;
        match self.founded(&set, true) {
            None => Ok(()),
            Some(atom) => {
                let number = self.words.program.number(atom);
                Err(format!("the atom {number} may be founded by a rule from outside the set"))
            }
        }
    }

    /// Adds the nogood of a cycle of difference constraints.
    fn cycle(&mut self, numbers: &[i64]) -> Result<(), Refusal> {
        self.add(differences::cycle(&self.words.program.differences, numbers)?);
        self.engine.settle();
        Ok(())
    }

    /// Adds a nogood, which has the next serial number. Nothing is assumed.
    fn add(&mut self, lits: Vec<Lit>) {
        self.engine.need(lits.iter().copied());
        self.record(Record::name);
        self.nogoods.push(self.engine.add(lits));
    }

    fn ask(&mut self, kind: i64, bounds: &[i64]) -> Result<(), Refusal> {
        let kind = Kind::of(kind).ok_or_else(|| format!("{kind} is no kind of question"))?;
        let priorities = self.engine.goal().priorities();
        if bounds.len() > priorities {
            return Err(format!("{} bounds for {priorities} priorities", bounds.len()));
        }
        let bounds: Vec<i128> = bounds.iter().map(|&bound| i128::from(bound)).collect();
        let mut is_within = false;
        match &self.question {
            None => {
                self.kept = self.nogoods.last();
                self.engine.keep(true);
            }
            Some(last) => {
                let is_optimum = last.kind == Kind::Optimum;
                if let Some(costs) = last.last_costs.clone().filter(|_| is_optimum) {
                    let assumed = self.refuting();
                    self.optimum = assumed.map(|assumed| Optimum { costs, assumed }).or(self.optimum.take());
                }
                is_within = are_within(&bounds, &self.kept_within.0);
                self.forget(if is_within { self.kept_within.1 } else { self.kept });
            }
        }
        if !is_within {
            self.kept_within = (bounds.clone(), self.kept);
        }
        self.engine.restart(bounds.clone(), is_within);
        self.question = Some(Question::new(&self.words.program, kind, bounds));
        Ok(())
    }

    fn answer(&mut self, numbers: &[i64]) -> Result<(), Refusal> {
        let atoms = self.words.atoms(numbers)?;
        if atoms.len() < numbers.len() || numbers.iter().any(|&n| n > i64::from(self.words.program.last_atom))
        {
            return Err("one of the atoms is not in the program".into());
        }
        let question = self.question.as_mut().ok_or("no question was asked")?;
        if self.engine.is_refuted() {
            return Err("nothing is left to look for".into());
        }
        if self.call.as_ref().is_some_and(|call| call.is_over) {
            return Err("the call is over".into());
        }
        self.definition.tell(&atoms);
        let conditions = &self.completion.conditions;
        let first = question.told_apart(&self.words.program, conditions, &|lit| self.definition.is_told(lit));
        if question.has_heard_of(&first) {
            return Err("it was told before".into());
        }
        let mut nogood = self.definition.assume(&self.words.program, &mut self.engine, &first)?;
        self.engine.need(first.iter().copied());
        self.definition.check(&self.words.program, &self.completion.bodies, self.engine.values())?;
        let assumed = self.call.iter().flat_map(|call| &call.assumed);
        if let Some(lit) = assumed.into_iter().find(|&&lit| !self.engine.values().is_true(lit)) {
            let number = self.words.program.number(lit.var());
            return Err(format!("the call assumes something else of {number}"));
        }
        let costs = self.engine.goal().costs(self.engine.values());
        let bounds = self.engine.goal().bounds();
        if costs[..bounds.len()] > *bounds {
            return Err(format!("the costs {costs:?} exceed the bounds {bounds:?}"));
        }
        if question.kind.is_brave().is_some() {
            nogood = question.consequences(conditions, self.engine.values());
        }
        self.engine.undo();
        if self.call.is_some() {
            self.keep();
        }
        let question = self.question.as_mut().ok_or("no question was asked")?;
        question.answers += 1;
        if question.kind == Kind::Optimum {
            let mut lower = costs.clone();
            match lower.last_mut() {
                Some(last) => {
                    *last -= 1;
                    self.engine.set_bounds(lower);
                }
                None => self.engine.refute(),
            }
        }
        question.last_costs = Some(costs);
        if !matches!(question.kind, Kind::AnswerSets | Kind::Projections | Kind::Shown) {
            if question.kind.is_brave().is_some() {
                question.added.drain(..).for_each(|handle| self.engine.remove(handle));
                self.engine.need(nogood.iter().copied());
                self.engine.record(|record, _| {
                    record.define();
                });
                question.added.push(self.engine.add(nogood));
            }
            self.record(Record::skip);
            self.nogoods.push(Handle::NOWHERE);
        } else {
            // A step `x` may remove the nogood: no answer set is counted twice, as the question knows those
            // it was told.
            self.engine.log(|| Logged::Answer { apart: first.clone(), nogood: nogood.clone() });
            question.hear_of(&first);
            self.add(nogood);
        }
        self.engine.settle();
        Ok(())
    }

    fn delete(&mut self, number: i64) -> Result<(), Refusal> {
        match self.nogoods.take(number) {
            Some(handle) => self.engine.remove(handle),
            None if usize::try_from(number)
                .is_ok_and(|number| (1..=self.nogoods.last()).contains(&number)) => {}
            None => return Err(format!("no nogood has the serial number {number}")),
        }
        Ok(())
    }
}

/// Whether costs within the bounds of the first priorities are within other bounds, too.
fn are_within(bounds: &[i128], others: &[i128]) -> bool {
    let shared = bounds.len().min(others.len());
    match bounds[..shared].cmp(&others[..shared]) {
        Ordering::Equal => bounds.len() >= others.len(),
        order => order.is_lt(),
    }
}
