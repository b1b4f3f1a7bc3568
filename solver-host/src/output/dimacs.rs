//! The models of formulas in DIMACS, as SAT solvers print them.
//!
//! Main function: [`write_values`]. Invariant: no line is longer than the competitions allow, unless one literal
//! is.

use std::io::{self, Write};

/// A line with more characters than that after its `v` ends. clasp breaks its lines so.
const LINE: usize = 70;

/// Writes the literals as lines that begin with `v`, with a 0 after the last literal.
pub(super) fn write_values(to: &mut impl Write, literals: &[&str]) -> io::Result<()> {
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
    // clasp has two spaces where no literal is told.
    writeln!(to, "{} 0", if literals.is_empty() { " " } else { "" })
}
