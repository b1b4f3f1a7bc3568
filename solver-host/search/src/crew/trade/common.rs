//! The goal and the nogoods that both ends of a trade know, and how many nogoods pass.
//!
//! Main types: [`Common`] and [`Volume`].

use crate::crew::message::{each_nogood, Message};
use crate::crew::store::{is_lower, Seen, Store};
use solver_gpu::layout::BETTER;
use std::time::{Duration, Instant};
use yasmin_device::DeviceError;

/// How many nogoods an end passes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Volume {
    /// The shortest time between two times at which the end passes nogoods.
    pub pause: Duration,
    /// The most words that the end passes at a time. The shortest nogoods go first.
    pub words: usize,
}

impl Volume {
    /// Whatever searchers offer, within one process.
    const ALL: Volume = Volume { pause: Duration::from_millis(10), words: usize::MAX };

    /// What passes from a number of crews in processes of their own: the more there are, the less passes of
    /// each (Schreiber and Sanders 2024).
    pub fn of_crews(crews: u32) -> Volume {
        let crews = crews.max(1) as f64;
        let words = WORDS_A_CREW * crews * SHRINKS.powf(crews.log2());
        Volume { pause: Duration::from_millis(100), words: words.min(MOST_WORDS) as usize }
    }
}

/// How many words of nogoods one crew passes to another at a time.
const WORDS_A_CREW: f64 = 6000.0;

/// What is left of the words of each crew if there are twice as many crews.
const SHRINKS: f64 = 0.875;

/// The most words of nogoods that pass between processes at a time.
const MOST_WORDS: f64 = 400_000.0;

/// The goal and the nogoods that both ends know.
#[derive(Default)]
pub struct Common {
    /// The lowest bound that was said or heard.
    bound: Option<Vec<i64>>,
    /// The items that were said or heard to be known.
    known: Vec<u32>,
    /// The version of the goal that was looked at last.
    version: u32,
    /// The tickets up to which nogoods have passed.
    pub seen: Seen,
    /// The time at which nogoods were said last.
    pub at: Option<Instant>,
    volume: Option<Volume>,
}

impl Common {
    /// What is common to processes, between which only so many nogoods pass.
    pub fn of_process(volume: Volume) -> Common {
        Common { volume: Some(volume), ..Common::default() }
    }

    /// Says what has become stricter.
    pub fn say_goal(&mut self, store: &mut dyn Store, say: &mut Vec<Message>) -> Result<(), DeviceError> {
        let version = store.hub().bound_version.load_acquire();
        if version == self.version {
            return Ok(());
        }
        self.version = version;
        if store.view().tightens == BETTER {
            let Some(bound) = store.bound()? else { return Ok(()) };
            match &self.bound {
                // A searcher did not know the lower one.
                Some(common) if *common < bound => store.lower_bound(common)?,
                common if is_lower(&bound, common.as_ref()) => {
                    self.bound = Some(bound.clone());
                    say.push(Message::Bound(bound));
                }
                _ => {}
            }
            return Ok(());
        }
        let known = store.known()?;
        self.known.resize(known.len(), 0);
        if known.iter().zip(&self.known).any(|(now, said)| now & !said != 0) {
            self.note_known(&known);
            say.push(Message::Known(known));
        }
        Ok(())
    }

    /// Makes the goal as strict as the other end's.
    pub fn hear_bound(&mut self, bound: Vec<i64>, store: &mut dyn Store) -> Result<(), DeviceError> {
        if 2 * bound.len() != store.view().bound.len() {
            return Err(of_another_goal());
        }
        store.lower_bound(&bound)?;
        if is_lower(&bound, self.bound.as_ref()) {
            self.bound = Some(bound);
        }
        Ok(())
    }

    pub fn hear_known(&mut self, known: &[u32], store: &mut dyn Store) -> Result<(), DeviceError> {
        if known.len() != store.view().known.len() {
            return Err(of_another_goal());
        }
        self.note_known(known);
        store.add_known(known)
    }

    /// Notes items that were said or heard to be known.
    fn note_known(&mut self, known: &[u32]) {
        self.known.resize(known.len(), 0);
        self.known.iter_mut().zip(known).for_each(|(said, now)| *said |= now);
    }

    /// Whether it is time to pass nogoods again.
    pub fn is_due(&mut self) -> bool {
        let is_due = self.at.is_none_or(|at| at.elapsed() >= self.volume().pause);
        if is_due {
            self.at = Some(Instant::now());
        }
        is_due
    }

    fn volume(&self) -> Volume {
        self.volume.unwrap_or(Volume::ALL)
    }

    /// The nogoods in the pool that are to pass now, but for those of searchers that `is_known` names.
    pub fn nogoods(
        &mut self,
        store: &mut dyn Store,
        is_known: &dyn Fn(u32) -> bool,
    ) -> Result<Vec<u32>, DeviceError> {
        let mut nogoods = store.nogoods(&mut self.seen, is_known)?;
        let most = self.volume().words;
        if nogoods.len() > most {
            // The shortest come first.
            let mut end = 0;
            for nogood in each_nogood(&nogoods) {
                if end + nogood.len() > most {
                    break;
                }
                end += nogood.len();
            }
            nogoods.truncate(end);
        }
        Ok(nogoods)
    }
}

/// The other end has told of a goal that is not the one of this phase.
pub fn of_another_goal() -> DeviceError {
    DeviceError::Failed("a message is about another goal".into())
}
