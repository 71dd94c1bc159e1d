"""`feedcore serve` over a store of the harness' own."""

import json
import os
import re
import resource
import signal
import subprocess
import sys
import threading
import time
import urllib.request

MEGABYTE = 1 << 20
PAGE_URL = "https://example.org/page.png"
SMALL_URL = "https://example.org/small.png"
LARGE_URL = "https://example.org/large.png"
SMALL_BYTES = 50_000
PAGE_BYTES = 200_000
LARGE_BYTES = 15_000_000


class Failure(Exception):
    """A broken promise."""


def demand(condition, otherwise):
    if not condition:
        raise Failure(otherwise)


def pattern(count, seed=0):
    """Bytes that differ from place to place."""
    block = bytes((n * 7 + seed) % 251 for n in range(251))
    return (block * (count // 251 + 1))[:count]


class Store:
    """A store that is filled by the command line."""

    def __init__(self, feedcore, directory):
        self.feedcore = feedcore
        self.directory = str(directory)
        self.work = os.path.dirname(self.directory)

    def run(self, *arguments, stdin=None, timeout=300):
        return subprocess.run(
            [self.feedcore, *arguments, "--store", self.directory], input=stdin,
            capture_output=True, timeout=timeout, check=False)

    def ingest(self, document, feed):
        """Ingests records; returns the report of the command."""
        if not isinstance(document, bytes):
            document = json.dumps(document).encode()
        result = self.run("ingest", "-", "--feed", feed, "--json", stdin=document)
        demand(result.returncode == 0, f"ingest: {result.stderr.decode()[-300:]}")
        return json.loads(result.stdout)

    def put_image(self, url, data):
        path = os.path.join(self.work, "image")
        with open(path, "wb") as file:
            file.write(data)
        result = self.run("images", "put", url, path)
        os.unlink(path)
        demand(result.returncode == 0, f"images put: {result.stderr.decode()[-300:]}")

    def check(self):
        result = self.run("store", "check")
        demand(
            result.returncode == 0,
            f"store check left with {result.returncode}:"
            f" {(result.stdout + result.stderr).decode()[-300:]}")

    def fill(self):
        """Stores what the parts request: a small feed, a large one, and images."""
        self.ingest([record(n) for n in range(1000)], "universities")
        sample = subprocess.run(
            [self.feedcore, "sample", "--kind", "universities", "--records", "100000"],
            capture_output=True, timeout=120, check=True)
        self.ingest(sample.stdout, "large")
        self.put_image(SMALL_URL, pattern(SMALL_BYTES, 1))
        self.put_image(PAGE_URL, pattern(PAGE_BYTES, 2))
        self.put_image(LARGE_URL, pattern(LARGE_BYTES, 3))


def record(number, stamp=""):
    return {
        "name": f"University {number}", "country": f"N{stamp}", "alpha_two_code": "NN",
        "web_pages": [f"https://u{number}.example/"], "domains": []}


class Server:
    """The server's process, its ports and its figures."""

    def __init__(self, store, *options, files=None):
        self.store = store
        self.options = options
        self.files = files
        self.log = open(os.path.join(store.work, "server.log"), "w+b")
        self.process = None

    def _limit_files(self):
        if self.files:
            resource.setrlimit(resource.RLIMIT_NOFILE, (self.files, self.files))

    def __enter__(self):
        self.process = subprocess.Popen(
            [self.store.feedcore, "serve", "--store", self.store.directory, "--http",
             "127.0.0.1:0", "--resp", "127.0.0.1:0", *self.options],
            stdout=subprocess.PIPE, stderr=self.log, stdin=subprocess.DEVNULL,
            preexec_fn=self._limit_files)
        ports = {}
        for _ in range(2):
            line = self.process.stdout.readline().decode().split()
            demand(len(line) == 3, f"the server does not start: {self.said()}")
            ports[line[0]] = int(line[2].rsplit(":", 1)[1])
        self.http, self.resp = ports["HTTP"], ports["RESP"]
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait(timeout=30)
        self.process.stdout.close()
        self.log.close()

    def said(self):
        """The end of its standard error, or the beginning of a crash report."""
        self.log.flush()
        self.log.seek(0)
        text = self.log.read().decode("utf-8", "replace")
        if path := os.environ.get("FEEDCORE_ABUSE_LOG"):
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
        crash = re.search(r"(?s)(Fatal error|\*\*\* |\S*Crash).{0,400}", text)
        return crash[0] if crash else text[-400:]

    def demand_alive(self):
        status = self.process.poll()
        demand(status is None, f"the server ended with {status}: {self.said()}")

    def stop(self, deadline=15):
        """Stops the server; returns the seconds that this took."""
        began = time.monotonic()
        self.process.send_signal(signal.SIGTERM)
        try:
            status = self.process.wait(timeout=deadline)
        except subprocess.TimeoutExpired as error:
            raise Failure(f"the server did not stop in {deadline} s") from error
        demand(status == 0, f"the server left with {status}: {self.said()}")
        return time.monotonic() - began

    def metrics(self):
        """The counters by name and labels."""
        with urllib.request.urlopen(
                f"http://127.0.0.1:{self.http}/metrics", timeout=20) as answer:
            text = answer.read().decode()
        return {
            name: float(value)
            for name, value in (
                line.rsplit(" ", 1) for line in text.splitlines() if not line.startswith("#"))}

    def refusals(self):
        """The refusals by protocol and reason, such as `http/slow_request`."""
        found = {}
        for name, value in self.metrics().items():
            if name.startswith("feedcore_refusals_total{"):
                labels = dict(
                    part.split("=") for part in name[name.index("{") + 1:-1].split(","))
                key = labels["protocol"].strip('"') + "/" + labels["reason"].strip('"')
                found[key] = int(value)
        return found


def anonymous_memory(process):
    """The bytes of anonymous memory of a process, which no file backs."""
    with open(f"/proc/{process}/status", encoding="ascii") as file:
        for line in file:
            if line.startswith("RssAnon:"):
                return int(line.split()[1]) * 1024
    return 0


class Watch:
    """Ordinary clients in a separate process, which also measures the server's memory."""

    def __init__(self, server, pause=0.005):
        self.server = server
        here = os.path.dirname(os.path.abspath(__file__))
        self.process = subprocess.Popen(
            [sys.executable, os.path.join(here, "ordinary.py"), str(server.http),
             str(server.resp), str(server.process.pid), str(pause)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        line = self.process.stdout.readline()
        demand(line == b"ready\n", f"the ordinary clients are not served: {server.said()}")

    def finish(self):
        """Stops the clients; returns their figures."""
        try:
            output, _ = self.process.communicate(timeout=60)
        except subprocess.TimeoutExpired as error:
            raise Failure("the ordinary clients do not get their answers") from error
        demand(self.process.returncode == 0, "the ordinary clients failed")
        return json.loads(output)

    def kill(self):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait(timeout=30)


class Tally:
    """Counts events by name, from several threads."""

    def __init__(self):
        self.lock = threading.Lock()
        self.counts = {}

    def add(self, what, count=1):
        with self.lock:
            self.counts[what] = self.counts.get(what, 0) + count

    def __getitem__(self, what):
        return self.counts.get(what, 0)

    def __str__(self):
        return ", ".join(f"{count} {what}" for what, count in sorted(self.counts.items()))
