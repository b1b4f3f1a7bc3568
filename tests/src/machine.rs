//! What programs are solved on. Main type: [`Machine`].

use solver_host::device::DeviceKind;
use solver_host::search::{Engine, GpuSearchers, Options, ParallelMode, Racers, SearcherThreads, When};

/// A device, and what is the same in all combinations of options there.
#[derive(Clone, Copy, Debug)]
pub struct Machine {
    /// What runs the search.
    pub device: DeviceKind,
    /// In how many orders of its threads the simulation runs each launch.
    pub schedules: u32,
    /// Whether the simulation checks each access to memory.
    pub checks: bool,
    /// How many threads a block has, if that is to be the same in all combinations.
    pub threads: Option<u32>,
    /// How much further the next combination of options is. With 1, neighbours are alike: the first 25,920
    /// combinations are all of 32 threads. A step that has no factor in common with
    /// [`COMBINATIONS`](crate::conform::COMBINATIONS) reaches all of them as well.
    pub step: usize,
    /// How many searchers search from the beginning, if each search is to be one of several searchers.
    pub searchers: Option<usize>,
    /// With [`DeviceKind::Auto`]: the device whose searchers join those of the processor.
    pub joins: DeviceKind,
}

impl From<DeviceKind> for Machine {
    fn from(device: DeviceKind) -> Self {
        let Options { simt_schedules: schedules, simt_check: checks, .. } = Options::default();
        Machine {
            device,
            schedules,
            checks,
            threads: None,
            step: 1,
            searchers: None,
            joins: Options::default().join_device,
        }
    }
}

impl Machine {
    /// The same options on this machine.
    pub fn set(self, options: Options) -> Options {
        let Machine {
            device,
            schedules: simt_schedules,
            checks: simt_check,
            threads,
            step: _,
            searchers,
            joins: _,
        } = self;
        let threads_per_block = threads.unwrap_or(options.threads_per_block);
        let options = Options { device, simt_schedules, simt_check, threads_per_block, ..options };
        // Searchers are threads of the processor, or blocks of one launch.
        let (threads_of_host, blocks) = match (device, searchers.unwrap_or(1)) {
            (DeviceKind::Cpu, searchers) => (searchers, 1),
            // Both, at once.
            (DeviceKind::Auto, searchers) => (searchers, searchers),
            (_, searchers) => (1, searchers),
        };
        match searchers {
            Some(_) => Options {
                engine: Engine::Resident,
                parallel_mode: ParallelMode::Searchers(threads_of_host),
                gpu_searchers: GpuSearchers::Searchers(blocks as u32),
                searcher_threads: SearcherThreads::Threads(threads_per_block),
                join_device: self.joins,
                join_after: When::Milliseconds(0),
                // Small programs have few conflicts.
                import_every: 1 + options.seed as u32 % 3,
                split_after: options.seed as u32 / 3 % 3,
                racers: racers_of(options.seed / 9),
                near_best: options.seed as u32 / 5 % 4,
                cube_lookahead: options.seed as u32 / 54 % 3 * 3,
                split_from: options.seed as u32 / 27 % 2 * 10,
                share_lbd: 32,
                ..options
            },
            None => Options {
                // The host drives no fleets, and several devices have one each.
                engine: if let DeviceKind::Gpus(_) = device { Engine::Resident } else { options.engine },
                parallel_mode: ParallelMode::Searchers(1),
                gpu_searchers: GpuSearchers::Searchers(1),
                ..options
            },
        }
    }
}

/// Who of several searchers races, of all that can be asked for: `random` chooses.
pub fn racers_of(random: u64) -> Racers {
    [Racers::Change, Racers::Each(1), Racers::Each(2), Racers::Each(0), Racers::Auto][random as usize % 5]
}
