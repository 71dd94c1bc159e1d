"""Tools that test a server by its own description: schemathesis and promtool.

The grammars of queries in the description are compared with what the server accepts.
"""

import base64
import http.client
import json
import pathlib
import random
import re
import subprocess
import sys
import unittest
import urllib.parse

from http_case import HTTPCase

PLACE = pathlib.Path(__file__).parent
DESCRIPTION = json.loads(
    (PLACE / "../../Sources/FeedServer/Resources/openapi.json").read_text(encoding="utf-8"))


class DescribedCase(HTTPCase):
    def ask_as_described(self, *options):
        """Lets schemathesis send requests that the description allows, and others."""
        finished = subprocess.run(
            [pathlib.Path(sys.executable).with_name("schemathesis"), "--config-file", PLACE / "schemathesis.toml",
             "run", "--no-color", "--checks", "all", *options,
             self.served.url + "/openapi.json"],
            cwd=self.directory, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            timeout=120)
        self.assertEqual(finished.returncode, 0, finished.stdout)
        [operations] = re.findall(r"Operations: +(\d+) selected / (\d+) total", finished.stdout)
        # It leaves out the path of the description itself.
        count = str(len(DESCRIPTION["paths"]) - 1)
        self.assertEqual(operations, (count, count))
        self.assertRegex(finished.stdout, r"\n *\d+ generated, \d+ passed")

    def outcomes(self, *options):
        """The statuses of the server's answers, by route."""
        text = self.curl("/metrics", *options).body.decode()
        counts = re.findall(
            r'feedcore_requests_total{protocol="http",route="(.*)",outcome="(.*)"} [1-9]', text)
        outcomes = {}
        for route, outcome in counts:
            outcomes.setdefault(route, set()).add(int(outcome))
        return outcomes


class OpenTests(DescribedCase):
    def test_schemathesis_finds_nothing(self):
        self.ask_as_described()
        # Each route has succeeded, and has not only refused requests.
        outcomes = self.outcomes()
        for route in self.curl("/openapi.json").json["paths"]:
            self.assertIn(200, outcomes[route], route)
        self.assertLessEqual({200, 206, 404, 405, 416}, outcomes["/images"])
        self.assertLessEqual({200, 400, 404, 405, 410}, outcomes["/feeds/{name}"])

    def test_promtool_finds_nothing(self):
        for path in ("/feeds/news", "/nothing", "/feeds?limit=1", "/images?url=x"):
            self.curl(path)
        answer = self.curl("/metrics")
        self.assertEqual(answer["content-type"], "text/plain; version=0.0.4; charset=utf-8")
        finished = subprocess.run(
            ["promtool", "check", "metrics"], input=answer.body, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT)
        self.assertEqual((finished.returncode, finished.stdout), (0, b""))
        self.assertIn(b'feedcore_feed_records{feed="news"} ', answer.body)


class GuardedTests(DescribedCase):
    """A server that requires credentials: with them everything is served, without them nothing."""

    password = "ann:secret"

    @classmethod
    def make_options(cls):
        file = cls.directory / "auth"
        file.touch(mode=0o600)
        file.write_text("ann:secret\ntoken\n")
        return ["--auth-file", file]

    def test_schemathesis_finds_no_way_around_the_password(self):
        self.ask_as_described("--auth", self.password, "--max-examples", "8")
        outcomes = self.outcomes("--user", self.password)
        described = self.curl("/openapi.json", "--user", self.password).json
        self.assertEqual(described["security"], [{"basic": []}, {"bearer": []}])
        # It always sends the password for the description, which it has to read.
        for route in set(described["paths"]) - {"/healthz", "/readyz", "/openapi.json"}:
            self.assertLessEqual({200, 401}, outcomes[route], route)

    def test_both_schemes_are_taken(self):
        basic = base64.b64encode(self.password.encode()).decode()
        for field, status in (
            (f"Basic {basic}", 200), ("Bearer token", 200), ("bearer  token", 200),
            ("Bearer other", 401), ("Basic !", 401), ("Basic", 401), ("Digest x", 401),
        ):
            for over in (None, self.socket):
                answer = self.curl("/feeds", "-H", f"Authorization: {field}", over=over)
                self.assertEqual(answer.status, status, field)
        self.assertEqual(self.curl("/feeds", "--user", self.password).status, 200)
        answer = self.curl("/feeds")
        self.assertProblem(answer, 401)
        self.assertTrue(answer["www-authenticate"].startswith("Basic realm="))
        self.assertEqual(self.curl("/healthz").status, 200)
        self.assertIn("private", self.curl("/feeds", "--user", self.password)["cache-control"])

    def test_promtool_finds_nothing_after_refusals(self):
        self.curl("/feeds")
        answer = self.curl("/metrics", "--user", self.password)
        finished = subprocess.run(
            ["promtool", "check", "metrics"], input=answer.body, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT)
        self.assertEqual((finished.returncode, finished.stdout), (0, b""))


class GrammarTests(HTTPCase):
    """A query text is accepted exactly if the pattern in the description matches it.

    Schemathesis cannot test this: feeds of the five kinds also refuse conditions on other fields.
    """

    TEXTS = 1500
    PARTS = [
        "a", "b", "-", "1", "é", " ", " ", "\t", "\n", "\u00a0", "\0", ".", ".", "..", "[", "]", "[]",
        "[0]", "[12]", "[01]", "[-1]", "[999999999999999999]", "[9999999999999999999]", '"', '"a"',
        '"a,=b"', "\\", '\\"', "/", "~", "~0", "~1", "=", "!", "<", ">", "in", "exists", " in ",
        " exists ", ",", ", ", "'", "''", "'a,b'", "!exists",
    ]
    OPERATORS = ["=", "==", "!=", "<", "<=", ">", ">=", "~", "!~", " in ", " exists", " = ", " ~",
                 " !exists"]

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        path = cls.directory / "documents.json"
        path.write_text('[{"a":1},{"b":[{"a":"x"}]}]')
        cls.served.run("ingest", path, "--feed", "documents", "--kind", "json")
        cls.connection = http.client.HTTPConnection(
            urllib.parse.urlsplit(cls.served.url).netloc, timeout=20)
        cls.addClassCleanup(cls.connection.close)

    @staticmethod
    def schema(path, name):
        """The schema of a parameter in the query of a path."""
        parameters = DESCRIPTION["paths"][path]["get"]["parameters"]
        parameters = parameters + [DESCRIPTION["components"]["parameters"]["Where"]]
        [schema] = [item["schema"] for item in parameters if item.get("name") == name]
        return schema.get("items", schema)

    def text(self, source, has_operator):
        def parts(count):
            return "".join(source.choices(self.PARTS, k=count))
        # Random texts are rarely pointers.
        start = source.choice(["", "", "/", "/a"])
        if not has_operator or source.randrange(3) == 0:
            return start + parts(source.randrange(6 if has_operator else 4))
        operator = source.choice(self.OPERATORS)
        return start + parts(source.randrange(1, 4)) + operator + parts(source.randrange(1, 4))

    def compare(self, path, name, pattern):
        source = random.Random(name)
        expression = re.compile(pattern)
        counts = {200: 0, 400: 0}
        texts = {self.text(source, has_operator=name == "where") for _ in range(self.TEXTS)}
        for text in sorted(texts):
            target = path.format(name="documents") + f"?{name}=" + urllib.parse.quote(text, safe="")
            self.connection.request("GET", target)
            answer = self.connection.getresponse()
            body = answer.read().decode()
            self.assertEqual(
                answer.status, 200 if expression.search(text) else 400, (name, text, body))
            counts[answer.status] += 1
        # Both outcomes are frequent.
        self.assertGreater(min(counts.values()), len(texts) // 10, counts)

    def test_texts_are_taken_as_described(self):
        for path, name in (
            ("/feeds/{name}/count", "where"), ("/feeds/{name}/distinct", "path"),
            ("/feeds/{name}", "sort"),
        ):
            with self.subTest(name):
                # In Python a dollar sign also matches before a line feed at the end.
                pattern = self.schema(path, name)["pattern"].replace("$", r"\Z")
                self.compare(path, name, pattern)

    def test_columns_are_taken_as_described(self):
        item = self.schema("/feeds/{name}", "fields")["pattern"]
        item = item.removeprefix("^").removesuffix("$").replace("$", r"(?:,|\Z)")
        self.compare("/feeds/{name}", "fields", rf"^(?:{item})(?:,(?:{item}))*\Z")


if __name__ == "__main__":
    unittest.main()
