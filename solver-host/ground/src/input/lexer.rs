//! Turns bytes into numbers and strings, and counts lines.
//!
//! Main type: [`Lexer`]. Invariant: `buffer[at .. end]` are the bytes that were read from the stream and not
//! consumed yet. A line begins when the newline before it is consumed.

use super::InputError;
use crate::program::BuildError;
use crate::text;
use std::borrow::Cow;
use std::io::Read;

/// The largest number of an atom, and the largest length of a list or name, that a program may have.
pub const MAX_ATOM: u64 = 1 << 28;

/// How many bytes of a token an error shows.
const LONGEST_TOKEN: usize = 20;
/// The most digits of a number that an error shows.
const LONGEST_NUMBER: u32 = 20;
/// How many bytes are read from the stream at once.
const BUFFER: usize = 1 << 16;

/// A stream of tokens.
pub struct Lexer<'n, R> {
    name: Cow<'n, str>,
    stream: R,
    buffer: Vec<u8>,
    at: usize,
    end: usize,
    line: u64,
    /// Whether somebody else reads what follows the program.
    is_shared: bool,
    /// Whether the stream has ended. A terminal would go on after its end.
    has_ended: bool,
}

impl<'n, R: Read> Lexer<'n, R> {
    /// Reads from `stream`, which errors call `name`.
    pub fn new(name: impl Into<Cow<'n, str>>, stream: R) -> Self {
        Lexer {
            name: name.into(),
            stream,
            buffer: vec![0; BUFFER],
            at: 0,
            end: 0,
            line: 1,
            is_shared: false,
            has_ended: false,
        }
    }

    /// The same, where somebody else reads what follows the program: the end of the input is not waited for.
    pub fn shared(name: impl Into<Cow<'n, str>>, stream: R) -> Self {
        Lexer { is_shared: true, ..Lexer::new(name, stream) }
    }

    /// An error at the current line.
    pub fn wrong(&self, what: impl Into<String>, remedy: impl Into<String>) -> InputError {
        InputError::new(&self.name, Some(self.line), what, remedy)
    }

    /// An error that says that the program is too large.
    pub fn too_large(&self, error: BuildError) -> InputError {
        let remedy = match error {
            BuildError::Literals => "",
            BuildError::Weights | BuildError::WideWeights => "divide them all by the same number",
        };
        self.wrong(error.to_string(), remedy)
    }

    /// The stream, of which more may have been read than was consumed.
    pub fn stream(&mut self) -> &mut R {
        &mut self.stream
    }

    /// The stream without what was read of it.
    pub fn into_stream(self) -> R {
        self.stream
    }

    /// Whether something was read that was not consumed.
    pub fn has_more_at_hand(&self) -> bool {
        self.at < self.end
    }

    /// What errors call the stream.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The current line, from 1.
    pub fn line(&self) -> u64 {
        self.line
    }

    /// The next byte, which is not consumed.
    #[inline]
    pub fn peek(&mut self) -> Result<Option<u8>, InputError> {
        if self.at == self.end && !self.refill()? {
            return Ok(None);
        }
        Ok(Some(self.buffer[self.at]))
    }

    #[cold]
    fn refill(&mut self) -> Result<bool, InputError> {
        while !self.has_ended {
            match self.stream.read(&mut self.buffer) {
                Ok(n) => {
                    (self.at, self.end, self.has_ended) = (0, n, n == 0);
                    return Ok(n > 0);
                }
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                Err(error) => return Err(InputError::unreadable(&self.name, &error)),
            }
        }
        Ok(false)
    }

    /// Consumes the byte that was peeked.
    #[inline]
    pub fn advance(&mut self) {
        self.line += (self.buffer[self.at] == b'\n') as u64;
        self.at += 1;
    }

    /// Skips spaces, tabs and carriage returns.
    #[inline]
    fn skip_spaces(&mut self) -> Result<(), InputError> {
        while let Some(b' ' | b'\t' | b'\r') = self.peek()? {
            self.advance();
        }
        Ok(())
    }

    /// The first byte of the input that is no white space.
    pub fn first(&mut self) -> Result<Option<u8>, InputError> {
        while let Some(b' ' | b'\t' | b'\r' | b'\n') = self.peek()? {
            self.advance();
        }
        self.peek()
    }

    /// Skips empty lines, where a statement may begin.
    pub fn skip_blank_lines(&mut self) -> Result<(), InputError> {
        self.skip_spaces()?;
        while self.peek()? == Some(b'\n') {
            self.advance();
            self.skip_spaces()?;
        }
        Ok(())
    }

    /// An integer between `low` and `high`, on this line.
    #[inline]
    pub fn integer(&mut self, what: &str, low: i64, high: i64) -> Result<i64, InputError> {
        match self.short_integer() {
            Some((value, end)) if low <= value && value <= high => {
                self.at = end;
                Ok(value)
            }
            _ => self.any_integer(what, low, high),
        }
    }

    /// Reads what nearly all integers look like: at most one space, few digits and the byte after them, all
    /// in the buffer. Returns the integer and where it ends, and consumes nothing.
    #[inline]
    fn short_integer(&self) -> Option<(i64, usize)> {
        let mut bytes = self.buffer[self.at..self.end].iter();
        let mut byte = *bytes.next()?;
        if byte == b' ' {
            byte = *bytes.next()?;
        }
        let negative = byte == b'-';
        if negative {
            byte = *bytes.next()?;
        }
        let before = bytes.len();
        let mut value = 0u64;
        while byte.is_ascii_digit() {
            value = value.wrapping_mul(10).wrapping_add((byte - b'0') as u64);
            byte = *bytes.next()?;
        }
        // A number with more digits may not fit 64 bits.
        let fits = (1..=18).contains(&(before - bytes.len()));
        let value = if negative { (value as i64).wrapping_neg() } else { value as i64 };
        (fits && matches!(byte, b' ' | b'\n')).then_some((value, self.end - bytes.len() - 1))
    }

    /// Reads an integer, however it is written. An error says what is wrong with it.
    #[cold]
    fn any_integer(&mut self, what: &str, low: i64, high: i64) -> Result<i64, InputError> {
        let value = self.wide(what)?;
        Ok(self.in_range(what, value, low.into(), high.into())? as i64)
    }

    /// An integer of any size, on this line. It is that of the largest size if it has more than 128 bits.
    pub fn wide(&mut self, what: &str) -> Result<i128, InputError> {
        self.skip_spaces()?;
        let negative = self.peek()? == Some(b'-');
        if negative {
            self.advance();
        }
        let value = self.digits()?;
        let ended = matches!(self.peek()?, None | Some(b' ' | b'\t' | b'\r' | b'\n'));
        match value.filter(|_| ended) {
            Some(value) => Ok(if negative { -value } else { value }),
            None => {
                let found = self.describe()?;
                Err(self.wrong(format!("expected {what}, found {found}"), ""))
            }
        }
    }

    /// Reads digits; `None` if there are none. A number of more than 128 bits is the largest one.
    pub fn digits(&mut self) -> Result<Option<i128>, InputError> {
        let mut value: Option<i128> = None;
        while let Some(digit @ b'0'..=b'9') = self.peek()? {
            let before = value.unwrap_or(0).saturating_mul(10);
            value = Some(before.saturating_add(i128::from(digit - b'0')));
            self.advance();
        }
        Ok(value)
    }

    /// The number that was read, if it is between `low` and `high`.
    pub fn in_range(&self, what: &str, value: i128, low: i128, high: i128) -> Result<i128, InputError> {
        if (low..=high).contains(&value) {
            return Ok(value);
        }
        let remedy = format!("it must be a number from {low} to {high}");
        Err(self.wrong(format!("{what} is out of range: {}", shown(value)), remedy))
    }

    /// Reads a length, or the number of items that follow.
    #[inline]
    pub fn length(&mut self, what: &str) -> Result<u64, InputError> {
        Ok(self.integer(what, 0, u32::MAX as i64)? as u64)
    }

    /// Reads the number of an atom.
    #[inline]
    pub fn atom(&mut self) -> Result<u64, InputError> {
        Ok(self.integer("an atom", 1, MAX_ATOM as i64)? as u64)
    }

    /// Reads a word on this line, where no number is expected. A control character is replaced, because errors
    /// show the word.
    pub fn word(&mut self) -> Result<String, InputError> {
        self.skip_spaces()?;
        let mut word = Vec::new();
        while let Some(byte) = self.peek()?.filter(|b| !b.is_ascii_whitespace()) {
            if word.len() == 40 {
                break;
            }
            word.push(byte);
            self.advance();
        }
        Ok(String::from_utf8_lossy(&word).replace(char::is_control, "\u{fffd}"))
    }

    /// Reads a space, then exactly `length` bytes.
    pub fn string(&mut self, length: u64) -> Result<String, InputError> {
        if self.peek()? != Some(b' ') {
            let found = self.describe()?;
            return Err(self.wrong(format!("expected a space before a string, found {found}"), ""));
        }
        self.advance();
        let mut bytes = Vec::new();
        while (bytes.len() as u64) < length {
            if self.peek()?.is_none() {
                return Err(self.wrong(
                    format!("expected a string of {length} bytes, found the end of the input"),
                    "is the file cut off?",
                ));
            }
            let take = (self.end - self.at).min((length - bytes.len() as u64) as usize);
            let taken = &self.buffer[self.at..self.at + take];
            self.line += taken.iter().filter(|&&b| b == b'\n').count() as u64;
            bytes.extend_from_slice(taken);
            self.at += take;
        }
        Ok(text::of_bytes(bytes))
    }

    /// Skips the rest of the line, whatever it is.
    pub fn skip_line(&mut self) -> Result<(), InputError> {
        while self.peek()?.is_some_and(|byte| byte != b'\n') {
            let rest = &self.buffer[self.at..self.end];
            self.at += rest.iter().position(|&byte| byte == b'\n').unwrap_or(rest.len());
        }
        Ok(())
    }

    /// Reads a space, then the rest of the line.
    pub fn rest_of_line(&mut self) -> Result<String, InputError> {
        self.skip_spaces()?;
        let mut bytes = Vec::new();
        while let Some(byte) = self.peek()?.filter(|&b| b != b'\n') {
            bytes.push(byte);
            self.advance();
        }
        if bytes.last() == Some(&b'\r') {
            bytes.pop();
        }
        Ok(text::of_bytes(bytes))
    }

    /// Reads the end of the line, or of the input.
    pub fn end_of_line(&mut self) -> Result<(), InputError> {
        self.skip_spaces()?;
        match self.peek()? {
            None => Ok(()),
            Some(b'\n') => {
                self.advance();
                Ok(())
            }
            Some(_) => {
                let found = self.describe()?;
                Err(self
                    .wrong(format!("expected the end of the line, found {found}"), "a length may be wrong"))
            }
        }
    }

    /// Reads the end of the input, with white space before it.
    pub fn end_of_input(&mut self) -> Result<(), InputError> {
        if self.is_shared && self.buffer[self.at..self.end].trim_ascii().is_empty() {
            return Ok(());
        }
        match self.first()? {
            None => Ok(()),
            Some(_) => {
                let found = self.describe()?;
                Err(self.wrong(format!("expected the end of the input, found {found}"), ""))
            }
        }
    }

    /// Whether something that is no number comes next, after white space.
    pub fn is_at_text(&mut self) -> bool {
        matches!(self.first(), Ok(Some(byte)) if !byte.is_ascii_digit() && byte != b'-')
    }

    /// Whether a number comes next, after white space.
    pub fn is_at_number(&mut self) -> bool {
        matches!(self.first(), Ok(Some(byte)) if byte.is_ascii_digit())
    }

    /// Whether a number comes next on this line.
    pub fn is_at_number_on_line(&mut self) -> Result<bool, InputError> {
        self.skip_spaces()?;
        Ok(matches!(self.peek()?, Some(b'-' | b'0'..=b'9')))
    }

    /// What comes next, as errors show it.
    pub fn describe(&mut self) -> Result<String, InputError> {
        Ok(match self.peek()? {
            None => "the end of the input (is the file cut off?)".into(),
            Some(b'\n') => "the end of the line".into(),
            Some(b'!'..=b'~') => {
                let shown = |byte: &&u8| byte.is_ascii_graphic();
                let token = self.buffer[self.at..self.end].iter().take_while(shown).take(LONGEST_TOKEN);
                format!("`{}`", token.map(|&byte| byte as char).collect::<String>())
            }
            Some(byte) => format!("the byte {byte:#04x}"),
        })
    }
}

/// A number that was read, as errors show it.
pub fn shown(number: i128) -> String {
    match number.unsigned_abs().checked_ilog10().unwrap_or(0) + 1 {
        ..=LONGEST_NUMBER => number.to_string(),
        _ if number.unsigned_abs() == i128::MAX.unsigned_abs() => "a number of more than 38 digits".into(),
        digits => format!("a number of {digits} digits"),
    }
}
