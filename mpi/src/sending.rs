//! A message that MPI is sending.
//!
//! Main type: [`Sending`]. Invariant: the bytes stay where they are until MPI has sent them. If they are
//! dropped before, they are never freed.

use std::mem::ManuallyDrop;
use std::os::raw::c_int;

use mpi::ffi;
use mpi::raw::AsRaw;
use mpi::topology::SimpleCommunicator;

/// See the module's documentation.
pub struct Sending {
    /// Freed once the request is complete.
    bytes: ManuallyDrop<Box<[u8]>>,
    request: ffi::MPI_Request,
    is_done: bool,
}

impl Sending {
    /// Begins to send bytes to a rank.
    ///
    /// # Panics
    /// If there are more than two GiB: callers send pieces.
    pub fn new(world: &SimpleCommunicator, bytes: Vec<u8>, rank: u32, tag: c_int) -> Sending {
        let bytes = ManuallyDrop::new(bytes.into_boxed_slice());
        let len = c_int::try_from(bytes.len()).expect("pieces are small");
        // SAFETY: a request that stands for nothing, which the call below overwrites.
        let mut request = unsafe { ffi::RSMPI_REQUEST_NULL };
        // SAFETY: the bytes live, and do not move, until the request is complete (see `drop`); the
        // communicator is that of all ranks. This is the thread that has started MPI, as `Post` is not sent
        // to others.
        unsafe {
            ffi::MPI_Isend(
                bytes.as_ptr().cast(),
                len,
                ffi::RSMPI_UINT8_T,
                rank as c_int,
                tag,
                world.as_raw(),
                &mut request,
            );
        }
        Sending { bytes, request, is_done: false }
    }

    /// Whether all is sent. MPI also goes on with other messages meanwhile.
    pub fn is_done(&mut self) -> bool {
        if !self.is_done {
            let mut flag = 0;
            // SAFETY: the request is the one that `new` has made, and is not complete. Nobody wants the
            // status.
            unsafe { ffi::MPI_Test(&mut self.request, &mut flag, ffi::RSMPI_STATUS_IGNORE) };
            self.is_done = flag != 0;
        }
        self.is_done
    }
}

impl Drop for Sending {
    fn drop(&mut self) {
        if self.is_done {
            // SAFETY: MPI does not read them any more, and nobody else drops them.
            unsafe { ManuallyDrop::drop(&mut self.bytes) }
        }
    }
}
