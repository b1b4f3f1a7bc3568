#!/usr/bin/env python3
"""Prints a table: questions a second about one program, five workloads, by `yasmin --questions` with given options, by
several processes of clingo, each with one control in a loop over `solve(assumptions=...)` and its share of the questions,
and by one such process. Numbers of answer sets are compared; the script fails if some differ.

    scripts/questions.py [--as "OPTIONS OF YASMIN"]... [--part P] [--only WORKLOAD] [--seconds S] [--processes N]
                         [--no-clingo] [--yasmin PATH] [--seed S]
    scripts/questions.py --write FOLDER     # only writes each program, and its questions as yasmin reads them

P is the part of the full number of questions that is asked (1). Each system has S seconds (20) for a workload, besides
those for reading and grounding. Needs the package clingo, and the command yasmin.
"""

import argparse
import itertools
import json
import multiprocessing
import os
import pathlib
import random
import shlex
import signal
import subprocess
import sys
import tempfile
import threading
import time


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


def literals(line):
    """The literals of a question as clingo's library takes them, and how many answer sets are wanted."""
    question = json.loads(line)
    return [(lit.removeprefix("not "), not lit.startswith("not ")) for lit in question["assumptions"]], question["models"]


def clingo_loop(program, questions, part, parts, seconds, tell):
    """Lets one control of clingo's library answer each `parts`-th question from number `part` on, and tells the numbers
    of answer sets, and the seconds that the loop took."""
    import clingo

    control = clingo.Control(["0", "--warn=none"])
    control.load(str(program))
    control.ground()
    terms, told = {}, {}
    asked = [(number, *literals(line)) for number, line in enumerate(questions) if number % parts == part]
    began = time.monotonic()
    for number, lits, models in asked:
        if time.monotonic() - began > seconds:
            break
        for name, _ in lits:
            if name not in terms:
                terms[name] = clingo.parse_term(name)
        known = [(terms[name], holds) for name, holds in lits]
        control.configuration.solve.models = models
        with control.solve(known, yield_=True) as handle:
            told[number] = sum(1 for _ in handle)
    tell.send((told, time.monotonic() - began))


def clingo(program, questions, processes, seconds):
    """Numbers of answer sets by so many processes, each with a loop of its own, and the seconds of the slowest loop."""
    context, ends = multiprocessing.get_context("spawn"), []
    for part in range(processes):
        here, there = context.Pipe(False)
        process = context.Process(target=clingo_loop, args=(program, questions, part, processes, seconds, there))
        process.start()
        ends.append((here, process))
    told, slowest = {}, 0
    for here, process in ends:
        found, took = here.recv()
        process.join()
        told.update(found)
        slowest = max(slowest, took)
    return told, slowest, ""


def yasmin(command, program, questions, models, seconds):
    """Numbers of answer sets by `yasmin --questions`, which is interrupted after so many seconds without those that it
    takes to read the program, and the seconds since the first reply was possible."""
    process = subprocess.Popen(
        [*command, program, "--questions=-", "-q", "--stats"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    # A question that has no searcher to wait for tells when the program is read.
    process.stdin.write(b"{}\n")
    process.stdin.flush()
    process.stdout.readline()
    began = time.monotonic()
    threading.Timer(seconds, lambda: process.poll() is None and process.send_signal(signal.SIGINT)).start()

    def feed():
        try:
            process.stdin.write("".join(questions).encode())
            process.stdin.close()
        except BrokenPipeError:
            pass

    threading.Thread(target=feed, daemon=True).start()
    # The replies are parsed afterwards, as a loop around clingo's library parses nothing.
    lines, last = [], began
    for line in process.stdout:
        lines.append(line)
        if b'"UNKNOWN"' not in line and b'"Stats"' not in line:
            last = time.monotonic()
    told, stats = {}, ""
    for line in lines:
        reply = json.loads(line)
        if "Stats" in reply:
            stats = f"{reply['Stats']['Fleets']['Replies']} by GPU"
            continue
        # A goal that the grounder has found to be out of reach has no name, and the reply is an error.
        found = reply.get("Models", {"Number": 0, "More": "no"})
        # The interrupt leaves some questions half-way.
        if found["More"] == "no" or 0 < models == found["Number"]:
            told[reply["Line"] - 2] = found["Number"]
    process.wait()
    return told, last - began, stats


def compare(args, folder, workload):
    program, questions, models = workload(random.Random(args.seed), args.part)
    source, asked = folder / f"{workload.__name__}.lp", folder / f"{workload.__name__}.jsonl"
    source.write_text(program + "\n")
    questions = [json.dumps({"assumptions": lits, "models": models}) + "\n" for lits in questions]
    if args.write:
        return asked.write_text("".join(questions))
    ground = folder / f"{workload.__name__}.aspif"
    # The library grounds, as the machine may lack the command.
    text = "import clingo, sys; sys.exit(clingo.clingo_main(clingo.Application(), sys.argv[1:]))"
    command = [sys.executable, "-c", text, "--mode=gringo", "--output=intermediate", source]
    ground.write_bytes(subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout)
    known, wrong = {}, 0
    systems = [(f"yasmin {line}", lambda line=line: yasmin([args.yasmin, *shlex.split(line)], ground, questions, models, args.seconds)) for line in args.as_yasmin]
    if not args.no_clingo:
        for processes in dict.fromkeys((args.processes, 1)):
            name = f"clingo, {processes} process{'es' if processes > 1 else ''}"
            systems.append((name, lambda processes=processes: clingo(source, questions, processes, args.seconds)))
    for name, run in systems:
        told, took, note = run()
        different = sum(known.setdefault(number, found) != found for number, found in told.items())
        wrong += different
        some = sum(found > 0 for found in told.values())
        speed = len(told) / max(took, 1e-9)
        row = [workload.__name__, name, len(told), some, f"{took:.2f}", f"{speed:.0f}", different, note]
        print("| " + " | ".join(map(str, row)) + " |", flush=True)
    return wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--part", type=float, default=1)
    parser.add_argument("--only", choices=[of.__name__ for of in WORKLOADS])
    parser.add_argument("--yasmin", default="yasmin")
    parser.add_argument("--as", dest="as_yasmin", action="append", help="options of yasmin; may come several times")
    parser.add_argument("--processes", type=int, default=os.cpu_count())
    parser.add_argument("--no-clingo", action="store_true")
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--write", type=pathlib.Path)
    args = parser.parse_args()
    args.as_yasmin = args.as_yasmin or ["--device=cpu -t1"]
    if not args.write:
        print("| workload | system | answered | satisfiable | seconds | questions a second | different | |")
        print("| --- | --- | --: | --: | --: | --: | --: | --- |")
    wrong = 0
    with tempfile.TemporaryDirectory() as temporary:
        folder = args.write or pathlib.Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        for workload in WORKLOADS:
            if args.only in (None, workload.__name__):
                wrong += compare(args, folder, workload) or 0
    sys.exit(1 if wrong and not args.write else 0)


if __name__ == "__main__":
    main()
