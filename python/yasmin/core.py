"""What clingo's interface calls things; `version` is that of the interface, and `yasmin.__version__` the solver's."""

from clingo.core import *  # noqa: F403
from clingo.core import __all__  # noqa: F401
