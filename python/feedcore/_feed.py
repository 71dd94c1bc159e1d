"""Feeds and their records."""

from __future__ import annotations

import dataclasses
import datetime
import html
import json
import uuid
from collections.abc import Iterator, Sequence
from ctypes import byref, c_size_t, c_uint64, c_void_p, sizeof, string_at
from typing import TYPE_CHECKING, Any

from ._library import LINES, OK, Batch, Handle, Query, check, joined, lib
from .errors import MisuseError, NotFoundError

if TYPE_CHECKING:
    import pandas
    import pyarrow

    from ._store import Store

#: Bytes of a batch. The dicts of a small batch of records stay in the fastest caches; 256 KiB take
#: twice the time. Values and lines make few objects, so their batches are larger.
_RECORD_BATCH, _VALUE_BATCH = 16 << 10, 256 << 10
#: The largest number of records that the library sorts.
_MAXIMUM_SORTED = 100_000
_SHOWN_ROWS, _SHOWN_COLUMNS, _SHOWN_LETTERS = 10, 12, 60


@dataclasses.dataclass(frozen=True)
class FeedDescription:
    """The properties of a feed that a store reads without its records."""

    name: str
    kind: str
    record_count: int
    stored_bytes: int
    generation: int
    seconds: float
    origin: str
    schema_text: str

    @property
    def timestamp(self) -> datetime.datetime:
        return datetime.datetime.fromtimestamp(self.seconds, datetime.timezone.utc)


class Record(dict[str, Any]):
    """A record found by its key: a dict, with the JSON text that it was made of."""

    __slots__ = ("text",)
    #: The JSON of the record. The text of a document has its original literals.
    text: memoryview


class Records:
    """The records of a feed that match a query. Nothing is read before the iteration.

    Each iteration reads the generation that is published when it begins.
    """

    def __init__(self, store: Store, name: str) -> None:
        self._store = store
        self.name = name
        self._conditions: tuple[str, ...] = ()
        self._order: tuple[str, ...] = ()
        self._paths: tuple[str, ...] = ()
        self._offset = 0
        self._limit: int | None = None

    # Queries

    def where(self, *conditions: str) -> Records:
        """The records that match all conditions, such as "size >= 10" or "name ~ federal".

        The operators are those of `feedcore show --help`: = != < <= > >= ~ !~ in exists !exists.
        """
        return self._view(_conditions=self._conditions + conditions)

    def sort(self, *paths: str) -> Records:
        """The records sorted by the values at paths; a minus sign reverses the order.

        At most 100,000 records are sorted. If there are more, an iteration without a `limit` raises
        MisuseError before the first one.
        """
        return self._view(_order=self._order + paths)

    def select(self, *paths: str) -> Records:
        """Dicts of the values at paths instead of whole records; None for a missing value."""
        return self._view(_paths=tuple(dict.fromkeys(paths)))

    def limit(self, count: int) -> Records:
        """The first `count` records."""
        end = count if self._limit is None else min(count, self._limit)
        if end < 0:
            raise ValueError("a limit is not negative")
        return self._view(_limit=end)

    def skip(self, count: int) -> Records:
        """The records after the first `count` records."""
        if count < 0:
            raise ValueError("an offset is not negative")
        left = None if self._limit is None else max(self._limit - count, 0)
        return self._view(_offset=self._offset + count, _limit=left)

    def _view(self, **changes: Any) -> Records:
        view = Records(self._store, self.name)
        view.__dict__.update({name: value for name, value in self.__dict__.items()
                              if name in view.__dict__})
        view.__dict__.update(changes)
        return view

    # Reading

    def __iter__(self) -> Iterator[Any]:
        """Each record as a dict, or as the value of its JSON if that is not an object."""
        loads, paths = self._store._loads, self._paths
        for batch, _, _ in self._batches(paths):
            elements = _parsed(loads, batch)
            if not paths:
                yield from elements
            elif len(paths) == 1:
                yield from ({paths[0]: element} for element in elements)
            else:
                yield from (dict(zip(paths, element)) for element in elements)

    def values(self, path: str) -> Iterator[Any]:
        """The value at a path of each record; None for a missing value."""
        for batch, _, _ in self._batches((path,)):
            yield from _parsed(self._store._loads, batch)

    def texts(self) -> Iterator[memoryview]:
        """The JSON text of each record. Many texts share one buffer and are not copied."""
        for batch, offsets, count in self._batches(()):
            view = memoryview(batch)
            for index in range(count):
                yield view[offsets[index]:offsets[index + 1] - 1]

    def first(self) -> Any:
        """The first record; None if there is none."""
        return next(iter(self.limit(1)), None)

    def count(self, *conditions: str) -> int:
        """The number of records that match all conditions."""
        view = self.where(*conditions)
        reader, count = self._store._take_reader(self.name), c_uint64()
        try:
            check(lib.feedcore_query_count, reader.word, byref(view._query()), byref(count))
        finally:
            self._store._return_reader(self.name, reader)
        found = max(count.value - self._offset, 0)
        return found if self._limit is None else min(found, self._limit)

    def _query(self) -> Query:
        conditions, order = joined(self._conditions), joined(self._order)
        return Query(
            size=sizeof(Query), conditions=conditions, conditions_length=len(conditions),
            sort=order, sort_length=len(order), offset=self._offset, limit=self._limit or 0)

    def _begin(self, reader: Handle, paths: Sequence[str], flags: int) -> None:
        """Begins to read batches. Raises if sorting would leave out records."""
        view, lines, feed = self, joined(paths), None
        if self._order and (self._limit is None or self._offset + self._limit > _MAXIMUM_SORTED):
            view = self._view(_limit=max(_MAXIMUM_SORTED - self._offset, 0))
        while True:
            if view is not self:
                feed = self._store._describe(self.name)
                if feed.record_count > _MAXIMUM_SORTED:
                    self._require_sortable()
            if view._limit == 0:
                return
            check(lib.feedcore_batch_begin, reader.word, byref(view._query()), lines, len(lines),
                  flags)
            # A feed that was replaced meanwhile may have more records than the counted feed.
            if feed is None or feed.generation == self._store._describe(self.name).generation:
                return

    def _require_sortable(self) -> None:
        found = self._view(_offset=0, _limit=None).count()
        if found > _MAXIMUM_SORTED:
            raise MisuseError(f"{found:,} records are to be sorted, and {_MAXIMUM_SORTED:,} is the "
                              f"maximum; set a limit, or narrow them down by conditions")

    def _batches(self, paths: Sequence[str], flags: int = 0) -> Iterator[tuple[bytes, Any, int]]:
        """Batches of JSON, with the offsets and the number of their elements.

        The bytes are a copy and stay valid. Offsets are only valid until the next batch.
        """
        if self._limit == 0:
            return
        store = self._store
        reader = store._open_reader(self.name)
        try:
            self._begin(reader, paths, flags)
            batch, size = Batch(), _VALUE_BATCH if paths or flags else _RECORD_BATCH
            while check(lib.feedcore_batch_next, reader.word, size, byref(batch)):
                yield string_at(batch.bytes, batch.length), batch.offsets, batch.count
                store._word  # noqa: B018, raises if the store was closed meanwhile
        finally:
            reader.close()

    # Tables

    def to_arrow(self) -> pyarrow.Table:
        """The records as a pyarrow table, with a column for each member of the records.

        Strings stay strings, also in lists and objects. A column with values of several types has
        their JSON texts.
        """
        import pyarrow as pa

        if self._paths:
            rows = [list(each.values()) for each in self]
            return pa.table({path: _array(pa, [row[index] for row in rows])
                             for index, path in enumerate(self._paths)})
        parts, largest = [], 0
        for text, offsets, count in self._batches((), LINES):
            parts.append(text)
            largest = max(largest, *(offsets[i + 1] - offsets[i] for i in range(count)))
        if not parts:
            return pa.table({})
        try:
            return _read_lines(b"".join(parts), max(1 << 20, 2 * largest))
        except pa.ArrowInvalid:
            # Values of several types in one column.
            records = [each for text in parts for each in map(json.loads, text.splitlines())]
        if not all(isinstance(each, dict) for each in records):
            return pa.table({"value": _array(pa, records)})
        names = dict.fromkeys(name for each in records for name in each)
        return pa.table({name: _array(pa, [each.get(name) for each in records])
                         for name in names})

    def to_pandas(self) -> pandas.DataFrame:
        """The records as a data frame, through pyarrow."""
        frame: pandas.DataFrame = self.to_arrow().to_pandas()
        return frame

    # Display

    def __repr__(self) -> str:
        words = [repr(self.name), *map(repr, self._conditions)]
        return f"<feedcore.{type(self).__name__} {', '.join(words)}>"

    def _repr_html_(self) -> str:
        rows = [each if isinstance(each, dict) else {"value": each}
                for each in self.limit(_SHOWN_ROWS)]
        names = list(dict.fromkeys(name for row in rows for name in row))[:_SHOWN_COLUMNS]
        head = "".join(f"<th>{html.escape(name)}</th>" for name in names)
        body = "".join(
            "<tr>" + "".join(f"<td>{_cell(row.get(name))}</td>" for name in names) + "</tr>"
            for row in rows)
        return (f"<table><caption>{html.escape(self.name)}: {self.count():,} records</caption>"
                f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>")


class Feed(Records):
    """A feed of a store. Each access reads the published generation."""

    def __getitem__(self, key: Any) -> Any:
        """The first record with a key: a Record, or the value of its JSON if that is not an object.

        A key is a string, a number, a UUID, or a tuple of the parts of a composed key. Raises
        NotFoundError, which is a KeyError.
        """
        return self._record(self._required(key))

    def get(self, key: Any, default: Any = None) -> Any:
        """The first record with a key, or the default. Raises NotFoundError without the feed."""
        text = self._bytes(key)
        return default if text is None else self._record(text)

    def __contains__(self, key: object) -> bool:
        return self._bytes(key) is not None

    def text(self, key: Any) -> memoryview:
        """The JSON text of the first record with a key."""
        return memoryview(self._required(key))

    def _record(self, text: bytes) -> Any:
        found = _parsed(self._store._loads, text)
        if not isinstance(found, dict):
            return found
        record = Record(found)
        record.text = memoryview(text)
        return record

    def _required(self, key: Any) -> bytes:
        text = self._bytes(key)
        if text is None:
            raise NotFoundError(f"{self.name} has no record with the key {key!r}")
        return text

    def _bytes(self, key: Any) -> bytes | None:
        encoded = _key_text(key).encode()
        return self._text(lib.feedcore_get_text, encoded, len(encoded))

    def at(self, position: int) -> Any:
        """The record at a position; a negative one counts from the end."""
        count = len(self) if position < 0 else 0
        place = position + count
        text = self._text(lib.feedcore_get_at, place) if place >= 0 else None
        if text is None:
            raise IndexError(f"{self.name} has no record at {position}")
        return _parsed(self._store._loads, text)

    def _text(self, function: Any, *arguments: Any) -> bytes | None:
        reader = self._store._take_reader(self.name)
        try:
            if not check(function, reader.word, *arguments):
                return None
            text, length = c_void_p(), c_size_t()
            if lib.feedcore_reader_text(reader.word, byref(text), byref(length)) != OK:
                return None
            return string_at(text, length.value)
        finally:
            self._store._return_reader(self.name, reader)

    def __len__(self) -> int:
        return self.description.record_count

    def __bool__(self) -> bool:
        # A feed without records still exists.
        return True

    @property
    def description(self) -> FeedDescription:
        """The kind, generation, time, origin and size of the feed."""
        return self._store._describe(self.name)

    @property
    def schema(self) -> dict[str, Any]:
        """The schema of its records: JSON Schema 2020-12 with annotations in "x-feedcore"."""
        schema: dict[str, Any] = json.loads(self.description.schema_text)
        return schema


def _parsed(loads: Any, text: bytes) -> Any:
    try:
        return loads(text)
    except ValueError:
        # A lone surrogate, which orjson refuses.
        return json.loads(text)


def _key_text(key: Any) -> str:
    if isinstance(key, str):
        return key
    if isinstance(key, bool) or key is None or isinstance(key, (int, float)):
        return json.dumps(key)
    if isinstance(key, uuid.UUID):
        return str(key).upper()
    if isinstance(key, tuple):
        return json.dumps([_key_text(part) if isinstance(part, uuid.UUID) else part
                           for part in key], ensure_ascii=False)
    raise TypeError(f"a key is a string, a number, a UUID or a tuple, not {type(key).__name__}")


def _read_lines(lines: bytes, block_size: int) -> pyarrow.Table:
    import pyarrow as pa
    from pyarrow import json as arrow_json

    def read(schema: pyarrow.Schema | None) -> pyarrow.Table:
        return arrow_json.read_json(
            pa.BufferReader(lines), read_options=arrow_json.ReadOptions(block_size=block_size),
            parse_options=arrow_json.ParseOptions(explicit_schema=schema))

    table = read(None)
    schema = pa.schema([(each.name, _without_times(pa, each.type)) for each in table.schema])
    return table if schema == table.schema else read(schema)


def _without_times(pa: Any, kind: Any) -> Any:
    """A type with strings instead of times. JSON has no times, but pyarrow infers them."""
    if pa.types.is_temporal(kind):
        return pa.string()
    if pa.types.is_list(kind):
        return pa.list_(_without_times(pa, kind.value_type))
    if pa.types.is_struct(kind):
        return pa.struct([(each.name, _without_times(pa, each.type)) for each in kind])
    return kind


def _array(pa: Any, values: list[Any]) -> Any:
    try:
        return pa.array(values)
    except (pa.ArrowInvalid, pa.ArrowTypeError, OverflowError):
        return pa.array([None if value is None else json.dumps(value, ensure_ascii=False)
                         for value in values])


def _cell(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    if len(text) > _SHOWN_LETTERS:
        text = text[:_SHOWN_LETTERS - 1] + "…"
    return html.escape(text)


