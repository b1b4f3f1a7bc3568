//! What Python is told of errors of the solver: the exception `yasmin.Error`, by [`failed`] and [`refused`].

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

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

/// The exception that an error becomes.
pub fn failed(error: yasmin::Error) -> PyErr {
    coded(error.to_string(), error.code())
}

/// The exception for an option with a wrong value.
pub fn refused(text: String) -> PyErr {
    coded(text, "usage")
}

fn coded(text: String, code: &str) -> PyErr {
    let exception = Error::new_err(text);
    match Python::attach(|py| exception.value(py).setattr("code", code)) {
        Ok(()) => exception,
        Err(refused) => refused,
    }
}
