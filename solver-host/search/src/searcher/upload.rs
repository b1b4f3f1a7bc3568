//! A prepared program on a device: the arrays that all its searches read, and templates of what each search
//! owns.
//!
//! Main function: [`Uploaded::new`]. The arrays are uploaded once. A search's block begins as a copy of a
//! *template*, made on the device, so a second search of the same program costs no second preparation and no
//! second upload. A template has the arrays that do not begin with zeros.
//!
//! Invariant: the arrays of [`Uploaded::view`] lie in memory of `executor`, which lives as long as this does,
//! and are as long as their documentation says. After [`Uploaded::new`] nothing writes to them.

use super::arcs::Arcs;
use crate::searcher::rank::Ranks;
use crate::Heuristic;
use bytemuck::Pod;
use solver_gpu::advice::{part, PARTS};
use solver_gpu::kernels::differences::LEAST_LOG;
use solver_gpu::layout::{Fill, FirstValues, Own, Shape, NONE};
use solver_gpu::lit::pack;
use solver_gpu::{Array, Lit, Problem};
use std::cmp::Reverse;
use std::sync::{Mutex, MutexGuard, PoisonError};
use yasmin_device::{DeviceError, Executor, Setup, Traffic};
use yasmin_ground::ids::NogoodId;
use yasmin_ground::program::{Modifier, Program};
use yasmin_nogoods::{Csr, Foundedness, NogoodStore, Prepared};

/// How many entries the log of bounds has for each bound. A full log begins anew, which the tests of this
/// crate meet.
const BOUND_LOG: usize = if cfg!(test) { LEAST_LOG } else { 8 };
const _: () = assert!(BOUND_LOG >= LEAST_LOG);

/// A program's arrays on a device; see the module's documentation.
pub struct Uploaded {
    /// The addresses, as kernels get them.
    pub view: Problem,
    /// Sizes of what a search owns that the program decides.
    counters: usize,
    ranks: Ranks,
    watch: Vec<u64>,
    sum_weight: Vec<i64>,
    sum_most: Vec<i64>,
    device: Mutex<Device>,
}

/// The memory behind an upload.
struct Device {
    executor: Box<dyn Executor>,
    templates: Vec<Template>,
}

/// What a search's arrays hold at first, where that is not zeros.
#[derive(Clone, Copy)]
struct Template {
    shape: Shape,
    heuristic: Heuristic,
    own: Own,
}

impl Uploaded {
    /// Copies a program, which was prepared, to a device. `candidates_are_variables`: decisions may be on
    /// any variable, so that a variable's candidate is looked up.
    ///
    /// # Errors
    /// If the device has too little memory or fails.
    pub fn new(
        executor: Box<dyn Executor>,
        program: &Program,
        p: &Prepared,
        candidates_are_variables: bool,
    ) -> Result<Uploaded, DeviceError> {
        let mut upload = Upload { executor };
        let mut view = upload.problem(p, candidates_are_variables)?;
        if let Some(arcs) = Arcs::of(program, p) {
            upload.arcs(&mut view, &arcs)?;
        }
        upload.executor.synchronize()?;
        let s = &p.nogoods;
        let first_two = |i: u32| {
            let at = s.start[i as usize] as usize;
            pack(s.lits[at], s.lits[at + 1])
        };
        Ok(Uploaded {
            view,
            counters: p.sums.most.len(),
            ranks: Ranks::new(p),
            watch: (s.ternary_end..s.len() as u32).map(first_two).collect(),
            sum_weight: p.sums.weights.clone(),
            sum_most: p.sums.most.clone(),
            device: Mutex::new(Device { executor: upload.executor, templates: Vec::new() }),
        })
    }

    /// A copy of the arrays on another device. They must lie in the host's memory.
    ///
    /// # Errors
    /// If the device has too little memory or fails.
    pub fn on(&self, mut executor: Box<dyn Executor>) -> Result<Uploaded, DeviceError> {
        let copy = |array: Array<u8>| -> Result<u64, DeviceError> {
            let address = executor.alloc(array.len())?;
            if array.is_empty() {
                return Ok(address);
            }
            // SAFETY: the array lies in the host's memory, lives as long as `self`, and nobody writes to it.
            let bytes = unsafe { std::slice::from_raw_parts(array.address() as *const u8, array.len()) };
            executor.upload(address, bytes)?;
            Ok(address)
        };
        // SAFETY: `copy` returns addresses of copies, which live as long as the executor.
        let view = unsafe { self.view.moved(copy)? };
        executor.synchronize()?;
        Ok(Uploaded {
            view,
            counters: self.counters,
            ranks: self.ranks.clone(),
            watch: self.watch.clone(),
            sum_weight: self.sum_weight.clone(),
            sum_most: self.sum_most.clone(),
            device: Mutex::new(Device { executor, templates: Vec::new() }),
        })
    }

    fn device(&self) -> MutexGuard<'_, Device> {
        self.device.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Another executor on the same device (see [`Executor::sibling`]).
    ///
    /// # Errors
    /// If the device refuses.
    pub fn sibling(&self, setup: Setup) -> Result<Box<dyn Executor>, DeviceError> {
        self.device().executor.sibling(setup)
    }

    /// What was copied to the device so far, and the memory that this takes there.
    pub fn traffic(&self) -> Traffic {
        self.device().executor.traffic()
    }

    /// The sizes of a search's arrays as far as the program decides them; the other sizes are 0.
    pub fn shape(&self) -> Shape {
        let v = &self.view;
        Shape {
            vars: v.vars as usize,
            long_nogoods: (v.nogoods - v.ternary_end) as usize,
            sums: v.sums as usize,
            sum_items: v.sum_items as usize,
            counters: self.counters,
            founded_atoms: if v.loop_rules > 0 { v.atom_vars as usize } else { 0 },
            loop_atoms: v.loop_atoms as usize,
            loop_rules: v.loop_rules as usize,
            loop_sums: v.loop_sums as usize,
            bounds: v.bounds as usize,
            bound_log: BOUND_LOG * v.bounds as usize,
            ..Shape::default()
        }
    }

    /// Calls `use_them` with the first values of a search's arrays.
    pub fn first_values<R>(&self, heuristic: Heuristic, use_them: impl FnOnce(&FirstValues) -> R) -> R {
        use_them(&FirstValues {
            rank: &self.ranks.of(heuristic),
            watch: &self.watch,
            sum_weight: &self.sum_weight,
            sum_most: &self.sum_most,
        })
    }

    /// The template for blocks of this shape, which is made when it is first asked for.
    ///
    /// # Errors
    /// If the device has too little memory or fails.
    pub fn template(&self, shape: &Shape, heuristic: Heuristic) -> Result<Own, DeviceError> {
        let mut device = self.device();
        let is_it = |t: &&Template| t.shape == *shape && t.heuristic == heuristic;
        if let Some(template) = device.templates.iter().find(is_it) {
            return Ok(template.own);
        }
        let own = Own::of_template(shape);
        let base = device.executor.alloc(own.bytes())?;
        // SAFETY: the block is large enough, aligned and zeroed, and zeros are a value of all types in it.
        let own = unsafe { own.laid_out(base) };
        let executor = &mut *device.executor;
        self.first_values(heuristic, |first| own.fill_first(first, &mut Filler { executor, is_zero: true }))?;
        device.executor.synchronize()?;
        device.templates.push(Template { shape: *shape, heuristic, own });
        Ok(own)
    }
}

/// Writes first values through an executor.
pub struct Filler<'a> {
    /// The executor that owns the memory.
    pub executor: &'a mut dyn Executor,
    /// Whether all memory is zeroed already.
    pub is_zero: bool,
}

impl Fill for Filler<'_> {
    type Error = DeviceError;

    fn zero<T: bytemuck::Zeroable>(&mut self, array: Array<T>) -> Result<(), DeviceError> {
        match self.is_zero {
            true => Ok(()),
            false => self.executor.upload(array.address(), &vec![0; array.bytes().len()]),
        }
    }

    fn each<T: Pod>(&mut self, array: Array<T>, value: impl Fn(usize) -> T) -> Result<(), DeviceError> {
        let values: Vec<T> = (0..array.len()).map(value).collect();
        self.executor.upload(array.address(), bytemuck::cast_slice(&values))
    }
}

/// An upload under way.
struct Upload {
    executor: Box<dyn Executor>,
}

impl Upload {
    fn problem(&mut self, p: &Prepared, candidates_are_variables: bool) -> Result<Problem, DeviceError> {
        let s = &p.nogoods;
        let mut v = Problem {
            vars: p.vars,
            atom_vars: p.atom_vars,
            nogoods: s.len() as u32,
            units: s.units,
            binary_end: s.binary_end,
            ternary_end: s.ternary_end,
            candidates: p.candidates.len() as u32,
            first_candidates: p.first_candidates.unwrap_or(0),
            advised: p.advised,
            project: p.first_candidates.is_some() as u32,
            sums: p.sums.len() as u32,
            sum_items: p.sums.lits.len() as u32,
            nogood_start: self.array(&s.start)?,
            nogood_lits: self.array(&s.lits)?,
            preferred: self.array(&p.preferred)?,
            ..Problem::default()
        };
        self.occurrences(&mut v, s)?;
        self.sums(&mut v, p)?;
        self.candidates(&mut v, p, candidates_are_variables)?;
        self.directives(&mut v, p)?;
        if let Some(f) = &p.foundedness {
            self.foundedness(&mut v, p, f)?;
        }
        Ok(v)
    }

    /// Where literals stand in input nogoods, each place with what a visit needs of the nogood.
    fn occurrences(&mut self, v: &mut Problem, s: &NogoodStore) -> Result<(), DeviceError> {
        v.occurs_binary_start = self.array(&s.occurrences[0].start)?;
        v.occurs_ternary_start = self.array(&s.occurrences[1].start)?;
        v.occurs_long_start = self.array(&s.occurrences[2].start)?;
        let others = |id: u32, lit: usize| {
            let mut others = s.nogood(NogoodId(id)).iter().filter(move |other| other.index() != lit);
            move || *others.next().expect("a nogood of two or three distinct variables")
        };
        let binary = |id: u32, lit: usize| (id as u64) << 32 | others(id, lit)().0 as u64;
        let ternary = |id: u32, lit: usize| {
            let mut other = others(id, lit);
            let first = other();
            pack(first, other())
        };
        v.occurs_binary = self.array(&each_occurrence(&s.occurrences[0], binary))?;
        v.occurs_ternary = self.array(&each_occurrence(&s.occurrences[1], ternary))?;
        v.occurs_ternary_id = self.array(&s.occurrences[1].items)?;
        v.occurs_long = self.array(&s.occurrences[2].items)?;
        Ok(())
    }

    /// Sum nogoods, their counters and where literals stand in them.
    fn sums(&mut self, v: &mut Problem, p: &Prepared) -> Result<(), DeviceError> {
        let sums = &p.sums;
        v.sum_condition = self.array(&sums.condition)?;
        v.sum_start = self.array(&sums.start)?;
        v.sum_lit = self.array(&sums.lits)?;
        v.sum_counter = self.array(&sums.counter_of)?;
        v.sum_of = self.array(&sums.sum_of_items())?;
        v.sum_counters = self.array(&sums.counters)?;
        if !sums.is_empty() {
            (v.sum_occurs_start, v.sum_occurs) = self.csr(&sums.occurrences(p.vars))?;
        }
        Ok(())
    }

    /// What Decision may choose.
    fn candidates(&mut self, v: &mut Problem, p: &Prepared, are_variables: bool) -> Result<(), DeviceError> {
        v.candidate_head = self.array(&p.candidates.iter().map(|c| c.head.0).collect::<Vec<_>>())?;
        v.candidate_positive = self.array(&p.candidates.iter().map(|c| c.positive).collect::<Vec<_>>())?;
        v.candidate_body = self.array(&p.candidates.iter().map(|c| c.body).collect::<Vec<_>>())?;
        if are_variables {
            let mut candidate_of = vec![NONE; p.vars as usize];
            for (i, candidate) in p.candidates.iter().enumerate() {
                candidate_of[candidate.head.0 as usize] = i as u32;
            }
            v.candidate_of = self.array(&candidate_of)?;
        }
        Ok(())
    }

    /// Heuristic directives, and which candidates depend on a literal. It is known which candidates are
    /// variables.
    fn directives(&mut self, v: &mut Problem, p: &Prepared) -> Result<(), DeviceError> {
        let rows = Advising::rows(p);
        let len = (PARTS * p.advised) as usize;
        let start: Vec<u32> =
            (0..=len as u32).map(|row| rows.partition_point(|r| r.row < row) as u32).collect();
        v.directive_start = self.array(&start)?;
        v.directive_bias = self.array(&rows.iter().map(|r| r.bias).collect::<Vec<_>>())?;
        v.directive_condition = self.array(&rows.iter().map(|r| r.condition).collect::<Vec<_>>())?;
        if !v.candidate_of.is_empty() && p.advised > 0 {
            let ranks = rows.iter().filter(|r| r.condition != Lit::TRUE && r.row % PARTS != part::SIGN);
            let mut pairs: Vec<(usize, u32)> =
                ranks.map(|r| (r.condition.index(), v.first_candidates + r.row / PARTS)).collect();
            pairs.sort_unstable();
            pairs.dedup();
            let advises = Csr::from_pairs(2 * p.vars as usize, pairs.into_iter());
            (v.advises_start, v.advises) = self.csr(&advises)?;
        }
        Ok(())
    }

    /// Rules on positive loops.
    fn foundedness(&mut self, v: &mut Problem, p: &Prepared, f: &Foundedness) -> Result<(), DeviceError> {
        v.loop_rules = f.head.len() as u32;
        v.loop_atoms = f.atoms.len() as u32;
        v.loop_atom = self.array(&f.atoms)?;
        v.component = self.array(&f.component)?;
        v.loop_head = self.array(&f.head)?;
        v.loop_body = self.array(&f.body)?;
        (v.loop_positive_start, v.loop_positive) = self.csr(&f.positive)?;
        (v.loop_occurs_start, v.loop_occurs) = self.csr(&f.occurs_in)?;
        let rules = f.head.iter().enumerate().map(|(r, &head)| (head as usize, r as u32));
        let rules = Csr::from_pairs(p.atom_vars as usize, rules);
        (v.loop_rules_start, v.loop_rules_of) = self.csr(&rules)?;
        let bodies = f.body.iter().enumerate().filter(|(_, &body)| body != Lit::TRUE);
        let bodies = bodies.map(|(r, &body)| (body.index(), r as u32));
        let bodies = Csr::from_pairs(2 * p.vars as usize, bodies);
        (v.loop_bodies_start, v.loop_bodies) = self.csr(&bodies)?;
        self.loop_sums(v, f)
    }

    /// Sums on loops.
    fn loop_sums(&mut self, v: &mut Problem, f: &Foundedness) -> Result<(), DeviceError> {
        let (mut start, mut inner) = (vec![0], Vec::new());
        let (mut lits, mut weights, mut sum_of) = (Vec::new(), Vec::new(), Vec::new());
        let mut needed: Vec<(usize, u32)> = Vec::new();
        for (number, sum) in f.sums.iter().enumerate() {
            inner.push(lits.len() as u32 + sum.inner);
            for (i, &(lit, weight)) in sum.lits.iter().enumerate() {
                if i < sum.inner as usize {
                    needed.push((lit.var().0 as usize, lits.len() as u32));
                }
                lits.push(lit);
                weights.push(weight);
                sum_of.push(number as u32);
            }
            start.push(lits.len() as u32);
        }
        v.loop_sums = f.sums.len() as u32;
        v.loop_items = lits.len() as u32;
        v.loop_sum_atom = self.array(&f.sums.iter().map(|sum| sum.atom).collect::<Vec<_>>())?;
        v.loop_sum_bound = self.array(&f.sums.iter().map(|sum| sum.bound).collect::<Vec<_>>())?;
        v.loop_sum_start = self.array(&start)?;
        v.loop_sum_inner = self.array(&inner)?;
        v.loop_item_lit = self.array(&lits)?;
        v.loop_item_weight = self.array(&weights)?;
        v.loop_item_sum = self.array(&sum_of)?;
        if !f.sums.is_empty() {
            let rows = Csr::from_pairs(f.component.len(), needed.into_iter());
            (v.loop_item_occurs_start, v.loop_item_occurs) = self.csr(&rows)?;
        }
        Ok(())
    }

    /// Difference constraints.
    fn arcs(&mut self, v: &mut Problem, arcs: &Arcs) -> Result<(), DeviceError> {
        (v.arcs, v.bounds) = (arcs.from.len() as u32, arcs.first.len() as u32);
        v.arc_start = self.array(&arcs.start)?;
        v.arc_from = self.array(&arcs.from)?;
        v.arc_to = self.array(&arcs.to)?;
        v.arc_adds = self.array(&arcs.adds)?;
        v.arc_lit = self.array(&arcs.lits)?;
        v.bound_first = self.array(&arcs.first)?;
        (v.arc_occurs_start, v.arc_occurs) = self.csr(&arcs.occurs)?;
        Ok(())
    }

    /// A copy of `data` on the device, as an array.
    fn array<T: Pod>(&mut self, data: &[T]) -> Result<Array<T>, DeviceError> {
        let address = self.executor.alloc(size_of_val(data))?;
        self.executor.upload(address, bytemuck::cast_slice(data))?;
        // SAFETY: allocated for as many elements, with a value each; freed with the executor.
        Ok(unsafe { Array::from_raw(address as *mut T, data.len()) })
    }

    /// Row boundaries and rows.
    fn csr(&mut self, csr: &Csr) -> Result<(Array<u32>, Array<u32>), DeviceError> {
        Ok((self.array(&csr.start)?, self.array(&csr.items)?))
    }
}

/// A directive as the device has it: what it says of one property of a candidate.
struct Advising {
    /// The row of `directive_start`.
    row: u32,
    bias: i32,
    condition: Lit,
}

impl Advising {
    /// The rows of all directives, each with what counts before others first. What comes after a directive
    /// that is always in force never counts, and is left out.
    fn rows(p: &Prepared) -> Vec<Advising> {
        let mut all = Vec::with_capacity(p.directives.len());
        for (at, d) in p.directives.iter().enumerate() {
            let mut add = |part: u32, bias: i32, is_last: bool| {
                let order = (PARTS * d.candidate + part, is_last, Reverse((d.priority, at)));
                all.push((order, Advising { row: order.0, bias, condition: d.condition }));
            };
            match d.modifier {
                Modifier::Level => add(part::LEVEL, d.bias, false),
                Modifier::Sign => add(part::SIGN, d.bias, false),
                Modifier::Factor => add(part::FACTOR, d.bias, false),
                // It is in the ranks that a search begins with. That it is in force is all that is asked for
                // here.
                Modifier::Init => add(part::FACTOR, 1, true),
                Modifier::True | Modifier::False => {
                    add(part::LEVEL, d.bias, false);
                    add(part::SIGN, if d.modifier == Modifier::True { 1 } else { -1 }, false);
                }
            }
        }
        all.sort_unstable_by_key(|&(order, _)| order);
        let mut rows: Vec<Advising> = all.into_iter().map(|(_, advising)| advising).collect();
        rows.dedup_by(|next, kept| next.row == kept.row && kept.condition == Lit::TRUE);
        rows
    }
}

/// Maps each nogood and literal of a map from literals to nogoods.
fn each_occurrence<T>(map: &Csr, mut f: impl FnMut(u32, usize) -> T) -> Vec<T> {
    let rows = (0..map.rows()).flat_map(|lit| map.row(lit).iter().map(move |&id| (id, lit)));
    rows.map(|(id, lit)| f(id, lit)).collect()
}
