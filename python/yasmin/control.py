"""A program that is grounded, and solved again and again."""

from __future__ import annotations

import contextlib
import json
import os
import sys
import threading
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Callable, Literal, overload

from . import tuples
from ._yasmin import Control as Core
from ._yasmin import Options
from .atoms import SymbolicAtoms, TheoryAtom
from .backend import Backend
from .configuration import Configuration
from .errors import Error, coded, complain, grounding
from .many import Replies, tell_facets
from .propagator import Caller
from .solving import Assumption, OnFinish, OnModel, OnStatistics, OnUnsat, SolveHandle, SolveResult
from .statements import Statements
from .statistics import StatisticsMap
from .symbols import base, grounder

if TYPE_CHECKING:
    from clingo import BackendType, MessageCode, Observer, Symbol

    from .solving import Model
else:
    BackendType = base("BackendType")


# Numbers of atoms go up to this one. The grounder takes the first ones, and propagators take the last ones.
_LAST_ATOM = 2**28


def _counts(of: Any) -> Any:
    """The numbers in statistics of the solver, each as clingo has numbers."""
    if isinstance(of, dict):
        numbers = ((name, _counts(value)) for name, value in of.items())
        return {name: value for name, value in numbers if value is not None}
    if isinstance(of, list):
        return [value for value in map(_counts, of) if value is not None]
    return float(of) if isinstance(of, (int, float)) else None


class Control:
    """A program that is grounded, and solved again and again, as clingo's `Control`.

    `arguments` are options of the command `yasmin`, and so of clingo: what is asked, how to search and on what, and how to
    ground. An option that only a command can follow is refused by an Error. What only changes how clingo searches is left
    out, and `logger` or standard error is told.
    """

    def __init__(
        self,
        arguments: Sequence[str] | Options = (),
        logger: Callable[[MessageCode, str], None] | None = None,
        message_limit: int = 20,
    ) -> None:
        self._logger, self._message_limit = logger, message_limit
        self._options = arguments if isinstance(arguments, Options) else Options(list(map(str, arguments)), False)
        self._told: set[str] = set()
        self._tell(self._options.notes())
        self._core = Core(self._options)
        self._statements = Statements(self._core)
        self._grounding: Any = None
        self._is_replaced = False
        self._last_assumed: list[int] = []
        self._user_step, self._user_accu = StatisticsMap(), StatisticsMap()
        self._interrupted = False
        self._false: int | None = None
        self._handle: SolveHandle | Replies | None = None
        self._searches = 0
        # The literals that hold in every answer set, as `cleanup` has found them.
        self._fixed: frozenset[int] = frozenset()
        # Who changes the program now: one thread at a time, while no search is alive. What was asked for meanwhile and can
        # wait comes later.
        self._changes = threading.RLock()
        self._later: list[Callable[[], None]] = []
        # What propagators add, a literal that always holds, and those of conditions of theory atoms.
        self._propagators: list[Caller] = []
        self._atoms_of_propagators = 0
        self._true: int | None = None
        self._conjunctions: dict[tuple[int, ...], int] = {}
        self._cleans, self._assumes = False, True

    def _tell(self, notes: list[str]) -> None:
        """Tells what the user should know besides results and errors, each thing once."""
        new = [note for note in dict.fromkeys(notes) if note not in self._told]
        self._told.update(new)
        for note in new[: self._message_limit]:
            if self._logger is None:
                complain(f"note: {note}")
            else:
                self._logger(grounder().MessageCode.Other, note)

    # The program.

    def _grounder(self) -> Any:
        if self._grounding is None:
            arguments = self._options.grounding()
            clingo = grounder()
            with grounding():
                self._grounding = clingo.Control(arguments, self._logger, self._message_limit)
            self._statements.observe(self._grounding)
        return self._grounding

    @property
    def _rep(self) -> Any:
        """The grounder's control, for the classes of clingo that write programs, such as `clingo.ast.ProgramBuilder`.

        The grounder does not search, so that a propagator that reaches it would never be asked.
        """
        caller = sys._getframe(1).f_globals.get("__name__", "")
        if caller != "clingo.ast":
            theory = "clingo-dl, clingcon and clingo-lpx want clingo's own solver"
            use = "use yasmin.DL for difference constraints, and clingo.Control or a propagator in Python for others"
            raise coded("usage", f"{caller} asks yasmin.Control for clingo's control in C; {theory}; {use}")
        grounder = self._grounder()
        self._statements.show_unseen()
        return grounder._rep

    @property
    def _error(self) -> Any:
        """The same, for errors."""
        return self._grounder()._error

    # What is allowed while a search is under way.

    def _is_searching(self) -> bool:
        return self._handle is not None and not self._handle._is_over

    def _refuse_search(self) -> None:
        if self._is_searching():
            raise coded(
                "usage", "a search is under way: it has to end, and its handle to be closed, before the control is used for that"
            )

    @contextlib.contextmanager
    def _exclusive(self) -> Iterator[None]:
        """Refuses what two threads would do to the program at the same time."""
        if not self._changes.acquire(blocking=False):
            raise coded("usage", "the control is used by another thread")
        try:
            yield
        finally:
            self._changes.release()

    @contextlib.contextmanager
    def _alone(self) -> Iterator[None]:
        """The same, and refuses a change of the program while a search is alive."""
        with self._exclusive():
            self._refuse_search()
            # A handle has its last model, which keeps the program as it is.
            self._handle = None
            self._core.end_search()
            while self._later:
                self._later.pop(0)()
            yield

    def _soon(self, change: Callable[[], None]) -> None:
        """Changes the program now, or after the search that is alive and before any other change."""
        if self._is_searching():
            self._later.append(change)
            return
        with self._alone():
            change()

    def _look_for_errors(self) -> None:
        error, self._statements.error = self._statements.error, None
        if error is not None:
            raise error
        self._core.raise_error()

    def _false_atom(self) -> int:
        if self._false is None:
            with self._grounder().backend() as backend:
                self._false = backend.add_atom()
        return self._false

    @overload
    def add(self, name: str, parameters: Sequence[str], program: str) -> None: ...

    @overload
    def add(self, name: str) -> None: ...

    def add(self, name: str, parameters: Sequence[str] | None = None, program: str | None = None) -> None:
        """Adds a part of a program: `add(name, parameters, program)`, or `add(program)` for the part `base`."""
        if parameters is None:
            name, parameters, program = "base", [], name
        with self._exclusive(), grounding():
            self._grounder().add(name, parameters, program)
            self._note_shown(program or "")

    def load(self, path: str) -> None:
        """Adds a file."""
        # The grounder says nothing of it.
        if os.path.isdir(path):
            raise coded("input", f"{path}: cannot be read: it is a folder")
        try:
            with self._exclusive(), grounding():
                self._grounder().load(path)
                if os.path.isfile(path):
                    with open(path, encoding="utf-8", errors="replace") as opened:
                        self._note_shown(opened.read(), path)
                else:
                    self._statements.show_unseen()
        except Error as error:
            if str(path) != "-" and not os.access(path, os.R_OK):
                raise coded("input", f"{path}: cannot be read") from error
            raise

    def _note_shown(self, text: str, path: str | None = None) -> None:
        """Notes each `#show p/n.` of a text, which may be a file's: from now on other atoms are hidden, also those that were
        grounded before."""
        if "#show" not in text and "#include" not in text:
            return
        from clingo import ast

        def note(statement: ast.AST) -> None:
            if statement.ast_type == ast.ASTType.ShowSignature:
                self._statements.show(statement.name, statement.arity, bool(statement.positive))

        def is_quiet(*_: object) -> None:
            """What is to be said of the text was said before."""

        with contextlib.suppress(RuntimeError):
            if path is None:
                ast.parse_string(text, note, logger=is_quiet)
            else:
                ast.parse_files([path], note, logger=is_quiet)

    def ground(
        self, parts: Sequence[tuple[str, Sequence[Symbol]]] = (("base", []),), context: object = None
    ) -> None:
        """Grounds parts of the program. `context` has the external functions."""
        if self._cleans and self._searches > 0:
            self.cleanup()
        with self._alone():
            if not self._cleans:
                self._fixed = frozenset()
            with grounding():
                self._grounder().ground(list(parts), context)
            self._look_for_errors()

    def backend(self) -> Backend:
        """Adds rules one by one."""
        return Backend(self, self._grounder().backend())

    def remove_minimize(self) -> None:
        """Forgets all minimize statements, and their tuples. While a search is alive it goes on with them."""

        def removes() -> None:
            if self._grounding is not None:
                tuples.forget(self._grounding)
            self._core.remove_minimize()
            self._statements.priorities.clear()

        self._soon(removes)

    def add_project(self, atoms: Sequence[Symbol | int]) -> None:
        """Adds atoms, or their literals, to project on."""
        with self._alone():
            literals = (self._literal(atom) for atom in atoms)
            self._core.project([abs(literal) for literal in literals if not isinstance(literal, bool)])

    def replace_project(self, atoms: Sequence[Symbol | int]) -> None:
        """Projects on these atoms, or their literals, and no others."""
        with self._alone():
            self._core.remove_project()
            self.add_project(atoms)

    def remove_project(self) -> None:
        """Projects on no atoms any more."""
        self.replace_project([])

    def cleanup(self) -> None:
        """Finds atoms that hold in every answer set, or in none, as far as preparing the program finds that.

        Until the program grows, the former are facts of `symbolic_atoms`, and the latter are not among them.
        """
        with self._alone():
            self._end_step()
            found = self._core.fixed(True) or ()
            # A later value of an external atom may contradict the program.
            self._fixed = frozenset(literal for literal in found if not self._core.is_external(abs(literal)))

    @property
    def configuration(self) -> Configuration:
        """The options."""
        return Configuration(self._options, self._tell)

    @property
    def enable_cleanup(self) -> bool:
        """Whether `cleanup` is called before the program grows after a search. Preparing the program for that takes time, so that
        it is not, unless it is asked for."""
        return self._cleans

    @enable_cleanup.setter
    def enable_cleanup(self, value: bool) -> None:
        self._cleans = value

    @property
    def enable_enumeration_assumption(self) -> bool:
        """Whether what enumeration learns ends with a search. Nothing that yasmin learns depends on models that were found, so
        that either value means the same."""
        return self._assumes

    @enable_enumeration_assumption.setter
    def enable_enumeration_assumption(self, value: bool) -> None:
        self._assumes = value

    def load_aspif(self, files: Sequence[str]) -> None:
        """Adds ground programs in aspif. Their atoms have symbols as far as the files name them."""
        for file in files:
            if not os.path.isfile(file) or not os.access(file, os.R_OK):
                raise coded("input", f"{file}: cannot be read")
        with self._alone(), grounding():
            self._grounder().load_aspif(list(files))
            self._look_for_errors()

    def register_backend(
        self,
        type: BackendType,  # noqa: A002
        file: str,
        replace: bool = False,
        reify_sccs: bool = False,
        reify_steps: bool = False,
    ) -> None:
        """Writes the ground program to a file. With `replace` it goes nowhere else, so that the control searches no more."""
        with self._exclusive():
            self._grounder().register_backend(type, file, replace, reify_sccs, reify_steps)
            self._is_replaced |= replace

    def get_const(self, name: str) -> Symbol | None:
        """The value of a constant, or None."""
        found: Symbol | None = self._grounder().get_const(name)
        return found

    @property
    def symbolic_atoms(self) -> SymbolicAtoms:
        """The atoms of the program, with their symbols."""
        return SymbolicAtoms(self._grounder().symbolic_atoms, self._core, self._fixed)

    @property
    def theory_atoms(self) -> Iterator[TheoryAtom]:
        """The theory atoms of the program."""
        return (TheoryAtom(atom, self) for atom in self._grounder().theory_atoms)

    @property
    def is_conflicting(self) -> bool:
        """Whether it is known that the program has no answer set, whatever is assumed."""
        return not self._is_searching() and self._core.is_satisfiable() is False and self._core.core() == []

    def register_observer(self, observer: Observer, replace: bool = False) -> None:
        """Observes the ground program. With `replace` nobody else is told of it, so that the control searches no more."""
        with self._exclusive():
            self._grounder().register_observer(observer, replace)
            self._is_replaced |= replace

    def register_propagator(self, propagator: object) -> None:
        """Lets an object take part in all later searches (see `yasmin.Propagator`). They are searches on the processor, by
        one searcher or as many as `-t` says."""

        def registers() -> None:
            caller = Caller(propagator, self._always())
            self._core.register(caller)
            self._propagators.append(caller)

        self._soon(registers)

    def _conjunction(self, literals: Sequence[int]) -> int:
        """A literal that holds if all of these do."""
        if len(literals) == 1:
            return literals[0]
        condition = tuple(sorted(literals))
        if condition not in self._conjunctions:
            with self._alone():
                self._conjunctions[condition] = self._new_atom()
                self._core.rule(False, [self._conjunctions[condition]], list(condition))
        return self._conjunctions[condition]

    def _always(self) -> int:
        """An atom that always holds, for propagators."""
        if self._true is None:
            self._true = self._new_atom()
            self._core.rule(False, [self._true], [])
        return self._true

    def _new_atom(self) -> int:
        """An atom that the grounder does not know."""
        self._atoms_of_propagators += 1
        return _LAST_ATOM - self._atoms_of_propagators

    def _literal(self, of: Symbol | int) -> int | bool:
        """The literal of a symbol, or a literal itself; True or False if it holds always, or never. 0 holds always."""
        if isinstance(of, int):
            return of or True
        atom = self.symbolic_atoms[of]
        if atom is None:
            return False
        # An atom of no rule has no literal.
        return True if atom.is_fact else atom.literal or False

    def _assumed_literal(self, assumption: Assumption | Symbol) -> int | bool:
        """The literal of an assumption, which may be a pair of a symbol and whether it holds."""
        if not isinstance(assumption, tuple):
            return self._literal(assumption)
        literal = self._literal(assumption[0])
        if assumption[1]:
            return literal
        return not literal if isinstance(literal, bool) else -literal

    def assign_external(self, external: Symbol | int, truth: bool | None) -> None:
        """Gives an external atom a value: True, False, or None for either."""
        with self._alone():
            literal = self._literal(external)
            if isinstance(literal, bool):
                return
            value = "free" if truth is None else "true" if bool(truth) == (literal > 0) else "false"
            self._core.external(abs(literal), value, False)

    def release_external(self, external: Symbol | int) -> None:
        """Makes an external atom false for good."""
        with self._alone():
            literal = self._literal(external)
            if isinstance(literal, bool):
                return
            if self._grounding is not None:
                self._grounding.release_external(external)
            self._core.external(abs(literal), "release", False)
            self._look_for_errors()

    # Solving.

    @overload
    def solve(
        self,
        assumptions: Sequence[Assumption] = (),
        on_model: OnModel | None = None,
        on_unsat: OnUnsat | None = None,
        on_statistics: OnStatistics | None = None,
        on_finish: OnFinish | None = None,
        on_core: Callable[[list[int]], None] | None = None,
        on_last: Callable[[Model], None] | None = None,
        yield_: Literal[False] = False,
        async_: Literal[False] = False,
    ) -> SolveResult: ...

    @overload
    def solve(
        self,
        assumptions: Sequence[Assumption] = (),
        on_model: OnModel | None = None,
        on_unsat: OnUnsat | None = None,
        on_statistics: OnStatistics | None = None,
        on_finish: OnFinish | None = None,
        on_core: Callable[[list[int]], None] | None = None,
        on_last: Callable[[Model], None] | None = None,
        *,
        yield_: Literal[True],
        async_: bool = False,
    ) -> SolveHandle: ...

    @overload
    def solve(
        self,
        assumptions: Sequence[Assumption] = (),
        on_model: OnModel | None = None,
        on_unsat: OnUnsat | None = None,
        on_statistics: OnStatistics | None = None,
        on_finish: OnFinish | None = None,
        on_core: Callable[[list[int]], None] | None = None,
        on_last: Callable[[Model], None] | None = None,
        yield_: bool = False,
        *,
        async_: Literal[True],
    ) -> SolveHandle: ...

    @overload
    def solve(
        self,
        assumptions: Sequence[Assumption] = (),
        on_model: OnModel | None = None,
        on_unsat: OnUnsat | None = None,
        on_statistics: OnStatistics | None = None,
        on_finish: OnFinish | None = None,
        on_core: Callable[[list[int]], None] | None = None,
        on_last: Callable[[Model], None] | None = None,
        *,
        yield_: bool,
        async_: bool,
    ) -> SolveHandle | SolveResult: ...

    def solve(
        self,
        assumptions: Sequence[Assumption] = (),
        on_model: OnModel | None = None,
        on_unsat: OnUnsat | None = None,
        on_statistics: OnStatistics | None = None,
        on_finish: OnFinish | None = None,
        on_core: Callable[[list[int]], None] | None = None,
        on_last: Callable[[Model], None] | None = None,
        yield_: bool = False,
        async_: bool = False,
    ) -> SolveHandle | SolveResult:
        """Searches. Returns a result, or a handle with `yield_` or `async_`.

        `assumptions` are literals, or pairs of a symbol and whether it holds.
        """
        callbacks = {
            "on_model": on_model, "on_unsat": on_unsat, "on_statistics": on_statistics, "on_finish": on_finish,
        }
        with self._alone():
            # The grounder forgets theory atoms when its step ends.
            wishes = [propagator.init(self) for propagator in self._propagators]
            # A propagator may have asked something itself.
            self._refuse_search()
            self._end_step()
            self._user_step, self._searches = StatisticsMap(), self._searches + 1
            literals = self._statements.assumed + self._literals(assumptions)
            self._statements.assumed = []
            self._last_assumed = literals
            self._core.ask(literals, bool(self._statements.priorities), wishes, on_unsat is not None)
            handle = self._handle = SolveHandle(self, callbacks, yield_, async_)
            handle._begin()
        if yield_ or async_:
            return handle
        result = handle._search_to_end()
        if on_core is not None and result.unsatisfiable:
            on_core(handle.core())
        last = handle.last()
        if on_last is not None and last is not None:
            on_last(last)
        return result

    def solve_many(
        self,
        questions: Iterable[Any],
        atoms: Sequence[Symbol | int] | None = None,
        models: int | None = None,
        minimal_cores: bool = False,
        in_order: bool = False,
        rows: bool = False,
    ) -> Replies:
        """Answers many questions at once, by as many searchers as `-t` says. Returns an iterator of replies.

        A question is a sequence of assumptions, as `solve` has them. With `atoms` it is a sequence of numbers, one for each of
        these atoms, such as a row of an array of NumPy: above 0 if the atom is to hold, below if not, and 0 if it is left
        open. Or it is a dictionary with any of these `assumptions`, `externals` (atoms with True, False or None), and for this
        question alone `constraints` (sequences of literals that do not all hold), `rules` (texts), `bound` (the largest costs)
        and `project` (the atoms that models differ in). With `rows` a reply has for each model a row of signed bytes, one for
        each of the `atoms`, in place of the models. Questions are taken ahead of their replies. clingo has no such method.
        """
        with self._alone():
            # What no atom stands for needs one, which is made before the first question.
            self._false_atom()
            self._end_step()
            self._searches += 1
            self._handle = replies = Replies(self, questions, atoms, models, minimal_cores, in_order, rows)
        return replies

    def facets(
        self, assumptions: Sequence[Assumption] = (), atoms: Sequence[Symbol] | None = None, counts: bool = False
    ) -> dict[Symbol, Any] | None:
        """Says of each of these atoms, or of each that may be shown, whether it holds in all answer sets (`always`), in some
        or in none (`sometimes`, `never`); with `counts`, in how many as well, of how many. Returns None if there is no answer
        set. If the options look for an optimum, these are the optimal ones. clingo has no such method.
        """
        with self._alone():
            self._false_atom()
            self._end_step()
            return tell_facets(self, assumptions, atoms, counts)

    def _end_step(self) -> None:
        """Ends the step of the grounder."""
        if self._is_replaced:
            raise coded("usage", "an observer has taken the solver's place (`replace`), so that the control does not search")
        if self._grounding is not None:
            # It has no program of its own, and finds nothing.
            self._grounding.solve()
        self._look_for_errors()

    def _literals(self, assumptions: Sequence[Assumption]) -> list[int]:
        """The literals of assumptions."""
        literals = []
        for assumption in assumptions:
            literal = self._assumed_literal(assumption)
            if literal is False:
                # Nothing in the program stands for it, so that an atom without rules has to.
                literals.append(self._false_atom())
            elif literal is not True:
                literals.append(literal)
        return literals

    def minimal_core(self, core: Sequence[Assumption]) -> list[int] | None:
        """Leaves literals out of a core, until none can be left out. Returns None if no answer set is excluded.

        clingo has no such method.
        """
        with self._alone():
            self._end_step()
            return self._core.minimal_core(self._literals(core))

    def minimal_cores(self, assumptions: Sequence[Assumption], limit: int = 0) -> list[list[int]]:
        """All minimal sets of assumptions that exclude each other, or so many of them. clingo has no such method."""
        with self._alone():
            self._end_step()
            return self._core.minimal_cores(self._literals(assumptions), limit)

    def prove(self, folder: str | os.PathLike[str]) -> None:
        """Proves all later answers. Writes `1.aspif` and `1.proof` to a folder that exists: the ground program, and the proof of
        all questions with the same goal until the program grows. Then come `2.aspif` and `2.proof`, and so on. `end_proofs`
        has to be called at the end. `yasmin-check 1.aspif 1.proof` checks a proof. clingo has no such method.
        """
        with self._alone():
            self._core.prove(folder)

    def end_proofs(self) -> None:
        """Ends all proofs, and proves nothing more."""
        with self._alone():
            self._core.end_proofs()

    def interrupt(self) -> None:
        """Ends the search that is under way, from a callback or another thread; without one, the next search."""
        self._interrupted = True

    @property
    def statistics(self) -> dict[str, Any]:
        """Counts of the searches for the present goal."""
        self._refuse_search()
        counts = self._core.statistics()
        solving = {name: counts[name] for name in ("choices", "conflicts", "restarts")}
        times = {"total": counts["prepare"] + counts["solve"], "solve": counts["solve"]}
        lower = [float(bound) for bound in self._core.lower_bound()]
        return {
            "problem": {"lp": {"atoms": counts["atoms"], "rules": counts["rules"]}},
            "solving": {"solvers": solving},
            "summary": {
                "call": float(max(self._searches - 1, 0)), "concurrency": float(self._options.threads()),
                "exhausted": float(self._core.is_exhausted()), "models": {"enumerated": counts["models"]}, "lower": lower,
                "result": {True: 1.0, False: 2.0, None: 0.0}[self._core.is_satisfiable()], "times": times,
            },
            "yasmin": _counts(json.loads(self._core.all_statistics())),
            "user_step": self._user_step,
            "user_accu": self._user_accu,
        }
