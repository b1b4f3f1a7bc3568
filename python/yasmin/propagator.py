"""Propagators: code that takes part in the search, in the shape of clingo's."""

from __future__ import annotations

import collections
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from ._yasmin import Control as Core
from ._yasmin import Search
from .errors import coded
from .symbols import base, grounder

if TYPE_CHECKING:
    from clingo import PropagatorCheckMode, PropagatorUndoMode

    from .atoms import SymbolicAtoms, TheoryAtom
    from .control import Control
else:
    PropagatorCheckMode, PropagatorUndoMode = base("PropagatorCheckMode"), base("PropagatorUndoMode")


class Propagator:
    """What clingo's class of this name is: a base class whose functions may be left out."""

    def init(self, init: PropagateInit) -> None:
        """Called before each search: says which literals are watched."""

    def propagate(self, control: PropagateControl, changes: Sequence[int]) -> None:
        """Called at a fixpoint with the watched literals that hold and were not told of before."""

    def undo(self, thread_id: int, assignment: Assignment, changes: Sequence[int]) -> None:
        """Called for each level that is undone, with the literals that were told of there."""

    def check(self, control: PropagateControl) -> None:
        """Called without changes."""

    def decide(self, thread_id: int, assignment: Assignment, fallback: int) -> int:
        """Called before a decision. Returns the literal to decide on, or 0 for the search's own choice."""
        return 0


def _has(propagator: Any, function: str) -> bool:
    """Whether a propagator has a function of its own, and not one of a base class that does nothing."""
    own = getattr(type(propagator), function, None)
    empty = [getattr(base, function, None) for base in (Propagator, grounder().Propagator)]
    return hasattr(propagator, function) and (own is None or own not in empty)


class _View(Sequence[int]):
    """Some elements of a sequence."""

    def __init__(self, of: Sequence[int], places: Sequence[int]) -> None:
        self._of, self._places = of, places

    def __len__(self) -> int:
        return len(self._places)

    def __getitem__(self, at: Any) -> Any:
        return _View(self._of, self._places[at]) if isinstance(at, slice) else self._of[self._places[at]]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and list(self) == list(other)


class Trail(Sequence[int]):
    """The literals that hold, in the order in which they were assigned."""

    def __init__(self, search: Search) -> None:
        self._search = search

    def __len__(self) -> int:
        return self._search.sizes()[0]

    def __getitem__(self, at: Any) -> Any:
        if isinstance(at, slice):
            return _View(self, range(*at.indices(len(self))))
        places = range(len(self))
        return self._search.trail(places[at], places[at] + 1)[0]

    def __iter__(self) -> Iterator[int]:
        return iter(self._search.trail(0, len(self)))

    def _of_level(self, level: int) -> tuple[int, int]:
        found = self._search.of_level(level)
        if found is None:
            raise coded("usage", f"there is no decision level {level}")
        return found

    def begin(self, level: int) -> int:
        """The position of the first literal of a level, which is the decision."""
        return self._of_level(level)[0]

    def end(self, level: int) -> int:
        """The position after the last literal of a level."""
        return self._of_level(level)[1]


class _Assignment(Sequence[int]):
    """What the assignments before and during a search have in common."""

    if TYPE_CHECKING:

        def value(self, literal: int) -> bool | None: ...
        def level(self, literal: int) -> int: ...

    def is_true(self, literal: int) -> bool:
        """Whether a literal holds."""
        return self.value(literal) is True

    def is_false(self, literal: int) -> bool:
        """Whether the complement of a literal holds."""
        return self.value(literal) is False

    def is_free(self, literal: int) -> bool:
        """Whether a literal is open."""
        return self.value(literal) is None

    def is_fixed(self, literal: int) -> bool:
        """Whether a literal is assigned without any decision."""
        return self.value(literal) is not None and self.level(literal) == 0

    def __getitem__(self, at: Any) -> Any:
        if isinstance(at, slice):
            return _View(self, range(*at.indices(len(self))))
        return range(len(self))[at] + 1


class Assignment(_Assignment):
    """What holds at a point of the search. As a sequence it has one number for each variable, from 1 on."""

    def __init__(self, search: Search, true: int) -> None:
        self._search, self._true = search, true

    def __len__(self) -> int:
        return self._search.sizes()[1]

    def value(self, literal: int) -> bool | None:
        """True or False, or None if the literal is open."""
        return self._search.value(literal)

    def has_literal(self, literal: int) -> bool:
        """Whether the search knows a literal."""
        return self._search.has(literal)

    def level(self, literal: int) -> int:
        """The level at which a literal was assigned; of use if it is not open."""
        return self._search.level(literal) or 0

    def decision(self, level: int) -> int:
        """The decision of a level; at level 0 a literal that always holds."""
        found = self._search.decision(level) if level != 0 else self._true
        if found is None:
            raise coded("usage", f"there is no decision at level {level}")
        return found

    @property
    def decision_level(self) -> int:
        """How many decisions there are."""
        return self._search.levels()[0]

    @property
    def root_level(self) -> int:
        """The level of the last assumption."""
        return self._search.levels()[1]

    @property
    def has_conflict(self) -> bool:
        """Whether a clause is violated."""
        return self._search.has_conflict()

    @property
    def is_total(self) -> bool:
        """Whether all variables are assigned."""
        assigned, variables = self._search.sizes()
        return assigned == variables

    @property
    def trail(self) -> Trail:
        """The literals that hold, in the order in which they were assigned."""
        return Trail(self._search)


class _FirstTrail(Sequence[int]):
    """The literals of which it is known before a search that they hold, all at level 0."""

    def __init__(self, literals: list[int]) -> None:
        self._literals = literals

    def __len__(self) -> int:
        return len(self._literals)

    def __getitem__(self, at: Any) -> Any:
        return self._literals[at]

    def begin(self, level: int) -> int:
        """0."""
        return self._of_level(level, 0)

    def end(self, level: int) -> int:
        """The number of literals."""
        return self._of_level(level, len(self))

    def _of_level(self, level: int, at: int) -> int:
        if level != 0:
            raise coded("usage", f"there is no decision level {level}")
        return at


class _FirstAssignment(_Assignment):
    """The assignment before a search: what preparing the program finds. As a sequence it has the numbers of all atoms.

    The program is prepared when the first value is asked for, and for `PropagateInit.propagate`. Until then of what `init`
    adds only those clauses count that leave one literal open.
    """

    decision_level = root_level = 0
    is_total = False

    def __init__(self, control: Control) -> None:
        self._control, self._core = control, control._core
        # The literals that are known to hold; None before the program is prepared.
        self._known: set[int] | None = None
        self._is_refuted = False

    def _prepare(self) -> set[int]:
        found = self._core.fixed(False)
        self._known, self._is_refuted = set(found or ()), found is None
        return self._known

    def _literals(self) -> set[int]:
        """The literals that are known to hold."""
        return self._prepare() if self._known is None else self._known

    def _hold(self, clause: Sequence[int]) -> bool:
        """Notes that one of the literals holds. Returns False if that is known to be impossible."""
        if not self.has_conflict:
            values = {literal: self.value(literal) for literal in clause}
            left = [literal for literal, value in values.items() if value is None]
            if True not in values.values():
                self._is_refuted = not left
                self._literals().update(left if len(left) == 1 else ())
        return not self._is_refuted

    @property
    def has_conflict(self) -> bool:
        """Whether it is known that there is no answer set."""
        self._literals()
        return self._is_refuted

    def __len__(self) -> int:
        return len(self._numbers())

    def __getitem__(self, at: Any) -> Any:
        return self._numbers()[at]

    def _numbers(self) -> list[int]:
        return self._core.numbers_of_atoms()

    def value(self, literal: int) -> bool | None:
        """True or False if that is known, or else None."""
        if not self.has_literal(literal):
            raise coded("usage", f"the program has no literal {literal}")
        known = self._literals()
        return True if literal in known else False if -literal in known else None

    def level(self, literal: int) -> int:
        """0."""
        return 0

    def has_literal(self, literal: int) -> bool:
        """Whether the program has the literal's atom."""
        return self._core.has_atom(abs(literal))

    def decision(self, level: int) -> int:
        """A literal that always holds, at level 0; there is no other level."""
        if level != 0:
            raise coded("usage", f"there is no decision at level {level}")
        return self._control._always()

    @property
    def trail(self) -> _FirstTrail:
        """What is known to hold."""
        return _FirstTrail(sorted(self._literals(), key=abs))


class PropagateControl:
    """The search, as a propagator sees it."""

    assignment: Assignment

    def __init__(self, search: Search, true: int) -> None:
        self._search = search
        self.assignment = Assignment(search, true)

    @property
    def thread_id(self) -> int:
        """The number of the searcher whose search it is, from 0 on."""
        return self._search.searcher()

    def add_clause(self, clause: Sequence[int], tag: bool = False, lock: bool = False) -> bool:
        """One of the literals has to hold: with `tag` in this call of `solve` alone; with `lock` the search never forgets the
        clause. Returns False if the propagator has to return."""
        return self._search.add_clause(list(clause), tag, lock)

    def add_nogood(self, clause: Sequence[int], tag: bool = False, lock: bool = False) -> bool:
        """Not all of the literals may hold."""
        return self.add_clause([-literal for literal in clause], tag, lock)

    def add_literal(self) -> int:
        """Not supported while a search is under way."""
        raise coded("usage", "yasmin adds no literals while it searches; add them in `init`")

    def propagate(self) -> bool:
        """Propagates what follows from the clauses. Returns False if the propagator has to return."""
        return self._search.propagate()

    def add_watch(self, literal: int) -> None:
        """Watches a literal from its next assignment on."""
        self._search.watch(literal, True)

    def remove_watch(self, literal: int) -> None:
        """Watches a literal no more."""
        if self.has_watch(literal):
            self._search.watch(literal, False)

    def has_watch(self, literal: int) -> bool:
        """Whether a literal is watched."""
        return self._search.has_watch(literal)


class PropagateInit:
    """What a propagator may do before a search. What it adds stays in the program, and is added once: if the next call of
    `init` adds the same, nothing is added."""

    check_mode: PropagatorCheckMode
    undo_mode: PropagatorUndoMode

    def __init__(self, control: Control, caller: Caller) -> None:
        self._control, self._caller = control, caller
        self._watches: dict[int, None] = {}
        self._literals = 0
        self._added: collections.Counter[Any] = collections.Counter()
        self._assignment = _FirstAssignment(control)
        self.check_mode = grounder().PropagatorCheckMode.Total
        self.undo_mode = grounder().PropagatorUndoMode.Default

    @property
    def _core(self) -> Core:
        """What is added to, before the search and not while it is alive."""
        self._control._refuse_search()
        return self._control._core

    def _once(self, *what: object) -> bool:
        """Whether something is added for the first time: it counts how often this and earlier calls have added it."""
        self._added[what] += 1
        known = self._caller.added
        if self._added[what] <= known[what]:
            return False
        known[what] = self._added[what]
        return True

    @property
    def assignment(self) -> _FirstAssignment:
        """What is known before the search."""
        return self._assignment

    @property
    def number_of_threads(self) -> int:
        """How many searchers may call the propagator: as many as `-t` says, or one."""
        return self._control._options.threads()

    @property
    def symbolic_atoms(self) -> SymbolicAtoms:
        """The atoms of the program."""
        return self._control.symbolic_atoms

    @property
    def theory_atoms(self) -> Iterator[TheoryAtom]:
        """The theory atoms of the program."""
        return self._control.theory_atoms

    def solver_literal(self, literal: int) -> int:
        """The literal of the search that a literal of the program is: itself. 0 is what always holds, and what the program
        does not have never does."""
        if self._assignment.has_literal(literal):
            return literal
        return self._control._always() if literal <= 0 else -self._control._always()

    def freeze_literal(self, literal: int) -> None:
        """Every literal of the program can be used in clauses. Nothing is to be done."""

    def add_watch(self, literal: int, thread_id: int | None = None) -> None:
        """Tells the propagator when a literal holds."""
        if not self._assignment.has_literal(literal):
            raise coded("usage", f"the program has no literal {literal}")
        self._watches[literal] = None

    def remove_watch(self, literal: int, thread_id: int | None = None) -> None:
        """Does not tell the propagator of a literal."""
        self._watches.pop(literal, None)

    def add_literal(self, freeze: bool = True) -> int:
        """A new literal, which may hold or not."""
        literals = self._caller.literals
        if self._literals == len(literals):
            core, new = self._core, self._control._new_atom()
            core.rule(True, [new], [])
            literals.append(new)
        self._literals += 1
        return literals[self._literals - 1]

    def add_clause(self, clause: Sequence[int]) -> bool:
        """One of the literals has to hold. Returns False if it is known by now that there is no answer set."""
        clause = sorted(set(clause))
        goes_on = self._assignment._hold(clause)
        if self._once("clause", tuple(clause)):
            self._core.rule(False, [], [-literal for literal in clause])
        return goes_on

    def add_weight_constraint(
        self, literal: int, literals: Sequence[tuple[int, int]], bound: int, type_: int = 0, compare_equal: bool = False
    ) -> bool:
        """A literal holds if, or only if, or if and only if the weights of the literals that hold add up to the bound or
        more, or to exactly the bound. Returns what `add_clause` does."""
        literals = list(literals)
        values = [(self._assignment.value(of), weight) for of, weight in literals]
        least, most = (sum(choose(weight, 0) if value is None else weight * value for value, weight in values)
                       for choose in (min, max))
        is_reached = least == most == bound if compare_equal else least >= bound
        is_missed = most < bound or compare_equal and least > bound
        goes_on = not self._assignment.has_conflict
        if is_reached and type_ <= 0 or is_missed and type_ >= 0:
            goes_on = self._assignment._hold([literal if is_reached else -literal])
        if not self._once("sum", literal, tuple(literals), bound, type_, compare_equal):
            return goes_on
        core, reached = self._core, self._control._new_atom()
        body = [reached]
        core.weight_rule(False, [reached], bound, literals)
        if compare_equal:
            above = self._control._new_atom()
            core.weight_rule(False, [above], bound + 1, literals)
            body.append(-above)
        if type_ <= 0:
            core.rule(False, [], [*body, -literal])
        if type_ >= 0:
            for part in body:
                core.rule(False, [], [-part, literal])
        return goes_on

    def add_minimize(self, literal: int, weight: int, priority: int = 0) -> None:
        """Adds a literal to what is minimized."""
        if self._once("minimize", literal, weight, priority):
            self._control._statements.priorities.add(priority)
            self._core.minimize(priority, [(literal, weight)])

    def propagate(self) -> bool:
        """Prepares the program with what was added. Returns False if that finds that there is no answer set."""
        self._assignment._prepare()
        return not self._assignment.has_conflict

    def _wish(self) -> tuple[list[int], bool, bool, bool, bool]:
        """What the search is told."""
        modes = grounder().PropagatorCheckMode
        checks = _has(self._caller.propagator, "check")
        return (
            list(self._watches),
            checks and self.check_mode in (modes.Fixpoint, modes.Both),
            checks and self.check_mode in (modes.Total, modes.Both),
            self.undo_mode == grounder().PropagatorUndoMode.Always,
            _has(self._caller.propagator, "decide"),
        )


class Caller:
    """Calls a propagator with what its functions take."""

    def __init__(self, propagator: Any, true: int) -> None:
        self.propagator, self._true = propagator, true
        self._seen: PropagateControl | None = None
        # What `init` has added to the program.
        self.literals: list[int] = []
        self.added: collections.Counter[Any] = collections.Counter()

    def init(self, control: Control) -> tuple[list[int], bool, bool, bool, bool]:
        """Calls `init`. Returns what the search is to do."""
        init = PropagateInit(control, self)
        if hasattr(self.propagator, "init"):
            self.propagator.init(init)
        return init._wish()

    def _control(self, search: Search) -> PropagateControl:
        if self._seen is None:
            self._seen = PropagateControl(search, self._true)
        return self._seen

    def propagate(self, search: Search, changes: list[int]) -> None:
        if hasattr(self.propagator, "propagate"):
            self.propagator.propagate(self._control(search), changes)

    def undo(self, search: Search, changes: list[int]) -> None:
        if hasattr(self.propagator, "undo"):
            control = self._control(search)
            self.propagator.undo(control.thread_id, control.assignment, changes)

    def check(self, search: Search) -> None:
        self.propagator.check(self._control(search))

    def decide(self, search: Search, fallback: int) -> Any:
        control = self._control(search)
        return self.propagator.decide(control.thread_id, control.assignment, fallback)
