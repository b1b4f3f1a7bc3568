//! The models of formulas, as solvers of such formulas print them.
//!
//! Main function: [`write_values`]. Invariant: no line is longer than the competitions allow, unless one literal
//! is.

use std::io::{self, Write};

use crate::program::Formula;

/// A line with more characters than that after its `v` ends. clasp breaks its lines so.
const LINE: usize = 70;

/// Writes the literals as lines that begin with `v`, with a 0 after the last literal unless they are of OPB.
pub(super) fn write_values(to: &mut impl Write, literals: &[&str], formula: Formula) -> io::Result<()> {
    write!(to, "v")?;
    let mut width = 0;
    for literal in literals {
        if width > LINE {
            write!(to, "\nv")?;
            width = 0;
        }
        write!(to, " {literal}")?;
        width += 1 + literal.len();
    }
    if formula == Formula::PseudoBoolean {
        return writeln!(to);
    }
    // clasp has two spaces where no literal is told.
    writeln!(to, "{} 0", if literals.is_empty() { " " } else { "" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_break_as_clasps_do() {
        let text = |literals: &[&str]| {
            let mut bytes = Vec::new();
            write_values(&mut bytes, literals, Formula::Clauses).expect("a vector takes everything");
            String::from_utf8(bytes).expect("text")
        };
        assert_eq!(text(&[]), "v  0\n");
        assert_eq!(text(&["1", "-2", "3"]), "v 1 -2 3 0\n");
        let many: Vec<String> = (1..=110).map(|n| n.to_string()).collect();
        let many = text(&many.iter().map(String::as_str).collect::<Vec<_>>());
        let ends: Vec<&str> = many.lines().map(|line| &line[line.len() - 3..]).collect();
        assert_eq!(ends, [" 27", " 51", " 75", " 99", "0 0"]);
        assert!(many.lines().all(|line| line.starts_with("v ")), "{many}");
    }
}
