#!/usr/bin/env python3
"""How good the bounds on an optimum are while a search goes on, beside those of clasp.

    scripts/anytime.py [--seconds 60] [--jobs N] [--only FAMILY] [--threads N] YASMIN CLASP DIRECTORY

DIRECTORY has ground programs that minimize (*.aspif). `scripts/anytime.py --ground DIRECTORY` writes those of the list
below, for which it takes gringo. Each program is solved by one thread of yasmin, and by clasp with two strategies. With
--threads, clasp has so many, and yasmin searches as it does by itself. With --cp-sat, a Python that has ortools solves
models of those families that `scripts/cpsat.py` has models for. With --at, what is known at those seconds is told, too.

Of each run there are two gaps at each moment: that of the best answer set to the best one that any run found, and that
of the lower bound to the highest one that any run proved. Each is a part of the larger of the two values, and 1 before
there is anything. What is told is the mean of each gap over the time limit (the primal integral of Berthold 2013, and its
dual). clasp's better strategy is that with the smaller sum of both.
"""

import argparse
import concurrent.futures
import json
import re
import subprocess
import sys
import time
from pathlib import Path

PROGRAMS = """
bins n=28 seed=3 | bins n=34 seed=1 | clique n=110 p=60 seed=1 | clique n=140 p=50 seed=2 | crossing n=50 seed=1
crossing n=70 seed=2 | life n=9 | life n=11 | longest n=300 seed=1 | longest n=400 seed=2 | metabolic n=400 seed=1
metabolic n=600 seed=2 | nurses n=12 d=7 seed=1 | nurses n=16 d=7 seed=2 | warehouses n=24 seed=1
warehouses n=32 seed=2 | armies n=8 | armies n=10 | autocorrelation n=26 | autocorrelation n=32 | dominating n=10
dominating n=11 | feedback n=90 k=3 seed=1 | feedback n=120 k=3 seed=2 | golomb n=9 | golomb n=10
jobshop n=12 m=8 seed=1 | jobshop n=15 m=10 seed=2 | knapsack n=40 m=8 seed=1 | knapsack n=60 m=5 seed=2
steel n=16 seed=1 | steel n=20 seed=2
"""
COST = re.compile(r"Optimization *: (-?\d+)")
BOUND = re.compile(r"Progression : \[(-?\d+);")


def ground(directory):
    sources = Path(__file__).parent.parent / "data/bench/wide"
    directory.mkdir(parents=True, exist_ok=True)
    for words in (program.split() for line in PROGRAMS.strip().splitlines() for program in line.split("|")):
        name = "-".join([words[0]] + [constant.split("=")[1] for constant in words[1:]])
        constants = [word for constant in words[1:] for word in ("-c", constant)]
        with open(directory / f"{name}.aspif", "w", encoding="ascii") as out:
            subprocess.run(["gringo", *constants, sources / f"{words[0]}.lp"], stdout=out, check=True)


def run(command, seconds):
    """The bounds that a run tells: (second, "up" or "low", value), and whether the optimum is known."""
    began = time.time()
    words = ["timeout", str(seconds), *command]
    events = []
    is_optimal = False
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as child:
        for line in child.stdout:
            now = time.time() - began
            if line.startswith("OPTIMUM"):
                is_optimal = True
                events.append((now, "low", events_best(events)))
            for kind, pattern in (("up", COST), ("low", BOUND)):
                if found := pattern.match(line):
                    events.append((now, kind, int(found[1])))
    return {"events": events, "optimal": is_optimal}


def events_best(events):
    return min(value for _, kind, value in events if kind == "up")


def known(events, when):
    """The lower bound and the best value that are known at that second."""
    each = {kind: [value for at, which, value in events if which == kind and at <= when] for kind in ("low", "up")}
    low, up = max(each["low"], default="-"), min(each["up"], default="-")
    return f"{low};{up}"


def gap(events, kind, best, seconds):
    """The mean over the time of how far the bounds of that kind are from the best."""
    area, since, value = 0.0, 0.0, None

    def distance():
        if value is None:
            return 1.0
        return min(1.0, abs(value - best) / max(abs(value), abs(best), 1))

    for when, what, new in events:
        better = value is None or (new < value if kind == "up" else new > value)
        if what == kind and better and when < seconds:
            area += (when - since) * distance()
            since, value = when, new
    return (area + (seconds - since) * distance()) / seconds


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--only", default="")
    parser.add_argument("--ground", action="store_true")
    parser.add_argument("--json", type=Path, help="where the events are written")
    parser.add_argument("--option", action="append", default=[], help="an option for yasmin")
    parser.add_argument("--threads", type=int, default=1, help="of clasp and of CP-SAT")
    parser.add_argument("--cp-sat", metavar="PYTHON", help="a Python that has the package ortools")
    parser.add_argument("--at", type=lambda text: [float(word) for word in text.split(",")], default=[])
    parser.add_argument("paths", nargs="+", type=Path)
    args = parser.parse_args()
    if args.ground:
        return ground(args.paths[0])
    yasmin, clasp, directory = args.paths
    alone = ["--device=cpu", "-t1"] if args.threads == 1 else []
    asp = {
        "yasmin": [str(yasmin), *alone, *args.option],
        "clasp bb": [str(clasp), f"-t{args.threads}", "--opt-strategy=bb"],
        "clasp usc": [str(clasp), f"-t{args.threads}", "--opt-strategy=usc,disjoint,stratify"],
    }
    programs = sorted(p for p in directory.glob("*.aspif") if p.name.startswith(args.only))
    solvers = {
        solver: lambda program, command=command: [*command, "-q2,0", "-n0", str(program)]
        for solver, command in asp.items()
    }
    if args.cp_sat:
        model = [args.cp_sat, Path(__file__).with_name("cpsat.py"), str(args.threads), str(args.seconds)]
        solvers["CP-SAT"] = lambda program: [*model, program.stem]
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        jobs = {
            (program.stem, solver): pool.submit(run, command(program), args.seconds)
            for program in programs
            for solver, command in solvers.items()
        }
        runs = {key: job.result() for key, job in jobs.items()}
    if args.json:
        args.json.write_text(json.dumps([[*key, value] for key, value in runs.items()]))
    better = 0
    print(f"{'program':24}" + "".join(f" {solver:>22}" for solver in solvers) + "  (primal + dual, last values)")
    for program in (p.stem for p in programs):
        of = {solver: runs[program, solver]["events"] for solver in solvers}
        ups = [value for events in of.values() for _, kind, value in events if kind == "up"]
        lows = [value for events in of.values() for _, kind, value in events if kind == "low"]
        up, low = min(ups, default=0), max(lows, default=0)
        if ups and low > up:
            sys.exit(f"{program}: a lower bound of {low} and an answer set of {up}")
        row, sums = f"{program:24}", {}
        for solver, events in of.items():
            primal = gap(events, "up", up, args.seconds)
            dual = gap(events, "low", low, args.seconds) if lows else 0.0
            sums[solver] = primal + dual
            row += f" {primal:.3f}+{dual:.3f} {known(events, args.seconds):>10}"
        is_better = sums["yasmin"] <= min(value for solver, value in sums.items() if solver != "yasmin")
        better += is_better
        print(row, "" if is_better else "  *")
        for when in args.at:
            cells = "".join(f" {known(events, when):>22}" for events in of.values())
            print(f"{f'  after {when:g} s':24}{cells}")
    print(f"smaller sums: {better} of {len(programs)}")
    return None


if __name__ == "__main__":
    sys.exit(main())
