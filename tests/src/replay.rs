//! Replays a trace and checks each event against the definitions, with code that shares nothing with the
//! solver.
//!
//! Main function: [`check`]. Levels and trails are followed. The other literals of a reason hold. A learned
//! nogood follows from the nogoods before it by unit propagation (reverse unit propagation, Goldberg and
//! Novikov 2003), and no answer set that is still to be found violates it. Answer sets are those of the
//! definition, each once. What a variable is called is true of it.
//!
//! Invariant: the module reads the text of the trace and nothing else of the solver's.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

/// A literal: `v` or `-v`, with variables from 1 on.
type Lit = i64;

/// What a trace was found to have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Seen {
    /// Literals that nogoods forced.
    pub propagations: usize,
    /// Literals that sums forced.
    pub by_sums: usize,
    /// Conflicts.
    pub conflicts: usize,
    /// Nogoods learned by resolution.
    pub resolved: usize,
    /// Nogoods learned by forward learning.
    pub forward: usize,
    /// Loop nogoods.
    pub loops: usize,
    /// Flipped decisions.
    pub flips: usize,
    /// Literals assigned by completion.
    pub completions: usize,
    /// Restarts that were due.
    pub restarts: usize,
    /// Deleted nogoods.
    pub deleted: usize,
    /// Answer sets.
    pub answers: usize,
    /// Goals that became stricter.
    pub goals: usize,
    /// Names of bodies that were checked.
    pub bodies: usize,
}

/// A sum nogood: a condition, and counters with what each may be at most and its items.
#[derive(Clone, Debug)]
struct Sum {
    condition: Option<Lit>,
    counters: Vec<(i64, Vec<(Lit, i64)>)>,
}

impl Sum {
    fn of(value: &Value) -> Sum {
        let item = |pair: &Value| (number(&pair[0]), number(&pair[1]));
        let counter =
            |counter: &Value| (number(&counter["most"]), list(&counter["items"]).iter().map(item).collect());
        Sum {
            condition: value["condition"].as_i64(),
            counters: list(&value["counters"]).iter().map(counter).collect(),
        }
    }

    /// Whether the items that `holds` says are more than may be; the counters are digits.
    fn exceeds(&self, holds: impl Fn(Lit) -> bool) -> bool {
        let digit =
            |items: &[(Lit, i64)]| items.iter().filter(|item| holds(item.0)).map(|item| item.1).sum::<i64>();
        let digits: Vec<i64> = self.counters.iter().map(|(_, items)| digit(items)).collect();
        let most: Vec<i64> = self.counters.iter().map(|&(most, _)| most).collect();
        digits > most
    }

    /// Whether these literals violate the sum, whatever else holds.
    fn is_violated_by(&self, lits: &[Lit]) -> bool {
        self.condition.is_none_or(|condition| lits.contains(&condition))
            && self.exceeds(|lit| lits.contains(&lit))
    }

    fn items(&self) -> impl Iterator<Item = Lit> + '_ {
        self.counters.iter().flat_map(|(_, items)| items.iter().map(|item| item.0))
    }
}

/// Nogoods and sums, and what follows from them by unit propagation.
#[derive(Clone, Debug, Default)]
struct Base {
    nogoods: Vec<Vec<Lit>>,
    sums: Vec<Sum>,
}

impl Base {
    /// Propagates `held` to a fixpoint. Returns whether something is violated.
    fn propagate(&self, held: &mut BTreeSet<Lit>) -> bool {
        loop {
            let mut new = Vec::new();
            for nogood in &self.nogoods {
                let mut open = nogood.iter().filter(|lit| !held.contains(lit));
                match (open.next(), open.next()) {
                    (None, _) => return true,
                    (Some(&lit), None) if !held.contains(&-lit) => new.push(-lit),
                    _ => {}
                }
            }
            for sum in &self.sums {
                let exceeds = |with: Option<Lit>| sum.exceeds(|lit| held.contains(&lit) || with == Some(lit));
                let condition = sum.condition.filter(|lit| !held.contains(lit));
                match condition {
                    Some(lit) if exceeds(None) && !held.contains(&-lit) => new.push(-lit),
                    Some(_) => {}
                    None if exceeds(None) => return true,
                    None => {
                        let open = sum.items().filter(|lit| !held.contains(lit) && !held.contains(&-lit));
                        new.extend(open.filter(|&lit| exceeds(Some(lit))).map(|lit| -lit));
                    }
                }
            }
            if new.is_empty() {
                return false;
            }
            for lit in new {
                if held.contains(&-lit) {
                    return true;
                }
                held.insert(lit);
            }
        }
    }

    /// Whether the nogood follows: assuming its literals leads to a violation.
    fn implies(&self, nogood: &[Lit]) -> bool {
        let mut held: BTreeSet<Lit> = nogood.iter().copied().collect();
        held.iter().any(|lit| held.contains(&-lit)) || self.propagate(&mut held)
    }
}

/// A search, as far as its trace was read.
struct Replay<'a> {
    /// For each variable from 1 on what it stands for.
    variables: usize,
    /// Each atom with its literal, or its value.
    atoms: Vec<(Vec<String>, Value)>,
    base: Base,
    /// Where in the base each nogood that is not deleted is, by its number in the trace.
    known: BTreeMap<u64, usize>,
    inputs: u64,
    next: u64,
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
    /// The answer sets that are still to be found, each with all literals that hold; none if that is not
    /// known.
    wanted: Option<Vec<(Vec<String>, BTreeSet<Lit>)>>,
    shown: &'a mut dyn FnMut(Vec<String>),
    seen: Seen,
}

/// Checks a trace. `answer_sets` are all answer sets by the definition, each as the names that are printed,
/// or none if the search has a goal. `shown` gets the answer sets of the trace.
///
/// # Errors
/// The first line that is wrong, and why.
pub fn check(
    text: &str,
    answer_sets: Option<&[Vec<String>]>,
    shown: &mut dyn FnMut(Vec<String>),
) -> Result<Seen, String> {
    if !text.ends_with('\n') {
        return Err("the last line is not whole".into());
    }
    let lines: Result<Vec<Value>, _> = text.lines().map(serde_json::from_str).collect();
    let lines = lines.map_err(|error| format!("a line is not JSON: {error}"))?;
    let (start, events) = lines.split_first().ok_or("the trace is empty")?;
    let mut replay = Replay::new(start, answer_sets, shown)?;
    for (i, event) in events.iter().enumerate() {
        let is_last = i + 1 == events.len();
        let checked = match (text_of(&event["event"]), is_last) {
            ("end", true) if event["events"].as_u64() == Some(i as u64) => Ok(()),
            ("end", _) | (_, true) => Err("the last line, and no other, is the end".into()),
            (kind, _) => replay.event(kind, event),
        };
        checked.map_err(|wrong| format!("line {}, {event}: {wrong}", i + 2))?;
    }
    let end = events.last().ok_or("there is no end")?;
    match (&replay.wanted, text_of(&end["because"])) {
        (Some(wanted), "exhausted") if !wanted.is_empty() => Err(format!("not found: {wanted:?}")),
        _ => Ok(replay.seen),
    }
}

impl<'a> Replay<'a> {
    fn new(
        start: &Value,
        answer_sets: Option<&[Vec<String>]>,
        shown: &'a mut dyn FnMut(Vec<String>),
    ) -> Result<Self, String> {
        if text_of(&start["event"]) != "start" {
            return Err("the first line is no start".into());
        }
        let nogoods: Vec<Vec<Lit>> = list(&start["nogoods"]).iter().map(numbers).collect();
        let sums = list(&start["sums"]).iter().map(Sum::of).collect();
        let atoms = list(&start["atoms"]).iter();
        let atoms = atoms.map(|atom| (texts(&atom["names"]), atom["literal"].clone()));
        let mut replay = Replay {
            variables: list(&start["variables"]).len(),
            atoms: atoms.collect(),
            inputs: nogoods.len() as u64,
            next: nogoods.len() as u64,
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
            wanted: None,
            shown,
            seen: Seen::default(),
        };
        if let Some(answer_sets) = answer_sets {
            let total = |names: &Vec<String>| Ok((names.clone(), replay.assignment(names)?));
            let wanted: Result<Vec<_>, String> = answer_sets.iter().map(total).collect();
            let wanted = wanted?;
            replay.check_names(start, &wanted)?;
            replay.wanted = Some(wanted);
        }
        Ok(replay)
    }

    /// All literals that hold in the answer set of these names.
    fn assignment(&self, names: &[String]) -> Result<BTreeSet<Lit>, String> {
        let mut held = BTreeSet::new();
        for (of_atom, literal) in &self.atoms {
            let Some(name) = of_atom.iter().find(|name| is_plain(name)) else { continue };
            let is_true = names.contains(name);
            match literal {
                Value::Bool(known) if *known != is_true => {
                    return Err(format!("{name} is said to be {known}, and {names:?} is an answer set"));
                }
                Value::Bool(_) => {}
                literal => {
                    let literal = number(literal);
                    held.insert(if is_true { literal } else { -literal });
                }
            }
        }
        if held.iter().any(|lit| held.contains(&-lit)) {
            return Err(format!("the literals of atoms contradict each other in the answer set {names:?}"));
        }
        if self.base.propagate(&mut held) {
            return Err(format!("the answer set {names:?} violates a nogood"));
        }
        match held.len() == self.variables {
            true => Ok(held),
            false => Err(format!("the answer set {names:?} leaves variables open")),
        }
    }

    /// Checks that each name of a variable is true in the answer sets in which the variable is.
    fn check_names(&mut self, start: &Value, all: &[(Vec<String>, BTreeSet<Lit>)]) -> Result<(), String> {
        for (v, names) in list(&start["variables"]).iter().enumerate() {
            for name in texts(names) {
                for (names, held) in all {
                    let Some(is_true) = meaning(&name, names) else { continue };
                    if is_true != held.contains(&(v as i64 + 1)) {
                        return Err(format!("variable {} is not {name} in {names:?}", v + 1));
                    }
                }
                self.seen.bodies += name.contains('{') as usize;
            }
        }
        Ok(())
    }

    fn event(&mut self, kind: &str, event: &Value) -> Result<(), String> {
        let literal = event["literal"].as_i64();
        let undone = std::mem::take(&mut self.undone);
        let is_after_answer = std::mem::take(&mut self.is_after_answer);
        if kind != "learn" && kind != "unfounded" && kind != "backjump" {
            self.learned.clear();
        }
        match kind {
            "decide" => {
                expect(number(&event["level"]) == self.level + 1, "the level is not the next one")?;
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
                    None => self.seen.by_sums += 1,
                }
                self.seen.propagations += 1;
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
                self.admit(&nogood)?;
                self.base.nogoods.push(nogood);
                self.seen.flips += 1;
                self.assign(event)
            }
            "complete" => {
                let nogood = [&self.decisions[..], &[-literal.unwrap_or(0)]].concat();
                self.admit(&nogood)?;
                self.base.nogoods.push(nogood);
                self.seen.completions += 1;
                self.assign(event)
            }
            "conflict" => {
                self.violated = list(&event["violated"]).to_vec();
                expect(!self.violated.is_empty(), "nothing is violated")?;
                for why in self.violated.clone() {
                    let nogood = self.reason(&why)?;
                    expect(nogood.iter().all(|lit| self.held.contains(lit)), "a nogood is not violated")?;
                }
                self.seen.conflicts += 1;
                expect(number(&event["level"]) == self.level, "the level is another one")
            }
            "unfounded" => {
                let atoms = numbers(&event["literals"]);
                expect(!atoms.is_empty(), "the set is empty")?;
                expect(atoms.iter().all(|lit| !self.held.contains(&-lit)), "an atom of the set is false")
            }
            "learn" => self.learn(event),
            "backjump" | "restart" => self.jump(kind, event, is_after_answer),
            "delete" => {
                for number in list(&event["nogoods"]).iter().filter_map(Value::as_u64) {
                    expect(number >= self.inputs, "an input nogood is deleted")?;
                    expect(self.known.remove(&number).is_some(), "a deleted nogood is not there")?;
                    expect(self.reasons.values().all(|&reason| reason != number), "a reason is deleted")?;
                    self.seen.deleted += 1;
                }
                Ok(())
            }
            "answer" => self.answer(event),
            "goal" => {
                let (old, new) = (&mut self.base.sums[number(&event["sum"]) as usize], Sum::of(&event["is"]));
                *old = new;
                self.seen.goals += 1;
                // Not all that was excluded is by the new goal.
                self.is_after_answer = true;
                Ok(())
            }
            "again" => {
                self.undo(0);
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

    fn learn(&mut self, event: &Value) -> Result<(), String> {
        let literals = numbers(&event["literals"]);
        let levels: BTreeSet<i64> =
            literals.iter().map(|&lit| self.level_of(lit)).filter(|&level| level != 1).collect();
        match text_of(&event["by"]) {
            "loop" => {
                let open = literals.iter().filter(|lit| !self.held.contains(lit)).count();
                expect(open <= 1, "the loop nogood is neither violated nor unit")?;
                self.seen.loops += 1;
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
                    self.seen.forward += 1;
                } else {
                    expect(levels.len() as i64 == named, "the number of levels is another one")?;
                    self.seen.resolved += 1;
                }
            }
        }
        self.admit(&literals)?;
        expect(event["nogood"].as_u64() == Some(self.next), "the number is not the next one")?;
        self.known.insert(self.next, self.base.nogoods.len());
        self.next += 1;
        self.base.nogoods.push(literals.clone());
        self.learned.push(literals);
        Ok(())
    }

    fn jump(&mut self, kind: &str, event: &Value, is_after_answer: bool) -> Result<(), String> {
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
            self.seen.restarts += event["due"].as_bool().unwrap_or_default() as usize;
            return Ok(());
        }
        for nogood in std::mem::take(&mut self.learned) {
            let holds = nogood.iter().all(|lit| self.held.contains(lit));
            expect(!holds || to == 1, "a learned nogood is still violated")?;
        }
        Ok(())
    }

    fn answer(&mut self, event: &Value) -> Result<(), String> {
        expect(self.held.len() == self.variables, "variables are open")?;
        let violated = self.known.values().map(|&at| &self.base.nogoods[at]);
        let mut violated = violated.filter(|nogood| nogood.iter().all(|lit| self.held.contains(lit)));
        expect(violated.next().is_none(), "a nogood is violated")?;
        let held: Vec<Lit> = self.held.iter().copied().collect();
        expect(!self.base.sums.iter().any(|sum| sum.is_violated_by(&held)), "a sum is violated")?;
        self.seen.answers += 1;
        expect(event["number"].as_u64() == Some(self.seen.answers as u64), "the number is not the next one")?;
        let mut names = texts(&event["atoms"]);
        (self.shown)(names.clone());
        names.sort_unstable();
        if let Some(wanted) = &mut self.wanted {
            let found = wanted.iter().position(|(name, held)| *name == names && *held == self.held);
            wanted.remove(found.ok_or("it is no answer set, or was found before")?);
        }
        self.is_after_answer = true;
        Ok(())
    }

    /// Checks that no answer set that is still to be found violates the nogood.
    fn admit(&self, nogood: &[Lit]) -> Result<(), String> {
        let mut wanted = self.wanted.iter().flatten();
        match wanted.find(|(_, held)| nogood.iter().all(|lit| held.contains(lit))) {
            Some((names, _)) => Err(format!("it excludes the answer set {names:?}")),
            None => Ok(()),
        }
    }
}

/// Whether a name is that of an atom which the test has named.
fn is_plain(name: &str) -> bool {
    name.strip_prefix('x').is_some_and(|number| number.parse::<u32>().is_ok())
}

/// Whether what a name says is true in an answer set; none if the name is not made of the test's atoms.
fn meaning(name: &str, answer_set: &[String]) -> Option<bool> {
    if let Some(rest) = name.strip_prefix("not ") {
        return Some(!meaning(rest, answer_set)?);
    }
    if let Some(body) = name.strip_prefix('{').and_then(|rest| rest.strip_suffix('}')) {
        return body
            .split(", ")
            .map(|part| meaning(part, answer_set))
            .try_fold(true, |all, part| Some(all & part?));
    }
    is_plain(name).then(|| answer_set.iter().any(|known| known == name))
}

fn expect(is_right: bool, else_wrong: &str) -> Result<(), String> {
    match is_right {
        true => Ok(()),
        false => Err(else_wrong.into()),
    }
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], |list| list)
}

fn number(value: &Value) -> i64 {
    value.as_i64().unwrap_or_default()
}

fn numbers(value: &Value) -> Vec<i64> {
    list(value).iter().map(number).collect()
}

fn text_of(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

fn texts(value: &Value) -> Vec<String> {
    list(value).iter().map(|text| text_of(text).to_string()).collect()
}
