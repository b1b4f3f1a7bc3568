//! The words of a command line, as clap reads them.
//!
//! Main functions: [`spelled_out`], and [`arg_of`], which finds the option of a word. Invariant: after `--`,
//! each word stays as it is.

use std::ffi::OsString;

use super::clingo::rows::negated;

/// The option of a word such as `--seed=1`, `--see` or `-n1`.
pub fn arg_of<'a>(command: &'a clap::Command, word: &str) -> Option<&'a clap::Arg> {
    let find = |is: &dyn Fn(&clap::Arg) -> bool| command.get_arguments().find(|arg| is(arg));
    match word.strip_prefix("--") {
        Some(name) => {
            let name = name.split('=').next().unwrap_or_default();
            find(&|arg| arg.get_long() == Some(name))
                .or_else(|| find(&|arg| arg.get_long().is_some_and(|long| long.starts_with(name))))
        }
        None => find(&|arg| arg.get_short().is_some() && arg.get_short() == word.chars().nth(1)),
    }
}

/// The words as clap reads them: `-q1` as `--quiet=1`, and so for each option with a level that may be left
/// out, as clap would take `-q1` for `-q -1`; clasp's `--no-restarts` as `--restarts=no`; and a word `-n 3`
/// as `-n3`.
pub fn spelled_out(arguments: impl IntoIterator<Item = OsString>) -> impl Iterator<Item = OsString> {
    let mut only_files = false;
    arguments.into_iter().map(move |argument| {
        only_files |= argument == "--";
        let name = match argument.as_encoded_bytes() {
            _ if only_files => None,
            b"--help=1" => return "-h".into(),
            b"--help=2" | b"--help=3" => return "--help".into(),
            [b'-', b'q', b'0'..=b'9', ..] => Some("--quiet="),
            [b'-', b's', b'0'..=b'9', ..] => Some("--stats="),
            [b'-', b'V', b'0'..=b'9', ..] => Some("--verbose="),
            _ => None,
        };
        match (name, argument.to_str()) {
            (None, Some(typed)) if !only_files && is_apart(typed) => {
                let (option, value) = typed.split_at(2);
                format!("{option}{}", value.trim_start()).into()
            }
            (Some(name), Some(typed)) => format!("{name}{}", &typed[2..]).into(),
            (None, Some(typed)) if !only_files => match negated(typed) {
                Some(word) => word.into(),
                None => argument,
            },
            _ => argument,
        }
    })
}

/// Whether a word is a short option and its value with a space between them, such as `-n 3`.
fn is_apart(word: &str) -> bool {
    let mut letters = word.chars();
    letters.next() == Some('-')
        && letters.next().is_some_and(|letter| letter.is_ascii_alphabetic())
        && letters.next() == Some(' ')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_may_follow_at_once() {
        let line = "yasmin -q1,0 -V2 -q -s2 -n1 -e brave --no-restarts --no-sign-fix -- -q1 --no-restarts";
        let apart = spelled_out(line.split(' ').map(OsString::from));
        let want =
            "yasmin --quiet=1,0 --verbose=2 -q --stats=2 -n1 -e brave --restarts=no --no-sign-fix -- -q1 \
                    --no-restarts";
        assert!(apart.eq(want.split(' ').map(OsString::from)));
        let words = ["-n 3", "-t  4", "- x", "--models 3"].map(OsString::from);
        assert!(spelled_out(words).eq(["-n3", "-t4", "- x", "--models 3"].map(OsString::from)));
    }
}
