//! Which domain atoms of an answer set have another value than the domain heuristic prefers: [`Deviations`].

use solver_gpu::{Lit, Var};
use std::collections::BTreeMap;
use yasmin_ground::program::{Modifier, Program};

/// What deviates in an answer set: the complement of what the directives prefer of each domain atom, and
/// both literals of a domain atom without a preferred value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Deviations(Vec<Lit>);

/// What the directives in force say of an atom, each with the priority of the directive that says it.
#[derive(Clone, Copy, Default)]
struct Said {
    level: Option<(u32, i32)>,
    sign: Option<(u32, i32)>,
    /// Whether a directive states a level or a factor, with which clasp takes the atom for a domain atom.
    is_domain: bool,
    /// Whether a level, a sign or a factor depends on a condition.
    is_conditional: bool,
}

impl Deviations {
    /// Those of a program's domain atoms.
    ///
    /// # Errors
    /// A sentence that says why the answer sets would depend on the order of decisions.
    pub(super) fn of(program: &Program) -> Result<Deviations, String> {
        let mut said: BTreeMap<u32, Said> = BTreeMap::new();
        for directive in &program.heuristics {
            let about = said.entry(directive.atom.0).or_default();
            let (modifier, priority) = (directive.modifier, directive.priority);
            let has_level = matches!(modifier, Modifier::Level | Modifier::True | Modifier::False);
            let has_sign = matches!(modifier, Modifier::Sign | Modifier::True | Modifier::False);
            let has_factor = modifier == Modifier::Factor;
            about.is_domain |= has_level || has_factor;
            about.is_conditional |= !directive.condition.is_empty() && modifier != Modifier::Init;
            let sign = match modifier {
                Modifier::False => -1,
                Modifier::True => 1,
                _ => directive.bias,
            };
            // Of equal priorities the last counts.
            let counts = |known: Option<(u32, i32)>| known.is_none_or(|(of, _)| priority >= of);
            if has_level && counts(about.level) {
                about.level = Some((priority, directive.bias));
            }
            if has_sign && counts(about.sign) {
                about.sign = Some((priority, sign));
            }
        }
        if let Some((atom, _)) = said.iter().find(|(_, about)| about.is_conditional) {
            return Err(format!(
                "the directive for {} depends on a condition: leave the condition out",
                name_of(program, *atom)
            ));
        }
        let mut deviations = Vec::new();
        for (&atom, about) in said.iter().filter(|(_, about)| about.is_domain) {
            if about.level.is_none_or(|(_, level)| level <= 0) {
                return Err(format!(
                    "{} has no level above 0, so that other atoms may be decided before it: give it one",
                    name_of(program, atom)
                ));
            }
            let (holds, fails) = (Lit::t(Var(atom)), Lit::f(Var(atom)));
            let sign = about.sign.map_or(0, |(_, sign)| sign);
            deviations.extend((sign <= 0).then_some(holds));
            deviations.extend((sign >= 0).then_some(fails));
        }
        if deviations.is_empty() {
            return Err("no directive gives an atom a level: say for example --dom-mod=false,show".into());
        }
        Ok(Deviations(deviations))
    }

    /// The clause that excludes an answer set with all that share its deviations.
    pub(super) fn clause(&self, holds: impl Fn(Lit) -> bool) -> Vec<Lit> {
        self.0.iter().filter(|&&lit| holds(lit)).map(|&lit| !lit).collect()
    }
}

/// What is printed if the atom holds, as far as there is such a name.
fn name_of(program: &Program, atom: u32) -> String {
    let is_it = |condition: &[Lit]| matches!(condition, [lit] if *lit == Lit::t(Var(atom)));
    let shown = program.outputs.iter().find(|output| is_it(&output.condition));
    shown.map_or_else(|| "an atom that is not shown".into(), |output| format!("`{}`", output.name))
}
