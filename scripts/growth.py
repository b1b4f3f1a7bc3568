#!/usr/bin/env python3
"""Prints a table: what a step of a program costs that grows by three atoms and one external atom a step, and how much memory
the process has more than after the first step; by yasmin and by clingo through Python, each in a process of its own.

    scripts/growth.py [STEPS] [-- OPTION...]     # 1600 steps; the options are for both, for example -t1

Needs the packages yasmin and clingo. `cargo test --release -p yasmin --test growth measured -- --ignored --nocapture` tells the
same of the Rust library, without Python and a grounder.
"""

import importlib
import subprocess
import sys
import time

_PROGRAM = "{ a(t); b(t); c(t) }. #external q(t). :- not a(t), not b(t), q(t)."
_MARKS = (100, 200, 400, 800, 1600, 3200, 6400)


def _memory():
    """The memory that the process has, in KiB."""
    with open("/proc/self/status") as status:
        return int(next(line for line in status if line.startswith("VmRSS")).split()[1])


def _grow(package, steps, options):
    from clingo import Function, Number

    control = importlib.import_module(package).Control(options)
    control.add("step", ["t"], _PROGRAM)
    begun, last = time.process_time(), 0
    for step in range(1, steps + 1):
        control.ground([("step", [Number(step)])])
        control.assign_external(Function("q", [Number(step)]), True)
        assert control.solve().satisfiable
        control.release_external(Function("q", [Number(step)]))
        if step == 1:
            start = _memory()
        if step in _MARKS:
            now = time.process_time()
            more = (_memory() - start) / 1024
            print(f"| {package} | {last + 1} to {step} | {(now - begun) / (step - last) * 1000:.2f} | {more:.1f} |", flush=True)
            begun, last = now, step


def main():
    arguments = sys.argv[1:]
    if arguments[:1] == ["--grow"]:
        _grow(arguments[1], int(arguments[2]), arguments[3:])
        return
    own, options = arguments, []
    if "--" in arguments:
        at = arguments.index("--")
        own, options = arguments[:at], arguments[at + 1:]
    steps = own[0] if own else "1600"
    print("| package | steps | ms a step | MiB over the first step |\n| --- | --- | --: | --: |", flush=True)
    for package in ("clingo", "yasmin"):
        subprocess.run([sys.executable, __file__, "--grow", package, steps, *options], check=True)


if __name__ == "__main__":
    main()
