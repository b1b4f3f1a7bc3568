#!/usr/bin/env python3
"""Compares yasmin with clingo on the files of a folder: verdict, number of answer sets, optimum.

Usage: scripts/compare.py FOLDER [--yasmin BINARY] [--models N] [--time SECONDS] [-- OPTIONS FOR BOTH]

Takes .lp, .aspif, .sm and .lparse files, each for itself, prints a line a file, and ends with the differences and their number. What
cannot be run by itself (scripts, programs in parts, theories, missing files, no facts) is told as that. With --models 0, the default, a file
with more answer sets than can be listed in time is tried again with 1000, and then with one. Exit code 1 if anything differs.
"""
import argparse
import json
import os
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
    """Why a program cannot be run, in few words."""
    for line in stderr.splitlines():
        line = line.strip().lstrip("* ")
        if "rror" in line or "not supported" in line:
            return line[:140]
    return stderr.strip()[:140] or "no output"


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
    theirs_solver = [PYTHON, "-m", "clingo", *(["--mode=clasp"] if not path.endswith(".lp") else [])]
    for models in ([0, 1000, 1] if args.models == 0 else [args.models]):
        theirs, their_words, their_timeout = solve(theirs_solver, path, models, args.time, args.options)
        ours, our_words, our_timeout = solve([args.yasmin], path, models, args.time, args.options)
        if theirs is None or theirs.get("Result") == "UNKNOWN" and not their_timeout:
            same = ours is None or ours.get("Result") == "UNKNOWN"
            ours_told = reason(our_words) if same else ours["Result"]
            return "cannot be run", f"clingo: {reason(their_words)}; yasmin: {ours_told}", False
        if ours is None and not our_timeout:
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
        return "DIFFERENT", f"{key}: yasmin {str(one[key])[:300]}, clingo {str(other.get(key))[:300]}", True
    return "same", told, False


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("--yasmin", default="target/release/yasmin")
    parser.add_argument("--models", type=int, default=0)
    parser.add_argument("--time", type=int, default=10, help="seconds a run")
    parser.add_argument("options", nargs="*", help="options for both, behind --")
    args = parser.parse_args()
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
