//! What learning notes about nogoods and variables that took part in it.

use crate::layout::FIRST_LEARNED;
use crate::nogood::is_learned;
use crate::Search;

/// Learned nogoods of at most so many levels are kept whatever happens.
pub const GLUE: u32 = 2;

/// Notes that nogood `id` took part in learning, if it is a learned one. By one thread for each time.
#[inline(always)]
pub fn took_part(s: &Search, id: u32) {
    if is_learned(id) {
        s.own.learned_activity.atomic(id - FIRST_LEARNED).add(1);
    }
}

/// Whether it is worth while to see if the literals of nogood `id` are of fewer levels now: it is a learned one that may be deleted.
#[inline(always)]
pub fn may_improve(s: &Search, id: u32) -> bool {
    is_learned(id) && s.own.learned_lbd.atomic(id - FIRST_LEARNED).load_in(s.launch.single_block == 1) > GLUE
}

/// Notes that the literals of learned nogood `id` are of so many levels now.
#[inline(always)]
pub fn improved(s: &Search, id: u32, levels: u32) {
    s.own.learned_lbd.atomic(id - FIRST_LEARNED).min(levels);
}

/// Adds a bump to the activity of variable `p`, if activities are kept.
#[inline(always)]
pub fn bump(s: &Search, p: u32) {
    if s.settings.track_activity == 1 {
        s.own.rank.atomic(p).add(s.own.state().bump.now());
    }
}
