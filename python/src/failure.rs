//! What Python is told of errors of the solver: the exception `yasmin.Error`, by [`failed`] and [`refused`].

use pyo3::exceptions::{PyMemoryError, PyRuntimeError};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{IntoPyDict, PyType};

pyo3::create_exception!(
    yasmin,
    Error,
    PyRuntimeError,
    "An error of the solver. `code` is a word of docs/errors.md, which stays the same from one version to \
     the next."
);

/// Adds the exception to a module.
pub fn add_to(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let error = module.py().get_type::<Error>();
    // That of an error that was made without one.
    error.setattr("code", "internal")?;
    module.add("Error", error)
}

/// The class of errors that say that memory lacks: a `yasmin.Error` and, as clingo's package raises it, a
/// `MemoryError`.
fn no_memory(py: Python<'_>) -> PyResult<Bound<'_, PyType>> {
    static CLASS: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    let class = CLASS.get_or_try_init(py, || {
        let bases = (py.get_type::<Error>(), py.get_type::<PyMemoryError>());
        let class = py.get_type::<PyType>().call1((
            "OutOfMemory",
            bases,
            [("__module__", "yasmin")].into_py_dict(py)?,
        ))?;
        Ok::<_, PyErr>(class.cast_into::<PyType>()?.unbind())
    })?;
    Ok(class.bind(py).clone())
}

/// The exception that an error becomes.
pub fn failed(error: yasmin::Error) -> PyErr {
    coded(error.to_string(), error.code())
}

/// The exception for an option with a wrong value.
pub fn refused(text: String) -> PyErr {
    coded(text, "usage")
}

fn coded(text: String, code: &str) -> PyErr {
    let exception = Python::attach(|py| {
        let exception = match code {
            "memory" => PyErr::from_type(no_memory(py)?, text),
            _ => Error::new_err(text),
        };
        exception.value(py).setattr("code", code)?;
        Ok(exception)
    });
    exception.unwrap_or_else(|refused: PyErr| refused)
}

/// One of several words, each with a value.
pub fn choice<T: Copy>(what: &str, word: &str, values: &[(&str, T)]) -> PyResult<T> {
    let found = values.iter().find(|(name, _)| *name == word).map(|&(_, value)| value);
    found.ok_or_else(|| {
        let names: Vec<&str> = values.iter().map(|(name, _)| *name).collect();
        refused(format!("{what} is one of {}, and not `{word}`", names.join(", ")))
    })
}
