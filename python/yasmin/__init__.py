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
from .dl import DL
from .incremental import solve_steps
from .many import Replies, Reply
from .propagator import Assignment, PropagateControl, PropagateInit, Propagator, Trail
from .solving import Model, SolveControl, SolveHandle, SolveResult
from .statistics import StatisticsArray, StatisticsMap, StatisticsValue
from .symbols import *  # noqa: F403

__all__ = [
    "DL", "Assignment", "Backend", "Configuration", "Control", "Error", "Model", "PropagateControl", "PropagateInit", "Propagator",
    "Replies", "Reply", "SolveControl", "SolveHandle", "SolveResult", "StatisticsArray", "StatisticsMap",
    "StatisticsValue", "Trail",
    "__version__", "solve_steps",
]  # fmt: skip
__all__ += _symbols.__all__
if _symbols.__all__:
    # clingo's package is there, which these names need.
    from .application import Application, ApplicationOptions, Flag, clingo_main
    from .theory_atoms import TheoryAtom, TheoryElement

    __all__ += ["Application", "ApplicationOptions", "Flag", "TheoryAtom", "TheoryElement", "clingo_main"]
