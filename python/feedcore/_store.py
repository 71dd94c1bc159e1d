"""A store of feeds."""

from __future__ import annotations

import contextlib
import html
import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from ctypes import byref, c_size_t, c_void_p
from typing import Any

from . import _ingest
from ._feed import Feed, FeedDescription
from ._images import Images
from ._ingest import Progress, Report
from ._library import CREATE, DURABLE, REFERENCE_EPOCH, WAIT, Handle, check, lib, text_at
from .errors import ClosedError, NotFoundError

_loads: Callable[[bytes], Any] = json.loads
with contextlib.suppress(ImportError):
    import orjson

    # orjson reads an integer above 64 bits as a float, and refuses lone surrogates.
    _loads = orjson.loads

#: The maximum number of idle readers of a feed.
_MAXIMUM_READERS = 8


def open(  # noqa: A001, as in gzip.open
    path: str | os.PathLike[str], mode: str = "a", *, durable: bool = False,
    loads: Callable[[bytes], Any] | None = None,
) -> Store:
    """Opens the store in a directory.

    mode: "a" creates a missing store, "r" only reads
    durable: a power cut loses no data, not even images; a published feed is always durable
    loads: parses JSON texts; by default orjson.loads if it is installed, otherwise json.loads
    """
    if mode not in ("a", "r"):
        raise ValueError(f"mode is {mode!r}; it is 'a' or 'r'")
    flags = (CREATE if mode == "a" else 0) | (DURABLE if durable else 0)
    return Store(os.fsdecode(path), flags, loads or _loads)


class Store(Mapping[str, Feed]):
    """The feeds of a store by name. Any number of threads may use it.

    A store that was opened before a fork raises ForkedError in the child.
    """

    def __init__(self, path: str, flags: int, loads: Callable[[bytes], Any]) -> None:
        self.path = path
        self._flags = flags
        self._loads = loads
        self._handle = Handle(lib.feedcore_store_close)
        self._images: Images | None = None
        self._readers: dict[str, list[Handle]] = {}
        encoded = os.fsencode(path)
        check(lib.feedcore_store_open, encoded, len(encoded), flags, byref(self._handle.word))

    # Lifetime

    def close(self) -> None:
        """Closes the store. Calls of other threads end first; later ones raise ClosedError."""
        # Closed first, so that a thread that returns a reader later sees that the store is closed.
        self._handle.close()
        if self._images is not None:
            self._images.close()
        for name in list(self._readers):
            self._free_readers(name)

    @property
    def closed(self) -> bool:
        return not self._handle.word

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def _word(self) -> c_void_p:
        word = self._handle.word
        if not word:
            raise ClosedError("the store was closed; open it again")
        return word

    # Readers. Only one thread at a time may use a reader.

    def _open_reader(self, name: str) -> Handle:
        reader, encoded = Handle(lib.feedcore_reader_close), name.encode()
        check(lib.feedcore_reader_open, self._word, encoded, len(encoded), byref(reader.word))
        return reader

    def _take_reader(self, name: str) -> Handle:
        # Raises if the store is closed. A reader keeps its store open and would still work.
        self._word  # noqa: B018
        try:
            return self._readers[name].pop()
        except (KeyError, IndexError):
            return self._open_reader(name)

    def _return_reader(self, name: str, reader: Handle) -> None:
        waiting = self._readers.setdefault(name, [])
        if len(waiting) >= _MAXIMUM_READERS:
            reader.close()
            return
        waiting.append(reader)
        if self.closed:
            # `close` may have freed the other readers before this reader was returned.
            self._free_readers(name)

    def _free_readers(self, name: str) -> None:
        # `pop` gives each reader to one thread. A lock could stay locked in the child of a fork.
        waiting = self._readers.get(name, [])
        with contextlib.suppress(IndexError):
            while True:
                waiting.pop().close()

    # Feeds

    def __getitem__(self, name: str) -> Feed:
        if not isinstance(name, str):
            raise TypeError(f"the name of a feed is a string, not {type(name).__name__}")
        self._describe(name)
        return Feed(self, name)

    def __iter__(self) -> Iterator[str]:
        return iter([description.name for description in self._descriptions()])

    def __len__(self) -> int:
        return len(self._descriptions())

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and bool(self._descriptions(name))

    def __delitem__(self, name: str) -> None:
        encoded = name.encode()
        self._free_readers(name)
        if not check(lib.feedcore_feed_delete, self._word, encoded, len(encoded), WAIT):
            raise NotFoundError(f"there is no feed named {name}")

    def _describe(self, name: str) -> FeedDescription:
        found = self._descriptions(name)
        if not found:
            raise NotFoundError(f"there is no feed named {name}")
        return found[0]

    def _descriptions(self, name: str | None = None) -> list[FeedDescription]:
        """The descriptions of all feeds, or of the feed with the name."""
        feeds = Handle(lib.feedcore_feeds_free)
        try:
            if name is None:
                check(lib.feedcore_feeds_list, self._word, byref(feeds.word))
            else:
                encoded = name.encode()
                if not check(lib.feedcore_feeds_find, self._word, encoded, len(encoded),
                             byref(feeds.word)):
                    return []
            return [_description(feeds, index)
                    for index in range(lib.feedcore_feeds_count(feeds.word))]
        finally:
            feeds.close()

    # Changes

    def ingest(
        self, source: Any, *, feed: str | None = None, key: str | Iterable[str] = (),
        index: str | Iterable[str] = (), kind: str | None = None, records: str | None = None,
        append: bool = False, wait: bool = True, allowed_rejects: int = 0,
        if_absent: bool = False, if_generation: int | None = None,
        lenient_dates: bool = False, replace_surrogates: bool = False, lanes: int = 0,
        progress: Callable[[Progress], object] | None = None,
    ) -> Report:
        """Publishes records as a feed, all of them or none.

        source: a path, an open binary file or another object with `read`, JSON as bytes, one record
            as a mapping, or an iterable of values or of chunks of JSON as bytes. Bytes may be
            compressed with gzip or zstd. Values are those that the module json writes, except NaN,
            and with orjson also dates and UUIDs.
        feed: the name of the feed; by default the name of the kind or the file
        key: the paths of the key of documents; "#" is the position
        index: paths to find records by, in addition to the key
        kind: "json" accepts any document; by default a built-in kind if the records match it
        records: the location of the records as a JSON Pointer; by default it is detected
        append: adds the records that are not in the feed
        wait: waits while another writer changes the feed; otherwise raises BusyError
        allowed_rejects: the number of invalid records to skip before raising PayloadError
        if_absent: raises ConflictError if the feed exists
        if_generation: raises ConflictError if the feed has another generation
        progress: is called with the progress; an exception from it cancels the ingest
        """
        return _ingest.ingest(self._word, source, _ingest.Options(
            feed=feed, key=_list(key), index=_list(index), kind=kind, records=records,
            append=append, wait=wait, allowed_rejects=allowed_rejects, if_absent=if_absent,
            if_generation=if_generation, lenient_dates=lenient_dates,
            replace_surrogates=replace_surrogates, lanes=lanes, progress=progress))

    @property
    def images(self) -> Images:
        """The images of the store by URL."""
        self._word  # noqa: B018
        if self._images is None:
            self._images = Images(self.path, self._flags)
            if self.closed:
                # `close` ran before `_images` was set.
                self._images.close()
        return self._images

    # Display

    def __repr__(self) -> str:
        return f"<feedcore.Store {self.path!r}{', closed' if self.closed else ''}>"

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><td>{html.escape(each.name)}</td><td>{html.escape(each.kind)}</td>"
            f"<td>{each.record_count:,}</td><td>{each.timestamp:%Y-%m-%d %H:%M}</td></tr>"
            for each in self._descriptions())
        return ("<table><thead><tr><th>feed</th><th>kind</th><th>records</th><th>time</th></tr>"
                f"</thead><tbody>{rows}</tbody></table>")


def _list(value: str | Iterable[str]) -> list[str]:
    return [value] if isinstance(value, str) else list(value)


def _description(feeds: Handle, index: int) -> FeedDescription:
    info = lib.feedcore_feeds_at(feeds.word, index).contents
    schema, length = c_void_p(), c_size_t()
    lib.feedcore_feed_schema(feeds.word, index, byref(schema), byref(length))
    return FeedDescription(
        name=text_at(info.name, info.name_length), kind=text_at(info.kind, info.kind_length),
        record_count=info.record_count, stored_bytes=info.stored_bytes,
        generation=info.generation, seconds=info.reference_seconds + REFERENCE_EPOCH,
        origin=text_at(info.origin, info.origin_length),
        schema_text=text_at(schema.value, length.value))
