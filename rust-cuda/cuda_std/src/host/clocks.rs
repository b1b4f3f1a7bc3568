//! Which accesses of a launch happen before which: vector clocks. Main type: [`Clocks`].
//!
//! Each thread has a clock of its own, which a release advances, and knows a clock of every other thread:
//! whatever that thread did up to there has happened before. Barriers and warp operations let their threads
//! know all that one of them knows. Releases and acquires, by fences or by the words' own orders, pass
//! knowledge from one thread to another.
//!
//! Source: FastTrack (Flanagan and Freund, PLDI 2009) for clocks and epochs; the fences of C++ (as in
//! ThreadSanitizer) for releases through a fence. Threads that met at a barrier share one vector.

use crate::operation::Scope;
use std::collections::HashMap;
use std::rc::Rc;

/// What a thread knows of the others.
#[derive(Debug)]
pub(crate) struct Known {
    /// No other vector has this number.
    pub id: u64,
    /// The clock of each thread of the grid, by rank.
    pub clocks: Vec<u32>,
}

/// What a thread knew when it released, for those who acquire.
#[derive(Clone)]
struct Release {
    known: Rc<Known>,
    scope: Scope,
    /// The releasing thread's block; `None` if threads of several blocks have released.
    block: Option<u32>,
}

struct Clock {
    own: u32,
    known: Rc<Known>,
    /// What the thread's last fences released: a later relaxed atomic write passes it on.
    fenced: Vec<Release>,
    /// What relaxed atomic reads have found since the last fence, which acquires it.
    found: Vec<Release>,
}

/// The clocks of all threads of a launch, and what atomic words pass on.
pub(crate) struct Clocks {
    threads: Vec<Clock>,
    /// Threads in a block.
    block: u32,
    /// What was released through each atomic word, by address.
    words: HashMap<usize, Vec<Release>>,
    next_id: u64,
}

impl Clocks {
    /// The clocks of `threads` threads, in blocks of `block`, none of which knows of another.
    pub fn new(threads: usize, block: u32) -> Self {
        let known = Rc::new(Known { id: 1, clocks: vec![0; threads] });
        let clock = || Clock { own: 1, known: known.clone(), fenced: Vec::new(), found: Vec::new() };
        Clocks { threads: (0..threads).map(|_| clock()).collect(), block, words: HashMap::new(), next_id: 2 }
    }

    /// The number of threads.
    pub fn len(&self) -> usize {
        self.threads.len()
    }

    /// The thread's own clock.
    pub fn now(&self, thread: u32) -> u32 {
        self.threads[thread as usize].own
    }

    /// What the thread knows of the others.
    pub fn known(&self, thread: u32) -> &Known {
        &self.threads[thread as usize].known
    }

    /// The number of threads in a block.
    pub fn block(&self) -> u32 {
        self.block
    }

    /// The block of a thread.
    pub fn block_of(&self, thread: u32) -> u32 {
        thread / self.block
    }

    fn fresh(&mut self, clocks: Vec<u32>) -> Rc<Known> {
        self.next_id += 1;
        Rc::new(Known { id: self.next_id - 1, clocks })
    }

    /// The threads `members` have met: what one of them did before, each of them knows after.
    pub fn meet(&mut self, members: impl Iterator<Item = usize> + Clone) {
        let mut vectors: Vec<Rc<Known>> = Vec::new();
        for member in members.clone() {
            let known = &self.threads[member].known;
            if !vectors.iter().rev().any(|vector| Rc::ptr_eq(vector, known)) {
                vectors.push(known.clone());
            }
        }
        let Some(first) = vectors.first() else { return };
        let mut clocks = first.clocks.clone();
        for other in &vectors[1..] {
            join(&mut clocks, &other.clocks);
        }
        for member in members.clone() {
            clocks[member] = self.threads[member].own;
        }
        let known = self.fresh(clocks);
        for member in members {
            self.threads[member].own += 1;
            self.threads[member].known = known.clone();
        }
    }

    /// What the thread knows now, itself included.
    fn released(&mut self, thread: u32) -> Rc<Known> {
        let clock = &mut self.threads[thread as usize];
        let mut clocks = clock.known.clocks.clone();
        clocks[thread as usize] = clock.own;
        clock.own += 1;
        self.fresh(clocks)
    }

    fn learn(&mut self, thread: u32, known: &Known) {
        let clock = &self.threads[thread as usize];
        let mine = &clock.known.clocks;
        let is_news = |(i, (&new, &old)): (usize, (&u32, &u32))| i != thread as usize && new > old;
        if !known.clocks.iter().zip(mine).enumerate().any(is_news) {
            return;
        }
        let mut clocks = mine.clone();
        join(&mut clocks, &known.clocks);
        let known = self.fresh(clocks);
        self.threads[thread as usize].known = known;
    }

    /// A fence: acquires what relaxed reads have found, and releases to those who find the thread's later
    /// writes.
    pub fn fence(&mut self, thread: u32, scope: Scope) {
        let block = Some(self.block_of(thread));
        let clock = &mut self.threads[thread as usize];
        let (learnt, left): (Vec<_>, Vec<_>) =
            clock.found.drain(..).partition(|release| scope == Scope::Device || release.block == block);
        clock.found = left;
        for release in learnt {
            self.learn(thread, &release.known);
        }
        let known = self.released(thread);
        let fenced = &mut self.threads[thread as usize].fenced;
        fenced.retain(|release| release.scope != scope && scope == Scope::Block);
        fenced.push(Release { known, scope, block });
    }

    /// An atomic write to the word at `address`. `releases` says that the write is a releasing one; `updates`
    /// that the new value follows from the old one.
    pub fn write(&mut self, thread: u32, address: usize, releases: bool, updates: bool) {
        let block = Some(self.block_of(thread));
        let passed = match releases {
            true => {
                let known = self.released(thread);
                vec![Release { known, scope: Scope::Device, block }]
            }
            false => self.threads[thread as usize].fenced.clone(),
        };
        if passed.is_empty() && self.words.is_empty() {
            return;
        }
        if !updates {
            self.words.remove(&address);
        }
        for release in passed {
            self.pass(address, release);
        }
    }

    /// Adds a release to those of a word.
    fn pass(&mut self, address: usize, release: Release) {
        let word = self.words.entry(address).or_default();
        let same = |old: &&mut Release| {
            old.scope == release.scope && (old.scope == Scope::Device || old.block == release.block)
        };
        let Some(old) = word.iter_mut().find(same) else {
            word.push(release);
            return;
        };
        if Rc::ptr_eq(&old.known, &release.known) {
            return;
        }
        let mut clocks = old.known.clocks.clone();
        join(&mut clocks, &release.known.clocks);
        let block = old.block.filter(|_| old.block == release.block);
        let joined = Release { known: Rc::new(Known { id: self.next_id, clocks }), scope: old.scope, block };
        *old = joined;
        self.next_id += 1;
    }

    /// A write that is not atomic: whoever reads the word finds no release any more.
    pub fn overwrite(&mut self, address: usize) {
        if !self.words.is_empty() {
            self.words.remove(&address);
        }
    }

    /// An atomic read of the word at `address`; `acquires` says that the read is an acquiring one.
    pub fn read(&mut self, thread: u32, address: usize, acquires: bool) {
        if self.words.is_empty() {
            return;
        }
        let Some(word) = self.words.get(&address) else { return };
        let block = self.block_of(thread);
        let found: Vec<Release> = word
            .iter()
            .filter(|release| release.scope == Scope::Device || release.block == Some(block))
            .cloned()
            .collect();
        for release in found {
            if acquires {
                self.learn(thread, &release.known);
            } else {
                let mine = &mut self.threads[thread as usize].found;
                if !mine.iter().any(|old| old.known.id == release.known.id) {
                    mine.push(release);
                }
            }
        }
    }
}

fn join(into: &mut [u32], from: &[u32]) {
    for (into, &from) in into.iter_mut().zip(from) {
        *into = (*into).max(from);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether `thread` knows what `other` did at `clock`.
    fn knows(clocks: &Clocks, thread: u32, other: u32, clock: u32) -> bool {
        clocks.known(thread).clocks[other as usize] >= clock
    }

    #[test]
    fn those_who_meet_know_each_others_past_and_not_the_future() {
        let mut clocks = Clocks::new(4, 2);
        let before = clocks.now(0);
        clocks.meet([0, 1].into_iter());
        assert!(knows(&clocks, 1, 0, before) && !knows(&clocks, 1, 0, clocks.now(0)));
        assert!(!knows(&clocks, 2, 0, before));
        // What 1 knows of 0 reaches 3 through a later meeting.
        clocks.meet([1, 3].into_iter());
        assert!(knows(&clocks, 3, 0, before) && !knows(&clocks, 2, 0, before));
    }

    #[test]
    fn a_release_needs_both_its_ends() {
        for (fences, acquires, ordered) in
            [(true, true, true), (true, false, false), (false, true, false), (false, false, false)]
        {
            let mut clocks = Clocks::new(2, 1);
            let before = clocks.now(0);
            if fences {
                clocks.fence(0, Scope::Device);
            }
            clocks.write(0, 64, false, false);
            clocks.read(1, 64, false);
            if acquires {
                clocks.fence(1, Scope::Device);
            }
            assert_eq!(knows(&clocks, 1, 0, before), ordered, "fences {fences}, acquires {acquires}");
        }
    }

    #[test]
    fn orders_of_words_and_scopes_of_fences() {
        let mut clocks = Clocks::new(4, 2);
        let before = clocks.now(0);
        clocks.fence(0, Scope::Block);
        clocks.write(0, 64, false, false);
        // Thread 2 is of another block.
        for other in [1, 2] {
            clocks.read(other, 64, true);
            assert_eq!(knows(&clocks, other, 0, before), other == 1);
        }
        clocks.write(0, 64, true, false);
        clocks.read(2, 64, true);
        assert!(knows(&clocks, 2, 0, before));
        // A store of another thread that releases nothing hides the release; a change does not.
        for (updates, ordered) in [(true, true), (false, false)] {
            let mut clocks = Clocks::new(3, 3);
            let before = clocks.now(0);
            clocks.write(0, 64, true, false);
            clocks.write(1, 64, false, updates);
            clocks.read(2, 64, true);
            assert_eq!(knows(&clocks, 2, 0, before), ordered);
        }
    }
}
