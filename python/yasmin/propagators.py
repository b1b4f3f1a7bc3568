"""Propagators: code that takes part in the search, in the shape of clingo's."""

import collections
from collections.abc import Sequence

from .errors import coded
from .symbols import grounder


class Propagator:
    """What clingo's class of this name is: a base class whose functions may be left out."""

    def init(self, init):
        """Called before each search: says which literals are watched."""

    def propagate(self, control, changes):
        """Called at a fixpoint with the watched literals that hold and were not told of before."""

    def undo(self, thread_id, assignment, changes):
        """Called for each level that is undone, with the literals that were told of there."""

    def check(self, control):
        """Called without changes."""


def _has(propagator, function):
    """Whether a propagator has a function of its own, and not one of a base class that does nothing."""
    own = getattr(type(propagator), function, None)
    empty = [getattr(base, function, None) for base in (Propagator, grounder().Propagator)]
    return hasattr(propagator, function) and (own is None or own not in empty)


class _View(Sequence):
    """Some elements of a sequence."""

    def __init__(self, of, places):
        self._of, self._places = of, places

    def __len__(self):
        return len(self._places)

    def __getitem__(self, at):
        return _View(self._of, self._places[at]) if isinstance(at, slice) else self._of[self._places[at]]

    def __eq__(self, other):
        return isinstance(other, Sequence) and list(self) == list(other)


class Trail(Sequence):
    """The literals that hold, in the order in which they were assigned."""

    def __init__(self, search):
        self._search = search

    def __len__(self):
        return self._search.sizes()[0]

    def __getitem__(self, at):
        if isinstance(at, slice):
            return _View(self, range(*at.indices(len(self))))
        places = range(len(self))
        return self._search.trail(places[at], places[at] + 1)[0]

    def __iter__(self):
        return iter(self._search.trail(0, len(self)))

    def _of_level(self, level):
        found = self._search.of_level(level)
        if found is None:
            raise coded("usage", f"there is no decision level {level}")
        return found

    def begin(self, level):
        """The position of the first literal of a level, which is the decision."""
        return self._of_level(level)[0]

    def end(self, level):
        """The position after the last literal of a level."""
        return self._of_level(level)[1]


class _Assignment(Sequence):
    """What the assignments before and during a search have in common."""

    def is_true(self, literal):
        """Whether a literal holds."""
        return self.value(literal) is True

    def is_false(self, literal):
        """Whether the complement of a literal holds."""
        return self.value(literal) is False

    def is_free(self, literal):
        """Whether a literal is open."""
        return self.value(literal) is None

    def is_fixed(self, literal):
        """Whether a literal is assigned without any decision."""
        return self.value(literal) is not None and self.level(literal) == 0

    def __getitem__(self, at):
        if isinstance(at, slice):
            return _View(self, range(*at.indices(len(self))))
        return range(len(self))[at] + 1


class Assignment(_Assignment):
    """What holds at a point of the search. As a sequence it has one number for each variable, from 1 on."""

    def __init__(self, search, true):
        self._search, self._true = search, true

    def __len__(self):
        return self._search.sizes()[1]

    def value(self, literal):
        """True or False, or None if the literal is open."""
        return self._search.value(literal)

    def has_literal(self, literal):
        """Whether the search knows a literal."""
        return self._search.has(literal)

    def level(self, literal):
        """The level at which a literal was assigned; of use if it is not open."""
        return self._search.level(literal) or 0

    def decision(self, level):
        """The decision of a level; at level 0 a literal that always holds."""
        found = self._search.decision(level) if level != 0 else self._true
        if found is None:
            raise coded("usage", f"there is no decision at level {level}")
        return found

    @property
    def decision_level(self):
        """How many decisions there are."""
        return self._search.levels()[0]

    @property
    def root_level(self):
        """The level of the last assumption."""
        return self._search.levels()[1]

    @property
    def has_conflict(self):
        """Whether a clause is violated."""
        return self._search.has_conflict()

    @property
    def is_total(self):
        """Whether all variables are assigned."""
        assigned, variables = self._search.sizes()
        return assigned == variables

    @property
    def trail(self):
        """The literals that hold, in the order in which they were assigned."""
        return Trail(self._search)


class _FirstTrail(Sequence):
    """The literals of which it is known before a search that they hold, all at level 0."""

    def __init__(self, literals):
        self._literals = literals

    def __len__(self):
        return len(self._literals)

    def __getitem__(self, at):
        return self._literals[at]

    def begin(self, level):
        """0."""
        return self._of_level(level, 0)

    def end(self, level):
        """The number of literals."""
        return self._of_level(level, len(self))

    def _of_level(self, level, at):
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

    def __init__(self, control):
        self._control, self._core = control, control._core
        # The literals that are known to hold; None before the program is prepared.
        self._known, self._is_refuted = None, False

    def _prepare(self):
        found = self._core.fixed(False)
        self._known, self._is_refuted = set(found or ()), found is None

    def _hold(self, clause):
        """Notes that one of the literals holds. Returns False if that is known to be impossible."""
        if not self.has_conflict:
            values = {literal: self.value(literal) for literal in clause}
            left = [literal for literal, value in values.items() if value is None]
            if True not in values.values():
                self._is_refuted = not left
                self._known.update(left if len(left) == 1 else ())
        return not self._is_refuted

    @property
    def has_conflict(self):
        """Whether it is known that there is no answer set."""
        if self._known is None:
            self._prepare()
        return self._is_refuted

    def __len__(self):
        return len(self._numbers())

    def __getitem__(self, at):
        return self._numbers()[at]

    def _numbers(self):
        return self._core.numbers_of_atoms()

    def value(self, literal):
        """True or False if that is known, or else None."""
        if not self.has_literal(literal):
            raise coded("usage", f"the program has no literal {literal}")
        if self._known is None:
            self._prepare()
        return True if literal in self._known else False if -literal in self._known else None

    def level(self, literal):
        """0."""
        return 0

    def has_literal(self, literal):
        """Whether the program has the literal's atom."""
        return self._core.has_atom(abs(literal))

    def decision(self, level):
        """A literal that always holds, at level 0; there is no other level."""
        if level != 0:
            raise coded("usage", f"there is no decision at level {level}")
        return self._control._true

    @property
    def trail(self):
        """What is known to hold."""
        if self._known is None:
            self._prepare()
        return _FirstTrail(sorted(self._known, key=abs))


class PropagateControl:
    """The search, as a propagator sees it."""

    def __init__(self, search, true):
        self._search = search
        self.assignment = Assignment(search, true)

    @property
    def thread_id(self):
        """The number of the searcher whose search it is, from 0 on."""
        return self._search.searcher()

    def add_clause(self, clause, tag=False, lock=False):
        """One of the literals has to hold: with `tag` in this call of `solve` alone; with `lock` the search never forgets the
        clause. Returns False if the propagator has to return."""
        return self._search.add_clause(list(clause), tag, lock)

    def add_nogood(self, clause, tag=False, lock=False):
        """Not all of the literals may hold."""
        return self.add_clause([-literal for literal in clause], tag, lock)

    def add_literal(self):
        """Not supported while a search is under way."""
        raise coded("usage", "yasmin adds no literals while it searches; add them in `init`")

    def propagate(self):
        """Propagates what follows from the clauses. Returns False if the propagator has to return."""
        return self._search.propagate()

    def add_watch(self, literal):
        """Watches a literal from its next assignment on."""
        self._search.watch(literal, True)

    def remove_watch(self, literal):
        """Watches a literal no more."""
        if self.has_watch(literal):
            self._search.watch(literal, False)

    def has_watch(self, literal):
        """Whether a literal is watched."""
        return self._search.has_watch(literal)


class PropagateInit:
    """What a propagator may do before a search. What it adds stays in the program, and is added once: if the next call of
    `init` adds the same, nothing is added."""

    def __init__(self, control, caller):
        self._control, self._caller = control, caller
        self._watches = {}
        self._literals, self._added = 0, collections.Counter()
        self._assignment = _FirstAssignment(control)
        self.check_mode = grounder().PropagatorCheckMode.Total
        self.undo_mode = grounder().PropagatorUndoMode.Default

    @property
    def _core(self):
        """What is added to, before the search and not while it is alive."""
        self._control._refuse_search()
        return self._control._core

    def _once(self, *what):
        """Whether something is added for the first time: it counts how often this and earlier calls have added it."""
        self._added[what] += 1
        known = self._caller.added
        if self._added[what] <= known[what]:
            return False
        known[what] = self._added[what]
        return True

    @property
    def assignment(self):
        """What is known before the search."""
        return self._assignment

    @property
    def number_of_threads(self):
        """How many searchers may call the propagator: as many as `-t` says, or one."""
        return self._control._options.threads()

    @property
    def symbolic_atoms(self):
        """The atoms of the program."""
        return self._control.symbolic_atoms

    @property
    def theory_atoms(self):
        """The theory atoms of the program."""
        return self._control.theory_atoms

    def solver_literal(self, literal):
        """The literal of the search that a literal of the program is: itself. 0 is what always holds, and what the program
        does not have never does."""
        if self._assignment.has_literal(literal):
            return literal
        return self._control._true if literal <= 0 else -self._control._true

    def freeze_literal(self, literal):
        """Every literal of the program can be used in clauses. Nothing is to be done."""

    def add_watch(self, literal, thread_id=None):
        """Tells the propagator when a literal holds."""
        if not self._assignment.has_literal(literal):
            raise coded("usage", f"the program has no literal {literal}")
        self._watches[literal] = None

    def remove_watch(self, literal, thread_id=None):
        """Does not tell the propagator of a literal."""
        self._watches.pop(literal, None)

    def add_literal(self, freeze=True):
        """A new literal, which may hold or not."""
        literals = self._caller.literals
        if self._literals == len(literals):
            core, new = self._core, self._control._new_atom()
            core.rule(True, [new], [])
            literals.append(new)
        self._literals += 1
        return literals[self._literals - 1]

    def add_clause(self, clause):
        """One of the literals has to hold. Returns False if it is known by now that there is no answer set."""
        clause = sorted(set(clause))
        goes_on = self._assignment._hold(clause)
        if self._once("clause", tuple(clause)):
            self._core.rule(False, [], [-literal for literal in clause])
        return goes_on

    def add_weight_constraint(self, literal, literals, bound, type_=0, compare_equal=False):
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

    def add_minimize(self, literal, weight, priority=0):
        """Adds a literal to what is minimized."""
        if self._once("minimize", literal, weight, priority):
            self._control._statements.priorities.add(priority)
            self._core.minimize(priority, [(literal, weight)])

    def propagate(self):
        """Prepares the program with what was added. Returns False if that finds that there is no answer set."""
        self._assignment._prepare()
        return not self._assignment.has_conflict

    def _wish(self):
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

    def __init__(self, propagator, true):
        self.propagator, self._true = propagator, true
        self._seen = None
        # What `init` has added to the program.
        self.literals, self.added = [], collections.Counter()

    def init(self, control):
        """Calls `init`. Returns what the search is to do."""
        init = PropagateInit(control, self)
        if hasattr(self.propagator, "init"):
            self.propagator.init(init)
        return init._wish()

    def _control(self, search):
        if self._seen is None:
            self._seen = PropagateControl(search, self._true)
        return self._seen

    def propagate(self, search, changes):
        if hasattr(self.propagator, "propagate"):
            self.propagator.propagate(self._control(search), changes)

    def undo(self, search, changes):
        if hasattr(self.propagator, "undo"):
            control = self._control(search)
            self.propagator.undo(control.thread_id, control.assignment, changes)

    def check(self, search):
        self.propagator.check(self._control(search))

    def decide(self, search, fallback):
        control = self._control(search)
        return self.propagator.decide(control.thread_id, control.assignment, fallback)
