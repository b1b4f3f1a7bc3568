//! What the command says is proved: random programs, and proofs that are none.
//!
//! `yasmin-conformance --proofs N` and `scripts/long.sh --only proofs` try more.

use solver_host::device::DeviceKind;
use yasmin_tests::claims::Kind;
use yasmin_tests::proofs::{accept, cases, changes};

/// Proves the results of so many random programs. Most of them conclude something.
fn are_proved(device: DeviceKind, is_long: bool, first: u64, count: usize) {
    let joins = if let DeviceKind::Gpu(_) = device { device } else { DeviceKind::Simt };
    let tally = cases(Kind { device, joins, is_long }, first, count, &mut |report| eprintln!("{report}"));
    assert!(tally.failures.is_empty(), "{} of {} are wrong", tally.failures.len(), tally.cases);
    assert!(3 * tally.proved > tally.cases, "{} of {}", tally.proved, tally.cases);
}

#[test]
fn random_programs_are_proved() {
    are_proved(DeviceKind::Cpu, false, 1, 4000);
}

#[test]
fn long_searches_are_proved() {
    are_proved(DeviceKind::Cpu, true, 1, 40);
}

#[test]
fn random_programs_are_proved_on_the_simulated_gpu() {
    are_proved(DeviceKind::Simt, false, 1, 60);
    // Searchers of the simulated GPU join those of the processor.
    are_proved(DeviceKind::Auto, false, 1, 100);
}

#[test]
#[ignore = "needs a GPU"]
fn random_programs_are_proved_on_the_gpu() {
    are_proved(DeviceKind::Gpu(0), false, 1, 2000);
}

#[test]
fn a_proof_without_a_step_is_refused() {
    let pigeons = include_bytes!("../../data/pigeons.aspif");
    let claimed = b"p yasmin 1\nq 1 0\nn 0\ne 1\n";
    let refused = accept(pigeons, &claimed[..]).expect_err("the pigeons do not fit by propagation alone");
    assert!(refused.contains("propagation finds no conflict"), "{refused}");
    let silent = b"p yasmin 1\nq 1 0\ne 0\n";
    assert!(accept(pigeons, &silent[..]).expect("nothing is claimed").0.is_none());
}

#[test]
fn proofs_that_were_changed_prove_nothing_wrong() {
    let changed = changes(Kind { device: DeviceKind::Cpu, joins: DeviceKind::Simt, is_long: false }, 1, 400);
    assert!(changed.failures.is_empty(), "{}", changed.failures[0]);
    assert!(changed.refused > 300 && changed.accepted > 100, "{changed:?}");
}
