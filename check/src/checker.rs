//! The checker: it accepts or refuses one step after the other.
//!
//! Main type: [`Checker`].

use crate::answers::Definition;
use crate::completion::Completion;
use crate::components::Components;
use crate::conclusion::Conclusion;
use crate::definitions::Definitions;
use crate::lit::{Lit, Var};
use crate::loops::Loops;
use crate::numbers::MAX_NUMBER;
use crate::program::Program;
use crate::proof::Step;
use crate::propagate::{Engine, Goal, Handle, Logged};
use crate::question::{Kind, Question};
use crate::rewriting::Rewriting;

/// The largest weight of a step `s`.
const MAX_WEIGHT: i64 = 1 << 62;

/// Why a step is refused.
pub type Refusal = String;

/// The state between two steps. A refused step adds nothing to what is known.
#[derive(Debug)]
pub struct Checker {
    program: Program,
    engine: Engine,
    definitions: Definitions,
    completion: Completion,
    definition: Definition,
    loops: Loops,
    rewriting: Rewriting,
    question: Option<Question>,
    /// The costs of the optimum that an earlier question proved.
    optimum: Option<Vec<i128>>,
    /// The nogoods by their serial numbers, from 1.
    nogoods: Vec<Handle>,
    /// What is assumed besides the program: nogoods, in words.
    assumed: Vec<String>,
    /// How many of `nogoods` are from before the first question.
    kept: usize,
    end: Option<bool>,
}

impl Checker {
    /// A checker of a program, before the first step.
    pub fn new(program: Program) -> Checker {
        Checker::begin(program, false)
    }

    /// The same, which logs what it adds.
    pub fn logging(program: Program) -> Checker {
        Checker::begin(program, true)
    }

    fn begin(program: Program, logs: bool) -> Checker {
        let goal = Goal::new(&program.costs);
        let mut engine = Engine::new(program.variables, goal);
        if logs {
            engine.begin_log();
        }
        let mut definitions = Definitions::default();
        let completion = Completion::new(&program, &mut engine, &mut definitions);
        let components = Components::new(&program, &completion.rules_of);
        Checker {
            definition: Definition::new(&program, &components),
            loops: Loops::new(&program, &components),
            program,
            engine,
            definitions,
            completion,
            rewriting: Rewriting::default(),
            question: None,
            optimum: None,
            nogoods: Vec::new(),
            assumed: Vec::new(),
            kept: 0,
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
        match step {
            Step::Assumption(lits) => self.assume(lits)?,
            Step::Definition { var, lits } => {
                let lits = self.lits(lits)?;
                let lit = self.definitions.conjunction(&mut self.engine, lits);
                self.engine.settle();
                self.introduce(*var, lit)?;
            }
            Step::Sum { var, bound, terms } => self.sum(*var, *bound, terms)?,
            Step::Nogood(lits) => self.nogood(lits, None)?,
            Step::Loop { lits, atoms } => self.nogood(lits, Some(atoms))?,
            Step::Question { kind, bounds } => self.ask(*kind, bounds)?,
            Step::Answer(atoms) => self.answer(atoms)?,
            Step::Rewriting { priority, weight, var } => {
                self.rewriting.apply(&mut self.engine, [*priority, *weight, *var])?;
            }
            Step::Least { priority, var } => self.rewriting.least(&mut self.engine, [*priority, *var])?,
            Step::Deletion(number) => self.delete(*number)?,
            Step::End(is_concluded) => {
                if *is_concluded {
                    self.conclusion_of_question()?;
                }
                self.end = Some(*is_concluded);
            }
        }
        Ok(matches!(step, Step::Answer(_)))
    }

    /// The program.
    pub fn program(&self) -> &Program {
        &self.program
    }

    /// The present question.
    pub fn question(&self) -> Option<&Question> {
        self.question.as_ref()
    }

    /// Takes what was logged since this was last asked.
    pub fn take_log(&mut self) -> Vec<Logged> {
        self.engine.take_log()
    }

    /// Whether a nogood follows by propagation alone.
    ///
    /// # Errors
    /// If a variable was not introduced.
    pub fn follows(&mut self, numbers: &[i64]) -> Result<bool, Refusal> {
        let lits = self.lits(numbers)?;
        let follows = self.leads_to_conflict(&lits);
        self.engine.undo();
        Ok(follows)
    }

    /// Whether assuming the literals leads to a conflict. The assumptions stay.
    fn leads_to_conflict(&mut self, lits: &[Lit]) -> bool {
        self.engine.is_refuted()
            || lits.iter().any(|&lit| self.engine.assume(lit).is_err())
            || self.engine.propagate().is_err()
    }

    /// The names of atoms with their numbers, one of each in a line.
    pub fn names(&self) -> impl Iterator<Item = String> + '_ {
        self.program.outputs.iter().filter_map(|output| match output.condition[..] {
            [lit] if lit.is_positive() => {
                let name = output.name.replace(char::is_control, " ");
                Some(format!("{} is {name}", self.program.number(lit.var())))
            }
            _ => None,
        })
    }

    /// The names that the last answer set shows.
    pub fn shown(&self) -> impl Iterator<Item = &str> {
        self.definition.shown(&self.program)
    }

    /// What is proved: something only after a step `e 1`.
    pub fn conclusion(&self) -> Option<Conclusion> {
        self.end.filter(|&is_concluded| is_concluded)?;
        self.conclusion_of_question().ok()
    }

    fn conclusion_of_question(&self) -> Result<Conclusion, Refusal> {
        let question = self.question.as_ref().ok_or("no question was asked")?;
        if !self.engine.is_refuted() {
            return Err("the question is not refuted: propagation finds no conflict".into());
        }
        Ok(Conclusion::new(&self.program, &self.assumed, question, self.optimum.as_deref()))
    }

    fn lit(&self, number: i64) -> Result<Lit, Refusal> {
        self.program.lit(number).ok_or_else(|| format!("the variable of {number} was not introduced"))
    }

    /// The literals with the numbers.
    ///
    /// # Errors
    /// If a variable was not introduced.
    pub fn lits(&self, numbers: &[i64]) -> Result<Vec<Lit>, Refusal> {
        numbers.iter().map(|&number| self.lit(number)).collect()
    }

    /// Assumes a nogood.
    fn assume(&mut self, numbers: &[i64]) -> Result<(), Refusal> {
        if self.question.is_some() {
            return Err("what is assumed comes before the first question".into());
        }
        let lits = self.lits(numbers)?;
        let words: Vec<String> = numbers.iter().map(|&number| self.program.told(number)).collect();
        self.assumed.push(match numbers {
            [number] => self.program.told(-number),
            _ => format!("not all of {{{}}}", words.join(", ")),
        });
        self.engine.add_permanent(lits);
        self.engine.settle();
        Ok(())
    }

    /// Gives a literal to a new variable.
    fn introduce(&mut self, number: i64, lit: Lit) -> Result<(), Refusal> {
        let is_new = |number: &u32| {
            let is_free = self.program.numbers.get(*number).is_none();
            is_free && (self.program.last_number + 1..=MAX_NUMBER).contains(number)
        };
        let new = u32::try_from(number).ok().filter(is_new);
        self.program.numbers.insert(new.ok_or_else(|| format!("{number} is no new variable"))?, lit);
        Ok(())
    }

    fn sum(&mut self, var: i64, bound: i64, terms: &[(i64, i64)]) -> Result<(), Refusal> {
        let mut translated = Vec::with_capacity(terms.len());
        for &(weight, lit) in terms {
            if !(1..=MAX_WEIGHT).contains(&weight) {
                return Err(format!("the weight {weight} is not from 1 to 2^62"));
            }
            translated.push((self.lit(lit)?, i128::from(weight)));
        }
        let bound = i128::from(bound);
        let lit = self.definitions.sum(&mut self.engine, bound, translated.clone());
        self.introduce(var, lit)?;
        self.rewriting.note(var, lit, bound, translated);
        Ok(())
    }

    /// Checks a nogood and adds it. `atoms` are those that a loop nogood names; if none of them is in the nogood, a nogood
    /// is added for each of them.
    fn nogood(&mut self, numbers: &[i64], atoms: Option<&[i64]>) -> Result<(), Refusal> {
        let lits = self.lits(numbers)?;
        let set = atoms.map(|atoms| self.atoms(atoms)).transpose()?;
        let atoms = atoms.filter(|atoms| !atoms.iter().any(|atom| numbers.contains(atom)));
        if !self.leads_to_conflict(&lits) {
            let set = set.ok_or("propagation finds no conflict")?;
            if let Some(atom) = self.loops.founded(&self.program, &self.completion, &mut self.engine, &set) {
                let number = self.program.number(atom);
                return Err(format!("the atom {number} may be founded by a rule from outside the set"));
            }
        }
        self.engine.undo();
        match atoms {
            None => self.nogoods.push(self.engine.add(lits)),
            Some(atoms) => {
                for &atom in atoms {
                    let atom = self.lit(atom)?;
                    self.nogoods.push(self.engine.add([&lits[..], &[atom]].concat()));
                }
            }
        }
        self.engine.settle();
        Ok(())
    }

    /// The atoms with the numbers, without those that are in no rule because the program does not name them.
    fn atoms(&self, numbers: &[i64]) -> Result<Vec<Var>, Refusal> {
        let mut atoms = Vec::with_capacity(numbers.len());
        for &number in numbers {
            if !(1..=i64::from(self.program.last_number)).contains(&number) {
                return Err(format!("{number} is no atom of the program"));
            }
            let lit = self.lit(number)?;
            if lit != Lit::FALSE {
                atoms.push(lit.var());
            }
        }
        Ok(atoms)
    }

    fn ask(&mut self, kind: i64, bounds: &[i64]) -> Result<(), Refusal> {
        let kind = Kind::of(kind).ok_or_else(|| format!("{kind} is no kind of question"))?;
        let priorities = self.engine.goal().priorities();
        if bounds.len() > priorities {
            return Err(format!("{} bounds for {priorities} priorities", bounds.len()));
        }
        match &self.question {
            None => {
                self.kept = self.nogoods.len();
                self.engine.keep();
            }
            Some(last) => {
                let is_optimum = last.kind == Kind::Optimum && self.engine.is_refuted();
                if let Some(costs) = last.last_costs.clone().filter(|_| is_optimum) {
                    self.optimum = Some(costs);
                }
                for handle in &mut self.nogoods[self.kept..] {
                    self.engine.remove(std::mem::replace(handle, Handle::Nowhere));
                }
                last.added.iter().for_each(|&handle| self.engine.remove(handle));
            }
        }
        let bounds: Vec<i128> = bounds.iter().map(|&bound| i128::from(bound)).collect();
        self.engine.restart(bounds.clone());
        self.question = Some(Question::new(&self.program, kind, bounds));
        Ok(())
    }

    fn answer(&mut self, numbers: &[i64]) -> Result<(), Refusal> {
        let atoms = self.atoms(numbers)?;
        if atoms.len() < numbers.len() || numbers.iter().any(|&n| n > i64::from(self.program.last_atom)) {
            return Err("one of the atoms is not in the program".into());
        }
        let question = self.question.as_mut().ok_or("no question was asked")?;
        if self.engine.is_refuted() {
            return Err("nothing is left to look for".into());
        }
        self.definition.tell(&atoms);
        let conditions = &self.completion.conditions;
        let first = question.told_apart(&self.program, conditions, &|lit| self.definition.is_told(lit));
        if question.has_heard_of(&first) {
            return Err("it was told before".into());
        }
        let mut nogood = self.definition.assume(&self.program, &mut self.engine, &first)?;
        self.definition.check(&self.program, &self.completion.bodies, self.engine.values())?;
        let costs = self.engine.goal().costs(self.engine.values());
        let bounds = self.engine.goal().bounds();
        if costs[..bounds.len()] > *bounds {
            return Err(format!("the costs {costs:?} exceed the bounds {bounds:?}"));
        }
        if question.kind.is_brave().is_some() {
            nogood = question.consequences(conditions, self.engine.values());
        }
        self.engine.undo();
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
        let mut handle = Handle::Nowhere;
        if question.kind.is_brave().is_some() {
            question.added.drain(..).for_each(|handle| self.engine.remove(handle));
            question.added.push(self.engine.add(nogood));
        } else if question.kind != Kind::Optimum {
            // A step `x` may remove the nogood: no answer set is counted twice, as the question knows those it was told.
            self.engine.log(|| Logged::Answer { apart: first.clone(), nogood: nogood.clone() });
            handle = self.engine.add(nogood);
            question.hear_of(&first);
        }
        self.engine.settle();
        self.nogoods.push(handle);
        Ok(())
    }

    fn delete(&mut self, number: i64) -> Result<(), Refusal> {
        let index = usize::try_from(number).unwrap_or(0).checked_sub(1);
        let Some(handle) = index.and_then(|index| self.nogoods.get_mut(index)) else {
            return Err(format!("no nogood has the serial number {number}"));
        };
        self.engine.remove(std::mem::replace(handle, Handle::Nowhere));
        Ok(())
    }
}
