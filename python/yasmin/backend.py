"""Rules that are added one by one."""

from .symbols import grounder


class Backend:
    """Adds atoms and rules, as clingo's backend does. To be used in a `with` statement.

    Literals are numbers of atoms, negative for complements.
    """

    def __init__(self, control):
        self._control = control
        self._inner = None

    def __enter__(self):
        grounding = self._control._grounding
        if grounding is not None:
            # Its atoms are the grounder's, which gives each its number.
            self._inner = grounding.backend()
            self._inner.__enter__()
        return self

    def __exit__(self, kind, value, trace):
        if self._inner is not None:
            self._inner.__exit__(kind, value, trace)
            self._inner = None
        self._control._look_for_errors()
        return False

    def add_atom(self, symbol=None):
        """A new atom, or the one that belongs to a symbol."""
        if self._inner is not None:
            return self._inner.add_atom(symbol)
        if symbol is not None:
            grounder()
        return self._control._new_atom()

    def _to(self):
        return self._inner if self._inner is not None else self._control._statements

    def add_rule(self, head, body=(), choice=False):
        """One of the heads holds if the body does, or may hold if it is a choice."""
        if self._inner is not None:
            self._inner.add_rule(list(head), list(body), choice)
        else:
            self._to().rule(choice, list(head), list(body))

    def add_weight_rule(self, head, lower, body, choice=False):
        """The same, if the weights of the literals that hold add up to `lower` or more."""
        if self._inner is not None:
            self._inner.add_weight_rule(list(head), lower, list(body), choice)
        else:
            self._to().weight_rule(choice, list(head), lower, list(body))

    def add_minimize(self, priority, literals):
        """What is to be minimized at a priority: literals with weights."""
        if self._inner is not None:
            self._inner.add_minimize(priority, list(literals))
        else:
            self._to().minimize(priority, list(literals))

    def add_project(self, atoms):
        """Atoms to project on."""
        if self._inner is not None:
            self._inner.add_project(list(atoms))
        else:
            self._to().project(list(atoms))

    def add_external(self, atom, value=None):
        """Makes an atom external: false, unless another value is named."""
        if self._inner is not None:
            clingo = grounder()
            self._inner.add_external(atom, clingo.TruthValue.False_ if value is None else value)
        else:
            self._to().external(atom, value)

    def add_assume(self, literals):
        """Literals that have to hold in the next call of `solve`."""
        if self._inner is not None:
            self._inner.add_assume(list(literals))
        else:
            self._to().assume(list(literals))

    def add_heuristic(self, atom, type, bias, priority, condition):  # noqa: A002
        """A heuristic directive."""
        if self._inner is not None:
            self._inner.add_heuristic(atom, type, bias, priority, list(condition))
        else:
            self._to().heuristic(atom, type, bias, priority, list(condition))

    def add_acyc_edge(self, node_u, node_v, condition):
        """An edge of a graph that must have no cycle."""
        if self._inner is not None:
            self._inner.add_acyc_edge(node_u, node_v, list(condition))
        else:
            self._to().acyc_edge(node_u, node_v, list(condition))
