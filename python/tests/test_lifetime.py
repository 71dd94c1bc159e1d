"""Use after close, leaks, threads and forks: none of them ends the process."""

from __future__ import annotations

import gc
import os
import threading

import pytest
from conftest import RECORDS

import feedcore


def resident() -> int:
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def test_a_closed_store_is_refused_everywhere(path, store, feed):
    images, records, texts = store.images, iter(feed), feed.texts()
    next(records), next(texts)
    record = feed[1]
    store.close()
    store.close()
    assert store.closed and "closed" in repr(store)
    calls = (lambda: list(store), lambda: store["things"], lambda: feed[1], lambda: len(feed),
             lambda: feed.first(), lambda: feed.count(), lambda: list(records),
             lambda: list(texts), lambda: store.ingest(RECORDS, feed="x"), lambda: store.images,
             lambda: images.get("https://example.org"), lambda: feed.schema, lambda: feed.at(0))
    for call in calls:
        with pytest.raises(feedcore.ClosedError):
            call()
    assert bytes(record.text).startswith(b'{"id"')
    with feedcore.open(path) as again:
        assert again["things"][1] == record


def test_many_opens_and_closes_leak_nothing(path, store, feed):
    store.close()

    def cycle(count: int) -> None:
        for _ in range(count):
            with feedcore.open(path, "r") as store:
                assert store["things"][1]["id"] == 1

    cycle(500)
    gc.collect()
    files, memory = len(os.listdir("/proc/self/fd")), resident()
    cycle(10_000)
    gc.collect()
    assert len(os.listdir("/proc/self/fd")) == files
    assert resident() - memory < 4 << 20


def test_what_is_not_closed_is_freed(path, store, feed):
    def cycle() -> None:
        other = feedcore.open(path)
        records = iter(other["things"])
        next(records)
        other["things"][1]
        with pytest.raises(feedcore.MisuseError):
            other["things"].count("nothing")

    # Each handle counts; there are 65 535 of them.
    for _ in range(2000):
        cycle()
    gc.collect()
    assert feed[1] == RECORDS[1]


def test_threads_share_a_store(store, feed):
    failures: list[BaseException] = []

    def read(seed: int) -> None:
        try:
            for step in range(300):
                number = (seed * 31 + step) % 1000
                assert feed[number] == RECORDS[number]
            assert list(feed.where("size = 3")) == [each for each in RECORDS if each["size"] == 3]
        except BaseException as error:  # noqa: BLE001, reported below
            failures.append(error)

    def write() -> None:
        for _ in range(20):
            store.ingest(RECORDS, feed="things", key="id", index="size")

    threads = [threading.Thread(target=read, args=(seed,)) for seed in range(8)]
    threads.append(threading.Thread(target=write))
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures, failures


def test_a_store_may_be_closed_while_threads_read(path):
    for _ in range(20):
        store = feedcore.open(path)
        store.ingest(RECORDS, feed="things", key="id", index="size")
        feed, started, failures = store["things"], threading.Barrier(5), []

        def read() -> None:
            started.wait()
            try:
                while True:
                    assert feed[5] == RECORDS[5]
                    assert sum(1 for _ in feed.where("size = 3")) == 100
                    assert feed.count("size > 3") == 600
            except feedcore.ClosedError:
                pass
            except BaseException as error:  # noqa: BLE001, reported below
                failures.append(error)

        threads = [threading.Thread(target=read) for _ in range(4)]
        for thread in threads:
            thread.start()
        started.wait()
        store.close()
        for thread in threads:
            thread.join()
        assert not failures, failures


def test_two_threads_cannot_advance_one_iteration(feed):
    records = iter(feed.limit(1000))
    seen: list[int] = []

    def read() -> None:
        # Python refuses the second thread in the midst of a step with ValueError.
        while True:
            try:
                seen.append(next(records)["id"])
            except ValueError:
                continue
            except StopIteration:
                return

    threads = [threading.Thread(target=read) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(seen) == list(range(1000))


def test_a_fork_is_refused_and_does_no_harm(path, store, feed):
    records = iter(feed)
    next(records)
    child = os.fork()
    if child == 0:
        status = 1
        try:
            for call in (lambda: feed[1], lambda: list(store), lambda: feed.first(),
                         lambda: feedcore.open(path), lambda: store.ingest(RECORDS, feed="x")):
                with pytest.raises(feedcore.ForkedError):
                    call()
            store.close()
            with feedcore.open(path.with_name("other")) as other:
                other.ingest(RECORDS, feed="things", key="id")
                assert other["things"][3] == RECORDS[3]
            status = 0
        finally:
            os._exit(status)
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == 0
    assert feed[1] == RECORDS[1] and list(records) == RECORDS[1:]
