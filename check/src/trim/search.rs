//! Which steps of a proof are needed: forwards until propagation finds a conflict, and backwards over the steps.
//!
//! Main type: [`Search`]. Forwards, nogoods are added and propagated without a check. What the conflict at the end of a
//! question depends on is marked. Backwards, each step whose nogood is marked is checked, and what that depends on is
//! marked (Goldberg and Novikov, "Verification of proofs of unsatisfiability for CNF formulas", 2003). The steps before
//! the first question come last, as all questions may need them. Definitions count as made before all other steps.

use super::engine::Engine;
use super::nogoods::{Place, HEADER};
use super::unfounded;
use crate::completion::Completion;
use crate::components::Components;
use crate::loops::Loops;
use crate::program::{Costs, Program};
use crate::proof::Step;
use crate::question::{Kind, Question};
use crate::trusted::lit::{Lit, Var};
use crate::trusted::{Goal, Propagator};
use crate::vocabulary::Vocabulary;

/// A step that has to be taken back.
#[derive(Debug)]
struct Event {
    /// The number of the step.
    step: u32,
    /// How many literals held before it.
    before: u32,
    what: What,
}

#[derive(Debug)]
enum What {
    /// A nogood with its serial number.
    Nogood(u32),
    Loop(Box<Loop>),
    Answer(Box<Answer>),
    /// A nogood that was switched off, with its serial number.
    Deletion(u32, Place),
    /// How many weights were changed before.
    Rewriting(usize),
}

#[derive(Debug)]
struct Loop {
    /// The serial number of the first nogood.
    serial: u32,
    /// How many nogoods there are.
    count: u32,
    /// What is assumed, if there is a nogood for each atom.
    lits: Option<Vec<Lit>>,
    atoms: Vec<Var>,
}

#[derive(Debug)]
struct Answer {
    serial: u32,
    /// The true atoms, if the nogood may leave out what follows.
    atoms: Option<Vec<Var>>,
    /// The nogood that says what is still looked for, and those before.
    added: Option<Place>,
    replaced: Option<Place>,
    /// The bounds before.
    bounds: Option<Vec<i128>>,
}

/// The state between two steps.
#[derive(Debug)]
pub struct Search {
    words: Vocabulary,
    engine: Engine,
    completion: Completion,
    has_head_cycles: bool,
    question: Option<Question>,
    /// For each variable of the program whether the answer set that is looked at has it.
    is_told: Vec<bool>,
    /// The places of nogoods by their serial numbers, from 1, until a deletion.
    places: Vec<Option<Place>>,
    /// How many of `places` are from before the first question.
    kept: usize,
    /// The steps since the first question, or the last one.
    events: Vec<Event>,
    /// The steps before the first question.
    first_events: Vec<Event>,
    /// The nogood that the answer sets for consequences have added.
    added: Option<Place>,
    /// The changes of weights that were taken back.
    rewritten: Vec<Vec<(usize, Lit, i128)>>,
    /// Whether nothing is left for any question.
    is_kept_refuted: bool,
    /// Whether the proof has a conclusion, once it has ended.
    end: Option<bool>,
}

/// The number of a step that is wrong or does not follow, and what is wrong with it.
pub type Wrong = (u32, String);

/// Why a step is not taken.
pub enum Failure {
    /// This step is wrong, or one before it.
    Wrong(Wrong),
    /// The step may be right. What it is, with a verb: it is not looked at backwards.
    Beyond(&'static str),
}

impl From<Wrong> for Failure {
    fn from(wrong: Wrong) -> Failure {
        Failure::Wrong(wrong)
    }
}

impl Search {
    /// A search in a proof about a program, before the first step.
    pub fn new(program: Program) -> Search {
        let mut engine = Engine::new(program.variables, Goal::new(&program.costs));
        let mut words = Vocabulary::new(program);
        let completion = Completion::new(&words.program, &mut engine, &mut words.definitions);
        let components = Components::new(&words.program, &completion.rules_of);
        Search {
            has_head_cycles: Loops::new(&words.program, &components).has_head_cycles,
            is_told: vec![false; words.program.variables as usize],
            words,
            engine,
            completion,
            question: None,
            places: vec![None],
            kept: 1,
            events: Vec::new(),
            first_events: Vec::new(),
            added: None,
            rewritten: Vec::new(),
            is_kept_refuted: false,
            end: None,
        }
    }

    /// For each serial number from 1 the last step that needs the nogood, or 0; and for each definition from 1 whether what
    /// is needed depends on it. Call this after the last step.
    ///
    /// # Errors
    /// If a step that is needed does not follow.
    pub fn finish(mut self) -> Result<(Vec<u32>, Vec<bool>), Wrong> {
        if self.question.is_none() || self.end != Some(true) {
            // A conflict may have marked nogoods, but nothing is concluded from it.
            self.engine.last.fill(0);
            return Ok((self.engine.last, self.engine.is_definition_needed));
        }
        self.close()?;
        if !self.is_kept_refuted {
            self.engine.return_to_kept();
        }
        self.events = std::mem::take(&mut self.first_events);
        self.go_back()?;
        Ok((self.engine.last, self.engine.is_definition_needed))
    }

    /// Takes a step forwards.
    ///
    /// # Errors
    /// If the step makes no sense, or a step before it that is needed does not follow.
    pub fn step(&mut self, step: &Step, number: u32) -> Result<(), Failure> {
        self.engine.now = number;
        let here = |result: Result<(), String>| result.map_err(|why| Failure::Wrong((number, why)));
        if self.end.is_some() {
            return here(Err("the proof has ended before".into()));
        }
        if self.engine.is_full(self.most(step)) {
            return Err(Failure::Beyond("a proof of more than 2^31 literals is"));
        }
        match step {
            Step::Assumption(lits) => here(self.assume(lits)),
            Step::Because(_) => Ok(()),
            Step::Definition { .. } | Step::Sum { .. } => here(self.define(step)),
            Step::Nogood(lits) => here(self.nogood(lits, None)),
            Step::Loop { lits, atoms } => here(self.nogood(lits, Some(atoms))),
            Step::Question { kind, bounds } => {
                self.close()?;
                here(self.ask(*kind, bounds))
            }
            Step::Answer(atoms) => here(self.answer(atoms)),
            Step::Rewriting { priority, weight, var } => here(self.rewrite([*priority, *weight, *var])),
            Step::Least { .. } => Err(Failure::Beyond("steps `l`, of a search by guesses, are")),
            Step::Call(_) | Step::Finished { .. } => Err(Failure::Beyond("calls are")),
            Step::Deletion(serial) => here(self.delete(*serial)),
            Step::End(is_concluded) => {
                self.end = Some(*is_concluded);
                here(match self.engine.is_refuted() || !is_concluded {
                    true => Ok(()),
                    false => Err("the question is not refuted: propagation finds no conflict".into()),
                })
            }
        }
    }

    /// The most literals that the nogoods of a step have, with what is stored beside them.
    fn most(&self, step: &Step) -> usize {
        let program = &self.words.program;
        let each = match step {
            Step::Nogood(lits) => lits.len(),
            Step::Loop { lits, .. } => lits.len() + 1,
            Step::Answer(_) => program.atoms.len().max(program.outputs.len()),
            _ => 0,
        };
        step.nogoods().saturating_mul(each + HEADER)
    }

    fn define(&mut self, step: &Step) -> Result<(), String> {
        let Search { words, engine, .. } = self;
        engine.definition = engine.is_definition_needed.len() as u32;
        engine.is_definition_needed.push(false);
        match step {
            Step::Definition { var, lits } => words.define(engine, *var, lits),
            Step::Sum { var, bound, terms } => words.sum(engine, *var, *bound, terms),
            _ => Ok(()),
        }
    }

    /// What is assumed is part of the program from here on.
    fn assume(&mut self, numbers: &[i64]) -> Result<(), String> {
        if self.question.is_some() {
            return Err("what is assumed comes before the first question".into());
        }
        self.engine.definition = 0;
        let lits = self.words.lits(numbers)?;
        self.engine.add_permanent(lits);
        self.engine.settle();
        Ok(())
    }

    /// Remembers a step that is about to be taken.
    fn note(&mut self, what: What) {
        self.events.push(Event { step: self.engine.now, before: self.engine.length() as u32, what });
    }

    /// The serial number of the next nogood.
    fn serial(&self) -> u32 {
        self.places.len() as u32
    }

    /// Adds a nogood, which gets the next serial number.
    fn add(&mut self, lits: Vec<Lit>) -> Result<(), String> {
        let serial = self.serial();
        self.engine.last.push(0);
        let place = match self.engine.is_refuted() {
            true => None,
            false => self.engine.add(lits, serial),
        };
        self.places.push(place);
        Ok(())
    }

    fn nogood(&mut self, numbers: &[i64], atoms: Option<&[i64]>) -> Result<(), String> {
        let lits = self.words.lits(numbers)?;
        let serial = self.serial();
        let Some(atoms) = atoms else {
            self.note(What::Nogood(serial));
            return self.add(lits);
        };
        let set = self.words.atoms(atoms)?;
        let is_each = !atoms.iter().any(|atom| numbers.contains(atom));
        let count = if is_each { atoms.len() as u32 } else { 1 };
        let assumed = is_each.then(|| lits.clone());
        self.note(What::Loop(Box::new(Loop { serial, count, lits: assumed, atoms: set })));
        if !is_each {
            return self.add(lits);
        }
        for &atom in atoms {
            let atom = self.words.lit(atom)?;
            self.add([&lits[..], &[atom]].concat())?;
        }
        Ok(())
    }

    fn ask(&mut self, kind: i64, bounds: &[i64]) -> Result<(), String> {
        let kind = Kind::of(kind).ok_or_else(|| format!("{kind} is no kind of question"))?;
        if bounds.len() > self.engine.goal().priorities() {
            return Err("there are more bounds than priorities".into());
        }
        let bounds: Vec<i128> = bounds.iter().map(|&bound| i128::from(bound)).collect();
        if !self.is_kept_refuted {
            self.engine.restart(bounds.clone());
        }
        self.question = Some(Question::new(&self.words.program, kind, bounds));
        Ok(())
    }

    /// Ends the steps before the first question, or a question.
    fn close(&mut self) -> Result<(), Wrong> {
        if self.question.is_some() {
            self.go_back()?;
            self.places[self.kept..].fill(None);
            return Ok(());
        }
        self.kept = self.places.len();
        self.first_events = std::mem::take(&mut self.events);
        self.is_kept_refuted = self.engine.is_refuted();
        self.engine.keep();
        Ok(())
    }

    fn rewrite(&mut self, step: [i64; 3]) -> Result<(), String> {
        self.note(What::Rewriting(self.engine.rewritten.len()));
        self.words.rewrite(&mut self.engine, step)
    }

    fn delete(&mut self, serial: i64) -> Result<(), String> {
        let index = usize::try_from(serial).ok().filter(|&serial| serial > 0);
        let Some(place) = index.and_then(|index| self.places.get_mut(index)) else {
            return Err(format!("no nogood has the serial number {serial}"));
        };
        if let Some(place) = place.take() {
            self.engine.switch_off(place);
            self.note(What::Deletion(serial as u32, place));
        }
        Ok(())
    }

    fn answer(&mut self, numbers: &[i64]) -> Result<(), String> {
        let atoms = self.words.atoms(numbers)?;
        if numbers.iter().any(|&number| number > i64::from(self.words.program.last_atom)) {
            return Err("one of the atoms is not in the program".into());
        }
        if self.engine.is_refuted() {
            return Err("nothing is left to look for".into());
        }
        let kind = self.question.as_ref().ok_or("no question was asked")?.kind;
        self.tell(&atoms);
        let serial = self.serial();
        let is_counted = matches!(kind, Kind::AnswerSets | Kind::Projections | Kind::Shown);
        let atoms = is_counted.then_some(atoms);
        let answer = Answer { serial, atoms, added: None, replaced: None, bounds: None };
        self.note(What::Answer(Box::new(answer)));
        let (mut bounds, mut replaced, mut added) = (None, None, None);
        match kind {
            Kind::Optimum => {
                bounds = Some(self.engine.goal().bounds().to_vec());
                let costs = self.words.program.costs.iter();
                let mut lower: Vec<i128> = costs.map(|costs| self.costs(costs)).collect();
                match lower.last_mut() {
                    Some(last) => {
                        *last -= 1;
                        self.engine.set_bounds(lower);
                    }
                    None => self.engine.refute(),
                }
                self.add_nothing();
            }
            _ if is_counted => {
                let (_, decisions) = self.decisions();
                self.engine.undo();
                self.add(decisions.ok_or("propagation finds a conflict")?)?;
                added = self.places[serial as usize];
            }
            _ => {
                let atoms = self.words.program.atoms.iter();
                let lits: Vec<Lit> =
                    atoms.map(|&(var, _)| Lit::new(var, self.is_told[var.index()])).collect();
                if lits.into_iter().any(|lit| self.engine.assume(lit).is_err())
                    || self.engine.propagate().is_err()
                {
                    return Err("propagation finds a conflict".into());
                }
                let question = self.question.as_mut().ok_or("no question was asked")?;
                let nogood = question.consequences(&self.completion.conditions, self.engine.values());
                self.engine.undo();
                replaced = self.added.take();
                if let Some(place) = replaced {
                    self.engine.switch_off(place);
                }
                self.add(nogood)?;
                // A step `x` has no effect on it.
                added = self.places[serial as usize].take();
                self.added = added;
            }
        }
        if let Some(Event { what: What::Answer(answer), .. }) = self.events.last_mut() {
            (answer.bounds, answer.replaced, answer.added) = (bounds, replaced, added);
        }
        Ok(())
    }

    /// Gives the next serial number to nothing.
    fn add_nothing(&mut self) {
        self.engine.last.push(0);
        self.places.push(None);
    }

    fn tell(&mut self, atoms: &[Var]) {
        self.is_told.fill(false);
        atoms.iter().for_each(|atom| self.is_told[atom.index()] = true);
    }

    fn costs(&self, costs: &Costs) -> i128 {
        let held = costs.terms.iter().filter(|(lit, _)| self.is_told[lit.var().index()] == lit.is_positive());
        costs.constant + held.map(|(_, weight)| weight).sum::<i128>()
    }

    /// Assumes what tells an answer set from others, as the checker does: one literal after the other. Returns these
    /// literals, and those that did not follow from the ones before unless there is a conflict.
    fn decisions(&mut self) -> (Vec<Lit>, Option<Vec<Lit>>) {
        let is_told = &self.is_told;
        let holds = |lit: Lit| is_told[lit.var().index()] == lit.is_positive();
        let told_apart = |question: &Question| {
            question.told_apart(&self.words.program, &self.completion.conditions, &holds)
        };
        let all = self.question.as_ref().map(told_apart).unwrap_or_default();
        let mut decisions = Vec::new();
        for &lit in &all {
            if self.engine.values().is_open(lit) {
                decisions.push(lit);
                if self.engine.assume(lit).is_err() || self.engine.propagate().is_err() {
                    return (all, None);
                }
            }
        }
        (all, Some(decisions))
    }

    /// Looks at the steps backwards.
    fn go_back(&mut self) -> Result<(), Wrong> {
        self.engine.sweep();
        while let Some(Event { step, before, what }) = self.events.pop() {
            self.engine.now = step;
            self.engine.undo_to(before as usize);
            self.take_back(what).map_err(|why| (step, why))?;
            self.engine.undo_to(before as usize);
        }
        self.added = None;
        // The next question begins with the costs as they are now.
        while let Some(changes) = self.rewritten.pop() {
            changes
                .into_iter()
                .for_each(|(priority, lit, weight)| self.engine.add_weight(priority, lit, weight));
        }
        Ok(())
    }

    fn is_needed(&self, serial: u32) -> bool {
        self.engine.last[serial as usize] > 0
    }

    /// Checks a step if it is needed, without what came after.
    fn take_back(&mut self, what: What) -> Result<(), String> {
        match what {
            What::Deletion(serial, place) => {
                self.places[serial as usize] = Some(place);
                self.engine.switch_on(place);
            }
            What::Rewriting(length) => {
                let changes = self.engine.restore_weights(length);
                self.rewritten.push(changes);
            }
            What::Nogood(serial) => {
                let Some(place) = self.places[serial as usize] else { return Ok(()) };
                self.engine.switch_off(place);
                if self.is_needed(serial) {
                    let lits = self.engine.lits(place);
                    if !self.engine.refutes(lits.iter().copied()) {
                        let weighed = self.words.definitions.exclude(&lits, self.engine.values());
                        let weighed = weighed.ok_or("propagation finds no conflict")?;
                        let known = weighed.into_iter().map(|var| Lit::new(var, true));
                        let known: Vec<Lit> =
                            known.filter(|&lit| !self.engine.values().is_open(lit)).collect();
                        known.into_iter().for_each(|lit| self.engine.need(lit));
                    }
                }
            }
            What::Loop(step) => {
                let serials = step.serial..step.serial + step.count;
                for place in serials.clone().filter_map(|serial| self.places[serial as usize]) {
                    self.engine.switch_off(place);
                }
                if serials.clone().any(|serial| self.is_needed(serial)) {
                    let own = || self.places[step.serial as usize].map(|place| self.engine.lits(place));
                    let lits = step.lits.clone().or_else(own).unwrap_or_default();
                    let Search { words, completion, engine, has_head_cycles, .. } = self;
                    if !engine.refutes(lits.into_iter())
                        && !unfounded::explain(
                            &words.program,
                            completion,
                            *has_head_cycles,
                            engine,
                            &step.atoms,
                        )
                    {
                        return Err("an atom may be founded by a rule from outside the set".into());
                    }
                }
            }
            What::Answer(answer) => self.take_back_answer(*answer),
        }
        Ok(())
    }

    fn take_back_answer(&mut self, answer: Answer) {
        if let Some(place) = answer.added {
            self.engine.switch_off(place);
        }
        if let Some(place) = answer.replaced {
            self.engine.switch_on(place);
        }
        if let Some(bounds) = answer.bounds {
            self.engine.restore_bounds(bounds);
        }
        if let Some(atoms) = answer.atoms.filter(|_| self.is_needed(answer.serial)) {
            self.tell(&atoms);
            let (all, _) = self.decisions();
            for lit in all {
                if self.engine.values().is_true(lit) {
                    self.engine.need(lit);
                }
            }
        }
    }
}
