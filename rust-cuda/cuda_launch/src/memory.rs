//! Memory of a device, for kernels. Main type: [`Buffer`].
//!
//! Invariant: a buffer begins at a multiple of [`ALIGNMENT`], its memory is as long as a multiple of that,
//! and it was zeroed or written in full before anybody can read it.

use crate::Error;
use bytemuck::Pod;
use cuda_std::array::{Array, ALIGNMENT};
use cuda_std::host::Region;
use std::alloc::{alloc_zeroed, dealloc, Layout};
use std::rc::Rc;
use std::slice::{from_raw_parts, from_raw_parts_mut};

/// Elements in a device's memory. The memory is freed with the last clone of the buffer.
#[derive(Clone)]
pub struct Buffer<T> {
    array: Array<T>,
    pub(crate) memory: Rc<Allocation>,
}

impl<T: Pod> Buffer<T> {
    pub(crate) fn new(memory: Rc<Allocation>, len: usize) -> Self {
        // SAFETY: the allocation has room for the elements, and zeros are a value of any `Pod`.
        let array = unsafe { Array::from_raw(memory.address as *mut T, len) };
        Buffer { array, memory }
    }

    /// The elements as a kernel's argument. Kernels of this buffer's device may use the array while the
    /// buffer is there. The host must not read or write through it: on a GPU, the address is none of the
    /// host's.
    pub fn array(&self) -> Array<T> {
        self.array
    }

    /// The number of elements.
    pub fn len(&self) -> usize {
        self.array.len()
    }

    /// Whether there are no elements.
    pub fn is_empty(&self) -> bool {
        self.array.is_empty()
    }
}

/// Where memory was taken from.
enum Home {
    Host(Layout),
    #[cfg(feature = "gpu")]
    Gpu(Rc<crate::gpu::Gpu>),
}

/// A piece of a device's memory.
pub(crate) struct Allocation {
    pub name: &'static str,
    pub address: u64,
    /// The bytes of the elements.
    pub bytes: usize,
    /// The bytes of one element.
    pub element: usize,
    /// Whether kernels only read it.
    pub is_constant: bool,
    home: Home,
}

/// The bytes to allocate for `bytes` bytes.
fn rounded(bytes: usize) -> usize {
    bytes.max(1).next_multiple_of(ALIGNMENT)
}

impl Allocation {
    /// Zeroed memory of the host.
    pub fn on_host(
        name: &'static str,
        bytes: usize,
        element: usize,
        is_constant: bool,
    ) -> Result<Self, Error> {
        let refused = Error::OutOfMemory { name, bytes };
        let Ok(layout) = Layout::from_size_align(rounded(bytes), ALIGNMENT) else { return Err(refused) };
        // SAFETY: the layout's size is not 0.
        let address = unsafe { alloc_zeroed(layout) };
        if address.is_null() {
            return Err(refused);
        }
        Ok(Allocation {
            name,
            address: address as u64,
            bytes,
            element,
            is_constant,
            home: Home::Host(layout),
        })
    }

    /// Zeroed memory of a GPU.
    #[cfg(feature = "gpu")]
    pub fn on_gpu(
        gpu: &Rc<crate::gpu::Gpu>,
        name: &'static str,
        bytes: usize,
        element: usize,
        is_constant: bool,
    ) -> Result<Self, Error> {
        let address = gpu.alloc(name, rounded(bytes))?;
        Ok(Allocation { name, address, bytes, element, is_constant, home: Home::Gpu(gpu.clone()) })
    }

    /// Writes all elements.
    pub fn write(&self, data: &[u8]) -> Result<(), Error> {
        assert_eq!(data.len(), self.bytes, "as many bytes as {} has", self.name);
        match &self.home {
            Home::Host(_) => {
                // SAFETY: host memory of this length, which no launch uses now: launches on the host have
                // ended.
                unsafe { from_raw_parts_mut(self.address as *mut u8, self.bytes) }.copy_from_slice(data);
                Ok(())
            }
            #[cfg(feature = "gpu")]
            Home::Gpu(gpu) => gpu.upload(self.address, data),
        }
    }

    /// Reads all elements.
    pub fn read(&self, data: &mut [u8]) -> Result<(), Error> {
        assert_eq!(data.len(), self.bytes, "as many bytes as {} has", self.name);
        match &self.home {
            Home::Host(_) => {
                // SAFETY: as in `write`.
                data.copy_from_slice(unsafe { from_raw_parts(self.address as *const u8, self.bytes) });
                Ok(())
            }
            #[cfg(feature = "gpu")]
            Home::Gpu(gpu) => gpu.download(self.address, data),
        }
    }

    /// Copies all elements to other memory of the device, of the same length.
    pub fn copy_to(&self, to: &Allocation) -> Result<(), Error> {
        assert_eq!(self.bytes, to.bytes, "{} is as long as {}", self.name, to.name);
        match &self.home {
            Home::Host(_) => {
                // SAFETY: both are host memory of this length; two allocations overlap only if they are one.
                unsafe { std::ptr::copy(self.address as *const u8, to.address as *mut u8, self.bytes) };
                Ok(())
            }
            #[cfg(feature = "gpu")]
            Home::Gpu(gpu) => gpu.copy(to.address, self.address, self.bytes),
        }
    }

    /// The allocation as the simulation knows it.
    pub fn region(&self) -> Region {
        Region {
            name: self.name,
            address: self.address,
            bytes: self.bytes,
            element: self.element,
            words: &[],
            is_constant: self.is_constant,
        }
    }
}

impl Drop for Allocation {
    fn drop(&mut self) {
        match &self.home {
            // SAFETY: allocated with this layout, and nobody has the address any more.
            Home::Host(layout) => unsafe { dealloc(self.address as *mut u8, *layout) },
            #[cfg(feature = "gpu")]
            Home::Gpu(gpu) => gpu.free(self.address),
        }
    }
}
