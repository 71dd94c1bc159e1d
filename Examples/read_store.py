#!/usr/bin/env python3
"""Prints the records of a feed of a FeedCore store as `feedcore export --format ndjson` does, or an
image as `feedcore images get` does.

    python3 read_store.py STORE FEED
    python3 read_store.py STORE --image URL

No process may write to the store meanwhile. Checksums are not verified, because the standard
library has no XXH3. Bytes that contradict the layout end the program with a message.
"""

import datetime
import json
import math
import signal
import struct
import sys
import time

from read_block import DATE, RECORD, UUID, Damaged, cut, read_block
from read_lmdb import Environment, parts

# The fields of each kind in output order, for feeds that were stored before schemas were.
CONTRACTS = {
    "universities": "1 name,6 domains,5 web_pages,2 country,3 alpha_two_code,4 state-province",
    "feed": "1 id,2 description,3 location,4 image",
    "comments": "1 id,2 message,3 created_at,4 author.username",
    "characters": "1 name,2 status,3 species,4 image",
    "news": "1 source.id,2 source.name,3 author,4 title,5 description,6 url,7 urlToImage,"
            "8 publishedAt,9 content",
}


def read_row(row):
    """A generation's kind, the types of its fields by their ids, and its segments."""
    if parts("<H", row, 0)[0] > 4:
        raise Damaged("a newer version of FeedCore wrote the feed")
    kind = 15 + parts("<I", row, 11)[0]
    fields = kind + 12 + parts("<I", row, kind)[0]
    fields_end = fields + 4 * parts("<H", row, fields - 2)[0]
    types = {entry[0]: entry[1] for entry in struct.iter_unpack("<HBB", row[fields:fields_end])}
    # Version 1 does not record the indexed fields.
    indexed = 2 + 2 * parts("<H", row, fields_end)[0] if parts("<H", row, 0)[0] > 1 else 0
    segments = fields_end + indexed + 2
    end = segments + 32 * parts("<H", row, segments - 2)[0]
    return row[kind + 4:fields - 8].decode(), types, struct.iter_unpack("<QQQQ", row[segments:end])


def schema_fields(schema, path=()):
    """The ids and paths of a stored schema, in output order."""
    for key, value in schema["properties"].items():
        if "properties" in value:
            yield from schema_fields(value, path + (key,))
        else:
            yield value["x-feedcore"]["id"], path + (key,)


def contract_fields(kind):
    """The same of a kind that this program knows."""
    for field in CONTRACTS[kind].split(","):
        identifier, path = field.split(" ")
        yield int(identifier), path.split(".")


def date_text(seconds):
    whole = math.floor(seconds)
    text = (datetime.datetime(2001, 1, 1) + datetime.timedelta(seconds=whole)).isoformat()
    for places in range(1, 10 if seconds != whole else 0):
        digits = math.floor((seconds - whole) * 10**places + 0.5)
        if whole + digits / 10**places == seconds or places == 9:
            return f"{text}.{min(digits, 10**places - 1):0{places}}Z"
    return text + "Z"


def json_line(record, fields, types):
    line = {}
    for identifier, (*parents, key) in fields:
        if identifier in record:
            value = record[identifier]
            if value is not None and types[identifier] in (DATE, UUID):
                value = value.upper() if isinstance(value, str) else date_text(value)
            elif isinstance(value, float) and value.is_integer() and abs(value) < 1 << 53:
                value = int(value)
            place = line
            for parent in parents:
                place = place.setdefault(parent, {})
            place[key] = value
    return json.dumps(line, ensure_ascii=False, separators=(",", ":"))


def feed_lines(store, name):
    feeds = Environment(store + "/feeds")
    generation = feeds.table(b"feeds")[name.encode()]
    generations = feeds.table(b"generations")
    kind, types, segments = read_row(generations[generation])
    schema = generations.get(generation + b"S")
    # Documents keep their texts, so nothing depends on the paths of their fields.
    fields = () if RECORD in types else list(
        schema_fields(json.loads(schema)) if schema else contract_fields(kind))
    blocks = feeds.table(b"blocks")
    for segment, count, _, _ in segments:
        ordinal = 0
        while ordinal < count:
            first = ordinal
            for record in read_block(blocks[struct.pack(">QQ", segment, first)]):
                ordinal += 1
                yield record[RECORD] if RECORD in types else json_line(record, fields, types)
            if ordinal == first:
                raise Damaged("a block is empty")


def read_image_row(row):
    """The size, the expiry (infinite for never) and the URL of an image."""
    version, size, expiry, length = parts("<H16xQ16xdI", row, 0)
    if version != 1:
        raise Damaged("the row of an image is of another version")
    return size, expiry, cut(row, 54, 54 + length)


def image_pieces(store, url):
    images = Environment(store + "/images")
    now = time.time() - 978307200  # 2001-01-01T00:00:00Z
    # The key is the XXH3-128 of the URL, which the standard library cannot compute.
    for key, row in images.table(b"images").items():
        size, expiry, found = read_image_row(row)
        if found == url.encode() and now < expiry:
            bodies = images.table(b"bodies")
            pieces = [piece for place, piece in bodies.items() if place[:16] == key]
            if sum(map(len, pieces)) != size:
                raise Damaged("a chunk of the image is missing")
            return pieces
    raise KeyError(url)


if __name__ == "__main__":
    arguments = sys.argv[1:]
    if len(arguments) != (3 if arguments[1:2] == ["--image"] else 2):
        sys.exit("usage: read_store.py STORE FEED, or read_store.py STORE --image URL")
    # Ends like any command in a pipe when the reader closes it.
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    try:
        if arguments[1] == "--image":
            sys.stdout.buffer.writelines(image_pieces(arguments[0], arguments[2]))
        else:
            for text in feed_lines(*arguments):
                sys.stdout.buffer.write(text.encode() + b"\n")
    except (Damaged, KeyError, UnicodeDecodeError, OSError) as error:
        sys.exit(f"read_store.py: {sys.argv[1]}: {type(error).__name__}: {error}")
