//! How a fleet joins a crew: at the beginning, or while searchers on the processor search already.
//!
//! Main functions: [`Crew::opened_fleet`] and [`Crew::open_fleet`]. To open a GPU takes a quarter of a second, and
//! to compile a kernel some seconds on the first run on a machine. So a thread of its own does both, and the searchers
//! on the processor do not wait.

use super::fleet::Fleet;
use super::news::{Arrival, News};
use super::seat::{spawn, Channel, Mate, Seat};
use super::Crew;
use crate::campaign::plan::Plan;
use crate::searcher::problem::Problem;
use crate::searcher::proof::Ledger;
use crate::{Options, SolveError};
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::sync::Arc;
use yasmin_device::{self as device, DeviceKind};

/// The number of threads that are opening a device.
static OPENING: AtomicU32 = AtomicU32::new(0);

/// Whether a thread is opening a device for a search. Then the process must end without the clean-up of libraries.
pub fn is_opening_device() -> bool {
    OPENING.load(Relaxed) > 0
}

impl Crew {
    /// Lets a fleet join in the present phase.
    ///
    /// # Errors
    /// If its thread has ended.
    pub fn add_fleet(&mut self, arrival: Box<Arrival>, plan: &Plan) -> Result<(), SolveError> {
        let Arrival { commands, thread, statistics, counted } = *arrival;
        let width = statistics.swarm.searchers;
        self.add_seat(commands, thread, width, (statistics, counted));
        self.tell_last(plan)
    }

    /// Makes a fleet on the device where the problem was prepared.
    ///
    /// # Errors
    /// If the device fails, or has no memory for a single searcher.
    pub fn fleet_here(&self, problem: &Arc<Problem>, options: Options) -> Result<Arrival, SolveError> {
        arrive(problem, options, None, &self.channel, self.ledger.clone())
    }

    /// Lets a fleet join in the present phase that has searched before.
    ///
    /// # Errors
    /// If the system has no thread to give.
    pub fn add_rested(&mut self, fleet: Fleet, plan: &Plan) -> Result<(), SolveError> {
        let arrival = seat(fleet, &self.channel)?;
        self.add_fleet(Box::new(arrival), plan)
    }

    /// Opens a device and makes a fleet there, which is to join the crew.
    ///
    /// # Errors
    /// If the device cannot be opened, fails, or has no memory for a single searcher.
    pub fn opened_fleet(
        &self,
        problem: &Arc<Problem>,
        options: Options,
        device: DeviceKind,
    ) -> Result<Arrival, SolveError> {
        arrive(problem, options, Some(device), &self.channel, self.ledger.clone())
    }

    /// Has a thread open a device and make a fleet there, which joins the crew when it is ready.
    ///
    /// # Errors
    /// If the system has no thread to give.
    pub fn open_fleet(
        &self,
        problem: &Arc<Problem>,
        options: Options,
        device: DeviceKind,
    ) -> Result<(), SolveError> {
        let (problem, channel, ledger) = (problem.clone(), self.channel.clone(), self.ledger.clone());
        let open = move || {
            let opened = arrive(&problem, options, Some(device), &channel, ledger);
            OPENING.fetch_sub(1, Relaxed);
            let news = match opened {
                Ok(arrival) => News::Ready(Box::new(arrival)),
                Err(error) => News::Absent(error),
            };
            // If nobody listens any more, the search is over.
            let _ = channel.news.send(news);
        };
        OPENING.fetch_add(1, Relaxed);
        spawn("device".into(), open).map(drop).inspect_err(|_| {
            OPENING.fetch_sub(1, Relaxed);
        })
    }
}

/// Makes a fleet, which runs on a thread of its own, on the device where the problem was prepared, or on another one, to
/// which it copies the problem.
fn arrive(
    problem: &Arc<Problem>,
    options: Options,
    device: Option<DeviceKind>,
    channel: &Channel,
    ledger: Option<Arc<Ledger>>,
) -> Result<Arrival, SolveError> {
    let uploaded = match device {
        None => problem.uploaded.clone(),
        Some(device) => Arc::new(problem.uploaded.on(device::open(device, options.setup_of_searchers())?)?),
    };
    seat(Fleet::new(device.unwrap_or(options.device), problem.clone(), uploaded, options, ledger)?, channel)
}

/// Gives a fleet a thread of its own.
fn seat(fleet: Fleet, channel: &Channel) -> Result<Arrival, SolveError> {
    let (statistics, counted) = fleet.counts();
    let (seat, commands) = Seat::new(fleet, channel.clone());
    let thread = spawn("fleet".into(), move || seat.run())?;
    Ok(Arrival { commands, thread, statistics, counted })
}
