"""The atoms of a program and the atoms of theories, as the grounder and the solver know them together."""

from .symbols import base


class SymbolicAtom(base("SymbolicAtom")):
    """An atom and its symbol. The grounder, which has them, is not told what the solver knows."""

    def __init__(self, atom, core, fixed):
        super().__init__(atom._rep, atom._it)
        self._core, self._fixed = core, fixed

    @property
    def is_fact(self):
        """Whether the atom is known to hold in every answer set."""
        return super().is_fact or self.literal in self._fixed

    @property
    def is_external(self):
        """Whether the atom is external: declared so, not released, and in the head of no rule."""
        return not self.is_fact and self._core.is_external(self.literal)


class SymbolicAtoms(base("SymbolicAtoms")):
    """The atoms of a program, by their symbols, without those that are known to hold in no answer set.

    `fixed` are literals that hold in every answer set.
    """

    def __init__(self, atoms, core, fixed):
        super().__init__(atoms._rep)
        self._core, self._fixed = core, fixed

    def _iter(self, p_sig):
        for atom in super()._iter(p_sig):
            if -atom.literal not in self._fixed:
                yield SymbolicAtom(atom, self._core, self._fixed)

    def __contains__(self, symbol):
        return self[symbol] is not None

    def __getitem__(self, symbol):
        atom = super().__getitem__(symbol)
        is_there = atom is not None and -atom.literal not in self._fixed
        return SymbolicAtom(atom, self._core, self._fixed) if is_there else None

    def __len__(self):
        return sum(1 for _ in self) if self._fixed else super().__len__()


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
