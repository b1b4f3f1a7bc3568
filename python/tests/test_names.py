"""Each name of clingo's package is here, but for those in a table, which `docs/python.md` explains."""

import importlib
import inspect
import pkgutil
import re
from pathlib import Path

import clingo
import pytest
import yasmin

# Modules, and names by their modules, that stay out.
ABSENT = {"clingo.theory": None}

# What raises an error, by its class.
REFUSED = {"PropagateControl.add_literal"}

PAGE = Path(__file__).parents[2] / "docs" / "python.md"


def names(of):
    """The public names of a class or a module, with those of attributes that only instances have."""
    noted = {name for base in getattr(of, "__mro__", ()) for name in vars(base).get("__annotations__", {})}
    return {name for name in {*dir(of), *noted} if not name.startswith("_")}


def modules():
    for found in pkgutil.iter_modules(clingo.__path__):
        if not found.name.startswith("_") and found.name != "tests":
            yield importlib.import_module(f"clingo.{found.name}")


def public(module):
    """What a module of clingo defines."""
    if module is clingo:
        return [name for name in names(module) if not inspect.ismodule(getattr(module, name))]
    own = getattr(module, "__all__", None)
    return own or [name for name in names(module) if getattr(getattr(module, name), "__module__", "") == module.__name__]


def missing():
    """What clingo has, and is not here."""
    for module in (clingo, *modules()):
        here = module.__name__.replace("clingo", "yasmin", 1)
        try:
            ours = importlib.import_module(here)
        except ImportError:
            yield module.__name__
            continue
        for name in public(module):
            theirs = getattr(module, name)
            if not hasattr(ours, name):
                yield f"{module.__name__}.{name}"
            elif inspect.isclass(theirs):
                yield from (f"{name}.{part}" for part in names(theirs) - names(getattr(ours, name)))


def test_each_name_of_clingo_is_here():
    assert set(missing()) == set(ABSENT)


def test_the_page_says_what_stays_out():
    table = re.findall(r"^\| `([\w.]+)` \|", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    assert {*ABSENT, *REFUSED} <= set(table), table


def test_parameters_have_clingos_names():
    for name in sorted(names(clingo.Control) - {"configuration"}):
        theirs = inspect.getattr_static(clingo.Control, name)
        ours = inspect.getattr_static(yasmin.Control, name)
        assert isinstance(theirs, property) == isinstance(ours, property), name
        if inspect.isfunction(theirs) and name not in ("add", "solve"):
            wanted = list(inspect.signature(theirs).parameters)
            assert list(inspect.signature(ours).parameters)[: len(wanted)] == wanted, name


def test_an_aspif_file_is_a_program(tmp_path):
    path = tmp_path / "p.aspif"
    path.write_text("asp 1 0 0\n1 1 2 1 2 0 0\n1 0 0 0 2 1 2\n4 1 a 1 1\n4 4 f(1) 1 2\n0\n")
    control = yasmin.Control(["0", "--device=cpu"])
    control.load_aspif([str(path)])
    found = []
    control.solve(on_model=lambda model: found.append(str(model)))
    assert sorted(found) == ["", "a", "f(1)"]
    assert control.symbolic_atoms[yasmin.Function("a")].literal == 1
    with pytest.raises(yasmin.Error, match="cannot be read"):
        control.load_aspif([str(tmp_path / "missing")])


def test_a_backend_writes_the_ground_program(tmp_path):
    path = tmp_path / "out.aspif"
    control = yasmin.Control(["0", "--device=cpu"])
    control.register_backend(yasmin.BackendType.Aspif, str(path))
    control.add("{a}. b :- a.")
    control.ground()
    assert control.solve().satisfiable
    del control
    assert path.read_text().startswith("asp 1 0 0")


def test_a_cleanup_may_come_by_itself():
    control = yasmin.Control(["0", "--device=cpu"])
    assert control.enable_cleanup is False and control.enable_enumeration_assumption is True
    control.enable_cleanup = True
    control.add("{a; b}. :- not a.")
    control.add("more", [], "c.")
    control.ground()
    control.solve()
    control.ground([("more", [])])
    assert control.symbolic_atoms[yasmin.Function("a")].is_fact
    assert not control.symbolic_atoms[yasmin.Function("b")].is_fact


def test_all_counters_are_told():
    control = yasmin.Control(["0", "--device=cpu"])
    control.add("1 {p(1..4)}. :- p(X), p(X+1).")
    control.ground()
    control.solve()
    told = control.statistics["yasmin"]
    assert told["decisions"] == control.statistics["solving"]["solvers"]["choices"] > 0
    assert isinstance(told["propagations"], float) and "device" not in told
