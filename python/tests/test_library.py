"""The package loads only its own library."""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys

import pytest

from feedcore import _library


class Foreign:
    """A library that records which symbols are looked up. It only has the ABI version."""

    def __init__(self, version: int) -> None:
        self.version = version
        self.asked: list[str] = []

    def __getattr__(self, name: str):
        self.asked.append(name)
        if name == "feedcore_abi_version":
            return lambda: self.version
        raise AttributeError(f"undefined symbol: {name}")


def test_another_abi_is_refused_before_anything_is_bound(monkeypatch):
    foreign = Foreign(_library.ABI_VERSION + 1)
    monkeypatch.setattr(ctypes, "CDLL", lambda _: foreign)
    with pytest.raises(ImportError, match="has the ABI 2, and this package needs 1; install both"):
        _library._load()
    assert foreign.asked == ["feedcore_abi_version"]


def test_an_older_library_of_this_abi_is_refused(monkeypatch):
    monkeypatch.setattr(ctypes, "CDLL", lambda _: Foreign(_library.ABI_VERSION))
    with pytest.raises(ImportError, match="older than this package: .*; install both"):
        _library._load()


@pytest.mark.parametrize("library, words", [
    ("/nothing/libfeedcore.so", ["cannot be loaded", "FEEDCORE_LIBRARY"]),
    ("libc.so.6", ["libc.so.6 is no library of FeedCore", "feedcore_abi_version"]),
])
def test_what_is_no_library_of_feedcore_is_refused(library, words):
    run = subprocess.run(
        [sys.executable, "-c", "import feedcore"], capture_output=True, text=True,
        env={**os.environ, "FEEDCORE_LIBRARY": library,
             "PYTHONPATH": os.pathsep.join(filter(None, sys.path))})
    assert run.returncode == 1
    message = run.stderr.splitlines()[-1]
    assert message.startswith("ImportError: ") and all(word in message for word in words), message
