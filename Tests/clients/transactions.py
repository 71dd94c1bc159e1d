"""Sends the same commands to FeedCore and Redis, and compares the replies byte by byte.

    transactions.py SOCKET REDIS-SOCKET PASSWORD KEY JSON
"""

import socket
import sys

ours, theirs, password, key, json = sys.argv[1:]
HELLO = [["HELLO", "3"]]
CONVERSATIONS = [
    [["EXEC"], ["DISCARD"], ["EXEC", "x"], ["MULTI", "x"], ["WATCH"], ["UNWATCH", "x"]],
    [["WATCH", key, "b"], ["MULTI"], ["GET", key], ["EXEC"], ["UNWATCH"]],
    [["MULTI"], ["MULTI"], ["GET", key], ["EXEC"], ["EXEC"]],
    [["MULTI"], ["GET", key], ["WATCH", key], ["EXEC"]],
    [["MULTI"], ["GET", key], ["UNWATCH"], ["EXEC"]],
    [["MULTI"], ["GET", key], ["EXEC", "x"], ["EXEC"]],
    [["MULTI"], ["GET", key], ["DISCARD", "x"], ["EXEC"]],
    [["MULTI"], ["GET", key], ["DISCARD"], ["EXEC"], ["GET", key]],
    [["MULTI"], ["EXEC"]],
    [["MULTI"], ["GET"], ["GET", key], ["EXEC"], ["EXEC"], ["PING"]],
    [["MULTI"], ["NOTHING"], ["GET", key], ["EXEC"]],
    [["MULTI"], ["SELECT", "x"], ["GETRANGE", key, "a", "b"], ["PING"], ["EXEC"]],
    [["MULTI"], ["MGET", key, "none"], ["EXISTS", key, key], ["STRLEN", key], ["TYPE", key],
     ["TTL", key], ["PTTL", "none"], ["GETRANGE", key, "1", "-2"], ["ECHO", "a\r\nb"], ["EXEC"]],
    [["MULTI"], ["HELLO", "x"], ["GET", "none"], ["CLIENT", "GETNAME"], ["EXEC"]],
    [["MULTI"], ["CLIENT", "SETNAME", "me"], ["CLIENT", "GETNAME"], ["EXEC"]],
    [["multi"], ["get", "none"], ["exec"]],
    [["MULTI"], ["CONFIG", "GET", "save"], ["EXEC"]],
    [["MULTI"], ["GET", key], ["RESET"]],
    [["MULTI"], ["GET", key], ["QUIT"]],
]


class Peer:
    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(20)
        self.socket.connect(path)
        self.file = self.socket.makefile("rb")
        if password:
            self.ask(["AUTH", password])

    def ask(self, words):
        bulks = [b"$%d\r\n%s\r\n" % (len(word), word) for word in map(str.encode, words)]
        self.socket.sendall(b"*%d\r\n" % len(bulks) + b"".join(bulks))
        return self.reply()

    def reply(self):
        """The bytes of the next reply."""
        line = self.file.readline()
        kind, count = line[:1], line[1:-2]
        if kind in b"$=" and int(count) >= 0:
            return line + self.file.read(int(count) + 2)
        if kind in b"*~%":
            elements = max(int(count), 0) * (2 if kind == b"%" else 1)
            return line + b"".join(self.reply() for _ in range(elements))
        return line

    def close(self):
        self.file.close()
        self.socket.close()


setter = Peer(theirs)
assert setter.ask(["SET", key, json]) == b"+OK\r\n"
setter.close()
for beginning in ([], HELLO):
    for conversation in CONVERSATIONS:
        peers = [Peer(ours), Peer(theirs)]
        for words in beginning:
            for peer in peers:
                peer.ask(words)
        for words in conversation:
            mine, redis = (peer.ask(words) for peer in peers)
            assert mine == redis, f"{conversation}: {words} gives {mine}, with Redis {redis}"
        for peer in peers:
            peer.close()
print(f"{2 * len(CONVERSATIONS)} conversations about transactions: as with Redis, byte by byte")
