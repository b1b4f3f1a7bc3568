"""Rules that are added one by one."""

from .symbols import grounder


class Backend:
    """Adds atoms and rules, as clingo's backend does. To be used in a `with` statement.

    Literals are numbers of atoms, negative for complements. The grounder numbers the atoms, and tells the solver of
    each statement.
    """

    def __init__(self, control):
        self._control = control
        self._inner = None

    def __enter__(self):
        self._control._end_search()
        self._inner = self._control._grounder().backend()
        self._inner.__enter__()
        return self

    def __exit__(self, kind, value, trace):
        self._inner.__exit__(kind, value, trace)
        self._control._look_for_errors()
        return False

    def add_atom(self, symbol=None):
        """A new atom, or the one that belongs to a symbol."""
        return self._inner.add_atom(symbol)

    def add_rule(self, head, body=(), choice=False):
        """One of the heads holds if the body does, or may hold if it is a choice."""
        self._inner.add_rule(list(head), list(body), choice)

    def add_weight_rule(self, head, lower, body, choice=False):
        """The same, if the weights of the literals that hold add up to `lower` or more."""
        self._inner.add_weight_rule(list(head), lower, list(body), choice)

    def add_minimize(self, priority, literals):
        """What is to be minimized at a priority: literals with weights."""
        self._inner.add_minimize(priority, list(literals))

    def add_project(self, atoms):
        """Atoms to project on."""
        self._inner.add_project(list(atoms))

    def add_external(self, atom, value=None):
        """Makes an atom external: false, unless another value is named."""
        self._inner.add_external(atom, grounder().TruthValue.False_ if value is None else value)

    def add_assume(self, literals):
        """Literals that have to hold in the next call of `solve`."""
        self._inner.add_assume(list(literals))

    def add_heuristic(self, atom, type, bias, priority, condition):  # noqa: A002
        """A heuristic directive."""
        self._inner.add_heuristic(atom, type, bias, priority, list(condition))

    def add_acyc_edge(self, node_u, node_v, condition):
        """An edge of a graph that must have no cycle."""
        self._inner.add_acyc_edge(node_u, node_v, list(condition))
