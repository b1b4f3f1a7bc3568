//! What solvers of one problem learn from each other while each answers questions of its own.
//!
//! Main types: [`Board`], which all of them have, and [`Exchange`], a solver's place at the board. Between
//! two questions a solver posts what it has learned and takes what others have posted. Assumptions are
//! decisions, so a learned nogood holds for all questions.
//!
//! Invariant: what is posted holds for the program. After several answer sets, which a search excludes one by
//! one, and on the way to an optimum or to consequences, a solver posts nothing ([`super::lead::Left`]).

use solver_gpu::hash::mix;
use solver_gpu::Lit;
use std::collections::{HashSet, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A solver comes to the board after so many conflicts. In tests it comes often.
const EVERY: u64 = if cfg!(test) { 1 } else { 100 };

/// The most nogoods on the board. The oldest leave it.
const MOST: usize = 4000;

/// After so many posts the board forgets what it has had.
const MOST_KNOWN: usize = 1 << 20;

/// The most nogoods that a solver takes at once, the newest.
const AT_ONCE: usize = 500;

/// See the module's documentation.
#[derive(Default)]
pub struct Board(Mutex<Posts>);

#[derive(Default)]
struct Posts {
    posts: VecDeque<Post>,
    /// How many were taken down.
    gone: usize,
    /// The hashes of all that were posted. A solver keeps what it has posted, and would post it again.
    known: HashSet<u64>,
}

struct Post {
    solver: usize,
    nogood: Vec<Lit>,
}

/// See the module's documentation.
pub(super) struct Exchange {
    board: Arc<Board>,
    solver: usize,
    /// The number of conflicts at which the solver posts, and that at which it takes.
    due: [u64; 2],
    /// The number of the first post that the solver has not seen.
    seen: usize,
    /// The solver has forgotten its own posts before this one.
    forgotten: usize,
}

impl Posts {
    fn end(&self) -> usize {
        self.gone + self.posts.len()
    }

    fn post(&mut self, solver: usize, nogood: Vec<Lit>) {
        if self.known.len() >= MOST_KNOWN {
            self.known.clear();
        }
        // A nogood that has the hash of another one is lost, and nothing else.
        if !self.known.insert(nogood.iter().map(|lit| mix(lit.0 as u64)).fold(0, u64::wrapping_add)) {
            return;
        }
        self.posts.push_back(Post { solver, nogood });
        if self.posts.len() > MOST {
            self.posts.pop_front();
            self.gone += 1;
        }
    }
}

impl Exchange {
    /// A place for the solver of this number.
    pub fn new(board: &Arc<Board>, solver: usize) -> Exchange {
        Exchange { board: board.clone(), solver, due: [EVERY, 0], seen: 0, forgotten: 0 }
    }

    /// Whether the solver is to post, after so many conflicts.
    pub fn is_post_due(&mut self, conflicts: u64) -> bool {
        Self::is_due(&mut self.due[0], conflicts)
    }

    /// Whether the solver is to take what others have posted.
    pub fn is_news_due(&mut self, conflicts: u64) -> bool {
        Self::is_due(&mut self.due[1], conflicts)
    }

    fn is_due(due: &mut u64, conflicts: u64) -> bool {
        let is_due = conflicts >= *due;
        if is_due {
            *due = conflicts + EVERY;
        }
        is_due
    }

    /// Posts nogoods, which hold for the program.
    pub fn post(&self, nogoods: impl Iterator<Item = Vec<Lit>>) {
        let mut posts = self.posts();
        nogoods.for_each(|nogood| posts.post(self.solver, nogood));
    }

    fn posts(&self) -> MutexGuard<'_, Posts> {
        self.board.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What others have posted since the last call, and what was forgotten, the newest first.
    pub fn news(&mut self) -> Vec<Vec<Lit>> {
        let posts = self.posts();
        let new = posts.posts.iter().enumerate().skip(self.seen.saturating_sub(posts.gone)).rev();
        let is_foreign =
            |&(at, post): &(usize, &Post)| post.solver != self.solver || posts.gone + at < self.forgotten;
        let news = new.filter(is_foreign).take(AT_ONCE).map(|(_, post)| post.nogood.clone()).collect();
        let end = posts.end();
        drop(posts);
        self.seen = end;
        news
    }

    /// The solver has forgotten all that it has learned.
    pub fn forgets(&mut self) {
        self.seen = 0;
        let end = self.posts().end();
        self.forgotten = end;
    }
}
