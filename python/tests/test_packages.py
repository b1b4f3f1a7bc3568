"""Packages that wrap clingo's, as far as they are small enough to be written down here."""

import clingo
import pytest

import yasmin


def approximated(package, text, **options):
    """What `approximate` of clingox 1.2.1 does: atoms of all answer sets, and atoms of any, by propagation alone."""
    control = package.Control(["--warn=none"])
    control.add("base", [], text)
    control.ground([("base", [])])
    assert isinstance(control.configuration.solve, clingo.configuration.Configuration)
    before = control.configuration.solve.solve_limit
    control.configuration.solve.solve_limit = 0
    control.solve()
    control.configuration.solve.solve_limit = before
    control.cleanup()
    if control.is_conflicting:
        return None
    atoms = list(control.symbolic_atoms)
    assert len(atoms) == len(control.symbolic_atoms) and all(atom.symbol in control.symbolic_atoms for atom in atoms)
    return [{str(atom.symbol) for atom in atoms if atom.is_fact}, {str(atom.symbol) for atom in atoms}], control


@pytest.mark.parametrize("text", [
    "{a; b}. :- a. :- not b.", "a. {b}. c :- b. :- not c. d :- not b.", "{a; b}. :- a, b. :- not a, not b.",
    "{a}. :- a. :- not a.", "#external e. {a}. :- e. b :- not a, not e.", "a :- not b. b :- not a. :- a.",
    "p(1..3). {q(X)} :- p(X). :- q(1). r(X) :- p(X), not q(X).",
    "1 {a; b} 1. c :- a. c :- b. :- not c.", "{a; b; c}. :- not a, not b. :- a, not c. :- b, not c. #minimize {1 : c}.",
])  # fmt: skip
def test_atoms_that_are_known_after_cleanup(text):
    mine, theirs = approximated(yasmin, text), approximated(clingo, text)
    if theirs is None:
        assert mine is None
        return
    (least, most), control = mine
    # yasmin may find more, and what it finds is so.
    assert theirs[0][0] <= least and most <= theirs[0][1]
    control.configuration.solve.models = 0
    control.configuration.solve.opt_mode = "ignore"
    models = []
    control.solve(on_model=lambda model: models.append(set(map(str, model.symbols(atoms=True)))))
    assert models and all(least <= model <= most for model in models)


def test_what_is_known_is_forgotten_when_the_program_grows():
    control = yasmin.Control(["0"])
    control.add("base", [], "{a}. b :- not c. {d}. :- d. #external c.")
    control.add("more", [], "c.")
    control.ground([("base", [])])
    control.cleanup()
    assert sorted(str(atom.symbol) for atom in control.symbolic_atoms if not atom.is_fact) == ["a", "b", "c"]
    assert yasmin.Function("d") not in control.symbolic_atoms
    control.assign_external(yasmin.Function("c"), True)
    assert control.solve().satisfiable
    control.ground([("more", [])])
    assert yasmin.Function("d") in control.symbolic_atoms
    control.cleanup()
    facts = sorted(str(atom.symbol) for atom in control.symbolic_atoms if atom.is_fact)
    assert facts == ["c"] and yasmin.Function("b") not in control.symbolic_atoms


def test_an_external_atom_may_contradict_the_program_after_cleanup():
    control = yasmin.Control()
    control.add("#external e. {a}. :- e.")
    control.ground()
    control.cleanup()
    assert control.solve().satisfiable
    control.assign_external(yasmin.Function("e"), True)
    assert control.solve().unsatisfiable
