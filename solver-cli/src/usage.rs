//! What a run took besides the search's own counts: time and memory, as the operating system counts them.
//!
//! Main function: [`of_the_run`]. Invariant: what cannot be had is not there.

use std::time::Duration;

use nix::sys::resource::{getrusage, UsageWho};
use nix::sys::time::{TimeVal, TimeValLike};
use serde_json::{Map, Value};

/// Time and memory so far, by name; of the grounder as well, if one ran and took `grounding`.
pub fn of_the_run(grounding: Option<Duration>) -> Map<String, Value> {
    let mut values = Map::new();
    if let Some(grounding) = grounding {
        values.insert("grounding_seconds".into(), grounding.as_secs_f64().into());
        // The grounder is the only child, and somebody has waited for it.
        if let Ok(usage) = getrusage(UsageWho::RUSAGE_CHILDREN) {
            let cpu = usage.user_time() + usage.system_time();
            values.insert("grounder_cpu_seconds".into(), seconds(cpu).into());
        }
    }
    if let Ok(usage) = getrusage(UsageWho::RUSAGE_SELF) {
        // Linux counts in KiB.
        values.insert("peak_memory_bytes".into(), (usage.max_rss() * 1024).into());
    }
    values
}

fn seconds(time: TimeVal) -> f64 {
    time.num_microseconds() as f64 * 1e-6
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_grounder_counts_if_there_was_one() {
        let alone = of_the_run(None);
        assert!(alone["peak_memory_bytes"].as_u64() > Some(1 << 20), "{alone:?}");
        assert_eq!(alone.len(), 1);
        let with = of_the_run(Some(Duration::from_millis(1500)));
        assert_eq!(with["grounding_seconds"], 1.5);
        assert!(with["grounder_cpu_seconds"].as_f64() >= Some(0.0), "{with:?}");
    }
}
