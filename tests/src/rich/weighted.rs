//! Rich programs with many costs: up to four priorities, weights of all sizes and signs, the same literal at
//! several priorities.
//!
//! Main function: [`generate_weighted`].

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
        let lits = (0..1 + random.below(8)).map(|_| (lit(&mut random), weight(kind, &mut random))).collect();
        let priority = random.below(4) as i32 - 1;
        program.minimize.push((priority, lits));
    }
    program
}
