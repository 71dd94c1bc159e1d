"""Ingests: from JSON to a feed."""

from __future__ import annotations

import contextlib
import dataclasses
import io
import json
import os
import signal
import threading
from collections.abc import Callable, Iterable, Iterator
from ctypes import byref, c_void_p, sizeof
from typing import Any, NamedTuple

from ._library import (
    APPEND, IF_ABSENT, IF_GENERATION, LENIENT_DATES, ON_PROGRESS, REPLACE_SURROGATES, WAIT, Handle,
    IngestOptions, check, lib,
)
from ._library import Progress as _Progress
from ._library import Report as _Report
from .errors import FeedCoreError

def _json(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()


_dumps: Callable[[Any], bytes] = _json
with contextlib.suppress(ImportError):
    import orjson

    _dumps = orjson.dumps

#: The number of bytes that are pushed at a time.
_CHUNK = 1 << 20
_COMPRESSED = (b"\x1f\x8b", b"\x28\xb5\x2f\xfd")


class Progress(NamedTuple):
    """The progress of an ingest."""

    #: Read, decompressed.
    bytes: int
    #: Read, as stored in the input.
    input_bytes: int
    #: As stored in the input; 0 if unknown.
    total_bytes: int
    records: int


class Report(NamedTuple):
    """The result of an ingest."""

    feed: str
    #: Read and stored by this ingest.
    records: int
    rejected: int
    #: Read, decompressed.
    bytes: int
    #: The records of the feed afterwards.
    feed_records: int
    generation: int


@dataclasses.dataclass
class Options:
    """The arguments of Store.ingest."""

    feed: str | None
    key: list[str]
    index: list[str]
    kind: str | None
    records: str | None
    append: bool
    wait: bool
    allowed_rejects: int
    if_absent: bool
    if_generation: int | None
    lenient_dates: bool
    replace_surrogates: bool
    lanes: int
    progress: Callable[[Progress], object] | None
    origin: str = "Python"


def ingest(store: c_void_p, source: Any, options: Options) -> Report:
    """Publishes a source as a feed; see Store.ingest."""
    if isinstance(source, (str, os.PathLike)):
        options.origin = os.fspath(source)
        with open(source, "rb", buffering=0) as file:
            return _Run(options).read(store, file.fileno())
    descriptor = _descriptor(source)
    if descriptor is not None:
        options.origin = str(getattr(source, "name", options.origin))
        return _Run(options).read(store, descriptor)
    if isinstance(source, (bytes, bytearray, memoryview)):
        view = memoryview(source).cast("B")
        if bytes(view[:2]) == _COMPRESSED[0] or bytes(view[:4]) == _COMPRESSED[1]:
            return _from_memory(store, view, options)
        chunks: Iterator[bytes] = (
            bytes(view[start:start + _CHUNK]) for start in range(0, len(view), _CHUNK))
    elif hasattr(source, "read"):
        chunks = iter(lambda: source.read(_CHUNK), b"")
    else:
        chunks = _chunks(source)
    return _Run(options).push(store, chunks)


def _descriptor(source: Any) -> int | None:
    """That of an open file which was not read yet by Python."""
    if isinstance(source, io.TextIOBase):
        raise TypeError("the file was opened as text; open it with mode 'rb'")
    try:
        descriptor: int = source.fileno()
    except (AttributeError, OSError):
        return None
    # What a buffer of Python has read ahead is read again from the file.
    with contextlib.suppress(OSError, AttributeError):
        os.lseek(descriptor, source.tell(), os.SEEK_SET)
    # Others have a descriptor of bytes that they decode, such as gzip.
    return descriptor if isinstance(source, (io.FileIO, io.BufferedReader)) else None


def _from_memory(store: c_void_p, view: memoryview, options: Options) -> Report:
    """Compressed bytes are read from a descriptor, where the library detects them."""
    with open(os.memfd_create("feedcore"), "w+b", buffering=0) as file:
        while view:
            view = view[file.write(view):]
        file.seek(0)
        return _Run(options).read(store, file.fileno())


def _chunks(source: Iterable[Any]) -> Iterator[bytes]:
    """Chunks of JSON as they come, or values as an array of JSON, a line each."""
    values = iter(source)
    first = next(values, None)
    if isinstance(first, (bytes, bytearray, memoryview)):
        yield bytes(first)
        yield from map(bytes, values)
        return
    pending = bytearray(b"[\n")
    if first is not None:
        pending += _dumps(first)
    for value in values:
        pending += b",\n" + _dumps(value)
        if len(pending) >= _CHUNK:
            yield bytes(pending)
            pending.clear()
    yield bytes(pending + b"\n]")


class _Run:
    """One ingest and its callback."""

    def __init__(self, options: Options) -> None:
        self.options = options
        self.report = _Report()
        self.raised: list[BaseException] = []
        self.interrupts: list[tuple[Any, ...]] = []
        self.given = _given(options, self.tell)

    def read(self, store: c_void_p, descriptor: int) -> Report:
        self.check(lib.feedcore_ingest_fd, store, descriptor, byref(self.given),
                   byref(self.report))
        return self.result()

    def push(self, store: c_void_p, chunks: Iterable[bytes]) -> Report:
        handle = Handle(lib.feedcore_ingest_cancel)
        self.check(lib.feedcore_ingest_begin, store, byref(self.given), byref(handle.word))
        try:
            for chunk in chunks:
                self.check(lib.feedcore_ingest_push, handle.word, chunk, len(chunk))
            # It closes the handle even if it fails.
            word, handle.word = handle.word, c_void_p()
            self.check(lib.feedcore_ingest_finish, word, byref(self.report))
        finally:
            handle.close()
        return self.result()

    def result(self) -> Report:
        report = self.report
        return Report(
            report.feed.decode(), report.records, report.rejected, report.bytes,
            report.feed_records, report.generation)

    def tell(self, _: int, progress: Any) -> int:
        if self.interrupts:
            return 1
        try:
            if self.options.progress is not None:
                at: _Progress = progress.contents
                self.options.progress(
                    Progress(at.bytes, at.input_bytes, at.total_bytes, at.records))
            return 0
        except BaseException as error:  # noqa: BLE001, raised again below
            self.raised.append(error)
            return 1

    def check(self, function: Any, *arguments: Any) -> None:
        """Calls a function, and raises what a callback or Ctrl-C has raised in it."""
        try:
            with self.interruptible():
                check(function, *arguments, file=self.options.origin)
        except FeedCoreError:
            if self.raised:
                raise self.raised[0] from None
            raise

    @contextlib.contextmanager
    def interruptible(self) -> Iterator[None]:
        """Notes Ctrl-C during a call for the callback. What its handler raises as the callback is
        entered would be lost in ctypes."""
        handler = signal.getsignal(signal.SIGINT)
        is_main = threading.current_thread() is threading.main_thread()
        if not is_main or not callable(handler):
            yield
            return
        signal.signal(signal.SIGINT, lambda *arguments: self.interrupts.append(arguments))
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, handler)
            if self.interrupts:
                handler(*self.interrupts.pop())


def _given(options: Options, tell: Callable[[int, Any], int]) -> IngestOptions:
    """The options for C. ctypes keeps the texts and the callback as long as the structure."""
    given = IngestOptions(size=sizeof(IngestOptions), lanes=options.lanes,
                          allowed_rejects=options.allowed_rejects, progress=ON_PROGRESS(tell))
    flags = {
        APPEND: options.append, WAIT: options.wait, LENIENT_DATES: options.lenient_dates,
        REPLACE_SURROGATES: options.replace_surrogates, IF_ABSENT: options.if_absent,
        IF_GENERATION: options.if_generation is not None,
    }
    given.flags = sum(flag for flag, is_set in flags.items() if is_set)
    given.generation = options.if_generation or 0
    texts = {
        "feed": options.feed or "", "kind": options.kind or "", "records": options.records,
        "origin": options.origin, "indexed_fields": ",".join(options.index),
        "key": ",".join(options.key),
    }
    for name, text in texts.items():
        if text is not None:
            encoded = text.encode("utf-8", "replace")
            setattr(given, name, encoded)
            setattr(given, name + "_length", len(encoded))
    return given
