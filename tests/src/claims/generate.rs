//! The case of a seed.
//!
//! Main function: [`case`]. Which program, what is asked, when the run is told to stop, which options the search has and
//! when other searchers join: each comes with each other.

use solver_host::device::DeviceKind;
use solver_host::search::{Options, Portfolio};

use super::asked::{Asked, Format, Mode, Projection, Reasoning};
use super::case::{Case, End};
use super::known::Known;
use super::meant::Subject;
use super::part::{
    head_cycle, random_differences, random_permutation, random_pigeons, random_rich, three_heads, Part,
};
use super::program::{Costs, Onto, Program, Table, Within};
use crate::conform::{combination, sensible};
use crate::machine::{racers_of, Machine};
use crate::random::Random;

/// What the cases of a run have in common.
#[derive(Clone, Copy, Debug)]
pub struct Kind {
    /// What runs the searches; `auto`: the processor, what joins it, and both.
    pub device: DeviceKind,
    /// What joins the searchers of the processor.
    pub joins: DeviceKind,
    /// Whether programs are so large that others may join while the search is on, or small.
    pub is_long: bool,
    /// Whether they have difference constraints.
    pub has_differences: bool,
}

impl Kind {
    /// Small programs without difference constraints on a device, where a simulated GPU joins.
    pub fn on(device: DeviceKind) -> Kind {
        Kind { device, joins: DeviceKind::Simt, is_long: false, has_differences: false }
    }
}

/// The case of this seed.
pub fn case(kind: Kind, seed: u64) -> Case {
    let mut random = Random::new(seed ^ 0x636c_6169);
    let random = &mut random;
    let device = device(kind, random);
    // The simulation is slow.
    let is_long = kind.is_long
        && !matches!((device, kind.joins), (DeviceKind::Simt, _) | (DeviceKind::Auto, DeviceKind::Simt));
    let subject = match is_long {
        true if !kind.has_differences && random.chance(6) => {
            Subject::Known(if random.chance(70) { Known::Tours11 } else { Known::Tours12 })
        }
        true if kind.has_differences => {
            Subject::Parts(of_few(with_differences(long_program(random), random)))
        }
        true => Subject::Parts(of_few(long_program(random))),
        false if kind.has_differences => Subject::Parts(of_few(small_differences(random))),
        false => Subject::Parts(of_few(small_program(random))),
    };
    let mut asked = asked(&subject, random);
    let end = end(&mut asked, is_long, random);
    let mut options = options(device, kind.joins, is_long, random);
    if kind.has_differences {
        // No two searches in turns know difference constraints, and nobody their symmetries.
        options.retain(|word| !word.starts_with("--opt-strategy=turns") && word != "--symmetry=yes");
    }
    Case { subject, asked, end, is_signal: random.chance(50), options }
}

/// What runs the search. The simulation is slow.
fn device(kind: Kind, random: &mut Random) -> DeviceKind {
    match (kind.device, kind.joins) {
        (DeviceKind::Auto, DeviceKind::Simt) => match random.below(20) {
            0..14 => DeviceKind::Cpu,
            14..17 => DeviceKind::Simt,
            _ => DeviceKind::Auto,
        },
        (DeviceKind::Auto, joins) if random.chance(50) => joins,
        (device, _) => device,
    }
}

/// A program of a few small parts.
fn small_program(random: &mut Random) -> Program {
    let parts = match random.below(12) {
        0..4 => vec![random_rich(random, 30)],
        4..7 => vec![random_rich(random, 100)],
        7 => vec![random_rich(random, 30), random_rich(random, 30)],
        8 => {
            let free = Part::Free { atoms: 1 + random.below(6) as u32, shown: random.chance(70) };
            vec![random_rich(random, 50), free]
        }
        9 => vec![random_rich(random, 50), random_pigeons(random, 3)],
        10 => vec![random_permutation(random, 4), random_rich(random, 50)],
        _ => head_cycles(random, 3),
    };
    Program { parts }
}

/// A program of a few small parts with difference constraints, or of one and something else.
fn small_differences(random: &mut Random) -> Program {
    let parts = match random.below(6) {
        0..3 => vec![random_differences(random)],
        3 => vec![random_differences(random), random_differences(random)],
        4 => vec![random_differences(random), random_rich(random, 50)],
        _ => vec![random_rich(random, 30), random_differences(random)],
    };
    Program { parts }
}

/// The program with two more parts, which have difference constraints.
fn with_differences(mut program: Program, random: &mut Random) -> Program {
    program.parts.insert(0, random_differences(random));
    program.parts.insert(0, random_differences(random));
    program
}

/// A few parts with head cycles.
fn head_cycles(random: &mut Random, most: usize) -> Vec<Part> {
    let mut one = || {
        let mut program = if random.chance(50) { head_cycle() } else { three_heads() };
        if random.chance(30) {
            let priority = random.between(0, 1);
            let costs = (1..=program.atoms).map(|atom| (atom, random.between(-1, 2).into())).collect();
            program.minimize.push((priority, costs));
        }
        Part::Rich(program)
    };
    let first = one();
    let number = 1 + random.below(most);
    (1..number).map(|_| first.clone()).chain([first.clone()]).collect()
}

/// A program whose search lasts from some milliseconds to a second.
fn long_program(random: &mut Random) -> Program {
    let free =
        |atoms: usize, random: &mut Random| Part::Free { atoms: atoms as u32, shown: random.chance(80) };
    let mut parts = match random.below(10) {
        0..3 => {
            let atoms = 8 + random.below(9);
            vec![random_rich(random, 80), free(atoms, random)]
        }
        3 => {
            let atoms = 6 + random.below(8);
            vec![random_rich(random, 50), random_rich(random, 80), free(atoms, random)]
        }
        4 => {
            let atoms = random.below(8);
            vec![random_pigeons(random, 6), random_rich(random, 80), free(atoms, random)]
        }
        5 => vec![random_pigeons(random, 5), random_permutation(random, 5)],
        6 => vec![random_permutation(random, 7)],
        7 => vec![random_permutation(random, 5), random_permutation(random, 4), random_rich(random, 70)],
        8 => head_cycles(random, 8),
        _ => {
            let atoms = random.below(8);
            let mut parts = head_cycles(random, 5);
            parts.push(free(atoms, random));
            parts
        }
    };
    if random.chance(20) {
        parts.reverse();
    }
    Program { parts }
}

/// The program with so few parts that a run prints its answer sets long before the run counts as one that hangs.
fn of_few(mut program: Program) -> Program {
    const MOST: u128 = 300_000;
    let number =
        |program: &Program| Table::new(program, false, Onto::Atoms, false).number(&Within::default());
    while program.parts.len() > 1 && number(&program) > MOST {
        program.parts.pop();
    }
    program
}

/// Costs that an answer set of the program may have.
fn some_costs(program: &Program, random: &mut Random) -> Costs {
    let optimum = Table::new(program, true, Onto::Atoms, false).optimum().unwrap_or_default();
    optimum.iter().map(|&cost| cost.saturating_add([0, 0, 1, 2, -1, 5][random.below(6)])).collect()
}

/// A bound: near the optimum, anywhere, or at the ends of what a number may be.
fn bound(program: &Program, random: &mut Random) -> Vec<i64> {
    const ENDS: [i64; 8] = [
        i64::MIN,
        i64::MIN + 1,
        i64::MAX,
        i64::MAX - 1,
        i64::MAX / 4,
        i64::MAX / 4 + 1,
        i64::MIN / 4,
        1 << 31,
    ];
    let mut bound = some_costs(program, random);
    if random.chance(25) {
        let place = random.below(bound.len() + 1);
        bound.truncate(place);
        bound.push(ENDS[random.below(ENDS.len())]);
    } else if random.chance(30) {
        bound.truncate(1 + random.below(3));
    }
    bound
}

/// What is asked of a program.
fn asked(subject: &Subject, random: &mut Random) -> Asked {
    let mut asked = Asked {
        reasoning: match random.below(10) {
            0..6 => Reasoning::Enumerate,
            6 | 7 => Reasoning::Brave,
            _ => Reasoning::Cautious,
        },
        mode: [Mode::Opt, Mode::Opt, Mode::OptN, Mode::OptN, Mode::Enum, Mode::Ignore][random.below(6)],
        models: match random.below(8) {
            0 => None,
            1 => Some(1),
            2 => Some(2 + random.below(4) as u64),
            3 => Some(1 + random.below(400) as u64),
            _ => Some(0),
        },
        format: match random.below(8) {
            0 => Format::Lines,
            1 => Format::Text,
            _ => Format::Json,
        },
        ..Asked::default()
    };
    if random.chance(12) {
        asked.quiet = Some((random.below(3) as u8, random.below(3) as u8));
    }
    if random.chance(25) {
        asked.projection = [Projection::Auto, Projection::Show, Projection::Project][random.below(3)];
    }
    match subject {
        Subject::Parts(program) => {
            if asked.mode != Mode::Ignore && random.chance(25) {
                asked.bound = bound(program, random);
            }
            if random.chance(12) {
                asked.opt_stop = Some(bound(program, random)).filter(|stop| !stop.is_empty());
            }
        }
        // Only of its optimum something is known.
        Subject::Known(_) => {
            asked.projection = Projection::No;
            asked.mode = if random.chance(50) { Mode::Opt } else { Mode::OptN };
        }
    }
    asked
}

/// When the run is told to stop, or stops at a limit.
fn end(asked: &mut Asked, is_long: bool, random: &mut Random) -> End {
    let most = if is_long { 400 } else { 8 };
    match random.below(20) {
        0..10 => End::Never,
        10..13 => End::Polls(random.below(most) as u64),
        13..16 => End::Answers(1 + random.below(most) as u64),
        16..18 => {
            let most = if is_long { 60_000 } else { 2000 };
            asked.time_limit = Some(1 + random.below(most) as u64);
            End::Never
        }
        _ => {
            asked.solve_limit = Some((random.below(30) as u64, 1 + random.below(5) as u64));
            End::Never
        }
    }
}

/// When something happens: after so many milliseconds, or at a conflict, an answer set or a phase.
fn point(random: &mut Random, is_long: bool) -> String {
    let most = if is_long { 40 } else { 4 };
    match random.below(6) {
        0 => "0".into(),
        1 => random.below(if is_long { 30 } else { 3 }).to_string(),
        2 | 3 => format!("answer:{}", 1 + random.below(most)),
        4 => format!("conflict:{}", 1 + random.below(most)),
        _ => format!("phase:{}", random.below(3)),
    }
}

/// The options of the search, as they are typed.
fn options(device: DeviceKind, joins: DeviceKind, is_long: bool, random: &mut Random) -> Vec<String> {
    let searchers = match random.below(10) {
        0 | 1 => None,
        2..6 => Some(2),
        6 | 7 => Some(3),
        8 => Some(9),
        _ => Some(1),
    };
    // Each thread of a simulated block takes as long as a searcher on the processor.
    let is_simulated =
        device == DeviceKind::Simt || (device == DeviceKind::Auto && joins == DeviceKind::Simt);
    let searchers = searchers.map(|searchers| if is_simulated { searchers.min(3) } else { searchers });
    let threads = is_simulated.then(|| [32, 32, 32, 64][random.below(4)]);
    let machine = Machine { searchers, threads, step: 100_003, joins, ..device.into() };
    let index = random.below(1 << 30);
    let mut options = match is_long {
        // Without ranks, restarts and deletion some programs take hours.
        true => sensible(index, machine),
        false => combination(index, machine),
    };
    if searchers.is_some() {
        options = with_extremes(options, random);
        options.fleets = if device != DeviceKind::Cpu && random.chance(30) { 2 } else { 1 };
    }
    let mut words = words_of(&options);
    if searchers.is_some() {
        // The last one counts: what the machine says of this is dropped.
        words.retain(|word| !word.starts_with("--join-after=") && !word.starts_with("--open-after="));
        words.push(format!(
            "--join-after={}",
            if random.chance(30) { "0".into() } else { point(random, is_long) }
        ));
        if device == DeviceKind::Auto {
            words.push(format!("--open-after={}", point(random, is_long)));
        }
    }
    words
}

/// The same with options of searchers that are small, so that everything comes soon, or as they are.
fn with_extremes(mut options: Options, random: &mut Random) -> Options {
    let mut pick = |values: &[u32]| values[random.below(values.len())];
    options.share_length = pick(&[0, 1, 2, 10, 32]);
    options.share_lbd = pick(&[0, 1, 2, 6, 32]);
    options.import_every = pick(&[1, 1, 2, 100]);
    options.import_most = pick(&[0, 1, 2, 2000]);
    options.split_from = pick(&[0, 0, 1, 10, 10_000]);
    options.split_after = pick(&[0, 1, 2, 20]);
    options.racers = racers_of(pick(&[0, 1, 2, 3, 4]) as u64);
    options.near_best = pick(&[0, 1, 2, 4]);
    options.cube_lookahead = pick(&[0, 1, 3, 16, 64]);
    options.portfolio = [Portfolio::Many, Portfolio::Seeds][options.seed.is_multiple_of(4) as usize];
    options.check = [options.check, solver_host::search::Check::Auto, solver_host::search::Check::No]
        [pick(&[0, 1, 2]) as usize];
    options
}

/// The options that differ from the default, as they are typed.
fn words_of(options: &Options) -> Vec<String> {
    let default = Options::default().by_name();
    let word = |(name, value): (&String, &serde_json::Value)| {
        let typed = value.as_str().map_or_else(|| value.to_string(), String::from);
        match (&name[..], &typed[..]) {
            ("simplify", "false") => "--no-simplify".to_string(),
            ("simt-check", "false") => "--no-simt-check".to_string(),
            ("sign-fix", "true") => "--sign-fix".to_string(),
            _ => format!("--{name}={typed}"),
        }
    };
    options.by_name().iter().filter(|(name, value)| default[*name] != **value).map(word).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{proofs, traces};
    use std::path::Path;

    #[test]
    fn a_seed_is_a_case_for_good() {
        for is_long in [false, true] {
            let kind = Kind { is_long, ..Kind::on(DeviceKind::Auto) };
            for seed in 0..40 {
                let case = case(kind, seed);
                assert_eq!(case, self::case(kind, seed));
                assert_eq!(Case::again(&case.line()), Ok(case));
            }
        }
    }

    /// A command line that is refused would be reported as a wrong statement.
    #[test]
    fn the_command_takes_the_options_on_all_machines() {
        let devices =
            ["cpu", "simt", "auto", "gpu", "gpu:0,1", "gpu:all"].map(|name| name.parse().expect("a device"));
        for (device, joins) in devices.iter().flat_map(|&device| devices.map(|joins| (device, joins))) {
            if joins == DeviceKind::Auto {
                continue;
            }
            for seed in 0..120u64 {
                let kind = Kind { device, joins, is_long: seed.is_multiple_of(10), has_differences: false };
                let traced = !matches!(device, DeviceKind::Gpus(_)) && !matches!(joins, DeviceKind::Gpus(_));
                let cases = [
                    Some(case(kind, seed)),
                    Some(proofs::proved(proofs::case(kind, seed), Path::new("file"))),
                    traced.then(|| traces::traced(traces::case(kind, seed), Path::new("file"))),
                ];
                for case in cases.into_iter().flatten() {
                    let words = ["yasmin".to_string()].into_iter().chain(case.words());
                    if let Err(ending) = yasmin_cli::request(words.map(Into::into)) {
                        panic!("{}: {ending:?}", case.words().join(" "));
                    }
                }
            }
        }
    }

    #[test]
    fn the_options_are_those_of_the_machine() {
        let options = combination(7 * 100_003, DeviceKind::Simt);
        let words = ["yasmin".to_string()].into_iter().chain(words_of(&options));
        let request = yasmin_cli::request(words.map(Into::into)).expect("valid");
        assert_eq!(request.options, options);
    }
}
