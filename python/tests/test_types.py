"""Every public function, method and attribute has types, and a checker of types accepts the package and a user's file."""

import importlib.util
import inspect
import pathlib
import re
import subprocess
import sys

import pytest

import yasmin

TYPED = pathlib.Path(__file__).parent / "typed.py"


def own_classes():
    return [of for of in map(yasmin.__dict__.get, yasmin.__all__) if inspect.isclass(of) and of.__module__.startswith("yasmin")]


def public(of):
    """The public names of a class, without those that every exception, number of an array and so on has."""
    return [name for name in dir(of) if not name.startswith("_") and name not in ("add_note", "args", "with_traceback")]


def test_every_public_function_has_types():
    untyped = []
    for of in own_classes():
        for name, found in vars(of).items():
            function = found.fget if isinstance(found, property) else found
            if not inspect.isfunction(function) or name.startswith("_") and name != "__init__":
                continue
            signature = inspect.signature(function)
            parameters = list(signature.parameters.values())[1:]
            every = [signature.return_annotation, *(parameter.annotation for parameter in parameters)]
            if inspect.Signature.empty in every:
                untyped.append(f"{of.__name__}.{name}")
    assert untyped == []


def test_the_users_file_has_every_public_name():
    words = set(re.findall(r"\w+", TYPED.read_text()))
    missing = {name for name in yasmin.__all__ if name not in words}
    missing |= {f"{of.__name__}.{name}" for of in own_classes() for name in public(of) if name not in words}
    assert missing == set()


@pytest.mark.skipif(importlib.util.find_spec("mypy") is None, reason="mypy is not installed; see scripts/setup.sh --tests")
def test_mypy_accepts_the_package_and_the_users_file(tmp_path):
    for what in (["-p", "yasmin"], [str(TYPED)]):
        # The second run knows from the first one's cache what clingo's package has.
        command = [sys.executable, "-m", "mypy", "--strict", "--cache-dir=cache", *what]
        ran = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)
        assert ran.returncode == 0, ran.stdout + ran.stderr
