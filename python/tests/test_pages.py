"""The examples of docs/python.md run, one after the other, and so does the one of docs/questions.md."""

import pathlib
import re

PAGES = pathlib.Path(__file__).parents[2] / "docs"


def blocks(page, language="python"):
    return re.findall(rf"```{language}\n(.*?)```", (PAGES / page).read_text(), re.DOTALL)


def run(page):
    names = {}
    for block in blocks(page):
        exec(compile(block, page, "exec"), names)  # noqa: S102


def test_examples():
    assert len(blocks("python.md")) >= 10
    run("python.md")


def test_the_configurator(tmp_path, monkeypatch, capsys):
    [program] = blocks("questions.md", "prolog")
    (tmp_path / "bike.lp").write_text(program)
    monkeypatch.chdir(tmp_path)
    run("questions.md")
    told = capsys.readouterr().out.splitlines()
    assert told[1] == "frame(race) is excluded by ['rack', 'frame(race)']" and len(told) == 3, told
