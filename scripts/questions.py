#!/usr/bin/env python3
"""Prints a table: seconds of processor time for many questions about one program, five workloads, by `yasmin --questions`
with one and with two searchers, by one clingo in a loop over `solve(assumptions=...)`, and by a clingo process for each
question (as many as fit into some seconds, scaled up). Verdicts and numbers of answer sets are compared.

    scripts/questions.py [--part P] [--only WORKLOAD] [--yasmin PATH] [--seed S]
    scripts/questions.py --write FOLDER     # only writes each program, and its questions as yasmin reads them

P is the part of the full number of questions that is asked (1; 0.01 takes a minute). Needs the package clingo, and the
commands clingo and yasmin.
"""

import argparse
import itertools
import json
import pathlib
import random
import resource
import subprocess
import sys
import tempfile
import time

# For so long processes of clingo are started.
_SECONDS = 5


def configurator(chance, part):
    """A choice of one of five in each of 60 groups, pairs and triples that exclude each other, and a click more each time."""
    groups, kinds = 60, 5
    rules = [f"1 {{ has({group},1..{kinds}) }} 1." for group in range(groups)]
    item = lambda: f"has({chance.randrange(groups)},{chance.randint(1, kinds)})"
    rules += [f":- {item()}, {item()}." for _ in range(400)] + [f":- {item()}, {item()}, {item()}." for _ in range(1500)]
    questions = []
    while len(questions) < 20_000 * part:
        order = chance.sample(range(groups), 12)
        clicks = [f"has({group},{chance.randint(1, kinds)})" for group in order]
        questions += [clicks[:number] for number in range(1, len(clicks) + 1)]
    return "\n".join(rules), questions, 1


def diagnosis(chance, part, bits=6):
    """A multiplier of which a sum is wrong, and each pair of its gates that may be broken."""
    gates, rules = [], []

    def gate(kind, a, b):
        gates.append(f"g{len(gates)}")
        rules.append(f"gate({gates[-1]},{kind},{a},{b}).")
        return gates[-1]

    def full(a, b, c):
        half = gate("xor", a, b)
        return gate("xor", half, c), gate("or", gate("and", a, b), gate("and", half, c))

    def both(a, b):
        return gate("xor", a, b), gate("and", a, b)

    columns = [[] for _ in range(2 * bits)]
    for i, j in itertools.product(range(bits), repeat=2):
        columns[i + j].append(gate("and", f"a{i}", f"b{j}"))
    for at in range(2 * bits):
        while len(columns[at]) > 1:
            rest = [columns[at].pop(0) for _ in range(min(3, len(columns[at])))]
            total, carry = full(*rest) if len(rest) == 3 else both(*rest)
            columns[at].append(total)
            if at + 1 < 2 * bits:
                columns[at + 1].append(carry)
    a, b = chance.getrandbits(bits), chance.getrandbits(bits)
    seen = (a * b) ^ (1 << chance.randrange(bits, 2 * bits)) ^ (1 << chance.randrange(bits))
    rules += [f"one(a{i})." for i in range(bits) if a >> i & 1] + [f"one(b{i})." for i in range(bits) if b >> i & 1]
    rules += [f":- {'not ' if seen >> at & 1 else ''}one({outs[0]})." for at, outs in enumerate(columns) if outs]
    rules.append(
        "1 {f1(G) : gate(G,_,_,_)} 1. 1 {f2(G) : gate(G,_,_,_)} 1. ab(G) :- f1(G). ab(G) :- f2(G). {one(G)} :- ab(G)."
        "one(G) :- gate(G,and,A,B), one(A), one(B), not ab(G). one(G) :- gate(G,or,A,B), one(A), not ab(G)."
        "one(G) :- gate(G,or,A,B), one(B), not ab(G). one(G) :- gate(G,xor,A,B), one(A), not one(B), not ab(G)."
        "one(G) :- gate(G,xor,A,B), one(B), not one(A), not ab(G)."
    )
    pairs = list(itertools.combinations(gates, 2))
    pairs = chance.sample(pairs, max(1, int(len(pairs) * part)))
    return "\n".join(rules), [[f"f1({one})", f"f2({two})"] for one, two in pairs], 1


def sudoku(chance, part):
    """Sudokus of 9 x 9, from a solved one whose rows, columns and digits change places, with 30 digits given."""
    rules = (
        "d(1..9). 1 {x(R,C,N) : d(N)} 1 :- d(R), d(C). 1 {x(R,C,N) : d(R)} 1 :- d(C), d(N). 1 {x(R,C,N) : d(C)} 1 :- d(R), d(N)."
        "1 {x(R,C,N) : d(R), d(C), (R-1)/3 = A, (C-1)/3 = B} 1 :- A = 0..2, B = 0..2, d(N)."
    )

    def places():
        return [3 * band + line for band in chance.sample(range(3), 3) for line in chance.sample(range(3), 3)]

    questions = []
    for _ in range(max(1, int(100_000 * part))):
        rows, columns, digits = places(), places(), chance.sample(range(1, 10), 9)
        cells = chance.sample(list(itertools.product(range(9), repeat=2)), 30)
        solved = lambda row, column: digits[(3 * (rows[row] % 3) + rows[row] // 3 + columns[column]) % 9]
        questions.append([f"x({row + 1},{column + 1},{solved(row, column)})" for row, column in cells])
    return rules, questions, 2


def planning(chance, part, size=6, steps=8):
    """Robots that move on a grid without meeting, and where two of them have to be in the end."""
    walls = chance.sample(list(itertools.product(range(size), repeat=2)), size)
    rules = "".join(f"wall({x},{y})." for x, y in walls) + (
        f"cell(X,Y) :- X = 0..{size - 1}, Y = 0..{size - 1}, not wall(X,Y). robot(1..3). step(1..{steps})."
        "d(0,1). d(1,0). d(0,-1). d(-1,0). d(0,0)."
        "1 {at(R,X,Y,0) : cell(X,Y), X + Y < 4} 1 :- robot(R)."
        "1 {at(R,X+A,Y+B,T) : d(A,B), cell(X+A,Y+B)} 1 :- at(R,X,Y,T-1), step(T)."
        ":- at(R,X,Y,T), at(S,X,Y,T), R < S. :- at(R,X,Y,T-1), at(S,X,Y,T), at(S,V,W,T-1), at(R,V,W,T), R < S."
    )
    cell = lambda: f"{chance.randrange(size)},{chance.randrange(size)}"
    goals = range(max(1, int(2_000 * part)))
    free = {f"{x},{y}" for x, y in itertools.product(range(size), repeat=2) if (x, y) not in walls}
    pick = lambda: chance.choice(sorted(free))
    questions = [[f"at(1,{pick()},{steps})", f"at(2,{pick()},{steps})"] for _ in goals]
    return rules, questions, 1


def addition(chance, part, digits=3):
    """Which digits add up to the sum that was seen, where each place was read as one of three digits."""
    rules = (
        f"n(0..{digits - 1}). 1 {{a(I,0..9)}} 1 :- n(I). 1 {{b(I,0..9)}} 1 :- n(I). c(0,0)."
        "s(I,(A+B+C) \\ 10) :- a(I,A), b(I,B), c(I,C). c(I+1,(A+B+C) / 10) :- a(I,A), b(I,B), c(I,C)."
        f"s({digits},C) :- c({digits},C)."
    )
    questions = []
    for _ in range(max(1, int(100_000 * part))):
        a, b = chance.randrange(10**digits), chance.randrange(10**digits)
        seen = [f"s({at},{(a + b) // 10**at % 10})" for at in range(digits + 1)]
        for name, number in (("a", a), ("b", b)):
            for at in range(digits):
                read = {number // 10**at % 10, *chance.sample(range(10), 2)}
                seen += [f"not {name}({at},{digit})" for digit in range(10) if digit not in read]
        questions.append(seen)
    return rules, questions, 0


WORKLOADS = (configurator, diagnosis, sudoku, planning, addition)


def children():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def in_a_loop(program, questions, models):
    """Verdicts by clingo's library; prints them, and the seconds of solving."""
    import clingo

    control = clingo.Control([str(models), "--warn=none"])
    control.load(program)
    control.ground()
    terms = {}

    def literal(text):
        name = text.removeprefix("not ")
        return terms.setdefault(name, clingo.parse_term(name)), name == text

    began, told = time.process_time(), []
    for line in pathlib.Path(questions).read_text().splitlines():
        with control.solve([literal(text) for text in json.loads(line)["assumptions"]], yield_=True) as handle:
            told.append(sum(1 for _ in handle))
    print(json.dumps([told, time.process_time() - began]))


def compare(yasmin, folder, workload, part, seed):
    program, questions, models = workload(random.Random(seed), part)
    source, asked = folder / f"{workload.__name__}.lp", folder / f"{workload.__name__}.jsonl"
    source.write_text(program + "\n")
    asked.write_text("".join(json.dumps({"assumptions": lits, "models": models}) + "\n" for lits in questions))
    if yasmin is None:
        return
    row, verdicts = [workload.__name__, str(len(questions))], []
    for searchers in (1, 2):
        before, began = children(), time.monotonic()
        command = [yasmin, source, f"--questions={asked}", f"-t{searchers}", "-q", "--device=cpu"]
        replies = map(json.loads, subprocess.run(command, stdout=subprocess.PIPE).stdout.splitlines())
        # A goal that the grounder has found to be out of reach has no name, and the reply is an error.
        numbers = {reply["Line"]: reply.get("Models", {"Number": 0})["Number"] for reply in replies}
        verdicts.append([number for _, number in sorted(numbers.items())])
        row += [f"{children() - before:.2f}", f"{time.monotonic() - began:.2f}"]
    loop = [sys.executable, __file__, "--loop", source, asked, str(models)]
    told, solving = json.loads(subprocess.run(loop, stdout=subprocess.PIPE, check=True).stdout)
    row.append(f"{solving:.2f}")
    verdicts.append(told)
    before, until, number = children(), time.monotonic() + _SECONDS, 0
    while number < len(questions) and time.monotonic() < until:
        text = "".join(f":- {lit[4:]}. " if lit.startswith("not ") else f":- not {lit}. " for lit in questions[number])
        subprocess.run(["clingo", source, "-", str(models), "-q"], input=text.encode(), stdout=subprocess.DEVNULL)
        number += 1
    row.append(f"{(children() - before) / number * len(questions):.0f}")
    different = sum(len(set(of)) > 1 for of in zip(*verdicts))
    print("| " + " | ".join(row) + f" | {sum(number > 0 for number in told)} | {different} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--part", type=float, default=1)
    parser.add_argument("--only", choices=[of.__name__ for of in WORKLOADS])
    parser.add_argument("--yasmin", default="yasmin")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--write", type=pathlib.Path)
    parser.add_argument("--loop", nargs=3, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.loop:
        return in_a_loop(*args.loop[:2], int(args.loop[2]))
    if not args.write:
        print("| workload | questions | -t1 | elapsed | -t2 | elapsed | clingo's solving | clingo each | satisfiable | different |")
        print("| --- | --: | --: | --: | --: | --: | --: | --: | --: | --: |")
    with tempfile.TemporaryDirectory() as temporary:
        folder = args.write or pathlib.Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        for workload in WORKLOADS:
            if args.only in (None, workload.__name__):
                compare(None if args.write else args.yasmin, folder, workload, args.part, args.seed)


if __name__ == "__main__":
    main()
