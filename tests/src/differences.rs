//! Random small programs with difference constraints, and their answer sets by the definition.
//!
//! Main functions: [`generate`] and [`answers`]. A set of atoms is an answer set if it is one of the program
//! in which the theory atoms of bodies may be true or false, and there are integers for which the theory
//! atoms are right: a true atom of a head holds, and an atom of a body holds if and only if it is true. All
//! integers of a range are tried that is wide enough for the constraints. Nothing here uses code of the
//! solver.
//!
//! As in clingo-dl, an answer set counts once for each side, less or more, on which an `=` of a body is
//! false, a `!=` of a body is true, or a `!=` of a head that holds is true.

use std::cmp::Ordering::{self, Equal, Greater, Less};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use crate::random::Random;

/// How many integer variables there are at most.
const VARIABLES: usize = 3;
/// The numbers of constraints are from minus this to this.
const LARGEST: i64 = 3;
/// A path over all variables and 0 demands no more.
const RANGE: i64 = 12;

/// `u - v OPERATOR number`, where a missing variable is 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Constraint {
    /// The first variable.
    pub from: Option<usize>,
    /// The second variable.
    pub to: Option<usize>,
    /// The operator.
    pub operator: &'static str,
    /// The number.
    pub number: i64,
}

/// A literal: an atom from 0 on, and whether it is positive.
type Literal = (usize, bool);

/// A program. First come plain atoms, then theory atoms of heads, then those of bodies.
#[derive(Clone, Debug)]
pub struct Program {
    /// The number of plain atoms.
    pub plain: usize,
    /// The plain atoms that may be true without a rule.
    pub open: Vec<usize>,
    /// The constraints of heads.
    pub heads: Vec<Constraint>,
    /// The constraints of bodies.
    pub bodies: Vec<Constraint>,
    /// Heads and bodies; no head is a constraint.
    pub rules: Vec<(Option<usize>, Vec<Literal>)>,
    /// Literals with weights.
    pub minimize: Vec<(Literal, i64)>,
}

/// An answer set, its costs, and how often it counts.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Answer {
    /// The true plain atoms.
    pub plain: Vec<usize>,
    /// The true theory atoms of heads, then of bodies, by their places there.
    pub theory: [Vec<usize>; 2],
    /// The costs.
    pub cost: i64,
    /// How often it counts.
    pub times: usize,
}

/// A program of a seed.
pub fn generate(seed: u64) -> Program {
    let mut random = Random::new(seed ^ 0x6469_6666);
    let plain = 2 + random.below(3);
    let constraint = |random: &mut Random| {
        let mut end = || (!random.chance(20)).then(|| random.below(VARIABLES));
        let (from, to) = (end(), end());
        let operator = ["<=", "<=", "<", ">=", ">", "=", "!="][random.below(7)];
        let number = random.below(2 * LARGEST as usize + 1) as i64 - LARGEST;
        Constraint { from, to, operator, number }
    };
    let heads: Vec<_> = (0..1 + random.below(3)).map(|_| constraint(&mut random)).collect();
    let mut bodies: Vec<_> = (0..random.below(3)).map(|_| constraint(&mut random)).collect();
    // The grounder has one atom for both.
    if random.chance(30) {
        bodies.push(heads[random.below(heads.len())].clone());
    }
    let first_body = plain + heads.len();
    let literal = |random: &mut Random| {
        let of_body = !bodies.is_empty() && random.chance(40);
        let atom = if of_body { first_body + random.below(bodies.len()) } else { random.below(plain) };
        (atom, random.chance(60))
    };
    // A theory atom of a head has a rule.
    let mut rules: Vec<(Option<usize>, Vec<Literal>)> =
        (plain..first_body).map(|head| (Some(head), vec![literal(&mut random)])).collect();
    for _ in 0..1 + random.below(6) {
        let head = match random.below(10) {
            0..=1 => None,
            2..=5 => Some(random.below(plain)),
            _ => Some(plain + random.below(heads.len())),
        };
        let shortest = usize::from(head.is_none());
        let body = (0..shortest + random.below(3)).map(|_| literal(&mut random)).collect();
        rules.push((head, body));
    }
    // The atom that a head and a body share is only in a body if a rule has it there.
    for at in (0..bodies.len()).filter(|&at| heads.contains(&bodies[at])) {
        rules.push((Some(0), vec![(first_body + at, true)]));
    }
    let minimize = match random.chance(40) {
        true => {
            (0..1 + random.below(4)).map(|_| (literal(&mut random), random.below(5) as i64 - 1)).collect()
        }
        false => Vec::new(),
    };
    let open = (0..plain).filter(|_| random.chance(60)).collect();
    Program { plain, open, heads, bodies, rules, minimize }
}

impl Constraint {
    /// The difference, as to the number: less, equal or more.
    fn side(&self, values: &[i64]) -> Ordering {
        let value = |variable: Option<usize>| variable.map_or(0, |at| values[at]);
        (value(self.from) - value(self.to)).cmp(&self.number)
    }

    /// Whether the constraint holds.
    pub fn holds(&self, values: &[i64]) -> bool {
        self.holds_at(self.side(values))
    }

    fn holds_at(&self, side: Ordering) -> bool {
        match self.operator {
            "<=" => side != Greater,
            "<" => side == Less,
            ">=" => side != Less,
            ">" => side == Greater,
            "=" => side == Equal,
            _ => side != Equal,
        }
    }
}

impl Program {
    fn atoms(&self) -> usize {
        self.plain + self.heads.len() + self.bodies.len()
    }

    /// The program in aspif. `shares` says whether an atom of a body has the number of an atom of a head with
    /// the same constraint, as a grounder does it; else the names are those of clingo-dl.
    pub fn to_aspif(&self, shares: bool) -> String {
        let number = |atom: usize| match atom.checked_sub(self.plain + self.heads.len()) {
            Some(body) if shares => {
                self.heads.iter().position(|head| *head == self.bodies[body]).map_or(atom, |h| self.plain + h)
                    + 1
            }
            _ => atom + 1,
        };
        let literal = |&(atom, is): &Literal| number(atom) as i64 * if is { 1 } else { -1 };
        let list = |body: &[Literal]| {
            body.iter().fold(body.len().to_string(), |text, lit| format!("{text} {}", literal(lit)))
        };
        let mut text = String::from("asp 1 0 0\n");
        for atom in &self.open {
            let _ = writeln!(text, "1 1 1 {} 0 0", atom + 1);
        }
        for (head, body) in &self.rules {
            let head = head.map_or("0".into(), |head| format!("1 {}", number(head)));
            let _ = writeln!(text, "1 0 {head} 0 {}", list(body));
        }
        if !self.minimize.is_empty() {
            let lits = self.minimize.iter().map(|(lit, weight)| format!(" {} {weight}", literal(lit)));
            let _ = writeln!(text, "2 0 {}{}", self.minimize.len(), lits.collect::<String>());
        }
        for atom in 0..self.plain {
            let _ = writeln!(text, "4 2 p{atom} 1 {}", atom + 1);
        }
        // Theory atoms have names too, so that they can be compared.
        for (kind, first, constraints) in
            [("h", self.plain, &self.heads), ("b", self.plain + self.heads.len(), &self.bodies)]
        {
            for at in 0..constraints.len() {
                if !shares {
                    let _ = writeln!(text, "4 2 {kind}{at} 1 {}", number(first + at));
                }
            }
        }
        text += &self.theory(shares, number);
        text + "0\n"
    }

    /// The statements of the theory.
    fn theory(&self, shares: bool, number: impl Fn(usize) -> usize) -> String {
        let names = if shares { ["diff", "diff"] } else { ["__diff_h", "__diff_b"] };
        let mut text = String::from("9 1 0 1 -\n");
        for variable in 0..VARIABLES {
            let _ = writeln!(text, "9 1 {} 1 {}", variable + 1, ["x", "y", "z"][variable]);
        }
        let _ = writeln!(text, "9 0 4 0");
        let mut next = 5;
        let mut written = BTreeSet::new();
        for (at, constraint) in self.heads.iter().chain(&self.bodies).enumerate() {
            let atom = number(self.plain + at);
            if !written.insert(atom) {
                continue;
            }
            let name = names[usize::from(at >= self.heads.len())];
            let end = |variable: Option<usize>| variable.map_or(4, |variable| variable + 1);
            let _ = writeln!(text, "9 1 {next} {} {name}", name.len());
            let _ = writeln!(text, "9 2 {} 0 2 {} {}", next + 1, end(constraint.from), end(constraint.to));
            let _ = writeln!(text, "9 1 {} {} {}", next + 2, constraint.operator.len(), constraint.operator);
            let _ = writeln!(text, "9 0 {} {}", next + 3, constraint.number);
            let _ = writeln!(text, "9 4 {next} 1 {} 0", next + 1);
            let _ = writeln!(text, "9 6 {atom} {next} 1 {next} {} {}", next + 2, next + 3);
            next += 4;
        }
        text
    }

    /// Whether a set of atoms is an answer set if theory atoms mean nothing.
    fn is_stable(&self, set: u32) -> bool {
        let has = |of: u32, atom: usize| of >> atom & 1 == 1;
        let mut least = 0;
        let free = self.open.iter().copied().chain(self.plain + self.heads.len()..self.atoms());
        free.filter(|&atom| has(set, atom)).for_each(|atom| least |= 1 << atom);
        loop {
            let before = least;
            for (head, body) in &self.rules {
                if body.iter().all(|&(atom, is)| if is { has(least, atom) } else { !has(set, atom) }) {
                    match head {
                        Some(head) => least |= 1 << head,
                        None => return false,
                    }
                }
            }
            if least == before {
                return least == set;
            }
        }
    }
}

/// What the constraints are for some integers: of each the side, and all that there are.
fn sides_of(constraints: &[&Constraint]) -> BTreeSet<Vec<Ordering>> {
    let width = (2 * RANGE + 1) as usize;
    let value = |index: usize, at: usize| (index / width.pow(at as u32) % width) as i64 - RANGE;
    let mut last = Vec::new();
    let mut all = BTreeSet::new();
    for index in 0..width.pow(VARIABLES as u32) {
        let values: [i64; VARIABLES] = std::array::from_fn(|at| value(index, at));
        let sides: Vec<Ordering> = constraints.iter().map(|constraint| constraint.side(&values)).collect();
        // Neighbours are mostly alike.
        if sides != last {
            all.insert(sides.clone());
            last = sides;
        }
    }
    all
}

/// The answer sets, in order.
pub fn answers(program: &Program) -> Vec<Answer> {
    let (plain, heads) = (program.plain, program.heads.len());
    let constraints: Vec<&Constraint> = program.heads.iter().chain(&program.bodies).collect();
    let sides = sides_of(&constraints);
    let mut found = Vec::new();
    for set in (0..1u32 << program.atoms()).filter(|&set| program.is_stable(set)) {
        let is_true = |at: usize| set >> (plain + at) & 1 == 1;
        let fits = |sides: &&Vec<Ordering>| {
            constraints.iter().enumerate().all(|(at, constraint)| {
                let holds = constraint.holds_at(sides[at]);
                if at < heads {
                    holds || !is_true(at)
                } else {
                    holds == is_true(at)
                }
            })
        };
        let told = |sides: &Vec<Ordering>| -> Vec<Ordering> {
            let counts = |at: usize| match constraints[at].operator {
                "=" => at >= heads,
                "!=" => at >= heads || is_true(at),
                _ => false,
            };
            (0..sides.len()).map(|at| if counts(at) { sides[at] } else { Equal }).collect()
        };
        let times = sides.iter().filter(fits).map(told).collect::<BTreeSet<_>>().len();
        if times > 0 {
            let of_bodies = (0..program.bodies.len()).filter(|at| is_true(heads + at)).collect();
            let holds = |(atom, is): Literal| (set >> atom & 1 == 1) == is;
            found.push(Answer {
                plain: (0..plain).filter(|&atom| set >> atom & 1 == 1).collect(),
                theory: [(0..heads).filter(|&at| is_true(at)).collect(), of_bodies],
                cost: program.minimize.iter().filter(|(lit, _)| holds(*lit)).map(|(_, weight)| weight).sum(),
                times,
            });
        }
    }
    found.sort();
    found
}

/// The printed names of an answer set, without values, as often as each counts.
pub fn printed(answers: &[Answer], shares: bool) -> BTreeMap<Vec<String>, usize> {
    let mut printed = BTreeMap::new();
    for answer in answers {
        let mut names: Vec<String> = answer.plain.iter().map(|atom| format!("p{atom}")).collect();
        if !shares {
            names.extend(answer.theory[0].iter().map(|at| format!("h{at}")));
            names.extend(answer.theory[1].iter().map(|at| format!("b{at}")));
        }
        names.sort();
        *printed.entry(names).or_default() += answer.times;
    }
    printed
}
