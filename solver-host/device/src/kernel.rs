//! The table of kernels: for each a name for the GPU's module, a function for the host, and the parts of a
//! search that it takes.

use solver_gpu::kernels::search::ProgramClass;
#[cfg(feature = "executors")]
use solver_gpu::kernels::*;
use solver_gpu::layout::writes;
use solver_gpu::Search;
use std::ffi::c_void;

/// The part of a search that a kernel's parameter of this name is: a reference to the part.
macro_rules! part {
    ($search:ident, search) => {
        $search
    };
    ($search:ident, $part:ident) => {
        &$search.$part
    };
}

macro_rules! kernels {
    ($($(#[$doc:meta])* $variant:ident = $module:ident::$name:ident($($part:ident),*);)*) => {
        /// A kernel of `solver-gpu`.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Kernel { $($(#[$doc])* $variant,)* }

        impl Kernel {
            /// All kernels.
            pub const ALL: &'static [Kernel] = &[$(Kernel::$variant,)*];

            /// The kernel's name in the PTX.
            pub fn name(self) -> &'static str {
                match self { $(Kernel::$variant => stringify!($name),)* }
            }

            /// The addresses of the kernel's arguments: the parts of `search` that the kernel takes, in
            /// order.
            pub fn arguments(self, search: &Search) -> Vec<*mut c_void> {
                match self { $(Kernel::$variant => vec![$(address(part!(search, $part))),*],)* }
            }

            /// Runs the calling thread's part of the kernel, for the host's executors.
            ///
            /// # Safety
            /// As the kernel's own: `search` must describe valid memory that nobody else uses during the
            /// launch.
            #[cfg(feature = "executors")]
            pub unsafe fn run(self, search: &Search) {
                // SAFETY: the caller's contract is the kernel's.
                unsafe { match self { $(Kernel::$variant => $module::$name($(*part!(search, $part)),*),)* } }
            }

            /// Runs the kernel as a launch of one thread, built for such launches.
            ///
            /// # Safety
            /// As for [`Kernel::run`].
            #[cfg(feature = "executors")]
            pub unsafe fn run_alone(self, search: &Search) {
                use solver_gpu_alone::kernels;
                // SAFETY: both types are `repr(C)`, from one source.
                let search = unsafe { &*std::ptr::from_ref(search).cast::<solver_gpu_alone::Search>() };
                // SAFETY: the caller's contract is the kernel's.
                unsafe {
                    match self { $(Kernel::$variant => kernels::$module::$name($(*part!(search, $part)),*),)* }
                }
            }
        }
    };
}

#[cfg(feature = "executors")]
const _: () = assert!(size_of::<Search>() == size_of::<solver_gpu_alone::Search>(), "one source");

/// An argument's address, as the driver takes it.
fn address<T>(part: &T) -> *mut c_void {
    std::ptr::from_ref(part).cast_mut().cast()
}

kernels! {
    /// See [`initial_propagation`].
    InitialPropagation = initial_propagation::initial_propagation(search);
    /// See [`commit`].
    Commit = commit::commit(search);
    /// See [`propagate_binary`].
    PropagateBinary = propagate_binary::propagate_binary(search);
    /// See [`propagate_ternary`].
    PropagateTernary = propagate_ternary::propagate_ternary(search);
    /// See [`propagate_long`].
    PropagateLong = propagate_long::propagate_long(search);
    /// See [`propagate_sums`].
    PropagateSums = propagate_sums::propagate_sums(search);
    /// See [`propagate_learned`].
    PropagateLearned = propagate_learned::propagate_learned(search);
    /// See [`learn_forward`].
    LearnForward = learn_forward::learn_forward(search);
    /// See [`learn_resolution`].
    LearnResolution = learn_resolution::learn_resolution(search);
    /// See [`record_learned`].
    RecordLearned = record_learned::record_learned(search);
    /// See [`backjump`].
    Backjump = backjump::backjump(search);
    /// See [`decide`].
    Decide = decide::decide(search);
    /// See [`place`].
    Place = place::place(search);
    /// See [`complete`].
    Complete = complete::complete(search);
    /// See [`stability`].
    Stability = stability::stability(search);
    /// See [`mod@differences`].
    Differences = differences::differences(search);
    /// See [`record_told`].
    RecordTold = record_told::record_told(search);
    /// See [`tighten`].
    Tighten = tighten::tighten(search);
    /// See [`reduce_learned`].
    ReduceLearned = reduce_learned::reduce_learned(search);
    /// See [`rephase`].
    Rephase = rephase::rephase(search);
    /// See [`rebuild_watches`].
    RebuildWatches = rebuild_watches::rebuild_watches(problem, own);
    /// See [`search`]. Launched by [`super::Executor::start`], as are the next two.
    Search = search::search(search);
    /// See [`search::ProgramClass`].
    SearchTight = search::search_tight(search);
    /// See [`search::ProgramClass`].
    SearchWithLoops = search::search_with_loops(search);
    /// See [`swarm::swarm()`]. Launched by [`super::Executor::start`], as are the next two.
    Swarm = swarm::swarm(search);
    /// See [`swarm::swarm()`].
    SwarmTight = swarm::swarm_tight(search);
    /// See [`swarm::swarm()`].
    SwarmWithLoops = swarm::swarm_with_loops(search);
    /// See [`search::search_traced`]. Launched by [`super::Executor::start`].
    SearchTraced = search::search_traced(search);
    /// See [`search::search_proved`]. Launched by [`super::Executor::start`].
    SearchProved = search::search_proved(search);
    /// See [`swarm::swarm_proved()`]. Launched by [`super::Executor::start`].
    SwarmProved = swarm::swarm_proved(search);
    /// See [`swarm::swarm_traced()`]. Launched by [`super::Executor::start`].
    SwarmTraced = swarm::swarm_traced(search);
    /// See [`mod@trace`].
    Trace = trace::trace(search);
    /// See [`widen_deps`].
    WidenDeps = widen_deps::widen_deps(search);
}

impl Kernel {
    /// All those that are the whole search.
    pub const SEARCHES: [Kernel; 10] = [
        Kernel::Search,
        Kernel::SearchTight,
        Kernel::SearchWithLoops,
        Kernel::Swarm,
        Kernel::SwarmTight,
        Kernel::SwarmWithLoops,
        Kernel::SearchTraced,
        Kernel::SearchProved,
        Kernel::SwarmProved,
        Kernel::SwarmTraced,
    ];

    /// All kernels that the PTX has: a swarm is traced on the processor alone.
    #[cfg(test)]
    pub fn of_gpu() -> impl Iterator<Item = Kernel> {
        Kernel::ALL.iter().copied().filter(|&kernel| kernel != Kernel::SwarmTraced)
    }

    /// The one of them for this search.
    pub fn for_search(search: &Search) -> Kernel {
        match (search.launch.writes, search.swarm.is_any()) {
            (writes::TRACE, false) => return Kernel::SearchTraced,
            (writes::TRACE, true) => return Kernel::SwarmTraced,
            (writes::PROOF, false) => return Kernel::SearchProved,
            (writes::PROOF, true) => return Kernel::SwarmProved,
            _ => {}
        }
        match (ProgramClass::of(search), search.swarm.is_any()) {
            (ProgramClass::Any, false) => Kernel::Search,
            (ProgramClass::Tight, false) => Kernel::SearchTight,
            (ProgramClass::WithLoops, false) => Kernel::SearchWithLoops,
            (ProgramClass::Any, true) => Kernel::Swarm,
            (ProgramClass::Tight, true) => Kernel::SwarmTight,
            (ProgramClass::WithLoops, true) => Kernel::SwarmWithLoops,
        }
    }
}
