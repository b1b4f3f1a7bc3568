//! Finds the scripts of logic programs before a grounder runs them, and difference constraints.
//!
//! Main function: [`Scripts::find`]. The text is searched and not parsed, and files that the text includes
//! are searched as well. Invariant: more scripts may be found than there are (one in a comment), but never
//! less. Whether a program includes `<incmode>` is found exactly.

use std::collections::HashSet;
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader};
use std::path::{Path, PathBuf};

use super::source::{display_name, Source};
use crate::text;

/// A language that grounders run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// `#script (python)`.
    Python,
    /// `#script (lua)`.
    Lua,
}

impl Language {
    /// All languages.
    pub const ALL: [Language; 2] = [Language::Python, Language::Lua];

    /// What a logic program calls the language.
    pub fn name(self) -> &'static str {
        match self {
            Language::Python => "python",
            Language::Lua => "lua",
        }
    }
}

/// The scripts that some logic programs may have.
#[derive(Debug, Default)]
pub struct Scripts {
    languages: Vec<Language>,
    blocks: Vec<Block>,
    /// Where `#include <incmode>` is, if it is there.
    incremental: Option<String>,
    /// Whether there may be an atom `&diff{..}`, and whether there may be a definition `&diff/0`.
    differences: [bool; 2],
}

/// One script.
#[derive(Debug)]
struct Block {
    /// The file, as errors call it.
    file: String,
    /// The line of `#script`, from 1.
    line: u64,
    /// The script's lines; the first is the rest of the line of `#script`.
    lines: Vec<String>,
    is_open: bool,
}

impl Scripts {
    /// Searches the sources, and the files among the further words of the grounder's command.
    pub fn find(sources: &[Source], words: &[String]) -> Scripts {
        let (mut scripts, mut next) = (Scripts::default(), Vec::new());
        for source in sources {
            match source {
                Source::File(path) => next.push(path.clone()),
                Source::Text(text) => {
                    if scripts.search("standard input", Path::new(""), &text[..], &mut next) {
                        scripts.note_steps("standard input", text);
                    }
                }
            }
        }
        next.extend(words.iter().map(|word| PathBuf::from(text::to_os(word))).filter(|path| path.is_file()));
        let mut known = HashSet::new();
        while let Some(path) = next.pop() {
            if !known.insert(fs::canonicalize(&path).unwrap_or_else(|_| path.clone())) {
                continue;
            }
            // A pipe can be read only once, and the grounder reads it.
            match File::open(&path) {
                Ok(file) if path.is_file() => {
                    let folder = path.parent().unwrap_or(Path::new(""));
                    let name = display_name(&path);
                    if scripts.search(&name, folder, BufReader::new(file), &mut next) {
                        scripts.note_steps(&name, &fs::read(&path).unwrap_or_default());
                    }
                }
                _ => scripts.add_all(),
            }
        }
        scripts
    }

    /// The languages of the scripts.
    pub fn languages(&self) -> &[Language] {
        &self.languages
    }

    /// Whether the programs may have scripts.
    pub fn are_there(&self) -> bool {
        !self.languages.is_empty() || self.incremental.is_some()
    }

    /// Where `#include <incmode>` is, if it is there.
    pub fn incremental(&self) -> Option<&str> {
        self.incremental.as_deref()
    }

    /// Whether the programs have difference constraints, `&diff{..}`, and do not say what that is.
    pub fn lacks_differences(&self) -> bool {
        self.differences == [true, false]
    }

    /// Where the first script is.
    pub fn first(&self) -> Option<String> {
        self.blocks.first().map(|block| format!("{}:{}", block.file, block.line))
    }

    /// Where a line of a script is. The script's language calls the script `chunk` and counts lines from 1. The line
    /// has that word in it.
    ///
    /// gringo calls a script `<FILE:LINE:COLUMN-LINE:COLUMN>`, in Lua without the brackets. clingo's package calls
    /// all scripts `<string>`, and all else is a module's file.
    pub fn place(&self, chunk: &str, line: u64, word: &str) -> Option<String> {
        let inner = chunk.strip_prefix('<').and_then(|rest| rest.strip_suffix('>')).unwrap_or(chunk);
        let mut begin = inner.rsplit_once('-').map_or("", |(begin, _)| begin).rsplitn(3, ':');
        if let (Some(_), Some(Ok(first)), Some(file)) =
            (begin.next(), begin.next().map(str::parse::<u64>), begin.next())
        {
            let file = if file == "-" { "standard input" } else { file };
            return Some(format!("{file}:{}", first + line.saturating_sub(1)));
        }
        if inner.is_empty() || inner == "string" {
            let index = usize::try_from(line.saturating_sub(1)).ok()?;
            let fits = |block: &&Block| block.lines.get(index).is_some_and(|text| text.contains(word));
            let block = self.blocks.iter().find(fits)?;
            return Some(format!("{}:{}", block.file, block.line + line.saturating_sub(1)));
        }
        Some(format!("{inner}:{line}"))
    }

    fn add(&mut self, language: Language) {
        if !self.languages.contains(&language) {
            self.languages.push(language);
        }
    }

    fn add_all(&mut self) {
        Language::ALL.into_iter().for_each(|language| self.add(language));
    }

    /// Notes whether a text includes `<incmode>`.
    fn note_steps(&mut self, file: &str, text: &[u8]) {
        if let (None, Some(line)) = (&self.incremental, includes_steps(text)) {
            self.incremental = Some(format!("{file}:{line}"));
        }
    }

    /// Searches a text that is in `folder`. Adds to `next` which files it includes. Returns whether the text
    /// may include `<incmode>`.
    fn search(&mut self, file: &str, folder: &Path, mut text: impl BufRead, next: &mut Vec<PathBuf>) -> bool {
        let (mut line, mut number, mut may_have_steps) = (Vec::new(), 0, false);
        loop {
            line.clear();
            match text.read_until(b'\n', &mut line) {
                Ok(0) => break,
                Ok(_) => {}
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(_) => {
                    self.add_all();
                    break;
                }
            }
            number += 1;
            may_have_steps |= line.windows(STEPS.len()).any(|word| word == STEPS);
            if let Some(block) = self.blocks.last_mut().filter(|block| block.is_open) {
                block.lines.push(String::from_utf8_lossy(&line).into_owned());
            }
            for word in line.split(|&byte| byte == b'#').skip(1) {
                self.directive(file, number, word, folder, next);
            }
            for word in line.split(|&byte| byte == b'&').skip(1) {
                match word.trim_ascii_start().strip_prefix(b"diff").map(<[u8]>::trim_ascii_start) {
                    Some([b'{', ..] | []) => self.differences[0] = true,
                    Some([b'/', ..]) => self.differences[1] = true,
                    _ => {}
                }
            }
        }
        if let Some(block) = self.blocks.last_mut() {
            block.is_open = false;
        }
        may_have_steps
    }

    /// Looks at what follows a `#` on line `number`.
    fn directive(&mut self, file: &str, number: u64, word: &[u8], folder: &Path, next: &mut Vec<PathBuf>) {
        if let Some(rest) = word.strip_prefix(b"script") {
            let name = rest.trim_ascii_start().strip_prefix(b"(").unwrap_or_default().trim_ascii_start();
            match Language::ALL.into_iter().find(|language| name.starts_with(language.name().as_bytes())) {
                Some(language) => self.add(language),
                // The name of the language is on another line, or a comment is in between.
                None => self.add_all(),
            }
            let lines = vec![String::from_utf8_lossy(rest).into_owned()];
            self.blocks.push(Block { file: file.into(), line: number, lines, is_open: true });
        } else if word.starts_with(b"end") {
            if let Some(block) = self.blocks.last_mut() {
                block.is_open = false;
            }
        } else if let Some(rest) = word.strip_prefix(b"include") {
            match rest.trim_ascii_start() {
                [b'<', ..] => {}
                [b'"', name @ ..] => self.include(name, folder, next),
                _ => self.add_all(),
            }
        }
    }

    /// Adds the files that a grounder may include by the name that a quote ends.
    fn include(&mut self, name: &[u8], folder: &Path, next: &mut Vec<PathBuf>) {
        let name = name.split(|&byte| byte == b'"').next().unwrap_or_default();
        let Some(name) = std::str::from_utf8(name).ok().filter(|name| !name.contains('\\')) else {
            return self.add_all();
        };
        let more = std::env::var_os("CLINGOPATH").unwrap_or_default();
        let folders = [PathBuf::new(), folder.to_path_buf()].into_iter().chain(std::env::split_paths(&more));
        let before = next.len();
        next.extend(folders.map(|folder| folder.join(name)).filter(|path| path.exists()));
        if next.len() == before {
            self.add_all();
        }
    }
}

/// What includes the loop over the steps of a program.
const STEPS: &[u8] = b"incmode";

/// The line on which a text includes `<incmode>`, if it does: neither in a comment, nor in a string or a
/// script.
fn includes_steps(text: &[u8]) -> Option<usize> {
    let mut rest = text;
    while let [first, after @ ..] = rest {
        rest = match first {
            b'%' => after_comment(rest),
            b'"' => {
                let mut bytes = after.iter().enumerate();
                while let Some((_, byte)) = bytes.next() {
                    match byte {
                        b'\\' => drop(bytes.next()),
                        b'"' | b'\n' => break,
                        _ => {}
                    }
                }
                bytes.next().map_or(&[], |(at, _)| &after[at..])
            }
            b'#' if after.starts_with(b"script") => {
                let end = after.windows(4).position(|word| word == b"#end");
                end.map_or(&[], |end| &after[end + 4..])
            }
            b'#' => match after.strip_prefix(b"include").map(after_blanks) {
                Some([b'<', name @ ..]) => match after_blanks(name).strip_prefix(STEPS) {
                    Some(end) if after_blanks(end).starts_with(b">") => {
                        let before = &text[..text.len() - rest.len()];
                        return Some(1 + before.iter().filter(|&&byte| byte == b'\n').count());
                    }
                    _ => after,
                },
                _ => after,
            },
            _ => after,
        };
    }
    None
}

/// What follows a comment, which may be nested.
fn after_comment(text: &[u8]) -> &[u8] {
    if !text.starts_with(b"%*") {
        return text.iter().position(|&byte| byte == b'\n').map_or(&[], |end| &text[end..]);
    }
    let (mut rest, mut depth) = (&text[2..], 1);
    while depth > 0 {
        rest = match rest {
            [] => return rest,
            [b'%', b'*', rest @ ..] => {
                depth += 1;
                rest
            }
            [b'*', b'%', rest @ ..] => {
                depth -= 1;
                rest
            }
            [_, rest @ ..] => rest,
        };
    }
    rest
}

/// What follows white space and comments.
fn after_blanks(text: &[u8]) -> &[u8] {
    match text.trim_ascii_start() {
        rest @ [b'%', ..] => after_blanks(after_comment(rest)),
        rest => rest,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn in_text(text: &str) -> Scripts {
        Scripts::find(&[Source::Text(text.into())], &[])
    }

    #[test]
    fn scripts_are_found_in_whatever_form() {
        use Language::{Lua, Python};
        for (text, want) in [
            ("a. % no script\n#show a/0. #const n = 1.", &[][..]),
            ("#script (python)\n#end.", &[Python]),
            ("a.#script(lua) #end.", &[Lua]),
            ("#script ( python )\n#end.\n#script (lua)\n#end.", &[Python, Lua]),
            ("#script\n(lua)\n#end.", &[Python, Lua]),
            ("#script %* x *% (lua) #end.", &[Python, Lua]),
            ("#include\n\"x\".", &[Python, Lua]),
            ("#include \"/nowhere/at.lp\".", &[Python, Lua]),
            ("#include <incmode>.", &[]),
        ] {
            assert_eq!(in_text(text).languages(), want, "{text}");
        }
        assert_eq!(in_text("a.\n#include <incmode>.").incremental(), Some("standard input:2"));
        for text in [
            "#include <csp>.",
            "% #include <incmode>.",
            "%* %* *% #include <incmode>. *%",
            "p(\"\\\"#include <incmode>.\").",
            "#script (python)\n'#include <incmode>.'\n#end.",
        ] {
            assert_eq!(in_text(text).incremental(), None, "{text}");
        }
        for text in ["p(\"%\").\n#include%*x*%< incmode\t> .", "%* *%\n#include <incmode>."] {
            assert_eq!(in_text(text).incremental(), Some("standard input:2"), "{text}");
        }
    }

    #[test]
    fn difference_constraints_without_a_definition_are_found() {
        for (text, want) in [
            ("&diff{x-y} <= 3.", true),
            ("a :- & diff\n{x-y} <= 3.", true),
            ("#theory t { x {}; &diff/0 : x, any }.\n&diff{x} <= 3.", false),
            ("a :- &diffs{x}.", false),
            ("#script (python)\na & diff.\n#end.", false),
        ] {
            assert_eq!(in_text(text).lacks_differences(), want, "{text}");
        }
    }

    #[test]
    fn included_files_are_searched_from_their_own_folder() {
        let folder = std::env::temp_dir().join(format!("yasmin-scripts-{}", std::process::id()));
        fs::create_dir_all(folder.join("inner")).expect("a folder");
        fs::write(folder.join("a.lp"), "#include \"inner/b.lp\".").expect("a file");
        fs::write(folder.join("inner/b.lp"), "#include \"c.lp\". #include \"b.lp\".").expect("a file");
        fs::write(folder.join("inner/c.lp"), "a.\n#script (lua)\n#end.").expect("a file");
        let scripts = Scripts::find(&[Source::File(folder.join("a.lp"))], &[]);
        let word = folder.join("inner/c.lp").display().to_string();
        let of_command = Scripts::find(&[], &["--x".into(), word.clone()]);
        fs::remove_dir_all(&folder).expect("was there");
        assert_eq!(scripts.languages(), [Language::Lua]);
        assert_eq!(scripts.first(), Some(format!("{word}:2")));
        assert_eq!(of_command.first(), scripts.first());
    }

    #[test]
    fn a_line_of_a_script_has_a_place() {
        let scripts =
            in_text("a.\n#script (python)\nx = 1\n#end.\n#script (python)\n\ndef main(p): p.solve()\n#end.");
        let place = |chunk: &str, line, word| scripts.place(chunk, line, word);
        assert_eq!(place("<dir/a-b.lp:4:1-12:6>", 5, "x").as_deref(), Some("dir/a-b.lp:8"));
        assert_eq!(place("-:2:1-30", 1, "x").as_deref(), Some("standard input:2"));
        assert_eq!(place("<string>", 3, "solve").as_deref(), Some("standard input:7"));
        assert_eq!(place("<string>", 2, "x").as_deref(), Some("standard input:3"));
        assert_eq!(place("<string>", 99, "x"), None);
        assert_eq!(place("/lib/module.py", 9, "x").as_deref(), Some("/lib/module.py:9"));
    }
}
