"""Clients over plain sockets that send more than they read, watch keys, or guess a password.

    resp_pipelines.py HOST PORT SOCKET PASSWORD KEY JSON FEEDCORE STORE FEED-FILE

Fails with an AssertionError if the server does not respond as it should.
"""

import socket
import subprocess
import sys
import tempfile
import time

host, port, path, password, key, json, feedcore, store, feed_file = sys.argv[1:]
GETS = 400_000
# A GIF of one pixel.
PIXEL = bytes.fromhex(
    "47494638396101000100800000000000ffffff21f90401000000002c00000000010001000002024401003b"
)


def command(*words):
    parts = [word.encode() for word in words]
    return b"*%d\r\n" % len(parts) + b"".join(b"$%d\r\n%s\r\n" % (len(p), p) for p in parts)


def bulk(text):
    return b"$%d\r\n%s\r\n" % (len(text.encode()), text.encode())


class Client:
    def __init__(self, over_socket=True, authenticates=True):
        if over_socket:
            self.socket = socket.socket(socket.AF_UNIX)
            self.socket.connect(path)
        else:
            self.socket = socket.create_connection((host, int(port)))
        self.socket.settimeout(60)
        self.file = self.socket.makefile("rb")
        if password and authenticates:
            assert self.ask("AUTH", password) == b"+OK\r\n"

    def ask(self, *words):
        self.socket.sendall(command(*words))
        return self.line()

    def line(self):
        return self.file.readline()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.file.close()
        self.socket.close()


def check_pipelines():
    for over_socket, name in ((True, "a Unix socket"), (False, "TCP")):
        with Client(over_socket) as client:
            client.socket.sendall(command("GET", key) * GETS)
            answer = bulk(json)
            for _ in range(GETS // 1_000):
                assert client.file.read(len(answer) * 1_000) == answer * 1_000
            assert client.ask("PING") == b"+PONG\r\n"
        print(f"{GETS} GETs over {name} before the first response is read: all answered")
    with Client() as client:
        requests = command("GET", key) * (64 << 20 >> 6)
        assert len(requests) > 33 << 20
        client.socket.sendall(requests)
        *_, last = iter(client.line, b"")
        assert last.startswith(b"-ERR") and b"33554432 bytes (32 MiB)" in last, last
    print("more than 32 MiB of unread requests: an error that names the bound")


def check_watch():
    def run(*arguments):
        subprocess.run([feedcore, *arguments, "--store", store], check=True, capture_output=True)

    def changes(watched, *arguments):
        with Client() as client:
            assert client.ask("WATCH", watched) == b"+OK\r\n"
            if arguments:
                run(*arguments)
            assert client.ask("MULTI") == b"+OK\r\n"
            assert client.ask("PING") == b"+QUEUED\r\n"
            return client.ask("EXEC") == b"*-1\r\n"

    url = "https://example.org/watched.png"
    assert not changes(key)
    assert not changes(key, "ingest", feed_file, "--feed", "watched")
    assert changes("feed:{watched}:cur", "ingest", feed_file, "--feed", "watched")
    with tempfile.NamedTemporaryFile(suffix=".gif") as image:
        image.write(PIXEL)
        image.flush()
        assert changes("img:" + url, "images", "put", url, image.name)
    assert changes("feed:{watched}:cur", "delete", "watched")
    assert changes("img:" + url, "images", "remove", url)
    print("WATCH: EXEC returns nil if another process has changed the feed or image")


def check_guesses():
    with Client(authenticates=False) as guessing:
        guessing.socket.sendall(command("AUTH", "guess") * 100)
        began = time.monotonic()
        for _ in range(4):
            assert guessing.line().startswith(b"-WRONGPASS")
        assert time.monotonic() - began > 1
        with Client() as other:
            assert other.ask("PING") == b"+PONG\r\n"
    print("guesses of a password: delayed, and others are admitted meanwhile")


check_pipelines()
check_watch()
if password:
    check_guesses()
