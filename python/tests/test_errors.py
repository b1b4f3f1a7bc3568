"""The codes of errors: those of the command `yasmin`, in the module's command and in the package."""

import json
import os
import pathlib
import resource
import subprocess
import sys

import clingo
import pytest

import yasmin

ROOT = pathlib.Path(__file__).parents[2]
# scripts/python.sh builds it.
TARGET = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
COMMAND = os.environ.get("YASMIN") or TARGET / "debug" / "yasmin"
COMMANDS = {"command": [str(COMMAND), "--no-defaults"], "module": [sys.executable, "-m", "yasmin"]}


def run(which, *arguments, text="", environment=None, **how):
    command = [*COMMANDS[which], *map(str, arguments)]
    environment = {**os.environ, **(environment or {})}
    # A grounder may quote what is not text.
    return subprocess.run(
        command, input=text, stderr=subprocess.PIPE, text=True, errors="replace", timeout=120, env=environment, **how
    )


def told(ran):
    """The exit code, the error's code, and whether standard error has the text as well."""
    document = json.loads(ran.stdout)
    return ran.returncode, document.get("ErrorCode"), f"yasmin: error: {document['Error']}" in ran.stderr


CASES = [
    (["--no-such-option"], "a.", "usage"),
    (["--device=tpu"], "a.", "usage"),
    (["--opt-mode=best"], "a.", "usage"),
    (["--opt-mode=opt,x"], "a.", "usage"),
    (["--enum-mode=most"], "a.", "usage"),
    (["--project=none"], "a.", "usage"),
    (["--seed=x"], "a.", "usage"),
    (["-t", "0"], "a.", "usage"),
    (["--models"], "a.", "usage"),
    (["/nowhere/p.lp"], "", "input"),
    (["/"], "", "input"),
    ([], "a :- ", "grounder-failed"),
    ([], "a(X) :- b.", "grounder-failed"),
    (["-c", "n=("], "a(n).", "grounder-failed"),
    (["--device=gpu:999"], "{a}.", "device"),
]


@pytest.mark.parametrize(("arguments", "text", "code"), CASES)
def test_the_codes_are_those_of_the_command(arguments, text, code):
    for which in COMMANDS:
        ran = run(which, "--outf=2", *arguments, text=text, stdout=subprocess.PIPE)
        assert told(ran) == (65, code, True), (which, ran)


@pytest.mark.parametrize(("arguments", "text", "code"), CASES)
def test_errors_of_the_package_have_the_codes(arguments, text, code):
    with pytest.raises(yasmin.Error) as caught:
        files = [argument for argument in arguments if argument.startswith("/")]
        control = yasmin.Control([argument for argument in arguments if argument not in files])
        for file in files:
            control.load(file)
        control.add(text)
        control.ground()
        control.solve()
    assert caught.value.code == code and isinstance(caught.value, RuntimeError)


def test_without_a_grounder(tmp_path):
    hidden = tmp_path / "clingo"
    hidden.mkdir()
    (hidden / "__init__.py").write_text("raise ImportError('hidden')\n")
    for which, environment in (("command", {"PATH": str(tmp_path)}), ("module", {"PYTHONPATH": str(tmp_path)})):
        ran = run(which, "--outf=2", text="a.", environment=environment, stdout=subprocess.PIPE)
        assert told(ran) == (65, "no-grounder", True), (which, ran)
    script = """
import yasmin
for ask in (lambda control: control.add("a(X) :- b(X)."), lambda control: control.ground()):
    try:
        ask(yasmin.Control())
    except yasmin.Error as error:
        print(error.code, "pip install clingo" in str(error))
"""
    asked = subprocess.run(
        [sys.executable, "-c", script], env=os.environ | {"PYTHONPATH": str(tmp_path)}, capture_output=True, text=True
    )
    assert asked.stdout == 2 * "no-grounder True\n", asked


def test_what_cannot_be_written():
    for which in COMMANDS:
        for outf in ("0", "2"):
            with open("/dev/full", "w") as full:
                ran = run(which, f"--outf={outf}", text="a.", stdout=full)
            # An answer set may have been found before the output was refused.
            assert ran.returncode in (65, 75), (which, ran)
            assert ran.stderr.startswith("yasmin: error: cannot write to standard output: "), (which, ran)
            assert len(ran.stderr.splitlines()) == 1, (which, ran)


def test_nobody_reads():
    for which in COMMANDS:
        reads, writes = os.pipe()
        os.close(reads)
        ran = run(which, "0", text="{a;b}.", stdout=writes)
        os.close(writes)
        assert ran.stderr == "" and ran.returncode & 65 != 65, (which, ran)


LARGE = "b(1..400). {c(X,Y)} :- b(X), b(Y). :- c(X,Y), c(Y,X), X < Y."


def test_a_search_that_does_not_fit():
    """What the device `cpu` allocates for a search, the larger part, is refused by an exception."""
    script = f"""
import resource, yasmin
control = yasmin.Control(["--device=cpu", "-t1"])
control.add("{LARGE}")
control.ground()
limits = resource.getrlimit(resource.RLIMIT_AS)
used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + (80 << 20), limits[1]))
try:
    control.solve()
except MemoryError as error:
    assert isinstance(error, yasmin.Error) and error.code == "memory", error
    resource.setrlimit(resource.RLIMIT_AS, limits)
    print(error, control.solve())
"""
    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=120)
    assert ran.stdout.startswith("out of memory on ") and ran.stdout.endswith(" SAT\n"), ran


def test_no_memory_is_left():
    def few():
        resource.setrlimit(resource.RLIMIT_AS, (700 << 20, 700 << 20))

    # One searcher fits. How many do decides whether the run ends with an error or with fewer searchers.
    for which in COMMANDS:
        ran = run(which, "--device=cpu", "-t200", "--outf=2", text=LARGE, stdout=subprocess.PIPE, preexec_fn=few)
        document = json.loads(ran.stdout)
        if "Error" in document:
            code = 43 if document["Result"] == "SATISFIABLE" else 33
            assert told(ran) == (code, "memory", True) and len(ran.stderr.splitlines()) == 1, (which, ran)
        else:
            assert ran.returncode == 10 and "searchers had to do" in ran.stderr, (which, ran)
    script = "#script (python)\ndef main(prg): bytearray(1 << 62)\n#end."
    ran = run("module", "--outf=2", text=script, stdout=subprocess.PIPE)
    assert told(ran) == (33, "memory", True), ran


def test_errors_of_a_later_search():
    control = yasmin.Control(["--device=cpu"])
    control.add("{a}.")
    control.ground()
    assert control.solve().satisfiable
    with pytest.raises(yasmin.Error, match="from 1 to 2") as caught:
        control.solve(assumptions=[1 << 40])
    assert caught.value.code == "input"
    # What another thread was told is told by `get`.
    with control.solve(on_model=lambda _: control.load("/nowhere/p.lp"), async_=True) as handle:
        with pytest.raises(yasmin.Error, match="the search has failed") as caught:
            handle.get()
    assert caught.value.code == "input" and caught.value.__cause__.code == "input"
    assert control.solve().satisfiable


@pytest.mark.parametrize("attribute", ["register", "prepare"])
def test_theories_in_c_are_refused(attribute):
    """They would register a propagator where nothing searches, and every answer would be wrong."""
    from clingo.theory import Theory

    class Stub:
        """A library that notes what it is given."""

        def __getattr__(self, name):
            return lambda *arguments: True

    theory = object.__new__(Theory)
    for name, value in (("_pre", "stub"), ("_lib", Stub()), ("_ffi", clingo._internal._ffi), ("_theory", None)):
        setattr(theory, name, value)
    control = yasmin.Control(["0", "--device=cpu"])
    with pytest.raises(yasmin.Error, match="clingo.theory.*clingo-dl.*clingo.Control") as caught:
        getattr(theory, attribute)(control)
    assert caught.value.code == "usage"
    # Whoever else asks for it is named.
    with pytest.raises(yasmin.Error, match=__name__):
        control._rep
    control.add("{a}.")
    control.ground()
    assert control.solve().satisfiable


def test_values_of_other_types():
    """What clingo takes is taken, and what it refuses by RuntimeError is an Error."""
    for package in (clingo, yasmin):
        control = package.Control(["0"])
        control.add("base", [], "#external e. {a}.")
        control.ground([("base", [])])
        e = clingo.Function("e")
        for value, holds in (("x", True), (1, True), (0, False), ("", False)):
            control.assign_external(e, value)
            found = []
            control.solve(on_model=lambda model: found.append(model.contains(e)))  # noqa: B023
            assert found == [holds] * 2
        with control.backend() as backend:
            backend.add_heuristic(atom=2, type_=clingo.HeuristicType.Level, bias=1, priority=1, condition=[])
            with pytest.raises(RuntimeError):
                backend.add_atom(clingo.Number(1))


def test_what_others_raise_has_no_code():
    class Context:
        def fails(self):
            raise RuntimeError("of mine")

    control = yasmin.Control(["--device=cpu"])
    control.add("p(@fails()).")
    with pytest.raises(RuntimeError, match="of mine") as caught:
        control.ground(context=Context())
    assert type(caught.value) is RuntimeError


def test_an_observer_takes_the_solvers_place():
    class Rules(yasmin.Observer):
        def __init__(self):
            self.rules = []

        def rule(self, choice, head, body):
            self.rules.append((choice, len(head), len(body)))

    told = []
    for package in (yasmin, clingo):
        control, observer = package.Control(), Rules()
        control.register_observer(observer, replace=True)
        control.add("base", [], "{a}. :- a. b.")
        control.ground([("base", [])])
        told.append(sorted(observer.rules))
        if package is yasmin:
            with pytest.raises(yasmin.Error, match="solver's place") as caught:
                control.solve()
            assert caught.value.code == "usage"
    assert told[0] == told[1] and len(told[0]) == 3
