"""Models, results, and the handle of a search."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Iterable, Iterator, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any, Callable, Optional, Union

from ._yasmin import Answer
from .atoms import SymbolicAtoms
from .errors import code_of, coded
from .symbols import base

if TYPE_CHECKING:
    from clingo import ModelType, Symbol

    from .control import Control
    from .statistics import StatisticsMap
else:
    ModelType = base("ModelType")

# A literal, or a symbol and whether it holds.
Assumption = Union[int, "tuple[Symbol, bool]"]
OnModel = Callable[["Model"], Optional[bool]]
OnUnsat = Callable[["list[int]"], None]
OnStatistics = Callable[["StatisticsMap", "StatisticsMap"], None]
OnFinish = Callable[["SolveResult"], None]

# How long one step of a search lasts before another thread may cancel it.
_SLICE = 0.05


class SolveResult:
    """How a search has ended, as far as it has."""

    # Whether no model is left out.
    exhausted: bool
    # Whether the search was ended before its end.
    interrupted: bool

    def __init__(self, satisfiable: bool | None, exhausted: bool, interrupted: bool) -> None:
        self._satisfiable, self.exhausted, self.interrupted = satisfiable, exhausted, interrupted

    @property
    def satisfiable(self) -> bool | None:
        """Whether there is an answer set: True, False, or None if that is not known."""
        return self._satisfiable

    @property
    def unsatisfiable(self) -> bool | None:
        """Whether there is no answer set: True, False, or None if that is not known."""
        return None if self._satisfiable is None else not self._satisfiable

    @property
    def unknown(self) -> bool:
        """Whether neither is known."""
        return self._satisfiable is None

    def __str__(self) -> str:
        return {True: "SAT", False: "UNSAT", None: "UNKNOWN"}[self._satisfiable]

    def __repr__(self) -> str:
        return f"SolveResult({self._satisfiable}, {self.exhausted}, {self.interrupted})"


class SolveControl:
    """What a model knows of its search."""

    symbolic_atoms: SymbolicAtoms

    def __init__(self, control: Control) -> None:
        self._control = control
        self.symbolic_atoms = control.symbolic_atoms

    def add_clause(self, literals: Sequence[Assumption]) -> None:
        """One of the literals, or pairs of a symbol and whether it holds, has to hold in each further model."""
        found = [self._control._assumed_literal(literal) for literal in literals]
        # What is no literal is True or False.
        if not any(literal is True for literal in found):
            self._control._core.add_clause([literal for literal in found if literal is not False])

    def add_nogood(self, literals: Sequence[Assumption]) -> None:
        """Not all of the literals hold in any further model."""
        found = [self._control._assumed_literal(literal) for literal in literals]
        if not any(literal is False for literal in found):
            self._control._core.add_clause([-literal for literal in found if literal is not True])


class Model:
    """An answer set."""

    number: int
    thread_id: int

    def __init__(self, control: Control, answer: Answer, number: int) -> None:
        self._control, self._answer = control, answer
        self._more: list[Symbol] = []
        self._shown: set[int] | None = None
        # The last one is known to be optimal only at the end.
        self._is_proven = answer.is_optimal()
        self.number = number
        self.thread_id = 0

    def symbols(
        self, atoms: bool = False, terms: bool = False, shown: bool = False, theory: bool = False, complement: bool = False
    ) -> Sequence[Symbol]:
        """The symbols of the model: what is shown, all atoms, or terms."""
        holds = self._answer.holds
        found: list[Symbol] = []
        if atoms:
            for atom in self._control._grounder().symbolic_atoms:
                if (atom.is_fact or bool(atom.literal) and holds(atom.literal)) != complement:
                    found.append(atom.symbol)
        elif shown:
            found += self._outputs(False, complement)
        if terms or shown:
            found += self._outputs(True, complement)
        if (atoms or shown) and not complement:
            from .symbols import grounder

            # The new atoms of a question's rules.
            found += map(grounder().parse_term, self._answer.own())
        return found + self._more if theory else found

    def _outputs(self, are_terms: bool, complement: bool) -> list[Symbol]:
        """The symbols of terms, or of atoms, that are shown now, or that are not. One may have several conditions."""
        statements = self._control._statements
        outputs = statements.shown

        def symbols(places: Iterable[int]) -> dict[Symbol, None]:
            found = (at for at in places if outputs[at].is_term == are_terms and not statements.is_hidden(at))
            return dict.fromkeys(outputs[at].symbol for at in found)

        shown = symbols(self._answer.shown())
        if not complement:
            return list(shown)
        return [symbol for symbol in symbols(range(len(outputs))) if symbol not in shown]

    def contains(self, atom: Symbol) -> bool:
        """Whether an atom is in the model."""
        literal = self._control._literal(atom)
        if literal is False:
            return str(atom) in self._answer.own()
        return literal is True or self.is_true(literal)

    def is_true(self, literal: int) -> bool:
        """Whether a literal holds."""
        return self._answer.holds(literal)

    def is_consequence(self, literal: int) -> bool | None:
        """Whether a literal is among the brave or cautious consequences that are asked for; None if that is not known yet.
        Otherwise whether it holds. An atom that is not shown is no consequence."""
        at = self._control._statements.output_of(literal, self._control.symbolic_atoms)
        if at is None:
            return False
        if self._shown is None:
            self._shown = set(self._answer.shown())
        holds = at in self._shown
        if not self._answer.open_consequences():
            return holds
        # The union of the models grows, and their intersection shrinks.
        is_brave = self.type.name == "BraveConsequences"
        is_known = holds if is_brave else not holds or self._control._statements.shown[at].atom == 0
        return holds if is_known else None

    def extend(self, symbols: Sequence[Symbol]) -> None:
        """Adds symbols that are shown with the model."""
        self._more += list(symbols)

    @property
    def cost(self) -> list[int]:
        """The costs, highest priority first."""
        return self._answer.costs()

    @property
    def priority(self) -> list[int]:
        """The priorities of the costs, highest first."""
        return sorted(self._control._statements.priorities, reverse=True) if self.cost else []

    @property
    def optimality_proven(self) -> bool:
        """Whether the model is known to be optimal."""
        return self._is_proven

    @property
    def context(self) -> SolveControl:
        """What is known of the search that has found the model."""
        return SolveControl(self._control)

    @property
    def type(self) -> ModelType:  # noqa: A003
        """Whether it is an answer set, or consequences."""
        from .symbols import grounder

        types = grounder().ModelType
        modes = {"brave": types.BraveConsequences, "cautious": types.CautiousConsequences}
        mode: ModelType = modes.get(self._control.configuration.solve.enum_mode.lower(), types.StableModel)
        return mode

    def __str__(self) -> str:
        return " ".join(str(symbol) for symbol in self.symbols(shown=True, theory=True))

    def __repr__(self) -> str:
        return f"<Model {self.number}: {self}>"


class SolveHandle:
    """A search, whose models come one by one. To be used in a `with` statement.

    Without `async_` the search goes on while a method waits for it, and else in a thread of its own. Until the end has
    been told of, the search is alive, and its control refuses whatever would change the program.
    """

    def __init__(self, control: Control, callbacks: dict[str, Any], yields: bool, is_async: bool) -> None:
        self._control, self._core = control, control._core
        self._on, self._yields = callbacks, yields
        # The present model, and whether a method has told of it: `resume` leaves only such a one.
        self._model: Model | None = None
        self._is_seen = False
        self._last: Model | None = None
        self._found = 0
        # The lower bound on the costs that `on_unsat` was told last.
        self._lower: list[int] = []
        self._stopped, self._cancelled = False, False
        # What is known at the end. The program may grow and be asked again while the handle lives.
        self._result: SolveResult | None = None
        self._core_found: list[int] = []
        self._is_over = False
        self._error: BaseException | None = None
        # The thread that searches or calls back now.
        self._busy: int | None = None
        self._changed = threading.Condition()
        self._thread = threading.Thread(target=self._run, daemon=True) if is_async else None

    def _begin(self) -> None:
        if self._thread is not None:
            self._thread.start()

    def __enter__(self) -> SolveHandle:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.cancel()

    def __iter__(self) -> Iterator[Model]:
        while True:
            self.resume()
            model = self.model()
            if model is None:
                return
            yield model

    # The search.

    def _is_cancelled(self) -> bool:
        if self._control._interrupted:
            self._control._interrupted = False
            self._cancelled = True
        return self._cancelled

    def _ends(self) -> bool:
        return self._is_cancelled() or self._stopped or self._core.is_over()

    def _advance(self, until: float | None = None) -> Model | None:
        """Searches for the next model, until a time at most. Returns it; None at the end, which is told of."""
        self._busy = threading.get_ident()
        try:
            while not self._ends():
                left = _SLICE if until is None else min(_SLICE, max(until - time.monotonic(), 0))
                answer = self._core.next(left)
                self._tell_bound()
                if answer is not None:
                    return self._found_model(answer)
                if until is not None and time.monotonic() >= until and not self._ends():
                    return None
            self._finish()
        except BaseException as error:
            self._error = error
            if self._result is None:
                self._cancelled = True
                with contextlib.suppress(Exception):
                    self._finish()
            raise
        finally:
            self._busy = None
        return None

    def _found_model(self, answer: Answer) -> Model:
        self._found += 1
        self._last = Model(self._control, answer, self._found)
        on_model = self._on["on_model"]
        if on_model is not None:
            goes_on = on_model(self._last)
            self._stopped = goes_on is not None and not goes_on
        return self._last

    def _tell_bound(self) -> None:
        """Tells of the lower bound if it has grown. At first nothing but zeros is known."""
        on_unsat = self._on["on_unsat"]
        lower = self._core.lower_bound() if on_unsat is not None else []
        if lower > (self._lower or [0] * len(lower)):
            self._lower = lower
            on_unsat(list(lower))

    def _finish(self) -> None:
        """Tells how the search has ended, once."""
        if self._result is not None:
            return
        core, on = self._core, self._on
        try:
            satisfiable, exhausted = core.is_satisfiable(), core.is_exhausted()
            self._result = SolveResult(satisfiable, exhausted, self._cancelled and not exhausted)
            self._control._tell(core.warnings())
            if self._last is not None:
                self._last._is_proven |= self._last.cost == core.optimum() != []
            if satisfiable is False:
                assumed = set(self._control._last_assumed)
                self._core_found = [literal for literal in core.core() or [] if literal in assumed]
            self._tell_bound()
            if on["on_statistics"] is not None:
                on["on_statistics"](self._control._user_step, self._control._user_accu)
            if on["on_finish"] is not None:
                on["on_finish"](self._result)
        finally:
            with self._changed:
                self._is_over = True
                # The interruption of a search is not that of the next one.
                self._control._interrupted = False
                self._changed.notify_all()

    def _run(self) -> None:
        """The search in a thread of its own."""
        # Whatever is raised is kept, and `get` tells of it.
        with contextlib.suppress(BaseException):
            while (model := self._advance()) is not None:
                if self._yields:
                    self._present(model)

    def _present(self, model: Model) -> None:
        """Waits until somebody has had the model, or nobody wants it any more."""
        with self._changed:
            self._model, self._is_seen = model, False
            self._changed.notify_all()
            # `interrupt` may be called by a handler of signals, which must not wait for a lock.
            while self._model is not None and not self._is_cancelled():
                self._changed.wait(_SLICE)
            self._model = None

    def _search_to_end(self) -> SolveResult:
        while self._advance() is not None:
            pass
        return self._known_result()

    def _known_result(self) -> SolveResult:
        return self._result or SolveResult(True if self._found else None, False, False)

    # What the user calls.

    def _refuse_callbacks(self) -> None:
        """A callback cannot wait for the search that waits for it, nor two threads search at the same time."""
        if self._busy == threading.get_ident() or self._busy is not None and self._thread is None:
            raise coded("usage", "the handle of a search cannot be used while the search goes on or calls back")

    def _wait(self, timeout: float | None = None) -> bool:
        """Waits for so many seconds until there is a model or the search is over. Returns whether that is so."""
        self._refuse_callbacks()
        if self._thread is None:
            if self._model is not None and self._is_cancelled():
                self._model = None
            if self._model is None and not self._is_over:
                self._model = self._advance(None if timeout is None else time.monotonic() + timeout)
            self._is_seen = self._model is not None
            return self._is_seen or self._is_over

        def is_ready() -> bool:
            is_left = self._cancelled or self._control._interrupted
            return self._is_over or self._model is not None and not is_left

        with self._changed:
            ready = self._changed.wait_for(is_ready, timeout)
            self._is_seen = self._model is not None
            return ready

    def model(self) -> Model | None:
        """The present model, or None if there is no further one."""
        if not self._is_seen:
            self._wait()
        return self._model

    def resume(self) -> None:
        """Lets the search go on after a model."""
        with self._changed:
            if self._is_seen:
                self._model, self._is_seen = None, False
                self._changed.notify_all()

    def wait(self, timeout: float | None = None) -> bool:
        """Waits until there is a model or the search is over, for so many seconds at most. Returns whether that is so."""
        return self._wait(timeout if timeout is None or timeout >= 0 else None)

    def get(self) -> SolveResult:
        """Waits until there is a model or the search is over. Returns what is known by then."""
        self._wait()
        if self._error is not None:
            code, text = code_of(self._error), f"the search has failed: {self._error!r}"
            raise (coded(code, text) if code else RuntimeError(text)) from self._error
        return self._known_result()

    def cancel(self) -> None:
        """Ends the search."""
        if self._is_over:
            return
        self._cancelled = True
        if self._busy == threading.get_ident():
            # A callback of the search, which ends when the callback returns.
            return
        if self._thread is None and self._busy is None:
            self._model = None
            self._advance()
            return
        with self._changed:
            self._changed.notify_all()
            self._changed.wait_for(lambda: self._is_over)

    def core(self) -> list[int]:
        """The assumptions that exclude each other, if there is no model."""
        self._wait()
        return list(self._core_found)

    def last(self) -> Model | None:
        """The last model, once the search is over."""
        return self._last if self._is_over else None
