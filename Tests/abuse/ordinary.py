"""Ordinary clients of a server under abuse. Each waits for its answer, compares it with the first
answer to that request, and sends another request. Ends with its standard input, and prints figures.

    ordinary.py HTTP-PORT RESP-PORT SERVER-PROCESS PAUSE
"""

import asyncio
import json
import sys
import time

import served
import wire

CLIENTS = 3
PATIENCE = 20
TARGETS = [
    "/feeds/universities/records/University%207",
    "/feeds/universities/records/University%20900",
    "/feeds/universities?limit=20",
    "/images?url=" + served.SMALL_URL,
    "/healthz",
]
COMMANDS = [
    ("GET", "feed:universities:item:University 7"),
    ("MGET", "feed:universities:item:University 900", "feed:universities:item:none"),
    ("GET", "img:" + served.SMALL_URL),
    ("STRLEN", "img:" + served.PAGE_URL),
]


class Figures:
    def __init__(self):
        self.latencies = []
        self.failures = []

    def summary(self):
        ordered = sorted(self.latencies)
        at = lambda part: ordered[min(int(len(ordered) * part), len(ordered) - 1)] if ordered else 0
        return {
            "count": len(ordered), "p50": at(0.5) * 1000, "p99": at(0.99) * 1000,
            "failures": len(self.failures), "first": self.failures[:1]}


async def ask_http(connection, target):
    reader, writer = connection
    writer.write(wire.get(target))
    answer = await wire.read_answer(reader)
    if answer is None:
        raise wire.Broken("the connection ended")
    if answer.status != 200:
        raise wire.Broken(f"{target}: {answer.status} {answer.body[:100]!r}")
    return answer.body


async def ask_resp(connection, words):
    reader, writer = connection
    writer.write(wire.command(*words))
    reply = await wire.read_reply(reader)
    if isinstance(reply, wire.ErrorReply):
        raise wire.Broken(f"{words[0]}: {reply}")
    return reply


async def client(number, port, ask, questions, figures, is_over, pause):
    wanted = {}
    connection = None
    while not is_over.is_set():
        try:
            if connection is None:
                connection = await asyncio.open_connection("127.0.0.1", port, limit=1 << 20)
            question = questions[number % len(questions)]
            began = time.perf_counter()
            answer = await asyncio.wait_for(ask(connection, question), PATIENCE)
            figures.latencies.append(time.perf_counter() - began)
            if wanted.setdefault(question, answer) != answer:
                raise wire.Broken(f"another answer than before to {question}")
        except (OSError, EOFError, ValueError, wire.Broken, asyncio.TimeoutError) as error:
            figures.failures.append(f"{type(error).__name__}: {error}")
            if connection:
                connection[1].close()
            connection = None
            await asyncio.sleep(0.05)
        number += 1
        if number == len(questions) * 2:
            print_ready()
        await asyncio.sleep(pause)
    if connection:
        connection[1].close()


READY = {"missing": 2 * CLIENTS}


def print_ready():
    """Prints `ready` when all clients have had an answer to each question."""
    READY["missing"] -= 1
    if READY["missing"] == 0:
        print("ready", flush=True)


async def look_at_memory(process, peak, is_over):
    while not is_over.is_set():
        try:
            peak["bytes"] = max(peak["bytes"], served.anonymous_memory(process))
        except OSError:
            return
        await asyncio.sleep(0.01)


async def main():
    http_port, resp_port, process = (int(word) for word in sys.argv[1:4])
    pause = float(sys.argv[4])
    is_over = asyncio.Event()
    loop = asyncio.get_running_loop()
    loop.add_reader(sys.stdin, lambda: is_over.set() if not sys.stdin.buffer.read(1) else None)
    http, resp, peak = Figures(), Figures(), {"bytes": 0}
    await asyncio.gather(
        *(client(n % 2, http_port, ask_http, TARGETS, http, is_over, pause)
          for n in range(CLIENTS)),
        *(client(n % 2, resp_port, ask_resp, COMMANDS, resp, is_over, pause)
          for n in range(CLIENTS)),
        look_at_memory(process, peak, is_over))
    print(json.dumps({"http": http.summary(), "resp": resp.summary(), "memory": peak["bytes"]}))


asyncio.run(main())
