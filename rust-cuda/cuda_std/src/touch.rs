//! Telling the host's executor of each access to memory. Main macro: `touch!`.

/// Tells the host's executor that the running thread accesses the element at an address. Nothing on a GPU.
macro_rules! touch {
    ($address:expr, $how:ident) => {
        #[cfg(not(target_arch = "nvptx64"))]
        crate::host::current::access($address, crate::operation::Access::$how);
    };
}
pub(crate) use touch;
