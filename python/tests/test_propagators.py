"""Propagators, called by yasmin and by clingo."""

import itertools
import random
import threading
import time

import clingo
import pytest
from seeds import seeds

import yasmin
from yasmin import Function

THEORY = """
#theory dl {
    constant { - : 1, unary };
    term { - : 1, binary, left };
    &diff/0 : term, {<=}, constant, any
}.
"""

SHOP = THEORY + """
task(a,3). task(b,2). task(c,4). task(d,1).
1 { before(X,Y); before(Y,X) } 1 :- task(X,_), task(Y,_), X < Y.
&diff { X-Y } <= -D :- before(X,Y), task(X,D).
&diff { X-zero } <= B :- task(X,_), B = 9.
&diff { zero-X } <= 0 :- task(X,_).
:- before(a,b), before(b,c).
"""


def controls(*arguments):
    yield clingo.Control(list(arguments))
    yield yasmin.Control(["--device=cpu", *arguments])


def models(control, **how):
    found = []
    result = control.solve(on_model=lambda model: found.append(str(sorted(map(str, model.symbols(shown=True))))), **how)
    return sorted(found), result


def both(text, propagator, *arguments, calls=2, **how):
    """What clingo and yasmin find with a propagator. They have to find the same."""
    found = []
    for control in controls(*arguments):
        control.add("base", [], text)
        control.ground([("base", [])])
        control.register_propagator(propagator())
        of_all = [models(control, **how) for _ in range(calls)]
        assert all(found == of_all[0][0] for found, _ in of_all), "each call finds the same"
        found.append((of_all[0][0], str(of_all[0][1])))
    assert found[0] == found[1]
    return found[0][0]


def literal(init, name, *arguments):
    """The literal of an atom in the search."""
    symbol = Function(name, [clingo.Number(argument) for argument in arguments])
    return init.solver_literal(init.symbolic_atoms[symbol].literal)


class Differences:
    """Differences of times: no cycle of edges with a negative sum. After clingo's example of this theory."""

    def init(self, init):
        self.edges, self.active = {}, {}
        for atom in init.theory_atoms:
            x, y = (str(term) for term in atom.elements[0].terms[0].arguments)
            bound = atom.guard[1]
            number = -bound.arguments[0].number if str(bound.type).endswith("Function") else bound.number
            literal = init.solver_literal(atom.literal)
            self.edges.setdefault(literal, []).append((y, x, number))
            init.add_watch(literal)

    def propagate(self, control, changes):
        # clingo still watches what an earlier call of `init` has watched.
        for literal in self.edges.keys() & set(changes):
            self.active[literal] = control.assignment.level(literal)
        cycle = self.negative_cycle()
        if cycle is not None:
            assert not control.add_nogood(cycle) or not control.propagate()

    def undo(self, thread_id, assignment, changes):
        for literal in self.active.keys() & set(changes):
            assert self.active.pop(literal) == assignment.decision_level

    def negative_cycle(self):
        """The literals of a cycle whose sum is negative (Bellman and Ford)."""
        edges = [(y, x, number, literal) for literal in self.active for y, x, number in self.edges[literal]]
        cost, via = {node: 0 for y, x, *_ in edges for node in (y, x)}, {}
        for _ in range(len(cost) + 1):
            last = None
            for y, x, number, literal in edges:
                if cost[y] + number < cost[x]:
                    cost[x], via[x], last = cost[y] + number, (y, literal), x
            if last is None:
                return None
        node = last
        for _ in cost:
            node = via[node][0]
        cycle, first = [], node
        while True:
            node, literal = via[node]
            cycle.append(literal)
            if node == first:
                return cycle


def test_the_example_of_clingos_pages():
    class Both:
        def init(self, init):
            self.a, self.b = literal(init, "a"), literal(init, "b")
            init.add_watch(self.a)
            init.add_watch(self.b)

        def propagate(self, control, changes):
            if self.a in changes:
                control.add_clause([-self.a, self.b])
            if self.b in changes:
                control.add_clause([-self.b, self.a])

    assert both("1 { a; b }.", Both, "0") == ["['a', 'b']"]


def test_differences_by_theory_atoms():
    # Theory atoms are those of the last step alone.
    found = both(SHOP + "#show before/2.", Differences, "0", calls=1)
    assert len(found) > 3
    assert both(SHOP.replace("B = 9", "B = 5") + "#show before/2.", Differences, "0", calls=1) == []


def test_random_clauses():
    class Clauses:
        """Enforces clauses over atoms, whenever it is asked."""

        def __init__(self, seed, clauses):
            self.seed, self.clauses = seed, clauses

        def init(self, init):
            self.random = random.Random(self.seed)
            self.of = [
                [sign * literal(init, "p", place) for place, sign in clause]
                for clause in self.clauses
            ]
            modes = clingo.PropagatorCheckMode
            init.check_mode = self.random.choice([modes.Total, modes.Both])
            if self.random.random() < 0.7:
                for watched in {watched for clause in self.of for watched in clause}:
                    init.add_watch(-watched)
            self.told = []

        def add(self, control):
            assignment = control.assignment
            assert len(list(assignment.trail)) == len(assignment.trail)
            for clause in self.of:
                values = [assignment.value(literal) for literal in clause]
                if True in values or values.count(None) > 1:
                    continue
                if not control.add_clause(clause, lock=self.random.random() < 0.3) or not control.propagate():
                    return

        def propagate(self, control, changes):
            assert all(control.assignment.is_true(literal) for literal in changes)
            assert not set(changes) & set(self.told)
            self.told += changes
            if self.random.random() < 0.6:
                self.add(control)

        def undo(self, thread_id, assignment, changes):
            self.told = [literal for literal in self.told if literal not in changes]

        def check(self, control):
            self.add(control)

        def decide(self, thread_id, assignment, fallback):
            if self.random.random() < 0.5:
                return fallback
            free = [-literal for clause in self.of for literal in clause if assignment.is_free(literal)]
            return self.random.choice(free) if free else 0

    for seed in seeds(60):
        rng = random.Random(seed)
        atoms = rng.randint(4, 9)
        text = f"{{p(1..{atoms})}}. q(X) :- p(X), not p(X+1), X < {atoms}. "
        text += " ".join(f":- q({rng.randint(1, atoms)}), p({rng.randint(1, atoms)})." for _ in range(2))
        if rng.random() < 0.3:
            text += " #minimize { X,X : p(X) }."
        clauses = [
            [(rng.randint(1, atoms), rng.choice((1, -1))) for _ in range(rng.randint(1, 3))]
            for _ in range(rng.randint(1, 2 * atoms))
        ]
        mode = rng.choice(["--opt-mode=optN", "--opt-mode=ignore"])
        assumptions = [(Function("p", [clingo.Number(1)]), rng.random() < 0.5)] if rng.random() < 0.3 else []
        found = []
        for control in controls("0", mode):
            control.add("base", [], text)
            control.ground([("base", [])])
            control.register_propagator(Clauses(seed, clauses))
            of_all = set()
            with control.solve(yield_=True, assumptions=assumptions) as handle:
                for model in handle:
                    if mode == "--opt-mode=ignore" or model.optimality_proven or not model.cost:
                        of_all.add(str(model))
            found.append(of_all)
        found = [{" ".join(sorted(model.split())) for model in of_all} for of_all in found]
        assert found[0] == found[1], (seed, text, clauses)


def test_what_init_adds():
    class Adds:
        def init(self, init):
            a, b, c = (literal(init, name) for name in "abc")
            new = init.add_literal()
            for clause in ([-a, new], [a, -new], [-b, new], [b, -new]):
                assert init.add_clause(clause)
            assert init.add_weight_constraint(c, [(a, 1), (b, 1)], 2)
            init.add_minimize(a, -1)
            assert init.number_of_threads == 1 and init.propagate()

    assert both("{a; b; c}.", Adds, "0", "--opt-mode=ignore") == ["['a', 'b', 'c']", "[]"]
    for control in controls("0"):
        control.add("base", [], "{a; b; c}.")
        control.ground([("base", [])])
        control.register_propagator(Adds())
        assert [str(model) for model in control.solve(yield_=True)][-1] == "a b c"
    control = yasmin.Control(["0", "--device=cpu"])
    control.add("{a; b; c}.")
    control.ground()
    control.register_propagator(Adds())
    control.solve()
    atoms = control._core.atoms()
    control.solve()
    assert control._core.atoms() == atoms, "what was added once is not added again"
    for kind, equal in itertools.product((-1, 0, 1), (False, True)):

        class Sum:
            def init(self, init):
                a, b, c, d = (literal(init, name) for name in "abcd")
                init.add_weight_constraint(d, [(a, 2), (b, 1), (-c, 1)], 2, kind, equal)

        def holds(a, b, c, d):
            total = 2 * a + b + (not c)
            reached = total == 2 if equal else total >= 2
            return (d or not reached or kind > 0) and (not d or reached or kind < 0)

        right = {
            str(sorted(name for name, value in zip("abcd", values) if value))
            for values in itertools.product((False, True), repeat=4) if holds(*values)
        }
        for control in controls("0"):
            if isinstance(control, clingo.Control) and equal:
                continue  # clingo 5.8.3 finds fewer models than its pages say.
            control.add("base", [], "{a; b; c; d}.")
            control.ground([("base", [])])
            control.register_propagator(Sum())
            assert set(models(control)[0]) == right, (kind, equal, control)


def test_what_init_is_told():
    """Whether there can be an answer set, as soon as clingo says it."""

    def chain(init, a):
        x, y = init.add_literal(), init.add_literal()
        return init.add_clause([-x, y]), init.add_clause([x]), init.assignment.value(x), init.propagate()

    cases = [
        ("{a; b}. c.", lambda init, a: (init.add_clause([a]), init.assignment.value(a), init.add_clause([-a]),
                                        init.add_clause([a]), init.propagate(), init.assignment.has_conflict)),
        ("{a; b}.", lambda init, a: (init.add_clause([]), init.propagate())),
        ("{a}. :- a.", lambda init, a: (init.add_clause([a]), init.propagate())),
        ("{a; b}. :- a, b. :- a, not b.", lambda init, a: init.add_clause([a]) and init.propagate()),
        ("a.", lambda init, a: (init.add_clause([a]), init.assignment.value(a), init.propagate())),
        ("a.", lambda init, a: (init.add_clause([-a]), init.propagate())),
        ("{a}.", lambda init, a: (init.add_weight_constraint(a, [(a, 1)], 5), init.assignment.value(a))),
        ("{a}.", lambda init, a: (init.add_clause([a]), init.add_weight_constraint(a, [(init.add_literal(), 1)], 5), init.propagate())),
        ("{a; b}.", lambda init, a: (init.add_clause([a]), init.add_weight_constraint(a, [(init.add_literal(), 1)], 1), init.propagate())),
        ("{a}.", chain),
        ("{a}.", lambda init, a: init.assignment.value(init.assignment.decision(0))),
        ("{a}.", lambda init, a: init.assignment.decision(1)),
        ("{a}.", lambda init, a: (init.assignment.trail.begin(0), init.assignment.trail.begin(1))),
        ("{a}.", lambda init, a: [init.assignment.value(init.solver_literal(literal)) for literal in (0, 99999, -99999)]),
        ("{a}. :- a.", lambda init, a: init.add_watch(init.solver_literal(99999))),
        ("{a}.", lambda init, a: init.assignment.value(99999)),
        ("{a}.", lambda init, a: init.assignment.has_literal(99999)),
    ]
    for text, asks in cases:
        found = []
        for control in controls("0"):
            said = []

            class Init:
                def init(self, init):
                    try:
                        said.append(asks(init, literal(init, "a")))  # noqa: B023
                    except RuntimeError as error:
                        assert isinstance(error, yasmin.Error) or isinstance(control, clingo.Control)  # noqa: B023
                        said.append("refused")  # noqa: B023

            control.add("base", [], text)
            control.ground([("base", [])])
            control.register_propagator(Init())
            found.append((str(control.solve()), said))
        assert found[0] == found[1], text


def test_the_decision_of_level_0():
    for control in controls("0"):
        said = []

        class Looks:
            def propagate(self, control, changes):
                assignment = control.assignment
                first = assignment.decision(0)
                said.append((assignment.value(first), assignment.level(first), assignment.is_fixed(first)))  # noqa: B023
                for asks in (lambda: assignment.decision(99), lambda: assignment.value(99999), lambda: control.add_watch(99999)):
                    with pytest.raises(RuntimeError):
                        asks()
                control.remove_watch(99999)
                assert not control.has_watch(99999) and not assignment.has_literal(99999)

            def init(self, init):
                init.add_watch(literal(init, "a"))

        control.add("base", [], "{a; b}.")
        control.ground([("base", [])])
        control.register_propagator(Looks())
        assert len(models(control)[0]) == 4
        assert said and set(said) == {(True, 0, True)}


@pytest.mark.parametrize("text", ["{a; b}.", "{a}.", "{a; b}. :- a, b. c :- a.", "1 {p(1..4)} 2. {a}."])
def test_a_propagator_is_asked_for_the_first_decision(text):
    for control in controls("1"):
        levels, asked = [], []

        class Decides:
            def decide(self, thread_id, assignment, fallback):
                levels.append(assignment.decision_level - assignment.root_level)  # noqa: B023
                if assignment.is_free(self.a):
                    asked.append(True)  # noqa: B023
                    return self.a
                return 0

            def init(self, init):
                self.a = literal(init, "a")

        control.add("base", [], text)
        control.ground([("base", [])])
        control.register_propagator(Decides())
        for _ in range(3):
            levels.clear()
            asked.clear()
            [model], _ = models(control)
            assert levels[0] == 0 and asked == [True] and "'a'" in model, control


def test_a_base_class_does_nothing():
    """Functions that are not overwritten are not called: they return nothing."""
    for base in (clingo.Propagator, yasmin.Propagator):
        for control in controls("0"):
            control.add("base", [], "{a; b}.")
            control.ground([("base", [])])
            control.register_propagator(type("Own", (base,), {})())
            assert len(models(control)[0]) == 4


def test_what_is_raised():
    class Fails:
        def __init__(self, where):
            self.where = where

        def init(self, init):
            self.init_of = init
            init.add_watch(literal(init, "a"))
            self.fail("init", init)

        def propagate(self, control, changes):
            self.control = control
            self.fail("propagate", control)

        def undo(self, thread_id, assignment, changes):
            self.fail("undo", assignment)

        def check(self, control):
            self.fail("check", control)

        def decide(self, thread_id, assignment, fallback):
            self.fail("decide", assignment)
            return fallback

        def fail(self, where, what):
            if where == self.where:
                raise KeyError(where)

    for where in ("init", "propagate", "undo", "check", "decide"):
        control = yasmin.Control(["0", "--device=cpu"])
        control.add("{a; b}.")
        control.ground()
        propagator = Fails(where)
        control.register_propagator(propagator)
        with pytest.raises(KeyError, match=where):
            control.solve()
        propagator.where = None
        assert len(models(control)[0]) == 4, where
        with pytest.raises(RuntimeError, match="while it calls"):
            propagator.control.propagate()


def test_what_a_propagator_must_not_do():
    class Asks:
        def __init__(self, ask):
            self.ask = ask

        def init(self, init):
            self.first = init

        def check(self, control):
            self.ask(control)

    control = yasmin.Control(["0", "--device=cpu"])
    control.add("{a; b}.")
    control.ground()
    cases = [
        (lambda _: control._core.is_over(), RuntimeError, "cannot use the control"),
        (lambda search: search.add_clause([12345]), yasmin.Error, "no literal 12345"),
        (lambda search: search.add_literal(), RuntimeError, "no literals while it searches"),
        (lambda search: search.assignment.trail.begin(77), RuntimeError, "no decision level 77"),
        (lambda search: asks.first.add_literal(), yasmin.Error, "a search is under way"),
    ]
    asks = Asks(None)
    control.register_propagator(asks)
    for ask, kind, words in cases:
        asks.ask = ask
        with pytest.raises(kind, match=words):
            control.solve()
    on_gpu = yasmin.Control(["0", "--device=gpu"])
    on_gpu.add("{a}.")
    on_gpu.ground()
    on_gpu.register_propagator(asks)
    with pytest.raises(RuntimeError, match="cpu|driver|GPU"):
        on_gpu.solve()


def test_tagged_clauses_hold_for_one_call():
    class Tags:
        on = True

        def check(self, control):
            if self.on:
                control.add_nogood(list(control.assignment.trail), tag=True)

    for control in controls("0"):
        control.add("base", [], "{a; b}.")
        control.ground([("base", [])])
        tags = Tags()
        control.register_propagator(tags)
        assert models(control)[0] == []
        tags.on = False
        assert len(models(control)[0]) == 4
        tags.on = True
        assert models(control)[0] == []


def test_other_threads_run_meanwhile():
    class Slow:
        calls = 0

        def check(self, control):
            Slow.calls += 1
            time.sleep(0.01)
            assignment = control.assignment
            control.add_nogood([assignment.decision(level + 1) for level in range(assignment.decision_level)])

    control = yasmin.Control(["0", "--device=cpu"])
    control.add("{p(1..30)}.")
    control.ground()
    control.register_propagator(Slow())
    handle = control.solve(async_=True)
    ticks = []
    ticking = threading.Thread(target=lambda: [ticks.append(time.sleep(0.01)) for _ in range(10)])
    ticking.start()
    assert not handle.wait(0.2)
    assert control.is_conflicting is False
    ticking.join()
    handle.cancel()
    assert handle.get().interrupted and len(ticks) == 10 and Slow.calls > 3


def test_clauses_that_a_model_adds():
    p = [Function("p", [clingo.Number(place)]) for place in range(1, 5)]
    for control in controls("0"):
        control.add("base", [], "{p(1..4)}. q.")
        control.ground([("base", [])])
        found = []

        def adds(model):
            found.append(set(map(str, model.symbols(shown=True))))
            if len(found) == 1:
                model.context.add_clause([(p[0], True), (Function("none"), True)])
                model.context.add_clause([(Function("q"), True)])
                model.context.add_nogood([control.symbolic_atoms[p[1]].literal, (p[2], True)])

        assert control.solve(on_model=adds).satisfiable
        later = found[1:]
        assert all("p(1)" in model and not {"p(2)", "p(3)"} <= model for model in later), control
        # The first model may be one of these six.
        assert len(later) in (5, 6) and len({frozenset(model) for model in found}) == len(found)
        found.clear()
        with control.solve(yield_=True) as handle:
            for model in handle:
                found.append(str(model))
                model.context.add_clause([])
        assert len(found) == 1
        assert len(models(control)[0]) == 16, "the next call knows nothing of them"


class Alone:
    """No two pigeons are in a hole: each searcher's state is its own."""

    def __init__(self):
        self.told, self.threads = {}, 0

    def init(self, init):
        self.threads = init.number_of_threads
        self.holes = {}
        for atom in init.symbolic_atoms.by_signature("at", 2):
            lit = init.solver_literal(atom.literal)
            self.holes.setdefault(lit, []).append(atom.symbol.arguments[1].number)
            init.add_watch(lit)

    def propagate(self, control, changes):
        assert 0 <= control.thread_id < self.threads
        here = self.told.setdefault(control.thread_id, {})
        for literal in changes:
            for hole in self.holes[literal]:
                other = here.setdefault(hole, literal)
                if other != literal and not (control.add_nogood([literal, other]) and control.propagate()):
                    return

    def undo(self, thread_id, assignment, changes):
        here = self.told.get(thread_id, {})
        for hole, literal in list(here.items()):
            if literal in changes:
                del here[hole]


PIGEONS = "1 { at(P,1..h) } 1 :- P = 1..p."


def pigeons(count, holes, *arguments):
    control = yasmin.Control([*arguments, "-c", f"p={count}", "-c", f"h={holes}", "--device=cpu"])
    control.add("base", [], PIGEONS)
    control.ground([("base", [])])
    return control


def test_several_searchers_call_a_propagator():
    seen = set()
    for _ in range(3):
        control = pigeons(8, 7, "0", "-t3")
        alone = Alone()
        control.register_propagator(alone)
        for _ in range(2):
            assert control.solve().unsatisfiable
        assert alone.threads == 3
        seen |= set(alone.told)
    assert seen == {0, 1, 2}
    control = pigeons(4, 5, "0", "-t3")
    control.register_propagator(Alone())
    assert len(models(control)[0]) == 120


def test_searchers_in_a_propagator_are_no_obstacle():
    """Whoever waits for searchers must not keep Python's lock from them."""
    for end in ("drop", "change", "ask", "break"):
        control = pigeons(9, 9, "0", "-t3")
        control.register_propagator(Alone())
        handle = control.solve(yield_=True)
        began = time.monotonic()
        while time.monotonic() < began + 0.3 and handle.model() is not None:
            handle.resume()
        if end != "drop":
            handle.cancel()
        if end == "change":
            control.add("more", [], ":- at(1,1).")
            control.ground([("more", [])])
            assert control.solve(on_model=lambda _: False).satisfiable
        elif end == "ask":
            assert control.solve(on_model=lambda _: False).satisfiable
        del handle, control
