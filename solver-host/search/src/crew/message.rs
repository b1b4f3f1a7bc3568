//! What two memories of searchers tell each other. A message is plain bytes, so that the other memory may be
//! on a device, in another process, or on another machine.
//!
//! Main type: [`Message`]. The *home* is the memory that counts what is open; the other memory is *away*. In
//! memory of one process messages pass as values. [`Message::write_to`] and [`Message::read_from`] pass them
//! through a stream: the length of a message in bytes as four bytes, lowest first, and the message in the
//! format of the crate `postcard`.
//!
//! Nogoods and cubes are over the variables of the task. Both sides must have prepared the same program, goal
//! and options.

use crate::campaign::task::Task;
use crate::searcher::proof::CubeNews;
use serde::{Deserialize, Serialize};
use solver_gpu::layout::{CHANGE, MAX_CUBE, MAX_SHARED, SLOT_HEADER};
use solver_gpu::Lit;
use std::io::{self, ErrorKind, Read, Write};

/// The largest clock. No search takes so many stamps.
const LARGEST_CLOCK: u64 = 1 << 62;

/// The most answer sets that are counted between two messages. No crew finds so many.
const MOST_COUNTED: u64 = 1 << 48;

/// The longest message in bytes. Whatever is longer is no message.
const LONGEST: u32 = 1 << 28;

/// See the module's documentation. Literals are the words of [`solver_gpu::Lit`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Message {
    /// To home, before all others: the number of searchers of the crew itself, how many numbers at home
    /// it may need, as others may join it, and the mark of the task (see [`Task::mark`]).
    Hello(u32, u32, u64),
    /// From home, between two phases: the search begins anew, without what symmetries exclude if there are at
    /// least this many. The crew prepares that task and says [`Message::Hello`] once more, and all that is
    /// said after that is about the new task. Until then the home says nothing but [`Message::Leave`].
    Anew(u32),
    /// From home: a phase begins, away too. The searchers away begin it without a cube.
    Begin(Begin),
    /// The searchers of the sender want this many cubes, besides those that wait for them.
    Wants(u32),
    /// A part of the search space: the sender has taken it from its own.
    Cube(Vec<u32>),
    /// To home: of all cubes that came, which are this many, none is left. The count tells whether a cube is
    /// still on its way. The second number is, at home, that of the searcher that has refuted the last one,
    /// if that is known.
    Idle(u64, Option<u32>),
    /// To home: one searcher away, of this number at home, has refuted everything; whether without
    /// assumptions as well.
    Refuted(u32, bool),
    /// The costs of a better answer set are at most these, highest priority first.
    Bound(Vec<i64>),
    /// The items of the goal that are known, as bits.
    Known(Vec<u32>),
    /// To home, before [`Message::Idle`] and [`Message::Refuted`]: the variables whose assumptions the
    /// refutations need, as bits.
    Core(Vec<u32>),
    /// Nogoods that searchers have learned: of each the number of literals, the two words of the origin,
    /// where searchers have the numbers that they have at home, and the literals.
    Nogoods(Vec<u32>),
    /// To home: so many answer sets were found since the last such message, and the number at home of the
    /// searcher that found the last one, if that is known.
    Found(u64, Option<u32>),
    /// To home: an answer set, as a bit for each of the solver's variables for atoms.
    Answer(Vec<u32>),
    /// To home: so many answer sets were counted since the last such message, and are not told.
    Counted(u64),
    /// To home: what has been done away so far, of each crew there; statistics as JSON.
    Did(Vec<String>),
    /// From home: after this many more answer sets, all searchers away have to return.
    Limit(u64),
    /// From home: how many searchers are to search everything as others do (see
    /// [`solver_gpu::layout::Hub::racing`]).
    Racing(u32),
    /// From home: all searchers away have to return, and say [`Message::Ended`].
    End,
    /// From home: no further phase begins, and the crew away may go.
    Leave,
    /// If the search is proved, before all other messages that are said together: whoever uses what they say
    /// has a larger clock than this one.
    Clock(u64),
    /// To home, if the search is proved: what has become of cubes.
    Cubes(Vec<CubeNews>),
    /// To home: all searchers away have returned, and every answer set was told. The text is the error, if
    /// one of them has failed.
    Ended(Option<String>),
}

/// What the searchers away begin a phase with.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Begin {
    /// The number of phases before.
    pub phase: u32,
    /// The costs of the best answer set, if one is known.
    pub best: Option<Vec<i64>>,
    /// Whether an answer set may be found twice, so that searchers may race for one.
    pub may_race: bool,
    /// The number of conflicts that each searcher meets in the race before it first gives a cube away; 0 if
    /// searchers do not race first.
    pub split_from: u32,
    /// Whether answer sets are counted instead of told.
    pub counts: bool,
    /// The number at home of the first searcher away.
    pub first: u32,
    /// What all searchers are to decide on first, if they are under assumptions.
    pub assumed: Option<Vec<u32>>,
}

/// How large the parts of a message may be.
#[derive(Clone, Copy, Debug)]
pub struct Sizes {
    vars: u32,
    atom_vars: u32,
    costs: usize,
    items: usize,
}

impl Sizes {
    /// The sizes of messages about a task.
    pub fn of(task: &Task) -> Sizes {
        let longest =
            |starts: &[u32]| starts.windows(2).map(|ends| ends[1] - ends[0]).max().unwrap_or(0) as usize;
        Sizes {
            vars: task.prepared.vars,
            atom_vars: task.prepared.atom_vars,
            costs: longest(&task.sums.counters),
            items: longest(&task.sums.start),
        }
    }

    fn are_lits(&self, lits: &[u32]) -> bool {
        lits.iter().all(|&lit| Lit(lit).var().0 < self.vars)
    }

    /// Whether a message is about the task.
    fn fit(&self, message: &Message) -> bool {
        match message {
            Message::Cube(lits) => lits.len() <= MAX_CUBE as usize && self.are_lits(lits),
            Message::Bound(costs) => costs.len() == self.costs,
            Message::Racing(racing) => *racing <= CHANGE,
            Message::Known(words) => words.len() <= self.items.div_ceil(32),
            Message::Core(words) => words.len() <= self.vars.div_ceil(32) as usize,
            Message::Nogoods(words) => {
                let is_nogood = |nogood: &[u32]| {
                    (1..=MAX_SHARED).contains(&nogood[0]) && self.are_lits(&nogood[SLOT_HEADER as usize..])
                };
                let nogoods = || each_nogood(words);
                nogoods().all(is_nogood) && nogoods().map(<[u32]>::len).sum::<usize>() == words.len()
            }
            Message::Clock(clock) => *clock <= LARGEST_CLOCK,
            Message::Counted(more) => *more <= MOST_COUNTED,
            Message::Cubes(news) => news.iter().all(|news| {
                let is_whole = match news {
                    CubeNews::Divided { had, whole, .. } => *had as usize <= whole.len(),
                    CubeNews::Refuted(_) => true,
                };
                is_whole && news.lits().all(|lit| Lit(lit).var().0 < self.vars)
            }),
            Message::Answer(words) => words.len() == self.atom_vars.div_ceil(32) as usize,
            Message::Begin(begin) => {
                begin.best.as_ref().is_none_or(|best| best.len() == self.costs)
                    && begin.assumed.as_ref().is_none_or(|assumed| self.are_lits(assumed))
            }
            _ => true,
        }
    }
}

/// The nogoods in a message, each with its header. The last one is left out if it is not whole.
pub fn each_nogood(mut words: &[u32]) -> impl Iterator<Item = &[u32]> {
    std::iter::from_fn(move || {
        let len = (SLOT_HEADER as usize).checked_add(*words.first()? as usize)?;
        let (nogood, rest) = words.split_at_checked(len)?;
        words = rest;
        Some(nogood)
    })
}

impl Message {
    /// Writes the message to a stream, which the caller flushes.
    ///
    /// # Errors
    /// If the stream fails, or the message is longer than a message may be.
    pub fn write_to(&self, stream: &mut dyn Write) -> io::Result<()> {
        let bytes = postcard::to_stdvec(self).map_err(io::Error::other)?;
        let len = u32::try_from(bytes.len()).ok().filter(|&len| len <= LONGEST);
        let len = len.ok_or_else(|| io::Error::new(ErrorKind::InvalidInput, "a message is too long"))?;
        stream.write_all(&len.to_le_bytes())?;
        stream.write_all(&bytes)
    }

    /// Reads the next message. Returns `None` if the stream ends before it. `sizes`, which is asked when the
    /// message has come, says which task it has to be about.
    ///
    /// # Errors
    /// If the stream fails or ends within a message, or if what comes is no message about a task of these
    /// sizes.
    pub fn read_from(stream: &mut dyn Read, sizes: impl FnOnce() -> Sizes) -> io::Result<Option<Message>> {
        let mut len = [0; 4];
        match stream.read(&mut len[..1])? {
            0 => return Ok(None),
            _ => stream.read_exact(&mut len[1..])?,
        }
        let len = u32::from_le_bytes(len);
        let wrong = |what: &str| io::Error::new(ErrorKind::InvalidData, format!("no message: {what}"));
        if len > LONGEST {
            return Err(wrong("it is too long"));
        }
        // The length may be wrong: the memory grows with what comes.
        let mut bytes = Vec::new();
        let got = stream.take(len as u64).read_to_end(&mut bytes)?;
        if got < len as usize {
            return Err(ErrorKind::UnexpectedEof.into());
        }
        let (message, rest) = postcard::take_from_bytes(&bytes).map_err(|error| wrong(&error.to_string()))?;
        match rest {
            [] if sizes().fit(&message) => Ok(Some(message)),
            [] => Err(wrong("it is about another program, goal or options")),
            _ => Err(wrong("it goes on after its end")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIZES: Sizes = Sizes { vars: 10, atom_vars: 40, costs: 2, items: 33 };

    /// One of each kind.
    fn all() -> Vec<Message> {
        let (best, assumed) = (Some(vec![-3, 4]), Some(vec![6]));
        let begin =
            Begin { phase: 1, best, may_race: true, split_from: 400, counts: true, first: 7, assumed };
        vec![
            Message::Hello(3, 4, 1 << 63),
            Message::Anew(8),
            Message::Did(vec!["{}".into()]),
            Message::Begin(begin),
            Message::Wants(2),
            Message::Cube(vec![4, 9]),
            Message::Cube(vec![]),
            Message::Idle(5, Some(1)),
            Message::Refuted(6, true),
            Message::Bound(vec![1 << 40, -1]),
            Message::Known(vec![3, 1]),
            Message::Core(vec![5]),
            Message::Nogoods(vec![1, 8, 9, 4, 2, 8, 9, 4, 6]),
            Message::Found(12, None),
            Message::Answer(vec![5, 6]),
            Message::Counted(1 << 40),
            Message::Limit(1 << 50),
            Message::End,
            Message::Leave,
            Message::Clock(1 << 40),
            Message::Cubes(vec![
                CubeNews::Divided { had: 1, whole: vec![4, 6], decision: 9 },
                CubeNews::Refuted(vec![4, 6, 9]),
            ]),
            Message::Ended(Some("memory".into())),
        ]
    }

    fn bytes(messages: &[Message]) -> Vec<u8> {
        let mut bytes = Vec::new();
        messages.iter().for_each(|message| message.write_to(&mut bytes).expect("memory"));
        bytes
    }

    #[test]
    fn what_is_written_is_read() {
        let bytes = bytes(&all());
        let mut stream = &bytes[..];
        for message in all() {
            assert_eq!(Message::read_from(&mut stream, || SIZES).expect("a message"), Some(message));
        }
        assert_eq!(Message::read_from(&mut stream, || SIZES).expect("the end"), None);
    }

    #[test]
    fn what_is_cut_or_changed_is_an_error_or_another_message() {
        for message in all() {
            let whole = bytes(std::slice::from_ref(&message));
            for len in 1..whole.len() {
                assert!(
                    Message::read_from(&mut &whole[..len], || SIZES).is_err(),
                    "{message:?}, {len} bytes"
                );
            }
            for i in 0..whole.len() {
                for flip in [1, 2, 0x10, 0x80] {
                    let mut changed = whole.clone();
                    changed[i] ^= flip;
                    if let Ok(Some(read)) = Message::read_from(&mut &changed[..], || SIZES) {
                        assert!(read != message && SIZES.fit(&read));
                    }
                }
            }
        }
    }

    #[test]
    fn a_message_about_another_task_is_an_error() {
        for message in [
            Message::Cube(vec![20]),
            Message::Cube(vec![2; 256]),
            Message::Bound(vec![1]),
            Message::Known(vec![0; 3]),
            Message::Core(vec![0; 2]),
            Message::Nogoods(vec![1, 0, 0, 20]),
            Message::Nogoods(vec![0, 0, 0]),
            Message::Nogoods(vec![2, 0, 0, 4]),
            Message::Nogoods(vec![33; 36]),
            Message::Answer(vec![1]),
            Message::Clock(1 << 63),
            Message::Counted(1 << 63),
            Message::Cubes(vec![CubeNews::Refuted(vec![20])]),
            Message::Cubes(vec![CubeNews::Divided { had: 2, whole: vec![4], decision: 9 }]),
            Message::Cubes(vec![CubeNews::Divided { had: 0, whole: vec![], decision: 20 }]),
            Message::Begin(Begin { best: Some(vec![]), ..Begin::default() }),
            Message::Begin(Begin { assumed: Some(vec![20]), ..Begin::default() }),
        ] {
            let error = Message::read_from(&mut &bytes(std::slice::from_ref(&message))[..], || SIZES);
            assert!(error.is_err(), "{message:?}");
        }
    }
}
