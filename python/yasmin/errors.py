"""Errors and their codes, which docs/errors.md lists."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator

from ._yasmin import Error as Error


def coded(code: str, text: str) -> Error:
    """An error with a code."""
    error = Error(text)
    error.code = code
    return error


def code_of(error: BaseException) -> str | None:
    """The code of an error; None if it is nobody's but a script's."""
    if isinstance(error, MemoryError):
        return "memory"
    return error.code if isinstance(error, Error) else None


def complain(text: str) -> None:
    """Prints a line to standard error, if that is open."""
    if sys.stderr is not None:
        print(f"yasmin: {text}", file=sys.stderr)


@contextlib.contextmanager
def grounding() -> Iterator[None]:
    """What clingo's package itself refuses is an error of the grounder. What a script raises stays as it is."""
    try:
        yield
    except RuntimeError as error:
        if isinstance(error, Error) or not _is_clingos(error):
            raise
        raise coded("grounder-failed", str(error)) from error


def _is_clingos(error: BaseException) -> bool:
    """Whether clingo's package has raised an error, and not what it has called."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    module = "" if trace is None else str(trace.tb_frame.f_globals.get("__name__", ""))
    return module.partition(".")[0] == "clingo"
