#!/usr/bin/env python3
"""Leaves out each barrier, warp synchronisation and fence of the kernels, and takes each atomic access as plain, one at a
time, and runs tests: a test that still passes does not test that place.

Usage: scripts/mutants.py [OPTIONS]

One build serves for all places: the environment tells the executor simt what to leave out (docs/executors.md). A place is
tried with those tests alone that pass it, the quickest first, until one fails. A test that takes five times as long as
usual fails as well.

Every place must be noticed, or have a line in tests/mutants.txt that says why nothing can notice it:

    KIND FILE FUNCTION :: PART OF THE SOURCE LINE :: ARGUMENT

Lines of the source shift, so a place is told by its function and by a part of its line, in which the call begins. If
several lines of the function have that part, `#2` after it takes the second. With `*` for file and function the argument
is for all places of the kind whose lines have the part, if they are not noticed.

Exit code 1 if a place is neither noticed nor argued, or argued in vain: noticed all the same, passed by no test, or not
in the source. Exit code 65 if something is missing, or if a test fails with all places in.
"""

import argparse
import concurrent.futures
import json
import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
KINDS = ["barrier", "barrier-after", "warp", "fence", "atomic"]
# The places that count: those of the kernels, and those of the library below.
FOLDERS = ["solver-gpu/src/", "rust-cuda/cuda_std/src/"]
# What a test says as soon as it fails. The test is ended then.
FAILED = re.compile(r"\.\.\. FAILED$|^DIFFERENT: |^yasmin: error: ")
# The exit codes of `yasmin` after a search.
SEARCHED = [10, 20, 30]
# The most memory of a test, in bytes: what a mutant computes may be any number.
MOST_MEMORY = 16 << 30

# A name, what the table calls it, the file in the folder of binaries, and each run's arguments. Two warps are as many as a
# race needs. The step makes few programs vary all options.
PROGRAMS = ["--device", "simt", "--threads", "64", "--step", "100003"]
KERNELS = ["lockstep::the_resident", "lockstep::a_search_goes_on", "sharing",
           "crew::tests::searchers_in_blocks"]
TESTS = [
    ("unit", "unit tests", "solver-gpu-tests", [["--test-threads=1"]]),
    ("kernels", "kernel tests", "yasmin-search-tests", [["--test-threads=1", filter, "--skip=::cpu"] for filter in KERNELS]),
    ("programs", "random programs", "yasmin-conformance",
     [[*PROGRAMS, "--seed", "1", "--programs", "100", "--rich", "10"],
      [*PROGRAMS, "--seed", "1001", "--programs", "400", "--rich", "50"],
      # Each program by several blocks that share cubes, nogoods and bounds.
      [*PROGRAMS, "--searchers", "3", "--seed", "3001", "--programs", "60", "--rich", "30"],
      # Also blocks of one warp, and of sixteen.
      [*PROGRAMS[:2], *PROGRAMS[4:], "--seed", "2001", "--programs", "60", "--rich", "12"]]),
    # Longer searches, larger bitmaps, longer lists of watched literals, several conflicts in one step.
    ("samples", "sample programs", "yasmin",
     [[f"data/{words[0]}.aspif", *words[1:], "--device", "simt", "--threads-per-block", "64", "-q"]
      for words in [["pigeons"], ["reach", "20", "--no-simplify"], ["sudoku", "--no-simplify"],
                    ["pigeons", "--conflicts", "8"], ["pigeons", "--conflicts", "8", "--engine", "host"]]]),
]


class Missing(Exception):
    """Why nothing can be tested."""


class Place:
    """A place of the source that can be left out."""

    def __init__(self, text):
        self.text = text
        self.kind, self.file, line, column = text.split(":")
        self.line, self.column = int(line), int(column)

    def __lt__(self, other):
        return self.key() < other.key()

    def key(self):
        return self.file, self.line, self.column, KINDS.index(self.kind)

    def counts(self, sources):
        """Whether the place is one of a kernel, not of a test."""
        return self.file.startswith(tuple(FOLDERS)) and self.line < sources.tests_begin(self.file)


class Sources:
    """The lines of the source files."""

    def __init__(self):
        self.files = {}

    def lines(self, file):
        if file not in self.files:
            try:
                self.files[file] = (ROOT / file).read_text().splitlines()
            except OSError as error:
                raise Missing(f"{file}: {error.strerror}; run the script in the source that the tests were built from")
        return self.files[file]

    def tests_begin(self, file):
        """The line where the unit tests of a file begin."""
        if file.endswith("testing.rs"):
            return 0
        lines = self.lines(file)
        marks = [number for number, line in enumerate(lines, 1) if line.startswith("#[cfg(test)]")]
        return marks[0] if marks else len(lines) + 1

    def line(self, place):
        return self.lines(place.file)[place.line - 1].strip()

    def function(self, file, number):
        """The function around a line: the last one before that is indented less."""
        lines = self.lines(file)
        indent = len(lines[number - 1]) - len(lines[number - 1].lstrip())
        for line in reversed(lines[:number]):
            found = re.match(r"( *)(?:pub(?:\([a-z]+\))? )?(?:const )?(?:unsafe )?fn ([a-z0-9_]+|\$[a-z]+)", line)
            if found and (len(found[1]) < indent or line is lines[number - 1]):
                return found[2]
        return "-"


class Argument:
    """A line of the file of arguments."""

    def __init__(self, number, line):
        parts = [part.strip() for part in line.split(" :: ", 2)]
        words = parts[0].split()
        if len(parts) != 3 or len(words) != 3 or words[0] not in KINDS or not parts[2]:
            raise Missing(f"tests/mutants.txt:{number}: expected KIND FILE FUNCTION :: PART OF THE LINE :: ARGUMENT")
        self.number, (self.kind, self.file, self.function) = number, words
        self.snippet, _, which = parts[1].partition(" #")
        self.which, self.argument = int(which) if which else None, parts[2]

    def is_general(self):
        return (self.file, self.function) == ("*", "*")

    def fits(self, place, sources):
        """Whether the call begins in the part of the line."""
        begin = sources.lines(place.file)[place.line - 1].find(self.snippet) + 1
        return place.kind == self.kind and 0 < begin <= place.column < begin + len(self.snippet)

    def lines(self, sources):
        """The numbers of the lines that fit: one, if all is well."""
        fit = [number for number, line in enumerate(sources.lines(self.file), 1)
               if self.snippet in line and sources.function(self.file, number) == self.function]
        return fit if self.which is None else fit[self.which - 1:self.which]

    def places(self, places, sources):
        """The places that are meant, of those that tests pass: at most one, if one line fits."""
        lines = self.lines(sources)
        return [place for place in places if place.file == self.file and place.line in lines and self.fits(place, sources)]


def arguments_of(path):
    if not path.exists():
        raise Missing(f"{path} is not there")
    lines = enumerate(path.read_text().splitlines(), 1)
    return [Argument(number, line) for number, line in lines if line.strip() and not line.startswith("#")]


def cargo(*words):
    """Builds, and gives the executables that were built."""
    command = ["cargo", *words, "--message-format=json-render-diagnostics"]
    done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
    if done.returncode != 0:
        raise Missing(f"`{' '.join(command)}` failed")
    messages = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    return [message["executable"] for message in messages if message.get("executable")]


def collect(folder, tests, profile):
    """Builds the tests and puts them into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    options = ["--profile", profile]
    packages = {"solver-gpu-tests": "solver-gpu", "yasmin-search-tests": "yasmin-search"}
    for _, _, binary, _ in tests:
        print(f"mutants: building {binary}", file=sys.stderr, flush=True)
        if binary in packages:
            built = cargo("test", "--no-run", "--package", packages[binary], "--lib", *options)
        else:
            package = "yasmin-cli" if binary == "yasmin" else "yasmin-tests"
            built = cargo("build", "--package", package, "--bin", binary, *options)
        (folder / binary).unlink(missing_ok=True)
        shutil.copy(built[-1], folder / binary)
        if shutil.which("strip"):
            subprocess.run(["strip", folder / binary], check=True)


def run(command, extra, limit):
    """Runs a test. Returns whether it failed, whether it took too long, the seconds, and the last lines of its output."""
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("CUDA_STD_")}
    began, last, failed, late = time.monotonic(), [], False, threading.Event()

    def bound():
        resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

    # A test that is ended leaves its files behind.
    with tempfile.TemporaryDirectory(prefix="yasmin-mutants-") as scratch:
        process = subprocess.Popen(command, env={**inherited, "TMPDIR": scratch, **extra}, cwd=ROOT,
                                   stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                   errors="replace", preexec_fn=bound)

        def end():
            late.set()
            process.kill()

        watch = threading.Timer(limit, end)
        watch.start()
        with process:
            for line in process.stdout:
                last = [*last[-30:], line.rstrip()]
                if FAILED.search(line.rstrip()):
                    failed = True
                    process.kill()
                    break
        watch.cancel()
    failed = failed or process.returncode not in (SEARCHED if command[0].name == "yasmin" else [0])
    return failed, late.is_set(), time.monotonic() - began, last


def passed_by(tests, binaries):
    """Runs each test with all places in. Returns the runs, the quickest first, each with its places and its seconds."""
    runs = []
    for name, title, binary, runs_words in tests:
        if not os.access(binaries / binary, os.X_OK):
            raise Missing(f"{binaries / binary} is not there; `scripts/mutants.py --collect {binaries}` builds it")
        for words in runs_words:
            with tempfile.TemporaryDirectory() as folder:
                file, command = Path(folder) / "places", [binaries / binary, *words]
                failed, _, seconds, last = run(command, {"CUDA_STD_PLACES": str(file)}, 3600)
                if failed:
                    raise Missing("\n".join([*last, f"the {title} fail with all places in"]))
                lines = set(file.read_text().splitlines()) if file.exists() else set()
            if not lines:
                raise Missing(f"the {title} pass no place; do they run on simt, with the check?")
            runs.append({"name": name, "command": command, "places": lines, "seconds": seconds})
            print(f"mutants: {title} pass {len(lines)} places in {seconds:.1f} s", file=sys.stderr, flush=True)
    return sorted(runs, key=lambda some: some["seconds"])


def try_without(place, runs):
    """Leaves out a place. Returns the name of the test that notices, or None, and whether the test took too long."""
    for some in runs:
        if place.text in some["places"]:
            failed, late, _, _ = run(some["command"], {"CUDA_STD_WITHOUT": place.text}, 20 + 5 * some["seconds"])
            if failed:
                return some["name"], late
    return None, False


def percent(part, whole):
    return f"{100 * part / whole:.0f} %" if whole else "-"


def table(title, groups, tests, outcomes, argued):
    """A table with a line for each group of places."""
    names = [test_title for _, test_title, _, _ in tests]
    yield "| " + " | ".join([title, "places", *names, "too slow", "argued", "not noticed", "noticed of the others"]) + " |"
    yield "|" + " --- |" * (len(names) + 6)
    everything = sorted({place for places in groups.values() for place in places})
    for group, places in [*groups.items(), ("all", everything)]:
        by = Counter(outcomes[place.text][0] for place in places)
        late = sum(outcomes[place.text][1] for place in places)
        survivors = [place for place in places if outcomes[place.text][0] is None]
        without = sum(place.text in argued for place in survivors)
        noticed = len(places) - len(survivors)
        cells = [group, len(places), *(by[name] for name, _, _, _ in tests), late, without, len(survivors) - without,
                 percent(noticed, len(places) - without)]
        yield "| " + " | ".join(map(str, cells)) + " |"


def report(places, tests, outcomes, argued, sources):
    """The tables, and the places that are neither noticed nor argued."""
    by_file = {}
    for place in places:
        by_file.setdefault(place.file, []).append(place)
    by_kind = {kind: [place for place in places if place.kind == kind] for kind in KINDS}
    yield from table("kind", {kind: some for kind, some in by_kind.items() if some}, tests, outcomes, argued)
    for folder in FOLDERS:
        files = {file.removeprefix(folder): some for file, some in by_file.items() if file.startswith(folder)}
        if files:
            yield ""
            yield from table(folder, files, tests, outcomes, argued)
    survivors = [place for place in places if outcomes[place.text][0] is None]
    for head, some in [("Not noticed", [place for place in survivors if place.text not in argued]),
                       ("Argued", [place for place in survivors if place.text in argued])]:
        if some:
            yield f"\n{head}:\n"
            for place in some:
                yield f"- {place.text} in {sources.function(place.file, place.line)}: `{sources.line(place)}`"


def test_all(places, runs, jobs, known):
    """Leaves out each place in turn. `known` has the outcomes of an earlier run, and a file for those of this one."""
    outcomes, file = known
    left = [place for place in places if place.text not in outcomes]
    began = time.monotonic()
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        futures = {pool.submit(try_without, place, runs): place for place in left}
        for done, future in enumerate(concurrent.futures.as_completed(futures), 1):
            place = futures[future]
            outcomes[place.text] = future.result()
            if file:
                print(json.dumps([place.text, *outcomes[place.text]]), file=file, flush=True)
            unnoticed = sum(outcomes[other.text][0] is None for other in places if other.text in outcomes)
            seconds = time.monotonic() - began
            told = (f"mutants: {done} of {len(left)} places, {unnoticed} not noticed, {seconds:.0f} s, about "
                    f"{seconds / done * (len(left) - done):.0f} s to go")
            if sys.stderr.isatty():
                print(f"\r{told}\x1b[K", end="" if done < len(left) else "\n", file=sys.stderr, flush=True)
            elif done % 20 == 0 or done == len(left):
                print(told, file=sys.stderr, flush=True)
    return outcomes


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binaries", type=Path, metavar="DIR", help="take the tests that --collect put there")
    parser.add_argument("--collect", type=Path, metavar="DIR", help="only build the tests, and put them there")
    parser.add_argument("--profile", default="release", help="cargo's profile for the build (default: release)")
    parser.add_argument("--tests", default=",".join(test[0] for test in TESTS), metavar="NAMES",
                        help="some of unit, kernels, programs (default: all)")
    parser.add_argument("--kinds", default=",".join(KINDS), metavar="KINDS", help=f"some of {', '.join(KINDS)} (default: all)")
    parser.add_argument("--only", default="", metavar="PATTERN",
                        help="only places whose KIND:FILE:LINE:COLUMN has this regular expression")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), metavar="N", help="tests at once (default: processors)")
    parser.add_argument("--arguments", type=Path, default=ROOT / "tests/mutants.txt", metavar="FILE",
                        help="the places argued to be beyond tests (default: tests/mutants.txt)")
    parser.add_argument("--outcomes", type=Path, metavar="FILE", help="keep the outcomes there, and go on after an interruption")
    parser.add_argument("--table", type=Path, metavar="FILE", help="write the tables there (default: standard output)")
    parser.add_argument("--list", action="store_true", help="only list the places, each with the tests that pass it")
    options = parser.parse_args()
    names, kinds = options.tests.split(","), options.kinds.split(",")
    for some, all_of in [(names, [test[0] for test in TESTS]), (kinds, KINDS)]:
        if wrong := [name for name in some if name not in all_of]:
            parser.error(f"{wrong[0]!r} is none of {', '.join(all_of)}")
    if options.jobs < 1:
        parser.error("--jobs must be at least 1")
    tests = [test for test in TESTS if test[0] in names]
    if options.collect:
        collect(options.collect, tests, options.profile)
        return 0
    binaries = options.binaries
    if not binaries:
        binaries = ROOT / os.environ.get("CARGO_TARGET_DIR", "target") / "mutants" / options.profile
        collect(binaries, tests, options.profile)
    sources, arguments = Sources(), arguments_of(options.arguments)
    runs = passed_by(tests, binaries.resolve())
    everything = sorted(Place(text) for text in set().union(*(some["places"] for some in runs)))
    everything = [place for place in everything if place.counts(sources)]
    places = [place for place in everything if place.kind in kinds and re.search(options.only, place.text)]
    if not places:
        raise Missing("no test passes a place like that")
    if options.list:
        for place in places:
            names = dict.fromkeys(some["name"] for some in runs if place.text in some["places"])
            print(place.text, sources.function(place.file, place.line), *names)
        return 0
    outcomes, file = {}, None
    if options.outcomes:
        if options.outcomes.exists():
            for line in options.outcomes.read_text().splitlines():
                text, name, late = json.loads(line)
                outcomes[text] = name, late
        file = options.outcomes.open("a")
    test_all(places, runs, options.jobs, (outcomes, file))
    argued, wrong = {}, []
    for argument in arguments:
        if argument.is_general():
            some = [place for place in places if outcomes[place.text][0] is None and argument.fits(place, sources)]
            argued.update((place.text, argument.argument) for place in some)
            continue
        meant = argument.places(everything, sources)
        where = f"tests/mutants.txt:{argument.number}"
        lines = argument.lines(sources)
        if len(lines) != 1:
            wrong.append(f"{where}: {len(lines)} lines of {argument.function} fit; #2 after the part of the line takes the second")
        elif len(meant) > 1:
            wrong.append(f"{where}: {len(meant)} places of the line fit; name the call in the part of the line")
        elif not meant:
            # Some tests alone may not pass it.
            if len(tests) == len(TESTS):
                wrong.append(f"{where}: no test passes such a place of {argument.function}; delete the line")
        elif meant[0] in places and outcomes[meant[0].text][0]:
            wrong.append(f"{where}: {meant[0].text} is noticed by {outcomes[meant[0].text][0]}; delete the line")
        else:
            argued[meant[0].text] = argument.argument
    lines = list(report(places, tests, outcomes, argued, sources))
    if options.table:
        options.table.write_text("\n".join(lines) + "\n")
    else:
        print("\n".join(lines))
    survivors = [place for place in places if outcomes[place.text][0] is None and place.text not in argued]
    for problem in wrong:
        print(f"mutants: FOUND: {problem}")
    print(f"mutants: {len(places)} places, {len(survivors)} neither noticed nor argued, {len(argued)} argued")
    return 1 if survivors or wrong else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Missing as error:
        print(f"mutants: error: {error}", file=sys.stderr)
        sys.exit(65)
