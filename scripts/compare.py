#!/usr/bin/env python3
"""Compares yasmin with clingo on the files of a folder: verdict, number of answer sets, optimum.

Usage: scripts/compare.py FOLDER [--yasmin BINARY] [--models N] [--time SECONDS] [-- OPTIONS FOR BOTH]

Takes .lp, .aspif, .sm and .lparse files, each for itself, prints a line a file, and ends with the differences and their
number. What cannot be run by itself (scripts, programs in parts, theories, missing files, errors) is told as that, with the
reason. With --models 0, the default, a file with more answer sets than can be listed in time is tried again with 1000, and
then with one. Exit code 1 if anything differs.
"""
import argparse
import json
import os
import re
import subprocess
import sys

ENDINGS = (".lp", ".aspif", ".sm", ".lparse")
PYTHON = os.environ.get("YASMIN_PYTHON", sys.executable)


def run(command, seconds):
    """A command's JSON document (None if there is none), its words on standard error, and whether it took too long."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=seconds + 20)
    except subprocess.TimeoutExpired:
        return None, "", True
    try:
        document = json.loads(done.stdout)
    except json.JSONDecodeError:
        return None, done.stderr, False
    return document, done.stderr, "TIME LIMIT" in document


def solve(solver, path, models, seconds, options):
    limit = f"--time-limit={seconds}"
    return run([*solver, path, str(models), "--outf=2", limit, *options], seconds)


def reason(stderr):
    """Why a program cannot be run, in few words: the first error that names a place, else the first error, else the last line."""
    lines = [line.strip().lstrip("* ") for line in stderr.splitlines() if line.strip()]
    lines = [line for line in lines if "_handle_error" not in line and "Traceback" not in line]
    for pattern in (r": error: ", r"(?i)\berror\b|not supported"):
        for place, line in enumerate(lines):
            if re.search(pattern, line):
                # What is meant stands below where the line ends in a colon.
                line += " " + lines[place + 1] if line.endswith(":") and place + 1 < len(lines) else ""
                return line.removeprefix("RuntimeError: ")[:200]
    return lines[-1][:200] if lines else "no output"


def not_by_itself(path):
    """Why a file needs more than one call of a solver that only grounds and solves, or None."""
    if not path.endswith(".lp"):
        return None
    with open(path, errors="replace") as file:
        text = file.read()
    # Comments, and texts, in which a percent sign is none.
    text = re.sub(r'("(?:\\.|[^"\\\n])*")|%\*.*?\*%|%[^\n]*', lambda found: found[1] or " ", text, flags=re.S)
    for pattern, told in (
        (r"#script\b", "#script"),
        (r"#include\s*<incmode>|#include\s*<iclingo>", "incremental"),
        (r"#theory\b|(?<![\w&])&\s*[a-z_]\w*\s*[{(]", "theory"),
        (r"#program\s+(?!base\b)", "#program parts"),
    ):
        if re.search(pattern, text):
            return told
    folder = os.path.dirname(path)
    for name in re.findall(r'#include\s*"([^"]+)"', text):
        if not os.path.exists(name) and not os.path.exists(os.path.join(folder, name)):
            return f"#include of {name}, which is missing"
    return None


def facts(document, models):
    """What both must agree on."""
    result, number = document["Result"], document["Models"]["Number"]
    costs = document["Models"].get("Costs")
    told = {"verdict": result}
    if costs is not None:
        # How many answer sets lead to an optimum is anybody's choice.
        if result == "OPTIMUM FOUND":
            told["optimum"] = costs
    else:
        told["models"] = number
        if document["Models"]["More"] == "no" and models == 0:
            witnesses = document["Call"][-1].get("Witnesses", [])
            told["answer sets"] = sorted(" ".join(sorted(set(w["Value"]))) for w in witnesses)
    return told


def compare(path, args):
    """A word, what to say, and whether it differs."""
    needs = not_by_itself(path)
    theirs_solver = [PYTHON, "-m", "clingo", *(["--mode=clasp"] if not path.endswith(".lp") else [])]
    for models in ([0, 1000, 1] if args.models == 0 else [args.models]):
        theirs, their_words, their_timeout = solve(theirs_solver, path, models, args.time, args.options)
        ours, our_words, our_timeout = solve([args.yasmin], path, models, args.time, args.options)
        if theirs is None or theirs.get("Result") == "UNKNOWN" and not their_timeout:
            same = ours is None or ours.get("Result") == "UNKNOWN"
            ours_told = reason(our_words) if same else ours["Result"]
            told = f"{needs}; " if needs else ""
            return "cannot be run", f"{told}clingo: {reason(their_words)}; yasmin: {ours_told}", False
        if ours is None and not our_timeout:
            if needs:
                return "cannot be run", f"{needs}; clingo: {theirs['Result']}; yasmin: {reason(our_words)}", False
            return "REFUSED", reason(our_words), True
        if not their_timeout and not our_timeout:
            break
    if their_timeout or our_timeout:
        who = [name for name, late in (("clingo", their_timeout), ("yasmin", our_timeout)) if late]
        return "no verdict in time", " and ".join(who), our_timeout and not their_timeout
    one, other = facts(ours, models), facts(theirs, models)
    told = f"{one['verdict']}, {ours['Models']['Number']} answer sets, {one.get('optimum', 'no optimum')}"
    differing = [key for key in one if one[key] != other.get(key)]
    if differing:
        key = differing[0]
        told = f"{key}: yasmin {str(one[key])[:300]}, clingo {str(other.get(key))[:300]}"
        # Parts other than `base` are left out by both, so that a difference there is one.
        if needs and needs != "#program parts":
            return "cannot be run", f"{needs}; {told}", False
        return "DIFFERENT", told, True
    return "same", told, False


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("--yasmin", default="target/release/yasmin")
    parser.add_argument("--models", type=int, default=0)
    parser.add_argument("--time", type=int, default=10, help="seconds a run")
    # By hand: argparse takes no list behind `--` once other options stand between it and the folder.
    words, behind = sys.argv[1:], []
    if "--" in words:
        at = words.index("--")
        words, behind = words[:at], words[at + 1 :]
    args = parser.parse_args(words)
    args.options = behind
    files = [args.folder] if os.path.isfile(args.folder) else sorted(
        os.path.join(folder, name)
        for folder, _, names in os.walk(args.folder)
        for name in names
        if name.endswith(ENDINGS)
    )
    counts, differences = {}, []
    for path in files:
        word, told, differs = compare(path, args)
        counts[word] = counts.get(word, 0) + 1
        line = f"{os.path.relpath(path, args.folder)}: {word}: {told}"
        print(line, flush=True)
        if differs:
            differences.append(line)
    print(f"\n{len(files)} files: " + ", ".join(f"{n} {word}" for word, n in sorted(counts.items())))
    for line in differences:
        print("  " + line)
    return 1 if differences else 0


if __name__ == "__main__":
    sys.exit(main())
