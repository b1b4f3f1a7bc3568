#!/usr/bin/env python3
"""Refutations of tight formulas beside CaDiCaL, one thread each.

    scripts/refutations.py [--seeds N] [--limit SECONDS] YASMIN CADICAL DIRECTORY

Writes 32 unsatisfiable formulas in DIMACS to DIRECTORY: ten random ones in 3-SAT, ten colourings of random graphs, twelve
crafted ones. Prints the user time of both solvers for each formula (of yasmin with N seeds), and the geometric mean of the
ratios for each kind. A run that reaches the limit counts as the limit.
"""

import argparse
import itertools
import math
import random
import resource
import subprocess
import sys
from pathlib import Path


class Formula:
    """Clauses over numbered variables."""

    def __init__(self):
        self.vars = 0
        self.clauses = []

    def var(self):
        self.vars += 1
        return self.vars

    def add(self, *lits):
        self.clauses.append(lits)

    def both(self, a, b):
        z = self.var()
        self.clauses += [(-z, a), (-z, b), (z, -a, -b)]
        return z

    def xor(self, a, b):
        z = self.var()
        self.clauses += [(-z, a, b), (-z, -a, -b), (z, -a, b), (z, a, -b)]
        return z

    def majority(self, a, b, c):
        z = self.var()
        self.clauses += [(-a, -b, z), (-a, -c, z), (-b, -c, z), (a, b, -z), (a, c, -z), (b, c, -z)]
        return z

    def product(self, a, b):
        """The bits of a product, least first, by adders of columns; None for a bit that is 0."""
        columns = [[] for _ in range(len(a) + len(b) + 2)]
        for (i, x), (j, y) in itertools.product(enumerate(a), enumerate(b)):
            columns[i + j].append(self.both(x, y))
        for i in range(len(a) + len(b)):
            while len(columns[i]) > 1:
                if len(columns[i]) > 2:
                    (x, y, z), columns[i] = columns[i][:3], columns[i][3:]
                    columns[i].append(self.xor(self.xor(x, y), z))
                    columns[i + 1].append(self.majority(x, y, z))
                else:
                    (x, y), columns[i] = columns[i][:2], columns[i][2:]
                    columns[i].append(self.xor(x, y))
                    columns[i + 1].append(self.both(x, y))
        return [column[0] if column else None for column in columns[: len(a) + len(b)]]

    def at_most(self, lits, k):
        """By a sequential counter."""
        counts = [[self.var() for _ in range(k)] for _ in lits]
        for i, lit in enumerate(lits):
            self.add(-lit, counts[i][0])
            if i > 0:
                for j in range(k):
                    self.add(-counts[i - 1][j], counts[i][j])
                    if j > 0:
                        self.add(-lit, -counts[i - 1][j - 1], counts[i][j])
                self.add(-lit, -counts[i - 1][k - 1])


def sat3(n, seed):
    rng, f = random.Random(seed), Formula()
    f.vars = n
    for _ in range(int(4.6 * n)):
        f.add(*(v * rng.choice((1, -1)) for v in rng.sample(range(1, n + 1), 3)))
    return f


def colouring(n, colours, degree, seed):
    rng, f, edges = random.Random(seed), Formula(), set()
    while len(edges) < int(degree * n):
        edges.add(tuple(sorted(rng.sample(range(n), 2))))
    node = [[f.var() for _ in range(colours)] for _ in range(n)]
    for of in node:
        f.add(*of)
        for a, b in itertools.combinations(of, 2):
            f.add(-a, -b)
    for a, b in sorted(edges):
        for x, y in zip(node[a], node[b]):
            f.add(-x, -y)
    return f


def pigeons(holes):
    f = Formula()
    sits = [[f.var() for _ in range(holes)] for _ in range(holes + 1)]
    for of in sits:
        f.add(*of)
    for hole in zip(*sits):
        for a, b in itertools.combinations(hole, 2):
            f.add(-a, -b)
    return f


def parity(nodes, seed):
    """Edges of a random graph of degree 4: an odd number of them at the first node, even ones at all others."""
    rng, f = random.Random(seed), Formula()
    edges = [(0, 0)]
    while any(a == b for a, b in edges):
        ends = [v for v in range(nodes) for _ in range(4)]
        rng.shuffle(ends)
        edges = list(zip(ends[::2], ends[1::2]))
    at = [[] for _ in range(nodes)]
    for a, b in edges:
        edge = f.var()
        at[a].append(edge)
        at[b].append(edge)
    for v, lits in enumerate(at):
        for signs in itertools.product((0, 1), repeat=len(lits)):
            if sum(signs) % 2 != (v == 0):
                f.add(*(-lit if sign else lit for lit, sign in zip(lits, signs)))
    return f


def waerden(k, m, n):
    f = Formula()
    f.vars = n
    for length, sign in ((k, 1), (m, -1)):
        for first, step in itertools.product(range(1, n + 1), range(1, n + 1)):
            if first + (length - 1) * step <= n:
                f.add(*(sign * (first + i * step) for i in range(length)))
    return f


def ramsey(k, m, n):
    f = Formula()
    edge = {pair: f.var() for pair in itertools.combinations(range(n), 2)}
    for size, sign in ((k, 1), (m, -1)):
        for nodes in itertools.combinations(range(n), size):
            f.add(*(sign * edge[pair] for pair in itertools.combinations(nodes, 2)))
    return f


def clique_colouring(n, k):
    """A graph of n nodes with a clique of k nodes and k - 1 colours."""
    f = Formula()
    edge = {pair: f.var() for pair in itertools.combinations(range(n), 2)}
    member = [[f.var() for _ in range(n)] for _ in range(k)]
    colour = [[f.var() for _ in range(k - 1)] for _ in range(n)]
    for of in member + colour:
        f.add(*of)
    for a, b in itertools.combinations(range(k), 2):
        for v in range(n):
            f.add(-member[a][v], -member[b][v])
        for v, w in itertools.permutations(range(n), 2):
            f.add(-member[a][v], -member[b][w], edge[min(v, w), max(v, w)])
    for (v, w), joined in edge.items():
        for x, y in zip(colour[v], colour[w]):
            f.add(-joined, -x, -y)
    return f


def factors(number, short, long):
    """Two factors of a prime, both greater than 1."""
    f = Formula()
    a, b = ([f.var() for _ in range(bits)] for bits in (short, long))
    for i, bit in enumerate(f.product(a, b)):
        if bit is not None:
            f.add(bit if number >> i & 1 else -bit)
    f.add(*a[1:])
    f.add(*b[1:])
    return f


def miter(bits):
    """Multiplication is not commutative."""
    f = Formula()
    a, b = ([f.var() for _ in range(bits)] for _ in range(2))
    pairs = zip(f.product(a, b), f.product(b, a))
    f.add(*[f.xor(x, y) for x, y in pairs if x is not None])
    return f


def rows_and_columns(n, k):
    """A square with at most k in each row, and more than k in each column."""
    f = Formula()
    cell = [[f.var() for _ in range(n)] for _ in range(n)]
    for row in cell:
        f.at_most(row, k)
    for column in zip(*cell):
        f.at_most([-lit for lit in column], n - k - 1)
    return f


def formulas():
    for i in range(10):
        yield f"sat-{230 + 10 * (i // 2)}-{i}", sat3(230 + 10 * (i // 2), 1000 + i)
    for i in range(5):
        yield f"colouring-3-{350 + 40 * i}", colouring(350 + 40 * i, 3, 2.42, 2000 + i)
        yield f"colouring-4-{140 + 8 * i}", colouring(140 + 8 * i, 4, 4.7, 2005 + i)
    yield "crafted-pigeons-9", pigeons(9)
    yield "crafted-parity-24", parity(24, 8)
    yield "crafted-parity-26", parity(26, 9)
    yield "crafted-waerden-3-10-97", waerden(3, 10, 97)
    yield "crafted-ramsey-3-5-14", ramsey(3, 5, 14)
    yield "crafted-clique-8-5", clique_colouring(8, 5)
    yield "crafted-clique-8-6", clique_colouring(8, 6)
    yield "crafted-factors-25", factors(33554393, 12, 24)
    yield "crafted-factors-28", factors(268435399, 14, 26)
    yield "crafted-miter-7", miter(7)
    yield "crafted-miter-8", miter(8)
    yield "crafted-square-7-3", rows_and_columns(7, 3)


def user_time(command, limit):
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    code = subprocess.run(["timeout", str(limit), *command], stdout=subprocess.DEVNULL, check=False).returncode
    if code == 124:
        return float(limit)
    if code != 20:
        sys.exit(f"{' '.join(command)}: exit code {code}, not 20 (unsatisfiable)")
    return max(resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before, 0.01)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--limit", type=int, default=40)
    parser.add_argument("yasmin")
    parser.add_argument("cadical")
    parser.add_argument("directory", type=Path)
    args = parser.parse_args()
    args.directory.mkdir(parents=True, exist_ok=True)
    ratios = {}
    for name, formula in formulas():
        path = args.directory / f"{name}.cnf"
        with open(path, "w", encoding="ascii") as out:
            out.write(f"p cnf {formula.vars} {len(formula.clauses)}\n")
            out.writelines(" ".join(map(str, clause)) + " 0\n" for clause in formula.clauses)
        peer = user_time([args.cadical, "-q", "-n", str(path)], args.limit)
        yasmin = [args.yasmin, "--device=cpu", "-t1", "-q", str(path)]
        times = [user_time([*yasmin, f"--seed={seed}"], args.limit) for seed in range(1, args.seeds + 1)]
        kind = "-".join(name.split("-")[: 2 if name.startswith("colouring") else 1])
        ratios.setdefault(kind, []).extend(math.log(time / peer) for time in times)
        print(f"{name:24} {peer:7.2f} ", *(f"{time:6.2f}" for time in times), flush=True)
    for kind, logs in ratios.items():
        print(f"{kind:24} {math.exp(sum(logs) / len(logs)):.2f}")


if __name__ == "__main__":
    main()
