//! The kernels of yasmin, and the plain-data types that host and device share.
//!
//! A kernel is a thin `#[kernel]` entry point over a plain function. Each kernel has a file of its own under
//! [`kernels`]. A kernel takes the parts of a search that it reads ([`Problem`], [`Settings`], [`Own`],
//! [`Launch`]), or all of them as one [`Search`]. The same functions run on the GPU (compiled to PTX) and on
//! the host (through the executors of `cuda_std`).
//!
//! The search is bulk-synchronous: while threads visit nogoods, the assignment does not change. A thread that
//! finds a unit nogood *proposes* the literal that follows, with one atomic claim for each variable. Only the
//! next [`kernels::commit`] makes the proposals part of the assignment, together with their dependencies.
//! Every literal that a thread can see can therefore also be explained.
// The tests belong to the package `solver-gpu`: they run blocks of many threads.
#![cfg(not(all(test, feature = "alone")))]
#![no_std]

pub mod activity;
pub mod advice;
pub mod assign;
pub mod conflict;
pub mod deps;
pub mod explanation;
pub mod frontier;
pub mod hash;
pub mod kernels;
pub mod layout;
pub mod learned;
pub mod levels;
pub mod lit;
pub mod marks;
pub mod minimise;
pub mod next_step;
pub mod nogood;
pub mod not_held;
pub mod quality;
mod reasons;
pub mod schedule;
pub mod shared_copy;
pub mod sums;
pub mod swarm;
pub mod threads;
pub mod tournament;
pub mod trace;
pub mod watches;

pub use cuda_std::array::Array;
pub use layout::{Launch, Own, Problem, Search, Settings, State, Swarm};
pub use lit::{Lit, Var};
