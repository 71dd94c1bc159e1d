"""The chart of a group, with a bar for each comparison on a logarithmic axis.

Bars begin at 1. They extend to the right if FeedCore is better, and to the left if it is worse.
"""

import math

import words
from results import counted
from svg import Picture, width

ROW, HEADING, BAR, DOTS = 22, 30, 10, 44
# With more comparisons, the chart has dots instead of bars.
MOST_BARS = 48
PLOT = 380
MARGIN = 20
TICKS = [part * 10**power for power in range(-4, 6) for part in (1, 2, 5)]


def sections(entries):
    """Rows under headings. Each row is a label with its comparisons.

    A row has one comparison: cases under a pair of contestants, or pairs under a case, whichever
    needs fewer headings. If these are too many rows, a row has all cases of a peer, under the part
    of FeedCore that it is compared with.
    """
    by_case, by_pair, by_ours = {}, {}, {}
    units = {entry.unit for entry in entries}
    for entry in entries:
        less = ", less is better" if entry.lower_is_better else ""
        unit = f" ({entry.unit}{less})" if len(units) > 1 else ""
        ours = words.part_of(entry.ours)
        pair = f"{ours} against {entry.peer}{unit}".strip()
        by_case.setdefault(entry.case, []).append((pair, [entry]))
        by_pair.setdefault(pair, []).append((entry.case, [entry]))
        peers = by_ours.setdefault(f"{ours}{unit}", {})
        peers.setdefault(f"against {entry.peer}", []).append(entry)
    if len(entries) > MOST_BARS:
        return {ours: list(peers.items()) for ours, peers in by_ours.items()}
    return by_pair if len(by_pair) < len(by_case) else by_case


class Axis:
    """Maps a ratio to a coordinate. The axis always includes 1 and some space on both sides."""

    def __init__(self, entries, start):
        least = min([entry.low for entry in entries] + [0.5])
        most = max([entry.high for entry in entries] + [2.0])
        self.low, self.high = math.log(least / 1.12), math.log(most * 1.12)
        self.start = start

    def __call__(self, ratio):
        return self.start + PLOT * (math.log(ratio) - self.low) / (self.high - self.low)

    @property
    def ticks(self):
        """As many ticks as fit on the axis."""
        inside = [tick for tick in TICKS if self.low <= math.log(tick) <= self.high]
        apart = PLOT * math.log(2) / (self.high - self.low)
        return [tick for tick in inside if apart > 30 or f"{tick:e}"[0] == "1"]


def begin(picture, entry):
    """Begins the SVG group of a comparison, with a title that describes it."""
    picture.begin_group(
        f"{entry.case}: {entry.ours} {words.figure(entry.our_figure)} {entry.unit},"
        f" {entry.peer} {words.figure(entry.peer_figure)} {entry.unit}:"
        f" {words.verdict_of(entry)}, rounds {extent(entry.low, entry.high)}"
    )


def extent(low, high):
    return f"{words.ratio(low)}–{words.ratio(high)}"


def bar(picture, axis, y, entry):
    begin(picture, entry)
    left, right = sorted((axis(1), axis(entry.ratio)))
    picture.add(
        "rect",
        x=left,
        y=float(y - BAR / 2),
        width=max(right - left, 2.0),
        height=BAR,
        class_=entry.verdict,
    )
    picture.line(axis(entry.low), y, axis(entry.high), y, "whisker")
    for end in (entry.low, entry.high):
        picture.line(axis(end), y - 4, axis(end), y + 4, "whisker")
    picture.end_group()


def dots(picture, axis, y, entries):
    """Draws a dot for each case in the order of the table, from top to bottom of the row."""
    for index, entry in enumerate(entries):
        place = y + (DOTS - 8) * (index / max(len(entries) - 1, 1) - 0.5)
        begin(picture, entry)
        picture.line(axis(entry.low), place, axis(entry.high), place, "thin")
        picture.add("circle", cx=axis(entry.ratio), cy=place, r=3, class_=entry.verdict)
        picture.end_group()


def row(picture, axis, y, label, entries, value_at):
    picture.text(MARGIN + 12, y + 4.5, label)
    if len(entries) == 1:
        bar(picture, axis, y, entries[0])
        value, beside = words.verdict_of(entries[0]), extent(entries[0].low, entries[0].high)
    else:
        dots(picture, axis, y, entries)
        better, worse, undecided = counted(entries)
        ratios = [entry.ratio for entry in entries]
        value = extent(min(ratios), max(ratios))
        beside = f"▲ {better} better, ▼ {worse} worse, ≈ {undecided}"
    picture.text(value_at, y + 4.5, value)
    picture.text(value_at + 112, y + 4.5, beside, "small")


def chart(group, entries, table="results.md"):
    """The SVG chart of the comparisons of a group. TABLE is the page with the same figures."""
    better, worse, undecided = counted(entries)
    summary = (
        f"FeedCore is better in {better} of {words.count(len(entries), 'comparison')},"
        f" worse in {worse}, undecided in {undecided}."
    )
    many = len(entries) > MOST_BARS
    marks = "Dots, one a case," if many else "Bars"
    picture = Picture(
        f"{group}: FeedCore against its peers",
        f"{summary} {marks} show how many times as good as the peer FeedCore is: to the right of"
        " the line at 1 it is better, to the left it is worse. Thin lines reach from the lowest to"
        f" the highest round. The same figures stand as a table in {table}.",
    )
    under = sections(entries)
    labels = [label for rows in under.values() for label, _ in rows]
    # Headings are bold, and labels are indented.
    label_width = max([width(label) + 12 for label in labels] + [width(h) * 1.06 for h in under])
    axis = Axis(entries, MARGIN + label_width + 14)
    value_at = axis.start + PLOT + 14
    total = max(
        value_at + 112 + (172 if many else 92) + MARGIN,
        MARGIN * 2 + width(summary),
    )
    picture.text(MARGIN, 32, picture.title, "title")
    picture.text(MARGIN, 52, summary)
    picture.text(axis(1) - 8, 80, "◀ worse", "end small")
    picture.text(axis(1) + 8, 80, "better ▶", "small")
    picture.text(value_at, 80, "times as good", "small")
    picture.text(value_at + 112, 80, "cases" if many else "rounds", "small")
    top = y = 88
    places = []
    for heading, rows in under.items():
        y += HEADING
        places.append((y - 8, heading, []))
        for label, of_row in rows:
            height = ROW if len(of_row) == 1 else DOTS
            places.append((y + height / 2, label, of_row))
            y += height
    bottom = y + 8
    for tick in axis.ticks:
        picture.line(axis(tick), top, axis(tick), bottom, "one" if tick == 1 else "grid")
        picture.text(axis(tick), bottom + 16, f"{tick:g}", "small middle")
    for place, label, of_row in places:
        if of_row:
            row(picture, axis, place, label, of_row, value_at)
        else:
            picture.text(MARGIN, place, label, "heading")
    return picture.written_with(total, bottom + 30)
