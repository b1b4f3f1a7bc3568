//! What lookahead must measure: a scan of all nogoods, from the root level on.
//!
//! Main functions: [`searches`], which lets one searcher of a swarm divide its cubes and search them all, and
//! [`check_paused`], which the searches ask at each pause. The programs are tight and have no sums, so what a
//! literal leads to is what unit nogoods say.

use super::cover::{self, cover};
use super::programs::{options, threes};
use super::snapshot::{Snapshot, Taken};
use super::{solver, Facts};
use crate::crew::shared::Shared;
use crate::searcher::memory::Memory;
use crate::{Engine, Goal, Options, Step};
use solver_gpu::kernels::search::outcome;
use solver_gpu::layout::{looking, mode, Hub, Sizes};
use solver_gpu::{Lit, Search, Swarm};
use std::collections::BTreeSet;
use yasmin_device::{DeviceKind, Geometry};

/// One searcher, whom others always ask for a cube, searches all of its cubes itself, one after the other.
pub fn searches(device: DeviceKind, randoms: u64) {
    cover::begin();
    let (mut satisfiable, mut probes, mut given) = (0, 0, 0);
    for seed in 0..randoms {
        let options = Options { engine: Engine::Resident, ..options(seed, device) };
        let program = threes(24 + seed % 24, seed);
        let mut single = solver(&program, &Goal::default(), options);
        let step = single.next_answer(&|| false).unwrap_or_else(|e| panic!("{options:?}: {e}"));
        let is_satisfiable = matches!(step, Step::Answer(_));
        let mut solver = solver(&program, &Goal::default(), options);
        if solver.lead.searcher.problem.task.prepared.unsatisfiable {
            continue; // Preprocessing has refuted the program.
        }
        let executor =
            solver.lead.searcher.problem.uploaded.sibling(options.setup()).expect("a working device");
        let about = Swarm { searchers: 2, look_ahead: 1 + seed as u32 % 9, ..Swarm::default() };
        let mut shared = Shared::new(executor, about, Sizes::default()).expect("little memory");
        let hub = Hub::default();
        hub.open.store_relaxed(1);
        hub.hungry.store_relaxed(1 << 20);
        shared.write_hub(hub).expect("a working device");
        begin(&mut solver.lead.searcher.memory, shared.view);
        let found = loop {
            solver.lead.searcher.memory.search(Geometry::Block, &|| false).expect("a working device");
            match solver.lead.searcher.memory.state.outcome.load() {
                outcome::PAUSED | outcome::IDLE => {}
                outcome::NO_ROOM => solver.lead.searcher.make_room().expect("little memory"),
                outcome::ANSWER => break true,
                outcome::EXHAUSTED => break false,
                other => panic!("{seed}: outcome {other}"),
            }
        };
        assert_eq!(found, is_satisfiable, "{seed}");
        satisfiable += found as u64;
        probes += solver.lead.searcher.memory.state.counts.probes.load();
        given += solver.lead.searcher.memory.state.counts.cubes_given.load();
    }
    assert!(satisfiable > 0 && satisfiable < randoms, "{satisfiable} of {randoms} are satisfiable");
    assert!(probes > 4 * randoms && given > randoms, "{probes} probes, {given} cubes");
    cover::report_only(cover::LOOK_AHEAD);
}

/// Lets the search begin with the cube that is everything.
fn begin(memory: &mut Memory, swarm: Swarm) {
    memory.rounds_a_launch = 2;
    memory.search.launch.answers_wanted = 0;
    memory.search.swarm = swarm;
    memory.initial_propagation().expect("a working device");
    memory.read_state().expect("a working device");
    memory.state.mode.store(mode::CUBE);
    memory.write_state().expect("a working device");
}

/// Checks what lookahead has noted so far.
pub fn check_paused(v: &Search, facts: &Facts, taken: &Taken) {
    let (s, state) = (&taken.snapshot, &taken.state);
    let is_plain = facts.foundedness.is_none() && s.sums.is_empty();
    if !v.swarm.is_any() || !is_plain || s.words.conflicts > 0 || s.words.exhausted > 0 {
        return;
    }
    let (root, at) = (state.root.load(), state.look_at.load());
    let candidates = &taken.arrays.look[..state.look_len.load() as usize];
    let decided = (s.words.level == root + 1).then(|| s.decision_at[root as usize + 1]);
    match state.looking.load() {
        looking::PROBES => {
            let candidate = candidates[at as usize / 2];
            let lit = if at % 2 == 0 { candidate } else { !candidate };
            match decided {
                Some(decision) => assert_eq!(decision, lit, "what probe {at} decides on"),
                None => cover("a literal fails"),
            }
            // Nothing was learned since the first probe of the candidate.
            if let (1, Some(_)) = (at % 2, decided) {
                let expected = measure(v, s, root, candidate).expect("the first probe met no conflict");
                assert_eq!(state.look_first.load(), expected, "the measure of {candidate:?}");
                cover("a probe measured");
            }
        }
        looking::LOOKED => {
            let best = state.look_best_at.load().checked_sub(1).map(|i| candidates[i as usize]);
            if best.is_some() && decided == best {
                assert!(state.look_best.load() > 0, "a candidate without a measure");
                cover("the best candidate divides");
            }
        }
        _ => {}
    }
}

/// How much smaller `lit` makes the search at level `root`, or `None` if it leads to a conflict.
fn measure(v: &Search, s: &Snapshot, root: u32, lit: Lit) -> Option<u64> {
    let is_at_root = |lit: &Lit| (1..=root).contains(&s.level(*lit));
    let mut held: BTreeSet<Lit> = s.trail.iter().copied().filter(is_at_root).collect();
    let nogoods: Vec<&Vec<Lit>> = s.input.iter().chain(&s.learned).collect();
    let mut new = vec![lit];
    let mut at = 0;
    while at < new.len() {
        held.insert(new[at]);
        at += 1;
        for nogood in &nogoods {
            let open: Vec<Lit> = nogood.iter().copied().filter(|lit| !held.contains(lit)).collect();
            match open[..] {
                [] => return None,
                [last] if !held.contains(&!last) && !new[at..].contains(&!last) => new.push(!last),
                _ => {}
            }
        }
    }
    let ternary = v.problem.binary_end as usize..v.problem.ternary_end as usize;
    let weight = |lit: &Lit| 1 + s.input[ternary.clone()].iter().filter(|n| n.contains(lit)).count() as u64;
    Some(new.iter().map(weight).sum())
}
