//! A plain checker of LRAT proofs, with which those of small programs are compared (Cruz-Filipe et al. 2017).
//!
//! Main function: [`check`]. Each clause has to follow by the clauses that its line names, in their order,
//! or has to have the property RAT on its first literal.

use std::collections::{BTreeMap, BTreeSet};

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
        Some((0, lits)) if !lits.contains(&0) && is_plain(lits) => Ok(lits.to_vec()),
        _ => Err(format!("{line}: this is no clause")),
    }
}

/// Whether all variables differ: not all checkers take other clauses.
fn is_plain(lits: &[i32]) -> bool {
    lits.iter().map(|lit| lit.abs()).collect::<BTreeSet<i32>>().len() == lits.len()
}

/// What a clause follows from: the numbers of clauses.
type Hints<'a> = &'a [i64];

/// The clauses by their numbers.
type Clauses = BTreeMap<i64, Vec<i32>>;

/// Whether the hints lead to a conflict if literals hold. Each has to be unit when its turn comes.
fn leads(clauses: &Clauses, held: &mut BTreeSet<i32>, hints: Hints) -> Result<bool, String> {
    for hint in hints {
        let clause = clauses.get(hint).ok_or(format!("there is no clause {hint}"))?;
        let open: Vec<i32> = clause.iter().copied().filter(|lit| !held.contains(&-lit)).collect();
        match open[..] {
            [] => return Ok(true),
            [lit] if held.insert(lit) => {}
            [_] => return Err(format!("clause {hint} holds already")),
            _ => return Err(format!("clause {hint} is not unit")),
        }
    }
    Ok(false)
}

/// Whether a clause follows by the hints, or all of its resolvents on the first literal do.
fn is_right(clauses: &Clauses, clause: &[i32], hints: Hints) -> Result<bool, String> {
    let mut held: BTreeSet<i32> = clause.iter().map(|lit| -lit).collect();
    let first = hints.iter().position(|&hint| hint < 0).unwrap_or(hints.len());
    if leads(clauses, &mut held, &hints[..first])? {
        return Ok(true);
    }
    let Some(&pivot) = clause.first() else { return Ok(false) };
    let mut parts: BTreeMap<i64, Hints> = BTreeMap::new();
    for part in hints[first..].chunk_by(|_, &next| next > 0) {
        parts.insert(-part[0], &part[1..]);
    }
    for (id, other) in clauses.iter().filter(|(_, other)| other.contains(&-pivot)) {
        let hints = parts.get(id).ok_or(format!("nothing is said of clause {id}"))?;
        let mut rest = other.iter().filter(|&&lit| lit != -pivot);
        if !rest.clone().any(|lit| held.contains(lit)) {
            let mut held: BTreeSet<i32> = held.iter().copied().chain(rest.by_ref().map(|lit| -lit)).collect();
            if !leads(clauses, &mut held, hints)? {
                return Ok(false);
            }
        }
    }
    Ok(true)
}

/// Checks a proof. It has to end with the empty clause.
///
/// # Errors
/// Which clause does not follow.
pub fn check(formula: &[Vec<i32>], proof: &str) -> Result<(), String> {
    let mut clauses: Clauses = (1..).zip(formula.iter().cloned()).collect();
    let mut last = formula.len() as i64;
    for line in proof.lines() {
        let wrong = |why: String| format!("{line}: {why}");
        let (id, rest) = line.split_once(' ').ok_or_else(|| wrong("this is no line".into()))?;
        let numbers = |text: &str| text.split(' ').map(str::parse).collect::<Result<Vec<i64>, _>>();
        if let Some(gone) = rest.strip_prefix("d ") {
            for id in
                numbers(gone).map_err(|error| wrong(error.to_string()))?.iter().take_while(|&&id| id > 0)
            {
                clauses.remove(id).ok_or_else(|| wrong("nothing to delete".into()))?;
            }
            continue;
        }
        let id = id.parse().map_err(|_| wrong("this is no number".into()))?;
        let rest = numbers(rest).map_err(|error| wrong(error.to_string()))?;
        let Some((lits, [hints @ .., 0])) = rest
            .iter()
            .position(|&lit| lit == 0)
            .map(|at| (rest[..at].iter().map(|&lit| lit as i32).collect::<Vec<i32>>(), &rest[at + 1..]))
        else {
            return Err(wrong("this is no line".into()));
        };
        if !is_plain(&lits) {
            return Err(wrong("a variable comes twice".into()));
        }
        if id <= last {
            return Err(wrong("the numbers do not rise".into()));
        }
        if !is_right(&clauses, &lits, hints).map_err(wrong)? {
            return Err(wrong("this does not follow".into()));
        }
        if lits.is_empty() {
            return Ok(());
        }
        last = id;
        clauses.insert(id, lits);
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
        assert_eq!(check(&all, "5 1 0 1 3 0\n6 0 5 2 4 0\n"), Ok(()));
        let defined = "5 3 -1 -2 0 0\n6 -3 1 0 -5 0\n7 -3 2 0 -5 0\n7 d 7 0\n8 2 0 1 2 0\n9 0 8 3 4 0\n";
        assert_eq!(check(&all, defined), Ok(()));
        for (clauses, proof, told) in [
            (3, "5 1 0 1 3 0\n6 0 5 2 4 0\n", "6 0 5 2 4 0: there is no clause 4"),
            (4, "5 d 5 0\n", "nothing to delete"),
            (4, "5 1 0 1 3 0\n", "does not end"),
            (4, "5 1 0 1 3 0\n6 0 2 5 4 0\n", "clause 2 is not unit"),
            (4, "5 1 0 1 3 0\n6 -1 2 0 5 4 0\n", "clause 5 holds already"),
            (4, "5 1 0 3 0\n", "5 1 0 3 0: nothing is said of clause 2"),
            (4, "4 1 0 1 3 0\n", "the numbers do not rise"),
            (4, "5 1 1 0 1 3 0\n", "a variable comes twice"),
            // The second clause does not define `3` as the first one does.
            (2, "5 3 1 0 0\n6 -3 2 0 -5 0\n", "6 -3 2 0 -5 0: this does not follow"),
            (1, "5 -2 0 0\n", "nothing is said of clause 1"),
        ] {
            let why = check(&all[..clauses], proof).expect_err(proof);
            assert!(why.contains(told), "{proof}: {why}");
        }
        let twice = formula("p cnf 2 1\n1 2 1 0\n").expect_err("no variable twice");
        assert_eq!(twice, "1 2 1 0: this is no clause");
    }
}
