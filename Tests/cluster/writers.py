"""Processes that are killed or stopped, and hosts that publish at once or in turn."""

import contextlib
import itertools
import json
import os
import random
import signal
import statistics
import subprocess
import threading
import time

from failures import cluster_run, freeze_primary, kill_primary
from feed_run import FEED, OLD, OWNER, Run
from redis_cluster import wait_until

KILLED = -9
# The status of a writer while another one changes the feed, or has changed it.
BUSY = {75}
HOSTS = ("x", "y")


# Killed processes


def duration_of_publish(run):
    durations = []
    for _ in range(5):
        start = time.monotonic()
        run.require_publish(random.choice(HOSTS))
        durations.append(time.monotonic() - start)
    return statistics.median(durations)


def end_token(run):
    """Ends the token of a killed writer, as its time to live would."""
    primary, _ = run.cluster.shard(OWNER)
    life = run.cluster.require(primary, "PTTL", OWNER)
    if life == -1 or life > 30_000:
        run.faults.append(f"the token of a killed writer has {life} ms to live")
    run.cluster.require(primary, "DEL", OWNER)


def block_count(run):
    return sum(len(run.cluster.keys(port, "fcb:*")) for port in run.cluster.primaries())


def kill_writer(run, duration, waits):
    """Kills a writer at a random moment, or a large one when it has pushed blocks. Then another
    host publishes, or the same one."""
    number = next(run.numbers)
    before = block_count(run)
    writer = run.ingest(random.choice(HOSTS), number)
    is_pushing = False
    if run.is_large(number):
        wait_until(
            lambda: block_count(run) > before or writer.poll() is not None, what="new blocks",
            pause=0.001)
        is_pushing = writer.poll() is None
    # The moment is the subject of the case.
    time.sleep(random.random() * duration * (0.2 if is_pushing else 1))
    writer.kill()
    run.note(writer, number, allowed={KILLED})
    run.counts["killed"] += writer.returncode == KILLED
    run.counts["pushing"] += is_pushing and writer.returncode == KILLED
    run.last = run.read("a", run.last, allowed=())
    if not waits:
        end_token(run)
    number = next(run.numbers)
    run.note(
        run.ingest(random.choice(HOSTS), number, *(["--wait=60"] if waits else [])), number,
        allowed=())
    run.last = run.read("a", run.last, allowed=())
    run.read_fresh()


def kill_resumed_writer(run):
    """Kills a writer that stalls while another host publishes, and resumes in its seal pass."""
    cluster = run.cluster
    primary, replicas = cluster.shard(OLD)
    while True:
        number = next(run.numbers)
        writer = run.ingest("x", number, path=run.payload(number, padding=1_500))
        run.wait_for_token(primary, writer)
        # Replicas do not confirm its entry, so it cannot go on.
        with frozen(cluster, replicas):
            wait_until(
                lambda: sealed(cluster, primary) or writer.poll() is not None,
                what="the entry of a writer", pause=0.001)
            segment = next(iter(sealed(cluster, primary)), None)
            os.kill(writer.pid, signal.SIGSTOP)
        wait_until(cluster.is_sound)
        if segment:
            break
        # The writer was faster.
        os.kill(writer.pid, signal.SIGCONT)
        run.note(writer, number, allowed=())
    cluster.require(primary, "DEL", OWNER)
    run.require_publish("y")

    def blocks():
        return [
            key for port in cluster.primaries() for key in cluster.keys(port, f"fcb:{segment}:*")]

    if blocks():
        run.faults.append(f"the blocks of the stalled writer are still there: {blocks()[:3]}")
    with frozen(cluster, cluster.ports[3:]):
        os.kill(writer.pid, signal.SIGCONT)
        wait_until(
            lambda: blocks() or writer.poll() is not None, what="the resumed writer", pause=0.001)
        writer.kill()
    run.note(writer, number, allowed={KILLED, *BUSY})
    wait_until(cluster.is_sound)
    run.conclude()


def sealed(cluster, primary):
    """The segments that writers have sealed and not published."""
    entries = cluster.require(primary, "HGETALL", OLD)
    return [
        field for field, value in zip(entries[::2], entries[1::2]) if value.startswith("T")]


@contextlib.contextmanager
def frozen(cluster, nodes):
    for node in nodes:
        cluster.freeze(node)
    try:
        yield
    finally:
        for node in nodes:
            cluster.thaw(node)


def stop_reader(run, duration):
    """Stops a reader without a copy at a random moment, until the feed was published twice."""
    host = f"stopped-{next(run.fresh)}"
    reader = run.start("export", FEED, "--format", "ndjson", store=run.url(host))
    time.sleep(random.random() * duration)
    os.kill(reader.pid, signal.SIGSTOP)
    run.require_publish()
    run.require_publish()
    os.kill(reader.pid, signal.SIGCONT)
    run.end(reader)
    if reader.returncode != 0:
        run.fault("export that was stopped during two publishes", reader)
    else:
        run.counts["reads"] += 1
        run.content(host, [json.loads(line) for line in reader.out.splitlines()])


def duration_of_read(run):
    start = time.monotonic()
    for _ in range(3):
        run.read_fresh()
    return (time.monotonic() - start) / 3


def follow(run):
    return run.start(
        "store", "follow", store=run.url("f"), stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL)


def read_near(run, last):
    """Reads the near store of the follower, which can be out of date."""
    return run.read(
        "f", last, store=run.directory / "near-f", allowed={66}, is_strict=False)


def kill_follower(run, duration, last):
    follower = follow(run)
    time.sleep(random.random() * 2 * duration)
    if follower.poll() is not None:
        run.faults.append(f"store follow ended with {follower.returncode}")
    follower.kill()
    follower.wait()
    run.counts["followers"] += 1
    return read_near(run, last)


def conclude_following(run):
    """Checks that a follower catches up, and that killed followers have left no damage."""
    follower = follow(run)
    try:
        wait_until(
            lambda: read_near(run, run.nothing) == run.acknowledged, what="the last follower")
    finally:
        follower.terminate()
        follower.wait()
    check = run.command("store", "check", store=run.directory / "near-f")
    if check.returncode != 0:
        run.fault("store check", check)


def writers(options):
    start = time.monotonic()
    count = options.count(20, 200)
    with cluster_run(options, padding=300, large=4_000) as run:
        duration = duration_of_publish(run)
        following = threading.Thread(target=run.repeat, args=(kill_follower, run, duration))
        following.start()
        try:
            for index in range(count):
                # Without a long wait at size ci.
                kill_writer(run, duration, waits=options.size == "full" and index % 50 == 0)
            wait_until(lambda: run.counts["followers"] >= count or run.faults, 600, "the followers")
        finally:
            run.ends = True
            following.join()
        if not run.counts["pushing"]:
            run.faults.append("no writer was killed while it pushed and read")
        conclude_following(run)
        run.conclude()
        for _ in range(options.count(1, 10)):
            kill_resumed_writer(run)
        # So many blocks that reading takes some time.
        run.padding = 3_000
        run.require_publish()
        duration = duration_of_read(run)
        for _ in range(options.count(5, 50)):
            stop_reader(run, duration)
        return run.report(
            "writers",
            f"{run.counts['killed']} writers ({run.counts['pushing']} in a push) and"
            f" {run.counts['followers']} followers killed", start)


# Several writers


def drop_tokens(run, processes):
    """Removes the token of each writer while it runs, as a failover can."""
    primary, _ = run.cluster.shard(OWNER)
    dropped = 0
    while any(process.poll() is None for process in processes):
        dropped += run.cluster.require(primary, "DEL", OWNER)
    return dropped


def judge(run, published):
    """Checks that the feed is that of the latest acknowledged writer."""
    acknowledged = [each for each in published if each[0] is not None]
    if not acknowledged:
        run.faults.append(f"none of the publishes {[number for _, number in published]} is there")
        return
    generation, number = max(acknowledged)
    row = run.generation()
    if row != generation:
        run.faults.append(f"the row is {row}, and {sorted(acknowledged)} were acknowledged")
    if row <= run.row:
        run.faults.append(f"the row is {row} after {run.row}")
    run.row = row
    # The number of the later writer can be the lower one.
    run.acknowledged = number
    for seen in (run.read("a", allowed=()), run.read_fresh()):
        if seen != number:
            run.faults.append(f"a host saw {seen} instead of {number}")


def race_once(run, drops):
    numbers = [next(run.numbers) for _ in HOSTS]
    # The files exist already, so the writers begin at the same time.
    paths = [run.payload(number) for number in numbers]
    processes = [
        run.ingest(host, number, path=path) for host, number, path in zip(HOSTS, numbers, paths)]
    if drops:
        run.counts["dropped"] += drop_tokens(run, processes)
    judge(run, [
        (run.note(process, number, BUSY), number) for process, number in zip(processes, numbers)])


def stall(run):
    """A writer stalls until its token ends, and another host publishes meanwhile."""
    stalled, number = next(run.numbers), next(run.numbers)
    # A writer begins its change after the first megabyte.
    text = run.payload(stalled, padding=1_500).read_bytes()
    writer = run.start(
        "ingest", "-", "--feed", FEED, "--json", store=run.url("x"), stdin=subprocess.PIPE)
    half = len(text) // 2
    writer.stdin.write(text[:half])
    writer.stdin.flush()
    primary, _ = run.cluster.shard(OWNER)
    wait_until(lambda: run.cluster.ask(primary, "DEL", OWNER) == 1, what="the token of a writer")
    generation = run.note(run.ingest("y", number), number, allowed=())
    with contextlib.suppress(BrokenPipeError):
        writer.stdin.write(text[half:])
    late = run.note(writer, stalled, BUSY)
    if late is not None:
        run.faults.append(f"{late} was acknowledged, and {generation} was published meanwhile")
    judge(run, [(generation, number)])


def race(options):
    start = time.monotonic()
    count = options.count(12, 200)
    with cluster_run(options, padding=1_000) as run:
        run.require_publish()
        run.row = run.generation()
        reading = threading.Thread(
            target=run.repeat,
            args=(lambda last: run.read_fresh(is_strict=False),))
        reading.start()
        try:
            for index in range(count):
                race_once(run, drops=index % 2 == 1)
                if index % 6 == 0:
                    stall(run)
        finally:
            run.ends = True
            reading.join()
        run.conclude()
        return run.report(
            "race", f"{count} races, {run.counts['dropped']} tokens dropped", start)


# Appends


class AppendRun(Run):
    """A feed that has the records of each append once. Its content is the set of the appends."""

    nothing = frozenset()

    def content(self, host, records):
        identifiers = [record["id"] for record in records]
        if len(set(identifiers)) != len(identifiers):
            self.faults.append(f"{host} saw a record twice")
            return None
        counts = {}
        for record in records:
            counts[record["n"]] = counts.get(record["n"], 0) + 1
        partial = {number: count for number, count in counts.items() if count != self.records}
        if partial:
            self.faults.append(f"{host} saw a part of the appends {partial}")
            return None
        return frozenset(counts)

    def joined(self, one, other):
        return one | other

    def is_behind(self, one, other):
        return not other <= one

    def published(self, number):
        return frozenset({number})

    def append(self):
        """Appends on one host, and retries on the other one if the append is refused."""
        with self.publishing:
            number = next(self.numbers)
            hosts = itertools.cycle(random.sample(HOSTS, 2))
            for host in itertools.islice(hosts, random.randint(1, 4)):
                path = self.payload(number, first=number * self.records)
                if self.note(self.ingest(host, number, "--append", path=path), number) is not None:
                    break


def appends(options):
    start = time.monotonic()
    steps = [kill_primary] * options.count(4, 60) + [freeze_primary] * options.count(1, 15)
    random.shuffle(steps)
    with cluster_run(options, AppendRun, records=100) as run:
        with run.traffic(run.append):
            for step in steps:
                step(run)
                run.wait_for_publish()
        wait_until(run.cluster.is_sound)
        run.cluster.let_time_pass()
        run.read_fresh()
        # A feed without appends shows which blocks have no owner.
        plain = Run(run.program, run.directory, run.cluster)
        plain.conclude()
        run.faults += plain.faults
        return run.report("appends", f"{len(steps)} primaries killed or frozen", start)


CASES = {"writers": writers, "race": race, "appends": appends}
