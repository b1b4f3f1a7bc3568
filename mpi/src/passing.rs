//! A message that MPI is sending or receiving.
//!
//! Main type: [`Passing`]. Invariant: the bytes stay where they are until MPI is done with them. If they are
//! dropped before, they are never freed.

use std::mem::ManuallyDrop;
use std::os::raw::c_int;

use mpi::ffi;
use mpi::point_to_point::{Message, Status};
use mpi::raw::{AsRaw, AsRawMut};
use mpi::topology::SimpleCommunicator;
use mpi::traits::Equivalence;

/// See the module's documentation.
pub struct Passing {
    /// Freed once the request is complete.
    bytes: ManuallyDrop<Box<[u8]>>,
    request: ffi::MPI_Request,
    is_done: bool,
}

impl Passing {
    /// Begins to send bytes to a rank.
    ///
    /// # Panics
    /// If there are more than two GiB: callers send pieces.
    pub fn send(world: &SimpleCommunicator, bytes: Vec<u8>, rank: u32, tag: c_int) -> Passing {
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
        Passing { bytes, request, is_done: false }
    }

    /// Begins to receive a message that a probe has found.
    pub fn receive(mut message: Message, status: &Status) -> Passing {
        let len = status.count(u8::equivalent_datatype()).max(0);
        let mut bytes = ManuallyDrop::new(vec![0; len as usize].into_boxed_slice());
        // SAFETY: a request that stands for nothing, which the call below overwrites.
        let mut request = unsafe { ffi::RSMPI_REQUEST_NULL };
        // SAFETY: there are as many bytes as the message has; they live, and do not move, until the
        // request is complete (see `drop`). This is the thread that has started MPI. The call takes the
        // message.
        unsafe {
            ffi::MPI_Imrecv(
                bytes.as_mut_ptr().cast(),
                len,
                ffi::RSMPI_UINT8_T,
                message.as_raw_mut(),
                &mut request,
            );
        }
        Passing { bytes, request, is_done: false }
    }

    /// Whether all has passed. MPI also goes on with other messages meanwhile.
    pub fn is_done(&mut self) -> bool {
        if !self.is_done {
            let mut flag = 0;
            // SAFETY: the request is the one that was made with this value, and is not complete. Nobody wants
            // the status.
            unsafe { ffi::MPI_Test(&mut self.request, &mut flag, ffi::RSMPI_STATUS_IGNORE) };
            self.is_done = flag != 0;
        }
        self.is_done
    }

    /// Takes what has come; nothing as long as not all has passed.
    pub fn take(&mut self) -> Option<Box<[u8]>> {
        self.is_done().then(|| std::mem::take(&mut *self.bytes))
    }
}

impl Drop for Passing {
    fn drop(&mut self) {
        if self.is_done {
            // SAFETY: MPI does not use them any more, and nobody else drops them.
            unsafe { ManuallyDrop::drop(&mut self.bytes) }
        }
    }
}
