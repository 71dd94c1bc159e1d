"""The Python code of the README, of this package's page and of the article runs as described."""

from __future__ import annotations

import ast
import gzip
import pathlib
import re
import shutil
import types

import pytest

import feedcore

ROOT = pathlib.Path(__file__).resolve().parents[2]
ARTICLE = ROOT / "Sources/FeedCore/FeedCore.docc/Python.md"


def blocks(page: pathlib.Path) -> list[str]:
    return re.findall(r"^```python\n(.*?)^```", page.read_text(), re.M | re.S)


@pytest.fixture
def directory(tmp_path, monkeypatch):
    (tmp_path / "Examples").symlink_to(ROOT / "Examples")
    shutil.copy(ROOT / "Examples/universities.json", tmp_path)
    (tmp_path / "dump.json.gz").write_bytes(gzip.compress(b'[{"id": 1}]'))
    (tmp_path / "dump.json").write_bytes(b'[{"id": 1}, {"id": ]')
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("page", [ROOT / "README.md", ROOT / "python/README.md"],
                         ids=["README.md", "python/README.md"])
def test_the_pages_run(page, directory, capsys):
    if "pandas" in page.read_text():
        pytest.importorskip("pandas")
        pytest.importorskip("pyarrow")
    code = blocks(page)
    assert code
    for block in code:
        exec(compile(block, str(page), "exec"), {})
    assert "Universidade" in capsys.readouterr().out


def test_the_article_runs(directory, capsys):
    names = {
        "response": types.SimpleNamespace(content=b'[{"title": "a"}]'),
        "data": b"\x89PNG\r\n\x1a\n",
    }
    code = blocks(ARTICLE)
    assert len(code) == 4
    for block in code:
        exec(compile(block, str(ARTICLE), "exec"), names)
    shown = capsys.readouterr().out
    assert "Progress(bytes=" in shown and "dump.json 1 20" in shown
    # Compares expressions with the results in their comments.
    checked = 0
    for line in "\n".join(code).splitlines():
        expression, _, comment = line.partition("  # ")
        if re.fullmatch(r"\s*\d+", comment):
            assert eval(expression, names) == ast.literal_eval(comment.strip()), line
            checked += 1
    assert checked == 1
    assert names["store"]["universities"].count("country = Brazil") == 4
    assert isinstance(names["store"], feedcore.Store)
