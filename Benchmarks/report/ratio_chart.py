"""The chart of a group: a bar a comparison, from 1 to the right where FeedCore is better and to the
left where it is worse, on a logarithmic axis."""

import math

import words
from results import counted
from svg import Picture, width

ROW, HEADING, BAR = 22, 30, 10
PLOT = 380
MARGIN = 20
TICKS = [part * 10**power for power in range(-4, 6) for part in (1, 2, 5)]


def sections(entries):
    """Rows under headings: cases under a pair of contestants or pairs under a case, whichever takes
    fewer headings."""
    by_case, by_pair = {}, {}
    units = {entry.unit for entry in entries}
    for entry in entries:
        less = ", less is better" if entry.lower_is_better else ""
        unit = f" ({entry.unit}{less})" if len(units) > 1 else ""
        ours = entry.ours.removeprefix("FeedCore").removeprefix(", ")
        pair = f"{ours} against {entry.peer}{unit}".strip()
        by_case.setdefault(entry.case, []).append((pair, entry))
        by_pair.setdefault(pair, []).append((entry.case, entry))
    return by_pair if len(by_pair) < len(by_case) else by_case


class Axis:
    """From a ratio to a place; 1 is always on it, and something on both of its sides."""

    def __init__(self, entries, start):
        least = min([entry.low for entry in entries] + [0.5])
        most = max([entry.high for entry in entries] + [2.0])
        self.low, self.high = math.log(least / 1.12), math.log(most * 1.12)
        self.start = start

    def __call__(self, ratio):
        return self.start + PLOT * (math.log(ratio) - self.low) / (self.high - self.low)

    @property
    def ticks(self):
        """As many as have room."""
        inside = [tick for tick in TICKS if self.low <= math.log(tick) <= self.high]
        apart = PLOT * math.log(2) / (self.high - self.low)
        return [tick for tick in inside if apart > 30 or f"{tick:e}"[0] == "1"]


def row(picture, axis, y, label, entry, value_at):
    verdict = f"{words.verdict_of(entry)}"
    extent = f"{words.ratio(entry.low)}–{words.ratio(entry.high)}"
    picture.begin_group(
        f"{entry.case}: {entry.ours} {words.figure(entry.our_figure)} {entry.unit},"
        f" {entry.peer} {words.figure(entry.peer_figure)} {entry.unit}:"
        f" {verdict}, rounds {extent}"
    )
    picture.text(MARGIN + 12, y + 4.5, label)
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
    picture.text(value_at, y + 4.5, verdict)
    picture.text(value_at + 112, y + 4.5, extent, "small")
    picture.end_group()


def chart(group, entries):
    """The SVG of the comparisons of a group."""
    better, worse, even, _ = counted(entries)
    summary = (
        f"FeedCore is better in {better} of {words.count(len(entries), 'comparison')},"
        f" worse in {worse}, even in {even}."
    )
    picture = Picture(
        f"{group}: FeedCore against its peers",
        f"{summary} Bars show how many times as good as the peer FeedCore is: to the right of the"
        " line at 1 it is better, to the left it is worse. Thin lines reach from the lowest to the"
        " highest round. The same figures stand as a table in results.md.",
    )
    under = sections(entries)
    labels = [label for rows in under.values() for label, _ in rows]
    # Headings are bold, and labels are indented.
    label_width = max([width(label) + 12 for label in labels] + [width(h) * 1.06 for h in under])
    axis = Axis(entries, MARGIN + label_width + 14)
    value_at = axis.start + PLOT + 14
    total = max(
        value_at + 112 + 92 + MARGIN,
        MARGIN * 2 + width(summary),
    )
    picture.text(MARGIN, 32, picture.title, "title")
    picture.text(MARGIN, 52, summary)
    picture.text(axis(1) - 8, 80, "◀ worse", "end small")
    picture.text(axis(1) + 8, 80, "better ▶", "small")
    picture.text(value_at, 80, "times as good", "small")
    picture.text(value_at + 112, 80, "rounds", "small")
    top = y = 88
    places = []
    for heading, rows in under.items():
        y += HEADING
        places.append(("heading", y - 8, heading, None))
        for label, entry in rows:
            places.append(("row", y + ROW / 2, label, entry))
            y += ROW
    bottom = y + 8
    for tick in axis.ticks:
        picture.line(axis(tick), top, axis(tick), bottom, "one" if tick == 1 else "grid")
        picture.text(axis(tick), bottom + 16, f"{tick:g}", "small middle")
    for kind, place, label, entry in places:
        if kind == "heading":
            picture.text(MARGIN, place, label, "heading")
        else:
            row(picture, axis, place, label, entry, value_at)
    return picture.written_with(total, bottom + 30)
