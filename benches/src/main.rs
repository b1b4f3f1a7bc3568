//! `yasmin-bench`: needs neither cargo nor a network where it runs; see `yasmin-bench --help`.

use std::process::ExitCode;

use clap::Parser;
use yasmin_bench::cli::{execute, Args, Done};

fn main() -> ExitCode {
    match execute(Args::parse()) {
        Ok(Done::Well) => ExitCode::SUCCESS,
        Ok(Done::Differs(differences)) => {
            eprintln!("yasmin-bench: {} DIFFERENCES OR FAILURES", differences.len());
            for difference in &differences {
                eprintln!("  {difference}");
            }
            ExitCode::from(1)
        }
        Ok(Done::CutShort) => {
            eprintln!("yasmin-bench: cut short; what was run is kept");
            ExitCode::from(130)
        }
        Err(error) => {
            eprintln!("yasmin-bench: error: {error}");
            ExitCode::from(65)
        }
    }
}
