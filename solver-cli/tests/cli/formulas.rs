//! Formulas with costs, in WCNF and OPB: what is printed is what clasp prints, and the optima are those of all
//! assignments.

use super::dimacs::{clasp, comparable};
use super::*;

/// Small numbers that follow from a seed (Knuth's generator MMIX).
struct Dice(u64);

impl Dice {
    fn below(&mut self, n: u64) -> i64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) % n) as i64
    }

    /// A number close to what 31, 32, 53, 62, 63 or 64 bits hold, or a small or a larger one.
    fn heavy(&mut self) -> i128 {
        let bits = [0, 31, 32, 53, 62, 63, 64, 80][self.below(8) as usize];
        (1i128 << bits) - 1 + i128::from(self.below(3)) + i128::from(bits == 0)
    }

    fn literal(&mut self, variables: i64) -> i64 {
        let variable = 1 + self.below(variables as u64);
        if self.below(2) == 0 {
            -variable
        } else {
            variable
        }
    }
}

/// Coefficients, each with a product of literals.
type Sum = Vec<(i128, Vec<i64>)>;

/// The costs of an assignment, which says of a variable whether it is true; `None` if the formula does not hold.
type Costs = dyn Fn(&dyn Fn(i64) -> bool) -> Option<i128>;

/// What a formula means: the costs of an assignment, or none if the assignment is no model.
struct Formula {
    variables: i64,
    text: String,
    costs: Box<Costs>,
    /// Whether there is something to minimize.
    has_costs: bool,
    /// Whether clasp reads the formula, and reads it rightly.
    is_clasps: bool,
}

impl Formula {
    /// The costs of all models, by trying all assignments.
    fn models(&self) -> impl Iterator<Item = i128> + '_ {
        let of = |set: u32| (self.costs)(&|lit: i64| (set >> (lit.abs() - 1) & 1 == 1) == (lit > 0));
        (0..1 << self.variables).filter_map(of)
    }

    /// The least costs of a model.
    fn optimum(&self) -> Option<i128> {
        self.models().min()
    }
}

/// A disjunction with its weight; none if it is hard.
type Weighted = (Option<i128>, Vec<i64>);

fn random_wcnf(seed: u64) -> (Vec<Weighted>, i64) {
    let mut dice = Dice(seed);
    let variables = 1 + dice.below(7);
    let number = dice.below(3 * variables as u64);
    let disjunctions = (0..number).map(|_| {
        let weight = (dice.below(3) > 0).then(|| i128::from(1 + dice.below(9)));
        let length = if weight.is_some() { dice.below(4) } else { 1 + dice.below(3) };
        (weight, (0..length).map(|_| dice.literal(variables)).collect())
    });
    (disjunctions.collect(), variables)
}

/// A formula in WCNF, with a header that names the weight of hard disjunctions, or without one.
fn of_wcnf(disjunctions: Vec<Weighted>, variables: i64, top: Option<i128>) -> Formula {
    let has_header = top.is_some();
    let mut text = match top {
        Some(top) => format!("c x\np wcnf {variables} {} {top}\n", disjunctions.len()),
        // The first disjunction tells the format.
        None => String::new(),
    };
    for (weight, lits) in &disjunctions {
        let hard = || top.map_or("h".into(), |top| top.to_string());
        text += &weight.map_or_else(hard, |weight| weight.to_string());
        lits.iter().for_each(|lit| text += &format!(" {lit}"));
        text += " 0\n";
    }
    if !has_header {
        text += &format!("h {variables} -{variables} 0\n");
    }
    let costs = move |holds: &dyn Fn(i64) -> bool| {
        let violated = disjunctions.iter().filter(|(_, lits)| !lits.iter().any(|&lit| holds(lit)));
        violated.map(|&(weight, _)| weight).sum::<Option<i128>>()
    };
    Formula { variables, text, costs: Box::new(costs), has_costs: true, is_clasps: has_header }
}

/// A formula in OPB. In a heavy one most numbers have up to 81 bits.
fn random_opb(seed: u64, is_heavy: bool) -> Formula {
    let mut dice = Dice(seed);
    let variables = 1 + dice.below(6);
    let heavy = |dice: &mut Dice, number: i64| match is_heavy && dice.below(5) > 0 {
        true => i128::from(number.signum()) * dice.heavy(),
        false => number.into(),
    };
    let sum = |dice: &mut Dice| -> Sum {
        (0..1 + dice.below(4))
            .map(|_| {
                let factors = if dice.below(4) == 0 { 2 } else { 1 };
                let by = dice.below(9) - 3;
                (heavy(dice, by), (0..factors).map(|_| dice.literal(variables)).collect())
            })
            .collect()
    };
    let costs = (dice.below(4) > 0).then(|| sum(&mut dice));
    let is_soft = costs.is_none() && dice.below(2) == 0;
    let top = (is_soft && dice.below(2) == 0).then(|| 1 + dice.below(12));
    let top = top.map(|top| heavy(&mut dice, top));
    let constraints: Vec<(Sum, bool, i128, Option<i128>)> = (0..dice.below(5))
        .map(|_| {
            let terms = sum(&mut dice);
            let weight = (is_soft && dice.below(3) > 0).then(|| 1 + dice.below(6));
            let (is_equation, bound) = (dice.below(4) == 0, dice.below(8) - 3);
            let weight = weight.map(|weight| heavy(&mut dice, weight));
            (terms, is_equation, heavy(&mut dice, bound), weight)
        })
        .collect();
    let written = |terms: &Sum| -> String {
        let literal = |lit: &i64| format!("{}x{} ", if *lit < 0 { "~" } else { "" }, lit.abs());
        terms
            .iter()
            .map(|(by, lits)| format!("{by:+} {}", lits.iter().map(literal).collect::<String>()))
            .collect()
    };
    let mut text = format!(
        "* #variable= {variables} #constraint= {} #product= 9 sizeproduct= 18{}\n",
        constraints.len(),
        if is_soft {
            format!(" #soft= {} mincost= 1 maxcost= 6 sumcost= 40", constraints.len())
        } else {
            String::new()
        }
    );
    if let Some(costs) = &costs {
        text += &format!("min: {};\n", written(costs));
    }
    if is_soft {
        text += &format!("soft: {};\n", top.map_or(String::new(), |top| format!("{top} ")));
    }
    for (terms, is_equation, bound, weight) in &constraints {
        let weight = weight.map_or(String::new(), |weight| format!("[{weight}] "));
        text += &format!("{weight}{}{} {bound} ;\n", written(terms), if *is_equation { "=" } else { ">=" });
    }
    // clasp reads no `soft:` without a bound, and solves some equations wrongly in which a variable is repeated or a
    // coefficient is more than the bound.
    let is_odd = |terms: &Sum, bound: i128| {
        let least = terms.iter().map(|&(by, _)| -by.min(0)).sum::<i128>() + bound;
        let variables: Vec<i64> = terms.iter().flat_map(|(_, lits)| lits).map(|lit| lit.abs()).collect();
        terms.iter().any(|(by, _)| by.abs() > least)
            || (1..variables.len()).any(|at| variables[..at].contains(&variables[at]))
    };
    let is_clasps = !is_heavy
        && (!is_soft || top.is_some())
        && !constraints.iter().any(|(terms, is, bound, _)| *is && is_odd(terms, *bound));
    let has_costs = costs.is_some() || is_soft;
    let costs = move |holds: &dyn Fn(i64) -> bool| {
        let value = |terms: &Sum| {
            let held = terms.iter().filter(|(_, lits)| lits.iter().all(|&lit| holds(lit)));
            held.map(|&(by, _)| by).sum::<i128>()
        };
        let is_kept = |terms: &Sum, is_equation: bool, bound: i128| {
            if is_equation {
                value(terms) == bound
            } else {
                value(terms) >= bound
            }
        };
        let violated = constraints.iter().filter(|(terms, is, bound, _)| !is_kept(terms, *is, *bound));
        let soft = violated.map(|&(.., weight)| weight).sum::<Option<i128>>()?;
        let is_cheap = top.is_none_or(|top| soft < top);
        is_cheap.then(|| soft + costs.as_ref().map_or(0, value))
    };
    Formula { variables, text, costs: Box::new(costs), has_costs, is_clasps }
}

/// Compares a run on a formula with all assignments. Returns whether there is a model.
fn compare(formula: &Formula, seed: u64) -> bool {
    compare_with(formula, seed, &[])
}

/// The same, with other options besides.
fn compare_with(formula: &Formula, seed: u64, options: &[&str]) -> bool {
    let Formula { text, .. } = formula;
    let (code, out, err) = run(&[&["-V0", "--check=all"][..], options].concat(), text);
    let want = formula.optimum();
    let words = match want {
        None => "s UNSATISFIABLE",
        Some(_) if formula.has_costs => "s OPTIMUM FOUND",
        Some(_) => "s SATISFIABLE",
    };
    assert_eq!((out.lines().last(), err.as_str()), (Some(words), ""), "seed {seed}:\n{text}\n{out}");
    let exit = match want {
        None => code == 20,
        Some(_) if formula.has_costs => code == 30,
        // One model is asked for, and there may be no other.
        Some(_) => code == 10 || code == 30,
    };
    assert!(exit, "seed {seed}: exit code {code}:\n{text}");
    let Some(want) = want else { return false };
    let costs = out.lines().filter_map(|line| line.strip_prefix("o ")).next_back();
    assert_eq!(
        costs.map(|costs| costs.parse()),
        formula.has_costs.then_some(Ok(want)),
        "seed {seed}:\n{text}\n{out}"
    );
    // The last assignment that is told is the one that costs so much.
    let from = out.rfind("c Answer").or_else(|| out.find('v')).expect("an assignment");
    let told: Vec<i64> = out[from..]
        .lines()
        .filter_map(|line| line.strip_prefix("v "))
        .flat_map(|line| {
            line.split_whitespace().map(|word| word.replace('x', "").parse().expect("a literal"))
        })
        .collect();
    let last: Vec<i64> = told
        [told.len() - told.iter().rposition(|&lit| lit.abs() == 1).map_or(0, |at| told.len() - at)..]
        .iter()
        .copied()
        .filter(|&lit| lit != 0)
        .collect();
    assert_eq!(last.len() as i64, formula.variables, "seed {seed}:\n{text}\n{out}");
    assert_eq!((formula.costs)(&|lit| last.contains(&lit)), Some(want), "seed {seed}:\n{text}\n{out}");
    true
}

/// Compares a run on a formula with one of clasp.
fn compare_with_clasp(formula: &Formula, seed: u64) {
    let Formula { text, .. } = formula;
    let Some((code, theirs)) = clasp(&["-V0", "-q1", "0"], text) else { return };
    // clasp takes a sum that never equals its number, such as `+3 x1 = 4`, for one that does.
    if formula.optimum().is_none() && code != 20 {
        return;
    }
    let (our_code, ours, _) = run(&["-V0", "-q1", "0"], text);
    let facts = |out: &str| -> Vec<String> {
        out.lines()
            .filter(|line| line.starts_with("o ") || line.starts_with("s "))
            .map(String::from)
            .collect()
    };
    // clasp forgets soft disjunctions that it finds satisfied while it reads, and then there are no costs.
    let is_free = facts(&theirs) == ["s SATISFIABLE"] && formula.has_costs && formula.optimum() == Some(0);
    let theirs_facts = if is_free { vec!["o 0".into(), "s OPTIMUM FOUND".into()] } else { facts(&theirs) };
    assert_eq!((our_code, facts(&ours)), (code, theirs_facts), "seed {seed}:\n{text}\n{theirs}");
}

/// A formula of which soft disjunctions contradict each other in many ways, so that its optimum takes long.
pub fn contradictory() -> String {
    let mut dice = Dice(7);
    let line = |_| format!("1 {} {} 0\n", dice.literal(60), dice.literal(60));
    "p wcnf 60 600 1000\n".to_string() + &(0..600).map(line).collect::<String>()
}

#[test]
fn optima_of_wcnf_are_those_of_all_assignments_and_of_clasp() {
    let (mut models, seeds) = (0, yasmin_seeds::seeds(150));
    let tried = seeds.end - seeds.start;
    for seed in seeds {
        let (disjunctions, variables) = random_wcnf(seed);
        models += compare(&of_wcnf(disjunctions.clone(), variables, None), seed) as u64;
        let older = of_wcnf(disjunctions, variables, Some(100));
        compare(&older, seed);
        compare_with_clasp(&older, seed);
    }
    assert!(models > tried / 4 && models < tried, "{models} have a model");
}

#[test]
fn optima_of_opb_are_those_of_all_assignments_and_of_clasp() {
    let (mut models, mut compared, seeds) = (0, 0, yasmin_seeds::seeds(150));
    let tried = seeds.end - seeds.start;
    for seed in seeds {
        let formula = random_opb(seed, false);
        models += compare(&formula, seed) as u64;
        if formula.is_clasps {
            compared += 1;
            compare_with_clasp(&formula, seed);
        }
    }
    assert!(models > tried / 4 && models < tried, "{models} have a model");
    assert!(compared > tried / 3, "{compared} were compared with clasp");
}

/// What an optimum of costs is that are never there, in every format.
#[test]
fn costs_that_cannot_be_are_0() {
    let line = "* #variable= 1 #constraint= 1\n";
    let opb = |objective: &str| format!("{line}{objective}1 x1 >= 1 ;\n");
    for (text, value) in [
        ("h 3 0\n".to_string(), "v -1 -2 3 0\n"),
        ("h 1 -1 0\n5 1 -1 0\n".to_string(), "v -1 0\n"),
        ("p wcnf 1 1 5\n5 1 0\n".to_string(), "v 1 0\n"),
        ("p wcnf 1 0\n".to_string(), "v -1 0\n"),
        (opb("min: ;\n"), "v x1\n"),
        (opb("min: 0 x1 ;\n"), "v x1\n"),
        (opb("soft: 5 ;\n"), "v x1\n"),
        (opb("soft: 5 ;\n[2] 1 x1 >= 0 ;\n"), "v x1\n"),
    ] {
        for options in [&["-V0", "-q1"][..], &["-V0", "--outf=1", "-q1"]] {
            let (code, out, err) = run(options, &text);
            let facts: Vec<&str> = out.split_inclusive('\n').filter(|line| !line.starts_with("v ")).collect();
            assert_eq!((code, &facts[..], &err[..]), (30, &["o 0\n", "s OPTIMUM FOUND\n"][..], ""), "{text}");
            assert!(out.contains(value) || text.starts_with("h 3"), "{text}{out}");
        }
        let (code, out, _) = run(&["--json"], &text);
        let document = json(&out);
        let known = [&document["Result"], &document["Models"]["Optimum"], &document["Models"]["Costs"][0]];
        assert_eq!(
            (code, known.map(ToString::to_string)),
            (30, ["\"OPTIMUM FOUND\"", "\"yes\"", "0"].map(String::from)),
            "{text}"
        );
    }
    // The same of a ground program; clasp says so as well.
    for minimize in ["2 0 0\n", "2 0 1 1 0\n"] {
        let text = format!("asp 1 0 0\n1 1 1 1 0 0\n{minimize}4 1 a 1 1\n0\n");
        let (code, out, _) = run(&["-V0"], &text);
        assert!(code == 30 && out.ends_with("Optimization: 0\nOPTIMUM FOUND\n"), "{out}");
    }
    // Nothing is minimized without an objective.
    assert_eq!(run(&["-V0"], opb("")).1, "v x1\ns SATISFIABLE\n");
}

#[test]
fn a_formula_without_its_first_line_is_no_weighted_one() {
    for text in ["1 2 0\n2 3 0\n", "-1 2 0\n", "c x\n1 2 0\n-1 0\n"] {
        let (code, out, err) = run(&["-V0"], text);
        let told = "a formula without a line `p cnf` or `p wcnf`, and without hard disjunctions (`h`)";
        assert!(code == 65 && !out.contains("FOUND") && err.contains(told), "{text}{out}{err}");
    }
    let (code, out, _) = run(&["-V0", "-q1", "--parse-maxsat"], "3 1 0\n2 -1 0\n");
    assert_eq!((code, out.as_str()), (30, "v 1 0\no 2\ns OPTIMUM FOUND\n"));
}

/// Ways to an optimum.
const WAYS: [&[&str]; 7] = [
    &[],
    &["--opt-strategy=bb"],
    &["--opt-strategy=usc"],
    &["--opt-strategy=bb,hier"],
    &["--opt-strategy=bb,inc"],
    &["--opt-strategy=bb,dec"],
    &["-t2"],
];

/// Compares what is found of a formula with heavy weights with all assignments: the optimum, how many models have it,
/// and how many cost at most as much as some model. Returns whether costs have more than 64 bits.
fn compare_heavy(formula: &Formula, seed: u64) -> bool {
    if !compare_with(formula, seed, WAYS[seed as usize % WAYS.len()]) || !formula.has_costs {
        return false;
    }
    let mut costs: Vec<i128> = formula.models().collect();
    costs.sort_unstable();
    let middle = costs[costs.len() / 2];
    for (mode, most) in [("optN".to_string(), costs[0]), (format!("enum,{middle}"), middle)] {
        let (_, out, _) =
            run(&["--json", "-q", "0", &format!("--opt-mode={mode}"), "--check=all"], &formula.text);
        let models = &json(&out)["Models"];
        let found = if mode == "optN" { &models["Optimal"] } else { &models["Number"] };
        let want = costs.iter().filter(|&&cost| cost <= most).count();
        assert_eq!(found, want, "seed {seed}, {mode}:\n{}\n{out}", formula.text);
    }
    costs[0].abs() >= 1 << 64
}

#[test]
fn weights_have_any_size() {
    let (mut beyond, seeds) = ([0; 3], yasmin_seeds::seeds(150));
    let tried = seeds.end - seeds.start;
    for seed in seeds {
        let (mut disjunctions, variables) = random_wcnf(seed);
        let mut dice = Dice(seed ^ 64);
        disjunctions.iter_mut().flat_map(|(weight, _)| weight).for_each(|weight| *weight = dice.heavy());
        beyond[0] += u64::from(compare_heavy(&of_wcnf(disjunctions.clone(), variables, None), seed));
        beyond[1] += u64::from(compare_heavy(&of_wcnf(disjunctions, variables, Some(1 << 100)), seed));
        beyond[2] += u64::from(compare_heavy(&random_opb(seed, true), seed));
    }
    assert!(beyond.iter().all(|&beyond| beyond > 0) && beyond.iter().sum::<u64>() > tried / 5, "{beyond:?}");
}

#[test]
fn large_costs_are_told_in_every_way() {
    for bits in [31, 32, 53, 62, 63, 64, 90] {
        let weight = if bits == 53 { (1i128 << bits) + 1 } else { (1i128 << bits) - 1 };
        let text = format!("h 1 2 0\n{weight} -1 0\nh -2 0\n");
        let lines = format!("v 1 -2 0\no {weight}\ns OPTIMUM FOUND\n");
        for options in WAYS {
            assert_eq!(run(&[&["-V0", "-q1"][..], options].concat(), &text).1, lines, "{options:?}");
        }
        let (_, out, _) = run(&["--json", "--stats"], &text);
        json(&out);
        let dense: String = out.split_whitespace().collect();
        let told = dense.matches(&format!("\"Costs\":[{weight}]")).count();
        assert!(told > 1 && told == dense.matches("\"Costs\"").count(), "{out}");
        for (mode, code) in [(format!("opt,{weight}"), 30), (format!("opt,{}", weight - 1), 20)] {
            assert_eq!(run(&[&format!("--opt-mode={mode}"), "--device=cpu"], &text).0, code, "{mode}");
        }
        // A coefficient with a sign.
        let text = format!("* #variable= 2 #constraint= 0\nmin: -{weight} x1 ;\n");
        assert_eq!(run(&["-V0", "-q1"], &text).1, format!("v x1 -x2\no -{weight}\ns OPTIMUM FOUND\n"));
    }
    let (code, _, err) = run(&[], "h 1 0\n1237940039285380274899124224 -1 0\n1 2 0\n");
    assert_eq!((code, err.lines().count()), (65, 1), "{err}");
    assert!(
        err.contains("standard input:3: the weights add up to more than 1237940039285380274899124224"),
        "{err}"
    );
}

#[test]
fn heavy_weights_are_written_as_aspif_and_read() {
    let heavy = format!("h 1 2 0\n{} -1 0\n{} -2 0\n", i64::MAX - 9, 8);
    let (code, aspif, err) = run(&["--pre"], &heavy);
    assert_eq!((code, err.as_str()), (0, ""));
    let (_, out, _) = run(&["--json", "-q"], &aspif);
    assert_eq!(json(&out)["Models"]["Costs"], serde_json::json!([8]));
}

#[test]
fn comments_of_the_maxsat_evaluations_are_comments() {
    for rest in ["h 1 2 0\n3 -1 0\n2 -2 0\n", "p wcnf 2 3 9\n9 1 2 0\n3 -1 0\n2 -2 0\n"] {
        let text = format!("c Standardized MaxSat Instance\nc{{\nc \"nvars\": 2,\nc}}\nc-------\n{rest}");
        let (code, out, err) = run(&["-V0", "-q1"], &text);
        assert_eq!(
            (code, out.as_str(), err.as_str()),
            (30, "v -1 2 0\no 2\ns OPTIMUM FOUND\n", ""),
            "{text}"
        );
    }
}

#[test]
fn each_disjunction_is_soft_if_that_is_asked_for() {
    let mut least = 0;
    for seed in yasmin_seeds::seeds(50) {
        let (disjunctions, variables) = random_wcnf(seed);
        let ones: Vec<Weighted> = disjunctions.into_iter().map(|(_, lits)| (Some(1), lits)).collect();
        let mut text = format!("c x\np cnf {variables} {}\n", ones.len());
        for (_, lits) in &ones {
            lits.iter().for_each(|lit| text += &format!("{lit} "));
            text += "0\n";
        }
        let formula = Formula { text, ..of_wcnf(ones, variables, Some(100)) };
        let (code, out, _) = run(&["-V0", "--check=all", "--parse-maxsat"], &formula.text);
        let costs = out.lines().filter_map(|line| line.strip_prefix("o ")).next_back();
        let want = formula.optimum().filter(|_| formula.has_costs);
        assert_eq!(costs.map(|costs| costs.parse()), want.map(Ok), "seed {seed}:\n{}\n{out}", formula.text);
        assert!(code == 30 || !formula.has_costs, "seed {seed}: exit code {code}");
        least += want.unwrap_or(0);
        let Some((_, theirs)) = clasp(&["-V0", "-q1", "0", "--parse-maxsat"], &formula.text) else {
            continue;
        };
        let theirs = theirs.lines().filter_map(|line| line.strip_prefix("o ")).next_back();
        // clasp forgets costs that it finds to be 0 while it reads.
        assert_eq!(theirs.unwrap_or("0"), costs.unwrap_or("0"), "seed {seed}:\n{}", formula.text);
    }
    assert!(least > 0);
    // Weights that are written count, and what is no formula in DIMACS is refused.
    assert_eq!(run(&["-V0", "-q1", "--parse-maxsat"], WEIGHTED).1, run(&["-V0", "-q1"], WEIGHTED).1);
    for input in [LINEAR, PAIR] {
        let (code, _, err) = run(&["--parse-maxsat"], input);
        assert!(code == 65 && err.contains("leave --parse-maxsat out"), "{err}");
    }
}

const WEIGHTED: &str = "c x\np wcnf 3 4 10\n10 1 2 0\n10 -1 3 0\n3 -3 0\n4 -2 0\n";
const LINEAR: &str = "* #variable= 3 #constraint= 1\nmin: +2 x1 +3 x2 -1 x3 ;\n+1 x1 +1 x2 >= 1 ;\n";

#[test]
fn text_is_clasps_line_by_line() {
    for (formula, options) in [
        (WEIGHTED, "--opt-strategy=bb -q1"),
        (WEIGHTED, "-q1,0 --opt-mode=enum,3 0"),
        (WEIGHTED, "--opt-mode=ignore 0"),
        (WEIGHTED, "-q"),
        (LINEAR, "-q1"),
        (LINEAR, "-q1 -V0"),
        (LINEAR, "-q2 --outf=1"),
        (LINEAR, "--opt-mode=ignore 0 -q0"),
        (LINEAR, "--opt-mode=enum,1 0 -q0"),
        (LINEAR, "--outf=3"),
    ] {
        let arguments: Vec<&str> = options.split_whitespace().collect();
        let (code, ours, _) = run(&arguments, formula);
        let Some((their_code, theirs)) = clasp(&arguments, formula) else { return };
        // How many models lead to the optimum differs.
        let counted = |text: &str| -> Vec<String> {
            let lines = comparable(text).into_iter();
            lines.filter(|line| !line.starts_with("c Models") && !line.starts_with("c Answer")).collect()
        };
        assert_eq!((code, counted(&ours)), (their_code, counted(&theirs)), "`{options}` on {formula}");
    }
    let (code, out, _) = run(&["-V0"], LINEAR);
    assert!(code == 30 && out.ends_with("o 1\nv x1 -x2 x3\ns OPTIMUM FOUND\n"), "{out}");
    let (_, out, _) = run(&["--json"], LINEAR);
    let document = json(&out);
    let witnesses = document["Call"][0]["Witnesses"].as_array().expect("a list");
    assert_eq!(witnesses.last().expect("one")["Value"], serde_json::json!([1, -2, 3]));
    assert_eq!(run(&["--assume=x2,-x1", "-V0", "-q1"], LINEAR).1, "v -x1 x2 x3\no 2\ns OPTIMUM FOUND\n");
}
