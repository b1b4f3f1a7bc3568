//! A reference that Python may keep for longer than what it refers to: [`Lease`].
//!
//! Invariant: outside of [`Lease::lend`] the pointer is `None`.

use std::ptr::NonNull;
use std::sync::{Mutex, PoisonError};

/// Something of type `T`, while somebody lends it.
pub struct Lease<T: ?Sized>(Mutex<Option<NonNull<T>>>);

// SAFETY: whoever uses the pointer holds the lock, so one thread at a time uses what it points to.
unsafe impl<T: ?Sized + Send> Send for Lease<T> {}
// SAFETY: as above.
unsafe impl<T: ?Sized + Send> Sync for Lease<T> {}

impl<T: ?Sized> Default for Lease<T> {
    fn default() -> Self {
        Lease(Mutex::new(None))
    }
}

/// Takes the pointer away again, whatever happens.
struct Return<'a, T: ?Sized>(&'a Lease<T>);

impl<T: ?Sized> Drop for Return<'_, T> {
    fn drop(&mut self) {
        *self.0 .0.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
}

impl<T: ?Sized> Lease<T> {
    /// Lends what `lent` points to as long as `call` runs.
    ///
    /// # Safety
    /// `lent` must come from a reference that nobody else uses until the function returns.
    pub unsafe fn lend<R>(&self, lent: NonNull<T>, call: impl FnOnce() -> R) -> R {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(lent);
        let _return = Return(self);
        call()
    }

    /// Uses what is lent. `None` if nothing is.
    pub fn with<R>(&self, use_it: impl FnOnce(&mut T) -> R) -> Option<R> {
        let mut lent = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // SAFETY: the pointer is valid until `lend` returns, which takes the lock before; and no other
        // reference is in use meanwhile: not in `lend`, by its contract, and not here, because of the lock.
        lent.as_mut().map(|lent| use_it(unsafe { lent.as_mut() }))
    }
}
