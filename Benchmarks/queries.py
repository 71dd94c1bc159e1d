"""Measures queries of a feed against the programs that people ask JSON with.

    queries.py FEEDCORE FILE.ndjson [--rounds N] [--python PYTHON]

FILE has GitHub events, one a line. FeedCore, DuckDB and SQLite ask what they have loaded before; jq
reads the file each time. Each question is asked in turn, and the figure is the median of the whole
process, its start included. A ratio above 1 means that FeedCore takes less time. Answers are compared.
PYTHON has duckdb; SQLite is that of Python, whose JSON functions answer.
Ends with 1 if an answer differs.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

DUCK = """
import duckdb, sys
print(*(" ".join(map(str, row)) for row in duckdb.connect(sys.argv[1], read_only=True)
        .execute(sys.argv[2]).fetchall()), sep="\\n")
"""
LITE = """
import sqlite3, sys
for row in sqlite3.connect(sys.argv[1]).execute(sys.argv[2]): print(*row)
"""


def questions(rare_id):
    """Names, FeedCore's words, jq's filter, and the SQL of DuckDB and of SQLite."""
    login = "json_extract(text, '$.actor.login')"
    size = "json_extract(text, '$.payload.size')"
    kind = "json_extract(text, '$.type')"
    return {
        "equality by index": (
            ["--count", "--where", f"id = {rare_id}"], f'select(.id == "{rare_id}")',
            f"select count(*) from t where id = '{rare_id}'",
            f"select count(*) from t where id = '{rare_id}'"),
        "equality by scan": (
            ["--count", "--where", "type = GollumEvent"], 'select(.type == "GollumEvent")',
            "select count(*) from t where type = 'GollumEvent'",
            f"select count(*) from t where {kind} = 'GollumEvent'"),
        "range": (
            ["--count", "--where", "payload.size >= 10"],
            'select((.payload.size | type) == "number" and .payload.size >= 10)',
            "select count(*) from t where payload.size >= 10",
            f"select count(*) from t where {size} >= 10"),
        "substring": (
            ["--count", "--where", "actor.login ~ smith"],
            'select(.actor.login? // "" | ascii_downcase | contains("smith"))',
            "select count(*) from t where actor.login ilike '%smith%'",
            f"select count(*) from t where {login} like '%smith%'"),
        "top 100 by a number": (
            ["--sort", "-payload.size", "--limit", "100", "--fields", "payload.size", "--format",
             "csv"], None,
            "select payload.size from t order by payload.size desc nulls last limit 100",
            f"select {size} as s from t order by s desc limit 100"),
        "distinct with counts": (
            ["--distinct", "type", "--format", "csv"], None,
            "select type, count(*) from t group by type",
            f"select {kind} as k, count(*) from t group by k"),
    }


def timed(command):
    start = time.monotonic()
    done = subprocess.run(command, capture_output=True, check=True)
    return time.monotonic() - start, done.stdout.decode()


def answer(name, output):
    """What all programs have to agree on."""
    lines = output.replace("\r", "").strip().split("\n")
    if name.startswith("top"):
        return sorted((line for line in lines if line.isdigit()), key=int)
    if name.startswith("distinct"):
        pairs = (line.replace(",", " ").split() for line in lines)
        return sorted(tuple(pair) for pair in pairs if pair[-1].isdigit())
    return int(lines[0])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("file")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--python", default=sys.executable)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as directory:
        sys.exit(measure(options, directory))


def measure(options, directory):
    store, duck, lite = (os.path.join(directory, name) for name in ("store", "duck.db", "lite.db"))
    with open(options.file, encoding="utf-8") as file:
        rare_id = json.loads(file.readline())["id"]
    size = os.path.getsize(options.file)
    print("load, seconds:", *(f"{name} {seconds:.2f}" for name, seconds in [
        ("feedcore", timed([options.program, "ingest", options.file, "--feed", "t", "--store",
                            store])[0]),
        ("duckdb", timed([options.python, "-c", f"import duckdb; duckdb.connect({duck!r}).execute("
                          f"\"create table t as from read_json_auto({options.file!r}, "
                          "maximum_object_size=100000000)\")"])[0]),
        ("sqlite", timed([options.python, "-c", "import json, sqlite3; "
                          f"c = sqlite3.connect({lite!r}); "
                          "c.execute('create table t (id text, text text)'); "
                          "c.executemany('insert into t values (?, ?)', ((json.loads(l)['id'], l) "
                          f"for l in open({options.file!r}))); "
                          "c.execute('create index i on t (id)'); c.commit()"])[0])]))
    failed = 0
    for name, (words, jq, sql, lite_sql) in questions(rare_id).items():
        commands = {
            "feedcore": [options.program, "show", "t", "--store", store, *words],
            "duckdb": [options.python, "-c", DUCK, duck, sql],
            "sqlite": [options.python, "-c", LITE, lite, lite_sql],
        }
        if jq:
            commands["jq"] = ["sh", "-c", 'jq -c "$1" "$2" | wc -l', "sh", jq, options.file]
        times = {peer: [] for peer in commands}
        answers = {}
        for _ in range(options.rounds):
            for peer, command in commands.items():
                seconds, output = timed(command)
                times[peer].append(seconds)
                answers[peer] = answer(name, output)
        ours = statistics.median(times["feedcore"])
        ratios = ", ".join(
            f"{peer} {statistics.median(all_times) / ours:.2f}"
            for peer, all_times in times.items() if peer != "feedcore")
        wrong = [peer for peer in answers if answers[peer] != answers["feedcore"]]
        failed |= bool(wrong)
        print(f"{name}: {ours * 1000:.1f} ms, {size / ours / 1e9:.2f} GB/s of the file; {ratios}"
              + (f"; other answers: {', '.join(wrong)}" if wrong else ""), flush=True)
    return failed


if __name__ == "__main__":
    main()
