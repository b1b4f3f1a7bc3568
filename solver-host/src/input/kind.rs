//! Telling ground programs from logic programs by their beginnings.
//!
//! Main function: [`begin`]. A ground program begins with `asp 1` or with two numbers; neither can begin a logic program:
//! `asp :- b.` and `1 {a}.` do not look like that, not even with the line broken before `{`.

use std::io::{self, Read};

/// What an input is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// In aspif or the smodels format, or the beginning of such a program.
    Ground,
    /// A logic program, as far as can be seen.
    Text,
    /// Nothing but white space.
    Nothing,
    /// No text at all.
    Binary,
}

/// Bytes to look at most: white space beyond that is not waited for.
const MOST: usize = 1 << 20;

/// Reads as much of `stream` as tells what it is, and what was read.
///
/// # Errors
/// If the stream cannot be read.
pub fn begin(stream: &mut impl Read) -> io::Result<(Kind, Vec<u8>)> {
    let mut bytes = Vec::new();
    let mut more = [0; 4096];
    loop {
        let read = match stream.read(&mut more) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            read => read?,
        };
        bytes.extend_from_slice(&more[..read]);
        if let Some(kind) = kind(&bytes, read == 0 || bytes.len() > MOST) {
            return Ok((kind, bytes));
        }
    }
}

/// What begins like that; none if more has to be read. `is_all`: there is no more.
fn kind(bytes: &[u8], is_all: bool) -> Option<Kind> {
    let text = bytes.trim_ascii_start();
    let open = |otherwise| is_all.then_some(otherwise);
    match text {
        [] => open(Kind::Nothing),
        [b'0'..=b'9', ..] => {
            let digits = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
            match (text.get(digits), text[digits..].trim_ascii_start()) {
                (None, _) | (Some(_), []) => open(Kind::Ground),
                (Some(space), [b'0'..=b'9', ..]) if space.is_ascii_whitespace() => Some(Kind::Ground),
                _ => Some(Kind::Text),
            }
        }
        [b'a', b's', b'p', b' ' | b'\t', b'0'..=b'9', ..] => Some(Kind::Ground),
        [b'a'] | [b'a', b's'] | [b'a', b's', b'p'] | [b'a', b's', b'p', b' ' | b'\t'] => open(Kind::Text),
        _ if text.contains(&0) || text[0] >= 0xfe => Some(Kind::Binary),
        _ => Some(Kind::Text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Gives one byte at a time.
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
            ("asp 1 0 0\n0\n", Kind::Ground),
            ("\n  asp\t1 0 0\n0\n", Kind::Ground),
            ("1 2 0 0\n0\n", Kind::Ground),
            ("0\n0\nB+\n0\nB-\n0\n1\n", Kind::Ground),
            ("0", Kind::Ground),
            ("asp :- b.", Kind::Text),
            ("asp.", Kind::Text),
            ("asp", Kind::Text),
            ("aspic(1) :- b.", Kind::Text),
            ("1 {a}.", Kind::Text),
            ("1{a}.", Kind::Text),
            ("1\n{a}.", Kind::Text),
            ("0 % none\n{a}.", Kind::Text),
            ("% asp 1 0 0\n", Kind::Text),
            ("#const n = 3.", Kind::Text),
            ("", Kind::Nothing),
            (" \n\t\n", Kind::Nothing),
            ("\0\u{1}", Kind::Binary),
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
