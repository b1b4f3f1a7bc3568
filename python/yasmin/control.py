"""A program that is grounded, and solved again and again."""

import contextlib
import os
import sys
import threading

from . import tuples
from ._yasmin import Control as Core
from ._yasmin import Options
from .atoms import SymbolicAtoms, TheoryAtom
from .backend import Backend
from .configuration import Configuration
from .errors import Error, coded, grounding
from .propagators import Caller
from .solving import SolveHandle
from .statements import Statements
from .statistics import Map
from .symbols import grounder


# Numbers of atoms go up to this one. The grounder takes the first ones, and propagators take the last ones.
_LAST_ATOM = 2**28


class Control:
    """A program that is grounded, and solved again and again, as clingo's `Control`.

    `arguments` are options of the command `yasmin`, and so of clingo: what is asked, how to search and on what, and how to
    ground. An option that only a command can follow is refused by an Error. What only changes how clingo searches is left
    out, and `logger` or standard error is told.
    """

    def __init__(self, arguments=(), logger=None, message_limit=20):
        self._logger, self._message_limit = logger, message_limit
        self._options = arguments if isinstance(arguments, Options) else Options(list(map(str, arguments)), False)
        self._tell(self._options.notes())
        self._core = Core(self._options)
        self._statements = Statements(self._core)
        self._grounding = None
        self._last_assumed = []
        self._user_step, self._user_accu = Map(), Map()
        self._interrupted, self._false = False, None
        self._handle, self._searches = None, 0
        # The literals that hold in every answer set, as `cleanup` has found them.
        self._fixed = frozenset()
        # Who changes the program now: one thread at a time, while no search is alive. What was asked for meanwhile and can
        # wait comes later.
        self._changes, self._later = threading.RLock(), []
        # What propagators add, a literal that always holds, and those of conditions of theory atoms.
        self._propagators, self._atoms_of_propagators, self._true, self._conjunctions = [], 0, None, {}
        self.configuration = Configuration(self._options, self._tell)

    def _tell(self, notes):
        """Tells what the user should know besides results and errors."""
        for note in notes[: self._message_limit]:
            if self._logger is None:
                print(f"yasmin: note: {note}", file=sys.stderr)
            else:
                self._logger(grounder().MessageCode.Other, note)

    # The program.

    def _grounder(self):
        if self._grounding is None:
            arguments = self._options.grounding()
            clingo = grounder()
            with grounding():
                self._grounding = clingo.Control(arguments, self._logger, self._message_limit)
            self._statements.observe(self._grounding)
        return self._grounding

    @property
    def _rep(self):
        """The grounder's control, for the classes of clingo that write programs, such as `clingo.ast.ProgramBuilder`.

        The grounder does not search, so that a propagator that reaches it would never be asked.
        """
        caller = sys._getframe(1).f_globals.get("__name__", "")
        if caller != "clingo.ast":
            theory = "theories of clingo-dl, clingcon and clingo-lpx are not there yet: they want clingo's own solver"
            use = "use clingo.Control for them, or a propagator in Python"
            raise coded("usage", f"{caller} asks yasmin.Control for clingo's control in C; {theory}; {use}")
        return self._grounder()._rep

    @property
    def _error(self):
        """The same, for errors."""
        return self._grounder()._error

    # What is allowed while a search is under way.

    def _is_searching(self):
        return self._handle is not None and not self._handle._is_over

    def _refuse_search(self):
        if self._is_searching():
            raise coded(
                "usage", "a search is under way: it has to end, and its handle to be closed, before the control is used for that"
            )

    @contextlib.contextmanager
    def _exclusive(self):
        """Refuses what two threads would do to the program at the same time."""
        if not self._changes.acquire(blocking=False):
            raise coded("usage", "the control is used by another thread")
        try:
            yield
        finally:
            self._changes.release()

    @contextlib.contextmanager
    def _alone(self):
        """The same, and refuses a change of the program while a search is alive."""
        with self._exclusive():
            self._refuse_search()
            # A handle has its last model, which keeps the program as it is.
            self._handle = None
            self._core.end_search()
            while self._later:
                self._later.pop(0)()
            yield

    def _soon(self, change):
        """Changes the program now, or after the search that is alive and before any other change."""
        if self._is_searching():
            self._later.append(change)
            return
        with self._alone():
            change()

    def _look_for_errors(self):
        error, self._statements.error = self._statements.error, None
        if error is not None:
            raise error
        self._core.raise_error()

    def _false_atom(self):
        if self._false is None:
            with self._grounder().backend() as backend:
                self._false = backend.add_atom()
        return self._false

    def add(self, name, parameters=None, program=None):
        """Adds a part of a program: `add(name, parameters, program)`, or `add(program)` for the part `base`."""
        if parameters is None:
            name, parameters, program = "base", [], name
        with self._exclusive(), grounding():
            self._grounder().add(name, parameters, program)

    def load(self, path):
        """Adds a file."""
        # The grounder says nothing of it.
        if os.path.isdir(path):
            raise coded("input", f"{path}: cannot be read: it is a folder")
        try:
            with self._exclusive(), grounding():
                self._grounder().load(path)
        except Error as error:
            if str(path) != "-" and not os.access(path, os.R_OK):
                raise coded("input", f"{path}: cannot be read") from error
            raise

    def ground(self, parts=(("base", []),), context=None):
        """Grounds parts of the program. `context` has the external functions."""
        with self._alone():
            self._fixed = frozenset()
            with grounding():
                self._grounder().ground(list(parts), context)
            self._look_for_errors()

    def backend(self):
        """Adds rules one by one."""
        return Backend(self, self._grounder().backend())

    def remove_minimize(self):
        """Forgets all minimize statements, and their tuples. While a search is alive it goes on with them."""

        def removes():
            if self._grounding is not None:
                tuples.forget(self._grounding)
            self._core.remove_minimize()
            self._statements.priorities.clear()

        self._soon(removes)

    def add_project(self, atoms):
        """Adds atoms, or their literals, to project on."""
        with self._alone():
            literals = (self._literal(atom) for atom in atoms)
            self._core.project([abs(literal) for literal in literals if not isinstance(literal, bool)])

    def replace_project(self, atoms):
        """Projects on these atoms, or their literals, and no others."""
        with self._alone():
            self._core.remove_project()
            self.add_project(atoms)

    def remove_project(self):
        """Projects on no atoms any more."""
        self.replace_project([])

    def cleanup(self):
        """Finds atoms that hold in every answer set, or in none, as far as preparing the program finds that.

        Until the program grows, the former are facts of `symbolic_atoms`, and the latter are not among them.
        """
        with self._alone():
            self._end_step()
            found = self._core.fixed(True) or ()
            # A later value of an external atom may contradict the program.
            self._fixed = frozenset(literal for literal in found if not self._core.is_external(abs(literal)))

    def get_const(self, name):
        """The value of a constant, or None."""
        return self._grounder().get_const(name)

    @property
    def symbolic_atoms(self):
        """The atoms of the program, with their symbols."""
        return SymbolicAtoms(self._grounder().symbolic_atoms, self._core, self._fixed)

    @property
    def theory_atoms(self):
        """The theory atoms of the program."""
        return (TheoryAtom(atom, self) for atom in self._grounder().theory_atoms)

    @property
    def is_conflicting(self):
        """Whether it is known that the program has no answer set, whatever is assumed."""
        return not self._is_searching() and self._core.is_satisfiable() is False and self._core.core() == []

    def register_observer(self, observer, replace=False):
        """Observes the ground program."""
        if replace:
            raise coded("usage", "an observer cannot replace the solver; leave out `replace`")
        with self._exclusive():
            self._grounder().register_observer(observer)

    def register_propagator(self, propagator):
        """Lets an object take part in all later searches (see `yasmin.Propagator`). They are searches on the processor, by
        one searcher or as many as `-t` says."""

        def registers():
            if self._true is None:
                self._true = self._new_atom()
                self._core.rule(False, [self._true], [])
            caller = Caller(propagator, self._true)
            self._core.register(caller)
            self._propagators.append(caller)

        self._soon(registers)

    def _conjunction(self, literals):
        """A literal that holds if all of these do."""
        if len(literals) == 1:
            return literals[0]
        literals = tuple(sorted(literals))
        if literals not in self._conjunctions:
            with self._alone():
                self._conjunctions[literals] = self._new_atom()
                self._core.rule(False, [self._conjunctions[literals]], list(literals))
        return self._conjunctions[literals]

    def _new_atom(self):
        """An atom that the grounder does not know."""
        self._atoms_of_propagators += 1
        return _LAST_ATOM - self._atoms_of_propagators

    def _literal(self, of):
        """The literal of a symbol, or a literal itself; True or False if it holds always, or never. 0 holds always."""
        if isinstance(of, int):
            return of or True
        atom = self.symbolic_atoms[of]
        if atom is None:
            return False
        # An atom of no rule has no literal.
        return True if atom.is_fact else atom.literal or False

    def _assumed_literal(self, assumption):
        """The literal of an assumption, which may be a pair of a symbol and whether it holds."""
        if not isinstance(assumption, tuple):
            return self._literal(assumption)
        literal = self._literal(assumption[0])
        if assumption[1]:
            return literal
        return not literal if isinstance(literal, bool) else -literal

    def assign_external(self, external, truth):
        """Gives an external atom a value: True, False, or None for either."""
        with self._alone():
            literal = self._literal(external)
            if isinstance(literal, bool):
                return
            value = "free" if truth is None else "true" if bool(truth) == (literal > 0) else "false"
            self._core.external(abs(literal), value, False)

    def release_external(self, external):
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

    def solve(
        self, assumptions=(), on_model=None, on_unsat=None, on_statistics=None, on_finish=None, on_core=None,
        on_last=None, yield_=False, async_=False,
    ):
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
            self._user_step, self._searches = Map(), self._searches + 1
            literals = self._statements.assumed + self._literals(assumptions)
            self._statements.assumed = []
            self._last_assumed = literals
            self._core.ask(literals, bool(self._statements.priorities), wishes)
            handle = self._handle = SolveHandle(self, callbacks, yield_, async_)
            handle._begin()
        if yield_ or async_:
            return handle
        result = handle._search_to_end()
        if on_core is not None and result.unsatisfiable:
            on_core(handle.core())
        if on_last is not None and handle.last() is not None:
            on_last(handle.last())
        return result

    def _end_step(self):
        """Ends the step of the grounder."""
        if self._grounding is not None:
            # It has no program of its own, and finds nothing.
            self._grounding.solve()
        self._look_for_errors()

    def _literals(self, assumptions):
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

    def minimal_core(self, core):
        """Leaves literals out of a core, until none can be left out. Returns None if no answer set is excluded.

        clingo has no such method.
        """
        with self._alone():
            self._end_step()
            return self._core.minimal_core(self._literals(core))

    def minimal_cores(self, assumptions, limit=0):
        """All minimal sets of assumptions that exclude each other, or so many of them. clingo has no such method."""
        with self._alone():
            self._end_step()
            return self._core.minimal_cores(self._literals(assumptions), limit)

    def prove(self, folder):
        """Proves all later answers. Writes `1.aspif` and `1.proof` to a folder that exists: the ground program, and the proof of
        all questions with the same goal until the program grows. Then come `2.aspif` and `2.proof`, and so on. `end_proofs`
        has to be called at the end. `yasmin-check 1.aspif 1.proof` checks a proof. clingo has no such method.
        """
        with self._alone():
            self._core.prove(folder)

    def end_proofs(self):
        """Ends all proofs, and proves nothing more."""
        with self._alone():
            self._core.end_proofs()

    def interrupt(self):
        """Ends the search that is under way, from a callback or another thread; without one, the next search."""
        self._interrupted = True

    @property
    def statistics(self):
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
            "user_step": self._user_step,
            "user_accu": self._user_accu,
        }
