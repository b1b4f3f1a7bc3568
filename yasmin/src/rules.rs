//! Rules of one question alone, as text: [`read`], and what they are to the solver: [`Ruled`].
//!
//! Rules are ground, and about names that the program shows. A name that the program does not show and
//! that is in a head stands for a new atom, which is shown by that name. A name that depends on several
//! literals gets an atom of its own for a body. Constraints are no part of [`Ruled::rules`]: solvers that
//! share a problem have a way to exclude something for one question.

use crate::term::{Term, TermScan};
use solver_gpu::{Lit, Var};
use solver_host::program::{BuildError, Output, Program, ProgramBuilder};
use std::collections::HashMap;

/// A rule as it is read.
#[derive(Debug, Default, PartialEq)]
struct Rule {
    is_choice: bool,
    heads: Vec<String>,
    /// Names, and whether each is to hold.
    body: Vec<(String, bool)>,
}

/// For each name that the program shows the numbers of the outputs that show it.
pub(crate) type Shown = HashMap<String, Vec<usize>>;

/// What rules are to the solver.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Ruled {
    /// How many atoms are new.
    atoms: u32,
    /// The names of the first of them.
    names: Vec<String>,
    /// Whether a rule is a choice, its heads, and its body.
    rules: Vec<(bool, Vec<Var>, Vec<Lit>)>,
}

impl Ruled {
    /// Whether there is no rule.
    pub fn is_empty(&self) -> bool {
        self.rules.is_empty()
    }

    /// Whether all heads are new in a program of so many atoms.
    pub fn extends(&self, atoms: u32) -> bool {
        self.rules.iter().all(|(_, heads, _)| heads.iter().all(|head| head.0 >= atoms))
    }

    /// The atoms that the rules define in the program of the builder.
    pub fn defined(&self, builder: &ProgramBuilder) -> Vec<Var> {
        let of = |(is_choice, heads, body): &(bool, Vec<Var>, Vec<Lit>)| -> Vec<Var> {
            match is_choice {
                true => heads.iter().flat_map(|&head| builder.defined_by(&[head], body)).collect(),
                false => builder.defined_by(heads, body),
            }
        };
        self.rules.iter().flat_map(of).collect()
    }

    /// Adds the rules.
    pub fn add_to(&self, builder: &mut ProgramBuilder) -> Result<(), BuildError> {
        let new: Vec<Var> = (0..self.atoms).map(|_| builder.hidden()).collect();
        for (is_choice, heads, body) in &self.rules {
            match is_choice {
                true => builder.choice(heads, body)?,
                false => builder.disjunction(heads, body)?,
            }
        }
        for (name, &atom) in self.names.iter().zip(&new) {
            builder.output(Output { name: name.clone(), condition: vec![Lit::t(atom)] });
        }
        Ok(())
    }
}

/// What the rules in some texts say of a program, and what their constraints exclude.
///
/// # Errors
/// What is wrong with a text.
pub(crate) fn ruled(
    texts: &[String],
    program: &Program,
    shown: &Shown,
) -> Result<(Ruled, Vec<Vec<Lit>>), String> {
    let mut rules = Vec::new();
    for text in texts {
        rules.extend(read(text).map_err(|what| format!("`{text}` is no ground rule: {what}"))?);
    }
    let mut resolving =
        Resolving { program, shown, of: HashMap::new(), ruled: Ruled::default(), excluded: Vec::new() };
    resolving.name_heads(&mut rules)?;
    rules.iter().try_for_each(|rule| resolving.add(rule))?;
    Ok((resolving.ruled, resolving.excluded))
}

/// What a name stands for.
#[derive(Clone, Copy)]
enum Meant {
    Always,
    Lit(Lit),
}

/// Rules that are brought to the solver's terms.
struct Resolving<'a> {
    program: &'a Program,
    shown: &'a Shown,
    /// The names that were met.
    of: HashMap<String, Meant>,
    ruled: Ruled,
    excluded: Vec<Vec<Lit>>,
}

impl Resolving<'_> {
    /// Spells all names as the program does, and gives new atoms to heads that it does not show. A new
    /// atom and its classical negation do not hold together.
    fn name_heads(&mut self, rules: &mut Vec<Rule>) -> Result<(), String> {
        let mut pairs = Vec::new();
        for rule in rules.iter_mut() {
            for (name, _) in &mut rule.body {
                *name = self.spelled(name)?;
            }
            for name in &mut rule.heads {
                *name = self.spelled(name)?;
                if self.shown.contains_key(name) || self.of.contains_key(name) {
                    continue;
                }
                let atom = self.new_atom();
                self.of.insert(name.clone(), Meant::Lit(Lit::t(atom)));
                self.ruled.names.push(name.clone());
                let other = name.strip_prefix('-').map_or_else(|| format!("-{name}"), String::from);
                pairs.push((name.clone(), other));
            }
        }
        let is_known = |name: &String| self.shown.contains_key(name) || self.of.contains_key(name);
        pairs.retain(|(_, other)| is_known(other));
        rules.extend(
            pairs
                .into_iter()
                .map(|(name, other)| Rule { body: vec![(name, true), (other, true)], ..Rule::default() }),
        );
        Ok(())
    }

    /// A name as the program shows it, or as a term is written.
    fn spelled(&self, name: &str) -> Result<String, String> {
        if self.shown.contains_key(name) {
            return Ok(name.into());
        }
        let term = Term::typed(name).map_err(|error| error.to_string())?;
        let is_atom = matches!(&term, Term::Function { name, .. } if !name.is_empty());
        let text = term.to_string();
        match is_atom || self.shown.contains_key(&text) {
            true => Ok(text),
            false => Err(format!("`{text}` is no atom")),
        }
    }

    fn new_atom(&mut self) -> Var {
        self.ruled.atoms += 1;
        Var(self.program.atoms + self.ruled.atoms - 1)
    }

    /// What a name in a body stands for.
    fn meant(&mut self, name: &String) -> Result<Meant, String> {
        if let Some(&known) = self.of.get(name) {
            return Ok(known);
        }
        let program = self.program;
        let missing = || format!("`{name}` is neither shown by the program nor in the head of a rule");
        let outputs = self.shown.get(name).ok_or_else(missing)?;
        let conditions: Vec<&[Lit]> = outputs.iter().map(|&at| &program.outputs[at].condition[..]).collect();
        let meant = match &conditions[..] {
            _ if conditions.iter().any(|condition| condition.is_empty()) => Meant::Always,
            [&[lit]] => Meant::Lit(lit),
            _ => {
                let atom = self.new_atom();
                let rules = conditions.iter().map(|condition| (false, vec![atom], condition.to_vec()));
                self.ruled.rules.extend(rules);
                Meant::Lit(Lit::t(atom))
            }
        };
        self.of.insert(name.clone(), meant);
        Ok(meant)
    }

    /// Adds a rule.
    fn add(&mut self, rule: &Rule) -> Result<(), String> {
        let mut body = Vec::new();
        for (name, holds) in &rule.body {
            match (self.meant(name)?, holds) {
                (Meant::Lit(lit), true) => body.push(lit),
                (Meant::Lit(lit), false) => body.push(!lit),
                (Meant::Always, true) => {}
                // The body never holds.
                (Meant::Always, false) => return Ok(()),
            }
        }
        let mut heads = Vec::new();
        for name in &rule.heads {
            match self.head(name)? {
                Some(atom) if heads.contains(&atom) => {}
                Some(atom) => heads.push(atom),
                None if rule.is_choice => {}
                // The head holds anyway.
                None => return Ok(()),
            }
        }
        match rule.heads.is_empty() && !rule.is_choice {
            true => self.excluded.push(body),
            false if heads.is_empty() => {}
            false => self.ruled.rules.push((rule.is_choice, heads, body)),
        }
        Ok(())
    }

    /// The atom of a name in a head; `None` if it holds anyway.
    fn head(&mut self, name: &String) -> Result<Option<Var>, String> {
        let outputs = self.shown.get(name).map_or(&[][..], Vec::as_slice);
        let is_sum = |atom: Var| self.program.sums.binary_search_by_key(&atom, |sum| sum.atom).is_ok();
        let is_one = match outputs {
            [] => true,
            [at] => match self.program.outputs[*at].condition[..] {
                [lit] => !lit.is_false_sign() && !is_sum(lit.var()),
                [] => true,
                _ => false,
            },
            _ => false,
        };
        match self.meant(name)? {
            Meant::Always => Ok(None),
            Meant::Lit(lit) if is_one => Ok(Some(lit.var())),
            Meant::Lit(_) => Err(format!("`{name}` is no single atom of the program, and can be in no head")),
        }
    }
}

/// The rules in a text. The last one may lack its dot.
fn read(text: &str) -> Result<Vec<Rule>, String> {
    let (mut reader, mut rules) = (Reader { rest: text.trim_start() }, Vec::new());
    loop {
        rules.push(reader.rule()?);
        let has_dot = reader.take(".");
        match reader.rest {
            "" => return Ok(rules),
            _ if has_dot => {}
            rest => return Err(format!("a rule is HEADS :- BODY, and here is `{rest}`")),
        }
    }
}

struct Reader<'a> {
    /// What was not read yet. It does not begin with a blank.
    rest: &'a str,
}

impl<'a> Reader<'a> {
    fn take(&mut self, token: &str) -> bool {
        let rest = self.rest.strip_prefix(token);
        self.rest = rest.unwrap_or(self.rest).trim_start();
        rest.is_some()
    }

    fn rule(&mut self) -> Result<Rule, String> {
        let mut rule = Rule::default();
        if self.take("{") {
            rule.is_choice = true;
            while !self.take("}") {
                rule.heads.push(self.name()?.into());
                if !self.take(";") && !self.take(",") && !self.rest.starts_with('}') {
                    return Err("a choice is { ATOM; ATOM }, without bounds and conditions".into());
                }
            }
        } else if !self.rest.starts_with(":-") {
            rule.heads.push(self.name()?.into());
            while self.take("|") || self.take(";") {
                rule.heads.push(self.name()?.into());
            }
        }
        if self.take(":-") && !matches!(self.rest.chars().next(), None | Some('.')) {
            rule.body.push(self.literal()?);
            while self.take(",") || self.take(";") {
                rule.body.push(self.literal()?);
            }
        }
        Ok(rule)
    }

    fn literal(&mut self) -> Result<(String, bool), String> {
        match self.name()? {
            "not" => match self.name()? {
                "not" => Err("a literal is an atom, or `not` and an atom".into()),
                name => Ok((name.into(), false)),
            },
            name => Ok((name.into(), true)),
        }
    }

    /// The text up to what is no part of an atom.
    fn name(&mut self) -> Result<&'a str, String> {
        let mut scan = TermScan::default();
        let ends =
            |letter: char| scan.is_between(letter) && (letter.is_whitespace() || ",;|{}:.".contains(letter));
        let end = self.rest.find(ends).unwrap_or(self.rest.len());
        let (name, rest) = self.rest.split_at(end);
        self.rest = rest.trim_start();
        match name {
            "" => Err("an atom is missing".into()),
            name => Ok(name),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_are_read() {
        let rule = |is_choice, heads: &[&str], body: &[(&str, bool)]| Rule {
            is_choice,
            heads: heads.iter().map(|&name| name.into()).collect(),
            body: body.iter().map(|&(name, holds)| (name.into(), holds)).collect(),
        };
        let cases = [
            ("a", vec![rule(false, &["a"], &[])]),
            (" :-a.", vec![rule(false, &[], &[("a", true)])]),
            (":- .", vec![rule(false, &[], &[])]),
            ("a:-b,not c;d", vec![rule(false, &["a"], &[("b", true), ("c", false), ("d", true)])]),
            ("{a; b,c } :- nota .", vec![rule(true, &["a", "b", "c"], &[("nota", true)])]),
            ("{}.", vec![rule(true, &[], &[])]),
            ("p(1, \"x.):-\")|-q ; r.s", {
                vec![rule(false, &["p(1, \"x.):-\")", "-q", "r"], &[]), rule(false, &["s"], &[])]
            }),
        ];
        for (text, rules) in cases {
            assert_eq!(read(text), Ok(rules), "{text}");
        }
        for wrong in
            ["", ".", "a b", "a :- b c", "1 {a}", "{a} 1", "{a : b}", "a :- not not b", "a,b", "a :- b,"]
        {
            assert!(read(wrong).is_err(), "{wrong}");
        }
    }
}
