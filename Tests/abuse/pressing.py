"""A RESP client that reads one random record after another, as fast as possible, until its standard
input ends. Then it prints the latencies.

    pressing.py PORT FEED KEYS
"""

import json
import random
import re
import select
import socket
import sys
import time

import wire


def main():
    port, feed, keys = int(sys.argv[1]), sys.argv[2], int(sys.argv[3])
    connection = socket.create_connection(("127.0.0.1", port))
    connection.settimeout(20)
    latencies, failures, newest = [], [], 0
    print("ready", flush=True)
    while True:
        if len(latencies) % 64 == 0 and select.select([sys.stdin], [], [], 0)[0]:
            break
        number = random.randrange(keys)
        began = time.perf_counter()
        connection.sendall(wire.command("GET", f"feed:{feed}:item:University {number}"))
        reply = connection.recv(65536)
        while not reply.endswith(b"\r\n"):
            more = connection.recv(65536)
            if not more:
                break
            reply += more
        latencies.append(time.perf_counter() - began)
        stamp = re.search(rb'"name":"University (\d+)".*"country":"N(\d+)"', reply)
        if not stamp or int(stamp[1]) != number:
            failures.append(f"GET of record {number}: {reply[:100]!r}")
            if not reply:
                break
        elif int(stamp[2]) < newest:
            failures.append(f"generation {int(stamp[2])} behind {newest}")
        else:
            newest = int(stamp[2])
    latencies.sort()
    print(json.dumps({
        "count": len(latencies), "p99": latencies[int(len(latencies) * 0.99)] * 1000,
        "failures": len(failures), "first": failures[:1]}))


main()
