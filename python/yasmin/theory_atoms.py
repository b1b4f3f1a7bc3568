"""The atoms of theories."""

from clingo.theory_atoms import TheoryTerm, TheoryTermType

from .atoms import TheoryAtom, TheoryElement

__all__ = ["TheoryAtom", "TheoryElement", "TheoryTerm", "TheoryTermType"]
