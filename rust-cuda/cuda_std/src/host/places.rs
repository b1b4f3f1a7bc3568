//! Leaving out one barrier, fence or atomic of a kernel, by its place in the source, while a program runs.
//!
//! A test that still passes then does not test the place. The environment says what is left out, so that one
//! build serves for all places:
//!
//! - `CUDA_STD_PLACES=FILE` appends each place to `FILE` that the program passes, once, as a line of the kind
//!   (`barrier`, `barrier-after`, `warp`, `fence`, `atomic`), the source file, the line and the column.
//! - `CUDA_STD_WITHOUT=KIND:FILE:LINE:COLUMN` leaves out what is there. A barrier that counts predicates still
//!   counts, but orders nothing. An atomic access counts as plain, which only the search for races notices.
//! - `CUDA_STD_WARP_ORDER=all` lets the search for races believe that votes, shuffles and reductions of a
//!   warp order accesses to memory. By default, [`sync_warp`](crate::warp::sync_warp) alone does: CUDA
//!   promises no more.
//!
//! Main function: [`is_left_out`].

use std::collections::HashSet;
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::panic::Location;
use std::sync::{Mutex, OnceLock};

/// What can be left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Part {
    Barrier,
    /// The barrier at the end of a helper that begins with one.
    BarrierAfter,
    Warp,
    Fence,
    Atomic,
}

impl Part {
    const ALL: [(Part, &'static str); 5] = [
        (Part::Barrier, "barrier"),
        (Part::BarrierAfter, "barrier-after"),
        (Part::Warp, "warp"),
        (Part::Fence, "fence"),
        (Part::Atomic, "atomic"),
    ];

    fn name(self) -> &'static str {
        Part::ALL[self as usize].1
    }
}

/// The places that were written to a file already.
struct Written {
    file: File,
    seen: HashSet<(Part, &'static Location<'static>)>,
}

enum Wanted {
    Nothing,
    Places(Mutex<Written>),
    Without { part: Part, file: String, line: u32, column: u32 },
}

static WANTED: OnceLock<Wanted> = OnceLock::new();

fn wanted() -> Wanted {
    if let Ok(path) = std::env::var("CUDA_STD_PLACES") {
        let file = OpenOptions::new().create(true).append(true).open(&path);
        let file = file.unwrap_or_else(|error| panic!("CUDA_STD_PLACES: cannot write {path}: {error}"));
        return Wanted::Places(Mutex::new(Written { file, seen: HashSet::new() }));
    }
    match std::env::var("CUDA_STD_WITHOUT") {
        Ok(text) => parse(&text).unwrap_or_else(|| {
            panic!("CUDA_STD_WITHOUT: expected KIND:FILE:LINE:COLUMN instead of {text:?}")
        }),
        Err(_) => Wanted::Nothing,
    }
}

fn parse(text: &str) -> Option<Wanted> {
    let (kind, place) = text.split_once(':')?;
    let &(part, _) = Part::ALL.iter().find(|(_, name)| *name == kind)?;
    let mut last = place.rsplitn(3, ':');
    let (column, line) = (last.next()?.parse().ok()?, last.next()?.parse().ok()?);
    Some(Wanted::Without { part, file: last.next()?.into(), line, column })
}

static ONLY_SYNC_ORDERS: OnceLock<bool> = OnceLock::new();

/// Whether votes, shuffles and reductions of a warp order no accesses to memory.
pub(crate) fn only_sync_orders() -> bool {
    *ONLY_SYNC_ORDERS.get_or_init(|| match std::env::var("CUDA_STD_WARP_ORDER") {
        Ok(text) if text == "all" => false,
        Ok(text) => panic!("CUDA_STD_WARP_ORDER: expected all instead of {text:?}"),
        Err(_) => true,
    })
}

/// Whether the part at this place is left out.
pub(crate) fn is_left_out(part: Part, at: &'static Location<'static>) -> bool {
    match WANTED.get_or_init(wanted) {
        Wanted::Nothing => false,
        Wanted::Places(places) => {
            let written = &mut *places.lock().expect("no panic while locked");
            if written.seen.insert((part, at)) {
                writeln!(written.file, "{}:{at}", part.name()).expect("CUDA_STD_PLACES is writable");
            }
            false
        }
        Wanted::Without { part: which, file, line, column } => {
            *which == part && at.line() == *line && at.column() == *column && at.file() == file
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_parsed_as_it_is_printed() {
        for (part, name) in Part::ALL {
            assert_eq!(part.name(), name);
            let at = Location::caller();
            let Some(Wanted::Without { part: which, file, line, column }) = parse(&format!("{name}:{at}"))
            else {
                panic!("{name}:{at}")
            };
            assert_eq!((which, file.as_str(), line, column), (part, at.file(), at.line(), at.column()));
        }
        assert!(["", "barrier", "barrier:1:2", "bar:a.rs:1:2", "warp:a.rs:x:2"]
            .iter()
            .all(|t| parse(t).is_none()));
    }
}
