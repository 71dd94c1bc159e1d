"""The functions of feedcore.h, through ctypes, which releases the GIL during each call."""

from __future__ import annotations

import contextlib
import ctypes
import os
import pathlib
import signal
import threading
from collections.abc import Iterable, Iterator
from ctypes import CFUNCTYPE, POINTER, byref, c_char_p, c_double, c_int, c_size_t, c_uint16
from ctypes import c_uint32, c_uint64, c_void_p
from typing import Any

from .errors import MisuseError, error_of

ABI_VERSION = 1
OK, NONE = 0, 1
READ_WRITE, CREATE, DURABLE = 1, 2, 4
APPEND, WAIT, LENIENT_DATES, REPLACE_SURROGATES, IF_ABSENT, IF_GENERATION = 1, 2, 4, 8, 16, 32
LINES = 1
#: Seconds from 1970 to 2001, the epoch of times in the library.
REFERENCE_EPOCH = 978307200.0


class Position(ctypes.Structure):
    _fields_ = [
        ("offset", c_uint64), ("line", c_uint64), ("column", c_uint64), ("record", c_uint64),
        ("pointer", c_void_p), ("pointer_length", c_size_t),
        ("reason", c_void_p), ("reason_length", c_size_t),
    ]


class FeedInfo(ctypes.Structure):
    _fields_ = [
        ("name", c_void_p), ("name_length", c_size_t), ("kind", c_void_p),
        ("kind_length", c_size_t), ("record_count", c_uint64), ("stored_bytes", c_uint64),
        ("generation", c_uint64), ("reference_seconds", c_double), ("origin", c_void_p),
        ("origin_length", c_size_t), ("entity_tag", c_void_p), ("entity_tag_length", c_size_t),
        ("last_modified", c_void_p), ("last_modified_length", c_size_t),
        ("envelope", c_void_p), ("envelope_length", c_size_t), ("key_field", c_uint16),
    ]


class Query(ctypes.Structure):
    _fields_ = [
        ("size", c_size_t), ("conditions", c_char_p), ("conditions_length", c_size_t),
        ("sort", c_char_p), ("sort_length", c_size_t), ("offset", c_uint64), ("limit", c_uint64),
    ]


class Batch(ctypes.Structure):
    _fields_ = [
        ("bytes", c_void_p), ("length", c_size_t), ("offsets", POINTER(c_uint64)),
        ("count", c_size_t),
    ]


class Progress(ctypes.Structure):
    _fields_ = [
        ("bytes", c_uint64), ("input_bytes", c_uint64), ("total_bytes", c_uint64),
        ("records", c_uint64),
    ]


ON_PROGRESS = CFUNCTYPE(c_int, c_void_p, POINTER(Progress))


class IngestOptions(ctypes.Structure):
    _fields_ = [
        ("size", c_size_t), ("flags", c_uint32), ("lanes", c_uint32),
        ("feed", c_char_p), ("feed_length", c_size_t), ("kind", c_char_p),
        ("kind_length", c_size_t), ("origin", c_char_p), ("origin_length", c_size_t),
        ("indexed_fields", c_char_p), ("indexed_fields_length", c_size_t),
        ("allowed_rejects", c_uint64), ("generation", c_uint64), ("reference_seconds", c_double),
        ("progress", ON_PROGRESS), ("context", c_void_p), ("records", c_char_p),
        ("records_length", c_size_t), ("key", c_char_p), ("key_length", c_size_t),
    ]


class Report(ctypes.Structure):
    _fields_ = [
        ("records", c_uint64), ("rejected", c_uint64), ("bytes", c_uint64),
        ("feed_records", c_uint64), ("generation", c_uint64), ("feed", ctypes.c_char * 72),
    ]


class ImageInfo(ctypes.Structure):
    _fields_ = [
        ("byte_count", c_uint64), ("checksum", c_uint64), ("content_type", c_void_p),
        ("content_type_length", c_size_t), ("entity_tag", c_void_p),
        ("entity_tag_length", c_size_t), ("last_modified", c_void_p),
        ("last_modified_length", c_size_t), ("fetched_seconds", c_double),
        ("expiry_seconds", c_double),
    ]


TAKE = CFUNCTYPE(c_int, c_void_p, POINTER(ImageInfo), c_uint64, c_void_p, c_size_t)

_HANDLE, _OUT, _TEXT = c_void_p, POINTER(c_void_p), (c_char_p, c_size_t)
#: The arguments of each function. Functions of _FALLIBLE take an error as a further argument.
_FALLIBLE: dict[str, tuple[Any, ...]] = {
    "store_open": (*_TEXT, c_uint32, _OUT),
    "feeds_list": (_HANDLE, _OUT),
    "feeds_find": (_HANDLE, *_TEXT, _OUT),
    "feed_delete": (_HANDLE, *_TEXT, c_uint32),
    "reader_open": (_HANDLE, *_TEXT, _OUT),
    "get_text": (_HANDLE, *_TEXT),
    "get_at": (_HANDLE, c_uint64),
    "query_count": (_HANDLE, POINTER(Query), POINTER(c_uint64)),
    "batch_begin": (_HANDLE, POINTER(Query), *_TEXT, c_uint32),
    "batch_next": (_HANDLE, c_size_t, POINTER(Batch)),
    "ingest_fd": (_HANDLE, c_int, POINTER(IngestOptions), POINTER(Report)),
    "ingest_begin": (_HANDLE, POINTER(IngestOptions), _OUT),
    "ingest_push": (_HANDLE, c_char_p, c_size_t),
    "ingest_finish": (_HANDLE, POINTER(Report)),
    "images_open": (*_TEXT, c_uint32, c_uint64, _OUT),
    "image_lend": (_HANDLE, *_TEXT, TAKE, c_void_p),
    "image_insert": (_HANDLE, *_TEXT, c_char_p, c_size_t, *_TEXT, c_double),
    "image_remove": (_HANDLE, *_TEXT),
}
_OTHER: dict[str, tuple[Any, tuple[Any, ...]]] = {
    "abi_version": (c_int, ()),
    "version": (c_char_p, ()),
    "error_status": (c_int, (_HANDLE,)),
    "error_message": (c_char_p, (_HANDLE, POINTER(c_size_t))),
    "error_position": (c_int, (_HANDLE, POINTER(Position))),
    "error_free": (c_int, (_HANDLE,)),
    "store_close": (c_int, (_HANDLE,)),
    "feeds_count": (c_size_t, (_HANDLE,)),
    "feeds_at": (POINTER(FeedInfo), (_HANDLE, c_size_t)),
    "feed_schema": (c_int, (_HANDLE, c_size_t, _OUT, POINTER(c_size_t))),
    "feeds_free": (c_int, (_HANDLE,)),
    "reader_close": (c_int, (_HANDLE,)),
    "reader_text": (c_int, (_HANDLE, _OUT, POINTER(c_size_t))),
    "ingest_cancel": (c_int, (_HANDLE,)),
    "images_close": (c_int, (_HANDLE,)),
}


def _load() -> ctypes.CDLL:
    """The library next to this file, or the one that FEEDCORE_LIBRARY names.

    Checks the ABI first, since functions of another ABI may be missing or take other arguments.
    """
    path = os.environ.get("FEEDCORE_LIBRARY") or pathlib.Path(__file__).with_name("libfeedcore.so")
    try:
        library = ctypes.CDLL(str(path))
        found = library.feedcore_abi_version()
        if found != ABI_VERSION:
            raise ImportError(f"{path} has the ABI {found}, and this package needs {ABI_VERSION}; "
                              f"install both from one release", path=str(path))
        for name, arguments in _FALLIBLE.items():
            function = getattr(library, "feedcore_" + name)
            function.restype, function.argtypes = c_int, (*arguments, _OUT)
        for name, (result, arguments) in _OTHER.items():
            function = getattr(library, "feedcore_" + name)
            function.restype, function.argtypes = result, arguments
    except OSError as error:
        raise ImportError(f"the library of FeedCore cannot be loaded: {error}; reinstall the "
                          f"wheel, or set FEEDCORE_LIBRARY", path=str(path)) from error
    except AttributeError as error:
        # A newer library of the same ABI may have more functions.
        raise ImportError(f"{path} is no library of FeedCore, or older than this package: {error}; "
                          f"install both from one release", path=str(path)) from error
    return library


lib = _load()
version: str = lib.feedcore_version().decode()


def text_at(address: int | None, length: int) -> str:
    """A text of the library; empty for a null pointer. Keys of the input can be invalid UTF-8."""
    return ctypes.string_at(address, length).decode("utf-8", "replace") if address else ""


def check(function: Any, *arguments: Any, file: str | None = None) -> bool:
    """Calls a function that takes an error. False means a missing record, feed or image.

    file: the name of the input for an error in it.
    """
    # A handle, because Ctrl-C may interrupt right after the function returns.
    error = Handle(lib.feedcore_error_free)
    status = function(*arguments, byref(error.word))
    if status == OK:
        return True
    if status == NONE:
        return False
    message = (lib.feedcore_error_message(error.word, None) or b"").decode()
    position = Position()
    try:
        if lib.feedcore_error_position(error.word, byref(position)) != OK:
            raise error_of(status, message)
        raise error_of(
            status, message, file=file, line=position.line, column=position.column,
            offset=position.offset, record=position.record,
            pointer=text_at(position.pointer, position.pointer_length),
            reason=text_at(position.reason, position.reason_length))
    finally:
        error.close()


def joined(texts: Iterable[str], separator: str = "\n") -> bytes:
    """Joins texts for the library, which splits them again and would skip empty texts."""
    texts = list(texts)
    for text in texts:
        if not text:
            raise MisuseError("a path or condition is empty; leave it out")
        for letter in ("\n", "\0", separator):
            if letter in text:
                raise MisuseError(f"{text!r} contains {letter!r}: write it in double quotes as "
                                  f"\\u{ord(letter):04x}, and give each path by itself")
    return separator.join(texts).encode()


@contextlib.contextmanager
def interruptible(noted: list[tuple[Any, ...]]) -> Iterator[None]:
    """Defers Ctrl-C during a call with a callback. The callback sees it and ends the call.

    ctypes would lose an exception that the handler raises on entry to the callback.
    """
    handler = signal.getsignal(signal.SIGINT)
    is_main = threading.current_thread() is threading.main_thread()
    if not is_main or not callable(handler):
        yield
        return
    try:
        signal.signal(signal.SIGINT, lambda *arguments: noted.append(arguments))
        yield
    finally:
        signal.signal(signal.SIGINT, handler)
        if noted:
            handler(*noted.pop())


class Handle:
    """A handle of the library, which is closed at the latest when this object is freed.

    The object exists before the call that opens the handle, so an interruption loses no handle.
    """

    __slots__ = ("_close", "word")

    def __init__(self, close: Any) -> None:
        self._close = close
        self.word = c_void_p()

    def close(self) -> None:
        word = self.word
        if word:
            # An interruption may close the handle twice, which the library refuses without harm.
            self._close(word)
            self.word = c_void_p()

    def __del__(self) -> None:
        # An interrupted `__init__` has not set it.
        if hasattr(self, "word"):
            self.close()
