//! Translates a goal for the search: sums to add to the program's, the order in which to pursue them, and
//! what to report of an answer set.
//!
//! Main type: [`Plan`]. The costs of minimize statements are one sum, with a counter for each priority; the
//! counters are read as digits. Another sum says that some consequence is still unknown. In each [`Phase`] at
//! most one of these sums is the goal that an answer set tightens.
//!
//! Costs on the device are never negative: a negative weight counts for the complement of its literal, and
//! the difference is an offset.
//!
//! Invariant: that all was searched, and that an optimum is one, is said by [`Plan::conclude`] and
//! [`Plan::foresees_end`] alone, which ask for a refutation ([`super::refuted`]).

use crate::answer::AnswerSet;
use crate::campaign::refuted::Refuted;
use crate::campaign::watch::Told;
use crate::goal::{Consequences, Goal, Optimization, Projection, Reasoning};
use solver_gpu::{Lit, Var};
use std::collections::HashSet;
use std::sync::Arc;
use yasmin_ground::program::{Head, Program};
use yasmin_nogoods::Prepared;

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

/// Says that nothing is left to search: every answer set that the goal asks for was found, or there is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AllSearched(());

impl AllSearched {
    /// Of assumptions that exclude each other: no answer set has all literals of the core.
    pub(crate) fn by_core(_core: &[Lit]) -> AllSearched {
        AllSearched(())
    }
}

/// What follows once a phase is refuted.
#[derive(Debug)]
pub enum Conclusion {
    /// The plan's next phase, which every searcher has to begin (see [`Plan::limits`]).
    NextPhase,
    /// Nothing: that was the last phase.
    Over(AllSearched),
}

/// What the counters of an objective may be at most in a phase.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The number of the objective's first counter.
    pub first_counter: u32,
    /// The limits, compared highest priority first.
    pub most: Vec<i64>,
}

/// How a goal is pursued; see the module's documentation. A searcher that joins takes over goal, bound and phase as one
/// value, the plan.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The phase that the search is in.
    phase: Phase,
    /// The number of phases before the present one.
    phases_before: u32,
    /// The phase that follows once no better answer set is found.
    after_optimum: Option<Phase>,
    /// What the objective's counters may be at most in the present phase, if that is not what the problem says.
    limits: Option<Limits>,
    goal: Goal,
    objective: Option<Objective>,
    /// The number of the sum that says that some consequence is unknown.
    consequences: Option<u32>,
    /// Whether each output may be a consequence.
    asked: Vec<bool>,
    /// How many outputs are known before the search to be consequences of all answer sets, and how many of
    /// none.
    sure: (u64, u64),
    /// The literals over the program's atoms in which answer sets have to differ, if not in any.
    projected: Option<Vec<Lit>>,
    /// Whether each output is in the union or intersection so far.
    printed: Option<Vec<bool>>,
    /// The costs of the best answer set.
    best: Option<Vec<i64>>,
    /// The atoms of choice rules, as literals over the program and of the solver, if somebody asks which of
    /// them hold.
    choices: Arc<[(Lit, Lit)]>,
    /// The solver's literals of those that hold in the best answer set.
    chosen: Vec<Lit>,
    /// Whether the best answer set is known to be optimal.
    is_optimum_known: bool,
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
    pub fn prepare(program: &mut Arc<Program>, goal: &Goal) -> Vec<bool> {
        let asked = may_be_consequences(program, goal);
        let about_outputs = goal.reasoning != Reasoning::Enumerate
            || matches!(goal.projection, Projection::Auto | Projection::Show);
        if about_outputs && program.has_long_conditions() {
            Arc::make_mut(program).shorten_conditions();
        }
        asked
    }

    /// Adds what the goal asks for to the translated program. `asked` is the result of [`Self::prepare`].
    pub fn new(program: &Program, asked: Vec<bool>, prepared: &mut Prepared, goal: &Goal) -> Plan {
        let mut plan = Plan {
            phase: Phase::Enumerate,
            phases_before: 0,
            after_optimum: None,
            limits: None,
            goal: goal.clone(),
            objective: None,
            consequences: None,
            asked,
            sure: (0, 0),
            projected: None,
            printed: None,
            best: None,
            choices: Arc::new([]),
            chosen: Vec::new(),
            is_optimum_known: false,
            lower: Vec::new(),
        };
        if prepared.unsatisfiable {
            return plan;
        }
        plan.ask_for_facts(program, prepared);
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

    /// Lets outputs be consequences that hold in every answer set, as preparing has found, though the projection statement
    /// does not name their atoms. clasp does the same. Grounders give the condition of a term an atom of its own, so that
    /// such an output may well be a term.
    fn ask_for_facts(&mut self, program: &Program, prepared: &Prepared) {
        for (output, asked) in program.outputs.iter().zip(&mut self.asked) {
            *asked |= output.condition.iter().all(|&lit| prepared.literal_of(lit) == Lit::TRUE);
        }
    }

    /// Makes the search distinguish answer sets as the goal says.
    fn project(&mut self, program: &Program, prepared: &mut Prepared) {
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
        prepared.project(lits.iter().map(|&lit| prepared.literal_of(lit)).collect::<Vec<_>>().into_iter());
        self.projected = Some(lits);
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

    /// Whether answer sets tighten a goal in some phase.
    pub fn has_goal(&self) -> bool {
        self.goal_sum().is_some() || self.phases_before > 0
    }

    /// The numbers of the sums that answer sets tighten, or that get limits, in any phase.
    pub fn goals(&self) -> Vec<u32> {
        let objective = self.objective.as_ref().map(|objective| objective.sum);
        if self.has_goal() {
            objective.into_iter().chain(self.consequences).collect()
        } else {
            Vec::new()
        }
    }

    /// What an answer set of the present phase has to be, by what was asked for. `lower` are costs that no answer set is
    /// below.
    pub fn told<'a>(&'a self, answer: &'a AnswerSet, lower: &'a [i64]) -> Told<'a> {
        Told {
            answer,
            improves: self.phase == Phase::Improve,
            differs: (self.phase == Phase::Enumerate).then_some(self.projected.as_deref()),
            lower,
            bound: &self.goal.bound,
            consequences: (self.phase == Phase::Narrow).then_some((self.goal.reasoning, &self.asked[..])),
        }
    }

    /// The costs of the best answer set, if they are known to be optimal.
    pub fn optimum(&self) -> Option<&[i64]> {
        self.best.as_deref().filter(|_| self.is_optimum_known)
    }

    /// The costs to report of an answer set. `holds` says which literals over the program's atoms hold.
    pub fn costs(&self, program: &Program, holds: impl Fn(Lit) -> bool) -> Vec<i64> {
        if self.objective.is_none() {
            return Vec::new();
        }
        let cost = |lits: &[(Lit, i64)]| lits.iter().filter(|(l, _)| holds(*l)).map(|&(_, w)| w).sum();
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
            let held = self.choices.iter().filter(|(atom, _)| holds(*atom));
            self.chosen = held.map(|&(_, lit)| lit).collect();
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

    /// The items of the sum of consequences, as the solver's literals, that answer sets have shown to be
    /// known.
    pub fn shown_items(&self, program: &Program, prepared: &Prepared) -> HashSet<Lit> {
        let is_brave = self.goal.reasoning == Reasoning::Brave;
        let Some(printed) = &self.printed else { return HashSet::new() };
        let outputs = program.outputs.iter().enumerate();
        let shown = outputs.filter(|&(i, _)| self.asked[i] && printed[i] == is_brave);
        let lits = shown.filter_map(|(_, output)| output.condition.first());
        lits.map(|&lit| prepared.literal_of(lit)).map(|lit| if is_brave { !lit } else { lit }).collect()
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

    /// The phase that the search is in.
    pub fn phase(&self) -> Phase {
        self.phase
    }

    /// The number of phases before the present one.
    pub fn phases_before(&self) -> u32 {
        self.phases_before
    }

    /// What the objective's counters may be at most in the present phase, if that is not what the problem says.
    pub fn limits(&self) -> Option<&Limits> {
        self.limits.as_ref()
    }

    /// Whether the best answer set that was found is known to be optimal.
    pub fn is_optimum_known(&self) -> bool {
        self.is_optimum_known
    }

    /// Whether no other phase follows.
    pub fn is_last_phase(&self) -> bool {
        self.after_optimum.is_none()
    }

    /// Takes over the costs that the plan of another translation knows: of the best answer set, and
    /// those that no answer set is below. Both plans are in their first phase.
    pub fn goes_on_from(&mut self, other: &Plan) {
        let Some(objective) = &self.objective else { return };
        let lower = objective.counters(&other.lower_bound());
        self.best = other.best.clone();
        self.raise_lower(&lower);
    }

    /// Limits the costs, for searches that begin, to those that are less than the costs of the best answer
    /// set, if there is one.
    pub fn demand_better(&mut self) {
        let (Some(objective), Some(most)) = (&self.objective, self.most_of_better()) else { return };
        self.limits = Some(Limits { first_counter: objective.first_counter, most });
    }

    /// Ends the present phase, in which nothing is left to search, and begins the next one if there is one.
    pub fn conclude(&mut self, refuted: Refuted) -> Conclusion {
        let best = self.best.clone().filter(|_| self.phase == Phase::Improve);
        self.is_optimum_known |= best.is_some();
        let next = best.and_then(|best| self.after_optimum.take().map(|phase| (phase, best)));
        let Some((phase, best)) = next else { return Conclusion::Over(all_searched(refuted)) };
        self.go_on_to(phase, &best);
        Conclusion::NextPhase
    }

    /// Begins a phase in which costs are at most those of the optimum.
    fn go_on_to(&mut self, phase: Phase, optimum: &[i64]) {
        let objective = self.objective.as_ref().expect("something was improved");
        let most = objective.counters(optimum);
        self.limits = Some(Limits { first_counter: objective.first_counter, most });
        self.phase = phase;
        self.phases_before += 1;
    }

    /// The plan of another crew, brought to the phase that has so many phases before it. `best` are the costs of the best
    /// answer set. `None` if there is no such phase.
    pub fn at(mut self, phase: u32, best: Option<Vec<i64>>) -> Option<Plan> {
        while self.phases_before < phase {
            let (next, optimum) = (self.after_optimum.take()?, best.as_ref()?);
            (self.best, self.is_optimum_known) = (best.clone(), true);
            self.go_on_to(next, optimum);
        }
        Some(self)
    }

    /// The literals over the program's atoms in which answer sets have to differ, if not in any.
    pub fn projected(&self) -> Option<&[Lit]> {
        self.projected.as_deref()
    }

    /// The goal.
    pub fn goal(&self) -> &Goal {
        &self.goal
    }

    /// The costs of the best answer set, if there is one and costs count.
    pub fn best(&self) -> Option<&[i64]> {
        self.best.as_deref()
    }

    /// What a refutation of the present phase says before the phase is ended: that all was searched, if no other
    /// phase follows.
    pub fn foresees_end(&self, refuted: Refuted) -> Option<AllSearched> {
        let follows = self.phase == Phase::Improve && self.after_optimum.is_some();
        (!follows).then(|| all_searched(refuted))
    }

    /// Notes from now on which choices lead to the best answer set.
    pub fn note_choices(&mut self, program: &Program, prepared: &Prepared) {
        let atoms = program.heads.iter().filter_map(|head| match head {
            Head::Choice(atom) => Some(Lit::t(*atom)),
            _ => None,
        });
        let both = atoms.map(|atom| (atom, prepared.literal_of(atom)));
        let mut choices: Vec<_> = both.filter(|(_, lit)| !lit.is_constant()).collect();
        choices.sort_unstable_by_key(|&(_, lit)| lit);
        choices.dedup_by_key(|&mut (_, lit)| lit);
        self.choices = choices.into();
    }

    /// The number of atoms of choice rules that are noted.
    pub fn choices(&self) -> usize {
        self.choices.len()
    }

    /// The solver's literals of the atoms of choice rules that hold in the best answer set, if they are
    /// noted.
    pub fn chosen(&self) -> &[Lit] {
        &self.chosen
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

    /// What the objective's counters may be at most in an answer set that is better than the best one.
    pub fn most_of_better(&self) -> Option<Vec<i64>> {
        let mut most = self.best_counters();
        *most.last_mut()? -= 1;
        Some(most)
    }

    /// Notes that others look for answer sets with these counters at most, unless a better one is known.
    pub fn hear_of_better(&mut self, most: &[i64]) {
        let Some(objective) = &self.objective else { return };
        if self.most_of_better().is_none_or(|known| *most < known[..]) {
            let (last, costs) = (most.len() - 1, most.iter().zip(&objective.offset).enumerate());
            self.best = Some(costs.map(|(i, (most, offset))| most + offset + (i == last) as i64).collect());
        }
    }

    /// The values of the objective's counters in the best answer set.
    pub fn best_counters(&self) -> Vec<i64> {
        let (Some(best), Some(objective)) = (&self.best, &self.objective) else { return Vec::new() };
        objective.counters(best)
    }
}

/// Turns the refutation of the last phase into the statement that all was searched.
fn all_searched(_of_the_last_phase: Refuted) -> AllSearched {
    AllSearched(())
}

impl Objective {
    /// The values of the counters of an answer set with these costs.
    fn counters(&self, costs: &[i64]) -> Vec<i64> {
        costs.iter().zip(&self.offset).map(|(cost, offset)| cost - offset).collect()
    }

    fn add(program: &Program, prepared: &mut Prepared, bound: &[i64]) -> Objective {
        let mut offset = Vec::new();
        let mut levels = Vec::new();
        // Costs that are below the bound at one priority are free at all lower ones.
        let mut is_bounded = true;
        for (i, level) in program.minimize.iter().enumerate() {
            let mut sure = 0;
            let mut lits = Vec::new();
            for &(lit, weight) in &level.lits {
                let (lit, mut weight) = (prepared.literal_of(lit), weight);
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
            let lits = yasmin_nogoods::distinct(lits.into_iter(), |common| sure += common);
            prepared.prefer(lits.iter().map(|&(lit, _)| !lit));
            // Counters are from 0 to the sum of all weights, and a limit below 0 allows as little as -1 does. So the
            // device adds up no number of more than 64 bits.
            let all: i64 = lits.iter().map(|&(_, weight)| weight).sum();
            let limit = bound.get(i).map(|&bound| i128::from(bound) - i128::from(sure));
            is_bounded &= limit.is_some_and(|limit| limit <= i128::from(all));
            let most = limit.filter(|_| is_bounded).map_or(all, |limit| limit.max(-1) as i64);
            offset.push(sure);
            levels.push((lits, most));
        }
        // No answer set is within a bound that the least costs exceed. A sum without literals would not notice.
        let decides = levels.iter().map(|&(_, most)| most).find(|&most| most != 0);
        prepared.unsatisfiable |= decides.is_some_and(|most| most < 0);
        let first_counter = prepared.sums.most.len() as u32;
        prepared.sums.push_levels(Lit::TRUE, &levels);
        let levels = levels.into_iter().map(|(lits, _)| lits).collect();
        Objective { sum: prepared.sums.len() as u32 - 1, first_counter, offset, levels }
    }
}

/// Whether each output may be a consequence. With a projection statement, of atoms only those may be that the statement
/// names, as for clasp. A term with a condition that is not one atom is no atom, and may always be one. (clasp prints such
/// a term only if the term holds in every answer set and clasp finds that before the search.)
fn may_be_consequences(program: &Program, goal: &Goal) -> Vec<bool> {
    let stated = program.projection.as_ref().filter(|_| goal.projection != Projection::Show);
    let stated: Option<HashSet<Var>> = stated.map(|atoms| atoms.iter().copied().collect());
    let is_asked = |condition: &[Lit]| match (&stated, condition) {
        (Some(atoms), [lit]) if !lit.is_false_sign() => atoms.contains(&lit.var()),
        _ => true,
    };
    program.outputs.iter().map(|output| is_asked(&output.condition)).collect()
}
