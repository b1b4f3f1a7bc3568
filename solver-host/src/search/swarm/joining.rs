//! How a fleet joins a crew: at the beginning, or while searchers on the processor search already.
//!
//! Main functions: [`Solver::launch_fleets`] and [`Solver::open_fleet`]. To open a GPU takes a quarter of a second, and
//! to compile a kernel some seconds on the first run on a machine. So a thread of its own does both, and the searchers
//! on the processor do not wait.

use super::fleet::{Fleet, Post};
use super::news::{Arrival, News, Role, Told};
use super::{Crew, SwarmState};
use crate::device::{self, DeviceKind};
use crate::search::plan::Plan;
use crate::search::upload::Uploaded;
use crate::search::Resume;
use crate::search::{Options, Problem, SolveError, Solver};
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::sync::mpsc::{sync_channel, SyncSender};
use std::sync::{Arc, OnceLock};
use std::thread;

/// The number of threads that are opening a device.
static OPENING: AtomicU32 = AtomicU32::new(0);

/// Whether a thread is opening a device for a search. Then the process must end without the clean-up of libraries.
pub fn is_opening_device() -> bool {
    OPENING.load(Relaxed) > 0
}

/// What a fleet needs to tell a crew its news and its statistics.
#[derive(Clone)]
struct Seat {
    tell: SyncSender<News>,
    told: Arc<Vec<Told>>,
}

impl Crew {
    /// What a new fleet of this crew needs.
    fn seat(&self) -> Seat {
        Seat { tell: self.tell.clone(), told: self.told.clone() }
    }

    /// Lets a fleet join in the present phase.
    pub(super) fn add_fleet(&mut self, arrival: Box<Arrival>, plan: &Plan) -> Result<(), SolveError> {
        let Arrival { commands, thread, statistics, place } = *arrival;
        let width = statistics.swarm.searchers;
        let first = self.widths.iter().sum::<u64>();
        let (number, first) = (self.commands.len() as u32, first as u32);
        place.set((number, first)).map_err(|_| SolveError::Internal("a fleet has joined twice"))?;
        self.told[number as usize].tell(statistics, 0);
        self.add(commands, width);
        self.threads.push(thread);
        self.searching += 1;
        self.tell(self.commands.len() - 1, Role::Joins, plan)
    }
}

impl Solver {
    /// Hands the search, which has not begun, over to fleets.
    pub(in crate::search) fn launch_fleets(&mut self) -> Result<(), SolveError> {
        let home = Arc::new(self.home(0)?);
        let devices = self.searcher.options.devices_of_fleets()?;
        let mut crew = Crew::new(home, 0, devices.len());
        if devices == [self.searcher.options.device] {
            // The problem was prepared on the fleet's device.
            let uploaded = self.problem().uploaded.clone();
            let arrival = arrive(self.problem(), uploaded, self.options_of_fleet(), &crew.seat())?;
            crew.add_fleet(Box::new(arrival), &self.plan)?;
        } else {
            devices.into_iter().try_for_each(|device| self.open_fleet(&crew, device))?;
        }
        self.resume = Resume::Anywhere;
        self.swarm = SwarmState::Spread(Box::new(crew));
        Ok(())
    }

    /// The options of a fleet for the present phase.
    fn options_of_fleet(&self) -> Options {
        self.searcher.options.of_fleet(self.may_count())
    }

    /// Opens a device and makes a fleet there, which is to join the crew.
    pub(super) fn opened_fleet(&self, crew: &Crew, device: DeviceKind) -> Result<Arrival, SolveError> {
        open(self.problem(), self.options_of_fleet(), device, &crew.seat())
    }

    /// Has a thread open a device and make a fleet there, which joins the crew when it is ready.
    pub(super) fn open_fleet(&self, crew: &Crew, device: DeviceKind) -> Result<(), SolveError> {
        let (problem, options, seat) = (self.problem().clone(), self.options_of_fleet(), crew.seat());
        let open = move || {
            let opened = open(&problem, options, device, &seat);
            OPENING.fetch_sub(1, Relaxed);
            let news = match opened {
                Ok(arrival) => News::Ready(Box::new(arrival)),
                Err(error) => News::Absent(error),
            };
            // If nobody listens any more, the search is over.
            let _ = seat.tell.send(news);
        };
        OPENING.fetch_add(1, Relaxed);
        let thread = thread::Builder::new().name("device".into()).spawn(open);
        thread.map(|_| ()).map_err(|error| {
            OPENING.fetch_sub(1, Relaxed);
            SolveError::Threads(error.to_string())
        })
    }
}

/// Copies a problem to a device, and makes a fleet there.
fn open(
    problem: &Arc<Problem>,
    options: Options,
    device: DeviceKind,
    seat: &Seat,
) -> Result<Arrival, SolveError> {
    let executor = device::open(device, options.setup_of_searchers())?;
    arrive(problem, Arc::new(problem.uploaded.on(executor)?), options, seat)
}

/// Makes a fleet that runs on a thread of its own.
fn arrive(
    problem: &Arc<Problem>,
    uploaded: Arc<Uploaded>,
    options: Options,
    seat: &Seat,
) -> Result<Arrival, SolveError> {
    let (commands, receiver) = sync_channel(1);
    let Seat { tell, told } = seat.clone();
    let place = Arc::new(OnceLock::new());
    let post = Post { commands: receiver, news: tell, told, place: place.clone() };
    let fleet = Fleet::new(problem.clone(), uploaded, options, post)?;
    let statistics = fleet.statistics().clone();
    let thread = thread::Builder::new().name("fleet".into()).spawn(move || fleet.run());
    let thread = thread.map_err(|error| SolveError::Threads(error.to_string()))?;
    Ok(Arrival { commands, thread, statistics, place })
}
