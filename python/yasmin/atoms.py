"""The atoms of a program and the atoms of theories, as the grounder and the solver know them together."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from ._yasmin import Control as Core
from .symbols import base

if TYPE_CHECKING:
    from clingo import Symbol
    from clingo import SymbolicAtom as _Atom
    from clingo import SymbolicAtoms as _Atoms
    from clingo import TheoryAtom as _TheoryAtom
    from clingo import TheoryElement as _TheoryElement

    from .control import Control
else:
    _Atom, _Atoms = base("SymbolicAtom"), base("SymbolicAtoms")
    _TheoryAtom, _TheoryElement = base("TheoryAtom"), base("TheoryElement")


class SymbolicAtom(_Atom):
    """An atom and its symbol. The grounder, which has them, is not told what the solver knows."""

    def __init__(self, atom: Any, core: Core, fixed: frozenset[int]) -> None:
        super().__init__(atom._rep, atom._it)  # type: ignore[no-untyped-call]
        self._core, self._fixed = core, fixed

    @property
    def is_fact(self) -> bool:
        """Whether the atom is known to hold in every answer set."""
        return super().is_fact or self.literal in self._fixed

    @property
    def is_external(self) -> bool:
        """Whether the atom is external: declared so, not released, and in the head of no rule."""
        return not self.is_fact and self._core.is_external(self.literal)


class SymbolicAtoms(_Atoms):
    """The atoms of a program, by their symbols, without those that are known to hold in no answer set.

    `fixed` are literals that hold in every answer set.
    """

    def __init__(self, atoms: Any, core: Core, fixed: frozenset[int]) -> None:
        super().__init__(atoms._rep)  # type: ignore[no-untyped-call]
        self._core, self._fixed = core, fixed

    def _iter(self, p_sig: Any) -> Iterator[SymbolicAtom]:
        for atom in super()._iter(p_sig):
            if -atom.literal not in self._fixed:
                yield SymbolicAtom(atom, self._core, self._fixed)

    def __contains__(self, symbol: Any) -> bool:
        return self[symbol] is not None

    def __getitem__(self, symbol: Symbol) -> SymbolicAtom | None:
        atom = super().__getitem__(symbol)
        if atom is None or -atom.literal in self._fixed:
            return None
        return SymbolicAtom(atom, self._core, self._fixed)

    def __len__(self) -> int:
        return sum(1 for _ in self) if self._fixed else super().__len__()


class TheoryElement(_TheoryElement):
    """An element of a theory atom, whose `condition_id` is a literal of the program."""

    def __init__(self, element: Any, control: Control) -> None:
        super().__init__(element._rep, element._idx)  # type: ignore[no-untyped-call]
        self._control = control

    @property
    def condition_id(self) -> int:
        """A literal that holds if the condition does."""
        return self._control._conjunction(self.condition)


class TheoryAtom(_TheoryAtom):
    """A theory atom of the program."""

    def __init__(self, atom: Any, control: Control) -> None:
        super().__init__(atom._rep, atom._idx)  # type: ignore[no-untyped-call]
        self._control = control

    @property
    def elements(self) -> list[TheoryElement]:  # type: ignore[override]
        """The elements."""
        return [TheoryElement(element, self._control) for element in super().elements]
