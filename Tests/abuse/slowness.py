"""Slow clients: slow heads, slow bodies, and slow reading."""

import asyncio
import time

import served
import wire
from parts import all_of, connect, part
from served import Tally, demand

# The longest wait under time limits of two seconds, on a busy machine.
LONGEST = 12


async def drip(writer, pieces, pause):
    """Sends piece by piece until the other side closes."""
    try:
        for piece in pieces:
            writer.write(piece)
            await writer.drain()
            await asyncio.sleep(pause)
    except OSError:
        pass


async def refusal(reader, what):
    """The answer that ends a connection."""
    try:
        answer = await asyncio.wait_for(wire.read_answer(reader), LONGEST)
        rest = await asyncio.wait_for(reader.read(), LONGEST)
    except asyncio.TimeoutError as error:
        raise served.Failure(f"{what}: nothing for {LONGEST} s") from error
    except (OSError, wire.Broken) as error:
        raise served.Failure(f"{what}: {error}") from error
    demand(answer is not None, f"{what}: the connection ended without an answer")
    demand(not rest, f"{what}: {rest[:60]!r} behind the last answer")
    return answer


@part("slow-heads", "no time limit", "untyped refusals", "a bound of 1 MB")
def slow_heads(trial):
    count = trial.size(200, 1000)

    async def attack(trial, server):
        http = trial.fronted(server.http)
        tally = Tally()

        async def slow_http(number):
            reader, writer = await connect(http)
            head = [b"GET /healthz HTTP/1.1\r\n", b"Host: localhost\r\n"]
            head += [b"X-%d: b\r\n" % n for n in range(90)]
            if number % 2:
                head = [b"%c" % byte for byte in b"".join(head)]
            sender = asyncio.create_task(drip(writer, head, 0.3))
            answer = await refusal(reader, "a slow head")
            sender.cancel()
            writer.close()
            demand(answer.status == 408 and answer.is_typed, f"a slow head: {answer}")
            tally.add("× 408")

        async def slow_resp():
            reader, writer = await connect(server.resp)
            command = wire.command("GET", "feed:universities:item:" + "a" * 400)
            sender = asyncio.create_task(drip(writer, (b"%c" % byte for byte in command), 0.2))
            try:
                rest = await asyncio.wait_for(reader.read(), LONGEST)
                demand(not rest, f"a slow command: {rest[:80]!r}")
            except asyncio.TimeoutError as error:
                raise served.Failure(f"a slow command was waited for {LONGEST} s") from error
            except OSError:
                pass
            sender.cancel()
            writer.close()
            tally.add("slow commands ended")

        await asyncio.gather(
            *(slow_http(n) for n in range(count)), *(slow_resp() for _ in range(count // 2)))
        return tally

    return trial.abuse(
        attack, patience=2, expected={"http/slow_request": count, "resp/slow_request": count // 2})


@part("slow-bodies", "untyped refusals", "body waited for")
def slow_bodies(trial):
    count = trial.size(100, 1000)
    kinds = [
        (b"POST", b"Content-Length: 10000000", 405), (b"OPTIONS", b"Content-Length: 10000000", 413),
        (b"PUT", b"Transfer-Encoding: chunked", 405), (b"OPTIONS", b"Transfer-Encoding: chunked", 413)]

    async def attack(trial, server):
        http = trial.fronted(server.http)
        tally = Tally()

        async def slow(number):
            method, field, status = kinds[number % len(kinds)]
            reader, writer = await connect(http)
            head = method + b" /feeds HTTP/1.1\r\nHost: localhost\r\n" + field + b"\r\n\r\n"
            if trial.fault == "body waited for":
                head = head[:-2]
            writer.write(head)
            piece = b"1\r\na\r\n" if b"chunked" in field else b"a"
            sender = asyncio.create_task(drip(writer, (piece for _ in range(1000)), 0.2))
            answer = await refusal(reader, "a slow body")
            sender.cancel()
            writer.close()
            demand(answer.status == status and answer.is_typed, f"a slow body: {answer}")
            tally.add(f"× {status}")

        await all_of(slow(number) for number in range(count))
        return tally

    return trial.abuse(
        attack, patience=2, expected={"http/body": count // 2, "http/not_allowed": count // 2})


# On a busy machine some answers do not begin in time, which also ends their clients.
REASONS = ["http/slow_reader", "http/deadline", "resp/slow_reader", "resp/slow_request"]


@part("slow-readers", "no time limit")
def slow_readers(trial):
    count = trial.size(100, 1800)
    targets = [
        b"".join(wire.get(target, *fields) for _ in range(times)) for target, times, fields in [
            ("/feeds/large?format=ndjson", 1, []),
            ("/images?url=" + served.LARGE_URL, 1, []),
            ("/images?url=" + served.PAGE_URL, 100, []),
            ("/feeds/large?limit=1000", 100, [])]]
    commands = [
        b"".join(wire.command(*words) for _ in range(times)) for words, times in [
            (("GET", "img:" + served.LARGE_URL), 20),
            (("GET", "feed:universities:item:University 7"), 50_000),
            (("MGET", *["img:" + served.PAGE_URL] * 100), 20)]]

    async def attack(trial, server):
        tally = Tally()

        async def slow(port, question, name):
            reader, writer = await connect(port, receive_buffer=4096)
            # asyncio reads unless it is paused. Unread bytes stay with the server.
            writer.transport.pause_reading()
            writer.write(question)
            tally.add(name)
            return writer

        readers = await all_of(
            [slow(server.http, targets[n % len(targets)], "of HTTP") for n in range(count)]
            + [slow(server.resp, commands[n % len(commands)], "of RESP") for n in range(count // 4)],
            at_once=100)
        began = time.monotonic()
        ended = 0
        while ended < len(readers) and time.monotonic() - began < trial.size(45, 300):
            await asyncio.sleep(0.25)
            tally.refused = await asyncio.to_thread(server.refusals)
            ended = sum(tally.refused[key] for key in REASONS)
        for writer in readers:
            writer.transport.abort()
        given = {key: tally.refused[key] for key in REASONS}
        demand(ended == len(readers), f"of {tally} these were ended: {given}")
        demand(
            given["http/slow_reader"] >= count // 2 and given["resp/slow_reader"] >= count // 8,
            f"most had other faults than to read slowly: {given}")
        return tally

    return trial.abuse(
        attack, patience=trial.size(2, 10),
        expected={key: (lambda tally, key=key: tally.refused[key]) for key in REASONS})
