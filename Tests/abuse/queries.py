"""Queries that cost more than they should: hostile paths, scans and large results."""

import asyncio
import json
import os
import subprocess
import sys
import time
import urllib.parse

import served
import wire
from parts import Talker, all_of, connect, in_time, part
from served import Tally, demand

RECORD = "/feeds/universities/records/University%207"
HEALTH = "/healthz"
SCANS = 50
# The maximum time of /healthz, in seconds, on a machine that is busy with scans and clients.
AT_ONCE = 2
# HTTP accepts targets of at most 8 KB, including escapes.
LONG = 7000


def target(*items, feed="large", path=""):
    query = "&".join(
        name + "=" + urllib.parse.quote(value, safe="[],./=<>!~-:") for name, value in items)
    return f"/feeds/{feed}{path}?{query}"


UNKNOWN = [
    "/feeds/large?wher=name", "/feeds/large?where=name=a&order=name", "/feeds/large?WHERE=name=a",
    "/feeds/large/count?sort=name", "/feeds/large/count?limit=1", "/feeds/large/distinct",
    "/feeds/large/distinct?where=name=a", "/feeds/large/distinct?path=name&sort=name",
    target(("where", "name like a")), target(("where", "name ? a")), target(("where", "name")),
    target(("where", "name between 1,2")), target(("where", "nome = a")), target(("where", "")),
    target(("sort", "nome")), target(("fields", "nome")), target(("format", "xml")),
    target(("path", "nome"), path="/distinct"), target(("where", "= a")),
    target(*[("where", "name exists")] * 33), target(*[("where", "name exists")] * 200)]


def hostile_paths():
    """Paths and values that a parser may not handle."""
    for unit in ("[", "]", "[]", "[0]", '"', '\\"', ".", "/", "~", "~0", "a.", "a[].", "-", ",", "\\",
                 "\0", "\u202e", "\U0001F600", "[-1]", "[1", '["', "'", " ", "(", "*", "..", "$"):
        many = unit * (LONG // len(urllib.parse.quote(unit, safe="[],./=<>!~-:")))
        yield from ("a" + many, many, many + "a", '"' + many, "/" + many)
    yield from (
        "a[99999999999999999999999]", "a[18446744073709551616]", "a[-9223372036854775808]", "a[1e9]",
        "a[0x1]", "a[٣]", "\ud7ff", "/~2", "/a~", "a\r\nb", "\x7f", "\ufeffa", "a\u2028b")


def hostile(random):
    """Hostile targets, each of which the server answers or refuses."""
    for feed in ("nested", "universities"):
        for path in hostile_paths():
            yield target(("where", path + " = 1"), feed=feed)
            yield target(("sort", path), feed=feed)
            if path.count(",") < 100:
                yield target(("fields", path), feed=feed)
            yield target(("path", path), feed=feed, path="/distinct")
    values = [
        "9" * LONG, "-" + "9" * LONG, "1e" + "9" * LONG, "0." + "0" * LONG + "1", "1e-" + "9" * 99,
        "a" * LONG, '"' + "a" * LONG, '"' + '\\"' * (LONG // 6) + '"', '"\\ud800"', '"\\u0000"',
        "\0" * (LONG // 3), "İ" * (LONG // 6), ",".join("a" * (LONG // 2)), "," * LONG,
        ",".join(map(str, range(1500))), ",".join('"a"' for _ in range(700)), "2024-99-99T99:99:99Z",
        "0000-00-00T00:00:00Z", "9999-12-31T23:59:60.999999999999999999+99:99", "NaN", "-0", "1e400"]
    for value in values:
        for operator in ("=", "!=", "<", ">=", "~", "!~", " in "):
            yield target(
                ("where", "name" + operator + value), feed="universities", path="/count")
            yield target(("where", "a" + operator + value), feed="nested", path="/count")
    for name, values in {
            "limit": ["0", "-1", "1001", "9" * 30, "1e3", "0x10", "٣", ""],
            "offset": ["-1", "9223372036854775807", "9223372036854775808", "9" * 30, "x"],
            "cursor": ["a", "0", "-1:-1", "9" * 40, "%00", "1.99999999999999999999", "\U0001F600"],
            "sort": ["", "-", "--", "--name", "-" * LONG],
            "fields": ["", ",", "name,,name", "name", ",".join(["domains[]"] * 20)],
            "format": ["", "csv", "JSON", "csv\0", "atom", "jsonfeed"]}.items():
        for value in values:
            yield target(("where", "name exists"), (name, value), feed="universities")
            yield target(("sort", "name"), (name, value), ("limit", "3"))
            yield target((name, value), (name, value))
    yield target(*[("where", f"name != {n}") for n in range(32)], path="/count")
    yield target(*[("sort", "name")] * 600)
    yield target(*[("fields", "name")] * 20)
    for octets in ("%ff", "%c0%ae", "%ed%a0%80", "%f4%90%80%80", "%", "%2", "%zz", "%00", "%e2%82"):
        for name in ("where", "sort", "fields", "path"):
            path = "/distinct" if name == "path" else ""
            yield f"/feeds/nested{path}?{name}={octets}"
            yield f"/feeds/nested{path}?{name}=a.{octets * 500}"
            yield f"/feeds/nested{path}?{name}=a+=+{octets}"
    for depth in (1, 2, 8, 9, 100, 999, 1000, 1001, LONG // 2):
        for feed_path, name in (("", "where"), ("", "fields"), ("/distinct", "path")):
            deep = "a" + "[]" * depth + (" = 1" if name == "where" else "")
            yield target((name, deep), feed="nested", path=feed_path)
        yield target(*[("where", "a" + "[]" * min(depth, 100) + " != 1")] * 32, feed="nested")
    for _ in range(300):
        noise = "".join(random.choice('ab.[]0"\\/~=<>!, -in') for _ in range(random.randrange(30)))
        yield target((random.choice(["where", "sort", "fields"]), noise), feed="nested")


def nested_records():
    """Records that are deeply nested, or that have many elements on several levels."""
    def bushy(depth):
        return [bushy(depth - 1) for _ in range(3)] if depth else 1
    deep = "[" * 1000 + "1" + "]" * 1000
    objects = '{"a":' * 1000 + "1" + "}" * 1000
    bush = json.dumps(bushy(8), separators=(",", ":"))
    values = [deep, objects, *[bush] * 20]
    return "[" + ",".join(f'{{"id":{n},"a":{value}}}' for n, value in enumerate(values)) + "]"


class Timed:
    """A process that requests the targets continuously."""

    def __init__(self, port):
        here = os.path.dirname(os.path.abspath(__file__))
        self.process = subprocess.Popen(
            [sys.executable, os.path.join(here, "timed.py"), str(port), "0.005", RECORD, HEALTH],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.process.stdout.readline()

    def _lap(self):
        self.process.stdin.write(b"\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())

    async def lap(self, what):
        """The figures since the last lap; fails if /healthz was not answered at once."""
        figures = await asyncio.to_thread(self._lap)
        demand(not figures["faults"], f"{what}: {figures['faults']}")
        longest = figures["targets"][HEALTH]["longest"]
        demand(longest < AT_ONCE * 1000, f"{what}: {HEALTH} took {longest:.0f} ms")
        return figures["targets"]

    def close(self):
        self.process.kill()
        self.process.wait(timeout=30)
        self.process.stdin.close()
        self.process.stdout.close()


class Client:
    """Sends one request after another, on a new connection if the server closes one."""

    def __init__(self, port):
        self.port = port
        self.talker = None

    async def send(self, question, *fields):
        if self.talker is None:
            self.talker = await Talker.to(self.port)
        await self.talker.send(wire.get(question, *fields))

    async def leave(self):
        if self.talker:
            await self.talker.close()
        self.talker = None

    async def ask(self, question, statuses, *fields):
        what = f"{question[:120]} … of {len(question)}"
        await self.send(question, *fields)
        try:
            answer = await in_time(wire.read_answer(self.talker.reader), 30, what)
        except wire.Broken as error:
            raise served.Failure(f"{what}: {error}") from error
        demand(answer is not None, f"{what}: no answer")
        demand(answer.status in statuses, f"{what}: {answer.status} {answer.body[:200]!r}")
        demand(answer.status < 400 or answer.is_typed, f"{what}: {answer}")
        # A 503 for an answer that is not ready in time needs no Retry-After.
        if answer.status == 503 and b"not ready in time" not in answer.body:
            demand(answer.field("retry-after"), f"{what}: 503 without Retry-After")
        if answer.field("connection") == "close":
            await self.leave()
        return answer


async def ask_all(port, questions, statuses, tally):
    """Sends all requests, some of them concurrently."""
    waiting = list(reversed(questions))

    async def some():
        client = Client(port)
        while waiting:
            answer = await client.ask(waiting.pop(), statuses)
            tally.add(f"× {answer.status}")
        await client.leave()

    await asyncio.gather(*(some() for _ in range(8)))


# A single record would have 100 MB, which no page limit of records or bytes bounds.
WIDE = [
    target(("fields", columns), ("format", form), feed="nested")
    for columns in ("a," * (LONG // 2) + "a", "," * LONG, "a[]," * (LONG // 4) + "a")
    for form in ("json", "ndjson", "csv", "tsv")]

SCANNING = [
    target(("where", "name ~ zzzz"), path="/count"),
    target(("where", "web_pages[] !~ zzzz"), ("where", "country >= M"), path="/count"),
    target(("path", "name"), ("limit", "1000"), path="/distinct"),
    target(("sort", "-name"), ("limit", "1000")),
    target(("where", "domains[] ~ zzzz"), ("limit", "1000")),
    target(("where", "country !~ zzzz"), ("limit", "1000"), ("offset", "90000")),
    target(("where", "name ~ zzzz"), ("format", "ndjson")),
    target(("where", "name ~ zzzz"), ("format", "csv"), ("fields", "name,domains[]"))]
LARGE_RESULTS = [
    target(("format", "ndjson"), ("where", "name exists")), target(("format", "csv")),
    target(("format", "tsv"), ("where", "country !~ zzzz")),
    target(("format", "ndjson"), ("fields", "name,web_pages,domains")),
    target(("format", "csv"), ("fields", ",".join(["web_pages"] * 20)))]


async def scan(port, seconds, tally, abandon_every=0):
    """Clients that request one scan after another, and abandon some without waiting."""
    end = time.monotonic() + seconds

    async def one(number):
        client = Client(port)
        while time.monotonic() < end:
            question = SCANNING[number % len(SCANNING)]
            number += 1
            if abandon_every and number % abandon_every == 0:
                await client.send(question)
                await asyncio.sleep(0.02)
                await client.leave()
                tally.add("scans abandoned")
                continue
            answer = await client.ask(question, {200, 503})
            tally.add("scans refused" if answer.status == 503 else "scans")
        await client.leave()

    await asyncio.gather(*(one(number) for number in range(SCANS)))


async def read_slowly(port, count):
    """Opens `count` connections that ask for a large result and do not read it."""

    async def slow(question):
        _, writer = await connect(port, receive_buffer=4096)
        writer.transport.pause_reading()
        writer.write(wire.get(question))
        return writer

    return await all_of(
        (slow(LARGE_RESULTS[n % len(LARGE_RESULTS)]) for n in range(count)), at_once=50)


ENDS = ["http/slow_reader", "http/deadline"]


@part("queries", "untyped refusals", "no time limit", "a bound of 1 MB")
def queries(trial):
    readers, seconds = trial.size(100, 1000), trial.size(5, 60)
    done = trial.store.run(
        "ingest", "-", "--feed", "nested", "--kind", "json", "--key", "id", "--max-depth", "1010",
        stdin=nested_records().encode())
    demand(done.returncode == 0, f"ingest: {done.stderr.decode()[-300:]}")
    trial.closers.append(lambda: trial.store.run("delete", "nested"))

    async def attack(trial, server):
        tally = Tally()
        port = trial.fronted(server.http)
        timed = Timed(server.http)
        try:
            await asyncio.sleep(1)
            idle = await timed.lap("idle")
            await ask_all(port, UNKNOWN, {400}, tally)
            # A request that waits for too many scans is refused with 503.
            await ask_all(
                port, list(hostile(trial.random)), {200, 400, 410, 414, 503}, tally)
            await timed.lap("hostile queries")
            await ask_all(port, WIDE, {400}, tally)
            await timed.lap("columns without end")
            writers = await read_slowly(server.http, readers)
            ended, began = 0, time.monotonic()
            while ended < readers and time.monotonic() - began < trial.size(20, 120):
                await asyncio.sleep(0.25)
                refused = await asyncio.to_thread(server.refusals)
                ended = sum(refused[key] for key in ENDS)
            for writer in writers:
                writer.transport.abort()
            demand(ended == readers, f"of {readers} slow readers {ended} were ended: {refused}")
            tally.add("slow readers ended", ended)
            await timed.lap("slow readers")
            await scan(server.http, seconds, tally)
            busy = await timed.lap("scans")
            await scan(server.http, seconds / 2, tally, abandon_every=3)
            await timed.lap("abandoned scans")
            demand(tally["scans"] > 0, f"no scan was answered: {tally}")
            # Abandoned scans end, so the next scan can run.
            client = Client(server.http)
            question = target(("where", "name ~ none"), feed="universities", path="/count")
            began = time.monotonic()
            while (await client.ask(question, {200, 503})).status != 200:
                demand(time.monotonic() - began < 20, "abandoned scans block others")
            await client.leave()
        finally:
            timed.close()
        tally.refused = await asyncio.to_thread(server.refusals)
        tally.add(
            f"scanning clients, with which p99 of GET by key went from {idle[RECORD]['p99']:.1f}"
            f" to {busy[RECORD]['p99']:.1f} ms and that of {HEALTH} from"
            f" {idle[HEALTH]['p99']:.1f} to {busy[HEALTH]['p99']:.1f} ms", SCANS)
        return tally

    return trial.abuse(attack, "--query-timeout", "1", patience=2.5, expected={
        key: (lambda tally, key=key: tally.refused[key])
        for key in [*ENDS, "http/malformed", "http/too_large"]})
