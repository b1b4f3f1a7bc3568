//! Several ranks of MPI solve random programs together, many in one start, and all that they say is true and
//! proved.
//!
//! Where `mpirun` is missing the test says that it was skipped. `scripts/long.sh` does the same for longer.
#![cfg(feature = "mpi")]

use std::process::{Command, Output};

/// So many ranks of `yasmin-conformance`.
fn run(ranks: u32, words: &str) -> Output {
    let mut command = Command::new("mpirun");
    // Tests may run as root, and with more ranks than there are cores.
    command.env("OMPI_ALLOW_RUN_AS_ROOT", "1").env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
    command.args(["--oversubscribe", "-n", &ranks.to_string(), env!("CARGO_BIN_EXE_yasmin-conformance")]);
    command.args(words.split_whitespace()).output().expect("mpirun starts")
}

#[test]
fn what_several_ranks_say_of_random_programs_is_true() {
    if Command::new("mpirun").arg("--version").output().is_err() {
        eprintln!("SKIPPED: no mpirun (Debian: apt-get install openmpi-bin)");
        return;
    }
    for ranks in [2, 4] {
        let output = run(ranks, "--ranks --device cpu --seed 71 --claims 60");
        let out = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(output.status.success(), "{out}\n{}", String::from_utf8_lossy(&output.stderr));
        // Rank 0 alone says what came of them, and several searchers there were.
        let last: Vec<&str> = out.lines().filter(|line| line.ends_with(" with a wrong statement")).collect();
        assert!(matches!(&last[..], [line] if line.starts_with("claims: 66 runs, ")), "{out}");
        let swarms = out
            .lines()
            .filter_map(|line| line.split(", ").last()?.split_whitespace().next()?.parse::<u32>().ok());
        assert!(swarms.sum::<u32>() > 20, "{out}");
    }
}

#[test]
fn what_several_ranks_say_of_random_programs_is_proved() {
    if Command::new("mpirun").arg("--version").output().is_err() {
        eprintln!("SKIPPED: no mpirun (Debian: apt-get install openmpi-bin)");
        return;
    }
    for ranks in [2, 3, 4] {
        let (mut steps, mut refused, mut accepted) = (0, 0, 0);
        // How soon another rank has something to search is luck, so seeds follow until it was enough.
        let mut seeds = (71..).step_by(60).take(20);
        while steps <= 15 || refused <= 20 || accepted <= 5 {
            let seed = seeds.next().unwrap_or_else(|| {
                panic!(
                    "{ranks} ranks: {steps} parts with steps, {refused} changed ones refused, {accepted} not"
                )
            });
            let output = run(ranks, &format!("--ranks --device cpu --seed {seed} --proofs 60"));
            let out = String::from_utf8_lossy(&output.stdout).into_owned();
            assert!(output.status.success(), "{out}\n{}", String::from_utf8_lossy(&output.stderr));
            assert!(out.lines().any(|line| line.starts_with("proofs: 66 runs, ")), "{out}");
            // Of the small programs, and of the long ones.
            let numbers = |line: &str| -> Vec<u32> {
                let words = line.split(|letter: char| !letter.is_ascii_digit());
                words.filter_map(|word| word.parse().ok()).collect()
            };
            let parts: Vec<Vec<u32>> =
                out.lines().filter(|line| line.starts_with("parts: ")).map(numbers).collect();
            let [small, long] = &parts[..] else { panic!("{out}") };
            steps += small[1] + long[1];
            refused += small[2];
            accepted += small[3];
        }
    }
}

#[test]
fn ranks_that_nothing_has_started_are_refused() {
    let output = Command::new(env!("CARGO_BIN_EXE_yasmin-conformance"))
        .args(["--ranks", "--device", "cpu", "--claims", "1"])
        .env_remove("OMPI_COMM_WORLD_RANK")
        .output()
        .expect("the command starts");
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(65), "{told}");
    assert!(told.contains("mpirun has to start"), "{told}");
}
