//! The struct that holds the five parts of a search.
//!
//! Invariant: [`Search`] fits into the parameters of a kernel, which the compiler checks below.

use super::launch::Launch;
use super::own::Own;
use super::problem::Problem;
use super::settings::Settings;
use super::swarm::Swarm;

/// All five parts of a search: the argument of a kernel that reads every part.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct Search {
    /// The program's arrays, which kernels only read.
    pub problem: Problem,
    /// The choices that may differ between searches of one problem.
    pub settings: Settings,
    /// The search's own memory, which kernels write.
    pub own: Own,
    /// How the search belongs to a swarm.
    pub swarm: Swarm,
    /// The argument, the bounds and the geometry of this launch.
    pub launch: Launch,
}

const _: () = assert!(size_of::<Search>() < 4096, "kernel parameters are limited to 4 KiB");
