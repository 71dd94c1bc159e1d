"""Measures a store in a Redis Cluster against the bare server, in the same run.

    cluster.py FEEDCORE [--megabytes 200] [--publishes 100] [--followers 10]
               [--rounds 5] [--json FILE]

Starts three primaries with a replica each, and a single node, on the loopback interface. Measures:

    push       bytes a second of an ingest, without the time of a local ingest of the same file,
               against `redis-benchmark SET` of values of the size of a block
    seal       server time of the seal pass and the publish, as a share of the primaries' processor
               time during the push
    pull       bytes a second of a new host's copy, against `redis-benchmark GET`
    disk       the same copy against writing as many bytes to a file and syncing it
    processor  processor time of a push in three primaries without replicas, against one node
    look-up    time of a look-up over RESP in a near store, against a plain store with the feed
    latency    from the first read of a published row until a follower's store has it
    followers  from the first read of a published row until the last of several followers has it
    memory     anonymous memory of a follower after it copied the large feed

Rates are medians of the rounds. Needs redis-server and redis-benchmark.
"""

import argparse
import json
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "Tests" / "cluster"))
from redis_cluster import RedisCluster, free_ports, wait_until  # noqa: E402

BLOCK = 65_520


class Site:
    """A cluster, a single node, and the stores of hosts."""

    def __init__(self, program, directory):
        self.program = program
        self.directory = pathlib.Path(directory)
        (self.directory / "nodes").mkdir()
        self.cluster = RedisCluster(self.directory / "nodes")
        self.port = free_ports(1)[0]
        self.node = subprocess.Popen(
            ["redis-server", "--port", str(self.port), "--save", "", "--appendonly", "no"],
            stdout=subprocess.DEVNULL)
        wait_until(lambda: self.cluster.ask(self.port, "PING") == "PONG")

    def close(self):
        self.cluster.close()
        self.node.kill()
        self.node.wait()

    def near(self, host):
        return self.directory / f"near-{host}"

    def url(self, host, wait=1):
        return f"redis-cluster://{self.cluster.seeds}?near={self.near(host)}&wait={wait}"

    def node_url(self, host):
        return f"redis://127.0.0.1:{self.port}?near={self.near(host)}"

    def run(self, store, *words):
        start = time.monotonic()
        run = subprocess.run(
            [self.program, *map(str, words), "--store", str(store)], capture_output=True, text=True)
        if run.returncode != 0:
            raise RuntimeError(f"{words[0]}: {run.stderr}")
        return time.monotonic() - start, run.stdout

    def flush(self):
        for port in [*self.cluster.primaries(), self.port]:
            self.cluster.require(port, "FLUSHALL")
        wait_until(self.cluster.is_sound)

    def server_seconds(self, ports, *names):
        """The processor time of the named commands, or of all commands."""
        total = 0
        for port in ports:
            text = self.cluster.ask(port, "INFO", "commandstats")
            for name, usec in re.findall(r"cmdstat_(\w+)[^:]*:calls=\d+,usec=(\d+)", text):
                if not names or name in names:
                    total += int(usec)
        return total / 1e6

    def processor_seconds(self, ports):
        """The processor time that the nodes used so far."""
        found = [
            re.findall(r"used_cpu_(?:sys|user):([\d.]+)", self.cluster.ask(port, "INFO", "cpu"))
            for port in ports]
        return sum(float(seconds) for node in found for seconds in node)

    def reset(self):
        for port in [*self.cluster.ports, self.port]:
            self.cluster.require(port, "CONFIG", "RESETSTAT")


def benchmark(site, command, count, names):
    """Bytes a second of redis-benchmark on the cluster, with random keys out of `names`."""
    run = subprocess.run(
        ["redis-benchmark", "-h", "127.0.0.1", "-p", str(site.cluster.ports[0]), "--cluster",
         "-t", command, "-d", str(BLOCK), "-n", str(count), "-r", str(names), "-P", "16",
         "-c", "3", "--csv"], capture_output=True, text=True, check=True)
    rates = re.findall(rf'^"{command.upper()}[^"]*","([\d.]+)"', run.stdout, re.M)
    return float(rates[0]) * BLOCK


def push(site, dump, rounds):
    """The rates of pushes and pulls, and the share of the seal."""
    results = {"push": [], "set": [], "pull": [], "get": [], "disk": [], "seal": []}
    for number in range(rounds):
        site.flush()
        local, _ = site.run(site.directory / f"local-{number}", "ingest", dump, "--feed", "big")
        ports = site.cluster.primaries()
        site.reset()
        before = site.processor_seconds(ports)
        shared, _ = site.run(site.url(f"w{number}"), "ingest", dump, "--feed", "big")
        used = site.processor_seconds(ports) - before
        # Redis counts the time of a script as `eval`, so commands in it are not added.
        results["seal"].append(site.server_seconds(ports, "eval", "hset", "hdel") / used)
        feeds = json.loads(site.run(site.url(f"w{number}"), "feeds", "--json")[1])
        size = feeds[0]["bytes"]
        results["push"].append(size / max(shared - local, 1e-3))
        first, _ = site.run(site.url(f"r{number}"), "show", "big", "--limit", 1)
        again, _ = site.run(site.url(f"r{number}"), "show", "big", "--limit", 1)
        results["pull"].append(size / max(first - again, 1e-3))
        results["disk"].append(size / write_and_sync(site.directory / "written", size))
        site.flush()
        count = size // BLOCK
        # redis-benchmark measures time in steps of 250 ms, so it gets more requests. Like the blocks
        # of a store, each value has its own key.
        results["set"].append(benchmark(site, "set", 8 * count, 10**9))
        site.flush()
        # After this, most keys have a value.
        benchmark(site, "set", 4 * count, count)
        results["get"].append(benchmark(site, "get", 32 * count, count))
    return {name: statistics.median(values) for name, values in results.items()}


def write_and_sync(path, size):
    start = time.monotonic()
    with open(path, "wb") as file:
        chunk = bytes(4 << 20)
        for _ in range(size // len(chunk)):
            file.write(chunk)
        file.flush()
        os.fdatasync(file.fileno())
    seconds = time.monotonic() - start
    path.unlink()
    return seconds


def processor(site, dump, rounds):
    """The processor time of a push to three primaries without replicas, over that to one node."""
    directory = site.directory / "three"
    directory.mkdir()
    three = RedisCluster(directory, replicas=0)
    ratios = []
    try:
        for number in range(rounds):
            used = []
            for ports, store in [
                    (three.ports, f"redis-cluster://{three.seeds}?near={site.near(f'c{number}')}"
                                  "&wait=0"),
                    ([site.port], site.node_url(f"n{number}"))]:
                for port in ports:
                    three.require(port, "FLUSHALL")
                before = site.processor_seconds(ports)
                site.run(store, "ingest", dump, "--feed", "big")
                used.append(site.processor_seconds(ports) - before)
            ratios.append(used[0] / used[1])
    finally:
        three.close()
    return statistics.median(ratios)


class Server:
    """`feedcore serve` over RESP."""

    def __init__(self, site, store):
        ports = free_ports(2)
        self.port = ports[0]
        self.process = subprocess.Popen(
            [site.program, "serve", "--store", str(store), "--resp", f"127.0.0.1:{ports[0]}",
             "--http", f"127.0.0.1:{ports[1]}"], stdout=subprocess.PIPE)
        while b"RESP" not in (line := self.process.stdout.readline()):
            if not line:
                raise RuntimeError("the server has ended")

    def rate(self, key):
        """The requests a second."""
        run = subprocess.run(
            ["redis-benchmark", "-h", "127.0.0.1", "-p", str(self.port), "-n", "100000", "-c", "4",
             "--csv", "GET", key], capture_output=True, text=True, check=True)
        return float(run.stdout.splitlines()[-1].rsplit('","', 7)[1])

    def close(self):
        self.process.terminate()
        self.process.wait()


def look_ups(site, dump, rounds):
    """The time of a look-up in a near store over that in a plain one."""
    plain = site.directory / "plain"
    site.run(plain, "ingest", dump, "--feed", "big")
    record = json.loads(site.run(plain, "get", "big", "--at", 500, "--json")[1])
    key = f"feed:big:item:{(record[0] if isinstance(record, list) else record)['name']}"
    servers = [Server(site, store) for store in (site.url("writer"), plain)]
    try:
        rates = [[server.rate(key) for server in servers] for _ in range(rounds)]
    finally:
        for server in servers:
            server.close()
    return statistics.median(plain / near for near, plain in rates)


class RowWatch:
    """Records the time when the row of a feed changes."""

    def __init__(self, site, feed):
        self.cluster, self.key = site.cluster, f"fc:{{{feed}}}:cur"
        self.port, _ = site.cluster.shard(self.key)
        self.state = self.read()
        self.time = None
        self.thread = threading.Thread(target=self.watch)
        self.thread.start()

    def read(self):
        return self.cluster.ask(self.port, "GETRANGE", self.key, 0, 15)

    def watch(self):
        while self.read() == self.state:
            time.sleep(0.001)
        self.time = time.monotonic()

    def wait(self):
        self.thread.join()
        return self.time


class Follower:
    """A follower process, and the times when it copied a feed."""

    def __init__(self, site, host):
        self.times = []
        self.process = subprocess.Popen(
            [site.program, "store", "follow", "--store", site.url(host)],
            stderr=subprocess.PIPE, text=True)
        self.thread = threading.Thread(target=self.read)
        self.thread.start()

    def read(self):
        for line in self.process.stderr:
            if line.endswith(": copied\n"):
                self.times.append(time.monotonic())

    def anonymous_bytes(self):
        text = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(r"RssAnon:\s+(\d+)", text)[1]) << 10

    def close(self):
        self.process.terminate()
        self.process.wait()
        self.thread.join()


def latencies(site, followers, publishes):
    """For each publish, the sorted seconds from the new row until each follower has it."""
    found = []
    path = site.directory / "small.json"
    for number in range(publishes):
        counts = [len(each.times) for each in followers]
        path.write_text("".join(f'{{"id":{index},"n":{number}}}\n' for index in range(100)))
        watch = RowWatch(site, "small")
        site.run(site.url("writer"), "ingest", path, "--feed", "small", "--quiet")
        end = watch.wait()
        wait_until(
            lambda: all(len(each.times) > count for each, count in zip(followers, counts)), 60,
            "the followers")
        # A follower may have the feed before this script sees the row.
        found.append(sorted(max(each.times[-1] - end, 0) for each in followers))
    return found


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--megabytes", type=int, default=200)
    parser.add_argument("--publishes", type=int, default=100)
    parser.add_argument("--followers", type=int, default=10)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--json")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as directory:
        site = Site(os.path.abspath(arguments.program), directory)
        followers = []
        try:
            dump = site.directory / "dump.json"
            with open(dump, "wb") as file:
                subprocess.run(
                    [site.program, "sample", "--kind", "universities", "--format", "ndjson",
                     "--records", str(arguments.megabytes * 5_000)], stdout=file, check=True)
            result = push(site, dump, arguments.rounds)
            result["processor"] = processor(site, dump, arguments.rounds)
            site.flush()
            site.run(site.url("writer"), "ingest", dump, "--feed", "big")
            followers.append(Follower(site, "f0"))
            wait_until(lambda: followers[0].times, 120, "the copy of the large feed")
            result["memory"] = followers[0].anonymous_bytes()
            result["look-up"] = look_ups(site, dump, arguments.rounds)
            site.run(site.url("writer"), "delete", "big")
            single = [each[0] for each in latencies(site, followers, arguments.publishes)]
            single.sort()
            result["latency"] = [statistics.median(single), single[int(len(single) * 0.99) - 1]]
            followers += [Follower(site, f"f{n}") for n in range(1, arguments.followers)]
            wait_until(lambda: all(each.times for each in followers), 60, "the followers")
            last = [each[-1] for each in latencies(site, followers, 20)]
            result["followers"] = [statistics.median(last), max(last)]
        finally:
            for each in followers:
                each.close()
            site.close()
    report(result, arguments)


def report(result, arguments):
    rows = [
        ("push", result["push"] / result["set"], "of redis-benchmark SET"),
        ("seal", result["seal"], "of the primaries' processor time of the push"),
        ("pull", result["pull"] / result["get"], "of redis-benchmark GET"),
        ("disk", result["pull"] / result["disk"], "of a write and sync"),
        ("processor", result["processor"], "of one node"),
        ("look-up", result["look-up"], "of one in a plain store"),
        ("latency", 1e3 * result["latency"][0], f"ms; p99 {1e3 * result['latency'][1]:.1f} ms"),
        ("followers", 1e3 * result["followers"][0],
         f"ms until the last of {arguments.followers}; at most {1e3 * result['followers'][1]:.1f}"),
        ("memory", result["memory"] / 1e6, "MB of a follower"),
    ]
    for name, value, unit in rows:
        print(f"{name:10} {value:8.2f} {unit}")
    if arguments.json:
        pathlib.Path(arguments.json).write_text(json.dumps(result, indent=1))


if __name__ == "__main__":
    main()
