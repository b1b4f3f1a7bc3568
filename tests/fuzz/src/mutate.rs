//! Changes an input by words and lines, where libFuzzer changes bytes.
//!
//! Main functions: [`changed`] makes an input of another, `with_libfuzzer` lets libFuzzer make every other change.
//!
//! Invariant: the random numbers are PCG's, so that a seed means the same input in every version.

use rand_pcg::rand_core::{RngCore, SeedableRng};
use rand_pcg::Pcg32;

/// What comes up in aspif besides what the inputs have.
pub const ASPIF_WORDS: &[&str] =
    &["asp", "0", "1", "-1", "2", "10", "1 0 1 1 0 0", "4 1 a 1 1", "incremental"];
/// What comes up in the smodels format.
pub const SMODELS_WORDS: &[&str] = &["B+", "B-", "E", "0", "1", "2", "3", "5", "6", "8", "91", "92"];
/// What comes up in a ground program and its proof.
pub const PROOF_WORDS: &[&str] = &[
    "---",
    "p yasmin 1",
    "0",
    "1",
    "-1",
    "2",
    "3",
    "d",
    "s",
    "n",
    "u",
    "h",
    "q 1 0",
    "q 4 0",
    "a",
    "r 1 1",
    "l 1",
    "x 1",
    "e 1",
    "e 0",
    "1 0 1 1 0 0",
];
/// What comes up in DIMACS.
pub const DIMACS_WORDS: &[&str] = &["p cnf", "c", "0", "1", "-1", "w", "p wcnf", "%", "h"];

/// Words of OPB.
pub const OPB_WORDS: &[&str] = &[
    "* #variable= 3",
    "min:",
    "soft: 3 ;",
    ">=",
    "=",
    ";",
    "x1",
    "~x2",
    "x3",
    "+1",
    "-2",
    "[2]",
    "*",
    "x1 x2",
];

/// Numbers at which something may end.
const NUMBERS: &[&str] = &[
    "0",
    "1",
    "-1",
    "2",
    "3",
    "7",
    "255",
    "256",
    "65536",
    "268435455",
    "268435456",
    "268435457",
    "1073741824",
    "2147483647",
    "-2147483648",
    "2147483648",
    "-2147483649",
    "4294967295",
    "4294967296",
    "9223372036854775807",
    "9223372036854775808",
    "-9223372036854775808",
    "18446744073709551616",
    "00001",
    "-0",
    "+1",
    "99999999999999999999999999",
];

/// Random numbers.
pub struct Chance(Pcg32);

impl Chance {
    /// The numbers of a seed.
    pub fn new(seed: u64) -> Self {
        Chance(Pcg32::seed_from_u64(seed))
    }

    /// A number below `n`, which is not 0.
    pub fn below(&mut self, n: usize) -> usize {
        ((u64::from(self.0.next_u32()) * n as u64) >> 32) as usize
    }

    fn of<'a, T: ?Sized>(&mut self, all: &[&'a T]) -> &'a T {
        all[self.below(all.len())]
    }
}

/// `input` with one to three changes. `other` is what pieces are taken from, `words` what may come in.
pub fn changed(input: &[u8], other: &[u8], words: &[&str], chance: &mut Chance) -> Vec<u8> {
    let mut bytes = input.to_vec();
    for _ in 0..1 + chance.below(3) {
        change(&mut bytes, other, words, chance);
    }
    bytes
}

fn change(bytes: &mut Vec<u8>, other: &[u8], words: &[&str], chance: &mut Chance) {
    let is_space = |byte: u8| byte.is_ascii_whitespace();
    let is_newline = |byte: u8| byte == b'\n';
    match chance.below(12) {
        0 if !bytes.is_empty() => {
            let at = chance.below(bytes.len());
            bytes[at] = chance.below(256) as u8;
        }
        1 => bytes.truncate(chance.below(bytes.len() + 1)),
        2 => {
            let at = chance.below(bytes.len() + 1);
            bytes.insert(
                at,
                *chance.of(&[b" ", b"\n", b"\r", b"\t", b"\0", b"\xff", b"-"]).first().expect("one"),
            );
        }
        3 => {
            let (start, end) = piece(bytes, chance, is_space);
            bytes.splice(start..end, chance.of(NUMBERS).bytes());
        }
        4 | 5 => {
            // Small numbers are what good inputs are made of.
            let (start, end) = piece(bytes, chance, is_space);
            let number = chance.below(12) as i32 - 3;
            bytes.splice(start..end, number.to_string().bytes());
        }
        6 => {
            let (start, end) = piece(bytes, chance, is_space);
            bytes.splice(start..end, chance.of(words).bytes());
        }
        7 => {
            // A number is one more or one less.
            let (start, end) = piece(bytes, chance, is_space);
            let number =
                std::str::from_utf8(&bytes[start..end]).ok().and_then(|word| word.parse::<i64>().ok());
            if let Some(number) = number {
                let near = number.saturating_add([-2, -1, 1, 2][chance.below(4)]);
                bytes.splice(start..end, near.to_string().bytes());
            }
        }
        8 => {
            let (start, end) = piece(bytes, chance, is_newline);
            bytes.drain(start..end);
        }
        9 => {
            let (start, end) = piece(bytes, chance, is_newline);
            let line: Vec<u8> = bytes[start..end].iter().copied().chain([b'\n']).collect();
            let (at, _) = piece(bytes, chance, is_newline);
            bytes.splice(at..at, line);
        }
        10 => {
            let (start, end) = piece(other, chance, is_newline);
            let (at, _) = piece(bytes, chance, is_newline);
            bytes.splice(at..at, other[start..end].iter().copied().chain([b'\n']));
        }
        _ => {
            let at = chance.below(bytes.len() + 1);
            let word = chance.of(words);
            bytes.splice(at..at, format!(" {word} ").bytes());
        }
    }
}

/// Where a piece between separators begins and ends.
fn piece(bytes: &[u8], chance: &mut Chance, separates: impl Fn(u8) -> bool) -> (usize, usize) {
    let at = chance.below(bytes.len() + 1);
    let start = bytes[..at].iter().rposition(|&byte| separates(byte)).map_or(0, |before| before + 1);
    let end = bytes[at..].iter().position(|&byte| separates(byte)).map_or(bytes.len(), |more| at + more);
    (start, end)
}

/// Makes an input for libFuzzer in place: every other time by [`changed`], else by libFuzzer's own changes. Returns its size.
#[cfg(feature = "libfuzzer")]
pub fn with_libfuzzer(data: &mut [u8], size: usize, max_size: usize, seed: u32, words: &[&str]) -> usize {
    let mut chance = Chance::new(u64::from(seed));
    if chance.below(2) == 0 {
        return libfuzzer_sys::fuzzer_mutate(data, size, max_size);
    }
    let input = &data[..size];
    let made = changed(input, input, words, &mut chance);
    let size = made.len().min(max_size);
    data[..size].copy_from_slice(&made[..size]);
    size
}
