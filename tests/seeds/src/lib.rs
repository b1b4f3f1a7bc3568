//! The seeds of random tests, which are others each day, so that the tests go on to programs that nobody has tried.
//!
//! Main function: [`seeds`]. A test that fails shows what was printed, and that says how to repeat it. `YASMIN_SEED=N` lets
//! all random tests begin at seed N instead, and `YASMIN_TIMES=N` lets them try N times as many.
//!
//! Tests keep fixed seeds for what was found once, and where they count on rare cases.

use std::env;
use std::ops::Range;
use std::time::{SystemTime, UNIX_EPOCH};

/// The first seeds of two days differ by as much: no test tries more in a day, unless it is told to.
const A_DAY: u64 = 100_000;

/// The variable of the environment that names the first seed.
const FIRST: &str = "YASMIN_SEED";

/// The variable of the environment that says how many times as many seeds are tried.
const TIMES: &str = "YASMIN_TIMES";

/// The seeds that a random test tries: `count` of them, from [`first`] on. Prints which ones.
///
/// # Panics
/// If a variable of the environment is no number.
pub fn seeds(count: u64) -> Range<u64> {
    let first = first();
    let end = first + count * number(TIMES).unwrap_or(1);
    println!("seeds {first} to {}; {FIRST}=N begins at seed N", end - 1);
    first..end
}

/// The first seed of today: the number of days since 1970, and five digits for the seeds that follow.
///
/// # Panics
/// If a variable of the environment is no number.
pub fn first() -> u64 {
    number(FIRST).unwrap_or_else(|| {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).expect("1970 is over");
        since.as_secs() / 86_400 * A_DAY
    })
}

/// The number that a variable of the environment has, if it is set.
fn number(name: &str) -> Option<u64> {
    let text = env::var(name).ok()?;
    Some(text.parse().unwrap_or_else(|_| panic!("{name} wants a whole number, not `{text}`")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_seeds_for_each_day() {
        if number(FIRST).is_none() && number(TIMES).is_none() {
            let today = seeds(300);
            assert!(today.start.is_multiple_of(A_DAY) && today.start > 20_000 * A_DAY, "{today:?}");
            assert_eq!(today.count(), 300);
        }
    }
}
