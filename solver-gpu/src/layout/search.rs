//! The four parts of a search together.

use super::launch::Launch;
use super::own::Own;
use super::problem::Problem;
use super::settings::Settings;

/// All four parts of a search: what a kernel takes that reads them all.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct Search {
    /// The program.
    pub problem: Problem,
    /// How the search goes.
    pub settings: Settings,
    /// The search's memory.
    pub own: Own,
    /// The launch.
    pub launch: Launch,
}

const _: () = assert!(size_of::<Search>() < 4096, "kernel parameters are limited to 4 KiB");
