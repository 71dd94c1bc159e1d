"""Too much at once: connections, heads, commands, and random bytes."""

import asyncio
import signal

import served
import wire
from parts import Talker, all_of, connect, in_time, part
from served import MEGABYTE, Tally, demand

FEED = "feed:universities:item:University "


async def ask(port, question):
    """A connection that has sent a request."""
    reader, writer = await connect(port)
    writer.write(question)
    return reader, writer


async def one_http(port, tally, kept):
    """Sends one request on a connection, which stays open if it is served."""
    await answer_of_http(*await ask(port, wire.get("/healthz")), tally, kept)


async def answer_of_http(reader, writer, tally, kept):
    try:
        answer = await wire.read_answer(reader)
        demand(answer is not None, "a connection ended without an answer")
        if answer.status == 200:
            tally.add("http served")
            kept.append(writer)
            return
        demand(answer.status == 503 and answer.is_typed, f"{answer}")
        demand(not await reader.read(), "something behind the last answer")
    except (OSError, wire.Broken) as error:
        raise served.Failure(f"a refusal of HTTP did not arrive: {error}") from error
    tally.add("http refused")
    writer.close()


async def one_resp(port, tally, kept):
    await answer_of_resp(*await ask(port, wire.command("PING")), tally, kept)


async def answer_of_resp(reader, writer, tally, kept):
    try:
        reply = await wire.read_reply(reader)
        if reply == b"PONG":
            tally.add("resp served")
            kept.append(writer)
            return
        demand(
            isinstance(reply, wire.ErrorReply) and "max number of clients" in str(reply), f"{reply}")
        demand(not await reader.read(), "something behind the last reply")
    except (OSError, EOFError, wire.Broken) as error:
        raise served.Failure(f"a refusal of RESP did not arrive: {error}") from error
    tally.add("resp refused")
    writer.close()


async def crowd(trial, server, count, room):
    """Opens `count` connections on each port. The server serves at most `room` of them."""
    tally, kept = Tally(), []
    http = trial.fronted(server.http)
    for one, port in ((one_http, http), (one_resp, server.resp)):
        await in_time(
            all_of((one(port, tally, kept) for _ in range(count)), at_once=400), 60, "a crowd")
    for protocol in ("http", "resp"):
        demand(
            0 < tally[f"{protocol} served"] <= room,
            f"{tally[f'{protocol} served']} connections of {protocol} were served of {room}")
    # Served connections stay open, and make room when they close.
    await asyncio.sleep(1)
    for writer in kept:
        writer.close()
    again = Tally()
    for _ in range(100):
        await asyncio.sleep(0.05)
        if again["http served"] == 0:
            await one_http(server.http, again, [])
        elif again["resp served"] == 0:
            await one_resp(server.resp, again, [])
    demand(again["http served"] and again["resp served"], "no room behind those who left")
    for name in ("http refused", "resp refused"):
        tally.add(name, again[name])
    return tally


async def waiting_crowd(server, count, tally):
    """Opens `count` connections on each port. All have sent a request before the first is accepted.

    A refusal has to arrive although the server closes with unread input.
    """
    for answer_of, port, question in (
            (answer_of_http, server.http, wire.get("/healthz")),
            (answer_of_resp, server.resp, wire.command("PING"))):
        kept = []
        server.process.send_signal(signal.SIGSTOP)
        try:
            asked = [await ask(port, question) for _ in range(count)]
        finally:
            server.process.send_signal(signal.SIGCONT)
        await in_time(
            all_of(answer_of(*connection, tally, kept) for connection in asked), 60,
            "a waiting crowd")
        demand(len(kept) < count, f"all of {count} connections were served")
        for writer in kept:
            writer.close()


@part("connections", "no limit of connections")
def connections(trial):
    most = 4096 if trial.fault is None else 20_000

    async def attack(trial, server):
        return await crowd(trial, server, 5000, 4096)

    return trial.abuse(
        attack, "--max-connections", str(most), pause=0.02, expected={
            "http/connection_limit": lambda tally: tally["http refused"],
            "resp/connection_limit": lambda tally: tally["resp refused"]})


@part("few-files", "untyped refusals")
def few_files(trial):
    """The system lets the server open fewer files than it may have connections."""

    async def attack(trial, server):
        tally = await crowd(trial, server, 600, 256)
        await waiting_crowd(server, 200, tally)
        return tally

    return trial.abuse(
        attack, files=256, expected={
            "http/connection_limit": lambda tally: tally["http refused"],
            "resp/connection_limit": lambda tally: tally["resp refused"]})


async def send_all(writer, pieces):
    try:
        for piece in pieces:
            writer.write(piece)
            await writer.drain()
    except OSError:
        pass


@part("large-heads", "untyped refusals")
def large_heads(trial):
    count = trial.size(2, 12)
    block = b"a" * 65536
    blocks = [block] * (64 * MEGABYTE // len(block))
    http_kinds = {
        "one field": (431, b"GET / HTTP/1.1\r\nHost: localhost\r\nX-Long: ", blocks),
        "many fields": (
            431, b"GET / HTTP/1.1\r\nHost: localhost\r\n", [b"X-Field: %065500d\r\n" % 0] * 1024),
        "fields without number": (
            431, b"GET / HTTP/1.1\r\nHost: localhost\r\n", [b"X: y\r\n" * 10_000] * 1000),
        "a target": (431, b"GET /", blocks),
        "a short target that is too long": (
            414, b"GET /" + b"a" * 9000 + b" HTTP/1.1\r\nHost: localhost\r\n\r\n", []),
        "a method": (400, b"", blocks)}
    resp_kinds = {
        "a line": (b"", blocks), "a value": (b"*2\r\n$3\r\nGET\r\n$67108864\r\n", blocks),
        "a count": (b"*1000000000\r\n", blocks),
        "values": (b"*16000\r\n", [b"$65536\r\n" + block + b"\r\n"] * 1000)}

    async def attack(trial, server):
        http = trial.fronted(server.http)
        tally = Tally()

        async def refused(port, begin, pieces, read, what):
            talker = await Talker.to(port)
            sender = asyncio.create_task(talker.send(begin, *pieces))
            try:
                return await in_time(read(talker.reader), 30, what)
            except (EOFError, wire.Broken) as error:
                raise served.Failure(f"{what}: {type(error).__name__} {error}") from error
            finally:
                sender.cancel()
                await asyncio.gather(sender, return_exceptions=True)
                await talker.close()

        async def long_http(name):
            status, begin, pieces = http_kinds[name]
            answer = await refused(http, begin, pieces, wire.read_answer, name)
            demand(answer is not None, f"{name}: no answer")
            demand(answer.is_typed and answer.status in (status, 431), f"{name}: {answer}")
            tally.add("of HTTP" if answer.status != 400 else "of HTTP (400)")

        async def long_resp(name):
            begin, pieces = resp_kinds[name]
            reply = await refused(server.resp, begin, pieces, wire.read_reply, name)
            demand(
                isinstance(reply, wire.ErrorReply) and "Protocol error" in str(reply),
                f"{name}: {reply!r:.100}")
            tally.add("of RESP")

        await asyncio.gather(
            *(long_http(name) for name in http_kinds for _ in range(count)),
            *(long_resp(name) for name in resp_kinds for _ in range(count)))
        return tally

    return trial.abuse(attack, pause=0.02, expected={
        "http/too_large": lambda tally: tally["of HTTP"],
        "http/malformed": lambda tally: tally["of HTTP (400)"], "resp/malformed": 2 * count,
        "resp/too_large": 2 * count})


@part("deep-pipelines", "some bytes lost")
def deep_pipelines(trial):
    requests = trial.size(5_000, 100_000)
    clients = trial.size(3, 6)
    long_ones = trial.size(200, 2_000)

    async def attack(trial, server):
        http = trial.fronted(server.http)
        tally = Tally()

        async def deep_http(target):
            """Sends the requests without waiting for their answers."""
            reader, writer = await connect(http)
            writer.write(wire.get(target))
            first = await wire.read_answer(reader)
            question = wire.get(target, "X-Padding: " + "a" * 60)
            sender = asyncio.create_task(
                send_all(writer, [question * 100] * (requests // 100)))
            await asyncio.sleep(0.3)
            for number in range(requests):
                answer = await wire.read_answer(reader)
                demand(answer is not None, f"the connection ended at answer {number}")
                demand(answer.status == 200, f"answer {number}: {answer.status}")
                demand(answer.body == first.body, f"answer {number} is another one")
            await sender
            writer.close()
            tally.add("answers of HTTP", requests)

        async def tiny_http():
            """Sends more requests in one packet than may wait for a slow one."""
            talker = await Talker.to(http)
            sender = asyncio.create_task(talker.send(
                b"GET /search?name=zzz HTTP/1.1\r\nHost: localhost\r\n\r\n"
                + b"GET /healthz HTTP/1.1\r\nHost:localhost\r\n\r\n" * 5000))
            statuses = []
            while answer := await in_time(wire.read_answer(talker.reader), 20, "a tiny request"):
                statuses.append(answer.status)
            demand(statuses, "a pipeline was cut at its begin")
            if statuses[-1] == 429:
                tally.add("× 429")
            else:
                demand(len(statuses) == 5001, f"a pipeline ended after {len(statuses)} answers")
            await sender
            await talker.close()

        async def deep_resp(words, pieces):
            reader, writer = await connect(server.resp)
            question = wire.command(*words)
            # SCAN learns where the pages of a feed begin, and returns more of them the next time.
            first, before = None, ()
            while first != before:
                before = first
                writer.write(question)
                first = await in_time(wire.read_reply(reader), 20, "a reply")
            sender = asyncio.create_task(send_all(writer, [question * 100] * (pieces // 100)))
            await asyncio.sleep(0.3)
            for number in range(pieces):
                reply = await wire.read_reply(reader)
                demand(reply == first, f"reply {number} is another one")
            await sender
            writer.close()
            tally.add("replies of RESP", pieces)

        try:
            everybody = asyncio.gather(
                *(deep_http("/feeds/universities/records/University%207") for _ in range(clients)),
                *(tiny_http() for _ in range(clients)),
                *(deep_resp(("GET", FEED + "7"), requests) for _ in range(clients)),
                deep_resp(("GET", "img:" + served.PAGE_URL), long_ones),
                deep_resp(("MGET", *(FEED + str(n) for n in range(100))), long_ones),
                deep_resp(("SCAN", "0", "COUNT", "1000"), long_ones))
            await in_time(everybody, trial.size(60, 300), "pipelines")
        except (OSError, EOFError, wire.Broken) as error:
            refused = await asyncio.to_thread(server.refusals)
            given = {key: count for key, count in refused.items() if count}
            raise served.Failure(
                f"{type(error).__name__}: {error}, behind {tally}; refused: {given}") from error
        return tally

    return trial.abuse(
        attack, pause=0.02, expected={"http/too_large": lambda tally: tally["× 429"]})


def random_bytes(random, kind):
    """Random bytes: alone, after valid requests, or as changes within valid requests."""
    noise = random.randbytes(random.randrange(1, 4000))
    samples = [
        wire.get("/feeds/universities?limit=10", "Accept: application/json", "Range: bytes=0-9"),
        wire.command("MGET", FEED + "7", "img:" + served.SMALL_URL),
        wire.command("HELLO", "3"), b"GET " + FEED.encode() + b'"7"\r\n',
        b"POST /feeds HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nabcde\r\n0\r\n\r\n"]
    sample = bytearray(random.choice(samples) * random.randrange(1, 4))
    if kind == 0:
        return noise
    if kind == 1:
        return bytes(sample) + noise
    for _ in range(random.randrange(1, 8)):
        place = random.randrange(len(sample))
        if random.random() < 0.5:
            sample[place] = random.randrange(256)
        else:
            sample[place:place + random.randrange(4)] = random.randbytes(random.randrange(4))
    return bytes(sample)


@part("random-bytes", "a bound of 1 MB")
def random_input(trial):
    count = trial.size(1500, 20_000)

    async def attack(trial, server):
        tally = Tally()

        async def one(number, port, name):
            reader, writer = await connect(port)
            try:
                writer.write(random_bytes(trial.random, number % 3))
                writer.write_eof()
                answer = await asyncio.wait_for(reader.read(), 15)
                tally.add(f"{name} answered" if answer else f"{name} closed")
            except asyncio.TimeoutError as error:
                raise served.Failure("a client that has ended its side was left waiting") from error
            except OSError:
                tally.add(f"{name} reset")
            writer.close()

        await all_of(
            (one(number, port, name) for number in range(count)
             for port, name in ((server.http, "http"), (server.resp, "resp"))), at_once=60)
        refused = await asyncio.to_thread(server.refusals)
        tally.add("http malformed", refused["http/malformed"])
        tally.add("resp malformed", refused["resp/malformed"])
        for name in ("http/malformed", "resp/malformed"):
            demand(refused[name] > count // 10, f"{refused[name]} refusals as {name}")
        tally.refused = refused
        return tally

    return trial.abuse(attack, pause=0.01, expected={
        f"{protocol}/{reason}": (lambda tally, key=f"{protocol}/{reason}": tally.refused[key])
        for protocol in ("http", "resp")
        for reason in ("malformed", "too_large", "body", "not_allowed", "range", "unauthorized",
                       "foreign_url", "host")})
