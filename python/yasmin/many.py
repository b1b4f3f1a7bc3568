"""Many questions about one program, answered at once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any

from ._yasmin import begin_questions, facets, leave_questions, reply, submit
from .errors import coded
from .solving import Assumption, Model, SolveResult

if TYPE_CHECKING:
    from clingo import Symbol

    from .control import Control

    # What a question is to the other half of the package.
    Own = tuple[list[int], list[tuple[int, bool | None]], list[list[int]], list[str], list[int] | None, list[int] | None]

# How many questions wait for each searcher, so that it has the next one at once.
_AHEAD = 8
# What a question may have that is a dictionary.
_FIELDS = {"assumptions", "externals", "constraints", "rules", "bound", "project"}
# How long one wait for a reply lasts before another thread may cancel it.
_SLICE = 0.05


class Reply:
    """What has become of one of many questions."""

    # The number of the question, from 0 on, and the question as it was given.
    number: int
    question: Any
    result: SolveResult
    # Of the models on the way to an optimum or to consequences, the last. None if rows are asked for.
    models: list[Model]
    # If rows are asked for and there is a model: signed bytes (int8) with a row for each model and a column for each of the
    # atoms, so that the shape is (models, atoms): 1 if the atom holds, else -1. `numpy.asarray` copies nothing.
    rows: memoryview | None
    # The optimal costs, once they are proved.
    optimum: list[int] | None
    # Assumptions that exclude each other, if there is no model.
    core: list[int] | None
    conflicts: int
    # How many seconds a searcher was busy with the question.
    time: float

    def __init__(self, number: int, question: Any, told: tuple[Any, ...], control: Control, atoms: int | None) -> None:
        _, satisfiable, exhausted, found, self.optimum, self.core, self.conflicts, self.time = told
        answers, self.rows = ((), None) if atoms is not None else (found, None)
        if atoms and found:
            self.rows = memoryview(found).cast("b", (len(found) // atoms, atoms))
        self.number, self.question = number, question
        self.result = SolveResult(satisfiable, exhausted, not exhausted and satisfiable is None)
        self.models = [Model(control, answer, at) for at, answer in enumerate(answers, 1)]

    def __repr__(self) -> str:
        return f"<Reply {self.number}: {self.result}, {self.models}>"


class Replies:
    """The replies to many questions, one by one as they come or in the order of the questions.

    Until the last reply has come, the control refuses whatever would change the program. `cancel`, or the end of a `with`
    statement, leaves the questions that are open.
    """

    def __init__(
        self,
        control: Control,
        questions: Iterable[Any],
        atoms: Sequence[Symbol | int] | None,
        models: int | None,
        minimal_cores: bool,
        in_order: bool,
        rows: bool,
    ) -> None:
        if rows and not atoms:
            raise coded("usage", "rows are about atoms: say which with atoms=")
        self._control, self._core, self._questions = control, control._core, iter(questions)
        self._models, self._minimal_cores = models, minimal_cores
        self._literals = None if atoms is None else [control._assumed_literal(atom) for atom in atoms]
        # 0 always holds, and the atom without rules never does.
        known = {True: 0, False: self._control._false_atom()}
        columns = [known[of] if isinstance(of, bool) else of for of in self._literals or ()]
        self._columns = columns if rows else None
        self._common = list(control._statements.assumed)
        self._never = control._false_atom()
        self._most = _AHEAD * begin_questions(self._core, self._never)
        # The number here and the question of each open one, by its number there.
        self._open: dict[int, tuple[int, Any]] = {}
        self._waiting: dict[int, Reply] = {}
        self._asked = 0
        self._next = 0 if in_order else None
        self._are_all = False
        self._is_over = False

    def __enter__(self) -> Replies:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.cancel()

    def __iter__(self) -> Iterator[Reply]:
        return self

    def __next__(self) -> Reply:
        try:
            while True:
                ready = self._ready()
                if ready is not None:
                    return ready
                self._ask()
                if not self._open:
                    self._is_over = True
                    raise StopIteration
                self._hear()
        except StopIteration:
            raise
        except BaseException:
            self.cancel()
            raise

    def cancel(self) -> None:
        """Leaves the questions that are open. No further reply comes."""
        if not self._is_over:
            self._is_over = self._are_all = True
            self._open.clear()
            self._waiting.clear()
            leave_questions(self._core)

    def _ready(self) -> Reply | None:
        """The next reply that waits and may come."""
        if self._next is None:
            return self._waiting.pop(next(iter(self._waiting))) if self._waiting else None
        found = self._waiting.pop(self._next, None)
        self._next += found is not None
        return found

    def _ask(self) -> None:
        """Asks as many questions as there is room for."""
        minimizes = bool(self._control._statements.priorities)
        while not self._are_all and len(self._open) < self._most:
            try:
                question = next(self._questions)
            except StopIteration:
                self._are_all = True
                return
            own = self._own(question)
            number, self._most = submit(
                self._core, own, self._never, minimizes, self._models, self._minimal_cores
            )
            self._open[number] = (self._asked, question)
            self._asked += 1

    def _own(self, question: Any) -> Own:
        """What is assumed, and what else a question has of its own."""
        control, externals = self._control, []
        if not isinstance(question, Mapping):
            return self._common + self._assumed(question), [], [], [], None, None
        unknown = set(question) - _FIELDS
        if unknown:
            raise coded("usage", f"a question has {', '.join(sorted(_FIELDS))}, and not {unknown}")
        for atom, value in question.get("externals", {}).items():
            literal = control._literal(atom)
            if isinstance(literal, bool):
                raise coded("usage", f"{atom} is not external, or has a rule: assume it instead")
            externals.append((abs(literal), None if value is None else bool(value) == (literal > 0)))
        assumed = self._common + self._assumed(question.get("assumptions", ()))
        constraints = [control._literals(constraint) for constraint in question.get("constraints", ())]
        bound, atoms = question.get("bound"), question.get("project")
        projection = None if atoms is None else control._literals(atoms)
        rules = question.get("rules", ())
        rules = [rules] if isinstance(rules, str) else list(rules)
        return assumed, externals, constraints, rules, None if bound is None else list(bound), projection

    def _assumed(self, question: Any) -> list[int]:
        if self._literals is None:
            return self._control._literals(question)
        # NumPy's numbers are slow one by one.
        signs = question.tolist() if hasattr(question, "tolist") else question
        if len(signs) != len(self._literals):
            raise coded("usage", f"a question has {len(signs)} signs, and there are {len(self._literals)} atoms")
        literals = []
        for sign, literal in zip(signs, self._literals):
            if sign == 0 or isinstance(literal, bool) and literal == (sign > 0):
                continue
            # Nothing in the program stands for an atom that is known, so that an atom without rules has to.
            literals.append(self._never if isinstance(literal, bool) else literal if sign > 0 else -literal)
        return literals

    def _hear(self) -> None:
        """Waits for a reply."""
        if self._control._interrupted:
            self._control._interrupted = False
            self.cancel()
            return
        told = reply(self._core, _SLICE, self._columns)
        if told is not None and told[0] in self._open:
            number, question = self._open.pop(told[0])
            atoms = None if self._columns is None else len(self._columns)
            self._waiting[number] = Reply(number, question, told, self._control, atoms)


def tell_facets(
    control: Control, assumptions: Sequence[Assumption], atoms: Sequence[Symbol] | None, counts: bool
) -> dict[Symbol, Any] | None:
    """See `Control.facets`."""
    statements = control._statements
    if atoms is None:
        atoms = [of.symbol for at, of in enumerate(statements.shown) if not of.is_term and not statements.is_hidden(at)]
    named = {symbol: control._literal(symbol) for symbol in atoms}
    literals = [literal for literal in named.values() if not isinstance(literal, bool)]
    begin_questions(control._core, control._false_atom())
    told = facets(control._core, literals, statements.assumed + control._literals(assumptions), counts)
    if told is None:
        return None
    kinds, counted = iter(told[0]), told[1]
    numbers = iter(counted[0] if counted is not None else ())
    found: dict[Symbol, Any] = {}
    for symbol, literal in named.items():
        word = ("never", "sometimes", "always")[2 * literal if isinstance(literal, bool) else next(kinds)]
        if counted is None:
            found[symbol] = word
        else:
            number = counted[1] * literal if isinstance(literal, bool) else next(numbers)
            found[symbol] = (word, number, counted[1])
    return found
