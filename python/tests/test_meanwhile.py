"""What a control refuses while a search is alive, and what handles tell, compared with clingo."""

import itertools
import threading
import time

import clingo
import pytest

import yasmin
from yasmin import Function

PROGRAM = "{a; b}. #external e. #external f. #minimize {1,a : a}."


def controls():
    for package, arguments in ((clingo, []), (yasmin, ["--device=cpu"])):
        control = package.Control(["0", "--opt-mode=ignore", *arguments])
        control.add("base", [], PROGRAM)
        control.add("more", [], "{c}.")
        control.add("again", [], "#minimize {1,a : a}.")
        control.ground([("base", [])])
        yield control


def backend(control):
    with control.backend() as opened:
        opened.add_rule([opened.add_atom(Function("z"))])


# What clingo refuses while a search is alive, and what it takes.
REFUSED = {
    "solve": lambda control: control.solve(),
    "yield": lambda control: control.solve(yield_=True),
    "async": lambda control: control.solve(async_=True),
    "ground": lambda control: control.ground([("more", [])]),
    "backend": backend,
    "assign": lambda control: control.assign_external(Function("e"), True),
    "release": lambda control: control.release_external(Function("f")),
    "add_project": lambda control: control.add_project([Function("a")]),
    "replace_project": lambda control: control.replace_project([Function("a")]),
    "remove_project": lambda control: control.remove_project(),
    "statistics": lambda control: control.statistics["summary"],
}
OURS = {
    "minimal_core": lambda control: control.minimal_core([]),
    "minimal_cores": lambda control: control.minimal_cores([]),
    "prove": lambda control: control.prove("/nowhere"),
    "end_proofs": lambda control: control.end_proofs(),
}
TAKEN = {
    "add": lambda control: control.add("n", [], "z."),
    "remove_minimize": lambda control: control.remove_minimize(),
    "get_const": lambda control: control.get_const("x"),
    "symbolic_atoms": lambda control: len(control.symbolic_atoms),
    "theory_atoms": lambda control: len(list(control.theory_atoms)),
    "is_conflicting": lambda control: control.is_conflicting,
    "observer": lambda control: control.register_observer(clingo.Observer()),
    "propagator": lambda control: control.register_propagator(clingo.Propagator()),
    "configuration": lambda control: control.configuration.solve.models,
}


class Calls:
    """Calls a function once, from one of a propagator's functions, and keeps what it says."""

    def __init__(self, where, call):
        self.where, self.call = where, call

    def init(self, init):
        for atom in init.symbolic_atoms.by_signature("a", 0):
            init.add_watch(init.solver_literal(atom.literal))

    def propagate(self, control, changes):
        self.call("propagate", self.where)

    def undo(self, thread_id, assignment, changes):
        self.call("undo", self.where)

    def check(self, control):
        self.call("check", self.where)

    def decide(self, thread_id, assignment, fallback):
        self.call("decide", self.where)
        return 0


def said_meanwhile(control, where, asked):
    """What a control says to each request in the middle of a search, and how many models the search has."""
    said = {}

    def call(here, there):
        if here == there and not said:
            for name, request in asked.items():
                try:
                    request(control)
                    said[name] = "taken"
                except RuntimeError as error:
                    said[name] = "refused"
                    assert isinstance(error, yasmin.Error) or isinstance(control, clingo.Control)

    found = []
    callbacks = {
        "on_model": lambda model: (found.append(str(model)), call("on_model", where)) and None,
        "on_finish": lambda result: call("on_finish", where),
        "on_statistics": lambda step, accu: call("on_statistics", where),
    }
    if where in ("propagate", "undo", "check", "decide"):
        control.register_propagator(Calls(where, call))
    if where == "handle":
        with control.solve(yield_=True) as handle:
            for model in handle:
                found.append(str(model))
                call("handle", where)
            result = handle.get()
    elif where == "thread":
        with control.solve(async_=True, **callbacks) as handle:
            result = handle.get()
    else:
        result = control.solve(**callbacks)
    return said, sorted(found), (str(result), result.exhausted)


PLACES = ["on_model", "handle", "on_finish", "on_statistics", "propagate", "undo", "check", "decide"]


@pytest.mark.parametrize("where", PLACES)
def test_a_search_is_not_disturbed(where):
    # clingo forgets the callbacks of a search in which `solve` is called, may even crash, and takes atoms out of its
    # program that are false by chance.
    asked = {name: request for name, request in REFUSED.items() if name not in ("solve", "yield", "async")}
    theirs, ours = (said_meanwhile(control, where, {**asked, **TAKEN}) for control in controls())
    assert ours[0] == theirs[0] == {**dict.fromkeys(asked, "refused"), **dict.fromkeys(TAKEN, "taken")}
    assert ours[1:] == (["", "a", "a b", "b"], ("SAT", True))
    [_, control] = controls()
    everything = {**REFUSED, **OURS, "cleanup": lambda control: control.cleanup()}
    assert said_meanwhile(control, where, everything)[1:] == ours[1:]


@pytest.mark.parametrize("request_of", sorted({**REFUSED, **OURS}))
def test_what_is_refused_is_refused_from_another_thread(request_of):
    [_, control] = controls()
    said, found = [], []

    def asks():
        with pytest.raises(yasmin.Error, match="a search is under way") as caught:
            {**REFUSED, **OURS}[request_of](control)
        said.append(caught.value.code)

    def on_model(model):
        found.append(str(model))
        if len(found) == 2:
            thread = threading.Thread(target=asks)
            thread.start()
            thread.join()

    assert control.solve(on_model=on_model).exhausted
    assert said == ["usage"] and len(found) == 4
    with control.solve(yield_=True) as handle:
        handle.model()
        asks()
        assert len(list(handle)) == 3
    # And is done afterwards.
    if request_of not in ("prove", "yield", "async"):
        {**REFUSED, **OURS}[request_of](control)
    assert control.solve().satisfiable


def test_two_threads_ground():
    [_, control] = controls()
    said = []

    class Context:
        def waits(self):
            try:
                thread = threading.Thread(target=lambda: said.append(pytest.raises(yasmin.Error, control.ground)))
                thread.start()
                thread.join()
            finally:
                return clingo.Number(1)  # noqa: B012

    control.add("slow", [], "g(@waits()).")
    control.ground([("slow", [])], Context())
    assert "another thread" in str(said[0].value)
    assert control.solve().satisfiable


@pytest.mark.parametrize("where", ["init", "ground", "backend", "on_core", "on_last"])
def test_what_comes_before_or_after_a_search_may_do_all(where):
    found = []
    for control in controls():
        done, models = [], []

        def asks(*_):
            if not done:
                done.append(True)
                done.append(str(control.solve()))  # noqa: B023
                control.ground([("more", [])])  # noqa: B023

        class Context:
            def calls(self):
                asks()  # noqa: B023
                return clingo.Number(1)

        if where == "init":
            control.register_propagator(type("Init", (), {"init": lambda self, init: asks()})())
        elif where == "ground":
            control.add("slow", [], "g(@calls()).")
            control.ground([("slow", [])], Context())
        elif where == "backend":
            with control.backend() as opened:
                opened.add_atom(Function("zz"))
                asks()
        of_core = {"assumptions": [(Function("a"), True), (Function("a"), False)], "on_core": asks} if where == "on_core" else {}
        control.solve(on_model=lambda model: models.append(str(sorted(map(str, model.symbols(shown=True))))),  # noqa: B023
                      **({"on_last": asks} if where == "on_last" else of_core))
        control.solve(on_model=lambda model: models.append(str(sorted(map(str, model.symbols(shown=True))))))  # noqa: B023
        found.append((done, sorted(models)))
    assert found[0] == found[1]


def told(something):
    if something is None or isinstance(something, (bool, list)):
        return something
    if hasattr(something, "satisfiable"):
        return str(something), something.exhausted, something.interrupted
    return f"model {something.number}"


STEPS = {
    "m": lambda control, handle: handle.model(),
    "r": lambda control, handle: handle.resume(),
    "g": lambda control, handle: handle.get(),
    "w": lambda control, handle: handle.wait(),
    "l": lambda control, handle: handle.last(),
    "c": lambda control, handle: handle.cancel(),
    "k": lambda control, handle: handle.core(),
    "n": lambda control, handle: next(iter(handle), None),
    "i": lambda control, handle: control.interrupt(),
}
SEQUENCES = [
    "ggmrgm", "mmrmlg", "wmwrwm", "nnnnnngl", "gcglm", "mirmg", "migmrm", "rrm", "mcmgl", "rwmrwmrwmrwmrwmglk", "mkrgk",
    "irmg", "ccg", "nnig", "nrnrnrnrnrng",
]


@pytest.mark.parametrize("how", [{"yield_": True}, {"yield_": True, "async_": True}, {"async_": True}])
def test_handles(how):
    """Each step says the same as with clingo, and so does each callback."""
    programs = ["{a;b}.", ":-.", "1 {a;b} 1. #minimize {1,a : a}."]
    for sequence, program, models in itertools.product(SEQUENCES, programs, ("0", "1")):
        if "yield_" not in how and set(sequence) & set("ic"):
            continue  # How far the search is by then is chance.
        if "minimize" in program and sequence != "nnnnnngl":
            continue
        if program == ":-." and sequence[0] in "ic":
            continue  # Whether an interrupted search has found that is for the solver to say.
        if "async_" in how and sequence[0] in "ic":
            continue  # How far the search is by then is chance.
        said = []
        for package in (clingo, yasmin):
            control = package.Control([models])
            control.add("base", [], program)
            control.ground([("base", [])])
            log = []
            callbacks = {
                "on_model": lambda model: log.append(f"model {model.number}"),  # noqa: B023
                "on_finish": lambda result: log.append(told(result)),  # noqa: B023
                "on_statistics": lambda step, accu: log.append("statistics"),  # noqa: B023
                "on_core": lambda core: log.append("core"),  # noqa: B023
                "on_last": lambda model: log.append("last"),  # noqa: B023
            }
            steps = []
            with control.solve(**callbacks, **how) as handle:
                for step in sequence:
                    steps.append((step, told(STEPS[step](control, handle))))
            said.append((steps, log))
        if "minimize" in program:
            # How many models there are on the way is chance.
            said = [[steps[-2], log[-1]] for steps, log in said]
        assert said[0] == said[1], (sequence, program, models)


def test_callbacks_of_a_plain_search():
    for control in controls():
        log = []
        callbacks = {
            name: lambda *_, name=name: log.append(name)  # noqa: B023
            for name in ("on_model", "on_statistics", "on_finish", "on_core", "on_last")
        }
        control.solve(**callbacks)
        assert log == ["on_model"] * 4 + ["on_statistics", "on_finish", "on_last"]
        log.clear()
        a = control.symbolic_atoms[Function("a")].literal
        control.solve(assumptions=[a, -a], **callbacks)
        assert log == ["on_statistics", "on_finish", "on_core"]


def test_interruptions():
    for control in controls():
        found = []

        def interrupts(model):
            found.append(str(model))  # noqa: B023
            control.interrupt()  # noqa: B023

        result = control.solve(on_model=interrupts)
        assert (len(found), result.satisfiable, result.interrupted) == (1, True, True)
        assert len(list(control.solve(yield_=True))) == 4
        # Without a search, the next one is interrupted.
        control.interrupt()
        assert control.solve().interrupted
        assert not control.solve().interrupted
        for no in (False, 0, ""):
            found.clear()
            result = control.solve(on_model=lambda model: found.append(str(model)) or no)  # noqa: B023
            assert (len(found), result.interrupted, result.exhausted) == (1, False, False)


def test_a_callback_that_fails():
    for control in controls():
        log = []
        with pytest.raises(ZeroDivisionError):
            control.solve(on_model=lambda model: 1 / 0, on_finish=lambda result: log.append(told(result)))  # noqa: B023
        assert log == [("SAT", False, True)]
        with control.solve(yield_=True, on_model=lambda model: 1 / 0) as handle:
            with pytest.raises(ZeroDivisionError):
                handle.model()
            with pytest.raises(RuntimeError, match="fail|Fail"):
                handle.get()
        with control.solve(async_=True, on_model=lambda model: 1 / 0) as handle:
            with pytest.raises(RuntimeError, match="ZeroDiv|division"):
                handle.get()
        assert len(list(control.solve(yield_=True))) == 4


def test_a_handle_is_not_for_the_callbacks_of_its_search():
    [_, control] = controls()
    said = []

    def asks(model):
        for name in ("model", "get", "wait", "core"):
            try:
                getattr(handle, name)()
            except yasmin.Error as error:
                said.append(error.code)
        handle.cancel()

    with control.solve(yield_=True, on_model=asks) as handle:
        assert [model.number for model in handle] == [1]
        assert handle.get().interrupted
    assert said == ["usage"] * 4


def test_yield_in_the_background():
    """The search goes on while nobody waits, and stops at each model."""
    for control in controls():
        seen = threading.Event()
        with control.solve(yield_=True, async_=True, on_model=lambda model: seen.set()) as handle:  # noqa: B023
            assert seen.wait(20), "the search has begun by itself"
            count, found = 0, []
            while True:
                count += 1
                handle.resume()
                handle.wait()
                model = handle.model()
                if model is None:
                    break
                found.append(model.number)
                time.sleep(0.01)
            assert found == [1, 2, 3, 4] and handle.get().exhausted
