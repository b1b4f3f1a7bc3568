//! The solver's statistics for both formats, from one list of names and values.
//!
//! Main functions: [`lines`] for text and [`with_rates`] for JSON. The names are those of the fields of the solver's
//! statistics, so that a counter added there is printed here without a change.

use serde_json::{Map, Value};

/// Counters whose rate per second of solving is of interest.
const RATES: [&str; 4] = ["propagations", "decisions", "conflicts", "learned"];

/// Labels for names that are too long for clasp's column of 12 letters.
const LABELS: [(&str, &str); 23] = [
    ("bytes_to_device_setup", "To dev. first"),
    ("bytes_to_device", "To device"),
    ("bytes_to_host", "To host"),
    ("bytes_on_device", "On device"),
    ("learned_literals", "Learned lits"),
    ("stability_checks", "Stab. checks"),
    ("unfounded_sets", "Unfounded"),
    ("deepest_level", "Deepest lvl."),
    ("prepare_seconds", "Prepare sec."),
    ("setup_seconds", "Setup sec."),
    ("solve_seconds", "Solve sec."),
    ("checked_answers", "Checked sets"),
    ("check_seconds", "Check sec."),
    ("failed_literals", "Failed lits"),
    ("equivalent_variables", "Equiv. vars"),
    ("subsumed_nogoods", "Subsumed"),
    ("strengthened_nogoods", "Strengthened"),
    ("eliminated_variables", "Eliminated"),
    ("failed_seconds", "Failed sec."),
    ("equivalent_seconds", "Equiv. sec."),
    ("subsumed_seconds", "Subsumed sec."),
    ("eliminate_seconds", "Elim. sec."),
    ("rebuild_seconds", "Rebuild sec."),
];

/// The statistics with the rates and averages that follow from them, under `rates`.
pub fn with_rates(values: &Map<String, Value>) -> Map<String, Value> {
    let mut all = values.clone();
    let mut rates = Map::new();
    for name in RATES {
        if let Some(rate) = rate(values, name) {
            rates.insert(format!("{name}_per_second"), rate.round().into());
        }
    }
    if let Some(length) = average_length(values) {
        rates.insert("learned_average_length".into(), ((length * 100.0).round() / 100.0).into());
    }
    if !rates.is_empty() {
        all.insert("rates".into(), Value::Object(rates));
    }
    all
}

/// The statistics as lines in clasp's alignment: counters first, then a block for each group of them.
pub fn lines(values: &Map<String, Value>) -> Vec<String> {
    let mut counters = Vec::new();
    let mut groups = Vec::new();
    for (name, value) in values {
        match value {
            Value::Object(group) => groups.push((name, group)),
            _ => counters.push(row(name, &plain(value), &remark(values, name))),
        }
    }
    for (_, group) in groups {
        counters.push(String::new());
        for (name, value) in group {
            // `x_before` and `x_after` share a line.
            if let Some(stem) = name.strip_suffix("_before") {
                if group.contains_key(&format!("{stem}_after")) {
                    continue;
                }
            }
            let stem = name.strip_suffix("_after").unwrap_or(name);
            let before = group.get(&format!("{stem}_before"));
            let remark = before.map_or(String::new(), |b| format!("(Before: {})", plain(b)));
            counters.push(row(stem, &plain(value), &remark));
        }
    }
    counters
}

fn row(name: &str, value: &str, remark: &str) -> String {
    format!("{:<13}: {value:<8} {remark}", label(name)).trim_end().to_string()
}

fn label(name: &str) -> String {
    if let Some((_, label)) = LABELS.iter().find(|(key, _)| *key == name) {
        return label.to_string();
    }
    let spaced = name.replace('_', " ");
    let mut letters = spaced.chars();
    letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).collect())
}

fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Number(number) if number.is_f64() => format!("{:.3}", number.as_f64().unwrap_or(0.0)),
        other => other.to_string(),
    }
}

fn remark(values: &Map<String, Value>, name: &str) -> String {
    if name == "learned" {
        let length = average_length(values).map_or(String::new(), |l| format!(" Average Length: {l:.1}"));
        return rate(values, name).map_or(String::new(), |r| format!("(Per second: {r:.0}{length})"));
    }
    if RATES.contains(&name) {
        return rate(values, name).map_or(String::new(), |r| format!("(Per second: {r:.0})"));
    }
    if name.starts_with("bytes_") {
        return "bytes".into();
    }
    String::new()
}

fn rate(values: &Map<String, Value>, name: &str) -> Option<f64> {
    let seconds = values.get("solve_seconds")?.as_f64()?;
    let count = values.get(name)?.as_f64()?;
    (seconds > 0.0).then(|| count / seconds)
}

fn average_length(values: &Map<String, Value>) -> Option<f64> {
    let learned = values.get("learned")?.as_f64()?;
    let literals = values.get("learned_literals")?.as_f64()?;
    (learned > 0.0).then(|| literals / learned)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> Map<String, Value> {
        let value = serde_json::json!({
            "decisions": 10, "propagations": 1000, "learned": 4, "learned_literals": 10, "bytes_to_device": 64,
            "solve_seconds": 0.5, "device": "cpu",
            "report": {"rules": 3, "nogoods_before": 9, "nogoods_after": 5, "components": 0},
        });
        value.as_object().expect("an object").clone()
    }

    #[test]
    fn lines_are_aligned_as_clasps() {
        let want = [
            "Decisions    : 10       (Per second: 20)",
            "Propagations : 1000     (Per second: 2000)",
            "Learned      : 4        (Per second: 8 Average Length: 2.5)",
            "Learned lits : 10",
            "To device    : 64       bytes",
            "Solve sec.   : 0.500",
            "Device       : cpu",
            "",
            "Rules        : 3",
            "Nogoods      : 5        (Before: 9)",
            "Components   : 0",
        ];
        assert_eq!(lines(&sample()), want);
    }

    #[test]
    fn json_gets_the_rates() {
        let all = with_rates(&sample());
        assert_eq!(all["rates"]["learned_average_length"], 2.5);
        assert_eq!(all["rates"]["propagations_per_second"], 2000.0);
        assert!(with_rates(&Map::new()).is_empty());
    }
}
