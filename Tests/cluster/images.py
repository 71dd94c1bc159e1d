"""Images that hosts put, remove and read while primaries are killed and slots move."""

import collections
import hashlib
import random
import time

from failures import cluster_run, move_slot_of, wait_for_failover
from feed_run import Run
from redis_cluster import wait_until

PLACES = 3
# Bytes in the row, and in chunks.
SIZES = [1_000, 65_536, 300_000, 2_000_000]
SIGNATURE = b"\x89PNG\r\n\x1a\n"
REMOVED = b""


class ImageRun(Run):
    """Images with the number of their change. One change of an image is under way at a time."""

    def __init__(self, *arguments, **records):
        super().__init__(*arguments, **records)
        # The contents that each image may have: that of the last change that was acknowledged, and
        # those of later ones, which may be visible.
        self.possible = collections.defaultdict(lambda: [REMOVED])

    def image_url(self, place):
        return f"https://example.com/{place}.png"

    def put_all(self):
        """Puts each image once. The new key is its row, which has its slot."""
        self.rows = []
        for place in range(PLACES):
            content, process = self.change(place, may_remove=False)
            self.note_change(place, content, process)
            (row,) = self.row_keys() - set(self.rows)
            self.rows.append(row)

    def row_keys(self):
        return {
            key for port in self.cluster.primaries() for key in self.cluster.keys(port, "fci:*:m")}

    def change(self, place, may_remove=True):
        """Begins to put or to remove an image."""
        number = next(self.numbers)
        url, store = self.image_url(place), self.url(f"writer-{number % 2}")
        if may_remove and random.random() < 0.2:
            return REMOVED, self.start("images", "remove", url, store=store)
        content = SIGNATURE + random.Random(number).randbytes(random.choice(SIZES))
        path = self.directory / f"{number}.png"
        path.write_bytes(content)
        return content, self.start("images", "put", url, str(path), store=store)

    def note_change(self, place, content, process):
        self.end(process)
        # There was no image to remove.
        is_absent = content == REMOVED and process.returncode == 66
        if process.returncode == 0 or is_absent:
            if is_absent and REMOVED not in self.possible[place]:
                self.fault(f"remove of image {place}, which was acknowledged", process)
            self.possible[place] = [content]
            self.counts["publishes"] += 1
        else:
            self.possible[place].append(content)
            self.counts["refused"] += 1
            if process.returncode not in (69, 75):
                self.fault(f"a change of image {place}", process)

    def read_image(self, place, allowed):
        """Reads an image by a host without a copy."""
        host = f"fresh-{next(self.fresh)}"
        reading = self.command(
            "images", "get", self.image_url(place), "--offline", store=self.url(host))
        if reading.returncode not in (0, 66):
            self.counts["unread"] += 1
            if reading.returncode not in allowed:
                self.fault(f"get of image {place}", reading)
            return
        self.counts["reads"] += 1
        seen = reading.out if reading.returncode == 0 else REMOVED
        if seen not in self.possible[place]:
            names = [self.name(content) for content in self.possible[place]]
            self.faults.append(
                f"image {place} is {self.name(seen)}, and {names} were acknowledged or refused")

    def name(self, content):
        return f"{len(content)} bytes {hashlib.sha256(content).hexdigest()[:8]}"

    def require_lives(self):
        """Checks that rows and chunks of visible images live long, and that no other keys do."""
        long, rows = collections.defaultdict(set), {}
        for port in self.cluster.primaries():
            keys = self.cluster.keys(port, "fci:*")
            lives = self.cluster.ask_all(port, [("PTTL", key) for key in keys])
            lengths = self.cluster.ask_all(port, [("STRLEN", key) for key in keys])
            self.faults += [
                f"{key} has no time to live" for key, life in zip(keys, lives) if life < 0]
            for key, life, length in zip(keys, lives, lengths):
                if life > 3_600_000 and key.endswith(":m"):
                    rows[key.rsplit(":", 1)[0]] = length
                elif life > 3_600_000:
                    image, number, _ = key.rsplit(":", 2)
                    long[image].add(number)
        for image in long.keys() | rows.keys():
            # The bytes of a small image are in its row.
            is_in_chunks = rows.get(image, min(SIZES)) < min(SIZES)
            if len(long[image]) != is_in_chunks:
                self.faults.append(
                    f"the chunks of {len(long[image])} versions of {image} stay, not of"
                    f" {int(is_in_chunks)}")


def kill_during_change(run):
    """Kills the primary of an image, during a change or right after it."""
    cluster = run.cluster
    place = random.randrange(PLACES)
    content, process = run.change(place)
    victim, _ = cluster.shard(run.rows[place])
    time.sleep(random.random() * 0.2)
    cluster.kill(victim)
    run.read_image((place + 1) % PLACES, allowed={69})
    wait_for_failover(run, victim)
    run.note_change(place, content, process)
    run.read_image(place, allowed={69})
    cluster.start(victim)
    wait_until(cluster.is_sound)


def move_during_change(run):
    """Moves the slot of an image to another primary."""
    place = random.randrange(PLACES)
    content, process = run.change(place)
    move_slot_of(run, run.rows[place])
    run.note_change(place, content, process)


def images(options):
    start = time.monotonic()
    count = options.count(2, 60)
    steps = [kill_during_change] * count + [move_during_change] * 2 * count
    random.shuffle(steps)
    with cluster_run(options, ImageRun) as run:
        run.put_all()
        run.require_lives()
        for step in steps:
            if run.faults:
                break
            step(run)
            for place in range(PLACES):
                run.read_image(place, allowed=())
            run.require_lives()
        return run.report("images", f"{count} kills, {2 * count} slots moved", start)


CASES = {"images": images}
