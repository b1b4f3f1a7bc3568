//! A plain copy of a search's block of memory, with one vector for each array.
//!
//! Main type: [`Arrays`], generated from the rows that declare the block (see
//! [`solver_gpu::for_each_own_array`]), so that no array can be forgotten.

use crate::searcher::memory::bytes_of_state;
use bytemuck::Pod;
use solver_gpu::layout::{Learned, Origin, Own};
use solver_gpu::{Array, Lit, State};
use yasmin_device::{DeviceError, Executor};

/// What an array is copied to. Structs of atomic words are copied as bytes.
macro_rules! copied {
    (State) => { Vec<u8> };
    (BlocksDone) => { Vec<u8> };
    (TraceWords) => { Vec<u8> };
    (Record) => { Vec<u8> };
    ($T:ident) => { Vec<$T> };
}

/// An array of elements that can be copied as they are.
macro_rules! plain {
    ($array:expr, State) => {
        $array.bytes()
    };
    ($array:expr, BlocksDone) => {
        $array.bytes()
    };
    ($array:expr, TraceWords) => {
        $array.bytes()
    };
    ($array:expr, Record) => {
        $array.bytes()
    };
    ($array:expr, $T:ident) => {
        $array
    };
}

/// Declares [`Arrays`] from the rows.
macro_rules! arrays {
    (
        shared { $($(#[$shared_doc:meta])* $shared:ident: $S:tt, $s_len:expr, [$($s_first:tt)*], $s_when:tt;)* }
        global { $($(#[$global_doc:meta])* $global:ident: $G:tt, $g_len:expr, [$($g_first:tt)*], $g_when:tt;)* }
    ) => {
        /// All arrays of a block; see [`Own`] for what each one is.
        #[allow(missing_docs)]
        pub struct Arrays {
            $(pub $shared: copied!($S),)*
            $(pub $global: copied!($G),)*
        }

        impl Arrays {
            /// Copies the arrays from the device, after all launches so far.
            ///
            /// # Errors
            /// If the device or a launch fails.
            pub fn download(executor: &mut dyn Executor, own: &Own) -> Result<Arrays, DeviceError> {
                Ok(Arrays {
                    $($shared: all(executor, plain!(own.$shared, $S))?,)*
                    $($global: all(executor, plain!(own.$global, $G))?,)*
                })
            }

            /// Fails unless each array begins as it did when `earlier` was copied, and what it has grown by
            /// is zeros.
            pub fn assert_unchanged_since(&self, earlier: &Arrays) {
                $(assert_unchanged(stringify!($shared), &earlier.$shared, &self.$shared);)*
                $(assert_unchanged(stringify!($global), &earlier.$global, &self.$global);)*
            }
        }
    };
}

solver_gpu::for_each_own_array!(arrays);

fn assert_unchanged<T: Pod>(name: &str, earlier: &[T], now: &[T]) {
    let (earlier, now): (&[u8], &[u8]) = (bytemuck::cast_slice(earlier), bytemuck::cast_slice(now));
    assert!(now.starts_with(earlier), "{name} changed on its way to another block");
    assert!(now[earlier.len()..].iter().all(|&byte| byte == 0), "{name} has grown by other than zeros");
}

/// All elements of an array, after all launches so far.
///
/// # Errors
/// If the device or a launch fails.
pub fn all<T: Pod>(executor: &mut dyn Executor, array: Array<T>) -> Result<Vec<T>, DeviceError> {
    let mut elements = vec![T::zeroed(); array.len()];
    executor.download(array.address(), bytemuck::cast_slice_mut(&mut elements))?;
    Ok(elements)
}

/// The control words, after all launches so far.
///
/// # Errors
/// If the device or a launch fails.
pub fn control_words(executor: &mut dyn Executor, own: &Own) -> Result<State, DeviceError> {
    let mut state = State::default();
    executor.download(own.state.address(), bytes_of_state(&mut state))?;
    Ok(state)
}
