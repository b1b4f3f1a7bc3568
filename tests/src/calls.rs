//! Whether what the library answers to several questions is proved: random programs that grow and are asked
//! again and again, under assumptions.
//!
//! Main function: [`cases`]. Each conclusion of a proof is compared with the definition, under the
//! assumptions that the conclusion names, and with the answers. Then proofs are changed, also in what they
//! assume: what is accepted all the same has to be true.

use std::io::{self, Write};
use std::sync::{Arc, Mutex};

use yasmin::{
    Control, Descent, DeviceKind, Engine, External, Goal, Literal, OptStrategy, Optimization, Options,
    Projection, ProofFiles, Question, Reasoning, TransExt, Usc,
};
use yasmin_check::proof::{Proof, Step};
use yasmin_check::{program, Checker, Conclusion, Kind};

use crate::machine::Machine;
use crate::random::Random;
use crate::rich::program::{Body, Rule};
use crate::rich::{self, Meaning, Rich};

/// What came of a number of sequences of questions.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    /// How many sequences there were.
    pub sequences: usize,
    /// How many proofs have several calls.
    pub proofs: usize,
    /// How many conclusions they have.
    pub conclusions: usize,
    /// How many of these are about optimal answer sets, found by an earlier question.
    pub among_optimal: usize,
    /// How many changed proofs were refused, and how many conclusions of others are true.
    pub changed: [usize; 2],
    /// A report for each sequence that failed.
    pub failures: Vec<String>,
}

/// Asks the sequences of the seeds `first .. first + count`, of one of the devices after the other: a proof
/// of several calls is that of one searcher. Calls `told` with each failure.
pub fn cases(devices: &[DeviceKind], first: u64, count: usize, told: &mut dyn FnMut(&str)) -> Tally {
    let mut tally = Tally::default();
    for (seed, &device) in (first..first + count as u64).zip(devices.iter().cycle()) {
        tally.sequences += 1;
        let mut sequence = Sequence::new(device, seed);
        if let Err(how) = sequence.run().and_then(|()| sequence.judge(&mut tally)) {
            let report = format!("calls seed {seed}: {how}");
            told(&report);
            tally.failures.push(report);
        }
    }
    tally
}

/// A file in memory, which whoever has a copy may write.
#[derive(Clone, Default)]
struct Bytes(Arc<Mutex<Vec<u8>>>);

impl Bytes {
    fn get(&self) -> Vec<u8> {
        self.0.lock().expect("no panic").clone()
    }
}

impl Write for Bytes {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().expect("no panic").extend(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A ground program with a proof.
#[derive(Clone)]
struct File {
    goal: Goal,
    /// What the program is, with its external atoms free.
    meant: Rich,
    program: Bytes,
    proof: Bytes,
}

/// What is asked now, and all files.
#[derive(Default)]
struct Kept {
    now: (Goal, Rich),
    files: Vec<File>,
}

/// A question that was answered to the end.
struct Answered {
    /// In which file the proof is.
    file: usize,
    /// The literals that were assumed, by name.
    assumed: Vec<String>,
    found: u64,
    /// Whether the answers say which costs are optimal.
    is_optimal: bool,
}

/// A program, and what was asked of it.
struct Sequence {
    random: Random,
    program: Rich,
    control: Control,
    kept: Arc<Mutex<Kept>>,
    answered: Vec<Answered>,
}

/// What a sequence is searched with.
fn options(device: DeviceKind, seed: u64, random: &mut Random) -> Options {
    let strategies = [
        OptStrategy::Auto,
        OptStrategy::Bb(Descent::Lin),
        OptStrategy::Bb(Descent::Hier),
        OptStrategy::Bb(Descent::Inc),
        OptStrategy::Bb(Descent::Dec),
        OptStrategy::Usc(Usc::default()),
    ];
    let default = Options::default();
    Machine::from(device).set(Options {
        engine: if random.chance(20) { Engine::Host } else { default.engine },
        opt_strategy: strategies[random.below(strategies.len())],
        // Small counts do without auxiliary variables, unless all get some.
        trans_ext: [TransExt::All, TransExt::Dynamic][seed as usize % 2],
        seed,
        ..default
    })
}

impl Sequence {
    fn new(device: DeviceKind, seed: u64) -> Sequence {
        let mut random = Random::new(seed ^ 0x6361_6c6c);
        let mut program =
            if random.chance(40) { rich::generate_weighted(seed) } else { rich::generate(seed) };
        if random.chance(50) {
            program
                .minimize
                .push((1, (1..=program.atoms).map(|atom| (atom, i64::from(random.between(1, 3)))).collect()));
        }
        // A name that is hidden names what is assumed all the same.
        if random.chance(30) {
            program.outputs[0].0.insert(0, '_');
        }
        let options = options(device, seed, &mut random);
        let text = program.to_aspif();
        let control = Control::read("random", text.as_bytes(), options).expect("a program");
        Sequence { random, program, control, kept: Arc::default(), answered: Vec::new() }
    }

    fn run(&mut self) -> Result<(), String> {
        let kept = self.kept.clone();
        let open = move |_| {
            let mut kept = kept.lock().expect("no panic");
            let (goal, meant) = kept.now.clone();
            let file = File { goal, meant, program: Bytes::default(), proof: Bytes::default() };
            kept.files.push(file.clone());
            Ok(ProofFiles { program: Box::new(file.program), proof: Box::new(file.proof) })
        };
        self.control.prove(open).map_err(|error| error.to_string())?;
        // Few goals, so that many questions are in one proof.
        let goals: Vec<Goal> = (0..2).map(|_| self.goal()).collect();
        for _ in 0..3 + self.random.below(6) {
            if self.random.chance(10) && self.program.atoms < 10 {
                self.grow()?;
            }
            self.switch()?;
            let goal = goals[self.random.below(goals.len())].clone();
            let what = format!("{goal:?}");
            self.ask(goal).map_err(|error| format!("{what}: {error}"))?;
        }
        self.control.end_proofs().map_err(|error| error.to_string())
    }

    fn goal(&mut self) -> Goal {
        let random = &mut self.random;
        let reasoning = [Reasoning::Enumerate, Reasoning::Enumerate, Reasoning::Brave, Reasoning::Cautious]
            [random.below(4)];
        let optimization = [
            Optimization::Opt,
            Optimization::OptN,
            Optimization::OptN,
            Optimization::Enum,
            Optimization::Ignore,
        ][random.below(5)];
        let projection =
            [Projection::No, Projection::Auto, Projection::Show, Projection::Project][random.below(4)];
        let bound = (0..random.below(8).saturating_sub(5)).map(|_| random.between(-2, 9).into()).collect();
        Goal { reasoning, optimization, projection, bound }
    }

    fn literal(&mut self, lit: i32) -> Result<Literal, String> {
        let atom = self.control.numbered(lit.unsigned_abs().into()).map_err(|error| error.to_string())?;
        Ok(if lit > 0 { atom.positive() } else { !atom.positive() })
    }

    fn literals(&mut self, lits: &[i32]) -> Result<Vec<Literal>, String> {
        lits.iter().map(|&lit| self.literal(lit)).collect()
    }

    /// A random literal.
    fn any(&mut self) -> i32 {
        let atom = self.random.between(1, self.program.atoms);
        if self.random.chance(50) {
            atom
        } else {
            -atom
        }
    }

    /// Adds an atom with a rule, and a constraint.
    fn grow(&mut self) -> Result<(), String> {
        let failed = |error: yasmin::Error| error.to_string();
        let body: Vec<i32> = (0..self.random.below(3)).map(|_| self.any()).collect();
        self.program.atoms += 1;
        let (new, choice) = (self.program.atoms, self.random.chance(50));
        let head = self.literal(new)?.atom();
        let lits = self.literals(&body)?;
        match choice {
            true => self.control.choice(&[head], &lits),
            false => self.control.rule(&[head], &lits),
        }
        .map_err(failed)?;
        self.control.show(&format!("x{new}"), &[head.positive()]).map_err(failed)?;
        self.program.rules.push(Rule { choice, heads: vec![new], body: Body::All(body) });
        self.program.outputs.push((format!("x{new}"), vec![new]));
        if self.random.chance(50) {
            let body = vec![new, self.any()];
            let lits = self.literals(&body)?;
            self.control.rule(&[], &lits).map_err(failed)?;
            self.program.rules.push(Rule { choice: false, heads: vec![], body: Body::All(body) });
        }
        Ok(())
    }

    /// Gives external atoms other values.
    fn switch(&mut self) -> Result<(), String> {
        for at in 0..self.program.externals.len() {
            let (atom, value) = self.program.externals[at];
            if value == RELEASED || self.random.chance(60) {
                continue;
            }
            let values = [External::Free, External::True, External::False, External::Release];
            let most = if self.random.chance(20) { 4 } else { 3 };
            let new = self.random.below(most);
            let known = self.literal(atom)?.atom();
            self.control.external(known, values[new]).map_err(|error| error.to_string())?;
            // All values of the atom, as one that was released stays so.
            self.program.externals.iter_mut().filter(|(other, _)| *other == atom).for_each(|told| {
                told.1 = new as i32;
            });
        }
        Ok(())
    }

    /// The name of a literal over atoms.
    fn name(&self, lit: i32) -> String {
        let output = self.program.outputs.iter().find(|(_, condition)| condition[..] == [lit.abs()]);
        let name = output.map_or("an atom without a name", |(name, _)| name);
        if lit > 0 {
            name.into()
        } else {
            format!("not {name}")
        }
    }

    fn ask(&mut self, goal: Goal) -> Result<(), String> {
        let assumed: Vec<i32> = (0..self.random.below(4)).map(|_| self.any()).collect();
        let lits = self.literals(&assumed)?;
        let mut names: Vec<String> = assumed.iter().map(|&lit| self.name(lit)).collect();
        let mut meant = self.program.clone();
        for (atom, value) in &mut meant.externals {
            // Free ones are not assumed.
            match *value {
                1 => names.push(self.name(*atom)),
                0 => {}
                _ => names.push(self.name(-*atom)),
            }
            *value = if *value == RELEASED { RELEASED } else { 0 };
        }
        self.kept.lock().expect("no panic").now = (goal.clone(), meant);
        let limit = [0, 0, 0, 1, 2][self.random.below(5)];
        let question = Question::new().assume(lits).goal(goal.clone()).limit(limit);
        let mut answers = self.control.solve(&question).map_err(|error| error.to_string())?;
        let mut found = 0;
        for answer in answers.by_ref() {
            answer.map_err(|error| error.to_string())?;
            found += 1;
        }
        if answers.is_exhausted() {
            let is_optimal = answers.optimum().is_some_and(|optimum| !optimum.is_empty());
            let kept = self.kept.lock().expect("no panic");
            let file = kept.files.iter().rposition(|file| file.goal == goal).ok_or("no file was opened")?;
            self.answered.push(Answered { file, assumed: names, found, is_optimal });
        }
        Ok(())
    }

    /// Checks all proofs, and changed ones.
    fn judge(&mut self, tally: &mut Tally) -> Result<(), String> {
        let files = self.kept.lock().expect("no panic").files.clone();
        let mut known: Vec<(Rich, Meaning)> = Vec::new();
        for (number, file) in files.iter().enumerate() {
            let (text, bytes) = (file.program.get(), file.proof.get());
            let steps = read(&bytes)?;
            let told = |how: String, steps: &[Step]| {
                let steps: Vec<String> = steps.iter().map(ToString::to_string).collect();
                format!("{:?}: {how}\n{}{}", file.goal, String::from_utf8_lossy(&text), steps.join("\n"))
            };
            if !known.iter().any(|(program, _)| *program == file.meant) {
                known.push((file.meant.clone(), Meaning::of(&file.meant)));
            }
            let meaning = known.iter().find(|(program, _)| *program == file.meant);
            let meaning = &meaning.ok_or("what was just added")?.1;
            let is_true = |said: &Conclusion| verify(said, &file.meant, meaning);
            let said = conclude(&text, &steps).map_err(|how| told(how, &steps))?;
            let answered: Vec<&Answered> = self.answered.iter().filter(|of| of.file == number).collect();
            if said.len() != answered.len() {
                let how = format!("{} conclusions of {} answered questions", said.len(), answered.len());
                return Err(told(how, &steps));
            }
            for (said, answered) in said.iter().zip(answered) {
                is_true(said).and_then(|()| answered.agrees(said)).map_err(|how| told(how, &steps))?;
                tally.among_optimal += usize::from(said.optimal && said.question != Kind::Optimum);
            }
            tally.conclusions += said.len();
            tally.proofs +=
                usize::from(steps.iter().filter(|step| matches!(step, Step::Call(_))).count() > 1);
            for _ in 0..4 {
                let mut other = steps.clone();
                (0..1 + self.random.below(2)).for_each(|_| change(&mut other, &mut self.random));
                match conclude(&text, &other) {
                    Err(_) => tally.changed[0] += 1,
                    Ok(all) => {
                        all.iter()
                            .try_for_each(is_true)
                            .map_err(|how| told(format!("changed: {how}"), &other))?;
                        tally.changed[1] += all.len();
                    }
                }
            }
        }
        Ok(())
    }
}

/// The value of an external atom that is false for good.
const RELEASED: i32 = 3;

impl Answered {
    /// Whether a conclusion is about the question: it rests on no other assumption, and says as much as the
    /// answers.
    fn agrees(&self, said: &Conclusion) -> Result<(), String> {
        if let Some(other) = said.assumed.iter().find(|name| !self.assumed.contains(name)) {
            return Err(format!("{other} was not assumed: {said}"));
        }
        if (said.answer_sets == 0) != (self.found == 0) {
            return Err(format!("{} answers, and the proof says: {said}", self.found));
        }
        if self.is_optimal && self.found > 0 && !said.optimal {
            return Err(format!("the answers are optimal, and the proof says: {said}"));
        }
        Ok(())
    }
}

/// The steps of a proof.
fn read(bytes: &[u8]) -> Result<Vec<Step>, String> {
    let mut from = bytes;
    let (mut proof, mut steps) = (Proof::new(&mut from), Vec::new());
    while let Some(step) = proof.step().map_err(|error| error.to_string())? {
        steps.push(step);
    }
    Ok(steps)
}

/// What the calls of a proof conclude.
fn conclude(text: &[u8], steps: &[Step]) -> Result<Vec<Conclusion>, String> {
    let mut checker = Checker::new(program::read("program", text).map_err(|error| error.to_string())?);
    for (number, step) in (1..).zip(steps) {
        checker.step(step).map_err(|why| format!("step {number}: {why}: {step}"))?;
    }
    Ok(checker.conclusions_of_calls().to_vec())
}

/// Changes something of a proof: most often a call, what it says at its end, or a question.
fn change(steps: &mut Vec<Step>, random: &mut Random) {
    let calls: Vec<i64> = steps
        .iter()
        .flat_map(|step| if let Step::Call(lits) = step { &lits[..] } else { &[] })
        .flat_map(|&lit| [lit, -lit])
        .collect();
    let is_frame = |step: &Step| {
        matches!(step, Step::Call(_) | Step::Finished { .. } | Step::Question { .. } | Step::Answer(_))
    };
    let only_frame = random.chance(70);
    let places: Vec<usize> = (0..steps.len()).filter(|&at| !only_frame || is_frame(&steps[at])).collect();
    let Some(&at) = places.get(random.below(places.len().max(1))) else { return };
    let mut list = |lits: &mut Vec<i64>, others: &[i64]| {
        let place = random.below(lits.len().max(1));
        match (random.below(3), others) {
            (0, _) if !lits.is_empty() => drop(lits.swap_remove(place)),
            (1, [_, ..]) => lits.push(others[random.below(others.len())]),
            _ => lits.iter_mut().skip(place).take(1).for_each(|lit| *lit = -*lit),
        }
    };
    match &mut steps[at] {
        Step::Call(lits) => return list(lits, &calls),
        Step::Finished { core, .. } => return list(core, &calls),
        Step::Nogood(lits) | Step::Answer(lits) | Step::Loop { lits, .. } => {
            let own = lits.clone();
            return list(lits, &own);
        }
        Step::Question { kind, .. } if random.chance(30) => {
            *kind = random.between(1, 8).into();
            return;
        }
        Step::Question { bounds, .. } if !bounds.is_empty() && random.chance(50) => {
            let place = random.below(bounds.len());
            bounds[place] += i64::from(random.between(-1, 1));
            return;
        }
        _ => {}
    }
    match random.below(3) {
        0 => drop(steps.remove(at)),
        1 => steps.insert(random.below(steps.len()), steps[at].clone()),
        _ => {
            let other = random.below(steps.len());
            steps.swap(at, other);
        }
    }
}

/// Whether a conclusion is true by the definition, of the answer sets in which all holds that it names.
fn verify(said: &Conclusion, program: &Rich, meaning: &Meaning) -> Result<(), String> {
    let holds = |lit: i32, set: u32| (set >> lit.unsigned_abs() & 1 == 1) == (lit > 0);
    let all_hold = |lits: &[i32], set: u32| lits.iter().all(|&lit| holds(lit, set));
    let mut assumed = Vec::new();
    for name in &said.assumed {
        let (own, sign) = name.strip_prefix("not ").map_or((&name[..], 1), |own| (own, -1));
        let is_named = |(name, condition): &&(String, Vec<i32>)| name == own && condition.len() == 1;
        let named = program.outputs.iter().find(is_named).ok_or(format!("{own} is no name: {said}"))?;
        assumed.push(sign * named.1[0]);
    }
    let pairs = meaning.answer_sets.iter().copied().zip(&meaning.costs);
    let right: Vec<(u32, &Vec<i64>)> = pairs.filter(|&(set, _)| all_hold(&assumed, set)).collect();
    let is_within = |costs: &[i64]| {
        let first = costs.iter().map(|&cost| i128::from(cost)).take(said.bounds.len());
        first.le(said.bounds.iter().copied())
    };
    let inside: Vec<u32> = right.iter().filter(|(_, costs)| is_within(costs)).map(|&(set, _)| set).collect();
    let best =
        right.iter().map(|(_, costs)| costs.iter().map(|&cost| i128::from(cost)).collect::<Vec<_>>()).min();
    let wrong = |what: &str| Err(format!("{what} is wrong: {said}\n{said:?}\nby the definition: {right:?}"));
    if (said.answer_sets == 0) != inside.is_empty() {
        return wrong("whether there is an answer set");
    }
    if said.answer_sets == 0 {
        return Ok(());
    }
    let told = if said.question == Kind::Optimum { said.costs.as_ref() } else { Some(&said.bounds) };
    let has_costs = !program.minimize.is_empty();
    if said.optimal && has_costs && told != best.as_ref() {
        return wrong("the optimum");
    }
    let count = |seen: &dyn Fn(u32) -> Vec<bool>| {
        let mut seen: Vec<Vec<bool>> = inside.iter().map(|&set| seen(set)).collect();
        seen.sort_unstable();
        seen.dedup();
        seen.len() as u64
    };
    let shown = |(name, _): &&(String, Vec<i32>)| !name.starts_with('_');
    let number = match said.question {
        Kind::AnswerSets => inside.len() as u64,
        Kind::Projections => {
            let atoms: Vec<i32> = program.projection.iter().flatten().copied().collect();
            count(&|set| atoms.iter().map(|&atom| holds(atom, set)).collect())
        }
        Kind::Shown => {
            let outputs = || program.outputs.iter().filter(shown);
            count(&|set| outputs().map(|(_, condition)| all_hold(condition, set)).collect())
        }
        Kind::Optimum if !said.optimal => return wrong("that nothing is optimal"),
        _ => said.answer_sets,
    };
    if number != said.answer_sets {
        return wrong("the number");
    }
    let is_brave = matches!(said.question, Kind::Brave | Kind::BraveOfAll);
    if is_brave || matches!(said.question, Kind::Cautious | Kind::CautiousOfAll) {
        let is_asked = |condition: &[i32]| match (&program.projection, condition) {
            (Some(atoms), &[atom]) if atom > 0 && matches!(said.question, Kind::Brave | Kind::Cautious) => {
                atoms.contains(&atom)
            }
            _ => true,
        };
        let held = |condition: &[i32]| match is_brave {
            true => inside.iter().any(|&set| all_hold(condition, set)),
            false => inside.iter().all(|&set| all_hold(condition, set)),
        };
        let outputs = program.outputs.iter().filter(|(_, condition)| is_asked(condition) && held(condition));
        let mut names: Vec<&str> = outputs.map(|(name, _)| &name[..]).collect();
        let mut claimed: Vec<&str> = said.consequences.iter().flatten().map(String::as_str).collect();
        names.sort_unstable();
        claimed.sort_unstable();
        if names != claimed {
            return wrong("a consequence");
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use yasmin::{GpuSearchers, ParallelMode};

    /// What the library refuses would be reported as a wrong proof.
    #[test]
    fn a_sequence_is_searched_by_one_searcher_on_all_machines() {
        for name in ["cpu", "simt", "auto", "gpu", "gpu:1"] {
            let device = name.parse().expect("a device");
            let mut engines = Vec::new();
            for seed in 0..100 {
                let options = options(device, seed, &mut Random::new(seed));
                assert_eq!(options.contradiction(), None, "{name}, seed {seed}");
                assert_eq!(options.parallel_mode, ParallelMode::Searchers(1), "{name}, seed {seed}");
                assert_eq!(options.gpu_searchers, GpuSearchers::Searchers(1), "{name}, seed {seed}");
                engines.push(options.engine);
            }
            assert!(engines.contains(&Engine::Host) && engines.contains(&Engine::Auto), "{name}");
        }
    }
}
