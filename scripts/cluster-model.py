#!/usr/bin/env python3
"""A model of yasmin-mpi with 64 to 4,096 ranks, from rates that were measured with few.

    scripts/cluster-model.py --measured FILE [--ranks N,...] [--children N,...] [--cores N] [--link BYTES] [--hop SECONDS]
    scripts/cluster-model.py --measured FILE --measure COMMAND [--ranks N,...] [--children N,...] [--seconds N]

The second line runs the command (yasmin-mpi) with that many ranks on a program whose refutation takes longer than that, and
writes what each rank reports to FILE. The first line takes the rates from the run with the fewest ranks of FILE. The first
table says by how much the model errs on the other runs of FILE, and the second one what it expects of more ranks, each on
cores of its own. With --within N the exit code is 1 if the model errs by more than N times.

What is modelled:
  - The tree, and what passes an edge each 100 ms: what the ranks on this side have learned and others have passed on, at most
    as many words as solver-host/search/src/crew/trade.rs lets pass, where the constants are read.
  - How fast ranks learn: as the conflicts a second of a searcher, which shares its core with others if there are too few.
  - The bytes of a word, and of what passes besides nogoods each second, as measured.
  - How long a nogood takes from one rank to the farthest one: half a pause and a message for each edge.
  - How the conflicts grow with the number of searchers, as docs/measurements.md tells of 16 to 1,056 searchers of a GPU.
What is not: cubes, which are few; a network that is shared with others; nogoods that are dropped as doubles.
"""

import argparse
import json
import math
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time

TRADE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../solver-host/search/src/crew/trade.rs")


def constant(name):
    """A number of what passes between ranks, from the source."""
    with open(TRADE, encoding="utf-8") as file:
        found = re.search(rf"^const {name}: f64 = ([\d_.]+);", file.read(), re.MULTILINE)
    if not found:
        sys.exit(f"cluster-model: error: {TRADE} has no constant {name}: this script has to follow that file")
    return float(found[1])


WORDS_A_CREW, SHRINKS, MOST_WORDS = map(constant, ("WORDS_A_CREW", "SHRINKS", "MOST_WORDS"))
# Seconds between two times at which nogoods pass: Volume::of_crews there.
PAUSE = 0.1
# Conflicts of so many searchers, to those of one: docs/measurements.md.
GROWTH = [(1, 1.0), (16, 3.0), (64, 5.0), (264, 10.5), (1056, 26.7)]


def pigeons(holes):
    """A refutation in aspif: one more pigeon than holes."""
    atom = lambda bird, hole: 1 + bird * holes + hole
    lines = ["asp 1 0 0"]
    for bird in range(holes + 1):
        atoms = [atom(bird, hole) for hole in range(holes)]
        lines.append(f"1 1 {holes} {' '.join(map(str, atoms))} 0 0")
        lines.append(f"1 0 0 0 {holes} {' '.join(str(-a) for a in atoms)}")
        lines += [f"1 0 0 0 2 {atom(bird, hole)} {atom(other, hole)}" for other in range(bird) for hole in range(holes)]
    return "\n".join([*lines, "0", ""])


def volume(crews):
    """The most words that pass between processes at a time from so many crews."""
    crews = max(crews, 1)
    return min(WORDS_A_CREW * crews * SHRINKS ** math.log2(crews), MOST_WORDS)


class Tree:
    """Ranks, each with its parent, as solver-cli/mpi/src/shape.rs has them."""

    def __init__(self, ranks, children):
        self.ranks = ranks
        self.parent = [None] + [(rank - 1) // children for rank in range(1, ranks)]
        self.children = [[] for _ in range(ranks)]
        for rank in range(1, ranks):
            self.children[self.parent[rank]].append(rank)
        self.below = [1] * ranks
        for rank in range(ranks - 1, 0, -1):
            self.below[self.parent[rank]] += self.below[rank]
        self.depth = [0] * ranks
        for rank in range(1, ranks):
            self.depth[rank] = self.depth[self.parent[rank]] + 1


def flows(tree, words):
    """For each rank but 0 the words that pass each pause to its parent and from it, if each rank learns so many."""
    up, down = [0.0] * tree.ranks, [0.0] * tree.ranks
    came = [words] * tree.ranks
    for rank in range(tree.ranks - 1, 0, -1):
        up[rank] = min(came[rank], volume(tree.below[rank]))
        came[tree.parent[rank]] += up[rank]
    for rank in range(1, tree.ranks):
        parent = tree.parent[rank]
        down[rank] = min(came[parent] - up[rank] + down[parent], volume(tree.ranks))
    return up, down


def bytes_of(tree, words, rates):
    """For each rank the bytes a second that come and go."""
    up, down = flows(tree, words)
    per_second = rates["bytes_a_word"] / PAUSE
    comes, goes = [0.0] * tree.ranks, [0.0] * tree.ranks
    for rank in range(1, tree.ranks):
        parent = tree.parent[rank]
        rising, falling = up[rank] * per_second + rates["besides_up"], down[rank] * per_second + rates["besides_down"]
        goes[rank] += rising
        comes[parent] += rising
        comes[rank] += falling
        goes[parent] += falling
    return comes, goes


def growth(searchers):
    """How many times the conflicts of one searcher so many meet; beyond the table as between its last two rows."""
    for (few, less), (many, more) in zip(GROWTH, GROWTH[1:]):
        if searchers <= many or many == GROWTH[-1][0]:
            part = math.log(searchers / few) / math.log(many / few)
            return less * (more / less) ** part
    return 1.0


def measure(command, ranks, children, words, seconds, holes):
    """What a run of so many ranks, one searcher each, says of itself."""
    environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
    line = [command, "--mpirun", "mpirun --oversubscribe", "--ranks", str(ranks), "--rank-children", str(children)]
    line += ["--symmetry=no", "--rank-wait", "--rank-report", "--device=cpu", "-t1", "--join-after=0", "--json", "--stats=2", *words]
    with tempfile.TemporaryDirectory() as folder:
        program = os.path.join(folder, "pigeons.aspif")
        with open(program, "w", encoding="ascii") as file:
            file.write(pigeons(holes))
        if seconds:
            line += [f"--time-limit={seconds}"]
        began = time.monotonic()
        run = subprocess.run([*line, program], capture_output=True, text=True, check=False, env=environment)
        took = time.monotonic() - began
    document = json.loads(run.stdout)
    if "Error" in document:
        sys.exit(f"cluster-model: error: {' '.join(line)}: {document['Error']}")
    ours = document["Stats"]["Yasmin"]
    rows = []
    for report in REPORT.finditer(run.stderr):
        number, read, written, seconds_all, start, idle = report.groups()
        rows.append({"rank": int(number), "in": int(read), "out": int(written), "seconds": float(seconds_all)})
        rows[-1] |= {"start": float(start), "idle": float(idle) if idle else None}
    if sorted(row["rank"] for row in rows) != list(range(ranks)):
        sys.exit(f"cluster-model: error: not every rank has reported:\n{run.stderr}")
    return {
        "ranks": ranks,
        "children": children,
        "words": words,
        "took": took,
        "conflicts": document["Stats"]["Core"]["Conflicts"],
        "searching": ours["solve_seconds"],
        "offered": ours["swarm"]["offered"],
        "imported": ours["swarm"]["imported"],
        "cores": len(os.sched_getaffinity(0)),
        "rows": sorted(rows, key=lambda row: row["rank"]),
    }


REPORT = re.compile(
    r"rank (\d+): (\d+) bytes in \(\d+ a second\), (\d+) bytes out \(\d+ a second\), ([\d.]+) s, of which ([\d.]+) s to start"
    r"(?:, nothing open ([\d.]+) s before the end was heard)?"
)


# As much passes as may, and nothing.
SHARES = (["--share-length=32", "--share-lbd=32"], ["--share-length=0", "--share-lbd=0"])


def measure_all(args):
    """Runs what the model needs, and what it is compared with."""
    runs = []
    for ranks in args.ranks:
        for children in args.children if ranks > 2 else args.children[:1]:
            shares = [[]] if ranks > min(args.ranks) else [[], *SHARES]
            for words in shares:
                runs.append(measure(args.measure, ranks, children, words, args.seconds, 12))
                last = runs[-1]
                print(
                    f"{ranks} ranks, {children} children, {' '.join(words) or 'as by default'}: "
                    f"{last['conflicts'] / last['searching']:.0f} conflicts a second",
                    flush=True,
                )
    with open(args.measured, "w", encoding="utf-8") as file:
        json.dump(runs, file, indent=1)


def each_second(run):
    """The mean over ranks of the bytes that come, and what comes to and goes from rank 0, each second of the search."""
    seconds = [row["seconds"] - row["start"] for row in run["rows"]]
    comes = [row["in"] / second for row, second in zip(run["rows"], seconds)]
    goes = [row["out"] / second for row, second in zip(run["rows"], seconds)]
    return statistics.fmean(comes), comes[0], goes[0]


def searching(ranks, cores):
    """The part of a core that each of the searchers has."""
    return min(1.0, cores / ranks)


def rates_of(runs):
    """What the model needs, from the runs with the fewest ranks: what is learned, and what passes besides."""
    fewest = min(run["ranks"] for run in runs)
    few = {tuple(run["words"]): run for run in runs if run["ranks"] == fewest}
    default, much, none = few[()], *(few[tuple(words)] for words in SHARES)
    leaf = lambda run: run["rows"][-1]
    span = lambda run: leaf(run)["seconds"] - leaf(run)["start"]
    besides_up, besides_down = (leaf(none)[way] / span(none) for way in ("out", "in"))
    # As much passes as may.
    bytes_a_word = (leaf(much)["out"] / span(much) - besides_up) * PAUSE / volume(1)
    share = searching(fewest, default["cores"])
    words = (leaf(default)["out"] / span(default) - besides_up) * PAUSE / bytes_a_word / share
    conflicts = default["conflicts"] / default["searching"] / fewest / share
    return {
        "besides_up": besides_up,
        "besides_down": besides_down,
        "bytes_a_word": bytes_a_word,
        "words": words,
        "conflicts": conflicts,
        "nogood_words": words / PAUSE / (default["offered"] / default["searching"] / fewest / share),
    }


def errors(runs, rates):
    """Prints what the model says of each run beside what was seen. Returns the ratios."""
    ratios = []
    print("| ranks, children | bytes in a second and rank: seen, model | rank 0 out: seen, model | conflicts a second: seen, model |")
    print("| --- | --: | --: | --: |")
    for run in runs:
        if run["words"]:
            continue
        tree, share = Tree(run["ranks"], run["children"]), searching(run["ranks"], run["cores"])
        comes, goes = bytes_of(tree, rates["words"] * share, rates)
        seen_mean, _, seen_first = each_second(run)
        seen_rate = run["conflicts"] / run["searching"]
        model = statistics.fmean(comes), goes[0], rates["conflicts"] * share * run["ranks"]
        seen = seen_mean, seen_first, seen_rate
        ratios.append([said / was for said, was in zip(model, seen)])
        cells = [f"{was:,.0f}, {said:,.0f}" for said, was in zip(model, seen)]
        print(f"| {run['ranks']}, {run['children']} | {' | '.join(cells)} |")
    return ratios


def expect(args, rates):
    """Prints what the model expects of many ranks, each with cores of its own."""
    print("| ranks, children | depth | comes to a rank | goes from the busiest rank | of its network |", end=" ")
    print("nogoods for each conflict of a searcher | farthest | conflicts to those of one | speed to one |")
    print("| --- | --: | --: | --: | --: | --: | --: | --: | --: |")
    for ranks in args.ranks:
        for children in args.children:
            tree = Tree(ranks, children)
            comes, goes = bytes_of(tree, rates["words"] * args.cores, rates)
            most, come = max(goes), statistics.fmean(comes)
            _, down = flows(tree, rates["words"] * args.cores)
            nogoods = max(down) / PAUSE / rates["nogood_words"] / rates["conflicts"]
            farthest = 2 * max(tree.depth) * (PAUSE / 2 + args.hop)
            searchers = ranks * args.cores
            more = growth(searchers)
            print(
                f"| {ranks:,}, {children} | {max(tree.depth)} | {come / 1e6:.2f} MB/s | {most / 1e6:.1f} MB/s "
                f"| {most / args.link:.1%} | {nogoods:.2f} | {farthest:.2f} s "
                f"| {more:,.0f} | {searchers / more:,.0f} |"
            )


def numbers(text):
    return [int(number) for number in text.split(",")]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--measure", metavar="COMMAND", help="run this command, and write what is seen")
    parser.add_argument("--measured", metavar="FILE", required=True, help="what was seen")
    parser.add_argument("--ranks", type=numbers, help="how many ranks (default: 64 to 4,096, or 2 to 16 to measure)")
    parser.add_argument("--children", type=numbers, help="how many children of each (default: 8, or 8 and 2 to measure)")
    parser.add_argument("--cores", type=int, default=64, help="how many searchers each rank has (default: 64)")
    parser.add_argument("--link", type=float, default=1.25e9, help="bytes a second of a rank's network (default: 1.25e9)")
    parser.add_argument("--within", type=float, default=math.inf, help="by how much the model may err")
    parser.add_argument("--hop", type=float, default=0.002, help="seconds of a message between two ranks (default: 0.002)")
    parser.add_argument("--seconds", type=float, default=8.0, help="how long each run is to be that is measured (default: 8)")
    args = parser.parse_args()
    if args.measure:
        args.ranks, args.children = args.ranks or [2, 4, 8, 16], args.children or [8, 2]
        measure_all(args)
        return 0
    args.ranks, args.children = args.ranks or [64, 256, 1024, 4096], args.children or [8]
    with open(args.measured, encoding="utf-8") as file:
        runs = json.load(file)
    rates = rates_of(runs)
    print(", ".join(f"{name} {rate:,.2f}" for name, rate in rates.items()), end="\n\n")
    ratios = errors(runs, rates)
    off = [max(max(ratio, 1 / ratio) for ratio in column) for column in zip(*ratios)]
    print(f"\nThe model is off by at most {off[0]:.2f}, {off[1]:.2f} and {off[2]:.2f} times.\n")
    expect(args, rates)
    return 1 if max(off) > args.within else 0


if __name__ == "__main__":
    sys.exit(main())
