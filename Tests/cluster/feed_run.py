"""Hosts that publish a feed in a cluster and read it, and the rules that they check."""

import collections
import contextlib
import itertools
import json
import os
import pathlib
import random
import shutil
import subprocess
import threading
import time

from redis_cluster import wait_until

FEED = "events"
ROW = f"fc:{{{FEED}}}:cur"
OLD = f"fco:{{{FEED}}}:old"
OWNER = f"fco:{{{FEED}}}:own"
# The statuses of commands while nodes are away: no node reached, or nothing published.
AWAY = {69, 75}
LIMIT = 120


class Run:
    """A feed whose records all have the number of their publish.

    One publish is under way at a time unless a case says otherwise, so numbers rise. With `large`,
    every fourth publish has records of as many characters. Its blocks are pushed while it is read.
    """

    nothing = 0

    def __init__(self, program, directory, cluster, records=3000, padding=0, large=None):
        self.program = program
        self.directory = pathlib.Path(directory)
        self.cluster = cluster
        self.records = records
        self.padding = padding
        self.large = large
        self.numbers = itertools.count(1)
        self.acknowledged = self.nothing
        # What a host of the case has seen.
        self.last = self.nothing
        # The generation of the row when the case last looked.
        self.row = 0
        self.counts = collections.Counter()
        self.faults = []
        self.ends = False
        # Held during a publish, so a step can keep the state of the feed.
        self.publishing = threading.Lock()
        # Set while a primary that was replaced may still reply: such a reply can be old.
        self.is_divided = False
        self.fresh = itertools.count()
        self.processes = set()

    # Commands

    def url(self, host, seeds=None, prefix="", **parameters):
        pairs = {"near": self.directory / f"near-{host}", **parameters}
        query = "&".join(f"{name}={value}" for name, value in pairs.items())
        return f"redis-cluster://{seeds or self.cluster.seeds}{prefix}?{query}"

    def start(self, *words, store, place=(), **pipes):
        """Starts a command, in the namespace of a node if `place` says so."""
        environment = dict(os.environ, FEEDCORE_STORE=str(store))
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **pipes}
        process = subprocess.Popen([*place, self.program, *words], env=environment, **pipes)
        self.processes.add(process)
        return process

    def end(self, process):
        """Waits for a command, and adds its output to the process."""
        try:
            process.out, process.error = process.communicate(timeout=LIMIT)
        except subprocess.TimeoutExpired:
            process.kill()
            process.out, process.error = process.communicate()
            self.faults.append(f"{' '.join(process.args)} did not end within {LIMIT} s")
        self.processes.discard(process)
        return process

    def close(self):
        """Kills the processes that an interrupted step has left."""
        for process in self.processes:
            process.kill()
            process.wait()

    def command(self, *words, store):
        return self.end(self.start(*words, store=store))

    # Publishing

    def is_large(self, number):
        return self.large and number % 4 == 0

    def payload(self, number, first=0, padding=None):
        """A file of records that have a number."""
        path = self.directory / f"events-{number}.json"
        if padding is None:
            padding = self.large if self.is_large(number) else self.padding
        text = "x" * padding
        path.write_text("".join(
            json.dumps({"id": index, "n": number, "padding": text}) + "\n"
            for index in range(first, first + self.records)))
        return path

    def ingest(self, host, number, *words, place=(), path=None, **parameters):
        """Starts a publish."""
        return self.start(
            "ingest", str(path or self.payload(number)), "--feed", FEED, "--json", *words,
            store=self.url(host, **parameters), place=place)

    def wait_for_token(self, primary, writer):
        """Waits until a writer has begun to change the feed. It may also have ended."""
        wait_until(
            lambda: self.cluster.ask(primary, "EXISTS", OWNER) == 1 or writer.poll() is not None,
            what="the token of a writer", pause=0.001)

    def note(self, process, number, allowed=AWAY):
        """Waits for a publish. Returns its generation; None if it was refused."""
        self.end(process)
        (self.directory / f"events-{number}.json").unlink()
        if process.returncode == 0:
            self.acknowledged = self.joined(self.acknowledged, self.published(number))
            self.counts["publishes"] += 1
            return json.loads(process.out)["generation"]
        self.counts["refused"] += 1
        if process.returncode not in allowed:
            self.fault(f"ingest {number}", process)
        return None

    def published(self, number):
        """The content of a feed after a publish."""
        return number

    def publish(self, host="writer", allowed=AWAY, **parameters):
        with self.publishing:
            number = next(self.numbers)
            return self.note(self.ingest(host, number, **parameters), number, allowed)

    def require_publish(self, host="writer", **parameters):
        """Publishes in a healthy cluster, where no refusal is allowed."""
        return self.publish(host, allowed=(), **parameters)

    def fault(self, what, process):
        self.faults.append(
            f"{what} ended with {process.returncode}: {process.error.decode().strip()}")

    # Reading

    def content(self, host, records):
        """The number of the publish that a host sees; None if it sees parts of several."""
        numbers = {record["n"] for record in records}
        is_complete = [record["id"] for record in records] == list(range(self.records))
        if is_complete and len(numbers) == 1:
            return numbers.pop()
        self.faults.append(
            f"{host} saw {len(records)} records of the publishes {sorted(numbers)[:3]}")
        return None

    def joined(self, one, other):
        """The later one of two contents."""
        return max(one, other)

    def is_behind(self, one, other):
        return one < other

    def read(self, host, last=None, store=None, allowed=AWAY, is_strict=True):
        """Exports the feed. Returns its content, which is not behind the last one."""
        last = self.nothing if last is None else last
        before, was_divided = self.acknowledged, self.is_divided
        run = self.command("export", FEED, "--format", "ndjson", store=store or self.url(host))
        if run.returncode != 0:
            # Before the first publish there is no feed.
            if before or run.returncode != 66:
                self.counts["unread"] += 1
                if run.returncode not in allowed:
                    self.fault(f"export on {host}", run)
            return last
        self.counts["reads"] += 1
        seen = self.content(host, [json.loads(line) for line in run.out.splitlines()])
        if seen is None:
            return last
        if self.is_behind(seen, last):
            self.faults.append(f"{host} saw {seen} after {last}")
        is_copy = b"copy of the near store" in run.error
        self.counts["copies"] += is_copy
        is_late = is_copy or was_divided or self.is_divided
        if is_strict and not is_late and self.is_behind(seen, before):
            self.faults.append(f"{host} saw {seen}, and {before} was acknowledged")
        return self.joined(seen, last)

    def read_fresh(self, allowed=(), **arguments):
        """Reads on a host without a copy, which has to see each acknowledged publish."""
        host = f"fresh-{next(self.fresh)}"
        try:
            return self.read(host, allowed=allowed, **arguments)
        finally:
            shutil.rmtree(self.directory / f"near-{host}", ignore_errors=True)

    def generation(self):
        """The generation of the feed's row in the cluster."""
        run = self.command("feeds", "--json", store=self.url("writer"))
        if run.returncode != 0:
            self.fault("feeds", run)
            return 0
        return next((each["generation"] for each in json.loads(run.out)), 0)

    # Threads

    def repeat(self, body, *arguments):
        """Calls a function with its last result, until the run ends."""
        last = self.nothing
        try:
            while not self.ends:
                last = body(*arguments, last)
        except Exception as error:
            self.faults.append(f"{type(error).__name__} in a thread of the test: {error}")

    @contextlib.contextmanager
    def traffic(self, publish=None):
        """Publishes and reads in threads: a writer, a host, and hosts without a copy."""
        publish = publish or self.publish
        bodies = [
            lambda last: publish(), lambda last: self.read("a", last),
            lambda last: self.read_fresh(allowed=AWAY)]
        threads = [threading.Thread(target=self.repeat, args=(body,)) for body in bodies]
        for thread in threads:
            thread.start()
        try:
            self.wait_for_publish()
            yield
        except TimeoutError as error:
            self.faults.append(str(error))
        finally:
            self.ends = True
            for thread in threads:
                thread.join()
            self.ends = False

    def wait_for_publish(self):
        before = self.counts["publishes"]
        wait_until(
            lambda: self.counts["publishes"] > before or self.faults, LIMIT, "a publish")

    # The end

    def conclude(self, **parameters):
        """A publish removes what others have left, and nothing that is published expires."""
        cluster = self.cluster
        wait_until(cluster.is_sound)
        # Time would also remove the token of a killed writer.
        for primary in cluster.primaries():
            cluster.ask(primary, "DEL", OWNER)
        self.require_publish(**parameters)
        self.check_owners()
        cluster.let_time_pass()
        self.read_fresh()

    def check_owners(self):
        ownerless = self.ownerless(self.generation())
        if ownerless:
            self.faults.append(f"{len(ownerless)} blocks without an owner: {ownerless[:3]}")

    def ownerless(self, generation):
        """Blocks without a time to live that neither the row nor the list of old segments names."""
        owners = {f"{generation:x}"}
        primary, _ = self.cluster.shard(OLD)
        owners |= {field.split(":")[0] for field in self.cluster.require(primary, "HKEYS", OLD)}
        found = []
        for port in self.cluster.primaries():
            keys = self.cluster.keys(port, "fcb:*")
            lives = self.cluster.ask_all(port, [("PTTL", key) for key in keys])
            found += [
                key for key, life in zip(keys, lives)
                if key.split(":")[1] not in owners and life == -1]
        return found

    def report(self, name, what, start):
        """Prints the line of a case. Returns whether no rule was broken."""
        if not self.counts["reads"]:
            self.faults.append("nothing was read")
        counts = self.counts
        print(
            f"{name}: {what} in {time.monotonic() - start:.0f} s: {counts['publishes']} publishes"
            f" acknowledged, {counts['refused']} refused, {counts['reads']} reads,"
            f" {counts['copies']} of them copies, {counts['unread']} not possible;"
            f" {len(self.faults)} faults", flush=True)
        self.print_faults()
        return not self.faults

    def print_faults(self):
        for fault in self.faults[:20]:
            print(f"  {fault}", flush=True)
