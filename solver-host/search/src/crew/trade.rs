//! What two memories of searchers pass to each other: cubes, nogoods, goals, and what ends a search.
//!
//! Main types: [`Home`] and [`Away`], the two ends of a trade. The members of a crew search in the memory of
//! the home. The searchers of a fleet share the words and arrays of their device, and those of another crew
//! the memory of another process: both are away. To its home an end away is one more searcher, which may have
//! several cubes at a time. An end looks at its memory and says [`Message`]s ([`Home::say`]); it hears those
//! of the other end and changes its memory. What an end has said and heard is all that it knows of the other
//! memory.
//!
//! Invariant: the home's count of open cubes includes one for each end away that has any open cube, or to
//! which one is on its way. A cube that moves counts at its new place before it ceases to count at its old
//! place.

use super::given::Given;
use super::message::Message;
use super::shared::Shared;
use super::store::{origin_of, Live, Seen, Store};
use solver_gpu::layout::{Hub, Origin};
use solver_gpu::swarm::{pool, queue};
use std::collections::VecDeque;
use std::sync::Arc;
use std::time::{Duration, Instant};
use yasmin_device::DeviceError;

mod common;
pub use common::Volume;
use common::{of_another_goal, Common};

/// The most cubes that an end away asks for at a time.
const CUBES: u32 = 32;

/// How often a process says how many answer sets it has found, if nobody waits for that.
const NUMBERS: Duration = Duration::from_millis(20);

/// How often both ends of one process say and hear in turn at most.
const TURNS: u32 = 4;

/// The end of a trade at home.
pub struct Home {
    store: Live,
    /// The number at home of the first searcher away, and the number of searchers away.
    away: (u32, u32),
    /// Whether the home has searchers besides those away.
    has_others: bool,
    /// Whether there is room for what need not be said, which is nogoods.
    has_room: bool,
    /// Whether the home counts an open cube for the other end.
    holds: bool,
    /// The number of cubes that were said, and of those that the other end has said to have nothing left of.
    given: u64,
    idle_after: u64,
    /// Cubes that came back while the home's queue had no room.
    returned: VecDeque<Vec<u32>>,
    /// The cubes that the other end has, if others are to search them once it is gone.
    log: Option<Given>,
    is_lost: bool,
    /// The number of cubes that the other end wants. The home counts as many hungry searchers for it.
    asked: u32,
    /// What was said last of the number of cubes that the home wants, and of its limit.
    wants: u32,
    limit: u64,
    /// What was said last of how many searchers are to search everything.
    racing: Option<u32>,
    has_ended: bool,
    common: Common,
}

impl Home {
    /// The home's end of a trade with searchers that have no cube. `first` is the number of the first of them
    /// at home. `has_others` says whether others search besides them.
    pub fn new(home: Arc<Shared>, first: u32, searchers: u32, has_others: bool) -> Home {
        Home {
            store: Live(home),
            away: (first, searchers),
            has_others,
            has_room: true,
            holds: false,
            given: 0,
            idle_after: 0,
            returned: VecDeque::new(),
            log: None,
            is_lost: false,
            asked: 0,
            wants: 0,
            limit: 0,
            racing: None,
            has_ended: false,
            common: Common::default(),
        }
    }

    /// Passes over nogoods of the home before these tickets.
    pub fn pass_over(&mut self, seen: Seen) {
        self.common.seen = seen;
    }

    /// The same as [`Home::new`], for another process: only so many nogoods pass. `may_go` says whether
    /// the search goes on if that process is gone (see [`Home::lose`]).
    pub fn of_process(home: Arc<Shared>, first: u32, numbers: u32, volume: Volume, may_go: bool) -> Home {
        let mut end = Home::new(home, first, numbers, true);
        end.common = Common::of_process(volume);
        end.log = may_go.then(Given::default);
        end
    }

    /// The other end is gone. All cubes that it had come back, but for those of which it has said that
    /// nothing is left.
    ///
    /// # Errors
    /// None: the memory is the host's.
    pub fn lose(&mut self) -> Result<(), DeviceError> {
        self.is_lost = true;
        self.ask(0);
        if let Some(log) = &mut self.log {
            self.returned.extend(log.take());
        }
        self.idle_after = self.given;
        self.settle()
    }

    /// Says whether there is room for what need not be said.
    pub fn set_room(&mut self, has_room: bool) {
        self.has_room = has_room;
    }

    /// Whether the other end has asked for cubes, and a cube waits at home.
    pub fn is_answered(&self) -> bool {
        self.asked > 0 && queue::waiting(self.store.view()) > 0
    }

    /// Whether all searchers of the home have to return.
    pub fn is_over(&self) -> bool {
        self.store.0.is_over()
    }

    /// Says what is new at home. Nothing is new once the end was said.
    ///
    /// # Errors
    /// None: the memory is the host's.
    pub fn say(&mut self) -> Result<Vec<Message>, DeviceError> {
        let mut say = Vec::new();
        if self.has_ended {
            return Ok(say);
        }
        if self.is_over() {
            self.has_ended = true;
            return Ok(vec![Message::End]);
        }
        if self.is_lost {
            self.settle()?;
            return Ok(say);
        }
        let shared = self.store.0.clone();
        let hub = shared.hub();
        let limit = hub.answers_limit.load_relaxed();
        if limit > 0 {
            let left = limit.saturating_sub(hub.answers.load_relaxed()).max(1);
            if left != self.limit {
                self.limit = left;
                say.push(Message::Limit(left));
            }
        }
        let racing = hub.racing.load_relaxed() as u32;
        if self.racing.replace(racing) != Some(racing) {
            say.push(Message::Racing(racing));
        }
        self.settle()?;
        let others = hub.hungry.load_relaxed().saturating_sub(self.asked);
        let wants = others.saturating_sub(queue::waiting(self.store.view()));
        if wants != self.wants {
            self.wants = wants;
            say.push(Message::Wants(wants));
        }
        while self.asked > 0 {
            let Some(cube) = self.store.take_cube()? else { break };
            // The home keeps counting the first cube, as the one open cube of the other end.
            if self.holds {
                hub.open.fetch_add(u32::MAX);
            }
            self.holds = true;
            self.given += 1;
            self.ask(self.asked - 1);
            if let Some(log) = &mut self.log {
                log.note(self.given, &cube);
            }
            say.push(Message::Cube(cube));
        }
        self.common.say_goal(&mut self.store, &mut say)?;
        if self.has_others && self.has_room && self.common.is_due() {
            let (first, searchers) = self.away;
            let is_away = |searcher: u32| searcher.wrapping_sub(first) < searchers;
            let nogoods = self.common.nogoods(&mut self.store, &is_away)?;
            if !nogoods.is_empty() {
                say.push(Message::Nogoods(nogoods));
            }
        }
        Ok(say)
    }

    /// Hears what the other end has said. Afterwards [`Home::is_over`] may be true.
    ///
    /// # Errors
    /// None: the memory is the host's.
    pub fn hear(&mut self, message: Message) -> Result<(), DeviceError> {
        let shared = self.store.0.clone();
        let hub = shared.hub();
        match message {
            Message::Found(more, finder) => {
                let all = hub.answers.fetch_add(more) + more;
                let limit = hub.answers_limit.load_relaxed();
                if limit > 0 && all >= limit {
                    self.note_winner(finder);
                    hub.stop.store_relaxed(1);
                }
            }
            Message::Refuted(winner, is_free) => {
                self.note_winner(Some(winner));
                hub.refuted.fetch_max(1 + is_free as u32);
                hub.done.store_relaxed(1);
            }
            Message::Idle(cubes, winner) => {
                self.idle_after = cubes;
                if let Some(log) = &mut self.log {
                    log.finish(cubes);
                }
                if self.note_idle() {
                    self.note_winner(winner);
                }
            }
            Message::Cube(cube) => {
                self.wants = self.wants.saturating_sub(1);
                if !self.returned.is_empty() || !self.store.put_cube(&cube)? {
                    self.returned.push_back(cube);
                }
            }
            Message::Wants(cubes) => self.ask(cubes),
            Message::Bound(bound) => self.common.hear_bound(bound, &mut self.store)?,
            Message::Known(known) => self.common.hear_known(&known, &mut self.store)?,
            Message::Core(core) if core.len() == self.store.view().core.len() => {
                self.store.add_core(&core)?
            }
            Message::Core(_) => return Err(of_another_goal()),
            Message::Nogoods(nogoods) => self.store.add_nogoods(&nogoods, &mut self.common.seen)?,
            // All others are for a searcher's end, or not for an end at all.
            _ => {}
        }
        Ok(())
    }

    /// Lets the cubes wait at home for which there was no room before, and notes whether anything is left
    /// elsewhere.
    fn settle(&mut self) -> Result<(), DeviceError> {
        while let Some(cube) = self.returned.pop_front() {
            if !self.store.put_cube(&cube)? {
                self.returned.push_front(cube);
                break;
            }
        }
        self.note_idle();
        Ok(())
    }

    /// Ceases to count an open cube for the other end, if nothing is left of all cubes that it was given.
    /// Returns whether that was the last cube of all.
    fn note_idle(&mut self) -> bool {
        if !self.holds || self.idle_after < self.given || !self.returned.is_empty() {
            return false;
        }
        self.holds = false;
        let is_last = queue::finish(self.store.view());
        if is_last {
            self.store.hub().done.store_relaxed(1);
        }
        is_last
    }

    /// Sets the number of cubes that the other end wants.
    fn ask(&mut self, cubes: u32) {
        self.store.hub().hungry.fetch_add(cubes.wrapping_sub(self.asked));
        self.asked = cubes;
    }

    fn note_winner(&self, winner: Option<u32>) {
        if let Some(winner) = winner {
            self.store.hub().winner.store_relaxed(1 + winner);
        }
    }
}

/// What an end away from home can say to be refuted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Refutations {
    /// The whole search space.
    pub of_all: bool,
    /// All cubes that came.
    pub of_cubes: bool,
}

/// The end of a trade away from home. Its memory is passed to each call, as a device's is there only between
/// launches.
#[derive(Default)]
pub struct Away {
    /// The number at home of the first searcher away.
    first: u32,
    /// How many numbers the searchers away may have, from 0 on, if others may join them.
    numbers: Option<u32>,
    /// Whether searchers search besides those away.
    has_others: bool,
    /// Whether there is no room for what need not be said, which is nogoods.
    is_clogged: bool,
    /// The number of cubes that were heard.
    taken: u64,
    /// Whether a cube may be open here that the home counts.
    holds: bool,
    /// The number of open cubes here that no searcher searches.
    floor: u32,
    /// The number of cubes that the home wants, and the number that this end has said to want.
    wants: u32,
    asked: u32,
    /// The number of answer sets that were said, and when.
    answers: u64,
    answers_at: Option<Instant>,
    /// The number of answer sets after which all searchers here have to return; 0 for no limit.
    limit: u64,
    has_refuted: bool,
    /// The refutations of which to say nothing yet.
    keeps: Refutations,
    is_over: bool,
    common: Common,
}

impl Away {
    /// The end of a trade for searchers that have no cube, of which the first has the number `first` at home.
    pub fn new(first: u32, has_others: bool) -> Away {
        Away { first, has_others, ..Away::default() }
    }

    /// The same, for searchers of another process, who run meanwhile. In their memory one more cube counts as
    /// open, so that they do not return when nothing is left of theirs. They have numbers below `numbers`,
    /// and only so many nogoods pass.
    pub fn of_process(first: u32, numbers: u32, volume: Volume) -> Away {
        let common = Common::of_process(volume);
        Away { floor: 1, numbers: Some(numbers), common, ..Away::new(first, true) }
    }

    /// Says whether there is room for what need not be said.
    pub fn set_room(&mut self, has_room: bool) {
        self.is_clogged = !has_room;
    }

    /// What was refuted here and was not said.
    pub fn refutations(&self, hub: &Hub) -> Refutations {
        Refutations {
            of_all: !self.has_refuted && hub.refuted.load_relaxed() != 0,
            of_cubes: self.holds && hub.open.load_relaxed() == self.floor,
        }
    }

    /// Says which refutations to keep back, because answer sets that were found before were not told.
    pub fn keep(&mut self, refutations: Refutations) {
        self.keeps = refutations;
    }

    /// Whether all searchers have to return.
    pub fn is_over(&self) -> bool {
        self.is_over
    }

    /// The number of answer sets after which all searchers have to return; 0 for no limit.
    pub fn answers_limit(&self) -> u64 {
        self.limit
    }

    /// Says what is new here.
    ///
    /// # Errors
    /// If the device fails.
    pub fn say(&mut self, store: &mut dyn Store) -> Result<Vec<Message>, DeviceError> {
        let mut say = Vec::new();
        if self.is_over {
            return Ok(say);
        }
        self.say_news(store, &mut say)?;
        // One cube stays here.
        while self.wants > 0 && store.hub().open.load_relaxed() > 1 + self.floor {
            let Some(cube) = store.take_cube()? else { break };
            self.want(self.wants - 1, store.hub());
            store.hub().open.fetch_add(u32::MAX);
            say.push(Message::Cube(cube));
        }
        let hub = store.hub();
        let own = hub.hungry.load_relaxed().saturating_sub(self.counted_wants());
        let lacks = own.saturating_sub(queue::waiting_in(hub)).min(CUBES);
        if lacks != self.asked {
            self.asked = lacks;
            say.push(Message::Wants(lacks));
        }
        self.common.say_goal(store, &mut say)?;
        if self.has_others && !self.is_clogged && self.common.is_due() {
            let numbers = self.numbers.unwrap_or(store.view().searchers);
            let nogoods = self.common.nogoods(store, &|searcher| searcher >= numbers)?;
            if !nogoods.is_empty() {
                say.push(Message::Nogoods(self.renumbered(nogoods, self.first)));
            }
        }
        Ok(say)
    }

    /// Sets the number of cubes that the home wants. A process has few searchers, whose cubes rarely wait: so
    /// they count as many hungry searchers for the home, and divide what they search.
    fn want(&mut self, cubes: u32, hub: &Hub) {
        let before = self.counted_wants();
        self.wants = cubes;
        hub.hungry.fetch_add(self.counted_wants().wrapping_sub(before));
    }

    /// How many hungry searchers count for the home.
    fn counted_wants(&self) -> u32 {
        self.numbers.map_or(0, |_| self.wants)
    }

    /// Whether to say how many answer sets were found. Another process waits for no number but the first one,
    /// unless it has said how many are wanted, and each message wakes threads there.
    fn is_number_due(&mut self) -> bool {
        let is_due = self.numbers.is_none()
            || self.limit > 0
            || self.answers_at.is_none_or(|at| at.elapsed() >= NUMBERS);
        if is_due {
            self.answers_at = Some(Instant::now());
        }
        is_due
    }

    /// Says how many answer sets were found, and what was refuted.
    fn say_news(&mut self, store: &mut dyn Store, say: &mut Vec<Message>) -> Result<(), DeviceError> {
        let hub = store.hub();
        let found = hub.answers.load_relaxed();
        let winner = hub.winner.load_relaxed().checked_sub(1).map(|number| self.first.wrapping_add(number));
        let refuted = hub.refuted.load_relaxed();
        let Refutations { of_all, of_cubes } = self.refutations(hub);
        let (has_refuted, is_idle) = (of_all && !self.keeps.of_all, of_cubes && !self.keeps.of_cubes);
        if found > self.answers && (has_refuted || is_idle || self.is_number_due()) {
            say.push(Message::Found(found - self.answers, winner));
            self.answers = found;
        }
        if is_idle {
            // Those who race go on.
            hub.done.store_relaxed(0);
        }
        if (has_refuted || is_idle) && !store.view().core.is_empty() {
            say.push(Message::Core(store.core()?));
        }
        if has_refuted {
            self.has_refuted = true;
            say.push(Message::Refuted(winner.unwrap_or(self.first), refuted > 1));
        }
        if is_idle {
            self.holds = false;
            say.push(Message::Idle(self.taken, winner));
        }
        Ok(())
    }

    /// Hears what the home has said.
    ///
    /// # Errors
    /// If the device fails.
    pub fn hear(&mut self, message: Message, store: &mut dyn Store) -> Result<(), DeviceError> {
        match message {
            Message::End => self.is_over = true,
            Message::Limit(more) => self.limit = self.answers + more,
            Message::Racing(racing) => store.hub().racing.store_relaxed(racing as u64),
            Message::Wants(cubes) => self.want(cubes, store.hub()),
            Message::Cube(cube) => {
                self.taken += 1;
                self.asked = self.asked.saturating_sub(1);
                self.holds = true;
                if !store.put_cube(&cube)? {
                    return Err(DeviceError::Failed("more cubes came than were asked for".into()));
                }
            }
            Message::Bound(bound) => self.common.hear_bound(bound, store)?,
            Message::Known(known) => self.common.hear_known(&known, store)?,
            Message::Nogoods(nogoods) => {
                let nogoods = self.renumbered(nogoods, self.first.wrapping_neg());
                store.add_nogoods(&nogoods, &mut self.common.seen)?;
            }
            // All others are for the home's end, or not for an end at all.
            _ => {}
        }
        Ok(())
    }

    /// Adds `more` to the number of the searcher that has derived each nogood.
    ///
    /// Away the searchers have numbers from 0 on. Others have numbers there that follow on these, or wrap
    /// around below 0.
    fn renumbered(&self, mut nogoods: Vec<u32>, more: u32) -> Vec<u32> {
        let mut at = 0;
        while at < nogoods.len() {
            let origin = origin_of(&nogoods[at..]);
            let origin = Origin::new(origin.searcher().wrapping_add(more), origin.serial());
            let len = nogoods[at];
            nogoods[at..at + 3].copy_from_slice(&pool::header(len, origin));
            at += 3 + len as usize;
        }
        nogoods
    }
}

/// Lets both ends of a trade in one process say and hear all that is new.
///
/// # Errors
/// If the device fails.
pub fn trade(home: &mut Home, away: &mut Away, store: &mut dyn Store) -> Result<(), DeviceError> {
    // Members may change the home meanwhile, so that it might never be quiet.
    for _ in 0..TURNS {
        let from_away = away.say(store)?;
        let is_quiet = from_away.is_empty();
        from_away.into_iter().try_for_each(|message| home.hear(message))?;
        let from_home = home.say()?;
        if is_quiet && from_home.is_empty() {
            break;
        }
        from_home.into_iter().try_for_each(|message| away.hear(message, store))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests;
