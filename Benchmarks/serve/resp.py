"""Compares RESP GET of a 200-byte record with redis-server on loopback.

    resp.py FEEDCORE [--feeds NAME,...] [--rounds N] [--requests N] [--serve COMMAND]

Both servers have the same values under the same keys, in feeds of 10,000, 200,000 and 1,000,000
records. In each round redis-benchmark measures both in turn, so that other load on the machine
affects both. The result is the median of the rounds' ratios. Ends with 1 if a ratio is below its
floor, or if FeedCore's p99 is more than twice that of Redis.
If FEEDCORE_BENCH_RESULTS names a file, each comparison is appended to it as a JSON object, and
neither a ratio below its floor nor a long p99 changes the exit code.
"""

import argparse
import contextlib
import csv
import io
import json
import os
import shlex
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time

# Feeds and their records. The responses for the first two fit into the default response cache of
# the server. The responses for the last are several times its size.
FEEDS = {"few": 10_000, "many": 200_000, "most": 1_000_000}
FLOOR, GOAL, P99 = 0.8, 1.0, 2.0


def record(number):
    return {
        "name": f"key:{number:012d}",
        "domains": ["university.example"],
        "web_pages": [f"https://www.university.example/{number:06d}/"],
        "country": "Nowhere at all",
        "alpha_two_code": "NO",
        "state-province": "Nothing",
    }


def key(feed, number):
    return b"feed:%s:item:key:%012d" % (feed.encode(), number)


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@contextlib.contextmanager
def running(command, path, **options):
    """Runs a server, and yields when its socket accepts connections."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, **options)
    try:
        for _ in range(600):
            with socket.socket(socket.AF_UNIX) as probe:
                if probe.connect_ex(path) == 0:
                    break
            if process.poll() is not None:
                sys.exit(f"{command[0]} ended with {process.returncode}")
            time.sleep(0.05)
        else:
            sys.exit(f"{command[0]} does not listen")
        yield process
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(30)


def cli(path, *words, stdin=None):
    return subprocess.run(
        ["redis-cli", "-s", path, *words], input=stdin, capture_output=True, check=True
    ).stdout


def prefill(path, values):
    """Sets some of the values. They are sent in parts, since each part is held in memory."""
    commands = b"".join(
        b"*3\r\n$3\r\nSET\r\n$%d\r\n%s\r\n$%d\r\n%s\r\n" % (len(k), k, len(v), v)
        for k, v in values.items()
    )
    cli(path, "--pipe", stdin=commands)


def benchmark(target, feed, pipeline, requests):
    output = subprocess.run(
        ["redis-benchmark", *target, "-n", str(requests), "-r", str(FEEDS[feed]), "-c", "50"]
        + ["-P", str(pipeline), "--csv", "GET", f"feed:{feed}:item:key:__rand_int__"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    lines = [line for line in output.splitlines() if line.startswith('"')]
    row = next(csv.DictReader(io.StringIO("\n".join(lines[:2]))))
    return float(row["rps"]), float(row["p99_latency_ms"])


def ingest(feedcore, store, feeds, directory):
    for feed in feeds:
        payload = f"{directory}/{feed}.ndjson"
        with open(payload, "w") as file:
            for number in range(FEEDS[feed]):
                file.write(json.dumps(record(number)) + "\n")
        subprocess.run(
            [feedcore, "ingest", payload, "--feed", feed, "--store", store],
            check=True,
            stdout=subprocess.DEVNULL,
        )
        os.unlink(payload)


def fill_peer(paths, feeds):
    """Fills Redis with the values of FeedCore, and checks that both give the same responses."""
    for feed in feeds:
        first = cli(paths["ours"], "GET", key(feed, 0).decode()).rstrip(b"\n")
        for start in range(0, FEEDS[feed], 100_000):
            values = {}
            for number in range(start, min(start + 100_000, FEEDS[feed])):
                value = first.replace(b"%012d" % 0, b"%012d" % number)
                values[key(feed, number)] = value.replace(b"/000000/", b"/%06d/" % number)
            prefill(paths["redis"], values)
        for number in range(0, FEEDS[feed], FEEDS[feed] // 20):
            answers = {
                name: cli(path, "GET", key(feed, number).decode()) for name, path in paths.items()
            }
            assert answers["ours"] == answers["redis"], answers
    return len(first)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("feedcore")
    parser.add_argument("--feeds", default=",".join(FEEDS), help="which of " + ", ".join(FEEDS))
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--requests", type=int, default=200_000)
    parser.add_argument("--serve", help="a command for FeedCore, with {store}, {port} and {socket}")
    options = parser.parse_args()
    feeds = options.feeds.split(",")
    if not set(feeds) <= set(FEEDS):
        parser.error(f"the feeds are {', '.join(FEEDS)}")
    with tempfile.TemporaryDirectory(prefix="feedcore-serve") as directory:
        store = directory + "/store"
        ingest(options.feedcore, store, feeds, directory)
        ports = {"ours": free_port(), "redis": free_port()}
        paths = {name: f"{directory}/{name}.sock" for name in ports}
        serve = options.serve or (
            "{feedcore} serve --store {store} --resp 127.0.0.1:{port}"
            " --resp-socket {socket} --log-level error"
        )
        ours = shlex.split(
            serve.format(
                feedcore=options.feedcore, store=store, port=ports["ours"], socket=paths["ours"]
            )
        )
        redis = ["redis-server", "--bind", "127.0.0.1", "--port", str(ports["redis"])]
        redis += ["--unixsocket", paths["redis"], "--save", "", "--appendonly", "no"]
        redis += ["--dir", directory]
        with running(ours, paths["ours"]), running(redis, paths["redis"]):
            size = fill_peer(paths, feeds)
            print(f"GET of a record of {size} bytes, 50 connections, {options.rounds} rounds")
            sys.exit(compare(ports, paths, feeds, options))


def tell(label, what, unit, better, ours, theirs):
    """Appends a comparison of the figures of all rounds to the results."""
    path = os.environ.get("FEEDCORE_BENCH_RESULTS")
    if not path:
        return
    pairs = list(zip(ours, theirs))
    ratios = [o / t if better == "higher" else t / o for o, t in pairs]
    line = {
        "group": "serve",
        "case": f"GET of a record, {label}",
        "ours": f"FeedCore, {what} over RESP",
        "peer": "redis-server",
        "our_figure": statistics.median(ours),
        "peer_figure": statistics.median(theirs),
        "unit": unit,
        "better": better,
        "ratio": round(statistics.median(ratios), 4),
        "low": round(min(ratios), 4),
        "high": round(max(ratios), 4),
        "rounds": len(ratios),
    }
    with open(path, "a", encoding="utf-8") as file:
        file.write(json.dumps(line, ensure_ascii=False) + "\n")


def compare(ports, paths, feeds, options):
    status = 0
    for way, feed, pipeline, over_socket in [
        ("port, pipeline 1", "few", 1, False),
        ("port, pipeline 16", "few", 16, False),
        ("Unix socket, pipeline 1", "few", 1, True),
        ("Unix socket, pipeline 16", "few", 16, True),
        ("port, pipeline 1", "many", 1, False),
        ("port, pipeline 16", "many", 16, False),
        ("port, pipeline 1", "most", 1, False),
        ("port, pipeline 16", "most", 16, False),
    ]:
        if feed not in feeds:
            continue
        label = f"{way}, {FEEDS[feed]:,} keys"
        requests = options.requests * (1 if pipeline == 1 else 5)
        rounds = []
        for number in range(options.rounds):
            results = {}
            # The servers take turns at running first.
            for name in sorted(ports, reverse=number % 2 == 1):
                target = ["-s", paths[name]] if over_socket else ["-p", str(ports[name])]
                results[name] = benchmark(target, feed, pipeline, requests)
            rounds.append(results)
        if any(figure <= 0 for r in rounds for figures in r.values() for figure in figures[:2]):
            sys.exit(f"{label}: a rate or a 99th percentile could not be measured: {rounds}")
        ratio = statistics.median(r["ours"][0] / r["redis"][0] for r in rounds)
        p99 = statistics.median(r["ours"][1] / r["redis"][1] for r in rounds)
        rates, tails = (
            {name: [r[name][column] for r in rounds] for name in ports} for column in (0, 1)
        )
        tell(label, "rate", "requests/s", "higher", rates["ours"], rates["redis"])
        tell(label, "p99", "ms", "lower", tails["ours"], tails["redis"])
        best = {name: max(r[name][0] for r in rounds) for name in ports}
        verdict = "goal" if ratio >= GOAL else "floor" if ratio >= FLOOR else "BELOW THE FLOOR"
        if p99 > P99:
            verdict += ", p99 TOO LONG"
        if (ratio < FLOOR or p99 > P99) and not os.environ.get("FEEDCORE_BENCH_RESULTS"):
            status = 1
        print(
            f"{label:40} {ratio:5.2f} x redis (floor {FLOOR}, goal {GOAL}), p99 {p99:4.2f} x,"
            f" best {best['ours']:,.0f}/s and {best['redis']:,.0f}/s: {verdict}",
            flush=True,
        )
    return status


main()
