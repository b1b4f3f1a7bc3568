//! Tells ground programs from logic programs by their first bytes.
//!
//! Main function: [`begin`]. A ground program begins with `asp 1` or with two numbers. No logic program
//! begins like that: `asp :- b.` and `1 {a}.` differ, even with the line broken before `{`. No logic
//! program begins with any other name and a number either, so that such an input counts as a damaged ground
//! program: what reads ground programs then says what is wrong. A formula with weights may begin with two
//! numbers as well; its lines differ from the rules of a ground program.

use std::io::{self, Read};

use super::dimacs;
use crate::program::Formula;

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

impl InputFormat {
    /// What a program of that format is, if it is a formula.
    pub fn formula(self) -> Option<Formula> {
        match self {
            InputFormat::Dimacs => Some(Formula::Clauses),
            InputFormat::PseudoBoolean => Some(Formula::PseudoBoolean),
            _ => None,
        }
    }
}

/// The most white space, and the longest number or word, to wait for the end of.
const MOST: usize = 1 << 20;

/// Reads as many bytes of `stream` as tell its format. Returns the format and the bytes.
///
/// # Errors
/// If the stream cannot be read.
pub fn begin(stream: &mut impl Read) -> io::Result<(InputFormat, Vec<u8>)> {
    let mut beginning = Beginning::default();
    let mut more = vec![0; 1 << 16];
    loop {
        let read = match stream.read(&mut more) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            read => read?,
        };
        beginning.bytes.extend_from_slice(&more[..read]);
        if let Some(format) = beginning.format(read == 0) {
            return Ok((format, beginning.bytes));
        }
    }
}

/// The first bytes of an input. What tells nothing is looked at once, however few bytes each read brings.
#[derive(Debug, Default)]
struct Beginning {
    bytes: Vec<u8>,
    /// Where white space ends.
    first: usize,
    /// Where the bytes begin that may tell the format: behind comments, or lines that leave the format open.
    at: usize,
    /// Whether a formula's comment comes before `at`.
    is_commented: bool,
    /// Whether `at` is within such a comment.
    is_within: bool,
    /// Up to where the line at `at` has no end.
    searched: usize,
}

impl Beginning {
    /// The format; none if more bytes are needed to tell. `is_end` says that there are no more.
    fn format(&mut self, is_end: bool) -> Option<InputFormat> {
        if self.at == self.first {
            self.first += white_space(&self.bytes[self.first..]);
            self.at = self.first;
        }
        if self.bytes.get(self.first) == Some(&b'c') {
            self.skip_comments();
        }
        let (text, rest) = (&self.bytes[self.first..], &self.bytes[self.at..]);
        // Comments and lines of numbers may be long.
        let is_all = is_end || if text.is_empty() { self.first > MOST } else { rest.len() > MOST };
        let open = |otherwise| is_all.then_some(otherwise);
        let after_comments = if self.is_commented { rest } else { text };
        for (is, format) in [
            (is_dimacs(after_comments, self.is_commented), InputFormat::Dimacs),
            (is_opb(text), InputFormat::PseudoBoolean),
        ] {
            match is {
                Some(true) => return Some(format),
                None if !is_all => return None,
                _ => {}
            }
        }
        match text {
            [] => open(InputFormat::Nothing),
            [b'0'..=b'9', ..] => {
                let digits = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
                match (text.get(digits), text[digits..].trim_ascii_start()) {
                    (None, _) | (Some(_), []) => open(InputFormat::Ground),
                    (Some(space), [b'0'..=b'9' | b'-', ..]) if space.is_ascii_whitespace() => {
                        self.of_integers(is_end)
                    }
                    _ => Some(InputFormat::Text),
                }
            }
            [b'-', b'0'..=b'9', ..] => self.of_integers(is_end),
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

    /// Moves behind the comments of a formula, and the white space after them.
    fn skip_comments(&mut self) {
        loop {
            if self.is_within {
                let rest = &self.bytes[self.at..];
                let line = rest.iter().position(|&byte| byte == b'\n');
                self.is_within = line.is_none();
                self.at += line.unwrap_or(rest.len());
            }
            self.at += white_space(&self.bytes[self.at..]);
            match self.bytes[self.at..] {
                [b'c', after, ..] if after.is_ascii_whitespace() || COMMENTED.contains(&after) => {
                    (self.is_commented, self.is_within) = (true, true);
                    self.at += 1;
                }
                _ => return,
            }
        }
    }

    /// The format of an input that begins with a number, and then has another one; none if more of the text is
    /// needed to tell. Moves behind the lines that leave it open.
    fn of_integers(&mut self, is_end: bool) -> Option<InputFormat> {
        loop {
            let from = self.searched.max(self.at);
            let end = match self.bytes[from..].iter().position(|&byte| byte == b'\n') {
                Some(length) => from + length + 1,
                None if is_end && self.at < self.bytes.len() => self.bytes.len(),
                None => {
                    self.searched = self.bytes.len();
                    return is_end.then_some(InputFormat::Ground);
                }
            };
            match of_line(&self.bytes[self.at..end]) {
                None => self.at = end,
                format => return format,
            }
        }
    }
}

/// How much white space a text begins with.
fn white_space(text: &[u8]) -> usize {
    text.iter().take_while(|byte| byte.is_ascii_whitespace()).count()
}

/// What follows the `c` of a comment in the formulas of competitions, besides white space: `c{`, `c---`. No
/// statement of a logic program begins so.
const COMMENTED: &[u8] = b"{}-=*#";

/// Whether a text is in DIMACS or a related format; none if more of the text is needed to tell.
///
/// Comments begin with `c` and white space, as a logic program may. Only what comes after them tells: `p
/// cnf` and the like begin no line of a logic program, nor does `h` with a number, nor do two numbers.
/// Without a comment, two numbers begin a ground program.
fn is_dimacs(text: &[u8], is_commented: bool) -> Option<bool> {
    match text {
        [] | [b'c'] | [b'p'] => None,
        [b'h', after @ ..] => number_follows(after),
        [b'-' | b'0'..=b'9', ..] if is_commented => {
            let number = text.strip_prefix(b"-").unwrap_or(text);
            let digits = number.iter().take_while(|byte| byte.is_ascii_digit()).count();
            number_follows(&number[digits..])
        }
        [b'p', b' ' | b'\t', after @ ..] => {
            let after = after.trim_ascii_start();
            let end = after.iter().position(u8::is_ascii_whitespace)?;
            Some(dimacs::FORMATS.iter().any(|format| format.as_bytes() == &after[..end]))
        }
        _ => Some(false),
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

/// Whether a text is in OPB; none if more of the text is needed to tell. A comment, which begins with `*`,
/// comes first. Where that is missing, a coefficient comes before a variable, perhaps after `min:`. No
/// statement of a logic program has them side by side.
fn is_opb(text: &[u8]) -> Option<bool> {
    if text.starts_with(b"*") {
        return Some(true);
    }
    let sum = text.strip_prefix(b"min:").unwrap_or(text).trim_ascii_start();
    if sum.is_empty() || b"min:".starts_with(text) {
        return None;
    }
    let number = sum.strip_prefix(b"-").or_else(|| sum.strip_prefix(b"+")).unwrap_or(sum);
    let digits = number.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let literal = number[digits..].trim_ascii_start();
    let variable = literal.strip_prefix(b"~").unwrap_or(literal);
    match (digits, variable) {
        (0, [_, ..]) => Some(false),
        (_, [] | [b'x']) => None,
        (_, [b'x', digit, ..]) => Some(digit.is_ascii_digit() && literal.len() < number[digits..].len()),
        _ => Some(false),
    }
}

/// The format of an input by one of its lines, which begins with a number like all lines before it; none if the
/// line leaves the format open.
///
/// A line of a formula with weights is a weight, literals and a single 0 (the MaxSAT evaluations since
/// 2022). A rule of the smodels format has no negative numbers, and a rule that ends with 0 has another 0
/// before. Only the weights of a weight constraint may end with a single 0. Such a rule leaves the format
/// open to the next line, and so do the statements 90 and 91 of clasp.
fn of_line(line: &[u8]) -> Option<InputFormat> {
    let is_integer = |word: &&[u8]| word.strip_prefix(b"-").unwrap_or(word).iter().all(u8::is_ascii_digit);
    let words: Vec<&[u8]> = line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty()).collect();
    let (last, numbers) = words.split_last()?;
    let is_clause = *last == b"0" && !numbers.is_empty() && !numbers.contains(&&b"0"[..]);
    match words[0] {
        b"h" | b"c" => Some(InputFormat::Dimacs),
        _ if is_clause && words.iter().all(is_integer) => (!is_rule(&words)).then_some(InputFormat::Dimacs),
        // Such as `-1 < X.` and `1 -2 < 3.`
        first if first.starts_with(b"-") => Some(InputFormat::Text),
        _ if words.get(1).is_some_and(|word| word.starts_with(b"-")) => Some(InputFormat::Text),
        _ => Some(InputFormat::Ground),
    }
}

/// Whether integers with a single 0 at the end may be a rule of the smodels format.
fn is_rule(words: &[&[u8]]) -> bool {
    let number = |word: &[u8]| std::str::from_utf8(word).ok().and_then(|word| word.parse::<usize>().ok());
    match (words[0], words.len()) {
        (b"90", 2) | (b"91", 3) => true,
        // `5 HEAD BOUND COUNT NEGATIVE LITERALS WEIGHTS`.
        (b"5", len) => {
            len > 5
                && words.iter().all(|word| number(word).is_some())
                && number(words[3]) == Some((len - 5) / 2)
                && len % 2 == 1
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A stream that brings bytes in pieces of this length, as a pipe does.
    struct Pieces<'a>(&'a [u8], usize);

    impl Read for Pieces<'_> {
        fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
            let n = self.0.len().min(self.1).min(to.len());
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
            ("c x\n-3 2 0\n", InputFormat::Dimacs),
            ("\n c x\nc", InputFormat::Text),
            ("c\n\nh 1 0\n", InputFormat::Dimacs),
            ("c :- a.\n-1 < X :- p(X).", InputFormat::Text),
            ("5 1 -2 0\nh 2 0\n", InputFormat::Dimacs),
            ("1 2 0\n", InputFormat::Dimacs),
            ("1 2 0", InputFormat::Dimacs),
            ("4 0\n", InputFormat::Dimacs),
            ("18446744073709551615 -1 0\n", InputFormat::Dimacs),
            ("\n6 2 1 0 \r\n", InputFormat::Dimacs),
            ("1 2 0 0", InputFormat::Ground),
            ("3 1 2 0 0\n0\n", InputFormat::Ground),
            ("6 0 1 1 2 0\n0\n", InputFormat::Ground),
            ("8 2 1 2 0 0\n0\n", InputFormat::Ground),
            ("5 2 3 1 1 4 0\n0\n2 a\n0\n", InputFormat::Ground),
            ("5 2 3 1 1 4 0\n", InputFormat::Ground),
            ("5 2 3 1 1 4 0\n7 -1 0\n", InputFormat::Dimacs),
            ("5 2 3 1 1 4 0\n\nh 1 0\n", InputFormat::Dimacs),
            ("5 2 3 1 1 4 0\nc x\n", InputFormat::Dimacs),
            ("5 2 3 2 1 4 0\n", InputFormat::Dimacs),
            ("91 2 0\n1 2 0 0\n", InputFormat::Ground),
            ("90 0\n1 2 0 0\n", InputFormat::Ground),
            ("92 2 0\n", InputFormat::Dimacs),
            ("-1 2 0\n", InputFormat::Dimacs),
            ("-1 -2 < 3.\n", InputFormat::Text),
            ("-1 < X :- p(X).", InputFormat::Text),
            ("-1.", InputFormat::Text),
            ("1 2\n0\n", InputFormat::Ground),
            ("1 -2 < 3 :- a.", InputFormat::Text),
            ("1 -a < b.", InputFormat::Text),
            ("1 x1 >= 1 ;", InputFormat::PseudoBoolean),
            ("-3 ~x1 +2 x2 >= 1 ;", InputFormat::PseudoBoolean),
            ("min: +2 x2 ;", InputFormat::PseudoBoolean),
            ("min: 2 < X.", InputFormat::Text),
            ("min.", InputFormat::Text),
            ("mi", InputFormat::Text),
            ("1 xor.", InputFormat::Text),
            ("-x1.", InputFormat::Text),
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
            let (found, bytes) = begin(&mut Pieces(text.as_bytes(), 1)).expect("memory can be read");
            assert!(found == want && text.as_bytes().starts_with(&bytes), "{text:?}: {found:?}");
        }
    }

    #[test]
    fn no_more_is_read_than_tells() {
        assert_eq!(begin(&mut Pieces(b"asp 1 0 0\n", 1)).expect("as above").1, b"asp 1");
        assert_eq!(begin(&mut Pieces(b"a. b.", 1)).expect("as above").1, b"a.");
    }
    /// In quadratic time each of these would take minutes.
    #[test]
    fn what_tells_nothing_is_looked_at_once() {
        let million = 1 << 20;
        for (text, want) in [
            ("c comment\n".repeat(million) + "p cnf 1 1\n1 0\n", InputFormat::Dimacs),
            ("\n c comment\n".repeat(million) + "c no end", InputFormat::Text),
            (format!("c {}\np cnf 1 1\n", "x".repeat(8 * million)), InputFormat::Dimacs),
            (" \n".repeat(million / 2) + "a.", InputFormat::Text),
            (" \n".repeat(million), InputFormat::Nothing),
            (format!("3 {}0\n", "1 -2 ".repeat(2 * million)), InputFormat::Dimacs),
            ("91 2 0\n".repeat(million) + "h 1 0\n", InputFormat::Dimacs),
        ] {
            let (found, bytes) = begin(&mut Pieces(text.as_bytes(), 64)).expect("memory can be read");
            assert!(found == want && text.as_bytes().starts_with(&bytes), "{found:?}, not {want:?}");
        }
    }
}
