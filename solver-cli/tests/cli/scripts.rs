//! Logic programs with scripts: what scripts print, and which functions `main` are solved. A test needs a
//! grounder that runs the script's language, and says so if there is none.

use super::*;

/// The grounders that run scripts in a language: Debian's gringo and clingo, and clingo's package.
pub fn grounders(language: &str) -> Vec<String> {
    let python = std::env::var("YASMIN_PYTHON").unwrap_or_else(|_| "python3".into());
    let candidates = ["gringo".to_string(), "clingo".to_string(), format!("{python} -m clingo")];
    let script = format!("#script ({language})\n#end.");
    let mut found = candidates.to_vec();
    found.retain(|grounder| run(&["--mode=gringo", "--grounder", grounder], &script).0 == 0);
    if found.is_empty() {
        eprintln!("SKIPPED: no grounder runs scripts in {language}");
    }
    found
}

/// `{a}.`, a part `step` with `{b}.`, and a script in Python with these lines in `main`.
pub fn with_main(lines: &[&str]) -> String {
    let body: String = lines.iter().map(|line| format!("    {line}\n")).collect();
    format!("{{a}}.\n#program step.\n{{b}}.\n#script (python)\ndef main(prg):\n{body}#end.\n")
}

/// The answer sets that `-V0` prints, in order, and without the line of the verdict.
fn sets(out: &str) -> Vec<&str> {
    let mut lines: Vec<&str> = out.lines().filter(|line| *line != "SATISFIABLE").collect();
    lines.sort_unstable();
    lines
}

const GROUND: &str = "prg.ground([('base', [])])";
const STEP: &str = "prg.ground([('step', [])])";

#[test]
fn a_main_of_one_step_is_solved() {
    for grounder in grounders("python") {
        for (lines, want) in [
            (&[GROUND, "prg.solve()"][..], &["", "a"][..]),
            (&[GROUND, STEP, "prg.solve()", "return 1"], &["", "a", "a b", "b"]),
            (
                &["for part in ['base', 'step']: prg.ground([(part, [])])", "prg.solve()"],
                &["", "a", "a b", "b"],
            ),
            (&["prg.add('base', [], ':- a.')", GROUND, "prg.solve(on_model=None)"], &[""]),
            (&[GROUND, "result = prg.solve()"], &["", "a"]),
        ] {
            let text = with_main(lines);
            let (code, out, err) = run(&["-V0", "0", "--grounder", &grounder], &text);
            assert_eq!((code, sets(&out), err.as_str()), (30, want.to_vec(), ""), "{grounder}: {text}");
        }
    }
}

#[test]
fn a_main_that_needs_more_of_the_solver_is_refused() {
    let folder = Folder::new("several-steps");
    for grounder in grounders("python") {
        for (line, lines, word) in [
            (7, &[GROUND, "prg.solve(on_model=print)"][..], "looks at answer sets"),
            (7, &[GROUND, "with prg.solve(yield_=True) as handle: pass"], "looks at answer sets"),
            (
                7,
                &[GROUND, "with prg.solve(async_=True) as handle: handle.model()"],
                "uses `model` of a search",
            ),
            (8, &[GROUND, "prg.solve()", "prg.statistics"], "uses `statistics`"),
            (6, &["prg.configuration.solve.models = 0", GROUND, "prg.solve()"], "uses `configuration`"),
            (6, &["prg.register_propagator(None)", GROUND, "prg.solve()"], "uses `register_propagator`"),
            (6, &["prg.enable_cleanup = False", GROUND, "prg.solve()"], "sets `enable_cleanup`"),
            (5, &[GROUND], "never solves"),
            // No exception that the script may catch.
            (
                9,
                &[GROUND, "prg.solve()", "try:", "    prg.interrupt()", "except BaseException: pass"],
                "`interrupt`",
            ),
        ] {
            let text = with_main(lines);
            let program = folder.file("program.lp", &text);
            let including = folder.file("including.lp", "c.\n#include \"program.lp\".\n");
            for (file, name) in
                [(program.as_str(), program.as_str()), (&including, &program), ("-", "standard input")]
            {
                let (code, out, err) = run(&["--json", "0", "--grounder", &grounder, file], &text);
                assert!(code == 65 && knows_nothing(&out), "{grounder}: {text}{out}");
                let place = format!("yasmin: error: {name}:{line}: the script's function `main` ");
                assert!(err.starts_with(&place) && err.contains(word), "{grounder}: {place}{word}\n{err}");
                assert!(err.ends_with("use `python3 -m yasmin`, or clingo\n"), "{err}");
                assert_eq!(err.lines().count(), 1, "{err}");
            }
        }
    }
}

#[test]
fn a_main_in_lua_is_guarded_as_well() {
    let folder = Folder::new("lua");
    let text = "{a}.\n#program step.\n{b}.\n#script (lua)\nfunction main(prg)\n    prg:ground({{'base', {}}})\n    LINE\n\
        \x20   prg:ground({{'step', {}}})\n    prg:solve()\nend\n#end.\n";
    for grounder in grounders("lua") {
        let arguments = ["-V0", "0", "--grounder", &grounder];
        let (code, out, err) = run(&arguments, text.replace("LINE", "print('1 0 1 9 0 0')"));
        assert_eq!((code, sets(&out)), (30, vec!["", "a", "a b", "b"]), "{err}");
        assert_eq!(err, "1 0 1 9 0 0\n");
        for (line, says, word) in [
            ("prg:solve({on_model = print})", 7, "looks at answer sets"),
            ("prg.configuration.solve.models = 0", 7, "uses `configuration`"),
        ] {
            let program = folder.file("program.lp", &text.replace("LINE", line));
            let (code, _, err) = run(&["--grounder", &grounder, &program], "");
            let place = format!("yasmin: error: {program}:{says}: the script's function `main` {word}");
            assert!(code == 65 && err.starts_with(&place) && err.lines().count() == 1, "{place}\n{err}");
        }
    }
}

#[test]
fn what_a_script_prints_is_no_part_of_the_program() {
    let python = "#script (python)\nimport clingo, os, subprocess, sys\nLINE\ndef f(x):\n    LINE\n    return x\n#end.\na(@f(3)).";
    let lua = "#script (lua)\nLINE\nfunction f(x)\n    LINE\n    return x\nend\n#end.\na(@f(3)).";
    let cases = [
        ("python", python, "print('1 0 1 9 0 0')"),
        ("python", python, "sys.stdout.write('1 0 1 9 0 0\\n')"),
        ("python", python, "sys.__stdout__.write('1 0 1 9 0 0\\n')"),
        ("python", python, "os.system('echo 1 0 1 9 0 0')"),
        ("python", python, "subprocess.run(['echo', '1 0 1 9 0 0'])"),
        ("lua", lua, "print('1 0 1 9 0', 0)"),
        ("lua", lua, "io.write('1 0 1 9 0 0\\n')"),
        ("lua", lua, "io.stdout:write('1 0 1 9 0 0\\n')"),
        ("lua", lua, "os.execute('echo 1 0 1 9 0 0')"),
    ];
    for (language, text, line) in cases {
        let text = text.replace("LINE", line);
        for grounder in grounders(language) {
            let (code, out, err) = run(&["-V0", "0", "--grounder", &grounder], &text);
            assert_eq!((code, out.as_str()), (30, "a(3)\nSATISFIABLE\n"), "{grounder}: {line}: {err}");
            assert_eq!(err.replace('\t', " "), "1 0 1 9 0 0\n".repeat(2), "{grounder}: {line}");
            let (code, out, err) = run(&["--text", "--grounder", &grounder], &text);
            assert_eq!((code, out.as_str(), err.lines().count()), (0, "a(3).\n", 2), "{grounder}: {line}");
            let (code, out, _) = run(&["--mode=gringo", "--grounder", &grounder], &text);
            assert_eq!((code, out.lines().filter(|line| line.contains('9')).count()), (0, 0), "{out}");
        }
    }
}

#[test]
fn errors_in_scripts_keep_their_places() {
    let folder = Folder::new("places");
    let program =
        folder.file("p.lp", "a.\n#script (python)\ndef f(): raise ValueError('why')\n#end.\nb(@f()).\nc(X).");
    let words = |command: &mut Command| {
        String::from_utf8_lossy(&command.output().expect("it runs").stderr).into_owned()
    };
    for grounder in grounders("python").iter().filter(|grounder| !grounder.contains(' ')) {
        let theirs = words(
            Command::new(grounder).arg(&program).args((grounder == "clingo").then_some("--mode=gringo")),
        );
        let (code, _, err) = run(&["--grounder", grounder, &program], "");
        let ours = err.split_once("yasmin: error: ").expect("it fails").0;
        assert_eq!((code, ours), (65, theirs.as_str()));
    }
}

#[test]
fn clingo_grounds_scripts_that_look_at_atoms() {
    let text = with_main(&[
        GROUND,
        "prg.add('base', [], ''.join(':- %s.' % x.symbol for x in prg.symbolic_atoms))",
        "prg.solve()",
    ]);
    let folder = Folder::new("introspection");
    let file = folder.file("p.lp", &text);
    let found = |name: &str| {
        std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default())
            .map(|folder| folder.join(name))
            .find(|path| path.is_file())
    };
    let (Some(gringo), Some(clingo)) = (found("gringo"), found("clingo")) else {
        eprintln!("SKIPPED: gringo or clingo is missing");
        return;
    };
    for (name, path) in [("gringo", &gringo), ("clingo", &clingo)] {
        std::os::unix::fs::symlink(path, folder.path(name)).expect("a link");
        let ran = command(&["-V0", "0", &file]).env("PATH", &folder.0).output().expect("it runs");
        let (code, out, err) = told(ran);
        match name {
            "gringo" if grounders("python").contains(&"gringo".to_string()) => {
                assert_eq!(code, 65, "{err}");
                assert!(err.contains("domain introspection not supported"), "{err}");
                assert!(err.trim_end().ends_with("which yasmin takes by itself"), "{err}");
            }
            "gringo" => {}
            _ => assert_eq!((code, out.as_str(), err.as_str()), (30, "\na\nSATISFIABLE\n", ""), "{err}"),
        }
    }
}

/// yasmin takes clingo's place under the name `clingo`, and does not ground with itself then.
#[test]
fn a_yasmin_that_is_called_clingo_grounds_scripts_with_another_program() {
    if grounders("python").is_empty() {
        return;
    }
    let folder = Folder::new("called-clingo");
    let file = folder.file("p.lp", &with_main(&[GROUND, "prg.solve()"]));
    let link = folder.path("clingo");
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = std::iter::once(folder.0.clone()).chain(std::env::split_paths(&path));
    let path = std::env::join_paths(folders).expect("a path");
    let yasmin = env!("CARGO_BIN_EXE_yasmin");
    for is_script in [false, true] {
        if is_script {
            fs::remove_file(&link).expect("the link");
            folder.file("clingo", &format!("#!/bin/sh\nexec '{yasmin}' \"$@\"\n"));
        } else {
            std::os::unix::fs::symlink(yasmin, &link).expect("a link");
        }
        let ran = std::process::Command::new(&link).args(["-V0", "0", &file]).env("PATH", &path).output();
        let (code, out, err) = told(ran.expect("it runs"));
        assert_eq!((code, err.as_str()), (30, ""), "{out}");
    }
}
