"""Measures tasks of Python programs with a JSON dump against the packages that people use for them.

    python_tasks.py [--megabytes 100] [--rounds 3] [--only TASK] [--json FILE]

Runs each task of each package in its own process, the packages in turn. Prints the medians of the
wall time and of the processor time, without imports, and the highest peak of memory. Memory is the
resident set. Mapped file pages are printed separately, since the system reclaims them when needed.
Run it with the Python of an environment that has feedcore, orjson, ijson, msgspec, duckdb and lmdb.
Missing packages are left out. Compares the answers, and ends with 1 if one differs.

    first      from the dump alone to one record by its key: parse, load or index it
    again      one record in a new process, from the files that "first" wrote
    thousand   1,000 more records by random keys in the same process
    filter     the records whose number at a nested path reaches a bound, as dicts: about 2 %
    dicts      every record as a dict, one after another
    field      the value of one field of every record

json, orjson and msgspec write no files, so their later tasks read the dump again; "thousand" then
uses a dict in memory. lmdb stores records as JSON by key. sqlite3 stores the text, an indexed key
and the number of the filter as a column. DuckDB reads the dump into a table.
"""

import argparse
import json
import os
import pathlib
import random
import resource
import statistics
import subprocess
import sys
import tempfile
import time

BOUND = 98
TASKS = ("first", "again", "thousand", "filter", "dicts", "field")
PACKAGES = ("feedcore", "json", "orjson", "msgspec", "ijson", "duckdb", "lmdb", "sqlite3")


def generate(path, size):
    """Writes an array of events like those of GitHub. Returns their number."""
    chance, count, written = random.Random(7), 0, 0
    words = [f"word{number}" for number in range(500)]
    with open(path, "w") as file:
        file.write("[")
        while written < size:
            event = {
                "id": f"e{count:08}", "type": chance.choice(["Push", "Fork", "Watch", "Issues"]),
                "actor": {"id": chance.randrange(10**7), "login": chance.choice(words)},
                "repo": {"name": f"{chance.choice(words)}/{chance.choice(words)}"},
                "payload": {"size": chance.randrange(100), "commits": [
                    {"sha": f"{chance.getrandbits(160):040x}",
                     "message": " ".join(chance.choices(words, k=8))}
                    for _ in range(chance.randrange(3))]},
                "public": True, "created_at": f"2026-01-{1 + count % 28:02}T10:00:00Z",
            }
            written += file.write((",\n" if count else "\n") + json.dumps(event))
            count += 1
        file.write("\n]\n")
    return count


def key_of(number):
    return f"e{number:08}"


class Parsed:
    """A package that parses the whole dump."""

    def __init__(self, dump, directory, load):
        self.dump, self.load, self.index = dump, load, None

    def records(self):
        with open(self.dump, "rb") as file:
            return self.load(file.read())

    def one(self, key):
        return next(each for each in self.records() if each["id"] == key)

    first = again = one

    def many(self, keys):
        index = {each["id"]: each for each in self.records()}
        return [index[key] for key in keys]

    def filter(self):
        return [each for each in self.records() if each["payload"]["size"] >= BOUND]

    def dicts(self):
        return iter(self.records())

    def field(self):
        return [each["type"] for each in self.records()]


class Ijson(Parsed):
    def records(self):
        import ijson
        with open(self.dump, "rb") as file:
            # Python floats instead of decimals, which are also faster.
            yield from ijson.items(file, "item", use_float=True)

    def field(self):
        import ijson
        with open(self.dump, "rb") as file:
            return list(ijson.items(file, "item.type"))


class FeedCore:
    def __init__(self, dump, directory):
        import feedcore
        self.feedcore, self.dump, self.path = feedcore, dump, os.path.join(directory, "feeds")

    def first(self, key):
        with self.feedcore.open(self.path) as store:
            store.ingest(self.dump, feed="events", key="id")
            return store["events"][key]

    def again(self, key):
        self.store = self.feedcore.open(self.path, "r")
        self.feed = self.store["events"]
        return self.feed[key]

    def many(self, keys):
        return [self.feed[key] for key in keys]

    def filter(self):
        return list(self.feed.where(f"payload.size >= {BOUND}"))

    def dicts(self):
        return iter(self.feed)

    def field(self):
        return list(self.feed.values("type"))


class DuckDB:
    def __init__(self, dump, directory):
        import duckdb
        self.duckdb, self.dump, self.path = duckdb, dump, os.path.join(directory, "events.duckdb")

    def first(self, key):
        with self.duckdb.connect(self.path) as base:
            base.execute(f"create or replace table t as select * from read_json('{self.dump}')")
            return self.dict_of(base.execute("select * from t where id = ?", [key]))

    @staticmethod
    def dict_of(result):
        return dict(zip([each[0] for each in result.description], result.fetchone()))

    def again(self, key):
        self.base = self.duckdb.connect(self.path, read_only=True)
        return self.dict_of(self.base.execute("select * from t where id = ?", [key]))

    def many(self, keys):
        return [self.dict_of(self.base.execute("select * from t where id = ?", [key]))
                for key in keys]

    def rows(self, condition=""):
        result = self.base.execute(f"select * from t {condition}")
        names = [each[0] for each in result.description]
        while rows := result.fetchmany(2000):
            yield from (dict(zip(names, row)) for row in rows)

    def filter(self):
        return list(self.rows(f"where payload.size >= {BOUND}"))

    def dicts(self):
        return self.rows()

    def field(self):
        return [row[0] for row in self.base.execute("select type from t").fetchall()]


class Lmdb:
    def __init__(self, dump, directory):
        import lmdb
        import orjson
        self.loads, self.dumps, self.dump = orjson.loads, orjson.dumps, dump
        self.base = lmdb.open(os.path.join(directory, "lmdb"), map_size=4 << 30)

    def first(self, key):
        with open(self.dump, "rb") as file:
            records = self.loads(file.read())
        with self.base.begin(write=True) as transaction:
            for each in records:
                transaction.put(each["id"].encode(), self.dumps(each))
        return self.again(key)

    def again(self, key):
        with self.base.begin() as transaction:
            return self.loads(transaction.get(key.encode()))

    def many(self, keys):
        return [self.again(key) for key in keys]

    def dicts(self):
        with self.base.begin(buffers=True) as transaction:
            for _, value in transaction.cursor():
                yield self.loads(value)

    def filter(self):
        return [each for each in self.dicts() if each["payload"]["size"] >= BOUND]

    def field(self):
        return [each["type"] for each in self.dicts()]


class Sqlite:
    def __init__(self, dump, directory):
        import sqlite3

        import orjson
        self.loads, self.dumps, self.dump = orjson.loads, orjson.dumps, dump
        self.base = sqlite3.connect(os.path.join(directory, "events.sqlite"))

    def first(self, key):
        with open(self.dump, "rb") as file:
            records = self.loads(file.read())
        self.base.execute("drop table if exists t")
        self.base.execute("create table t (id text primary key, size int, text text) without rowid")
        self.base.executemany("insert into t values (?, ?, ?)", (
            (each["id"], each["payload"]["size"], self.dumps(each).decode()) for each in records))
        self.base.commit()
        return self.again(key)

    def again(self, key):
        row = self.base.execute("select text from t where id = ?", [key]).fetchone()
        return self.loads(row[0])

    def many(self, keys):
        return [self.again(key) for key in keys]

    def dicts(self, condition=""):
        return (self.loads(row[0]) for row in self.base.execute(f"select text from t {condition}"))

    def filter(self):
        return list(self.dicts(f"where size >= {BOUND}"))

    def field(self):
        return [row[0] for row in self.base.execute("select json_extract(text, '$.type') from t")]


def load_of(package):
    if package == "orjson":
        import orjson
        return orjson.loads
    if package == "msgspec":
        import msgspec
        return msgspec.json.decode
    return json.loads


def subject(package, dump, directory):
    classes = {"feedcore": FeedCore, "duckdb": DuckDB, "lmdb": Lmdb, "sqlite3": Sqlite}
    if package in classes:
        return classes[package](dump, directory)
    if package == "ijson":
        import ijson  # noqa: F401, imported before the clock starts
        return Ijson(dump, directory, None)
    return Parsed(dump, directory, load_of(package))


def run_task(package, task, dump, directory, count):
    """Runs in its own process. Prints the times, an answer to compare, and the memory."""
    tool = subject(package, dump, directory)
    chosen = random.Random(11)
    keys = [key_of(chosen.randrange(count)) for _ in range(1000)]
    late = key_of(count * 9 // 10)
    if task not in ("first", "again") and not isinstance(tool, Parsed):
        # The store is open, as in a program that has read a record before.
        tool.again(keys[0])
    began, began_work = time.perf_counter(), time.process_time()
    if task in ("first", "again"):
        answer = getattr(tool, task)(late)["actor"]["login"]
    elif task == "thousand":
        answer = sum(each["payload"]["size"] for each in tool.many(keys))
    elif task == "filter":
        answer = len(tool.filter())
    elif task == "dicts":
        answer = 0
        for each in tool.dicts():
            answer += each["payload"]["size"]
    else:
        answer = sum(each == "Push" for each in tool.field())
    seconds, work = time.perf_counter() - began, time.process_time() - began_work
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    status = pathlib.Path("/proc/self/status").read_text()
    mapped = int(status.split("RssFile:")[1].split()[0]) / 1024
    print(json.dumps([seconds, work, answer, peak, mapped]))


def measure(packages, tasks, dump, directory, count, rounds):
    results, answers = {}, {}
    for task in tasks:
        for _ in range(rounds):
            for package in packages:
                run = subprocess.run(
                    [sys.executable, __file__, "--run", package, task, dump, directory, str(count)],
                    capture_output=True, text=True)
                if run.returncode != 0:
                    sys.exit(f"{package}, {task}: {run.stderr}")
                seconds, work, answer, peak, mapped = json.loads(run.stdout)
                results.setdefault((package, task), []).append((seconds, peak, mapped, work))
                if answers.setdefault(task, answer) != answer:
                    sys.exit(f"{package}, {task}: the answer is {answer}, not {answers[task]}")
    return results


def shown(seconds):
    return f"{seconds:.2f} s" if seconds >= 1 else f"{seconds * 1000:.3g} ms"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--megabytes", type=int, default=100)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", choices=TASKS)
    parser.add_argument("--json", help="a file for the figures")
    arguments = parser.parse_args()
    packages = [each for each in PACKAGES if subprocess.run(
        [sys.executable, "-c", f"import {each}"], capture_output=True).returncode == 0]
    tasks = [arguments.only] if arguments.only else TASKS
    with tempfile.TemporaryDirectory(prefix="feedcore-tasks.") as directory:
        dump = os.path.join(directory, "events.json")
        count = generate(dump, arguments.megabytes * 10**6)
        if "first" not in tasks:
            measure(packages, ["first"], dump, directory, count, 1)
        results = measure(packages, tasks, dump, directory, count, arguments.rounds)
    print(f"{count:,} records, {arguments.megabytes} MB; wall time / time of the processor, "
          f"peak memory (mapped pages)\n")
    print("| package | " + " | ".join(tasks) + " |\n|---|" + "--:|" * len(tasks))
    figures = []
    for package in packages:
        cells = []
        for task in tasks:
            runs = results[package, task]
            seconds = statistics.median(run[0] for run in runs)
            peak, mapped = max(run[1] for run in runs), max(run[2] for run in runs)
            work = statistics.median(run[3] for run in runs)
            cells.append(f"{shown(seconds)} / {shown(work)}, {peak:.0f} ({mapped:.0f}) MB")
            figures.append({"package": package, "task": task, "seconds": seconds,
                            "cpu_seconds": work, "peak_megabytes": peak, "mapped_megabytes": mapped})
        print(f"| {package} | " + " | ".join(cells) + " |")
    if arguments.json:
        pathlib.Path(arguments.json).write_text(json.dumps(figures, indent=1) + "\n")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--run"]:
        run_task(*sys.argv[2:6], int(sys.argv[6]))
    else:
        main()
