//! Translates a goal for the search: sums to add to the program's, the order in which to pursue them, and
//! what to report of an answer set.
//!
//! Main type: [`Plan`]. The costs of minimize statements are one sum, with a counter for each priority; the
//! counters are read as digits. Another sum says that some consequence is still unknown. In each [`Phase`] at
//! most one of these sums is the goal that an answer set tightens.
//!
//! Costs on the device are never negative: a negative weight counts for the complement of its literal, and
//! the difference is an offset.

use super::goal::{Consequences, Goal, Optimization, Projection, Reasoning};
use crate::nogoods::Prepared;
use crate::program::Program;
use solver_gpu::{Lit, Var};
use std::collections::HashSet;

/// The costs of each priority, highest first: literals with positive weights. A cost is the weight of those that
/// hold.
pub type Levels = Vec<Vec<(Lit, i64)>>;

/// What the search looks for after an answer set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// The next answer set.
    Enumerate,
    /// A better answer set.
    Improve,
    /// An answer set that says more about the consequences.
    Narrow,
}

/// How a goal is pursued; see the module's documentation.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The phase that the search is in.
    pub phase: Phase,
    /// The phase that follows once no better answer set is found.
    pub after_optimum: Option<Phase>,
    goal: Goal,
    objective: Option<Objective>,
    /// The number of the sum that says that some consequence is unknown.
    consequences: Option<u32>,
    /// Whether each output may be a consequence.
    asked: Vec<bool>,
    /// How many outputs are known before the search to be consequences of all answer sets, and how many of
    /// none.
    sure: (u64, u64),
    /// Whether each output is in the union or intersection so far.
    printed: Option<Vec<bool>>,
    /// The costs of the best answer set.
    best: Option<Vec<i64>>,
    /// Whether the best answer set is known to be optimal.
    pub is_optimum_known: bool,
    /// Values of the objective's counters that no answer set is below, compared highest priority first.
    lower: Vec<i64>,
}

/// The sum of the minimize statements.
#[derive(Clone, Debug)]
struct Objective {
    sum: u32,
    first_counter: u32,
    /// The offset of each counter: the costs are the counter plus the offset.
    offset: Vec<i64>,
    /// The literals of each counter with their weights, which are positive.
    levels: Levels,
}

impl Plan {
    /// Gives an atom to each long condition of an output, if the goal asks about outputs. Returns which
    /// outputs may be consequences. This must be done before the program is translated.
    pub fn prepare(program: &mut Program, goal: &Goal) -> Vec<bool> {
        let asked = may_be_consequences(program, goal);
        let about_outputs = goal.reasoning != Reasoning::Enumerate
            || matches!(goal.projection, Projection::Auto | Projection::Show);
        if about_outputs {
            program.shorten_conditions();
        }
        asked
    }

    /// Adds what the goal asks for to the translated program. `asked` is the result of [`Self::prepare`].
    pub fn new(program: &Program, asked: Vec<bool>, prepared: &mut Prepared, goal: &Goal) -> Plan {
        let mut plan = Plan {
            phase: Phase::Enumerate,
            after_optimum: None,
            goal: goal.clone(),
            objective: None,
            consequences: None,
            asked,
            sure: (0, 0),
            printed: None,
            best: None,
            is_optimum_known: false,
            lower: Vec::new(),
        };
        if prepared.unsatisfiable {
            return plan;
        }
        let minimizes = !program.minimize.is_empty() && goal.optimization != Optimization::Ignore;
        if minimizes {
            plan.objective = Some(Objective::add(program, prepared, &goal.bound));
        }
        let asks = goal.reasoning != Reasoning::Enumerate;
        if asks {
            plan.sure = plan.known_beforehand(program, prepared);
            plan.consequences = Some(plan.add_consequences(program, prepared));
            plan.phase = Phase::Narrow;
        } else {
            plan.project(program, prepared);
        }
        match goal.optimization {
            Optimization::Opt | Optimization::OptN if minimizes => {
                // The consequences are those of the optimal answer sets.
                plan.after_optimum = (goal.optimization == Optimization::OptN || asks).then_some(plan.phase);
                plan.phase = Phase::Improve;
            }
            _ => {}
        }
        plan
    }

    /// Makes the search distinguish answer sets as the goal says.
    fn project(&self, program: &Program, prepared: &mut Prepared) {
        let stated = program.projection.as_ref().filter(|_| self.goal.projection != Projection::Show);
        let lits: Vec<Lit> = match (self.goal.projection, stated) {
            (Projection::No, _) => return,
            (_, Some(atoms)) => atoms.iter().map(|&p| Lit::t(p)).collect(),
            // Without a statement there is nothing to project on: all answer sets count as one.
            (Projection::Project, None) => Vec::new(),
            // As for clasp, a name that begins with an underscore is auxiliary.
            _ => {
                let names = program.outputs.iter().filter(|output| !output.name.starts_with('_'));
                names.flat_map(|output| output.condition.iter().copied()).collect()
            }
        };
        let lits: Vec<Lit> = lits.into_iter().map(|lit| prepared.literal_of(lit)).collect();
        prepared.project(lits.into_iter());
    }

    /// How many outputs that may be consequences hold in every answer set, and how many in none, as far as
    /// the translation found.
    fn known_beforehand(&self, program: &Program, prepared: &Prepared) -> (u64, u64) {
        let asked = program.outputs.iter().zip(&self.asked).filter(|(_, asked)| **asked);
        let (mut always, mut never) = (0, 0);
        for (output, _) in asked {
            match output.condition.first().map_or(Lit::TRUE, |&lit| prepared.literal_of(lit)) {
                Lit::TRUE => always += 1,
                Lit::FALSE => never += 1,
                _ => {}
            }
        }
        (always, never)
    }

    /// Adds the sum that says that something about the outputs is still unknown. At first anything is
    /// possible.
    fn add_consequences(&self, program: &Program, prepared: &mut Prepared) -> u32 {
        let is_brave = self.goal.reasoning == Reasoning::Brave;
        let asked = program.outputs.iter().zip(&self.asked).filter(|(_, asked)| **asked);
        let conditions = asked.filter_map(|(output, _)| output.condition.first());
        let mut lits: Vec<Lit> = conditions.map(|&lit| prepared.literal_of(lit)).collect();
        lits.retain(|lit| !lit.is_constant());
        lits.sort_unstable();
        lits.dedup();
        let most = lits.len() as i64;
        let items = lits.into_iter().map(|lit| (if is_brave { !lit } else { lit }, 1));
        prepared.sums.push(Lit::TRUE, items, most);
        prepared.sums.len() as u32 - 1
    }

    /// The number of the sum that answer sets tighten in this phase.
    pub fn goal_sum(&self) -> Option<u32> {
        match self.phase {
            Phase::Enumerate => None,
            Phase::Improve => self.objective.as_ref().map(|objective| objective.sum),
            Phase::Narrow => self.consequences,
        }
    }

    /// The costs to report of an answer set. `holds` says which literals over the program's atoms hold.
    pub fn costs(&self, program: &Program, holds: impl Fn(Lit) -> bool) -> Vec<i64> {
        if self.objective.is_none() {
            return Vec::new();
        }
        let cost = |lits: &[(Lit, i32)]| lits.iter().filter(|(l, _)| holds(*l)).map(|&(_, w)| w as i64).sum();
        program.minimize.iter().map(|level| cost(&level.lits)).collect()
    }

    /// Whether answer sets have costs.
    pub fn has_costs(&self) -> bool {
        self.objective.is_some()
    }

    /// What it says of an answer set whether an output is a consequence so far. A brave one may be an earlier
    /// answer set's, and what is no cautious one may hold in this answer set.
    pub fn says(&self, output: usize, is_consequence: bool) -> Option<bool> {
        let says = match self.goal.reasoning {
            Reasoning::Brave => !is_consequence && self.asked[output],
            _ => is_consequence,
        };
        says.then_some(is_consequence)
    }

    /// Records an answer set.
    pub fn note(&mut self, program: &Program, costs: &[i64], holds: impl Fn(Lit) -> bool) {
        if self.phase == Phase::Improve {
            self.best = Some(costs.to_vec());
        }
        if self.phase == Phase::Narrow {
            let is_brave = self.goal.reasoning == Reasoning::Brave;
            let asked = &self.asked;
            let printed =
                self.printed.get_or_insert_with(|| asked.iter().map(|asked| *asked && !is_brave).collect());
            for (i, is_printed) in printed.iter_mut().enumerate() {
                let now = asked[i] && program.outputs[i].condition.iter().all(|&lit| holds(lit));
                *is_printed = if is_brave { *is_printed || now } else { *is_printed && now };
            }
        }
    }

    /// Whether an answer set is better than the best one so far, or says more about the consequences. Every
    /// answer set is, if neither is looked for.
    pub fn is_news(&self, program: &Program, holds: impl Fn(Lit) -> bool) -> bool {
        match self.phase {
            Phase::Enumerate => true,
            Phase::Improve => self.best.as_ref().is_none_or(|best| self.costs(program, holds) < *best),
            Phase::Narrow => {
                let is_brave = self.goal.reasoning == Reasoning::Brave;
                let Some(printed) = &self.printed else { return true };
                let mut asked = printed.iter().enumerate().filter(|&(i, _)| self.asked[i]);
                asked.any(|(i, &is_printed)| {
                    is_printed != is_brave
                        && program.outputs[i].condition.iter().all(|&lit| holds(lit)) == is_brave
                })
            }
        }
    }

    /// Whether each output is printed. `None` if the answer set itself decides that.
    pub fn printed(&self) -> Option<&[bool]> {
        self.printed.as_deref().filter(|_| self.phase == Phase::Narrow)
    }

    /// How far the consequences are known after the last recorded answer set.
    pub fn consequences(&self) -> Option<Consequences> {
        let printed = self.printed()?.iter().filter(|&&is_printed| is_printed).count() as u64;
        Some(match self.goal.reasoning {
            Reasoning::Brave => {
                let asked = self.asked.iter().filter(|&&asked| asked).count() as u64;
                Consequences { known: printed, open: asked - printed - self.sure.1 }
            }
            _ => Consequences { known: self.sure.0, open: printed - self.sure.0 },
        })
    }

    /// Starts the next phase once the search space is exhausted, if there is one. Returns the number of the
    /// objective's first counter, and the most that its counters may reach in that phase.
    pub fn next_phase(&mut self) -> Option<(u32, Vec<i64>)> {
        let best = self.best.clone().filter(|_| self.phase == Phase::Improve)?;
        self.is_optimum_known = true;
        self.phase = self.after_optimum.take()?;
        let objective = self.objective.as_ref().expect("something was improved");
        let most = best.iter().zip(&objective.offset).map(|(cost, offset)| cost - offset);
        Some((objective.first_counter, most.collect()))
    }

    /// Whether another phase follows once the search space is exhausted.
    pub fn has_next_phase(&self) -> bool {
        self.phase == Phase::Improve && self.after_optimum.is_some()
    }

    /// Costs that no answer set is below.
    pub fn lower_bound(&self) -> Vec<i64> {
        let Some(objective) = &self.objective else { return Vec::new() };
        let more = self.lower.iter().copied().chain(std::iter::repeat(0));
        objective.offset.iter().zip(more).map(|(offset, more)| offset + more).collect()
    }

    /// Notes values of the objective's counters that no answer set is below.
    pub fn raise_lower(&mut self, lower: &[i64]) {
        if *lower > self.lower[..] {
            self.lower = lower.to_vec();
        }
        // A refutation speaks of answer sets that are better than the best one.
        if let Some(best) = self.best.is_some().then(|| self.best_counters()) {
            if self.lower > best {
                self.lower = best;
            }
        }
    }

    /// The literals of each priority's costs with their weights, highest priority first.
    pub fn cost_levels(&self) -> Levels {
        self.objective.as_ref().map_or(Vec::new(), |objective| objective.levels.clone())
    }

    /// The values of the objective's counters in the best answer set.
    pub fn best_counters(&self) -> Vec<i64> {
        let (Some(best), Some(objective)) = (&self.best, &self.objective) else { return Vec::new() };
        best.iter().zip(&objective.offset).map(|(cost, offset)| cost - offset).collect()
    }
}

impl Objective {
    /// No bound: a number so far from the largest one that no sum overflows.
    const ANY: i64 = i64::MAX / 4;

    fn add(program: &Program, prepared: &mut Prepared, bound: &[i64]) -> Objective {
        let mut offset = Vec::new();
        let mut levels = Vec::new();
        for (i, level) in program.minimize.iter().enumerate() {
            let mut sure = 0;
            let mut lits = Vec::new();
            for &(lit, weight) in &level.lits {
                let (lit, mut weight) = (prepared.literal_of(lit), weight as i64);
                let mut counted = lit;
                if weight < 0 {
                    // `l = -3` is `not l = 3`, less 3.
                    sure += weight;
                    (counted, weight) = (!lit, -weight);
                }
                match counted {
                    Lit::TRUE => sure += weight,
                    Lit::FALSE => {}
                    _ => lits.push((counted, weight)),
                }
            }
            let lits = crate::nogoods::distinct(lits.into_iter(), |common| sure += common);
            prepared.prefer(lits.iter().map(|&(lit, _)| !lit));
            let most = bound.get(i).map_or(Self::ANY, |bound| bound.saturating_sub(sure).min(Self::ANY));
            offset.push(sure);
            levels.push((lits, most));
        }
        let first_counter = prepared.sums.most.len() as u32;
        prepared.sums.push_levels(Lit::TRUE, &levels);
        let levels = levels.into_iter().map(|(lits, _)| lits).collect();
        Objective { sum: prepared.sums.len() as u32 - 1, first_counter, offset, levels }
    }
}

/// Whether each output may be a consequence. With a projection statement only the atoms that it names may be,
/// as for clasp. (clasp also prints atoms that it finds to be true before the search.)
fn may_be_consequences(program: &Program, goal: &Goal) -> Vec<bool> {
    let stated = program.projection.as_ref().filter(|_| goal.projection != Projection::Show);
    let stated: Option<HashSet<Var>> = stated.map(|atoms| atoms.iter().copied().collect());
    let is_asked = |&lit: &Lit| match &stated {
        None => true,
        Some(atoms) => !lit.is_false_sign() && atoms.contains(&lit.var()),
    };
    program.outputs.iter().map(|output| output.condition.iter().all(is_asked)).collect()
}
