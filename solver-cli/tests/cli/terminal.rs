//! What a terminal shows: progress on standard error, and results that it leaves alone.

use super::*;

/// What the command writes to standard error when that is a terminal; and what it writes to standard output, if that is
/// the same terminal.
fn on_a_terminal(arguments: &[&str], input: &str, with_results: bool) -> String {
    let terminal = nix::pty::openpty(None, None).expect("a terminal");
    let mut command = command(arguments);
    if with_results {
        command.stdout(terminal.slave.try_clone().expect("a file"));
    }
    let mut child = command.stderr(terminal.slave).spawn().expect("the binary is there");
    drop(command);
    child.stdin.take().expect("is piped").write_all(input.as_bytes()).expect("is read");
    let mut told = Vec::new();
    let mut master = std::fs::File::from(terminal.master);
    let reader = thread::spawn(move || {
        let mut some = [0; 4096];
        // The end of a terminal is an error.
        while let Ok(n @ 1..) = master.read(&mut some) {
            told.extend_from_slice(&some[..n]);
        }
        String::from_utf8_lossy(&told).into_owned()
    });
    child.wait_with_output().expect("it was started");
    reader.join().expect("no panic")
}

#[test]
fn a_long_search_tells_how_it_goes_on_a_terminal_only() {
    let long = ["0", "--time-limit", "2", "-q"];
    let told = on_a_terminal(&long, &pairs(60), false);
    assert!(told.contains(" s: 0 conflicts, ") && told.contains(" decisions, "), "{told:?}");
    assert_eq!(on_a_terminal(&["0"], PAIR, false), "");
    assert_eq!(on_a_terminal(&["0", "--time-limit", "2", "-q", "-V0"], &pairs(60), false), "");
    assert_eq!(run(&long, pairs(60)).2, "");
}

#[test]
fn grounding_tells_how_it_goes() {
    let folder = Folder::new("slow");
    let program = folder.file("f.lp", "a.");
    let script = "#!/bin/sh\nprintf 'asp 1 0 0\\n'\nsleep 1.7\nprintf '0\\n'\n";
    let grounder = folder.file("slow-grounder", script);
    let arguments = ["--grounder", &grounder, &program];
    let told = on_a_terminal(&arguments, "", false);
    assert!(told.contains("1 s: grounding, 0.0 MB read"), "{told:?}");
    assert_eq!(on_a_terminal(&["--grounder", &grounder, &program, "-V0"], "", false), "");
    assert_eq!(run(&arguments, "").2, "");
}

/// Cheap answer sets come at once; that there is none without costs takes a search. (`n` pigeons have `n - 1` holes.)
fn costly(n: usize) -> String {
    let atom = |pigeon: usize, hole: usize| 2 + pigeon * (n - 1) + hole;
    let mut text = String::from("asp 1 0 0\n1 1 1 1 0 0\n2 0 1 -1 1\n4 1 a 1 1\n");
    for pigeon in 0..n {
        let holes: Vec<usize> = (0..n - 1).map(|hole| atom(pigeon, hole)).collect();
        let list = |sign: &str| holes.iter().map(|p| format!(" {sign}{p}")).collect::<String>();
        writeln!(text, "1 1 {}{} 0 0", n - 1, list("")).expect("a string takes everything");
        writeln!(text, "1 0 0 0 {} 1{}", n, list("-")).expect("a string takes everything");
        for (hole, other) in (0..n - 1).flat_map(|hole| (0..pigeon).map(move |other| (hole, other))) {
            writeln!(text, "1 0 0 0 2 {} {}", atom(pigeon, hole), atom(other, hole)).expect("as above");
        }
    }
    text + "0\n"
}

/// What a terminal shows in the end of what was written to it.
fn screen(written: &str) -> String {
    let [rows, columns] = [500, 400].map(|size| std::num::NonZero::new(size).expect("is not 0"));
    let mut terminal = vt100::Parser::new(rows, columns, 0);
    terminal.process(written.as_bytes());
    terminal.screen().contents()
}

#[test]
fn progress_leaves_results_alone() {
    for (arguments, input) in [
        (&["--json", "0", "-q", "--time-limit", "2"][..], pairs(60)),
        (&["--json", "--symmetry=no", "--time-limit", "2"], costly(14)),
        (&["--json-lines", "--symmetry=no", "--time-limit", "2"], costly(14)),
    ] {
        let written = on_a_terminal(arguments, &input, true);
        assert!(written.contains(" s: "), "there was progress: {written:?}");
        let shown = screen(&written);
        assert!(!shown.contains(" decisions, "), "{shown}");
        match arguments[0] {
            "--json" => assert_eq!(json(&shown)["TIME LIMIT"], 1, "{shown}"),
            _ => {
                let last: Value =
                    serde_json::from_str(shown.trim_end().lines().last().expect("a line")).expect("JSON");
                assert_eq!(last["TIME LIMIT"], 1, "{shown}");
            }
        }
    }
    let text = screen(&on_a_terminal(&["--symmetry=no", "--time-limit", "2", "1"], &costly(14), true));
    assert!(text.starts_with("yasmin version "), "{text}");
}

#[test]
fn who_types_a_program_is_told_that_it_is_read() {
    let terminal = nix::pty::openpty(None, None).expect("a terminal");
    let mut command = command(&["-V0"]);
    let child = command.stdin(terminal.slave).spawn().expect("the binary is there");
    drop(command);
    let mut master = std::fs::File::from(terminal.master);
    master.write_all(format!("{PAIR}\u{4}").as_bytes()).expect("is read");
    let (code, out, err) = told(child.wait_with_output().expect("it was started"));
    assert_eq!((code, out.ends_with("SATISFIABLE\n"), err.lines().count()), (10, true, 1), "{err}");
    assert!(err.contains("standard input, up to Ctrl-D"), "{err}");
}
