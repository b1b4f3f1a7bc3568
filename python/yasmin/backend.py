"""Rules that are added one by one."""

from __future__ import annotations

from types import TracebackType
from typing import TYPE_CHECKING, Any

from .symbols import base

if TYPE_CHECKING:
    from clingo import Backend as _Clingos
    from clingo import HeuristicType, Observer, TheorySequenceType

    from .control import Control
else:
    _Clingos = base("Backend")
    HeuristicType, Observer, TheorySequenceType = map(base, ("HeuristicType", "Observer", "TheorySequenceType"))


class Backend(_Clingos):
    """Adds atoms, rules and theory atoms, as clingo's backend does. To be used in a `with` statement.

    Literals are numbers of atoms, negative for complements. The grounder numbers the atoms, and tells the solver of
    each statement.
    """

    def __init__(self, control: Control, inner: Any) -> None:
        self._control, self._inner = control, inner
        self._error = inner._error

    @property
    def _rep(self) -> Any:
        """What each function of clingo's class begins with."""
        self._control._refuse_search()
        return self._inner._rep

    def __enter__(self) -> Backend:
        with self._control._alone():
            self._control._fixed = frozenset()
            super().__enter__()  # type: ignore[no-untyped-call]
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        with self._control._alone():
            super().__exit__(kind, value, trace)  # type: ignore[no-untyped-call]
            self._control._look_for_errors()
