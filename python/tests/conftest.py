"""Stores and documents that the tests share."""

from __future__ import annotations

import json
import pathlib
import signal

import pytest

import feedcore

RECORDS = [
    {"id": number, "name": f"é{number}", "size": number % 10, "tags": ["a", f"t{number % 3}"],
     "deep": {"flag": number % 2 == 0}}
    for number in range(1000)
]


@pytest.fixture
def interrupts():
    """SIGINT raises KeyboardInterrupt, even if a shell runs the tests in the background."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture
def path(tmp_path: pathlib.Path) -> pathlib.Path:
    return tmp_path / "store"


@pytest.fixture
def store(path: pathlib.Path):
    with feedcore.open(path) as store:
        yield store


@pytest.fixture
def feed(store: feedcore.Store) -> feedcore.Feed:
    store.ingest(json.dumps(RECORDS).encode(), feed="things", key="id", index="size")
    return store["things"]
