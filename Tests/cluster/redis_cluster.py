"""A Redis Cluster of 3 primaries and 3 replicas on the loopback interface, whose nodes can be killed."""

import os
import pathlib
import signal
import socket
import subprocess
import time


def free_ports(count):
    """Ports that no process has, each with a free port for the bus of the cluster."""
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


def wait_until(condition, seconds=60, what="the cluster"):
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            raise TimeoutError(f"{what}: not in time")
        time.sleep(0.05)


class RedisCluster:
    def __init__(self, directory, arguments=()):
        self.directory = pathlib.Path(directory)
        ports = free_ports(12)
        self.ports = ports[:6]
        self.buses = dict(zip(self.ports, ports[6:]))
        self.arguments = list(arguments)
        self.processes = {}
        try:
            for port in self.ports:
                self.start(port)
            for port in self.ports:
                wait_until(lambda: self.ask(port, "PING") == "PONG")
            self.create()
            wait_until(self.is_sound)
        except BaseException:
            self.close()
            raise

    def start(self, port):
        own = self.directory / str(port)
        own.mkdir(exist_ok=True)
        self.processes[port] = subprocess.Popen(
            ["redis-server", "--port", str(port), "--bind", "127.0.0.1", "--dir", str(own),
             "--cluster-enabled", "yes", "--cluster-port", str(self.buses[port]),
             "--cluster-node-timeout", "1000", "--save", "", "--appendonly", "no",
             "--repl-diskless-sync-delay", "0", *self.arguments],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def ask(self, port, *words):
        """The reply of one node; empty if it does not reply."""
        run = subprocess.run(
            ["timeout", "2", "redis-cli", "-p", str(port), *map(str, words)], capture_output=True,
            text=True)
        return run.stdout.strip() if run.returncode == 0 else ""

    def create(self):
        first, *others = self.ports
        for index, port in enumerate(self.ports[:3]):
            start, end = index * 5462, min((index + 1) * 5462, 16384) - 1
            self.ask(port, "CLUSTER", "ADDSLOTSRANGE", start, end)
            self.ask(port, "CLUSTER", "SET-CONFIG-EPOCH", index + 1)
        for port in others:
            self.ask(port, "CLUSTER", "MEET", "127.0.0.1", first, self.buses[first])
        wait_until(lambda: all(
            len(self.ask(port, "CLUSTER", "NODES").splitlines()) == 6 for port in self.ports))
        names = {port: self.ask(port, "CLUSTER", "MYID") for port in self.ports}
        for primary, replica in zip(self.ports[:3], self.ports[3:]):
            wait_until(lambda: self.ask(replica, "CLUSTER", "REPLICATE", names[primary]) == "OK")

    def is_sound(self):
        """Whether all nodes agree, and each replica has all of its primary."""
        for port in self.ports:
            if "cluster_state:ok" not in self.ask(port, "CLUSTER", "INFO"):
                return False
            information = self.ask(port, "INFO", "replication")
            if "role:slave" in information and "master_link_status:up" not in information:
                return False
        return len(self.primaries()) == 3

    def primaries(self):
        return [port for port in self.ports if "role:master" in self.ask(port, "INFO", "replication")]

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
