#!/usr/bin/env python3
"""Prints the records of a feed as lines of JSON, through the installed C library.

    python3 read_feed.py LIBRARY STORE FEED [KEY]

LIBRARY is the path of libfeedcore.so. A document is printed as its text. Dates are printed as seconds since 1970, UUIDs in upper case.
Exit codes: 0; 1 no record with that key; 2 usage or any failure, with a message.
"""

import ctypes
import json
import os
import signal
import sys
import uuid
from ctypes import POINTER, byref, c_char_p, c_double, c_int64, c_size_t, c_uint8, c_uint16
from ctypes import c_uint32, c_void_p

OK, NONE = 0, 1
TEXT, TEXT_LIST, BOOLEAN, INTEGER, NUMBER, DATE, UUID = 0x01, 0x02, 0x11, 0x81, 0x82, 0x83, 0xF1
JSON = 0x03
REFERENCE_EPOCH = 978307200.0


class Value(ctypes.Structure):
    _fields_ = [
        ("id", c_uint16), ("type", c_uint8), ("is_null", c_uint8), ("count", c_uint32),
        ("bytes", c_void_p), ("length", c_size_t), ("integer", c_int64), ("number", c_double),
    ]


class FieldInfo(ctypes.Structure):
    _fields_ = [
        ("id", c_uint16), ("type", c_uint8), ("is_optional", c_uint8), ("name", c_char_p),
        ("name_length", c_size_t),
    ]


def fail(message):
    print(message, file=sys.stderr)
    sys.exit(2)


class FeedCore:
    """The functions of feedcore.h that this program needs."""

    ABI_VERSION = 1

    def __init__(self, path):
        self.library = ctypes.CDLL(path)
        handle, out = c_void_p, POINTER(c_void_p)
        self.declare("error_message", c_char_p, handle, POINTER(c_size_t))
        self.declare("error_free", ctypes.c_int, handle)
        self.declare("store_open", ctypes.c_int, c_char_p, c_size_t, c_uint32, out, out)
        self.declare("store_close", ctypes.c_int, handle)
        self.declare("reader_open", ctypes.c_int, handle, c_char_p, c_size_t, out, out)
        self.declare("reader_close", ctypes.c_int, handle)
        self.declare("reader_field", ctypes.c_int, handle, c_size_t, POINTER(FieldInfo))
        self.declare("get", ctypes.c_int, handle, c_char_p, c_size_t, out)
        self.declare("next", ctypes.c_int, handle, out)
        self.declare("field", ctypes.c_int, handle, c_uint16, POINTER(Value))
        self.declare("reader_text", ctypes.c_int, handle, out, POINTER(c_size_t))
        self.declare("element", ctypes.c_int, handle, c_uint16, c_uint32, out, POINTER(c_size_t))
        if self.library.feedcore_abi_version() != self.ABI_VERSION:
            fail("read_feed: the library has another ABI")

    def declare(self, name, result, *arguments):
        function = getattr(self.library, "feedcore_" + name)
        function.restype, function.argtypes = result, arguments
        setattr(self, name, function)

    def check(self, call, *arguments):
        """Calls a function whose last argument takes an error; returns False if there is nothing."""
        error = c_void_p()
        status = call(*arguments, byref(error))
        if status in (OK, NONE):
            return status == OK
        message = self.error_message(error, None).decode()
        self.error_free(error)
        fail("read_feed: " + message)


class Reader:
    """Records of one feed as dictionaries, and documents as texts."""

    def __init__(self, core, store, name):
        self.core, self.handle = core, c_void_p()
        core.check(core.reader_open, store, name, len(name), byref(self.handle))

    def close(self):
        self.core.reader_close(self.handle)

    def fields(self):
        info, index = FieldInfo(), 0
        while self.core.reader_field(self.handle, index, byref(info)) == OK:
            # A feed without a schema, of a kind that the library does not know, has only ids.
            yield info.id, info.name.decode() if info.name else str(info.id)
            index += 1

    def get(self, key):
        return self.record() if self.core.check(self.core.get, self.handle, key, len(key)) else None

    def __iter__(self):
        while self.core.check(self.core.next, self.handle):
            yield self.record()

    def text(self):
        """The JSON text of the current record."""
        text, length = c_void_p(), c_size_t()
        self.core.reader_text(self.handle, byref(text), byref(length))
        return ctypes.string_at(text, length.value).decode()

    def is_document(self):
        info, index = FieldInfo(), 0
        while self.core.reader_field(self.handle, index, byref(info)) == OK:
            if info.type == JSON:
                return True
            index += 1
        return False

    def record(self):
        if self.is_document():
            return self.text()
        value, record = Value(), {}
        for number, name in self.fields():
            if self.core.field(self.handle, number, byref(value)) == OK:
                record[name] = None if value.is_null else self.plain(value)
        return record

    def plain(self, value):
        if value.type == TEXT:
            return ctypes.string_at(value.bytes, value.length).decode()
        if value.type == TEXT_LIST:
            return [self.element(value.id, index) for index in range(value.count)]
        if value.type == UUID:
            return str(uuid.UUID(bytes=ctypes.string_at(value.bytes, 16))).upper()
        if value.type == DATE:
            return value.number + REFERENCE_EPOCH
        if value.type == NUMBER:
            return value.number
        return bool(value.integer) if value.type == BOOLEAN else value.integer

    def element(self, field, index):
        text, length = c_void_p(), c_size_t()
        self.core.element(self.handle, field, index, byref(text), byref(length))
        return ctypes.string_at(text, length.value).decode()


def main(library, path, feed, key=None):
    core, store = FeedCore(library), c_void_p()
    path = os.fsencode(path)
    core.check(core.store_open, path, len(path), 0, byref(store))
    reader = Reader(core, store, os.fsencode(feed))
    records = reader if key is None else filter(None, [reader.get(os.fsencode(key))])
    count = 0
    for count, record in enumerate(records, 1):
        print(record if isinstance(record, str)
              else json.dumps(record, ensure_ascii=False, separators=(",", ":")))
    reader.close()
    core.store_close(store)
    return 0 if key is None or count > 0 else 1


if __name__ == "__main__":
    # The process that reads the lines may close the pipe early.
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    if len(sys.argv) not in (4, 5):
        fail(__doc__)
    sys.exit(main(*sys.argv[1:]))
