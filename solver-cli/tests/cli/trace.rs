//! `--trace` from the command line: where the trace goes, what it is refused with, and that it changes no
//! result.

use super::{command, full_disk_is_an_error_of, run, Folder, PAIR, PIGEONS};
use serde_json::Value;
use std::fs;

fn lines(path: &str) -> Vec<Value> {
    let text = fs::read_to_string(path).expect("the trace is there");
    assert!(text.ends_with('\n'), "the last line is whole");
    text.lines().map(|line| serde_json::from_str(line).expect("it is JSON")).collect()
}

#[test]
fn the_answer_sets_of_the_trace_are_those_that_are_printed() {
    let folder = Folder::new("trace-answers");
    for arguments in [&["0"][..], &["1"], &["0", "--engine", "host"], &["0", "--device", "simt"]] {
        let path = folder.path("search.jsonl");
        let (code, out, err) = run(&[arguments, &["--trace", &path, "-V0"]].concat(), PAIR);
        let (want, plain, _) = run(&[arguments, &["-V0"]].concat(), PAIR);
        assert_eq!((code, err.as_str(), &out), (want, "", &plain), "{arguments:?}");
        let lines = lines(&path);
        let answers = lines.iter().filter(|line| line["event"] == "answer");
        let names = answers.flat_map(|line| line["atoms"].as_array().expect("a list"));
        let printed: Vec<&str> = out.lines().filter(|line| *line == "a" || *line == "b").collect();
        assert!(names.map(|name| name.as_str().expect("a name")).eq(printed), "{arguments:?}: {out}");
        let end = lines.last().expect("a last line");
        let because = if arguments[0] == "1" { "stopped" } else { "exhausted" };
        assert_eq!((end["event"].as_str(), end["because"].as_str()), (Some("end"), Some(because)));
    }
}

#[test]
fn a_limit_cuts_the_trace_and_not_the_search() {
    let folder = Folder::new("trace-limit");
    let path = folder.path("search.jsonl");
    for (limit, is_cut) in [("100", true), ("0", false)] {
        let (code, out, err) = run(&[PIGEONS, "0", "--trace", &path, "--trace-limit", limit], "");
        assert_eq!((code, err.as_str()), (20, ""), "{out}");
        let lines = lines(&path);
        let end = lines.last().expect("a last line");
        assert_eq!(end["cut"].as_bool(), Some(is_cut), "{end}");
        assert_eq!(end["events"].as_u64(), Some(lines.len() as u64 - 2), "{end}");
        assert!(!is_cut || lines.len() == 102, "{} lines", lines.len());
    }
}

#[test]
fn what_cannot_be_traced_is_said_before_the_search() {
    let folder = Folder::new("trace-refused");
    let (missing, path) = (folder.path("no/search.jsonl"), folder.path("search.jsonl"));
    for (arguments, told) in [
        (&["--trace", &missing][..], "cannot write the trace"),
        (&["--trace", &missing], "No such file or directory"),
        (&["--trace", "-"], "--trace wants a file"),
        (&["--trace", &path, "-t", "4", "--device", "simt"], "on other devices: leave -t 4 out, or say -t 1"),
        (&["--trace", &path, "--device", "simt", "--gpu-searchers", "8"], "leave --gpu-searchers 8 out"),
        (&["--trace", &path, "--opt-strategy=turns"], "say usc or bb instead of --opt-strategy=turns"),
        (&["--trace", &path, "--text"], "--trace follows a search"),
        (&["--trace-limit", "5"], "--trace"),
        (&["--trace", &path, "--trace-limit", "x"], "--trace-limit"),
    ] {
        let (code, out, err) = run(arguments, PAIR);
        assert_eq!(code, 65, "{arguments:?}: {out}");
        assert!(err.contains(told), "{arguments:?}: {err}");
        assert!(!out.contains("Answer"), "{arguments:?}: {out}");
    }
    assert!(fs::metadata(&path).is_err(), "no trace was begun");
    let (code, out, _) = run(&["--trace", &path, "-t", "1"], PAIR);
    assert_eq!(code, 10, "{out}");
}

#[test]
fn a_full_disk_is_an_error_with_an_exit_code() {
    full_disk_is_an_error_of("trace");
}

#[test]
fn the_schema_and_the_page_are_printed() {
    let schema = command(&["--trace-schema"]).output().expect("the binary is there");
    let schema: Value = serde_json::from_slice(&schema.stdout).expect("it is JSON");
    assert_eq!(schema["title"], "A line of a trace of yasmin");
    let page = command(&["--view-page"]).output().expect("the binary is there");
    let page = String::from_utf8(page.stdout).expect("it is text");
    assert!(
        page.starts_with("<!doctype html>") && page.trim_end().ends_with("</html>"),
        "{} bytes",
        page.len()
    );
    // The page opens from disk: it loads nothing.
    assert!(!page.contains("src=\"http") && !page.contains("href=\"http") && !page.contains("@import"));
}

#[test]
fn the_page_has_a_trace_inside_if_one_is_named() {
    let folder = Folder::new("inside");
    let path = folder.path("a\"&b.jsonl");
    let (code, _, err) = run(&["--trace", &path, "--view-page"], "");
    assert!(code == 65 && err.contains("cannot be read") && err.contains("--view-page"), "{code} {err}");
    assert_eq!(run(&["--trace", &path, "-t", "1"], PAIR).0, 10);
    let page = command(&["--trace", &path, "--view-page"]).output().expect("the binary is there");
    let page = String::from_utf8(page.stdout).expect("it is text");
    let empty = command(&["--view-page"]).output().expect("the binary is there").stdout;
    let (before, rest) =
        page.split_once("<script type=\"application/gzip\" id=\"trace-inside\" ").expect("a trace");
    let (inside, after) = rest.split_once("</script>").expect("its end");
    assert_eq!([before, after].concat().as_bytes(), empty, "the rest is the page");
    let packed = inside.strip_prefix("data-name=\"a&quot;&amp;b.jsonl\">").expect("the name of the file");
    let packed = data_encoding::BASE64.decode(packed.as_bytes()).expect("base64");
    let mut trace = String::new();
    let mut packed = flate2::read::GzDecoder::new(&packed[..]);
    std::io::Read::read_to_string(&mut packed, &mut trace).expect("a gzip file");
    assert_eq!(trace, fs::read_to_string(&path).expect("the trace"));
}
