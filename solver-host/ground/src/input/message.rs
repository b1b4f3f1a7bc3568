//! What is wrong with a program, and where: [`Message`].
//!
//! Main function: [`messages`], which reads what a grounder has printed. Invariant: no line that is not empty
//! is lost.

use serde::Serialize;
use std::fmt;

/// How grave what a message says is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// The program cannot be solved.
    Error,
    /// The program can be solved, and may not mean what was meant.
    Warning,
    /// The same, and less likely a mistake; or how to go on after an error.
    Info,
    /// More about the message before.
    Note,
}

/// What is wrong, and where.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "PascalCase")]
pub struct Message {
    /// How grave the matter is, if that is said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<Kind>,
    /// The file, as it was named; `standard input` for that.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// The line, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u64>,
    /// The column, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub column: Option<u64>,
    /// What is wrong, in words. Several lines are told apart by line ends.
    pub text: String,
}

/// As gringo prints it.
impl fmt::Display for Message {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(file) = &self.file {
            write!(f, "{file}:")?;
        }
        for number in [self.line, self.column].into_iter().flatten() {
            write!(f, "{number}:")?;
        }
        let is_somewhere = self.file.is_some() || self.line.is_some();
        let kind = match self.kind {
            Some(Kind::Error) => "error: ",
            Some(Kind::Warning) => "warning: ",
            Some(Kind::Info) => "info: ",
            Some(Kind::Note) => "note: ",
            None => "",
        };
        write!(f, "{}{kind}{}", if is_somewhere { " " } else { "" }, self.text)
    }
}

/// How gringo and clingo mark what they say: the mark, and what it means.
const MARKS: [(&str, Kind); 8] = [
    (": error: ", Kind::Error),
    (": warning: ", Kind::Warning),
    (": info: ", Kind::Info),
    (": note: ", Kind::Note),
    ("*** ERROR: ", Kind::Error),
    ("*** Warn : ", Kind::Warning),
    ("*** Info : ", Kind::Info),
    ("*** Note : ", Kind::Note),
];

/// The messages of gringo or clingo in what one of them has printed to standard error. Lines in another form
/// belong to the message before, and after an empty line they are a message without a place.
pub fn messages(printed: &str) -> Vec<Message> {
    let (mut all, mut goes_on) = (Vec::<Message>::new(), false);
    for line in printed.lines().map(str::trim_end) {
        // A line that is set in goes on with the message before.
        let of_line = marked(line).filter(|_| !line.starts_with(' '));
        match (of_line, all.last_mut().filter(|_| goes_on)) {
            _ if line.is_empty() => {}
            (Some(message), _) => all.push(message),
            (None, Some(last)) => {
                last.text.push('\n');
                last.text.push_str(line);
            }
            (None, None) => all.push(Message { text: line.into(), ..Message::default() }),
        }
        goes_on = !line.is_empty();
    }
    all
}

/// The message that begins in this line, if one does.
fn marked(line: &str) -> Option<Message> {
    let found = MARKS.iter().filter_map(|(mark, kind)| Some((line.find(mark)?, *mark, *kind)));
    let (at, mark, kind) = found.min_by_key(|&(at, ..)| at)?;
    let text = line[at + mark.len()..].to_string();
    if mark.starts_with('*') {
        return (at == 0).then_some(Message { kind: Some(kind), text, ..Message::default() });
    }
    let (file, line, column) = place(&line[..at]);
    Some(Message { kind: Some(kind), file: Some(file), line, column, text })
}

/// The file, the line and the column of `FILE:LINE:COLUMN-COLUMN` or `FILE:LINE:COLUMN-LINE:COLUMN`.
fn place(text: &str) -> (String, Option<u64>, Option<u64>) {
    let begin = text.rsplit_once('-').map_or(text, |(begin, _)| begin);
    let mut parts = begin.rsplitn(3, ':');
    let (column, line, file) = (parts.next(), parts.next(), parts.next());
    let number = |part: Option<&str>| part.and_then(|part| part.parse().ok());
    match (number(column), number(line), file) {
        (column @ Some(_), line @ Some(_), Some(file)) => {
            let file = if file == "-" { "standard input" } else { file };
            (file.into(), line, column)
        }
        _ => (text.into(), None, None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A message with a place.
    fn at(kind: Kind, file: &str, line: u64, column: u64, text: &str) -> Message {
        let (line, column) = (Some(line), Some(column));
        Message { kind: Some(kind), file: Some(file.into()), line, column, text: text.into() }
    }

    #[test]
    fn gringos_messages_are_told_apart() {
        let printed = "a-1.lp:1:3-4: error: syntax error, unexpected <IDENTIFIER>\n\n\
            -:1:1-2:8: error: unsafe variables in:\n  a(X,Y):-[#inc_base];b.\n-:2:2-3: note: 'Y' is unsafe\n\n\
            c:d.lp:12:6-7: info: atom does not occur in any rule head:\n  y: error: z\n\n\
            <cmd>: error: file could not be opened:\n  nofile.lp\n\n\
            *** ERROR: (gringo): grounding stopped because of errors\n";
        let cut = "  y: error: z";
        let nowhere =
            |kind, text: &str| Message { kind: Some(kind), text: text.into(), ..Message::default() };
        let want = [
            at(Kind::Error, "a-1.lp", 1, 3, "syntax error, unexpected <IDENTIFIER>"),
            at(Kind::Error, "standard input", 1, 1, "unsafe variables in:\n  a(X,Y):-[#inc_base];b."),
            at(Kind::Note, "standard input", 2, 2, "'Y' is unsafe"),
            at(Kind::Info, "c:d.lp", 12, 6, &format!("atom does not occur in any rule head:\n{cut}")),
            Message {
                file: Some("<cmd>".into()),
                ..nowhere(Kind::Error, "file could not be opened:\n  nofile.lp")
            },
            nowhere(Kind::Error, "(gringo): grounding stopped because of errors"),
        ];
        assert_eq!(messages(printed), want);
    }

    #[test]
    fn no_line_is_lost() {
        let free = |text: &str| Message { text: text.into(), ..Message::default() };
        let trace = "Traceback (most recent call last):\n  File \"x\"\nOops";
        assert_eq!(messages(&format!("{trace}\n\nKilled\n")), [free(trace), free("Killed")]);
        assert_eq!(messages("\n \n"), []);
        assert_eq!(messages("see *** ERROR: x"), [free("see *** ERROR: x")]);
    }
}
