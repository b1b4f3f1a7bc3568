//! Random small programs, compared with brute force: whatever the checker accepts is true, and right proofs are
//! accepted.
//!
//! `YASMIN_TIMES=70 cargo test --release -p yasmin-check --test soundness` tries more.

mod common;

use common::proofs::{
    after, check, mutate, read, run, some_bounds, some_reasons, told, verify, World, Writer,
};
use common::told::left;
use common::{holds, to_binary, to_text, Program, Random, Set};
use std::num::NonZeroUsize;
use yasmin_check::proof::Step;
use yasmin_check::{Kind, Share};

#[test]
fn accepted_nogoods_hold() {
    let mut accepted = [0; 5];
    for seed in yasmin_seeds::seeds(600) {
        let random = &mut Random(seed);
        let program = Program::random(random);
        if program.named().is_empty() {
            continue;
        }
        let mut world = World::new(&program);
        let mut checker = program.checker();
        let mut steps = Vec::new();
        for round in 0..60 {
            let Some(step) = world.step(random, round) else { continue };
            if matches!(step, Step::Nogood(_)) && random.one_in(2) {
                let reasons = some_reasons(steps.len() as i64, random);
                checker.step(&reasons).expect("reasons may be wrong");
                steps.push(reasons);
            }
            steps.push(step.clone());
            let is_sure = matches!(
                step,
                Step::Definition { .. } | Step::Sum { .. } | Step::Question { .. } | Step::Answer(_)
            );
            match checker.step(&step) {
                Err(error) if is_sure => told(Err(error), &program, &steps, seed),
                Err(_) => {
                    steps.pop();
                    continue;
                }
                Ok(_) => {}
            }
            let nogoods: Vec<Vec<i64>> = match &step {
                Step::Nogood(lits) => vec![lits.clone()],
                Step::Loop { lits, atoms } if lits.iter().any(|lit| atoms.contains(lit)) => {
                    vec![lits.clone()]
                }
                Step::Loop { lits, atoms } => {
                    atoms.iter().map(|&atom| [&lits[..], &[atom]].concat()).collect()
                }
                Step::Rewriting { .. } => {
                    accepted[2] += 1;
                    continue;
                }
                Step::Least { .. } => {
                    accepted[4] += 1;
                    continue;
                }
                _ => continue,
            };
            accepted[usize::from(matches!(step, Step::Loop { .. }))] += 1;
            for set in world.looked_for() {
                accepted[3] += 1;
                if nogoods.iter().any(|lits| lits.iter().all(|&lit| world.holds(lit, set))) {
                    let error = format!("the answer set {set:b} violates the last step");
                    told(Err(error), &program, &steps, seed)
                }
            }
        }
    }
    assert!(accepted.iter().all(|&count| count > 50), "{accepted:?}");
}

#[test]
fn right_proofs_are_accepted_and_mutants_prove_nothing_wrong() {
    let (mut accepted, mut refused) = (0, 0);
    for seed in yasmin_seeds::seeds(300) {
        let random = &mut Random(seed ^ 0x5eed << 40);
        let program = Program::random(random);
        if program.named().is_empty() {
            continue;
        }
        let world = World::new(&program);
        let mut writer = Writer { world, random, steps: Vec::new(), serial: 0 };
        writer.write();
        let Writer { world, steps, .. } = writer;
        let conclusion = told(check(&program, &steps), &program, &steps, seed);
        let conclusion = conclusion.expect("the proof has a conclusion");
        told(verify(&world, &conclusion), &program, &steps, seed);
        assert_eq!(read(to_text(&steps).as_bytes()), steps, "seed {seed}");
        assert_eq!(read(&to_binary(&steps)), steps, "seed {seed}");
        for _ in 0..30 {
            let mut mutant = steps.clone();
            for _ in 0..random.range(1, 3) {
                mutate(&mut mutant, &program, random);
            }
            let whole = run(program.checker(), &mutant);
            // The first step that a checker of a share refuses is the first that is refused.
            let share = |number| Share { number, of: NonZeroUsize::MIN.saturating_add(2) };
            let first = (0..3).map(|number| run(program.sharing(share(number)), &mutant));
            let first =
                first.min_by_key(|said| said.as_ref().map_or_else(|refused| refused.0, |_| usize::MAX));
            assert_eq!(first.as_ref(), Some(&whole), "seed {seed}");
            match whole {
                Ok(Some(conclusion)) => {
                    accepted += 1;
                    told(verify(&world, &conclusion), &program, &mutant, seed);
                }
                Ok(None) => {}
                Err(_) => refused += 1,
            }
        }
    }
    assert!(accepted > 100 && refused > 100, "{accepted} {refused}");
}

#[test]
fn exactly_the_answer_sets_are_accepted() {
    let (mut accepted, mut refused) = (0, 0);
    for seed in yasmin_seeds::seeds(300) {
        let random = &mut Random(seed ^ 0xa << 50);
        let program = match random.one_in(2) {
            true => Program::random(random),
            false => Program::random_loops(random),
        };
        if program.named().is_empty() {
            continue;
        }
        let mut world = World::new(&program);
        let mut checker = program.checker();
        let kind = random.range(1, 8);
        let question = world.ask(kind, some_bounds(&program, random));
        let mut steps = vec![question];
        told(checker.step(&steps[0]), &program, &steps, seed);
        let mut sets: Vec<Set> = (0..1 << program.atoms).map(|bits: Set| bits << 1).collect();
        random.shuffle(&mut sets);
        let named = program.named().into_iter().fold(0, |named: Set, atom| named | 1 << atom);
        for set in sets.into_iter().filter(|set| set & !named == 0) {
            let is_right = world.looked_for().contains(&set);
            let step = world.clone().tell(set);
            let result = checker.step(&step);
            steps.push(step);
            match result {
                Ok(_) if is_right => {
                    world.tell(set);
                    accepted += 1;
                }
                Err(_) if !is_right => {
                    steps.pop();
                    refused += 1;
                }
                result => told(Err(format!("{result:?}")), &program, &steps, seed),
            }
        }
    }
    assert!(accepted > 100 && refused > 100, "{accepted} {refused}");
}

/// A call that is under way.
struct Under {
    lits: Vec<i64>,
    is_over: bool,
}

#[test]
fn what_calls_conclude_is_true() {
    let (mut accepted, mut optimal, mut changed) = ([0; 4], [0; 2], 0);
    for seed in yasmin_seeds::seeds(300) {
        let random = &mut Random(seed ^ 0xca11 << 40);
        let program = Program::random(random);
        if program.named().is_empty() {
            continue;
        }
        let mut world = World::new(&program);
        let mut checker = program.checker();
        let (mut steps, mut serial) = (Vec::new(), 0);
        let mut call: Option<Under> = None;
        let mut claimed = Vec::new();
        let any = |random: &mut Random| (random.range(0, (1 << program.atoms) - 1) as Set) << 1;
        for round in 0..80 {
            let fits = |call: &Option<Under>, world: &World<'_>, set: Set| {
                call.iter().flat_map(|call| &call.lits).all(|&lit| world.holds(lit, set))
            };
            let is_open = call.as_ref().is_some_and(|call| !call.is_over);
            let before = world.clone();
            let is_done = is_open && !world.looked_for().iter().any(|&set| fits(&call, &world, set));
            let is_best = is_done && world.kind == 4 && !world.answers.is_empty();
            let is_about_best = is_done && world.kind != 4 && !world.bounds.is_empty();
            let (step, is_sure) = match random.range(0, 11) {
                0..=5 if is_best => {
                    let best = world.answers.last().map_or_else(Vec::new, |&set| program.costs(set));
                    // Nothing is left to project on at once, and of consequences soon.
                    let kind = *random.pick(&[1, 2, 2, 2, 3, 5, 5, 6, 6, 7, 8]);
                    (world.ask(kind, best), true)
                }
                0..=5 if is_about_best => {
                    let mut core = call.as_ref().expect("it is open").lits.clone();
                    core.retain(|_| random.one_in(4));
                    (Step::Finished { is_refuted: true, core }, false)
                }
                0 => (world.definition(random), true),
                1 if world.kind == 0
                    || random.one_in(if world.kind == 4 && !world.answers.is_empty() { 2 } else { 8 }) =>
                {
                    let best = world.answers.last().filter(|_| world.kind == 4 && random.one_in(2));
                    let bounds =
                        best.map_or_else(|| some_bounds(&program, random), |&set| program.costs(set));
                    let kind = if random.one_in(2) { 4 } else { random.range(1, 8) };
                    (world.ask(kind, bounds), true)
                }
                2 | 3 if world.kind > 0 => {
                    let mut lits = world.lits(random, 5);
                    // Now and then of an answer set, so that propagation finds what else there is.
                    if let (true, [_, ..]) = (random.one_in(2), &world.answer_sets[..]) {
                        let set = *random.pick(&world.answer_sets);
                        let held = program.named().into_iter().filter(|_| !random.one_in(4));
                        lits = held.map(|atom| if holds(atom, set) { atom } else { -atom }).collect();
                        lits.iter_mut().for_each(|lit| *lit *= program.stride);
                    }
                    world.ask(world.kind, world.bounds.clone());
                    call = Some(Under { lits: lits.clone(), is_over: false });
                    (Step::Call(lits), true)
                }
                4..=6 if is_open => {
                    let mut sets = world.looked_for();
                    sets.retain(|&set| fits(&call, &world, set));
                    match sets[..] {
                        // Any set, which the checker has to refuse.
                        [] => (world.tell(any(random)), false),
                        _ if random.one_in(5) => (world.tell(any(random)), false),
                        ref sets => (world.tell(*random.pick(sets)), true),
                    }
                }
                7 | 8 if is_open => {
                    let mut core = call.as_ref().expect("it is open").lits.clone();
                    if random.one_in(3) && !core.is_empty() {
                        core.swap_remove(random.range(0, core.len() as i64 - 1) as usize);
                    }
                    (Step::Finished { is_refuted: !random.one_in(6), core }, false)
                }
                9 if serial > 0 => (Step::Deletion(random.range(1, serial)), true),
                _ => (Step::Nogood(world.lits(random, 4)), false),
            };
            if round == 0 && matches!(step, Step::Answer(_)) {
                continue;
            }
            steps.push(step.clone());
            match checker.step(&step) {
                Err(error) if is_sure => told(Err(error), &program, &steps, seed),
                Err(_) => {
                    world = before;
                    steps.pop();
                    continue;
                }
                Ok(_) => {}
            }
            let wrong = |why: &str| told(Err::<(), _>(why.to_string()), &program, &steps, seed);
            match &step {
                Step::Answer(_) => {
                    let set = *world.answers.last().expect("just told");
                    if !before.looked_for().contains(&set) || !fits(&call, &world, set) {
                        wrong("the answer set is none that is looked for");
                    }
                    (accepted[0], serial) = (accepted[0] + 1, serial + 1);
                }
                Step::Nogood(lits) => {
                    let is_violated = |&set: &Set| lits.iter().all(|&lit| world.holds(lit, set));
                    if world.looked_for().iter().any(is_violated) {
                        wrong("an answer set violates the last step");
                    }
                    (accepted[1], serial) = (accepted[1] + 1, serial + 1);
                }
                Step::Finished { is_refuted, core } => {
                    call.as_mut().expect("it is open").is_over = true;
                    let is_left = |&set: &Set| core.iter().all(|&lit| world.holds(lit, set));
                    if *is_refuted && world.looked_for().iter().any(is_left) {
                        wrong("an answer set is left");
                    }
                    if *is_refuted {
                        claimed.push(world.answers.len() as u64);
                    }
                    accepted[2 + usize::from(*is_refuted && !world.answers.is_empty())] += 1;
                }
                _ => {}
            }
        }
        if call.is_none() {
            continue;
        }
        steps.push(Step::End(true));
        told(checker.step(&Step::End(true)), &program, &steps, seed);
        assert_eq!(checker.conclusions_of_calls().len(), claimed.len(), "seed {seed}");
        for (said, answers) in checker.conclusions_of_calls().iter().zip(&claimed) {
            assert_eq!(said.answer_sets, *answers, "seed {seed}");
            told(verify(&world, said), &program, &steps, seed);
            optimal[usize::from(said.question == Kind::Optimum)] += usize::from(said.optimal);
        }
        // The steps that are needed conclude the same.
        let left = left(&program.to_text(), to_text(&steps).as_bytes());
        let left = told(left, &program, &steps, seed);
        let trimmed = after(program.checker(), &left).map_err(|(at, why)| format!("{why}: {}", left[at]));
        let trimmed = told(trimmed, &program, &steps, seed);
        assert_eq!(trimmed.conclusions_of_calls(), checker.conclusions_of_calls(), "seed {seed}");
        for _ in 0..10 {
            let mut mutant = steps.clone();
            (0..random.range(1, 2)).for_each(|_| mutate(&mut mutant, &program, random));
            let Ok(checker) = after(program.checker(), &mutant) else { continue };
            // The definitions may be others, too.
            let is_definition = |step: &&Step| matches!(step, Step::Definition { .. } | Step::Sum { .. });
            world.definitions = mutant.iter().filter(is_definition).cloned().collect();
            for said in checker.conclusions_of_calls() {
                told(verify(&world, said), &program, &mutant, seed);
                changed += 1;
            }
        }
    }
    println!("{accepted:?} steps, {optimal:?} optima, {changed} conclusions of changed proofs");
    assert!(optimal[0] > 3 && optimal[1] > 3 && changed > 100, "{optimal:?} {changed}");
    assert!(accepted.iter().all(|&count| count > 50), "{accepted:?}");
}
