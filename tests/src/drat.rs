//! A plain checker of DRAT proofs, with which those of small programs are compared (Wetzler, Heule and Hunt 2014).
//!
//! Main function: [`check`]. Each clause has to follow by unit propagation, or has to have the property RAT on its first
//! literal. What follows without assumptions stays, whatever is deleted, as with drat-trim.

use std::collections::HashMap;

/// The clauses of a text in DIMACS.
///
/// # Errors
/// If the text is no such formula.
pub fn formula(text: &str) -> Result<Vec<Vec<i32>>, String> {
    let mut lines = text.lines().filter(|line| !line.starts_with('c'));
    let head = lines.next().ok_or("no formula")?;
    let clauses: Vec<Vec<i32>> = lines.map(clause).collect::<Result<_, _>>()?;
    let most = clauses.iter().flatten().map(|lit| lit.abs()).max().unwrap_or(0);
    let told: Vec<usize> = head.split(' ').filter_map(|word| word.parse().ok()).collect();
    match told[..] {
        [vars, number] if number == clauses.len() && vars >= most as usize => Ok(clauses),
        _ => Err(format!("{head}, and {} clauses with up to {most} variables", clauses.len())),
    }
}

fn clause(line: &str) -> Result<Vec<i32>, String> {
    let numbers: Vec<i32> = line
        .split(' ')
        .map(str::parse)
        .collect::<Result<_, _>>()
        .map_err(|error| format!("{line}: {error}"))?;
    match numbers.split_last() {
        Some((0, lits)) if !lits.contains(&0) => Ok(lits.to_vec()),
        _ => Err(format!("{line}: this is no clause")),
    }
}

/// The clauses, and what follows from them.
struct Clauses {
    clauses: Vec<Vec<i32>>,
    facts: HashMap<i32, bool>,
    is_refuted: bool,
}

impl Clauses {
    fn holds(values: &HashMap<i32, bool>, lit: i32) -> Option<bool> {
        values.get(&lit.abs()).map(|&value| value == (lit > 0))
    }

    /// Propagates over all clauses. Returns whether there is a conflict.
    fn propagate(&self, values: &mut HashMap<i32, bool>) -> bool {
        loop {
            let before = values.len();
            for clause in &self.clauses {
                if clause.iter().any(|&lit| Self::holds(values, lit) == Some(true)) {
                    continue;
                }
                let mut open = clause.iter().filter(|&&lit| Self::holds(values, lit).is_none());
                match (open.next(), open.next()) {
                    (None, _) => return true,
                    (Some(&lit), None) => drop(values.insert(lit.abs(), lit > 0)),
                    _ => {}
                }
            }
            if values.len() == before {
                return false;
            }
        }
    }

    fn settle(&mut self) {
        let mut facts = std::mem::take(&mut self.facts);
        self.is_refuted |= self.propagate(&mut facts);
        self.facts = facts;
    }

    /// Whether a clause follows by unit propagation.
    fn follows(&self, clause: &[i32]) -> bool {
        let mut values = self.facts.clone();
        for &lit in clause {
            match Self::holds(&values, lit) {
                Some(true) => return true,
                Some(false) => {}
                None => drop(values.insert(lit.abs(), lit < 0)),
            }
        }
        self.is_refuted || self.propagate(&mut values)
    }

    /// Whether all resolvents of a clause on its first literal follow.
    fn is_rat(&self, clause: &[i32]) -> bool {
        let Some(&pivot) = clause.first() else { return false };
        self.clauses.iter().filter(|other| other.contains(&-pivot)).all(|other| {
            let rest = other.iter().copied().filter(|&lit| lit != -pivot);
            let resolvent: Vec<i32> = clause.iter().copied().chain(rest).collect();
            resolvent.iter().any(|lit| resolvent.contains(&-lit)) || self.follows(&resolvent)
        })
    }
}

/// Checks a proof. It has to end with the empty clause.
///
/// # Errors
/// Which clause does not follow.
pub fn check(formula: &[Vec<i32>], proof: &str) -> Result<(), String> {
    let mut known = Clauses { clauses: formula.to_vec(), facts: HashMap::new(), is_refuted: false };
    known.settle();
    for (line, number) in proof.lines().zip(1..) {
        let (deletes, line) = line.strip_prefix("d ").map_or((false, line), |rest| (true, rest));
        let clause = clause(line)?;
        if deletes {
            let sorted = |clause: &[i32]| {
                let mut sorted = clause.to_vec();
                sorted.sort_unstable();
                sorted
            };
            let at = known.clauses.iter().position(|other| sorted(other) == sorted(&clause));
            known.clauses.swap_remove(at.ok_or(format!("line {number}: nothing to delete: {line}"))?);
            continue;
        }
        if !known.follows(&clause) && !known.is_rat(&clause) {
            return Err(format!("line {number}: {line} does not follow"));
        }
        if clause.is_empty() {
            return Ok(());
        }
        known.clauses.push(clause);
        known.settle();
    }
    Err("the proof does not end with the empty clause".into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_follow_is_refused() {
        // No two values satisfy all four clauses over two variables.
        let all = formula("p cnf 2 4\n1 2 0\n-1 2 0\n1 -2 0\n-1 -2 0\n").expect("a formula");
        assert_eq!(check(&all, "1 0\n0\n"), Ok(()));
        assert_eq!(check(&all, "3 -1 -2 0\n-3 1 0\n-3 2 0\nd -3 2 0\n2 0\n0\n"), Ok(()));
        for (clauses, proof, told) in [
            (3, "1 0\n0\n", "line 2: 0 does not follow"),
            (4, "d 1 3 0\n", "line 1: nothing to delete"),
            (4, "1 0\n", "does not end"),
            // The first clause defines `3` by `-1`, and the second one does not.
            (2, "3 1 0\n-3 2 0\n-3 -1 0\n-3 0\n0\n", "line 4: -3 0 does not follow"),
            (1, "-1 0\n-2 0\n", "line 1: -1 0 does not follow"),
        ] {
            let why = check(&all[..clauses], proof).expect_err(proof);
            assert!(why.contains(told), "{proof}: {why}");
        }
    }
}
