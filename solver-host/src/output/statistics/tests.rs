//! Tests of the objects `Stats`.

use super::*;

fn sample() -> Map<String, Value> {
    let value = json!({
        "device": "cpu", "seed": 7, "decisions": 10, "conflicts": 8, "propagations": 1000, "learned": 4,
        "learned_literals": 10, "deleted": 1, "restarts": 2, "unfounded_sets": 0, "answer_sets": 3,
        "bytes_to_device": 64, "solve_seconds": 0.5, "peak_memory_bytes": 4096, "grounding_seconds": 0.1234567,
        "program": {
            "statements": {"rules": 5, "choices": 2, "disjunctions": 1, "minimizes": 1, "atoms": 6},
            "rules": 7, "nogoods_before": 9, "nogoods_after": 7, "binary_after": 4, "ternary_after": 2,
            "sums_after": 1, "variables_after": 5, "bodies_after": 4, "components": 2,
        },
        "preprocess": {"eliminated_variables": 3},
        "options": {"learning": "res", "simplify": true},
    });
    value.as_object().expect("an object").clone()
}

#[test]
fn clasps_keys_are_clasps() {
    let got = shaped(&sample(), 1);
    let want = json!({
        "Core": {"Choices": 10, "Conflicts": 8, "Restarts": 2, "RestartAvg": 4.0},
        "More": {
            "Models": 3,
            "Lemma": {"Sum": 4, "Deleted": 1, "Type": [
                {"Type": "Conflict", "Sum": 4, "AvgLen": 2.5}, {"Type": "Loop", "Sum": 0}
            ]},
        },
        "LP": {
            "Rules": {"Original": 6, "Choice": {"Original": 2}, "Minimize": {"Original": 1}}, "Atoms": 6,
            "Disjunctions": {"Original": 1}, "Bodies": {"Final": 4}, "Tight": "no", "SCCs": 2,
        },
        "Problem": {"Variables": 5, "Eliminated": 3, "Constraints": {"Sum": 8, "Binary": 4, "Ternary": 2}},
        "Yasmin": {
            "device": "cpu", "seed": 7, "propagations": 1000, "answer_sets": 3, "solve_seconds": 0.5,
            "peak_memory_bytes": 4096, "grounding_seconds": 0.123457,
        },
    });
    assert_eq!(Value::Object(got), want);
}

#[test]
fn the_second_level_has_all_of_ours() {
    let own = shaped(&sample(), 2)["Yasmin"].clone();
    assert_eq!(
        (&own["rates"]["learned_average_length"], &own["rates"]["propagations_per_second"]),
        (&2.5.into(), &2000.0.into())
    );
    assert_eq!((&own["options"]["simplify"], &own["bytes_to_device"]), (&true.into(), &64.into()));
    assert!(shaped(&Map::new(), 2).is_empty());
}

#[test]
fn nothing_is_made_up() {
    // Of loop nogoods the length is not counted apart.
    let with_loops = [sample(), Map::from_iter([("unfounded_sets".to_string(), json!(1))])];
    let some = shaped(&with_loops.into_iter().flatten().collect(), 1);
    let want = json!([{"Type": "Conflict", "Sum": 3}, {"Type": "Loop", "Sum": 1}]);
    assert_eq!(some["More"]["Lemma"]["Type"], want);
    // Nobody looked for components.
    let none = json!({"program": {"components": 0, "variables_after": 0}, "answer_sets": 0});
    assert_eq!(shaped(none.as_object().expect("an object"), 1)["LP"]["Tight"], "N/A");
}

#[test]
fn lines_are_clasps_and_then_ours() {
    let want = [
        "Choices      : 10",
        "Conflicts    : 8        (Analyzed: 8)",
        "Restarts     : 2        (Average: 4.00)",
        "Lemmas       : 4        (Deleted: 1)",
        "  Conflict   : 4        (Average Length:    2.5 Ratio: 100.00%)",
        "  Loop       : 0        (Ratio:   0.00%)",
        "",
        "Rules        : 6",
        "  Choice     : 2",
        "  Minimize   : 1",
        "Atoms        : 6",
        "Disjunctions : 1",
        "Bodies       : 4",
        "Tight        : No       (SCCs: 2)",
        "Variables    : 5        (Eliminated:    3)",
        "Constraints  : 8        (Binary:  50.0% Ternary:  25.0% Other:  25.0%)",
        "",
        "Device       : cpu",
        "Seed         : 7",
        "Propagations : 1000     (Per second: 2000)",
        "Answer sets  : 3",
        "Solve sec.   : 0.500",
        "Peak memory  : 4096     bytes",
        "Ground. sec. : 0.123",
    ];
    assert_eq!(lines(&shaped(&sample(), 1)), want);
    let all = lines(&shaped(&sample(), 2));
    assert_eq!(all[..16], want[..16]);
    for line in [
        "Decisions    : 10       (Per second: 20)",
        "Learned      : 4        (Per second: 8 Average Length: 2.5)",
        "To device    : 64       bytes",
        "Nogoods      : 7        (Before: 9)",
        "Learning     : res",
        "Simplify     : true",
    ] {
        assert!(all.iter().any(|l| l == line), "{line} in {all:#?}");
    }
}

/// The sample as the sum of what two searchers on the processor and five in a launch did.
fn of_searchers() -> Map<String, Value> {
    let swarm = |n: u64| {
        json!({"searchers": n, "cubes_given": n, "offered": 2, "imported": 1, "searcher_seconds": 2.0,
               "idle_seconds": 0.5})
    };
    let searcher = |device: &str, n: u64, conflicts: u64| {
        json!({"device": device, "searchers": n, "answer_sets": 1, "decisions": 1, "conflicts": conflicts,
               "restarts": 0, "learned": 4, "learned_literals": 8, "deleted": 0, "unfounded_sets": 0,
               "swarm": swarm(n)})
    };
    let mut all = sample();
    all.insert("swarm".into(), swarm(7));
    let searchers = [searcher("cpu", 1, 1), searcher("cpu", 1, 2), searcher("H200", 5, 5)];
    all.insert("searchers".into(), searchers.into_iter().collect());
    all
}

#[test]
fn searchers_of_the_processor_are_clasps_threads() {
    let got = shaped(&of_searchers(), 2);
    assert_eq!(got["Thread"].as_array().map(Vec::len), Some(2));
    let want = json!({
        "Core": {"Choices": 1, "Conflicts": 2, "Restarts": 0, "RestartAvg": 0.0},
        "More": {
            "Models": 1, "Splits": 1,
            "Lemma": {"Sum": 4, "Deleted": 0, "Type": [
                {"Type": "Conflict", "Sum": 4, "AvgLen": 2.0}, {"Type": "Loop", "Sum": 0}
            ]},
            "Distribution": {"Distributed": 2, "Ratio": 0.5}, "Integration": {"Integrated": 1},
        },
    });
    assert_eq!(got["Thread"][1], want);
    assert_eq!(got["More"]["Integration"], json!({"Integrated": 1, "Ratio": 0.5}));
    let basic = shaped(&of_searchers(), 1);
    assert!(basic.get("Thread").is_none() && basic["Yasmin"].get("searchers").is_none());
    assert_eq!(basic["Yasmin"]["swarm"]["idle_share"], 0.25);
    let classes = &basic["Yasmin"]["swarm"]["classes"];
    assert_eq!((&classes[0]["device"], &classes[0]["searchers"]), (&"cpu".into(), &2.into()));
    assert_eq!((&classes[0]["conflicts"], &classes[1]["searchers"]), (&3.into(), &5.into()));
}

#[test]
fn what_has_passed_is_told_of_each_process() {
    let mut all = of_searchers();
    all.insert("passed".into(), json!({"bytes_in": 10, "bytes_out": 3, "seconds": 2.0}));
    all["searchers"][2]["passed"] = json!({"bytes_in": 3, "bytes_out": 10, "seconds": 4.0});
    let got = shaped(&all, 2);
    let swarm = &got["Yasmin"]["swarm"];
    for (of, want) in [(swarm, json!([10, 5.0, 3, 1.5])), (&swarm["classes"][1], json!([3, 0.75, 10, 2.5]))] {
        let names = ["bytes_in", "bytes_in_per_second", "bytes_out", "bytes_out_per_second"];
        assert_eq!(names.map(|name| of[name].clone()).to_vec(), *want.as_array().expect("is one"));
    }
    assert!(swarm["classes"][0].get("bytes_in").is_none() && got["Yasmin"].get("passed").is_none());
}

#[test]
fn lines_of_searchers_come_last() {
    let all = lines(&shaped(&of_searchers(), 2));
    let from = all.iter().position(|line| line == "============ Thread Stats ============");
    let want = [
        "",
        "[Thread 0]",
        "",
        "Models       : 1",
        "Choices      : 1",
        "Conflicts    : 1        (Analyzed: 1)",
        "Restarts     : 0",
        "Lemmas       : 4        (Deleted: 0)",
        "  Conflict   : 4        (Average Length:    2.0 Ratio: 100.00%)",
        "  Loop       : 0        (Ratio:   0.00%)",
        "  Distributed: 2        (Ratio:  50.00%)",
        "  Integrated : 1",
        "",
        "[Thread 1]",
    ];
    assert_eq!(all[from.expect("there is the heading") + 1..][..want.len()], want);
    for line in [
        "  Integrated : 1        (Ratio:  50.00%)",
        "Cpu          : 2        (Conflicts: 3 Answer sets: 2)",
        "H200         : 5        (Conflicts: 5 Answer sets: 1)",
        "Cubes given  : 7",
        "Idle share   : 0.250",
    ] {
        assert!(all.iter().any(|l| l == line), "{line} in {all:#?}");
    }
}
