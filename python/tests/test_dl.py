"""Difference constraints by `DL`, beside clingo-dl."""

import random

import clingo
import pytest
import yasmin
from clingo.ast import ProgramBuilder, parse_string

from seeds import seeds

EXAMPLES = [
    "&diff{x-y} <= 3. {a}. &diff{y-x} <= -1 :- a. b :- &diff{x-z} <= 2. &diff{z-0} >= 5. &diff{w} = 4 :- b.",
    "{a;b}. &diff{x-y} < 0 :- a. &diff{y-x} < 0 :- b. &diff{2*3-x} <= 4-y :- not a, not b.",
    "&diff{p(1,1+1)-p(1,2)} >= 0. &diff{q-p(1,2)} = 7. c :- &diff{q-p(1,2)} != 7.",
    "{a}. &diff{x-y} != 1 :- a. :- &diff{x-y} > 2. :- &diff{x-y} < 0. &diff{x-y} <= 9.",
    "&diff{0-x} <= -1. &diff{y-x} >= 3. &diff{u-v} = 2.",
    "&diff{x-x} < 0 :- a. {a}.",
]


def answers(package, theory, program, on_model=True):
    control = package.Control(["0", *(["--device=cpu"] if package is yasmin else [])])
    theory.register(control)
    with ProgramBuilder(control) as builder:
        parse_string(program, lambda statement: theory.rewrite_ast(statement, builder.add))
    control.ground([("base", [])])
    theory.prepare(control)
    found = []

    def model(of):
        theory.on_model(of)
        values = sorted((str(symbol), value) for symbol, value in theory.assignment(of.thread_id))
        found.append((sorted(map(str, of.symbols(shown=True))), values))

    control.solve(on_model=model)
    return sorted(found)


def random_program(chance):
    variables, atoms = "uvwx", "abc"
    lines = ["{a;b;c}."]
    for _ in range(chance.randint(2, 6)):
        left, right = chance.sample(variables, 2)
        operator = chance.choice(["<=", ">=", "<", ">", "=", "!="])
        text = f"&diff{{{left}-{right}}} {operator} {chance.randint(-3, 3)}"
        sign = chance.choice(["", "not "])
        lines.append(chance.choice([f"{text} :- {sign}{chance.choice(atoms)}.", f"h{len(lines)} :- {text}.", f":- {sign}{text}, a."]))
    return " ".join(lines)


def test_answers_are_those_of_clingo_dl():
    clingodl = pytest.importorskip("clingodl")
    programs = EXAMPLES + [random_program(random.Random(seed)) for seed in seeds(40)]
    for program in programs:
        ours, theirs = answers(yasmin, yasmin.DL(), program), answers(clingo, clingodl.ClingoDLTheory(), program)
        assert ours == theirs, program


def test_a_known_program():
    found = answers(yasmin, yasmin.DL(), EXAMPLES[0])
    assert len(found) == 4 and ([], [("x", 8), ("y", 5), ("z", 5)]) in found, found


def test_variables_have_numbers():
    theory = yasmin.DL()
    answers(yasmin, theory, EXAMPLES[4])
    at = theory.lookup_symbol(yasmin.Function("y"))
    assert str(theory.get_symbol(at)) == "y" and theory.has_value(0, at) and theory.get_value(0, at) == 4
    assert theory.lookup_symbol(yasmin.Function("nobody")) is None


def test_steps():
    theory, control = yasmin.DL(), yasmin.Control(["0", "--device=cpu"])
    theory.register(control)
    with ProgramBuilder(control) as builder:
        parse_string(
            "&diff{x-y} != 0. #program more(n). &diff{x-y} != n. :- &diff{x-y} > 2. :- &diff{x-y} < -1.",
            lambda statement: theory.rewrite_ast(statement, builder.add),
        )
    values = []
    for part in ([("base", [])], [("more", [yasmin.Number(1)])], [("more", [yasmin.Number(2)])]):
        control.ground(part)
        found = []
        control.solve(on_model=lambda model: found.append(theory.on_model(model) or dict(theory.assignment())))
        values.append(len(found))
    assert values == [2, 2, 1]


def test_other_theories_are_left_alone():
    theory, control = yasmin.DL(), yasmin.Control(["0"])
    theory.register(control)
    control.add("#theory other { t { + : 1, binary, left }; &sum/1 : t, {<=}, t, any; &diff/1 : t, any }.")
    control.add("a :- &sum(x) { 1+y } <= 3. b :- &diff(x) { y }. &__diff_h { x } <= 3. &__diff_h { x } >= 2 :- a.")
    control.ground()
    found = []
    control.solve(on_model=lambda model: found.append(theory.on_model(model) or str(model)))
    assert sorted(found) == ["a b dl(x,2)", "a dl(x,2)", "b dl(x,0)", "dl(x,0)"], found


def test_what_is_no_constraint_is_an_error():
    for program, words in (
        ("&diff{x+y} <= 3.", "no difference constraint"),
        ("&diff{x-y; z} <= 3.", "no difference constraint"),
        ("&diff{2*x-y} <= 3.", "no difference constraint"),
        ("&diff{x} >= 1. &diff{y-x} >= 2147483647.", "the value of y is 2147483648"),
    ):
        with pytest.raises(yasmin.Error, match=words):
            answers(yasmin, yasmin.DL(), program)
    with pytest.raises(yasmin.Error, match="integers"):
        yasmin.DL().configure("rdl", "yes")
    yasmin.DL().configure("propagate", "full")
