//! Who is right where yasmin and the reference differ.
//!
//! Main function: [`Judge::judge`]. Known faults of the references (clasp 3.3.5, clingo 5.8.3): an atom in a weight body of its own rule
//! loses answer sets, and some disjunctive programs have other answer sets with `--eq=0`.

use crate::answers::{Answer, Facts};
use crate::reference::Reference;
use crate::rich::{self, Meaning, Rich};

/// The most atoms of a program whose sets of atoms are all tried.
const MOST_ATOMS: i32 = 18;

/// Options that switch off what references are known to do wrong.
const VARIANTS: [&[&str]; 3] = [&[], &["--eq=0"], &["--eq=0", "--sat-prepro=no", "--trans-ext=all"]];

/// Someone to ask where yasmin and the first reference differ.
pub struct Judge {
    /// The first reference.
    pub reference: Reference,
    all: Vec<Reference>,
}

/// What came of asking.
pub enum Judgement {
    /// Nobody agrees with yasmin.
    Wrong,
    /// This one does.
    Right(String),
}

impl Judge {
    /// Asks all references that there are.
    ///
    /// # Errors
    /// If there is none.
    pub fn find() -> Result<Judge, String> {
        Ok(Judge { reference: Reference::find()?, all: Reference::all() })
    }

    /// Whether yasmin, which differs from the reference, is right about a ground program: by the definition, if the program is small
    /// enough, else by other references and options. `agrees` says whether yasmin agrees with some facts.
    pub fn judge(&self, ground: &[u8], agrees: &dyn Fn(&Facts) -> bool) -> Judgement {
        if let Some(facts) = by_definition(ground) {
            return match agrees(&facts) {
                true => Judgement::Right("the definition".into()),
                false => Judgement::Wrong,
            };
        }
        for reference in &self.all {
            for options in VARIANTS {
                let listed = reference.list(ground, options, 0);
                if listed.is_ok_and(|listing| agrees(&Facts::of(&listing.answers))) {
                    return Judgement::Right(format!("{} {}", reference.name(), options.join(" ")));
                }
            }
        }
        Judgement::Wrong
    }
}

/// The facts of a small ground program, by the definition.
pub fn by_definition(ground: &[u8]) -> Option<Facts> {
    let program = rich::read(ground).filter(|program| program.atoms <= MOST_ATOMS)?;
    let meaning = Meaning::of(&program);
    let answer = |(&set, costs): (&u32, Vec<i64>)| -> Answer { (printed(&program, set), costs) };
    let answers: Vec<Answer> = meaning.answer_sets.iter().zip(meaning.costs).map(answer).collect();
    Some(Facts::of(&answers))
}

fn printed(program: &Rich, set: u32) -> Vec<String> {
    rich::printed(program, set)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_definition_says_what_clingo_loses() {
        // `{1;2} :- 1 {2=1, not 3=1}.`: clingo 5.8.3 does not find `{1,2}`.
        let text = "asp 1 0 0\n1 1 2 1 2 1 1 2 2 1 -3 1\n4 1 a 1 1\n4 1 b 1 2\n0\n";
        assert_eq!(by_definition(text.as_bytes()).expect("small").all.number, 4);
    }
}
