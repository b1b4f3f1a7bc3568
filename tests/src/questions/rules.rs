//! Random rules of one question alone, as text and as what they mean.
//!
//! Main function: [`OwnRules::new`].

use crate::random::Random;
use crate::rich::program::{Body, Rule};
use crate::rich::{defined, Meaning, Rich};

use super::Set;

/// Names that are shown for something else than one atom: either of two conditions, a literal that does not
/// hold, and nothing at all.
pub const OTHERS: [&str; 3] = ["either", "absent", "always"];

/// New atoms. The third one is the classical negation of the first.
pub const NEW: [&str; 3] = ["new(1,a)", "later", "-new(1,a)"];

/// Rules, and what the program with them means.
#[derive(Debug)]
pub struct OwnRules {
    pub texts: Vec<String>,
    /// The answer sets, in which [`NEW`] come after the atoms of the program.
    pub meaning: Meaning,
    /// The atoms that the rules define.
    pub defined: Set,
}

/// Gives a program's names to [`OTHERS`].
pub fn show_others(program: &mut Rich, random: &mut Random) {
    let mut atom = || random.between(1, program.atoms);
    let conditions = [vec![atom(), -atom()], vec![atom()], vec![-atom()], vec![]];
    let names = [OTHERS[0], OTHERS[0], OTHERS[1], OTHERS[2]];
    program.outputs.extend(names.into_iter().map(String::from).zip(conditions));
}

/// A literal: its text, and what it means; nothing if that is always so, and `None` if it never is.
type Literal = (String, Option<Option<i32>>);

/// What rules are made of.
struct Maker<'a> {
    program: &'a Rich,
    random: &'a mut Random,
    /// How many of [`NEW`] are in heads.
    new: i32,
    rules: Vec<Rule>,
}

impl Maker<'_> {
    fn literal(&mut self) -> Literal {
        let atoms = self.program.atoms;
        let (name, lit) = match self.random.below(10) {
            0 if self.new > 0 => {
                let new = self.random.below(self.new as usize);
                (NEW[new].replace(',', " , "), Some(atoms + 1 + new as i32))
            }
            // An atom of its own stands for either of the conditions.
            1 => (OTHERS[0].into(), Some(atoms + NEW.len() as i32 + 1)),
            2 => {
                let condition = self.program.outputs.iter().find(|(name, _)| name == OTHERS[1]);
                (OTHERS[1].into(), condition.map(|(_, condition)| condition[0]))
            }
            3 => (OTHERS[2].into(), None),
            _ => {
                let atom = self.random.between(1, atoms);
                (format!("x{atom}"), Some(atom))
            }
        };
        match self.random.chance(60) {
            true => (name, Some(lit)),
            false => (format!("not {name}"), lit.map(|lit| Some(-lit))),
        }
    }

    /// A head: a new atom, one of the program or one that holds anyway.
    fn head(&mut self) -> (String, Option<i32>) {
        match self.random.below(12) {
            0 => (OTHERS[2].into(), None),
            1..5 => {
                let new = self.random.below(self.new as usize);
                (NEW[new].into(), Some(self.program.atoms + 1 + new as i32))
            }
            _ => {
                let atom = self.random.between(1, self.program.atoms);
                (format!("x{atom}"), Some(atom))
            }
        }
    }

    /// Adds a rule, and returns its text.
    fn rule(&mut self) -> String {
        let choice = self.random.chance(25);
        let heads: Vec<(String, Option<i32>)> = match self.random.below(6) {
            0 if !choice => Vec::new(),
            1 => (0..2).map(|_| self.head()).collect(),
            _ => vec![self.head()],
        };
        let body: Vec<Literal> = (0..self.random.below(4)).map(|_| self.literal()).collect();
        let names: Vec<&str> = heads.iter().map(|(name, _)| &name[..]).collect();
        let head = match (choice, self.random.chance(50)) {
            (true, _) => format!("{{{}}}", names.join("; ")),
            (false, true) => names.join(" | "),
            (false, false) => names.join(";"),
        };
        let literals: Vec<&str> = body.iter().map(|(text, _)| &text[..]).collect();
        let holds: Option<Vec<i32>> = body
            .iter()
            .filter_map(|(_, lit)| match lit {
                Some(None) => None,
                Some(Some(lit)) => Some(Some(*lit)),
                None => Some(None),
            })
            .collect();
        let is_needless = !choice && heads.iter().any(|(_, head)| head.is_none());
        if let Some(body) = holds.filter(|_| !is_needless) {
            let heads: Vec<i32> = heads.iter().filter_map(|(_, head)| *head).collect();
            if !choice || !heads.is_empty() {
                self.rules.push(Rule { choice, heads, body: Body::All(body) });
            }
        }
        format!("{head} :- {}", literals.join(", "))
    }
}

impl OwnRules {
    /// Some rules for a program that shows [`OTHERS`].
    pub fn new(program: &Rich, random: &mut Random) -> OwnRules {
        let atoms = program.atoms;
        let mut maker = Maker { program, random, new: 0, rules: Vec::new() };
        maker.new = maker.random.between(1, NEW.len() as i32);
        // Each new atom is in a head.
        let only_new = maker.random.chance(30);
        let mut texts = Vec::new();
        for new in 1..=maker.new {
            let body: Vec<Literal> = (0..maker.random.below(2)).map(|_| maker.literal()).collect();
            let [(text, Some(Some(lit)))] = &body[..] else {
                maker.rules.push(Rule {
                    choice: true,
                    heads: vec![atoms + new],
                    body: Body::All(Vec::new()),
                });
                texts.push(format!("{{ {} }}", NEW[new as usize - 1]));
                continue;
            };
            maker.rules.push(Rule { choice: false, heads: vec![atoms + new], body: Body::All(vec![*lit]) });
            texts.push(format!("{} :- {text}.", NEW[new as usize - 1]));
        }
        if !only_new {
            let more = 1 + maker.random.below(3);
            texts.extend((0..more).map(|_| maker.rule()));
        }
        // One text may have several rules.
        let ends_with_dot = |text: &String| text.ends_with('.');
        if texts.len() > 1 && ends_with_dot(&texts[0]) {
            let first = texts.remove(0);
            texts[0] = format!("{first} {}", texts[0]);
        }
        let mut rules = maker.rules;
        let new_rules = rules.clone();
        if rules.iter().any(|rule| rule.heads.contains(&(atoms + 3))) {
            let pair = Body::All(vec![atoms + 1, atoms + 3]);
            rules.push(Rule { choice: false, heads: Vec::new(), body: pair });
        }
        let either = program.outputs.iter().filter(|(name, _)| name == OTHERS[0]);
        let stands_for = atoms + NEW.len() as i32 + 1;
        rules.extend(either.map(|(_, condition)| Rule {
            choice: false,
            heads: vec![stands_for],
            body: Body::All(condition.clone()),
        }));
        let whole = Rich {
            atoms: stands_for,
            rules: [program.rules.clone(), rules].concat(),
            externals: program.externals.iter().map(|&(atom, value)| (atom, value / 3 * 3)).collect(),
            ..program.clone()
        };
        let mut meaning = Meaning::of(&whole);
        // What stands for something is not told.
        meaning.answer_sets.iter_mut().for_each(|set| *set &= !(1 << stands_for));
        OwnRules { texts, meaning, defined: defined(&new_rules) }
    }
}
