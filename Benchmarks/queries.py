"""Measures queries of a feed against other programs that query JSON.

    queries.py FEEDCORE FILE.ndjson [--rounds N] [--python PYTHON]

FILE has GitHub events, one a line. FeedCore, DuckDB and SQLite query data that they loaded before;
jq reads the file each time. The programs run each query in turn. The figure is the median of the
whole process, including its start. A ratio above 1 means that FeedCore takes less time.
PYTHON has duckdb. SQLite is Python's own, queried with its JSON functions. If PYTHON has
sqlite-utils, it queries SQLite too. If PYTHON has datasette, `datasette` and `feedcore serve` also
answer the queries over HTTP, without the start of a process. With wrk, requests by key are timed
during 50 concurrent scans. Compares the answers, and ends with 1 if one differs.
"""

import argparse
import contextlib
import csv
import functools
import http.client
import io
import json
import os
import re
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.parse

DUCK = """
import duckdb, sys
print(*(" ".join(map(str, row)) for row in duckdb.connect(sys.argv[1], read_only=True)
        .execute(sys.argv[2]).fetchall()), sep="\\n")
"""
LITE = """
import sqlite3, sys
for row in sqlite3.connect(sys.argv[1]).execute(sys.argv[2]): print(*row)
"""
LITE_CSV = """
import csv, sqlite3, sys
csv.writer(sys.stdout).writerows(sqlite3.connect(sys.argv[1]).execute(sys.argv[2]))
"""
# The columns of the export as CSV.
COLUMNS = ["id", "type", "actor.login", "payload.size"]


def questions(rare_id):
    """Queries by name: FeedCore's arguments, jq's filter, and the SQL of DuckDB and SQLite."""
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
        "export as CSV": (
            None, None,
            f"copy (select {', '.join(COLUMNS)} from t) to '/dev/stdout' (format csv, header false)",
            "select " + ", ".join(f"json_extract(text, '$.{path}')" for path in COLUMNS) + " from t"),
    }


def commands(question, options, store, duck, lite):
    """The command of each program for a query. A query without words exports all records."""
    words, jq, sql, lite_sql = question
    ours = ["show", "t", *words] if words else [
        "export", "t", "--format", "csv", "--fields", ",".join(COLUMNS)]
    found = {
        "feedcore": [options.program, *ours, "--store", store],
        "duckdb": [options.python, "-c", DUCK, duck, sql],
        "sqlite": [options.python, "-c", LITE if words else LITE_CSV, lite, lite_sql],
    }
    if has_module(options.python, "sqlite_utils"):
        found["sqlite-utils"] = [
            options.python, "-m", "sqlite_utils", "query", lite, lite_sql, "--csv", "--no-headers"]
    if jq:
        found["jq"] = ["sh", "-c", 'jq -c "$1" "$2" | wc -l', "sh", jq, options.file]
    elif not words:
        paths = ", ".join(f".{path}" for path in COLUMNS)
        found["jq"] = ["jq", "-r", f"[{paths}] | @csv", options.file]
    return found


@functools.cache
def has_module(python, name):
    found = f"import importlib.util as u, sys; sys.exit(u.find_spec({name!r}) is None)"
    return subprocess.run([python, "-c", found], check=False).returncode == 0


def timed(command):
    start = time.monotonic()
    done = subprocess.run(command, capture_output=True, check=True)
    return time.monotonic() - start, done.stdout.decode()


def answer(name, output):
    """The part of the output that must be equal for all programs."""
    if name.startswith("export"):
        return rows(output)
    lines = output.replace("\r", "").strip().split("\n")
    if name.startswith("top"):
        return sorted((line for line in lines if line.isdigit()), key=int)
    if name.startswith("distinct"):
        pairs = (line.replace(",", " ").split() for line in lines)
        return sorted(tuple(pair) for pair in pairs if pair[-1].isdigit())
    return int(lines[0])


def rows(text):
    """The rows of CSV, without a header and without the row count that DuckDB prints at the end."""
    lines = csv.reader(io.StringIO(text, newline=""))
    return [row for row in lines if len(row) == len(COLUMNS) and row != COLUMNS]


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
    for name, question in questions(rare_id).items():
        asked = commands(question, options, store, duck, lite)
        times = {peer: [] for peer in asked}
        answers = {}
        for _ in range(options.rounds):
            for peer, command in asked.items():
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
    if has_module(options.python, "datasette"):
        failed |= measure_http(options, questions(rare_id), store, lite)
    if shutil.which("wrk"):
        measure_beside_scans(options, rare_id, store)
    return failed


# Over HTTP


@contextlib.contextmanager
def serving(command, port):
    """Runs a server, and yields when its port accepts connections."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        for _ in range(600):
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    break
            if process.poll() is not None:
                sys.exit(f"{command[0]} ended with {process.returncode}")
            time.sleep(0.05)
        yield
    finally:
        process.terminate()
        process.wait(30)


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def fetch(port, path, has_more_pages):
    """The seconds until the last byte of one page or of all pages, and the texts of the pages."""
    start, pages = time.monotonic(), []
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=300)
    while path:
        connection.request("GET", path)
        reply = connection.getresponse()
        body = reply.read().decode()
        if reply.status != 200:
            sys.exit(f"{path}: {reply.status} {body[:200]}")
        pages.append(body)
        following = re.search(r'<([^>]*)>; *rel="?next', reply.headers.get("Link", ""))
        path = following and has_more_pages and following[1]
    connection.close()
    return time.monotonic() - start, pages


def path_of(words):
    """The path of `feedcore serve` for the words of a command."""
    if words is None:
        return "/feeds/t?" + urllib.parse.urlencode(
            {"format": "csv", "fields": ",".join(COLUMNS), "limit": 1000})
    options = dict(zip(words, words[1:]))
    if "--distinct" in options:
        return f"/feeds/t/distinct?path={options['--distinct']}"
    names = ("--where", "--sort", "--limit", "--fields")
    query = {name[2:]: options[name] for name in names if name in options}
    if "--count" in words:
        return "/feeds/t/count?" + urllib.parse.urlencode(query)
    return "/feeds/t?" + urllib.parse.urlencode(query | {"format": "csv"})


def measure_http(options, asked, store, lite):
    """Measures `feedcore serve` and `datasette` in turn."""
    ports = {"feedcore": free_port(), "datasette": free_port()}
    ours = [options.program, "serve", "--store", store, "--query-timeout", "60",
            "--http", f"127.0.0.1:{ports['feedcore']}"]
    theirs = [options.python, "-m", "datasette", lite, "-p", str(ports["datasette"]),
              "--setting", "sql_time_limit_ms", "300000",
              "--setting", "max_returned_rows", "100000000"]
    failed = 0
    with serving(ours, ports["feedcore"]), serving(theirs, ports["datasette"]):
        for name, (words, _, _, sql) in asked.items():
            paths = {"feedcore": path_of(words),
                     "datasette": "/lite.csv?" + urllib.parse.urlencode({"sql": sql})}
            times, answers = {peer: [] for peer in paths}, {}
            for _ in range(options.rounds):
                for peer, path in paths.items():
                    seconds, pages = fetch(ports[peer], path, words is None)
                    times[peer].append(seconds)
                    answers[peer] = http_answer(name, pages)
            own, other = (statistics.median(times[peer]) for peer in paths)
            wrong = answers["feedcore"] != answers["datasette"]
            failed |= wrong
            print(f"over HTTP, {name}: {own * 1000:.1f} ms; datasette {other / own:.2f}"
                  + ("; another answer" if wrong else ""), flush=True)
    return failed


def measure_beside_scans(options, rare_id, store):
    """Prints the p99 of 50 concurrent GETs by key, alone and during 50 scans without a match."""
    port = free_port()
    where = urllib.parse.urlencode({"where": "type = NoSuchEvent"})
    scans = {
        "counts": f"/feeds/t/count?{where}", "pages": f"/feeds/t?{where}",
        "streams": f"/feeds/t?{where}&format=ndjson",
    }
    server = [options.program, "serve", "--store", store, "--query-timeout", "60",
              "--http", f"127.0.0.1:{port}"]
    with serving(server, port):
        for name, path in scans.items():
            alone, beside = [], []
            for _ in range(options.rounds):
                alone.append(p99_by_key(port, rare_id))
                with scanning(port, path):
                    beside.append(p99_by_key(port, rare_id))
            alone, beside = statistics.median(alone), statistics.median(beside)
            print(f"GET by key beside {name}: p99 {beside:.2f} ms, alone {alone:.2f} ms, "
                  f"ratio {beside / alone:.2f}", flush=True)


@contextlib.contextmanager
def scanning(port, path):
    """Runs 50 scans at once. At the end waits for the scans that the server still runs."""
    address = f"http://127.0.0.1:{port}{path}"
    process = subprocess.Popen(
        ["wrk", "-t1", "-c50", "-d600", "--timeout", "60", address], stdout=subprocess.DEVNULL)
    try:
        time.sleep(1)
        yield
    finally:
        process.terminate()
        process.wait(30)
        fetch(port, path, False)


def p99_by_key(port, key):
    """The 99th percentile of GETs by key, in milliseconds."""
    address = f"http://127.0.0.1:{port}/feeds/t/records/{key}"
    done = subprocess.run(
        ["wrk", "-t1", "-c50", "-d3", "--latency", address], capture_output=True, check=True)
    if b"Non-2xx" in done.stdout:
        sys.exit(f"{address}: {done.stdout.decode()}")
    number, unit = re.search(r"99%\s+([\d.]+)(us|ms|s)", done.stdout.decode()).groups()
    return float(number) * {"us": 0.001, "ms": 1, "s": 1000}[unit]


def http_answer(name, pages):
    """The part of the pages that must be equal for both servers. Each CSV page has a header."""
    if pages[0].startswith("{"):
        reply = json.loads(pages[0])
        if name.startswith("distinct"):
            return sorted((value["value"], str(value["count"])) for value in reply["values"])
        return reply["count"]
    text = "".join(page.split("\n", 1)[1] for page in pages)
    return answer(name, text)


if __name__ == "__main__":
    main()
