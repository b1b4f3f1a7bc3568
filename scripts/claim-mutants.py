#!/usr/bin/env python3
"""Changes each line that says how a search by several searchers goes on and ends, one at a time, and runs random
programs whose verdicts and claims are compared with the definition: a change that nothing notices is not tested.

Usage: scripts/claim-mutants.py [OPTIONS]

The changes are in tests/claim-mutants.txt, each in a few lines:

    @ FILE
    - the text that is changed; further lines of it begin with "- ", too
    + what takes its place; no such line: the text is left out
    = why no test can notice the change (only if none can)

One build serves for all changes: in a copy of the source each changed text stands beside its original, and the environment
says which counts. Exit code 1 if a change is neither noticed nor argued, or argued in vain; 65 if something is missing.
"""

import argparse
import concurrent.futures
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TABLE = ROOT / "tests" / "claim-mutants.txt"
SWITCH = """
/// Whether a change of the source counts in this run.
#[cfg(not(target_arch = "nvptx64"))]
pub fn is_changed(number: u32) -> bool {
    extern crate std;
    static NUMBER: std::sync::OnceLock<u32> = std::sync::OnceLock::new();
    *NUMBER.get_or_init(|| std::env::var("YASMIN_CHANGE").map_or(0, |n| n.parse().expect("a number"))) == number
}

/// On a GPU no change counts.
#[cfg(target_arch = "nvptx64")]
#[inline(always)]
pub fn is_changed(_number: u32) -> bool {
    false
}
"""


def missing(text):
    print(f"claim-mutants: error: {text}", file=sys.stderr)
    sys.exit(65)


class Change:
    def __init__(self, number, line, file):
        self.number, self.line, self.file = number, line, file
        self.old, self.new, self.why = [], [], ""

    def __str__(self):
        return f"{self.number:3} {self.file}: {' '.join(' '.join(self.old).split())[:90]}"


def read_table():
    changes = []
    for number, line in enumerate(TABLE.read_text().splitlines(), 1):
        mark, text = line[:2], line[2:]
        if mark == "@ ":
            changes.append(Change(len(changes) + 1, number, text.strip()))
        elif mark in ("- ", "+ ", "= ") and changes:
            change = changes[-1]
            {"- ": change.old, "+ ": change.new}.get(mark, []).append(text)
            change.why = text if mark == "= " else change.why
        elif line.strip() and not line.startswith("#"):
            missing(f"{TABLE.name}:{number}: expected a line that begins with @, -, + or =")
    return changes


def apply_changes(changes, to):
    """Copies the source, with each change beside its original."""
    files = subprocess.run(["git", "-C", ROOT, "ls-files"], check=True, capture_output=True, text=True).stdout.split("\n")
    for file in filter(None, files):
        (to / file).parent.mkdir(parents=True, exist_ok=True)
        if (ROOT / file).exists() and not (to / file).is_symlink():
            shutil.copy2(ROOT / file, to / file, follow_symlinks=False)
    texts = {}
    for change in changes:
        text = texts.setdefault(change.file, (ROOT / change.file).read_text())
        lines = [line.strip() for line in change.old]
        found = [at for at in range(len(text)) if text.startswith(lines[0], at)] if lines else []
        spans = [end for end in (span_of(text, at, lines) for at in found) if end]
        if len(spans) != 1:
            missing(f"{TABLE.name}:{change.line}: the text stands {len(spans)} times in {change.file}")
        begin, end = spans[0]
        switch = "crate" if change.file.startswith("solver-gpu/") else "solver_gpu"
        new = "\n".join(change.new)
        both = f"{{ if {switch}::is_changed({change.number}) {{ {new} }} else {{ {text[begin:end]} }} }}"
        texts[change.file] = text[:begin] + both + text[end:]
    for file, text in texts.items():
        (to / file).write_text(text)
    lib = to / "solver-gpu/src/lib.rs"
    lib.write_text(lib.read_text() + SWITCH)


def span_of(text, at, lines):
    """Where the lines stand that begin at a place, whatever their indentation."""
    begin = at
    for line in lines:
        while text[at:at + 1] in (" ", "\n"):
            at += 1
        if not text.startswith(line, at):
            return None
        at += len(line)
    return begin, at


def run(binary, change, commands, seconds):
    """How a change is noticed: the number of the command and how, or None."""
    environment = {**os.environ, "YASMIN_CHANGE": str(change.number if change else 0), "RUST_BACKTRACE": "0"}
    for number, words in enumerate(commands, 1):
        try:
            done = subprocess.run([binary, *words], env=environment, capture_output=True, timeout=seconds, text=True)
        except subprocess.TimeoutExpired:
            return f"command {number}: longer than {seconds} s"
        if done.returncode != 0:
            lines = (done.stdout + done.stderr).splitlines()
            told = next((line for line in lines if "DIFFERENT" in line or "rror" in line or "panicked" in line), "")
            return f"command {number}: {told[:160]}"
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0], formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--only", type=int, nargs="*", help="the numbers of the changes to try")
    parser.add_argument("--seconds", type=int, default=120, help="the most seconds of one command (default: 120)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="how many changes at once")
    parser.add_argument("--folder", type=Path, default=ROOT / "target/claim-mutants", help="for the copy and its build")
    parser.add_argument("--check", action="store_true", help="only compare the table with the source")
    standard = ["--claims 3000", "--claims 300 --device simt", "--proofs 1000 --device cpu --differences"]
    parser.add_argument("command", nargs="*", default=standard,
                        help="arguments of yasmin-conformance, a command each")
    options = parser.parse_args()
    changes = read_table()
    copy = options.folder / "source"
    shutil.rmtree(copy, ignore_errors=True)
    apply_changes(changes, copy)
    if options.check:
        print(f"{len(changes)} changes, each of which has its place")
        return 0
    build = ["cargo", "build", "--release", "--quiet", "--package", "yasmin-tests", "--bin", "yasmin-conformance"]
    environment = {**os.environ, "CARGO_TARGET_DIR": str(options.folder / "target"), "RUSTFLAGS": "-Awarnings"}
    if subprocess.run(build, cwd=copy, env=environment).returncode != 0:
        missing("the copy of the source cannot be built")
    binary = options.folder / "target/release/yasmin-conformance"
    commands = [words.split() for words in options.command]
    unchanged = run(binary, None, commands, options.seconds)
    if unchanged:
        missing(f"a command fails without any change: {unchanged}")
    chosen = [change for change in changes if not options.only or change.number in options.only]
    began, wrong, noticed = time.time(), 0, 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for change, how in zip(chosen, pool.map(lambda c: run(binary, c, commands, options.seconds), chosen)):
            noticed += how is not None
            verdict = f"noticed ({how})" if how else ("argued" if change.why else "NOT NOTICED")
            wrong += (how is None) != bool(change.why)
            print(f"{change}: {verdict}{', ARGUED IN VAIN' if how and change.why else ''}", flush=True)
    print(f"{noticed} of {len(chosen)} changes noticed, {wrong} wrong, {time.time() - began:.0f} s")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
