//! Sequences of questions about random programs that grow, compared with the definition of answer sets.
//!
//! `YASMIN_TIMES=20 cargo test --release -p yasmin --test questions` tries more.

mod common;

use common::enforcer::{Enforcer, Shared};
use common::pair::Pair;
use common::proofs::{Claim, Kept};
use common::spec::Lit;
use common::{options_of_several, Random};
use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::{Arc, Mutex};
use yasmin::{
    Atom, Control, DeviceKind, Engine, Error, External, GpuSearchers, Literal, OptStrategy, Options,
    ParallelMode, Question, SearcherThreads, Usc, When,
};
use yasmin_seeds::seeds;

fn check(options: Options, seeds: Range<u64>, propagates: bool) -> [u64; 5] {
    check_with(options, seeds, propagates).0
}

/// The same, with the numbers of the searchers that have told a propagator of anything.
fn check_with(options: Options, seeds: Range<u64>, propagates: bool) -> ([u64; 5], BTreeSet<u32>) {
    let (mut done, mut searchers) = ([0; 5], BTreeSet::new());
    let (mut whole, mut new, sequences) = (0, 0, seeds.end - seeds.start);
    for seed in seeds {
        let random = &mut Random(seed);
        let mut options = options;
        if propagates && seed % 2 == 1 {
            options.opt_strategy = OptStrategy::Usc(Usc::default());
        }
        let mut pair = Pair::new(Options { seed, ..options });
        if propagates {
            pair.register(seed);
        }
        let losing = &mut Random(!seed);
        for call in 0..2 + random.below(9) {
            let what = format!("seed {seed}, call {call}");
            if call == 0 || random.one_in(3) && pair.atoms.len() < 9 {
                pair.grow(random).unwrap_or_else(|error| panic!("{what}: {error}"));
            }
            pair.lose(losing);
            pair.switch(random);
            pair.demand(random);
            pair.ask(random, &what).unwrap_or_else(|error| panic!("{what}: {error}"));
        }
        let translated = pair.control.translated();
        (whole, new) = (whole + translated.whole, new + translated.new);
        if let Some(shared) = pair.enforced {
            let shared = shared.lock().expect("no panic");
            let counts = [shared.added[0], shared.added[1], shared.told[0], shared.told[1], shared.decided];
            done = std::array::from_fn(|at| done[at] + counts[at]);
            searchers.extend(&shared.searchers);
        }
    }
    println!("{whole} translations of whole programs, {new} of what was new");
    assert!(sequences < 20 || whole > new && new > sequences / 20, "{sequences}: {whole}, {new}");
    (done, searchers)
}

/// The same, where each answer is proved: all proofs are accepted, and claim what the answers claim.
fn check_proved(options: Options, seeds: Range<u64>) {
    let (mut files, mut calls) = (0, 0);
    for seed in seeds {
        let random = &mut Random(seed);
        let mut pair = Pair::new(Options { seed, ..options });
        let kept = Kept::default();
        pair.control.prove(kept.opener()).expect("there is no propagator");
        for call in 0..2 + random.below(9) {
            let what = format!("seed {seed}, call {call}");
            if call == 0 || random.one_in(4) && pair.atoms.len() < 9 {
                pair.grow(random).unwrap_or_else(|error| panic!("{what}: {error}"));
            }
            pair.switch(random);
            pair.ask(random, &what).unwrap_or_else(|error| panic!("{what}: {error}"));
        }
        pair.control.end_proofs().expect("memory takes everything");
        let mut claimed = kept.check().unwrap_or_else(|why| panic!("seed {seed}: {why}, {:?}", pair.spec));
        claimed.sort_unstable();
        pair.claims.sort_unstable();
        assert_eq!(claimed, pair.claims, "seed {seed}: {:?}", pair.spec);
        (files, calls) = (files + kept.count(), calls + claimed.len());
    }
    println!("{files} proofs with {calls} claims");
    assert!(calls > files, "{files} {calls}");
}

/// The same with a propagator, which has to have something to do.
fn check_propagated(options: Options, seeds: Range<u64>) {
    let done = check(options, seeds, true);
    println!("clauses added, with a conflict; literals told, undone; decisions: {done:?}");
    assert!(done.iter().all(|&times| times > 0), "{done:?}");
}

/// What is said to a control, so that it can be said to another one.
#[derive(Clone)]
enum Said {
    Choice(usize),
    Rule(Option<usize>, Vec<Lit>),
    External(usize),
}

fn say(control: &mut Control, atoms: &mut Vec<Atom>, said: &Said) -> Result<(), Error> {
    let mut atom = |control: &mut Control, place: usize| {
        while atoms.len() <= place {
            atoms.push(control.atom());
        }
        atoms[place]
    };
    match said {
        Said::Choice(head) => {
            let head = atom(control, *head);
            control.choice(&[head], &[])
        }
        Said::External(place) => {
            let place = atom(control, *place);
            control.external(place, External::Free)
        }
        Said::Rule(head, body) => {
            let head: Vec<Atom> = head.iter().map(|&head| atom(control, head)).collect();
            let body: Vec<Literal> = body
                .iter()
                .map(|&(place, is_positive)| {
                    let lit = atom(control, place).positive();
                    if is_positive {
                        lit
                    } else {
                        !lit
                    }
                })
                .collect();
            control.rule(&head, &body)
        }
    }
}

/// Programs about which there is much to learn grow, and are compared with controls that are told everything
/// at once.
fn check_learned(options_of: impl Fn(u64) -> Options, seeds: Range<u64>) {
    let (mut conflicts, mut refuted, mut satisfied, mut needed) = (0, 0, 0, [0; 2]);
    let (mut whole, mut new) = (0, 0);
    for seed in seeds {
        let random = &mut Random(seed);
        let mut control = Control::new(Options { seed, ..options_of(seed) });
        let (mut atoms, mut all): (Vec<Atom>, Vec<Said>) = (Vec::new(), Vec::new());
        for step in 0..6 {
            // 30 atoms that may be chosen, an external one, and 9 with rules.
            let first = 40 * step;
            let end = first + 40;
            let mut more: Vec<Said> = (first..first + 30).map(Said::Choice).collect();
            more.push(Said::External(first + 30));
            let lit = |random: &mut Random| (random.below(end), random.one_in(2));
            let chosen =
                |random: &mut Random| (40 * random.below(step + 1) + random.below(30), random.one_in(2));
            // Rules for new atoms, with loops among them, and one for an external atom of an earlier step.
            for head in first + 31..end {
                for _ in 0..2 {
                    let body = vec![lit(random), (first + 30 + random.below(10), true)];
                    more.push(Said::Rule(Some(head), body));
                }
            }
            if step > 1 && seed % 2 == 1 && random.one_in(2) {
                let place = 40 * random.below(step) + 30;
                more.push(Said::Rule(Some(place), vec![lit(random), lit(random)]));
            }
            for _ in 0..100 + random.below(20) {
                more.push(Said::Rule(None, vec![chosen(random), chosen(random), chosen(random)]));
            }
            for _ in 0..random.below(3) {
                more.push(Said::Rule(None, vec![lit(random), lit(random), lit(random)]));
            }
            more.iter()
                .try_for_each(|said| say(&mut control, &mut atoms, said))
                .expect("atoms of the control");
            all.extend(more);
            for _ in 0..4 {
                let assumed: Vec<Lit> = (0..random.below(9)).map(|_| lit(random)).collect();
                let literal = |atoms: &[Atom], &(place, is_positive): &Lit| {
                    let lit = atoms[place].positive();
                    if is_positive {
                        lit
                    } else {
                        !lit
                    }
                };
                let question = |atoms: &[Atom]| {
                    Question::new()
                        .assume(assumed.iter().map(|lit| literal(atoms, lit)).collect::<Vec<_>>())
                        .limit(1)
                };
                let mut answers = control.solve(&question(&atoms)).expect("a question");
                let found = answers.next().transpose().expect("an answer").is_some();
                conflicts += answers.statistics().conflicts;
                let (mut fresh, mut others) = (Control::new(Options::on_processor()), Vec::new());
                all.iter()
                    .try_for_each(|said| say(&mut fresh, &mut others, said))
                    .expect("atoms of the control");
                let core = answers.core().map(<[Literal]>::to_vec);
                let mut expected = fresh.solve(&question(&others)).expect("a question");
                let expected = expected.next().transpose().expect("an answer").is_some();
                assert_eq!(found, expected, "seed {seed}, step {step}, assumed {assumed:?}");
                assert_eq!(core.is_none(), found, "seed {seed}, step {step}, assumed {assumed:?}");
                if let Some(core) = core {
                    let place =
                        |lit: &Literal| atoms.iter().position(|&atom| atom == lit.atom()).expect("an atom");
                    let core: Vec<Lit> = core.iter().map(|lit| (place(lit), lit.is_positive())).collect();
                    assert!(
                        core.iter().all(|lit| assumed.contains(lit)),
                        "seed {seed}, step {step}: {core:?}"
                    );
                    let named = core.iter().map(|lit| literal(&others, lit)).collect::<Vec<_>>();
                    let mut left = fresh.solve(&Question::new().assume(named)).expect("a question");
                    assert!(left.next().is_none(), "seed {seed}, step {step}: {core:?} is no core");
                    needed = [needed[0] + core.len(), needed[1] + assumed.len()];
                }
                satisfied += u32::from(found);
                refuted += u32::from(!found);
            }
        }
        let translated = control.translated();
        (whole, new) = (whole + translated.whole, new + translated.new);
    }
    println!("{conflicts} conflicts, {refuted} refuted, {satisfied} not, {needed:?} assumptions needed");
    println!("{whole} translations of whole programs, {new} of what was new");
    assert!(new > whole, "{whole} {new}");
    assert!(conflicts > 1000 && refuted > 30 && satisfied > 30, "{conflicts} {refuted} {satisfied}");
    assert!(0 < needed[0] && needed[0] < needed[1], "{needed:?}");
}

#[test]
fn what_is_learned_before_a_program_grows_holds_afterwards() {
    let options_of = |_| Options::on_processor();
    check_learned(options_of, seeds(30));
}

#[test]
fn what_several_searchers_learn_holds_in_later_questions() {
    check_learned(options_of_several, seeds(30));
}

#[test]
fn sequences_on_one_searcher() {
    check(Options::on_processor(), seeds(300), false);
}

#[test]
fn sequences_on_three_searchers() {
    let three = ParallelMode::Searchers(3);
    let options =
        Options { parallel_mode: three, join_after: When::Milliseconds(0), ..Options::on_processor() };
    check(options, seeds(100), false);
}

#[test]
fn sequences_on_several_searchers_that_join_at_any_time() {
    for seed in seeds(50) {
        check(options_of_several(seed), seed..seed + 1, false);
    }
}

/// Options of fleets on a device, alone or beside searchers on the processor.
fn options_of_fleets(seed: u64, fleets: DeviceKind) -> Options {
    let is_alone = seed.is_multiple_of(2);
    Options {
        device: if is_alone { fleets } else { DeviceKind::Auto },
        join_device: fleets,
        open_after: When::Conflict(0),
        threads_per_block: 32,
        searcher_threads: SearcherThreads::Threads(32),
        gpu_searchers: GpuSearchers::Searchers(2 + seed as u32 % 2),
        ..options_of_several(seed)
    }
}

#[test]
fn sequences_on_fleets() {
    for seed in seeds(30) {
        check(options_of_fleets(seed, DeviceKind::Simt), seed..seed + 1, false);
    }
}

#[test]
fn what_fleets_learn_holds_in_later_questions() {
    let options_of = |seed| options_of_fleets(seed, DeviceKind::Simt);
    check_learned(options_of, seeds(30));
}

#[test]
#[ignore = "needs an NVIDIA GPU"]
fn sequences_on_fleets_of_the_gpu() {
    for seed in seeds(30) {
        check(options_of_fleets(seed, DeviceKind::Gpu(0)), seed..seed + 1, false);
    }
}

#[test]
#[ignore = "needs an NVIDIA GPU"]
fn what_fleets_of_the_gpu_learn_holds_in_later_questions() {
    let options_of = |seed| options_of_fleets(seed, DeviceKind::Gpu(0));
    check_learned(options_of, seeds(30));
}

#[test]
fn sequences_on_the_simulated_gpu() {
    let options = Options { device: DeviceKind::Simt, threads_per_block: 32, ..Options::on_processor() };
    check(options, seeds(6), false);
}

#[test]
#[ignore = "needs an NVIDIA GPU"]
fn sequences_on_the_gpu() {
    let options = Options { device: DeviceKind::Gpu(0), ..Options::on_processor() };
    check(options, seeds(300), false);
}

#[test]
fn sequences_that_are_proved() {
    check_proved(Options::on_processor(), seeds(300));
    let host = Options { engine: Engine::Host, ..Options::on_processor() };
    check_proved(host, seeds(60));
    let simt = Options { device: DeviceKind::Simt, threads_per_block: 32, ..Options::on_processor() };
    check_proved(simt, seeds(6));
}

#[test]
fn what_is_learned_in_one_call_proves_others() {
    // A fixed seed: many a random program of this size has no answer set at all, and then no call needs another.
    let random = &mut Random(16_000_001);
    let mut control = Control::new(Options::on_processor());
    let kept = Kept::default();
    control.prove(kept.opener()).expect("there is no propagator");
    let atoms: Vec<Atom> = (0..120).map(|_| control.atom()).collect();
    control.choice(&atoms, &[]).expect("atoms of the control");
    let literal = |random: &mut Random| {
        let lit = atoms[random.below(atoms.len())].positive();
        if random.one_in(2) {
            lit
        } else {
            !lit
        }
    };
    for _ in 0..505 {
        let body: Vec<Literal> = (0..3).map(|_| literal(random)).collect();
        control.rule(&[], &body).expect("atoms of the control");
    }
    let (mut claims, mut conflicts) = (Vec::new(), 0);
    for call in 0..40 {
        let assumed: Vec<Literal> = (0..4).map(|_| literal(random)).collect();
        // Now and then all answer sets of a small part of the search space.
        let more: Vec<Literal> = atoms.iter().skip(call % 3).step_by(3).map(|atom| atom.positive()).collect();
        let is_whole = call % 4 == 3;
        let assumed = if is_whole { more } else { assumed };
        let mut answers =
            control.solve(&Question::new().assume(assumed).limit(u64::from(!is_whole))).expect("a question");
        let found = answers.by_ref().filter(Result::is_ok).count() as u64;
        if answers.is_exhausted() {
            claims.push(if found == 0 { Claim::None } else { Claim::All(found) });
        }
        conflicts = answers.statistics().conflicts;
    }
    control.end_proofs().expect("memory takes everything");
    let mut claimed = kept.check().expect("all steps are accepted");
    claimed.sort_unstable();
    claims.sort_unstable();
    assert_eq!(claimed, claims);
    println!("{conflicts} conflicts, {} claims of 40 calls", claims.len());
    assert_eq!(kept.count(), 1);
    assert!(conflicts > 300 && claims.len() > 10 && claims.len() < 40, "{conflicts}, {claims:?}");
}

#[test]
fn proofs_and_propagators_exclude_each_other() {
    let mut control = Control::new(Options::on_processor());
    control.prove(Kept::default().opener()).expect("there is no propagator");
    let shared = Arc::new(Mutex::new(Shared::default()));
    control.register(Enforcer::new(&shared, 1));
    let refused = |error: Error| assert!(error.to_string().contains("cannot be proved"), "{error}");
    refused(control.solve(&Question::new()).err().expect("a propagator is there"));
    refused(control.prove(Kept::default().opener()).expect_err("a propagator is there"));
    // A file that cannot be written is an error, and nothing is claimed without a proof.
    let mut control = Control::new(Options::on_processor());
    control.prove(|_| Err(std::io::Error::other("the disk is full"))).expect("there is no propagator");
    let error = control.solve(&Question::new()).err().expect("no file");
    assert!(error.to_string().contains("the disk is full"), "{error}");
    let several = Options { parallel_mode: ParallelMode::Searchers(2), ..Options::on_processor() };
    let mut control = Control::new(several);
    control.prove(Kept::default().opener()).expect("there is no propagator");
    let error = control.solve(&Question::new()).err().expect("two searchers");
    assert!(error.to_string().contains("one searcher"), "{error}");
}

#[test]
fn sequences_with_a_propagator() {
    check_propagated(Options::on_processor(), seeds(300));
}

#[test]
fn sequences_with_a_propagator_and_several_searchers() {
    let (mut done, mut others) = ([0; 5], 0);
    for seed in seeds(150) {
        let (more, searchers) = check_with(options_of_several(seed), seed..seed + 1, true);
        done = std::array::from_fn(|at| done[at] + more[at]);
        others += searchers.iter().filter(|&&searcher| searcher > 0).count();
    }
    println!("clauses added, with a conflict; literals told, undone; decisions: {done:?}; {others} other searchers");
    assert!(done.iter().all(|&times| times > 0) && others > 0, "{done:?} {others}");
}

#[test]
fn sequences_with_a_propagator_where_the_host_drives() {
    let options = Options { engine: Engine::Host, ..Options::on_processor() };
    check_propagated(options, seeds(300));
}

#[test]
fn sequences_with_a_propagator_on_the_simulated_gpu() {
    let options = Options { device: DeviceKind::Simt, threads_per_block: 32, ..Options::on_processor() };
    check_propagated(options, seeds(30));
}

/// What the first reply to a question has: the names of each answer set, in order.
fn told(control: &mut Control, question: Question) -> Vec<String> {
    let reply = control.ask_all([question]).next().expect("a reply");
    let mut told: Vec<String> = reply.answers().iter().map(ToString::to_string).collect();
    assert!(reply.error().is_none(), "{reply:?}");
    told.sort();
    told
}

#[test]
fn rules_of_one_question_leave_the_program_as_it_was() {
    // `{a}. b :- c. c :- b, a.`, where `b` and `c` have no foundation.
    let program =
        "asp 1 0 0\n1 1 1 1 0 0\n1 0 1 2 0 1 3\n1 0 1 3 0 2 2 1\n4 1 a 1 1\n4 1 b 1 2\n4 1 c 1 3\n0\n";
    let mut control = Control::read("loop", program.as_bytes(), Options::on_processor()).expect("a program");
    let all = || Question::new().limit(0);
    for _ in 0..2 {
        assert_eq!(told(&mut control, all()), ["", "a"]);
        // A loop through the program, with a foundation and without one.
        assert_eq!(told(&mut control, all().rules("b :- c, a. c :- b.")), ["", "a"]);
        assert_eq!(told(&mut control, all().rules("c :- a, not d. {d}.")), ["", "a b c", "a d", "d"]);
        assert_eq!(told(&mut control, all().rules("b | c :- a.")), ["", "a b c"]);
    }
    // The program grows by what a question has had.
    let [b, d] = [control.literal("b").expect("it is shown").atom(), control.atom()];
    control.choice(&[d], &[]).expect("a choice");
    control.show("d", &[d.positive()]).expect("a name");
    assert_eq!(told(&mut control, all().rules("b :- d. :- a.")), ["", "b d"]);
    control.rule(&[b], &[]).expect("a fact");
    assert_eq!(told(&mut control, all().project([d])).len(), 2);
    assert_eq!(told(&mut control, all().rules("e :- c, not d.")), ["a b c d", "a b c e", "b", "b d"]);
}

#[test]
fn what_a_question_cannot_have_is_refused() {
    let program = "asp 1 0 0\n1 1 2 1 2 0 0\n4 1 a 1 1\n4 1 n 1 -2\n4 1 t 2 1 2\n0\n";
    let mut control = Control::read("pair", program.as_bytes(), Options::on_processor()).expect("a program");
    for (text, what) in [
        ("n :- a.", "`n` is no single atom"),
        ("t.", "`t` is no single atom"),
        ("b :- not c.", "`c` is neither shown"),
        ("p(X).", "is no term"),
        ("7.", "is no atom"),
        ("a :- b c", "HEADS :- BODY"),
        ("2 {a; n}.", "HEADS :- BODY"),
    ] {
        let reply = control.ask_all([Question::new().rules(text)]).next().expect("a reply");
        let error = reply.error().map(ToString::to_string).unwrap_or_default();
        assert!(error.contains(what), "{text}: {error}");
    }
    let reply = control.ask_all([Question::new().bound([1])]).next().expect("a reply");
    assert!(reply.error().is_some_and(|error| error.to_string().contains("minimizes")));
    let own = Question::new().rules("b.");
    assert!(control.solve(&own).is_err() && control.facets(&[], &own).is_err());
    assert_eq!(told(&mut control, own.limit(0)), ["a n b", "a t b", "b", "n b"]);
}
