//! What programs are solved on. Main type: [`Machine`].

use solver_host::device::DeviceKind;
use solver_host::search::{Engine, GpuSearchers, Options, ParallelMode, Team};

/// A device, and what is the same in all combinations of options there.
#[derive(Clone, Copy, Debug)]
pub struct Machine {
    /// What runs the search.
    pub device: DeviceKind,
    /// In how many orders of its threads the simulation runs each launch.
    pub schedules: u32,
    /// Whether the simulation checks each access to memory.
    pub checks: bool,
    /// Let all searches be resident searches of this team.
    pub team: Option<Team>,
    /// How many threads a block has, if that is to be the same in all combinations.
    pub threads: Option<u32>,
    /// How much further the next combination of options is. With 1, neighbours are alike: the first 43,200
    /// combinations are all of 32 threads. A step that has no factor in common with
    /// [`COMBINATIONS`](crate::conform::COMBINATIONS) reaches all of them as well.
    pub step: usize,
    /// How many searchers search from the beginning, if each search is to be one of several searchers.
    pub searchers: Option<usize>,
}

impl From<DeviceKind> for Machine {
    fn from(device: DeviceKind) -> Self {
        let Options { simt_schedules: schedules, simt_check: checks, .. } = Options::default();
        Machine { device, schedules, checks, team: None, threads: None, step: 1, searchers: None }
    }
}

impl Machine {
    /// The same options on this machine.
    pub fn set(self, options: Options) -> Options {
        let Machine {
            device,
            schedules: simt_schedules,
            checks: simt_check,
            team,
            threads,
            step: _,
            searchers,
        } = self;
        let threads_per_block = threads.unwrap_or(options.threads_per_block);
        let options = Options { device, simt_schedules, simt_check, threads_per_block, ..options };
        let options = match team {
            Some(team) => Options { engine: Engine::Resident, team, ..options },
            None => options,
        };
        match searchers {
            Some(searchers) => Options {
                engine: Engine::Resident,
                team: Team::Auto,
                // Threads of the processor, or blocks of one launch.
                parallel_mode: ParallelMode::Searchers(if device == DeviceKind::Cpu { searchers } else { 1 }),
                gpu_searchers: GpuSearchers::Searchers(if device == DeviceKind::Cpu { 1 } else { searchers as u32 }),
                join_after: 0,
                // Small programs have few conflicts.
                import_every: 1 + options.seed as u32 % 3,
                split_after: options.seed as u32 / 3 % 3,
                racers: options.seed as u32 / 9 % 3,
                split_from: options.seed as u32 / 27 % 2 * 10,
                share_lbd: 32,
                ..options
            },
            None => Options {
                parallel_mode: ParallelMode::Searchers(1),
                gpu_searchers: GpuSearchers::Searchers(1),
                ..options
            },
        }
    }
}
