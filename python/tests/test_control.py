"""Controls in the shape of clingo's, compared with clingo."""

import itertools
import random
import subprocess
import sys
import threading
import time

import clingo
import pytest
from seeds import seeds

import yasmin
from yasmin import Function, Number


def control(*arguments):
    return yasmin.Control(["--device=cpu", "-t1", "--warn=none", *arguments])


def models(asked, **how):
    found = []
    result = asked.solve(on_model=lambda model: found.append(sorted(map(str, model.symbols(shown=True)))), **how)
    return sorted(found), result


def test_all_models():
    asked = control("0")
    asked.add("base", [], "{a; b}. :- a, b. c :- not a.")
    asked.ground([("base", [])])
    found, result = models(asked)
    assert found == [["a"], ["b", "c"], ["c"]]
    assert result.satisfiable and result.exhausted and not result.unsatisfiable and not result.interrupted
    assert str(result) == "SAT"
    # One at a time, and again.
    with asked.solve(yield_=True) as handle:
        first = next(iter(handle))
        assert first.number == 1 and first.contains(Function("c")) != first.contains(Function("a"))
    assert models(asked)[0] == found


def test_show_and_terms():
    asked = control("0")
    asked.add("p(1..2). {q(X)} :- p(X). #show q/1. #show t(X) : q(X). #show -r : q(1).")
    asked.ground()
    for model in asked.solve(yield_=True):
        shown = set(map(str, model.symbols(shown=True)))
        q = {X for X in (1, 2) if model.contains(Function("q", [Number(X)]))}
        assert shown == {f"q({X})" for X in q} | {f"t({X})" for X in q} | ({"-r"} if 1 in q else set())
        assert set(map(str, model.symbols(atoms=True))) == {"p(1)", "p(2)"} | {f"q({X})" for X in q}
        model.extend([Function("extra")])
        assert "extra" in str(model)


@pytest.mark.parametrize("searches", [False, True])
@pytest.mark.parametrize("is_loaded", [False, True])
def test_a_later_show_hides_atoms_that_were_grounded_before(tmp_path, searches, is_loaded):
    texts = [
        "{a}. b. c :- a. -c :- not a.", "#show a/0. #show.", "#show b/0. #show f : a. d.", "#show -c/0. #show d/0."
    ]
    told = []
    for package in (clingo, yasmin):
        control, said = package.Control(["0"]), []
        for number, text in enumerate(texts):
            if is_loaded:
                (tmp_path / "p.lp").write_text(f"#program part{number}. {text}")
                (tmp_path / "q.lp").write_text('#include "p.lp".')
                control.load(str(tmp_path / "q.lp"))
            else:
                control.add(f"part{number}", [], text)
            control.ground([(f"part{number}", [])])
            if searches or number == len(texts) - 1:
                with control.solve(yield_=True) as handle:
                    said.append(sorted(
                        [sorted(map(str, model.symbols(shown=True, complement=hidden))) for hidden in (False, True)]
                        for model in handle
                    ))
        told.append(said)
    assert told[0] == told[1]


@pytest.mark.parametrize("of_model", ["a", "d", ""])
def test_symbols_by_kind(of_model):
    """All combinations of what is asked for."""
    text = """{a}. b :- a. c. {d}. #show a/0. #show c/0. #show t : a. #show u. #show b : d. #show t : d.
    #external e. -a :- not a. #show -a/0."""
    found = []
    for asked in (clingo.Control(["0"]), control("0")):
        asked.add("base", [], text)
        asked.ground([("base", [])])
        with asked.backend() as backend:
            backend.add_atom(Function("zz"))
            backend.add_rule([backend.add_atom(Function("yy"))], [], True)
        a, d = ((Function(name), name == of_model) for name in "ad")
        said = []
        with asked.solve(assumptions=[a, d, (Function("yy"), False)], yield_=True) as handle:
            model = handle.model()
            model.extend([Function("more")])
            for flags in itertools.product((False, True), repeat=5):
                kinds = dict(zip(("atoms", "terms", "shown", "theory", "complement"), flags))
                said.append((kinds, sorted(map(str, model.symbols(**kinds)))))
            # clingo calls atoms of which terms depend consequences as if they were shown.
            atoms = [atom.literal for atom in asked.symbolic_atoms if str(atom.symbol) not in ("b", "d")]
            said.append([model.is_consequence(sign * literal) for literal in atoms for sign in (1, -1)])
            assert handle.get().satisfiable
        found.append(said)
    assert found[0] == found[1]


@pytest.mark.parametrize("mode", ["brave", "cautious"])
def test_what_is_a_consequence(mode):
    """What is known for sure grows, and is in the end what clingo says."""
    ends = []
    for asked in (clingo.Control(["0", f"--enum-mode={mode}"]), control("0", f"--enum-mode={mode}")):
        asked.add("base", [], "a. 1 {b; c; d} 1. x :- not d. y :- b. y :- c. y :- d. #show a/0. #show b/0. #show x/0. #show y/0.")
        asked.ground([("base", [])])
        atoms = {str(atom.symbol): atom.literal for atom in asked.symbolic_atoms}
        said = []
        asked.solve(on_model=lambda model: said.append({name: model.is_consequence(lit) for name, lit in atoms.items()}))
        for before, after in zip(said, said[1:]):
            assert all(value is None or after[name] == value for name, value in before.items())
        ends.append(said[-1])
    # clingo does not say of all that it is known in the end.
    assert {name: value for name, value in ends[1].items() if ends[0][name] is not None} == {
        name: value for name, value in ends[0].items() if value is not None
    } and None not in ends[1].values()


def test_which_atoms_are_external():
    found = []
    for asked in (clingo.Control(["0"]), control("0")):
        asked.add("base", [], "#external e. #external f. #external g. g. #external h. {h}. #external i. i :- j. {j}. k :- e.")
        asked.add("more", [], "f :- e. #external e. #external l.")
        said = []

        def notes():
            atoms = asked.symbolic_atoms  # noqa: B023
            said.append(sorted((str(atom.symbol), atom.is_external, atom.is_fact) for atom in atoms))  # noqa: B023
            assert (Function("e") in atoms) and atoms[Function("nothing")] is None

        asked.ground([("base", [])])
        notes()
        asked.solve()
        asked.assign_external(Function("e"), True)
        notes()
        asked.ground([("more", [])])
        notes()
        asked.release_external(Function("e"))
        asked.release_external(Function("j"))
        notes()
        asked.assign_external(Function("l"), True)
        notes()
        found.append(said)
        assert len(asked.symbolic_atoms) == len(list(asked.symbolic_atoms))
        [atom] = asked.symbolic_atoms.by_signature("l", 0)
        assert atom.is_external and isinstance(atom, clingo.SymbolicAtom)
    assert found[0] == found[1]


def test_externals():
    asked = control("0")
    asked.add("#external e. a :- e. b :- not e.")
    asked.ground()
    e = Function("e")
    assert models(asked)[0] == [["b"]]
    asked.assign_external(e, True)
    assert models(asked)[0] == [["a", "e"]]
    asked.assign_external(e, None)
    assert models(asked)[0] == [["a", "e"], ["b"]]
    asked.release_external(e)
    asked.assign_external(e, True)
    assert models(asked)[0] == [["b"]]


def test_assumptions_and_cores():
    asked = control("0")
    asked.add("{a; b; c}. :- a, b.")
    asked.ground()
    a, b, c = (asked.symbolic_atoms[Function(name)].literal for name in "abc")
    assert models(asked, assumptions=[(Function("a"), True), (Function("c"), False)])[0] == [["a"]]
    cores = []
    result = asked.solve(assumptions=[c, a, b], on_core=lambda core: cores.append(sorted(core)))
    assert result.unsatisfiable and cores == [sorted([a, b])]
    with asked.solve(assumptions=[a, b, -c], yield_=True) as handle:
        assert handle.model() is None and sorted(handle.core()) == sorted([a, b])
    assert asked.solve(assumptions=[(Function("nothing"), True)]).unsatisfiable
    assert asked.solve(assumptions=[(Function("nothing"), False)]).satisfiable


def test_a_proof_names_what_is_assumed(tmp_path):
    asked = control("0")
    asked.add("{a; p(1,\"x\")}. :- a, p(1,\"x\"). #show t : a.")
    asked.ground()
    asked.prove(tmp_path)
    p = Function("p", [Number(1), clingo.String("x")])
    assert asked.solve(assumptions=[(Function("a"), True), (p, True)]).unsatisfiable
    asked.end_proofs()
    written = (tmp_path / "1.aspif").read_text().splitlines()
    assert {line.split()[2] for line in written if line.startswith("4 ")} == {"t", "a", 'p(1,"x")'}


def test_projection_on_what_is_shown():
    for module in (clingo, yasmin):
        asked = module.Control(["0", "--project=show"])
        asked.add("base", [], "{a; _b}.")
        asked.ground([("base", [])])
        found = []
        asked.solve(on_model=lambda model: found.append(model.contains(Function("a"))))
        assert sorted(found) == [False, True], module


def test_optima():
    asked = control()
    asked.add("1 {a; b; c} 2. #minimize {3@2,a : a; 1@2,b : b; 2@2,c : c; 1@1,x : not a}.")
    asked.ground()
    best = []
    result = asked.solve(on_model=lambda model: best.append(model.cost))
    # As clingo, one model is wanted.
    assert result.satisfiable and best
    asked.configuration.solve.models = 0
    best.clear()
    result = asked.solve(on_model=lambda model: best.append(model.cost))
    assert result.exhausted and best[-1] == [1, 1]
    asked.configuration.solve.opt_mode = "optN"
    proved = []
    asked.solve(on_model=lambda model: proved.append((model.cost, model.optimality_proven)))
    assert ([1, 1], True) in proved
    asked.configuration.solve.opt_mode = "ignore"
    assert len(models(asked)[0]) == 6


@pytest.mark.parametrize("package", [yasmin, clingo])
@pytest.mark.parametrize("threads", ["-t1", "-t2"])
def test_lower_bounds_are_told_as_they_grow(package, threads):
    control = package.Control(["--opt-strategy=usc", threads])
    # The fewest of a ring of eleven such that of two neighbours one is taken.
    control.add("base", [], "{a(1..11)}. :- X = 1..11, not a(X), not a(X \\ 11 + 1). #minimize {1,X : a(X)}.")
    control.ground([("base", [])])
    told = []
    with control.solve(
        on_unsat=told.append, on_model=lambda model: told.append((model.cost,)), on_finish=told.append, yield_=True
    ) as handle:
        models = list(handle)
    assert models[-1].cost == [6]
    assert str(told.pop()) == "SAT"
    bounds = [bound for bound in told if isinstance(bound, list)]
    assert bounds == sorted(bounds) and len({bound[0] for bound in bounds}) == len(bounds), told
    assert bounds[-1] == [6] and (len(bounds) > 3 or threads == "-t2"), told


def test_consequences():
    for mode, expected in (("brave", ["a", "b", "c"]), ("cautious", ["c"])):
        asked = control("0", f"--enum-mode={mode}")
        asked.add("1 {a; b} 1. c.")
        asked.ground()
        last = []
        asked.solve(on_model=lambda model: last.append(sorted(map(str, model.symbols(shown=True)))))
        assert last[-1] == expected


def test_several_steps():
    """Towers of blocks, with a horizon that grows."""
    asked = control()
    asked.add("base", [], "#const n = 4. at(0,0).")
    asked.add("step", ["t"], "1 {at(X+D,t) : D = -1..1} 1 :- at(X,t-1).")
    asked.add("check", ["t"], "#external query(t). :- query(t), not at(n,t).")
    parts = [("base", []), ("check", [Number(0)])]
    for step in itertools.count():
        asked.ground(parts)
        asked.assign_external(Function("query", [Number(step)]), True)
        result = asked.solve()
        if result.satisfiable:
            break
        asked.release_external(Function("query", [Number(step)]))
        parts = [("step", [Number(step + 1)]), ("check", [Number(step + 1)])]
    assert step == 4


def test_backend():
    asked = control("0")
    asked.add("{a}.")
    asked.ground()
    with asked.backend() as backend:
        a = asked.symbolic_atoms[Function("a")].literal
        b, c = backend.add_atom(Function("b")), backend.add_atom()
        backend.add_rule([b, c], [a])
        backend.add_weight_rule([], 2, [(a, 1), (c, 1)])
        backend.add_minimize(0, [(b, 1)])
    assert models(asked)[0] == [[]]
    asked.configuration.solve.opt_mode = "ignore"
    assert models(asked)[0] == [[], ["a", "b"]]


def test_external_functions():
    class Context:
        def double(self, x):
            return Number(2 * x.number)

    asked = control()
    asked.add("p(@double(21)).")
    asked.ground(context=Context())
    assert models(asked)[0] == [["p(42)"]]


def test_errors():
    with pytest.raises(RuntimeError, match="--no-such-option"):
        yasmin.Control(["--no-such-option"])
    with pytest.raises(RuntimeError, match="enum-mode"):
        yasmin.Control(["--enum-mode=most"])
    with pytest.raises(RuntimeError, match="opt-mode"):
        yasmin.Control(["--opt-mode=best"])
    with pytest.raises(yasmin.Error, match="device"):
        yasmin.Control(["--device=tpu"])
    asked = control()
    with pytest.raises(RuntimeError):
        asked.add("a :- ")


THEORY = """
#theory t { x { - : 1, unary }; &a/0 : x, any; &g/0 : x, {<}, x, body; &h/0 : x, head; &d/0 : x, directive }.
{b}. c :- &a{}. d :- not &g{b} < 3. &h{} :- b. &d{}.
"""


@pytest.mark.parametrize("program", [THEORY, "#theory t { x {}; &a/0 : x, any }. &a{} :- not &a{}."])
def test_theory_atoms_without_a_propagator(program):
    asked, other = control("0"), clingo.Control(["0", "--warn=none"])
    for each in (asked, other):
        each.add("base", [], program)
        each.ground([("base", [])])
    assert sorted(str(atom.term) for atom in asked.theory_atoms) == sorted(str(atom.term) for atom in other.theory_atoms)
    assert models(asked)[0] == models(other)[0]


def test_a_rule_may_say_what_a_theory_atom_means():
    found = []
    for each in (control("0"), clingo.Control(["0", "--warn=none"])):
        each.add("base", [], "#theory t { x {}; &a/0 : x, body }. {b}. c :- &a{}.")
        each.ground([("base", [])])
        [atom] = each.theory_atoms
        with each.backend() as backend:
            backend.add_rule([atom.literal], [-each.symbolic_atoms[Function("b")].literal])
        found.append(models(each)[0])
    assert found[0] == found[1] == [["b"], ["c"]]


def test_a_program_builder_adds_to_a_control():
    from clingo.ast import ProgramBuilder, parse_string

    asked = control("0")
    with ProgramBuilder(asked) as builder:
        parse_string("{a; b}. :- a, b.", builder.add)
    asked.ground()
    assert models(asked)[0] == [[], ["a"], ["b"]]


def hard():
    asked = control("0")
    asked.add("#const n = 12. 1 {in(P,1..n-1)} 1 :- P = 1..n. :- in(P,H), in(Q,H), P < Q.")
    asked.ground()
    return asked


def test_interrupt_and_async():
    asked = hard()
    finished = []
    with asked.solve(async_=True, on_finish=finished.append) as handle:
        assert not handle.wait(0.1)
        # The lock of the interpreter is free meanwhile.
        begun, count = time.monotonic(), 0
        while time.monotonic() - begun < 0.1:
            count += 1
        assert count > 1000
        handle.cancel()
        assert handle.get().interrupted
    assert len(finished) == 1 and finished[0].unknown
    timer = threading.Timer(0.1, asked.interrupt)
    timer.start()
    assert asked.solve().interrupted
    with asked.solve(yield_=True) as handle:
        assert not handle.wait(0.05)


def test_control_c():
    # Whoever runs the tests in the background may have had the signal ignored.
    program = "import signal, sys; signal.signal(signal.SIGINT, signal.default_int_handler); sys.path[:0] = %r; "
    program += "from test_control import hard; print('begun', flush=True); hard().solve()"
    program %= [*sys.path, __file__.rsplit("/", 1)[0]]
    child = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert child.stdout.readline() == b"begun\n"
    time.sleep(0.5)
    child.send_signal(2)
    _, errors = child.communicate(timeout=20)
    assert b"KeyboardInterrupt" in errors


def random_program(chance):
    atoms = [f"p({i})" for i in range(chance.randint(2, 6))]
    literal = lambda: ("not " if chance.random() < 0.4 else "") + chance.choice(atoms)  # noqa: E731
    rules = ["#external e.", "p(0) :- e."]
    for _ in range(chance.randint(2, 9)):
        body = ", ".join(literal() for _ in range(chance.randint(0, 2)))
        heads = [chance.choice(atoms) for _ in range(chance.randint(0, 2))]
        if not heads and not body:
            continue
        head = "; ".join(heads)
        head = f"{{{head}}}" if heads and chance.random() < 0.5 else head
        rules.append(f"{head} :- {body}." if body else f"{head}.")
    if chance.random() < 0.3:
        rules.append(f":- #sum {{2,a : {literal()}; 1,b : {literal()}; 1,c : {literal()}}} >= {chance.randint(1, 4)}.")
    return "\n".join(rules), atoms


def test_random_questions():
    """Both controls are asked the same, again and again, in one or two steps."""
    for seed in seeds(400):
        chance = random.Random(seed)
        text, atoms = random_program(chance)
        more = "".join(f"q({i}) :- {chance.choice(atoms)}, not {chance.choice(atoms)}. {{r({i})}}." for i in range(2))
        ours, theirs = control("0"), clingo.Control(["0", "--warn=none"])
        for asked in (ours, theirs):
            asked.add("base", [], text)
            asked.add("more", [], more)
            asked.ground([("base", [])])
        has_more = False
        for _ in range(6):
            if not has_more and chance.random() < 0.3:
                has_more = True
                for asked in (ours, theirs):
                    asked.ground([("more", [])])
            value = chance.choice([True, False, None])
            assumed = [(clingo.parse_term(atom), chance.random() < 0.5) for atom in atoms if chance.random() < 0.3]
            # clingo ignores assumptions about atoms whose rules were all left out. Without rules they are false.
            known = ((theirs.symbolic_atoms[symbol], (symbol, holds)) for symbol, holds in assumed)
            assumed = [pair for atom, pair in known if atom is None or atom.is_fact or atom.literal]
            said = []
            for asked in (ours, theirs):
                asked.assign_external(Function("e"), value)
                found, result = models(asked, assumptions=assumed)
                said.append((found, result.satisfiable, result.exhausted))
            assert said[0] == said[1], (seed, text, more if has_more else "", value, assumed)


def test_what_is_minimized_and_projected_on_is_replaced():
    asked = control("0")
    asked.add("a. {c; d}. #minimize {1,t : a}.")
    asked.ground()
    costs = []
    last = []
    asked.solve(on_model=lambda model: costs.append((model.cost, model.priority)), on_last=last.append)
    assert costs == [([1], [0])] and len(last) == 1
    asked.remove_minimize()
    assert len(models(asked)[0]) == 4
    asked.configuration.solve.project = "project"
    asked.replace_project([Function("c")])
    assert len(models(asked)[0]) == 2
    asked.add_project([Function("d")])
    assert len(models(asked)[0]) == 4


def test_an_error_of_a_callback():
    asked = control("0")
    asked.add("{a}.")
    asked.ground()
    with pytest.raises(ZeroDivisionError):
        asked.solve(on_model=lambda model: 1 / 0)
    with asked.solve(on_model=lambda model: 1 / 0, async_=True) as handle, pytest.raises(RuntimeError, match="ZeroDiv"):
        handle.get()
    assert len(models(asked)[0]) == 2


def test_minimal_cores():
    asked = control("0")
    asked.add("{a; b; c; d}. :- a, b. :- b, c, d. :- a, c.")
    asked.ground()
    a, b, c, d = (asked.symbolic_atoms[Function(name)].literal for name in "abcd")
    found = sorted(sorted(core) for core in asked.minimal_cores([a, b, c, d]))
    assert found == sorted(sorted(core) for core in ([a, b], [a, c], [b, c, d]))
    assert len(asked.minimal_cores([(Function(name), True) for name in "abcd"], limit=2)) == 2
    assert sorted(asked.minimal_core([b, c, d])) == sorted([b, c, d])
    assert asked.minimal_core([a, d]) is None
    assert len(models(asked)[0]) > 1


HANOI = """
#include <incmode>.
#program base.
peg(1..3). disk(1..n). #const n = 3.
on(D,1,0) :- disk(D).
#program step(t).
1 {move(D,P,t) : disk(D), peg(P)} 1.
moved(D,t) :- move(D,_,t).
on(D,P,t) :- move(D,P,t).
on(D,P,t) :- on(D,P,t-1), not moved(D,t).
:- move(D,P,t), on(D,Q,t-1), on(E,Q,t-1), E < D.
:- move(D,P,t), on(E,P,t-1), E < D.
:- move(D,P,t), on(D,P,t-1).
#program check(t).
#external query(t).
:- query(t), disk(D), not on(D,3,t).
"""


def test_towers_of_hanoi():
    for disks, moves in ((2, 3), (3, 7), (4, 15)):
        asked = control("-c", f"n={disks}")
        asked.add(HANOI)
        steps, plans = [], []

        def plan(model):
            plans.append([symbol for symbol in model.symbols(atoms=True) if symbol.match("move", 3)])

        last, result = yasmin.solve_steps(asked, plan, lambda step, result: steps.append(result.satisfiable))
        assert last == moves and result.satisfiable
        assert steps == [False] * moves + [True] and len(plans[-1]) == moves
    asked = control("-c", "imax=3")
    asked.add(HANOI)
    last, result = yasmin.solve_steps(asked)
    assert last == 2 and result.unsatisfiable


def test_a_backend_before_anything_is_grounded():
    asked = control("0")
    with asked.backend() as backend:
        a = backend.add_atom(Function("a"))
        backend.add_rule([a], choice=True)
    asked.add("b :- a. {c}.")
    asked.ground()
    # The grounder's atoms have other numbers, and the symbol is shown.
    assert len(models(asked)[0]) == 4
    assert models(asked, assumptions=[(Function("a"), True)])[0] == [["a", "b"], ["a", "b", "c"]]


def test_statistics_of_the_user():
    def writes(step, accu):
        step["calls"] = 1
        accu.update({"calls": lambda before: (before or 0) + 1, "of": {"list": [1, 2, 3]}})
        accu["of"] = {"list": [9, lambda before: before + 40], "more": [{"a": 1}]}
        accu["of"]["list"].extend([7, 8])

    found = []
    for asked in (clingo.Control(["0"]), control("0")):
        asked.add("base", [], "{a}.")
        asked.ground([("base", [])])
        for _ in range(2):
            asked.solve(on_statistics=writes)
        found.append([asked.statistics["user_step"], asked.statistics["user_accu"]])
    assert found[0] == found[1] and found[1][1]["calls"] == 2
