"""Planted faults: a proxy that spoils the answers of a server. The parts have to notice.

    front.py PORT FAULT
"""

import asyncio
import os
import re
import subprocess
import sys


class Front:
    """A proxy process between clients and a port, with a fault."""

    def __init__(self, port, fault):
        self.process = subprocess.Popen(
            [sys.executable, os.path.abspath(__file__), str(port), fault],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.port = int(self.process.stdout.readline())

    def close(self):
        self.process.kill()
        self.process.wait(timeout=30)
        self.process.stdout.close()


async def pass_on(reader, writer, change):
    try:
        while data := await reader.read(1 << 16):
            data = change(data)
            if data is None:
                return writer.close()
            writer.write(data)
            await writer.drain()
        writer.write_eof()
    except OSError:
        writer.close()


async def stand_between(port, fault):
    async def serve(reader, writer):
        try:
            behind = await asyncio.open_connection("127.0.0.1", port)
        except OSError:
            return writer.close()
        spoil = fault()
        await asyncio.gather(
            pass_on(reader, behind[1], spoil.question), pass_on(behind[0], writer, spoil.answer))
        behind[1].close()
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0, backlog=1024)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


class Faithful:
    """Changes nothing."""

    def question(self, data):
        return data

    def answer(self, data):
        return data


class Unescaping(Faithful):
    """Copies the text after an escaped line end in a request into the head of the answer."""

    planted = b""

    def question(self, data):
        found = re.search(rb"%0d%0a([A-Za-z-]+):(?:%20)?([a-z]+)", data)
        self.planted = found and found[1] + b": " + found[2] + b"\r\n" or b""
        return data

    def answer(self, data):
        return data.replace(b"\r\n", b"\r\n" + self.planted, 1)


class ForgettingOne(Faithful):
    """Drops some bytes of the answers once."""

    passed = 0

    def answer(self, data):
        before, self.passed = self.passed, self.passed + len(data)
        return data[777:] if before < 300_000 <= self.passed and len(data) > 777 else data


class CuttingLong(Faithful):
    """Ends a connection in the middle of an answer."""

    passed = 0

    def answer(self, data):
        self.passed += len(data)
        return None if self.passed > 2_000_000 else data


class MixingGenerations(Faithful):
    """Changes the generation of some records now and then."""

    passed = 0

    def answer(self, data):
        self.passed += 1
        return re.sub(rb'"country":"N[0-9]+"', b'"country":"N0"', data) if self.passed % 20 == 0 else data


class Untyped(Faithful):
    """Replaces the content type of a refusal."""

    def answer(self, data):
        return data.replace(b"application/problem+json", b"text/html")


class Telling(Faithful):
    """Ends answers with the beginning of a file once a request contains `..`."""

    climbs = False

    def question(self, data):
        self.climbs = self.climbs or b".." in data
        return data

    def answer(self, data):
        secret = b"root:x:0:0:"
        return data[:-len(secret)] + secret if self.climbs else data


FAULTS = {
    "an injected field": Unescaping,
    "some bytes lost": ForgettingOne,
    "an answer cut off": CuttingLong,
    "mixed generations": MixingGenerations,
    "untyped refusals": Untyped,
    "a file read out": Telling,
}


if __name__ == "__main__":
    asyncio.run(stand_between(int(sys.argv[1]), FAULTS[sys.argv[2]]))
