"""Tables as pandas, csvkit and DuckDB read them are equal to the source."""

import datetime
import json
import math
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile
import unittest
import urllib.request

import duckdb
import pandas

from served import EXAMPLES, Served

PROGRAM = os.environ["FEEDCORE"]
#: Texts that tables have to quote, or that readers may mistake for other values.
TEXTS = [
    "plain", "a,b", "a\tb", 'a "quoted" word', '"', '""', "two\nlines", "two\r\nlines", "a\rb",
    " spaces ", "é ß 中 \U0001F600", "'", "\\", "\\N", "a\\", "NULL", "null", "NaN", "NA", "n/a",
    "true", "1", "01", "1.0", "1e3", "=1+1", "#", "-", "{}", "[1,2]", "\ufeff", "\u2028",
    "2024-01-02", "x" * 5000,
]
EMPTY = [None, ""]
ODD_KEY = 'odd, "key"'
FORMS = {"csv": ",", "tsv": "\t"}


def make_records(source, count):
    """Records with columns of one type each, some of which have no value."""
    records = []
    for number in range(count):
        moment = datetime.datetime(2024, 1, 1) + datetime.timedelta(seconds=number * 7919)
        record = {
            "id": number,
            "text": source.choice(TEXTS + EMPTY),
            "size": source.choice([0, -1, 7, 2 ** 53 + 1, -2 ** 63, 2 ** 63 - 1]),
            "ratio": source.choice([0.1, -2.5, 1e300, 5e-324, 0.30000000000000004, 3.0, None]),
            "is_new": source.choice([True, False]),
            "at": moment.isoformat() + "Z",
            "tags": source.sample(TEXTS, source.randrange(3)),
            "place": source.choice([None, {"city": source.choice(TEXTS), "at": [1, 2.5]}]),
            ODD_KEY: source.choice(TEXTS),
        }
        if number and source.randrange(10) == 0:
            del record["ratio"]
        records.append(record)
    return records


def value(record, column):
    """The value of a record in a column. Its name is a path: a.b, or /a for an odd key."""
    keys = [column[1:]] if column.startswith("/") else column.split(".")
    for key in keys:
        record = (record or {}).get(key)
    return record


def cell(value, null):
    """The text of a value, or a container."""
    if value is None:
        return null
    return value if isinstance(value, (str, dict, list)) else json.dumps(value)


def with_line_feeds(cell):
    """A cell as csvkit reads it: it opens files with universal line ends."""
    return re.sub("\r\n?", "\n", cell) if isinstance(cell, str) else cell


class TableTests(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        directory = tempfile.TemporaryDirectory(prefix="feedcore-tables.")
        cls.addClassCleanup(directory.cleanup)
        cls.directory = pathlib.Path(directory.name)
        cls.served = Served(PROGRAM, cls.directory)
        cls.feeds = {"made": make_records(random.Random(1), 1000)}
        cls.served.ingest(cls.feeds["made"], "made")
        for name in ("news", "characters", "universities"):
            cls.served.run("ingest", EXAMPLES / f"{name}.json", "--feed", name)
            cls.feeds[name] = cls.lines(name)
        cls.addClassCleanup(cls.served.stop)
        cls.served.start()

    @classmethod
    def lines(cls, name):
        output = subprocess.run(
            [PROGRAM, "export", name, "--format", "ndjson", "--store", cls.served.store],
            check=True, stdout=subprocess.PIPE).stdout
        return [json.loads(line) for line in output.decode().split("\n")[:-1]]

    def tables(self):
        """The records of each feed, and their table, which is the same on both interfaces."""
        for name, records in self.feeds.items():
            for form, separator in FORMS.items():
                paths = [self.directory / f"{name}.{form}", self.directory / f"{name}-http.{form}"]
                self.served.run("export", name, "--format", form, "--output", paths[0])
                url = f"{self.served.url}/feeds/{name}?format={form}"
                with urllib.request.urlopen(url, timeout=20) as answer:
                    paths[1].write_bytes(answer.read())
                self.assertEqual(paths[0].read_bytes(), paths[1].read_bytes())
                yield records, paths[0], separator

    def compare(self, columns, rows, records, null, read=lambda cell: cell):
        keys = {key for record in records for key in record}
        self.assertEqual({self.first_key(column) for column in columns}, keys)
        for row, record in zip(rows, records, strict=True):
            values = [value(record, name) for name in columns]
            found = [
                json.loads(text) if isinstance(value, (dict, list)) else text
                for text, value in zip(row, values)]
            self.assertEqual(found, [read(cell(value, null)) for value in values])

    @staticmethod
    def first_key(column):
        return column[1:] if column.startswith("/") else column.partition(".")[0]

    def test_pandas(self):
        for records, path, separator in self.tables():
            with self.subTest(path.name):
                frame = pandas.read_csv(path, sep=separator, dtype=str, keep_default_na=False)
                self.compare(frame.columns, frame.to_numpy().tolist(), records, "")

    def test_csvkit(self):
        for records, path, separator in self.tables():
            with self.subTest(path.name):
                # By default, csvkit guesses the form and the types, and reads some texts as null.
                output = subprocess.run(
                    [sys.executable, "-m", "csvkit.utilities.csvjson", "--delimiter", separator,
                     "--snifflimit", "0", "--no-inference", "--blanks", path],
                    check=True, stdout=subprocess.PIPE).stdout
                found = json.loads(output)
                rows = [["" if cell is None else cell for cell in row.values()] for row in found]
                self.compare(list(found[0]), rows, records, "", with_line_feeds)

    def test_duckdb(self):
        for records, path, separator in self.tables():
            with self.subTest(path.name):
                # DuckDB distinguishes a missing value from an empty text.
                found = duckdb.sql(
                    f"SELECT * FROM read_csv('{path}', delim = '{separator}', header = true,"
                    " quote = '\"', escape = '\"', all_varchar = true,"
                    " allow_quoted_nulls = false)")
                self.compare(found.columns, found.fetchall(), records, None)

    def test_types_are_found(self):
        records = self.feeds["made"]
        for _, path, separator in self.tables():
            if not path.name.startswith("made"):
                continue
            with self.subTest(path.name):
                frame = pandas.read_csv(path, sep=separator, parse_dates=["at"])
                for name, kind in (("id", "int64"), ("size", "int64"), ("ratio", "float64"),
                                   ("is_new", "bool")):
                    self.assertEqual(str(frame[name].dtype), kind)
                ours = zip(*(frame[name] for name in ("id", "size", "ratio", "is_new", "at")))
                self.compare_values(ours, records)
                found = duckdb.sql(
                    "SELECT id, size, ratio, is_new, epoch_us(\"at\") / 1e6,"
                    " json_array_length(tags::JSON), place::JSON ->> '$.city'"
                    f" FROM read_csv('{path}', delim = '{separator}', header = true,"
                    " quote = '\"', escape = '\"', allow_quoted_nulls = false)")
                rows = found.fetchall()
                self.compare_values((row[:5] for row in rows), records)
                self.assertEqual(
                    [row[5:] for row in rows],
                    [(len(r["tags"]), r["place"] and r["place"]["city"]) for r in records])

    def compare_values(self, rows, records):
        for (number, size, ratio, is_new, at), record in zip(rows, records, strict=True):
            self.assertEqual((number, size), (record["id"], record["size"]))
            if record.get("ratio") is None:
                self.assertTrue(ratio is None or math.isnan(ratio))
            else:
                self.assertEqual(ratio, record["ratio"])
            self.assertEqual(bool(is_new), record["is_new"])
            seconds = at.timestamp() if hasattr(at, "timestamp") else at
            self.assertEqual(seconds, datetime.datetime.fromisoformat(record["at"]).timestamp())

    def test_a_row_without_values_is_a_row(self):
        self.served.ingest([{"id": 1, "a": "x"}, {"id": 2}, {"id": 3, "a": None}], "gaps")
        path = self.directory / "gaps.csv"
        self.served.run("export", "gaps", "--format", "csv", "--fields", "a", "--output", path)
        frame = pandas.read_csv(path, dtype=str, keep_default_na=False)
        self.assertEqual(frame["a"].tolist(), ["x", "", ""])
        found = duckdb.sql(f"SELECT * FROM read_csv('{path}', header = true)").fetchall()
        self.assertEqual(len(found), 3)


if __name__ == "__main__":
    unittest.main()
