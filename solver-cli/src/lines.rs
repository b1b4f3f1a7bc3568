//! Lines that arrive, read by several threads: [`lines`].

use std::io::{self, BufRead, BufReader, Read};
use std::sync::mpsc::{sync_channel, Receiver};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use solver_host::text;

/// How many lines a thread takes at once at most. It takes no more than there are, so that nobody waits for
/// further ones.
const LINES: usize = 64;

/// How many such portions are read ahead at most. Most of a pipe are small.
const AHEAD: usize = 64;

/// How many bytes are read at once at most.
const BYTES: usize = 1 << 16;

/// Lines that are still to be read.
struct Input {
    from: BufReader<Box<dyn Read + Send>>,
    /// How many were read.
    lines: u64,
    is_over: bool,
}

impl Input {
    /// The lines that are there, each with its number from 1 on: at least one, unless none comes any more.
    fn next(&mut self) -> Vec<(u64, io::Result<Vec<u8>>)> {
        let mut read = Vec::new();
        while !self.is_over && read.len() < LINES && (read.is_empty() || self.from.buffer().contains(&b'\n'))
        {
            let mut line = Vec::new();
            let end = self.from.read_until(b'\n', &mut line);
            // Of a terminal, whoever read on after the end would wait.
            self.is_over = end.is_err() || !line.ends_with(b"\n");
            if !matches!(end, Ok(0)) {
                self.lines += 1;
                read.push((self.lines, end.map(|_| line)));
            }
        }
        read
    }
}

/// A line as a string. Replies have characters that stand for bytes, and may be asked about with these: so
/// they stay what they are in a line that is UTF-8.
fn text_of(line: Vec<u8>) -> String {
    String::from_utf8(line).unwrap_or_else(|other| text::of_bytes(other.into_bytes()))
}

/// Lines as they arrive, from `threads` threads that read them. `understand` makes of a line and its number
/// what has come, if anything has.
///
/// # Errors
/// If the system has no thread to give.
pub fn lines<T: Send + 'static>(
    from: Box<dyn Read + Send>,
    understand: impl Fn(u64, io::Result<&str>) -> Option<T> + Clone + Send + 'static,
    threads: usize,
) -> io::Result<Receiver<Vec<T>>> {
    let from = BufReader::with_capacity(BYTES, from);
    let input = Arc::new(Mutex::new(Input { from, lines: 0, is_over: false }));
    let (tell, told) = sync_channel(AHEAD);
    for _ in 0..threads {
        let (input, understand, tell) = (input.clone(), understand.clone(), tell.clone());
        let reads = move || loop {
            let read = input.lock().unwrap_or_else(PoisonError::into_inner).next();
            if read.is_empty() {
                return;
            }
            let come = read.into_iter().filter_map(|(number, line)| match line {
                Ok(bytes) => understand(number, Ok(text_of(bytes).trim())),
                Err(why) => understand(number, Err(why)),
            });
            if tell.send(come.collect()).is_err() {
                return;
            }
        };
        thread::Builder::new().name("lines".into()).spawn(reads)?;
    }
    Ok(told)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::VecDeque;

    /// What comes piece by piece, and then fails.
    struct Pieces(VecDeque<&'static str>);

    impl Read for Pieces {
        fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
            let piece = self.0.pop_front().ok_or(io::ErrorKind::ConnectionReset)?;
            into[..piece.len()].copy_from_slice(piece.as_bytes());
            Ok(piece.len())
        }
    }

    #[test]
    fn each_line_is_read_once_and_a_broken_one_is_the_last() {
        let understand = |line, text: io::Result<&str>| match text {
            Ok("") => None,
            Ok(text) => Some((line, text.to_string())),
            Err(_) => Some((line, "broken".into())),
        };
        // Nothing read is the end.
        for (pieces, expected) in [
            (
                vec!["a\nb", "c\r\n\n", "d\n", " e\nf"],
                vec![(1, "a"), (2, "bc"), (4, "d"), (5, "e"), (6, "broken")],
            ),
            (vec!["a\nb", "c\n", ""], vec![(1, "a"), (2, "bc")]),
            (vec!["a\nb", ""], vec![(1, "a"), (2, "b")]),
        ] {
            for threads in [1, 4] {
                let from = Box::new(Pieces(pieces.iter().copied().collect()));
                let told = lines(from, understand, threads).expect("threads").into_iter().flatten();
                let mut told: Vec<(u64, String)> = told.collect();
                told.sort();
                let told: Vec<(u64, &str)> = told.iter().map(|(line, text)| (*line, text.as_str())).collect();
                assert_eq!(told, expected, "{threads} threads");
            }
        }
    }
}
