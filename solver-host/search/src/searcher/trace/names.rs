//! What the solver's variables stand for, in the program's names.
//!
//! Main type: [`Names`]. Preparing a program renames and merges: in `a :- not b. b :- not a.` one variable
//! stands for `a` and for `not b`, and the atom of a single rule stands for the rule's body as well. What an
//! atom has become is known. What a body has become is read off the nogoods, which stay right whatever
//! preprocessing did: a literal `y` is the conjunction of `L` if `{not y} + L` is a nogood, and `{y, not l}`
//! is one for each `l` in `L`.
//!
//! Invariant: whatever a name says holds in each answer set if and only if the literal does.

use crate::campaign::guide::{Addition, Additions};
use solver_gpu::{Lit, Var};
use std::collections::{HashMap, HashSet};
use yasmin_ground::ids::BodyId;
use yasmin_ground::program::{Program, Sum};
use yasmin_nogoods::Prepared;

/// The names of a prepared program.
pub struct Names {
    /// The names of each atom of the program; at least one.
    pub atoms: Vec<Vec<String>>,
    /// For each variable what its literal `T` stands for.
    pub variables: Vec<Vec<String>>,
    /// For each body of the program the literal that stands for it, if there is one.
    pub bodies: Vec<Option<Lit>>,
}

impl Names {
    /// The names of `program`, of which `prepared` was made, with these nogoods.
    pub fn new(program: &Program, prepared: &Prepared, nogoods: &[Vec<Lit>]) -> Names {
        let atoms = names_of_atoms(program);
        let mut variables = vec![Vec::new(); prepared.vars as usize];
        let mut is_atom = vec![false; prepared.vars as usize];
        for (names, &lit) in atoms.iter().zip(prepared.atom_lit.iter()).filter(|(_, lit)| !lit.is_constant())
        {
            is_atom[lit.var().0 as usize] = true;
            add(&mut variables, lit, names.iter().cloned());
        }
        for &(atom, var) in &prepared.fixed_atoms {
            is_atom[var.0 as usize] = true;
            add(&mut variables, Lit::t(var), atoms[atom.0 as usize].iter().cloned());
        }
        let conjunctions = Conjunctions::find(nogoods, &is_atom);
        let bodies = (0..program.bodies()).map(BodyId::new);
        let bodies: Vec<Option<Lit>> = bodies
            .map(|b| {
                let body = program.body_lits_of(b);
                let lits: HashSet<Lit> = body.iter().map(|&lit| prepared.literal_of(lit)).collect();
                if lits.contains(&Lit::FALSE) || lits.iter().any(|&lit| lits.contains(&!lit)) {
                    return Some(Lit::FALSE);
                }
                let mut lits: Vec<Lit> = lits.into_iter().filter(|&lit| lit != Lit::TRUE).collect();
                lits.sort_unstable();
                let found = match lits[..] {
                    [] => return Some(Lit::TRUE),
                    [lit] => return Some(lit),
                    _ => conjunctions.literal_of.get(&lits).copied(),
                };
                if let Some(lit) = found {
                    let texts: Vec<String> = body.iter().map(|&lit| first_of(&atoms, lit)).collect();
                    add(&mut variables, lit, std::iter::once(format!("{{{}}}", texts.join(", "))));
                }
                found
            })
            .collect();
        // What is left are parts of bodies, in which atoms have names by now.
        for v in (0..prepared.vars).map(Var) {
            if !variables[v.0 as usize].is_empty() {
                continue;
            }
            let parts = conjunctions.lits_of.get(&Lit::t(v));
            let texts =
                parts.map(|lits| lits.iter().map(|&lit| first_of(&variables, lit)).collect::<Vec<_>>());
            variables[v.0 as usize].push(match texts {
                Some(texts) => format!("{{{}}}", texts.join(", ")),
                None => format!("auxiliary {}", v.0 + 1),
            });
        }
        for names in &mut variables {
            let mut seen = HashSet::new();
            names.retain(|name| seen.insert(name.clone()));
        }
        Names { atoms, variables, bodies }
    }

    /// The names of the atoms alone, of a program that preparing found to have no answer set.
    pub fn of_unprepared(program: &Program) -> Vec<Vec<String>> {
        names_of_atoms(program)
    }
}

/// Adds names of `lit` to what its variable stands for.
fn add(variables: &mut [Vec<String>], lit: Lit, names: impl Iterator<Item = String>) {
    variables[lit.var().0 as usize].extend(names.map(|name| signed(lit, name)));
}

/// The name of a literal, by that of its variable.
fn signed(lit: Lit, name: String) -> String {
    match name.strip_prefix("not ") {
        _ if !lit.is_false_sign() => name,
        Some(positive) => positive.to_string(),
        None => format!("not {name}"),
    }
}

/// A name of a literal of the solver.
fn first_of(variables: &[Vec<String>], lit: Lit) -> String {
    let name = variables[lit.var().0 as usize].first().cloned();
    signed(lit, name.unwrap_or_else(|| format!("auxiliary {}", lit.var().0 + 1)))
}

/// The names of each atom: what is printed if and only if the atom holds, else the weight constraint that the
/// atom stands for, else its number in the program as `--pre` writes it.
fn names_of_atoms(program: &Program) -> Vec<Vec<String>> {
    let mut names: Vec<Vec<String>> = vec![Vec::new(); program.atoms as usize];
    for output in &program.outputs {
        if let &[lit] = &output.condition[..] {
            if !lit.is_false_sign() && !output.name.is_empty() {
                names[lit.var().0 as usize].push(output.name.clone());
            }
        }
    }
    let named = |names: &mut Vec<Vec<String>>, except: &[bool]| {
        for (p, name) in names.iter_mut().enumerate().filter(|(p, name)| name.is_empty() && !except[*p]) {
            name.push(format!("atom {}", p + 1));
        }
    };
    let mut is_sum = vec![false; program.atoms as usize];
    program.sums.iter().for_each(|sum| is_sum[sum.atom.0 as usize] = true);
    named(&mut names, &is_sum);
    // A sum may count another sum's atom.
    for sum in &program.sums {
        if names[sum.atom.0 as usize].is_empty() {
            let name = of_sum(&names, sum);
            names[sum.atom.0 as usize].push(name);
        }
    }
    names
}

/// A weight constraint as it is written.
fn of_sum(names: &[Vec<String>], sum: &Sum) -> String {
    let lit = |lit: Lit| {
        let name = names[lit.var().0 as usize].first().cloned();
        signed(lit, name.unwrap_or_else(|| format!("atom {}", lit.var().0 + 1)))
    };
    let counts = sum.lits.iter().all(|&(_, weight)| weight == 1);
    let items = sum.lits.iter().map(|&(item, weight)| match counts {
        true => lit(item),
        false => format!("{weight}: {}", lit(item)),
    });
    let items: Vec<String> = items.collect();
    format!("{}{{{}}} >= {}", if counts { "#count" } else { "#sum" }, items.join("; "), sum.bound)
}

/// Items of a sum that the name of an added variable has at most.
const MOST_ITEMS: usize = 8;

/// Letters of an item in the name of an added variable, at most. A longer one is told by its variable.
const MOST_LETTERS: usize = 40;

/// Appends what variables stand for that are added to a search, where `names` has those of the variables
/// before.
pub fn extend(names: &mut Vec<Vec<String>>, additions: &Additions) {
    let first = names.len();
    for v in first..first + additions.vars as usize {
        let is_about = |sum: &&Addition| {
            let (Addition::Defined(lit, ..) | Addition::Nogood(lit, ..)) = sum;
            !lit.is_constant() && lit.var().0 as usize == v
        };
        let name = match additions.sums.iter().find(is_about) {
            Some(Addition::Defined(lit, bound, items)) => {
                signed(*lit, format!("{} >= {bound}", of_added(names, items)))
            }
            // If the literal holds, so does the sum; if not, that says nothing.
            Some(Addition::Nogood(lit, items, most)) => {
                let sign = if lit.is_false_sign() { "no guess" } else { "guess" };
                format!("{sign} {} <= {most}", of_added(names, items))
            }
            None => format!("auxiliary {}", v + 1),
        };
        names.push(vec![name]);
    }
}

/// A sum that an added variable is about, as it is written.
fn of_added(names: &[Vec<String>], all: &[(Lit, i64)]) -> String {
    let counts = all.iter().all(|&(_, weight)| weight == 1);
    let item = |&(lit, weight): &(Lit, i64)| {
        let mut name = first_of(names, lit);
        if name.chars().count() > MOST_LETTERS {
            name = signed(lit, format!("variable {}", lit.var().0 + 1));
        }
        if counts {
            name
        } else {
            format!("{weight}: {name}")
        }
    };
    let mut items: Vec<String> = all.iter().take(MOST_ITEMS).map(item).collect();
    if all.len() > items.len() {
        items.push(format!("and {} more", all.len() - items.len()));
    }
    format!("{}{{{}}}", if counts { "#count" } else { "#sum" }, items.join("; "))
}

/// Literals that are conjunctions, by the nogoods.
struct Conjunctions {
    /// The literal of each sorted conjunction of two or more literals.
    literal_of: HashMap<Vec<Lit>, Lit>,
    /// The sorted conjunction that each literal of an auxiliary is.
    lits_of: HashMap<Lit, Vec<Lit>>,
}

impl Conjunctions {
    /// Finds them. Auxiliaries within a conjunction are replaced by what they are.
    fn find(nogoods: &[Vec<Lit>], is_atom: &[bool]) -> Conjunctions {
        let mut pairs = HashSet::new();
        for pair in nogoods.iter().filter(|nogood| nogood.len() == 2) {
            pairs.extend([(pair[0], pair[1]), (pair[1], pair[0])]);
        }
        let mut found: Vec<(Lit, &Vec<Lit>)> = Vec::new();
        let mut of_auxiliary: HashMap<Lit, &Vec<Lit>> = HashMap::new();
        for nogood in nogoods.iter().filter(|nogood| nogood.len() >= 2) {
            for &x in nogood {
                let others = || nogood.iter().filter(move |&&lit| lit != x);
                if others().all(|&lit| pairs.contains(&(!x, !lit))) {
                    if !is_atom[x.var().0 as usize] {
                        of_auxiliary.entry(!x).or_insert(nogood);
                    }
                    if nogood.len() > 2 {
                        found.push((!x, nogood));
                    }
                }
            }
        }
        let mut conjunctions = Conjunctions { literal_of: HashMap::new(), lits_of: HashMap::new() };
        for &auxiliary in of_auxiliary.keys() {
            let lits = expanded(auxiliary, &of_auxiliary);
            if lits != [auxiliary] {
                conjunctions.lits_of.insert(auxiliary, lits);
            }
        }
        for (lit, nogood) in found {
            let mut lits: Vec<Lit> = nogood
                .iter()
                .filter(|&&other| other != !lit)
                .flat_map(|other| conjunctions.lits_of.get(other).cloned().unwrap_or_else(|| vec![*other]))
                .collect();
            lits.sort_unstable();
            lits.dedup();
            conjunctions.literal_of.entry(lits).or_insert(lit);
        }
        for (&lit, lits) in &conjunctions.lits_of {
            if lits.len() > 1 {
                conjunctions.literal_of.entry(lits.clone()).or_insert(lit);
            }
        }
        conjunctions
    }
}

/// The literals of atoms whose conjunction a literal of an auxiliary is, as far as is known; sorted.
fn expanded(lit: Lit, of_auxiliary: &HashMap<Lit, &Vec<Lit>>) -> Vec<Lit> {
    let (mut lits, mut seen, mut stack) = (Vec::new(), HashSet::from([lit]), vec![lit]);
    while let Some(lit) = stack.pop() {
        match of_auxiliary.get(&lit) {
            Some(nogood) => {
                let parts: Vec<Lit> = nogood.iter().copied().filter(|&other| other != !lit).collect();
                // Equivalent auxiliaries are defined by each other.
                if parts.iter().all(|part| seen.contains(part)) {
                    lits.push(lit);
                }
                stack.extend(parts.into_iter().filter(|&part| seen.insert(part)));
            }
            None => lits.push(lit),
        }
    }
    lits.sort_unstable();
    lits.dedup();
    lits
}
