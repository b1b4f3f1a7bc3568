"""Languages of scripts, which clingo's package runs while it grounds."""

from clingo.script import *  # noqa: F403
from clingo.script import __all__  # noqa: F401
