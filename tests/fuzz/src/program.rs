//! Ground programs: read, written and read again, and solved where they are small.
//!
//! Main function: [`program`].

use std::time::{Duration, Instant};

use solver_host::device::DeviceKind;
use solver_host::input;
use solver_host::program::Program;
use solver_host::search::{Goal, Optimization, Solver, Step};
use yasmin_tests::conform;
use yasmin_tests::rich::{self, Meaning, Rich};

use crate::{measured, Came, Verdict};

/// The bytes that reading takes, whatever is read.
const READING_BYTES: usize = 1 << 20;
/// How many bytes reading may take for each byte of the input. The shortest statements become the most: an edge
/// of eight bytes is three rules, three atoms and a node.
const BYTES_PER_BYTE: usize = 200;
/// How many bytes a variable of a formula in DIMACS may take: it is a part of each model, even if the header alone
/// counts it.
const BYTES_PER_VARIABLE: usize = 600;
/// The most variables of a formula that is read.
const MOST_VARIABLES: usize = 1 << 16;
/// The most atoms of a program whose sets of atoms are all tried.
const MOST_ATOMS: i32 = 8;
/// The most rules, and other parts, of such a program.
const MOST_PARTS: usize = 40;
/// How long a program that is too large for the definition is searched.
const SHORT: Duration = Duration::from_millis(200);
/// The most atoms and literals of a program that is searched.
const MOST_SEARCHED: usize = 3000;

/// Reads a text as a ground program of any format. An error names the line; a program is the same one when it is
/// written and read again; its answer sets are those of the definition.
///
/// # Errors
/// What is wrong.
pub fn program(text: &[u8]) -> Verdict {
    let variables = variables(text);
    if variables > MOST_VARIABLES {
        return Ok(Came::Refused);
    }
    let (read, bytes) = measured(|| input::read("input", text));
    let most = READING_BYTES + BYTES_PER_BYTE * text.len() + BYTES_PER_VARIABLE * variables;
    if bytes > most {
        return Err(format!("reading {} bytes takes {bytes} bytes of memory, more than {most}", text.len()));
    }
    let read = match read {
        Ok(read) => read,
        Err(error) => return names_its_line(text, &error),
    };
    let again = written(&read)?;
    let twice = written(&again)?;
    same("written and read again", &facts(&again), &facts(&read))?;
    same("written and read twice", &facts(&twice), &facts(&read))?;
    let size = read.atoms as usize + read.body_lits.len();
    let small = rich::read(text).filter(is_small);
    match small {
        Some(small) => {
            let want = expected(&small);
            // Each text has options of its own, and the same ones each time.
            let index =
                text.iter().fold(0usize, |hash, &byte| hash.wrapping_mul(31).wrapping_add(byte as usize));
            let found = solve(read, index, None)?.ok_or("a search without a limit was cut short")?;
            same("answer sets", &found, &want)?;
            let found = solve(again, index / 7, None)?.ok_or("a search without a limit was cut short")?;
            same("answer sets of what was written", &found, &want)?;
            Ok(Came::Solved)
        }
        None if size <= MOST_SEARCHED => solve(read, text.len(), Some(SHORT)).map(|_| Came::Accepted),
        None => Ok(Came::Accepted),
    }
}

/// How many variables a text has if it is a formula: its header says so, or, without a header, its largest number.
fn variables(text: &[u8]) -> usize {
    // A slice can always be read. A comment or header that nothing follows as it should is read as one of a formula.
    let is_formula = input::begin(&mut &text[..]).is_ok_and(|(format, _)| format.formula().is_some())
        || text.trim_ascii_start().first().is_some_and(|byte| b"cph".contains(byte));
    let text = String::from_utf8_lossy(text);
    let count = |line: &str| match line.split_whitespace().collect::<Vec<_>>()[..] {
        ["p", "cnf" | "wcnf", count, ..] | ["*", "#variable=", count, ..] => count.parse().ok(),
        _ => None,
    };
    let largest = || {
        let numbers = text.split_whitespace().filter_map(|word| word.parse::<i64>().ok());
        numbers.map(|number| usize::try_from(number.unsigned_abs()).unwrap_or(usize::MAX)).max().unwrap_or(0)
    };
    match is_formula {
        true => text.lines().find_map(count).unwrap_or_else(largest),
        false => 0,
    }
}

/// An error is one line of printable text that begins with the input's name and a line that there is.
fn names_its_line(text: &[u8], error: &input::InputError) -> Verdict {
    let told = error.to_string();
    let lines = 1 + text.iter().filter(|&&byte| byte == b'\n').count() as u64;
    match error.line() {
        Some(line @ 1..) if line <= lines && told.starts_with(&format!("input:{line}: ")) => {}
        _ => return Err(format!("an error that does not name one of {lines} lines: {told}")),
    }
    if told.chars().any(char::is_control) {
        return Err(format!("an error with control characters: {told:?}"));
    }
    if told.len() > 400 {
        return Err(format!("an error of {} bytes: {told}", told.len()));
    }
    Ok(Came::Refused)
}

/// The program, written and read again.
fn written(program: &Program) -> Result<Program, String> {
    let mut text = Vec::new();
    program.to_aspif(&mut text).map_err(|error| format!("cannot be written: {error}"))?;
    input::read("input", &text[..]).map_err(|error| format!("what was written cannot be read: {error}"))
}

/// What of a program stays when it is written and read: atoms are renumbered, and an atom that stands for a sum gets a rule.
fn facts(program: &Program) -> String {
    let minimize: Vec<_> = program.minimize.iter().map(|m| (m.priority, weights(&m.lits))).collect();
    let sums: Vec<_> = program.sums.iter().map(|s| (s.bound, weights(&s.lits))).collect();
    let names: Vec<_> = program.outputs.iter().map(|o| (&o.name, signs(&o.condition))).collect();
    let heuristics: Vec<_> =
        program.heuristics.iter().map(|h| (h.modifier, h.bias, h.priority, signs(&h.condition))).collect();
    let disjunctions: Vec<_> =
        program.disjunctions.iter().map(|d| (d.heads.len(), signs(program.body_lits_of(d.body)))).collect();
    let projection = program.projection.as_ref().map(Vec::len);
    format!("{minimize:?} {sums:?} {names:?} {heuristics:?} {disjunctions:?} {projection:?}")
}

fn signs(lits: &[solver_gpu::Lit]) -> Vec<bool> {
    lits.iter().map(|lit| lit.is_false_sign()).collect()
}

fn weights<W: Copy>(lits: &[(solver_gpu::Lit, W)]) -> Vec<(bool, W)> {
    lits.iter().map(|&(lit, weight)| (lit.is_false_sign(), weight)).collect()
}

/// Whether all sets of atoms of a program can be tried.
pub fn is_small(program: &Rich) -> bool {
    let parts = program.rules.len() + program.edges.len() + program.outputs.len() + program.minimize.len();
    program.atoms <= MOST_ATOMS && parts <= MOST_PARTS
}

/// What is printed of each answer set, sorted, and its costs; all of them sorted.
type Answers = Vec<(Vec<String>, Vec<i64>)>;

fn expected(program: &Rich) -> Answers {
    let meaning = Meaning::of(program);
    let pairs = meaning.answer_sets.iter().zip(meaning.costs);
    let mut all: Answers = pairs.map(|(&set, costs)| (rich::printed(program, set), costs)).collect();
    all.sort();
    all
}

/// All answer sets. `None` if they could not be found within the limit.
fn solve(program: Program, index: usize, limit: Option<Duration>) -> Result<Option<Answers>, String> {
    let began = Instant::now();
    // Of a formula in DIMACS the definition tells the variables that are true.
    let program = Program { negations: Vec::new(), ..program };
    let options = match limit {
        None => conform::combination(index, DeviceKind::Cpu),
        Some(_) => conform::sensible(index, DeviceKind::Cpu),
    };
    let goal = Goal { optimization: Optimization::Enum, ..Goal::default() };
    let solver = Solver::with_goal(program, options, goal);
    let mut solver = solver.map_err(|error| format!("{options:?}: {error}"))?;
    let mut answers = Vec::new();
    let stopped = || began.elapsed() > limit.unwrap_or(crate::LONGEST);
    loop {
        match solver.next_answer(&stopped).map_err(|error| format!("{options:?}: {error}"))? {
            Step::Answer(_) if limit.is_some() && (answers.len() >= 100 || stopped()) => return Ok(None),
            Step::Answer(answer) => {
                let mut names: Vec<String> =
                    answer.shown(solver.program()).into_iter().map(str::to_string).collect();
                names.sort_unstable();
                answers.push((names, answer.costs));
            }
            Step::Counted(_) => return Err(format!("{options:?}: answer sets were only counted")),
            Step::Exhausted => break,
            Step::Interrupted if limit.is_some() => return Ok(None),
            Step::Interrupted => {
                return Err(format!("{options:?}: {} atoms take too long", solver.program().atoms))
            }
        }
    }
    answers.sort();
    Ok(Some(answers))
}

fn same<T: PartialEq + std::fmt::Debug>(what: &str, got: &T, want: &T) -> Result<(), String> {
    match got == want {
        true => Ok(()),
        false => Err(format!("{what}: {got:?}, and not {want:?}")),
    }
}
