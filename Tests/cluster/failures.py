"""Nodes that are killed, frozen or cut off, and slots that move, while hosts publish and read."""

import contextlib
import random
import subprocess
import tempfile
import time

from feed_run import FEED, ROW, Run
from namespaces import Network
from redis_cluster import RedisCluster, wait_until


@contextlib.contextmanager
def cluster_run(options, kind=Run, replicas=1, network=None, **records):
    """A cluster, and a run in it."""
    with tempfile.TemporaryDirectory() as directory:
        cluster = RedisCluster(directory, replicas, options.server, network)
        try:
            run = kind(options.program, directory, cluster, **records)
            try:
                yield run
            except Exception:
                run.print_faults()
                raise
            finally:
                run.close()
        finally:
            cluster.close()


# Kills


def wait_for_failover(run, victim):
    wait_until(lambda: run.cluster.is_replaced(victim), what="the replacement of a primary")


def kill_primary(run):
    """Kills a primary, at a random moment of a publish or right after one."""
    cluster = run.cluster
    victim = random.choice(cluster.primaries())
    with run.publishing if random.random() < 0.5 else contextlib.nullcontext():
        cluster.kill(victim)
        wait_for_failover(run, victim)
        run.read_fresh(allowed={69})
    cluster.start(victim)
    wait_until(cluster.is_sound)


def freeze_primary(run):
    """Freezes a primary until it is replaced. It then replies to what it has received before."""
    cluster = run.cluster
    victim = random.choice(cluster.primaries())
    run.is_divided = True
    cluster.freeze(victim)
    try:
        wait_for_failover(run, victim)
    finally:
        cluster.thaw(victim)
    wait_until(cluster.is_sound)
    run.is_divided = False
    run.read_fresh(allowed={69})


def kill_ahead_of_replicas(run):
    """Kills the primary of the row while its replicas lack what it has confirmed."""
    cluster = run.cluster
    with run.publishing:
        primary, replicas = cluster.shard(ROW)
        number = next(run.numbers)
        # Its blocks take some time.
        writing = run.ingest("writer", number, path=run.payload(number, padding=1_500))
        run.wait_for_token(primary, writing)
        for replica in replicas:
            cluster.freeze(replica)
        # Bytes in flight would still reach a replica after it is thawed.
        cluster.require(primary, "CLIENT", "KILL", "TYPE", "replica")
        with contextlib.suppress(subprocess.TimeoutExpired):
            # A publish that does not wait for replicas takes less. This one has to wait.
            writing.wait(2)
        if writing.poll() == 0:
            run.acknowledged = number
        cluster.kill(primary)
        for replica in replicas:
            cluster.thaw(replica)
        wait_for_failover(run, primary)
        run.read_fresh(allowed={69})
        cluster.start(primary)
        wait_until(cluster.is_sound)
        run.note(writing, number)
        run.read_fresh()


def kills(options):
    steps = [kill_primary] * options.kills + [freeze_primary] * options.freezes
    ahead = -(-options.kills // 10)
    steps += [kill_ahead_of_replicas] * ahead
    random.shuffle(steps)
    start = time.monotonic()
    with cluster_run(options, large=4_000) as run:
        with run.traffic():
            for step in steps:
                step(run)
                run.wait_for_publish()
        run.conclude()
        return run.report(
            "kills",
            f"{options.kills} kills, {ahead} ahead of replicas, {options.freezes} freezes", start)


# Slots that move


def slots_to_move(run, count):
    """The slots of the row and of the store, and others that have blocks."""
    cluster = run.cluster
    slots = {cluster.slot(ROW), cluster.slot("fc:{store}")}
    blocks = [key for port in cluster.primaries() for key in cluster.keys(port, "fcb:*")]
    random.shuffle(blocks)
    slots.update(cluster.slot(key) for key in blocks[:count])
    return list(slots)


def move(cluster, slots):
    """Moves slots to random primaries."""
    shards = cluster.shards(cluster.ports[0])
    primaries = cluster.primaries()
    for slot in slots:
        source = next(primary for start, end, primary, _ in shards if start <= slot <= end)
        target = random.choice([port for port in primaries if port != source])
        cluster.move_slot(slot, source, target)
    wait_until(cluster.is_sound)


def move_slot_of(run, key):
    move(run.cluster, [run.cluster.slot(key)])


def move_slots(run):
    """Moves slots to random primaries. Returns how many."""
    cluster = run.cluster
    slots = slots_to_move(run, 20)
    move(cluster, slots)
    run.read_fresh(allowed={69})
    return len(slots)


def reshard(options):
    start = time.monotonic()
    moved = 0
    with cluster_run(options, padding=1000) as run:
        with run.traffic():
            for _ in range(options.count(10, 200)):
                moved += move_slots(run)
                run.wait_for_publish()
        run.conclude()
        return run.report("reshard", f"{moved} slots moved", start)


# Partitions


def cut_off_primary(run, network):
    """Cuts a primary off from the other nodes, and in half of the cases from the other hosts too.

    A writer on the side of the primary must not publish there.
    """
    cluster = run.cluster
    primary, _ = cluster.shard(ROW)
    victim = random.choice([primary, primary, random.choice(cluster.primaries())])
    seeds = f"{cluster.host(victim)}:{victim}"
    place = network.command(victim)
    cut = random.choice([network.cut, network.cut_from_nodes])
    # Hosts that reach both sides may read what the primary has.
    run.is_divided = cut == network.cut_from_nodes
    number = next(run.numbers)
    with cut(victim):
        beside = run.ingest("beside", number, seeds=seeds, place=place)
        wait_for_failover(run, victim)
        if not run.is_divided:
            # A writer that reaches the primary would wait for its replicas, up to a minute.
            run.wait_for_publish()
        run.read_fresh(allowed={69})
        reading = run.end(run.start("export", FEED, store=run.url("beside", seeds), place=place))
        if reading.returncode not in (0, 66, 69):
            run.fault("export beside a primary that is cut off", reading)
        with contextlib.suppress(subprocess.TimeoutExpired):
            beside.wait(10)
        if beside.poll() == 0:
            run.faults.append(f"{victim} confirmed the publish {number} without a replica")
        # A writer waits a minute for nodes. After the partition it could publish its number late.
        beside.kill()
        run.end(beside)
    wait_until(cluster.is_sound)
    run.is_divided = False
    run.read_fresh(allowed={69})


def partition(options):
    start = time.monotonic()
    count = options.count(4, 60)
    # With one replica no side could publish during a partition.
    with Network() as network, cluster_run(options, network=network, replicas=2) as run:
        with run.traffic():
            for _ in range(count):
                cut_off_primary(run, network)
                run.wait_for_publish()
        run.conclude()
        return run.report("partition", f"{count} primaries cut off", start)


CASES = {"kills": kills, "reshard": reshard, "partition": partition}
