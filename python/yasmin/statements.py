"""What a grounder writes, told to the solver: the observer of a program."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Optional

from ._yasmin import Control as Core
from .symbols import grounder, internals, symbol_of

if TYPE_CHECKING:
    from clingo import Symbol

    from .atoms import SymbolicAtoms

_EXTERNALS = {"Free": "free", "True_": "true", "False_": "false", "Release": "release"}
_MODIFIERS = {"Level": "level", "Sign": "sign", "Factor": "factor", "Init": "init", "True_": "true", "False_": "false"}


class Shown(NamedTuple):
    """A symbol that is shown, and the number of the atom whose symbol it is: 0 for a fact, None for a term."""

    symbol: Symbol
    atom: Optional[int]

    @property
    def is_term(self) -> bool:
        return self.atom is None


class Statements:
    """Tells each statement of a ground program to the solver.

    clingo's package calls the methods, and prints exceptions instead of raising them. So the first one is kept, and
    raised when the solver is asked.
    """

    def __init__(self, core: Core) -> None:
        self._core = core
        self._shown: list[Shown] = []
        self._output_of: dict[int, int] = {}
        self._seen = 0
        # The signatures of `#show p/n.`, and how many outputs there were before the first one, when all atoms were shown.
        self._signatures: set[tuple[str, int, bool]] = set()
        self._shows_all: int | None = None
        self.priorities: set[int] = set()
        self.assumed: list[int] = []
        self.error: Exception | None = None

    def observe(self, control: Any) -> None:
        """Has a control of clingo's package tell of all that it grounds, instead of solving."""
        control.register_observer(self, replace=True)
        # There are many rules and atoms, which therefore do not pass through Python.
        ffi, lib = internals()
        texts = (lib.clingo_symbol_to_string_size, lib.clingo_symbol_to_string)
        functions, data = self._core.observer(*(int(ffi.cast("uintptr_t", text)) for text in texts))
        observer = ffi.new("clingo_ground_program_observer_t*")
        for name, address in functions.items():
            setattr(observer, name, ffi.cast(ffi.typeof(getattr(observer, name)), address))
        if not lib.clingo_control_register_observer(control._rep, observer, False, ffi.cast("void*", data)):
            raise RuntimeError(ffi.string(lib.clingo_error_message()).decode())
        # What the addresses belong to lives as long as the control that knows them.
        control._mem.append(self._core)

    @property
    def shown(self) -> list[Shown]:
        """What is shown, in the order of the outputs."""
        self._shown += (Shown(symbol_of(symbol), atom) for symbol, atom in self._core.shown_from(len(self._shown)))
        return self._shown

    def show(self, name: str, arity: int, positive: bool) -> None:
        """Notes a statement `#show p/n.`, or `#show.` with an empty name."""
        if self._shows_all is None:
            self._shows_all = len(self.shown)
        self._signatures.add((name, arity, positive))

    def show_unseen(self) -> None:
        """Statements are added that are not seen. If `#show p/n.` is among them, what a later one hides is not clear."""
        if self._shows_all is None:
            self._shows_all = 0

    def is_hidden(self, at: int) -> bool:
        """Whether an output is of an atom that a later `#show` has hidden. Nobody tells of that but the statement itself."""
        if at >= (self._shows_all or 0) or self._shown[at].is_term:
            return False
        symbol = self._shown[at].symbol
        return (symbol.name, len(symbol.arguments), symbol.positive) not in self._signatures

    def output_of(self, literal: int, atoms: SymbolicAtoms) -> int | None:
        """The number of the output that shows an atom; None if none does. The grounder's `atoms` have the literals of facts."""
        shown = self.shown
        for at in range(self._seen, len(shown)):
            symbol, atom = shown[at]
            if atom is not None:
                known = atoms[symbol]
                number = atom or (known.literal if known is not None else 0)
                self._output_of[number] = at
        self._seen = len(shown)
        return self._output_of.get(literal)

    def _tell(self, tell: Callable[[], None]) -> None:
        if self.error is None:
            try:
                tell()
            except Exception as error:  # noqa: BLE001, whatever it is, it is raised later
                self.error = error

    def init_program(self, incremental: bool) -> None:
        pass

    def begin_step(self) -> None:
        pass

    def end_step(self) -> None:
        pass

    def minimize(self, priority: int, literals: Sequence[tuple[int, int]]) -> None:
        self.priorities.add(priority)
        self._tell(lambda: self._core.minimize(priority, literals))

    def project(self, atoms: Sequence[int]) -> None:
        self._tell(lambda: self._core.project(atoms))

    def external(self, atom: int, value: Any) -> None:
        self._tell(lambda: self._core.external(atom, _EXTERNALS[value.name], True))

    def assume(self, literals: Sequence[int]) -> None:
        self.assumed += literals

    def heuristic(
        self, atom: int, type: Any, bias: int, priority: int, condition: Sequence[int]  # noqa: A002
    ) -> None:
        self._tell(lambda: self._core.heuristic(atom, _MODIFIERS[type.name], bias, priority, condition))

    def acyc_edge(self, node_u: int, node_v: int, condition: Sequence[int]) -> None:
        self._tell(lambda: self._core.edge(node_u, node_v, condition))

    def theory_atom(self, atom: int, term: int, elements: Sequence[int]) -> None:
        # Nobody is asked what the atom means. Without a rule it may be true or false, as with clingo, which takes any
        # rule for one, also a rule that cannot derive the atom. A directive has no atom.
        if atom and not self._core.is_defined(atom):
            self.external(atom, grounder().TruthValue.Free)

    def theory_atom_with_guard(
        self, atom: int, term: int, elements: Sequence[int], operator: int, right_hand_side: int
    ) -> None:
        self.theory_atom(atom, term, elements)

    def _ignore(self, *_: object) -> None:
        pass

    theory_term_number = theory_term_string = theory_term_compound = theory_element = _ignore
