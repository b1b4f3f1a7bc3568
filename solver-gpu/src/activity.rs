//! What learning notes about the nogoods and variables that took part in it: activities and LBDs.

use crate::layout::FIRST_LEARNED;
use crate::nogood::is_learned;
use crate::{Launch, Own, Settings};

/// Learned nogoods of at most this many levels are never deleted.
pub const GLUE: u32 = 2;

/// Notes that nogood `id` took part in learning, if the nogood is a learned one. Called by one thread.
#[inline(always)]
pub fn took_part(own: &Own, id: u32) {
    if is_learned(id) {
        own.learned_activity.atomic(id - FIRST_LEARNED).add(1);
    }
}

/// Whether the LBD of nogood `id` may fall: the nogood is a learned one that may be deleted.
#[inline(always)]
pub fn may_improve(own: &Own, launch: &Launch, id: u32) -> bool {
    is_learned(id) && own.learned_lbd.atomic(id - FIRST_LEARNED).load_in(launch.single_block == 1) > GLUE
}

/// Notes that the literals of learned nogood `id` are of `levels` levels now.
#[inline(always)]
pub fn improved(own: &Own, id: u32, levels: u32) {
    own.learned_lbd.atomic(id - FIRST_LEARNED).min(levels);
}

/// Bumps the activity of variable `p`, if activities are tracked.
#[inline(always)]
pub fn bump(settings: &Settings, own: &Own, p: u32) {
    if settings.track_activity == 1 {
        own.rank.atomic(p).add(own.state().bump.now());
    }
}
