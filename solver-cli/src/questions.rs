//! Questions about a program by the names that it shows, for `--questions` and `--facets`.
//!
//! Main type: [`Asked`]; main function: [`Asked::question`], which reads a line.

use std::collections::HashMap;
use std::error::Error;
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
use super::values::{literals, Literals};

/// A control for a program that was read, and the literals of names.
pub struct Asked {
    /// The control.
    pub control: Control,
    /// What may be shown.
    pub shown: Vec<(String, Literal)>,
    names: HashMap<String, Literal>,
    /// What every question is, with what is assumed in all of them.
    pub question: Question,
    /// The name of each literal that has one.
    named: HashMap<Literal, String>,
    /// What is assumed in every question.
    assumed: Vec<Spoken>,
    is_formula: bool,
}

/// A literal, as somebody named it.
pub type Spoken = (Literal, String);

/// A question and what it assumes, or what is wrong with its line.
pub type Read = Result<(Question, Vec<Spoken>), String>;

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
        let names = shown.iter().cloned().collect();
        let named = shown.iter().map(|(name, literal)| (*literal, name.clone())).collect();
        let goal = match request.goal.optimization {
            Optimization::OptN if minimizes && request.models.is_none() => 0,
            _ if minimizes && request.goal.optimization == Optimization::Opt => 0,
            _ => request.models.unwrap_or(1),
        };
        let question = Question::new().goal(request.goal.clone()).limit(goal);
        let assumed = Vec::new();
        let mut asked = Asked { control, shown, names, question, named, assumed, is_formula };
        let assumed = asked.literals(&request.assumptions);
        asked.assumed = assumed.map_err(|why| Known(Trouble::Usage, why))?;
        asked.question = asked.question.assume(asked.assumed.iter().map(|(literal, _)| *literal));
        // What is wrong with the program or the device is wrong with the whole run.
        asked.control.is_refuted(&request.goal)?;
        Ok(asked)
    }

    fn literals(&self, names: &[(String, bool)]) -> Result<Vec<Spoken>, String> {
        let literal = |(name, holds): &(String, bool)| {
            let literal = self.literal(name)?;
            Ok(if *holds { (literal, name.clone()) } else { (!literal, format!("not {name}")) })
        };
        names.iter().map(literal).collect()
    }

    /// The literal of a name, which may be typed in another way than grounders print it.
    fn literal(&self, name: &str) -> Result<Literal, String> {
        let known = |name: &str| self.names.get(name).copied();
        // Of a formula the literals have names that begin with a sign.
        let negated = || name.strip_prefix('-').and_then(known).map(|lit| !lit).filter(|_| self.is_formula);
        let printed = || known(&without_blanks(name).parse::<Term>().ok()?.to_string());
        let literal = known(name).or_else(negated).or_else(printed);
        literal.ok_or_else(|| format!("the program shows nothing that is called `{name}`"))
    }

    /// The name of a literal of a core, as the question has it if it does.
    pub fn name(&self, literal: Literal, spoken: &[Spoken]) -> String {
        let mut all = spoken.iter().chain(&self.assumed);
        if let Some((_, name)) = all.find(|(other, _)| *other == literal) {
            return name.clone();
        }
        // The rest are values of external atoms.
        if let Some(name) = self.named.get(&literal) {
            return name.clone();
        }
        match self.named.get(&!literal) {
            Some(name) => format!("not {name}"),
            None => "an external atom that is not shown".into(),
        }
    }

    /// The question on a line, with what it assumes, and its name.
    pub fn question(&self, line: &str) -> (Option<String>, Read) {
        let mut spoken = Vec::new();
        if !line.starts_with('{') {
            let assumed = literals(line).and_then(|Literals(names)| self.literals(&names));
            let question = assumed.map(|assumed| self.assuming(self.question.clone(), assumed, &mut spoken));
            return (None, question.map(|question| (question, spoken)));
        }
        let object = match serde_json::from_str(line) {
            Ok(Unique(Value::Object(object))) => object,
            Ok(_) => Map::new(),
            Err(error) => return (None, Err(format!("this is no JSON object: {error}"))),
        };
        let name = object.get("name").and_then(|name| match name {
            Value::String(name) => Some(name.clone()),
            Value::Number(number) => Some(number.to_string()),
            _ => None,
        });
        let with = |question, (key, value): (&String, &Value)| self.with(question, key, value, &mut spoken);
        let question = object.iter().try_fold(self.question.clone(), with);
        (name, question.map(|question| (question, spoken)))
    }

    fn assuming(&self, question: Question, assumed: Vec<Spoken>, spoken: &mut Vec<Spoken>) -> Question {
        let question = question.assume(assumed.iter().map(|(literal, _)| *literal));
        spoken.extend(assumed);
        question
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
                let texts: Option<Vec<&str>> =
                    value.as_array().ok_or_else(wrong)?.iter().map(Value::as_str).collect();
                let mut names = Vec::new();
                for text in texts.ok_or_else(wrong)? {
                    names.extend(literals(text)?.0);
                }
                Ok(self.assuming(question, self.literals(&names)?, spoken))
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
                    match literal.is_positive() && self.control.is_external(literal.atom()) {
                        true => Ok(question.external(literal.atom(), value)),
                        false => Err(format!("`{name}` is no external atom, or has a rule: assume it instead")),
                    }
                })
            }
            "constraints" => {
                let wrong = || wrong("a list of strings, each literals that do not all hold together");
                let all = value.as_array().ok_or_else(wrong)?;
                all.iter().try_fold(question, |question, text| {
                    let Literals(names) = literals(text.as_str().ok_or_else(wrong)?)?;
                    let lits = self.literals(&names)?.into_iter().map(|(literal, _)| literal);
                    Ok(question.constraint(lits))
                })
            }
            "rules" | "bound" | "project" => {
                Err(format!("no question has its own `{key}`: all questions have those of the program and command"))
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
                "`{key}` is none of name, assumptions, externals, constraints, models, minimal_core and time_limit"
            )),
        }
    }
}

/// A name without the blanks that may stand between the parts of a term.
fn without_blanks(name: &str) -> String {
    let (mut without, mut in_string, mut is_escaped) = (String::new(), false, false);
    for letter in name.chars() {
        match letter {
            _ if is_escaped => is_escaped = false,
            '\\' if in_string => is_escaped = true,
            '"' => in_string = !in_string,
            ' ' | '\t' if !in_string => continue,
            _ => {}
        }
        without.push(letter);
    }
    without
}
