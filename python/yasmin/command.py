"""The command `python3 -m yasmin`: programs that are solved in several steps.

A program with `#include <incmode>` is solved step by step (`solve_steps`); a script's function `main` is called with a
`Control` of yasmin; any other program is ground and solved once. The output is clingo's.

Invariant: nothing here is called `main`, since scripts run in the module `__main__`, and a function of this name is
theirs.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from . import __version__
from ._yasmin import Options, end_in_order
from .control import Control
from .errors import Error, code_of, coded, complain
from .incremental import solve_steps
from .solving import Model, SolveResult
from .symbols import grounder

if TYPE_CHECKING:
    from .application import _Run

HELP = """Usage: python3 -m yasmin [OPTION|FILE]...

Solves programs of several steps: with `#include <incmode>`, or with a function
`main` in a script. Other programs are solved once. Without a file, standard
input is read.

  [-n] N               the most models, 0 for all; 1 if this is left out, and
                       for an optimum or consequences as many as it takes
  -c NAME=VALUE        a constant of the program
  --opt-mode MODE      opt, enum, optN or ignore, with bounds
  --enum-mode MODE     auto, brave, cautious or domRec
  --project[=MODE]     which models count as different: auto, show or project
  --time-limit N       ends after so many seconds
  --outf N             0 text, 2 JSON with a `Call` for each search, 3 nothing
  -q, --quiet[=LEVEL]  0 prints all models, 1 the last one or the optimal ones,
                       2 none, which is meant without a level
  -t N, --device DEVICE, --seed N and all other options of how to search and on
                       what, which `yasmin --help` explains
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


def _write(pieces: Iterable[str]) -> None:
    """Prints a line, which need not be in memory as a whole. After an error nothing is printed any more."""
    if sys.stdout is None:
        raise coded("write", "cannot write to standard output: it is closed")
    try:
        sys.stdout.writelines(pieces)
        print(flush=True)
    except OSError as error:
        # Python would try again at its end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if isinstance(error, BrokenPipeError):
            raise _Gone from error
        raise coded("write", f"cannot write to standard output: {error.strerror}") from error


class _Told(Control):
    """A control that tells of each search."""

    def __init__(self, options: Options, printer: _Printer, application: _Run | None) -> None:
        super().__init__(options, *((application.logger, application.message_limit) if application else ()))
        self._printer = printer

    def solve(  # type: ignore[no-untyped-def,override]
        self, assumptions=(), on_model=None, on_finish=None, **how
    ):
        printer = self._printer
        printer.begins()

        def each(model: Model) -> bool | None:
            goes_on: bool | None = None if on_model is None else on_model(model)
            printer.model(model)
            return goes_on

        def ends(result: SolveResult) -> None:
            printer.ends(result, self._optimum())
            if on_finish is not None:
                on_finish(result)

        return super().solve(assumptions, on_model=each, on_finish=ends, **how)

    def _optimum(self) -> list[int]:
        return self._core.optimum() or []


class _Printer:
    """Prints as clingo does."""

    def __init__(self, outf: int, quiet: int) -> None:
        self.outf, self.quiet = outf, quiet
        # What calls itself the solver, and what prints a model in place of the printer.
        self.name = f"yasmin version {__version__}"
        self.prints: Callable[[Model, Callable[[], None]], None] | None = None
        # The last model, if it is printed only once the next one is known.
        self.held: Model | None = None
        self.calls: list[dict[str, Any]] = []
        self.found = 0
        # How many models of the last call are known to be optimal.
        self.optimal = 0
        self.last: tuple[SolveResult, list[int]] | None = None
        # The code of an error that comes now and has none itself; `None` if nothing is known.
        self.stage: str | None = "usage"
        self.files: list[str] = []
        # Whether standard input was named.
        self.reads_input = False
        self.begun = time.monotonic()

    def line(self, text: str = "") -> None:
        if self.outf == 0:
            _write([text])

    def document(self, verdict: str, is_more: bool, optimum: list[int], **failure: str) -> None:
        """Prints all that was found."""
        if self.outf != 2:
            return
        models: dict[str, Any] = {"Number": self.found, "More": "yes" if is_more else "no"}
        if optimum:
            is_known = verdict == "OPTIMUM FOUND"
            models.update(Optimum="yes" if is_known else "unknown", Optimal=self._optimal(is_known), Costs=optimum)
        document = {
            "Solver": self.name,
            "Input": self.files,
            "Call": self.calls,
            "Result": verdict,
            **failure,
            "Models": models,
            "Calls": len(self.calls),
            "Time": {"Total": round(time.monotonic() - self.begun, 3)},
        }
        _write(json.JSONEncoder(indent=2).iterencode(document))

    def _optimal(self, is_known: bool) -> int:
        """How many models are optimal. The last one found is, once that there is no better one is known."""
        return max(self.optimal, int(is_known))

    def reads(self, files: list[str]) -> None:
        self.files = files
        self.line(self.name)
        self.line(f"Reading from {files[0]}{' ...' if len(files) > 1 else ''}")

    def begins(self) -> None:
        self.calls.append({})
        self.optimal = 0
        self.last = None
        self.stage = None
        self.line("Solving...")

    def model(self, model: Model) -> None:
        self.found += 1
        is_optimal = bool(model.cost) and model.optimality_proven
        self.optimal += is_optimal
        if self.quiet == 0 or self.quiet == 1 and is_optimal:
            self._print(model)
        elif self.quiet == 1:
            self.held = model

    def _print(self, model: Model) -> None:
        self.held = None
        shown = [str(symbol) for symbol in model.symbols(shown=True, theory=True)]
        self.line(f"Answer: {model.number}")
        text = " ".join(shown)
        if self.prints is None or self.outf != 0:
            self.line(text)
        else:
            self.prints(model, lambda: self.line(text))
            sys.stdout.flush()
        witness: dict[str, Any] = {"Value": shown}
        if model.cost:
            self.line(f"Optimization: {' '.join(map(str, model.cost))}")
            witness["Costs"] = model.cost
        self.calls[-1].setdefault("Witnesses", []).append(witness)

    def _print_held(self) -> None:
        if self.held is not None and not (self.calls[-1].get("Witnesses") and self.held.cost):
            self._print(self.held)
        self.held = None

    def ends(self, result: SolveResult, optimum: list[int]) -> None:
        self._print_held()
        self.last = (result, optimum)

    def verdict(self) -> tuple[str, int]:
        """What is known after the last search, and the exit code."""
        if self.last is None:
            return "UNKNOWN", 0
        result, optimum = self.last
        code = INTERRUPTED if result.interrupted else 0
        if result.satisfiable:
            is_all = result.exhausted
            return ("OPTIMUM FOUND" if is_all and optimum else "SATISFIABLE"), code + (30 if is_all else SATISFIABLE)
        return ("UNSATISFIABLE", code + EXHAUSTED) if result.unsatisfiable else ("UNKNOWN", code)

    def concludes(self) -> int:
        """Prints the end, and returns the exit code."""
        verdict, code = self.verdict()
        optimum = self.last[1] if self.last else []
        is_more = self.last is not None and not self.last[0].exhausted
        self.line(verdict)
        self.line()
        self.line(f"Models       : {self.found}{'+' if is_more else ''}")
        if optimum:
            is_known = verdict == "OPTIMUM FOUND"
            self.line(f"  Optimum    : {'yes' if is_known else 'unknown'}")
            if self._optimal(is_known) > 1:
                self.line(f"  Optimal    : {self._optimal(is_known)}")
            self.line(f"Optimization : {' '.join(map(str, optimum))}")
        self.line(f"Calls        : {len(self.calls)}")
        self.line(f"Time         : {time.monotonic() - self.begun:.3f}s")
        self.document(verdict, is_more, optimum)
        return code

    def fails(self, error: Exception) -> int:
        """Prints an error with its code, a word of docs/errors.md. Returns the exit code."""
        text = str(error) if isinstance(error, RuntimeError) else f"{type(error).__name__}: {error}"
        code = code_of(error) or self.stage
        # What cannot be written was the error, or comes too late to be one.
        with contextlib.suppress(Exception):
            self._print_held()
        complain(f"error: {text}")
        failure = {"Error": text, "ErrorCode": code} if code else {"Error": text}
        with contextlib.suppress(Error, _Gone):
            self.document("SATISFIABLE" if self.found else "UNKNOWN", True, [], **failure)
        # After a doubt nothing that was said can be relied on.
        found = SATISFIABLE if self.found and code != "doubt" else 0
        return (MEMORY if code == "memory" else FAILED) + found


# Comments and texts, in which nothing is included; and what includes the loop over steps.
_INCMODE = re.compile(r'%\*.*?\*%|%[^\n]*|"(?:\\.|[^"\\])*"|(#include\s*<\s*incmode\s*>)', re.DOTALL)


def _read(control: Control, files: Sequence[str]) -> bool:
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


def _solve(control: Control, files: Sequence[str], printer: _Printer, application: _Run | None) -> None:
    printer.stage = "no-grounder"
    grounder()
    from clingo.script import enable_python

    enable_python()
    # What the parser, grounding or a script says.
    printer.stage = "grounder-failed"
    printer.reads([file if file != "-" else "stdin" for file in files])
    if application is not None and application.main is not None:
        application.main(control, [file for file in files if file != "-" or printer.reads_input])
        return
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


def run(arguments: Sequence[str], application: _Run | None = None) -> int:
    """Runs the command, or an application in its place, and returns the exit code."""
    printer = _Printer(2 if "--outf=2" in arguments else 0, 0)
    control: _Told | None = None
    interrupted = 0
    # Only that thread can handle signals.
    is_main_thread = threading.current_thread() is threading.main_thread()

    def stops(number: int, _: object) -> None:
        nonlocal interrupted
        if not interrupted:
            interrupted = INTERRUPTED
            raise _Stop
        # The kernel repeats SIGXCPU. Any other further signal ends the run as it is.
        if number != signal.SIGXCPU:
            os._exit(INTERRUPTED + (SATISFIABLE if printer.found else 0))

    def runs_out(why: str) -> None:
        # Whoever prints a model needs memory for it.
        printer.held = None
        os._exit(printer.fails(coded("memory", why)))

    end_in_order(runs_out)
    try:
        try:
            if any(argument in ("-h", "--help") for argument in arguments):
                _write([HELP if application is None else HELP.replace("python3 -m yasmin", application.name) + application.help])
                return 0
            version = f"yasmin {__version__}"
            if application is not None and application.version is not None:
                version = f"{application.name} {application.version}, with {version}"
            if any(argument in ("-v", "--version") for argument in arguments):
                _write([version])
                return 0
            if application is not None:
                arguments = application.take(arguments)
            options = Options(list(arguments), True)
            files, outf, quiet, limit = options.of_command()
            printer = _Printer(outf, quiet)
            printer.reads_input = "-" in arguments
            if application is not None:
                printer.prints = application.print_model
                if application.version is not None:
                    printer.name = f"{application.name} version {application.version}"
            control = _Told(options, printer, application)
            for number in ASK_TO_END if is_main_thread else ():
                # `nohup` and a shell's `&` have some ignored, and so they stay.
                if signal.getsignal(number) is not signal.SIG_IGN:
                    signal.signal(number, stops)
            if limit is not None and is_main_thread:
                signal.signal(signal.SIGALRM, stops)
                signal.setitimer(signal.ITIMER_REAL, limit)
            _solve(control, files, printer, application)
            signal.setitimer(signal.ITIMER_REAL, 0)
        except (_Stop, KeyboardInterrupt):
            signal.setitimer(signal.ITIMER_REAL, 0)
            interrupted = INTERRUPTED
            if control is not None and control._handle is not None:
                control._handle.cancel()
        return printer.concludes() | interrupted
    except _Gone:
        return printer.verdict()[1] | interrupted
    except Exception as error:  # noqa: BLE001, a script may raise anything
        return printer.fails(error)
