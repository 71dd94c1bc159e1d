"""Measures documents, which are JSON of any shape, against other programs that people use.

    documents.py FEEDCORE EVENTS.ndjson [--megabytes N] [--rounds N] [--python PYTHON] [--large N]
                 [--chart FILE.svg]

EVENTS.ndjson has a record a line, for example GitHub events. The script repeats them with new ids
in files of N megabytes, in three shapes: lines, `data.items[]`, and members of an object. The
fourth file has universities of `feedcore sample`. Lines whose keys come in another order in each
event are only parsed: replay cannot repeat them. PYTHON has duckdb and sqlite-utils.

The programs make records of the file in turn: FeedCore and sqlite-utils store them with a key,
DuckDB stores rows, jq writes lines. Figures are medians of whole processes, including their start.
Memory is the maximum of all rounds: the resident set, and the process's own part of it, without
mapped files. Then measures reads of the stored events, and with --large a
file of N gigabytes. Prints Markdown, and with --chart writes a chart of the times. Ends with 1 if FeedCore has a wrong number of records.
"""

import argparse
import json
import multiprocessing
import os
import random
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "report"))
from ratio_chart import chart  # noqa: E402
from results import Comparison  # noqa: E402

DUCK = """
import duckdb, sys
duckdb.connect(sys.argv[1]).execute(
    "create table t as from read_json_auto(?, maximum_object_size=2000000000)", [sys.argv[2]])
"""
DUCK_COUNT = "import duckdb, sys; print(duckdb.connect(sys.argv[1]).sql('from t').shape[0])"


def make_files(options, directory):
    """The name of each shape, its file and the number of its records. The last is to be parsed only.

    Runs in its own process, because the memory of a child includes that of its parent.
    """
    made = []
    with open(options.events, encoding="utf-8") as file:
        events = [json.loads(line) for line in file if line.strip()]
    size = options.megabytes * 1_000_000
    lines, total = [], 0
    while total < size:
        event = dict(events[len(lines) % len(events)], id=str(10_000_000_000 + len(lines)))
        lines.append(json.dumps(event, ensure_ascii=False, separators=(",", ":")))
        total += len(lines[-1].encode()) + 1
    members = (f'"m{number}":{line}' for number, line in enumerate(lines))
    shapes = {
        "events, lines": "\n".join(lines) + "\n",
        "events, data.items[]": '{"status":"ok","data":{"items":[' + ",\n".join(lines) + "]}}",
        "events, members": "{" + ",\n".join(members) + "}",
    }
    for name, text in shapes.items():
        path = os.path.join(directory, f"{len(os.listdir(directory))}.json")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        made.append((name, path, len(lines)))
    path = os.path.join(directory, "universities.json")
    count = options.megabytes * 5000
    with open(path, "wb") as file:
        subprocess.run([options.program, "sample", "--kind", "universities", "--records",
                        str(count)], stdout=file, check=True)
    made.append(("universities", path, count))
    path = os.path.join(directory, "shuffled.json")
    order = random.Random(5)
    with open(path, "w", encoding="utf-8") as file:
        for line in lines:
            file.write(json.dumps(shuffled(json.loads(line), order), ensure_ascii=False,
                                  separators=(",", ":")) + "\n")
    return made + [("events, lines, shuffled keys", path, len(lines))]


def shuffled(value, order):
    """The same value with the members of each object in random order."""
    if isinstance(value, dict):
        members = list(value.items())
        order.shuffle(members)
        return {key: shuffled(member, order) for key, member in members}
    return [shuffled(each, order) for each in value] if isinstance(value, list) else value


class OwnMemory(threading.Thread):
    """Samples the memory of a process that is no part of a file, in kilobytes."""

    def __init__(self, process):
        super().__init__(daemon=True)
        self.path = f"/proc/{process}/status"
        self.maximum = 0
        self.start()

    def run(self):
        try:
            while True:
                with open(self.path, encoding="ascii") as file:
                    sizes = [line.split()[1] for line in file if line.startswith("RssAnon")]
                if not sizes:
                    return
                self.maximum = max(self.maximum, int(sizes[0]))
                time.sleep(0.003)
        except OSError:
            pass


def run(command, output=subprocess.DEVNULL, env=None):
    """Wall and processor seconds, megabytes of memory, and the process's own part of them."""
    start = time.monotonic()
    process = subprocess.Popen(command, stdout=output, stderr=subprocess.DEVNULL,
                               env=dict(os.environ, **(env or {})))
    own = OwnMemory(process.pid)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = status
    seconds = time.monotonic() - start
    own.join()
    return (seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024 / 1e6,
            own.maximum * 1024 / 1e6)


def programs(options, path, name, directory):
    """The command of each program, and a command that prints its number of records."""
    store, duck, lite = (os.path.join(directory, base) for base in ("store", "duck.db", "lite.db"))
    core = options.program
    nested = "items[]" in name
    jq = ".data.items[]" if nested else ".[]" if "lines" not in name else "."
    ingest = [core, "ingest", path, "--feed", "t", "--store", store, "--kind", "json", "--quiet"]
    count = ["sh", "-c", '"$0" feeds --json --store "$1" | jq ".[0].records"', core, store]
    utils = [options.python, "-m", "sqlite_utils"]
    found = {
        "FeedCore": (ingest, count),
        "FeedCore, one lane": (ingest + ["--lanes", "1"], count),
        "DuckDB": ([options.python, "-c", DUCK, duck, path],
                   [options.python, "-c", DUCK_COUNT, duck]),
        "jq": (["sh", "-c", 'exec jq -c "$0" "$1" >"$2"', jq, path,
                os.path.join(directory, "lines")],
               ["sh", "-c", 'wc -l <"$0"', os.path.join(directory, "lines")]),
    }
    # sqlite-utils reads a list of objects, or lines.
    if "lines" in name or name == "universities":
        lines = ["--nl"] if "lines" in name else []
        found["sqlite-utils"] = (
            [*utils, "insert", lite, "t", path, *lines, "--replace"]
            + (["--pk", "id"] if lines else []),
            ["sh", "-c", '"$0" -m sqlite_utils rows "$1" t --nl -c rowid | wc -l',
             options.python, lite])
    return found


def contest(options, name, path, records):
    """Measures one file. Returns whether FeedCore has all its records, and the comparisons."""
    size = os.path.getsize(path)
    with tempfile.TemporaryDirectory() as directory:
        commands = programs(options, path, name, directory)
        runs = {peer: [] for peer in commands}
        for _ in range(options.rounds):
            for peer, (command, _) in commands.items():
                for left in os.listdir(directory):
                    subprocess.run(["rm", "-rf", os.path.join(directory, left)], check=True)
                runs[peer].append(run(command))
                if len(runs[peer]) == 1:
                    done = subprocess.run(commands[peer][1], capture_output=True, check=False)
                    counts = done.stdout.decode().split()
                    runs[peer][0] += (int(counts[0]) if counts and counts[0].isdigit() else 0,)
    ours = statistics.median(each[0] for each in runs["FeedCore"])
    good = True
    compared = []
    for peer, all_runs in runs.items():
        wall, cpu = (statistics.median(each[place] for each in all_runs) for place in (0, 1))
        count = all_runs[0][4]
        if peer.startswith("FeedCore"):
            good &= count == records
        else:
            ratios = [run[0] / our[0] for run, our in zip(all_runs, runs["FeedCore"])]
            compared.append(Comparison(
                "documents", name, "FeedCore", peer, ours, wall, "seconds", True,
                statistics.median(ratios), min(ratios), max(ratios), len(ratios)))
        remark = "" if count == records else "fails" if not count else f"{count:,} records"
        print(f"| {name} | {peer} | {wall:.2f} | {cpu:.2f} | {size / wall / 1e6:.0f} | "
              f"{max(each[2] for each in all_runs):.0f} | "
              f"{max(each[3] for each in all_runs):.0f} | {wall / ours:.2f} | {remark} |",
              flush=True)
    return good, compared


def parse(options, name, path):
    """Prints ratios to YAJL with and without replay: speed and CPU time of one lane, speed of all."""
    ratios = []
    for validation in ("replay", "yajl"):
        done = subprocess.run(
            [options.program, "bench", "parse", path, "--documents", "--json"],
            capture_output=True, check=True,
            env=dict(os.environ, FEEDCORE_VALIDATION=validation))
        result = json.loads(done.stdout)
        ratios.append(f"{result['oneLaneOverYajl']:.2f}")
        ratios.append(f"{result['oneLaneCPUOverYajl']:.2f}")
        ratios.append(f"{result['lanesOverYajl']:.2f}")
    print(f"| {name} | {' | '.join(ratios)} |", flush=True)


def reads(options, path):
    """Measures the size of a stored feed, its export and its look-ups."""
    with tempfile.TemporaryDirectory() as store:
        subprocess.run([options.program, "ingest", path, "--feed", "t", "--store", store,
                        "--kind", "json", "--quiet"], check=True)
        done = subprocess.run([options.program, "feeds", "--json", "--store", store],
                              capture_output=True, check=True)
        stored = json.loads(done.stdout)[0]
        text = os.path.join(store, "text")
        with open(text, "wb") as file:
            subprocess.run([options.program, "export", "t", "--store", store, "--format",
                            "ndjson"], stdout=file, check=True)
        size = os.path.getsize(text)
        os.remove(text)
        seconds = min(run([options.program, "export", "t", "--store", store, "--format",
                           "ndjson"])[0] for _ in range(5))
        print(f"- Stored bytes over the compact text: {stored['bytes'] / size:.3f}.")
        print(f"- `export` to `/dev/null`: {size / seconds / 1e9:.2f} GB/s, start included.")
        done = subprocess.run([options.program, "bench", "read", "--feed", "t", "--store", store,
                               "--json"], capture_output=True, check=True)
        print(f"- `get` over `mdb_get`: {json.loads(done.stdout)['lookupTimeOverC']:.2f}.")


def use_memory(size):
    """Uses and frees memory, so that the host of a virtual machine has provided it before a run.

    Otherwise the pages that the kernel fills for a large store are the first use of most of them,
    which takes several times as long as the copy. A small store takes free pages that were used.
    """
    available = os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    subprocess.run([sys.executable, "-c", "import sys; len(b'x' * int(sys.argv[1]))",
                    str(min(size, available * 3 // 4))], check=True)


def large(options, path):
    """Compares time per byte and memory: copies of a file, many gigabytes, with a single copy."""
    length = os.path.getsize(path)
    figures = []
    for copies, rounds in ((1, 5), (round(options.large * 1e9 / length), 1)):
        times, memory = [], 0
        for _ in range(rounds):
            use_memory(round(2.5 * options.large * 1e9))
            with tempfile.TemporaryDirectory() as store:
                command = [options.program, "ingest", "-", "--feed", "t", "--store", store,
                           "--kind", "json", "--key", "#", "--quiet"]
                process = subprocess.Popen(command, stdin=subprocess.PIPE)
                start = time.monotonic()
                for _ in range(copies):
                    with open(path, "rb") as file:
                        shutil.copyfileobj(file, process.stdin, 1 << 20)
                process.stdin.close()
                _, status, usage = os.wait4(process.pid, 0)
                process.returncode = status
                times.append(time.monotonic() - start)
                memory = max(memory, usage.ru_maxrss)
                if status:
                    raise SystemExit(f"ingest of {copies * length} bytes left with {status}")
        figures.append((copies * length, statistics.median(times) / copies / length, memory))
    (small, slow, low), (size, fast, high) = figures
    print(f"- A file of {size / 1e9:.1f} GB takes {fast / slow:.2f} times as long a byte as one of"
          f" {small / 1e6:.0f} MB, with {high / low:.2f} times the memory ({high / 1000:.0f} MB).")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("events")
    parser.add_argument("--megabytes", type=int, default=100)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--large", type=float, default=0, metavar="GIGABYTES")
    parser.add_argument("--chart", metavar="FILE.svg")
    options = parser.parse_args()
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    with tempfile.TemporaryDirectory() as directory:
        with multiprocessing.Pool(1) as pool:
            files = pool.apply(make_files, (options, directory))
        print("| file | program | seconds | CPU seconds | MB/s | memory, MB | own, MB |"
              " time over FeedCore | |\n|---|---|--:|--:|--:|--:|--:|--:|---|", flush=True)
        results = [contest(options, *each) for each in files[:-1]]
        if options.chart:
            compared = [each for _, comparisons in results for each in comparisons]
            with open(options.chart, "w", encoding="utf-8") as file:
                file.write(chart("documents", compared, table="documents.md"))
        print("\nThe speed of one lane, the inverse of its processor time, and the speed of all"
              " lanes, over YAJL's.\n\n"
              "| file | one lane | CPU | all lanes | no replay: one lane | CPU | all lanes |\n"
              "|---|--:|--:|--:|--:|--:|--:|", flush=True)
        for name, path, _ in files:
            parse(options, name, path)
        print("\nThe events that are lines, stored:\n")
        reads(options, files[0][1])
        if options.large:
            large(options, files[0][1])
    sys.exit(0 if all(good for good, _ in results) else 1)


if __name__ == "__main__":
    main()
