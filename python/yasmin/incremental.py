"""Programs that grow step by step until they have an answer, as `#include <incmode>` has clingo solve them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from .errors import coded
from .symbols import grounder

if TYPE_CHECKING:
    from clingo import Symbol

    from .control import Control
    from .solving import Model, SolveResult


def solve_steps(
    control: Control,
    on_model: Callable[[Model], bool | None] | None = None,
    on_step: Callable[[int, SolveResult], None] | None = None,
) -> tuple[int, SolveResult] | tuple[None, None]:
    """Grounds and solves the parts `base`, `step(t)` and `check(t)` for t = 0, 1, 2 and so on.

    `query(t)` is an external atom that is true in step t alone. The constants `imin`, `imax` and `istop` ("SAT", "UNSAT"
    or "UNKNOWN") say when to end, as for clingo: by default after the first step with a model. `on_step` is called with
    the number of each step and its result. Returns the last step's number and its result, or None for both if there is no step.
    """
    clingo = grounder()

    def constant(name: str, otherwise: Symbol) -> Symbol:
        value = control.get_const(name)
        return otherwise if value is None else value

    control.add("check", ["t"], "#external query(t).")
    least = constant("imin", clingo.Number(0)).number
    most = control.get_const("imax")
    last = constant("istop", clingo.String("SAT"))
    stop = last.string if last.type == clingo.SymbolType.String else str(last)
    if stop not in ("SAT", "UNSAT", "UNKNOWN"):
        raise coded("usage", f"the constant istop is SAT, UNSAT or UNKNOWN, and not {stop}")
    step = 0
    result: SolveResult | None = None

    def is_reached(result: SolveResult) -> bool:
        ends = {"SAT": result.satisfiable, "UNSAT": result.unsatisfiable, "UNKNOWN": result.unknown}
        return bool(ends[stop])

    while most is None or step < most.number:
        if result is not None and step >= least and (is_reached(result) or result.interrupted):
            break
        number = clingo.Number(step)
        if step > 0:
            control.release_external(clingo.Function("query", [clingo.Number(step - 1)]))
            control.ground([("step", [number]), ("check", [number])])
        else:
            control.ground([("base", []), ("check", [number])])
        control.assign_external(clingo.Function("query", [number]), True)
        result = control.solve(on_model=on_model)
        if on_step is not None:
            on_step(step, result)
        step += 1
    return (None, None) if result is None else (step - 1, result)
