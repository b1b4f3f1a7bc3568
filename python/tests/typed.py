"""A user's file with every public name of the package, for a checker of types (`test_types.py`). Nobody runs it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Optional

import yasmin
from yasmin import (
    DL, Application, ApplicationOptions, Assignment, Backend, BackendType, Configuration, Control, Error, Flag, Function,
    HeuristicType, Infimum, Logger, MessageCode, Model, ModelType, Number, Observer, OrderedEnum, PropagateControl, PropagateInit,
    Propagator, PropagatorCheckMode, PropagatorUndoMode, Replies, Reply, SolveControl, SolveHandle, SolveResult, StatisticsArray,
    StatisticsMap, StatisticsValue, String, Supremum, Symbol, SymbolicAtom, SymbolicAtoms, SymbolType, TheoryAtom, TheoryElement,
    TheorySequenceType, TheoryTerm, TheoryTermType, Trail, TruthValue, Tuple_, clingo_main, parse_term, version,
)  # fmt: skip


def look_at(reply: Reply) -> None:
    number: int = reply.number + reply.conflicts + len(reply.core or []) + len(reply.optimum or [])
    print(number, reply.time, reply.question, reply.result.satisfiable, [str(model) for model in reply.models])


class AtMostOne(Propagator):
    def init(self, init: PropagateInit) -> None:
        init.check_mode = PropagatorCheckMode.Fixpoint
        init.undo_mode = PropagatorUndoMode.Default
        atom: Optional[SymbolicAtom] = init.symbolic_atoms[Function("a")]
        if atom is not None:
            literal: int = init.solver_literal(atom.literal)
            init.add_watch(literal, 0)
            init.remove_watch(literal)
            init.freeze_literal(literal)
            new: int = init.add_literal(freeze=True)
            goes_on: bool = init.add_clause([literal, new]) and init.propagate()
            goes_on &= init.add_weight_constraint(literal, [(new, 2)], 1, compare_equal=True)
            init.add_minimize(new, 1, priority=goes_on)
        threads: int = init.number_of_threads
        known: Optional[bool] = init.assignment.value(threads)
        print(known, [str(atom.term) for atom in init.theory_atoms])

    def propagate(self, control: PropagateControl, changes: Sequence[int]) -> None:
        literal: int = changes[0] + control.thread_id + control.add_literal()
        control.add_watch(literal)
        if control.has_watch(literal) and control.add_nogood(changes, tag=True) and control.propagate():
            control.add_clause([-literal], lock=True)
        control.remove_watch(literal)
        self.look(control.assignment)

    def undo(self, thread_id: int, assignment: Assignment, changes: Sequence[int]) -> None:
        print(thread_id, list(assignment), changes)

    def check(self, control: PropagateControl) -> None:
        self.look(control.assignment)

    def decide(self, thread_id: int, assignment: Assignment, fallback: int) -> int:
        return fallback

    def look(self, assignment: Assignment) -> None:
        trail: Trail = assignment.trail
        levels: list[int] = [trail.begin(0), trail.end(0), trail.index(1), trail.count(1), assignment.index(1)]
        levels += [assignment.count(1), assignment.decision(0), assignment.decision_level, assignment.root_level]
        levels.append(assignment.level(1))
        values: list[bool] = [assignment.has_conflict, assignment.has_literal(1), assignment.is_total]
        values += [assignment.is_true(1), assignment.is_false(1), assignment.is_free(1), assignment.is_fixed(1)]
        value: Optional[bool] = assignment.value(1)
        print(levels, values, value)


class Watcher(Observer):
    def rule(self, choice: bool, head: Sequence[int], body: Sequence[int]) -> None:
        print(choice, head, body)


def add_rules(backend: Backend) -> None:
    atom: int = backend.add_atom(Function("b", [Number(1), String("s"), Infimum, Supremum, Tuple_([])]))
    backend.add_rule([atom], [-atom], choice=True)
    backend.add_weight_rule([atom], 1, [(atom, 1)])
    backend.add_minimize(0, [(atom, 1)])
    backend.add_project([atom])
    backend.add_external(atom, TruthValue.Free)
    backend.add_assume([atom])
    backend.add_heuristic(atom, HeuristicType.Level, 1, 1, [])
    backend.add_acyc_edge(1, 2, [atom])
    number: int = backend.add_theory_term_number(1)
    string: int = backend.add_theory_term_string("s")
    terms = [number, string, backend.add_theory_term_symbol(Function("f"))]
    terms.append(backend.add_theory_term_function("f", terms))
    terms.append(backend.add_theory_term_sequence(TheorySequenceType.Tuple, terms))
    element: int = backend.add_theory_element(terms, [])
    backend.add_theory_atom(number, [element])
    backend.add_theory_atom_with_guard(number, [element], "<", string)


def look(model: Model) -> bool:
    symbols: Sequence[Symbol] = model.symbols(atoms=True, terms=True, shown=True, theory=True, complement=False)
    costs: list[int] = model.cost + model.priority + [model.number, model.thread_id]
    is_consequence: Optional[bool] = model.is_consequence(1)
    model.extend([symbol for symbol in symbols if symbol.type == SymbolType.Function])
    model.context.add_clause([(Function("a"), True), 1])
    model.context.add_nogood([1])
    atoms: SymbolicAtoms = model.context.symbolic_atoms
    kind: ModelType = model.type
    print(costs, is_consequence, len(atoms), kind, model.optimality_proven)
    return model.contains(Function("a")) or model.is_true(1)


def configure(configuration: Configuration) -> None:
    keys: list[str] = configuration.keys
    configuration.solve.models = 0
    for searcher in configuration.solver:
        searcher.heuristic = "Domain"
    print([configuration.description(key) for key in keys], configuration.is_array)


def tell(code: MessageCode, text: str) -> None:
    print(code, text)


def solve(control: Control) -> SolveResult:
    result: SolveResult = control.solve([1, (Function("a"), True)], on_model=look, on_core=print, on_last=print)
    statistics = control.solve(on_unsat=print, on_finish=print, on_statistics=lambda step, accu: step.update({"a": 1}))
    handle: SolveHandle
    with control.solve(yield_=True) as handle:
        for model in handle:
            print(model, handle.core(), handle.last())
        handle.resume()
        first: Optional[Model] = handle.model()
        print(first, handle.wait(1.0), handle.get())
    with control.solve(async_=True) as handle:
        handle.cancel()
    facts: list[Optional[bool]] = [result.satisfiable, result.unsatisfiable, result.unknown, result.exhausted]
    print(facts, result.interrupted, statistics)
    return result


def run(application: Application, options: ApplicationOptions, logger: Logger) -> int:
    options.add_flag("Mine", "quick", "is quick", Flag(False))
    print(logger, version())
    return clingo_main(application, ["p.lp"])


def time(control: Control, options: ApplicationOptions) -> None:
    theory = DL()
    theory.register_options(options)
    theory.validate_options()
    theory.register(control)
    theory.prepare(control)
    print(theory.version(), theory.rewrite_ast)
    index = theory.lookup_symbol(Function("x"))
    if index is not None and theory.has_value(0, index):
        print(theory.get_symbol(index), theory.get_value(0, index))


def count(found: StatisticsMap, each: StatisticsArray, value: StatisticsValue, which: OrderedEnum, search: SolveControl) -> None:
    print(found.clear, found.copy, found.fromkeys, found.pop, found.popitem, found.setdefault, value, which, search)
    print(each.clear, each.copy, each.insert, each.pop, each.remove, each.reverse, each.sort)


def look_into(atom: TheoryAtom, element: TheoryElement, term: TheoryTerm) -> None:
    print(atom.elements, atom.guard, element.condition, element.condition_id, term)


def read(control: Control) -> None:
    control.enable_cleanup = True
    print(control.enable_enumeration_assumption)
    control.load_aspif(["program.aspif"])
    control.register_backend(BackendType.Reify, "reified")


def main() -> None:
    control = Control(["0", "-t1"], logger=tell, message_limit=3)
    control.add("base", [], "{a}.")
    control.add("{b}.")
    control.load("program.lp")
    control.ground([("base", []), ("step", [Number(1)])], context=None)
    with control.backend() as backend:
        add_rules(backend)
    control.register_observer(Watcher())
    control.register_propagator(AtMostOne())
    control.assign_external(parse_term("e"), True)
    control.release_external(1)
    control.add_project([Function("a"), 1])
    control.replace_project([1])
    control.remove_project()
    control.remove_minimize()
    control.cleanup()
    configure(control.configuration)
    constant: Optional[Symbol] = control.get_const("n")
    cores: list[list[int]] = control.minimal_cores([1], limit=1)
    core: Optional[list[int]] = control.minimal_core([1])
    replies: Replies = control.solve_many([[1, -2], [(Function("a"), True)]], models=1, minimal_cores=True, in_order=True)
    for reply in replies:
        look_at(reply)
    replies.cancel()
    for atom, word in (control.facets([1], atoms=[Function("a")], counts=True) or {}).items():
        print(atom.name, word)
    control.prove("proofs")
    control.end_proofs()
    control.interrupt()
    print(constant, cores, core, control.is_conflicting, control.statistics["solving"], TheoryTermType.Number)
    print([str(atom.symbol) for atom in control.symbolic_atoms], [str(atom) for atom in control.theory_atoms])
    try:
        solve(control)
        step, result = yasmin.solve_steps(control, on_model=look, on_step=print)
        print(step, result, yasmin.__version__)
    except Error as error:
        code: str = error.code
        print(code, error)
