//! Data races, and accesses to memory that is not there. Main type: [`Detector`].
//!
//! Each access of each thread is compared with those of other threads before it, and each wait tells the
//! detector who waited for whom.

use super::clocks::Clocks;
use super::costs::Costs;
use super::guarded::GUARD_BYTES;
use super::memory::{Element, Memory};
use super::shadow::{Finding, Kind, Mark, Shadow};
use super::trace::Trace;
use crate::operation::{Access, Scope};
use std::fmt::Write;
use std::panic::Location;

/// A part of a block's shared memory.
struct Shared {
    address: usize,
    bytes: usize,
    /// The place that declares the array, and the bytes of an element; `None` for the dynamic shared memory.
    declared: Option<(&'static Location<'static>, usize)>,
}

/// How often the threads of a launch did something; each thread and each lane counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Accesses to shared memory.
    pub shared: u64,
    /// Atomic accesses that may change memory.
    pub atomics: u64,
    /// Waits at a barrier of the block.
    pub barriers: u64,
    /// Shuffles.
    pub shuffles: u64,
    /// Votes.
    pub votes: u64,
}

/// What is known of the accesses of one launch.
pub(crate) struct Detector {
    clocks: Clocks,
    shadow: Shadow,
    memory: Memory,
    /// By block, those that a thread has used.
    shared: Vec<Vec<Shared>>,
    /// How often a thread wrote.
    writes: u64,
    /// What the threads have done until now.
    pub counts: Counts,
    /// Where in shared arrays threads have written since somebody last asked: addresses and numbers of bytes.
    pub written: Vec<(usize, usize)>,
    /// What accesses cost, if anybody wants to know.
    pub costs: Option<Costs>,
    /// What the threads do, if anybody watches.
    pub trace: Option<Trace>,
}

impl Detector {
    /// A detector for a launch of `blocks` blocks of `threads` threads. `before` is the detector of an earlier
    /// launch, whose memory is used again.
    pub fn new(blocks: u32, threads: u32, memory: &Memory, before: Option<Detector>) -> Self {
        let mut shadow = before.map(|before| before.shadow).unwrap_or_default();
        shadow.begin();
        Detector {
            clocks: Clocks::new(blocks as usize * threads as usize, threads),
            shadow,
            memory: memory.clone(),
            shared: (0..blocks).map(|_| Vec::new()).collect(),
            writes: 0,
            counts: Counts::default(),
            written: Vec::new(),
            costs: Costs::wanted(blocks, threads),
            trace: Trace::wanted(),
        }
    }

    /// How often a thread wrote until now.
    pub fn writes(&self) -> u64 {
        self.writes
    }

    /// Says which shared memory a block has. Returns the bytes of all its shared memory.
    pub fn share(
        &mut self,
        block: u32,
        address: usize,
        bytes: usize,
        declared: Option<(&'static Location<'static>, usize)>,
    ) -> usize {
        let shared = &mut self.shared[block as usize];
        if !shared.iter().any(|part| part.address == address) {
            shared.push(Shared { address, bytes, declared });
            // A block that has finished may have had the same memory.
            self.shadow.forget(address, bytes);
        }
        shared.iter().map(|part| part.bytes).sum()
    }

    /// These threads, by rank in the grid, have waited for each other. `orders` says that accesses to memory
    /// before and after are in order.
    pub fn meet(&mut self, members: impl Iterator<Item = usize> + Clone, orders: bool) {
        if let Some(costs) = &mut self.costs {
            costs.meet(members.clone());
        }
        if let Some(trace) = &mut self.trace {
            trace.threads("meet", members.clone());
        }
        if orders {
            self.clocks.meet(members);
        }
    }

    /// A fence of a thread.
    pub fn fence(&mut self, thread: u32, scope: Scope, at: &'static Location<'static>) {
        if let Some(trace) = &mut self.trace {
            trace.stops(thread, "fence", at);
        }
        self.clocks.fence(thread, scope);
    }

    /// Records an access to `bytes` bytes, aligned to `align`, or says what is wrong with the access.
    pub fn access(
        &mut self,
        thread: u32,
        memory: (usize, usize, usize),
        how: Access,
        at: &'static Location<'static>,
    ) -> Result<(), String> {
        if memory.1 == 0 {
            return Ok(());
        }
        let outcome = self.check(thread, memory, how, at);
        if self.costs.is_some() || self.trace.is_some() {
            self.show(thread, memory, how, at);
        }
        outcome
    }

    /// Tells of an access to those who count and watch, if the memory is there.
    #[cold]
    fn show(
        &mut self,
        thread: u32,
        (address, bytes, _): (usize, usize, usize),
        how: Access,
        at: &'static Location<'static>,
    ) {
        let block = self.clocks.block_of(thread);
        let mut shared = self.shared[block as usize].iter();
        let part = shared.find(|part| address.wrapping_sub(part.address) < part.bytes);
        let region = self.memory.region(address as u64);
        let (first, end) = match (part, region) {
            (Some(part), _) => (part.address, part.address + part.bytes),
            (None, Some(region)) => (region.address as usize, region.address as usize + region.bytes),
            (None, None) if self.memory.is_empty() => (0, usize::MAX),
            (None, None) => return,
        };
        if bytes > end - address {
            return;
        }
        if let Some(costs) = &mut self.costs {
            let distance = if part.is_some() { address - first } else { address };
            costs.access(thread, (distance, bytes), how, part.is_some(), at);
        }
        if let Some(trace) = &mut self.trace {
            let (name, element) = match (part, region) {
                (Some(Shared { declared: Some((at, element)), .. }), _) => {
                    (format!("shared array ({at}) of block {block}"), *element)
                }
                (Some(_), _) => (format!("shared memory of block {block}, by {bytes} bytes"), bytes),
                (None, Some(region)) => (region.name.into(), region.element.max(1)),
                (None, None) => ("memory".into(), 1),
            };
            trace.access(thread, how.name(), at, (name, (address - first) / element), (address, bytes));
        }
    }

    fn check(
        &mut self,
        thread: u32,
        (address, bytes, align): (usize, usize, usize),
        how: Access,
        at: &'static Location<'static>,
    ) -> Result<(), String> {
        let shared = &self.shared[self.clocks.block_of(thread) as usize];
        let is_shared = shared.iter().find(|part| address.wrapping_sub(part.address) < part.bytes);
        let kind = kind_of(how);
        let writes = matches!(kind, Kind::Write | Kind::AtomicWrite);
        let end = match is_shared {
            Some(part) => part.address + part.bytes,
            None if shared.iter().any(|part| is_close(part, address)) => {
                return Err(format!("{} beyond the end of shared memory, at {at}", verb(kind)));
            }
            None if self.memory.is_empty() => usize::MAX,
            None => {
                let Some(region) = self.memory.region(address as u64) else {
                    return Err(format!("{} address {address:#x}, where no array is, at {at}", verb(kind)));
                };
                if region.is_constant {
                    if writes {
                        let element = Element(region, address as u64);
                        return Err(format!("writes {element}, which kernels only read, at {at}"));
                    }
                    if address + bytes <= region.address as usize + region.bytes {
                        return Ok(());
                    }
                }
                region.address as usize + region.bytes
            }
        };
        if bytes > end - address {
            return Err(format!(
                "{} beyond the end of {}, at {at}",
                verb(kind),
                self.name(thread, address, bytes)
            ));
        }
        if address % align != 0 {
            let name = self.name(thread, address, bytes);
            return Err(format!(
                "{} {name}, which is not at a multiple of {align} bytes, at {at}",
                verb(kind)
            ));
        }
        self.writes += writes as u64;
        self.counts.shared += is_shared.is_some() as u64;
        if writes && is_shared.is_some_and(|part| part.declared.is_some()) {
            self.written.push((address, bytes));
        }
        self.counts.atomics += (kind == Kind::AtomicWrite) as u64;
        match how {
            Access::Read => {}
            Access::Write => self.clocks.overwrite(address),
            Access::Load | Access::LoadInBlock | Access::Refused => self.clocks.read(thread, address, false),
            Access::LoadAcquire => self.clocks.read(thread, address, true),
            Access::Store => self.clocks.write(thread, address, false, false),
            Access::StoreRelease => self.clocks.write(thread, address, true, false),
            Access::Exchange | Access::Update => {
                self.clocks.read(thread, address, false);
                self.clocks.write(thread, address, false, true);
            }
            Access::UpdateAcquireRelease => {
                self.clocks.read(thread, address, true);
                self.clocks.write(thread, address, true, true);
            }
        }
        let uses = !matches!(how, Access::Write | Access::Store | Access::StoreRelease | Access::Exchange);
        let clock = self.clocks.now(thread);
        let mark = Mark { thread, clock, at, in_block: how == Access::LoadInBlock };
        let asks_for_written = is_shared.is_some() && uses;
        match self.shadow.access((address, bytes), kind, mark, &self.clocks, asks_for_written) {
            Ok(()) => Ok(()),
            Err(Finding::Unwritten) => {
                // A change reads, too.
                Err(format!("reads {}, which nobody wrote, at {at}", self.name(thread, address, bytes)))
            }
            Err(Finding::Race(other_kind, other)) => {
                let (block, name) = (self.clocks.block_of(other.thread), self.name(thread, address, bytes));
                let (other_thread, other_at) = (other.thread % self.clocks.block(), other.at);
                let mut said = format!("data race on {name}: {} at {at};", verb(kind));
                write!(said, " thread {other_thread} of block {block} {} at {other_at},", past(other_kind))
                    .expect("a string");
                said.push_str(
                    match matches!(kind, Kind::AtomicRead | Kind::AtomicWrite) && is_atomic(other_kind) {
                        true => " and one of the two is atomic in its block only",
                        false => " and nothing orders the two",
                    },
                );
                Err(said)
            }
        }
    }

    /// The byte at `address` as errors name it, where `bytes` bytes are accessed.
    fn name(&self, thread: u32, address: usize, bytes: usize) -> String {
        let shared = &self.shared[self.clocks.block_of(thread) as usize];
        let part = shared.iter().find(|part| address.wrapping_sub(part.address) < part.bytes);
        match part {
            Some(Shared { address: first, declared: None, .. }) => {
                let at = address - first;
                match self.memory.shared_region(at as u64) {
                    Some(region) => format!("{} in shared memory", Element(region, at as u64)),
                    None if bytes > 1 && at.is_multiple_of(bytes) => {
                        format!("byte {at} of shared memory (element {} of {bytes} bytes each)", at / bytes)
                    }
                    None => format!("byte {at} of shared memory"),
                }
            }
            Some(Shared { address: first, declared: Some((at, element)), .. }) => {
                let byte = address - first;
                format!("element {} (byte {byte}) of the shared array of {at}", byte / element)
            }
            None => match self.memory.region(address as u64) {
                Some(region) => Element(region, address as u64).to_string(),
                None => format!("address {address:#x}"),
            },
        }
    }
}

/// Whether the address is outside the part, but nobody else's.
fn is_close(part: &Shared, address: usize) -> bool {
    let end = part.address + part.bytes;
    (part.address - GUARD_BYTES..part.address).contains(&address)
        || (end..end + GUARD_BYTES).contains(&address)
}

fn is_atomic(kind: Kind) -> bool {
    matches!(kind, Kind::AtomicRead | Kind::AtomicWrite)
}

fn kind_of(how: Access) -> Kind {
    match how {
        Access::Read => Kind::Read,
        Access::Write => Kind::Write,
        Access::Load | Access::LoadInBlock | Access::LoadAcquire | Access::Refused => Kind::AtomicRead,
        _ => Kind::AtomicWrite,
    }
}

fn verb(kind: Kind) -> &'static str {
    match kind {
        Kind::Read => "reads",
        Kind::Write => "writes",
        Kind::AtomicRead => "reads, atomically,",
        Kind::AtomicWrite => "writes, atomically,",
    }
}

fn past(kind: Kind) -> &'static str {
    match kind {
        Kind::Read => "read",
        Kind::Write => "wrote",
        Kind::AtomicRead => "read, atomically,",
        Kind::AtomicWrite => "wrote, atomically,",
    }
}
