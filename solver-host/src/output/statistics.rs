//! The solver's statistics in the shape of clasp's, and ours besides, for both formats.
//!
//! Main functions: [`shaped`], which makes the JSON object, and [`lines`], which makes text of that object. How a
//! statistic is printed is said in its row of the table [`solver_gpu::statistics!`].
//!
//! Invariant: under a name of clasp's there is only what clasp counts under that name. A number that we do not
//! count is left out.

use serde_json::{json, Map, Value};

/// How a number is printed.
struct Row {
    /// The key in JSON.
    name: &'static str,
    /// Whether level 1 has the number.
    is_basic: bool,
    /// Whether the rate per second of solving is printed as well.
    has_rate: bool,
    /// The name in text, if it differs from the key with spaces in place of underscores.
    label: Option<&'static str>,
    /// The object and the key of the number in clasp's statistics.
    clasp: Option<&'static str>,
}

impl Row {
    const fn new(name: &'static str) -> Row {
        Row { name, is_basic: false, has_rate: false, label: None, clasp: None }
    }

    const fn basic(self) -> Row {
        Row { is_basic: true, ..self }
    }

    const fn rate(self) -> Row {
        Row { has_rate: true, ..self }
    }

    const fn label(self, label: &'static str) -> Row {
        Row { label: Some(label), ..self }
    }

    const fn clasp(self, path: &'static str) -> Row {
        Row { clasp: Some(path), ..self }
    }
}

/// Declares [`ROWS`] by the table of statistics.
macro_rules! rows {
    ($($group:ident { $(
        #[$doc:meta]
        $name:ident: $Type:ident $(in $Word:ident)?, $how:ident $(, $key:ident $($text:literal)?)*;
    )* })*) => {
        /// The numbers of the search.
        const ROWS: &[Row] = &[$($(Row::new(stringify!($name))$(.$key($($text)?))*,)*)*];
    };
}

solver_gpu::statistics! { rows }

/// The numbers of the run and of preprocessing that are basic or have a label, and the options that have a label.
const OTHERS: &[Row] = &[
    Row::new("swarm").basic(),
    Row::new("roles").basic(),
    Row::new("defaults_from").basic().label("Defaults"),
    Row::new("grounding_seconds").basic().label("Ground. sec."),
    Row::new("grounder_cpu_seconds").basic().label("Grounder CPU"),
    Row::new("peak_memory_bytes").basic().label("Peak memory"),
    Row::new("symmetries").label("Symmetries"),
    Row::new("symmetry_nogoods").label("Sym. nogoods"),
    Row::new("failed_literals").label("Failed lits"),
    Row::new("equivalent_variables").label("Equiv. vars"),
    Row::new("subsumed_nogoods").label("Subsumed"),
    Row::new("strengthened_nogoods").label("Strengthened"),
    Row::new("eliminated_variables").label("Eliminated"),
    Row::new("symmetry_seconds").label("Sym. seconds"),
    Row::new("failed_seconds").label("Failed sec."),
    Row::new("equivalent_seconds").label("Equiv. sec."),
    Row::new("subsumed_seconds").label("Subsumed sec."),
    Row::new("eliminate_seconds").label("Elim. sec."),
    Row::new("rebuild_seconds").label("Rebuild sec."),
    Row::new("opt-usc-shrink").label("Usc shrink"),
    Row::new("threads-per-block").label("Threads/block"),
];

/// The row of a number.
fn row_of(name: &str) -> Option<&'static Row> {
    ROWS.iter().chain(OTHERS).find(|row| row.name == name)
}

/// The rows of the numbers whose rate is printed, basic ones first.
fn rows_with_rate() -> impl Iterator<Item = &'static Row> {
    let with = |is_basic| ROWS.iter().filter(move |row| row.has_rate && row.is_basic == is_basic);
    with(true).chain(with(false))
}

/// The numbers of `ours` that clasp's statistics have in `object`, under clasp's keys.
fn of_clasp(ours: &Map<String, Value>, object: &str) -> Map<String, Value> {
    let swarm = ours.get("swarm").and_then(Value::as_object);
    let named = ROWS.iter().filter_map(|row| {
        let (of, key) = row.clasp?.split_once('/')?;
        let value = ours.get(row.name).or_else(|| swarm?.get(row.name)).filter(|_| of == object)?;
        Some((key.to_string(), value.clone()))
    });
    named.collect()
}

/// The statistics `ours`, by name, in clasp's shape: its keys where the meaning is the same, and ours under
/// `Yasmin`. At level 1 these are the basic ones, at a higher level all.
///
/// ```
/// let ours = serde_json::json!({"decisions": 3, "conflicts": 1, "device": "cpu", "launches": 7});
/// let shaped = |level| solver_host::output::statistics::shaped(ours.as_object().expect("is one"), level);
/// assert_eq!(shaped(1)["Core"]["Choices"], 3);
/// assert_eq!(shaped(1)["Yasmin"], serde_json::json!({"device": "cpu"}));
/// assert_eq!(shaped(2)["Yasmin"]["launches"], 7);
/// ```
pub fn shaped(ours: &Map<String, Value>, level: u8) -> Map<String, Value> {
    let mut own = ours.clone();
    match level {
        0 | 1 => own.retain(|name, _| row_of(name).is_some_and(|row| row.is_basic)),
        _ => add_rates(&mut own, ours),
    }
    own.remove("searchers");
    let searchers: Vec<&Map<String, Value>> = ours
        .get("searchers")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(Value::as_object)
        .collect();
    own.remove("passed");
    let roles = own.remove("roles");
    if let Some(swarm) = own.get_mut("swarm").and_then(Value::as_object_mut) {
        swarm.extend(roles.map(|roles| ("roles".to_string(), roles)));
        add_swarm(swarm, &searchers);
        add_passed(swarm, ours);
    }
    let groups = [
        ("Core", core(ours)),
        ("More", more(ours)),
        ("LP", lp(ours)),
        ("Problem", problem(ours)),
        ("Yasmin", own),
    ];
    let known = groups.into_iter().filter(|(_, group)| !group.is_empty());
    let mut all: Map<String, Value> = known.map(|(name, group)| (name.into(), group.into())).collect();
    // The searchers of a fleet have no statistics of their own.
    let threads = searchers.iter().filter(|of| level > 1 && of["swarm"]["searchers"] == 1);
    let threads: Vec<Value> = threads.map(|of| json!({"Core": core(of), "More": more(of)})).collect();
    if !threads.is_empty() {
        all.insert("Thread".into(), threads.into());
    }
    all.values_mut().for_each(round);
    all
}

/// Adds to `swarm` the share of idle time, and the numbers of each class of searchers (each device).
fn add_swarm(swarm: &mut Map<String, Value>, searchers: &[&Map<String, Value>]) {
    let seconds = |name: &str| swarm.get(name).and_then(Value::as_f64);
    if let Some((idle, all)) = seconds("idle_seconds").zip(seconds("searcher_seconds")) {
        swarm.insert("idle_share".into(), if all > 0.0 { idle / all } else { 0.0 }.into());
    }
    let mut classes: Vec<Map<String, Value>> = Vec::new();
    for of in searchers {
        let class = match classes.iter_mut().find(|class| class["device"] == of["device"]) {
            Some(class) => class,
            None => {
                classes.push(group([("device", of.get("device").cloned())]));
                classes.last_mut().expect("just pushed")
            }
        };
        let number = |value: Option<&Value>| value.and_then(Value::as_u64).unwrap_or(0);
        for name in ["searchers", "answer_sets", "decisions", "conflicts", "restarts", "learned", "deleted"] {
            let more = of.get(name).or_else(|| of.get("swarm")?.get(name));
            class.insert(name.into(), (number(class.get(name)) + number(more)).into());
        }
        add_passed(class, of);
    }
    swarm.insert("classes".into(), classes.into_iter().map(Value::Object).collect());
}

/// Adds to `group` what has passed between the process of these statistics and others: in all, and each
/// second.
fn add_passed(group: &mut Map<String, Value>, of: &Map<String, Value>) {
    let Some(passed) = of.get("passed") else { return };
    for name in ["bytes_in", "bytes_out"] {
        let bytes = passed[name].as_u64().unwrap_or(0);
        let a_second = bytes as f64 / passed["seconds"].as_f64().unwrap_or(0.0).max(1e-6);
        group.insert(name.into(), bytes.into());
        group.insert(format!("{name}_per_second"), a_second.into());
    }
}

/// Rounds fractions to six decimals, and so seconds to the microsecond.
fn round(value: &mut Value) {
    match value {
        Value::Number(number) if number.is_f64() => {
            *value = ((number.as_f64().unwrap_or(0.0) * 1e6).round() / 1e6).into();
        }
        Value::Object(group) => group.values_mut().for_each(round),
        Value::Array(list) => list.iter_mut().for_each(round),
        _ => {}
    }
}

/// The object of those names that have a value.
fn group<const N: usize>(values: [(&str, Option<Value>); N]) -> Map<String, Value> {
    values.into_iter().filter_map(|(name, value)| Some((name.to_string(), value?))).collect()
}

fn core(ours: &Map<String, Value>) -> Map<String, Value> {
    let mut core = of_clasp(ours, "Core");
    let [conflicts, restarts] = ["Conflicts", "Restarts"].map(|name| core.get(name).and_then(Value::as_f64));
    if let Some((conflicts, restarts)) = conflicts.zip(restarts) {
        let average = if restarts > 0.0 { conflicts / restarts } else { 0.0 };
        core.insert("RestartAvg".into(), average.into());
    }
    core
}

fn more(ours: &Map<String, Value>) -> Map<String, Value> {
    let ratio = |part: u64, whole: u64| if whole > 0 { part as f64 / whole as f64 } else { 0.0 };
    let number = |of: &Map<String, Value>, name: &str| of.get(name).and_then(Value::as_u64);
    let lemma = || {
        let mut lemma = of_clasp(ours, "Lemma");
        let (learned, loops) = number(&lemma, "Sum").zip(number(ours, "unfounded_sets"))?;
        // Lengths are not counted by type.
        let length = average_length(ours).filter(|_| loops == 0);
        let conflict = group([
            ("Type", Some("Conflict".into())),
            ("Sum", Some(learned.saturating_sub(loops).into())),
            ("AvgLen", length.map(Value::from)),
        ]);
        lemma.insert("Type".into(), json!([conflict, {"Type": "Loop", "Sum": loops}]));
        Some(Value::from(lemma))
    };
    let offered = of_clasp(ours, "Distribution");
    let distribution = || {
        let mut distribution = offered.clone();
        let (offered, learned) = number(&offered, "Distributed").zip(number(ours, "learned"))?;
        distribution.insert("Ratio".into(), ratio(offered, learned).into());
        Some(Value::from(distribution))
    };
    let integration = || {
        let mut integration = of_clasp(ours, "Integration");
        let (imported, offered) = number(&integration, "Integrated").zip(number(&offered, "Distributed"))?;
        // What a searcher takes over was offered by others.
        if ours.get("searchers").is_some_and(Value::is_array) {
            integration.insert("Ratio".into(), ratio(imported, offered).into());
        }
        Some(Value::from(integration))
    };
    let mut more = of_clasp(ours, "More");
    more.extend(group([
        ("Lemma", lemma()),
        ("Distribution", distribution()),
        ("Integration", integration()),
    ]));
    more
}

fn lp(ours: &Map<String, Value>) -> Map<String, Value> {
    let Some(program) = ours.get("program") else { return Map::new() };
    let read = |name: &str| program["statements"][name].as_u64();
    let original = |count: u64| json!({"Original": count});
    let some = |name: &str| read(name).filter(|&count| count > 0).map(original);
    let rules = read("rules").zip(read("minimizes")).map(|(rules, minimizes)| {
        group([
            // As for clasp, a minimize statement is a rule.
            ("Original", Some((rules + minimizes).into())),
            ("Choice", some("choices")),
            ("Minimize", some("minimizes")),
        ])
    });
    let components = program["components"].as_u64();
    // If the translation finds that there is no answer set, nobody looks for components.
    let is_empty = |value: Option<&Value>| value.and_then(Value::as_u64) == Some(0);
    let is_unknown = is_empty(program.get("variables_after")) && is_empty(ours.get("answer_sets"));
    let tight = components.map(|components| match components {
        _ if is_unknown => "N/A",
        0 => "yes",
        _ => "no",
    });
    group([
        ("Rules", rules.map(Value::from)),
        ("Atoms", read("atoms").map(Value::from)),
        ("Disjunctions", some("disjunctions")),
        ("Bodies", program["bodies_after"].as_u64().map(|bodies| json!({"Final": bodies}))),
        ("Tight", tight.map(Value::from)),
        ("SCCs", components.filter(|_| tight == Some("no")).map(Value::from)),
    ])
}

fn problem(ours: &Map<String, Value>) -> Map<String, Value> {
    let Some(program) = ours.get("program") else { return Map::new() };
    let left = |name: &str| program[name].as_u64();
    // As with clasp, what is known is no constraint.
    let [binary, ternary] = ["binary_after", "ternary_after"].map(left);
    let sum = left("nogoods_after").zip(left("sums_after")).map(|(nogoods, sums)| nogoods + sums);
    let eliminated = ours.get("preprocess").and_then(|steps| steps.get("eliminated_variables"));
    group([
        ("Variables", left("variables_after").map(Value::from)),
        ("Eliminated", eliminated.cloned()),
        ("Constraints", sum.map(|sum| json!({"Sum": sum, "Binary": binary, "Ternary": ternary}))),
    ])
}

/// Adds what follows from the counters, under `rates`.
fn add_rates(own: &mut Map<String, Value>, ours: &Map<String, Value>) {
    let mut rates = Map::new();
    for row in rows_with_rate() {
        if let Some(rate) = rate(ours, row.name) {
            rates.insert(format!("{}_per_second", row.name), rate.round().into());
        }
    }
    if let Some(length) = average_length(ours) {
        rates.insert("learned_average_length".into(), ((length * 100.0).round() / 100.0).into());
    }
    if !rates.is_empty() {
        own.insert("rates".into(), Value::Object(rates));
    }
}

/// Statistics that [`shaped`] made, as text: clasp's lines, then ours.
pub fn lines(shaped: &Map<String, Value>) -> Vec<String> {
    let all = Value::Object(shaped.clone());
    let mut blocks = vec![search_lines(&all), program_lines(&all)];
    if let Some(own) = shaped.get("Yasmin").and_then(Value::as_object) {
        let (groups, counters): (Vec<_>, Vec<_>) =
            own.iter().filter(|(name, _)| *name != "rates").partition(|(_, value)| value.is_object());
        blocks.push(
            counters.iter().map(|(name, value)| row(name, &plain(value), &remark(own, name))).collect(),
        );
        blocks.extend(groups.iter().filter_map(|(_, group)| group.as_object()).map(group_lines));
    }
    let threads = all["Thread"].as_array().into_iter().flatten().enumerate();
    for (number, thread) in threads {
        if number == 0 {
            blocks.push(vec!["============ Thread Stats ============".into()]);
        }
        blocks.push(vec![format!("[Thread {number}]")]);
        let models = row("Models", &plain(&thread["More"]["Models"]), "");
        blocks.push([vec![models], search_lines(thread)].concat());
    }
    blocks.retain(|block| !block.is_empty());
    blocks.join(&String::new())
}

/// What clasp says of the search.
fn search_lines(all: &Value) -> Vec<String> {
    let lemma = &all["More"]["Lemma"];
    let mut lines = Vec::new();
    let mut add = |name: &str, value: &Value, remark: String| {
        if !value.is_null() {
            lines.push(row(name, &plain(value), &remark));
        }
    };
    let core = all["Core"].as_object();
    for (name, value) in core.into_iter().flatten().filter(|(name, _)| *name != "RestartAvg") {
        let average = all["Core"]["RestartAvg"].as_f64().filter(|&average| average > 0.0);
        let remark = match name.as_str() {
            // Each is learned from.
            "Conflicts" => format!("(Analyzed: {value})"),
            "Restarts" => average.map_or(String::new(), |average| format!("(Average: {average:.2})")),
            _ => String::new(),
        };
        add(name, value, remark);
    }
    add("Lemmas", &lemma["Sum"], format!("(Deleted: {})", lemma["Deleted"]));
    for of in lemma["Type"].as_array().into_iter().flatten() {
        let length = of["AvgLen"].as_f64().map_or(String::new(), |l| format!("Average Length: {l:6.1} "));
        let ratio = percent(&of["Sum"], &lemma["Sum"]);
        add(&format!("  {}", plain(&of["Type"])), &of["Sum"], format!("({length}Ratio: {ratio:6.2}%)"));
    }
    let [distribution, integration] = ["Distribution", "Integration"].map(|name| &all["More"][name]);
    let ratio = |of: &Value| match of["Ratio"].as_f64() {
        Some(ratio) => format!("(Ratio: {:6.2}%)", 100.0 * ratio),
        None => String::new(),
    };
    add("  Distributed", &distribution["Distributed"], ratio(distribution));
    add("  Integrated", &integration["Integrated"], ratio(integration));
    lines
}

/// What clasp says of the program.
fn program_lines(all: &Value) -> Vec<String> {
    let (lp, problem) = (&all["LP"], &all["Problem"]);
    let mut lines = Vec::new();
    let mut add = |name: &str, value: &Value, remark: String| {
        if !value.is_null() {
            lines.push(row(name, &plain(value), &remark));
        }
    };
    let no = String::new;
    add("Rules", &lp["Rules"]["Original"], no());
    add("  Choice", &lp["Rules"]["Choice"]["Original"], no());
    add("  Minimize", &lp["Rules"]["Minimize"]["Original"], no());
    add("Atoms", &lp["Atoms"], no());
    add("Disjunctions", &lp["Disjunctions"]["Original"], no());
    add("Bodies", &lp["Bodies"]["Final"], no());
    match lp["Tight"].as_str() {
        Some("yes") => add("Tight", &"Yes".into(), no()),
        Some("no") => add("Tight", &"No".into(), format!("(SCCs: {})", lp["SCCs"])),
        Some(other) => add("Tight", &other.into(), no()),
        None => {}
    }
    let eliminated = problem["Eliminated"].as_u64();
    add("Variables", &problem["Variables"], eliminated.map_or(no(), |n| format!("(Eliminated: {n:4})")));
    let constraints = &problem["Constraints"];
    let [binary, ternary] =
        ["Binary", "Ternary"].map(|class| percent(&constraints[class], &constraints["Sum"]));
    let other = if constraints["Sum"].as_u64() > Some(0) { 100.0 - binary - ternary } else { 0.0 };
    let shares = format!("(Binary: {binary:5.1}% Ternary: {ternary:5.1}% Other: {other:5.1}%)");
    add("Constraints", &constraints["Sum"], shares);
    lines
}

/// How much of `whole` is `part`, in percent; 0 of nothing.
fn percent(part: &Value, whole: &Value) -> f64 {
    match (part.as_f64(), whole.as_f64()) {
        (Some(part), Some(whole)) if whole > 0.0 => 100.0 * part / whole,
        _ => 0.0,
    }
}

/// A group of ours.
fn group_lines(group: &Map<String, Value>) -> Vec<String> {
    let mut lines = Vec::new();
    for class in group.get("classes").and_then(Value::as_array).into_iter().flatten() {
        let remark = format!("(Conflicts: {} Answer sets: {})", class["conflicts"], class["answer_sets"]);
        lines.push(row(&plain(&class["device"]), &plain(&class["searchers"]), &remark));
    }
    for of in group.get("roles").and_then(Value::as_array).into_iter().flatten() {
        let because = plain(&of["because"]).replace('_', " ");
        let remark = format!("(From conflict {} on: {because})", of["conflicts"]);
        lines.push(row("Racing", &format!("{}/64", of["racing"]), &remark));
    }
    for (name, value) in group.iter().filter(|(_, value)| !value.is_object() && !value.is_array()) {
        // `x_before` and `x_after` share a line.
        if let Some(stem) = name.strip_suffix("_before") {
            if group.contains_key(&format!("{stem}_after")) {
                continue;
            }
        }
        let stem = name.strip_suffix("_after").unwrap_or(name);
        let before = group.get(&format!("{stem}_before"));
        let remark = before.map_or(String::new(), |b| format!("(Before: {})", plain(b)));
        lines.push(row(stem, &plain(value), &remark));
    }
    lines
}

fn row(name: &str, value: &str, remark: &str) -> String {
    format!("{:<13}: {value:<8} {remark}", label(name)).trim_end().to_string()
}

fn label(name: &str) -> String {
    if let Some(label) = row_of(name).and_then(|row| row.label) {
        return label.to_string();
    }
    let spaced = name.replace(['_', '-'], " ");
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
    if row_of(name).is_some_and(|row| row.has_rate) {
        return rate(values, name).map_or(String::new(), |r| format!("(Per second: {r:.0})"));
    }
    if name.starts_with("bytes_") || name.ends_with("_bytes") {
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
mod tests;
