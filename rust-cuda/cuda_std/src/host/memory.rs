//! The memory that a launch may access, by name. Main type: [`Memory`].

use std::fmt;

/// An array in the memory of a device.
#[derive(Clone, Copy, Debug)]
pub struct Region {
    /// The array's name, for errors.
    pub name: &'static str,
    /// The address of the first byte.
    pub address: u64,
    /// The number of bytes.
    pub bytes: usize,
    /// The bytes of an element.
    pub element: usize,
    /// Kernels only read the array.
    pub is_constant: bool,
}

/// The arrays that a launch may access. If there are any, [`simt`](super::simt()) refuses accesses elsewhere.
#[derive(Clone, Debug, Default)]
pub struct Memory {
    /// In the order of their addresses.
    regions: Vec<Region>,
    /// Parts of a block's dynamic shared memory; the addresses are distances from its beginning.
    shared: Vec<Region>,
}

impl Memory {
    /// The memory of these arrays; empty ones are left out.
    pub fn new(regions: impl IntoIterator<Item = Region>) -> Self {
        let mut regions: Vec<Region> = regions.into_iter().filter(|region| region.bytes > 0).collect();
        regions.sort_by_key(|region| region.address);
        Memory { regions, shared: Vec::new() }
    }

    /// The same memory, with names for parts of the dynamic shared memory. The address of such a region is the
    /// distance of its first byte from the beginning of the shared memory, in bytes.
    pub fn with_shared(mut self, shared: impl IntoIterator<Item = Region>) -> Self {
        self.shared = shared.into_iter().collect();
        self
    }

    /// The named part of the dynamic shared memory that byte `at` belongs to.
    pub(super) fn shared_region(&self, at: u64) -> Option<&Region> {
        self.shared.iter().find(|region| at.wrapping_sub(region.address) < region.bytes as u64)
    }

    /// Whether no array is known: then all memory may be accessed.
    pub(super) fn is_empty(&self) -> bool {
        self.regions.is_empty()
    }

    /// The array that the byte at `address` belongs to.
    pub(super) fn region(&self, address: u64) -> Option<&Region> {
        let after = self.regions.partition_point(|region| region.address <= address);
        let region = &self.regions[after.checked_sub(1)?];
        (address - region.address < region.bytes as u64).then_some(region)
    }
}

/// An element of an array as errors name it: `trail[17]`.
pub(super) struct Element<'a>(pub &'a Region, pub u64);

impl fmt::Display for Element<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Element(region, address) = self;
        let (offset, element) = ((address - region.address) as usize, region.element.max(1));
        write!(f, "{}[{}]", region.name, offset / element)?;
        match offset % element {
            0 => Ok(()),
            byte => write!(f, ", byte {byte}"),
        }
    }
}
