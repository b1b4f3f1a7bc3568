//! The solver as a library: reads a ground program from a string, and goes through its answer sets.
//!
//! `cargo run --example answer_sets`

use std::error::Error;

use solver_host::device::DeviceKind;
use solver_host::input;
use solver_host::search::{Options, Solver};

/// What gringo makes of `a :- not b. b :- not a. c :- a.`
const PROGRAM: &str = "\
asp 1 0 0
1 0 1 1 0 1 -2
1 0 1 2 0 1 -1
1 0 1 3 0 1 1
4 1 a 1 1
4 1 b 1 2
4 1 c 1 3
0
";

fn main() -> Result<(), Box<dyn Error>> {
    let program = input::read("example", PROGRAM.as_bytes())?;
    let names = program.clone();
    // On the processor alone; by default the searchers of a GPU join in.
    let options = Options { device: DeviceKind::Cpu, ..Options::default() };
    let mut solver = Solver::new(program, options)?;
    for answer in solver.answers() {
        println!("{}", answer?.shown(&names).join(" "));
    }
    println!("decisions: {}", solver.statistics().decisions);
    Ok(())
}
