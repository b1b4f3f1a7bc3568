"""Applications: options of one's own, `main`, what is printed, and errors, beside clingo's."""

import json
import subprocess
import sys

import pytest

PROGRAM = """
import sys
import {package} as package

class Mine(package.Application):
    program_name = "mine"
    version = "1.2"

    def __init__(self):
        self.quick, self.number = package.Flag(), 1

    def _number(self, value):
        self.number = int(value) if value.isdigit() else 0
        return self.number > 0

    def register_options(self, options):
        options.add_flag("Mine", "quick-one,k", "is quick", self.quick)
        options.add("Mine", "amount,@1", "a number", self._number, argument="<n>")

    def validate_options(self):
        return self.number < 10

    def print_model(self, model, printer):
        print("a model of", len(model.symbols(shown=True)))
        printer()

    def main(self, control, files):
        for file in files:
            control.load(file)
        control.add("extra", [], "n(%d)." % self.number)
        control.ground([("base", [])] + ([("extra", [])] if not self.quick else []))
        control.solve()

sys.exit(package.clingo_main(Mine(), sys.argv[1:]))
"""


def run(package, *arguments, folder):
    program = folder / f"{package}_app.py"
    program.write_text(PROGRAM.replace("{package}", package))
    device = ["--device=cpu"] if package == "yasmin" else []
    command = [sys.executable, str(program), *map(str, arguments), *device]
    return subprocess.run(command, capture_output=True, text=True, timeout=60)


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "p.lp"
    path.write_text("a. b.")
    return path


@pytest.mark.parametrize("options", [[], ["-k"], ["--quick-one", "--amount=3"], ["--no-quick-one", "--amount", "3"]])
def test_an_application_runs_as_with_clingo(tmp_path, file, options):
    theirs, ours = (run(package, file, "0", *options, folder=tmp_path) for package in ("clingo", "yasmin"))
    assert ours.returncode == theirs.returncode == 30, ours.stderr

    def told(ran):
        lines = [" ".join(sorted(line.split())) for line in ran.stdout.splitlines()]
        # clingo 5.8 tells the time of each model.
        lines = ["Answer: 1" if "Answer:" in line else line for line in lines]
        return [line for line in lines if "Time" not in line and line != ""]

    assert told(ours)[2:] == told(theirs)[2:]
    assert ours.stdout.startswith("mine version 1.2\n")


def test_options_of_an_application(tmp_path, file):
    for options, words in (
        (["--amount=x"], "`x` is no value of --amount"),
        (["--amount=3", "--amount=4"], "--amount is given twice"),
        (["--amount=30"], "mine refuses its options"),
        (["--such"], "--such"),
    ):
        ran = run("yasmin", file, *options, folder=tmp_path)
        assert ran.returncode == 65 and words in ran.stderr and "Traceback" not in ran.stderr, ran
    told = run("yasmin", "--help", folder=tmp_path).stdout
    assert "Usage: mine [OPTION|FILE]" in told and "--quick-one,-k" in told and "--amount=<n>" in told
    assert run("yasmin", "--version", folder=tmp_path).stdout.startswith("mine 1.2, with yasmin ")
    document = json.loads(run("yasmin", file, "--outf=2", folder=tmp_path).stdout)
    assert document["Solver"] == "mine version 1.2"
    assert sorted(document["Call"][0]["Witnesses"][0]["Value"]) == ["a", "b", "n(1)"]


def test_a_missing_file_is_told(tmp_path):
    ran = run("yasmin", tmp_path / "none.lp", folder=tmp_path)
    assert ran.returncode == 65 and "none.lp" in ran.stderr and "Traceback" not in ran.stderr
