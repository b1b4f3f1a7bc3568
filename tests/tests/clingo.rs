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
    for seed in 1000..1100 {
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

/// What clingo says of each program: see `clingo_answers.py`.
type Answers = (Vec<(Vec<String>, Vec<i64>)>, Option<Vec<i64>>, Option<Vec<String>>, Option<Vec<String>>);

fn clingo_answers(programs: &[String]) -> Option<Vec<Answers>> {
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

#[test]
fn the_meaning_of_rich_programs_is_clingos() {
    if clingo_answers(&[]).is_none() {
        eprintln!("SKIPPED: `{}` has no clingo; scripts/setup.sh --tests installs it", python());
        return;
    }
    let seeds: Vec<u64> = (1..=600).collect();
    let programs: Vec<rich::Rich> = seeds.iter().map(|&seed| rich::generate(seed)).collect();
    let texts: Vec<String> = programs.iter().map(rich::Rich::to_aspif).collect();
    let answers = clingo_answers(&texts).expect("it ran a moment ago");
    for ((seed, program), (models, optimum, brave, cautious)) in seeds.iter().zip(&programs).zip(answers) {
        let meaning = Meaning::of(program);
        let mut ours: Vec<(Vec<String>, Vec<i64>)> =
            meaning.answer_sets.iter().map(|&set| (rich::printed(program, set), vec![])).collect();
        let mut theirs: Vec<(Vec<String>, Vec<i64>)> =
            models.into_iter().map(|(names, _)| (names, vec![])).collect();
        ours.sort();
        theirs.sort();
        let note = format!("rich seed {seed}\n{}", program.to_aspif());
        assert_eq!(ours, theirs, "{note}");
        assert_eq!(meaning.optimum().cloned(), optimum, "{note}");
        // With a projection statement clingo also tells what it found to be true before the search.
        if program.projection.is_none() {
            let (mine_brave, mine_cautious) = rich::consequences(program, &meaning.answer_sets);
            assert_eq!((mine_brave, mine_cautious), (brave, cautious), "{note}");
        }
    }
}
