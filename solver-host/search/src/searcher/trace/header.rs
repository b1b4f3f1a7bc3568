//! The first line of a trace: the program, its variables and nogoods, and how it is searched.
//!
//! Main function: [`start`]. The nogoods are read back from the device, so that their numbers are those that
//! the search uses.

use super::events::{numbers, Atom, Counter, Literal, Minimized, Rule, RuleKind, Start, SumNogood, Weight};
use super::names::Names;
use crate::searcher::memory::Memory;
use crate::{Options, Problem};
use solver_gpu::{Lit, Var};
use yasmin_device::DeviceError;
use yasmin_ground::program::{Head, Program};

/// The version of the format of one searcher's trace.
const FORMAT: u32 = 1;

/// The version of the format where events may name their searcher, or variables may be added. Readers of the
/// first version would mix that up.
const FORMAT_OF_MORE: u32 = 2;

/// The first line of the trace of a search.
///
/// # Errors
/// If the device fails.
pub fn start(
    problem: &Problem,
    options: &Options,
    memory: &mut Memory,
    limit: u64,
    searchers: usize,
    is_guided: bool,
) -> Result<Start, DeviceError> {
    let (program, prepared) = (problem.program(), &problem.task.prepared);
    let (start, lits) = memory.nogoods()?;
    let nogoods: Vec<Vec<Lit>> =
        start.windows(2).map(|w| lits[w[0] as usize..w[1] as usize].to_vec()).collect();
    let sums = sums(memory)?;
    let (atoms, variables, bodies) = match prepared.unsatisfiable {
        false => {
            let names = Names::new(program, prepared, &nogoods);
            (names.atoms, names.variables, names.bodies)
        }
        // Nothing is left of it.
        true => (Names::of_unprepared(program), Vec::new(), vec![None; program.bodies()]),
    };
    let literal = |p: usize| match prepared.unsatisfiable {
        true => Literal::Known(false),
        false => prepared.literal_of(Lit::t(Var(p as u32))).into(),
    };
    Ok(Start {
        event: "start",
        format: if searchers > 1 || is_guided { FORMAT_OF_MORE } else { FORMAT },
        solver: format!("yasmin {}", env!("CARGO_PKG_VERSION")),
        device: memory.executor().name(),
        seed: options.seed,
        // In the phase after that of a search beside the others, there is one more of these.
        searchers: (searchers > 1).then_some((searchers + is_guided as usize) as u64),
        options: options.by_name(),
        limit,
        atoms: atoms.into_iter().enumerate().map(|(p, names)| Atom { names, literal: literal(p) }).collect(),
        rules: rules(program, |body| bodies[body].map(Literal::from)),
        weights: program
            .sums
            .iter()
            .map(|sum| Weight {
                atom: atom(sum.atom),
                bound: sum.bound,
                items: sum.lits.iter().map(|&(lit, weight)| (of_program(lit), weight)).collect(),
            })
            .collect(),
        minimize: program
            .minimize
            .iter()
            .map(|level| Minimized {
                priority: level.priority,
                items: level.lits.iter().map(|&(lit, weight)| (of_program(lit), weight)).collect(),
            })
            .collect(),
        variables,
        nogoods: nogoods.iter().map(|nogood| numbers(nogood)).collect(),
        sums,
    })
}

/// All sum nogoods, as they are now.
///
/// # Errors
/// If the device fails.
pub fn sums(memory: &mut Memory) -> Result<Vec<SumNogood>, DeviceError> {
    sums_from(memory, 0)
}

/// The sum nogoods from number `first` on.
///
/// # Errors
/// If the device fails.
pub fn sums_from(memory: &mut Memory, first: u32) -> Result<Vec<SumNogood>, DeviceError> {
    (first..memory.search.problem.sums).map(|s| sum(memory, s)).collect()
}

/// Sum nogood `s`, as it is now.
///
/// # Errors
/// If the device fails.
pub fn sum(memory: &mut Memory, s: u32) -> Result<SumNogood, DeviceError> {
    let (view, own, s) = (memory.search.problem, memory.search.own, s as usize);
    let condition = memory.read(view.sum_condition, s + 1)?[s];
    let items = memory.read(view.sum_start, s + 2)?;
    let (from, end) = (items[s] as usize, items[s + 1] as usize);
    let counters = memory.read(view.sum_counters, s + 2)?;
    let lits = memory.read(view.sum_lit, end)?;
    let of = memory.read(view.sum_counter, end)?;
    let weights = memory.read(own.sum_weight, end)?;
    let most = memory.read(own.sum_most, counters[s + 1] as usize)?;
    let counter = |c: u32| {
        let items = (from..end).filter(|&i| of[i] == c && weights[i] != 0);
        Counter {
            most: most[c as usize],
            items: items.map(|i| (super::events::number(lits[i]), weights[i])).collect(),
        }
    };
    Ok(SumNogood {
        condition: condition.into(),
        counters: (counters[s]..counters[s + 1]).map(counter).collect(),
    })
}

/// The number of an atom of the program.
fn atom(p: Var) -> i64 {
    p.0 as i64 + 1
}

/// A literal over the program's atoms.
fn of_program(lit: Lit) -> i64 {
    lit.signed(atom(lit.var()))
}

/// The program's rules. A choice between several atoms is one rule, as it was written.
fn rules(program: &Program, literal: impl Fn(usize) -> Option<Literal>) -> Vec<Rule> {
    let mut rules: Vec<Rule> = Vec::new();
    let mut last = None;
    for r in program.rule_ids() {
        let body = program.body_of[r.index()];
        let (kind, head) = match program.head(r) {
            Head::Constraint => (RuleKind::Constraint, None),
            Head::Atom(p) => (RuleKind::Normal, Some(p)),
            Head::Choice(p) => (RuleKind::Choice, Some(p)),
        };
        let head = head.map(atom);
        if kind == RuleKind::Choice && last == Some(body) {
            rules.last_mut().expect("there is a last one").head.extend(head);
            continue;
        }
        last = (kind == RuleKind::Choice).then_some(body);
        let lits = program.body(r).iter().map(|&lit| of_program(lit)).collect();
        rules.push(Rule {
            kind,
            head: head.into_iter().collect(),
            body: lits,
            literal: literal(body.index()),
        });
    }
    rules.extend(program.disjunctions.iter().map(|rule| Rule {
        kind: RuleKind::Disjunction,
        head: rule.heads.iter().map(|&p| atom(p)).collect(),
        body: program.body_lits_of(rule.body).iter().map(|&lit| of_program(lit)).collect(),
        literal: literal(rule.body.index()),
    }));
    rules
}
