//! Follows one searcher, and checks each event that happens to it.
//!
//! Main type: [`Searcher`]; main function: [`Searcher::event`].

use super::base::{Base, Lit, Sum};
use super::json::{expect, list, number, numbers, text_of, texts};
use super::Common;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// A searcher, as far as the trace was read.
pub struct Searcher {
    /// The searcher's number.
    at: usize,
    base: Base,
    /// Where in the base each nogood that is not deleted is, by its number in the trace.
    known: BTreeMap<u64, usize>,
    inputs: u64,
    trail: Vec<(Lit, i64)>,
    held: BTreeSet<Lit>,
    level: i64,
    decisions: Vec<Lit>,
    /// Nogoods and literals by the reasons of what is on the trail.
    reasons: BTreeMap<Lit, u64>,
    violated: Vec<Value>,
    /// What was learned since the last conflict or stability check.
    learned: Vec<Vec<Lit>>,
    /// The decisions above the level of the last jump, lowest first, while the next event may flip the first.
    undone: Vec<Lit>,
    is_after_answer: bool,
    /// What it searches for, and the literals of its cube, once it is one of several searchers and has a
    /// cube.
    cube: Option<(String, Vec<Lit>)>,
    /// Whether it is one of several searchers and has no cube.
    is_idle: bool,
    /// Whether it has found an answer set in its cube.
    has_answer: bool,
    /// How often it has started over, as often as all others have.
    phase: usize,
    /// The number of variables, with those that were added.
    variables: usize,
    /// Added variables about which only their being true says something.
    guesses: Vec<Lit>,
    /// What it assumes.
    assumed: Vec<Lit>,
}

impl Searcher {
    /// A searcher with these sums to which nothing has happened.
    pub fn new(common: &Common, sums: Vec<Sum>) -> Searcher {
        let nogoods = common.base.nogoods.clone();
        Searcher {
            at: 0,
            inputs: nogoods.len() as u64,
            known: (0..nogoods.len()).map(|i| (i as u64, i)).collect(),
            base: Base { nogoods, sums },
            trail: Vec::new(),
            held: BTreeSet::new(),
            level: 1,
            decisions: Vec::new(),
            reasons: BTreeMap::new(),
            violated: Vec::new(),
            learned: Vec::new(),
            undone: Vec::new(),
            is_after_answer: false,
            cube: None,
            is_idle: false,
            has_answer: false,
            phase: common.phase,
            variables: common.variables,
            guesses: Vec::new(),
            assumed: Vec::new(),
        }
    }

    /// The same, which has joined others with this number.
    pub fn joining(at: usize, common: &Common, sums: Vec<Sum>) -> Searcher {
        Searcher { at, is_idle: true, ..Searcher::new(common, sums) }
    }

    /// Checks an event, and follows it.
    ///
    /// # Errors
    /// What is wrong with the event.
    pub fn event(&mut self, common: &mut Common, kind: &str, event: &Value) -> Result<(), String> {
        let literal = event["literal"].as_i64();
        let undone = std::mem::take(&mut self.undone);
        let is_after_answer = std::mem::take(&mut self.is_after_answer);
        if kind != "learn" && kind != "unfounded" && kind != "backjump" {
            self.learned.clear();
        }
        match kind {
            "decide" => {
                expect(number(&event["level"]) == self.level + 1, "the level is not the next one")?;
                let lit = literal.unwrap_or(0);
                self.follow_cube(lit)?;
                let is_assumed = event["assumed"].as_bool().unwrap_or_default();
                expect(is_assumed == self.assumed.contains(&lit), "it is an assumption, or is none")?;
                let next = self.assumed.iter().find(|lit| !self.held.contains(lit));
                expect(next.is_none_or(|&next| next == lit), "the next assumption is another literal")?;
                common.seen.assumptions += is_assumed as usize;
                self.level += 1;
                self.decisions.push(literal.unwrap_or(0));
                self.assign(event)
            }
            "propagate" => {
                let lit = literal.unwrap_or(0);
                let reason = self.reason(event)?;
                expect(reason.contains(&-lit), "the reason does not have the complement")?;
                let others = reason.iter().filter(|&&other| other != -lit);
                expect(
                    others.clone().all(|other| self.held.contains(other)),
                    "a literal of the reason does not hold",
                )?;
                match event["nogood"].as_u64() {
                    Some(number) => drop(self.reasons.insert(lit, number)),
                    None => common.seen.by_sums += 1,
                }
                common.seen.propagations += 1;
                self.assign(event)
            }
            "flip" => {
                let lit = literal.unwrap_or(0);
                expect(undone.first() == Some(&-lit), "the literal is no flipped decision")?;
                let nogood = [&self.decisions[..], &[-lit]].concat();
                // An answer set under these decisions was found, or they were refuted.
                let _ = is_after_answer || {
                    expect(self.base.implies(&nogood), "what is flipped was not refuted")?;
                    true
                };
                common.admit(&nogood)?;
                self.base.nogoods.push(nogood);
                common.seen.flips += 1;
                self.assign(event)
            }
            "complete" => {
                let nogood = [&self.decisions[..], &[-literal.unwrap_or(0)]].concat();
                common.admit(&nogood)?;
                self.base.nogoods.push(nogood);
                common.seen.completions += 1;
                self.assign(event)
            }
            "conflict" => {
                self.violated = list(&event["violated"]).to_vec();
                expect(!self.violated.is_empty(), "nothing is violated")?;
                for why in self.violated.clone() {
                    let nogood = self.reason(&why)?;
                    expect(nogood.iter().all(|lit| self.held.contains(lit)), "a nogood is not violated")?;
                }
                common.seen.conflicts += 1;
                expect(number(&event["level"]) == self.level, "the level is another one")
            }
            "unfounded" => {
                let atoms = numbers(&event["literals"]);
                // A set is told again for each of its atoms, while others of it have become false.
                let is_false = |lit: &i64| self.held.contains(&-lit);
                expect(!atoms.iter().all(is_false), "all atoms of the set are false, or there are none")
            }
            "learn" if event["by"] == "fact" => self.offer(common, event),
            "learn" => self.learn(common, event),
            "extend" => self.extend(common, event),
            "assume" => {
                expect(self.level == 1, "the level is not 1")?;
                self.assumed = numbers(&event["literals"]);
                Ok(())
            }
            "core" => {
                let core = numbers(&event["literals"]);
                expect(core.iter().all(|lit| self.assumed.contains(lit)), "a literal is not assumed")?;
                expect(self.base.implies(&core), "it does not follow by unit propagation")?;
                common.seen.cores += 1;
                Ok(())
            }
            "bound" => {
                common.seen.bounds += 1;
                Ok(())
            }
            "import" => self.import(common, event),
            "cube" => {
                // A search that others join goes on where it was: between a jump and the flip after it, too.
                (self.undone, self.is_after_answer) = (undone, is_after_answer);
                self.begin(common, event)
            }
            "divide" => self.divide(common, event),
            "refuted" => self.finish(common, event),
            "backjump" | "restart" => self.jump(common, kind, event, is_after_answer),
            "delete" => {
                for number in list(&event["nogoods"]).iter().filter_map(Value::as_u64) {
                    expect(number >= self.inputs, "an input nogood is deleted")?;
                    expect(self.known.remove(&number).is_some(), "a deleted nogood is not there")?;
                    expect(self.reasons.values().all(|&reason| reason != number), "a reason is deleted")?;
                    common.seen.deleted += 1;
                }
                Ok(())
            }
            "answer" => self.answer(common, event),
            "goal" => {
                let (old, new) = (&mut self.base.sums[number(&event["sum"]) as usize], Sum::of(&event["is"]));
                *old = new;
                common.seen.goals += 1;
                // Not all that was excluded is by the new goal.
                self.is_after_answer = true;
                Ok(())
            }
            "again" => {
                self.undo(0);
                self.phase += 1;
                if self.phase > common.phase {
                    (common.phase, common.waiting) = (self.phase, vec![Vec::new()]);
                }
                self.assumed.clear();
                self.guesses.clear();
                self.variables = common.variables;
                (self.is_idle, self.cube) = (self.is_idle || self.cube.is_some(), None);
                self.level = 1;
                self.known.retain(|&number, _| number < self.inputs);
                self.base.nogoods.truncate(self.inputs as usize);
                self.base.sums = list(&event["sums"]).iter().map(Sum::of).collect();
                Ok(())
            }
            other => Err(format!("there is no event {other}")),
        }
    }

    /// The nogood by which something was forced or is violated.
    fn reason(&self, why: &Value) -> Result<Vec<Lit>, String> {
        if let Some(number) = why["nogood"].as_u64() {
            let at = self.known.get(&number).ok_or("there is no such nogood")?;
            return Ok(self.base.nogoods[*at].clone());
        }
        let literals = numbers(&why["literals"]);
        let sum = self.base.sums.get(number(&why["sum"]) as usize).ok_or("there is no such sum")?;
        expect(sum.is_violated_by(&literals), "the literals do not violate the sum")?;
        Ok(literals)
    }

    fn assign(&mut self, event: &Value) -> Result<(), String> {
        let (lit, level) = (number(&event["literal"]), number(&event["level"]));
        expect(level == self.level, "the level is not the present one")?;
        expect(!self.held.contains(&lit) && !self.held.contains(&-lit), "the variable is assigned already")?;
        expect(lit != 0 && lit.unsigned_abs() as usize <= self.variables, "there is no such variable")?;
        self.held.insert(lit);
        self.trail.push((lit, level));
        Ok(())
    }

    /// Undoes the literals above a level.
    fn undo(&mut self, to: i64) {
        while let Some((lit, _)) = self.trail.pop_if(|(_, level)| *level > to) {
            self.held.remove(&lit);
            self.reasons.remove(&lit);
        }
        self.undone = self.decisions.split_off((to - 1).max(0) as usize);
    }

    fn level_of(&self, lit: Lit) -> i64 {
        self.trail.iter().find(|entry| entry.0 == lit).map_or(0, |entry| entry.1)
    }

    fn learn(&mut self, common: &mut Common, event: &Value) -> Result<(), String> {
        let literals = numbers(&event["literals"]);
        let levels: BTreeSet<i64> =
            literals.iter().map(|&lit| self.level_of(lit)).filter(|&level| level != 1).collect();
        match text_of(&event["by"]) {
            "loop" => {
                let open = literals.iter().filter(|lit| !self.held.contains(lit)).count();
                expect(open <= 1, "the loop nogood is neither violated nor unit")?;
                common.seen.loops += 1;
            }
            "core" => {
                let cube = self.cube.as_ref().filter(|(mode, _)| mode == "cube");
                let (_, cube) = cube.ok_or("a core without a cube")?;
                expect(literals.len() < cube.len(), "the core leaves nothing out")?;
                expect(
                    literals.iter().all(|lit| cube.contains(lit)),
                    "a literal of the core is not of the cube",
                )?;
                expect(self.base.implies(&literals), "it does not follow by unit propagation")?;
                common.seen.cube_cores += 1;
            }
            by => {
                expect(self.violated.contains(&event["from"]), "it is from no violated nogood")?;
                expect(literals.iter().all(|lit| self.held.contains(lit)), "a literal does not hold")?;
                let named = number(&event["levels"]);
                let highest = literals.iter().map(|&lit| self.level_of(lit)).max().unwrap_or(1);
                let of_highest = literals.iter().filter(|&&lit| self.level_of(lit) == highest).count();
                expect(literals.is_empty() || of_highest == 1, "several literals are of the highest level")?;
                expect(self.base.implies(&literals), "it does not follow by unit propagation")?;
                if by == "forward" {
                    expect(
                        literals.iter().all(|lit| self.decisions.contains(lit)),
                        "a literal is no decision",
                    )?;
                    common.seen.forward += 1;
                } else {
                    expect(levels.len() as i64 == named, "the number of levels is another one")?;
                    common.seen.resolved += 1;
                }
            }
        }
        common.admit(&literals)?;
        let number = self.number(common, event, &literals)?;
        self.known.insert(number, self.base.nogoods.len());
        self.base.nogoods.push(literals.clone());
        self.learned.push(literals);
        Ok(())
    }

    fn jump(
        &mut self,
        common: &mut Common,
        kind: &str,
        event: &Value,
        is_after_answer: bool,
    ) -> Result<(), String> {
        let to = number(&event["to"]);
        expect(
            number(&event["from"]) == self.level && (1..=self.level).contains(&to),
            "the levels are wrong",
        )?;
        self.undo(to);
        self.level = to;
        self.is_after_answer = is_after_answer;
        if kind == "restart" {
            self.undone.clear();
            common.seen.restarts += event["due"].as_bool().unwrap_or_default() as usize;
            return Ok(());
        }
        for nogood in std::mem::take(&mut self.learned) {
            let holds = nogood.iter().all(|lit| self.held.contains(lit));
            expect(!holds || to == 1, "a learned nogood is still violated")?;
        }
        Ok(())
    }

    fn answer(&mut self, common: &mut Common, event: &Value) -> Result<(), String> {
        let is_open = |v: &&Lit| !self.held.contains(v) && !self.held.contains(&-**v);
        let open_guesses = self.guesses.iter().filter(is_open).count();
        expect(self.held.len() + open_guesses == self.variables, "variables are open")?;
        let violated = self.known.values().map(|&at| &self.base.nogoods[at]);
        let mut violated = violated.filter(|nogood| nogood.iter().all(|lit| self.held.contains(lit)));
        expect(violated.next().is_none(), "a nogood is violated")?;
        let held: Vec<Lit> = self.held.iter().copied().collect();
        expect(!self.base.sums.iter().any(|sum| sum.is_violated_by(&held)), "a sum is violated")?;
        common.seen.answers += 1;
        self.has_answer = true;
        expect(
            event["number"].as_u64() == Some(common.seen.answers as u64),
            "the number is not the next one",
        )?;
        let mut names = texts(&event["atoms"]);
        (common.shown)(names.clone());
        names.sort_unstable();
        if let Some(wanted) = &mut common.wanted {
            let found = wanted.iter_mut().find(|set| set.names == names && set.held == self.held);
            let found_by = &mut found.ok_or("it is no answer set")?.found_by;
            let races = self.cube.as_ref().is_some_and(|(mode, _)| mode == "race");
            expect(found_by.iter().all(|&(at, _)| at != self.at), "it has found this answer set before")?;
            expect(
                found_by.iter().all(|&(_, other)| races || other),
                "somebody else has found this answer set, and none of the two races",
            )?;
            found_by.push((self.at, races));
        }
        self.is_after_answer = true;
        Ok(())
    }

    /// The number of a nogood that is learned, which is the next one of all searchers.
    fn number(&self, common: &mut Common, event: &Value, literals: &[Lit]) -> Result<u64, String> {
        let number = common.next;
        expect(event["nogood"].as_u64() == Some(number), "the number is not the next one")?;
        common.next += 1;
        common.learned.insert(number, (self.at, sorted(literals)));
        Ok(number)
    }

    /// Variables and sums are added, which say what each variable stands for.
    fn extend(&mut self, common: &mut Common, event: &Value) -> Result<(), String> {
        let sums: Vec<Sum> = list(&event["sums"]).iter().map(Sum::of).collect();
        let added = list(&event["variables"]).len();
        expect(self.level == 1, "the level is not 1")?;
        expect(
            number(&event["variable"]) == self.variables as i64 + 1,
            "the number is not the next variable",
        )?;
        expect(number(&event["sum"]) == self.base.sums.len() as i64, "the number is not the next sum")?;
        for v in self.variables as i64 + 1..=(self.variables + added) as i64 {
            let says = |lit: Lit| sums.iter().any(|sum| sum.condition == Some(lit));
            expect(says(v), "a variable is not defined")?;
            if !says(-v) {
                self.guesses.push(v);
            }
        }
        self.variables += added;
        self.base.sums.extend(sums);
        common.seen.extensions += 1;
        Ok(())
    }

    /// A literal of level 1 is offered to others.
    fn offer(&mut self, common: &mut Common, event: &Value) -> Result<(), String> {
        let literals = numbers(&event["literals"]);
        let &[lit] = &literals[..] else { return Err("several literals are offered".into()) };
        expect(self.held.contains(&-lit) && self.level_of(-lit) == 1, "the literal is not of level 1")?;
        expect(self.base.implies(&literals), "it does not follow by unit propagation")?;
        common.admit(&literals)?;
        self.number(common, event, &literals)?;
        common.seen.facts += 1;
        Ok(())
    }

    /// A nogood of another searcher joins those of this one.
    fn import(&mut self, common: &mut Common, event: &Value) -> Result<(), String> {
        let literals = numbers(&event["literals"]);
        let number = event["nogood"].as_u64().ok_or("there is no number")?;
        let (of, learned) = common.learned.get(&number).ok_or("nobody has learned it before")?;
        expect(event["of"].as_u64() == Some(*of as u64) && *of != self.at, "somebody else has learned it")?;
        expect(*learned == sorted(&literals), "it has other literals")?;
        expect(self.known.insert(number, self.base.nogoods.len()).is_none(), "it is there already")?;
        self.base.nogoods.push(literals);
        common.seen.imports += 1;
        Ok(())
    }

    /// A cube begins.
    fn begin(&mut self, common: &mut Common, event: &Value) -> Result<(), String> {
        let (mode, literals) = (text_of(&event["mode"]), numbers(&event["literals"]));
        expect(self.level == 1 || self.cube.is_none() && !self.is_idle, "the level is not 1")?;
        match mode {
            "cube" => {
                let found = common.waiting.iter().position(|cube| *cube == literals);
                common.waiting.remove(found.ok_or("nobody has given this cube away, or it was taken")?);
            }
            "race" => {
                expect(literals.is_empty(), "a race has no literals")?;
                // A searcher whose role has changed gives its cube back.
                if let Some((_, cube)) = self.cube.take().filter(|(mode, _)| mode == "cube") {
                    common.waiting.push(cube);
                    common.seen.given_back += 1;
                    self.has_answer = false;
                }
                common.seen.races += 1;
            }
            _ => common.seen.races += 1,
        }
        // A search that others join goes on with what it has found.
        self.has_answer &= self.cube.is_none() && !self.is_idle;
        (self.cube, self.is_idle) = (Some((mode.into(), literals)), false);
        Ok(())
    }

    /// The cube is divided by a decision.
    fn divide(&mut self, common: &mut Common, event: &Value) -> Result<(), String> {
        let (own, given) = (numbers(&event["literals"]), numbers(&event["given"]));
        let Some((mode, cube)) = &self.cube else { return Err("there is no cube".into()) };
        let (Some((decision, with)), Some((other, rest))) = (own.split_last(), given.split_last()) else {
            return Err("a side is empty".into());
        };
        expect(
            mode == "cube" && *decision == -other && with == rest,
            "the sides do not differ by a decision",
        )?;
        expect(with.starts_with(cube), "the sides do not have the cube's literals")?;
        // What was flipped in the cube belongs to both sides.
        expect(with.iter().all(|lit| self.held.contains(lit)), "a literal of the cube does not hold")?;
        expect(self.decisions.contains(decision), "what divides the cube is no decision")?;
        common.waiting.push(given);
        self.cube = Some(("cube".into(), own));
        common.seen.divided += 1;
        Ok(())
    }

    /// The cube was searched to the end.
    fn finish(&mut self, common: &mut Common, event: &Value) -> Result<(), String> {
        let literals = numbers(&event["literals"]);
        let Some((mode, cube)) = self.cube.take() else { return Err("there is no cube".into()) };
        expect(mode == "cube" && cube == literals, "it is another cube")?;
        let is_searched = self.has_answer || self.base.implies(&literals);
        expect(is_searched, "it was not searched to the end")?;
        common.admit(&literals)?;
        self.is_idle = true;
        common.seen.refuted += 1;
        Ok(())
    }

    /// Checks that the first decisions are the literals of the cube.
    fn follow_cube(&self, decision: Lit) -> Result<(), String> {
        expect(!self.is_idle, "a searcher without a cube decides")?;
        let Some((mode, cube)) = &self.cube else { return Ok(()) };
        let is_left =
            |lit: &&Lit| !self.held.contains(lit) && (mode != "near" || !self.held.contains(&-**lit));
        let next = cube.iter().find(is_left);
        expect(next.is_none_or(|&lit| lit == decision), "the decision is not the cube's next literal")
    }
}

fn sorted(literals: &[Lit]) -> Vec<Lit> {
    let mut literals = literals.to_vec();
    literals.sort_unstable();
    literals
}
