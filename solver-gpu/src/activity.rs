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
#[cuda_std::inlined]
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
#[cuda_std::inlined]
pub fn may_improve(own: &Own, launch: &Launch, id: NogoodId) -> bool {
    id.is_learned() && lbd_of(own, id).load_in(launch.single_block == 1) > GLUE
}

/// Notes that the literals of learned nogood `id` now have `levels` distinct levels. The stored LBD never
/// grows. Any thread may call this.
#[cuda_std::inlined]
pub fn improved(own: &Own, id: NogoodId, levels: u32) {
    lbd_of(own, id).min(levels);
}

/// The LBD of learned nogood `id`.
#[cuda_std::inlined]
fn lbd_of(own: &Own, id: NogoodId) -> &SearchU32 {
    &own.learned_record.get(id.learned_index()).lbd
}

/// Adds a bump to the activity of variable `p`, if the search keeps activities. Called by one thread for each
/// time that the variable takes part in a conflict.
#[cuda_std::inlined]
pub fn bump(settings: &Settings, own: &Own, p: Var) {
    if settings.track_activity == 1 {
        own.rank.atomic(p.0).add_float(f32::from_bits(own.state().bump.now()));
    }
}

/// The factor by which each bump is greater than the one of the conflict before.
const GROWTH: f32 = 1.05;
/// Activities are scaled down when a bump exceeds 2 to the power of this number. The sum of bumps that grow so is at
/// most 21 times the last one. So with three bumps for each of 64 conflicts, no activity comes near the largest float,
/// which is almost 2 to the power of 128.
const LARGE: u32 = 100;
/// The difference of the bits of two floats of which one is 2 to the power of `LARGE` times the other.
const SCALE: u32 = LARGE << MANTISSA;
/// The number of bits of a float below its exponent.
const MANTISSA: u32 = 23;

/// Whether activities have to be scaled down after a conflict whose bump has the bits `bump`.
#[cuda_std::inlined]
pub fn is_large(bump: u32) -> bool {
    f32::from_bits(bump) > f32::from_bits(1f32.to_bits() + SCALE)
}

/// The bits of the bump that follows the bump with the bits `bump`.
#[cuda_std::inlined]
pub fn next_bump(bump: u32) -> u32 {
    let bump = if is_large(bump) { scaled_down(bump) } else { bump };
    (f32::from_bits(bump) * GROWTH).to_bits()
}

/// The bits of an activity that is scaled down.
///
/// What would be too small for a float keeps its place in the order of activities: the bits of floats that are not
/// negative are in the order of the floats, and all bits below a bound are divided by one number. A negative
/// activity, which only a directive gives, is nothing beside any bump by then.
#[cuda_std::inlined]
pub fn scaled_down(activity: u32) -> u32 {
    let least = SCALE + (1 << MANTISSA);
    if f32::from_bits(activity) < 0.0 {
        0
    } else if activity >= least {
        activity - SCALE
    } else {
        activity / (LARGE + 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scaling_keeps_the_order() {
        let floats = [0.0, 1e-40, 1e-30, 1e-20, 1.0, 1e9, 1e25, 1e30, 3e31];
        let scaled = floats.map(|f: f32| scaled_down(f.to_bits()));
        assert!(scaled.is_sorted() && scaled.windows(2).all(|two| two[0] < two[1]), "{scaled:?}");
        let power = f32::from_bits(1f32.to_bits() + SCALE);
        assert_eq!(power, 2f32.powi(100));
        for f in [1e-6 * power, power, 30.0 * power] {
            assert_eq!(f32::from_bits(scaled_down(f.to_bits())), f / power);
        }
        assert_eq!([-1e9, -0.5, f32::MIN].map(|f: f32| scaled_down(f.to_bits())), [0; 3]);
    }

    #[test]
    fn bumps_grow_and_begin_again() {
        let (mut bump, mut times) = (1f32.to_bits(), 0);
        for _ in 0..10_000 {
            let next = next_bump(bump);
            let by = f32::from_bits(next) / f32::from_bits(bump);
            match is_large(bump) {
                true => times += 1,
                false => assert!((by - 1.05).abs() < 1e-5, "{by}"),
            }
            bump = next;
        }
        assert_eq!(times, 7, "once in about 1,420 conflicts");
    }
}
