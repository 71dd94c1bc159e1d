"""Queries give what a naive evaluation gives, on the command line."""

import csv
import io
import os
import random
import subprocess
import tempfile
import unittest

import query_cases as cases
import query_reference as reference

PROGRAM = os.environ["FEEDCORE"]
ROUNDS = int(os.environ.get("FEEDCORE_QUERY_ROUNDS", "40"))


class QueryTests(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.directory = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.directory.cleanup)

    def run_program(self, *arguments, expected=0):
        done = subprocess.run(
            [PROGRAM, *arguments, "--store", self.directory.name + "/store"], capture_output=True)
        self.assertEqual(done.returncode, expected, (arguments, done.stderr))
        return done.stdout

    def ingest(self, random, name):
        """A feed of random documents; returns its records."""
        records = [cases.record(random, number) for number in range(random.randrange(1, 60))]
        path = f"{self.directory.name}/{name}.json"
        with open(path, "w", encoding="utf-8") as file:
            file.write("[" + ",\n".join(cases.spelled(random, r) for r in records) + "]")
        options = random.choice([[], ["--index", "a"], ["--index", "name", "--index", "tags"]])
        self.run_program("ingest", path, "--feed", name, "--kind", "json", "--key", "id", *options)
        return records

    def test_random_queries(self):
        for seed in range(ROUNDS):
            source = random.Random(seed)
            name = f"feed{seed}"
            records = self.ingest(source, name)
            for _ in range(8):
                with self.subTest(seed=seed):
                    self.compare(source, name, records)

    def compare(self, source, name, records):
        conditions = [cases.condition(source) for _ in range(source.randrange(3))]
        sort = [
            (cases.path(source, any_element=False), source.randrange(2) == 1)
            for _ in range(source.choice([0, 0, 1, 2]))
        ]
        offset, limit = source.choice([0, 0, 3]), source.choice([1, 5, 1000])
        paths = [cases.path(source) for _ in range(source.randrange(1, 4))]
        where = [part for c in conditions for part in ("--where", str(c))]
        order = [
            part for path, is_reversed in sort
            for part in ("--sort", ("-" if is_reversed else "") + reference.path_text(path))
        ]
        page = ["--offset", str(offset), "--limit", str(limit)]
        query = (str([str(c) for c in conditions]), order, page)

        found = reference.select(records, conditions, sort, offset, limit)
        lines = self.lines("show", name, *where, *order, *page, "--format", "ndjson")
        self.assertEqual(lines, [reference.write(records[p]) for p in found], query)

        names = ",".join(map(reference.path_text, paths))
        lines = self.lines(
            "show", name, *where, *order, *page, "--format", "ndjson", "--fields", names)
        expected = [reference.project(records[p], paths) for p in found]
        self.assertEqual(lines, [reference.write(r) for r in expected], (query, names))

        count = self.run_program("show", name, *where, "--count")
        every = reference.select(records, conditions)
        self.assertEqual(int(count), len(every), query)

        exported = self.lines("export", name, *where, "--format", "ndjson")
        self.assertEqual(exported, [reference.write(records[p]) for p in every], query)

        path = cases.path(source)
        lines = self.lines(
            "show", name, *where, "--distinct", reference.path_text(path), "--format", "ndjson",
            "--limit", "100000")
        pairs = [(r["value"], int(r["count"].text)) for r in map(reference.read, lines)]
        # Containers are distinct by their texts, which the reference does not have.
        scalars = [
            (reference.write(v), count) for v, count in pairs if not isinstance(v, (dict, list))]
        self.assertEqual(
            scalars, reference.distinct(records, conditions, path),
            (query, reference.path_text(path)))

        self.compare_csv(name, where, names, [records[p] for p in every], paths)

    def compare_csv(self, name, where, names, records, paths):
        for form, delimiter in (("csv", ","), ("tsv", "\t")):
            output = self.run_program(
                "export", name, *where, "--format", form, "--fields", names, "--null", "NULL")
            rows = list(
                csv.reader(io.StringIO(output.decode(), newline=""), delimiter=delimiter))
            self.assertEqual(len(rows), len(records) + 1)
            for row, record in zip(rows[1:], records):
                self.assertEqual(
                    [uniform(c, record, path) for c, path in zip(row, paths)],
                    [cell(record, path) for path in paths], names)

    def lines(self, *arguments):
        """The lines of an output, in the writing of the reference."""
        output = self.run_program(*arguments).decode()
        return [reference.write(reference.read(line)) for line in output.split("\n")[:-1]]


def uniform(text, record, path):
    """A cell, with the text of a container in the writing of the reference."""
    found = reference.values(record, path)
    if None in path or found and isinstance(found[0], (dict, list)):
        return reference.write(reference.read(text))
    return text


def cell(record, path):
    """A value as a cell has it."""
    found = reference.values(record, path)
    if None in path:
        return reference.write(found)
    if not found or found[0] is None:
        return "NULL"
    return found[0] if isinstance(found[0], str) else reference.write(found[0])


if __name__ == "__main__":
    unittest.main()
