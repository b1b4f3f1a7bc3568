"""The examples of docs/python.md run, one after the other."""

import pathlib
import re


def test_examples():
    page = pathlib.Path(__file__).parents[2] / "docs" / "python.md"
    blocks = re.findall(r"```python\n(.*?)```", page.read_text(), re.DOTALL)
    assert len(blocks) >= 10
    names = {}
    for block in blocks:
        exec(compile(block, str(page), "exec"), names)  # noqa: S102
