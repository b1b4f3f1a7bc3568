#!/usr/bin/env python3
"""Prints what the simulated GPU counts of some of the book's kernels beside the counters of a GPU, a row each.

    scripts/nsight.py LESSONS [--ncu NCU] [--keep FOLDER]    # LESSONS is the program: target/release/lessons

Needs a GPU and Nsight Compute, and neither Rust nor this repository. One run of `lessons` launches the kernels on the GPU,
where `ncu` counts, and then on the simulated GPU, which counts with CUDA_STD_COSTS; of each kernel the last launch is
compared. FOLDER keeps both files. Ends with 1 if a result is wrong or there is nothing to compare; a row that differs is no error.
"""

import argparse
import csv
import math
import os
import pathlib
import re
import subprocess
import sys
import tempfile

_LESSONS = ("grid_stride", "reduce", "histogram", "compact", "matrix", "transpose", "rows")
_KERNELS = (
    "saxpy_strided", "reduce_1_atomics", "reduce_3_interleaved_tree", "reduce_6_shuffles", "histogram", "compact", "multiply",
    "multiply_tiled", "transpose_rows", "transpose_tiles", "transpose_padded", "rows_to_lanes",
)
_REQUESTS = "l1tex__t_requests_pipe_lsu_mem_global_op_{}.sum"
_SECTORS = "l1tex__t_sectors_pipe_lsu_mem_global_op_{}.sum"
_STEPS = "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_{}.sum"
_READ, _WRITE, _CHANGE = ("read", "atomic read"), ("write", "atomic write"), ("atomic change",)
_ATOMICS = [_REQUESTS.format("atom"), _REQUESTS.format("red")]
# What is compared: its name; of simt the accesses, the memory, the column; of ncu the counters, which are added, and those
# that are taken away: the steps of atomic operations in shared memory have one for each in global memory.
_ROWS = (
    ("global reads", _READ, "global", "times", [_REQUESTS.format("ld")]),
    ("global reads, sectors", _READ, "global", "sectors", [_SECTORS.format("ld")]),
    ("global writes", _WRITE, "global", "times", [_REQUESTS.format("st")]),
    ("global writes, sectors", _WRITE, "global", "sectors", [_SECTORS.format("st")]),
    ("global atomics", _CHANGE, "global", "times", _ATOMICS),
    ("global atomics, sectors", _CHANGE, "global", "sectors", [_SECTORS.format("atom"), _SECTORS.format("red")]),
    ("shared reads, steps", _READ, "shared", "steps", [_STEPS.format("ld")]),
    ("shared writes, steps", _WRITE, "shared", "steps", [_STEPS.format("st")]),
    ("shared atomics, turns", _CHANGE, "shared", "turns", [_STEPS.format("atom")], _ATOMICS),
)
_BRANCHES = "smsp__sass_branch_targets_threads_divergent.sum"


def simulated(text):
    """The last table of each kernel in what CUDA_STD_COSTS wrote: its blocks, its threads, its rows."""
    tables = {}
    for line in text.splitlines():
        if head := re.fullmatch(r"kernel (\w+), (\d+) blocks of (\d+) threads", line):
            rows = []
            tables[head[1]] = (int(head[2]), int(head[3]), rows)
        elif row := re.fullmatch(r" *\d+:\d+ +([a-z ]+), (global|shared) +(\d+) +(\d+) +(\d+) (\w+) +\d+", line):
            rows.append((row[1], row[2], int(row[3]), int(row[4]), row[6], int(row[5])))
    return tables


def counted(text):
    """The last launch of each kernel in what ncu wrote: its blocks, its threads, its counters."""
    lines = [line for line in text.splitlines() if line.startswith('"')]
    launches = {}
    for row in csv.DictReader(lines):
        if row["ID"]:  # The line of units has none.
            shape = [[int(n) for n in re.findall(r"\d+", row[size])] for size in ("Grid Size", "Block Size")]
            blocks, threads = map(math.prod, shape)
            launches[row["Kernel Name"].split("(")[0]] = (blocks, threads, row)
    return launches


def _sum(rows, accesses, memory, column):
    """What simt counts of these accesses. The row of turns repeats how often warps came there."""
    rows = [row for row in rows if row[0] in accesses and row[1] == memory]
    if column in ("times", "fewer"):
        return sum(row[2 if column == "times" else 3] for row in rows if row[4] != "turns")
    return sum(row[5] for row in rows if row[4] == column)


def _counter(row, names, less=()):
    """The sum of counters without others; None if ncu has no number for one."""
    number = lambda name: int(float(row[name].replace(",", "")))
    try:
        return sum(map(number, names)) - sum(map(number, less))
    except (KeyError, ValueError):
        return None


def compare(tables, launches):
    """Prints the rows, and returns how many are equal and how many there are."""
    equal = total = 0
    print(f"{'kernel':26} {'what':24} {'simt':>8} {'ncu':>8}")
    for kernel in _KERNELS:
        if kernel not in tables or kernel not in launches:
            print(f"{kernel:26} was not launched on both")
            continue
        (blocks, threads, costs), (*shape, counters) = tables[kernel], launches[kernel]
        if shape != [blocks, threads]:
            sys.exit(f"nsight.py: {kernel} has {blocks} blocks of {threads} on simt, and {shape} on the GPU")
        for what, accesses, memory, column, *names in _ROWS:
            simt, ncu = _sum(costs, accesses, memory, column), _counter(counters, *names)
            if ncu is None:
                print(f"{kernel:26} {what:24} {simt:8}           ncu has no such counter")
            elif simt or ncu:
                verdict = "equal" if simt == ncu else f"differs by {ncu - simt:+}"
                print(f"{kernel:26} {what:24} {simt:8} {ncu:8}  {verdict}")
                equal, total = equal + (simt == ncu), total + 1
        fewer = sum(_sum(costs, _READ + _WRITE + _CHANGE, memory, "fewer") for memory in ("global", "shared"))
        branches = _counter(counters, [_BRANCHES])
        print(f"{kernel:26} accesses by a part of a warp {fewer}; branches that part a warp {branches}")
    print(f"{equal} of {total} rows are equal")
    return total


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("lessons", type=pathlib.Path)
    parser.add_argument("--ncu", default="ncu")
    parser.add_argument("--keep", type=pathlib.Path)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = arguments.keep or pathlib.Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        costs, counters = folder / "costs.txt", folder / "counters.csv"
        costs.unlink(missing_ok=True)
        names = sorted({name for row in _ROWS for name in row[4]}) + [_BRANCHES]
        command = [
            arguments.ncu, "--clock-control", "none", "--csv", "--page", "raw", "--print-units", "base", "--log-file", counters,
            "--kernel-name", f"regex:^({'|'.join(_KERNELS)})$", "--metrics", ",".join(names),
            arguments.lessons.resolve(), "run", *_LESSONS, "--device", "gpu",
        ]
        ended = subprocess.run(command, env={**os.environ, "CUDA_STD_COSTS": str(costs)}, check=False)
        log = counters.read_text() if counters.exists() else ""
        if ended.returncode or not costs.exists():
            sys.exit(f"{log}\nnsight.py: {arguments.ncu} ended with {ended.returncode}")
        print("\n".join(line for line in log.splitlines() if line.startswith("==") and "==PROF==" not in line))
        if not compare(simulated(costs.read_text()), counted(log)):
            sys.exit("nsight.py: nothing was compared")


if __name__ == "__main__":
    main()
