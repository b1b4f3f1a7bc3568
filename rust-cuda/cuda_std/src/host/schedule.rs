//! Which thread runs next. Main type: [`Schedule`].

use std::fmt;

/// An order in which a launch's threads run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Schedule {
    /// A generator draws the next thread; the launch's seed is the generator's.
    #[default]
    Random,
    /// The threads take turns, the first one first.
    RoundRobin,
    /// The threads take turns, the last one first.
    Reversed,
    /// One thread, which the seed selects, runs as far as it gets. Then the thread after it does.
    Greedy,
}

impl fmt::Display for Schedule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Schedule::Random => "a random thread runs next",
            Schedule::RoundRobin => "the threads take turns, the first one first",
            Schedule::Reversed => "the threads take turns, the last one first",
            Schedule::Greedy => "one thread runs as far as it gets, then the next one",
        })
    }
}

impl Schedule {
    /// The schedule and the seed of repetition `number` of a launch: first a random order, then the others, then
    /// random orders again.
    pub fn repetition(number: u32, seed: u64) -> (Schedule, u64) {
        let schedule = match number {
            1 => Schedule::RoundRobin,
            2 => Schedule::Reversed,
            3 => Schedule::Greedy,
            // Every third of the rest favours another thread.
            n if n > 3 && n % 3 == 0 => Schedule::Greedy,
            _ => Schedule::Random,
        };
        (schedule, seed.wrapping_add(u64::from(number).wrapping_mul(0x9e37_79b9_7f4a_7c15)))
    }
}

/// The threads that can run, and what decides which of them runs next.
pub(super) struct Queue {
    schedule: Schedule,
    /// The state of the generator; never 0.
    random: u64,
    ready: Ready,
    /// The number of threads of the launch.
    threads: usize,
    /// The thread that ran last, or the favoured one at first.
    last: usize,
}

/// The threads that can run.
enum Ready {
    /// In no order, because one is drawn.
    Drawn(Vec<usize>),
    /// In the order of their numbers.
    InTurn {
        /// Threads that run first.
        active: ThreadSet,
        /// Threads that only waited when they ran last. They run when no other thread is ready.
        waiting: ThreadSet,
    },
}

impl Queue {
    /// All of `threads` threads are ready.
    pub fn new(threads: usize, schedule: Schedule, seed: u64) -> Self {
        let ready = match schedule {
            Schedule::Random => Ready::Drawn((0..threads).collect()),
            _ => Ready::InTurn { active: ThreadSet::all(threads), waiting: ThreadSet::none(threads) },
        };
        let mut queue = Queue { schedule, random: seed ^ 0x9e37_79b9_7f4a_7c15, ready, threads, last: 0 };
        queue.last = match schedule {
            Schedule::Greedy => draw(&mut queue.random, threads),
            Schedule::RoundRobin => threads - 1,
            _ => 0,
        };
        queue
    }

    /// Thread `t` can run. `only_waits` says that it wants others to run first.
    pub fn add(&mut self, t: usize, only_waits: bool) {
        match &mut self.ready {
            Ready::Drawn(ready) => ready.push(t),
            Ready::InTurn { waiting, .. } if only_waits => waiting.add(t),
            Ready::InTurn { active, .. } => active.add(t),
        }
    }

    /// The next thread, which is not ready any more.
    pub fn next(&mut self) -> Option<usize> {
        let n = self.threads;
        let next = match &mut self.ready {
            Ready::Drawn(ready) if ready.is_empty() => return None,
            Ready::Drawn(ready) => {
                let place = draw(&mut self.random, ready.len());
                ready.swap_remove(place)
            }
            Ready::InTurn { active, waiting } => {
                let turn = |set: &ThreadSet| match self.schedule {
                    Schedule::RoundRobin => set.first_from((self.last + 1) % n),
                    Schedule::Reversed => set.last_until((self.last + n - 1) % n),
                    _ => set.first_from(self.last),
                };
                match turn(active) {
                    Some(t) => {
                        active.remove(t);
                        t
                    }
                    None => {
                        let t = turn(waiting)?;
                        waiting.remove(t);
                        // All ready threads have waited since.
                        std::mem::swap(active, waiting);
                        t
                    }
                }
            }
        };
        self.last = next;
        Some(next)
    }
}

/// A number below `n` (xorshift64*, Vigna 2016).
fn draw(random: &mut u64, n: usize) -> usize {
    *random ^= *random >> 12;
    *random ^= *random << 25;
    *random ^= *random >> 27;
    let drawn = random.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 32;
    ((drawn * n as u64) >> 32) as usize
}

/// A set of threads, a bit for each. Each step of a launch asks for the next thread, so that no search of all threads
/// may be in it.
struct ThreadSet {
    words: Vec<u64>,
}

impl ThreadSet {
    fn none(threads: usize) -> Self {
        ThreadSet { words: vec![0; threads.div_ceil(64)] }
    }

    fn all(threads: usize) -> Self {
        let mut set = ThreadSet::none(threads);
        (0..threads).for_each(|t| set.add(t));
        set
    }

    fn add(&mut self, t: usize) {
        self.words[t / 64] |= 1 << (t % 64);
    }

    fn remove(&mut self, t: usize) {
        self.words[t / 64] &= !(1 << (t % 64));
    }

    /// The first thread that is `t` or comes after it, with the first of all threads after the last.
    fn first_from(&self, t: usize) -> Option<usize> {
        let (word, mask) = (t / 64, u64::MAX << (t % 64));
        let first = |n: usize, bits: u64| (bits != 0).then(|| n * 64 + bits.trailing_zeros() as usize);
        first(word, self.words[word] & mask)
            .or_else(|| (word + 1..self.words.len()).find_map(|n| first(n, self.words[n])))
            .or_else(|| (0..=word).find_map(|n| first(n, self.words[n])))
    }

    /// The last thread that is `t` or comes before it, with the last of all threads before the first.
    fn last_until(&self, t: usize) -> Option<usize> {
        let (word, mask) = (t / 64, u64::MAX >> (63 - t % 64));
        let last = |n: usize, bits: u64| (bits != 0).then(|| n * 64 + 63 - bits.leading_zeros() as usize);
        last(word, self.words[word] & mask)
            .or_else(|| (0..word).rev().find_map(|n| last(n, self.words[n])))
            .or_else(|| (word..self.words.len()).rev().find_map(|n| last(n, self.words[n])))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_schedule_has_its_order() {
        let order = |schedule| {
            let mut queue = Queue::new(4, schedule, 5);
            // Each thread runs twice.
            let mut left = [1; 4];
            let mut order = Vec::new();
            while let Some(t) = queue.next() {
                order.push(t);
                if left[t] > 0 {
                    left[t] -= 1;
                    queue.add(t, false);
                }
            }
            order
        };
        assert_eq!(order(Schedule::RoundRobin), [0, 1, 2, 3, 0, 1, 2, 3]);
        assert_eq!(order(Schedule::Reversed), [3, 2, 1, 0, 3, 2, 1, 0]);
        let greedy = order(Schedule::Greedy);
        assert!(greedy.chunks(2).all(|pair| pair[0] == pair[1]), "{greedy:?}");
        let mut random = order(Schedule::Random);
        random.sort();
        assert_eq!(random, [0, 0, 1, 1, 2, 2, 3, 3]);
    }

    #[test]
    fn a_thread_that_only_waits_lets_others_run() {
        for schedule in [Schedule::RoundRobin, Schedule::Reversed, Schedule::Greedy] {
            let mut queue = Queue::new(2, schedule, 1);
            let waiting = queue.next().expect("a thread");
            queue.add(waiting, true);
            assert_ne!(queue.next(), Some(waiting), "{schedule:?}");
        }
    }

    #[test]
    fn turns_go_round_in_either_direction() {
        let mut set = ThreadSet::none(200);
        for t in [3, 64, 130, 199] {
            set.add(t);
        }
        for (t, first, last) in
            [(0, 3, 199), (3, 3, 3), (4, 64, 3), (63, 64, 3), (64, 64, 64), (131, 199, 130)]
        {
            assert_eq!((set.first_from(t), set.last_until(t)), (Some(first), Some(last)), "{t}");
        }
        for t in [3, 199, 130] {
            set.remove(t);
        }
        assert_eq!((set.first_from(65), set.last_until(63)), (Some(64), Some(64)));
        set.remove(64);
        assert_eq!((set.first_from(0), set.last_until(199)), (None, None));
    }

    /// The order that the queue had when it searched all ready threads for the next one.
    #[test]
    fn who_waits_runs_when_nobody_else_is_ready() {
        for schedule in [Schedule::RoundRobin, Schedule::Reversed, Schedule::Greedy] {
            let (n, mut queue) = (150, Queue::new(150, schedule, 9));
            let mut ready: Vec<(bool, usize)> = (0..n).map(|t| (false, t)).collect();
            let mut last = queue.last;
            for step in 0..5000_u32 {
                let turn = |t: usize| match schedule {
                    Schedule::RoundRobin => (t + n - last - 1) % n,
                    Schedule::Reversed => (last + n - t - 1) % n,
                    _ => (t + n - last) % n,
                };
                let next = ready.iter().min_by_key(|&&(waits, t)| (waits, turn(t))).copied();
                assert_eq!(queue.next(), next.map(|(_, t)| t), "{schedule:?}, step {step}");
                let Some((waits, t)) = next else { break };
                ready.retain(|&(_, other)| other != t);
                if waits {
                    ready.iter_mut().for_each(|entry| entry.0 = false);
                }
                last = t;
                let draw = step.wrapping_mul(0x9e37_79b9) >> 24;
                // Some threads finish, more of them wait.
                if draw > 3 {
                    ready.push((draw % 3 != 0, t));
                    queue.add(t, draw % 3 != 0);
                }
            }
        }
    }
}
