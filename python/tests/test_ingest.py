"""Ingests: sources, options, progress, errors, images."""

from __future__ import annotations

import collections
import gzip
import io
import json
import math
import os
import signal
import threading
import types

import pytest
from conftest import RECORDS

import feedcore
from feedcore import _images, _ingest

TEXT = json.dumps(RECORDS).encode()


class Stream:
    """An object with only `read`, which returns fewer bytes than requested."""

    def __init__(self, data: bytes, size: int) -> None:
        self.file, self.size = io.BytesIO(data), size

    def read(self, count: int) -> bytes:
        return self.file.read(min(count, self.size))


Pair = collections.namedtuple("Pair", "left right")


@pytest.fixture(params=["json", "orjson"])
def encoder(request, monkeypatch):
    """Runs a test with json and with orjson as the writer of values."""
    if request.param == "json":
        monkeypatch.setattr(_ingest, "_orjson", None)
    else:
        pytest.importorskip("orjson")


def sources(directory):
    plain, packed = directory / "things.json", directory / "things.json.gz"
    plain.write_bytes(TEXT)
    packed.write_bytes(gzip.compress(TEXT))
    yield from (plain, str(packed), TEXT, bytearray(TEXT), memoryview(TEXT), gzip.compress(TEXT),
                io.BytesIO(TEXT), plain.open("rb"), packed.open("rb"), gzip.open(packed),
                plain.open("rb", buffering=0), plain.open("r+b"), Stream(TEXT, 999),
                Stream(gzip.compress(TEXT), 3), io.BytesIO(gzip.compress(TEXT)),
                gzip.GzipFile(fileobj=io.BytesIO(gzip.compress(TEXT))), [gzip.compress(TEXT)],
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
    for source in (file.open(), io.StringIO("[]"), Stream(TEXT, 9), [b"[1, 2", 7]):
        if isinstance(source, Stream):
            source.file = io.StringIO("[]")
        with pytest.raises(TypeError, match="'rb'"):
            store.ingest(source)


def opened(directory, text, how):
    """An open file with a text. Python reads ahead in it when it reads a line."""
    file = directory / "lines.ndjson"
    if how == "pipe":
        reading, writing = os.pipe()
        with os.fdopen(writing, "wb") as output:
            output.write(text)
        return os.fdopen(reading, "rb")
    file.write_bytes(gzip.compress(text) if how == "gzip" else text)
    if how == "gzip":
        return gzip.open(file)
    return file.open(mode="r+b" if how == "update" else "rb", buffering=0 if how == "raw" else -1)


@pytest.mark.parametrize("how", ["file", "raw", "update", "gzip", "pipe"])
def test_what_python_has_read_ahead_is_not_lost(store, tmp_path, how):
    text = b"".join(b'{"id": %d}\n' % number for number in range(3000))
    for lines in (0, 1, 2000):
        with opened(tmp_path, text, how) as source:
            for _ in range(lines):
                source.readline()
            assert store.ingest(source, feed="rest", kind="json").records == 3000 - lines
            assert source.read() == b""
        assert list(store["rest"].values("id")) == list(range(lines, 3000))


def test_a_file_is_usable_after_an_ingest(store, tmp_path):
    text, file = b'{"id": 1}      \n' * 20_000, tmp_path / "lines.ndjson"
    file.write_bytes(text)
    for start in (0, 16, 4080, 4096):
        with file.open("rb", buffering=4096) as source:
            # At the last start, the buffer of Python is fully consumed.
            source.read(min(start, 1))
            source.read(max(start - 1, 0))
            report = store.ingest(source, feed="rest", kind="json")
            assert report.records == 20_000 - start // 16
            source.seek(0)
            assert source.read() == text, start
            source.seek(16)
            assert store.ingest(source, feed="rest", kind="json").records == 19_999
            assert source.tell() == len(text) and source.read() == b""


def test_a_source_that_has_no_bytes_yet_is_refused(store):
    source = types.SimpleNamespace(read=lambda _: None)
    with pytest.raises(BlockingIOError, match="let it block"):
        store.ingest(source, feed="things")
    assert "things" not in store


def test_zstd_is_detected_in_memory(store):
    text = b'[{"id": 1}]'
    # A frame of one uncompressed block (RFC 8878, section 3.1.1).
    frame = b"\x28\xb5\x2f\xfd\x20%c%b%b" % (
        len(text), (len(text) << 3 | 1).to_bytes(3, "little"), text)
    for source in (frame, io.BytesIO(frame), Stream(frame, 1)):
        assert store.ingest(source, feed="packed").records == 1
        assert list(store["packed"]) == [{"id": 1}]


def test_none_is_a_record(store, encoder):
    for values in ([None, {"id": 1}], [None], [None, None], [{"id": 1}, None]):
        for source in (values, iter(values)):
            assert store.ingest(source, feed="things", kind="json").records == len(values)
            assert list(store["things"]) == values


def test_a_mapping_is_one_record(store, encoder):
    record = {"id": 1, "items": [{"a": 1}, {"a": 2}], "none": None}
    for source in (record, types.MappingProxyType(record)):
        assert store.ingest(source, feed="one").records == 1
        assert list(store["one"]) == [record]


def test_values_are_written_alike_with_and_without_orjson(store, path, encoder):
    values = [{"big": 2**70, "é": "\u2028é\0", "none": None, "list": [1.5, True, [None]]},
              {1: "a", "pair": Pair(1, "b")}, {}, [], "text", 0]
    store.ingest(values, feed="values", kind="json")
    with feedcore.open(path, "r", loads=json.loads) as exact:
        assert list(exact["values"]) == json.loads(json.dumps(values))
    with pytest.raises(TypeError, match="not JSON serializable"):
        store.ingest([object()], feed="values")


@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf])
def test_a_number_that_json_has_not_is_refused(store, encoder, number):
    for value in ({"a": number}, [None, [number]], number, {"a": {"b": (number,)}, "c": 2**70}):
        with pytest.raises(feedcore.PayloadError, match="record 2 .*; give None for NaN") as caught:
            store.ingest([{"a": None}, value], feed="things")
        assert caught.value.record == 2 and "things" not in store
    with pytest.raises(feedcore.PayloadError, match="record 1 "):
        store.ingest({"a": number}, feed="things")


def test_a_lone_surrogate_is_refused_or_replaced(store, encoder):
    with pytest.raises(feedcore.PayloadError, match="surrogate"):
        store.ingest([{"a": "\ud800"}], feed="things")
    store.ingest([{"a": "é\ud800"}], feed="things", replace_surrogates=True)
    assert list(store["things"]) == [{"a": "é\ufffd"}]


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
    # The previous feed is unchanged.
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


def test_an_interrupt_cancels(interrupts, store, tmp_path):
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


def test_an_interrupt_of_a_callback_for_images_is_raised(interrupts, store, monkeypatch):
    url = "https://example.org/a.png"
    store.images[url] = b"\x89PNG\r\n\x1a\n" + bytes(600_000)
    copy, calls = _images.string_at, []

    def interrupt(address: int, length: int) -> bytes:
        calls.append(length)
        os.kill(os.getpid(), signal.SIGINT)
        return copy(address, length)

    monkeypatch.setattr(_images, "string_at", interrupt)
    with pytest.raises(KeyboardInterrupt):
        store.images.get(url)
    assert len(calls) == 1 and signal.getsignal(signal.SIGINT) is signal.default_int_handler
    monkeypatch.undo()
    assert len(store.images[url]) == 600_008


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
