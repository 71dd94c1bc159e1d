#!/usr/bin/env python3
"""Prints each record of a FeedCore block as one JSON object a line, with field ids as keys. A document
is printed as its text.

    python3 read_block.py FILE

include/feedrecord.h describes the layout. Absent fields and fields of an unknown type are omitted.
The checksum is not verified, because the standard library has no XXH3. Bytes that contradict the
layout end the program with a message.
"""

import json
import math
import struct
import sys
import uuid

TEXT, TEXT_LIST, BOOLEAN, INTEGER, NUMBER, DATE, UUID = 1, 2, 0x11, 0x81, 0x82, 0x83, 0xF1
JSON, SPAN = 3, 0x41
WIDTHS = {0x0: 0, 0x1: 1, 0x4: 4, 0x8: 8, 0xF: 16}
DECODED, RECORD, FAR = 0xFFFE, 0xFFFF, 0xFFFF
OFFSETS = {1: "B", 2: "H", 4: "I"}
SHORT = 255  # maximum variable bytes of a record whose offsets have one byte


class Damaged(Exception):
    pass


def cut(data, start, end):
    """data[start:end]. Python would truncate an invalid range silently."""
    if not 0 <= start <= end <= len(data):
        raise Damaged("an offset leads outside")
    return data[start:end]


def offsets(data, start, count, size):
    return list(struct.unpack(f"<{count}{OFFSETS[size]}",
                              cut(data, start, start + size * count)))


def pieces(area, ends):
    """Splits an area at its end offsets; the last one ends with the area."""
    start = 0
    for end in ends + [len(area)]:
        yield cut(area, start, end)
        start = end


def read_list(data, size):
    count = offsets(data, 0, 1, size)[0]
    if count == 0:
        return []
    ends = offsets(data, size, count - 1, size)
    return [element.decode() for element in pieces(cut(data, size * count, len(data)), ends)]


def value_of(kind, data, size):
    if kind in (TEXT, JSON):
        return data.decode()
    if kind == TEXT_LIST:
        return read_list(data, size)
    if kind == BOOLEAN:
        return data != b"\0"
    if kind == INTEGER:
        return struct.unpack("<q", data)[0]
    if kind == UUID:
        return str(uuid.UUID(bytes=data))
    number = struct.unpack("<d", data)[0]
    return number if math.isfinite(number) else str(number)


def read_record(data, fields, wide, old):
    optional = [field_id for field_id, _, flags in fields if flags & 1]
    position = (len(fields) + len(optional) + 7) // 8
    bits = int.from_bytes(cut(data, 0, position), "little")
    fixed = {}
    for field_id, kind, _ in fields:
        width = WIDTHS[kind >> 4]
        if width:
            fixed[field_id] = cut(data, position, position + width)
            position += width
    size, area = 0, b""
    variable = [field_id for field_id, kind, _ in fields if WIDTHS[kind >> 4] == 0]
    if variable:
        short = not old and len(data) <= position + len(variable) - 1 + SHORT
        size = 4 if wide else 1 if short else 2
        ends = offsets(data, position, len(variable) - 1, size)
        area = cut(data, position + size * len(ends), len(data))
        fixed.update(zip(variable, pieces(area, ends)))
    record = {}
    for index, (field_id, kind, flags) in enumerate(fields):
        known = kind in (TEXT, TEXT_LIST, JSON, BOOLEAN, INTEGER, NUMBER, DATE, UUID)
        if bits >> index & 1 and kind == SPAN:
            start, length = struct.unpack("<HH", fixed[field_id])
            # Beyond its reach, only the text of the record has the value.
            if (start, length) != (FAR, FAR):
                record[field_id] = cut(area, start, start + length).decode()
        elif bits >> index & 1 and known:
            record[field_id] = value_of(kind, fixed[field_id], size)
        elif flags & 1 and bits >> (len(fields) + optional.index(field_id)) & 1:
            record[field_id] = None
    return record


def read_block(data):
    magic, version, field_count, _, _, _, count, _, flags, _ = struct.unpack(
        "<4sHHQQIIIHH", cut(data, 0, 40))
    if magic != b"FCB1" or version not in (1, 2, 3):
        raise Damaged("not a block of records of version 1 to 3")
    records = 40 + 4 * field_count
    fields = list(struct.iter_unpack("<HBB", cut(data, 40, records)))
    if any(kind >> 4 not in WIDTHS for _, kind, _ in fields):
        raise Damaged("a field has an unknown width")
    wide = bool(flags & 1)
    width = 4 if wide else 2
    area_end = len(data) - width * count
    starts = offsets(data, area_end, count, width)
    for start, end in zip(starts, starts[1:] + [area_end - records]):
        yield read_record(cut(data, records + start, records + end), fields, wide, version == 1)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: read_block.py FILE")
    try:
        with open(sys.argv[1], "rb") as file:
            for record in read_block(file.read()):
                print(record.get(RECORD) or json.dumps(record, ensure_ascii=False))
    except (Damaged, UnicodeDecodeError, OSError) as error:
        sys.exit(f"read_block.py: {sys.argv[1]}: {error}")
