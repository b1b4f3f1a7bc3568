//! The rich program of a seed.
//!
//! Which constructs a program has depends on the seed's lowest bits, so that each comes alone and with each other. Heads never stand
//! in a weight body of their own: clingo 5.8.3 loses answer sets there (`{1;2} :- 1 {2=1, not 3=1}` has `{1,2}`), and it has
//! to be asked now and then whether the oracle is right.

use super::program::{Body, Rich, Rule};
use crate::random::Random;

/// What a program may have.
#[derive(Clone, Copy)]
struct Has {
    choices: bool,
    sums: bool,
    disjunctions: bool,
    minimize: bool,
    projection: bool,
    externals: bool,
    assumptions: bool,
    edges: bool,
    conditions: bool,
}

/// The program of this seed.
pub fn generate(seed: u64) -> Rich {
    let mut random = Random::new(seed ^ 0x7269_6368);
    // Seeds in a row differ in what is most, and the rest is chance.
    let mut some = |bit: u64| if seed >> bit & 1 == 1 { 80 } else { 15 };
    let chances: Vec<u32> = (0..4).map(&mut some).collect();
    let has = Has {
        choices: random.chance(chances[0]),
        sums: random.chance(chances[1]),
        disjunctions: random.chance(chances[2]),
        minimize: random.chance(chances[3]),
        projection: random.chance(35),
        externals: random.chance(20),
        assumptions: random.chance(10),
        edges: random.chance(15),
        conditions: random.chance(40),
    };
    let mut g = Generator { atoms: 3 + random.below(6) as i32, random, has, program: Rich::default() };
    g.rules();
    g.rest();
    g.program
}

/// The program of this seed, with externals that have rules or are external already, and with atoms that are printed more
/// than once. An external atom that has a rule gets another one that clasp cannot take for useless (see `meaning.rs`):
/// its body is a new atom, which has no rule or may be chosen.
pub fn generate_overlapping(seed: u64) -> Rich {
    let mut program = generate(seed);
    let mut random = Random::new(seed ^ 0x6f76_6572);
    for _ in 0..1 + random.below(3) {
        let atom = 1 + random.below(program.atoms as usize) as i32;
        for _ in 0..1 + random.below(2) {
            program.externals.push((atom, random.below(4) as i32));
        }
        if program.rules.iter().any(|rule| rule.heads.contains(&atom)) {
            program.atoms += 1;
            let new = program.atoms;
            program.outputs.push((format!("x{new}"), vec![new]));
            program.rules.push(Rule { choice: false, heads: vec![atom], body: Body::All(vec![new]) });
            if random.chance(50) {
                program.rules.push(Rule { choice: true, heads: vec![new], body: Body::All(vec![]) });
            }
        }
    }
    for _ in 0..random.below(3) {
        // Under its own name, or under one that another output may have.
        let twice = 1 + random.below(program.atoms as usize) as i32;
        let name = if random.chance(50) { format!("x{twice}") } else { "z".into() };
        program.outputs.push((name, vec![twice]));
    }
    program
}

/// The program of this seed, in which some external atoms have rules that may define them or not: in most of these rules the
/// body depends on the head. Each such body has a new atom that may be chosen, and these rules come first: clasp would find
/// more of them to be useless for what it had read before (see `meaning.rs`).
pub fn generate_external(seed: u64) -> Rich {
    let mut program = generate(seed);
    let mut random = Random::new(seed ^ 0x6578_7465);
    let first = program.atoms;
    let mut rules = Vec::new();
    // The definition tries all sets of atoms.
    while program.atoms < 12 && (program.atoms == first || random.chance(50)) {
        let atom = 1 + random.below(first as usize) as i32;
        if random.chance(70) {
            program.rules.retain(|rule| !rule.heads.contains(&atom));
        }
        for _ in 0..1 + random.below(2) {
            program.externals.push((atom, random.below(4) as i32));
        }
        for _ in 0..1 + random.below(2) {
            program.atoms += 2;
            let (other, chosen) = (program.atoms - 1, program.atoms);
            program.outputs.extend([other, chosen].map(|new| (format!("x{new}"), vec![new])));
            rules.push(Rule { choice: true, heads: vec![chosen], body: Body::All(vec![]) });
            if random.chance(40) {
                program.externals.push((other, random.below(4) as i32));
            }
            let own = if random.chance(65) { -atom } else { atom };
            let body = match random.below(10) {
                0 => vec![chosen],
                1 => vec![chosen, -chosen],
                2 => vec![own, chosen, other],
                _ => vec![own, chosen],
            };
            let third = 1 + random.below(first as usize) as i32;
            let body = match random.below(3) {
                // A head may stand in a weight body of its own that needs the literal.
                0 if third != atom => Body::Sum(3, vec![(own, 2), (chosen, 1), (third, 1)]),
                _ => Body::All(body),
            };
            let choice = random.chance(35);
            let heads = if random.chance(35) { vec![atom, other] } else { vec![atom] };
            rules.push(Rule { choice, heads, body });
        }
    }
    rules.append(&mut program.rules);
    Rich { rules, ..program }
}

/// The program of this seed, with disjunctive rules of many heads besides.
pub fn generate_wide(seed: u64) -> Rich {
    let mut program = generate(seed);
    let mut random = Random::new(seed ^ 0x7769_6465);
    let externals: Vec<i32> = program.externals.iter().map(|&(atom, _)| atom).collect();
    let mut atom = || 1 + random.below(program.atoms as usize) as i32;
    for _ in 0..2 {
        let (heads, lits): (Vec<i32>, Vec<i32>) = ((0..12).map(|_| atom()).collect(), vec![atom(), -atom()]);
        let heads: Vec<i32> = heads.into_iter().filter(|head| !externals.contains(head)).collect();
        // What is left of it must not become a constraint.
        if !heads.is_empty() {
            let lits = lits.into_iter().skip(heads.len() % 3).collect();
            program.rules.push(Rule { choice: false, heads, body: Body::All(lits) });
        }
    }
    program
}

struct Generator {
    atoms: i32,
    random: Random,
    has: Has,
    program: Rich,
}

impl Generator {
    fn between(&mut self, low: i32, high: i32) -> i32 {
        low + self.random.below((high - low + 1) as usize) as i32
    }

    fn atom(&mut self) -> i32 {
        self.between(1, self.atoms)
    }

    fn lit(&mut self) -> i32 {
        let atom = self.atom();
        if self.random.chance(60) {
            atom
        } else {
            -atom
        }
    }

    fn lits(&mut self, low: i32, high: i32) -> Vec<i32> {
        (0..self.between(low, high)).map(|_| self.lit()).collect()
    }

    fn body(&mut self, longest: i32) -> Body {
        if self.has.sums && self.random.chance(30) {
            let lits = self.lits(1, 4).into_iter().map(|lit| (lit, self.between(0, 3).into())).collect();
            return Body::Sum(self.between(0, 5).into(), lits);
        }
        Body::All(self.lits(0, longest))
    }

    /// A rule with so many heads, but none that stands in its own weight body.
    fn rule(&mut self, choice: bool, heads: i32) {
        let body = self.body(2);
        let stands_in = |head: i32| match &body {
            Body::All(_) => false,
            Body::Sum(_, lits) => lits.iter().any(|&(lit, _)| lit.abs() == head),
        };
        let heads: Vec<i32> = (0..heads).map(|_| self.atom()).filter(|&head| !stands_in(head)).collect();
        // What is left of it must not become a constraint.
        if !heads.is_empty() || choice {
            self.program.rules.push(Rule { choice, heads, body });
        }
    }

    fn rules(&mut self) {
        for _ in 0..self.between(self.atoms / 2, 2 * self.atoms) {
            let kind = self.random.below(100);
            let heads = self.between(2, 3);
            match kind {
                0..35 if self.has.choices => self.rule(true, heads - 1),
                0..65 if self.has.disjunctions => self.rule(false, heads),
                0..75 => self.rule(false, 1),
                75..81 => match self.body(3) {
                    Body::All(lits) if lits.is_empty() => {}
                    body => self.program.rules.push(Rule { choice: false, heads: vec![], body }),
                },
                _ => {
                    let (a, b) = (self.atom(), self.atom());
                    if a != b {
                        for (head, lit) in [(a, -b), (b, -a)] {
                            let body = Body::All(vec![lit]);
                            self.program.rules.push(Rule { choice: false, heads: vec![head], body });
                        }
                    }
                }
            }
        }
    }

    fn rest(&mut self) {
        if self.has.minimize {
            for _ in 0..self.between(1, 3) {
                let lits = self.lits(1, 4).into_iter().map(|lit| (lit, self.between(-2, 3).into())).collect();
                let priority = self.between(0, 2);
                self.program.minimize.push((priority, lits));
            }
        }
        if self.has.externals {
            for _ in 0..self.between(1, 2) {
                self.atoms += 1;
                let (atom, value) = (self.atoms, self.between(0, 3));
                self.program.externals.push((atom, value));
                let head = self.atom();
                if head != atom {
                    let body = Body::All(vec![atom]);
                    self.program.rules.push(Rule { choice: false, heads: vec![head], body });
                }
            }
            // An atom that is external has no rule: nobody is sure what a rule would mean.
            let externals: Vec<i32> = self.program.externals.iter().map(|&(atom, _)| atom).collect();
            self.program.rules.retain(|rule| !rule.heads.iter().any(|head| externals.contains(head)));
        }
        if self.has.projection {
            self.program.projection = Some((0..self.between(0, 3)).map(|_| self.atom()).collect());
        }
        if self.has.assumptions {
            let lit = self.lit();
            self.program.assumptions.push(lit);
        }
        if self.has.edges {
            for _ in 0..self.between(2, 6) {
                let (from, to, condition) = (self.between(0, 3), self.between(0, 3), self.lits(0, 2));
                self.program.edges.push((from, to, condition));
            }
        }
        for _ in 0..self.between(0, 2) {
            let (modifier, atom) = (self.between(0, 5), self.atom());
            let (bias, priority, condition) = (self.between(-3, 3), self.between(0, 3), self.lits(0, 1));
            self.program.heuristics.push((modifier, atom, bias, priority, condition));
        }
        self.program.atoms = self.atoms;
        self.program.outputs = (1..=self.atoms).map(|a| (format!("x{a}"), vec![a])).collect();
        if self.has.conditions {
            for i in 0..self.between(1, 2) {
                let condition = self.lits(0, 3);
                self.program.outputs.push((format!("y{i}"), condition));
            }
        }
    }
}
