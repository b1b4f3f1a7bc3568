//! The store of learned nogoods: those that a search has learned, and those that it has imported.
//!
//! | array | what it has of each nogood |
//! | --- | --- |
//! | `learned_record` | a [`Record`](crate::layout::Record): the watched literals, where the literals are, LBD, activity, flags |
//! | `learned_lit` | the literals, one nogood after the other |
//! | `learned_origin` | the searcher that derived the nogood, and a serial number ([`Origin`](crate::layout::Origin)) |
//!
//! A nogood is named by its index, which a removal may change, and outside the search by its origin, which
//! nothing changes. [`crate::nogood`] reads nogoods. [`crate::activity`] changes LBDs and activities, and
//! [`crate::kernels::propagate_learned`] changes watched literals.
//!
//! Invariant: nogoods join the store in [`append`] and leave it in [`remove`], and nowhere else. Whatever has
//! to know of each nogood, such as a trace, is called there.

pub mod append;
pub mod remove;
