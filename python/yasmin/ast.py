"""Syntax trees of programs, which are clingo's. `ProgramBuilder` takes a control of yasmin."""

from clingo.ast import *  # noqa: F403
from clingo.ast import __all__  # noqa: F401
