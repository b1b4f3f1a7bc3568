#!/usr/bin/env python3
"""Compares the optima that yasmin finds of formulas in OPB, WBO and WCNF with those of clasp and of RC2.

Usage: scripts/formulas.py FOLDER [--yasmin FILE] [--seconds N] [--table FILE]

Each file below FOLDER whose name ends with .opb, .wbo or .wcnf is an instance. clasp is asked on the path,
and does not read the newer WCNF, which has no line `p wcnf`. RC2 is a part of the package python-sat of
PyPI (`python3 -m pip install python-sat`), and reads WCNF alone. clasp does not read `<=` in OPB: it gets a
copy of such an instance, with `>=` and opposite signs.

What one solver says of an instance must not contradict what another one says: one optimum, no optimum of a
formula without a model, and no model that costs less than an optimum. The script prints a line for each
instance and the numbers at the end. It ends with 1 if two solvers contradict each other, or if yasmin
refuses an instance that clasp solves, and with 65 if there is nothing to compare.
"""

import argparse
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

RC2 = """
import sys
from pysat.examples.rc2 import RC2Stratified
from pysat.formula import WCNF
with RC2Stratified(WCNF(from_file=sys.argv[1])) as solver:
    print("s UNSATISFIABLE" if solver.compute() is None else f"o {solver.cost}\\ns OPTIMUM FOUND")
"""


def last_line(text):
    """The last line of what a solver wrote to standard error."""
    return (text.strip().splitlines() or ["no verdict"])[-1]


def asked(command, seconds):
    """What a solver says in so many seconds: the verdict, the least costs and the last line of an error."""
    try:
        done = subprocess.run(
            command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=seconds + 10
        )
    except subprocess.TimeoutExpired:
        return "UNKNOWN", None, ""
    except FileNotFoundError:
        return "MISSING", None, f"{command[0]} is missing"
    verdict = re.findall(r"^s ([A-Z ]+)$", done.stdout, re.M)
    if done.returncode == 65:
        return "ERROR", None, last_line(done.stderr)
    costs = [int(cost) for cost in re.findall(r"^o (-?[0-9]+)$", done.stdout, re.M)]
    if not verdict:
        is_late = done.returncode == 124
        refused = "timed out" if is_late else last_line(done.stderr)
        return "UNKNOWN" if is_late else "ERROR", costs[-1] if costs else None, refused
    return verdict[-1], costs[-1] if costs else None, ""


def rewritten(text):
    """The same formula in OPB without `<=`; `None` if there is none."""
    def opposite(found):
        sum_, bound = found.groups()
        signs = {"+": "-", "-": "+"}
        return re.sub(r"[+-]", lambda sign: signs[sign.group()], sum_) + ">= " + str(-int(bound))

    if "<=" not in text:
        return None
    if re.search(r"(^|;)[^;*]*<[^=]|(^|;)\s*[0-9][^;*]*<=", text, re.M):
        return None
    return re.sub(r"((?:[+-]\s*[0-9]+\s+(?:~?x[0-9]+\s*)+)+)<=\s*([+-]?[0-9]+)", opposite, text)


def contradiction(told):
    """What the solvers contradict each other about; empty if they do not."""
    known = {name: (verdict, cost) for name, (verdict, cost, _) in told.items()}
    finds = ("SATISFIABLE", "OPTIMUM FOUND")
    has_model = {name for name, (verdict, cost) in known.items() if verdict in finds or cost is not None}
    has_none = {name for name, (verdict, _) in known.items() if verdict == "UNSATISFIABLE"}
    if has_model and has_none:
        return f"{sorted(has_model)} found a model, and {sorted(has_none)} say that there is none"
    # clasp leaves costs out that it finds to be 0 while it reads.
    optima = {name: cost or 0 for name, (verdict, cost) in known.items() if verdict == "OPTIMUM FOUND"}
    if len(set(optima.values())) > 1:
        return f"different optima: {optima}"
    if not optima:
        return ""
    least = min(optima.values())
    less = {name: cost for name, (_, cost) in known.items() if cost is not None and cost < least}
    return f"{less} is less than the optimum {optima}" if less else ""


def shown(of, verdict, cost, why):
    """What a solver says, for a line of the output."""
    return f"{of}: {verdict}{'' if cost is None else f' {cost}'}{f' ({why[:100]})' if why else ''}"


def row(name, said):
    """The row of a table for an instance."""
    cells = [text.split(": ", 1)[1].replace("|", "\\|") for text in said]
    return f"| {name} | {' | '.join(cells + ['-'] * (3 - len(cells)))} |"


def main():
    """Compares all instances; see the module's documentation."""
    formatter = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=formatter)
    parser.add_argument("folder", type=Path, help="where the instances are")
    parser.add_argument("--yasmin", default=str(ROOT / "target/release/yasmin"), help="the binary to compare")
    parser.add_argument("--seconds", type=int, default=20, help="the time of each solver for each instance")
    parser.add_argument("--table", type=Path, help="write a table of all instances there, as Markdown")
    typed = parser.parse_args()
    suffixes = (".opb", ".wbo", ".wcnf")
    instances = sorted(path for path in typed.folder.rglob("*") if path.suffix.lower() in suffixes)
    if not instances:
        error = f"{typed.folder} has no .opb, .wbo or .wcnf; name a folder with instances"
        print(f"formulas: error: {error}", file=sys.stderr)
        return 65
    imported = [sys.executable, "-c", "import pysat.examples.rc2"]
    has_rc2 = subprocess.run(imported, capture_output=True).returncode == 0
    if not has_rc2:
        print("formulas: SKIPPED: RC2: python-sat is missing")
    limit = ["timeout", str(typed.seconds)]
    rows, wrong, counts = [], 0, {"agreed": 0, "alone": 0, "open": 0, "refused": 0}
    folder = tempfile.TemporaryDirectory()
    copies = 0
    for path in instances:
        name = str(path.relative_to(typed.folder))
        text = rewritten(path.read_text(errors="replace")) if path.suffix.lower() == ".opb" else None
        for_clasp = path
        if text is not None:
            copies += 1
            for_clasp = Path(folder.name) / f"{copies}.opb"
            for_clasp.write_text(text)
        options = ["-q1", "-V0", f"--time-limit={typed.seconds}"]
        told = {"yasmin": asked([typed.yasmin, "--device=cpu", *options, str(path)], typed.seconds),
                "clasp": asked(["clasp", *options, str(for_clasp)], typed.seconds)}
        if has_rc2 and path.suffix.lower() == ".wcnf":
            told["rc2"] = asked([*limit, sys.executable, "-c", RC2, str(path)], typed.seconds)
        what = contradiction(told)
        verdicts = ("OPTIMUM FOUND", "UNSATISFIABLE", "SATISFIABLE")
        solved = {of for of, (verdict, _, _) in told.items() if verdict in verdicts}
        others = solved - {"yasmin"}
        if told["yasmin"][0] == "ERROR":
            counts["refused"] += 1
            what = what or ("yasmin refuses what clasp solves" if "clasp" in others else "")
        elif "yasmin" not in solved:
            counts["open"] += 1
        else:
            counts["agreed" if others else "alone"] += 1
        if what:
            wrong += 1
            print(f"formulas: DIFFERS: {name}: {what}")
        said = [shown(of, *answer) for of, answer in told.items()]
        print(f"formulas: {name}: {'; '.join(said)}", flush=True)
        rows.append(row(name, said))
    if typed.table:
        heading = ["| instance | yasmin | clasp | RC2 |", "| --- | --- | --- | --- |"]
        typed.table.write_text("\n".join([*heading, *rows, ""]))
    print(f"formulas: {len(instances)} instances, {copies} of them rewritten without `<=` for clasp: "
          f"{counts['agreed']} with the verdict and the optimum of another solver, "
          f"{counts['alone']} that yasmin alone has solved, "
          f"{counts['open']} that yasmin has not solved in {typed.seconds} s, "
          f"{counts['refused']} refused; {wrong} differ")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
