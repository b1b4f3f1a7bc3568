//! Text whose bytes may be no UTF-8, as strings: names in a program, and names of files.
//!
//! Main functions: [`of_bytes`] and [`to_bytes`]. A byte that is no part of UTF-8, from 0x80 to 0xff, becomes the
//! character U+10FF80 to U+10FFFF, which no text uses (Unicode leaves them to private use). Invariant: `to_bytes`
//! of `of_bytes` gives the bytes back, so that the bytes of such a character in a text are taken one by one as well.

use std::borrow::Cow;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};

/// The character that stands for the byte 0.
const BASE: u32 = 0x10_ff00;

/// The byte that a character stands for, if it stands for one.
fn byte_of(character: char) -> Option<u8> {
    u8::try_from(u32::from(character).checked_sub(BASE)?).ok().filter(|byte| !byte.is_ascii())
}

/// Whether a string may have characters that stand for bytes: their UTF-8 begins with 0xf4.
fn may_stand_for_bytes(text: &str) -> bool {
    text.as_bytes().contains(&0xf4)
}

/// A text as a string.
///
/// ```
/// # use yasmin_ground::text::{of_bytes, to_bytes};
/// assert_eq!(of_bytes(b"p(\"\xe9\")".to_vec()), "p(\"\u{10ffe9}\")");
/// assert_eq!(*to_bytes("p(\"\u{10ffe9}\")"), *b"p(\"\xe9\")");
/// ```
pub fn of_bytes(bytes: Vec<u8>) -> String {
    let bytes = match String::from_utf8(bytes) {
        Ok(text) if !may_stand_for_bytes(&text) => return text,
        Ok(text) => text.into_bytes(),
        Err(error) => error.into_bytes(),
    };
    let mut text = String::with_capacity(bytes.len());
    let stand_in = |byte: u8| char::from_u32(BASE + u32::from(byte)).unwrap_or(char::REPLACEMENT_CHARACTER);
    for chunk in bytes.utf8_chunks() {
        for character in chunk.valid().chars() {
            match byte_of(character) {
                None => text.push(character),
                Some(_) => text.extend(character.encode_utf8(&mut [0; 4]).bytes().map(stand_in)),
            }
        }
        text.extend(chunk.invalid().iter().copied().map(stand_in));
    }
    text
}

/// The bytes of a text.
pub fn to_bytes(text: &str) -> Cow<'_, [u8]> {
    if !may_stand_for_bytes(text) {
        return Cow::Borrowed(text.as_bytes());
    }
    let mut bytes = Vec::with_capacity(text.len());
    for character in text.chars() {
        match byte_of(character) {
            Some(byte) => bytes.push(byte),
            None => bytes.extend(character.encode_utf8(&mut [0; 4]).bytes()),
        }
    }
    Cow::Owned(bytes)
}

/// The name of a file, or a word of a command line.
pub fn of_os(name: impl AsRef<OsStr>) -> String {
    of_bytes(name.as_ref().as_bytes().to_vec())
}

/// The same for the system.
pub fn to_os(text: &str) -> OsString {
    OsString::from_vec(to_bytes(text).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_come_back() {
        let strange = "a\u{e9}\u{10ff7f}\u{10ff80}\u{10ffff}\u{10fe80}".as_bytes();
        let all: Vec<u8> = (0..=255).collect();
        for bytes in [
            b"",
            &b"plain"[..],
            "\u{e9}\u{20ac}".as_bytes(),
            b"\xe9",
            b"x\xc3",
            b"\xed\xa0\x80",
            strange,
            &all,
        ] {
            let text = of_bytes(bytes.to_vec());
            assert_eq!(*to_bytes(&text), *bytes, "{text:?}");
        }
        // What is UTF-8, and stands for nothing, stays.
        assert_eq!(of_bytes("\u{e9}\u{10ff7f}".into()), "\u{e9}\u{10ff7f}");
        assert_eq!(of_bytes(b"\xe9\xff".to_vec()), "\u{10ffe9}\u{10ffff}");
    }
}
