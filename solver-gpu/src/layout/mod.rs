//! What host and device share: the five parts of a search.
//!
//! | part | what it is | who writes it |
//! | --- | --- | --- |
//! | [`Problem`] | the program's arrays, which all searches of the program read | the host, between runs |
//! | [`Settings`] | what may differ from search to search | the host, before a search |
//! | [`Own`] | the memory of one search, in one block | kernels |
//! | [`Swarm`] | what the searchers of one device share | the host, before a search, and kernels |
//! | [`Launch`] | the argument, the bounds and the geometry of one launch | the host, for each launch |
//!
//! A kernel takes the parts that it reads, each by value. Invariant: all arrays of a part lie in the memory
//! of the device that runs the kernel, and each array has the length that its declaration states.

mod access;
mod ids;
mod launch;
mod level;
mod origin;
mod own;
mod position;
mod problem;
mod record;
mod search;
mod settings;
mod slot;
mod state;
mod statistics;
mod swarm;

pub use ids::*;
pub use launch::{writes, Launch, COUNTED};
pub use level::Level;
pub use origin::Origin;
pub use own::{BlocksDone, Fill, FirstValues, Own, Shape, ALIGNMENT, SPARE, UNKNOWN};
pub use position::TrailPosition;
pub use problem::Problem;
pub use record::{flag, Header, Record};
pub use search::Search;
pub use settings::{asks, restart_code, Restarts, Settings};
pub use slot::Learned;
pub use state::{count_up, Beside, Between, Depth, State, Stored, TraceWords};
pub use statistics::Counters;
pub use swarm::*;
