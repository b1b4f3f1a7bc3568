//! Reads the binary form of a proof.
//!
//! Main type: [`Bytes`].

use std::io::BufRead;

use super::error::ProofError;
use super::step::Numbers;

/// The first bytes.
pub const HEADER: &[u8] = b"yasmin01\0";

/// The bytes of one step.
pub struct Bytes<'a> {
    from: &'a mut dyn BufRead,
    /// How many bytes were read.
    pub count: u64,
}

impl<'a> Bytes<'a> {
    /// Begins with the next byte.
    pub fn new(from: &'a mut dyn BufRead) -> Self {
        Bytes { from, count: 0 }
    }

    /// The next byte; nothing at the end.
    #[inline]
    pub fn next(&mut self) -> Result<Option<u8>, ProofError> {
        let byte = self.from.fill_buf()?.first().copied();
        if byte.is_some() {
            self.from.consume(1);
            self.count += 1;
        }
        Ok(byte)
    }

    fn length(&mut self) -> Result<i64, ProofError> {
        let length = self.number()?;
        if length < 0 {
            Err(ProofError::Length(length))
        } else {
            Ok(length)
        }
    }
}

impl Numbers for Bytes<'_> {
    fn number(&mut self) -> Result<i64, ProofError> {
        let mut value: u128 = 0;
        for group in 0..10 {
            let Some(byte) = self.next()? else { return Err(ProofError::NoEnd) };
            value |= u128::from(byte & 0x7f) << (7 * group);
            if byte & 0x80 == 0 {
                let whole = u64::try_from(value).map_err(|_| ProofError::NoNumber(value.to_string()))?;
                let half = (whole >> 1) as i64;
                return Ok(if whole & 1 == 0 { half } else { -half - 1 });
            }
        }
        Err(ProofError::LongNumber)
    }

    fn list(&mut self) -> Result<Vec<i64>, ProofError> {
        (0..self.length()?).map(|_| self.number()).collect()
    }

    fn pairs(&mut self) -> Result<Vec<(i64, i64)>, ProofError> {
        (0..self.length()?).map(|_| Ok((self.number()?, self.number()?))).collect()
    }

    fn last_list(&mut self) -> Result<Vec<i64>, ProofError> {
        self.list()
    }
}
