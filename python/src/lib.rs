//! The part of the Python package that is Rust: a control whose atoms have the numbers of a ground program.
//!
//! What has the shape of clingo's package is in `python/yasmin/`. The lock of Python's interpreter is not
//! held while a search runs.

mod answer;
mod declared;
mod failure;
mod lease;
mod limits;
mod many;
mod memory;
mod names;
mod observer;
mod options;
mod propagators;
mod statements;
mod theory;

use answer::Answer;
use declared::Declared;
use failure::{choice, failed, refused};
use limits::Limits;
use names::Names;
use observer::Texts;
use options::Options;
use propagators::{Propagators, Wish};
use pyo3::prelude::*;
use pyo3::sync::MutexExt;
use std::collections::HashMap;
use std::fs::File;
use std::io::BufWriter;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use theory::Parts;
use yasmin::{Asked, Error, External, Goal, Literal, Modifier, Optimization, Progress, ProofFiles, Question};

/// How long a search runs before Python's signals are looked at.
const SLICE: Duration = Duration::from_millis(50);
/// A symbol that is shown.
#[derive(Clone, Copy)]
struct Shown {
    /// As clingo's library represents it.
    symbol: u64,
    /// The number of the atom whose symbol it is; 0 for a fact, and `None` for a term.
    atom: Option<u32>,
}

struct Inner {
    control: yasmin::Control,
    asked: Option<Asked>,
    limits: Limits,
    /// Shared with the answers.
    names: Names,
    /// What is shown, in the order of the outputs.
    shown: Vec<Shown>,
    /// What tells the texts of symbols, once there is a grounder, which shows them.
    texts: Option<Texts>,
    declared: Declared,
    /// The parts of theory atoms, if these are difference constraints.
    parts: Option<Parts>,
    /// Why a statement of the grounder was refused.
    failed: Option<Error>,
}

/// A program that grows, and questions about it. Literals are numbers of atoms, negative for complements.
#[pyclass(frozen)]
struct Control {
    /// The grounder's library knows its address.
    inner: Arc<Mutex<Inner>>,
    propagators: Propagators,
    options: Py<Options>,
}

impl Drop for Control {
    fn drop(&mut self) {
        if !self.propagators.are_any() {
            return;
        }
        // Searchers that are in a propagator wait for Python's lock, and the control waits for them.
        Python::attach(|py| {
            py.detach(|| {
                let mut inner = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
                inner.control = yasmin::Control::new(yasmin::Options::on_processor());
            })
        });
    }
}

impl Control {
    /// Waits for whoever uses the control, and lets Python's other threads run meanwhile.
    fn lock(&self, py: Python<'_>) -> PyResult<MutexGuard<'_, Inner>> {
        self.refuse_propagators()?;
        Ok(self.inner.lock_py_attached(py).unwrap_or_else(PoisonError::into_inner))
    }

    /// The same, for a change of the program, which ends the search that is under way.
    fn change(&self, py: Python<'_>) -> PyResult<MutexGuard<'_, Inner>> {
        if self.propagators.are_any() {
            // Searchers that are in a propagator wait for Python's lock, and have to return first.
            self.search(py, |inner| inner.control.end_propagation())?;
        }
        self.lock(py)
    }

    /// A search waits for the propagator that it calls.
    fn refuse_propagators(&self) -> PyResult<()> {
        match self.propagators.are_called_here() {
            true => Err(refused("a propagator cannot use the control while it is called".into())),
            false => Ok(()),
        }
    }

    /// Searches without the lock of Python's interpreter. What a propagator has raised is raised.
    fn search<T: Send>(
        &self,
        py: Python<'_>,
        search: impl Send + FnOnce(&mut Inner) -> Result<T, Error>,
    ) -> PyResult<T> {
        self.refuse_propagators()?;
        let done = py.detach(|| {
            let mut inner = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
            search(&mut inner)
        });
        done.map_err(|error| self.propagators.raised(py).unwrap_or_else(|| failed(error)))
    }
}

#[pymethods]
impl Control {
    #[new]
    fn new(options: Py<Options>) -> Control {
        let inner = Inner {
            control: yasmin::Control::new(options.get().request().options),
            asked: None,
            limits: Limits::default(),
            names: Names::default(),
            shown: Vec::new(),
            texts: None,
            declared: Declared::default(),
            parts: None,
            failed: None,
        };
        Control { inner: Arc::new(Mutex::new(inner)), propagators: Propagators::default(), options }
    }

    /// What takes rules and symbols from a grounder: functions for an observer of `clingo.h`, by name, and
    /// the data for them. Both are addresses, which are good as long as this object lives. `size` and `text`
    /// are the addresses of the functions that [`Texts`] names.
    fn observer(
        &self,
        py: Python<'_>,
        size: usize,
        text: usize,
    ) -> PyResult<(HashMap<&'static str, usize>, usize)> {
        // SAFETY: the package takes the addresses from clingo's library, which is never unloaded.
        self.lock(py)?.texts = Some(unsafe { Texts::at(size, text) });
        Ok((HashMap::from(observer::functions()), Arc::as_ptr(&self.inner) as usize))
    }

    /// Raises what was wrong about a statement that an observer was told.
    fn raise_error(&self, py: Python<'_>) -> PyResult<()> {
        self.lock(py)?.failed.take().map_or(Ok(()), |error| Err(failed(error)))
    }

    /// What is shown, from one output on: each symbol and its atom, as [`Shown`] has them.
    fn shown_from(&self, py: Python<'_>, from: usize) -> PyResult<Vec<(u64, Option<u32>)>> {
        let inner = self.lock(py)?;
        let shown = inner.shown.get(from..).unwrap_or_default();
        Ok(shown.iter().map(|shown| (shown.symbol, shown.atom)).collect())
    }

    /// Whether an atom is external: declared so, not released since, and in the head of no rule.
    fn is_external(&self, py: Python<'_>, number: u64) -> PyResult<bool> {
        Ok(self.lock(py)?.declared.is_external(number))
    }

    fn rule(&self, py: Python<'_>, is_choice: bool, head: Vec<u64>, body: Vec<i64>) -> PyResult<()> {
        let mut inner = self.change(py)?;
        let body = inner.literals(&body).map_err(failed)?;
        inner.rule(is_choice, &head, &body).map_err(failed)
    }

    fn weight_rule(
        &self,
        py: Python<'_>,
        is_choice: bool,
        head: Vec<u64>,
        bound: i64,
        body: Vec<(i64, i64)>,
    ) -> PyResult<()> {
        let mut inner = self.change(py)?;
        inner.weight_rule(is_choice, &head, bound, &body).map_err(failed)
    }

    fn minimize(&self, py: Python<'_>, priority: i32, terms: Vec<(i64, i64)>) -> PyResult<()> {
        let mut inner = self.change(py)?;
        let terms = inner.weighted(&terms).map_err(failed)?;
        inner.control.minimize(priority, &terms).map_err(failed)
    }

    /// Forgets all that is minimized.
    fn remove_minimize(&self, py: Python<'_>) -> PyResult<()> {
        self.change(py)?.control.remove_minimize();
        Ok(())
    }

    /// How many atoms there are, with those that stand for sums and edges.
    fn atoms(&self, py: Python<'_>) -> PyResult<u32> {
        Ok(self.lock(py)?.control.atoms())
    }

    /// The numbers of all numbered atoms, in order.
    fn numbers_of_atoms(&self, py: Python<'_>) -> PyResult<Vec<u64>> {
        Ok(self.lock(py)?.names.all())
    }

    /// Whether there is an atom with this number.
    fn has_atom(&self, py: Python<'_>, number: u64) -> PyResult<bool> {
        Ok(self.lock(py)?.names.atom(number).is_some())
    }

    /// The literals that hold in every answer set, as far as preparing the program finds that: for the
    /// present goal, or for `any`. `None` if it finds that there is no answer set.
    fn fixed(&self, py: Python<'_>, any: bool) -> PyResult<Option<Vec<i64>>> {
        let goal = match any {
            true => Goal { optimization: Optimization::Ignore, ..Goal::default() },
            false => self.options.get().request().goal,
        };
        self.search(py, |inner| {
            if inner.control.is_refuted(&goal)? {
                return Ok(None);
            }
            let mut fixed = Vec::new();
            for number in inner.names.all() {
                let atom = inner.atom(number)?;
                match inner.control.fixed(&goal, atom.positive())? {
                    Some(true) => fixed.push(number as i64),
                    Some(false) => fixed.push(-(number as i64)),
                    None => {}
                }
            }
            Ok(Some(fixed))
        })
    }

    /// Projects on no atoms any more.
    fn remove_project(&self, py: Python<'_>) -> PyResult<()> {
        self.change(py)?.control.remove_project();
        Ok(())
    }

    fn project(&self, py: Python<'_>, atoms: Vec<u64>) -> PyResult<()> {
        let mut inner = self.change(py)?;
        let atoms = inner.atoms(&atoms).map_err(failed)?;
        inner.control.project(&atoms).map_err(failed)
    }

    /// Gives an external atom a value: `free`, `true`, `false` or `release`. `declares` makes it external.
    fn external(&self, py: Python<'_>, atom: u64, value: &str, declares: bool) -> PyResult<()> {
        let values = [
            ("free", External::Free),
            ("true", External::True),
            ("false", External::False),
            ("release", External::Release),
        ];
        let value = choice("the value of an external atom", value, &values)?;
        self.change(py)?.external(atom, value, declares).map_err(failed)
    }

    /// Whether an atom is in the head of a rule.
    fn is_defined(&self, py: Python<'_>, atom: u64) -> PyResult<bool> {
        Ok(self.lock(py)?.declared.is_defined(atom))
    }

    fn heuristic(
        &self,
        py: Python<'_>,
        atom: u64,
        modifier: &str,
        bias: i32,
        priority: u32,
        condition: Vec<i64>,
    ) -> PyResult<()> {
        let modifiers = [
            ("level", Modifier::Level),
            ("sign", Modifier::Sign),
            ("factor", Modifier::Factor),
            ("init", Modifier::Init),
            ("true", Modifier::True),
            ("false", Modifier::False),
        ];
        let modifier = choice("the modifier of a heuristic", modifier, &modifiers)?;
        let mut inner = self.change(py)?;
        let atom = inner.atom(atom).map_err(failed)?;
        let condition = inner.literals(&condition).map_err(failed)?;
        inner.control.heuristic(atom, modifier, bias, priority, &condition).map_err(failed)
    }

    fn edge(&self, py: Python<'_>, from: i64, to: i64, condition: Vec<i64>) -> PyResult<()> {
        let mut inner = self.change(py)?;
        let condition = inner.literals(&condition).map_err(failed)?;
        inner.control.edge(from, to, &condition).map_err(failed)
    }

    /// Begins to answer a question, in place of the one before, by the present options. `minimizes` says
    /// whether the program minimizes anything. `wishes` has for each propagator the literals that it
    /// watches, whether it checks at fixpoints, whether it checks total assignments, whether its checks are
    /// undone, and whether it decides. With `tells_bounds`, `next` returns when the lower bound has grown.
    fn ask(
        &self,
        py: Python<'_>,
        assumptions: Vec<i64>,
        minimizes: bool,
        wishes: Vec<(Vec<i64>, bool, bool, bool, bool)>,
        tells_bounds: bool,
    ) -> PyResult<()> {
        let said = self.options.get().request();
        let wishes: Vec<Wish> = wishes.into_iter().map(Wish::of).collect();
        self.search(py, |inner| {
            let assumed = inner.literals(&assumptions)?;
            for wish in &wishes {
                inner.literals(&wish.watches)?;
            }
            if self.propagators.are_any() {
                self.propagators.begin(inner.names.clone(), wishes);
            }
            inner.declared.end_step();
            inner.control.set_options(said.options);
            inner.control.modify_domain(said.domain);
            let limit = said.limit(minimizes);
            let costs = said.opt_stop.clone().filter(|_| said.optimizes(minimizes));
            let mut question = Question::new().assume(assumed).goal(said.goal).limit(limit);
            if said.records_domain {
                question = question.record_domain();
            }
            if tells_bounds {
                question = question.tell_bounds();
            }
            let asked = inner.control.ask(&question)?;
            let before = inner.work(&asked);
            inner.limits = Limits { work: said.solve_limit, before, costs };
            inner.asked = Some(asked);
            Ok(())
        })
    }

    /// Reads theory atoms that are told of from now on as difference constraints.
    fn read_differences(&self, py: Python<'_>) -> PyResult<()> {
        let mut inner = self.change(py)?;
        inner.control.read_differences();
        inner.parts.get_or_insert_default();
        Ok(())
    }

    /// Lets an object take part in all later searches, which has the functions that [`propagators`] calls.
    fn register(&self, py: Python<'_>, propagator: Py<PyAny>) -> PyResult<()> {
        let propagator = self.propagators.add(py, propagator)?;
        self.change(py)?.control.register(propagator);
        Ok(())
    }

    /// Proves all later answers: writes `1.aspif` and `1.proof` to a folder, which there has to be, `2.aspif`
    /// and so on.
    fn prove(&self, py: Python<'_>, folder: PathBuf) -> PyResult<()> {
        let open = move |number: u64| {
            let file = |end: &str| File::create(folder.join(format!("{number}.{end}")));
            let (program, proof) = (BufWriter::new(file("aspif")?), file("proof")?);
            Ok(ProofFiles { program: Box::new(program), proof: Box::new(proof) })
        };
        self.change(py)?.control.prove(open).map_err(failed)
    }

    /// Ends all proofs, and proves nothing more.
    fn end_proofs(&self, py: Python<'_>) -> PyResult<()> {
        self.change(py)?.control.end_proofs().map_err(failed)
    }

    /// Ends the search that is under way, if propagators take part in it.
    fn end_search(&self, py: Python<'_>) -> PyResult<()> {
        self.change(py).map(drop)
    }

    /// The next answer. Searches for at most so many seconds; returns `None` if none has come, or if the
    /// lower bound has grown before. Then [`Control::is_over`] says whether one may still come.
    fn next(&self, py: Python<'_>, seconds: f64) -> PyResult<Option<Answer>> {
        let begun = Instant::now();
        loop {
            let (answer, is_news) = self.search(py, |inner| {
                let slice = Instant::now();
                let is_due = || slice.elapsed() >= SLICE || begun.elapsed().as_secs_f64() >= seconds;
                let progress = inner.advance(&is_due)?;
                let is_news = matches!(progress, Progress::Answer(_) | Progress::Bound | Progress::Over);
                let Progress::Answer(answer) = progress else { return Ok((None, is_news)) };
                Ok((Some(Answer { answer, names: inner.names.clone() }), is_news))
            })?;
            // Control-C.
            py.check_signals()?;
            if is_news || self.is_over(py)? || begun.elapsed().as_secs_f64() >= seconds {
                return Ok(answer);
            }
        }
    }

    /// Adds a clause to the present question: one of the literals holds in each further answer.
    fn add_clause(&self, py: Python<'_>, clause: Vec<i64>) -> PyResult<()> {
        self.search(py, |inner| {
            // An atom that the program does not have is false.
            let is_known = |literal: &i64| inner.names.atom(literal.unsigned_abs()).is_some();
            if clause.iter().any(|literal| *literal < 0 && !is_known(literal)) {
                return Ok(());
            }
            let clause: Vec<i64> = clause.into_iter().filter(is_known).collect();
            let clause = inner.literals(&clause)?;
            match &inner.asked {
                Some(asked) => inner.control.add_clause(asked, &clause),
                None => Ok(()),
            }
        })
    }

    /// Whether nothing more comes of the present question.
    fn is_over(&self, py: Python<'_>) -> PyResult<bool> {
        Ok(self.lock(py)?.asked.as_ref().is_none_or(Asked::is_over))
    }

    /// Whether there is an answer set, if that is known.
    fn is_satisfiable(&self, py: Python<'_>) -> PyResult<Option<bool>> {
        Ok(self.lock(py)?.asked.as_ref().and_then(Asked::is_satisfiable))
    }

    /// Whether no answer was left out.
    fn is_exhausted(&self, py: Python<'_>) -> PyResult<bool> {
        Ok(self.lock(py)?.asked.as_ref().is_some_and(Asked::is_exhausted))
    }

    /// The optimal costs, once they are proved.
    fn optimum(&self, py: Python<'_>) -> PyResult<Option<Vec<i64>>> {
        Ok(self.lock(py)?.asked.as_ref().and_then(|asked| asked.optimum().map(<[i64]>::to_vec)))
    }

    /// Costs that no answer set is below.
    fn lower_bound(&self, py: Python<'_>) -> PyResult<Vec<i64>> {
        Ok(self.lock(py)?.asked.as_ref().map_or(Vec::new(), |asked| asked.lower_bound().to_vec()))
    }

    /// Why fewer searchers search than the options ask for, one sentence each.
    fn warnings(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        let inner = self.lock(py)?;
        Ok(inner.asked.as_ref().map_or(Vec::new(), |asked| inner.control.warnings(asked)))
    }

    /// The literals that exclude each other.
    fn core(&self, py: Python<'_>) -> PyResult<Option<Vec<i64>>> {
        let inner = self.lock(py)?;
        let core = inner.asked.as_ref().and_then(Asked::core);
        Ok(core.map(|core| inner.numbers(core)))
    }

    /// Leaves literals out of a core. `None` if they exclude nothing.
    fn minimal_core(&self, py: Python<'_>, core: Vec<i64>) -> PyResult<Option<Vec<i64>>> {
        self.search(py, |inner| {
            let core = inner.literals(&core)?;
            let smaller = inner.control.minimal_core(&core, &Question::new())?;
            Ok(smaller.map(|core| inner.numbers(&core)))
        })
    }

    /// Minimal cores, all or at most so many.
    fn minimal_cores(&self, py: Python<'_>, assumptions: Vec<i64>, limit: usize) -> PyResult<Vec<Vec<i64>>> {
        self.search(py, |inner| {
            let assumptions = inner.literals(&assumptions)?;
            let found = inner.control.minimal_cores(assumptions, &Question::new())?;
            let most = if limit == 0 { usize::MAX } else { limit };
            let cores: Vec<Vec<Literal>> = found.take(most).collect::<Result<_, _>>()?;
            Ok(cores.iter().map(|core| inner.numbers(core)).collect())
        })
    }

    /// All counters of the search, as an object of JSON.
    fn all_statistics(&self, py: Python<'_>) -> PyResult<String> {
        let inner = self.lock(py)?;
        let of = inner.asked.as_ref().and_then(|asked| inner.control.statistics(asked)).unwrap_or_default();
        serde_json::to_string(&of).map_err(|error| refused(error.to_string()))
    }

    /// Counts of the search: decisions, conflicts, restarts, answer sets, and seconds.
    fn statistics(&self, py: Python<'_>) -> PyResult<HashMap<&'static str, f64>> {
        let inner = self.lock(py)?;
        let of = inner.asked.as_ref().and_then(|asked| inner.control.statistics(asked)).unwrap_or_default();
        Ok(HashMap::from([
            ("choices", of.decisions as f64),
            ("conflicts", of.conflicts as f64),
            ("restarts", of.restarts as f64),
            ("models", of.answer_sets as f64),
            ("atoms", f64::from(inner.control.atoms())),
            ("rules", inner.control.rules() as f64),
            ("prepare", of.prepare_seconds),
            ("solve", of.solve_seconds),
        ]))
    }
}

/// The part of the package that is Rust.
#[pymodule]
fn _yasmin(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    failure::add_to(module)?;
    module.add_function(wrap_pyfunction!(memory::end_in_order, module)?)?;
    many::add_to(module)?;
    module.add_class::<Answer>()?;
    module.add_class::<Options>()?;
    module.add_class::<propagators::Search>()?;
    module.add_class::<Control>()
}
