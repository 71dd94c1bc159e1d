"""The chart of scaling, with a panel for each case.

Sizes have a logarithmic axis. The axis of figures begins at 0, so that constant figures look flat.
"""

import math
from dataclasses import dataclass

import words
from results import by_case
from svg import Picture, width

PLOT, HEIGHT, PANEL = 560, 130, 220
MARGIN = 20
LEFT = 90


def cases(steps):
    """The steps of each case, by size."""
    found = {}
    for step in sorted(steps, key=lambda step: step.size):
        found.setdefault(step.case, []).append(step)
    return found


@dataclass
class Panel:
    """The panel of a case, which shows its figure or its memory."""

    heading: str
    rows: list
    figures: list
    # The allowed excess of each figure over the least promised figure; 0 without a promise.
    promises: list
    # From the lowest to the highest round.
    extents: list
    peers: list
    unit: str

    def written(self, value):
        return words.amount(value, "bytes") if self.unit == "bytes" else words.figure(value)


def panels(steps):
    for case, rows in by_case(steps).items():
        peers = [row.peer_figure for row in rows] if all(row.peer_figure for row in rows) else []
        yield Panel(
            f"{case}: {rows[0].unit}" + (f" (broken line: {rows[0].peer})" if peers else ""),
            rows,
            [row.figure for row in rows],
            [row.flat_within for row in rows],
            [(row.low, row.high) for row in rows],
            peers,
            rows[0].unit,
        )
        if all(row.memory for row in rows):
            memory = [row.memory for row in rows]
            promises = [row.memory_flat_within for row in rows]
            heading = f"{case}: peak memory"
            yield Panel(heading, rows, memory, promises, [(m, m) for m in memory], [], "bytes")


def round_up(value):
    scale = 10 ** math.floor(math.log10(value))
    return next(part * scale for part in (1, 1.5, 2, 3, 4, 5, 6, 8, 10) if part * scale >= value)


class Plot:
    """The coordinates of a panel below `top`."""

    def __init__(self, panel, top):
        self.bottom = top + 34 + HEIGHT
        self.most = round_up(max(panel.figures + panel.peers) * 1.15)
        self.sizes = [math.log(row.size) for row in panel.rows]

    def across(self, index):
        spread = self.sizes[-1] - self.sizes[0] or 1
        return LEFT + 40 + (PLOT - 80) * (self.sizes[index] - self.sizes[0]) / spread

    def up(self, figure):
        return self.bottom - HEIGHT * min(figure, self.most) / self.most


def background(picture, panel, plot):
    """Draws the band of the promise and the grid lines."""
    promised = [figure for figure, within in zip(panel.figures, panel.promises) if within]
    if len(promised) > 1:
        first = next(index for index, within in enumerate(panel.promises) if within)
        left = LEFT if first == 0 else plot.across(first)
        low, high = plot.up(min(promised)), plot.up(min(promised) * (1 + panel.promises[first]))
        picture.add(
            "rect", x=left, y=high, width=LEFT + PLOT - left, height=low - high, class_="band"
        )
    for part in (0, 0.5, 1):
        y = plot.up(plot.most * part)
        picture.line(LEFT, y, LEFT + PLOT, y, "grid")
        label = panel.written(plot.most * part) if part else "0"
        picture.text(LEFT - 8, y + 4, label, "small end")


def draw(picture, panel, top):
    plot = Plot(panel, top)
    picture.text(MARGIN, top + 18, panel.heading, "heading")
    background(picture, panel, plot)
    for kind, values in (("peer", panel.peers), ("curve", panel.figures)):
        points = " ".join(f"{plot.across(i):.1f},{plot.up(v):.1f}" for i, v in enumerate(values))
        if values:
            picture.add("polyline", points=points, class_=kind)
    for index, row in enumerate(panel.rows):
        x, y = plot.across(index), plot.up(panel.figures[index])
        size, figure = words.amount(row.size, row.of), panel.written(panel.figures[index])
        peer = panel.peers[index] if panel.peers else 0
        if peer:
            picture.add("circle", cx=x, cy=plot.up(peer), r=3, class_="dot")
        picture.begin_group(f"{size}: {figure}")
        low, high = (plot.up(figure) for figure in panel.extents[index])
        picture.line(x, low, x, high, "whisker")
        picture.add("circle", cx=x, cy=y, r=4, class_="better")
        # Labels avoid the curve of the peer.
        below = peer > panel.figures[index]
        picture.text(x, max(low, y) + 19 if below else min(high, y) - 9, figure, "middle")
        picture.end_group()
        picture.text(x, plot.bottom + 18, size, "small middle")


def chart(steps):
    """The SVG of all steps."""
    shown = list(panels(steps))
    picture = Picture(
        "scaling: how figures change with the size",
        "A panel a case, with figures from 0 on and sizes on a logarithmic axis: "
        + "; ".join(panel.heading for panel in shown)
        + ". The same figures stand as a table in results.md.",
    )
    lines = ["Sizes on a logarithmic axis, figures from 0 on."]
    promised = sorted({within for panel in shown for within in panel.promises if within})
    if promised:
        within = words.listed(f"{part:.0%}" for part in promised)
        lines.append(f"Grey: what lies within {within} of the least figure, which is the aim.")
    picture.text(MARGIN, 32, picture.title, "title")
    for index, line in enumerate(lines):
        picture.text(MARGIN, 52 + 16 * index, line, "small")
    top = 52 + 16 * len(lines)
    for index, panel in enumerate(shown):
        draw(picture, panel, top + PANEL * index)
    total = max(
        LEFT + PLOT + 60,
        *(MARGIN * 2 + width(panel.heading) * 1.06 for panel in shown),
    )
    return picture.written_with(total, top + PANEL * len(shown) + 10)
