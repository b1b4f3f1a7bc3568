//! Each option of clingo and clasp: known, in `docs/clingo.md`, and accepted or refused as the table says.

use super::super::validated::{Request, Task};
use super::rows::{Effect, Takes, ROWS};
use super::values::OptStop;
use super::*;
use solver_host::program::Modifier;
use solver_host::search::{Heuristic, Portfolio, Restarts, SaveProgress, SignDef};
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::process::Command as Process;

fn request(line: &str) -> Result<Request, clap::Error> {
    let (typed, accepted) = super::super::args::parse(line.split_whitespace().map(OsString::from))?;
    Request::new(typed, accepted)
}

fn accepted(line: &str) -> Request {
    request(line).unwrap_or_else(|error| panic!("{line}: {error}"))
}

/// What is typed of a row: each way that the help shows.
fn lines(row: &Row) -> Vec<String> {
    let name = row.name;
    let long = match row.takes {
        Takes::Nothing => vec![format!("--{name}")],
        Takes::Switch => vec![format!("--{name}"), format!("--no-{name}")],
        Takes::Maybe | Takes::MaybeOrNo => vec![format!("--{name}"), format!("--{name}=1")],
        Takes::Value | Takes::ValueOrNo => vec![format!("--{name}=1"), format!("--{name} 1")],
    };
    let short = row.short.map(|letter| match row.takes {
        Takes::Value | Takes::ValueOrNo => format!("-{letter} 1"),
        _ => format!("-{letter}"),
    });
    long.into_iter().chain(short).collect()
}

#[test]
fn each_row_does_what_the_table_says() {
    for row in ROWS {
        for line in lines(row) {
            let asked = request(&format!("yasmin {line} f.lp"));
            match row.effect {
                Effect::Same(_) => continue,
                Effect::Grounder => {
                    let asked = asked.unwrap_or_else(|error| panic!("{line}: {error}"));
                    assert_eq!(asked.grounding.arguments.len(), 1, "{line}");
                    assert!(asked.grounding.arguments[0].starts_with(&format!("--{}", row.name)), "{line}");
                }
                Effect::Ignored(why) => {
                    let asked = asked.unwrap_or_else(|error| panic!("{line}: {error}"));
                    assert_eq!(asked.notes.len(), 1, "{line}");
                    assert!(asked.notes[0].ends_with(why), "{line}: {:?}", asked.notes);
                }
                Effect::Refused(_) if line.starts_with("--no-") && row.takes == Takes::Switch => {
                    assert!(asked.is_ok_and(|asked| asked.notes.is_empty()), "{line}");
                }
                Effect::Refused(why) => {
                    let told = asked.expect_err(&line).to_string();
                    assert!(told.contains(why), "{line}: {told}");
                }
            }
        }
    }
}

/// The table as the page shows it, the options that mean the same, and those that are ignored, by the reason.
fn table() -> String {
    let mut text = String::from("| option | what yasmin does |\n| --- | --- |\n");
    let mut same: Vec<String> = Vec::new();
    let mut ignored: Vec<(&str, Vec<String>)> = Vec::new();
    for row in ROWS {
        let no = if row.takes.may_be_negated() { "[no-]" } else { "" };
        let value = match row.takes {
            Takes::Nothing | Takes::Switch => "",
            Takes::Maybe | Takes::MaybeOrNo => "[=...]",
            Takes::Value | Takes::ValueOrNo => "=...",
        };
        let short = row.short.map_or(String::new(), |letter| format!(", `-{letter}`"));
        let option = format!("`--{no}{}{value}`{short}", row.name);
        let does = match row.effect {
            Effect::Same("") => {
                same.push(option);
                continue;
            }
            Effect::Same(but) => format!("the same: {but}"),
            Effect::Grounder => "passes the option to the grounder".to_string(),
            Effect::Refused(why) => format!("**refuses** the option: {why}"),
            Effect::Ignored(why) => {
                match ignored.iter_mut().find(|(other, _)| *other == why) {
                    Some((_, options)) => options.push(option),
                    None => ignored.push((why, vec![option])),
                }
                continue;
            }
        };
        text += &format!("| {option} | {does} |\n");
    }
    text += &format!("\nThe same: {}.\n", same.join(", "));
    text += "\nIgnored, with a line that gives the reason:\n\n";
    for (why, options) in ignored {
        text += &format!("- {why}: {}\n", options.join(", "));
    }
    text
}

#[test]
fn the_page_shows_the_table() {
    let page = include_str!("../../../docs/clingo.md");
    let table = table();
    assert!(page.contains(&table), "docs/clingo.md must show this table:\n{table}");
}

/// The long names in what `--help=3` prints.
fn names(help: &str) -> BTreeSet<String> {
    let options = help.split("\nDefault command-line:").next().unwrap_or_default();
    let long = options.lines().filter_map(|line| line.strip_prefix("  --"));
    let word = |rest: &str| {
        let rest = rest.strip_prefix("[no-]").unwrap_or(rest);
        let end = rest.find(|letter: char| !letter.is_ascii_lowercase() && letter != '-');
        rest[..end.unwrap_or(rest.len())].to_string()
    };
    long.map(word).collect()
}

#[test]
fn clingos_and_clasps_help_name_no_other_option() {
    let known: BTreeSet<String> = ROWS.iter().map(|row| row.name.to_string()).collect();
    for (program, arguments) in [
        ("clingo", &["--help=3"][..]),
        ("clasp", &["--help=3"]),
        ("python3", &["-m", "clingo", "--help=3"]),
        (option_env!("YASMIN_PYTHON").unwrap_or("python3"), &["-m", "clingo", "--help=3"]),
    ] {
        let Ok(printed) = Process::new(program).args(arguments).output() else {
            println!("SKIPPED: {program} is not there");
            continue;
        };
        let help = String::from_utf8_lossy(&printed.stdout).into_owned();
        if !help.contains("--help[=<n>]") {
            println!("SKIPPED: {program} {arguments:?} prints no help");
            continue;
        }
        let theirs = names(&help);
        assert!(theirs.len() > 80, "{program}: {theirs:?}");
        let unknown: Vec<_> = theirs.difference(&known).collect();
        assert!(unknown.is_empty(), "{program}: {unknown:?}");
    }
}

#[test]
fn options_with_a_counterpart_set_it() {
    assert_eq!(accepted("yasmin -r L,100").options.restarts, Restarts::Luby(100));
    assert_eq!(accepted("yasmin --restarts=no").options.restarts, Restarts::None);
    for (typed, notes) in [("Vsids", 0), ("vsids,92", 1), ("Berkmin", 1), ("VMTF", 1), ("None", 1)] {
        let asked = accepted(&format!("yasmin --heuristic={typed}"));
        assert_eq!((asked.options.heuristic, asked.notes.len()), (Heuristic::Activity, notes), "{typed}");
    }
    assert_eq!(accepted("yasmin --heuristic=Domain").options.heuristic, Heuristic::Domain);
    assert_eq!(accepted("yasmin --sign-def=pos").options.sign_def, SignDef::Pos);
    assert!(accepted("yasmin --sign-fix").options.sign_fix);
    assert_eq!(accepted("yasmin -d no").options.keep_learned, 1 << 28);
    assert_eq!(accepted("yasmin --deletion=basic,75").notes.len(), 1);
    assert_eq!(accepted("yasmin --restarts=+,10,5").notes.len(), 1);
    assert_eq!(accepted("yasmin --opt-strategy=usc,pmres,4").notes.len(), 1);
    assert_eq!(accepted("yasmin --opt-strategy=usc,oll,stratify").notes.len(), 0);
    assert_eq!(accepted("yasmin --opt-usc-shrink=rgs,5").notes.len(), 1);
    assert_eq!(accepted("yasmin -W none -Wno-other").grounding.arguments, ["--warn=none", "--warn=no-other"]);
}

#[test]
fn presets_yield_to_what_is_typed() {
    assert_eq!(accepted("yasmin --configuration=jumpy").options.restarts, Restarts::Luby(100));
    let typed = accepted("yasmin --configuration=Jumpy --restarts=no");
    assert_eq!(typed.options.restarts, Restarts::None);
    let many = accepted("yasmin --configuration=many");
    assert_eq!((many.options.portfolio, many.notes.len()), (Portfolio::Many, 0));
    let typed = accepted("yasmin --configuration=many --portfolio=seeds");
    assert_eq!(typed.options.portfolio, Portfolio::Seeds);
    assert!(request("yasmin --configuration=fast").is_err());
}

#[test]
fn a_file_of_configurations_yields_to_what_is_typed() {
    let path = std::env::temp_dir().join(format!("yasmin-configuration-{}", std::process::id()));
    let line = |more: &str| format!("yasmin --configuration={} {more}", path.display());
    std::fs::write(&path, "[a](jumpy): --no-deletion --seed 7 --del-max=9\nb: --seed=8\n").expect("a file");
    let read = accepted(&line(""));
    assert_eq!((read.options.restarts, read.options.seed), (Restarts::Luby(100), 7));
    assert_eq!((read.options.keep_learned, read.notes.len()), (1 << 28, 2), "{:?}", read.notes);
    let typed = accepted(&line("--restarts=no --seed=3 -- --seed"));
    assert_eq!((typed.options.restarts, typed.options.seed), (Restarts::None, 3));
    for (text, told) in
        [("a: --nothing=1", ": unexpected argument '--nothing'"), ("\nfoo", ":2: expected `NAME")]
    {
        std::fs::write(&path, text).expect("a file");
        let error = request(&line("")).expect_err(text).to_string();
        assert!(error.contains(&format!("{}{told}", path.display())), "{error}");
    }
    std::fs::remove_file(&path).expect("was there");
}

#[test]
fn long_options_may_be_shortened() {
    assert_eq!(accepted("yasmin --quie=1 --config=jumpy").options.restarts, Restarts::Luby(100));
    assert_eq!(accepted("yasmin --save-p=75").options.save_progress, SaveProgress::Levels(75));
    assert_eq!(accepted("yasmin --score-r=min").notes.len(), 1);
    assert!(request("yasmin --del=1").is_err(), "this is the beginning of several");
}

#[test]
fn tasks_follow_from_mode_and_output() {
    for (line, task, arguments) in [
        ("", Task::Solve, &[][..]),
        ("--mode=clasp", Task::SolveGround, &[]),
        ("--mode=gringo", Task::Ground, &[]),
        ("--text", Task::Ground, &["--text"]),
        ("-o smodels", Task::Ground, &["--output=smodels"]),
        ("--output=intermediate", Task::Ground, &["--output=intermediate"]),
        ("--pre", Task::Simplify, &[]),
        ("--pre=aspif", Task::Simplify, &[]),
    ] {
        let asked = accepted(&format!("yasmin {line} f.lp"));
        assert_eq!((asked.task, &asked.grounding.arguments[..]), (task, &owned(arguments)[..]), "{line}");
    }
    assert!(request("yasmin --pre=smodels").is_err());
}

/// Owned copies, to compare with.
fn owned(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| word.to_string()).collect()
}

#[test]
fn values_are_typed_as_for_clasp() {
    assert_eq!(escaped(r"a\n\t\\"), Ok("a\n\t\\".into()));
    assert!(escaped(r"\x").is_err());
    assert_eq!(atom_format("%s."), Ok((String::new(), ".".into())));
    assert_eq!(atom_format("[%0]"), Ok(("[".into(), "]".into())));
    assert!(atom_format("x").is_err() && atom_format("%s%s").is_err());
    let minimal = dom_mod("5,16").expect("as in the guide").0.expect("a modification");
    assert_eq!((minimal.modifier, minimal.shown, minimal.minimized), (Modifier::False, true, false));
    assert_eq!(dom_mod("false,show"), Ok(DomMod(Some(minimal))));
    assert_eq!(dom_mod("no"), Ok(DomMod(None)));
    assert!(dom_mod("level,scc").is_err() && dom_mod("level,3").is_err() && dom_mod("8").is_err());
    assert_eq!(solve_limit("10").map(|limit| limit.restarts), Ok(u64::MAX));
    assert_eq!(solve_limit("10,2").map(|limit| limit.restarts), Ok(2));
    assert_eq!(opt_stop("1,-2"), Ok(OptStop(Some([1, -2].into()))));
    assert_eq!(opt_stop("no"), Ok(OptStop(None)));
}

#[test]
fn what_changes_a_result_is_refused() {
    for line in [
        "--no-ufs-check",
        "--supp-models --proof=f",
        "-e domRec -t 4",
        "-e domRec --proof=f",
        "--lemma-out=-",
        "--lemma-out=f --assume a",
        "--lemma-out=f --proof=p",
        "--lemma-out-lbd=3",
        "--parse-maxsat --proof=f",
        "-n x",
        "-n -2",
    ] {
        assert!(request(&format!("yasmin {line}")).is_err(), "{line}");
    }
    assert_eq!(accepted("yasmin -n -1").models, None);
}

#[test]
fn what_clasp_negates_is_negated_here() {
    let asked = |line: &str| {
        let words = line.split_whitespace().map(OsString::from);
        super::super::request(words).unwrap_or_else(|error| panic!("{line}: {error:?}"))
    };
    assert_eq!(asked("yasmin --no-restarts").options.restarts, Restarts::None);
    assert_eq!(asked("yasmin --no-deletion").options.keep_learned, 1 << 28);
    let projected = asked("yasmin --no-project");
    assert_eq!(projected.goal.projection, solver_host::search::Projection::No);
    assert_eq!(
        asked("yasmin --no-sat-prepro --no-lookahead --no-contraction --no-update-lbd").notes.len(),
        4
    );
    assert_eq!(asked("yasmin --hcc-out=no --dom-mod=no --stats=off").stats, 0);
}

/// The options of `names` that clasp takes with `--no-` before the name.
#[test]
fn clasp_negates_the_same_options() {
    let negates = |name: &str| {
        let asked = Process::new("clasp").args([&format!("--no-{name}"), "--pre", "/dev/null"]).output();
        asked.map(|ran| !String::from_utf8_lossy(&ran.stderr).contains("unknown option"))
    };
    if negates("such-thing").is_err() {
        println!("SKIPPED: clasp is not there");
        return;
    }
    let clasps = Process::new("clasp").arg("--help=3").output().expect("clasp is there");
    let clasps = names(&String::from_utf8_lossy(&clasps.stdout));
    for row in ROWS.iter().filter(|row| clasps.contains(row.name)) {
        let theirs = negates(row.name).expect("clasp is there");
        let ours =
            row.takes.may_be_negated() || ROWS.iter().any(|other| other.name == format!("no-{}", row.name));
        assert_eq!(ours, theirs, "--no-{}", row.name);
    }
}
