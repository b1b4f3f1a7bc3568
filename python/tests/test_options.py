"""The options of a control and its configuration, compared with clingo."""

import subprocess
import sys

import clingo
import clingo.configuration
import pytest

import yasmin

CHOICE = "{a; b; c} 2. #show a/0. #show b/0."
# The answer sets with the fewest atoms of `p`, as sets.
MINIMAL = "{p(1..4)}. :- not p(1), not p(2). :- not p(3), not p(4). {q}."
HEURISTIC = "{a; b}. :- not a, not b. #heuristic a. [1,false] #heuristic b. [1,false]"
COSTS = "1 {a(1..5)}. #minimize {X,X : a(X)}."
# Nobody is in a hole of one's own.
PIGEONS = "1 {at(P,H) : H = 1..8} 1 :- P = 1..9. :- at(P,H), at(Q,H), P < Q."


def found(package, arguments, text, **attributes):
    """The models, sorted, and what the result says."""
    quiet = {"logger": lambda *_: None}
    control = package.Control(list(arguments), **quiet)
    control.add("base", [], text)
    control.ground([("base", [])])
    for name, value in attributes.items():
        setattr(control.configuration.solve, name, value)
    models = []
    result = control.solve(on_model=lambda model: models.append(sorted(map(str, model.symbols(shown=True)))))
    return sorted(models), (result.satisfiable, result.exhausted, result.interrupted)


# What clingo calls a search option; the answer sets do not depend on it.
SEARCH = [
    "--rand-freq=0.5", "--restart-on-model", "--save-progress", "--save-progress=10", "--loops=common", "--share=all",
    "--contraction=50", "--otfs=1", "--del-max=1000", "--opt-heu=1", "--local-restarts", "--reverse-arcs=1",
    "--no-lookahead", "--lookahead=atom", "--strengthen=local", "--vsids-progress=5", "-t1,split", "--seed=-1", "--seed=7",
    "--configuration=crafty", "--configuration=many", "--heuristic=Domain", "--heuristic=Vsids", "--heuristic=Berkmin",
    "--opt-strategy=usc", "--opt-strategy=bb,hier", "--restarts=L,60", "-rno", "--deletion=basic,50", "--no-deletion",
    "--sat-prepro=2", "--eq=0", "--trans-ext=all", "--tester=--restarts=no", "--stats", "--stats=2", "--forget-on-step=1",
    "--sign-def=pos", "--sign-fix", "--init-moms", "--no-gamma", "--single-shot", "--dom-mod=no", "--keep-facts",
    "--rewrite-minimize", "-Wnone", "--warn=no-atom-undefined", "--solve-limit=umax", "--solve-limit=no", "--opt-stop=no",
    "--learn-explicit", "--rand-prob=no", "--block-restarts=no", "--opt-usc-shrink=min", "--no-restart-on-model",
]


@pytest.mark.parametrize("option", SEARCH)
def test_search_options_change_no_answer(option):
    assert found(yasmin, ["0", option], CHOICE) == found(clingo, ["0"], CHOICE)
    found(clingo, ["0", option], CHOICE)


ASKED = [
    ("0", CHOICE), ("-n0", CHOICE), ("-n 0", CHOICE), ("--models=0", CHOICE), ("--model=0", CHOICE),
    ("0 --project", CHOICE), ("0 --project=auto,3", CHOICE), ("0 --project=show,1", CHOICE), ("0 --project=no", CHOICE),
    ("0 -e brave", CHOICE), ("0 --enum-mode=Cautious", CHOICE), ("0 -e record", CHOICE), ("0 -e bt", CHOICE),
    ("0 --opt-mode=optN", COSTS + ":- a(X), X > 2. :- a(1), a(2). :- not a(1)."), ("0 --opt-mode=enum,4", COSTS), ("0 --opt-mode=ignore", COSTS),
    ("0 -c n=2", "#const n = 1. p(1..n)."), ("0 --const=n=3", "#const n = 1. p(1..n)."),
    ("0 -e domRec --heuristic=Domain", HEURISTIC), ("0 --enum=domrec --heur=domain", HEURISTIC),
    ("0 -e domRec --heuristic=Domain --dom-mod=5,16", MINIMAL + "#show p/1."),
    ("0 -e domRec --heuristic=Domain --dom-mod=false,show", MINIMAL + "#show p/1."),
]


@pytest.mark.parametrize(("line", "text"), ASKED)
def test_what_is_asked_is_answered_as_by_clingo(line, text):
    arguments = ["-n 0"] if line == "-n 0" else line.split()
    mine, theirs = found(yasmin, arguments, text), found(clingo, arguments, text)
    if "brave" in line or "Cautious" in line:
        # What is found on the way may differ: the union grows, and the intersection shrinks.
        at = -1 if "brave" in line else 0
        mine, theirs = (mine[0][at], mine[1]), (theirs[0][at], theirs[1])
    assert mine == theirs


@pytest.mark.parametrize("option", ["--heuristic=Domain", "--heuristic=Vsids"])
def test_the_heuristic_is_followed(option):
    text = "{a(1..20)}. #heuristic a(X). [1,true]"
    models, _ = found(yasmin, ["1", "-t1", option], text)
    assert (len(models[0]) == 20) == (option == "--heuristic=Domain")
    models, _ = found(yasmin, ["1", "-t1", option, "--dom-mod=true"], "{a(1..20)}.")
    assert (len(models[0]) == 20) == (option == "--heuristic=Domain")


# Each is refused by clingo's control as well, or changes which answer sets there are.
@pytest.mark.parametrize("option", [
    "--outf=2", "--quiet", "-q", "--time-limit=3", "--text", "--mode=gringo", "--help", "--version", "--lemma-out=x",
    "--json", "--proof=x", "--assume=a", "--supp-models", "--no-ufs-check", "--compute=1", "--explain", "--no-defaults",
    "--nothing", "file.lp", "--print-portfolio", "--verbose=0",
])  # fmt: skip
def test_what_cannot_be_done_is_refused_by_name(option):
    with pytest.raises(yasmin.Error) as caught:
        yasmin.Control([option])
    name = {"-q": "--quiet"}.get(option, option.split("=")[0])
    assert name in str(caught.value) and "\n" not in str(caught.value) and caught.value.code == "usage"


@pytest.mark.parametrize("arguments", [["3", "4"], ["-n", "x"], ["--seed=x"], ["-t0"], ["--dom-mod=best"], ["--models"]])
def test_wrong_values_are_refused(arguments):
    with pytest.raises(yasmin.Error) as caught:
        yasmin.Control(arguments)
    assert caught.value.code == "usage"
    with pytest.raises(RuntimeError):
        clingo.Control(arguments)


def test_what_is_ignored_is_told(capfd):
    told = []
    yasmin.Control(["--otfs=1", "--heuristic=Berkmin"], logger=lambda code, text: told.append((code, text)))
    assert [code for code, _ in told] == [yasmin.MessageCode.Other] * 2
    assert "--otfs is ignored" in told[0][1] and "--heuristic=berkmin" in told[1][1].lower()
    yasmin.Control(["--otfs=1"]).configuration.solver.loops = "common"
    assert [line.split(" is ignored")[0] for line in capfd.readouterr().err.splitlines()] == [
        "yasmin: note: --otfs", "yasmin: note: --loops",
    ]  # fmt: skip
    yasmin.Control(["--otfs=1"], message_limit=0)
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize("limit", ["0", "20", "umax,0", "umax,1"])
def test_a_limit_of_work(limit):
    for how in ({"arguments": [f"--solve-limit={limit}"]}, {"arguments": [], "solve_limit": limit}):
        ends = [found(package, text=PIGEONS, **how)[1] for package in (yasmin, clingo)]
        assert ends == [(None, False, False)] * 2, how
    control = yasmin.Control(["-t1", f"--solve-limit={limit}"])
    control.add("{a}.")
    control.add(PIGEONS)
    control.ground()
    # A later search may do as much, and one without a limit ends.
    assert control.solve().satisfiable is None and control.solve().satisfiable is None
    control.configuration.solve.solve_limit = "umax"
    assert control.solve().unsatisfiable


def test_costs_that_are_good_enough():
    text = COSTS + "#minimize {1@2}. :- a(X), X < 3."
    for package in (yasmin, clingo):
        control = package.Control(["0", "--opt-stop=1,9"])
        control.add("base", [], text)
        control.ground([("base", [])])
        costs = []
        result = control.solve(on_model=lambda model: costs.append(model.cost))
        assert costs[-1] <= [1, 9] and all(cost > [1, 9] for cost in costs[:-1])
        assert (result.satisfiable, result.exhausted, result.interrupted) == (True, costs[-1] == [1, 3], False)
        control.configuration.solve.opt_stop = "no"
        result = control.solve(on_model=lambda model: costs.append(model.cost))
        assert result.exhausted and costs[-1] == [1, 3]


def test_domain_recording_between_other_questions():
    controls = []
    for package in (yasmin, clingo):
        control = package.Control(["0", "--heuristic=Domain", "--dom-mod=5,16"])
        control.add("base", [], "{p(1..3)}. :- not p(1), not p(2). #show p/1.")
        control.add("more", [], "{p(4)}. :- not p(3), not p(4).")
        control.ground([("base", [])])
        controls.append(control)

    def both(mode, assumptions=()):
        answers = []
        for control in controls:
            control.configuration.solve.enum_mode = mode
            models = []
            how = [(clingo.Function("p", [clingo.Number(n)]), holds) for n, holds in assumptions]
            control.solve(how, on_model=lambda model: models.append(str(model)))
            answers.append(sorted(" ".join(sorted(model.split())) for model in models))
        assert answers[0] == answers[1]
        return answers[0]

    assert both("domRec") == ["p(1)", "p(2)"]
    assert both("domRec") == ["p(1)", "p(2)"]
    assert len(both("auto")) == 6
    assert both("domRec", [(1, False)]) == ["p(2)"]
    assert both("domRec", [(1, True), (2, True)]) == ["p(1) p(2)"]
    for control in controls:
        control.ground([("more", [])])
    assert both("domRec") == ["p(1) p(3)", "p(1) p(4)", "p(2) p(3)", "p(2) p(4)"]
    assert len(both("auto")) == 9
    controls[0].configuration.solver.heuristic = "Vsids"
    controls[0].configuration.solve.enum_mode = "domRec"
    with pytest.raises(yasmin.Error, match="domain recording: .*--heuristic=Domain"):
        controls[0].solve()


def test_the_configuration_has_clingos_names():
    # clingo's configuration does not outlive its control.
    controls = yasmin.Control(), clingo.Control()
    mine, theirs = (control.configuration for control in controls)
    assert isinstance(mine, clingo.configuration.Configuration)
    assert set(mine.keys) == set(theirs.keys)
    for part in ("solve", "asp", "solver"):
        assert set(getattr(theirs, part).keys) - set(getattr(mine, part).keys) <= {"dlp_old_map"}
        assert getattr(mine, part).is_array == getattr(theirs, part).is_array
        assert len(getattr(mine, part)) == len(getattr(theirs, part))
        assert isinstance(getattr(mine, part), clingo.configuration.Configuration)
        for name in getattr(mine, part).keys:
            assert getattr(mine, part).description(name), name
    assert [(c.solve.models, c.solve.opt_mode, c.solve.enum_mode, c.solve.project) for c in (mine, theirs)] == [
        ("-1", "opt", "auto", "no")
    ] * 2
    assert len(list(mine.solver)) == 1 and list(mine.solver)[0].heuristic == mine.solver[0].heuristic


@pytest.mark.parametrize("package", [yasmin, clingo])
def test_unknown_names_and_wrong_values_of_the_configuration(package):
    control = package.Control()
    configuration = control.configuration
    for holder, name in [
        (configuration, "nothing"), (configuration.solve, "nothing"), (configuration.solve, "heuristic"),
        (configuration.solver, "models"), (configuration.solver[0], "nothing"), (configuration, "models"),
    ]:  # fmt: skip
        assert not hasattr(holder, name)
        with pytest.raises(AttributeError):
            setattr(holder, name, "1")
        with pytest.raises(RuntimeError):
            holder.description(name)
    for holder, name, value in [
        (configuration.solve, "models", "x"), (configuration.solve, "models", 3.5), (configuration.solve, "opt_mode", "best"),
        (configuration.solve, "enum_mode", "most"), (configuration.solver, "heuristic", "best"), (configuration, "solve", 3),
        (configuration, "configuration", "best"), (configuration.solve, "solve_limit", "x"), (configuration.solver, "seed", "x"),
    ]:  # fmt: skip
        with pytest.raises(RuntimeError):
            setattr(holder, name, value)
        assert getattr(holder, name) != value
    with pytest.raises(IndexError):
        configuration.solver[1]
    with pytest.raises(IndexError):
        configuration.solve[0]


def test_what_was_read_can_be_set():
    control = yasmin.Control(["3", "--opt-mode=enum,5", "--brave", "--heuristic=Domain", "-t2"])
    configuration = control.configuration
    assert (configuration.solve.models, configuration.solve.opt_mode) == ("3", "enum,5")
    assert (configuration.solve.enum_mode, configuration.solve.parallel_mode) == ("brave", "2")
    assert configuration.solver.heuristic == "Domain"
    for part in (configuration, configuration.asp, configuration.solve, configuration.solver):
        for name in part.keys:
            value = getattr(part, name)
            if not isinstance(value, yasmin.Configuration):
                setattr(part, name, value)
                assert getattr(part, name) == value, name
    configuration.solve.models = -1
    assert configuration.solve.models == "-1"
    with pytest.raises(yasmin.Error, match="supp-models"):
        configuration.asp.supp_models = 1


@pytest.mark.parametrize("package", [yasmin, clingo])
def test_each_searcher_has_its_part_of_the_configuration(package, capfd):
    control = package.Control(["-t2"])
    solver = control.configuration.solver
    assert solver.is_array and len(solver) == 2 and [one.is_array for one in solver] == [False] * 2
    solver[1].heuristic = "Domain"
    assert solver[1].heuristic.lower().startswith("domain")
    if package is yasmin:
        assert solver[0].heuristic == "Domain"
        assert capfd.readouterr().err.count("what is set for one searcher in configuration.solver is set for all") == 1


def test_options_change_between_searches():
    control = yasmin.Control(["-t1"])
    control.add("{a(1..20)}. #heuristic a(X). [1,true]")
    control.ground()

    def atoms():
        with control.solve(yield_=True) as handle:
            return len(handle.model().symbols(atoms=True))

    assert atoms() < 20
    for searcher in control.configuration.solver:
        searcher.heuristic = "Domain"
    assert atoms() == 20
    control.configuration.configuration = "crafty"
    assert atoms() == 20
    control.configuration.solver.heuristic = None
    assert atoms() < 20


def test_the_command_takes_the_same_options():
    def run(*arguments, text):
        command = [sys.executable, "-m", "yasmin", *arguments]
        return subprocess.run(command, input=text, capture_output=True, text=True, timeout=60)

    text = MINIMAL + "#show p/1."
    ran = run("0", "-e", "domRec", "--heuristic", "Domain", "--dom-mod", "5,16", "--otfs", "-t1,split", text=text)
    assert ran.returncode == 30 and ran.stdout.count("Answer:") == 4, ran
    assert ran.stderr == "yasmin: note: --otfs is ignored: the option tunes clasp's algorithm, and changes no answer\n"
    ran = run("--time-limit=0.3", text=PIGEONS.replace("8", "11").replace("9", "12"))
    assert ran.returncode == 1 and "UNKNOWN" in ran.stdout
    for option in ("--stats", "--verbose=0", "--supp-models", "--outf=1"):
        ran = run(option, text="a.")
        assert ran.returncode == 65 and option.split("=")[0] in ran.stderr, ran
