"""Symbols, which are clingo's."""

from clingo.symbol import *  # noqa: F403
from clingo.symbol import __all__  # noqa: F401
