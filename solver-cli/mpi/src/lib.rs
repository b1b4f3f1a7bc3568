//! One search by many processes: what of the command `yasmin-mpi` needs no MPI.
//!
//! Main type: [`pipe::Pipe`], a stream of bytes to another rank. [`typed`] is what only this command
//! understands. [`shape`] says who talks to whom and who has which cores and GPUs. [`job`] is what rank 0 tells
//! the others, [`calls`] is what rank 0 tells the launcher, and [`launcher`] starts `mpirun`. [`watch`]
//! counts how long others are waited for. What passes messages is `post.rs`, behind the feature `mpi`.
//!
//! The search itself is that of the crate `solver-host`: rank 0 has the solver, and every other rank is a
//! crew that searches along (`docs/cluster.md`).

pub mod calls;
#[cfg(feature = "mpi")]
mod failures;
pub mod job;
pub mod launcher;
#[cfg(feature = "mpi")]
mod passing;
pub mod pipe;
#[cfg(feature = "mpi")]
pub mod post;
#[cfg(feature = "mpi")]
pub mod rank;
pub mod shape;
pub mod typed;
pub mod watch;
