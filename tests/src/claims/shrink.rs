//! Makes a case that fails smaller, as long as it fails in the same way.
//!
//! Main function: [`shrink`]. Some failures need luck with threads, so that a smaller case is tried more than once.

use std::time::{Duration, Instant};

use super::asked::{Asked, Format, Mode, Projection, Reasoning};
use super::case::{Case, End};
use super::meant::Subject;
use super::part::Part;
use crate::rich::program::{Body, Rich};

/// How often a failure is looked for.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    /// How often a case is run, at most, before it is taken to be right.
    pub tries: usize,
    /// How long to look for smaller cases.
    pub limit: Duration,
}

/// Whether a case fails with such a statement, in one of some tries.
pub fn fails(case: &Case, what: &str, tries: usize) -> bool {
    (0..tries).any(|_| case.run_with_patience().wrong.iter().any(|wrong| wrong.what == what))
}

/// A smaller case that fails with the same statement, as far as one is found.
pub fn shrink(case: &Case, what: &str, effort: Effort) -> Case {
    let began = Instant::now();
    let mut smallest = case.clone();
    loop {
        let smaller = smaller(&smallest);
        let found = smaller
            .into_iter()
            .find(|case| began.elapsed() < effort.limit && fails(case, what, effort.tries));
        match found {
            Some(case) => smallest = case,
            None => return smallest,
        }
    }
}

/// Cases that are a little smaller, largest steps first.
fn smaller(case: &Case) -> Vec<Case> {
    let mut cases = Vec::new();
    if let Subject::Parts(program) = &case.subject {
        let mut with = |parts: Vec<Part>| {
            let mut less = case.clone();
            less.subject = Subject::Parts(super::program::Program { parts });
            cases.push(less);
        };
        for place in 0..program.parts.len() {
            let mut parts = program.parts.clone();
            parts.remove(place);
            with(parts);
        }
        for (place, part) in program.parts.iter().enumerate() {
            for less in smaller_parts(part) {
                let mut parts = program.parts.clone();
                parts[place] = less;
                with(parts);
            }
        }
    }
    for place in 0..case.options.len() {
        let mut less = case.clone();
        less.options.remove(place);
        // What takes part in a search is part of the failure, and without it others would be asked for.
        let word = &case.options[place];
        if !["--device", "--parallel-mode", "--join-device"].iter().any(|kept| word.starts_with(kept)) {
            cases.push(less);
        }
    }
    for (place, option) in case.options.iter().enumerate() {
        if let Some((name, number)) = option.rsplit_once(['=', ':']) {
            let Ok(number) = number.parse::<u64>() else { continue };
            let separator = &option[name.len()..=name.len()];
            for fewer in [number / 2, number.saturating_sub(1)].into_iter().filter(|&fewer| fewer < number) {
                let mut less = case.clone();
                less.options[place] = format!("{name}{separator}{fewer}");
                cases.push(less);
            }
        }
    }
    cases.extend(smaller_asked(&case.asked).into_iter().map(|asked| Case { asked, ..case.clone() }));
    let fewer = |n: u64| [n / 2, n.saturating_sub(1)].into_iter().filter(move |&fewer| fewer < n);
    let ends: Vec<End> = match case.end {
        End::Never => Vec::new(),
        End::Polls(n) => [End::Never].into_iter().chain(fewer(n).map(End::Polls)).collect(),
        End::Answers(n) => [End::Never].into_iter().chain(fewer(n).map(End::Answers)).collect(),
    };
    cases.extend(ends.into_iter().map(|end| Case { end, ..case.clone() }));
    cases
}

/// Less that is asked for.
fn smaller_asked(asked: &Asked) -> Vec<Asked> {
    let plain = Asked::default();
    let mut all = vec![
        Asked { format: Format::Json, ..asked.clone() },
        Asked { quiet: None, ..asked.clone() },
        Asked { projection: Projection::No, ..asked.clone() },
        Asked { opt_stop: None, ..asked.clone() },
        Asked { time_limit: None, ..asked.clone() },
        Asked { solve_limit: None, ..asked.clone() },
        Asked { reasoning: Reasoning::Enumerate, ..asked.clone() },
        Asked { bound: Vec::new(), ..asked.clone() },
        Asked { mode: Mode::Opt, ..asked.clone() },
        Asked { models: Some(0), ..asked.clone() },
        Asked { models: None, ..asked.clone() },
        plain,
    ];
    if let Some(n @ 2..) = asked.models {
        all.push(Asked { models: Some(n / 2), ..asked.clone() });
        all.push(Asked { models: Some(n - 1), ..asked.clone() });
    }
    let is_same = |less: &Asked| less == asked;
    // No number is more than all of them.
    let is_more = |less: &Asked| asked.models.is_none() && less.models.is_some();
    let undoes = |less: &Asked| asked.models == Some(0) && less.models.is_none();
    all.retain(|less| !is_same(less) && !is_more(less) && !undoes(less));
    all
}

/// Parts that are a little smaller.
fn smaller_parts(part: &Part) -> Vec<Part> {
    match part {
        Part::Rich(program) => smaller_programs(program).into_iter().map(Part::Rich).collect(),
        &Part::Free { atoms, shown } => {
            let fewer = [atoms / 2, atoms.saturating_sub(1)].into_iter().filter(|&fewer| fewer < atoms);
            let fewer = fewer.map(|atoms| Part::Free { atoms, shown });
            fewer.chain((!shown).then_some(Part::Free { atoms, shown: true })).collect()
        }
        &Part::Pigeons { holes, cost } => {
            let fewer = (holes > 1).then_some(Part::Pigeons { holes: holes - 1, cost });
            fewer.into_iter().chain(cost.map(|_| Part::Pigeons { holes, cost: None })).collect()
        }
        Part::Permutation { size, priority, costs } => {
            let (size, priority) = (*size, *priority);
            let mut parts = Vec::new();
            if size > 1 {
                let kept = (0..size * size).filter(|at| at / size < size - 1 && at % size < size - 1);
                let costs = match costs.is_empty() {
                    true => Vec::new(),
                    false => kept.map(|at| costs[at as usize]).collect(),
                };
                parts.push(Part::Permutation { size: size - 1, priority, costs });
            }
            if !costs.is_empty() {
                parts.push(Part::Permutation { size, priority, costs: Vec::new() });
            }
            parts
        }
        Part::Differences { .. } => Vec::new(),
    }
}

/// A program with each statement left out in turn, then with less of each.
fn smaller_programs(program: &Rich) -> Vec<Rich> {
    let mut all = Vec::new();
    /// The list without each of its entries.
    fn without<T: Clone>(list: &[T]) -> impl Iterator<Item = Vec<T>> + '_ {
        (0..list.len()).map(|place| [&list[..place], &list[place + 1..]].concat())
    }
    for rules in without(&program.rules) {
        all.push(Rich { rules, ..program.clone() });
    }
    for minimize in without(&program.minimize) {
        all.push(Rich { minimize, ..program.clone() });
    }
    for externals in without(&program.externals) {
        all.push(Rich { externals, ..program.clone() });
    }
    for heuristics in without(&program.heuristics) {
        all.push(Rich { heuristics, ..program.clone() });
    }
    for edges in without(&program.edges) {
        all.push(Rich { edges, ..program.clone() });
    }
    for outputs in without(&program.outputs) {
        all.push(Rich { outputs, ..program.clone() });
    }
    if program.projection.is_some() {
        all.push(Rich { projection: None, ..program.clone() });
    }
    if !program.assumptions.is_empty() {
        all.push(Rich { assumptions: Vec::new(), ..program.clone() });
    }
    all.extend((1..=program.atoms).filter_map(|atom| without_atom(program, atom)));
    for (place, rule) in program.rules.iter().enumerate() {
        let mut with = |rule| {
            let mut less = program.clone();
            less.rules[place] = rule;
            all.push(less);
        };
        if rule.heads.len() > 1 {
            for heads in without(&rule.heads) {
                with(crate::rich::program::Rule { heads, ..rule.clone() });
            }
        }
        let bodies: Vec<Body> = match &rule.body {
            Body::All(lits) => without(lits).map(Body::All).collect(),
            Body::Sum(bound, lits) => without(lits).map(|lits| Body::Sum(*bound, lits)).collect(),
        };
        // What is left of a constraint must not be an empty one, which says too much.
        for body in bodies {
            with(crate::rich::program::Rule { body, ..rule.clone() });
        }
    }
    for (place, (priority, lits)) in program.minimize.iter().enumerate() {
        let mut with = |lits| {
            let mut less = program.clone();
            less.minimize[place] = (*priority, lits);
            all.push(less);
        };
        without(lits).for_each(&mut with);
        for (at, &(lit, weight)) in lits.iter().enumerate().filter(|(_, (_, weight))| *weight > 1) {
            let mut lighter = lits.clone();
            lighter[at] = (lit, weight / 2);
            with(lighter);
        }
    }
    all
}

/// The program without an atom that nothing but an output mentions.
fn without_atom(program: &Rich, atom: i32) -> Option<Rich> {
    let is_mentioned = || {
        let mut lits: Vec<&i32> = Vec::new();
        for rule in &program.rules {
            lits.extend(&rule.heads);
            match &rule.body {
                Body::All(body) => lits.extend(body),
                Body::Sum(_, body) => lits.extend(body.iter().map(|(lit, _)| lit)),
            }
        }
        lits.extend(program.minimize.iter().flat_map(|(_, lits)| lits.iter().map(|(lit, _)| lit)));
        lits.extend(program.projection.iter().flatten());
        lits.extend(program.externals.iter().map(|(atom, _)| atom));
        lits.extend(&program.assumptions);
        lits.extend(program.heuristics.iter().flat_map(|(_, atom, _, _, when)| when.iter().chain([atom])));
        lits.extend(program.edges.iter().flat_map(|(_, _, when)| when));
        lits.iter().any(|lit| lit.abs() == atom)
    };
    if is_mentioned() {
        return None;
    }
    let moved = |lit: &i32| if lit.abs() > atom { lit - lit.signum() } else { *lit };
    let all = |lits: &[i32]| lits.iter().map(moved).collect::<Vec<_>>();
    let pairs =
        |lits: &[(i32, i64)]| lits.iter().map(|(lit, weight)| (moved(lit), *weight)).collect::<Vec<_>>();
    let mut less = program.clone();
    less.atoms -= 1;
    for rule in &mut less.rules {
        rule.heads = all(&rule.heads);
        rule.body = match &rule.body {
            Body::All(lits) => Body::All(all(lits)),
            Body::Sum(bound, lits) => Body::Sum(*bound, pairs(lits)),
        };
    }
    less.minimize = less.minimize.iter().map(|(priority, lits)| (*priority, pairs(lits))).collect();
    less.projection = less.projection.as_deref().map(all);
    less.outputs.retain(|(_, when)| when.iter().all(|lit| lit.abs() != atom));
    less.outputs = less.outputs.iter().map(|(name, when)| (name.clone(), all(when))).collect();
    less.externals = less.externals.iter().map(|(atom, value)| (moved(atom), *value)).collect();
    less.assumptions = all(&less.assumptions);
    for (_, atom, _, _, when) in &mut less.heuristics {
        (*atom, *when) = (moved(atom), all(when));
    }
    for (_, _, when) in &mut less.edges {
        *when = all(when);
    }
    Some(less)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The number of words that a case has.
    fn size(case: &Case) -> usize {
        case.told().split_whitespace().count()
    }

    #[test]
    fn steps_make_smaller() {
        let kind = super::super::Kind {
            device: solver_host::device::DeviceKind::Cpu,
            joins: solver_host::device::DeviceKind::Simt,
            is_long: false,
            has_differences: false,
        };
        for seed in 0..30 {
            let case = super::super::case(kind, seed);
            let smaller = smaller(&case);
            assert!(!smaller.is_empty() && !smaller.contains(&case), "seed {seed}");
            let less = smaller.iter().filter(|less| size(less) < size(&case)).count();
            assert!(2 * less > smaller.len(), "seed {seed}: {less} of {}", smaller.len());
        }
    }
}
