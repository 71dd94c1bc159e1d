"""The parts by name, and what they share."""

import asyncio
import dataclasses
import socket
from typing import Callable

import front
import served
from served import MEGABYTE, demand

MOST_MEMORY = 256 * MEGABYTE
# The maximum of received bytes that a client has not parsed; more than the longest answer.
MOST_UNREAD = 64 * MEGABYTE
ALL = {}


@dataclasses.dataclass
class Part:
    """A promise of the server and what tries to break it."""

    name: str
    function: Callable
    faults: list


def part(name, *faults):
    """Registers a function as a part. It takes a Trial, and returns figures or fails. With each of
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
        """The port for clients: that of the proxy with the fault, or the server's own."""
        if self.fault not in front.FAULTS:
            return port
        between = front.Front(port, self.fault)
        self.closers.append(between.close)
        return between.port

    def clean_up(self):
        for close in self.closers:
            close()

    def abuse(self, attack, *options, expected, files=None, pause=0.005, patience=20):
        """Runs an attack on a server that ordinary clients use, too.

        Args:
            attack: a coroutine function of the trial and the server; returns figures.
            expected: the required count of each refusal, such as `http/body`: a number, or a
                function of the attack's figures.
            files: the maximum of open files of the server.
            pause: the seconds between an answer and the next request of an ordinary client.
            patience: the server's time limit, in seconds; an hour with the fault `no time
                limit`.
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
    """The figures of the ordinary clients as a text; fails if the attack harmed them."""
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
    """A connection that still reads to the end after a failed write. The streams of asyncio would
    discard the received bytes."""

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
        """Sends as much as the other side accepts."""
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
                # Without a pause, a connection with constant input would block all other tasks.
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
    """The results of the coroutines, of which at most `at_once` run at a time."""
    gate = asyncio.Semaphore(at_once)

    async def one(coroutine):
        async with gate:
            return await coroutine

    return await asyncio.gather(*(one(coroutine) for coroutine in coroutines))
