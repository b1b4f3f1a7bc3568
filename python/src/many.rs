//! Many questions at once, as Python asks them: functions of a [`Control`].

use crate::answer::Answer;
use crate::Control;
use pyo3::prelude::*;
use std::time::Duration;
use yasmin::{External, Facets, Holds, Question};

/// What has become of a question: its number, whether there is an answer set, whether none was left out, the
/// answers or the rows, the optimum, the core, the number of conflicts, and seconds.
type Told = (u64, Option<bool>, bool, Found, Option<Vec<i64>>, Option<Vec<i64>>, u64, f64);

/// The answers, or a row for each: a byte for each atom that was asked for, 1 if the atom holds and else -1.
#[derive(IntoPyObject)]
enum Found {
    Answers(Vec<Answer>),
    Rows(Vec<u8>),
}

/// What a question has of its own: literals that are assumed, values of external atoms (nothing: either),
/// literals that do not hold together, rules, a bound, and literals whose atoms count.
type Own =
    (Vec<i64>, Vec<(u64, Option<bool>)>, Vec<Vec<i64>>, Vec<String>, Option<Vec<i64>>, Option<Vec<i64>>);

/// A number for each literal, and if they are counted the answer sets with each, and all.
type ToldFacets = (Vec<u8>, Option<(Vec<u64>, u64)>);

/// Prepares the control for questions by the present options. `never` is an atom without rules. Returns how
/// many searchers there are.
#[pyfunction]
fn begin_questions(py: Python<'_>, control: Py<Control>, never: u64) -> PyResult<usize> {
    let control = control.get();
    let said = control.options.get().request();
    control.search(py, |inner| {
        inner.atom(never)?;
        inner.declared.end_step();
        inner.control.set_options(said.options);
        inner.control.modify_domain(said.domain);
        Ok(said.options.parallel_mode.searchers())
    })
}

/// Asks a question, and returns its number, and how many are to be open. `models` says how many answer sets
/// are wanted, if not the options do. An atom that the program does not have is as false as `never`: a new one
/// would end the questions that are open.
#[pyfunction]
fn submit(
    py: Python<'_>,
    control: Py<Control>,
    own: Own,
    never: i64,
    minimizes: bool,
    models: Option<u64>,
    minimal_core: bool,
) -> PyResult<(u64, u64)> {
    let control = control.get();
    let said = control.options.get().request();
    let (assumptions, externals, constraints, rules, bound, projection) = own;
    control.search(py, |inner| {
        let names = inner.names.clone();
        let is_known = |literal: i64| names.atom(literal.unsigned_abs()).is_some();
        let mut known = |mut literals: Vec<i64>| {
            literals.retain(|&literal| literal > 0 || is_known(literal));
            literals.iter_mut().filter(|literal| !is_known(**literal)).for_each(|literal| *literal = never);
            inner.literals(&literals)
        };
        let limit = models.unwrap_or(said.limit(minimizes));
        let mut question = Question::new().assume(known(assumptions)?).goal(said.goal).limit(limit);
        for constraint in constraints {
            question = question.constraint(known(constraint)?);
        }
        question = rules.into_iter().fold(question, Question::rules);
        if let Some(bound) = bound {
            question = question.bound(bound);
        }
        if let Some(projection) = projection {
            question = question.project(known(projection)?.into_iter().map(yasmin::Literal::atom));
        }
        for (atom, value) in externals {
            let value = match value {
                None => External::Free,
                Some(true) => External::True,
                Some(false) => External::False,
            };
            let [literal] = known(vec![atom as i64])?[..] else { continue };
            question = question.external(literal.atom(), value);
        }
        let number = inner.control.submit(if minimal_core { question.minimal_core() } else { question })?;
        Ok((number, inner.control.ahead()))
    })
}

/// The next reply, which is waited for so many seconds at most. `atoms` says of which literals rows are told
/// instead of answers; 0 always holds.
#[pyfunction]
fn reply(
    py: Python<'_>,
    control: Py<Control>,
    seconds: f64,
    atoms: Option<Vec<i64>>,
) -> PyResult<Option<Told>> {
    let wait = Duration::try_from_secs_f64(seconds).unwrap_or_default();
    let told = control.get().search(py, |inner| {
        let Some(reply) = inner.control.reply(wait) else { return Ok(None) };
        let core = reply.core().map(|core| inner.numbers(core));
        let (number, satisfiable, exhausted) = (reply.number(), reply.is_satisfiable(), reply.is_exhausted());
        let (optimum, conflicts) = (reply.optimum().map(<[i64]>::to_vec), reply.conflicts());
        let seconds = reply.time().as_secs_f64();
        let (answers, names) = (reply.into_answers()?, &inner.names);
        let found = match &atoms {
            None => {
                let with_names = |answer| Answer { answer, names: names.clone() };
                Found::Answers(answers.into_iter().map(with_names).collect())
            }
            Some(atoms) => {
                // An atom that the program does not have is false.
                let atoms = atoms.iter().map(|&literal| (literal, names.atom(literal.unsigned_abs())));
                let atoms: Vec<_> = atoms.collect();
                let holds = |answer: &yasmin::Answer, &(literal, atom): &(i64, Option<yasmin::Atom>)| {
                    let atom = atom.is_some_and(|atom| answer.holds(atom.positive()));
                    if literal == 0 || atom == (literal > 0) {
                        1
                    } else {
                        u8::MAX
                    }
                };
                let row =
                    |answer: &yasmin::Answer| atoms.iter().map(|of| holds(answer, of)).collect::<Vec<_>>();
                Found::Rows(answers.iter().flat_map(row).collect())
            }
        };
        Ok(Some((number, satisfiable, exhausted, found, optimum, core, conflicts, seconds)))
    })?;
    // Control-C.
    py.check_signals()?;
    Ok(told)
}

/// Leaves all open questions, and drops their replies.
#[pyfunction]
fn leave_questions(py: Python<'_>, control: Py<Control>) -> PyResult<()> {
    control.get().search(py, |inner| {
        inner.control.drop_questions();
        Ok(())
    })
}

/// In which answer sets each literal holds (2: all, 1: some, 0: none), and if that is asked for in how many,
/// of how many. `None` if there is no answer set.
#[pyfunction]
fn facets(
    py: Python<'_>,
    control: Py<Control>,
    literals: Vec<i64>,
    assumptions: Vec<i64>,
    counts: bool,
) -> PyResult<Option<ToldFacets>> {
    let control = control.get();
    let goal = control.options.get().request().goal;
    control.search(py, |inner| {
        let (literals, assumed) = (inner.literals(&literals)?, inner.literals(&assumptions)?);
        let question = Question::new().assume(assumed).goal(goal);
        let Facets::Each(each) = inner.control.facets(&literals, &question)? else { return Ok(None) };
        let of = |holds: &Holds| match holds {
            Holds::Always => 2,
            Holds::Sometimes => 1,
            Holds::Never => 0,
        };
        let counted = match counts {
            true => inner.control.facet_counts(&literals, &question)?,
            false => None,
        };
        Ok(Some((each.iter().map(of).collect(), counted)))
    })
}

/// Adds the functions to the module.
pub fn add_to(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(begin_questions, module)?)?;
    module.add_function(wrap_pyfunction!(submit, module)?)?;
    module.add_function(wrap_pyfunction!(reply, module)?)?;
    module.add_function(wrap_pyfunction!(leave_questions, module)?)?;
    module.add_function(wrap_pyfunction!(facets, module)?)
}
