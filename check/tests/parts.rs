//! Proofs of several ranks: parts that make a proof together, and files that do not.

use std::path::{Path, PathBuf};
use std::process::Command;

use yasmin_check::parts::Merged;
use yasmin_check::program;
use yasmin_check::proof::Writer;

/// `{a; b}.`
const FREE: &str = "asp 1 0 0\n1 1 2 1 2 0 0\n4 1 a 1 1\n4 1 b 1 2\n0\n";
/// The same, at costs of 1 for `a` and 1 for `b`.
const COSTS: &str = "asp 1 0 0\n1 1 2 1 2 0 0\n2 0 2 1 1 2 1\n4 1 a 1 1\n4 1 b 1 2\n0\n";

/// All four answer sets. The second part tells one that the first part told before, and the third part joins
/// by the second.
const PARTS: [&str; 3] = [
    "p yasmin 1\ni 0 3 77\nq 1 0\nj 1\nt 2\na 0\na 1 0\nt 9\nn 0\ne 1\n",
    "p yasmin 1\ni 1 3 77\nt 3\na 1 0\nj 2\nt 6\nx 1\nn 1 0\nt 10\ny\n",
    "p yasmin 1\ni 2 3 77\nt 4\na 2 0\nt 5\na 1 2 0\nt 8\ny\n",
];

const FOUR: &str = "ACCEPTED\nthe program has 4 answer sets, and no other\n";

/// A folder for the files of a test, which goes with the value.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let folder = std::env::temp_dir().join(format!("yasmin-check-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder");
        std::fs::write(folder.join("program"), FREE).expect("it can be written");
        Folder(folder)
    }

    /// Writes the parts where the command looks for them.
    fn write(&self, parts: &[impl AsRef<[u8]>]) {
        for (number, part) in parts.iter().enumerate() {
            std::fs::write(self.part(number), part).expect("it can be written");
        }
    }

    fn part(&self, number: usize) -> PathBuf {
        match number {
            0 => self.0.join("proof"),
            _ => self.0.join(format!("proof.{number}")),
        }
    }

    /// The exit code, and what is printed, of the command on files of the folder.
    fn check(&self, words: &str) -> (Option<i32>, String, String) {
        let mut command = Command::new(env!("CARGO_BIN_EXE_yasmin-check"));
        let output = command.args(words.split(' ')).current_dir(&self.0).output().expect("it runs");
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        (output.status.code(), text(&output.stdout), text(&output.stderr))
    }

    /// The command says that the files do not make a proof, because of this.
    fn is_error(&self, words: &str, why: &str) {
        let (code, out, told) = self.check(words);
        assert_eq!((code, &out[..]), (Some(65), ""), "{words}: {told}");
        assert_eq!(told, format!("yasmin-check: {why}\n"), "{words}");
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(Path::new(&self.0));
    }
}

#[test]
fn parts_are_one_proof() {
    let folder = Folder::new("parts");
    folder.write(&PARTS);
    let everywhere =
        ["proof", "proof --threads 3", "proof --backward", "proof.2 proof proof.1", "proof --trim short"];
    for words in everywhere {
        let accepted = (Some(0), FOUR.into(), String::new());
        assert_eq!(folder.check(&format!("program {words}")), accepted, "{words}");
    }
    let short = std::fs::read_to_string(folder.0.join("short")).expect("it was written");
    assert!(short.starts_with("p yasmin 1\nq 1 0\n") && short.ends_with("e 1\n"), "{short}");
    assert_eq!(folder.check("program short"), (Some(0), FOUR.into(), String::new()));
    let (code, out, _) = folder.check("program proof --json --answers");
    let document: serde_json::Value = serde_json::from_str(&out).expect("JSON");
    assert_eq!((code, &document["Conclusion"]["AnswerSets"]), (Some(0), &4.into()));
    assert_eq!(document["AnswerSets"], serde_json::json!([[], ["a"], ["b"], ["a", "b"]]));
    // Each part may be written in its own form.
    let compressed = zstd::bulk::compress(PARTS[1].as_bytes(), 3).expect("memory takes all bytes");
    let binary = b"yasmin01\0i\x04\x06\x9a\x01t\x08a\x02\x04t\x0aa\x04\x02\x04t\x10y";
    folder.write(&[PARTS[0].as_bytes(), &compressed, binary]);
    assert_eq!(folder.check("program proof"), (Some(0), FOUR.into(), String::new()));
}

#[test]
fn a_step_that_is_missing_or_too_early_is_refused() {
    let folder = Folder::new("refused");
    let no_conflict = "is refused: propagation finds no conflict: n";
    for (part, from, to, why) in [
        (2, "t 5\na 1 2 0\n", "", format!("step 5 (line 8 of proof.1) {no_conflict} 1 0")),
        // Part 1 then says that nothing has `a` before part 2 has told both.
        (1, "t 6", "t 4", format!("step 4 (line 8 of proof.1) {no_conflict} 1 0")),
        (2, "t 5\n", "t 7\n", format!("step 5 (line 8 of proof.1) {no_conflict} 1 0")),
        (2, "a 1 2 0", "a 1 0", format!("step 5 (line 8 of proof.1) {no_conflict} 1 0")),
        (
            1,
            "x 1",
            "x 2",
            "step 6 (line 7 of proof.1) is refused: no nogood of this part has the serial number 2".into(),
        ),
        (
            1,
            "t 6",
            "t 3",
            "step 4 (line 6 of proof.1) is refused: the clock goes from 3 to 3, and may only go forwards"
                .into(),
        ),
        (1, "j 2", "j 1", "step 4 (line 5 of proof.1) is refused: the mark `j` does not belong here".into()),
        (1, "j 2", "j 3", "step 4 (line 5 of proof.1) is refused: the mark `j` does not belong here".into()),
        (
            1,
            "j 2",
            "i 1 3 77",
            "step 4 (line 5 of proof.1) is refused: the mark `i` does not belong here".into(),
        ),
        (0, "t 2", "y", "step 2 (line 5 of proof) is refused: the mark `y` does not belong here".into()),
    ] {
        let mut parts = PARTS.map(String::from);
        assert!(parts[part].contains(from));
        parts[part] = parts[part].replace(from, to);
        folder.write(&parts);
        let (code, out, told) = folder.check("program proof");
        assert_eq!((code, &out[..]), (Some(10), "REFUSED\n"), "{from}: {told}");
        assert_eq!(told, format!("yasmin-check: {why}\n"), "{from}");
        let (code, out, _) = folder.check("program proof --json");
        let document: serde_json::Value = serde_json::from_str(&out).expect("JSON");
        let file = why.split(" of ").nth(1).and_then(|rest| rest.split(')').next());
        assert_eq!((code, document["File"].as_str()), (Some(10), file), "{document}");
        assert_eq!(folder.check("program proof --backward").0, Some(10), "{from}");
    }
    // Without the third part, which the second one does not name, an answer set is missing.
    folder.write(&[PARTS[0], &PARTS[1].replace("j 2\n", "")]);
    assert_eq!(folder.check("program proof").0, Some(10));
}

#[test]
fn files_that_make_no_proof_are_named() {
    let folder = Folder::new("files");
    let cut = |number: u32, name: &str| {
        format!(
            "{name}: the part of rank {number} ends too early: copy the file again if that was cut short; if \
             the run was, solve the program again"
        )
    };
    folder.write(&PARTS);
    folder.is_error(
        "program proof.1",
        "proof.1: this is the part of rank 1 of 3: name the file of rank 0 instead, or all files",
    );
    folder.is_error("program proof proof.1", "proof: the part of rank 2 is missing: name that file, too");
    folder.is_error("program proof.2 proof.1", "proof.2: the part of rank 0 is missing: name that file, too");
    folder.is_error("program proof proof.1 proof.1", "proof.1 and proof.1 are both the part of rank 1");
    folder.is_error("program proof -", "one of several files of a proof is not standard input: name a file");
    let whole = "program: this is no part of a proof of several ranks, and only parts come together";
    folder.is_error("program proof program", whole);
    let remedy = "copy it from that rank's machine, or name the files of all ranks";
    std::fs::remove_file(folder.part(2)).expect("it is there");
    folder.is_error("program proof", &format!("proof.2: the part of rank 2 is missing: {remedy}"));
    folder.is_error("program proof --backward", &format!("proof.2: the part of rank 2 is missing: {remedy}"));
    let of_another_run = "proof.2: this file is of another run than proof: take all files of one run";
    for (other, why) in [
        (PARTS[2].replace("77", "78"), of_another_run),
        (PARTS[2].replace("i 2 3", "i 2 4"), of_another_run),
        (PARTS[2].replace("i 2 3", "i 1 3"), "proof.2: this is the part of rank 1, in the place of rank 2's"),
        (
            PARTS[2].replace("i 2 3 77\n", ""),
            "proof.2: this is no part of a proof of several ranks: take the file that rank 2 wrote in the run \
             of proof",
        ),
        (PARTS[2].replace("t 8\ny\n", ""), &cut(2, "proof.2")),
        (PARTS[2].replace(" 2 0\nt 8\ny\n", ""), &cut(2, "proof.2")),
        (PARTS[2][..20].into(), &cut(2, "proof.2")),
    ] {
        folder.write(&[PARTS[0], PARTS[1], &other]);
        folder.is_error("program proof", why);
    }
    folder.write(&[&PARTS[0].replace("e 1\n", ""), PARTS[1], PARTS[2]]);
    folder.is_error("program proof", &cut(0, "proof"));
    // A part belongs to two questions, and has rested once.
    folder.write(&[
        &PARTS[0].replace("e 1\n", "q 1 0\na 0\na 1 0\na 2 0\na 1 2 0\nn 1 0\nn 0\ne 1\n"),
        PARTS[1],
        PARTS[2],
    ]);
    folder.is_error("program proof", &cut(1, "proof.1"));
    // A run that was stopped claims nothing.
    folder.write(&[&PARTS[0].replace("e 1", "e 0"), PARTS[1], PARTS[2]]);
    assert_eq!(folder.check("program proof").0, Some(1));
}

/// The lines of all parts as one proof, without the header. The parts begin after their first marks.
fn merged(program: &str, parts: [&str; 2]) -> String {
    let [first, second] = [0, 1].map(|number| format!("p yasmin 1\ni {number} 2 5\n{}", parts[number]));
    let program = program::read("program", program.as_bytes()).expect("a program");
    let mut all = Vec::new();
    let mut writer = Writer::new(&mut all, false).expect("memory");
    let open = |number: i64| Ok((format!("{number}"), Box::new(second.as_bytes()) as _));
    let mut merged = Merged::new(&program, ("0".into(), Box::new(first.as_bytes())), open);
    merged.write_to(&mut writer).expect("parts");
    drop((writer, merged));
    String::from_utf8(all).expect("text").replacen("p yasmin 1\n", "", 1)
}

#[test]
fn answer_sets_that_are_no_news_are_left_out() {
    let end = "t 90\ne 0\n";
    // Each line of the second part has a clock between two of the first part.
    let of = |program: &str, question: &str, sets: [&str; 4]| {
        let (mut first, mut second) = (format!("{question}\nj 1\n"), String::new());
        for (at, set) in sets.iter().enumerate() {
            let part = if at % 2 == 0 { &mut first } else { &mut second };
            part.push_str(&format!("t {}\na {set}0\n", at + 1));
        }
        second.push_str("t 80\ny\n");
        let all = merged(program, [&format!("{first}{end}"), &second]);
        let told = all.lines().filter_map(|line| line.strip_prefix("a "));
        told.map(|set| set.strip_suffix('0').expect("a list").to_string()).collect::<Vec<_>>()
    };
    assert_eq!(of(FREE, "q 1 0", ["1 ", "1 ", "2 ", "1 "]), ["1 ", "2 "]);
    let projects = FREE.replace("4 1 a", "3 1 1\n4 1 a");
    assert_eq!(of(&projects, "q 2 0", ["1 ", "1 2 ", "2 ", ""]), ["1 ", "2 "]);
    let hides = FREE.replace("4 1 b", "4 2 _b");
    assert_eq!(of(&hides, "q 3 0", ["1 ", "1 2 ", "2 ", ""]), ["1 ", "2 "]);
    assert_eq!(of(COSTS, "q 4 0", ["1 2 ", "1 ", "2 ", ""]), ["1 2 ", "1 ", ""]);
    assert_eq!(of(FREE, "q 4 0", ["1 2 ", "1 ", "2 ", ""]), ["1 2 "]);
    assert_eq!(of(FREE, "q 5 0", ["", "1 ", "1 ", "2 "]), ["", "1 ", "2 "]);
    assert_eq!(of(FREE, "q 6 0", ["1 2 ", "1 2 ", "1 ", "1 "]), ["1 2 ", "1 "]);
    // Projection statements are about consequences of the kinds 5 and 6 alone.
    assert_eq!(of(&projects, "q 5 0", ["", "2 ", "1 ", "1 2 "]), ["", "1 "]);
    assert_eq!(of(&projects, "q 7 0", ["", "2 ", "1 ", "1 2 "]), ["", "2 ", "1 "]);
    assert_eq!(of(&projects, "q 8 0", ["1 2 ", "1 ", "1 ", ""]), ["1 2 ", "1 ", ""]);
}

#[test]
fn serial_numbers_are_those_of_the_whole_proof() {
    let first = "q 1 0\nj 1\nt 1\nn 1 -1 0\nt 5\nx 1\nt 9\ne 0\n";
    let second = "t 2\nu 0 1 2 0\nt 3\nn 2 -2 0\nt 6\nx 2\nx 3\nt 7\ny\n";
    let expected = "q 1 0\nn 1 -1 0\nu 0 1 2 0\nn 2 -2 0\nx 1\nx 3\nx 4\ne 0\n";
    assert_eq!(merged(FREE, [first, second]), expected);
}

#[test]
fn a_call_forgets_the_answer_sets_of_the_call_before() {
    let first = "q 1 0\nk 1 0\nj 1\nt 1\na 1 0\nt 3\nf 0 0\nk 1 0\na 1 0\nt 9\nf 0 0\ne 1\n";
    let second = "t 2\na 1 0\nt 4\na 1 0\ny\n";
    let expected = "q 1 0\nk 1 0\na 1 0\nf 0 0\nk 1 0\na 1 0\nf 0 0\ne 1\n";
    assert_eq!(merged(FREE, [first, second]), expected);
}
