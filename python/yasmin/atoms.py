"""The atoms of a program and the atoms of theories, as the grounder and the solver know them together."""

from .symbols import base


class SymbolicAtom(base("SymbolicAtom")):
    """An atom and its symbol. The grounder, which has them, is not told what the solver knows."""

    def __init__(self, atom, core):
        super().__init__(atom._rep, atom._it)
        self._core = core

    @property
    def is_external(self):
        """Whether the atom is external: declared so, not released, and in the head of no rule."""
        return not self.is_fact and self._core.is_external(self.literal)


class SymbolicAtoms(base("SymbolicAtoms")):
    """The atoms of a program, by their symbols."""

    def __init__(self, atoms, core):
        super().__init__(atoms._rep)
        self._core = core

    def _iter(self, p_sig):
        return (SymbolicAtom(atom, self._core) for atom in super(SymbolicAtoms, self)._iter(p_sig))

    def __getitem__(self, symbol):
        atom = super().__getitem__(symbol)
        return None if atom is None else SymbolicAtom(atom, self._core)


class TheoryElement(base("TheoryElement")):
    """An element of a theory atom, whose `condition_id` is a literal of the program."""

    def __init__(self, element, control):
        super().__init__(element._rep, element._idx)
        self._control = control

    @property
    def condition_id(self):
        """A literal that holds if the condition does."""
        return self._control._conjunction(self.condition)


class TheoryAtom(base("TheoryAtom")):
    """A theory atom of the program."""

    def __init__(self, atom, control):
        super().__init__(atom._rep, atom._idx)
        self._control = control

    @property
    def elements(self):
        """The elements."""
        return [TheoryElement(element, self._control) for element in super().elements]
