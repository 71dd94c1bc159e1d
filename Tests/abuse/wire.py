"""Reads answers over HTTP and RESP, and detects incomplete ones."""

import asyncio
import dataclasses


class Broken(Exception):
    """A malformed or incomplete answer."""


@dataclasses.dataclass
class Answer:
    """A complete answer over HTTP."""

    status: int
    fields: list
    body: bytes

    def field(self, name):
        for key, value in self.fields:
            if key == name:
                return value
        return None

    @property
    def is_typed(self):
        """Whether a refusal is a problem document."""
        return self.field("content-type") == "application/problem+json" and b'"status":' in self.body


async def read_head(reader):
    """The status and the fields; None where the connection ends before they begin."""
    try:
        head = await reader.readuntil(b"\r\n\r\n")
    except asyncio.IncompleteReadError as error:
        if not error.partial:
            return None
        raise Broken(f"a head that ends in {error.partial[-40:]!r}") from error
    lines = head[:-4].split(b"\r\n")
    words = lines[0].split(b" ", 2)
    if len(words) < 2 or words[0] not in (b"HTTP/1.1", b"HTTP/1.0") or not words[1].isdigit():
        raise Broken(f"no status line: {lines[0][:80]!r}")
    fields = []
    for line in lines[1:]:
        name, colon, value = line.partition(b":")
        if not colon or not name:
            raise Broken(f"no field: {line[:80]!r}")
        fields.append((name.decode("latin-1").lower(), value.strip().decode("latin-1")))
    return Answer(int(words[1]), fields, b"")


async def read_answer(reader, is_head=False):
    """The next answer; None where the connection ends instead of beginning one."""
    answer = await read_head(reader)
    if answer is None or is_head or answer.status in (204, 304):
        return answer
    try:
        if answer.field("transfer-encoding") == "chunked":
            answer.body = await read_chunks(reader)
        else:
            answer.body = await reader.readexactly(int(answer.field("content-length")))
    except asyncio.IncompleteReadError as error:
        raise Broken(f"a body that ends {error.expected} bytes early or less") from error
    return answer


async def read_chunks(reader):
    body = bytearray()
    while True:
        line = await reader.readuntil(b"\r\n")
        count = int(line, 16)
        piece = await reader.readexactly(count + 2)
        if piece[-2:] != b"\r\n":
            raise Broken("a chunk without its end")
        if count == 0:
            return bytes(body)
        body += piece[:-2]


class ErrorReply(Exception):
    """An error reply of RESP."""


async def read_reply(reader):
    """The next reply: bytes, a number, a list, None or an ErrorReply; EOFError at the end."""
    try:
        line = await reader.readuntil(b"\r\n")
    except asyncio.IncompleteReadError as error:
        if not error.partial:
            raise EOFError from error
        raise Broken(f"a reply that ends in {error.partial[-40:]!r}") from error
    kind, rest = line[:1], line[1:-2]
    if kind == b"+":
        return rest
    if kind == b"-":
        return ErrorReply(rest.decode("utf-8", "replace"))
    if kind == b":":
        return int(rest)
    if kind == b"$":
        count = int(rest)
        if count < 0:
            return None
        try:
            value = await reader.readexactly(count + 2)
        except asyncio.IncompleteReadError as error:
            raise Broken(f"a value of {count} bytes that ends after {len(error.partial)}") from error
        if value[-2:] != b"\r\n":
            raise Broken("a value without its end")
        return value[:-2]
    if kind == b"*":
        try:
            return [await read_reply(reader) for _ in range(int(rest))]
        except EOFError as error:
            raise Broken("an array that is not whole") from error
    raise Broken(f"no reply: {line[:80]!r}")


def get(target, *fields, host="localhost"):
    """A request."""
    lines = [f"GET {target} HTTP/1.1", f"Host: {host}", *fields, "", ""]
    return "\r\n".join(lines).encode("latin-1")


def command(*words):
    """A command as clients of Redis send it."""
    result = b"*%d\r\n" % len(words)
    for word in words:
        word = word if isinstance(word, bytes) else str(word).encode()
        result += b"$%d\r\n%s\r\n" % (len(word), word)
    return result
