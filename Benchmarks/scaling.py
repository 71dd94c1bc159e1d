"""Measures how parsing scales with lanes, an ingest with the payload, a look-up with the feed.

    scaling.py FEEDCORE [--size ci|full] [--only parse,ingest,look-up]

Prints a line for each step. If FEEDCORE_BENCH_RESULTS names a file, each step is appended to it as
a JSON object. --size full takes about eight minutes and 16 GB below $TMPDIR, which are removed at
the end. Ends with 1 if a part fails or lacks disk space; the other parts still run.
"""

import argparse
import json
import os
import resource
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time

# The bytes of each payload, and its number of rounds.
INGESTS = {
    "ci": {1_000_000: 5, 10_000_000: 5, 100_000_000: 3},
    "full": {10_000_000: 15, 100_000_000: 9, 1_000_000_000: 5, 4_000_000_000: 3},
}
# The records of each feed, and how often its look-ups are measured, each time in 25 rounds.
LOOKUPS = {
    "ci": {10_000: 1, 100_000: 1},
    "full": {10_000: 5, 100_000: 3, 1_000_000: 3, 10_000_000: 1},
}
PARSED_RECORDS = {"ci": 50_000, "full": 1_000_000}
# The bytes of a minified university.
BYTES_A_RECORD = 200.5
# The memory budget of an ingest. Memory may grow with the input up to this size, and must be
# constant for larger inputs.
BUDGET = 20 << 20
FLAT_WITHIN = 0.1
TIMEOUT = 600


class Failure(Exception):
    pass


class Scaling:
    def __init__(self, feedcore, size, directory):
        self.feedcore = os.path.abspath(feedcore)
        self.size = size
        self.directory = directory

    def run(self, *words, **options):
        try:
            return subprocess.run(
                [self.feedcore, *map(str, words)],
                check=True,
                timeout=TIMEOUT,
                env=os.environ | {"TMPDIR": self.directory},
                **options,
            )
        except subprocess.TimeoutExpired as error:
            raise Failure(f"{words[0]} took more than {TIMEOUT} s") from error
        except subprocess.CalledProcessError as error:
            raise Failure(f"{' '.join(map(str, words))} ended with {error.returncode}") from error

    def measured(self, *words):
        return json.loads(self.run(*words, "--json", stdout=subprocess.PIPE).stdout)

    def need(self, count):
        free = shutil.disk_usage(self.directory).free
        if free < count * 1.2:
            raise Failure(f"{count / 1e9:.1f} GB are needed, {free / 1e9:.1f} are free")

    def sample(self, records, *words):
        """Writes and syncs a payload, so that no measurement waits for the disk."""
        path = os.path.join(self.directory, f"sample-{records}.json")
        with open(path, "wb") as file:
            options = ["--kind", "universities", "--records", records, *words]
            self.run("sample", *options, stdout=file)
            os.fsync(file.fileno())
        return path

    # MARK: The parts

    def parse(self):
        path = self.sample(PARSED_RECORDS[self.size], "--format", "pretty")
        result = self.measured("bench", "parse", path)
        os.unlink(path)
        steps = {1: result["oneLaneMBps"], result["lanes"]: result["lanesMBps"]}
        for lanes, figure in steps.items():
            tell(
                case="parse, universities, pretty",
                of="lanes",
                size=lanes,
                unit="MB/s",
                figure=figure,
                peer="YAJL in C",
                peer_figure=result["yajlMBps"],
            )

    def ingest(self):
        """Measures all sizes in each round, so that other load on the machine affects all.

        Ingests each payload into a new store, and as a replacement of an existing feed. For a new
        store the kernel has to allocate memory, which a virtual machine may have to get from its
        host. This cost grows with the store. An existing store already has its pages."""
        rounds = INGESTS[self.size]
        # The payloads, an existing store for each payload with two feeds, a new store, and the
        # plain file of the peer.
        self.need(2.2 * sum(rounds) + 1.2 * max(rounds))
        paths = {size: self.sample(round(size / BYTES_A_RECORD)) for size in rounds}
        self.small = self.sample(10)
        new, used = ({size: [] for size in rounds} for _ in range(2))
        stores = {size: self.make_store(f"store-{size}") for size in rounds}
        for size, store in stores.items():
            # From the third ingest on, no page of the file is new.
            for _ in range(2):
                self.run("ingest", paths[size], "--store", store, "--quiet")
        for number in range(max(rounds.values())):
            for size in (size for size, count in rounds.items() if number < count):
                used[size].append(self.ingest_once(paths[size], stores[size]))
                store = self.make_store("store")
                new[size].append(self.ingest_once(paths[size], store))
                shutil.rmtree(store)
        for path in [*paths.values(), self.small]:
            os.unlink(path)
        for store in stores.values():
            shutil.rmtree(store)
        self.tell_ingests("ingest, universities, in place of a feed", used)
        self.tell_ingests("ingest, universities, into a new store", new)

    def tell_ingests(self, what, ingests):
        for size, figures in ingests.items():
            times, program, kernel, disk, memory = zip(*figures)
            common = {"of": "bytes", "size": size, "unit": "ns/byte", "rounds": len(times)}
            tell(
                case=f"{what}: elapsed time",
                **common,
                **extent(times),
                peer="writing and syncing what it stores",
                peer_figure=round(statistics.median(disk), 4),
                memory=max(memory),
                flat_within=FLAT_WITHIN,
                memory_flat_within=FLAT_WITHIN if size > BUDGET else 0,
            )
            # The kernel reads the payload, and writes the store at any time.
            for whose, figures, promise in [
                ("the program", program, {"flat_within": FLAT_WITHIN}),
                ("the kernel", kernel, {}),
            ]:
                case = f"{what}: processor time of {whose}"
                tell(case=case, **common, **extent(figures), **promise)

    def make_store(self, name):
        """Makes a store with another feed, since creating a store costs ten syncs."""
        store = os.path.join(self.directory, name)
        self.run("ingest", self.small, "--store", store, "--feed", "small", "--quiet")
        return store

    def ingest_once(self, path, store):
        """Nanoseconds per byte of the payload, and the peak memory of the ingest.

        The times are the elapsed time that the ingest reports, without the start of the process;
        the processor time of the program and of the kernel; and the time to write the stored
        bytes to a plain file.
        """
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        result = self.measured("ingest", path, "--store", store)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        seconds = [
            result["seconds"],
            after.ru_utime - before.ru_utime,
            after.ru_stime - before.ru_stime,
            self.write(result["storedBytes"]),
        ]
        return *(part * 1e9 / result["bytes"] for part in seconds), result["peakMemoryBytes"]

    def write(self, count):
        """The seconds to write and sync a file of `count` bytes."""
        path = os.path.join(self.directory, "plain")
        piece = os.urandom(1 << 20)
        began = time.monotonic()
        with open(path, "wb", buffering=0) as file:
            for _ in range(count // len(piece)):
                file.write(piece)
            file.write(piece[: count % len(piece)])
            os.fsync(file.fileno())
        seconds = time.monotonic() - began
        os.unlink(path)
        return seconds

    def look_up(self):
        for records, times in LOOKUPS[self.size].items():
            # Room for the store, the peer and the spare space in their files. Each post has its own
            # key, whereas universities begin to share names.
            self.need(records * 1_000)
            sample = ["--kind", "feed", "--records", records]
            results = [self.measured("bench", "read", *sample) for _ in range(times)]
            tell(
                case="look-up by key, posts",
                of="records",
                size=records,
                unit="ns",
                **extent([result["lookupNanoseconds"] for result in results]),
                rounds=times,
                peer="LMDB in C",
                peer_figure=statistics.median(result["lookupCNanoseconds"] for result in results),
            )


def extent(figures):
    named = ("figure", statistics.median), ("low", min), ("high", max)
    return {name: round(chosen(figures), 4) for name, chosen in named}


def tell(**step):
    line = json.dumps({"group": "scaling", **step})
    print(
        f"{step['case']}: {step['size']:,} {step['of']}: {step['figure']:g} {step['unit']}",
        flush=True,
    )
    path = os.environ.get("FEEDCORE_BENCH_RESULTS")
    if path:
        with open(path, "a", encoding="utf-8") as file:
            file.write(line + "\n")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("feedcore")
    parser.add_argument("--size", choices=["ci", "full"], default="full")
    parser.add_argument("--only", default="parse,ingest,look-up")
    options = parser.parse_args()
    # Exits with an exception, so that temporary files are removed.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    status = 0
    for part in options.only.split(","):
        with tempfile.TemporaryDirectory(prefix="feedcore-scaling.") as directory:
            scaling = Scaling(options.feedcore, options.size, directory)
            parts = {"parse": scaling.parse, "ingest": scaling.ingest, "look-up": scaling.look_up}
            if part not in parts:
                parser.error(f"{part} is not one of {', '.join(parts)}")
            try:
                parts[part]()
            except (Failure, OSError, KeyError, ValueError) as error:
                print(f"{part}: {error}", file=sys.stderr)
                status = 1
    sys.exit(status)


main()
