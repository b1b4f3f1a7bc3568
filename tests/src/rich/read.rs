//! Reads the text of a ground program as plainly as possible, for comparison with yasmin's own readers.
//!
//! Main function: [`read()`]. Only texts that yasmin accepted are to be read here: what is wrong with a text is not said. Atoms are
//! numbered from 1 in the order in which the text names them, as [`Rich`] wants them to be dense.
//!
//! Invariant: nothing here uses code of the solver.

use std::collections::HashMap;

use super::program::{Body, Rich, Rule};

/// Reads aspif, the smodels format or DIMACS, told by how the text begins. `None` if the text is none of them, has a
/// construct that [`Rich`] has not, or has a number that does not fit.
pub fn read(text: &[u8]) -> Option<Rich> {
    let start = text.trim_ascii_start();
    match start.first()? {
        b'a' => read_aspif(text),
        b'c' | b'p' => read_dimacs(text),
        b'0'..=b'9' => read_smodels(text),
        _ => None,
    }
}

/// Reads aspif. See [`read()`].
pub fn read_aspif(text: &[u8]) -> Option<Rich> {
    let mut words = Words { text: text.trim_ascii_start(), atoms: HashMap::new() };
    let mut program = Rich::default();
    let header = words.line();
    let mut tags = header.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
    (tags.next()? == b"asp").then_some(())?;
    loop {
        match words.number()? {
            0 => break,
            1 => {
                let choice = words.number()? == 1;
                let heads = words.atoms()?;
                let body = match words.number()? {
                    0 => Body::All(words.literals()?),
                    _ => Body::Sum(words.weight()?, words.weighted()?),
                };
                program.rules.push(Rule { choice, heads, body });
            }
            2 => {
                let priority = words.number()?;
                program.minimize.push((priority, words.weighted()?));
            }
            3 => program.projection.get_or_insert_default().extend(words.atoms()?),
            4 => {
                let name = words.string()?;
                program.outputs.push((name, words.literals()?));
            }
            5 => {
                let atom = words.atom()?;
                program.externals.push((atom, words.number()?));
            }
            6 => program.assumptions.extend(words.literals()?),
            7 => {
                let modifier = words.number()?;
                let atom = words.atom()?;
                let (bias, priority) = (words.number()?, words.number()?);
                program.heuristics.push((modifier, atom, bias, priority, words.literals()?));
            }
            8 => {
                let (from, to) = (words.number()?, words.number()?);
                program.edges.push((from, to, words.literals()?));
            }
            10 => drop(words.line()),
            _ => return None,
        }
    }
    program.atoms = i32::try_from(words.atoms.len()).ok()?;
    Some(program)
}

/// Reads the smodels format.
fn read_smodels(text: &[u8]) -> Option<Rich> {
    let mut words = Words { text, atoms: HashMap::new() };
    let mut program = Rich::default();
    loop {
        let kind = words.number()?;
        let (choice, heads, body) = match kind {
            0 => break,
            1 => (false, vec![words.atom()?], Body::All(words.parted()?)),
            2 => {
                let head = words.atom()?;
                let (count, negative) = (words.number()?, words.number()?);
                let bound = words.weight()?;
                let lits = words.signed(count, negative)?.into_iter().map(|lit| (lit, 1)).collect();
                (false, vec![head], Body::Sum(bound, lits))
            }
            3 | 8 => {
                let heads = words.atoms()?;
                (kind == 3, heads, Body::All(words.parted()?))
            }
            5 => {
                let head = words.atom()?;
                let bound = words.weight()?;
                (false, vec![head], Body::Sum(bound, words.parted_weights()?))
            }
            6 => {
                words.number()?;
                let priority = program.minimize.len() as i32;
                program.minimize.push((priority, words.parted_weights()?));
                continue;
            }
            91 => {
                let atom = words.atom()?;
                let value = [2, 1, 0].get(usize::try_from(words.number()?).ok()?).copied()?;
                program.externals.push((atom, value));
                continue;
            }
            92 => {
                program.externals.push((words.atom()?, 3));
                continue;
            }
            _ => return None,
        };
        program.rules.push(Rule { choice, heads, body });
    }
    while let Some(atom) = words.atom_or_end()? {
        let line = words.line().trim_ascii_start_of_spaces();
        let name = line.strip_suffix(b"\r").unwrap_or(line);
        program.outputs.push((String::from_utf8(name.to_vec()).ok()?, vec![atom]));
    }
    words.word("B+")?;
    while let Some(atom) = words.atom_or_end()? {
        program.assumptions.push(atom);
    }
    words.word("B-")?;
    while let Some(atom) = words.atom_or_end()? {
        program.assumptions.push(-atom);
    }
    if words.word("E").is_some() {
        while let Some(atom) = words.atom_or_end()? {
            program.externals.push((atom, 0));
        }
    }
    program.atoms = i32::try_from(words.atoms.len()).ok()?;
    Some(program)
}

/// Reads DIMACS CNF: each variable may be true or false, and a nogood stands for each disjunction. A variable is printed under its number.
fn read_dimacs(text: &[u8]) -> Option<Rich> {
    let mut words = Words { text, atoms: HashMap::new() };
    let mut program = Rich::default();
    let variables = loop {
        let line = words.line().trim_ascii();
        match line.first() {
            Some(b'p') => {
                let mut fields = line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty()).skip(1);
                (fields.next()? == b"cnf").then_some(())?;
                break std::str::from_utf8(fields.next()?).ok()?.parse::<i32>().ok()?;
            }
            Some(b'c') | None if !words.text.is_empty() => {}
            _ => return None,
        }
    };
    // More than anybody tries all sets of.
    (variables <= 64).then_some(())?;
    for variable in 1..=variables {
        words.number_of(i64::from(variable));
        program.outputs.push((variable.to_string(), vec![variable]));
    }
    program.rules.push(Rule { choice: true, heads: (1..=variables).collect(), body: Body::All(vec![]) });
    let mut body = Vec::new();
    loop {
        let rest = words.text.trim_ascii_start();
        match rest.first() {
            None => break,
            Some(b'c') => {
                words.text = rest;
                words.line();
            }
            Some(_) => match words.number()? {
                0 => {
                    let body = Body::All(std::mem::take(&mut body));
                    program.rules.push(Rule { choice: false, heads: vec![], body });
                }
                lit if lit.unsigned_abs() > variables as u32 => return None,
                lit => body.push(-lit),
            },
        }
    }
    body.is_empty().then_some(())?;
    program.atoms = variables;
    Some(program)
}

/// What of a text is left, and the numbers of the atoms so far.
struct Words<'t> {
    text: &'t [u8],
    atoms: HashMap<i64, i32>,
}

impl<'t> Words<'t> {
    fn next_word(&mut self) -> Option<&'t [u8]> {
        let text = self.text.trim_ascii_start();
        let end = text.iter().position(u8::is_ascii_whitespace).unwrap_or(text.len());
        self.text = &text[end..];
        (end > 0).then_some(&text[..end])
    }

    /// The rest of the line, which is consumed with its end.
    fn line(&mut self) -> &'t [u8] {
        let end = self.text.iter().position(|&byte| byte == b'\n');
        let (line, rest) = match end {
            Some(end) => (&self.text[..end], &self.text[end + 1..]),
            None => (self.text, &self.text[self.text.len()..]),
        };
        self.text = rest;
        line
    }

    /// Consumes this word, if it is next.
    fn word(&mut self, wanted: &str) -> Option<()> {
        let before = self.text;
        if self.next_word() == Some(wanted.as_bytes()) {
            return Some(());
        }
        self.text = before;
        None
    }

    fn number(&mut self) -> Option<i32> {
        self.weight()?.try_into().ok()
    }

    fn weight(&mut self) -> Option<i64> {
        std::str::from_utf8(self.next_word()?).ok()?.parse().ok()
    }

    /// The dense number of the atom with this number.
    fn number_of(&mut self, atom: i64) -> i32 {
        let next = self.atoms.len() as i32 + 1;
        *self.atoms.entry(atom).or_insert(next)
    }

    fn literal(&mut self) -> Option<i32> {
        let literal = i64::from(self.number()?);
        Some(self.number_of(literal.abs()) * literal.signum() as i32)
    }

    fn atom(&mut self) -> Option<i32> {
        self.literal()
    }

    fn atom_or_end(&mut self) -> Option<Option<i32>> {
        let number = self.number()?;
        Some((number != 0).then(|| self.number_of(i64::from(number))))
    }

    fn literals(&mut self) -> Option<Vec<i32>> {
        (0..self.number()?).map(|_| self.literal()).collect()
    }

    fn atoms(&mut self) -> Option<Vec<i32>> {
        self.literals()
    }

    fn weighted(&mut self) -> Option<Vec<(i32, i64)>> {
        (0..self.number()?).map(|_| Some((self.literal()?, self.weight()?))).collect()
    }

    /// A space, and as many bytes as the number before it says.
    fn string(&mut self) -> Option<String> {
        let length = usize::try_from(self.number()?).ok()?;
        let (string, rest) = self.text.get(1..)?.split_at_checked(length)?;
        self.text = rest;
        String::from_utf8(string.to_vec()).ok()
    }

    /// So many literals, the first of them negative.
    fn signed(&mut self, count: i32, negative: i32) -> Option<Vec<i32>> {
        (0..count).map(|i| self.atom().map(|atom| if i < negative { -atom } else { atom })).collect()
    }

    /// A body of the smodels format.
    fn parted(&mut self) -> Option<Vec<i32>> {
        let (count, negative) = (self.number()?, self.number()?);
        self.signed(count, negative)
    }

    /// The same with weights, which follow all the literals.
    fn parted_weights(&mut self) -> Option<Vec<(i32, i64)>> {
        self.parted()?.into_iter().map(|lit| Some((lit, self.weight()?))).collect()
    }
}

/// [`slice::trim_ascii_start`] for spaces and tabs alone.
trait TrimSpaces {
    /// The text without what it begins with.
    fn trim_ascii_start_of_spaces(&self) -> &[u8];
}

impl TrimSpaces for [u8] {
    fn trim_ascii_start_of_spaces(&self) -> &[u8] {
        let spaces = self.iter().take_while(|byte| matches!(byte, b' ' | b'\t' | b'\r')).count();
        &self[spaces..]
    }
}

#[cfg(test)]
mod tests {
    use super::super::{generate, Meaning};
    use super::*;

    #[test]
    fn reads_what_a_rich_program_writes() {
        for seed in 0..300 {
            let program = generate(seed);
            let read = read(program.to_aspif().as_bytes()).expect("good");
            assert_eq!(read.atoms, program.atoms, "seed {seed}");
            let named = |program: &Rich| {
                let sets = Meaning::of(program).answer_sets;
                let mut all: Vec<_> = sets.iter().map(|&set| super::super::printed(program, set)).collect();
                all.sort();
                all
            };
            assert_eq!(named(&read), named(&program), "seed {seed}");
        }
    }

    #[test]
    fn formats_that_say_the_same_mean_the_same() {
        // `{a}. b :- not a.` in each format; DIMACS says `a` or `b`, and not both.
        let aspif = "asp 1 0 0\n1 1 1 7 0 0\n1 0 1 9 0 1 -7\n4 1 1 1 7\n4 1 2 1 9\n0\n";
        let smodels = "3 1 7 0 0\n1 9 1 1 7\n0\n7 1\n9 2\n0\nB+\n0\nB-\n0\n1\n";
        let dimacs = "c a comment\np cnf 2 2\n1 2 0 -1\n-2 0\n";
        for text in [aspif, smodels, dimacs] {
            let program = read(text.as_bytes()).expect("good");
            assert_eq!(Meaning::of(&program).answer_sets, [2, 4], "{text}");
        }
    }
}
