"""The command `python3 -m yasmin`: programs that are solved in several steps.

A program with `#include <incmode>` is solved step by step (`solve_steps`); a script's function `main` is called with a
`Control` of yasmin; any other program is ground and solved once. The output is clingo's.

Invariant: nothing here is called `main`, since scripts run in the module `__main__`, and a function of this name is
theirs.
"""

import contextlib
import json
import os
import re
import signal
import sys
import time

from . import __version__
from .control import Control
from .errors import Error, code_of, coded
from .incremental import solve_steps
from .symbols import grounder

HELP = """Usage: python3 -m yasmin [OPTION|FILE]...

Solves programs of several steps: with `#include <incmode>`, or with a function
`main` in a script. Other programs are solved once. Without a file, standard
input is read.

  [-n] N               the most models, 0 for all; 1 if this is left out, and
                       for an optimum or consequences as many as it takes
  -t N                 searchers on the processor
  -c NAME=VALUE        a constant of the program
  --opt-mode MODE      opt, enum, optN or ignore, with bounds
  --enum-mode MODE     auto, brave or cautious
  --project[=MODE]     which models count as different: auto, show or project
  --device DEVICE      auto, cpu, simt, gpu or gpu:N
  --seed N             the seed of the search
  --time-limit N       ends after so many seconds
  --outf N             0 text, 2 JSON with a `Call` for each search, 3 nothing
  -q, --quiet[=LEVEL]  0 prints all models, 1 the last one or the optimal ones,
                       2 none, which is meant without a level
  -h, --help; -v, --version

Exit codes are those of clasp: 10 for models, 20 for none, 30 for models and no
further ones, 0 if neither is known, 1 more after a time limit or a signal, 65
for an error, 75 for an error after a model; 33 and 43 if no memory is left."""

# The signals that ask the command to end, as for `yasmin`. Python itself makes a full disk of SIGXFSZ.
ASK_TO_END = tuple(
    getattr(signal, name)
    for name in ("SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "SIGUSR1", "SIGUSR2", "SIGALRM", "SIGXCPU")
)

# What the exit code is made of.
INTERRUPTED, SATISFIABLE, EXHAUSTED, MEMORY, FAILED = 1, 10, 20, 33, 65


class _Stop(Exception):
    """It is time to stop."""


class _Gone(_Stop):
    """Nobody reads what is printed any more."""


def _write(text):
    """Prints a line. After an error nothing is printed any more."""
    if sys.stdout is None:
        raise coded("write", "cannot write to standard output: it is closed")
    try:
        print(text, flush=True)
    except OSError as error:
        # Python would try again at its end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if isinstance(error, BrokenPipeError):
            raise _Gone from error
        raise coded("write", f"cannot write to standard output: {error.strerror}") from error


class _Told(Control):
    """A control that tells of each search."""

    def __init__(self, arguments, printer):
        super().__init__(arguments)
        self._printer = printer

    def solve(self, assumptions=(), on_model=None, on_finish=None, **how):
        printer = self._printer
        printer.begins()

        def each(model):
            goes_on = None if on_model is None else on_model(model)
            printer.model(model)
            return goes_on

        def ends(result):
            printer.ends(result, self._optimum())
            if on_finish is not None:
                on_finish(result)

        return super().solve(assumptions, on_model=each, on_finish=ends, **how)

    def _optimum(self):
        return self._core.optimum() or []


class _Printer:
    """Prints as clingo does."""

    def __init__(self, outf, quiet):
        self.outf, self.quiet = outf, quiet
        # The last model, if it is printed only once the next one is known.
        self.held = None
        self.calls, self.found, self.last = [], 0, None
        # The code of an error that comes now and has none itself; `None` if nothing is known.
        self.stage = "usage"
        self.begun = time.monotonic()

    def line(self, text=""):
        if self.outf == 0:
            _write(text)

    def document(self, document):
        if self.outf == 2:
            _write(json.dumps(document, indent=2))

    def reads(self, files):
        self.files = files
        self.line(f"yasmin version {__version__}")
        self.line(f"Reading from {files[0]}{' ...' if len(files) > 1 else ''}")

    def begins(self):
        self.calls.append({})
        self.last = None
        self.stage = None
        self.line("Solving...")

    def model(self, model):
        self.found += 1
        if self.quiet == 0 or self.quiet == 1 and model.cost and model.optimality_proven:
            self._print(model)
        elif self.quiet == 1:
            self.held = model

    def _print(self, model):
        self.held = None
        shown = [str(symbol) for symbol in model.symbols(shown=True, theory=True)]
        self.line(f"Answer: {model.number}")
        self.line(" ".join(shown))
        witness = {"Value": shown}
        if model.cost:
            self.line(f"Optimization: {' '.join(map(str, model.cost))}")
            witness["Costs"] = model.cost
        self.calls[-1].setdefault("Witnesses", []).append(witness)

    def ends(self, result, optimum):
        if self.held is not None and not (self.calls[-1].get("Witnesses") and self.held.cost):
            self._print(self.held)
        self.held = None
        self.last = (result, optimum)

    def verdict(self):
        """What is known after the last search, and the exit code."""
        if self.last is None:
            return "UNKNOWN", 0
        result, optimum = self.last
        code = INTERRUPTED if result.interrupted else 0
        if result.satisfiable:
            is_all = result.exhausted
            return ("OPTIMUM FOUND" if is_all and optimum else "SATISFIABLE"), code + (30 if is_all else SATISFIABLE)
        return ("UNSATISFIABLE", code + EXHAUSTED) if result.unsatisfiable else ("UNKNOWN", code)

    def concludes(self):
        """Prints the end, and returns the exit code."""
        verdict, code = self.verdict()
        optimum = self.last[1] if self.last else []
        seconds = time.monotonic() - self.begun
        is_more = self.last is not None and not self.last[0].exhausted
        self.line(verdict)
        self.line()
        self.line(f"Models       : {self.found}{'+' if is_more else ''}")
        if optimum:
            self.line(f"Optimization : {' '.join(map(str, optimum))}")
        self.line(f"Calls        : {len(self.calls)}")
        self.line(f"Time         : {seconds:.3f}s")
        if self.outf == 2:
            document = {
                "Solver": f"yasmin version {__version__}",
                "Input": self.files,
                "Call": self.calls,
                "Result": verdict,
                "Models": {"Number": self.found, "More": "yes" if is_more else "no"},
                "Calls": len(self.calls),
                "Time": {"Total": round(seconds, 3)},
            }
            if optimum:
                document["Models"].update(Optimum="yes" if verdict == "OPTIMUM FOUND" else "unknown", Costs=optimum)
            self.document(document)
        return code

    def fails(self, error):
        """Prints an error with its code, a word of docs/errors.md. Returns the exit code."""
        text = str(error) if isinstance(error, RuntimeError) else f"{type(error).__name__}: {error}"
        code = code_of(error) or self.stage
        print(f"yasmin: error: {text}", file=sys.stderr)
        if self.outf == 2:
            document = {
                "Solver": f"yasmin version {__version__}",
                "Result": "SATISFIABLE" if self.found else "UNKNOWN",
                "Error": text,
            }
            if code:
                document["ErrorCode"] = code
            # What cannot be written was the error, or comes too late to be one.
            with contextlib.suppress(Error, _Gone):
                self.document(document)
        # After a doubt nothing that was said can be relied on.
        found = SATISFIABLE if self.found and code != "doubt" else 0
        return (MEMORY if code == "memory" else FAILED) + found


def _own(arguments):
    """Takes the command's own arguments out. Returns those of the control, the files, and a dictionary."""
    left, files, own = [], [], {"outf": 0, "quiet": 0, "limit": None}
    arguments = list(arguments)

    def number(name, text, words="a number"):
        try:
            found = int(text if text is not None else arguments.pop(0))
        except (ValueError, IndexError):
            found = -1
        if found < 0:
            raise coded("usage", f"{name} takes {words}")
        return found

    while arguments:
        argument = arguments.pop(0)
        name, equals, text = argument.partition("=")
        text = text if equals else None
        if name == "--outf":
            own["outf"] = number(name, text, "0, 2 or 3")
            if own["outf"] not in (0, 2, 3):
                raise coded("usage", "--outf takes 0, 2 or 3")
        elif name in ("-q", "--quiet") or re.fullmatch(r"-q[0-2](,[0-2])*", argument):
            # Levels for costs and for searches follow, of which nothing is printed that could be left out.
            level = (text if equals else argument[2:] if name != "--quiet" else "").split(",")[0]
            own["quiet"] = number("--quiet", level or "2", "0, 1 or 2")
            if own["quiet"] > 2:
                raise coded("usage", "--quiet takes 0, 1 or 2")
        elif name == "--time-limit":
            own["limit"] = number(name, text, "a number of seconds")
        elif argument == "-" or not argument.startswith("-") and not argument.isdigit():
            files.append(argument)
        else:
            left.append(argument)
            # The value of an option that stands by itself.
            if argument in ("-n", "-t", "-c", "-e", "-W", "--models", "--parallel-mode", "--seed", "--device", "--opt-mode",
                            "--enum-mode", "--const") and arguments:
                left.append(arguments.pop(0))
    return left, files or ["-"], own


# Comments and texts, in which nothing is included; and what includes the loop over steps.
_INCMODE = re.compile(r'%\*.*?\*%|%[^\n]*|"(?:\\.|[^"\\])*"|(#include\s*<\s*incmode\s*>)', re.DOTALL)


def _read(control, files):
    """Loads the files. Returns whether one of them asks for the loop over steps."""
    is_incremental = False
    for file in files:
        if file == "-":
            if sys.stdin is None:
                raise coded("input", "standard input is closed, and the program was to come from there: name a file")
            text = sys.stdin.read()
            control.add("base", [], text)
        else:
            with open(file, encoding="utf-8") as opened:
                text = opened.read()
            control.load(file)
        # A script may have anything in it.
        rules = re.sub(r"#script\b.*?#end\b", "", text, flags=re.DOTALL)
        is_incremental |= any(found.group(1) for found in _INCMODE.finditer(rules))
    return is_incremental


def _solve(control, files, printer):
    printer.stage = "no-grounder"
    grounder()
    from clingo.script import enable_python

    enable_python()
    # What the parser, grounding or a script says.
    printer.stage = "grounder-failed"
    printer.reads([file if file != "-" else "stdin" for file in files])
    try:
        is_incremental = _read(control, files)
    except (OSError, UnicodeDecodeError):
        printer.stage = "input"
        raise
    script = getattr(sys.modules["__main__"], "main", None)
    if callable(script):
        script(control)
    elif is_incremental:
        solve_steps(control)
    else:
        control.ground([("base", [])])
        control.solve()


def run(arguments):
    """Runs the command, and returns its exit code."""
    printer = _Printer(2 if "--outf=2" in arguments else 0, 0)
    control, interrupted = None, 0

    def stops(number, _):
        nonlocal interrupted
        if not interrupted:
            interrupted = INTERRUPTED
            raise _Stop
        # The kernel repeats SIGXCPU. Any other further signal ends the run as it is.
        if number != signal.SIGXCPU:
            os._exit(INTERRUPTED + (SATISFIABLE if printer.found else 0))

    try:
        try:
            if any(argument in ("-h", "--help") for argument in arguments):
                _write(HELP)
                return 0
            if any(argument in ("-v", "--version") for argument in arguments):
                _write(f"yasmin {__version__}")
                return 0
            left, files, own = _own(arguments)
            printer = _Printer(own["outf"], own["quiet"])
            control = _Told(left, printer)
            for number in ASK_TO_END:
                # `nohup` and a shell's `&` have some ignored, and so they stay.
                if signal.getsignal(number) is not signal.SIG_IGN:
                    signal.signal(number, stops)
            if own["limit"]:
                signal.signal(signal.SIGALRM, stops)
                signal.alarm(own["limit"])
            _solve(control, files, printer)
            signal.alarm(0)
        except (_Stop, KeyboardInterrupt):
            signal.alarm(0)
            interrupted = INTERRUPTED
            if control is not None and control._handle is not None:
                control._handle.cancel()
        return printer.concludes() | interrupted
    except _Gone:
        return printer.verdict()[1] | interrupted
    except Exception as error:  # noqa: BLE001, a script may raise anything
        return printer.fails(error)
