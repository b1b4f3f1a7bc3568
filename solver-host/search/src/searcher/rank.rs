//! Initial ranks of variables, one for each heuristic (paper, section 4: occurrences, Jeroslow-Wang,
//! activity).

use crate::options::Heuristic;
use solver_gpu::Lit;
use yasmin_ground::program::Modifier;
use yasmin_nogoods::{Directive, Prepared};

/// The weight of a nogood of one literal for Jeroslow-Wang; the weight halves with each literal more.
const JEROSLOW_WANG: u32 = 1 << 20;
/// Activities begin with the occurrences, so that first decisions are sensible, but not with more than this.
const MOST_OCCURRENCES: u32 = 64;
/// The activity for an occurrence: so little that what has taken part in a conflict goes before what has not.
const INITIAL_ACTIVITY: f32 = f32::MIN_POSITIVE;

/// What the ranks of all heuristics are made of, for each variable.
#[derive(Clone)]
pub struct Ranks {
    /// Input nogoods in which the variable stands as `T`.
    positive: Vec<u32>,
    /// Input nogoods in which the variable stands as `F`.
    negative: Vec<u32>,
    /// The weights of the nogoods in which the variable stands, added up (Jeroslow and Wang 1990).
    jeroslow_wang: Vec<u32>,
    /// What directives add to the activities of variables, in units of the first bump.
    init: Vec<(u32, f32)>,
}

impl Ranks {
    /// Counts the occurrences in the input nogoods.
    pub fn new(prepared: &Prepared) -> Ranks {
        let zeros = || vec![0u32; prepared.vars as usize];
        let (jeroslow_wang, init) = (zeros(), init(prepared));
        let mut ranks = Ranks { positive: zeros(), negative: zeros(), jeroslow_wang, init };
        let store = &prepared.nogoods;
        for nogood in store.ids().map(|id| store.nogood(id)) {
            let weight = JEROSLOW_WANG >> (nogood.len() - 1).min(31);
            for lit in nogood {
                let p = lit.var().0 as usize;
                let count = if lit.is_false_sign() { &mut ranks.negative[p] } else { &mut ranks.positive[p] };
                *count += 1;
                ranks.jeroslow_wang[p] = ranks.jeroslow_wang[p].saturating_add(weight);
            }
        }
        ranks
    }

    /// The rank of each variable, as the bits of a float; the higher is chosen first.
    pub fn of(&self, heuristic: Heuristic) -> Vec<u32> {
        let occurrences = || self.positive.iter().zip(&self.negative).map(|(t, f)| t + f);
        let bits = |n: u32| (n as f32).to_bits();
        match heuristic {
            Heuristic::Occurrences => occurrences().map(bits).collect(),
            Heuristic::Positive => self.positive.iter().copied().map(bits).collect(),
            Heuristic::Negative => self.negative.iter().copied().map(bits).collect(),
            Heuristic::JeroslowWang => self.jeroslow_wang.iter().copied().map(bits).collect(),
            Heuristic::Activity | Heuristic::Domain => {
                let activity = |n: u32| n.min(MOST_OCCURRENCES) as f32 * INITIAL_ACTIVITY;
                let mut ranks: Vec<u32> = occurrences().map(|n| activity(n).to_bits()).collect();
                for &(p, by) in self.init.iter().filter(|_| heuristic == Heuristic::Domain) {
                    let rank = &mut ranks[p as usize];
                    *rank = (f32::from_bits(*rank) + by).to_bits();
                }
                ranks
            }
        }
    }
}

/// What directives add to the first activities: the variable, and the number of the last directive of the
/// highest priority. As in clasp, a directive counts if its condition always holds.
fn init(prepared: &Prepared) -> Vec<(u32, f32)> {
    let always = |d: &&Directive| d.modifier == Modifier::Init && d.condition == Lit::TRUE;
    let of_each = prepared.directives.chunk_by(|a, b| a.candidate == b.candidate);
    let best = of_each.filter_map(|of| of.iter().filter(always).max_by_key(|d| d.priority));
    let first = prepared.first_candidates.unwrap_or(0);
    best.map(|d| (prepared.candidates[(first + d.candidate) as usize].head.0, d.bias as f32)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Goal, Options, Task};
    use solver_gpu::Var;
    use yasmin_ground::program::{Heuristic as Advise, ProgramBuilder};

    #[test]
    fn what_directives_add_is_in_the_first_activities() {
        let mut b = ProgramBuilder::default();
        let all: Vec<Var> = (1..=4).map(|i| b.atom(i)).collect();
        b.choice(&all, &[]).expect("few");
        let mut add = |atom: usize, bias: i32, priority: u32, condition: &[Lit]| {
            let (atom, modifier, condition) = (all[atom], Modifier::Init, condition.to_vec());
            b.heuristic(Advise { atom, modifier, bias, priority, condition });
        };
        add(0, 9, 1, &[]);
        add(0, 7, 1, &[]);
        add(0, 5, 0, &[]);
        add(1, -2, 0, &[]);
        add(2, 3, 0, &[Lit::t(all[3])]);
        let options = Options { heuristic: Heuristic::Domain, ..Options::on_processor() };
        let task = Task::new(b.build().expect("few"), &options, &Goal::default()).expect("few");
        let ranks = Ranks::new(&task.prepared);
        let of = |heuristic| {
            let ranks = ranks.of(heuristic);
            let var = |&atom: &Var| task.prepared.literal_of(Lit::t(atom)).var();
            all[..3].iter().map(|atom| f32::from_bits(ranks[var(atom).0 as usize])).collect::<Vec<f32>>()
        };
        let plain = of(Heuristic::Activity);
        assert_eq!(of(Heuristic::Domain), [7.0, -2.0, plain[2]]);
    }
}
