"""Errors and their codes, which docs/errors.md lists."""

import contextlib

from ._yasmin import Error


def coded(code, text):
    """An error with a code."""
    error = Error(text)
    error.code = code
    return error


def code_of(error):
    """The code of an error; None if it is nobody's but a script's."""
    if isinstance(error, MemoryError):
        return "memory"
    return error.code if isinstance(error, Error) else None


@contextlib.contextmanager
def grounding():
    """What clingo's package itself refuses is an error of the grounder. What a script raises stays as it is."""
    try:
        yield
    except RuntimeError as error:
        if isinstance(error, Error) or not _is_clingos(error):
            raise
        raise coded("grounder-failed", str(error)) from error


def _is_clingos(error):
    """Whether clingo's package has raised an error, and not what it has called."""
    trace = error.__traceback__
    while trace.tb_next is not None:
        trace = trace.tb_next
    return trace.tb_frame.f_globals.get("__name__", "").partition(".")[0] == "clingo"
