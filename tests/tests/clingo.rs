//! The oracles themselves against clingo, where clingo is installed.

use std::io::Write;
use std::process::{Command, Stdio};

use serde_json::Value;
use yasmin_tests::oracle;
use yasmin_tests::random::{generate, Knobs};
use yasmin_tests::rich::{self, Meaning};
use yasmin_tests::Spec;

/// The Python that has clingo: the one in `YASMIN_PYTHON` (set by `scripts/test.sh`), else `python3`.
fn python() -> String {
    std::env::var("YASMIN_PYTHON").unwrap_or_else(|_| "python3".into())
}

fn clingo(aspif: &str) -> std::io::Result<Value> {
    let mut child = Command::new(python())
        .args(["-m", "clingo", "--mode=clasp", "0", "--outf=2"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()?;
    child.stdin.take().expect("is piped").write_all(aspif.as_bytes())?;
    Ok(serde_json::from_slice(&child.wait_with_output()?.stdout)?)
}

#[test]
fn the_oracle_agrees_with_clingo() {
    if clingo("asp 1 0 0\n0\n").is_err() {
        eprintln!("SKIPPED: `{} -m clingo` does not run; scripts/setup.sh --tests installs it", python());
        return;
    }
    for seed in yasmin_seeds::seeds(100) {
        let spec = generate(&Knobs::varied(seed), seed);
        let answer = clingo(&spec.to_aspif()).expect("it ran a moment ago");
        let witnesses = answer["Call"][0]["Witnesses"].as_array().cloned().unwrap_or_default();
        let mut theirs: Vec<oracle::Set> = witnesses
            .iter()
            .map(|witness| {
                let names: Vec<&str> =
                    witness["Value"].as_array().expect("a list").iter().filter_map(Value::as_str).collect();
                (0..spec.atoms)
                    .filter(|&a| names.contains(&Spec::name(a).as_str()))
                    .fold(0, |set, a| set | 1 << a)
            })
            .collect();
        theirs.sort_unstable();
        assert_eq!(oracle::answer_sets(&spec), theirs, "seed {seed}\n{}", spec.to_lp());
    }
}

/// Answer sets: the names that are printed, and the costs.
type Models = Vec<(Vec<String>, Vec<i64>)>;

/// What clingo says of each program: see `clingo_answers.py`.
type Answers = (Models, Option<Vec<i64>>, Option<Vec<String>>, Option<Vec<String>>, Models);

fn clingo_answers(programs: &[String]) -> Option<Vec<Option<Answers>>> {
    let mut child = Command::new(python())
        .arg(concat!(env!("CARGO_MANIFEST_DIR"), "/clingo_answers.py"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .ok()?;
    let text = serde_json::to_vec(programs).expect("text");
    child.stdin.take().expect("is piped").write_all(&text).ok()?;
    let output = child.wait_with_output().ok()?;
    output.status.success().then(|| serde_json::from_slice(&output.stdout).expect("what the script says"))
}

/// What is printed, sorted and each name once: clingo's interface gives a set.
fn printed_once(program: &rich::Rich, set: oracle::Set) -> Vec<String> {
    let mut names = rich::printed(program, set);
    names.dedup();
    names
}

/// The seeds are the same in each run: clingo has errors of its own, which others would find.
fn check_rich(seeds: std::ops::RangeInclusive<u64>, generate: impl Fn(u64) -> rich::Rich) {
    if clingo_answers(&[]).is_none() {
        eprintln!("SKIPPED: `{}` has no clingo; scripts/setup.sh --tests installs it", python());
        return;
    }
    let programs: Vec<rich::Rich> = seeds.clone().map(generate).collect();
    let texts: Vec<String> = programs.iter().map(rich::Rich::to_aspif).collect();
    let answers = clingo_answers(&texts).expect("it ran a moment ago");
    let compared = answers.iter().flatten().count();
    assert!(2 * compared >= programs.len(), "clingo takes {compared} of {} programs", programs.len());
    for ((seed, program), answer) in seeds.zip(&programs).zip(answers) {
        // clingo refuses sums of weights of one literal beyond 32 bits.
        let Some(answer) = answer else { continue };
        let (models, optimum, brave, cautious, projected) = answer;
        let meaning = Meaning::of(program);
        let sets = &meaning.answer_sets;
        let note = format!("rich seed {seed}\n{}", program.to_aspif());
        let mut ours: Vec<_> = sets.iter().map(|&set| printed_once(program, set)).collect();
        let mut theirs: Vec<_> = models.into_iter().map(|(names, _)| names).collect();
        ours.sort();
        theirs.sort();
        assert_eq!(ours, theirs, "{note}");
        // clingo's interface tells the low 32 bits of each number.
        let low = |costs: Vec<i64>| costs.into_iter().map(|cost| cost as i32).collect::<Vec<_>>();
        assert_eq!(meaning.optimum().cloned().map(low), optimum.map(low), "{note}");

        let theirs: Vec<_> = projected.iter().map(|(names, _)| whole(program, names)).collect();
        // As many as there are, so that none came twice.
        assert_eq!(theirs.len(), rich::projections(program, sets).len(), "{note}");
        assert_eq!(rich::projections(program, &theirs), rich::projections(program, sets), "{note}");

        let everything = rich::Rich { projection: None, ..program.clone() };
        let mut fewest = program.clone();
        if program.projection.is_some() {
            // What is always printed is missing from what clingo's interface tells then, not from its text.
            // Terms with conditions are told by clingo only if its preprocessing finds that they hold in
            // every answer set.
            fewest.outputs.retain(|(_, condition)| condition.len() == 1 && condition[0] > 0);
        }
        let (least, most) = (rich::consequences(&fewest, sets), rich::consequences(&everything, sets));
        // Where a name has several conditions clingo's interface takes their disjunction, and its text each
        // for itself. The text is what counts.
        let times = |name: &String| program.outputs.iter().filter(|(other, _)| other == name).count();
        let once = |names: Option<Vec<String>>| {
            names.map(|names| names.into_iter().filter(|name| times(name) == 1).collect::<Vec<_>>())
        };
        for [least, theirs, most] in
            [[least.0, brave, most.0], [least.1, cautious, most.1]].map(|all| all.map(once))
        {
            if program.projection.is_none() {
                assert_eq!(theirs, most, "{note}");
                continue;
            }
            // With a projection statement clingo also tells of atoms that its preprocessing found to be true,
            // or to be the same as one of the statement's.
            let within = match (&least, &theirs, &most) {
                (Some(least), Some(theirs), Some(most)) => {
                    least.iter().all(|name| theirs.contains(name))
                        && theirs.iter().all(|name| most.contains(name))
                }
                _ => least.is_none() && theirs.is_none(),
            };
            assert!(within, "{least:?}, {theirs:?}, {most:?}, {note}");
        }
    }
}

/// The set of the atoms that are printed under their own names.
fn whole(program: &rich::Rich, names: &[String]) -> oracle::Set {
    let has = |a: &i32| names.contains(&format!("x{a}"));
    (1..=program.atoms).filter(has).fold(0, |set, a| set | 1 << a)
}

#[test]
fn the_meaning_of_rich_programs_is_clingos() {
    check_rich(1..=600, rich::generate);
}

#[test]
fn the_meaning_of_overlapping_externals_and_outputs_is_clingos() {
    check_rich(1..=600, rich::generate_overlapping);
}

#[test]
fn the_meaning_of_rules_for_externals_is_clingos() {
    check_rich(1..=600, rich::generate_external);
}

#[test]
fn the_meaning_of_programs_with_long_heads_is_clingos() {
    check_rich(1..=600, rich::generate_wide);
}

/// Not of seed 1508, a program with a head cycle of which clingo 5.8.3 loses the answer set {x1, x3, x5}: of
/// its reduct `x4|x2|x1. x4|x3. {x5}.` nothing smaller than that set is a model.
#[test]
fn the_meaning_of_programs_with_many_costs_is_clingos() {
    check_rich(1..=600, rich::generate_weighted);
}
