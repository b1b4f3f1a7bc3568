//! Which thread runs next. Main type: [`Schedule`].

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
    ready: Vec<usize>,
    /// The thread that ran last, or the favoured one at first.
    last: usize,
    /// Threads that only waited when they ran last: others come first.
    waits: Vec<bool>,
}

impl Queue {
    /// All of `threads` threads are ready.
    pub fn new(threads: usize, schedule: Schedule, seed: u64) -> Self {
        let mut queue = Queue {
            schedule,
            random: seed ^ 0x9e37_79b9_7f4a_7c15,
            ready: (0..threads).collect(),
            last: 0,
            waits: vec![false; threads],
        };
        queue.last = match schedule {
            Schedule::Greedy => queue.draw(threads),
            Schedule::RoundRobin => threads - 1,
            _ => 0,
        };
        queue
    }

    /// Thread `t` can run. `only_waits` says that it wants others to run first.
    pub fn add(&mut self, t: usize, only_waits: bool) {
        self.ready.push(t);
        self.waits[t] = only_waits;
    }

    /// The next thread, which is not ready any more.
    pub fn next(&mut self) -> Option<usize> {
        if self.ready.is_empty() {
            return None;
        }
        let place = match self.schedule {
            Schedule::Random => self.draw(self.ready.len()),
            _ => {
                let n = self.waits.len();
                let turn = |t: usize| match self.schedule {
                    Schedule::RoundRobin => (t + n - self.last - 1) % n,
                    Schedule::Reversed => (self.last + n - t - 1) % n,
                    _ => (t + n - self.last) % n,
                };
                let key = |&place: &usize| (self.waits[self.ready[place]], turn(self.ready[place]));
                (0..self.ready.len()).min_by_key(key).expect("some thread is ready")
            }
        };
        self.last = self.ready.swap_remove(place);
        if self.waits[self.last] && self.schedule != Schedule::Random {
            // All ready threads have waited since.
            for &t in &self.ready {
                self.waits[t] = false;
            }
        }
        Some(self.last)
    }

    /// A number below `n` (xorshift64*, Vigna 2016).
    pub fn draw(&mut self, n: usize) -> usize {
        self.random ^= self.random >> 12;
        self.random ^= self.random << 25;
        self.random ^= self.random >> 27;
        let drawn = self.random.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 32;
        ((drawn * n as u64) >> 32) as usize
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
}
