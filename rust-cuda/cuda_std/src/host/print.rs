//! What kernels print on the host. Main functions: [`print()`], [`printed`].

use std::cell::RefCell;

thread_local! {
    /// What kernels have printed for the caller of [`printed`].
    static PRINTED: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Prints a line of a kernel, or keeps it for the caller of [`printed`].
pub(crate) fn print(line: &str) {
    PRINTED.with_borrow_mut(|text| match text {
        Some(text) => text.extend([line, "\n"]),
        None => std::println!("{line}"),
    });
}

/// Does something, and returns what the kernels in it print on the host. On a GPU, the driver prints that.
pub fn printed<T>(does: impl FnOnce() -> T) -> (T, String) {
    let before = PRINTED.replace(Some(String::new()));
    let done = does();
    (done, PRINTED.replace(before).unwrap_or_default())
}
