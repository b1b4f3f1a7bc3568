//! The programs of `data/` and their known answers.
//!
//! Main function: [`check_file`]. `answers.json` is a list of [`Known`]; an answer set is checked by the definition
//! where the program's own text says which atoms are true in it.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use serde::Deserialize;
use solver_host::search::Options;

use crate::conform::{solve, Shown};
use crate::oracle;
use crate::Spec;

/// What is known of one program.
#[derive(Clone, Debug, Deserialize)]
pub struct Known {
    /// The ground program's file in the folder of the list.
    pub file: String,
    /// How many answer sets it has, where that is known.
    pub answer_sets: Option<u64>,
    /// Whether it has one.
    pub satisfiable: bool,
    /// Whether its positive dependencies have no loop.
    pub tight: bool,
}

/// Reads `answers.json` of a folder.
pub fn known(folder: &Path) -> Result<Vec<Known>, String> {
    let path = folder.join("answers.json");
    let text = fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    serde_json::from_str(&text).map_err(|error| format!("{}: {error}", path.display()))
}

/// Solves one program and compares with what is known: all answer sets if there are at most `most`, else the first
/// `most` of them (one, where their number is not known). Returns how many were found.
pub fn check_file(folder: &Path, known: &Known, options: Options, most: usize) -> Result<usize, String> {
    let file = folder.join(&known.file);
    let enumerate = known.answer_sets.is_some_and(|n| n <= most as u64);
    let limit = match known.answer_sets {
        _ if enumerate => 0,
        Some(_) => most,
        None => 1,
    };
    let (found, exhausted) = solve(&file, options, limit)?;
    let distinct: BTreeSet<&Shown> = found.iter().collect();
    if found.is_empty() == known.satisfiable {
        return Err(format!("{} answer sets, but satisfiable is {}", found.len(), known.satisfiable));
    }
    let want = known.answer_sets.unwrap_or(u64::from(known.satisfiable)).min(limit.max(1) as u64);
    let right =
        if enumerate { known.answer_sets == Some(found.len() as u64) } else { found.len() as u64 >= want };
    if !right || (enumerate && !exhausted) {
        return Err(format!("{} answer sets, known are {:?}", found.len(), known.answer_sets));
    }
    if let Some((spec, atoms)) = fs::read_to_string(&file).ok().as_deref().and_then(named_spec) {
        if distinct.len() != found.len() {
            return Err(format!("{} of {} answer sets are different", distinct.len(), found.len()));
        }
        for shown in distinct {
            let set = shown.iter().map(|name| atoms[name]).collect();
            oracle::check(&spec, &set).map_err(|flaw| format!("{{{}}}: {flaw:?}", shown.join(" ")))?;
        }
    }
    Ok(found.len())
}

/// The program of an aspif text in which each atom has one name of its own, and the atom of each name.
///
/// `None` for another format, statements that are more than normal rules, and atoms that are not shown or not by one
/// name: there an answer set's atoms cannot be told from what is printed.
fn named_spec(text: &str) -> Option<(Spec, BTreeMap<String, usize>)> {
    let mut lines = text.lines();
    lines.next().filter(|first| first.starts_with("asp 1 0 0"))?;
    let mut spec = Spec::default();
    let mut names = BTreeMap::new();
    for line in lines {
        let mut words = line.splitn(3, ' ');
        match words.next()? {
            "0" => break,
            "1" => {
                let numbers: Vec<i64> =
                    line.split_whitespace().map(str::parse).collect::<Result<_, _>>().ok()?;
                let (head, rest) = match *numbers.get(1..)? {
                    [0, 1, head, 0, _, ref rest @ ..] => (Some(atom(head)?), rest),
                    [0, 0, 0, _, ref rest @ ..] => (None, rest),
                    _ => return None,
                };
                let (mut positive, mut negative) = (Vec::new(), Vec::new());
                for &literal in rest {
                    if literal > 0 { &mut positive } else { &mut negative }.push(atom(literal.abs())?);
                }
                spec.rules.push((head, positive, negative));
            }
            "4" => {
                let length: usize = words.next()?.parse().ok()?;
                let rest = words.next()?;
                let (name, condition) = (rest.get(..length)?, rest.get(length..)?.trim());
                let a = atom(condition.strip_prefix("1 ")?.parse().ok()?)?;
                names.insert(name.to_string(), a);
            }
            _ => return None,
        }
    }
    let inside = |(head, positive, negative): &crate::spec::Rule| {
        head.iter().chain(positive).chain(negative).max().map_or(0, |a| a + 1)
    };
    spec.atoms = spec.rules.iter().map(inside).chain(names.values().map(|a| a + 1)).max().unwrap_or(0);
    let shown: BTreeSet<usize> = names.values().copied().collect();
    let heads: BTreeSet<usize> = spec.rules.iter().filter_map(|rule| rule.0).collect();
    (shown.len() == names.len() && heads.is_subset(&shown)).then_some((spec, names))
}

fn atom(number: i64) -> Option<usize> {
    usize::try_from(number).ok()?.checked_sub(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_back_what_a_spec_writes() {
        let spec = Spec { atoms: 2, rules: vec![(Some(0), vec![], vec![1]), (None, vec![0, 1], vec![])] };
        let (read, names) = named_spec(&spec.to_aspif()).expect("plain");
        assert_eq!((read, names["x1"]), (spec, 1));
        assert!(named_spec("asp 1 0 0\n1 1 1 1 0 0\n0\n").is_none(), "a choice rule");
        assert!(named_spec("asp 1 0 0\n1 0 1 1 0 0\n0\n").is_none(), "an atom without a name");
    }
}
