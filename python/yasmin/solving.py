"""Models, results, and the handle of a search."""

import threading
import time

from .errors import code_of, coded

# How long one step of a search lasts before another thread may cancel it.
_SLICE = 0.05


class SolveResult:
    """How a search has ended, as far as it has."""

    def __init__(self, satisfiable, exhausted, interrupted):
        self._satisfiable, self.exhausted, self.interrupted = satisfiable, exhausted, interrupted

    @property
    def satisfiable(self):
        """Whether there is an answer set: True, False, or None if that is not known."""
        return self._satisfiable

    @property
    def unsatisfiable(self):
        """Whether there is no answer set: True, False, or None if that is not known."""
        return None if self._satisfiable is None else not self._satisfiable

    @property
    def unknown(self):
        """Whether neither is known."""
        return self._satisfiable is None

    def __str__(self):
        return {True: "SAT", False: "UNSAT", None: "UNKNOWN"}[self._satisfiable]

    def __repr__(self):
        return f"SolveResult({self._satisfiable}, {self.exhausted}, {self.interrupted})"


class SolveControl:
    """What a model knows of its search."""

    def __init__(self, control):
        self._control = control
        self.symbolic_atoms = control.symbolic_atoms

    def add_clause(self, literals):
        """One of the literals, or pairs of a symbol and whether it holds, has to hold in each further model."""
        found = [self._control._assumed_literal(literal) for literal in literals]
        # What is no literal is True or False.
        if not any(literal is True for literal in found):
            self._control._core.add_clause([literal for literal in found if literal is not False])

    def add_nogood(self, literals):
        """Not all of the literals hold in any further model."""
        found = [self._control._assumed_literal(literal) for literal in literals]
        if not any(literal is False for literal in found):
            self._control._core.add_clause([-literal for literal in found if literal is not True])


class Model:
    """An answer set."""

    def __init__(self, handle, answer, number):
        self._handle, self._answer, self._control = handle, answer, handle._control
        self._more = []
        self.number = number
        self.thread_id = 0

    def symbols(self, atoms=False, terms=False, shown=False, theory=False, complement=False):
        """The symbols of the model: what is shown, all atoms, or terms."""
        found = []
        control = self._control
        if shown:
            found += [control._statements.shown[at] for at in self._answer.shown()] + (self._more if theory else [])
        elif theory:
            found += self._more
        if terms and not shown:
            known = {atom.symbol for atom in control.symbolic_atoms}
            shown_now = [control._statements.shown[at] for at in self._answer.shown()]
            found += [symbol for symbol in shown_now if symbol not in known]
        if atoms:
            holds = self._answer.holds
            found += [
                atom.symbol for atom in control.symbolic_atoms
                if (atom.is_fact or bool(atom.literal) and holds(atom.literal)) != complement
            ]
        return found

    def contains(self, atom):
        """Whether an atom is in the model."""
        literal = self._control._literal(atom)
        return literal if isinstance(literal, bool) else self.is_true(literal)

    def is_true(self, literal):
        """Whether a literal holds."""
        return self._answer.holds(literal)

    def extend(self, symbols):
        """Adds symbols that are shown with the model."""
        self._more += list(symbols)

    @property
    def cost(self):
        """The costs, highest priority first."""
        return self._answer.costs()

    @property
    def priority(self):
        """The priorities of the costs, highest first."""
        return sorted(self._control._statements.priorities, reverse=True) if self.cost else []

    @property
    def optimality_proven(self):
        """Whether the model is known to be optimal."""
        if self._answer.is_optimal():
            return True
        # The last one is known to be optimal only afterwards.
        return self is self._handle._last and self.cost == self._handle._core.optimum() != []

    @property
    def context(self):
        """What is known of the search that has found the model."""
        return SolveControl(self._control)

    @property
    def type(self):  # noqa: A003
        """Whether it is an answer set, or consequences."""
        from .symbols import grounder

        types = grounder().ModelType
        modes = {"brave": types.BraveConsequences, "cautious": types.CautiousConsequences}
        return modes.get(self._control.configuration.solve.enum_mode, types.StableModel)

    def __str__(self):
        return " ".join(str(symbol) for symbol in self.symbols(shown=True, theory=True))

    def __repr__(self):
        return f"<Model {self.number}: {self}>"


class SolveHandle:
    """A search, whose models come one by one. To be used in a `with` statement."""

    def __init__(self, control, callbacks, is_async):
        self._control, self._core = control, control._core
        self._on = callbacks
        self._cancelled = False
        self._stopped = False
        self._model, self._last, self._found, self._told = None, None, 0, False
        self._error = None
        self._thread = None
        if is_async:
            self._thread = threading.Thread(target=self._run, daemon=True)
            self._thread.start()

    def __enter__(self):
        return self

    def __exit__(self, kind, value, trace):
        self.cancel()
        return False

    def __iter__(self):
        while True:
            self.resume()
            model = self.model()
            if model is None:
                return
            yield model

    def _is_over(self):
        return self._cancelled or self._stopped or self._core.is_over()

    def _advance(self, until=None):
        """Searches for the next model, until a time at most. Returns whether the search has come to one, or to its end."""
        while not self._is_over():
            left = _SLICE if until is None else min(_SLICE, max(until - time.monotonic(), 0))
            answer = self._core.next(left)
            if self._control._interrupted:
                self._control._interrupted = False
                self._cancelled = True
            if answer is not None:
                self._found += 1
                self._model = self._last = Model(self, answer, self._found)
                on_model = self._on.get("on_model")
                if on_model is not None and on_model(self._model) is False:
                    self._stopped = True
                return True
            if until is not None and time.monotonic() >= until:
                return self._is_over()
        return True

    def _run(self):
        try:
            while self._advance() and self._model is not None:
                self._model = None
            self._finish()
        except BaseException as error:  # noqa: BLE001, whatever it is, `get` tells of it
            self._error = error

    def model(self):
        """The present model, or None if there is no further one."""
        if self._model is None and self._thread is None:
            self._advance()
        if self._model is None:
            self._finish()
        return self._model

    def resume(self):
        """Lets the search go on after a model."""
        self._model = None

    def wait(self, timeout=None):
        """Waits until there is a model or the search is over, for so many seconds at most. Returns whether that is so."""
        if self._thread is not None:
            self._thread.join(timeout if timeout is None or timeout >= 0 else None)
            return not self._thread.is_alive()
        if self._model is not None:
            return True
        return self._advance(None if timeout is None or timeout < 0 else time.monotonic() + timeout)

    def get(self):
        """Searches to the end, and returns the result."""
        if self._thread is not None:
            self._thread.join()
        while self._thread is None and not self._is_over():
            self._model = None
            self._advance()
        if self._error is not None:
            code, text = code_of(self._error), f"the search in the background has failed: {self._error!r}"
            raise (coded(code, text) if code else RuntimeError(text)) from self._error
        self._finish()
        return self._result()

    def cancel(self):
        """Ends the search."""
        self._cancelled = self._cancelled or not self._core.is_over()
        if self._thread is not None:
            self._thread.join()
        self._finish()

    def core(self):
        """The assumptions that exclude each other, if there is no model."""
        core = self._core.core() if self._core.is_satisfiable() is False else None
        if core is None:
            return []
        assumed = set(self._control._last_assumed)
        return [literal for literal in core if literal in assumed]

    def last(self):
        """The last model, once the search is over."""
        return self._last if self._is_over() else None

    def _result(self):
        exhausted = self._core.is_exhausted()
        return SolveResult(self._core.is_satisfiable(), exhausted, self._cancelled and not exhausted)

    def _finish(self):
        """Tells how the search has ended, once."""
        if self._told or not self._is_over():
            return
        self._told = True
        on = self._on
        if self._core.is_satisfiable() is False and on.get("on_core") is not None:
            on["on_core"](self.core())
        if on.get("on_last") is not None and self._last is not None:
            on["on_last"](self._last)
        if on.get("on_unsat") is not None and self._core.lower_bound():
            on["on_unsat"](self._core.lower_bound())
        if on.get("on_statistics") is not None:
            on["on_statistics"](self._control._user_step, self._control._user_accu)
        if on.get("on_finish") is not None:
            on["on_finish"](self._result())
