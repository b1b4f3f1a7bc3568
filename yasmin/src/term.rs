//! Terms, as answer sets show them: [`Term`].

use std::fmt;
use std::str::FromStr;

/// How deep terms may be nested, so that none exhausts the stack.
const DEEPEST: usize = 1000;

/// A ground term, as grounders write it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Term {
    /// `#inf`.
    Infimum,
    /// A number.
    Number(i32),
    /// A text in quotation marks, here without them.
    Text(String),
    /// A constant or a function, or a tuple if the name is empty.
    Function {
        /// The name.
        name: String,
        /// The arguments.
        arguments: Vec<Term>,
        /// False if the term is negated, as in `-a`.
        is_positive: bool,
    },
    /// `#sup`.
    Supremum,
}

/// What was read is no term.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is no term: {what} at byte {at}")]
pub struct TermError {
    text: String,
    what: &'static str,
    at: usize,
}

/// Goes through a text of terms letter by letter.
#[derive(Clone, Copy, Debug, Default)]
pub struct TermScan {
    depth: i32,
    in_string: bool,
    is_escaped: bool,
}

impl TermScan {
    /// Goes past a letter. Returns whether that is in no string, nor the quotation mark of one.
    pub fn is_outside(&mut self, letter: char) -> bool {
        match letter {
            _ if self.is_escaped => self.is_escaped = false,
            '\\' if self.in_string => self.is_escaped = true,
            '"' => self.in_string = !self.in_string,
            _ if self.in_string => {}
            _ => {
                self.depth += match letter {
                    '(' => 1,
                    ')' => -1,
                    _ => 0,
                };
                return true;
            }
        }
        false
    }

    /// The same for a letter that is in no parentheses either, nor one of these.
    pub fn is_between(&mut self, letter: char) -> bool {
        self.is_outside(letter) && self.depth == 0 && letter != ')'
    }

    /// Whether a string or a parenthesis is not closed, or one was closed that is not open.
    pub fn is_inside(&self) -> bool {
        self.in_string || self.depth != 0
    }
}

impl Term {
    /// A function, or a constant without arguments.
    pub fn function(name: &str, arguments: impl Into<Vec<Term>>) -> Term {
        Term::Function { name: name.into(), arguments: arguments.into(), is_positive: true }
    }

    /// Reads a term between whose parts there may be blanks, as somebody types it.
    ///
    /// # Errors
    /// If it is none.
    pub fn typed(text: &str) -> Result<Term, TermError> {
        let mut scan = TermScan::default();
        let mut is_blank = |letter: &char| scan.is_outside(*letter) && matches!(letter, ' ' | '\t');
        let without: String = text.chars().filter(|letter| !is_blank(letter)).collect();
        without.parse()
    }

    /// The name of a function or constant; empty for a tuple.
    pub fn name(&self) -> Option<&str> {
        match self {
            Term::Function { name, .. } => Some(name),
            _ => None,
        }
    }

    /// The arguments of a function or tuple.
    pub fn arguments(&self) -> &[Term] {
        match self {
            Term::Function { arguments, .. } => arguments,
            _ => &[],
        }
    }

    /// The number, if it is one.
    pub fn number(&self) -> Option<i32> {
        match self {
            Term::Number(number) => Some(*number),
            _ => None,
        }
    }
}

impl fmt::Display for Term {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Term::Function { name, arguments, is_positive } = self else {
            return match self {
                Term::Infimum => f.write_str("#inf"),
                Term::Supremum => f.write_str("#sup"),
                Term::Number(number) => write!(f, "{number}"),
                Term::Text(text) => {
                    let quoted = text.replace('\\', "\\\\").replace('\n', "\\n").replace('"', "\\\"");
                    write!(f, "\"{quoted}\"")
                }
                Term::Function { .. } => Ok(()),
            };
        };
        write!(f, "{}{name}", if *is_positive { "" } else { "-" })?;
        if arguments.is_empty() && !name.is_empty() {
            return Ok(());
        }
        for (i, argument) in arguments.iter().enumerate() {
            write!(f, "{}{argument}", if i == 0 { "(" } else { "," })?;
        }
        f.write_str(match (name.is_empty(), arguments.len()) {
            (_, 0) => "()",
            (true, 1) => ",)",
            _ => ")",
        })
    }
}

/// A function or tuple whose arguments are being read.
struct Open {
    name: String,
    is_positive: bool,
    arguments: Vec<Term>,
    /// Whether the last thing was a comma.
    has_comma: bool,
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
}

impl Reader<'_> {
    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    fn wrong(&self, what: &'static str) -> TermError {
        TermError { text: self.text.into(), what, at: self.at }
    }

    fn take(&mut self, text: &str) -> bool {
        let is_next = self.rest().starts_with(text);
        self.at += if is_next { text.len() } else { 0 };
        is_next
    }

    fn take_while(&mut self, is_part: impl Fn(char) -> bool) -> &str {
        let begin = self.at;
        self.at += self.rest().find(|c| !is_part(c)).unwrap_or(self.rest().len());
        &self.text[begin..self.at]
    }

    /// The rest of a text whose first quotation mark was read.
    fn quoted(&mut self) -> Result<Term, TermError> {
        let mut text = String::new();
        let mut chars = self.rest().char_indices();
        while let Some((i, c)) = chars.next() {
            match c {
                '"' => {
                    self.at += i + 1;
                    return Ok(Term::Text(text));
                }
                '\\' => match chars.next() {
                    Some((_, 'n')) => text.push('\n'),
                    Some((_, c)) => text.push(c),
                    None => break,
                },
                c => text.push(c),
            }
        }
        Err(self.wrong("the text does not end"))
    }

    /// A term without arguments, or the beginning of one with arguments, which goes to `open`.
    fn begin(&mut self, open: &mut Vec<Open>) -> Result<Option<Term>, TermError> {
        if self.take("#inf") {
            return Ok(Some(Term::Infimum));
        }
        if self.take("#sup") {
            return Ok(Some(Term::Supremum));
        }
        if self.take("\"") {
            return self.quoted().map(Some);
        }
        let is_positive = !self.take("-");
        let begin = self.at;
        let digits = self.take_while(|c| c.is_ascii_digit());
        if !digits.is_empty() {
            let number = digits.parse::<i64>().ok().map(|number| if is_positive { number } else { -number });
            let number = number.and_then(|number| i32::try_from(number).ok());
            return number
                .map(|number| Some(Term::Number(number)))
                .ok_or_else(|| self.wrong("the number is too large"));
        }
        self.take_while(|c| c == '_');
        let has_letter = self.rest().starts_with(|c: char| c.is_ascii_lowercase());
        self.take_while(|c| c.is_ascii_alphanumeric() || c == '_' || c == '\'');
        let name = self.text[begin..self.at].to_string();
        if !name.is_empty() && !has_letter {
            return Err(self.wrong("a name begins with a small letter"));
        }
        if self.take("(") {
            if open.len() == DEEPEST {
                return Err(self.wrong("the term is nested too deep"));
            }
            open.push(Open { name, is_positive, arguments: Vec::new(), has_comma: false });
            return Ok(None);
        }
        match name.is_empty() {
            true => Err(self.wrong("a term is missing")),
            false => Ok(Some(Term::Function { name, arguments: Vec::new(), is_positive })),
        }
    }
}

impl FromStr for Term {
    type Err = TermError;

    fn from_str(text: &str) -> Result<Term, TermError> {
        let mut reader = Reader { text, at: 0 };
        let mut open: Vec<Open> = Vec::new();
        loop {
            // An end of arguments comes where a term could.
            let is_end = open.last().is_some_and(|last| last.arguments.is_empty() || last.has_comma);
            let mut term = match is_end && reader.rest().starts_with(')') {
                true => None,
                false => match reader.begin(&mut open)? {
                    None => continue,
                    term => term,
                },
            };
            loop {
                if let Some(whole) = term.take() {
                    match open.last_mut() {
                        Some(last) => {
                            last.arguments.push(whole);
                            last.has_comma = false;
                        }
                        None if reader.rest().is_empty() => return Ok(whole),
                        None => return Err(reader.wrong("the term has ended")),
                    }
                }
                if reader.take(",") {
                    if let Some(last) = open.last_mut() {
                        last.has_comma = true;
                        break;
                    }
                }
                if !reader.take(")") {
                    return Err(reader.wrong("a comma or a parenthesis is missing"));
                }
                let Some(Open { name, is_positive, mut arguments, has_comma }) = open.pop() else {
                    return Err(reader.wrong("a parenthesis closes nothing"));
                };
                let is_tuple = name.is_empty();
                // `(a)` is `a`, and `(a,)` a tuple of one.
                let is_grouping = is_tuple && arguments.len() == 1 && !has_comma;
                if has_comma && !(is_tuple && arguments.len() == 1) || is_tuple && !is_positive {
                    return Err(reader.wrong("a term is missing"));
                }
                term = match is_grouping {
                    true => arguments.pop(),
                    false => Some(Term::Function { name, arguments, is_positive }),
                };
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terms_are_read_and_written() {
        for text in [
            "a",
            "-a",
            "_x'1",
            "f(1,-2)",
            "f(g(h),\"a \\\"b\\\\\\n\",#inf,#sup)",
            "(1,2)",
            "(1,)",
            "()",
            "f(())",
            "-p(x)",
            "2147483647",
            "-2147483648",
            "f((a,b),(c,))",
        ] {
            let term: Term = text.parse().unwrap_or_else(|error| panic!("{error}"));
            assert_eq!(term.to_string(), text);
        }
        assert_eq!("(a)".parse(), Ok(Term::function("a", [])));
        let deep = "f(".repeat(DEEPEST) + "a" + &")".repeat(DEEPEST);
        assert_eq!(deep.parse::<Term>().map(|term| term.to_string()), Ok(deep));
    }

    #[test]
    fn what_is_no_term_is_refused() {
        for text in [
            "",
            " ",
            "A",
            "_",
            "f(",
            "f(a",
            "f(a,)",
            "f(,a)",
            ")",
            "a)",
            "a,b",
            "f(a)b",
            "\"a",
            "\"a\\",
            "-",
            "--a",
            "2147483648",
            "99999999999999999999",
            "(,)",
            "f(a b)",
            "-(a,b)",
            "é",
        ] {
            assert!(text.parse::<Term>().is_err(), "{text}");
        }
        let deep = "f(".repeat(1_000_000);
        assert!(deep.parse::<Term>().is_err());
    }

    #[test]
    fn terms_have_an_order() {
        let read = |text: &str| text.parse::<Term>().expect("a term");
        assert!(read("#inf") < read("1") && read("1") < read("\"a\"") && read("f(1)") < read("#sup"));
        assert_eq!(read("f(1,a)").arguments().len(), 2);
        assert_eq!((read("f(1)").name(), read("7").number()), (Some("f"), Some(7)));
    }
}
