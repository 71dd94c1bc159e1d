"""Ingests: sources, options, progress, errors, images."""

from __future__ import annotations

import gzip
import io
import json
import os
import signal
import threading

import pytest
from conftest import RECORDS

import feedcore

TEXT = json.dumps(RECORDS).encode()


def sources(directory):
    plain, packed = directory / "things.json", directory / "things.json.gz"
    plain.write_bytes(TEXT)
    packed.write_bytes(gzip.compress(TEXT))
    yield from (plain, str(packed), TEXT, bytearray(TEXT), memoryview(TEXT), gzip.compress(TEXT),
                io.BytesIO(TEXT), plain.open("rb"), packed.open("rb"), gzip.open(packed),
                RECORDS, iter(RECORDS), (TEXT[at:at + 999] for at in range(0, len(TEXT), 999)))


def test_each_source_gives_the_same_feed(store, tmp_path):
    for source in sources(tmp_path):
        report = store.ingest(source, feed="things", key="id")
        assert report.records == report.feed_records == 1000 and report.feed == "things", source
        assert list(store["things"]) == RECORDS, source


def test_a_file_is_read_from_where_it_stands(store, tmp_path):
    file = tmp_path / "lines.ndjson"
    file.write_bytes(b'{"id": 1}\n{"id": 2}\n')
    with file.open("rb") as source:
        source.readline()
        assert store.ingest(source, feed="rest").records == 1
    with file.open() as source, pytest.raises(TypeError, match="'rb'"):
        store.ingest(source)


def test_no_values_are_a_feed_without_records(store):
    store.ingest(RECORDS[:1], feed="things")
    assert store.ingest([], feed="things").feed_records == 0
    assert list(store["things"]) == [] and store["things"].first() is None


def test_an_error_has_its_position(store, tmp_path):
    file = tmp_path / "bad.json"
    file.write_bytes(b'[{"a": 1},\n {"a": [2, }]')
    store.ingest(b'[{"a": 0}]', feed="bad")
    for source, name in ((file, str(file)), (file.read_bytes(), "Python")):
        with pytest.raises(feedcore.PayloadError) as caught:
            store.ingest(source, feed="bad")
        error = caught.value
        assert (error.file, error.line, error.column, error.record) == (name, 2, 12, 2)
        assert error.pointer == "/1/a/1" and error.offset == 22 and "}" in error.reason
        assert str(error).startswith(f"{name}:2:12: ") and isinstance(error, ValueError)
    # The feed of before stands.
    assert list(store["bad"]) == [{"a": 0}]


def test_progress_is_reported_and_can_cancel(store):
    seen: list[feedcore.Progress] = []
    store.ingest(TEXT, feed="things", progress=seen.append)
    assert seen[-1].records == 1000 and seen[-1].bytes == len(TEXT)

    class Enough(Exception):
        pass

    def stop(_: feedcore.Progress) -> None:
        raise Enough

    for source in (TEXT, RECORDS):
        with pytest.raises(Enough):
            store.ingest(source, feed="other", progress=stop)
    assert "other" not in store


def test_an_interrupt_cancels(store, tmp_path):
    file = tmp_path / "large.ndjson"
    with file.open("wb") as output:
        for number in range(400_000):
            output.write(b'{"id": %d, "filler": "%s"}\n' % (number, b"x" * 100))

    def interrupt(progress: feedcore.Progress) -> None:
        if progress.records:
            os.kill(os.getpid(), signal.SIGINT)

    for source in (file, file.read_bytes()):
        with pytest.raises(KeyboardInterrupt):
            store.ingest(source, feed="large", progress=interrupt)
        assert "large" not in store
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_a_source_that_fails_publishes_nothing(store):
    def values():
        yield from RECORDS
        raise OSError("the source failed")

    with pytest.raises(OSError, match="the source failed"):
        store.ingest(values(), feed="things")
    assert "things" not in store and store.ingest(RECORDS, feed="things", wait=False).records


def test_conditions_and_appends(store):
    store.ingest(RECORDS[:10], feed="things", key="id")
    with pytest.raises(feedcore.ConflictError):
        store.ingest(RECORDS, feed="things", if_absent=True)
    with pytest.raises(feedcore.ConflictError):
        store.ingest(RECORDS, feed="things", if_generation=7)
    report = store.ingest(RECORDS[5:15], feed="things", key="id", append=True)
    assert (report.records, report.feed_records) == (5, 15)
    with pytest.raises(feedcore.MisuseError):
        store.ingest(RECORDS, feed="not/a name")


def test_a_reader_cannot_change_the_store(store, path):
    store.ingest(RECORDS, feed="things")
    with feedcore.open(path, "r") as reader:
        assert len(reader["things"]) == 1000
        with pytest.raises(feedcore.ReadOnlyError):
            reader.ingest(RECORDS, feed="things")
    with pytest.raises(feedcore.NotFoundError):
        feedcore.open(path.with_name("missing"), "r")


def test_another_ingest_is_reported_as_busy(store):
    entered, leave = threading.Event(), threading.Event()

    def hold(progress: feedcore.Progress) -> None:
        if progress.records:
            entered.set()
            assert leave.wait(60)

    many = [dict(each, filler="x" * 4000) for each in RECORDS]
    thread = threading.Thread(
        target=lambda: store.ingest(many, feed="things", progress=hold))
    thread.start()
    try:
        assert entered.wait(60)
        with pytest.raises(feedcore.BusyError):
            store.ingest(RECORDS, feed="things", wait=False)
    finally:
        leave.set()
        thread.join()


def test_images_are_kept_by_url(store):
    url, png = "https://example.org/a.png", b"\x89PNG\r\n\x1a\n" + bytes(600_000)
    assert url not in store.images and store.images.get(url) is None
    store.images[url] = png
    store.images.put("https://example.org/b", b"<svg/>", "image/svg+xml", expires=1.0)
    assert store.images[url] == png and store.images[url].content_type == "image/png"
    assert "https://example.org/b" not in store.images
    del store.images[url]
    with pytest.raises(KeyError):
        store.images[url]
