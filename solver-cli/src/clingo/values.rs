//! Values of clasp's and clingo's options: how each is typed, and what it means here.
//!
//! Each function is the value parser of an option of `Clingo`. [`notes`] says which values mean less
//! here than in clasp.

use std::path::PathBuf;
use std::sync::Arc;

use clap::ValueEnum;
use solver_host::program::{DomainModification, Modifier};
use solver_host::search::{Options, Restarts, OTHER_RELAXATIONS, OTHER_SHRINKS};
use solver_host::text;

use super::file::{self, First};
use crate::values::is_no;

/// Costs, highest priority first.
pub type Bounds = std::sync::Arc<[i128]>;

/// Costs at which an answer set ends the search, if there are any.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OptStop(pub Option<Bounds>);

/// Whether costs are at most the bounds, both highest priority first; priorities beyond the bounds are free.
pub fn are_within<Cost: Copy + Into<i128>>(costs: &[Cost], bounds: &[i128]) -> bool {
    let costs = costs.iter().map(|&cost| cost.into());
    costs.take(bounds.len()).le(bounds.iter().copied())
}

/// What to do with the programs, as clingo's `--mode`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Mode {
    /// Ground and solve.
    #[default]
    Clingo,
    /// Solve a program that is ground already.
    Clasp,
    /// Ground, and let the grounder print the ground program.
    Gringo,
}

/// The format of a simplified program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Pre {
    /// gringo's format.
    Aspif,
}

/// Which atoms lemmas may be about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum LemmaDomain {
    /// All atoms of the ground program
    Input,
    /// Atoms that are shown
    Output,
}

/// The grounder's output, as clingo's `--output`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GrounderOutput(pub String);

/// Whether learned nogoods are deleted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Deletion {
    /// Never.
    No,
    /// As yasmin does it.
    Own,
}

/// When to stop the search without an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SolveLimit {
    /// After so many conflicts.
    pub conflicts: u64,
    /// After so many restarts.
    pub restarts: u64,
}

impl SolveLimit {
    /// Whether so much work is enough.
    pub fn is_reached(&self, conflicts: u64, restarts: u64) -> bool {
        conflicts >= self.conflicts || restarts >= self.restarts
    }
}

/// A preset of search options, by clasp's name for a like one, or those of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Configuration {
    /// A place in [`CONFIGURATIONS`].
    preset: usize,
    /// What a file says besides, and the file's name.
    pub file: Option<(String, First)>,
}

/// The names, and what they set as options are typed.
const CONFIGURATIONS: [(&str, Option<Restarts>); 8] = [
    ("auto", None),
    ("tweety", None),
    ("frumpy", Some(Restarts::Geometric(100, 1.5))),
    ("jumpy", Some(Restarts::Luby(100))),
    ("handy", Some(Restarts::Quality(100, 0.7))),
    ("crafty", Some(Restarts::Geometric(128, 1.5))),
    ("trendy", Some(Restarts::Quality(100, 0.7))),
    ("many", None),
];

impl Configuration {
    /// The preset of that name, or what a file says.
    pub fn parse(typed: &str) -> Result<Self, String> {
        let preset = |name: &str| {
            let name = name.to_ascii_lowercase();
            CONFIGURATIONS.iter().position(|(known, _)| *known == name)
        };
        if let Some(preset) = preset(typed) {
            return Ok(Configuration { preset, file: None });
        }
        let path = PathBuf::from(text::to_os(typed));
        if !path.is_file() {
            return Err("expected auto, frumpy, jumpy, tweety, handy, crafty, trendy, many or a file".into());
        }
        let text = std::fs::read_to_string(path).map_err(|error| format!("{typed}: {error}"))?;
        let first = file::first(&text).map_err(|error| format!("{typed}:{error}"))?;
        let base = first.preset.as_deref().unwrap_or("auto");
        let preset = preset(base).ok_or_else(|| format!("{typed}: no preset is called {base}"))?;
        Ok(Configuration { preset, file: Some((typed.to_string(), first)) })
    }

    /// What `--help` says of the option.
    pub fn long_help() -> String {
        let told = CONFIGURATIONS.iter().map(|&(name, restarts)| match restarts {
            Some(restarts) => format!("{name}: --restarts={restarts}"),
            None => format!("{name}: the defaults"),
        });
        let all: Vec<String> = told.collect();
        format!(
            "A preset of search options, or a file of clasp's; what is typed besides comes first\n\n{}\n\
             A file has a line `NAME: OPTIONS` or `NAME(PRESET): OPTIONS` for each configuration, and the first one \
             counts.",
            all.join("\n")
        )
    }

    /// Sets the options that were not typed.
    pub fn apply(&self, options: &mut Options, is_typed: impl Fn(&str) -> bool) {
        let (_, restarts) = CONFIGURATIONS[self.preset];
        if let Some(restarts) = restarts.filter(|_| !is_typed("restarts")) {
            options.restarts = restarts;
        }
    }
}

/// `intermediate`, `text`, `reify` or `smodels`
pub fn grounder_output(typed: &str) -> Result<GrounderOutput, String> {
    match typed {
        "intermediate" | "text" | "reify" | "smodels" => Ok(GrounderOutput(typed.to_string())),
        _ => Err("expected intermediate, text, reify or smodels".into()),
    }
}

/// `no`, or how clasp deletes
pub fn deletion(typed: &str) -> Result<Deletion, String> {
    let mut parts = typed.split(',');
    match parts.next().unwrap_or_default().to_ascii_lowercase().as_str() {
        no if is_no(no) && parts.next().is_none() => Ok(Deletion::No),
        "basic" | "sort" | "ipsort" | "ipheap" => Ok(Deletion::Own),
        _ => Err("expected no, or basic, sort, ipSort or ipHeap and what clasp lets follow".into()),
    }
}

/// `N[,M]`, each a number or `umax`; or `no`
pub fn solve_limit(typed: &str) -> Result<SolveLimit, String> {
    if matches!(typed, "no" | "off") {
        return Ok(SolveLimit { conflicts: u64::MAX, restarts: u64::MAX });
    }
    let (conflicts, restarts) = typed.split_once(',').unwrap_or((typed, "umax"));
    Ok(SolveLimit { conflicts: most(conflicts)?, restarts: most(restarts)? })
}

/// A number, `umax` or `-1`
pub fn most(typed: &str) -> Result<u64, String> {
    match typed {
        "umax" | "-1" => Ok(u64::MAX),
        _ => typed.parse().map_err(|_| format!("expected a number, umax or -1, not `{typed}`")),
    }
}

/// `BOUND[,BOUND]...`; or `no`
pub fn opt_stop(typed: &str) -> Result<OptStop, String> {
    if matches!(typed, "no" | "off") {
        return Ok(OptStop(None));
    }
    let bound =
        |text: &str| text.parse().map_err(|_| format!("a bound must be a whole number, not `{text}`"));
    typed
        .split(',')
        .map(bound)
        .collect::<Result<Vec<i128>, _>>()
        .map(|bounds| OptStop(Some(Arc::from(bounds))))
}

/// Text in which `\n`, `\t`, `\\` and so on stand for what they are in C
pub fn escaped(typed: &str) -> Result<String, String> {
    let mut text = String::new();
    let mut letters = typed.chars();
    while let Some(letter) = letters.next() {
        text.push(match letter {
            '\\' => match letters.next() {
                Some('n') => '\n',
                Some('t') => '\t',
                Some('v') => '\u{b}',
                Some('\\') => '\\',
                _ => return Err("expected `n`, `t`, `v` or `\\` after `\\`".into()),
            },
            letter => letter,
        });
    }
    Ok(text)
}

/// Text with `%s` or `%0` once, for the atom: what stands before and after it
pub fn atom_format(typed: &str) -> Result<(String, String), String> {
    let parts: Vec<&str> = typed.split('%').collect();
    let atom = |rest: &str| rest.strip_prefix(['s', '0']).map(str::to_string);
    match parts[..] {
        [before, rest] if atom(rest).is_some() => {
            Ok((escaped(before)?, escaped(&atom(rest).unwrap_or_default())?))
        }
        _ => Err("expected `%s` or `%0` once, where the atom is to stand".into()),
    }
}

/// What the domain heuristic does by default, if anything.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DomMod(pub Option<DomainModification>);

/// `MODIFIER[,PICK]`, each by name or by number; or `no`
pub fn dom_mod(typed: &str) -> Result<DomMod, String> {
    if is_no(typed) {
        return Ok(DomMod(None));
    }
    let mut parts = typed.split(',');
    let name = parts.next().unwrap_or_default().to_ascii_lowercase();
    let modifiers: [(&str, &str, Modifier, i32); 7] = [
        ("level", "1", Modifier::Level, 1),
        ("pos", "2", Modifier::Sign, 1),
        ("true", "3", Modifier::True, 1),
        ("neg", "4", Modifier::Sign, -1),
        ("false", "5", Modifier::False, 1),
        ("init", "6", Modifier::Init, 100),
        ("factor", "7", Modifier::Factor, 2),
    ];
    let known = modifiers.iter().find(|(long, number, ..)| *long == name || *number == name);
    let &(_, _, modifier, bias) =
        known.ok_or("expected level, pos, true, neg, false, init or factor, or a number from 1 to 7")?;
    let mut all = DomainModification { modifier, bias, disjunctive: false, minimized: false, shown: false };
    for pick in parts {
        match pick.to_ascii_lowercase().as_str() {
            "disj" => all.disjunctive = true,
            "opt" => all.minimized = true,
            "show" => all.shown = true,
            "all" | "0" => {}
            "scc" | "hcc" => return Err(format!("atoms cannot be picked by `{pick}` here")),
            number => match number.parse::<u32>() {
                Ok(sum) if sum < 32 && sum & 3 == 0 => {
                    all.disjunctive |= sum & 4 != 0;
                    all.minimized |= sum & 8 != 0;
                    all.shown |= sum & 16 != 0;
                }
                Ok(sum) if sum < 32 => return Err("atoms cannot be picked by scc (1) or hcc (2) here".into()),
                _ => {
                    return Err(format!(
                        "expected disj, opt or show, or a sum of 4, 8 and 16, not `{number}`"
                    ))
                }
            },
        }
    }
    Ok(DomMod(Some(all)))
}

/// What to tell of values that mean less here than in clasp. `typed` is the value of an option, if it was typed.
pub fn notes(typed: &dyn Fn(&str) -> Option<String>) -> Vec<String> {
    let mut notes = Vec::new();
    let mut note = |text: String| notes.push(text);
    if let Some(value) = typed("heuristic") {
        let (name, tuning) = value.split_once(',').map_or((&value[..], ""), |(name, tuning)| (name, tuning));
        if ["berkmin", "vmtf", "unit", "none"].contains(&name.to_ascii_lowercase().as_str()) {
            note(format!("--heuristic={name} means activity here: yasmin has no such heuristic"));
        } else if !tuning.is_empty() {
            note(format!(
                "the number {tuning} of --heuristic is ignored: yasmin's heuristic is not tuned by it"
            ));
        }
    }
    if let Some(value) = typed("restarts") {
        if value.starts_with('+') {
            note(format!("--restarts={value} becomes a geometric sequence: yasmin has no arithmetic one"));
        } else if let Some(ignored) = Restarts::ignored_part(&value) {
            note(format!("the part `{ignored}` of --restarts is ignored: yasmin never repeats a sequence"));
        }
    }
    let has = |name: &str, known: &[&str], place: usize| {
        let value = typed(name)?.to_ascii_lowercase();
        let part = value.split(',').nth(place)?.to_string();
        known.contains(&part.as_str()).then_some(part)
    };
    if let Some(relax) = has("opt_strategy", &OTHER_RELAXATIONS, 1) {
        note(format!("{relax} of --opt-strategy means oll here: yasmin relaxes cores in no other way"));
    }
    if let Some(shrink) = has("opt_usc_shrink", &OTHER_SHRINKS, 0) {
        note(format!("--opt-usc-shrink={shrink} means min here: yasmin tries one literal after another"));
    }
    if let Some(which) = has("trans_ext", &["all", "weight", "choice"], 0) {
        note(format!(
            "--trans-ext={which} is about counts alone: weights and choices are translated as always"
        ));
    }
    if typed("deletion").is_some_and(|value| deletion(&value) == Ok(Deletion::Own)) {
        note("--deletion is ignored: yasmin deletes by levels and activity; see --keep-learned".into());
    }
    let configuration = typed("configuration").and_then(|name| Configuration::parse(&name).ok());
    if let Some((file, First { others: others @ 1.., .. })) = configuration.and_then(|known| known.file) {
        note(format!(
            "{file}: the first configuration counts, and {others} more are ignored; see --portfolio"
        ));
    }
    notes
}
