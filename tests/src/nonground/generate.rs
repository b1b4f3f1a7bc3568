//! The program with variables of a seed, as a person might write it: a few facts, a choice, rules, constraints, perhaps an objective.
//!
//! Main function: [`generate`]. Each variable of a rule has a domain atom in the body, so that the rule is safe.

use std::fmt::Write;

use crate::random::Random;

/// The program of this seed.
pub fn generate(seed: u64) -> String {
    let mut g = Generator { random: Random::new(seed ^ 0x6e6f_6e67), text: String::new(), size: 0 };
    g.size = g.random.between(2, 4);
    g.facts();
    for _ in 0..g.random.between(1, 2) {
        g.guess();
    }
    for _ in 0..g.random.between(1, 5) {
        g.rule();
    }
    for _ in 0..g.random.between(0, 2) {
        let body = g.body(&["X"], 2);
        g.line(format!(":- d(X), {body}."));
    }
    g.rest();
    g.text
}

struct Generator {
    random: Random,
    text: String,
    /// How many constants there are, from 1 on.
    size: i32,
}

impl Generator {
    fn line(&mut self, line: String) {
        writeln!(self.text, "{line}").expect("a string takes everything");
    }

    fn facts(&mut self) {
        let n = self.size;
        match self.random.below(3) {
            0 => self.line(format!("#const n = {n}. d(1..n).")),
            1 => self.line(format!("d(1..{n}).")),
            _ => {
                let all: Vec<String> = (1..=n).map(|i| i.to_string()).collect();
                self.line(format!("d({}).", all.join(";")));
            }
        }
        for x in 1..=n {
            for y in 1..=n {
                if self.random.chance(40) {
                    self.line(format!("e({x},{y})."));
                }
            }
            let weight = self.random.between(-2, 4);
            self.line(format!("w({x},{weight})."));
        }
    }

    /// A rule that leaves something open.
    fn guess(&mut self) {
        let (low, high) = (self.random.between(0, 2), self.random.between(1, 3));
        let line = match self.random.below(10) {
            0 | 1 => "{p(X) : d(X)}.".to_string(),
            2 => format!("{low} {{p(X) : d(X)}} {high}."),
            3 => "{r(X,Y)} :- e(X,Y).".into(),
            4 => "1 {r(X,Y) : e(X,Y)} 1 :- d(X).".into(),
            5 => "p(X) ; q(X) :- d(X).".into(),
            6 => "p(X) :- d(X), not q(X). q(X) :- d(X), not p(X).".into(),
            7 => "{s; t; -s}.".into(),
            8 => "p(X) : d(X), not e(X,X).".into(),
            _ => format!("{low} #sum {{W,X : q(X) : w(X,W)}} {high}."),
        };
        self.line(line);
    }

    fn rule(&mut self) {
        let line = match self.random.below(14) {
            0 => "reach(X) :- p(X). reach(Y) :- reach(X), e(X,Y).".to_string(),
            1 => "r(X,Z) :- r(X,Y), r(Y,Z).".into(),
            2 => format!("c(N) :- N = {}.", self.aggregate("Z")),
            3 => {
                let body = self.body(&["X"], 2);
                format!("{{{}}} :- d(X), {body}.", self.head("X", "X"))
            }
            4 => {
                let body = self.body(&["X", "Y"], 2);
                format!("{} ; {} :- e(X,Y), {body}.", self.head("X", "Y"), self.head("Y", "X"))
            }
            5..=8 => {
                let body = self.body(&["X", "Y"], 2);
                format!("{} :- e(X,Y), {body}.", self.head("X", "Y"))
            }
            _ => {
                let body = self.body(&["X"], 2);
                format!("{} :- d(X), {body}.", self.head("X", "X"))
            }
        };
        self.line(line);
    }

    fn head(&mut self, x: &str, y: &str) -> String {
        match self.random.below(8) {
            0 | 1 => format!("p({x})"),
            2 | 3 => format!("q({x})"),
            4 => format!("r({x},{y})"),
            5 => format!("-p({x})"),
            6 => "s".into(),
            _ => "t".into(),
        }
    }

    fn body(&mut self, variables: &[&str], most: i32) -> String {
        let lits: Vec<String> = (0..self.random.between(1, most)).map(|_| self.literal(variables)).collect();
        // A comma would go on with a condition.
        lits.join("; ")
    }

    fn literal(&mut self, variables: &[&str]) -> String {
        let (x, y) = (self.random.of(variables).to_string(), self.random.of(variables).to_string());
        let bound = self.random.between(0, 4);
        let sign = self.random.of(&["", "", "", "not ", "not ", "not not "]);
        let compared = self.random.of(&["<", "<=", ">", ">=", "=", "!="]);
        match self.random.below(14) {
            0 | 1 => format!("{sign}p({x})"),
            2 | 3 => format!("{sign}q({x})"),
            4 => format!("{sign}r({x},{y})"),
            5 => format!("{sign}{}", self.random.of(&["s", "t"])),
            6 => format!("{sign}-p({x})"),
            7 => format!("{x} {compared} {bound}"),
            8 => format!("|{x}-{y}| {compared} 1"),
            9 => format!("{sign}p({x}+1)"),
            10 => {
                let name = self.random.of(&["p", "q"]);
                format!("{name}(Z) : d(Z), Z {compared} {x}")
            }
            11 => format!("not {} {compared} {bound}", self.aggregate("Z")),
            _ => format!("{} {compared} {bound}", self.aggregate("Z")),
        }
    }

    fn aggregate(&mut self, z: &str) -> String {
        let atom = match self.random.below(4) {
            0 | 1 => format!("p({z})"),
            2 => format!("q({z})"),
            _ => format!("r({z},{z})"),
        };
        match self.random.below(7) {
            0 | 1 => format!("#count {{{z} : {atom}}}"),
            2 => format!("#sum {{{z} : {atom}}}"),
            3 => format!("#sum {{W,{z} : {atom}, w({z},W)}}"),
            4 => format!("#sum+ {{W,{z} : {atom}, w({z},W); 1,s : s}}"),
            5 => format!("#min {{{z} : {atom}}}"),
            _ => format!("#max {{{z} : {atom}, d({z})}}"),
        }
    }

    fn rest(&mut self) {
        if self.random.chance(40) {
            for _ in 0..self.random.between(1, 2) {
                let line = match self.random.below(5) {
                    0 => ":~ p(X). [X@1,X]".to_string(),
                    1 => "#minimize {W@2,X : q(X), w(X,W); 1@1,X,Y : r(X,Y)}.".into(),
                    2 => "#maximize {X : p(X)}.".into(),
                    3 => ":~ s, not t. [-3@2]".into(),
                    _ => "#minimize {2,X : q(X); 3,X : p(X), not q(X)}.".into(),
                };
                self.line(line);
            }
        }
        if self.random.chance(10) {
            self.line("#edge (X,Y) : r(X,Y).".into());
        }
        if self.random.chance(10) {
            self.line("#heuristic p(X) : d(X). [X,true]".into());
        }
        if self.random.chance(10) {
            let value = self.random.of(&["true", "false", "free"]);
            self.line(format!("#external x(X) : d(X). [{value}] t :- x(1), not s."));
        }
        match self.random.below(6) {
            0 => self.line("#show p/1. #show r/2. #show s/0.".into()),
            1 => self.line("#show. #show f(X) : q(X), d(X). #show s : s. #show p/1. #show -p/1.".into()),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_is_a_program_for_good() {
        assert_eq!(generate(3), generate(3));
        let programs: std::collections::BTreeSet<String> = (0..200).map(generate).collect();
        assert_eq!(programs.len(), 200);
    }
}
