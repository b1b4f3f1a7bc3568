//! Initial ranks of variables, one for each heuristic (paper, section 4: occurrences, Jeroslow-Wang,
//! activity).

use crate::options::Heuristic;
use yasmin_nogoods::Prepared;

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
}

impl Ranks {
    /// Counts the occurrences in the input nogoods.
    pub fn new(prepared: &Prepared) -> Ranks {
        let zeros = || vec![0u32; prepared.vars as usize];
        let mut ranks = Ranks { positive: zeros(), negative: zeros(), jeroslow_wang: zeros() };
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
                occurrences().map(|n| (n.min(MOST_OCCURRENCES) as f32 * INITIAL_ACTIVITY).to_bits()).collect()
            }
        }
    }
}
