"""`feedcore serve` over the store of a test."""

import json
import pathlib
import subprocess
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "Examples"


class Served:
    """A server on a port of its own, over a store that is filled by the command line."""

    def __init__(self, command, directory, origins=()):
        self.command = command
        self.store = pathlib.Path(directory) / "store"
        self.origins = list(origins)
        self.process = None

    def run(self, *arguments, input=None):
        subprocess.run(
            [self.command, *arguments, "--store", self.store], input=input, check=True,
            stdout=subprocess.DEVNULL)

    def ingest(self, document, feed):
        """Ingests records with the current timestamp."""
        self.run("ingest", "-", "--feed", feed, input=json.dumps(document).encode())

    def put_picture(self, url, data):
        path = self.store.parent / "picture.png"
        path.write_bytes(data)
        self.run("images", "put", url, path)

    def start(self, *options):
        origins = [f"--origin={name}={url}" for name, url in self.origins]
        self.process = subprocess.Popen(
            [self.command, "serve", "--store", self.store, "--http", "127.0.0.1:0", *origins,
             *options],
            stdout=subprocess.PIPE, text=True)
        line = self.process.stdout.readline()
        assert line.startswith("HTTP on "), f"the server says: {line!r}"
        self.url = line.split()[-1]
        return self

    def stop(self):
        if self.process is None:
            return
        self.process.terminate()
        try:
            code = self.process.wait(timeout=20)
        finally:
            self.process.kill()
            self.process.stdout.close()
        if code != 0:
            raise AssertionError(f"the server ended with {code}")
