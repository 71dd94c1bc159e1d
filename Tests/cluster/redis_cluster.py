"""A Redis or Valkey Cluster, whose nodes can be killed and frozen, and whose slots can be moved."""

import os
import pathlib
import random
import signal
import socket
import subprocess
import time

SLOTS = 16384


def free_ports(count):
    """Ports that no process has."""
    sockets = []
    try:
        while len(sockets) < count:
            each = socket.socket()
            each.bind(("127.0.0.1", 0))
            sockets.append(each)
        return [each.getsockname()[1] for each in sockets]
    finally:
        for each in sockets:
            each.close()


def wait_until(condition, seconds=60, what="the cluster", pause=0.05):
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            raise TimeoutError(f"{what}: not within {seconds} s")
        time.sleep(pause)


def encoded(words):
    """A command in RESP."""
    words = [word if isinstance(word, bytes) else str(word).encode() for word in words]
    return b"".join(
        [b"*%d\r\n" % len(words), *(b"$%d\r\n%s\r\n" % (len(word), word) for word in words)])


def decoded(stream):
    """A reply: a text, a number, a list or None. An error is a text that begins with a hyphen."""
    line = stream.readline()
    if not line.endswith(b"\r\n"):
        raise EOFError
    kind, text = line[:1], line[1:-2].decode("latin-1")
    if kind == b":":
        return int(text)
    if kind == b"$":
        return None if text == "-1" else stream.read(int(text) + 2)[:-2].decode("latin-1")
    if kind == b"*":
        return None if text == "-1" else [decoded(stream) for _ in range(int(text))]
    return text if kind == b"+" else f"-{text}"


class RedisCluster:
    """Three primaries with replicas. A node is known by its port.

    In a network of namespaces each node has an address of its own.
    """

    def __init__(self, directory, replicas=1, server="redis-server", network=None):
        self.directory = pathlib.Path(directory)
        self.replicas = replicas
        self.server = server
        self.network = network
        self.processes = {}
        try:
            # Another process may take a port that was free.
            for _ in range(5):
                if self.start_all(3 * (1 + replicas)):
                    break
                self.close()
            self.create()
            wait_until(self.is_sound)
        except BaseException:
            self.close()
            raise

    def start_all(self, count):
        """Starts nodes on free ports. Returns whether all listen."""
        ports = free_ports(2 * count)
        self.ports = ports[:count]
        self.buses = dict(zip(self.ports, ports[count:]))
        for port in self.ports:
            if self.network:
                self.network.add(port)
            self.start(port)

        def is_decided():
            return self.has_ended() or all(self.ask(port, "PING") == "PONG" for port in self.ports)

        wait_until(is_decided, what="the nodes to start")
        return not self.has_ended()

    def has_ended(self):
        return any(process.poll() is not None for process in self.processes.values())

    # Nodes

    def host(self, port):
        return self.network.address(port) if self.network else "127.0.0.1"

    @property
    def seeds(self):
        return ",".join(f"{self.host(port)}:{port}" for port in self.ports)

    def start(self, port):
        own = self.directory / str(port)
        own.mkdir(exist_ok=True)
        place = self.network.command(port) if self.network else []
        self.processes[port] = subprocess.Popen(
            [*place, self.server, "--port", str(port), "--bind", self.host(port), "--dir", str(own),
             "--protected-mode", "no", "--cluster-enabled", "yes",
             "--cluster-port", str(self.buses[port]), "--cluster-node-timeout", "1000",
             # A replica can replace its primary even after a long disconnection.
             "--cluster-replica-validity-factor", "0",
             # Each primary keeps its replicas.
             "--cluster-allow-replica-migration", "no",
             # A replica is listed once it has replicated something, such as a ping.
             "--repl-ping-replica-period", "1", "--repl-diskless-sync-delay", "0",
             "--save", "", "--appendonly", "no"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def create(self):
        first, *others = self.ports
        share = -(-SLOTS // 3)
        for index, port in enumerate(self.ports[:3]):
            start, end = index * share, min((index + 1) * share, SLOTS) - 1
            self.require(port, "CLUSTER", "ADDSLOTSRANGE", start, end)
            self.require(port, "CLUSTER", "SET-CONFIG-EPOCH", index + 1)

        def have_met():
            counts = [len(self.ask(port, "CLUSTER", "NODES").splitlines()) for port in self.ports]
            if set(counts) == {len(self.ports)}:
                return True
            # Nodes forget a handshake that takes longer than the timeout of a node.
            for port in others:
                self.require(port, "CLUSTER", "MEET", self.host(first), first, self.buses[first])
            return False

        wait_until(have_met, pause=0.5)
        names = {port: self.name(port) for port in self.ports}
        for place, replica in enumerate(self.ports[3:]):
            primary = names[self.ports[place % 3]]
            wait_until(lambda: self.ask(replica, "CLUSTER", "REPLICATE", primary) == "OK")

    def kill(self, port):
        self.processes[port].kill()
        self.processes[port].wait()

    def freeze(self, port):
        os.kill(self.processes[port].pid, signal.SIGSTOP)

    def thaw(self, port):
        os.kill(self.processes[port].pid, signal.SIGCONT)

    def close(self):
        for process in self.processes.values():
            process.kill()
            process.wait()
        self.processes.clear()

    # Commands

    def ask_all(self, port, commands, seconds=10):
        """The replies of one node."""
        with socket.create_connection((self.host(port), port), seconds) as connection:
            connection.settimeout(seconds)
            connection.sendall(b"".join(map(encoded, commands)))
            stream = connection.makefile("rb")
            return [decoded(stream) for _ in commands]

    def ask(self, port, *words):
        """The reply of one node; empty if it does not reply."""
        try:
            return self.ask_all(port, [words], seconds=2)[0]
        except (OSError, EOFError):
            return ""

    def require(self, port, *words):
        """The reply to a command that has to succeed."""
        reply = self.ask_all(port, [words])[0]
        if isinstance(reply, str) and reply.startswith("-"):
            raise RuntimeError(f"{port}: {' '.join(map(str, words))[:80]}: {reply}")
        return reply

    def configure(self, name, value):
        """Sets a parameter of all nodes."""
        for port in self.ports:
            self.require(port, "CONFIG", "SET", name, value)

    def name(self, port):
        return self.ask(port, "CLUSTER", "MYID")

    def keys(self, port, pattern):
        found, cursor = set(), "0"
        while True:
            cursor, keys = self.require(port, "SCAN", cursor, "MATCH", pattern, "COUNT", 1000)
            found.update(keys)
            if cursor == "0":
                return sorted(found)

    # The state of the cluster

    def shards(self, port):
        """The ranges of slots, each with its primary and its replicas, as a node sees them."""
        reply = self.ask(port, "CLUSTER", "SLOTS")
        if not isinstance(reply, list):
            return []
        return sorted(
            (start, end, nodes[0][1], tuple(sorted(node[1] for node in nodes[1:])))
            for start, end, *nodes in reply)

    def is_sound(self):
        """Whether all nodes agree, and each replica is in sync with its primary."""
        shards = self.shards(self.ports[0])
        if sum(end - start + 1 for start, end, _, _ in shards) != SLOTS:
            return False
        if any(len(replicas) != self.replicas for *_, replicas in shards):
            return False
        for port in self.ports:
            if self.shards(port) != shards:
                return False
            information = self.ask(port, "INFO", "replication")
            if "role:slave" in information and "master_link_status:up" not in information:
                return False
            if "cluster_state:ok" not in self.ask(port, "CLUSTER", "INFO"):
                return False
        return True

    def is_agreed(self):
        """Whether all nodes see the same owners of slots, with the same epochs."""
        def owners(port):
            nodes = map(str.split, self.ask(port, "CLUSTER", "NODES").splitlines())
            return sorted((node[0], node[6], *node[8:]) for node in nodes)

        first, *others = map(owners, self.ports)
        return all(other == first for other in others)

    def primaries(self):
        return sorted({primary for _, _, primary, _ in self.shards(self.ports[0])})

    def slot(self, key):
        return self.ask(self.ports[0], "CLUSTER", "KEYSLOT", key)

    def shard(self, key):
        """The primary and the replicas of a key."""
        slot = self.slot(key)
        for start, end, primary, replicas in self.shards(self.ports[0]):
            if start <= slot <= end:
                return primary, replicas
        raise RuntimeError(f"no node has the slot {slot}")

    def is_replaced(self, victim):
        """Whether the other nodes serve all slots."""
        for port in self.ports:
            if port == victim:
                continue
            shards = self.shards(port)
            if sum(end - start + 1 for start, end, _, _ in shards) != SLOTS:
                return False
            if any(primary == victim for _, _, primary, _ in shards):
                return False
            if "cluster_state:ok" not in self.ask(port, "CLUSTER", "INFO"):
                return False
        return True

    # Changes

    def move_slot(self, slot, source, target):
        """Moves a slot as `redis-cli --cluster reshard` does.

        The keys move one by one, so a command may find only some of the keys that it needs.
        """
        names = {port: self.name(port) for port in (source, target)}
        self.require(target, "CLUSTER", "SETSLOT", slot, "IMPORTING", names[source])
        self.require(source, "CLUSTER", "SETSLOT", slot, "MIGRATING", names[target])
        while keys := self.require(source, "CLUSTER", "GETKEYSINSLOT", slot, 100):
            random.shuffle(keys)
            for key in keys:
                self.require(source, "MIGRATE", self.host(target), target, key, 0, 2000)
        # The target first: otherwise the source would redirect to a node that redirects back.
        for port in (target, source, *(set(self.primaries()) - {source, target})):
            self.require(port, "CLUSTER", "SETSLOT", slot, "NODE", names[target])
        # The target has taken an epoch without a vote. A next target that has not heard of it could
        # take a lower one, and then no node would believe that it owns its slot.
        wait_until(self.is_agreed)

    def let_time_pass(self):
        """Removes all keys with a time to live, as time would."""
        for port in self.primaries():
            keys = self.keys(port, "*")
            lives = self.ask_all(port, [("PTTL", key) for key in keys])
            self.ask_all(port, [("DEL", key) for key, life in zip(keys, lives) if life >= 0])
