//! Reads the text form of a proof.
//!
//! Main type: [`Line`].

use super::error::ProofError;
use super::step::Numbers;

/// The first line.
pub const HEADER: &str = "p yasmin 1";

/// What is left of a line.
pub struct Line<'a>(&'a [u8]);

impl<'a> Line<'a> {
    /// The letter of a line and what follows it, if the line has a step.
    pub fn new(line: &'a [u8]) -> Option<(&'a [u8], Line<'a>)> {
        let mut line = Line(line);
        let word = line.word().filter(|word| word[0] != b'c')?;
        Some((word, line))
    }

    fn word(&mut self) -> Option<&'a [u8]> {
        let word = self.0.trim_ascii_start();
        let length = word.iter().position(u8::is_ascii_whitespace).unwrap_or(word.len());
        self.0 = &word[length..];
        (length > 0).then_some(&word[..length])
    }

    /// Reads the end of the line.
    pub fn end(&mut self) -> Result<(), ProofError> {
        self.word().map_or(Ok(()), |word| Err(ProofError::TooMany(word.escape_ascii().to_string())))
    }
}

impl Numbers for Line<'_> {
    fn number(&mut self) -> Result<i64, ProofError> {
        let word = self.word().ok_or(ProofError::NoEnd)?;
        let text = std::str::from_utf8(word).ok().filter(|text| !text.starts_with('+'));
        let number = text.and_then(|text| text.parse().ok());
        number.ok_or_else(|| ProofError::NoNumber(word.escape_ascii().to_string()))
    }

    fn list(&mut self) -> Result<Vec<i64>, ProofError> {
        let mut list = Vec::new();
        loop {
            match self.number()? {
                0 => return Ok(list),
                number => list.push(number),
            }
        }
    }

    fn pairs(&mut self) -> Result<Vec<(i64, i64)>, ProofError> {
        let mut pairs = Vec::new();
        loop {
            match self.number()? {
                0 => return Ok(pairs),
                first => pairs.push((first, self.number()?)),
            }
        }
    }

    fn last_list(&mut self) -> Result<Vec<i64>, ProofError> {
        let mut list = vec![self.number()?];
        while !self.0.trim_ascii().is_empty() {
            list.push(self.number()?);
        }
        if list.pop() == Some(0) {
            Ok(list)
        } else {
            Err(ProofError::NoEnd)
        }
    }
}
