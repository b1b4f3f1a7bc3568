//! Optimisation under each strategy: where `--opt-stop` ends a search, and what a search says that ends
//! early.

use super::*;

const STRATEGIES: [&str; 8] =
    ["auto", "bb", "bb,hier", "bb,inc", "bb,dec", "usc", "usc,oll", "usc,oll,stratify"];

/// The smallest set of nodes that has one of each edge of a circle; each node costs 2.
fn cover_of_circle(nodes: usize) -> String {
    let mut text = String::from("asp 1 0 0\n");
    for a in 1..=nodes {
        let next = a % nodes + 1;
        writeln!(text, "1 1 1 {a} 0 0\n1 0 0 0 2 -{a} -{next}\n4 {} a{a} 1 {a}", 1 + a.to_string().len())
            .expect("a string takes everything");
    }
    let costs: Vec<String> = (1..=nodes).map(|a| format!("{a} 2")).collect();
    writeln!(text, "2 0 {nodes} {}", costs.join(" ")).expect("a string takes everything");
    text + "0\n"
}

/// The costs of the answer sets that were printed.
fn costs(text: &str) -> Vec<i64> {
    let of = |line: &str| line.strip_prefix("Optimization: ").map(|costs| costs.parse().expect("a number"));
    text.lines().filter_map(of).collect()
}

#[test]
fn a_search_ends_once_an_answer_set_is_good_enough() {
    let text = cover_of_circle(9);
    for strategy in STRATEGIES {
        for searchers in [&["-t1"][..], &["-t3", "--join-after=0"]] {
            let strategy = format!("--opt-strategy={strategy}");
            let with = |stop: &str| {
                let (code, out, err) =
                    run(&[searchers, &["--sign-def=pos", &strategy, stop]].concat(), &text);
                assert_eq!(err, "", "{strategy} {stop}");
                (code, out)
            };
            // The optimum is 10. Costs of 14 are enough, and nothing is told after the first such answer set.
            let (code, out) = with("--opt-stop=14");
            let found = costs(&out);
            let (last, before) = found.split_last().expect("an answer set");
            assert!((10..=14).contains(last) && before.iter().all(|&costs| costs > 14), "{strategy}\n{out}");
            let verdict = if code == 30 { "\nOPTIMUM FOUND\n" } else { "\nSATISFIABLE\n" };
            assert!(out.contains(verdict) && (code == 10 || *last == 10), "{strategy}, {code}\n{out}");
            // No answer set is good enough.
            let (code, out) = with("--opt-stop=9");
            assert_eq!((code, costs(&out).last()), (30, Some(&10)), "{strategy}\n{out}");
            assert!(out.contains("\nOPTIMUM FOUND\n"), "{strategy}\n{out}");
        }
    }
}

/// A weighted cover of a random graph with 256 nodes and 3,000 edges: nobody proves its optimum within a
/// second.
fn hard_cover() -> String {
    let nodes = 256;
    let mut text = String::from("asp 1 0 0\n");
    let mut random = 1_u64;
    for a in 1..=nodes {
        writeln!(text, "1 1 1 {a} 0 0").expect("a string takes everything");
        for _ in 0..12 {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let other = 1 + (random >> 33) % nodes;
            if other != a {
                writeln!(text, "1 0 0 0 2 -{a} -{other}").expect("a string takes everything");
            }
        }
    }
    let costs: Vec<String> = (1..=nodes).map(|a| format!("{a} {}", 1 + a % 20)).collect();
    writeln!(text, "2 0 {nodes} {}", costs.join(" ")).expect("a string takes everything");
    text + "0\n"
}

#[test]
fn a_search_that_ends_early_says_honest_bounds() {
    let text = hard_cover();
    let mut gaps = Vec::new();
    for strategy in STRATEGIES {
        let strategy = format!("--opt-strategy={strategy}");
        let (code, out, err) = run(&["-t1", "--time-limit=1", "--json", &strategy], &text);
        let all = json(&out);
        assert_eq!((code, all["Result"].as_str()), (11, Some("SATISFIABLE")), "{strategy}\n{out}{err}");
        let bound = |which: &str| all["Bounds"][which][0].as_i64().expect("a number");
        let (lower, upper) = (bound("Lower"), bound("Upper"));
        assert_eq!(Some(upper), all["Models"]["Costs"][0].as_i64(), "{strategy}\n{out}");
        gaps.push((strategy, lower, upper));
    }
    // What one strategy has proved, no other may contradict.
    let lower = gaps.iter().map(|&(_, lower, _)| lower).max();
    let upper = gaps.iter().map(|&(_, _, upper)| upper).min();
    assert!(lower <= upper && lower > Some(0), "{gaps:?}");
}

/// The searcher that goes by cores searches beside the others. What it does counts in the sums, and in the numbers of
/// a searcher.
#[test]
fn a_search_by_cores_counts_beside_others() {
    let arguments =
        ["-t2", "--join-after=0", "--opt-strategy=usc", "--time-limit=2", "--stats=2", "--json", "-q"];
    let all = json(&run(&arguments, hard_cover()).1);
    let (stats, threads) = (&all["Stats"], all["Stats"]["Thread"].as_array().expect("a list"));
    assert_eq!(threads.len(), 2);
    let number =
        |of: &Value, key: &str| of.pointer(key).and_then(Value::as_u64).unwrap_or_else(|| panic!("{key}"));
    for name in ["cores", "cores_relaxed", "core_literals", "extensions"] {
        assert!(number(stats, &format!("/Yasmin/{name}")) > 0, "{name}: {stats}");
    }
    for key in ["/Core/Choices", "/Core/Conflicts", "/More/Lemma/Sum"] {
        let each = threads.iter().map(|of| number(of, key));
        assert_eq!(each.sum::<u64>(), number(stats, key), "{key}: {stats}");
    }
    assert!(threads.iter().all(|of| number(of, "/Core/Choices") > 0), "{stats}");
    let classes = stats["Yasmin"]["swarm"]["classes"].as_array().expect("a list");
    assert_eq!((classes.len(), &classes[0]["searchers"]), (1, &2.into()), "{stats}");
}
