"""yasmin, an Answer Set Programming solver whose search runs on the GPU, in the shape of clingo's package.

    import yasmin

    control = yasmin.Control(["0"])
    control.add("base", [], "{a; b}. :- a, b.")
    control.ground([("base", [])])
    control.solve(on_model=print)

Programs are grounded by clingo's package, and its symbols are the symbols here.
"""

from . import symbols as _symbols
from ._yasmin import Error, __version__
from .backend import Backend
from .configuration import Configuration
from .control import Control
from .incremental import solve_steps
from .many import Replies, Reply
from .propagators import Assignment, PropagateControl, PropagateInit, Propagator, Trail
from .solving import Model, SolveHandle, SolveResult
from .symbols import *  # noqa: F403

__all__ = [
    "Assignment", "Backend", "Configuration", "Control", "Error", "Model", "PropagateControl", "PropagateInit", "Propagator",
    "Replies", "Reply", "SolveHandle", "SolveResult", "Trail", "__version__", "solve_steps",
]
__all__ += _symbols.__all__
