"""Memory that is full, data that is lost, and primaries without replicas."""

import itertools
import random
import time

from failures import cluster_run
from feed_run import FEED, ROW
from redis_cluster import wait_until

# The statuses of a refused publish while the memory is full.
FULL = {74, 75}


def used_memory(cluster, port):
    lines = cluster.require(port, "INFO", "memory").splitlines()
    return int(next(line for line in lines if line.startswith("used_memory:")).split(":")[1])


# Full memory


def fill(run, least, most):
    """Publishes while each primary has a limited room. Returns whether the publish was refused."""
    cluster = run.cluster
    for port in cluster.primaries():
        limit = max(used_memory(cluster, port) + random.randint(least, most), 1)
        cluster.require(port, "CONFIG", "SET", "maxmemory", limit)
    is_refused = run.publish(allowed=FULL) is None
    # Reading needs no memory of the cluster, and an unpublished feed replaces nothing.
    run.read("a", run.last)
    run.read_fresh()
    cluster.configure("maxmemory", 0)
    run.require_publish()
    run.last = run.read("a", run.last)
    return is_refused


def refuse_row(run):
    """The cluster takes all blocks of a publish, and refuses the row."""
    for port in run.cluster.ports:
        run.cluster.require(
            port, "ACL", "SETUSER", "default", "resetkeys", "%R~fc:*", "~fcb:*", "~fco:*")
    run.publish(allowed={74})
    run.read_fresh()
    for port in run.cluster.ports:
        run.cluster.require(port, "ACL", "SETUSER", "default", "allkeys")
    run.require_publish()


def refuse_allkeys(run):
    """Commands refuse a cluster that may evict published blocks."""
    run.cluster.configure("maxmemory-policy", "allkeys-lru")
    path = run.payload(0)
    for words in (["ingest", str(path), "--feed", FEED], ["export", FEED]):
        refused = run.command(*words, store=run.url("a"))
        if refused.returncode != 64 or b"allkeys-lru" not in refused.error:
            run.fault(f"{words[0]} with allkeys-lru", refused)


def evict(run, tags):
    """Lets the cluster evict blocks of a feed. Returns whether it has kept the row.

    `tags` are the hash tags of keys that the primaries have.
    """
    cluster = run.cluster
    prefix = f"p{next(run.fresh)}"
    parameters = {"prefix": f"/{prefix}", "eviction": "unsafe"}
    run.require_publish(f"{prefix}-writer", **parameters)
    keys = [f"{prefix}:{{store}}", f"{prefix}:{{{FEED}}}:cur"]
    blocks = sum(len(cluster.keys(port, f"{prefix}b:*")) for port in cluster.primaries())
    for port in cluster.primaries():
        cluster.require(port, "CONFIG", "SET", "maxmemory", used_memory(cluster, port))

    def is_evicted():
        for port, tag in tags.items():
            cluster.ask_all(port, [
                ("SET", f"filler:{{{tag}}}:{next(run.fresh)}", "x" * 10_000) for _ in range(20)])
        left = sum(len(cluster.keys(port, f"{prefix}b:*")) for port in cluster.primaries())
        return left < blocks

    wait_until(is_evicted, what="an eviction")
    has_row = all(cluster.require(cluster.shard(key)[0], "EXISTS", key) for key in keys)
    host = f"{prefix}-reader"
    reading = run.command("export", FEED, store=run.url(host, **parameters))
    # Without the row or the identifier of the store there is no feed.
    expected = {74} if has_row else {74, 66}
    if reading.returncode not in expected or reading.out:
        run.fault(f"export of an evicted feed, of {len(reading.out)} bytes,", reading)
    elif reading.returncode == 74 and FEED not in reading.error.decode():
        run.fault("export of an evicted feed without its name", reading)
    cluster.configure("maxmemory", 0)
    for port in cluster.primaries():
        cluster.require(port, "FLUSHALL")
    return has_row


def tags_of_primaries(cluster):
    tags = {}
    for tag in map(str, itertools.count()):
        tags.setdefault(cluster.shard(tag)[0], tag)
        if len(tags) == len(cluster.primaries()):
            return tags


def memory(options):
    start = time.monotonic()
    count = options.count(6, 60)
    evicted = 0
    # About 1.5 MB on each primary.
    with cluster_run(options, padding=1500) as run:
        for policy, least, most in [
            ("noeviction", 0, 3_000_000),
            # Replaced blocks and unpublished ones make room.
            ("volatile-lfu", -2_000_000, 1_000_000),
        ]:
            run.cluster.configure("maxmemory-policy", policy)
            run.require_publish()
            if not fill(run, -1_000_000_000, -1_000_000_000):
                run.faults.append(f"a publish without memory was acknowledged with {policy}")
            for _ in range(count):
                fill(run, least, most)
        refuse_row(run)
        run.conclude()
        refuse_allkeys(run)
        for port in run.cluster.primaries():
            run.cluster.require(port, "FLUSHALL")
        tags = tags_of_primaries(run.cluster)
        while evicted < options.count(1, 5):
            evicted += evict(run, tags)
        return run.report(
            "memory", f"{2 * count + 2} limits, {evicted} evicted feeds", start)


# Lost data


def repair(run, host):
    """Publishes the copy of a host again."""
    repaired = run.command("store", "repair", FEED, store=run.url(host))
    if repaired.returncode != 0 or b"published again" not in repaired.out:
        run.fault(f"store repair on {host} after a loss", repaired)
    run.read_fresh()
    run.check_owners()


def flush_all(run, repairs=False):
    """Removes everything from the cluster. Hosts keep what they have, and say that it is a copy."""
    cluster = run.cluster
    before = run.acknowledged
    for port in cluster.primaries():
        cluster.require(port, "FLUSHALL")
    for host in ("a", "b"):
        near = run.directory / f"near-{host}"
        reading = run.command("export", FEED, store=run.url(host))
        if not reading.error:
            run.fault(f"export on {host} after a flush, without a report,", reading)
        elif reading.returncode not in (0, 66, 69, 74):
            run.fault(f"export on {host} after a flush", reading)
        if run.read(host, before, store=near) != before:
            run.faults.append(f"{host} has lost its copy of {before}")
        hosts_feeds = run.command("feeds", store=run.url(host))
        if not hosts_feeds.error and FEED not in hosts_feeds.out.decode():
            run.fault(f"feeds on {host} after a flush, without a report,", hosts_feeds)
    if repairs:
        repair(run, "a")
    run.require_publish()
    generation = run.generation()
    if generation <= run.row:
        run.faults.append(f"the generation {generation} follows {run.row}")
    run.row = generation
    for host in ("a", "b"):
        if run.read(host, before, allowed=()) <= before:
            run.faults.append(f"{host} does not see the publish after a flush")
    run.read_fresh()


def flush_row(run, repairs=False):
    """Removes only the row, as a failover that loses writes can."""
    primary, _ = run.cluster.shard(ROW)
    run.cluster.require(primary, "DEL", ROW)
    before = run.acknowledged
    for host in ("a", "b"):
        if run.read(host, before, allowed=()) != before:
            run.faults.append(f"{host} has lost its copy of {before}")
    if repairs:
        repair(run, "b")
    run.require_publish()
    run.check_owners()
    for host in ("a", "b"):
        run.read(host, before, allowed=())
    run.row = run.generation()


def flush(options):
    start = time.monotonic()
    count = options.count(2, 20)
    with cluster_run(options) as run:
        run.require_publish()
        run.row = run.generation()
        for number, step in enumerate([*[flush_row] * count, *[flush_all] * count]):
            for host in ("a", "b"):
                run.read(host, allowed=())
            # Every other loss is repaired before the next publish.
            step(run, repairs=number % 2 == 1)
            # Steps after a fault verify nothing.
            if run.faults:
                break
        run.conclude()
        return run.report("flush", f"{count} clusters and {count} rows lost", start)


# No replicas


def alone(options):
    start = time.monotonic()
    count = options.count(2, 10)
    with cluster_run(options, replicas=0) as run:
        nodes = [f"127.0.0.1:{port}".encode() for port in run.cluster.ports]
        last = 0
        for _ in range(count):
            number = next(run.numbers)
            refused = run.ingest("writer", number)
            if run.note(refused, number, {75}) is not None:
                run.faults.append("a publish was acknowledged without a replica")
            elif not any(node in refused.error for node in nodes):
                run.fault("ingest that names no node", refused)
            run.require_publish(wait=0)
            last = run.read("a", last, allowed=())
            run.read_fresh()
        run.conclude(wait=0)
        return run.report("alone", f"{count} publishes without replicas", start)


CASES = {"memory": memory, "flush": flush, "alone": alone}
