//! Replays a trace and checks each event against the definitions, with code that shares nothing with the
//! solver.
//!
//! Main function: [`check`]. Levels and trails are followed. The other literals of a reason hold. A learned
//! nogood follows from the nogoods before it by unit propagation (reverse unit propagation, Goldberg and
//! Novikov 2003), and no answer set that is still to be found violates it. Answer sets are those of the
//! definition, each once; two searchers find the same one only if one of them races. What a variable is
//! called is true of it. Of several searchers each is followed by itself: it imports what another one has
//! learned before, with the same literals, and cubes are given before they are taken, and taken once.
//!
//! Invariant: the module reads the text of the trace and nothing else of the solver's.

mod base;
mod json;
mod names;
mod searcher;

use base::{Base, Lit, Sum};
use json::{list, number, numbers, text_of, texts};
use names::{is_plain, meaning};
use searcher::Searcher;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

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
    /// Imported nogoods.
    pub imports: usize,
    /// Literals of level 1 that were offered to other searchers.
    pub facts: usize,
    /// Cubes that were divided.
    pub divided: usize,
    /// Cubes that were searched to the end.
    pub refuted: usize,
    /// Races and neighbourhoods.
    pub races: usize,
    /// Cores of refuted cubes.
    pub cube_cores: usize,
    /// Cubes that a searcher gave back, to search everything.
    pub given_back: usize,
    /// Decisions on assumptions.
    pub assumptions: usize,
    /// Assumptions that exclude each other.
    pub cores: usize,
    /// Lower bounds.
    pub bounds: usize,
    /// Additions of variables and sums.
    pub extensions: usize,
}

impl Seen {
    /// Adds what another trace was found to have.
    pub fn add(&mut self, more: &Seen) {
        self.propagations += more.propagations;
        self.by_sums += more.by_sums;
        self.conflicts += more.conflicts;
        self.resolved += more.resolved;
        self.forward += more.forward;
        self.loops += more.loops;
        self.flips += more.flips;
        self.completions += more.completions;
        self.restarts += more.restarts;
        self.deleted += more.deleted;
        self.answers += more.answers;
        self.goals += more.goals;
        self.bodies += more.bodies;
        self.imports += more.imports;
        self.facts += more.facts;
        self.divided += more.divided;
        self.refuted += more.refuted;
        self.races += more.races;
        self.cube_cores += more.cube_cores;
        self.given_back += more.given_back;
        self.assumptions += more.assumptions;
        self.cores += more.cores;
        self.bounds += more.bounds;
        self.extensions += more.extensions;
    }
}

/// What is known of a search besides what each searcher does, as far as its trace was read.
struct Common<'a> {
    variables: usize,
    /// Each atom with its literal, or its value.
    atoms: Vec<(Vec<String>, Value)>,
    /// The input nogoods and the sums, as they were at first.
    base: Base,
    /// The number of the next learned nogood.
    next: u64,
    /// Each nogood that was learned, sorted, and by whom.
    learned: BTreeMap<u64, (usize, Vec<Lit>)>,
    /// Cubes that no searcher has taken, and the number of the phase that they belong to.
    waiting: Vec<Vec<Lit>>,
    phase: usize,
    /// All answer sets; none if they are not known.
    wanted: Option<Vec<Wanted>>,
    shown: &'a mut dyn FnMut(Vec<String>),
    seen: Seen,
}

/// An answer set of the definition.
struct Wanted {
    /// The names that are printed.
    names: Vec<String>,
    /// All literals that hold.
    held: BTreeSet<Lit>,
    /// Who has found it, each with whether that searcher raced then.
    found_by: Vec<(usize, bool)>,
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
    let mut common = Common::new(start, answer_sets, shown)?;
    let mut searchers = BTreeMap::from([(0, Searcher::new(&common, common.base.sums.clone()))]);
    for (i, event) in events.iter().enumerate() {
        let is_last = i + 1 == events.len();
        let checked = match (text_of(&event["event"]), is_last) {
            ("end", true) if event["events"].as_u64() == Some(i as u64) => Ok(()),
            ("end", _) | (_, true) => Err("the last line, and no other, is the end".into()),
            (kind, _) => happen(&mut searchers, &mut common, kind, event),
        };
        checked.map_err(|wrong| format!("line {}, {event}: {wrong}", i + 2))?;
    }
    let end = events.last().ok_or("there is no end")?;
    if end["cut"] == true && end["because"] != "limit" && start["searchers"].is_null() {
        return Err("events are missing, though nobody else searches".into());
    }
    match (&common.wanted, text_of(&end["because"])) {
        (Some(wanted), "exhausted") => match wanted.iter().find(|set| set.found_by.is_empty()) {
            Some(set) => Err(format!("not found: {:?}", set.names)),
            None => Ok(common.seen),
        },
        _ => Ok(common.seen),
    }
}

/// Follows the searcher to which an event happened.
fn happen(
    searchers: &mut BTreeMap<usize, Searcher>,
    common: &mut Common,
    kind: &str,
    event: &Value,
) -> Result<(), String> {
    let at = event["searcher"].as_u64().unwrap_or(0) as usize;
    if kind == "join" {
        let sums = list(&event["sums"]).iter().map(Sum::of).collect();
        return match searchers.insert(at, Searcher::joining(at, common, sums)) {
            None => Ok(()),
            Some(_) => Err("the searcher has joined before".into()),
        };
    }
    searchers.get_mut(&at).ok_or("there is no such searcher")?.event(common, kind, event)
}

impl<'a> Common<'a> {
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
        let mut common = Common {
            variables: list(&start["variables"]).len(),
            atoms: atoms.collect(),
            next: nogoods.len() as u64,
            base: Base { nogoods, sums },
            learned: BTreeMap::new(),
            waiting: vec![Vec::new()],
            phase: 0,
            wanted: None,
            shown,
            seen: Seen::default(),
        };
        if let Some(answer_sets) = answer_sets {
            let wanted = |names: &Vec<String>| {
                Ok(Wanted { names: names.clone(), held: common.assignment(names)?, found_by: Vec::new() })
            };
            let wanted: Result<Vec<_>, String> = answer_sets.iter().map(wanted).collect();
            let wanted = wanted?;
            common.check_names(start, &wanted)?;
            common.wanted = Some(wanted);
        }
        Ok(common)
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
    fn check_names(&mut self, start: &Value, all: &[Wanted]) -> Result<(), String> {
        for (v, names) in list(&start["variables"]).iter().enumerate() {
            for name in texts(names) {
                for Wanted { names, held, .. } in all {
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

    /// Checks that no answer set that is still to be found violates the nogood.
    fn admit(&self, nogood: &[Lit]) -> Result<(), String> {
        let mut wanted = self.wanted.iter().flatten().filter(|set| set.found_by.is_empty());
        match wanted.find(|set| nogood.iter().all(|lit| set.held.contains(lit))) {
            Some(set) => Err(format!("it excludes the answer set {:?}", set.names)),
            None => Ok(()),
        }
    }
}
