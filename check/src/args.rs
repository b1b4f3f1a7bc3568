//! The options of the command.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::Parser;

/// Checks a proof that a search of yasmin has left nothing out.
///
/// Exit code 0 says that the proof is accepted and proves something, and 1 that every step is accepted, but
/// the proof ends without a conclusion. Exit code 10 says that a step is refused or is none, and 33 that
/// memory ran out. Exit code 65 says that a file cannot be read, an option does not take such a proof, or
/// standard output is closed.
#[derive(Debug, Parser)]
#[command(name = "yasmin-check", version)]
pub struct Args {
    /// The ground program, aspif or smodels; `-` is standard input
    pub program: String,
    /// The proof, text or binary; `-` is standard input. Of a proof of several ranks: the file of rank 0,
    /// next to which the others are, or the files of all ranks in any order
    #[arg(required = true, value_name = "PROOF")]
    pub proofs: Vec<String>,
    /// Write the program's completion to a file, as clauses in DIMACS, together with the answer sets of the proof
    #[arg(long, value_name = "FILE", requires = "lrat")]
    pub cnf: Option<PathBuf>,
    /// Write the proof to a file as SAT solvers do (LRAT): it refutes the clauses
    #[arg(long, value_name = "FILE", requires = "cnf")]
    pub lrat: Option<PathBuf>,
    /// Look for the steps that are needed, backwards, and check only these; the proof is read as a whole before
    #[arg(long)]
    pub backward: bool,
    /// As --backward, and write the proof with only these steps to a file
    #[arg(long, value_name = "OUT")]
    pub trim: Option<String>,
    /// Check nogoods with so many threads, each of which needs as much memory as one alone
    #[arg(long, value_name = "N", default_value_t = NonZeroUsize::MIN, conflicts_with = "cnf")]
    pub threads: NonZeroUsize,
    /// Print one JSON document
    #[arg(long)]
    pub json: bool,
    /// Print the shown names of each answer set of the proof, once it is accepted
    #[arg(long)]
    pub answers: bool,
    /// Print the manual page
    #[arg(long, exclusive = true)]
    pub man: bool,
}
