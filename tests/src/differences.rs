//! Random small programs with difference constraints, and their answer sets by the definition.
//!
//! Main functions: [`generate`], [`sets`] and [`answers`]. A set of atoms is an answer set if it is one of
//! the program in which the theory atoms of bodies may be true or false, and there are integers for which
//! the theory atoms are right: a true atom of a head holds, and an atom of a body holds if and only if it
//! is true. All integers of a range are tried that is wide enough for the constraints. Nothing here uses
//! code of the solver.
//!
//! As in clingo-dl, an answer set counts once for each side, less or more, on which an `=` of a body is
//! false, a `!=` of a body is true, or a `!=` of a head that holds is true.

pub mod compare;

use std::cmp::Ordering::{self, Equal, Greater, Less};
use std::collections::{BTreeMap, BTreeSet};

use crate::random::Random;
use crate::rich::program::{Body, Difference, Rich, Rule};

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

    /// Whether the costs are about an atom of a body that may have the number of one of a head.
    pub fn pays_for_shared(&self) -> bool {
        let first_body = self.plain + self.heads.len();
        let body = |atom: usize| atom.checked_sub(first_body).map(|body| &self.bodies[body]);
        self.minimize.iter().any(|&((atom, _), _)| body(atom).is_some_and(|body| self.heads.contains(body)))
    }

    /// The program. `shares` says whether an atom of a body has the number of an atom of a head with the same
    /// constraint, as a grounder does it; else the names are those of clingo-dl. After the theory atoms comes
    /// one for each constraint, which no rule has: [`sets`] says what it stands for.
    pub fn to_rich(&self, shares: bool) -> Rich {
        let first_body = self.plain + self.heads.len();
        let number = |atom: usize| match atom.checked_sub(first_body) {
            Some(body) if shares => {
                self.heads.iter().position(|head| *head == self.bodies[body]).map_or(atom, |h| self.plain + h)
            }
            _ => atom,
        };
        let atom = |atom: usize| number(atom) as i32 + 1;
        let literal = |&(of, is): &Literal| atom(of) * if is { 1 } else { -1 };
        let rule = |choice, heads, body: &[Literal]| Rule {
            choice,
            heads,
            body: Body::All(body.iter().map(literal).collect()),
        };
        let open = self.open.iter().map(|&open| rule(true, vec![atom(open)], &[]));
        let rules =
            self.rules.iter().map(|(head, body)| rule(false, head.iter().map(|&h| atom(h)).collect(), body));
        let minimize = self.minimize.iter().map(|(lit, weight)| (literal(lit), *weight)).collect();
        let mut outputs: Vec<_> = (0..self.plain).map(|of| (format!("p{of}"), vec![atom(of)])).collect();
        // Theory atoms have names too, so that they can be compared.
        if !shares {
            outputs.extend((0..self.heads.len()).map(|at| (format!("h{at}"), vec![atom(self.plain + at)])));
            outputs.extend((0..self.bodies.len()).map(|at| (format!("b{at}"), vec![atom(first_body + at)])));
        }
        let names = if shares { ["diff", "diff"] } else { ["__diff_h", "__diff_b"] };
        let mut written = BTreeSet::new();
        let mut differences = Vec::new();
        for (at, constraint) in self.heads.iter().chain(&self.bodies).enumerate() {
            let Constraint { from, to, operator, number } = constraint;
            let end = |variable: &Option<usize>| variable.map_or("0", |at| ["x", "y", "z"][at]).to_string();
            let atom = atom(self.plain + at);
            if written.insert(atom) {
                let name = names[usize::from(at >= self.heads.len())];
                let ends = [end(from), end(to)];
                differences.push(Difference { atom, name, ends, operator, number: *number });
            }
        }
        Rich {
            atoms: (self.atoms() + self.heads.len() + self.bodies.len()) as i32,
            rules: open.chain(rules).collect(),
            minimize: if self.minimize.is_empty() { Vec::new() } else { vec![(0, minimize)] },
            outputs,
            differences,
            ..Rich::default()
        }
    }

    /// The program in aspif, see [`Program::to_rich`].
    pub fn to_aspif(&self, shares: bool) -> String {
        self.to_rich(shares).to_aspif()
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

/// The answer sets: bit `a` is atom `a`, from 0 on. After the theory atoms comes a bit for each constraint
/// that counts once for each side: whether the difference is less.
pub fn sets(program: &Program) -> Vec<u64> {
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
        let told = |sides: &Vec<Ordering>| -> u64 {
            let counts = |at: usize| match constraints[at].operator {
                "=" => at >= heads,
                "!=" => at >= heads || is_true(at),
                _ => false,
            };
            let less = (0..sides.len()).filter(|&at| counts(at) && sides[at] == Less);
            u64::from(set) | less.map(|at| 1 << (program.atoms() + at)).sum::<u64>()
        };
        found.extend(sides.iter().filter(fits).map(told).collect::<BTreeSet<u64>>());
    }
    found
}

/// The answer sets, in order.
pub fn answers(program: &Program) -> Vec<Answer> {
    let (plain, heads) = (program.plain, program.heads.len());
    let mut times = BTreeMap::<u64, usize>::new();
    for set in sets(program) {
        *times.entry(set & ((1 << program.atoms()) - 1)).or_default() += 1;
    }
    let answer = |(set, times): (u64, usize)| {
        let is_true = |atom: &usize| set >> atom & 1 == 1;
        let of = |first: usize, count: usize| (0..count).filter(|at| is_true(&(first + at))).collect();
        let holds = |(atom, is): Literal| is_true(&atom) == is;
        Answer {
            plain: of(0, plain),
            theory: [of(plain, heads), of(plain + heads, program.bodies.len())],
            cost: program.minimize.iter().filter(|(lit, _)| holds(*lit)).map(|(_, weight)| weight).sum(),
            times,
        }
    };
    let mut found: Vec<Answer> = times.into_iter().map(answer).collect();
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
