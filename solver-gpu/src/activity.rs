//! The notes that learning makes about nogoods and variables that take part in conflicts.
//!
//! The learning kernels call these functions. Deletion reads the notes about nogoods, and decisions read the
//! ranks of variables.

use crate::layout::{flag, NogoodId};
use crate::{Launch, Own, Settings, Var};
use cuda_std::atomic::SearchU32;

/// The LBD up to which a learned nogood is never deleted.
pub const GLUE: u32 = 2;

/// Counts that nogood `id` took part in learning, if it is a learned nogood. Called by one thread each time
/// that the nogood takes part.
#[inline(always)]
pub fn took_part(own: &Own, id: NogoodId) {
    if id.is_learned() {
        let record = own.learned_record.get(id.learned_index());
        if record.activity.add(1) == 0 && record.flags.now() & flag::FOREIGN != 0 {
            own.state().counts.useful.add(1);
        }
    }
}

/// Whether nogood `id` is a learned nogood whose LBD is large enough that it may be deleted. Only for such a
/// nogood does learning count the levels of the literals again. Any thread may call this.
#[inline(always)]
pub fn may_improve(own: &Own, launch: &Launch, id: NogoodId) -> bool {
    id.is_learned() && lbd_of(own, id).load_in(launch.single_block == 1) > GLUE
}

/// Notes that the literals of learned nogood `id` now have `levels` distinct levels. The stored LBD never
/// grows. Any thread may call this.
#[inline(always)]
pub fn improved(own: &Own, id: NogoodId, levels: u32) {
    lbd_of(own, id).min(levels);
}

/// The LBD of learned nogood `id`.
#[inline(always)]
fn lbd_of(own: &Own, id: NogoodId) -> &SearchU32 {
    &own.learned_record.get(id.learned_index()).lbd
}

/// Adds a bump to the activity of variable `p`, if the search keeps activities. Called by one thread for each
/// time that the variable takes part in a conflict.
#[inline(always)]
pub fn bump(settings: &Settings, own: &Own, p: Var) {
    if settings.track_activity == 1 {
        own.rank.atomic(p.0).add(own.state().bump.now());
    }
}
