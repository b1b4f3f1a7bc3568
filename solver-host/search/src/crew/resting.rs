//! The searchers of a crew between two searches of their solver: who they are, with all that they have learned.
//!
//! Main types: [`Resting`], and [`Crew::retire`], which makes it. The next search that lasts gives them seats again.

use super::arriving::Arriving;
use super::fleet::Fleet;
use super::member::Member;
use super::remote::Remote;
use super::seat::Mate;
use super::Crew;
use crate::{SolveError, Statistics};
use yasmin_device::DeviceKind;

/// See the module's documentation.
#[derive(Default)]
pub struct Resting {
    /// The members, in the order of their numbers.
    pub members: Vec<Member>,
    pub fleets: Vec<Fleet>,
    pub remotes: Vec<Remote>,
    /// Whether what they have learned holds for the program.
    pub keeps: bool,
}

impl Resting {
    /// Takes the fleets, and their devices out of those that are to be opened.
    pub fn fleets_on(&mut self, devices: &mut Vec<DeviceKind>) -> Vec<Fleet> {
        devices.retain(|device| self.fleets.iter().all(|fleet| fleet.device != *device));
        std::mem::take(&mut self.fleets)
    }

    /// Tells the crews of other processes, also those that are `arriving`, that the search begins anew
    /// without what symmetries exclude, if there are at least `least` ([`Arriving::begin_anew`]). All but
    /// those that are gone are arriving then.
    ///
    /// # Errors
    /// If a stream has failed.
    pub fn begin_anew(&mut self, arriving: &mut Vec<Arriving>, least: u32) -> Result<(), SolveError> {
        arriving.iter_mut().try_for_each(|crew| crew.begin_anew(least))?;
        for remote in std::mem::take(&mut self.remotes) {
            match remote.is_gone() {
                true => self.remotes.push(remote),
                false => arriving.push(Arriving::again(remote, least)?),
            }
        }
        Ok(())
    }

    /// The number of conflicts that all of them have met.
    pub fn conflicts(&self) -> u64 {
        let members = self.members.iter().map(|member| member.searcher.conflicts());
        members.chain(self.fleets.iter().map(Fleet::conflicts)).sum()
    }

    /// The statistics of each member and of each fleet.
    pub fn each_searcher(&self) -> Vec<Statistics> {
        let members = self.members.iter().map(|member| {
            let mut of = member.counts().0;
            of.swarm.searchers = 1;
            of
        });
        let remotes = self.remotes.iter().flat_map(|remote| remote.counts().0.each_crew());
        members.chain(remotes).chain(self.fleets.iter().map(|fleet| fleet.counts().0)).collect()
    }
}

impl Crew {
    /// Ends the crew, whose searchers have returned or will do so. Returns those that have not failed, and adds what the
    /// others have counted to `statistics`.
    pub fn retire(mut self, statistics: &mut Statistics) -> Resting {
        let (mut resting, each) = (Resting::default(), self.each_seat());
        for (mate, of) in self.leave().into_iter().zip(each) {
            let Some(mate) = mate else {
                statistics.add(&of);
                continue;
            };
            let mate = match mate.downcast::<Member>() {
                Ok(member) => {
                    resting.members.push(*member);
                    continue;
                }
                Err(other) => other,
            };
            match mate.downcast::<Fleet>() {
                Ok(fleet) => resting.fleets.push(*fleet),
                Err(other) => resting.remotes.extend(other.downcast::<Remote>().map(|remote| *remote).ok()),
            }
        }
        resting
    }
}
