//! What the options say of fleets: which devices have one, and how many threads each searcher has.

use super::choices::{Check, Engine};
use super::parallel::{GpuSearchers, ParallelMode, SearcherThreads, BLOCK, COUNTING_BLOCK, HAS_HOST};
use super::Options;
use yasmin_device::{self as device, DeviceError, DeviceKind};

impl Options {
    /// The same options for a fleet, which only counts answer sets or not.
    pub(crate) fn of_fleet(self, counts: bool) -> Options {
        match self.searcher_threads {
            SearcherThreads::Auto if counts => {
                Options { searcher_threads: SearcherThreads::Threads(COUNTING_BLOCK), ..self }
            }
            _ => self,
        }
    }

    /// How many threads each searcher of a fleet has.
    pub(crate) fn threads_of_searchers(&self) -> u32 {
        match self.searcher_threads {
            SearcherThreads::Auto => BLOCK,
            SearcherThreads::Threads(n) => n,
        }
    }

    /// Whether several blocks of the device, if it has several threads, are to search.
    pub(crate) fn wants_fleet(&self) -> bool {
        match (self.gpu_searchers, self.device) {
            (_, DeviceKind::Gpus(_)) => true,
            // The simulation has as many blocks as are asked for.
            (GpuSearchers::Auto, device) => self.engine != Engine::Host && device != DeviceKind::Simt,
            (GpuSearchers::Searchers(n), _) => n > 1 || self.fleets > 1,
        }
    }

    /// Whether fleets join the searchers of the processor, if there is a device for them.
    pub(crate) fn joins(&self) -> bool {
        // A search by one searcher repeats exactly.
        let is_one =
            self.parallel_mode == ParallelMode::Searchers(1) && self.gpu_searchers == GpuSearchers::Auto;
        self.device == DeviceKind::Auto && self.wants_fleet() && HAS_HOST && !is_one
    }

    /// Whether a guide leads a searcher on the processor while fleets search for an optimum.
    pub(crate) fn guides_beside_fleets(&self) -> bool {
        self.opt_strategy.has_guide() && self.wants_fleet() && HAS_HOST
    }

    /// The devices of the fleets, one for each. Of those that are to join, some may be missing.
    ///
    /// # Errors
    /// If all GPUs are meant and there is none.
    pub(crate) fn devices_of_fleets(&self) -> Result<Vec<DeviceKind>, DeviceError> {
        let devices = match self.joins() {
            true => device::each_seen(self.join_device),
            false => device::each(self.device)?,
        };
        let fleets = |device| std::iter::repeat_n(device, self.fleets as usize);
        Ok(devices.into_iter().flat_map(fleets).collect())
    }

    /// Where the problem is prepared, and where the search begins unless that is left to fleets.
    pub fn first_device(&self) -> DeviceKind {
        match self.device {
            // Searchers of the GPU join later, or not at all. What only a search by one block does is the GPU's.
            DeviceKind::Auto if self.wants_fleet() && HAS_HOST => DeviceKind::Cpu,
            DeviceKind::Gpus(_) => DeviceKind::Cpu,
            device => device,
        }
    }

    /// What of the options contradicts the rest: more searchers than there can be, or what no library does.
    pub fn contradiction(&self) -> Option<String> {
        if self.check == Check::Proof {
            return Some("--check=proof runs yasmin-check, which the command `yasmin` alone does".into());
        }
        let (searchers, blocks) = (self.parallel_mode, self.gpu_searchers);
        if matches!(searchers, ParallelMode::Searchers(n) if n > 1) && self.engine == Engine::Host {
            return Some(format!(
                "-t {searchers} is not possible with --engine host, which drives one searcher; leave out one of them"
            ));
        }
        if let DeviceKind::Gpus(_) = self.device {
            return (self.engine == Engine::Host).then(|| {
                let other = "--engine host, which drives one searcher";
                format!("--device {} is not possible with {other}; leave out one of them", self.device)
            });
        }
        let why = match () {
            _ if blocks.number().is_none_or(|n| n == 1) => return None,
            _ if self.device == DeviceKind::Cpu => {
                "--device cpu; searchers on the processor are asked for by -t".to_string()
            }
            _ if self.engine == Engine::Host => {
                "--engine host, which drives one searcher; leave out one of them".to_string()
            }
            _ => return None,
        };
        Some(format!("--gpu-searchers={blocks} is not possible with {why}"))
    }
}
