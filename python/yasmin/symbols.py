"""The names of clingo's package that are about symbols and programs, and not about solving."""

from __future__ import annotations

from types import ModuleType
from typing import TYPE_CHECKING, Any

from .errors import coded as _coded

if TYPE_CHECKING:
    from clingo import (
        BackendType, Function, HeuristicType, Infimum, Logger, MessageCode, ModelType, Number, Observer, OrderedEnum,
        PropagatorCheckMode, PropagatorUndoMode, String, Supremum, Symbol, SymbolicAtom, SymbolicAtoms, SymbolType,
        TheorySequenceType, TheoryTerm, TheoryTermType, TruthValue, Tuple_, parse_term, version,
    )  # fmt: skip

_clingo: ModuleType | None
try:
    import clingo as _clingo
except ImportError:  # Whatever needs a program says so.
    _clingo = None

__all__ = [
    "BackendType", "Function", "HeuristicType", "Infimum", "Logger", "MessageCode", "ModelType", "Number", "Observer",
    "OrderedEnum", "PropagatorCheckMode", "PropagatorUndoMode", "String", "Supremum", "Symbol", "SymbolType", "SymbolicAtom",
    "SymbolicAtoms", "TheorySequenceType", "TheoryTerm", "TheoryTermType", "TruthValue", "Tuple_", "parse_term", "version",
]  # fmt: skip

if _clingo is None:
    __all__ = []
for _name in __all__:
    globals()[_name] = getattr(_clingo, _name)


def grounder() -> Any:
    """clingo's package.

    Raises an Error if it is not installed.
    """
    if _clingo is None:
        raise _coded("no-grounder", "programs are grounded by clingo's package, which is missing: pip install clingo")
    return _clingo


def base(name: str) -> Any:
    """A class of clingo's package to derive from; any class if the package is not installed, and nothing is derived."""
    return object if _clingo is None else getattr(_clingo, name)


def internals() -> tuple[Any, Any]:
    """What clingo's package calls its library by: the interface, and the library."""
    from clingo import _internal

    return _internal._ffi, _internal._lib  # type: ignore[attr-defined]


def symbol_of(representation: int) -> Symbol:
    """The symbol that clingo's library represents by a number."""
    symbol: Symbol = grounder().Symbol(representation)
    return symbol
