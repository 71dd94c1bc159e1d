"""Ingests: JSON becomes a feed."""

from __future__ import annotations

import contextlib
import dataclasses
import io
import itertools
import json
import math
import os
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from ctypes import byref, c_void_p, sizeof
from typing import Any, NamedTuple

from ._library import (
    APPEND, IF_ABSENT, IF_GENERATION, LENIENT_DATES, ON_PROGRESS, REPLACE_SURROGATES, WAIT, Handle,
    IngestOptions, check, interruptible, joined, lib,
)
from ._library import Progress as _Progress
from ._library import Report as _Report
from .errors import FeedCoreError, MisuseError, PayloadError

_orjson: Any = None
with contextlib.suppress(ImportError):
    import orjson

    _orjson = orjson

_ENCODER = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"))

#: The number of bytes that are pushed at a time.
_CHUNK = 1 << 20
#: The first bytes of gzip and of zstd.
_COMPRESSED = (b"\x1f\x8b", b"\x28\xb5\x2f\xfd")
_BYTES = (bytes, bytearray, memoryview)


class Progress(NamedTuple):
    """The progress of an ingest."""

    #: Decompressed bytes that were read.
    bytes: int
    #: Bytes of the input that were read, compressed or not.
    input_bytes: int
    #: All bytes of the input; 0 if unknown.
    total_bytes: int
    records: int


class Report(NamedTuple):
    """The result of an ingest."""

    feed: str
    #: The records that this ingest stored.
    records: int
    rejected: int
    #: Decompressed bytes that were read.
    bytes: int
    #: The records of the published feed.
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
        options.origin = os.fsdecode(source)
        if not options.origin:
            raise MisuseError("the path of the source is empty; name a file")
        with open(source, "rb", buffering=0) as file:
            return _Run(options).read(store, file.fileno())
    if isinstance(source, io.TextIOBase):
        raise TypeError("the file was opened as text; open it with mode 'rb'")
    if hasattr(source, "read"):
        name = getattr(source, "name", None)
        if name and isinstance(name, (str, bytes)):
            options.origin = os.fsdecode(name)
        if _is_plain(source):
            return _Run(options).read(store, source.fileno())
        chunks = _blocks(source)
    elif isinstance(source, _BYTES):
        view = memoryview(source).cast("B")
        chunks = (view[start:start + _CHUNK] for start in range(0, len(view), _CHUNK))
    elif isinstance(source, Mapping):
        chunks = _chunks([dict(source)])
    else:
        chunks = _chunks(source)
    return _send(store, map(_bytes, chunks), options)


def _is_plain(source: Any) -> bool:
    """Whether the library can read from the descriptor at Python's position.

    The descriptor of another object may have other data: in gzip it is the compressed file.
    """
    if type(source) is io.FileIO:
        return True
    if type(source) is not io.BufferedReader or type(source.raw) is not io.FileIO:
        return False
    try:
        # Python may have read ahead. A pipe does not tell, and raises here.
        return source.tell() == os.lseek(source.fileno(), 0, os.SEEK_CUR)
    except OSError:
        return False


def _blocks(source: Any) -> Iterator[Any]:
    while True:
        block = source.read(_CHUNK)
        if block is None:
            raise BlockingIOError("the source does not block and has no bytes yet; let it block")
        if not block:
            return
        yield block


def _bytes(chunk: Any) -> bytes:
    if not isinstance(chunk, _BYTES):
        # bytes(7) would be seven zeros.
        raise TypeError(f"a chunk of JSON is bytes, not {type(chunk).__name__}; open a file with "
                        f"mode 'rb', and write values by json.dumps(value).encode()")
    return bytes(chunk)


def _chunks(source: Iterable[Any]) -> Iterator[Any]:
    """Chunks of JSON unchanged, or values as a JSON array with a line for each value."""
    values = iter(source)
    # A list of at most one value, since the value may be None.
    first = list(itertools.islice(values, 1))
    values = itertools.chain(first, values)
    if first and isinstance(first[0], _BYTES):
        yield from values
        return
    pending = bytearray(b"[\n")
    for number, value in enumerate(values, 1):
        if number > 1:
            pending += b",\n"
        pending += _value(value, number)
        if len(pending) >= _CHUNK:
            yield bytes(pending)
            pending.clear()
    yield bytes(pending + b"\n]")


def _value(value: Any, number: int) -> bytes:
    try:
        return _dumps(value)
    except ValueError as cause:
        hint = "; give None for NaN and infinity" if "float" in str(cause) else ""
        error = PayloadError(f"record {number} cannot be written as JSON: {cause}{hint}")
        error.record, error.reason = number, str(cause)
        raise error from cause


def _dumps(value: Any) -> bytes:
    if _orjson is not None:
        try:
            text: bytes = _orjson.dumps(value)
            # orjson writes NaN as null, and the module json refuses it.
            if b"null" not in text or not _has_nan(value):
                return text
        except TypeError:
            # orjson refuses integers above 64 bits, keys other than strings, and named tuples.
            pass
    # A lone surrogate becomes its escape, which the library refuses or replaces.
    return _ENCODER.encode(value).encode("utf-8", "backslashreplace")


def _has_nan(value: Any) -> bool:
    if isinstance(value, float):
        return not math.isfinite(value)
    if isinstance(value, dict):
        return any(map(_has_nan, value.values()))
    return isinstance(value, (list, tuple)) and any(map(_has_nan, value))


def _send(store: c_void_p, chunks: Iterator[bytes], options: Options) -> Report:
    """Pushes chunks. If they are compressed, the library reads them from a file."""
    head = b""
    for chunk in chunks:
        head += chunk
        if len(head) >= 4:
            break
    chunks = itertools.chain([head], chunks)
    if not head.startswith(_COMPRESSED):
        return _Run(options).push(store, chunks)
    with tempfile.TemporaryFile(buffering=0) as file:
        for chunk in chunks:
            view = memoryview(chunk)
            while view:
                view = view[file.write(view):]
        file.seek(0)
        return _Run(options).read(store, file.fileno())


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
        try:
            self.check(lib.feedcore_ingest_begin, store, byref(self.given), byref(handle.word))
            for chunk in chunks:
                self.check(lib.feedcore_ingest_push, handle.word, chunk, len(chunk))
            self.check(lib.feedcore_ingest_finish, handle.word, byref(self.report))
        finally:
            # Finishing closes the handle, even on failure. Closing it again does nothing.
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
        """Calls a function, and raises the exception of its callback or of Ctrl-C."""
        try:
            with interruptible(self.interrupts):
                check(function, *arguments, file=self.options.origin)
        except FeedCoreError:
            if self.raised:
                raise self.raised[0] from None
            raise


def _given(options: Options, tell: Callable[[int, Any], int]) -> IngestOptions:
    """The options for C. The structure keeps the texts and the callback alive."""
    if options.feed == "":
        raise MisuseError("the name of the feed is empty; leave it out for a name of its source")
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
        "feed": options.feed, "kind": options.kind, "records": options.records,
        "origin": options.origin, "indexed_fields": joined(options.index, ","),
        "key": joined(options.key, ","),
    }
    for name, text in texts.items():
        if text is not None:
            encoded = text if isinstance(text, bytes) else text.encode("utf-8", "replace")
            setattr(given, name, encoded)
            setattr(given, name + "_length", len(encoded))
    return given
