//! Why a proof cannot be read.
//!
//! Main type: [`ProofError`].

/// Why a proof, or a step of it, cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum ProofError {
    /// The first bytes are those of neither form.
    #[error("a proof begins with the line `p yasmin 1`, or with the bytes `yasmin01` and 0")]
    Header,
    /// The letter of no step.
    #[error("`{0:.20}` is the letter of no step")]
    Unknown(String),
    /// A word that is no number.
    #[error("`{0:.20}` is no number of 64 bits")]
    NoNumber(String),
    /// A number of the binary form that goes on and on.
    #[error("a number has more than 10 bytes")]
    LongNumber,
    /// A list without an end, or too few numbers.
    #[error("the step ends too early")]
    NoEnd,
    /// More numbers than a step has.
    #[error("`{0:.20}` is too much")]
    TooMany(String),
    /// A length that is negative.
    #[error("{0} is no length of a list")]
    Length(i64),
    /// A mark, where a whole proof has none.
    #[error("this is a part of a proof, and all parts are checked together")]
    IsPart,
    /// A mark in a place where it says nothing.
    #[error("the mark `{0}` does not belong here")]
    Misplaced(char),
    /// A clock that is not above the one before.
    #[error("the clock goes from {0} to {1}, and may only go forwards")]
    Clock(i64, i64),
    /// A deletion of something that the part does not have.
    #[error("no nogood of this part has the serial number {0}")]
    Serial(i64),
    /// Parts that do not make a proof: a sentence that names the file.
    #[error("{0}")]
    Parts(String),
    /// The file cannot be read.
    #[error("the proof cannot be read: {0}")]
    Unreadable(#[from] std::io::Error),
}
