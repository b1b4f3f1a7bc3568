//! The `yasmin` command.
fn main() {}
