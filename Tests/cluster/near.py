"""A server whose near store has room for some of the feeds, and copies the others on request."""

import concurrent.futures
import json
import re
import socket
import time
import urllib.error
import urllib.request

from failures import cluster_run
from redis_cluster import decoded, encoded, wait_until

FEEDS = ["a", "b", "c", "d"]
RECORDS = 2_000


class Server:
    """`feedcore serve` with a near store of a limited size."""

    def __init__(self, run, cap):
        self.store = run.url("server", **{"near-cap": cap})
        log = open(run.directory / "server.log", "wb")
        self.process = run.start(
            "serve", "--http", "127.0.0.1:0", "--resp", "127.0.0.1:0", store=self.store, stderr=log)
        self.addresses = {}
        while len(self.addresses) < 2:
            line = self.process.stdout.readline().decode()
            found = re.search(r"(HTTP|RESP).*?127\.0\.0\.1:(\d+)", line)
            if not line:
                raise RuntimeError(f"the server has ended, see {log.name}")
            if found:
                self.addresses[found[1]] = ("127.0.0.1", int(found[2]))

    def get(self, feed):
        """The status over HTTP, and the last record of a feed or the error."""
        host, port = self.addresses["HTTP"]
        url = f"http://{host}:{port}/feeds/{feed}/records/{RECORDS - 1}"
        try:
            with urllib.request.urlopen(url, timeout=60) as response:
                return response.status, json.load(response)
        except urllib.error.HTTPError as error:
            return error.code, error.read().decode()

    def ask(self, *words):
        """The reply over RESP."""
        with socket.create_connection(self.addresses["RESP"], 60) as connection:
            connection.sendall(encoded(words))
            return decoded(connection.makefile("rb"))

    def close(self):
        self.process.terminate()
        self.process.wait(60)


def near_bytes(run, store):
    return json.loads(run.command("store", "stats", "--json", store=store).out)["cluster"]["nearBytes"]


def request(run, server, feed, cap):
    """Reads a feed over one of the protocols in turn."""
    if next(run.fresh) % 2 == 0:
        status, record = server.get(feed)
        if status != 200 or record["id"] != RECORDS - 1:
            run.faults.append(f"HTTP: {status} for the feed {feed}: {record}")
    else:
        key = f"feed:{feed}:item:{RECORDS - 1}"
        replies = []

        def is_there():
            replies.append(server.ask("GET", key))
            return not str(replies[-1]).startswith("-LOADING")

        wait_until(is_there, what=f"a copy of the feed {feed}")
        reply = str(replies[-1])
        if not reply.startswith("{") or json.loads(reply)["id"] != RECORDS - 1:
            run.faults.append(f"RESP: {key} is {reply}")
    size = near_bytes(run, server.store)
    if size > cap:
        run.faults.append(f"the near store has {size} bytes, and may have {cap}")
    run.counts["reads"] += 1


def near_feeds(run):
    near = run.directory / "near-server"
    return {feed["name"] for feed in json.loads(run.command("feeds", "--json", store=near).out)}


def check_order(run, server):
    """Checks that the feed that was requested last stays when another one is copied."""
    for feed in ("a", "b", "a", "c"):
        # Request times have a resolution of one second.
        time.sleep(1.1)
        reply = server.get(feed)
        if reply[0] != 200:
            run.faults.append(f"HTTP: {reply} for the feed {feed}")
    if near_feeds(run) != {"a", "c"}:
        run.faults.append(f"{near_feeds(run)} are near, and a and c were requested last")


def check_burst(run, server, cap):
    """All feeds are requested at once. Each reply is the feed, or that there is no room yet."""
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        replies = list(pool.map(server.get, FEEDS * 4))
    for status, record in replies:
        if status not in (200, 503) or status == 200 and record["id"] != RECORDS - 1:
            run.faults.append(f"HTTP: {status} in a burst: {record}")
    size = near_bytes(run, server.store)
    if size > cap:
        run.faults.append(f"the near store has {size} bytes after a burst, and may have {cap}")


def near(options):
    start = time.monotonic()
    count = options.count(3, 60)
    with cluster_run(options, records=RECORDS) as run:
        path = run.payload(1)
        for feed in FEEDS:
            made = run.command("ingest", str(path), "--feed", feed, store=run.url("writer"))
            if made.returncode != 0:
                run.fault(f"ingest of {feed}", made)
        size = near_bytes(run, run.url("writer")) // len(FEEDS)
        # There is room for two feeds.
        cap = size * 5 // 2
        server = Server(run, cap)
        # The server learns which feeds there are.
        wait_until(lambda: str(server.ask("GET", "feed:d:item:0")).startswith("-LOADING"))
        # An idle connection does not count as a request.
        with socket.create_connection(server.addresses["RESP"], 60):
            for _ in range(count):
                for feed in FEEDS:
                    request(run, server, feed, cap)
                check_order(run, server)
                check_burst(run, server, cap)
        if server.get("nothing")[0] != 404 or server.ask("GET", "feed:nothing:item:1") is not None:
            run.faults.append("a feed is served that was never published")
        server.close()
        return run.report("near", f"{count * len(FEEDS)} requests, room for 2 of 4 feeds", start)


CASES = {"near": near}
