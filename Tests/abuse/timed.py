"""An HTTP client that requests the targets in turn, over and over. For each line of its standard
input it prints the latencies since the last line, in milliseconds.

    timed.py PORT PAUSE TARGET…
"""

import http.client
import json
import select
import sys
import time


def summary(latencies):
    ordered = sorted(latencies)
    at = lambda part: ordered[min(int(len(ordered) * part), len(ordered) - 1)] if ordered else 0
    return {"count": len(ordered), "p50": at(0.5), "p99": at(0.99), "longest": at(1)}


def main():
    port, pause, targets = int(sys.argv[1]), float(sys.argv[2]), sys.argv[3:]
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
    latencies = {target: [] for target in targets}
    faults = []
    print("ready", flush=True)
    while True:
        if select.select([sys.stdin], [], [], pause)[0]:
            if not sys.stdin.readline():
                break
            figures = {target: summary(found) for target, found in latencies.items()}
            print(json.dumps({"targets": figures, "faults": faults[:1]}), flush=True)
            latencies = {target: [] for target in targets}
        for target in targets:
            began = time.perf_counter()
            try:
                connection.request("GET", target)
                answer = connection.getresponse()
                answer.read()
                if answer.status != 200:
                    faults.append(f"{target}: {answer.status}")
            except (OSError, http.client.HTTPException) as error:
                faults.append(f"{target}: {type(error).__name__} {error}")
                connection.close()
            latencies[target].append((time.perf_counter() - began) * 1000)


main()
