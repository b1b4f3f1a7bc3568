"""Many questions at once: each has the reply that a control gives that is asked one after the other."""

import random

import pytest
import seeds

import yasmin

PROGRAM = "{a(1..6)}. b :- a(1), not a(2). c :- b, a(3). :- a(4), a(5), not c. :- c, a(6). f."


def grounded(text, *arguments):
    control = yasmin.Control(["-t3", "--device=cpu", *arguments])
    control.add(text)
    control.ground()
    return control


def symbol(number):
    return yasmin.Function("a", [yasmin.Number(number)])


@pytest.mark.parametrize("in_order", [False, True])
def test_replies_are_those_of_one_question_after_the_other(in_order):
    for seed in seeds.seeds(5):
        chance = random.Random(seed)
        bodies = ([f"{chance.choice(['', 'not '])}a({chance.randint(1, 12)})" for _ in range(3)] for _ in range(40))
        constraints = "".join(f":- {', '.join(body)}." for body in bodies)
        minimize = chance.choice(["", "#minimize{X,X : a(X)}."])
        text = "{a(1..12)}. " + constraints + minimize
        control, other = grounded(text, "0"), grounded(text, "0")
        questions = [
            [(symbol(chance.randint(1, 12)), chance.random() < 0.5) for _ in range(chance.randint(0, 4))] for _ in range(200)
        ]
        numbers = []
        for reply in control.solve_many(iter(questions), minimal_cores=True, in_order=in_order):
            assert reply.question == questions[reply.number]
            numbers.append(reply.number)
            models = []
            result = other.solve(reply.question, on_model=lambda model, to=models: to.append((str(model), model.cost)))
            assert reply.result.satisfiable == result.satisfiable and reply.result.exhausted
            if minimize:
                assert [model.cost for model in reply.models] == [cost for _, cost in models[-1:]]
                assert reply.optimum == (models[-1][1] if models else None)
            else:
                assert sorted(str(model) for model in reply.models) == sorted(text for text, _ in models)
            if not models:
                assert other.solve(reply.core).unsatisfiable
                for left_out in range(len(reply.core)):
                    assert other.solve(reply.core[:left_out] + reply.core[left_out + 1 :]).satisfiable
        assert sorted(numbers) == list(range(200)) and (not in_order or numbers == sorted(numbers))


def test_questions_may_be_signs():
    control = grounded(PROGRAM, "1")
    atoms = [symbol(1), symbol(2), yasmin.Function("f"), yasmin.Function("nobody")]
    signs = [[1, -1, 1, -1], [1, 0, -1, 0], [-1, 1, 0, 1], [0, 0, 0, 0]]
    replies = list(control.solve_many(signs, atoms=atoms, in_order=True))
    assert [reply.result.satisfiable for reply in replies] == [True, False, False, True]
    assert "b" in str(replies[0].models[0])
    with pytest.raises(yasmin.Error, match="2 signs"):
        list(control.solve_many([[1, 1]], atoms=atoms))


def test_rows_of_numpy_are_signs():
    numpy = pytest.importorskip("numpy")
    control = grounded(PROGRAM, "1")
    signs = numpy.array([[1, -1], [0, 1]], dtype=numpy.int8)
    assert all(reply.result.satisfiable for reply in control.solve_many(signs, atoms=[symbol(1), symbol(2)]))


def test_what_a_question_raises_ends_all():
    control = grounded(PROGRAM)

    def questions():
        yield []
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        list(control.solve_many(questions()))
    assert control.solve().satisfiable


def test_questions_may_depend_on_replies_and_be_left():
    control = grounded(PROGRAM, "0")
    with control.solve_many([] for _ in range(10**9)) as replies:
        assert len(next(replies).models) > 10
        with pytest.raises(yasmin.Error):
            control.add("{d}.")
            control.ground()
    assert list(replies) == []
    control.add("next", [], "d.")
    control.ground([("next", [])])
    assert next(control.solve_many([[]])).result.satisfiable


def test_a_search_that_lasts_is_left():
    control = grounded("1 {in(P,1..10)} 1 :- P = 1..11. :- in(P,H), in(Q,H), P < Q.", "0")
    replies = control.solve_many([[], []])
    control.interrupt()
    assert list(replies) == []
    assert control.solve([(yasmin.Function("in", [yasmin.Number(1), yasmin.Number(99)]), True)]).unsatisfiable


def test_facets():
    control = grounded(PROGRAM)
    found = control.facets([(symbol(4), True), (symbol(5), True)], counts=True)
    counts = {str(atom): told for atom, told in found.items()}
    models = []
    control.configuration.solve.models = 0
    with control.solve([(symbol(4), True), (symbol(5), True)], yield_=True) as handle:
        models = [set(map(str, model.symbols(shown=True))) for model in handle]
    for atom, (word, number, every) in counts.items():
        assert number == sum(atom in model for model in models) and every == len(models)
        assert word == ("never" if number == 0 else "always" if number == every else "sometimes")
    kinds = control.facets([(symbol(4), True), (symbol(5), True)])
    assert {str(atom): word for atom, word in kinds.items()} == {atom: told[0] for atom, told in counts.items()}
    assert control.facets([(symbol(4), True), (symbol(5), True), (symbol(6), True)]) is None
    assert control.facets(atoms=[symbol(1)]) == {symbol(1): "sometimes"}


def test_rows_are_signed_bytes_of_the_atoms():
    control = grounded(PROGRAM, "0")
    atoms = [symbol(1), symbol(3), yasmin.Function("b"), yasmin.Function("f"), yasmin.Function("nobody")]
    questions = [[1, 0, 0, 0, 0], [0, 0, -1, 0, 0], [0, 0, 0, -1, 0]]
    rows = list(control.solve_many(questions, atoms=atoms, in_order=True, rows=True))
    models = list(grounded(PROGRAM, "0").solve_many(questions, atoms=atoms, in_order=True))
    for of, known in zip(rows, models):
        assert of.models == [] and of.result.satisfiable == known.result.satisfiable
        if not known.models:
            assert of.rows is None
            continue
        assert of.rows.format == "b" and of.rows.shape == (len(known.models), len(atoms))
        expected = [[1 if model.contains(atom) else -1 for atom in atoms] for model in known.models]
        assert sorted(of.rows.tolist()) == sorted(expected)
    with pytest.raises(RuntimeError, match="atoms="):
        control.solve_many(questions, rows=True)


def test_questions_may_have_constraints_and_externals_of_their_own():
    control = grounded("{a(1..3)}. #external e. c :- e, a(1). :- c, a(2). #external g. [free] d :- g.", "0")
    e, c, g = yasmin.Function("e"), yasmin.Function("c"), yasmin.Function("g")
    questions = [
        [],
        {"externals": {e: True}},
        {"externals": {e: None, g: False}},
        {"externals": {e: True, g: True}, "constraints": [[(symbol(3), False)], [symbol(1), (symbol(2), False)]]},
        {"assumptions": [symbol(1)], "constraints": [[symbol(1)]]},
        {"constraints": [[yasmin.Function("nobody")], [(yasmin.Function("nobody"), False)]]},
        {"assumptions": [(c, False)]},
    ]
    replies = list(control.solve_many(questions, in_order=True))
    assert [len(reply.models) for reply in replies] == [16, 12, 14, 2, 0, 0, 16]
    for wrong in [{"externals": {c: True}}, {"colours": []}]:
        with pytest.raises(RuntimeError):
            list(control.solve_many([wrong]))


def test_questions_may_have_rules_a_bound_and_a_projection_of_their_own():
    control = grounded("{a(1..3)}. #external e. c :- e. d :- c. #minimize{X,X : a(X)}.", "0", "--opt-mode=enum")
    e, c, d = (yasmin.Function(name) for name in "ecd")
    questions = [
        {"bound": [2]},
        {"project": [symbol(1), symbol(2), d]},
        {"rules": ["{e}.", "c :- d."], "assumptions": [symbol(1)]},
        {"rules": "d. x(1) :- d, not a(3). :- a(1)", "bound": [4]},
        {"rules": [":- a(1).", ":- a(2)."]},
        [],
    ]
    replies = list(control.solve_many(questions, in_order=True))
    assert [len(reply.models) for reply in replies] == [3, 4, 8, 3, 2, 8]
    assert sorted(str(model) for model in replies[3].models) == ["a(2) d x(1)", "a(3) d", "d x(1)"]
    x = yasmin.parse_term("x(1)")
    assert [model.contains(x) for model in replies[3].models] == [not model.contains(symbol(3)) for model in replies[3].models]
    assert all(model.contains(d) == model.contains(c) == model.contains(e) for model in replies[2].models)
    for wrong in [{"rules": ["y :- zzz"]}, {"rules": ["{e}."], "externals": {e: True}}, {"rules": ["a(X)"]}]:
        with pytest.raises(RuntimeError):
            list(control.solve_many([wrong]))
    with pytest.raises(RuntimeError, match="minimizes"):
        list(grounded("{a}.").solve_many([{"bound": [1]}]))
