//! Where a kernel panicked: what a panic carries is its words alone, and only the panic hook is told the
//! line.
//!
//! Main functions: [`watch`] before a launch, [`with_place`] after a panic. Invariant: the hook that was
//! there before is still called.

use std::cell::RefCell;
use std::panic::{set_hook, take_hook};
use std::sync::Once;

thread_local! {
    /// The file, line and column of the last panic of this thread.
    static LAST: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// From now on the place of each panic is kept.
pub fn watch() {
    static ONCE: Once = Once::new();
    // A thread that panics may not change the hook.
    if std::thread::panicking() {
        return;
    }
    ONCE.call_once(|| {
        let before = take_hook();
        set_hook(Box::new(move |info| {
            LAST.set(info.location().map(|place| place.to_string()));
            before(info);
        }));
    });
}

/// What a panic of this thread said, and where the panic was, unless its words say so already.
pub fn with_place(said: &str) -> String {
    match LAST.take() {
        Some(place) if !said.contains(&place) => format!("{said}, at {place}"),
        _ => said.into(),
    }
}
