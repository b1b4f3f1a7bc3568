//! Which ranks are gone, as MPI knows it if it lets the others live.
//!
//! Main type: [`Failures`]. Open MPI 5 can mitigate failures on the user's level (ULFM; Bland et al. 2013),
//! if its ranks were started with `mpirun --with-ft ulfm`. Open MPI 4.1 cannot, and has the same binary
//! interface but for the functions that ULFM adds. So these are looked up while the program runs.
//!
//! Invariant: with a value of this type, calls about its communicator return an error if a rank is gone, and
//! do not end the process.

use std::os::raw::c_int;
use std::time::{Duration, Instant};

use libloading::os::unix::Library;
use mpi::ffi;
use mpi::raw::AsRaw;
use mpi::topology::SimpleCommunicator;

/// What `mpirun --with-ft ulfm` tells each rank.
const ENABLED: &str = "OMPI_MCA_mpi_ft_enable";

/// How often MPI is asked.
const PAUSE: Duration = Duration::from_millis(5);

/// Names the group of all ranks of a communicator that are gone.
type GetFailed = unsafe extern "C" fn(ffi::MPI_Comm, *mut ffi::MPI_Group) -> c_int;
/// Notes that so many of them are known.
type AckFailed = unsafe extern "C" fn(ffi::MPI_Comm, c_int, *mut c_int) -> c_int;

/// See the module's documentation.
pub struct Failures {
    get: GetFailed,
    ack: AckFailed,
    /// The number of ranks that are known to be gone. MPI only adds to them.
    known: c_int,
    asked: Instant,
}

impl Failures {
    /// What tells who is gone of this communicator; nothing if MPI then ends all ranks.
    pub fn of(world: &SimpleCommunicator) -> Option<Failures> {
        let is_enabled = std::env::var(ENABLED).is_ok_and(|value| value == "1" || value == "true");
        let library = Some(Library::this()).filter(|_| is_enabled)?;
        // SAFETY: `mpi-ext.h` declares both functions with these types.
        let (get, ack) = unsafe {
            let get: GetFailed = *library.get(b"MPIX_Comm_get_failed\0").ok()?;
            let ack: AckFailed = *library.get(b"MPIX_Comm_ack_failed\0").ok()?;
            (get, ack)
        };
        // SAFETY: the communicator lives, and the handler is one that MPI has. This is the thread that calls
        // MPI.
        let set = unsafe { ffi::MPI_Comm_set_errhandler(world.as_raw(), ffi::RSMPI_ERRORS_RETURN) };
        (set == ffi::MPI_SUCCESS as c_int).then(|| Failures { get, ack, known: 0, asked: Instant::now() })
    }

    /// Whether any rank is known to be gone.
    pub fn has_any(&self) -> bool {
        self.known > 0
    }

    /// The ranks of the communicator that MPI has found to be gone since this was asked last.
    pub fn news(&mut self, world: &SimpleCommunicator) -> Vec<u32> {
        if self.asked.elapsed() < PAUSE {
            return Vec::new();
        }
        self.asked = Instant::now();
        let all = self.all(world);
        let before = std::mem::replace(&mut self.known, all.len() as c_int);
        if self.known > before {
            let mut acknowledged = 0;
            // SAFETY: as in `of`. Afterwards messages of any rank are received again.
            unsafe { (self.ack)(world.as_raw(), self.known, &mut acknowledged) };
        }
        // Those that were known come first.
        all.into_iter().skip(before as usize).collect()
    }

    /// All ranks of the communicator that are gone, in the order in which MPI has found that.
    fn all(&self, world: &SimpleCommunicator) -> Vec<u32> {
        let mut ranks: Vec<c_int> = Vec::new();
        // SAFETY: the communicator lives, each group is freed once, and as many numbers are read and written
        // as the group has. This is the thread that calls MPI.
        unsafe {
            let (mut gone, mut whole) = (ffi::RSMPI_GROUP_NULL, ffi::RSMPI_GROUP_NULL);
            if (self.get)(world.as_raw(), &mut gone) != ffi::MPI_SUCCESS as c_int {
                return Vec::new();
            }
            let mut size = 0;
            ffi::MPI_Group_size(gone, &mut size);
            if size > 0 && ffi::MPI_Comm_group(world.as_raw(), &mut whole) == ffi::MPI_SUCCESS as c_int {
                let of_gone: Vec<c_int> = (0..size).collect();
                ranks.resize(size as usize, 0);
                ffi::MPI_Group_translate_ranks(gone, size, of_gone.as_ptr(), whole, ranks.as_mut_ptr());
                ffi::MPI_Group_free(&mut whole);
            }
            ffi::MPI_Group_free(&mut gone);
        }
        ranks.into_iter().map(|rank| rank as u32).collect()
    }
}
