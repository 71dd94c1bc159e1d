"""The end of a server under load: by a signal, and by a kill."""

import asyncio
import json
import os
import shutil
import signal
import subprocess
import threading
import time

import replacing
import served
import wire
from parts import Talker, in_time, part
from served import Tally, demand

DRAIN = 30


class Talking:
    """Clients that send requests until their connection ends, and check that each answer is
    complete and correct."""

    def __init__(self, http, resp):
        self.http, self.resp = http, resp
        self.tally = Tally()
        self.ended = False

    async def http_client(self, target, wanted, depth, pause):
        """Sends `depth` requests in advance, and another one after each answer."""
        talker = await Talker.to(self.http)
        question = wire.get(target)
        await talker.send(question * depth)
        try:
            while answer := await wire.read_answer(talker.reader):
                demand(answer.status == 200, f"{target}: {answer.status} {answer.body[:100]}")
                demand(wanted(answer.body), f"{target}: {len(answer.body)} other bytes")
                self.tally.add("answers of HTTP")
                if self.ended:
                    self.tally.add("after the signal")
                await asyncio.sleep(pause)
                await talker.send(question)
        except wire.Broken as error:
            raise served.Failure(f"{target}: an answer was cut: {error}") from error
        finally:
            await talker.close()

    async def resp_client(self, words, wanted, depth):
        talker = await Talker.to(self.resp)
        question = wire.command(*words)
        await talker.send(question * depth)
        try:
            while True:
                for _ in range(depth):
                    reply = await wire.read_reply(talker.reader)
                    demand(wanted(reply), f"{words}: {reply!r:.100}")
                    self.tally.add("replies of RESP")
                    if self.ended:
                        self.tally.add("after the signal")
                await talker.send(question * depth)
        except wire.Broken as error:
            raise served.Failure(f"{words}: a reply was cut: {error}") from error
        except EOFError:
            pass
        finally:
            await talker.close()

    def clients(self):
        small, page, large = (
            served.pattern(served.SMALL_BYTES, 1), served.pattern(served.PAGE_BYTES, 2),
            served.pattern(served.LARGE_BYTES, 3))
        is_whole = lambda body: body.count(b"\n") == 100_000 and body.endswith(b"}\n")
        is_record = lambda reply: b'"name":"University 7"' in reply
        url = "/images?url="
        return [
            *(self.http_client("/feeds/large?format=ndjson", is_whole, 1, 0) for _ in range(2)),
            *(self.http_client(url + served.LARGE_URL, large.__eq__, 2, 0) for _ in range(4)),
            *(self.http_client(url + served.PAGE_URL, page.__eq__, 20, 0.01) for _ in range(4)),
            *(self.http_client(url + served.SMALL_URL, small.__eq__, 1, 0.005) for _ in range(4)),
            *(self.http_client("/feeds/universities/records/University%207", is_record, depth, 0.001)
              for depth in (1, 1, 16, 64)),
            *(self.resp_client(("GET", "img:" + served.PAGE_URL), page.__eq__, 50)
              for _ in range(4)),
            self.resp_client(("GET", "img:" + served.LARGE_URL), large.__eq__, 2),
            *(self.resp_client(("GET", "feed:universities:item:University 7"), is_record, 100)
              for _ in range(4))]


async def refuse_new_ones(server, port, tally):
    """Checks that new connections are refused soon after the signal, and stay refused."""
    began = time.monotonic()
    is_refused = False
    while server.process.poll() is None:
        try:
            talker = await Talker.to(port)
            await talker.close()
            demand(not is_refused, "a connection was taken after others had been refused")
            demand(time.monotonic() - began < 2, "connections are still taken after 2 s")
        except OSError:
            if not is_refused:
                tally.add("ports closed")
            is_refused = True
        await asyncio.sleep(0.02)


@part("drain", "an answer cut off")
def drain(trial):
    rounds = trial.size(3, 20)
    total = Tally()
    longest = 0

    async def talk(server, http):
        talking = Talking(http, server.resp)
        clients = [asyncio.create_task(client) for client in talking.clients()]
        wrk = subprocess.Popen(
            ["wrk", "-t1", "-c16", "-d20s", f"http://127.0.0.1:{server.http}/feeds/universities?limit=20"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            await asyncio.sleep(1 + trial.random.random())
            for client in clients:
                if client.done():
                    client.result()
                    raise served.Failure("a connection ended before anybody asked for that")
            server.process.send_signal(signal.SIGTERM)
            talking.ended = True
            began = time.monotonic()
            ports = asyncio.gather(*(
                refuse_new_ones(server, port, talking.tally) for port in (server.http, server.resp)))
            while server.process.poll() is None and time.monotonic() - began < DRAIN + 5:
                await asyncio.sleep(0.02)
            seconds = time.monotonic() - began
            demand(seconds < DRAIN + 1, f"the server took {seconds:.1f} s to end")
            demand(
                server.process.returncode == 0,
                f"the server left with {server.process.returncode}: {server.said()}")
            await in_time(ports, 10, "ports")
            await in_time(asyncio.gather(*clients), 20, "connections of a server that has ended")
        finally:
            wrk.kill()
            wrk.wait(timeout=20)
            for client in clients:
                client.cancel()
            await asyncio.gather(*clients, return_exceptions=True)
        return talking.tally, seconds

    for _ in range(rounds):
        options = ["--drain-timeout", str(DRAIN), "--request-timeout", "20"]
        with served.Server(trial.store, *options) as server:
            tally, seconds = asyncio.run(talk(server, trial.fronted(server.http)))
        for what, count in tally.counts.items():
            total.add(what, count)
        longest = max(longest, seconds)
    demand(total["after the signal"] > 0, f"nothing was under way: {total}")
    return f"{rounds} rounds: {total}, all whole; exit 0 within {longest:.1f} s of {DRAIN}"


def newest_stamp(store):
    """The number of the ingest that all records of the feed come from."""
    result = store.run("export", replacing.FEED, "--format", "ndjson")
    demand(result.returncode == 0, f"export: {result.stderr.decode()[-200:]}")
    stamps = {json.loads(line)["country"] for line in result.stdout.splitlines()}
    demand(len(stamps) == 1, f"a feed of generations {sorted(stamps)[:4]}")
    return int(stamps.pop()[1:])


@part("kill", "an acknowledged ingest taken back", "a damaged store")
def kill(trial):
    rounds = trial.size(4, 40)
    work = os.path.join(trial.store.work, "killed")
    os.mkdir(work)
    trial.closers.append(lambda: shutil.rmtree(work, ignore_errors=True))
    store = served.Store(trial.store.feedcore, os.path.join(work, "store"))
    store.ingest([served.record(number) for number in range(1000)], "universities")
    count = 20_000
    documents = json.dumps(replacing.document(count, 0)).replace('"N0"', '"N%d"')
    acknowledged, killed_ingests, begun, answers = 1, 0, 1, 0
    store.ingest(documents.replace("%d", "1").encode(), replacing.FEED)

    def ingest_on(current, is_over):
        """Ingests until the end; notes the last acknowledged ingest and the running process."""
        while not is_over.is_set():
            current["begun"] += 1
            process = subprocess.Popen(
                [store.feedcore, "ingest", "-", "--feed", replacing.FEED, "--quiet", "--store",
                 store.directory], stdin=subprocess.PIPE, stderr=subprocess.DEVNULL)
            current["process"] = process
            try:
                process.communicate(
                    documents.replace("%d", str(current["begun"])).encode(), timeout=60)
            except OSError:
                process.wait(timeout=60)
            if process.returncode == 0:
                current["acknowledged"] = current["begun"]

    for number in range(rounds):
        current = {"begun": begun, "acknowledged": acknowledged}
        is_over = threading.Event()
        with served.Server(store) as server:
            load = replacing.Load(server.http, server.resp, count, 5)
            thread = threading.Thread(target=ingest_on, args=(current, is_over))
            thread.start()
            try:
                time.sleep(0.4 + trial.random.random() * 0.8)
                answers += server.metrics()["feedcore_lookups_total{result=\"hit\"}"]
                os.kill(server.process.pid, signal.SIGKILL)
                is_over.set()
                if number % 2:
                    killed_ingests += current["process"].poll() is None
                    current["process"].kill()
                server.process.wait(timeout=30)
            finally:
                is_over.set()
                thread.join(60)
                load.kill()
        begun, acknowledged = current["begun"], current["acknowledged"]
        spoil(trial.fault, store, documents)
        store.check()
        stamp = newest_stamp(store)
        demand(
            acknowledged <= stamp <= begun,
            f"ingest {acknowledged} was acknowledged, and the feed is of {stamp}")
        with served.Server(store) as server:
            asyncio.run(serves(server, stamp))
            server.stop()
    demand(acknowledged > 1, "no ingest was acknowledged")
    return (
        f"{rounds} servers and {killed_ingests} ingests killed, {acknowledged} ingests acknowledged,"
        f" 0 lost; {int(answers)} look-ups before; the store is whole each time")


async def serves(server, stamp):
    talker = await Talker.to(server.http)
    await talker.send(wire.get(f"/feeds/{replacing.FEED}/records/University%207"))
    answer = await in_time(wire.read_answer(talker.reader), 20, "a record")
    demand(
        answer is not None and f'"N{stamp}"'.encode() in answer.body,
        f"the next server serves another generation than {stamp}: {answer}")
    await talker.close()


def spoil(fault, store, documents):
    """Plants a fault in the store."""
    if fault == "an acknowledged ingest taken back":
        store.ingest(documents.replace("%d", "0").encode(), replacing.FEED)
    if fault == "a damaged store":
        path = os.path.join(store.directory, "feeds", "data.mdb")
        middle = os.path.getsize(path) // 2 // 4096 * 4096
        with open(path, "r+b") as file:
            file.seek(4096 * 40)
            block = bytearray(file.read(middle))
            for place in range(100, len(block), 4096):
                block[place] ^= 0xFF
            file.seek(4096 * 40)
            file.write(block)
