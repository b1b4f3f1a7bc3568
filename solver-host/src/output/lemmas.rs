//! What a search has learned, as integrity constraints: what `--lemma-out` writes.
//!
//! Main function: [`write_lemmas`]. Invariant: what is written, added to the program, says nothing but the
//! lemmas. So text is about atoms alone that the program shows under one name.

use std::collections::HashMap;
use std::io::{self, Write};

use crate::program::Program;
use crate::text;
use solver_gpu::{Lit, Var};

/// Which lemmas are written, and how.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LemmaStyle {
    /// The largest LBD.
    pub most_lbd: u32,
    /// How many at most.
    pub most: u64,
    /// Whether lemmas may be about shown atoms alone.
    pub shown_only: bool,
    /// Whether lemmas are written as rules of a logic program, about shown atoms alone, and not in aspif.
    pub as_text: bool,
}

/// Writes lemmas, each with its LBD. They are about atoms that have a number in the input.
///
/// # Errors
/// If writing fails.
pub fn write_lemmas(
    style: &LemmaStyle,
    lemmas: &[(u32, Vec<Lit>)],
    program: &Program,
    to: &mut impl Write,
) -> io::Result<()> {
    let names = names(program);
    let is_shown = |lit: &Lit| names.contains_key(&lit.var());
    let shown_only = style.as_text || style.shown_only;
    let meant = lemmas.iter().filter(|(lbd, _)| *lbd <= style.most_lbd);
    let meant = meant.filter(|(_, nogood)| !shown_only || nogood.iter().all(is_shown));
    let meant = meant.take(usize::try_from(style.most).unwrap_or(usize::MAX));
    if style.as_text {
        for (lbd, nogood) in meant {
            let literal = |lit: &Lit| {
                let not = if lit.is_false_sign() { "not " } else { "" };
                names.get(&lit.var()).map(|name| format!("{not}{name}"))
            };
            let body: Vec<String> = nogood.iter().filter_map(literal).collect();
            to.write_all(&text::to_bytes(&format!(":- {}.  %lbd = {lbd}\n", body.join(", "))))?;
        }
        return Ok(());
    }
    writeln!(to, "asp 1 0 0")?;
    for (_, nogood) in meant {
        write!(to, "1 0 0 0 {}", nogood.len())?;
        for lit in nogood {
            let number = program.number(lit.var()).map_or(0, i64::from);
            write!(to, " {}", lit.signed(number))?;
        }
        writeln!(to)?;
    }
    writeln!(to, "0")
}

/// The names of atoms that are shown as such. A name of several atoms, or of a condition, is none. An atom
/// with several names has none, because some of them are terms.
fn names(program: &Program) -> HashMap<Var, &str> {
    let mut of_name: HashMap<&str, u32> = HashMap::new();
    let mut of_atom: HashMap<Var, u32> = HashMap::new();
    for output in &program.outputs {
        *of_name.entry(&output.name).or_default() += 1;
        output.condition.iter().for_each(|lit| *of_atom.entry(lit.var()).or_default() += 1);
    }
    let outputs = program.outputs.iter().filter_map(|output| match output.condition[..] {
        [lit] if !lit.is_false_sign() => Some((lit.var(), &output.name[..])),
        _ => None,
    });
    outputs.filter(|(atom, name)| of_name[name] == 1 && of_atom[atom] == 1).collect()
}
