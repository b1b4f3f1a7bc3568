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

/// An answer set that the search by cores had found before it was told of another one is no reason to believe that all
/// costs of the next priority can be avoided.
#[test]
fn an_answer_set_from_before_a_turn_raises_no_lower_bound() {
    let program = "\
    asp 1 0 0\n\
    1 0 1 1 0 0\n\
    1 0 1 4 0 0\n\
    1 0 1 6 0 2 5 6\n\
    1 0 0 0 2 3 2\n\
    1 0 1 6 0 0\n\
    1 1 4 7 8 9 10 0 0\n\
    1 0 0 0 3 -8 -8 -7\n\
    1 0 0 0 2 -9 -8\n\
    1 0 0 0 3 -9 -8 -10\n\
    1 0 0 0 3 -9 -9 -9\n\
    1 0 0 0 3 -7 -10 -7\n\
    1 0 0 0 3 -10 -8 -8\n\
    1 0 0 0 2 -8 -7\n\
    1 0 0 0 3 -9 -7 -7\n\
    1 1 1 11 0 0\n\
    1 1 12 12 13 14 15 16 17 18 19 20 21 22 23 0 1 11\n\
    1 0 0 0 4 11 -12 -13 -14\n\
    1 0 0 0 4 11 -15 -16 -17\n\
    1 0 0 0 4 11 -18 -19 -20\n\
    1 0 0 0 4 11 -21 -22 -23\n\
    1 0 0 0 2 12 15\n\
    1 0 0 0 2 12 18\n\
    1 0 0 0 2 12 21\n\
    1 0 0 0 2 15 18\n\
    1 0 0 0 2 15 21\n\
    1 0 0 0 2 18 21\n\
    1 0 0 0 2 13 16\n\
    1 0 0 0 2 13 19\n\
    1 0 0 0 2 13 22\n\
    1 0 0 0 2 16 19\n\
    1 0 0 0 2 16 22\n\
    1 0 0 0 2 19 22\n\
    1 0 0 0 2 14 17\n\
    1 0 0 0 2 14 20\n\
    1 0 0 0 2 14 23\n\
    1 0 0 0 2 17 20\n\
    1 0 0 0 2 17 23\n\
    1 0 0 0 2 20 23\n\
    2 2 2 3 0 1 3\n\
    2 1 3 -9 0 9 1 10 2147483647\n\
    2 2 1 -11 2\n\
    4 4 p0x1 1 1\n\
    4 4 p0x2 1 2\n\
    4 4 p0x3 1 3\n\
    4 4 p0x4 1 4\n\
    4 4 p0x5 1 5\n\
    4 4 p0x6 1 6\n\
    4 4 p0x7 1 7\n\
    4 4 p0x8 1 8\n\
    4 4 p0x9 1 9\n\
    4 5 p0x10 1 10\n\
    4 4 p1x1 1 11\n\
    7 0 5 3 1 1 5\n\
    0\n\
";
    let options = [
        "-V0",
        "-q1",
        "-n0",
        "--device=cpu",
        "-t1",
        "--learning=both",
        "--heuristic=domain",
        "--restarts=none",
        "--rephase=0",
        "--save-progress=1",
        "--seed=66993097732640",
        "--no-simplify",
        "--preprocess=none",
        "--longest-head=1",
        "--opt-strategy=turns,1",
        "--near-best=0",
    ];
    let (code, out, err) = run(&options, program);
    assert!(out.contains("Optimization: 5 1\nOPTIMUM FOUND\n"), "{out}{err}");
    assert_eq!(code, 30);
}
