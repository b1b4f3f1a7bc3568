"""The command `python3 -m yasmin`: programs of several steps, and what it prints."""

import json
import signal
import subprocess
import sys
import time

import pytest
from yasmin.command import ASK_TO_END

STEPS = """
#include <incmode>.
#program base. at(0,0).
#program step(t). 1 { at(X+D,t) : D = -1..1 } 1 :- at(X,t-1).
#program check(t). :- query(t), not at(n,t).
"""

# `main` runs in the module `__main__`, whose other names a script can use.
LOOP = """
#script (python)
from clingo import Number

def twice(x):
    return Number(2 * x.number)

def main(prg):
    for n in range(1, 4):
        prg.ground([("base", []), ("more", [Number(n)])] if n == 1 else [("more", [Number(n)])])
        print("is", prg.solve(on_model=lambda m: m.extend([Number(n)])))
#end.
#program more(n). {p(@twice(n))}. :- p(2), p(4), p(6).
"""


def run(*arguments, text=None, seconds=60):
    device = [] if any(str(argument).startswith("--device") for argument in arguments) else ["--device=cpu"]
    command = [sys.executable, "-m", "yasmin", *device, *map(str, arguments)]
    return subprocess.run(command, input=text, capture_output=True, text=True, timeout=seconds)


def write(folder, text):
    path = folder / "program.lp"
    path.write_text(text)
    return path


def test_steps(tmp_path):
    ran = run(write(tmp_path, STEPS), "-c", "n=3", "0")
    assert ran.returncode == 30, ran.stderr
    lines = ran.stdout.splitlines()
    assert lines.count("Solving...") == 4
    assert ["at(0,0)", "at(1,1)", "at(2,2)", "at(3,3)", "query(3)"] in [sorted(line.split()) for line in lines], lines
    assert lines[lines.index("SATISFIABLE") :][2:4] == ["Models       : 1", "Calls        : 4"]
    # A comment and a text include nothing.
    plain = run("-", text='a. p("#include <incmode>."). % #include <incmode>.\n%* #include <incmode>. *%')
    assert plain.stdout.count("Solving...") == 1 and 'a p("#include <incmode>.")' in plain.stdout


def test_a_script_with_a_loop_of_its_own(tmp_path):
    path = write(tmp_path, LOOP)
    ran = run(path, "0", "--outf=2")
    assert ran.returncode == 30, ran.stderr
    head, document = ran.stdout.split("{", 1)
    assert head.splitlines() == ["is SAT"] * 3
    document = json.loads("{" + document)
    assert [len(call["Witnesses"]) for call in document["Call"]] == [2, 4, 7]
    assert document["Result"] == "SATISFIABLE" and document["Calls"] == 3
    assert document["Models"] == {"Number": 13, "More": "no"}
    assert all(values["Value"][-1] == "3" for values in document["Call"][2]["Witnesses"])


def test_optima_and_quiet(tmp_path):
    path = write(tmp_path, "2 {a;b;c} 2. #minimize {1,a:a; 2,b:b; 2,c:c}.")
    for quiet, models in (("-q0", None), ("-q1", 2), ("-q", 0)):
        ran = run(path, "--opt-mode=optN", "0", quiet)
        assert ran.returncode == 30 and "OPTIMUM FOUND" in ran.stdout and "Optimization : 3" in ran.stdout
        assert models is None or ran.stdout.count("Answer:") == models
    # Without a number of models an optimum is looked for to the end, and one answer set otherwise.
    assert run(path).returncode == 30
    assert run(text="{a;b}.").stdout.count("Answer:") == 1
    assert run("-q1", text="1 {a;b} 1.").stdout.count("Answer:") == 1
    assert run(text="a. :- a.").returncode == 20


def test_how_many_models_are_optimal(tmp_path):
    """As clingo counts: those of the last call, and the one that is known to be optimal only at the end."""
    script = """#script (python)
def main(prg):
    for part in ("base", "more"):
        prg.ground([(part, [])])
        prg.solve()
#end.
{a;b}. :- not a, not b. #minimize {1,a:a; 1,b:b}.
#program more. {c;d}. :- not c, not d. #minimize {1,c:c; 1,d:d}."""
    path = write(tmp_path, script)
    for arguments, optimal in ((["--opt-mode=optN", "0"], 4), ([], 1)):
        models = json.loads(run(path, *arguments, "--outf=2").stdout)["Models"]
        wanted = {"More": "no", "Optimum": "yes", "Optimal": optimal, "Costs": [2]}
        assert {name: models[name] for name in wanted} == wanted
        lines = run(path, *arguments).stdout.splitlines()
        assert "  Optimum    : yes" in lines and ("  Optimal    : 4" in lines) == (optimal == 4), lines


def test_errors(tmp_path):
    script = "#script (python)\ndef main(prg):\n%s    raise ValueError('of mine')\n#end."
    found = "    prg.ground([('base', [])])\n    prg.solve()\n"
    grounds = "grounder-failed"
    cases = [
        (["--no-such-option"], "", "--no-such-option", "usage"),
        (["--outf=7"], "", "--outf", "usage"),
        ([tmp_path / "missing.lp"], None, "missing.lp", "input"),
        ([], "a :- ", "parsing failed", grounds),
        ([], "a(X) :- b.", "grounding stopped", grounds),
        ([], script % "", "ValueError: of mine", grounds),
        # An error of the solver has a code of its own, and a script's has none once a search has begun.
        ([], script % found, "ValueError: of mine", None),
        (["--device=gpu:999"], "a.", "GPU", "device"),
        ([], script % (found + "    prg.solve(assumptions=[1 << 40])\n"), "a number from 1 to 2^28", "input"),
    ]
    for arguments, text, words, code in cases:
        is_found = found in (text or "")
        expected = 75 if is_found else 65
        ran = run(*arguments, text=text)
        assert ran.returncode == expected and words in ran.stderr, (arguments, ran)
        assert "Traceback" not in ran.stderr
        document = run(*arguments, "--outf=2", text=text)
        if "--outf=7" in arguments:
            continue
        told = json.loads(document.stdout)
        assert document.returncode == expected and words in told["Error"]
        assert told["Result"] == ("SATISFIABLE" if is_found else "UNKNOWN")
        assert told.get("ErrorCode") == code, (arguments, told)
        assert [len(call["Witnesses"]) for call in told["Call"] if call] == ([1] if is_found else [])
        assert told["Models"] == {"Number": int(is_found), "More": "yes"}


@pytest.mark.parametrize("outf", ["0", "2"])
def test_a_time_limit_tells_what_was_found(outf):
    text = "1 {at(P,H) : H = 1..11} 1 :- P = 1..12. :- at(P,H), at(Q,H), P < Q."
    begun = time.monotonic()
    ran = run("--time-limit=1", f"--outf={outf}", text=text)
    assert time.monotonic() - begun < 10
    assert ran.returncode == 1, ran
    assert "UNKNOWN" in ran.stdout
    if outf == "2":
        assert json.loads(ran.stdout)["Result"] == "UNKNOWN"


def test_help_and_version():
    assert "--opt-mode" in run("--help").stdout and run("--version").stdout.startswith("yasmin ")


def begun(*arguments, ignored=()):
    """A search that does not end by itself, once signals are handled and, in text, once it has begun."""

    def ignore():
        # A shell's `&` has two of them ignored, for whoever runs the tests, too.
        for number in ASK_TO_END:
            signal.signal(number, signal.SIG_IGN if number in ignored else signal.SIG_DFL)

    command = [sys.executable, "-X", "faulthandler", "-m", "yasmin", "--device=cpu", "-", "0", *arguments]
    child = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, preexec_fn=ignore
    )
    child.stdin.write("{p(1..40)}.")
    child.stdin.close()
    child.stdin = None
    while not handles(child.pid, signal.SIGTERM):
        time.sleep(0.01)
    while "--outf=2" not in arguments and "Solving..." not in child.stdout.readline():
        assert child.poll() is None
    time.sleep(1)
    return child


def ended(child):
    """What a child has printed that is to end now. If it goes on, the error says where it is."""
    try:
        return child.communicate(timeout=20)
    except subprocess.TimeoutExpired:
        child.send_signal(signal.SIGABRT)
        raise AssertionError(f"the run goes on: {child.communicate()[1]}") from None


def handles(pid, number):
    """Whether a process handles a signal, as Linux says."""
    with open(f"/proc/{pid}/status", encoding="ascii") as status:
        caught = next(line.split()[1] for line in status if line.startswith("SigCgt"))
    return int(caught, 16) >> (number - 1) & 1 == 1


def test_signals_end_a_run_with_what_is_known():
    for number in ASK_TO_END:
        child = begun("-q")
        child.send_signal(number)
        out, err = ended(child)
        found = "\nSATISFIABLE\n" in f"\n{out}"
        assert (child.returncode, err) == (11 if found else 1, ""), number
        assert "Models       : " in out, out
    child = begun("--outf=2", "-q")
    child.send_signal(signal.SIGQUIT)
    out, _ = ended(child)
    # Whether a model was found by then depends on the machine.
    found = json.loads(out)["Result"] == "SATISFIABLE"
    assert child.returncode == (11 if found else 1), out


def test_a_signal_that_was_ignored_at_the_start_stays_ignored():
    child = begun("-q", ignored=(signal.SIGHUP, signal.SIGINT))
    child.send_signal(signal.SIGHUP)
    child.send_signal(signal.SIGINT)
    time.sleep(0.3)
    assert child.poll() is None
    child.terminate()
    ended(child)
    assert child.returncode in (1, 11)


def test_closed_streams_are_errors():
    def told(closed, *arguments):
        words = " ".join([sys.executable, "-m yasmin --device=cpu", *arguments, closed])
        ran = subprocess.run(["bash", "-c", words], capture_output=True, text=True, timeout=60)
        return ran.returncode, ran.stderr

    for arguments in (["-"], ["-", "--outf=2"]):
        code, err = told("<&-", *arguments)
        assert code == 65 and "standard input is closed" in err, err
    for arguments in (["--help"], ["--version"], ["-"], ["-", "--outf=2"]):
        code, err = told(">&- <<< 'a.'", *arguments)
        assert code & 65 == 65 and "cannot write to standard output" in err, (arguments, err)
