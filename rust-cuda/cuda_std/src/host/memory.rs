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
    /// The names of an element's words, and the distance of each from the element's beginning in bytes; in
    /// order, and empty if the words have no names.
    pub words: &'static [(&'static str, usize)],
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

/// An element of an array as errors name it: `trail[17]`, `state.level`.
pub(super) struct Element<'a>(pub &'a Region, pub u64);

impl fmt::Display for Element<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Element(region, address) = self;
        let (offset, element) = ((address - region.address) as usize, region.element.max(1));
        write!(f, "{}", region.name)?;
        if region.bytes >= 2 * element {
            write!(f, "[{}]", offset / element)?;
        }
        let at = offset % element;
        let named = region.words.partition_point(|&(_, first)| first <= at);
        let byte = match named.checked_sub(1).map(|word| region.words[word]) {
            Some((word, first)) => {
                write!(f, ".{word}")?;
                at - first
            }
            None => at,
        };
        match byte {
            0 => Ok(()),
            byte => write!(f, ", byte {byte}"),
        }
    }
}
