//! What programs are solved on. Main type: [`Machine`].

use solver_host::device::DeviceKind;
use solver_host::search::{Engine, Options, Team};

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
}

impl From<DeviceKind> for Machine {
    fn from(device: DeviceKind) -> Self {
        let Options { simt_schedules: schedules, simt_check: checks, .. } = Options::default();
        Machine { device, schedules, checks, team: None }
    }
}

impl Machine {
    /// The same options on this machine.
    pub fn set(self, options: Options) -> Options {
        let Machine { device, schedules: simt_schedules, checks: simt_check, team } = self;
        let options = Options { device, simt_schedules, simt_check, ..options };
        match team {
            Some(team) => Options { engine: Engine::Resident, team, ..options },
            None => options,
        }
    }
}
