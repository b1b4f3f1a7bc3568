//! Bytes that are no UTF-8, in names of a program, in words of the command line and in names of files: text has them as
//! they came, and JSON a character for each.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use super::*;

/// `{p("é")}. q("ä") :- not p("é").`, of which the first name is in Latin-1 and the second in UTF-8.
const PROGRAM: &[u8] =
    b"asp 1 0 0\n1 1 1 1 0 0\n1 0 1 2 0 1 -1\n4 6 p(\"\xe9\") 1 1\n4 7 q(\"\xc3\xa4\") 1 2\n0\n";

/// Exit code, standard output and standard error.
fn run_bytes(words: &[&[u8]], input: &[u8]) -> (i32, Vec<u8>, Vec<u8>) {
    let mut command = command(&[]);
    command.args(words.iter().map(|word| OsStr::from_bytes(word)));
    let mut child = command.spawn().expect("the binary is there");
    let mut stdin = child.stdin.take().expect("is piped");
    // A run that fails may leave its input.
    let _ = stdin.write_all(input);
    drop(stdin);
    let output = child.wait_with_output().expect("it was started");
    (output.status.code().expect("not killed by a signal"), output.stdout, output.stderr)
}

/// Whether the bytes have these in them.
fn has(bytes: &[u8], part: &[u8]) -> bool {
    bytes.windows(part.len()).any(|window| window == part)
}

#[test]
fn names_pass_through() {
    let (code, out, err) = run_bytes(&[b"0", b"-V0"], PROGRAM);
    let mut lines: Vec<&[u8]> = out.split_inclusive(|&byte| byte == b'\n').collect();
    lines.sort_unstable();
    let want = [&b"SATISFIABLE\n"[..], b"p(\"\xe9\")\n", b"q(\"\xc3\xa4\")\n"];
    assert_eq!((code, &lines[..], &err[..]), (30, &want[..], &b""[..]));
    let (_, out, _) = run_bytes(&[b"--json", b"0"], PROGRAM);
    let document = json(std::str::from_utf8(&out).expect("JSON is UTF-8"));
    let witnesses = document["Call"][0]["Witnesses"].as_array().expect("a list");
    let mut names: Vec<&str> = witnesses.iter().filter_map(|witness| witness["Value"][0].as_str()).collect();
    names.sort_unstable();
    assert_eq!(names, ["p(\"\u{10ffe9}\")", "q(\"\u{e4}\")"]);
    let (_, out, _) = run_bytes(&[b"--pre"], PROGRAM);
    assert!(
        has(&out, b"\n4 6 p(\"\xe9\") 1 1\n4 7 q(\"\xc3\xa4\") 1 2\n"),
        "{}",
        String::from_utf8_lossy(&out)
    );
    // The separator of atoms that a word of the command line gives.
    let both = b"asp 1 0 0\n4 1 \xff 0\n4 1 b 0\n0\n";
    assert!(run_bytes(&[b"-V0", b"--out-ifs=\xe8"], both).1.starts_with(b"\xff\xe8b\n"));
}

#[test]
fn names_may_be_typed() {
    let (code, out, _) = run_bytes(&[b"-V0", b"--assume", b"p(\"\xe9\")", b"0"], PROGRAM);
    assert_eq!((code, &out[..]), (30, &b"p(\"\xe9\")\nSATISFIABLE\n"[..]));
    let (code, out, err) = run_bytes(&[b"-V0", b"--assume=x(\"\xe9\")"], PROGRAM);
    assert!(code == 65 && has(&err, b"`x(\"\xe9\")`"), "{}", String::from_utf8_lossy(&err));
    assert!(!has(&out, b"SATISFIABLE"));
    // In a question a name has its byte, or the character that JSON has for it.
    let folder = Folder::new("byte-questions");
    let program = folder.0.join("program.aspif");
    fs::write(&program, PROGRAM).expect("a file");
    let asks = b"p(\"\xe9\")\nx\xe9\n{\"assumptions\": [\"p(\\\"\xf4\x8f\xbf\xa9\\\")\"]}\n";
    let (_, out, _) = run_bytes(&[program.as_os_str().as_bytes(), b"--questions=-", b"-t1"], asks);
    let told = String::from_utf8(out).expect("JSON is UTF-8");
    assert_eq!(told.matches("{\"Value\":[\"p(\\\"\u{10ffe9}\\\")\"]}").count(), 2, "{told}");
    assert!(told.contains("called `x\u{10ffe9}`"), "{told}");
    // Why there is no answer set: `:- e. #external e. [true]`
    let forbidden = b"asp 1 0 0\n1 0 0 0 1 1\n5 1 1\n4 2 e\xe9 1 1\n0\n";
    let (code, out, _) = run_bytes(&[b"--explain"], forbidden);
    assert!(code == 20 && has(&out, b"\nExplanation  : e\xe9\n"), "{}", String::from_utf8_lossy(&out));
    let (code, _, err) = run_bytes(&[b"--no-such-\xe9"], PROGRAM);
    assert!(code == 65 && has(&err, b"--no-such-\xe9"), "{}", String::from_utf8_lossy(&err));
}

#[test]
fn files_may_have_any_name() {
    let folder = Folder::new("bytes");
    let path = |name: &[u8]| folder.0.join(OsStr::from_bytes(name));
    let bytes = |path: &Path| path.as_os_str().as_bytes().to_vec();
    let (program, proof) = (path(b"p\xe9.aspif"), path(b"\xe9.proof"));
    fs::write(&program, PROGRAM).expect("a file");
    let option = [&b"--proof="[..], &bytes(&proof)].concat();
    let (code, out, _) = run_bytes(&[&bytes(&program), &option, b"0"], b"");
    assert!(code == 30 && has(&out, b"p\xe9.aspif\nSolving"), "{}", String::from_utf8_lossy(&out));
    assert!(fs::metadata(&proof).expect("the proof").len() > 0);
    let (_, out, _) = run_bytes(&[&bytes(&program), b"--json"], b"");
    let input = json(std::str::from_utf8(&out).expect("UTF-8"))["Input"][0].as_str().map(String::from);
    assert!(input.is_some_and(|input| input.ends_with("/p\u{10ffe9}.aspif")));
    let (code, _, err) = run_bytes(&[b"nowhere-\xe9"], b"");
    assert!(code == 65 && has(&err, b"nowhere-\xe9: cannot be read"), "{}", String::from_utf8_lossy(&err));
    let trace = bytes(&path(b"\xe9.trace"));
    assert_eq!(run_bytes(&[&bytes(&program), b"-t1", b"--trace", &trace], b"").0, 10);
    let (code, page, err) = run_bytes(&[b"--trace", &trace, b"--view-page"], b"");
    assert!(code == 0 && has(&page, b"trace-inside"), "{}", String::from_utf8_lossy(&err));
    let (code, _, err) = run_bytes(&[b"--trace=nowhere-\xe9", b"--view-page"], b"");
    assert!(code == 65 && has(&err, b"nowhere-\xe9: the trace"), "{}", String::from_utf8_lossy(&err));
}

#[test]
fn what_a_grounder_writes_passes_through() {
    if !ground::has_gringo() {
        return;
    }
    let (code, out, err) = run_bytes(&[b"-V0", b"0", b"-c", b"n=\"\xff\""], b"p(\"\xe9\",n).");
    assert_eq!((code, &out[..], &err[..]), (30, &b"p(\"\xe9\",\"\xff\")\nSATISFIABLE\n"[..], &b""[..]));
    let (_, out, _) = run_bytes(&[b"--text"], b"p(\"\xe9\").");
    assert_eq!(out, b"p(\"\xe9\").\n");
    // A message of the grounder that has such a byte in it.
    let (code, out, err) = run_bytes(&[b"--json"], b"p(\"\xe9\",X).");
    assert!(code == 65 && has(&err, b"p(\"\xe9\",X)"), "{}", String::from_utf8_lossy(&err));
    let document = json(std::str::from_utf8(&out).expect("JSON is UTF-8"));
    assert!(document["Messages"].to_string().contains('\u{10ffe9}'), "{document}");
}
