"""Use after close, leaks, threads and forks do not crash the process."""

from __future__ import annotations

import gc
import os
import pathlib
import sys
import threading

import pytest
from conftest import RECORDS

import feedcore
from feedcore import _library
from feedcore._library import lib

PACKAGE = str(pathlib.Path(feedcore.__file__).parent)
#: Functions that Ctrl-C cannot interrupt: the handler only records it, or Python ignores it.
QUIET = ("interruptible", "tell", "__del__")


class Handles:
    """Records the open handles of the library and each close."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.open: set[int] = set()
        self.closed: list[int] = []
        for name in _library._FALLIBLE:
            # The last argument is the error. The argument before it receives an opened handle.
            opens = name.endswith(("_open", "_list", "_find", "_begin")) and name != "batch_begin"
            self.wrap(monkeypatch, name, opened=(-2, -1) if opens else (-1,),
                      closes=name == "ingest_finish")
        for name in _library._OTHER:
            if name.endswith(("_close", "_free", "_cancel")):
                self.wrap(monkeypatch, name, opened=(), closes=True)

    def wrap(self, monkeypatch, name: str, opened: tuple[int, ...], closes: bool) -> None:
        function = getattr(lib, "feedcore_" + name)

        def call(*arguments):
            status = function(*arguments)
            self.open |= {arguments[index]._obj.value for index in opened} - {None}
            if closes:
                self.open.discard(arguments[0].value)
                self.closed.append(arguments[0].value)
            return status

        monkeypatch.setattr(lib, "feedcore_" + name, call)


@pytest.fixture
def handles(monkeypatch):
    return Handles(monkeypatch)


def is_interrupted(action, count: int) -> bool:
    """Interrupts an action at its nth line in the package. False if it has fewer lines."""
    left = count

    def trace(frame, event, _):
        nonlocal left
        caller = frame.f_back.f_code.co_name if frame.f_back else ""
        if not frame.f_code.co_filename.startswith(PACKAGE) or (
                frame.f_code.co_name in QUIET or caller in QUIET):
            return None
        left -= event == "line"
        if left == 0:
            left = -1
            raise KeyboardInterrupt
        return trace

    sys.settrace(trace)
    try:
        action()
        return False
    except KeyboardInterrupt:
        return True
    finally:
        sys.settrace(None)


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

    # A leaked handle matters: there are at most 65 535 handles.
    for _ in range(2000):
        cycle()
    gc.collect()
    assert feed[1] == RECORDS[1]


# Python only reports an interruption while it finalizes an unreferenced generator.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize(
    "name", ["open", "look up", "miss", "iterate", "count", "images", "ingest"])
def test_an_interrupt_anywhere_leaves_no_handle(path, store, feed, handles, name):
    def refuse() -> None:
        for call in (lambda: store["nothing"], lambda: feed.count("nothing"), lambda: feed[1000]):
            with pytest.raises(feedcore.FeedCoreError):
                call()

    def iterate() -> None:
        records = iter(feed)
        assert next(records) == RECORDS[0] and next(feed.values("id")) == 0
        records.close()

    def images() -> None:
        store.images["https://example.org/a"] = b"<svg/>"
        del store.images["https://example.org/a"]

    actions = {
        "open": lambda: feedcore.open(path).close(), "look up": lambda: feed[7],
        "miss": refuse, "iterate": iterate, "count": lambda: feed.count("size = 3"),
        "images": images, "ingest": lambda: store.ingest(RECORDS[:9], feed="other"),
    }
    store.images.get("https://example.org/a")
    before, count = set(handles.open), 1
    while is_interrupted(actions[name], count):
        store._free_readers("things")
        if handles.open != before:
            gc.collect()
        assert handles.open == before, f"after {count} lines"
        count += 1
    assert count > 10
    # No interrupted ingest still locks the feed.
    assert store.ingest(RECORDS, feed="other", wait=False).records == 1000


def test_a_reader_that_comes_back_after_the_end_is_freed_once(store, feed, handles):
    class Closing(list):
        """Closes the store while a reader is returned, before or after it is in the list."""

        def __init__(self, is_before: bool) -> None:
            super().__init__()
            self.is_before = is_before

        def append(self, reader) -> None:
            if self.is_before:
                store.close()
            super().append(reader)
            store.close()

    for is_before in (True, False):
        store = feedcore.open(feed._store.path)
        store["things"][1]
        reader = store._take_reader("things")
        word = reader.word.value
        store._readers["things"] = Closing(is_before)
        store._return_reader("things", reader)
        assert not reader.word and handles.closed.count(word) == 1
        assert store.closed and not store._readers["things"]
    store.close()


def test_each_reader_is_freed_once_as_a_store_is_closed(path, feed, handles):
    for _ in range(30):
        store = feedcore.open(path, "r")
        things, started = store["things"], threading.Barrier(5)

        def read(things=things, started=started) -> None:
            started.wait()
            with pytest.raises(feedcore.ClosedError):
                while True:
                    things[5]

        threads = [threading.Thread(target=read) for _ in range(4)]
        for thread in threads:
            thread.start()
        started.wait()
        store.close()
        for thread in threads:
            thread.join()
        assert not any(store._readers.values())
    # The library never reuses a handle, so a repetition is a double close.
    assert len(set(handles.closed)) == len(handles.closed)


def test_readers_of_deleted_feeds_are_freed(store, handles):
    before = set(handles.open)
    for number in range(20):
        store.ingest([{"id": 1}], feed=f"feed{number}", key="id")
        assert store[f"feed{number}"][1] == {"id": 1}
        del store[f"feed{number}"]
    assert handles.open == before


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
        # During a step of the first thread, Python refuses the second thread with ValueError.
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
