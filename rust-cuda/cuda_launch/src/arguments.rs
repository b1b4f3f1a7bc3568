//! Kernels as functions of a tuple of arguments. Main traits: [`Kernel`] and [`Arguments`].

use std::ffi::c_void;

/// The arguments of a kernel: a tuple of values that are copied to each thread.
pub trait Arguments: Copy {
    /// The address of each argument in order, as the driver takes them.
    fn addresses(&self) -> Vec<*mut c_void>;
}

/// A kernel of these arguments: a function pointer, on the host.
pub trait Kernel<A: Arguments>: Copy {
    /// Runs the calling thread's part of the kernel.
    ///
    /// # Safety
    /// As the kernel's own.
    unsafe fn run(self, arguments: A);
}

macro_rules! kernel {
    ($($Type:ident $value:ident),*) => {
        impl<$($Type: Copy),*> Arguments for ($($Type,)*) {
            fn addresses(&self) -> Vec<*mut c_void> {
                let ($($value,)*) = self;
                vec![$(std::ptr::from_ref($value).cast_mut().cast()),*]
            }
        }

        impl<$($Type: Copy),*> Kernel<($($Type,)*)> for unsafe fn($($Type),*) {
            unsafe fn run(self, ($($value,)*): ($($Type,)*)) {
                // SAFETY: the caller's contract.
                unsafe { self($($value),*) }
            }
        }
    };
}

kernel!();
kernel!(A a);
kernel!(A a, B b);
kernel!(A a, B b, C c);
kernel!(A a, B b, C c, D d);
kernel!(A a, B b, C c, D d, E e);
kernel!(A a, B b, C c, D d, E e, F f);
kernel!(A a, B b, C c, D d, E e, F f, G g);
kernel!(A a, B b, C c, D d, E e, F f, G g, H h);
