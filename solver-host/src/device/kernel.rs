//! The table of kernels: a name for the GPU's module, a function for the host.

use solver_gpu::kernels::search::ProgramClass;
#[cfg(feature = "executors")]
use solver_gpu::kernels::*;
use solver_gpu::Search;

macro_rules! kernels {
    ($($(#[$doc:meta])* $variant:ident = $module:ident::$name:ident;)*) => {
        /// A kernel of `solver-gpu`.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Kernel { $($(#[$doc])* $variant,)* }

        impl Kernel {
            /// All kernels.
            pub const ALL: &'static [Kernel] = &[$(Kernel::$variant,)*];

            /// Its name in the PTX.
            pub fn name(self) -> &'static str {
                match self { $(Kernel::$variant => stringify!($name),)* }
            }

            /// Runs the calling thread's part of it, for the host's executors.
            ///
            /// # Safety
            /// As the kernel's own: `search` must describe valid memory that nobody else uses during the launch.
            #[cfg(feature = "executors")]
            pub unsafe fn run(self, search: Search) {
                // SAFETY: the caller's contract is the kernel's.
                unsafe { match self { $(Kernel::$variant => $module::$name(search),)* } }
            }
        }
    };
}

kernels! {
    /// See [`initial_propagation`].
    InitialPropagation = initial_propagation::initial_propagation;
    /// See [`commit`].
    Commit = commit::commit;
    /// See [`propagate_binary`].
    PropagateBinary = propagate_binary::propagate_binary;
    /// See [`propagate_ternary`].
    PropagateTernary = propagate_ternary::propagate_ternary;
    /// See [`propagate_long`].
    PropagateLong = propagate_long::propagate_long;
    /// See [`propagate_sums`].
    PropagateSums = propagate_sums::propagate_sums;
    /// See [`propagate_learned`].
    PropagateLearned = propagate_learned::propagate_learned;
    /// See [`learn_forward`].
    LearnForward = learn_forward::learn_forward;
    /// See [`learn_resolution`].
    LearnResolution = learn_resolution::learn_resolution;
    /// See [`record_learned`].
    RecordLearned = record_learned::record_learned;
    /// See [`backjump`].
    Backjump = backjump::backjump;
    /// See [`decide`].
    Decide = decide::decide;
    /// See [`complete`].
    Complete = complete::complete;
    /// See [`stability`].
    Stability = stability::stability;
    /// See [`record_unfounded`].
    RecordUnfounded = record_unfounded::record_unfounded;
    /// See [`tighten`].
    Tighten = tighten::tighten;
    /// See [`reduce_learned`].
    ReduceLearned = reduce_learned::reduce_learned;
    /// See [`rephase`].
    Rephase = rephase::rephase;
    /// See [`rebuild_watches`].
    RebuildWatches = rebuild_watches::rebuild_watches;
    /// See [`search`]. Launched by [`super::Executor::start`], as are the next two.
    Search = search::search;
    /// See [`search::ProgramClass`].
    SearchTight = search::search_tight;
    /// See [`search::ProgramClass`].
    SearchWithLoops = search::search_with_loops;
    /// See [`widen_deps`].
    WidenDeps = widen_deps::widen_deps;
}

impl Kernel {
    /// All those that are the whole search.
    pub const SEARCHES: [Kernel; 3] = [Kernel::Search, Kernel::SearchTight, Kernel::SearchWithLoops];

    /// The one of them for this search.
    pub fn for_search(search: &Search) -> Kernel {
        match ProgramClass::of(search) {
            ProgramClass::Any => Kernel::Search,
            ProgramClass::Tight => Kernel::SearchTight,
            ProgramClass::WithLoops => Kernel::SearchWithLoops,
        }
    }
}
