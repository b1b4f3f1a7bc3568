"""Difference constraints in programs of one's own: `DL`, in the place of clingo-dl's `ClingoDLTheory`.

The search has them as a part of it, as in the command `yasmin` (docs/differences.md).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from . import __version__
from .errors import coded
from .symbols import grounder

if TYPE_CHECKING:
    from clingo import Symbol
    from clingo.ast import AST

    from .application import ApplicationOptions
    from .control import Control
    from .solving import Model
    from .statistics import StatisticsMap

# clingo-dl's language. `rewrite_ast` tells atoms of heads and of bodies apart.
THEORY = """#theory dl {
    term { + : 1, binary, left; - : 1, binary, left; * : 2, binary, left; / : 2, binary, left; - : 3, unary };
    &__diff_h/0 : term, {<=,>=,<,>,=,!=}, term, head; &__diff_b/0 : term, {<=,>=,<,>,=,!=}, term, body }."""

# What clingo-dl's options but `rdl` tune changes no answer.
_TUNE = (
    "propagate", "propagate-root", "propagate-budget", "add-mutexes", "sort-edges", "dl-heuristic", "shift-constraints",
    "compute-components",
)  # fmt: skip


class DL:
    """The theory of difference constraints, for one control."""

    def __init__(self) -> None:
        # The variables that a model has told of, with their numbers, and by their texts.
        self._symbols: dict[Symbol, int] = {}
        self._named: dict[str, Symbol] = {}
        self._values: dict[Symbol, int] = {}

    def version(self) -> tuple[int, ...]:
        """The version of yasmin."""
        return tuple(map(int, __version__.split(".")))

    def configure(self, key: str, value: str) -> None:
        """Takes an option of clingo-dl. All but `rdl` tune its algorithm, and change nothing here."""
        if key not in _TUNE and (key != "rdl" or value != "no"):
            raise coded("usage", f"difference constraints have no option {key}={value}: variables are integers")

    def register_options(self, options: ApplicationOptions) -> None:
        """There are no options."""

    def validate_options(self) -> None:
        """There are no options."""

    def register(self, control: Control) -> None:
        """Lets a control know the constraints, which are to be grounded afterwards."""
        control.add("base", [], THEORY)
        control._soon(control._core.read_differences)

    def rewrite_ast(self, stm: AST, add: Callable[[AST], None]) -> None:
        """Calls `add` with a statement in which atoms `&diff` of heads and bodies have different names."""
        from clingo.ast import ASTType, Transformer

        class Renames(Transformer):
            """Gives atoms another name."""

            def __init__(self, name: str) -> None:
                self.name = name

            def visit_TheoryAtom(self, atom: AST) -> AST:  # noqa: N802
                if atom.term.name != "diff" or atom.term.arguments:
                    return atom
                return atom.update(term=atom.term.update(name=self.name))

        parts = {"body": "__diff_b", **({"head": "__diff_h"} if stm.ast_type == ASTType.Rule else {})}
        for part, name in parts.items():
            if part in stm.keys():
                of = getattr(stm, part)
                renames = Renames(name)
                stm = stm.update(**{part: renames.visit_sequence(of) if part == "body" else renames(of)})
        add(stm)

    def prepare(self, control: Control) -> None:
        """Nothing is to be done."""

    def on_model(self, model: Model) -> None:
        """Finds the least values, and shows them as `dl(V,N)`."""
        clingo = grounder()
        self._values = {}
        for name, value in model._answer.values():
            symbol = self._named.get(name)
            if symbol is None:
                symbol = self._named[name] = clingo.parse_term(name)
                self._symbols[symbol] = len(self._symbols)
            if value is not None:
                self._values[symbol] = value
        shown = []
        for symbol, value in self.assignment():
            if not -(2**31) <= value < 2**31:
                what = f"the value of {symbol} is {value}, and numbers in terms have 32 bits: take a larger unit"
                raise coded("input", what)
            shown.append(clingo.Function("dl", [symbol, clingo.Number(value)]))
        model.extend(shown)

    def on_statistics(self, step: StatisticsMap, accu: StatisticsMap) -> None:
        """There are no statistics of the constraints."""

    def assignment(self, thread_id: int = 0) -> Iterator[tuple[Symbol, int]]:
        """The variables and values of the last model that `on_model` was called with."""
        return ((symbol, self._values[symbol]) for symbol in self._symbols if symbol in self._values)

    def lookup_symbol(self, symbol: Symbol) -> int | None:
        """The index of a variable; None if there is none."""
        return self._symbols.get(symbol)

    def get_symbol(self, index: int) -> Symbol:
        """The variable with an index."""
        return list(self._symbols)[index]

    def has_value(self, thread_id: int, index: int) -> bool:
        """Whether a variable has a value in the last model."""
        return self.get_symbol(index) in self._values

    def get_value(self, thread_id: int, index: int) -> int:
        """The value of a variable in the last model."""
        return self._values[self.get_symbol(index)]
