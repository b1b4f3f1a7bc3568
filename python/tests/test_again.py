"""Programs from which something is removed, or released, that comes again, compared with clingo."""

import random

import clingo
import pytest
from seeds import seeds

import yasmin
from yasmin import Function, Number


def both(*arguments):
    return clingo.Control(["0", *arguments]), yasmin.Control(["0", "--device=cpu", *arguments])


def found(control, **how):
    """The optimal models, if anything is minimized."""
    models = set()

    def on_model(model):
        if not model.cost or model.optimality_proven:
            models.add((tuple(model.cost), tuple(sorted(map(str, model.symbols(shown=True))))))

    result = control.solve(on_model=on_model, **how)
    assert result.exhausted
    return models, str(result)


def same(controls, do, *words):
    said = [do(control) for control in controls]
    assert said[0] == said[1], words
    return said[0]


def test_tuples_that_come_again_count():
    controls = both("--opt-mode=optN")
    for control in controls:
        control.add("base", [], "1 {a; b; c}.")
        control.add("more", [], "#minimize {1,x : a; 1,y : b; 3,z : c}.")
        control.add("less", [], "#minimize {1,x : a}.")
        control.ground([("base", []), ("more", [])])
    assert same(controls, found)[0] == {((1,), ("a",)), ((1,), ("b",))}
    for control in controls:
        control.remove_minimize()
    assert len(same(controls, found)[0]) == 7
    for control in controls:
        control.ground([("less", [])])
    same(controls, found)
    for control in controls:
        control.remove_minimize()
        control.ground([("more", [])])
    assert same(controls, found)[0] == {((1,), ("a",)), ((1,), ("b",))}


@pytest.mark.parametrize("searches", [(), (1,), (2,), (1, 2)])
def test_an_external_that_comes_again_is_another_one(searches):
    """clingo takes a released atom out of the grounder after a search. Rules that came before are about the old one."""
    controls = both()
    e = Function("e")
    for control in controls:
        control.add("base", [], "#external e. a :- e.")
        control.add("again", [], "#external e. b :- e.")
        control.add("fact", [], "e. c :- e.")
        control.ground([("base", [])])
        control.assign_external(e, True)
    if 1 in searches:
        same(controls, found)
    for control in controls:
        control.release_external(e)
        control.assign_external(e, True)
    if 2 in searches:
        assert same(controls, found)[0] == {((), ())}
    for control in controls:
        control.ground([("again", [])])
        control.assign_external(e, True)
    same(controls, lambda control: control.symbolic_atoms[e].is_external, searches)
    assert same(controls, found, searches)[0] == {((), ("b", "e") if 2 in searches else ())}
    if 2 in searches:
        for control in controls:
            control.assign_external(e, None)
        assert len(same(controls, found)[0]) == 2
        for control in controls:
            control.release_external(e)
        same(controls, found)
        for control in controls:
            control.ground([("fact", [])])
        assert same(controls, found)[0] == {((), ("c", "e"))}


BASE = "{a; b; c; d}. :- a, b, c. x :- a, not b."
TUPLES = ["1,s", "2,s", "1,t", "3,u", "-1,v", "2@2,s", "1@2,w"]
ATOMS = ["a", "b", "c", "d", "x", "not a", "not d"]


def random_parts(chance):
    """Parts of a program that may be grounded again and again: each with the number of the step."""
    parts = {}
    for number in range(3):
        elements = "; ".join(f"{chance.choice(TUPLES)} : {chance.choice(ATOMS)}" for _ in range(chance.randint(1, 3)))
        parts[f"minimize{number}"] = f"#minimize {{ {elements} }}."
        atoms = chance.sample("abcd", chance.randint(1, 2))
        parts[f"project{number}"] = " ".join(f"#project {atom}." for atom in atoms)
        parts[f"external{number}"] = f"#external e({number}). r(t) :- e({number}). s(t) :- not e({number}), {chance.choice('abcd')}."
        parts[f"show{number}"] = f"#show shown({number}) : {chance.choice(ATOMS)}."
        parts[f"heads{number}"] = f"{{e({number})}} :- {chance.choice('abcd')}. h(t) :- e({number})."
    return parts


@pytest.mark.parametrize("first", [0, seeds(1).start])
def test_random_programs_that_lose_something(first):
    print(f"seeds from {first} on")
    for seed in range(first, first + 150):
        chance = random.Random(seed)
        parts = random_parts(chance)
        controls = both("--opt-mode=optN", "--warn=none")
        for control in controls:
            control.add("base", [], BASE)
            for name, text in parts.items():
                control.add(name, ["t"], text)
            control.ground([("base", [])])
        done, defined = [], set()
        for step in range(12):
            what = chance.choice(["ground", "ground", "ground", "solve", "minimize", "project", "assign", "release"])
            number = chance.randint(0, 2)
            name, value = chance.choice(sorted(parts)), chance.choice([True, False, None])
            atoms = [Function(atom) for atom in chance.sample("abcd", chance.randint(0, 2))]
            if what == "ground" and name.startswith("heads"):
                # clingo allows rules for an atom once, unless it was taken out meanwhile.
                if name in defined:
                    continue
                defined.add(name)
            if what in ("assign", "release") and f"heads{number}" in defined:
                continue
            done.append((what, number, name, value, atoms))
            for control in controls:
                if what == "ground":
                    control.ground([(name, [Number(step)])])
                elif what == "minimize":
                    control.remove_minimize()
                elif what == "project":
                    control.replace_project(atoms)
                elif what == "assign":
                    control.assign_external(Function("e", [Number(number)]), value)
                elif what == "release":
                    control.release_external(Function("e", [Number(number)]))
            if what == "solve":
                for mode, projects in (("optN", "no"), ("ignore", "project")):
                    for control in controls:
                        control.configuration.solve.opt_mode = mode
                        control.configuration.solve.project = projects

                    def models(control):
                        if projects == "no":  # noqa: B023
                            return found(control)
                        count = []
                        control.solve(on_model=lambda model: count.append(1))
                        return len(count)

                    same(controls, models, seed, mode, parts, done)
