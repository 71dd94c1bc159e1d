"""Publishes a feed over and over while primaries of its cluster are killed and frozen.

    torture.py FEEDCORE [--kills N] [--freezes N]

Readers on another host must see complete generations whose numbers never fall, and every publish that
was acknowledged. At the end each block without a time to live must have an owner. Prints one line, and
ends with 1 if a rule was broken.
"""

import argparse
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import threading
import time

from redis_cluster import RedisCluster, wait_until

RECORDS = 3000
# What a command may end with while nodes are away: nothing published, or no node reached.
AWAY = {69, 75}


class Run:
    def __init__(self, program, directory, cluster):
        self.program = program
        self.directory = directory
        self.cluster = cluster
        self.acknowledged = 0
        self.published = 0
        self.refused = 0
        self.reads = 0
        self.unread = 0
        self.faults = []
        self.ends = False

    def command(self, host, *words):
        seeds = ",".join(f"127.0.0.1:{port}" for port in self.cluster.ports)
        near = self.directory / f"near-{host}"
        environment = dict(os.environ, FEEDCORE_STORE=f"redis-cluster://{seeds}?near={near}")
        try:
            return subprocess.run(
                [self.program, *words], env=environment, capture_output=True, timeout=120)
        except subprocess.TimeoutExpired:
            self.faults.append(f"{words[0]} did not end within 120 s")
            return None

    def write(self):
        number = 0
        path = self.directory / "events.json"
        while not self.ends:
            number += 1
            path.write_text("".join(
                json.dumps({"id": index, "n": number}) + "\n" for index in range(RECORDS)))
            run = self.command("writer", "ingest", str(path), "--feed", "events", "--quiet")
            if run is None:
                continue
            if run.returncode == 0:
                self.acknowledged = number
                self.published += 1
            elif run.returncode in AWAY:
                self.refused += 1
            else:
                self.faults.append(f"ingest {number} ended with {run.returncode}: {run.stderr}")

    def read(self, host):
        last = 0
        while not self.ends:
            last = self.read_once(host, last)

    def read_once(self, host, last):
        """Reads the feed and returns its number, which is not below the last one."""
        before = self.acknowledged
        run = self.command(host, "export", "events")
        if run is None:
            return last
        if run.returncode != 0:
            if run.returncode not in AWAY and before > 0:
                self.faults.append(f"export ended with {run.returncode}: {run.stderr}")
            self.unread += 1
            return last
        self.reads += 1
        numbers = [json.loads(line)["n"] for line in run.stdout.splitlines()]
        if len(numbers) != RECORDS or len(set(numbers)) != 1:
            self.faults.append(f"torn: {len(numbers)} records of {sorted(set(numbers))[:3]}")
        elif numbers[0] < last:
            self.faults.append(f"{host} saw {numbers[0]} after {last}")
        elif numbers[0] < before and b"copy of the near store" not in run.stderr:
            self.faults.append(f"{host} saw {numbers[0]}, and {before} was acknowledged")
        return max(numbers, default=last)

    def ownerless(self):
        """Blocks without a time to live that neither the row nor the list of old segments names."""
        feeds = json.loads(self.command("writer", "feeds", "--json").stdout)
        owners = {f"{feed['generation']:x}" for feed in feeds}
        found = []
        primaries = self.cluster.primaries()
        for port in primaries:
            fields = self.cluster.ask(port, "HKEYS", "fco:{events}:old").split()
            owners |= {field.split(":")[0] for field in fields}
        for port in primaries:
            for key in self.cluster.ask(port, "--scan", "--pattern", "fcb:*").split():
                if key.split(":")[1] not in owners and self.cluster.ask(port, "TTL", key) == "-1":
                    found.append(key)
        return found


def kill_primary(cluster):
    victim = random.choice(cluster.primaries())
    cluster.kill(victim)
    other = next(port for port in cluster.ports if port != victim)
    wait_until(lambda: len(set(cluster.primaries()) - {victim}) == 3, what="a failover")
    wait_until(lambda: "cluster_state:ok" in cluster.ask(other, "CLUSTER", "INFO"))
    cluster.start(victim)
    wait_until(cluster.is_sound)


def freeze_primary(cluster):
    victim = random.choice(cluster.primaries())
    others = [port for port in cluster.ports if port != victim]
    cluster.freeze(victim)

    def is_replaced():
        nodes = cluster.ask(others[0], "CLUSTER", "NODES").splitlines()
        alive = [line for line in nodes if "master" in line and "fail" not in line]
        return len(alive) == 3

    try:
        wait_until(is_replaced, what="the replacement of a frozen primary")
    finally:
        cluster.thaw(victim)
    wait_until(cluster.is_sound)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--kills", type=int, default=10)
    parser.add_argument("--freezes", type=int, default=3)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as directory:
        directory = pathlib.Path(directory)
        cluster = RedisCluster(directory)
        try:
            return torture(arguments, Run(os.path.abspath(arguments.program), directory, cluster))
        finally:
            cluster.close()


def torture(arguments, run):
    threads = [threading.Thread(target=run.write)]
    threads += [threading.Thread(target=run.read, args=(host,)) for host in ("a", "b")]
    for thread in threads:
        thread.start()
    start = time.monotonic()
    try:
        wait_until(lambda: run.published > 0, what="the first publish")
        steps = [kill_primary] * arguments.kills + [freeze_primary] * arguments.freezes
        random.shuffle(steps)
        for step in steps:
            before = run.published
            step(run.cluster)
            wait_until(lambda: run.published > before, 120, "a publish after a failure")
    except TimeoutError as error:
        run.faults.append(str(error))
    finally:
        run.ends = True
        for thread in threads:
            thread.join()
    run.read_once("c", run.acknowledged)
    ownerless = run.ownerless()
    if ownerless:
        run.faults.append(f"{len(ownerless)} blocks without an owner: {ownerless[:3]}")
    print(
        f"{arguments.kills} kills, {arguments.freezes} freezes in {time.monotonic() - start:.0f} s:"
        f" {run.published} publishes acknowledged, {run.refused} refused, {run.reads} reads,"
        f" {run.unread} not possible; {len(run.faults)} faults")
    for fault in run.faults[:20]:
        print(fault, file=sys.stderr)
    return 1 if run.faults or not run.reads else 0


if __name__ == "__main__":
    sys.exit(main())
