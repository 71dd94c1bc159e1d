"""A network of namespaces on one host, in which a node can be cut off. Needs Linux.

The process that makes the network is in a namespace of its own. Nothing of the host changes, and
the network ends with its processes.
"""

import contextlib
import os
import subprocess
import sys

from redis_cluster import wait_until

INSIDE = "FEEDCORE_TORTURE_NETWORK"


def is_inside():
    return INSIDE in os.environ


def run_inside(*arguments):
    """Runs this program again in a network of its own. Returns its status."""
    # A user other than root is root of a namespace of users, where the host permits that.
    user = ["--map-root-user"] if os.geteuid() != 0 else []
    return subprocess.run(
        ["unshare", *user, "--net", sys.executable, sys.argv[0], *arguments],
        env=dict(os.environ, **{INSIDE: "yes"})).returncode


def namespace(process):
    return os.readlink(f"/proc/{process}/ns/net")


def ip(*words, place=()):
    subprocess.run([*place, "ip", *map(str, words)], check=True)


class Network:
    """A bridge with one namespace for each node. The hosts are beside the bridge."""

    def __init__(self):
        self.holders = {}

    def __enter__(self):
        ip("link", "set", "lo", "up")
        ip("link", "add", "hosts", "type", "bridge")
        ip("address", "add", "10.77.0.254/24", "dev", "hosts")
        ip("link", "set", "hosts", "up")
        return self

    def __exit__(self, *_):
        for holder in self.holders.values():
            holder.kill()
            holder.wait()
        ip("link", "delete", "hosts")

    def add(self, node):
        """Makes the namespace of a node, which lasts as long as a process in it."""
        holder = subprocess.Popen(["unshare", "--net", "sleep", "infinity"])
        self.holders[node] = holder
        wait_until(lambda: namespace(holder.pid) != namespace("self"), what="a namespace")
        link = self.link(node)
        ip("link", "add", link, "type", "veth", "peer", "name", "bus", "netns", holder.pid)
        ip("link", "set", link, "master", "hosts", "up")
        place = self.command(node)
        ip("link", "set", "lo", "up", place=place)
        ip("address", "add", f"{self.address(node)}/24", "dev", "bus", place=place)
        ip("link", "set", "bus", "up", place=place)

    def link(self, node):
        return f"node{list(self.holders).index(node) + 1}"

    def address(self, node):
        return f"10.77.0.{list(self.holders).index(node) + 1}"

    def command(self, node):
        """The words that run a command in the namespace of a node."""
        return ["nsenter", f"--net=/proc/{self.holders[node].pid}/ns/net"]

    @contextlib.contextmanager
    def cut(self, node):
        """Cuts a node off from everything."""
        ip("link", "set", self.link(node), "down")
        try:
            yield
        finally:
            ip("link", "set", self.link(node), "up")

    @contextlib.contextmanager
    def cut_from_nodes(self, node):
        """Cuts a node off from the other nodes. Other hosts still reach it."""
        others = [self.address(other) for other in self.holders if other != node]
        place = self.command(node)
        for address in others:
            ip("route", "add", "blackhole", f"{address}/32", place=place)
        try:
            yield
        finally:
            for address in others:
                ip("route", "delete", "blackhole", f"{address}/32", place=place)
