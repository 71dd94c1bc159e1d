"""What the tests of HTTP share: a server with the examples, and curl."""

import json
import os
import pathlib
import subprocess
import tempfile
import time
import unittest

from served import EXAMPLES, Served

COMMAND = os.environ["FEEDCORE"]
IMAGE_URL = "https://example.com/images/001.jpg"
IMAGE = bytes(n * 7 % 251 for n in range(600_000))


def example(name):
    return json.loads((EXAMPLES / f"{name}.json").read_text())


class Answer:
    """An answer as curl received it."""

    def __init__(self, output):
        head, _, self.body = output.partition(b"\r\n\r\n")
        status, *fields = head.decode("latin-1").split("\r\n")
        self.status = int(status.split()[1])
        self.fields = {}
        for field in fields:
            name, _, value = field.partition(":")
            self.fields.setdefault(name.lower(), []).append(value.strip())

    def __getitem__(self, name):
        """The only value of a field; None if the field is missing."""
        values = self.fields.get(name.lower(), [])
        assert len(values) <= 1, f"{name}: {values}"
        return values[0] if values else None

    @property
    def json(self):
        return json.loads(self.body)


class HTTPCase(unittest.TestCase):
    """A test of a server that all tests of its class share."""

    @classmethod
    def make_options(cls):
        """The options of the server."""
        return []

    @classmethod
    def setUpClass(cls):
        directory = tempfile.TemporaryDirectory(prefix="feedcore-http.")
        cls.addClassCleanup(directory.cleanup)
        cls.directory = pathlib.Path(directory.name)
        cls.served = Served(COMMAND, directory.name)
        for name in ("feed", "news", "characters", "universities", "comments"):
            cls.served.run("ingest", EXAMPLES / f"{name}.json", "--feed", name)
        cls.served.put_picture(IMAGE_URL, IMAGE)
        # Nothing has a Last-Modified within the second in which it is stored.
        second = int(time.time())
        while int(time.time()) == second:
            time.sleep(0.01)
        cls.socket = cls.directory / "socket"
        cls.addClassCleanup(cls.served.stop)
        cls.served.start("--http-socket", cls.socket, *cls.make_options())

    def curl(self, path, *options, over=None):
        """Sends a request with curl, over the port or a Unix socket."""
        url, place = self.served.url, []
        if over is not None:
            url, place = "http://localhost", ["--unix-socket", over]
        command = ["curl", "--silent", "--show-error", "--include", "--path-as-is"]
        finished = subprocess.run(
            [*command, "--max-time", "20", *place, *options, url + path], check=True,
            stdout=subprocess.PIPE)
        return Answer(finished.stdout)

    def assertProblem(self, answer, status):
        """Asserts that the answer is an error in the form of RFC 9457."""
        self.assertEqual(answer.status, status, answer.body)
        self.assertEqual(answer["content-type"], "application/problem+json")
        self.assertEqual(answer.json["status"], status)
        self.assertEqual(set(answer.json), {"type", "title", "status", "detail"})
        self.assertTrue(answer.json["detail"])
