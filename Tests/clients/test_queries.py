"""Queries give what a naive evaluation gives, on the command line and over HTTP.

FEEDCORE_QUERY_ROUNDS is the number of random feeds.
"""

import csv
import http.client
import io
import os
import pathlib
import random
import subprocess
import tempfile
import unittest
import urllib.parse

import query_cases as cases
import query_reference as reference
from served import EXAMPLES, Served

PROGRAM = os.environ["FEEDCORE"]
ROUNDS = int(os.environ.get("FEEDCORE_QUERY_ROUNDS", "12"))
QUERIES_A_FEED = 8
#: The number of records of a feed that several threads read.
MANY = 10_000
KINDS = ["characters", "comments", "feed", "news", "universities"]


class QueryCase(unittest.TestCase):
    """A test with its own store, and with the same queries on each interface."""

    @classmethod
    def setUpClass(cls):
        directory = tempfile.TemporaryDirectory(prefix="feedcore-queries.")
        cls.addClassCleanup(directory.cleanup)
        cls.directory = pathlib.Path(directory.name)
        cls.served = Served(PROGRAM, cls.directory)

    def run_program(self, *arguments):
        done = subprocess.run(
            [PROGRAM, *arguments, "--store", self.served.store], capture_output=True, check=False)
        self.assertEqual(done.returncode, 0, (arguments, done.stderr))
        return done.stdout

    def ingest(self, random, name, count=None, longest=0):
        """Ingests a feed of random documents; returns its records."""
        count = count or random.randrange(1, 60)
        records = [cases.record(random, number) for number in range(count)]
        for record in records:
            if longest and isinstance(record, dict):
                record["long"] = "l" * random.randrange(longest)
        path = self.directory / f"{name}.json"
        path.write_text(
            "[" + ",\n".join(cases.spelled(random, r) for r in records) + "]", encoding="utf-8")
        options = random.choice([[], ["--index", "a"], ["--index", "name", "--index", "tags"]])
        self.run_program("ingest", path, "--feed", name, "--kind", "json", "--key", "id", *options)
        return records

    def compare_random_documents(self):
        for seed in range(ROUNDS):
            source = random.Random(seed)
            name = f"feed{seed}"
            records = self.ingest(source, name)
            for _ in range(QUERIES_A_FEED):
                with self.subTest(seed=seed):
                    self.compare(source, name, cases.Query(source, records))

    def compare_many_records(self):
        source = random.Random(1)
        records = self.ingest(source, "many", MANY, longest=4000)
        for _ in range(max(ROUNDS // 3, 1)):
            with self.subTest():
                self.compare(source, "many", cases.Query(source, records))

    def compare_contracts(self, queries):
        for name in KINDS:
            self.run_program("ingest", EXAMPLES / f"{name}.json", "--feed", name)
            # The store writes records by their contract, so its own export is the reference.
            output = self.run_program("export", name, "--format", "ndjson").decode()
            known = cases.Known([reference.read(line) for line in output.split("\n")[:-1]])
            source = random.Random(name)
            for _ in range(queries):
                with self.subTest(name):
                    self.compare(source, name, known.query(source))

    def compare_distinct(self, pairs, query, is_whole=True):
        """Ignores containers, which are distinct by texts that the reference does not have."""
        scalars = [
            (reference.write(value), int(count.text)) for value, count in pairs
            if not isinstance(value, (dict, list))
        ]
        expected = query.distinct()
        self.assertEqual(
            scalars, expected if is_whole else expected[:len(scalars)], str(query))

    def compare_table(self, text, delimiter, query, records, null=""):
        rows = list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter))
        self.assertEqual(rows[0], [reference.path_text(path) for path in query.paths])
        self.assertEqual(len(rows), len(records) + 1, str(query))
        for row, record in zip(rows[1:], records):
            self.assertEqual(
                [uniform(c, record, path) for c, path in zip(row, query.paths)],
                [cell(record, path, null) for path in query.paths], str(query))

    @staticmethod
    def lines(text):
        """Lines of JSON as the reference writes them."""
        return [reference.write(reference.read(line)) for line in text.split("\n")[:-1]]

    def compare_records(self, found, expected, query):
        self.assertEqual(found, [reference.write(record) for record in expected], str(query))

    @staticmethod
    def projected(records, query):
        return [reference.project(record, query.paths) for record in records]


class CommandLineTests(QueryCase):
    def test_random_documents(self):
        self.compare_random_documents()

    def test_records_of_contracts(self):
        self.compare_contracts(queries=4)

    def test_many_records(self):
        self.compare_many_records()

    def compare(self, source, name, query):
        where = [part for text in query.where for part in ("--where", text)]
        order = [f"--sort={text}" for text in query.order]
        page = ["--offset", str(query.offset), "--limit", str(query.limit)]
        found = query.found(query.offset, query.limit)
        matches = query.matches()

        output = self.run_program("show", name, *where, *order, *page, "--format", "ndjson")
        self.compare_records(self.lines(output.decode()), found, query)
        output = self.run_program(
            "show", name, *where, *order, *page, "--format", "ndjson", "--fields", query.fields)
        self.compare_records(self.lines(output.decode()), self.projected(found, query), query)
        output = self.run_program("export", name, *where, "--format", "ndjson")
        self.compare_records(self.lines(output.decode()), matches, query)

        count = self.run_program("show", name, *where, "--count")
        self.assertEqual(int(count), len(matches), str(query))
        output = self.run_program(
            "show", name, *where, "--distinct", reference.path_text(query.distinct_path),
            "--format", "ndjson", "--limit", "100000")
        values = [reference.read(line) for line in output.decode().split("\n")[:-1]]
        self.compare_distinct([(line["value"], line["count"]) for line in values], query)

        form, delimiter = source.choice([("csv", ","), ("tsv", "\t")])
        output = self.run_program(
            "export", name, *where, "--format", form, "--fields", query.fields, "--null", "NULL")
        self.compare_table(output.decode(), delimiter, query, matches, null="NULL")


class HTTPTests(QueryCase):
    TYPES = {
        "json": "application/json", "ndjson": "application/x-ndjson", "csv": "text/csv",
        "tsv": "text/tab-separated-values",
    }

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.addClassCleanup(cls.served.stop)
        cls.served.run("ingest", EXAMPLES / "news.json", "--feed", "first")
        cls.served.start()
        cls.connection = http.client.HTTPConnection(
            urllib.parse.urlsplit(cls.served.url).netloc, timeout=20)
        cls.addClassCleanup(cls.connection.close)

    def test_random_documents(self):
        self.compare_random_documents()

    def test_records_of_contracts(self):
        self.compare_contracts(queries=40)

    def test_many_records(self):
        self.compare_many_records()

    def get(self, target, accept="*/*"):
        """The fields and the text of an answer."""
        self.connection.request("GET", target, headers={"Accept": accept})
        answer = self.connection.getresponse()
        body = answer.read().decode()
        self.assertEqual(answer.status, 200, (target, body))
        return answer.headers, body

    def ask(self, source, path, items):
        """The target of a resource with parameters, which are escaped in one of the usual ways."""
        quote = source.choice([urllib.parse.quote, urllib.parse.quote_plus])
        query = "&".join(f"{name}={quote(str(value), safe='')}" for name, value in items)
        return path + ("?" + query if query else "")

    def compare(self, source, name, query):
        where = [("where", text) for text in query.where]
        order = [("sort", text) for text in query.order]
        matches = query.matches()

        _, text = self.get(self.ask(source, f"/feeds/{name}/count", where))
        self.assertEqual(
            reference.write(reference.read(text)),
            f'{{"count":{len(matches)},"total":{len(query.records)}}}', str(query))
        path = [("path", reference.path_text(query.distinct_path)), ("limit", 1000)]
        _, text = self.get(self.ask(source, f"/feeds/{name}/distinct", where + path))
        distinct = reference.read(text)
        count, values = int(distinct["distinct"].text), distinct["values"]
        self.assertEqual(len(values), min(count, 1000))
        self.compare_distinct(
            [(value["value"], value["count"]) for value in values], query, count == len(values))

        self.compare_pages(source, name, query, where + order)
        self.compare_streams(source, name, query, where)

    def compare_pages(self, source, name, query, items):
        """Compares all pages of records or of their values. Each page links to the next."""
        form = source.choice(["json", "json", "ndjson"])
        limit = 1000 if len(query.records) == MANY else source.choice([1, 2, 7, 1000])
        fields = source.choice([[], [("fields", query.fields)]])
        items = [*items, *fields, ("limit", limit), ("format", form)]
        if query.offset or not items:
            items.append(("offset", query.offset))
        target, found = self.ask(source, f"/feeds/{name}", items), []
        while target:
            head, text = self.get(target)
            link = head["Link"]
            target = link and link.removeprefix("<").removesuffix('>; rel="next"')
            if form == "json":
                page = reference.read(text)
                self.assertEqual(page.get("next"), target)
                records = [reference.write(record) for record in page["records"]]
            else:
                records = self.lines(text)
            self.assertLessEqual(len(records), limit)
            # A page of large records ends before its limit.
            is_full = len(records) == limit or len(text.encode()) >= 1 << 20
            self.assertTrue(is_full or not target, str(query))
            found += records
        expected = query.found(query.offset)
        self.compare_records(
            found, self.projected(expected, query) if fields else expected, query)

    def compare_streams(self, source, name, query, where):
        """Compares all matching records in each streamed format."""
        matches = query.matches()[query.offset:]
        fields = [("fields", query.fields)]
        offset = [("offset", query.offset)]
        for form in ("ndjson", "csv", "tsv"):
            items, accept = where + offset + fields, self.TYPES[form]
            if source.randrange(2):
                items, accept = [*items, ("format", form)], "*/*"
            head, text = self.get(self.ask(source, f"/feeds/{name}", items), accept)
            self.assertEqual(head["Content-Type"].partition(";")[0], self.TYPES[form])
            if form == "ndjson":
                self.compare_records(self.lines(text), self.projected(matches, query), query)
            else:
                self.compare_table(text, "," if form == "csv" else "\t", query, matches)


def uniform(text, record, path):
    """A cell, with the text of a container as the reference writes it."""
    found = reference.values(record, path)
    if None in path or found and isinstance(found[0], (dict, list)):
        return reference.write(reference.read(text))
    return text


def cell(record, path, null):
    """The text of a value in a cell."""
    found = reference.values(record, path)
    if None in path:
        return reference.write(found)
    if not found or found[0] is None:
        return null
    return found[0] if isinstance(found[0], str) else reference.write(found[0])


if __name__ == "__main__":
    unittest.main()
