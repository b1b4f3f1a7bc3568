//! A message that MPI is sending or receiving.
//!
//! Main type: [`Passing`]. Invariant: the bytes stay where they are until MPI is done with them. If they are
//! dropped before, they are never freed.

use std::mem::ManuallyDrop;
use std::os::raw::c_int;

use mpi::ffi;
use mpi::raw::AsRaw;
use mpi::topology::SimpleCommunicator;

/// How far a message is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Progress {
    UnderWay,
    Done,
    /// The other rank is gone.
    Failed,
}

/// See the module's documentation.
pub struct Passing {
    /// Freed once the request is complete.
    bytes: ManuallyDrop<Box<[u8]>>,
    request: ffi::MPI_Request,
    progress: Progress,
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
        let code = unsafe {
            ffi::MPI_Isend(
                bytes.as_ptr().cast(),
                len,
                ffi::RSMPI_UINT8_T,
                rank as c_int,
                tag,
                world.as_raw(),
                &mut request,
            )
        };
        Passing { bytes, request, progress: begun(code) }
    }

    /// Begins to receive the next message that has come from any rank, if one has. Returns its rank and its
    /// tag as well.
    pub fn receive(world: &SimpleCommunicator) -> Option<(u32, c_int, Passing)> {
        let (mut flag, mut len) = (0, 0);
        // SAFETY: the communicator is that of all ranks, and the calls write what they find. If there is no
        // message, or a rank is gone, the flag stays 0. Values of zeros are valid, and are overwritten. This
        // is the thread that has started MPI.
        let (mut message, status) = unsafe {
            let (mut message, mut status) = (ffi::RSMPI_MESSAGE_NULL, std::mem::zeroed::<ffi::MPI_Status>());
            let (any, tag) = (ffi::RSMPI_ANY_SOURCE, ffi::RSMPI_ANY_TAG);
            let code = ffi::MPI_Improbe(any, tag, world.as_raw(), &mut flag, &mut message, &mut status);
            if code != ffi::MPI_SUCCESS as c_int || flag == 0 {
                return None;
            }
            ffi::MPI_Get_count(&status, ffi::RSMPI_UINT8_T, &mut len);
            (message, status)
        };
        let len = len.max(0);
        let mut bytes = ManuallyDrop::new(vec![0; len as usize].into_boxed_slice());
        // SAFETY: a request that stands for nothing, which the call below overwrites.
        let mut request = unsafe { ffi::RSMPI_REQUEST_NULL };
        // SAFETY: there are as many bytes as the message has; they live, and do not move, until the
        // request is complete (see `drop`). This is the thread that has started MPI. The call takes the
        // message.
        let code = unsafe {
            ffi::MPI_Imrecv(bytes.as_mut_ptr().cast(), len, ffi::RSMPI_UINT8_T, &mut message, &mut request)
        };
        let passing = Passing { bytes, request, progress: begun(code) };
        Some((status.MPI_SOURCE as u32, status.MPI_TAG, passing))
    }

    /// Whether nothing passes any more: all has passed, or the other rank is gone. MPI also goes on with
    /// other messages meanwhile.
    pub fn is_done(&mut self) -> bool {
        if self.progress == Progress::UnderWay {
            let mut flag = 0;
            // SAFETY: the request is the one that was made with this value, and is not complete. Nobody wants
            // the status.
            let code = unsafe { ffi::MPI_Test(&mut self.request, &mut flag, ffi::RSMPI_STATUS_IGNORE) };
            if code != ffi::MPI_SUCCESS as c_int {
                self.progress = Progress::Failed;
            } else if flag != 0 {
                self.progress = Progress::Done;
            }
        }
        self.progress != Progress::UnderWay
    }

    /// Takes what has come; nothing as long as not all has passed.
    pub fn take(&mut self) -> Option<Box<[u8]>> {
        (self.is_done() && self.progress == Progress::Done).then(|| std::mem::take(&mut *self.bytes))
    }
}

/// How far a message is whose passing was begun with this result.
fn begun(code: c_int) -> Progress {
    match code == ffi::MPI_SUCCESS as c_int {
        true => Progress::UnderWay,
        false => Progress::Failed,
    }
}

impl Drop for Passing {
    fn drop(&mut self) {
        if self.progress == Progress::Done {
            // SAFETY: MPI does not use them any more, and nobody else drops them.
            unsafe { ManuallyDrop::drop(&mut self.bytes) }
        }
    }
}
