//! Questions about a program by the names that it shows, for `--questions` and `--facets`.
//!
//! Main types: [`Asked`], and [`Names`], whose function [`Names::question`] reads a line.

use std::collections::{HashMap, HashSet};
use std::error::Error;
use std::sync::Arc;
use std::time::Duration;

use library::{Control, External, Literal, Optimization, Question, Symmetry, Term};
use serde_json::{Map, Value};
use solver_host::input::ground::{read_builder, Guard, Inputs};
use solver_host::output::Trouble;
use solver_host::program::ProgramBuilder;
use solver_host::search::Options;

use super::exit::Known;
use super::unique::Unique;
use super::validated::Request;
use super::values::names_in;

/// A control for a program that was read, and the literals of names.
pub struct Asked {
    /// The control.
    pub control: Control,
    /// What may be shown.
    pub shown: Vec<(String, Literal)>,
    /// What names mean, for whichever thread reads questions.
    pub names: Arc<Names>,
}

/// What names mean in a program.
pub struct Names {
    /// What every question is, with what is assumed in all of them.
    pub question: Question,
    names: HashMap<String, Literal>,
    /// The name of each literal that has one.
    named: HashMap<Literal, String>,
    /// What questions may give other values.
    externals: HashSet<Literal>,
    /// What is assumed in every question.
    assumed: Vec<Spoken>,
    is_formula: bool,
}

/// A literal, as somebody named it.
pub type Spoken = (Literal, String);

/// A question on a line, by its name if it has one.
pub struct Read {
    /// The question's name.
    pub name: Option<String>,
    /// The question, with what it assumes by other names than [`Names::name`] finds by itself; or what is
    /// wrong with the line.
    pub question: Result<(Question, Vec<Spoken>), String>,
}

impl Asked {
    /// Reads the program that is asked for.
    ///
    /// # Errors
    /// If it cannot be read, or what is assumed in every question is no name of it.
    pub fn read(inputs: Inputs, request: &Request, guard: &Guard) -> Result<Asked, Box<dyn Error>> {
        let is_formula = inputs.formula().is_some();
        let inputs = if request.maxsat { inputs.with_soft_disjunctions()? } else { inputs };
        let builder: ProgramBuilder = read_builder(inputs, &request.grounding, guard)?;
        guard.conclude(None)?;
        let theory_atom = builder.first_theory_atom().filter(|_| request.reads_differences());
        let variable = request.minimized.as_ref().map(|variable| format!("--minimize-variable={variable}"));
        if let Some(what) = theory_atom.or(variable) {
            let what = format!("--questions and --facets know no theories: leave `{what}` out");
            return Err(Known(Trouble::Usage, what).into());
        }
        let minimizes = builder.statements().minimizes > 0;
        let options = Options { symmetry: Symmetry::No, ..request.options };
        let mut control = Control::of(builder, options);
        control.modify_domain(request.domain);
        let shown = control.named()?;
        let names: HashMap<String, Literal> = shown.iter().cloned().collect();
        let named = shown.iter().map(|(name, literal)| (*literal, name.clone())).collect();
        let goal = match request.goal.optimization {
            Optimization::OptN if minimizes && request.models.is_none() => 0,
            _ if minimizes && request.goal.optimization == Optimization::Opt => 0,
            _ => request.models.unwrap_or(1),
        };
        let question = Question::new().goal(request.goal.clone()).limit(goal);
        // What is wrong with the program or the device is wrong with the whole run.
        control.is_refuted(&request.goal)?;
        let is_external = |literal: &Literal| literal.is_positive() && control.is_external(literal.atom());
        let externals = names.values().copied().filter(is_external).collect();
        let mut names = Names { question, names, named, externals, assumed: Vec::new(), is_formula };
        for (name, holds) in &request.assumptions {
            let literal = names.signed(name, *holds).map_err(|why| Known(Trouble::Usage, why))?;
            names.assumed.push((literal, called(name, *holds)));
        }
        let assumed = names.assumed.iter().map(|(literal, _)| *literal);
        names.question = names.question.clone().assume(assumed);
        Ok(Asked { control, shown, names: Arc::new(names) })
    }
}

impl Names {
    /// The literal of a name, which may be typed in another way than grounders print it.
    fn literal(&self, name: &str) -> Result<Literal, String> {
        let known = |name: &str| self.names.get(name).copied();
        // Of a formula the literals have names that begin with a sign.
        let negated = || name.strip_prefix('-').and_then(known).map(|lit| !lit).filter(|_| self.is_formula);
        let printed = || known(&Term::typed(name).ok()?.to_string());
        let literal = known(name).or_else(negated).or_else(printed);
        literal.ok_or_else(|| format!("the program shows nothing that is called `{name}`"))
    }

    /// The literal that a name stands for, or its negation.
    fn signed(&self, name: &str, holds: bool) -> Result<Literal, String> {
        self.literal(name).map(|literal| if holds { literal } else { !literal })
    }

    /// The literals that a text names.
    fn literals(&self, text: &str) -> Result<Vec<Literal>, String> {
        names_in(text)?.into_iter().map(|(name, holds)| self.signed(name, holds)).collect()
    }

    /// Assumes the literals that a text names.
    fn assume(&self, question: Question, text: &str, spoken: &mut Vec<Spoken>) -> Result<Question, String> {
        let mut literals = Vec::new();
        for (name, holds) in names_in(text)? {
            let literal = self.signed(name, holds)?;
            // What the command assumes may have another name there.
            let is_assumed = self.assumed.iter().any(|(other, _)| *other == literal);
            if is_assumed || self.known_as(literal) != Some((name, holds)) {
                spoken.push((literal, called(name, holds)));
            }
            literals.push(literal);
        }
        Ok(question.assume(literals))
    }

    /// The name of a literal of a core, as the question has it if it does.
    pub fn name(&self, literal: Literal, spoken: &[Spoken]) -> String {
        let mut all = spoken.iter().chain(&self.assumed);
        if let Some((_, name)) = all.find(|(other, _)| *other == literal) {
            return name.clone();
        }
        match self.known_as(literal) {
            Some((name, holds)) => called(name, holds),
            // Values of external atoms are in cores as well.
            None => "an external atom that is not shown".into(),
        }
    }

    /// The name of a literal in the program, and whether the literal holds if what is called so does.
    fn known_as(&self, literal: Literal) -> Option<(&str, bool)> {
        let name = |literal, holds| self.named.get(&literal).map(|name| (name.as_str(), holds));
        name(literal, true).or_else(|| name(!literal, false))
    }

    /// The question on a line.
    pub fn question(&self, line: &str) -> Read {
        let mut spoken = Vec::new();
        if !line.starts_with('{') {
            let question = self.assume(self.question.clone(), line, &mut spoken);
            return Read { name: None, question: question.map(|question| (question, spoken)) };
        }
        let object = match serde_json::from_str(line) {
            Ok(Unique(Value::Object(object))) => object,
            Ok(_) => Map::new(),
            Err(error) => {
                return Read { name: None, question: Err(format!("this is no JSON object: {error}")) }
            }
        };
        let name = object.get("name").and_then(|name| match name {
            Value::String(name) => Some(name.clone()),
            Value::Number(number) => Some(number.to_string()),
            _ => None,
        });
        let with = |question, (key, value): (&String, &Value)| self.with(question, key, value, &mut spoken);
        let question = object.iter().try_fold(self.question.clone(), with);
        Read { name, question: question.map(|question| (question, spoken)) }
    }

    /// The question with what one key of an object says.
    fn with(
        &self,
        question: Question,
        key: &str,
        value: &Value,
        spoken: &mut Vec<Spoken>,
    ) -> Result<Question, String> {
        let wrong = |what: &str| format!("`{key}` is {what}, and not {value}");
        match key {
            "name" if value.is_string() || value.is_number() => Ok(question),
            "name" => Err(wrong("a string or a number")),
            "assumptions" => {
                let wrong = || wrong("a list of strings, each a literal");
                value.as_array().ok_or_else(wrong)?.iter().try_fold(question, |question, text| {
                    self.assume(question, text.as_str().ok_or_else(wrong)?, spoken)
                })
            }
            "externals" => {
                let wrong = || wrong("an object with true, false or \"free\" for names of external atoms");
                let values = value.as_object().ok_or_else(wrong)?;
                values.iter().try_fold(question, |question, (name, value)| {
                    let value = match value {
                        Value::Bool(true) => External::True,
                        Value::Bool(false) => External::False,
                        Value::String(free) if free == "free" => External::Free,
                        _ => return Err(wrong()),
                    };
                    let literal = self.literal(name)?;
                    match self.externals.contains(&literal) {
                        true => Ok(question.external(literal.atom(), value)),
                        false => Err(format!("`{name}` is no external atom, or has a rule: assume it instead")),
                    }
                })
            }
            "constraints" => {
                let wrong = || wrong("a list of strings, each literals that do not all hold together");
                let all = value.as_array().ok_or_else(wrong)?;
                all.iter().try_fold(question, |question, text| {
                    Ok(question.constraint(self.literals(text.as_str().ok_or_else(wrong)?)?))
                })
            }
            "rules" => {
                let wrong = || wrong("a list of strings, each a ground rule");
                let all = value.as_array().ok_or_else(wrong)?;
                all.iter().try_fold(question, |question, text| {
                    Ok(question.rules(text.as_str().ok_or_else(wrong)?))
                })
            }
            "bound" => {
                let wrong = || wrong("a list of costs, highest priority first");
                let costs = value.as_array().ok_or_else(wrong)?.iter().map(Value::as_i64);
                Ok(question.bound(costs.collect::<Option<Vec<i64>>>().ok_or_else(wrong)?))
            }
            "project" => {
                let wrong = || wrong("a list of strings, each the name of an atom");
                let all = value.as_array().ok_or_else(wrong)?.iter();
                let atoms = all.map(|name| Ok(self.literal(name.as_str().ok_or_else(wrong)?)?.atom()));
                Ok(question.project(atoms.collect::<Result<Vec<_>, String>>()?))
            }
            "models" => {
                let models = value.as_u64().ok_or_else(|| wrong("a number of answer sets; 0: all"))?;
                Ok(question.limit(models))
            }
            "minimal_core" => match value.as_bool().ok_or_else(|| wrong("true or false"))? {
                true => Ok(question.minimal_core()),
                false => Ok(question),
            },
            "time_limit" => {
                let seconds = value.as_f64().and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
                Ok(question.within(seconds.ok_or_else(|| wrong("a number of seconds"))?))
            }
            _ => Err(format!(
                "`{key}` is none of name, assumptions, externals, constraints, rules, bound, project, models, minimal_core and time_limit"
            )),
        }
    }
}

/// A literal as it is typed.
fn called(name: &str, holds: bool) -> String {
    if holds {
        name.into()
    } else {
        format!("not {name}")
    }
}
