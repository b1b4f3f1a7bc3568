//! What a search by cores assumes: literals that hold unless their weight is paid.
//!
//! Main type: [`Softs`]. Each step of the search looks through all of them, so they are found by number.

use solver_gpu::Lit;
use std::ops::Index;

/// A literal that holds unless its weight is paid.
#[derive(Clone, Debug)]
pub struct Soft {
    pub weight: i64,
    /// For a literal "less than `k` literals of a relaxed core are paid": the number of the core, and `k`.
    pub counts: Option<(usize, i64)>,
    /// Whether the literal is not assumed before there is no core without it.
    pub waits: bool,
}

/// The softs, in the order in which they became softs.
#[derive(Debug, Default)]
pub struct Softs {
    /// The literals that are or were softs.
    order: Vec<Lit>,
    /// The soft of each literal, by the literal's index.
    of: Vec<Option<Soft>>,
}

impl Softs {
    pub fn insert(&mut self, lit: Lit, soft: Soft) {
        if self.of.len() <= lit.index() {
            self.of.resize(lit.index() + 1, None);
        }
        self.of[lit.index()] = Some(soft);
        self.order.push(lit);
    }

    /// Removes all of them. There may be as many priorities as literals, so the array stays.
    pub fn clear(&mut self) {
        self.order.drain(..).for_each(|lit| self.of[lit.index()] = None);
    }

    pub fn remove(&mut self, lit: Lit) {
        self.of[lit.index()] = None;
    }

    pub fn get(&self, lit: Lit) -> Option<&Soft> {
        self.of.get(lit.index()).and_then(Option::as_ref)
    }

    /// The soft of a literal that is one.
    pub fn of(&mut self, lit: Lit) -> &mut Soft {
        self.of[lit.index()].as_mut().expect("it is one of the softs")
    }

    /// The literals that are softs now, each with what is known of it.
    pub fn iter(&self) -> impl Iterator<Item = (Lit, &Soft)> {
        self.order.iter().filter_map(|&lit| self.get(lit).map(|soft| (lit, soft)))
    }

    /// Lets all softs be assumed. Returns those that waited.
    pub fn wake(&mut self) -> Vec<Lit> {
        let waiting: Vec<Lit> = self.iter().filter(|(_, soft)| soft.waits).map(|(lit, _)| lit).collect();
        for &lit in &waiting {
            self.of(lit).waits = false;
        }
        waiting
    }
}

impl Index<Lit> for Softs {
    type Output = Soft;

    fn index(&self, lit: Lit) -> &Soft {
        self.get(lit).expect("it is one of the softs")
    }
}
