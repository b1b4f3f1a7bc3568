"""The names of clingo's package that are about symbols and programs, and not about solving."""

from .errors import coded as _coded

try:
    import clingo as _clingo
except ImportError:  # Whatever needs a program says so.
    _clingo = None

_NAMES = [
    "Function", "HeuristicType", "Infimum", "MessageCode", "ModelType", "Number", "Observer", "String", "Supremum",
    "PropagatorCheckMode", "PropagatorUndoMode",
    "Symbol", "SymbolType", "SymbolicAtom", "SymbolicAtoms", "TheorySequenceType", "TheoryTermType", "TruthValue", "Tuple_", "parse_term",
]

__all__ = []
if _clingo is not None:
    for _name in _NAMES:
        globals()[_name] = getattr(_clingo, _name)
        __all__.append(_name)


def grounder():
    """clingo's package.

    Raises an Error if it is not installed.
    """
    if _clingo is None:
        raise _coded("no-grounder", "programs are grounded by clingo's package, which is missing: pip install clingo")
    return _clingo


def base(name):
    """A class of clingo's package to derive from; any class if the package is not installed, and nothing is derived."""
    return object if _clingo is None else getattr(_clingo, name)


def internals():
    """What clingo's package calls its library by: the interface, and the library."""
    from clingo import _internal

    return _internal._ffi, _internal._lib


def symbol_of(representation):
    """The symbol that clingo's library represents by a number."""
    return _clingo.Symbol(representation)
