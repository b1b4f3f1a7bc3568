#!/usr/bin/env python3
"""Runs command lines that people use with clingo, once with clingo and once with yasmin, and compares the two.

Usage: scripts/front-door.py [--yasmin FILE] [--table FILE]

The lines are those of tests/front-door/lines.txt; they run in tests/front-door/programs, with Debian's clingo, clasp
and gringo. The comparison looks at standard output and at the exit code. What no two solvers share is left out: times,
versions, the order of atoms and of answer sets, which answer set is found first, and the answer sets on the way to an
optimum. A line that still differs must name, after `##`, the part of docs/clingo.md that says why. The script ends with
1 if a line differs and names nothing, or names something and does not differ.
"""

import argparse
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LINES = ROOT / "tests/front-door/lines.txt"
PAGE = ROOT / "docs/clingo.md"
NAMES = re.compile(r"\b(clingo|clasp|yasmin)( version)? [0-9][^\n]*")
TIMES = re.compile(r"[0-9]+\.[0-9]+s")
MODELS = re.compile(r"(% |c )?Models +:")
THREADS = re.compile(r"(% |c )?Threads +:")
COST = re.compile(r"(Optimization: |COST |o -?[0-9]+$)")
VERDICT = re.compile(r"(s )?(SATISFIABLE|UNSATISFIABLE|UNKNOWN|OPTIMUM FOUND)$")


def run(line, path):
    """Standard output, the number of lines on standard error, and the exit code of a shell's line."""
    done = subprocess.run(["bash", "-c", line], cwd=ROOT / "tests/front-door/programs", env={**os.environ, "PATH": path},
                          stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60)
    return done.stdout, len(done.stderr.splitlines()), done.returncode


def of_json(text):
    """What a JSON document says, without what no two solvers share."""
    document = json.loads(text)
    for key in ["Solver", "Time", "Stats", "Threads", "Winner"]:
        document.pop(key, None)
    witnesses = [w for call in document.get("Call", []) for w in call.get("Witnesses", [])]
    kept = {key: value for key, value in document.items() if key != "Call"}
    # The values of a formula are numbers.
    sets = sorted((" ".join(sorted(map(str, w.get("Value", [])))), w.get("Costs")) for w in witnesses)
    models = document.get("Models", {})
    if models.get("Costs"):
        kept["Models"] = {k: v for k, v in models.items() if k != "Number"}
        sets = [s for s in sets if s[1] == models["Costs"]]
        sets = sorted(set(map(str, sets))) if models.get("Optimal", 0) > 1 else []
    elif "Brave" in models or "Cautious" in models:
        # How many answer sets lead to the consequences differs; the last ones are all.
        kept["Models"] = {k: v for k, v in models.items() if k != "Number"}
        sets = sorted(map(str, witnesses[-1].get("Value", [])))
    elif models.get("More") == "yes":
        sets = len(sets)
    return ["JSON", json.dumps(kept, sort_keys=True), str(sets)]


def of_text(text, line_typed):
    """The lines of the output, without what no two solvers share."""
    lines = TIMES.sub("#s", NAMES.sub("SOLVER", text)).splitlines()
    models = next((line.split(":")[1].strip() for line in lines if MODELS.match(line)), None)
    costs = [line for line in lines if COST.match(line)]
    # With bounds alone, all answer sets are told with their costs, and there is no optimum.
    has_optimum = any(re.match(r"OPTIMUM|s OPTIMUM|(%|c)? *Optimum +:", line) for line in lines)
    has_optimum &= "opt-mode=enum" not in line_typed
    if models is None:
        # Of a formula, the last model alone is told, and another one may be the last.
        words = [re.sub(r"^v .*", "v", " ".join(sorted(line.split(), key=lambda word: (word != "v", word)))) for line in lines]
        if not any(VERDICT.match(line) for line in lines):
            return words
        return words[-1:] + costs[-1:] if has_optimum else sorted(words)
    rest, sets, current = [], [], None
    for line in lines:
        if re.match(r"(% |c )?Answer: ", line):
            current = line
        elif line == "ANSWER" or re.match(r"(c )?Consequences: ", line):
            continue
        elif current is not None or re.match(r"v ", line):
            sets.append(" ".join(sorted(line.split())))
            current = None
        elif COST.match(line):
            if not has_optimum and sets:
                sets[-1] += f" | {line}"
        elif (has_optimum or "Consequences" in text) and MODELS.match(line):
            continue
        # How bounds rise depends on the time that a search takes.
        elif re.match(r"(c )?Progression :", line):
            continue
        # Other searchers join in if a search lasts.
        elif not THREADS.match(line) or re.search(r" -t|parallel-mode", line_typed):
            rest.append(line)
    if has_optimum:
        return rest + costs[-1:]
    if "Consequences" in text:
        return rest + sets[-1:]
    # The competition's format prints the last answer set alone, and another one may be the last.
    all_are_there = models == str(len(sets))
    return rest + (sorted(sets) if all_are_there else [f"{len(sets)} answer sets"])


def reduced(output, line):
    """What is compared of the output of a command line."""
    # A ground program in text may begin with a choice, `{a}.`
    return of_json(output) if output.startswith("{\n") else of_text(output, line)


def first_difference(ours, theirs):
    """The first line that differs, as the two have it."""
    for index in range(max(len(ours), len(theirs))):
        pair = [lines[index] if index < len(lines) else "(nothing)" for lines in (theirs, ours)]
        if pair[0] != pair[1]:
            return " → ".join(f"`{line[:60]}`" for line in pair)
    return ""


def main():
    """Runs all lines; see the module's documentation."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--yasmin", default=str(ROOT / "target/release/yasmin"), help="the binary to compare")
    parser.add_argument("--table", type=Path, help="write the table of the lines that differ there, as Markdown")
    typed = parser.parse_args()
    yasmin = Path(typed.yasmin).resolve()
    page = PAGE.read_text() if PAGE.exists() else ""
    rows, compared, wrong = [], 0, 0
    with tempfile.TemporaryDirectory() as folder:
        for name in ["clingo", "clasp"]:
            shim = Path(folder) / name
            shim.write_text(f'#!/bin/sh\nexec {shlex.quote(str(yasmin))} --device cpu "$@"\n')
            shim.chmod(0o755)
        for line in LINES.read_text().splitlines():
            if not line or line.startswith("#"):
                continue
            line, _, reason = (part.strip() for part in line.partition("##"))
            compared += 1
            theirs, their_notes, their_code = run(line, os.environ["PATH"])
            ours, our_notes, our_code = run(line, f"{folder}:{os.environ['PATH']}")
            difference = first_difference(reduced(ours, line), reduced(theirs, line))
            if their_code != our_code:
                difference = f"exit code {their_code} → {our_code}" + (f"; {difference}" if difference else "")
            is_told = f'<a id="{reason}">' in page
            if bool(difference) != bool(reason) or (reason and not is_told):
                wrong += 1
                why = "is not explained" if difference and not is_told else "does not differ"
                print(f"front-door: {line}\n    {why}: {difference or reason}", file=sys.stderr)
            if not difference:
                continue
            rows.append(f"| `{line.replace('|', chr(92) + '|')}` | {their_code} | {our_code} | {their_notes} | {our_notes} "
                        f"| {difference.replace('|', chr(92) + '|')} | {reason} |")
    if typed.table:
        heading = "| line | exit code of clingo | of yasmin | lines on standard error, clingo | yasmin | differs, clingo → yasmin | why |"
        typed.table.write_text("\n".join([
            "# Command lines of clingo's users, with clingo and with yasmin", "",
            f"Of {compared} lines that clingo's users type, these {len(rows)} print or return something else with yasmin;",
            "the others do not differ. docs/clingo.md explains each difference under the name in the last column.", "",
            heading, "| --- | --- | --- | --- | --- | --- | --- |", *rows, ""]))
    print(f"front-door: {compared} lines, {wrong} without a true reason")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
