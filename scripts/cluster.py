#!/usr/bin/env python3
"""Runs yasmin-mpi with several ranks on this machine, and compares what it says with what is true.

Usage: scripts/cluster.py [OPTIONS]
  --command FILE   the command (default: target/release/yasmin-mpi)
  --yasmin FILE    the command with one process, which says what is true (default: yasmin beside it)
  --ranks N,...    how many ranks, in turn (default: 2,4)
  --kills N        how often to kill a random rank of a run at a random time (default: 20)
  --hangs N        how often to stop a random rank of a run at a random time (default: 4)
  --losses N       how often to kill ranks besides rank 0 under an mpirun that lets the others live (default: 0)
  --lives COMMAND  that mpirun (default: "mpirun --oversubscribe --with-ft ulfm")
  --signals N      how often to send a run a signal, and how many runs get a time limit, at a random time (default: 6)
  --seed N         the first random number (default: 1)

Exit code 1 if anything is wrong. When a rank is lost, all others must end within 2 s of that, and when a rank hangs within 2 s
of the time-out. The command itself may take 1 s more, as it waits for mpirun, which sleeps for 2 s while it ends ranks. What is
printed must be true: each answer set is one of the program's, each comes once, and nothing is said to be all that is not. If the
others live on, they must find everything or end with an error, and the errors are counted. A run that is over before anything
happens to it is made again with other random numbers and does not count.
"""

import argparse
import collections
import json
import os
import random
import signal
import statistics
import subprocess
import sys
import tempfile
import time

# Programs whose searches last for some seconds, and what of each is asked.
PIGEONS = "{in(P,H): H=1..n-1}=1 :- P=1..n. :- in(P,H), in(Q,H), P<Q. #const n=11. {a}."
QUEENS = """1{queen(X,Y): X=1..n}1 :- Y=1..n. :- queen(X,Y), queen(X,Z), Y<Z.
:- queen(X,Y), queen(X+D,Y+D), D=1..n. :- queen(X,Y), queen(X-D,Y+D), D=1..n. #const n=11."""
COSTS = "{a(1..22)}. :- #sum{X*X\\37,X: a(X)} < 150. #minimize{(X*7)\\23,X: a(X)}. #minimize{X\\3@2,X: a(X)}."
CASES = [
    (PIGEONS, ["0", "--symmetry=no"]),
    (QUEENS, ["0", "--join-after=0"]),
    (QUEENS, ["0", "-c", "n=12", "--join-after=0"]),
    (COSTS, ["--opt-mode=optN", "0", "--join-after=0", "--opt-strategy=bb"]),
]
# The time-out in seconds of a rank that says nothing.
TIMEOUT = 2.0
# The longest time in seconds that ranks may go on after what has happened, and how long they wait at least while they connect.
# A signal that comes before rank 0 has connected goes to mpirun, which waits for 2 s before it ends ranks for good.
AFTER = {"kill": 2.0, "hang": 2.0 + TIMEOUT, "signal": 2.5}
CONNECTS = 10.5
# How much longer the command may wait for mpirun.
MORE = 1.0
# The longest time in seconds that a run may take at all.
PATIENCE = 60.0
# How many runs there may be for each that something has happened to.
TRIES = 4


def ranks_of(launcher):
    """The processes below the launcher that are ranks, by number."""
    children, ranks = {}, {}
    for entry in os.listdir("/proc"):
        if not entry.isdigit():
            continue
        try:
            with open(f"/proc/{entry}/stat", encoding="ascii", errors="replace") as stat:
                fields = stat.read().rsplit(")", 1)[1].split()
            if fields[0] != "Z":
                children.setdefault(int(fields[1]), []).append(int(entry))
        except (OSError, IndexError):
            continue
    below = [launcher]
    for pid in below:
        below += children.get(pid, [])
    for pid in below[1:]:
        try:
            with open(f"/proc/{pid}/environ", "rb") as environ:
                words = dict(word.split(b"=", 1) for word in environ.read().split(b"\0") if b"=" in word)
            with open(f"/proc/{pid}/comm", encoding="ascii", errors="replace") as comm:
                if b"OMPI_COMM_WORLD_RANK" in words and comm.read().strip() == "yasmin-mpi":
                    ranks[int(words[b"OMPI_COMM_WORLD_RANK"])] = pid
        except (OSError, ValueError):
            continue
    return ranks


def is_alive(pid):
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as stat:
            return stat.read().rsplit(")", 1)[1].split()[0] != "Z"
    except (OSError, IndexError):
        return False


class Truth:
    """What one process says of a case."""

    def __init__(self, yasmin, case):
        text, words = case
        command = [yasmin, "--json", "--device=cpu", *words]
        run = subprocess.run(command, input=text, text=True, capture_output=True, check=False)
        document = json.loads(run.stdout)
        witnesses = document["Call"][0].get("Witnesses", [])
        self.is_optimizing = "Costs" in document["Models"]
        self.costs = document["Models"].get("Costs")
        wanted = [w for w in witnesses if not self.is_optimizing or w.get("Costs") == self.costs]
        self.sets = {tuple(sorted(w["Value"])) for w in wanted}
        self.result = document["Result"]


def check(truth, out, code, gone):
    """What is wrong with what a run printed, in words."""
    wrong = []
    lines = [json.loads(line) for line in out.splitlines() if line]
    if not lines or "Result" not in lines[-1]:
        return ["the last line is no end of a document"]
    end, witnesses = lines[-1], lines[:-1]
    more, number = end["Models"]["More"] == "yes", end["Models"]["Number"]
    if number != len(witnesses):
        wrong.append(f"{number} answer sets are counted and {len(witnesses)} printed")
    sets = [tuple(sorted(w["Value"])) for w in witnesses]
    if truth.is_optimizing:
        for w, atoms in zip(witnesses, sets):
            if w["Costs"] < truth.costs:
                wrong.append("costs below the optimum")
            if w["Costs"] == truth.costs and atoms not in truth.sets:
                wrong.append("an optimal answer set that is none")
    else:
        if any(atoms not in truth.sets for atoms in sets):
            wrong.append("an answer set that is none")
        if len(set(sets)) != len(sets):
            wrong.append("an answer set twice")
    if not more and not truth.is_optimizing and set(sets) != truth.sets:
        wrong.append(f"{len(set(sets))} answer sets are said to be all of {len(truth.sets)}")
    if not more and truth.is_optimizing and not truth.sets <= set(sets):
        wrong.append("not all optimal answer sets were told")
    if not more and end["Result"] != truth.result:
        wrong.append(f"the verdict is {end['Result']} and not {truth.result}")
    if more and end["Result"] not in ("UNKNOWN", "SATISFIABLE", "OPTIMUM FOUND"):
        wrong.append(f"the verdict is {end['Result']}, and there may be more")
    base = 10 if number else 0
    codes = [20 + base] if not more else ([65 + base] if gone else [1 + base])
    if code not in codes:
        wrong.append(f"the exit code is {code} and not {codes}")
    if gone and more and "Error" not in end:
        wrong.append("a rank is gone, and the document does not say so")
    return wrong


def run(args, case, ranks, what, rng, truth):
    """Runs a case, and lets something happen. Returns what is wrong, and how long ranks and command have gone on after that,
    and after a loss the error; nothing of the latter if the run was over before."""
    text, words = case
    mpirun = args.lives if what == "loss" else "mpirun --oversubscribe"
    command = [args.command, "--mpirun", mpirun, "--ranks", str(ranks), "--json-lines", "--device=cpu"]
    command += ["--rank-children", str(rng.choice([1, 2, 8])), "--rank-timeout", f"{TIMEOUT:g}", *words]
    # While ranks connect, MPI does not tell which of them are lost.
    delay = rng.uniform(1.5, 8) if what == "loss" else rng.uniform(0.3, 2.5)
    if what == "limit":
        command += ["--time-limit", f"{delay:.3f}"]
    environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
    with tempfile.TemporaryFile("w+") as source, tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as err:
        source.write(text)
        source.seek(0)
        child = subprocess.Popen(command, stdin=source, stdout=out, stderr=err, text=True, env=environment)
        all_ranks, happened, ranks_ended, ended = {}, None, None, None
        began = time.monotonic()
        while child.poll() is None and time.monotonic() - began < delay:
            time.sleep(0.01)
        if child.poll() is None and what != "limit":
            all_ranks = ranks_of(child.pid)
            if what == "signal":
                child.send_signal(rng.choice([signal.SIGTERM, signal.SIGINT]))
                happened = time.monotonic()
            elif what == "loss" and len(all_ranks) > 1:
                others = sorted(set(all_ranks) - {0})
                for victim in rng.sample(others, rng.randint(1, len(others))):
                    os.kill(all_ranks[victim], signal.SIGKILL)
                happened = time.monotonic()
            elif all_ranks and what != "loss":
                victim = all_ranks[rng.choice(sorted(all_ranks))]
                os.kill(victim, signal.SIGKILL if what == "kill" else signal.SIGSTOP)
                happened = time.monotonic()
        since = happened or time.monotonic()
        while ended is None or ranks_ended is None:
            now = time.monotonic()
            if ranks_ended is None and not any(is_alive(pid) for pid in all_ranks.values()):
                ranks_ended = now
            if ended is None and child.poll() is not None:
                ended = now
            if now - since > PATIENCE:
                break
            time.sleep(0.005)
        left = [rank for rank, pid in all_ranks.items() if is_alive(pid)]
        for rank in left:
            os.kill(all_ranks[rank], signal.SIGKILL)
        if ended is None:
            child.kill()
            child.wait()
        for file in (out, err):
            file.seek(0)
        printed, complaints = out.read(), err.read()
    lost = happened is not None and what in ("kill", "hang", "loss")
    wrong = check(truth, printed, child.returncode, lost) if ended else ["the run does not end"]
    if left:
        wrong.append(f"ranks {left} do not end")
    took = None
    if happened and ended and ranks_ended:
        took = (ranks_ended - happened, ended - happened)
        most = AFTER.get(what, PATIENCE) + (CONNECTS - TIMEOUT if "has not connected" in complaints else 0)
        if what == "loss":
            took = (*took, json.loads(printed.splitlines()[-1]).get("Error"))
        elif took[0] > most or took[1] > most + MORE:
            wrong.append(f"ranks went on for {took[0]:.2f} s, and the command for {took[1]:.2f} s")
    if wrong:
        print(
            f"cluster: WRONG: {' '.join(command)}\n  {what} after {delay:.2f} s: {'; '.join(wrong)}\n{complaints[-1500:]}",
            flush=True,
        )
    return wrong, took


def main():
    parser = argparse.ArgumentParser(add_help=False)
    parser.add_argument("--help", action="store_true")
    target = os.path.join(os.environ.get("CARGO_TARGET_DIR", "target"), "release")
    parser.add_argument("--command", default=os.path.join(target, "yasmin-mpi"))
    parser.add_argument("--yasmin")
    parser.add_argument("--ranks", default="2,4")
    for name, number in [("kills", 20), ("hangs", 4), ("losses", 0), ("signals", 6), ("seed", 1)]:
        parser.add_argument(f"--{name}", type=int, default=number)
    parser.add_argument("--lives", default="mpirun --oversubscribe --with-ft ulfm")
    args = parser.parse_args()
    if args.help:
        print(__doc__)
        return 0
    yasmin = args.yasmin or os.path.join(os.path.dirname(args.command), "yasmin")
    for command in (args.command, yasmin):
        if not os.access(command, os.X_OK):
            print(f"cluster: error: there is no {command}; cargo build --release builds it", file=sys.stderr)
            return 65
    truths = {}
    ranks = [int(n) for n in args.ranks.split(",")]
    failures = 0
    events = [("kill", args.kills), ("hang", args.hangs), ("loss", args.losses)]
    for what, count in events + [("signal", args.signals), ("limit", args.signals)]:
        times, runs, wrong = [], 0, 0
        while runs < count * TRIES and (runs if what == "limit" else len(times)) < count:
            rng = random.Random(f"{args.seed} {what} {runs}")
            number = rng.randrange(len(CASES))
            if number not in truths:
                truths[number] = Truth(yasmin, CASES[number])
            bad, took = run(args, CASES[number], ranks[runs % len(ranks)], what, rng, truths[number])
            wrong += bool(bad)
            runs += 1
            times += [took] if took else []
        failures += wrong
        if times:
            of_ranks, of_command, *errors = zip(*times)
            for error, number in collections.Counter(*errors).items():
                print(f"cluster: loss: {number} runs: {error or 'everything was found'}", flush=True)
            print(
                f"cluster: {what}: {len(times)} of {runs} runs were hit; the longest that ranks went on is {max(of_ranks):.2f} s "
                f"(median {statistics.median(of_ranks):.2f} s), the command {max(of_command):.2f} s; {wrong} wrong; "
                f"load average {os.getloadavg()[1]:.1f}",
                flush=True,
            )
        elif runs:
            print(f"cluster: {what}: {runs} runs, {wrong} wrong", flush=True)
        if what != "limit" and len(times) < count:
            print(f"cluster: WRONG: {what}: only {len(times)} of {count} hits, as runs were over before", flush=True)
            failures += 1
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
