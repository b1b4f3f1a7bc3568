#!/usr/bin/env python3
"""Solves an instance of data/bench/wide by CP-SAT, for scripts/anytime.py. It takes the package ortools.

    scripts/cpsat.py THREADS SECONDS FAMILY-N[-M]...

The arguments of an instance are the constants of its family in the order in which the program's first line has them, as
in `warehouses-32-2`. What is told are lines in the form of clasp's: `Optimization: VALUE`, and `Progression : [LOWER;UPPER]`.
The models have the objective of the ASP program, and the variables that CP-SAT's users would take: intervals for jobs, and
an order for feedback.
"""

import sys

from ortools.sat.python import cp_model


def randoms(seed, last):
    """The numbers r(0) .. r(last) of the programs."""
    values = [(seed * 7919 + 17) % 65537]
    while len(values) <= last:
        values.append((values[-1] * 75 + 74) % 65537)
    return values


def bins(model, n, seed=1):
    size = [20 + x // 7 % 50 for x in randoms(seed, n)[1:]]
    lies = [[model.new_bool_var("") for _ in range(n)] for _ in range(n)]
    used = [model.new_bool_var("") for _ in range(n)]
    for i in range(n):
        model.add_exactly_one(lies[i][: i + 1])
        model.add(sum(size[j] * lies[j][i] for j in range(i, n)) <= 100 * used[i])
    for one, other in zip(used, used[1:]):
        model.add_implication(other, one)
    return sum(used)


def knapsack(model, n, m, seed=1):
    r = randoms(seed, n * (m + 1))
    taken = [model.new_bool_var("") for _ in range(n)]
    for k in range(1, m + 1):
        weights = [5 + r[k * n + j] // 11 % 40 for j in range(1, n + 1)]
        # The programs' sums are over sets of pairs of a weight and a number.
        model.add(sum(w * x for w, x in zip(weights, taken)) <= sum(weights) // 2)
    return -sum((10 + r[j + 1] // 7 % 50) * taken[j] for j in range(n))


def warehouses(model, n, seed=1):
    h = n // 2
    r = randoms(seed, n * h + n)
    opens = [model.new_bool_var("") for _ in range(h)]
    costs = []
    served = [[] for _ in range(h)]
    for s in range(1, n + 1):
        of = [model.new_bool_var("") for _ in range(h)]
        model.add_exactly_one(of)
        for w in range(h):
            model.add_implication(of[w], opens[w])
            served[w].append(of[w])
            costs.append((1 + r[n + (s - 1) * h + w] // 9 % 40) * of[w])
    for w in range(h):
        model.add(sum(served[w]) <= 2 + r[w + 1] // 7 % 3)
        costs.append((20 + r[h + w + 1] // 7 % 30) * opens[w])
    return sum(costs)


def jobshop(model, n, m, seed=1):
    r = randoms(seed, 2 * n * m)
    takes = [[1 + r[j * m + s] // 9 % 9 for s in range(m)] for j in range(n)]
    order = [sorted(range(m), key=lambda k, j=j: (r[n * m + j * m + k], k)) for j in range(n)]
    on = [{machine: place for place, machine in enumerate(order[j])} for j in range(n)]
    sums = [sum(of) for of in takes] + [sum(takes[j][on[j][k]] for j in range(n)) for k in range(m)]
    horizon = max(sums) * 3 // 2
    end = model.new_int_var(0, horizon, "")
    machines = [[] for _ in range(m)]
    for j in range(n):
        before = 0
        for s in range(m):
            start = model.new_int_var(0, horizon, "")
            machines[order[j][s]].append(model.new_fixed_size_interval_var(start, takes[j][s], ""))
            model.add(start >= before)
            before = start + takes[j][s]
        model.add(before <= end)
    for of in machines:
        model.add_no_overlap(of)
    # The program counts the times up to the end, from the first at which a job's last step could end.
    return end - min(of[-1] for of in takes) + 1


def feedback(model, n, k=3, seed=1):
    r = randoms(seed, n * k)
    arcs = {(v, (v + 1 + r[v * k + j] // 7 % (n - 1)) % n) for v in range(n) for j in range(k)}
    out = [model.new_bool_var("") for _ in range(n)]
    place = [model.new_int_var(0, n - 1, "") for _ in range(n)]
    for v, w in arcs:
        model.add(place[v] < place[w]).only_enforce_if([~out[v], ~out[w]])
    return sum(out)


def dominating(model, n):
    squares = [(x, y) for x in range(n) for y in range(n)]
    queen = {square: model.new_bool_var("") for square in squares}
    for x, y in squares:
        model.add_bool_or(q for (a, b), q in queen.items() if a == x or b == y or abs(a - x) == abs(b - y))
    return sum(queen.values())


def autocorrelation(model, n):
    plus = [model.new_bool_var("") for _ in range(n)]
    costs = []
    for k in range(1, n):
        same = []
        for i in range(n - k):
            equal = model.new_bool_var("")
            model.add_bool_xor([plus[i], plus[i + k], equal])
            same.append(equal)
        difference = model.new_int_var(k - n, n - k, "")
        model.add(difference == 2 * sum(same) - (n - k))
        square = model.new_int_var(0, (n - k) ** 2, "")
        model.add_multiplication_equality(square, difference, difference)
        costs.append(square)
    return sum(costs)


def armies(model, n):
    squares = [(x, y) for x in range(n) for y in range(n)]
    white = {square: model.new_bool_var("") for square in squares}
    black = {square: model.new_bool_var("") for square in squares}
    lines = {}
    for x, y in squares:
        for line in ("r", x), ("c", y), ("d", x - y), ("u", x + y):
            lines.setdefault(line, []).append((x, y))
    for of in lines.values():
        is_white = model.new_bool_var("")
        for square in of:
            model.add_implication(white[square], is_white)
            model.add_implication(black[square], ~is_white)
    model.add(sum(white.values()) == sum(black.values()))
    return -sum(white.values())


class Tells(cp_model.CpSolverSolutionCallback):
    def on_solution_callback(self):
        print(f"Optimization: {round(self.objective_value)}", flush=True)


def main():
    threads, seconds, name = sys.argv[1:]
    family, *arguments = name.split("-")
    model = cp_model.CpModel()
    model.minimize(globals()[family](model, *map(int, arguments)))
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = int(threads)
    solver.parameters.max_time_in_seconds = float(seconds)

    def bound(value):
        if value > -1e9:
            print(f"Progression : [{round(value)};-]", flush=True)

    solver.best_bound_callback = bound
    if solver.solve(model, Tells()) == cp_model.OPTIMAL:
        print("OPTIMUM FOUND", flush=True)


if __name__ == "__main__":
    main()
