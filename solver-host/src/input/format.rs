//! Tells ground programs from logic programs by their first bytes.
//!
//! Main function: [`begin`]. A ground program begins with `asp 1` or with two numbers. No logic program
//! begins like that: `asp :- b.` and `1 {a}.` differ, even with the line broken before `{`. No logic program begins
//! with any other name and a number either, so that such an input counts as a damaged ground program: what reads
//! ground programs then says what is wrong.

use std::io::{self, Read};

use super::dimacs;

/// The format of an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InputFormat {
    /// A ground program in aspif or the smodels format, or the first bytes of one.
    Ground,
    /// A formula in DIMACS or WCNF, or in a related format that is refused.
    Dimacs,
    /// A pseudo-Boolean formula in OPB.
    PseudoBoolean,
    /// A logic program, as far as the first bytes tell.
    Text,
    /// Nothing but white space.
    Nothing,
    /// Text after a byte order mark.
    ByteOrderMark,
    /// No text at all.
    Binary,
}

/// The most bytes to look at, so that [`begin`] does not wait for the end of more white space than that.
const MOST: usize = 1 << 20;

/// Reads as many bytes of `stream` as tell its format. Returns the format and the bytes.
///
/// # Errors
/// If the stream cannot be read.
pub fn begin(stream: &mut impl Read) -> io::Result<(InputFormat, Vec<u8>)> {
    let mut bytes = Vec::new();
    let mut more = vec![0; 4096];
    loop {
        let read = match stream.read(&mut more) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            read => read?,
        };
        bytes.extend_from_slice(&more[..read]);
        // Comments of a formula may be long.
        let is_limited = bytes.first().is_none_or(|&first| first != b'c');
        if let Some(format) = format_of(&bytes, read == 0 || (is_limited && bytes.len() > MOST)) {
            return Ok((format, bytes));
        }
        // The bytes are looked at again with each read, so that reads have to grow with them.
        more.resize(bytes.len().max(more.len()), 0);
    }
}

/// The format of an input that begins with `bytes`; none if more bytes are needed to tell. `is_all` says that
/// there are no more.
fn format_of(bytes: &[u8], is_all: bool) -> Option<InputFormat> {
    let text = bytes.trim_ascii_start();
    let open = |otherwise| is_all.then_some(otherwise);
    match is_dimacs(text) {
        Some(true) => return Some(InputFormat::Dimacs),
        None if !is_all => return None,
        _ => {}
    }
    match text {
        [b'*', ..] => Some(InputFormat::PseudoBoolean),
        [] => open(InputFormat::Nothing),
        [b'0'..=b'9', ..] => {
            let digits = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
            match (text.get(digits), text[digits..].trim_ascii_start()) {
                (None, _) | (Some(_), []) => open(InputFormat::Ground),
                (Some(space), [b'0'..=b'9', ..]) if space.is_ascii_whitespace() => Some(InputFormat::Ground),
                _ => Some(InputFormat::Text),
            }
        }
        [0xef] | [0xef, 0xbb] => open(InputFormat::Binary),
        [0xef, 0xbb, 0xbf, ..] => Some(InputFormat::ByteOrderMark),
        [b'a'..=b'z' | b'A'..=b'Z', ..] => {
            let end = text.iter().position(|byte| !byte.is_ascii_alphanumeric());
            let (word, rest) = text.split_at(end.unwrap_or(text.len()));
            let spaces = rest.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
            match rest.get(spaces) {
                // A literal of a head may begin with `not 1 < 2`.
                Some(b'0'..=b'9') if spaces > 0 && word != b"not" => Some(InputFormat::Ground),
                Some(_) => Some(InputFormat::Text),
                None => open(InputFormat::Text),
            }
        }
        _ if text.contains(&0) || text[0] >= 0xfe => Some(InputFormat::Binary),
        _ => Some(InputFormat::Text),
    }
}

/// What follows the `c` of a comment in the formulas of competitions, besides white space: `c{`, `c---`. No
/// statement of a logic program begins so.
const COMMENTED: &[u8] = b"{}-=*#";

/// Whether a text is in DIMACS or a related format; none if more of the text is needed to tell.
///
/// Comments begin with `c` and white space, as a logic program may. Only what comes after them tells: `p cnf` and the like
/// begin no line of a logic program, nor does `h` with a number, nor do two numbers. Without a comment, two numbers begin a
/// ground program.
fn is_dimacs(text: &[u8]) -> Option<bool> {
    let mut rest = text;
    let mut is_commented = false;
    loop {
        rest = rest.trim_ascii_start();
        match rest {
            [] => return None,
            [b'c'] => return None,
            [b'c', after, ..] if after.is_ascii_whitespace() || COMMENTED.contains(after) => {
                is_commented = true;
                match rest.iter().position(|&byte| byte == b'\n') {
                    Some(end) => rest = &rest[end..],
                    None => return None,
                }
            }
            [b'h', after @ ..] => return number_follows(after),
            [b'0'..=b'9', ..] if is_commented => {
                let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
                return number_follows(&rest[digits..]);
            }
            [b'p', b' ' | b'\t', after @ ..] => {
                let after = after.trim_ascii_start();
                let end = after.iter().position(u8::is_ascii_whitespace)?;
                return Some(dimacs::FORMATS.iter().any(|format| format.as_bytes() == &after[..end]));
            }
            [b'p'] => return None,
            [_, ..] => return Some(false),
        }
    }
}

/// Whether blanks and a number begin a text; none if more of the text is needed to tell.
fn number_follows(text: &[u8]) -> Option<bool> {
    let blanks = text.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
    match text[blanks..] {
        [] | [b'-'] => None,
        [b'-', digit, ..] | [digit, ..] => Some(blanks > 0 && digit.is_ascii_digit()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A stream that gives one byte at a time.
    struct Drops<'a>(&'a [u8]);

    impl Read for Drops<'_> {
        fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
            let n = self.0.len().min(1);
            to[..n].copy_from_slice(&self.0[..n]);
            self.0 = &self.0[n..];
            Ok(n)
        }
    }

    #[test]
    fn the_beginning_tells() {
        for (text, want) in [
            ("asp 1 0 0\n0\n", InputFormat::Ground),
            ("\n  asp\t1 0 0\n0\n", InputFormat::Ground),
            ("1 2 0 0\n0\n", InputFormat::Ground),
            ("0\n0\nB+\n0\nB-\n0\n1\n", InputFormat::Ground),
            ("0", InputFormat::Ground),
            ("asp :- b.", InputFormat::Text),
            ("asp.", InputFormat::Text),
            ("asp", InputFormat::Text),
            ("aspic(1) :- b.", InputFormat::Text),
            ("1 {a}.", InputFormat::Text),
            ("1{a}.", InputFormat::Text),
            ("1\n{a}.", InputFormat::Text),
            ("0 % none\n{a}.", InputFormat::Text),
            ("% asp 1 0 0\n", InputFormat::Text),
            ("#const n = 3.", InputFormat::Text),
            ("asp 1", InputFormat::Ground),
            ("aspp 1 0 0\n", InputFormat::Ground),
            ("Asp 1 0 0\n", InputFormat::Ground),
            ("asp1 0 0\n", InputFormat::Ground),
            ("not 1 < 2.", InputFormat::Text),
            ("a\n1", InputFormat::Text),
            ("\u{feff}a.", InputFormat::ByteOrderMark),
            ("", InputFormat::Nothing),
            (" \n\t\n", InputFormat::Nothing),
            ("\0\u{1}", InputFormat::Binary),
            ("p cnf 2 1\n1 2 0\n", InputFormat::Dimacs),
            ("c\nc a\n\n  c x\np\tcnf 2", InputFormat::Dimacs),
            ("c x\np wcnf 2 1 3\n", InputFormat::Dimacs),
            ("* #variable= 1", InputFormat::PseudoBoolean),
            ("h 1 -2 0\n", InputFormat::Dimacs),
            ("h\t-2 0\n", InputFormat::Dimacs),
            ("c x\nh 1 -2 0\n", InputFormat::Dimacs),
            ("c x\n3 -2 0\n", InputFormat::Dimacs),
            ("c x\nc{\nc \"nvars\": 2,\nc}\nc------\nh 1 -2 0\n", InputFormat::Dimacs),
            ("c{\n", InputFormat::Text),
            ("c x\n3 2 0\n", InputFormat::Dimacs),
            ("c :- a.\n1 {a} 2.", InputFormat::Text),
            ("h :- a.", InputFormat::Text),
            ("h.", InputFormat::Text),
            ("h", InputFormat::Text),
            ("h -a.", InputFormat::Text),
            ("hh 1", InputFormat::Ground),
            ("c :- a.\np :- cnf.", InputFormat::Text),
            ("c. p.", InputFormat::Text),
            ("c(1..3).\n\ncat.", InputFormat::Text),
            ("p", InputFormat::Text),
            ("p q.", InputFormat::Text),
            ("p cnf.", InputFormat::Text),
            ("p :- q.", InputFormat::Text),
            ("p(1).", InputFormat::Text),
        ] {
            let (found, bytes) = begin(&mut text.as_bytes()).expect("memory can be read");
            assert_eq!((found, bytes.as_slice()), (want, text.as_bytes()), "{text:?}");
            let (found, bytes) = begin(&mut Drops(text.as_bytes())).expect("memory can be read");
            assert!(found == want && text.as_bytes().starts_with(&bytes), "{text:?}: {found:?}");
        }
    }

    #[test]
    fn no_more_is_read_than_tells() {
        assert_eq!(begin(&mut Drops(b"asp 1 0 0\n")).expect("as above").1, b"asp 1");
        assert_eq!(begin(&mut Drops(b"a. b.")).expect("as above").1, b"a.");
    }
}
