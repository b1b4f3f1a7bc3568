//! Telling the host's executor of each access to memory. Main macro: `touch!`.

/// Tells the host's executor that the running thread accesses the element at an address. Nothing on a GPU.
///
/// With an outcome, the access is one that changes the element if it succeeds and only reads it otherwise.
macro_rules! touch {
    ($address:expr, $outcome:expr, $how:ident) => {
        #[cfg(not(target_arch = "nvptx64"))]
        crate::host::current::access(
            $address,
            if $outcome.is_ok() { crate::operation::Access::$how } else { crate::operation::Access::Refused },
        );
    };
    ($address:expr, $how:ident) => {
        #[cfg(not(target_arch = "nvptx64"))]
        crate::host::current::access($address, crate::operation::Access::$how);
    };
}
pub(crate) use touch;
