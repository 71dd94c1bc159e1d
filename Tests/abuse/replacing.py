"""A feed that is replaced continuously while clients read it at full speed."""

import asyncio
import json
import os
import re
import subprocess
import sys
import threading
import time

import served
import wire
from parts import Talker, in_time, judge, part
from served import Tally, demand

FEED = "turning"


def document(count, stamp):
    return [served.record(number, stamp) for number in range(count)]


class Turning:
    """Replaces the feed by one ingest after another, and counts the ingests."""

    def __init__(self, store, count):
        self.store, self.count = store, count
        self.stamp = 1
        self.failure = None
        self.is_over = threading.Event()
        self.thread = threading.Thread(target=self._run)

    def _run(self):
        try:
            while not self.is_over.is_set():
                self.store.ingest(document(self.count, self.stamp + 1), FEED)
                self.stamp += 1
        except Exception as error:
            self.failure = error

    def start(self):
        self.thread.start()

    def finish(self):
        self.is_over.set()
        self.thread.join(60)
        demand(self.failure is None, f"an ingest failed: {self.failure}")


def stamp_of(records, first, what):
    """The only generation of the records, which have to be in order."""
    stamps = {record["country"] for record in records}
    demand(len(stamps) == 1, f"{what}: of generations {sorted(stamps)[:4]}")
    names = [record["name"] for record in records]
    demand(
        names == [f"University {first + n}" for n in range(len(names))],
        f"{what}: other records than there are, from {first} on")
    return stamps.pop()


class Readers:
    """Reads pages and whole feeds over HTTP and pages over RESP, and checks every record."""

    def __init__(self, http, resp, count):
        self.http, self.resp, self.count = http, resp, count
        self.tally = Tally()
        self.is_over = asyncio.Event()

    async def get(self, talker, target):
        await talker.send(wire.get(target))
        answer = await in_time(wire.read_answer(talker.reader), 30, target)
        demand(answer is not None, f"{target}: the connection ended")
        return answer

    async def walk(self, talker, limit):
        target, records, stamp = f"/feeds/{FEED}?limit={limit}", 0, None
        while target:
            answer = await self.get(talker, target)
            if answer.status == 410 and records > 0:
                demand(answer.is_typed, f"{target}: {answer}")
                return self.tally.add("walks ended by 410")
            demand(answer.status == 200, f"{target}: {answer.status} {answer.body[:120]}")
            page = json.loads(answer.body)
            found = stamp_of(page["records"], records, target)
            demand(stamp in (None, found), f"{target}: {found} behind {stamp}")
            stamp = found
            records += len(page["records"])
            target = page["next"]
        demand(records == self.count, f"a walk of {records} records")
        self.tally.add("walks")

    async def stream(self, talker):
        answer = await self.get(talker, f"/feeds/{FEED}?format=ndjson")
        demand(answer.status == 200, f"a stream: {answer.status} {answer.body[:120]}")
        records = [json.loads(line) for line in answer.body.splitlines()]
        demand(len(records) == self.count, f"a stream of {len(records)} records")
        stamp_of(records, 0, "a stream")
        self.tally.add("streams")

    async def page(self, talker):
        answer = await self.get(talker, f"/page/{FEED}")
        demand(answer.status == 200, f"the page: {answer.status}")
        stamps = set(re.findall(rb">N(\d+)<", answer.body))
        demand(len(stamps) <= 1, f"the page: of generations {stamps}")
        self.tally.add("looks at the page")

    async def ask(self, talker, *words):
        await talker.send(wire.command(*words))
        reply = await in_time(wire.read_reply(talker.reader), 30, str(words))
        demand(not isinstance(reply, wire.ErrorReply), f"{words}: {reply}")
        return reply

    async def pages(self, talker):
        generation = await self.ask(talker, "GET", f"feed:{{{FEED}}}:cur")
        demand(generation, "the feed has no generation")
        records, number, stamp = 0, 0, None
        while records < self.count:
            key = f"feed:{FEED}:{generation.decode()}:p:{number}"
            page = await self.ask(talker, "GET", key)
            if page is None:
                now = await self.ask(talker, "GET", f"feed:{{{FEED}}}:cur")
                demand(now != generation, f"{key} is missing")
                return self.tally.add("RESP walks ended")
            part = json.loads(page)
            part = part.get("items", part.get("records")) if isinstance(part, dict) else part
            found = stamp_of(part, records, key)
            demand(stamp in (None, found), f"{key}: {found} behind {stamp}")
            stamp = found
            records += len(part)
            number += 1
        self.tally.add("RESP walks")

    async def again_and_again(self, port, read, *arguments):
        talker = await Talker.to(port)
        try:
            while not self.is_over.is_set():
                await read(talker, *arguments)
                await asyncio.sleep(0.02)
        except (EOFError, wire.Broken, ValueError) as error:
            raise served.Failure(f"{type(error).__name__}: {error}") from error
        finally:
            await talker.close()

    async def run(self, seconds):
        self.is_over.clear()
        tasks = [
            asyncio.create_task(task) for task in [
                *(self.again_and_again(self.http, self.walk, limit) for limit in (100, 1000)),
                self.again_and_again(self.http, self.stream),
                self.again_and_again(self.http, self.page),
                self.again_and_again(self.resp, self.pages)]]
        done, _ = await asyncio.wait(tasks, timeout=seconds, return_when=asyncio.FIRST_EXCEPTION)
        self.is_over.set()
        await asyncio.gather(*tasks)
        return self.tally


def seconds_of(text):
    """A time from the output of wrk, in milliseconds."""
    number, unit = re.fullmatch(r"([\d.]+)(us|ms|s|m)", text).groups()
    return float(number) * {"us": 0.001, "ms": 1, "s": 1000, "m": 60_000}[unit]


class Load:
    """wrk on HTTP, and clients of RESP, at full speed."""

    def __init__(self, http, resp, count, seconds):
        self.wrk = subprocess.Popen(
            ["wrk", "-t1", "-c8", f"-d{seconds}s", "--timeout", "20s", "--latency",
             f"http://127.0.0.1:{http}/feeds/{FEED}/records/University%207"],
            stdout=subprocess.PIPE, text=True)
        here = os.path.dirname(os.path.abspath(__file__))
        self.pressing = subprocess.Popen(
            [sys.executable, os.path.join(here, "pressing.py"), str(resp), FEED, str(count)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)

    def finish(self):
        """The 99th percentiles of both in milliseconds, and their answers; fails for any error."""
        text, _ = self.wrk.communicate(timeout=300)
        output, _ = self.pressing.communicate(b"\n", timeout=60)
        demand(self.wrk.returncode == 0 and "Non-2xx" not in text, f"wrk: {text}")
        demand("Socket errors" not in text, f"wrk: {text}")
        # Not the share within one deviation, which can end with 99% too.
        found = re.search(r"^\s+99%\s+(\S+)", text, re.MULTILINE)
        requests = re.search(r"(\d+) requests in", text)
        demand(found and requests, f"wrk: {text}")
        seen = json.loads(output.splitlines()[-1])
        demand(seen["failures"] == 0, f"RESP: {seen['failures']} failures, {seen['first']}")
        return seconds_of(found[1]), seen["p99"], int(requests[1]), seen["count"]

    def kill(self):
        for process in (self.wrk, self.pressing):
            if process.poll() is None:
                process.kill()
            process.wait(timeout=30)


def under_load(server, http, count, seconds):
    load = Load(http, server.resp, count, seconds)
    try:
        tally = asyncio.run(Readers(http, server.resp, count).run(seconds))
        return tally, load.finish()
    finally:
        load.kill()


@part("re-ingest", "mixed generations")
def re_ingest(trial):
    count = trial.size(3000, 10_000)
    store = trial.store
    store.ingest(document(count, 1), FEED)
    with served.Server(store) as server:
        http = trial.fronted(server.http)
        idle_tally, idle = under_load(server, http, count, trial.size(5, 30))
        watch = served.Watch(server, 0.05)
        turning = Turning(store, count)
        try:
            turning.start()
            tally, busy = under_load(server, http, count, trial.size(20, 120))
        finally:
            turning.finish()
            watch.server.demand_alive()
            try:
                seen = watch.finish()
            finally:
                watch.kill()
        refused = server.refusals()
        server.stop()
    store.check()
    demand(turning.stamp > 5, f"the feed was replaced {turning.stamp - 1} times")
    demand(tally["walks"] + tally["walks ended by 410"] > 0, f"no walks: {tally}")
    demand(not any(refused.values()), f"refusals: {refused}")
    ratios = [busy[n] / idle[n] for n in (0, 1)]
    figures = (
        f"{turning.stamp - 1} ingests of {count} records, {busy[2]} + {busy[3]} answers, 0 errors,"
        f" {tally}; p99 of HTTP {busy[0]:.2f} ms against {idle[0]:.2f} ({ratios[0]:.1f} ×), of RESP"
        f" {busy[1]:.2f} against {idle[1]:.2f} ({ratios[1]:.1f} ×); {judge(seen)}")
    # Other work on the machine affects these ratios more than the server does.
    if trial.is_full:
        demand(max(ratios) <= 2, f"p99 more than twice that without ingests: {figures}")
    return figures
