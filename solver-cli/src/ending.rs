//! How a run of the command ended: [`Ending`].

/// How a run of the command ended.
#[derive(Clone, Debug)]
pub enum Ending {
    /// Help, version or the like was asked for: this text.
    Help(String),
    /// The command line is wrong.
    Usage {
        /// What is wrong, and how to do it.
        text: String,
        /// The document for standard output, if JSON was asked for; else empty.
        document: String,
    },
    /// The work was started; all results are printed.
    Done {
        /// The process's exit code.
        code: i32,
        /// What went wrong, if something did.
        error: Option<String>,
        /// Whether the worker still runs.
        leaves_worker: bool,
    },
}
