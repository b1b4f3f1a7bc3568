//! The solver against the definition, on random programs and on those of `data/`.

use std::path::Path;
use std::process::Command;

use solver_host::device::DeviceKind;
use yasmin_tests::machine::Machine;
use yasmin_tests::{conform, data, rich};

/// The first one of so many seeds.
fn first_of(count: usize) -> u64 {
    yasmin_seeds::seeds(count as u64).start
}

fn random(count: usize, machine: impl Into<Machine>) {
    let (machine, first) = (machine.into(), first_of(count));
    // Ten runs: each program meets all learnings. The programs together meet all heuristics.
    const RUNS: usize = 10;
    let mut told = |report: &str| println!("{report}");
    let tally = conform::random_programs(first, count, RUNS, machine, &mut told).expect("a temporary folder");
    assert!(tally.differences.is_empty(), "{} of {} differ", tally.differences.len(), tally.solves);
}

#[test]
fn two_thousand_random_programs_on_cpu() {
    random(2000, DeviceKind::Cpu);
}

/// The simulation, with blocks of all sizes: neighbouring combinations of options have the same.
fn simt() -> Machine {
    Machine { step: 100_003, ..DeviceKind::Simt.into() }
}

#[test]
fn two_hundred_random_programs_on_simt() {
    random(200, simt());
}

fn rich_programs(count: usize, machine: impl Into<Machine>) {
    rich_programs_from(first_of(count), count, machine);
}

fn rich_programs_from(first: u64, count: usize, machine: impl Into<Machine>) {
    let tally = rich::programs(first, count, machine, &mut |report| println!("{report}"));
    assert!(tally.differences.is_empty(), "{} of {} differ", tally.differences.len(), tally.solves);
}

#[test]
fn a_thousand_rich_programs_in_every_way_on_cpu() {
    rich_programs(1000, DeviceKind::Cpu);
}

#[test]
fn a_thousand_overlapping_programs_in_every_way_on_cpu() {
    let mut told = |report: &str| println!("{report}");
    let tally = rich::overlapping_programs(first_of(1000), 1000, DeviceKind::Cpu, &mut told);
    assert!(tally.differences.is_empty(), "{} of {} differ", tally.differences.len(), tally.solves);
}

#[test]
fn a_thousand_programs_with_rules_for_externals_in_every_way_on_cpu() {
    println!("external seeds 1 to 1000");
    let tally = rich::external_programs(1, 1000, DeviceKind::Cpu, &mut |report| println!("{report}"));
    assert!(tally.differences.is_empty(), "{} of {} differ", tally.differences.len(), tally.solves);
}

#[test]
fn a_thousand_programs_with_long_heads_in_every_way_on_cpu() {
    let mut told = |report: &str| println!("{report}");
    let tally = rich::wide_programs(first_of(1000), 1000, DeviceKind::Cpu, &mut told);
    assert!(tally.differences.is_empty(), "{} of {} differ", tally.differences.len(), tally.solves);
}

#[test]
fn rich_programs_that_once_failed() {
    // Completion took atoms of a head cycle for unfounded.
    rich_programs_from(7734, 1, DeviceKind::Cpu);
    rich_programs_from(8622, 1, DeviceKind::Cpu);
}

#[test]
fn forty_rich_programs_in_every_way_on_simt() {
    rich_programs(40, simt());
}

/// `scripts/long.sh` does the same with more programs and orders.
#[test]
fn several_blocks_race_in_no_order_of_their_threads() {
    let machine = Machine { schedules: 6, threads: Some(64), ..searchers(DeviceKind::Simt, 3) };
    random(6, machine);
    rich_programs(3, machine);
}

/// Several searchers search each program. `scripts/long.sh` does the same with more programs and searchers.
fn searchers(device: DeviceKind, searchers: usize) -> Machine {
    Machine { step: 100_003, searchers: Some(searchers), ..device.into() }
}

#[test]
fn random_and_rich_programs_by_two_searchers_on_cpu() {
    random(100, searchers(DeviceKind::Cpu, 2));
    rich_programs(300, searchers(DeviceKind::Cpu, 2));
}

#[test]
fn random_and_rich_programs_by_seven_searchers_on_cpu() {
    random(100, searchers(DeviceKind::Cpu, 7));
    rich_programs(200, searchers(DeviceKind::Cpu, 7));
}

#[test]
fn random_and_rich_programs_by_three_searchers_on_simt() {
    random(10, searchers(DeviceKind::Simt, 3));
    rich_programs(12, searchers(DeviceKind::Simt, 3));
}

/// Threads of the processor, and blocks that join them.
#[test]
fn random_and_rich_programs_by_searchers_on_cpu_and_simt() {
    let both = Machine { joins: DeviceKind::Simt, ..searchers(DeviceKind::Auto, 2) };
    random(10, both);
    rich_programs(20, both);
}

#[test]
fn the_programs_of_data_on_cpu() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../data");
    let mut wrong = Vec::new();
    for (place, known) in data::known(&folder).expect("a list").iter().enumerate() {
        let options = conform::sensible(place, DeviceKind::Cpu);
        if let Err(error) = data::check_file(&folder, known, options, 1000) {
            wrong.push(format!("{}, {options:?}: {error}", known.file));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_missing_device_is_no_difference() {
    // An empty list hides all GPUs.
    let run = Command::new(env!("CARGO_BIN_EXE_yasmin-conformance"))
        .args(["--device", "gpu", "--programs", "1"])
        .env("CUDA_VISIBLE_DEVICES", "")
        .output()
        .expect("the binary is there");
    let (out, err) = (String::from_utf8_lossy(&run.stdout), String::from_utf8_lossy(&run.stderr));
    assert_eq!((run.status.code(), out.as_ref()), (Some(65), ""));
    assert!(err.starts_with("yasmin-conformance: error: no GPU: "), "{err}");
}

fn weighted(count: usize, machine: impl Into<Machine>) {
    let tally = rich::weighted_programs(first_of(count), count, machine, &mut |report| println!("{report}"));
    assert!(tally.differences.is_empty(), "{} of {} solves", tally.differences.len(), tally.solves);
}

/// Under each strategy of optimisation, with costs of all sizes and up to four priorities.
#[test]
fn weighted_programs_in_every_way_on_cpu() {
    weighted(2000, DeviceKind::Cpu);
}

#[test]
fn weighted_programs_in_every_way_on_simt() {
    weighted(20, DeviceKind::Simt);
}

#[test]
fn weighted_programs_by_three_searchers() {
    weighted(40, searchers(DeviceKind::Cpu, 3));
    weighted(6, searchers(DeviceKind::Simt, 3));
}

/// The same with weights whose sums need 64 bits.
#[test]
fn heavy_programs_in_every_way() {
    for (count, machine) in [
        (1000, Machine::from(DeviceKind::Cpu)),
        (10, DeviceKind::Simt.into()),
        (40, searchers(DeviceKind::Cpu, 3)),
        (6, searchers(DeviceKind::Simt, 3)),
    ] {
        let tally = rich::heavy_programs(1, count, machine, &mut |report| println!("{report}"));
        assert!(tally.differences.is_empty(), "{} of {} solves", tally.differences.len(), tally.solves);
    }
}
