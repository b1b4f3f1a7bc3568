"""Difference constraints in programs of one's own: `DL`, in the place of clingo-dl's `ClingoDLTheory`.

It is a propagator in Python. The command `yasmin` has a faster one (docs/differences.md).
"""

from __future__ import annotations

import collections
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Optional

from . import __version__
from .errors import coded
from .symbols import grounder

if TYPE_CHECKING:
    from clingo import Symbol
    from clingo.ast import AST

    from .application import ApplicationOptions
    from .control import Control
    from .propagator import Assignment, PropagateControl, PropagateInit
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

# A variable; None is the number 0.
_Node = Optional["Symbol"]


class _Edge(NamedTuple):
    """If the literal holds, `target - source <= weight`."""

    source: _Node
    target: _Node
    weight: int
    literal: int


class _Graph:
    """The edges whose literals one searcher has told of, and a value for each node that satisfies them."""

    def __init__(self) -> None:
        self.after: dict[_Node, list[_Edge]] = collections.defaultdict(list)
        self.values: dict[_Node, int] = collections.defaultdict(int)

    def add(self, edge: _Edge) -> list[int]:
        """Adds an edge. If it closes a cycle that adds up to less than 0, it is not added, and the cycle's literals return."""
        value = self.values[edge.source] + edge.weight
        if edge.source == edge.target and edge.weight < 0:
            return [edge.literal]
        changed, reached = {}, {}
        if value < self.values[edge.target]:
            changed[edge.target], reached[edge.target] = value, edge
            waiting = collections.deque([edge.target])
            while waiting:
                node = waiting.popleft()
                for after in self.after[node]:
                    value = changed[node] + after.weight
                    if value >= changed.get(after.target, self.values[after.target]):
                        continue
                    if after.target == edge.source:
                        cycle = [after.literal]
                        while node != edge.target:
                            cycle.append(reached[node].literal)
                            node = reached[node].source
                        return [*cycle, edge.literal]
                    changed[after.target], reached[after.target] = value, after
                    waiting.append(after.target)
        self.values.update(changed)
        self.after[edge.source].append(edge)
        return []

    def remove(self, edge: _Edge) -> None:
        """Removes an edge if it was added."""
        if edge in self.after[edge.source]:
            self.after[edge.source].remove(edge)


def _least(edges: Iterable[_Edge]) -> dict[_Node, int]:
    """The least values that satisfy the edges, where each part that hangs together begins at 0, or has the number 0."""
    before: dict[_Node, list[_Edge]] = collections.defaultdict(list)
    beside: dict[_Node, list[_Node]] = collections.defaultdict(list)
    for edge in edges:
        before[edge.target].append(edge)
        beside[edge.source].append(edge.target)
        beside[edge.target].append(edge.source)
    values = dict.fromkeys(beside, 0)
    waiting = collections.deque(values)
    while waiting:
        node = waiting.popleft()
        for edge in before[node]:
            if values[node] - edge.weight > values[edge.source]:
                values[edge.source] = values[node] - edge.weight
                waiting.append(edge.source)
    offset = values.get(None, 0)
    seen: set[Symbol | None] = {None}
    open_: list[Symbol | None] = [None] if None in values else []
    while open_:
        node = open_.pop()
        values[node] -= offset
        new = set(beside[node]) - seen
        seen |= new
        open_ += new
    return values


def _symbol(term: Any) -> Symbol:
    """The symbol of a term, whose sums and products of numbers are numbers."""
    clingo = grounder()
    kinds = clingo.TheoryTermType
    if term.type == kinds.Number:
        return clingo.Number(term.number)  # type: ignore[no-any-return]
    if term.type == kinds.Symbol:
        return clingo.parse_term(term.name)  # type: ignore[no-any-return]
    arguments = [_symbol(argument) for argument in term.arguments]
    if term.type == kinds.Tuple:
        return clingo.Tuple_(arguments)  # type: ignore[no-any-return]
    if term.type != kinds.Function:
        raise coded("input", f"{term} is no variable of a difference constraint")
    if all(argument.type == clingo.SymbolType.Number for argument in arguments):
        numbers = [argument.number for argument in arguments]
        found = {
            ("+", 2): lambda: sum(numbers), ("*", 2): lambda: numbers[0] * numbers[1],
            ("-", 2): lambda: numbers[0] - numbers[1], ("-", 1): lambda: -numbers[0],
        }.get((term.name, len(numbers)))  # fmt: skip
        if found is not None:
            return clingo.Number(found())  # type: ignore[no-any-return]
    if not term.name.isidentifier():
        raise coded("input", f"{term} is no variable of a difference constraint")
    return clingo.Function(term.name, arguments)  # type: ignore[no-any-return]


def _add(term: Any, factor: int, to: collections.Counter[_Node]) -> None:
    """Adds a term to a sum of variables, in which None stands for 1."""
    kinds = grounder().TheoryTermType
    if term.type == kinds.Function and term.name in ("+", "-", "*") and term.arguments:
        first, last = term.arguments[0], term.arguments[-1]
        if term.name != "*":
            if len(term.arguments) == 2:
                _add(first, factor, to)
            return _add(last, factor if term.name == "+" else -factor, to)
        for number, other in ((first, last), (last, first)):
            part: collections.Counter[_Node] = collections.Counter()
            _add(number, 1, part)
            if not any(value for node, value in part.items() if node is not None):
                return _add(other, factor * part[None], to)
    symbol = _symbol(term)
    is_number = symbol.type == grounder().SymbolType.Number
    to[None if is_number else symbol] += factor * (symbol.number if is_number else 1)


class DL:
    """The theory of difference constraints, for one control."""

    def __init__(self) -> None:
        self._edges: dict[int, list[_Edge]] = collections.defaultdict(list)
        self._graphs: dict[int, _Graph] = collections.defaultdict(_Graph)
        self._symbols: dict[Symbol, int] = {}
        self._values: dict[_Node, int] = {}
        # The atoms that were read, and how many literals they needed besides.
        self._known: set[tuple[int, str]] = set()
        self._more = 0

    # Before the search.

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
        """Lets a control know the constraints."""
        control.add("base", [], THEORY)
        control.register_propagator(self)

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

    # What the search calls.

    def init(self, init: PropagateInit) -> None:
        """Reads the constraints that are new."""
        # A search tells of all that holds.
        self._graphs.clear()
        for _ in range(self._more):
            # These are there, and come first.
            init.add_literal()
        for atom in init.theory_atoms:
            name = atom.term.name
            if name not in ("diff", "__diff_h", "__diff_b") or atom.term.arguments:
                continue
            literal = init.solver_literal(atom.literal)
            if (literal, str(atom)) not in self._known:
                self._known.add((literal, str(atom)))
                is_head = name == "__diff_h" or name == "diff" and init._core.is_defined(abs(atom.literal))
                self._read(init, atom, literal, is_head)
        for literal in self._edges:
            init.add_watch(literal)

    def _read(self, init: PropagateInit, atom: Any, literal: int, is_head: bool) -> None:
        total: collections.Counter[_Node] = collections.Counter()
        wrong = coded("input", f"{atom} is no difference constraint: it has a sum of two variables with factors 1 and -1")
        if len(atom.elements) != 1 or len(atom.elements[0].terms) != 1 or atom.elements[0].condition or atom.guard is None:
            raise wrong
        operator, right = atom.guard
        _add(atom.elements[0].terms[0], 1, total)
        _add(right, -1, total)
        bound = -total.pop(None, 0)
        factors = {factor: node for node, factor in total.items() if factor != 0}
        if len(factors) < sum(1 for factor in total.values() if factor != 0) or not {*factors} <= {1, -1}:
            raise wrong
        more, less = factors.get(1), factors.get(-1)
        for node in (more, less):
            if node is not None:
                self._symbols.setdefault(node, len(self._symbols))

        def holds(literal: int, at_most: bool, bound: int) -> None:
            """If the literal holds, `more - less` is at most, or else at least, the bound."""
            edge = _Edge(less, more, bound, literal) if at_most else _Edge(more, less, -bound, literal)
            self._edges[literal].append(edge)

        if operator in ("<", ">"):
            operator, bound = operator + "=", bound + (1 if operator == ">" else -1)
        if operator in ("<=", ">="):
            at_most = operator == "<="
            holds(literal, at_most, bound)
            if not is_head:
                holds(-literal, not at_most, bound + (1 if at_most else -1))
            return
        if operator == "!=":
            literal, is_equal = -literal, False
        else:
            is_equal = True
        # The literal says that both are equal: none of these two holds, that it is above or below.
        above, below = init.add_literal(), init.add_literal()
        self._more += 2
        init.add_clause([-literal, -above])
        init.add_clause([-literal, -below])
        if not is_head or is_equal:
            holds(literal, True, bound)
            holds(literal, False, bound)
        if is_head and is_equal:
            for other in (above, below):
                init.add_clause([-other])
        else:
            init.add_clause([literal, above, below])
            init.add_clause([-above, -below])
            holds(above, False, bound + 1)
            holds(below, True, bound - 1)

    def propagate(self, control: PropagateControl, changes: Sequence[int]) -> None:
        """Adds edges, and excludes cycles."""
        graph = self._graphs[control.thread_id]
        for literal in changes:
            for edge in self._edges.get(literal, ()):
                cycle = graph.add(edge)
                if cycle and not control.add_nogood(list(dict.fromkeys(cycle))):
                    return

    def undo(self, thread_id: int, assignment: Assignment, changes: Sequence[int]) -> None:
        """Removes edges."""
        graph = self._graphs[thread_id]
        for literal in reversed(changes):
            for edge in self._edges.get(literal, ()):
                graph.remove(edge)

    # Models.

    def on_model(self, model: Model) -> None:
        """Finds the least values, and shows them as `dl(V,N)`."""
        self._values = _least(edge for literal, edges in self._edges.items() if model.is_true(literal) for edge in edges)
        clingo = grounder()
        model.extend([clingo.Function("dl", [symbol, clingo.Number(value)]) for symbol, value in self.assignment()])

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
