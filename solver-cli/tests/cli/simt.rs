//! The simulation of a GPU from the command line: its checks and its orders of threads.

use super::{command, run, PAIR};

/// What `--device simt` says of a program of `data/` with these arguments and words in the environment.
fn simulated(program: &str, arguments: &[&str], environment: &[(&str, &str)]) -> (Option<i32>, String) {
    let file = format!("{}/../data/{program}", env!("CARGO_MANIFEST_DIR"));
    let mut command = command(&["--device", "simt", "--threads-per-block", "64", "-q", &file]);
    let output =
        command.args(arguments).envs(environment.iter().copied()).output().expect("the binary is there");
    (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
}

#[test]
fn several_orders_of_threads_give_the_same_answer_sets() {
    for arguments in [&["--simt-schedules", "5"][..], &["--no-simt-check"]] {
        let (code, out, err) = run(&[&["0", "--device", "simt"], arguments].concat(), PAIR);
        assert_eq!((code, err.as_str()), (30, ""), "{arguments:?}");
        assert!(out.contains("Models       : 2"), "{out}");
    }
    let (code, _, err) = run(&["--simt-schedules", "0"], PAIR);
    assert!(code == 65 && err.contains("--simt-schedules"), "{err}");
}

#[test]
fn no_kernel_counts_on_the_order_of_shuffles() {
    // CUDA promises that `sync_warp` orders accesses to memory, and nothing of votes and shuffles.
    for program in ["sudoku.aspif", "queens-8.aspif"] {
        for engine in ["resident", "host"] {
            let told = simulated(program, &["--engine", engine], &[]);
            assert!(told.0 != Some(65) && told.1.is_empty(), "{program}, {engine}: {told:?}");
        }
    }
}

#[test]
fn a_barrier_that_is_left_out_is_told() {
    let places = std::env::temp_dir().join(format!("yasmin-places-{}", std::process::id()));
    let path = places.display().to_string();
    let told = simulated("sudoku.aspif", &[], &[("CUDA_STD_PLACES", &path)]);
    let listed = std::fs::read_to_string(&places).expect("the places");
    std::fs::remove_file(&places).expect("the file is there");
    assert_eq!(told.1, "");
    let is_choice = |line: &&str| line.starts_with("warp:") && line.contains("choose.rs");
    let place = listed.lines().find(is_choice).expect("the search chooses lanes");
    let (code, err) = simulated("sudoku.aspif", &[], &[("CUDA_STD_WITHOUT", place)]);
    assert_eq!(code, Some(65), "{err}");
    assert!(err.starts_with("yasmin: error: kernel search") && err.contains("data race on"), "{err}");
}
