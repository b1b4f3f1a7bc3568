"""Rules that are added one by one."""

from .symbols import base


class Backend(base("Backend")):
    """Adds atoms, rules and theory atoms, as clingo's backend does. To be used in a `with` statement.

    Literals are numbers of atoms, negative for complements. The grounder numbers the atoms, and tells the solver of
    each statement.
    """

    def __init__(self, control, inner):
        self._control, self._inner = control, inner
        self._error = inner._error

    @property
    def _rep(self):
        """What each function of clingo's class begins with."""
        self._control._refuse_search()
        return self._inner._rep

    def __enter__(self):
        with self._control._alone():
            self._control._fixed = frozenset()
            return super().__enter__()

    def __exit__(self, kind, value, trace):
        with self._control._alone():
            super().__exit__(kind, value, trace)
            self._control._look_for_errors()
        return False
