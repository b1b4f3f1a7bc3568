//! Default options: where they are from, and what is typed counts more.

use super::*;

/// A run with these default options, in the variable and in the file.
fn run_with(variable: &str, file: Option<&str>, arguments: &[&str]) -> (i32, String, String, String) {
    let folder = Folder::new(&format!("defaults-{:?}", thread::current().id()).replace(['(', ')'], ""));
    fs::create_dir_all(folder.path("yasmin")).expect("a folder");
    let name = folder.path("yasmin/options");
    if let Some(text) = file {
        folder.file("yasmin/options", text);
    }
    let mut command = command(arguments);
    command.env("XDG_CONFIG_HOME", &folder.0).env("YASMIN_OPTIONS", variable);
    let mut child = command.spawn().expect("the binary is there");
    // The command may end before it has read everything.
    let _ = child.stdin.take().expect("is piped").write_all(PAIR.as_bytes());
    let (code, out, err) = told(child.wait_with_output().expect("it was started"));
    (code, out, err, name)
}

#[test]
fn what_is_typed_counts_more_than_the_variable_and_the_variable_more_than_the_file() {
    let number = |variable, file, arguments: &[&str]| {
        let (code, out, err, _) = run_with(variable, file, arguments);
        let answers = out.lines().filter(|line| line.starts_with("Answer: ")).count();
        assert_eq!(err, "", "{code} {out}");
        (code, answers)
    };
    assert_eq!(number("", None, &[]), (10, 1));
    assert_eq!(number("", Some("# all\n-n 0\n"), &[]), (30, 2));
    assert_eq!(number("--models=1", Some("-n 0"), &[]), (10, 1));
    assert_eq!(number("--models=1", Some("-n 0"), &["0"]), (30, 2));
    assert_eq!(number("--models=1 --json", Some("-n 0"), &["0", "--outf=0"]), (30, 2));
    assert_eq!(number("--models=0", Some("-n 0"), &["--no-defaults"]), (10, 1));
    assert_eq!(number("--models=0", Some("--what"), &["--no-def"]), (10, 1));
}

#[test]
fn statistics_say_where_default_options_are_from() {
    let (_, out, _, file) = run_with("-n 0", Some("--json --stats"), &[]);
    assert_eq!(json(&out)["Stats"]["Yasmin"]["defaults_from"], format!("YASMIN_OPTIONS, {file}"));
    let (_, out, _, file) = run_with("", Some("-n 0"), &["--stats"]);
    let line = out.lines().find(|line| line.starts_with("Defaults")).unwrap_or_else(|| panic!("{out}"));
    assert!(line.ends_with(&format!(": {file}")), "{line}");
    let (_, out, _, _) = run_with("", Some("# nothing\n"), &["--json", "--stats"]);
    assert!(json(&out)["Stats"]["Yasmin"].get("defaults_from").is_none());
}

#[test]
fn errors_name_file_and_line() {
    for (variable, text, what) in [
        ("", "\n--seed=x\n", ":2: invalid value 'x'"),
        ("", "program.lp", ":1: expected an option"),
        ("", "--such", ":1: there is no option `--such`"),
        ("", "# x\n--version", ":2: `--version` solves nothing"),
        ("", "--schema", ":1: `--schema` solves nothing"),
    ] {
        let (code, out, err, file) = run_with(variable, Some(text), &["--json"]);
        assert!(code == 65 && knows_nothing(&out), "{text:?}: {out}");
        assert!(err.starts_with(&format!("yasmin: error: {file}{what}")), "{text:?}: {err}");
        assert_eq!(json(&out)["ErrorCode"], "usage");
    }
    let (code, _, err, _) = run_with("--seed", None, &[]);
    assert!(code == 65 && err.starts_with("yasmin: error: YASMIN_OPTIONS: "), "{err}");
    // Options that do not fit together, and a typed one that is wrong.
    let (code, _, err, file) = run_with("", Some("--progress"), &[]);
    assert!(
        code == 65 && err.contains(&format!("\nnote: default options are from {file}; --no-defaults")),
        "{err}"
    );
    let (code, _, err, _) = run_with("", Some("--seed=1"), &["--foo"]);
    assert!(code == 65 && err.contains("--foo") && !err.contains("default"), "{err}");
}
