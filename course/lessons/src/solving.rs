//! The host's part of the little solver: reads a program, makes its nogoods, and launches the kernel.

use crate::lesson::{next_random, Outcome};
use crate::solve::{solve, Rows, Search, NONE};
use cuda_launch::{Device, Error, Grid};

/// A program of rules `head :- literal, ..., literal.` and constraints `:- literal, ..., literal.` without
/// variables.
pub struct Program {
    /// The atoms' names.
    pub atoms: Vec<String>,
    /// Each rule's head, or [`NONE`], and the literals of its body.
    pub rules: Vec<(u32, Vec<u32>)>,
}

/// A kernel with the arguments of [`solve`].
pub type Solve = unsafe fn(Rows, Search);

impl Program {
    /// Reads a program. `%` begins a comment.
    ///
    /// # Errors
    /// What is wrong, with the rule in question.
    pub fn parse(text: &str) -> Result<Program, String> {
        let mut program = Program { atoms: Vec::new(), rules: Vec::new() };
        let code: Vec<&str> = text.lines().map(|line| line.split('%').next().unwrap_or("")).collect();
        let code = code.join(" ");
        let (rules, rest) = code.rsplit_once('.').unwrap_or(("", &code));
        if !rest.trim().is_empty() {
            return Err(format!("a rule ends with a period: {}", rest.trim()));
        }
        for rule in rules.split('.').filter(|_| code.contains('.')) {
            let (head, body) = rule.split_once(":-").unwrap_or((rule, ""));
            let head = match head.trim() {
                "" if rule.contains(":-") => NONE,
                name => program.atom(name)?,
            };
            let mut literals = Vec::new();
            for literal in body.split(',').map(str::trim).filter(|_| !body.trim().is_empty()) {
                let (name, sign) = match literal.strip_prefix("not ") {
                    Some(name) => (name.trim(), 1),
                    None => (literal, 0),
                };
                literals.push(2 * program.atom(name)? + sign);
            }
            program.rules.push((head, literals));
        }
        Ok(program)
    }

    fn atom(&mut self, name: &str) -> Result<u32, String> {
        let is_name = |name: &str| {
            let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
            name.starts_with(|c: char| c.is_ascii_lowercase()) && name.chars().all(word) && name != "not"
        };
        if !is_name(name) {
            return Err(format!("`{name}` is no atom: an atom is a small letter, then letters and digits"));
        }
        let known = self.atoms.iter().position(|atom| atom == name);
        let atom = known.unwrap_or_else(|| {
            self.atoms.push(name.into());
            self.atoms.len() - 1
        });
        Ok(atom as u32)
    }

    // ANCHOR: nogoods
    /// The nogoods of the completion (Clark 1978). A rule's body is a variable: true if all its literals
    /// hold.
    pub fn nogoods(&self) -> Vec<Vec<u32>> {
        let mut nogoods = Vec::new();
        let body = |rule: usize| 2 * (self.atoms.len() + rule) as u32;
        for (rule, (head, literals)) in self.rules.iter().enumerate() {
            // Not a true body with a literal that does not hold, and not a false body whose literals all
            // hold.
            nogoods.extend(literals.iter().map(|literal| vec![body(rule), literal ^ 1]));
            nogoods.push([&[body(rule) ^ 1], literals.as_slice()].concat());
            nogoods.push(match *head {
                NONE => vec![body(rule)],
                head => vec![body(rule), 2 * head + 1],
            });
        }
        for atom in 0..self.atoms.len() as u32 {
            // Not a true atom whose bodies are all false.
            let heads = (0..self.rules.len()).filter(|&rule| self.rules[rule].0 == atom);
            nogoods.push([2 * atom].into_iter().chain(heads.map(|rule| body(rule) ^ 1)).collect());
        }
        nogoods
    }
    // ANCHOR_END: nogoods

    /// The atoms of an answer set, by name.
    pub fn names(&self, answer: &[bool]) -> String {
        let names = self.atoms.iter().zip(answer).filter(|(_, &holds)| holds).map(|(name, _)| name.as_str());
        names.collect::<Vec<_>>().join(" ")
    }

    // ANCHOR: definition
    /// Whether a set of atoms is an answer set, by the definition (Gelfond and Lifschitz 1988): whether it
    /// is the least model of the reduct and no constraint's body holds.
    pub fn is_answer_set(&self, set: &[bool]) -> bool {
        let holds = |literal: u32, model: &[bool]| model[literal as usize / 2] == literal.is_multiple_of(2);
        // The reduct has the rules whose negated atoms are not in the set, without these negated atoms.
        let in_reduct = |body: &[u32]| {
            body.iter().filter(|&&literal| literal % 2 == 1).all(|&literal| holds(literal, set))
        };
        let mut least = vec![false; set.len()];
        loop {
            let before = least.clone();
            for (head, body) in self.rules.iter().filter(|(head, body)| *head != NONE && in_reduct(body)) {
                if body.iter().filter(|&&literal| literal % 2 == 0).all(|&literal| holds(literal, &least)) {
                    least[*head as usize] = true;
                }
            }
            if least == before {
                break;
            }
        }
        let is_violated =
            |(head, body): &(u32, Vec<u32>)| *head == NONE && body.iter().all(|&literal| holds(literal, set));
        least == set && !self.rules.iter().any(is_violated)
    }
    // ANCHOR_END: definition
}

/// Rows one after the other: where each begins, where the last ends, and all elements.
fn rows_of<'a>(rows: impl Iterator<Item = &'a Vec<u32>>) -> (Vec<u32>, Vec<u32>) {
    let (mut starts, mut elements) = (vec![0], Vec::new());
    for row in rows {
        elements.extend(row);
        starts.push(elements.len() as u32);
    }
    (starts, elements)
}

/// The first `most` answer sets, each a truth value for each atom, and the number of all.
///
/// # Errors
/// Those of the device.
pub fn solve_on(
    device: &mut Device,
    (name, kernel): (&'static str, Solve),
    program: &Program,
    most: usize,
) -> Result<(Vec<Vec<bool>>, usize), Error> {
    let (atoms, variables) = (program.atoms.len(), program.atoms.len() + program.rules.len());
    let (starts, literals) = rows_of(program.nogoods().iter());
    let (bodies, conditions) = rows_of(program.rules.iter().map(|(_, body)| body));
    let heads: Vec<u32> = program.rules.iter().map(|&(head, _)| head).collect();
    let constants = [
        device.upload_constant("starts", &starts)?,
        device.upload_constant("literals", &literals)?,
        device.upload_constant("heads", &heads)?,
        device.upload_constant("bodies", &bodies)?,
        device.upload_constant("conditions", &conditions)?,
    ];
    let mut zeros = |name, len| device.zeros::<u32>(name, len);
    let (values, proposals) = (zeros("values", variables)?, zeros("proposals", variables)?);
    let (levels, decisions) = (zeros("levels", variables)?, zeros("decisions", variables + 1)?);
    let (derived, answers, count) =
        (zeros("derived", atoms)?, zeros("answers", atoms * most)?, zeros("count", 1)?);
    let [starts, literals, heads, bodies, conditions] = constants.each_ref().map(|buffer| buffer.array());
    let rows = Rows { starts, literals, heads, bodies, conditions };
    let search = Search {
        values: values.array(),
        proposals: proposals.array(),
        levels: levels.array(),
        decisions: decisions.array(),
        derived: derived.array(),
        answers: answers.array(),
        count: count.array(),
    };
    // SAFETY: the arrays are those of the program, zeroed, and the grid is one block.
    unsafe { device.launch(Grid::new(1, 64), name, kernel, (rows, search)) }?;
    let count = device.download(&count)?[0] as usize;
    let all = device.download(&answers)?;
    let row =
        |answer: usize| all[answer * atoms..(answer + 1) * atoms].iter().map(|&value| value == 1).collect();
    Ok(((0..count.min(most)).map(row).collect(), count))
}

/// Programs with known difficulties: an even loop, an odd loop, a positive loop, colours of a path of three
/// nodes.
pub const SAMPLES: [&str; 6] = [
    "a :- not b. b :- not a.",
    "a :- not a. b.",
    "p :- q. q :- p. r :- not p.",
    "p :- q. q :- p. q :- not s. s :- not q. :- s, not p.",
    "a :- not b. b :- not a. p :- a. p :- b, q. q :- p. t :- not p. :- t.",
    "r1 :- not g1, not b1. g1 :- not r1, not b1. b1 :- not r1, not g1.
     r2 :- not g2, not b2. g2 :- not r2, not b2. b2 :- not r2, not g2.
     r3 :- not g3, not b3. g3 :- not r3, not b3. b3 :- not r3, not g3.
     :- r1, r2. :- g1, g2. :- b1, b2. :- r2, r3. :- g2, g3. :- b2, b3.",
];

/// A program of five atoms whose rules look random.
fn random_program(state: &mut u64) -> Program {
    let mut below = |n: u32| next_random(state) % n;
    let mut rule = || {
        let head = below(6);
        let body = (0..below(3)).map(|_| below(10)).collect();
        (if head == 5 { NONE } else { head }, body)
    };
    let rules = (0..7).map(|_| rule()).collect();
    Program { atoms: ["a", "b", "c", "d", "e"].map(String::from).to_vec(), rules }
}

/// Finds all answer sets of the samples and of random programs, and compares them with the definition.
///
/// # Errors
/// Those of the device.
pub fn run(device: &mut Device) -> Result<Outcome, Error> {
    let (mut found, mut expected) = (Vec::new(), Vec::new());
    let mut state = 13;
    let samples = SAMPLES.map(|text| Program::parse(text).expect("the samples are programs"));
    for program in samples.into_iter().chain((0..30).map(|_| random_program(&mut state))) {
        let (mut answers, count) = solve_on(device, ("solve", solve), &program, 100)?;
        let atoms = program.atoms.len();
        let set = |bits: usize| (0..atoms).map(|atom| bits >> atom & 1 == 1).collect::<Vec<bool>>();
        let mut by_definition: Vec<_> =
            (0..1 << atoms).map(set).filter(|set| program.is_answer_set(set)).collect();
        answers.sort();
        by_definition.sort();
        for (sets, count, into) in
            [(&answers, count, &mut found), (&by_definition, by_definition.len(), &mut expected)]
        {
            into.push(count as u32);
            into.extend(sets.iter().flatten().map(|&holds| holds as u32));
        }
    }
    Ok(Outcome { found, expected })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_program_is_refused() {
        for (text, word) in
            [("a :- b", "period"), ("A.", "`A`"), ("a :- not.", "`not`"), ("a :- b,.", "``"), (".", "``")]
        {
            let error = Program::parse(text).err().unwrap_or_else(|| panic!("{text} is refused"));
            assert!(error.contains(word), "{text}: {error}");
        }
        assert_eq!(Program::parse("").expect("the empty program").rules.len(), 0);
        assert_eq!(Program::parse("% nothing\n:- not a.\n").expect("a program").rules, [(NONE, vec![1])]);
    }

    #[test]
    fn the_solver_is_little() {
        let lines = include_str!("solve.rs").lines().count();
        assert!(lines <= 300, "{lines} lines");
    }
}
