"""Asks clingo for the answer sets of many programs at once: one process, where one a program would take too long.

Reads a JSON list of aspif texts from standard input; writes, for each, a list of [names, costs] for every answer set, the costs of an
optimal one (null if there is none), the names of the brave and of the cautious consequences (null likewise), and the [names, costs] of one
answer set for each projection; or null for a program whose weights are too large for clingo.
"""
import json
import os
import sys
import tempfile

from clingo import Control


def models(path, *arguments):
    control = Control([*arguments, "0", "--warn=none"])
    control.load(path)
    control.ground([("base", [])])
    with control.solve(yield_=True) as handle:
        return [[sorted(map(str, model.symbols(shown=True))), list(model.cost)] for model in handle]


def meaning(text, path):
    with open(path, "w") as file:
        file.write(text)
    last = lambda found, part: found[-1][part] if found else None
    try:
        models(path, "--opt-mode=opt")
    except RuntimeError as error:
        if "weight too large" in str(error):
            return None
        raise
    return [
        models(path, "--opt-mode=ignore"),
        last(models(path, "--opt-mode=opt"), 1),
        last(models(path, "--opt-mode=ignore", "--enum-mode=brave"), 0),
        last(models(path, "--opt-mode=ignore", "--enum-mode=cautious"), 0),
        models(path, "--opt-mode=ignore", "--project=auto"),
    ]


with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "program.aspif")
    json.dump([meaning(text, path) for text in json.load(sys.stdin)], sys.stdout)
