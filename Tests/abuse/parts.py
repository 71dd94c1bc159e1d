"""The parts by name, and what they share."""

import asyncio
import dataclasses
import socket
from typing import Callable

import front
import served
from served import MEGABYTE, demand

MOST_MEMORY = 256 * MEGABYTE
# What a client has received and not looked at; more than the longest answer.
MOST_UNREAD = 64 * MEGABYTE
ALL = {}


@dataclasses.dataclass
class Part:
    """A promise of the server and what tries to break it."""

    name: str
    function: Callable
    faults: list


def part(name, *faults):
    """Registers a function as a part. It takes a Trial, and returns figures or fails. Under each of
    the faults it has to fail."""

    def register(function):
        ALL[name] = Part(name, function, list(faults))
        return function

    return register


@dataclasses.dataclass
class Trial:
    """One run of a part."""

    options: object
    store: served.Store
    fault: str
    random: object
    closers: list = dataclasses.field(default_factory=list)

    @property
    def is_full(self):
        return self.options.size == "full"

    def size(self, ci, full):
        return full if self.is_full else ci

    def fronted(self, port):
        """The port that clients are to use: that of a fault's go-between, or the server's own."""
        if self.fault not in front.FAULTS:
            return port
        between = front.Front(port, self.fault)
        self.closers.append(between.close)
        return between.port

    def clean_up(self):
        for close in self.closers:
            close()

    def abuse(self, attack, *options, expected, files=None, pause=0.005, patience=20):
        """Lets an attack loose on a server that ordinary clients use, too.

        Args:
            attack: a coroutine function of the trial and the server; returns figures.
            expected: by refusal, such as `http/body`, how many there have to be: a number, or a
                function of the attack's figures.
            files: as many may be open in the server.
            pause: of ordinary clients between an answer and their next request, in seconds.
            patience: the server's time limit, in seconds; that of one with the fault `no time
                limit` is an hour.
        """
        limits = ["--request-timeout", str(3600 if self.fault == "no time limit" else patience)]
        with served.Server(self.store, *limits, *options, files=files) as server:
            watch = served.Watch(server, pause)
            try:
                before = server.refusals()
                figures = asyncio.run(attack(self, server))
                server.demand_alive()
                after = server.refusals()
                seen = watch.finish()
            finally:
                watch.kill()
            server.stop()
        grown = {key: after[key] - before[key] for key in after if after[key] != before[key]}
        for key, wanted in expected.items():
            wanted = wanted(figures) if callable(wanted) else wanted
            demand(
                grown.get(key, 0) == wanted,
                f"{grown.get(key, 0)} refusals were counted as {key}, {wanted} were given;"
                f" {figures}; all that were counted: {grown}")
        unexpected = set(grown) - set(expected)
        demand(not unexpected, f"refusals that nobody was given: {unexpected}")
        counted = ", ".join(f"{key} {count}" for key, count in sorted(grown.items()))
        return f"{figures}; counted {counted or 'none'}; {judge(seen, self.fault)}"


def judge(seen, fault=None):
    """What the ordinary clients have seen, as a text; fails where they were harmed."""
    for protocol in ("http", "resp"):
        clients = seen[protocol]
        demand(clients["count"] >= 20, f"ordinary clients of {protocol} got {clients['count']} answers")
        demand(
            clients["failures"] == 0,
            f"{clients['failures']} failures of ordinary clients of {protocol}: {clients['first']}")
    most = MEGABYTE if fault == "a bound of 1 MB" else MOST_MEMORY
    demand(
        0 < seen["memory"] < most, f"{seen['memory'] / MEGABYTE:.0f} MB of memory")
    return (
        f"ordinary clients: {seen['http']['count']} + {seen['resp']['count']} answers, 0 failures,"
        f" p99 {seen['http']['p99']:.1f} and {seen['resp']['p99']:.1f} ms;"
        f" {seen['memory'] / MEGABYTE:.0f} MB")


async def connect(port, receive_buffer=None):
    """A connection as a pair of a reader and a writer."""
    if receive_buffer is None:
        return await asyncio.open_connection("127.0.0.1", port, limit=1 << 18)
    plain = socket.socket()
    plain.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
    plain.setblocking(False)
    await asyncio.get_running_loop().sock_connect(plain, ("127.0.0.1", port))
    return await asyncio.open_connection(sock=plain, limit=1 << 18)


class Talker:
    """A connection that reads on to the end when the other side does not take what is sent, where
    asyncio's own streams would give up what has arrived."""

    def __init__(self, plain):
        self.plain = plain
        self.reader = asyncio.StreamReader(limit=1 << 18)
        self.receiver = asyncio.create_task(self._receive())

    @staticmethod
    async def to(port):
        plain = socket.socket()
        plain.setblocking(False)
        await asyncio.get_running_loop().sock_connect(plain, ("127.0.0.1", port))
        return Talker(plain)

    async def send(self, *pieces):
        """Sends as much as the other side takes."""
        loop = asyncio.get_running_loop()
        try:
            for piece in pieces:
                await loop.sock_sendall(self.plain, piece)
        except OSError:
            pass

    async def _receive(self):
        loop = asyncio.get_running_loop()
        try:
            while data := await loop.sock_recv(self.plain, 1 << 18):
                self.reader.feed_data(data)
                # Where there is always more to receive, nobody else would have a turn.
                await asyncio.sleep(0)
                while len(self.reader._buffer) > MOST_UNREAD:
                    await asyncio.sleep(0.005)
        except OSError:
            pass
        self.reader.feed_eof()

    async def close(self):
        self.receiver.cancel()
        await asyncio.gather(self.receiver, return_exceptions=True)
        self.plain.close()


async def in_time(coroutine, seconds, what):
    try:
        return await asyncio.wait_for(coroutine, seconds)
    except asyncio.TimeoutError as error:
        raise served.Failure(f"{what}: not within {seconds} s") from error


async def all_of(coroutines, at_once=500):
    """The results of many, so many of them at once."""
    gate = asyncio.Semaphore(at_once)

    async def one(coroutine):
        async with gate:
            return await coroutine

    return await asyncio.gather(*(one(coroutine) for coroutine in coroutines))
