//! Reads numbers, words and strings from the text of a program, and knows the line.
//!
//! Main type: [`Lexer`].

use super::error::ProgramError;

/// What helps against a text that is no ground program.
pub const GROUND: &str = "the program must be ground: `gringo FILE > PROGRAM`";

/// What helps against most mistakes.
const DAMAGED: &str = "is the file damaged or cut off?";

/// A text that is read from front to back.
#[derive(Debug)]
pub struct Lexer<'a> {
    file: &'a str,
    text: &'a [u8],
    at: usize,
    line: u64,
}

impl<'a> Lexer<'a> {
    /// Begins at the first byte that is no white space, after a byte order mark.
    pub fn new(file: &'a str, text: &'a [u8]) -> Self {
        let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
        let mut lexer = Lexer { file, text, at: 0, line: 1 };
        lexer.skip_white();
        lexer
    }

    /// The next byte.
    pub fn peek(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }

    /// Reads `length` bytes, or those that are left.
    fn take(&mut self, length: usize) -> &'a [u8] {
        let taken = &self.text[self.at..self.text.len().min(self.at.saturating_add(length))];
        self.at += taken.len();
        self.line += taken.iter().filter(|&&byte| byte == b'\n').count() as u64;
        taken
    }

    /// Reads bytes up to one that is `end`.
    fn take_until(&mut self, end: impl Fn(u8) -> bool) -> &'a [u8] {
        let rest = &self.text[self.at..];
        self.take(rest.iter().position(|&byte| end(byte)).unwrap_or(rest.len()))
    }

    /// Skips white space, also empty lines.
    pub fn skip_white(&mut self) {
        self.take_until(|byte| !byte.is_ascii_whitespace());
    }

    fn skip_blanks(&mut self) {
        self.take_until(|byte| !matches!(byte, b' ' | b'\t' | b'\r'));
    }

    /// An error at the present line.
    pub fn wrong(&self, what: impl Into<String>, remedy: &'static str) -> ProgramError {
        ProgramError { file: self.file.into(), line: self.line, what: what.into(), remedy }
    }

    fn expected<T>(&self, what: &str) -> Result<T, ProgramError> {
        let found = match self.peek() {
            None => "the end".into(),
            Some(b'\n') => "the end of the line".into(),
            Some(byte) => format!("`{}`", byte.escape_ascii()),
        };
        Err(self.wrong(format!("expected {what}, found {found}"), DAMAGED))
    }

    /// Reads an integer from `least` to `most`.
    pub fn integer(&mut self, what: &str, least: i64, most: i64) -> Result<i64, ProgramError> {
        self.skip_blanks();
        let rest = &self.text[self.at..];
        let sign = usize::from(rest.first() == Some(&b'-'));
        let digits = rest[sign..].iter().take_while(|byte| byte.is_ascii_digit());
        let (mut length, mut value) = (sign, 0_i128);
        for digit in digits {
            value = value.saturating_mul(10).saturating_add(i128::from(digit - b'0'));
            length += 1;
        }
        if length == sign {
            return self.expected(what);
        }
        let value = if sign > 0 { -value } else { value };
        let Some(number) = i64::try_from(value).ok().filter(|number| (least..=most).contains(number)) else {
            return Err(self.wrong(format!("{what} must be from {least} to {most}, found {value}"), DAMAGED));
        };
        self.at += length;
        Ok(number)
    }

    /// Reads a number of things.
    pub fn length(&mut self, what: &str) -> Result<usize, ProgramError> {
        self.integer(what, 0, i64::from(u32::MAX)).map(|length| length as usize)
    }

    /// Reads a word: bytes up to white space. It is empty at the end of the line.
    pub fn word(&mut self) -> &'a [u8] {
        self.skip_blanks();
        self.take_until(|byte| byte.is_ascii_whitespace())
    }

    /// Reads the rest of the line, whatever it is.
    pub fn rest_of_line(&mut self) -> &'a [u8] {
        self.skip_blanks();
        self.take_until(|byte| byte == b'\n').trim_ascii_end()
    }

    /// Reads a space, then exactly `length` bytes.
    pub fn string(&mut self, length: usize) -> Result<String, ProgramError> {
        let bytes = match self.take(1) {
            b" " => self.take(length),
            _ => return self.expected("a string"),
        };
        if bytes.len() < length {
            return self.expected(&format!("a string of {length} bytes"));
        }
        Ok(name(bytes))
    }

    /// Reads the end of the line, or of the text.
    pub fn end_of_line(&mut self) -> Result<(), ProgramError> {
        self.skip_blanks();
        match self.take(1) {
            b"" | b"\n" => Ok(()),
            _ => {
                self.at -= 1;
                self.expected("the end of the line")
            }
        }
    }

    /// Reads white space up to the end of the text.
    pub fn end(&mut self) -> Result<(), ProgramError> {
        self.skip_white();
        match self.peek() {
            None => Ok(()),
            Some(_) => self.expected("the end of the program (programs of several steps are not checked)"),
        }
    }
}

/// A name that was read. A byte that is no UTF-8 becomes a character from U+10FF80 to U+10FFFF, as in what yasmin prints.
pub fn name(bytes: &[u8]) -> String {
    let stand_in =
        |&byte: &u8| char::from_u32(0x10_ff00 + u32::from(byte)).unwrap_or(char::REPLACEMENT_CHARACTER);
    let mut name = String::new();
    for chunk in bytes.utf8_chunks() {
        name.push_str(chunk.valid());
        name.extend(chunk.invalid().iter().map(stand_in));
    }
    name
}
