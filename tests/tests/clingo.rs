//! The oracle itself against clingo, where clingo is installed.

use std::io::Write;
use std::process::{Command, Stdio};

use serde_json::Value;
use yasmin_tests::oracle;
use yasmin_tests::random::{generate, Knobs};
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
