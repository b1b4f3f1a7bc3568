"""The atoms of a program, by their symbols."""

from .atoms import SymbolicAtom, SymbolicAtoms

__all__ = ["SymbolicAtom", "SymbolicAtoms"]
