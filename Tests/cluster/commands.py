"""All commands for feeds and images on a store in a cluster, compared with a store in a directory.

One host changes the cluster, and another one reads. Each output must equal that of the directory.
"""

import contextlib
import functools
import http.server
import json
import pathlib
import re
import subprocess
import threading
import time

from failures import cluster_run
from redis_cluster import free_ports, wait_until

EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "Examples"
UNIVERSITY = "Universidade de São Paulo"
IMAGE = "http://example.com/image.png"

# Commands that read the feeds, and print the same for the same records.
READS = [
    ["export", "events"],
    ["export", "universities"],
    ["show", "events", "--limit", "5", "--json"],
    ["show", "events", "--count"],
    ["get", "events", "--at", "3"],
    ["get", "universities", UNIVERSITY, "--json"],
    ["detail", "universities", UNIVERSITY],
    ["schema", "show", "events"],
    ["load", "universities", "--offline"],
    ["validate", "universities"],
]
# What differs between two stores with the same records.
VARYING = re.compile(rb'"?(generation|timestamp|ageSeconds)"?:? ?[^,}\n]*|\d+(\.\d+)? s\b')


class QuietHandler(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


@contextlib.contextmanager
def service(directory):
    """An HTTP service of the files of a directory."""
    handler = functools.partial(QuietHandler, directory=directory)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()


@contextlib.contextmanager
def single_node(directory):
    """The URL of a server outside any cluster."""
    (port,) = free_ports(1)
    process = subprocess.Popen(
        ["redis-server", "--port", str(port), "--bind", "127.0.0.1", "--dir", str(directory),
         "--save", "", "--appendonly", "no"], stdout=subprocess.DEVNULL)
    try:
        wait_until(lambda: subprocess.run(
            ["redis-cli", "-p", str(port), "PING"], capture_output=True).stdout == b"PONG\n")
        yield f"redis://127.0.0.1:{port}?near={directory}/near-single"
    finally:
        process.terminate()
        process.wait()


def expect(run, *words, store, status=0):
    """Runs a command, which must end with a status. Returns its output."""
    process = run.command(*words, store=store)
    if process.returncode != status:
        run.fault(f"'{' '.join(words)}' on {store}", process)
    run.counts["reads"] += 1
    return process.out


def change(run, store, origin):
    """Runs the commands that change feeds."""
    expect(run, "ingest", str(EXAMPLES / "universities.json"), "--feed", "universities", store=store)
    lines = (EXAMPLES / "events.ndjson").read_text().splitlines(keepends=True)
    for number, part in enumerate((lines[:-2], lines[-2:])):
        path = run.directory / f"part-{number}.ndjson"
        path.write_text("".join(part))
        more = ["--append"] if number else []
        expect(run, "ingest", str(path), "--feed", "events", *more, store=store)
    expect(run, "ingest", str(EXAMPLES / "earthquakes.geojson"), "--feed", "gone", store=store)
    expect(run, "delete", "gone", store=store)
    expect(run, "load", "news", "--url", f"{origin}/news.json", store=store)


def compare(run, store, local):
    """Compares the output of each read."""
    for words in READS:
        found, wanted = (
            VARYING.sub(b"", expect(run, *words, store=place)) for place in (store, local))
        if not wanted or found != wanted:
            run.faults.append(
                f"'{' '.join(words)}' on {store} prints {found[:200]}, not {wanted[:200]}")
    names = [feed["name"] for feed in json.loads(expect(run, "feeds", "--json", store=store))]
    if sorted(names) != ["events", "news", "universities"]:
        run.faults.append(f"{store} has the feeds {names}")
    expect(run, "get", "universities", "no such", store=store, status=1)
    expect(run, "show", "gone", store=store, status=66)


def copies(run, store):
    """Copies all feeds to a directory and to another prefix, and compares the records."""
    back = run.directory / "back"
    expect(run, "store", "copy", "--to", str(back), store=store)
    other = run.url("other", prefix="/other")
    expect(run, "store", "copy", "--to", other, store=back)
    for feed in ("events", "universities"):
        outputs = {expect(run, "export", feed, store=place) for place in (store, back, other)}
        if len(outputs) != 1:
            run.faults.append(f"the feed {feed} differs between a store and its copies")


def images(run, first, second):
    """Puts an image on one host, and gets it on another one."""
    path, copy = run.directory / "image", run.directory / "copy"
    path.write_bytes(bytes(range(256)) * 1_000)
    expect(run, "images", "put", IMAGE, str(path), store=first)
    expect(run, "images", "get", IMAGE, "--output", str(copy), store=second)
    if not copy.exists() or copy.read_bytes() != path.read_bytes():
        run.faults.append("an image of another host differs")
    if json.loads(expect(run, "images", "stats", "--json", store=second))["images"] != 1:
        run.faults.append("the near store does not have the image")
    expect(run, "images", "remove", IMAGE, store=first)


def whole_stores(run, store):
    """Checks the cluster and the near store."""
    expect(run, "store", "check", store=store)
    expect(run, "store", "check", "--remote", store=store)
    cluster = json.loads(expect(run, "store", "stats", "--json", store=store))["cluster"]
    if cluster["feeds"] != 3 or cluster["behind"] != 0 or cluster["nearBytes"] == 0:
        run.faults.append(f"the statistics of the cluster are {cluster}")


def repair(run, store):
    """Publishes a feed again of which the cluster has lost a block."""
    port = run.cluster.primaries()[0]
    blocks = run.cluster.keys(port, "fcb:*")
    # Blocks that were replaced expire.
    lost = next(key for key in blocks if run.cluster.require(port, "PTTL", key) == -1)
    run.cluster.require(port, "DEL", lost)
    expect(run, "store", "check", "--remote", store=store, status=65)
    for states in (["republished", "sound", "sound"], ["sound"] * 3):
        reports = json.loads(expect(run, "store", "repair", "--json", store=store))
        if sorted(report["state"] for report in reports) != states:
            run.faults.append(f"the repair of a lost block reports {reports}")
    expect(run, "store", "check", "--remote", store=store)


def commands(options):
    start = time.monotonic()
    with cluster_run(options) as run, service(EXAMPLES) as origin, \
            single_node(run.directory) as single:
        local = run.directory / "local"
        first, second = run.url("first"), run.url("second", read="replica")
        for store in (local, first, single):
            change(run, store, origin)
        for store in (first, second, single):
            compare(run, store, local)
        copies(run, second)
        images(run, first, second)
        whole_stores(run, second)
        repair(run, first)
        return run.report("commands", f"{len(READS)} reads of three hosts", start)


CASES = {"commands": commands}
