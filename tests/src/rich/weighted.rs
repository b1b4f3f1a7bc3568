//! Rich programs with many costs: up to four priorities, weights of all sizes and signs, the same literal at
//! several priorities.
//!
//! Main functions: [`generate_weighted`], and [`generate_heavy`] for weights of 64 bits.

use super::program::{Body, Rich, Rule};
use crate::random::Random;

/// The weights of a program: small ones, many that are equal, powers, or the largest and the smallest there are.
fn weight(kind: usize, random: &mut Random) -> i32 {
    let sign = if random.chance(25) { -1 } else { 1 };
    match kind {
        0 => sign * random.below(6) as i32,
        1 => 1,
        2 => 1 << random.below(12),
        3 => sign * (1 << random.below(31)),
        _ => *[i32::MAX, i32::MIN, i32::MAX - 1, 0, 1, -1, 1_000_000_007]
            .get(random.below(7))
            .expect("one of seven"),
    }
}

/// The program of this seed: a rich program with choices and constraints besides, and with minimize statements.
pub fn generate_weighted(seed: u64) -> Rich {
    let mut program = super::generate(seed);
    let mut random = Random::new(seed ^ 0x7765_6967);
    // Bound by the oracle, which tries all subsets.
    let more = 1 + random.below(5) as i32;
    let first = program.atoms + 1;
    program.atoms += more;
    program.outputs.extend((first..first + more).map(|a| (format!("x{a}"), vec![a])));
    let heads: Vec<i32> = (first..first + more).collect();
    program.rules.push(Rule { choice: true, heads, body: Body::All(vec![]) });
    let atoms = program.atoms as usize;
    let lit = |random: &mut Random| {
        let atom = 1 + random.below(atoms) as i32;
        if random.chance(70) {
            atom
        } else {
            -atom
        }
    };
    for _ in 0..random.below(2 * more as usize + 1) {
        // Of these literals one must not hold, as in a cover.
        let lits: Vec<i32> =
            (0..2 + random.below(2)).map(|_| -(first + random.below(more as usize) as i32)).collect();
        program.rules.push(Rule { choice: false, heads: vec![], body: Body::All(lits) });
    }
    let kind = random.below(5);
    for _ in 0..1 + random.below(5) {
        let lits =
            (0..1 + random.below(8)).map(|_| (lit(&mut random), weight(kind, &mut random).into())).collect();
        let priority = random.below(4) as i32 - 1;
        program.minimize.push((priority, lits));
    }
    program
}

/// A weight of at most `most` with the sign of another one: close to what 31, 32, 53 or 63 bits hold, or any.
fn heavy(of: i64, most: i64, random: &mut Random) -> i64 {
    let bits = random.below(63);
    let size = match random.below(5) {
        0 => most - random.below(3) as i64,
        1 => (1 << 31) - 1 + random.below(3) as i64,
        2 => (1 << 53) - 1 + random.below(3) as i64,
        3 => (1 << bits) + random.below(3) as i64,
        _ => of.abs(),
    };
    size.clamp(0, most) * if of < 0 { -1 } else { 1 }
}

/// The most that weights may add up to.
const MOST: i64 = i64::MAX - 1;

/// The program of this seed: that of [`generate_weighted`] with weights of up to 64 bits, also in bodies.
pub fn generate_heavy(seed: u64) -> Rich {
    let mut program = generate_weighted(seed);
    let mut random = Random::new(seed ^ 0x6865_6176);
    let number: usize = program.minimize.iter().map(|(_, lits)| lits.len()).sum();
    for (_, weight) in program.minimize.iter_mut().flat_map(|(_, lits)| lits) {
        *weight = heavy(*weight, MOST / number.max(1) as i64, &mut random);
    }
    for rule in &mut program.rules {
        let Body::Sum(bound, lits) = &mut rule.body else { continue };
        let most = MOST / lits.len().max(1) as i64;
        lits.iter_mut().for_each(|(_, weight)| *weight = heavy(*weight, most, &mut random));
        let held = lits.iter().filter(|_| random.chance(50)).map(|(_, weight)| weight).sum::<i64>();
        *bound = held.saturating_add(random.below(3) as i64 - 1);
    }
    program
}
