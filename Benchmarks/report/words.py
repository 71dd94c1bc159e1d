"""The format of figures, sizes and counts in tables and charts."""

MARKS = {"better": "▲", "worse": "▼", "undecided": "≈"}


def ratio(value):
    if value >= 99.95:
        return f"{value:,.0f}"
    if value >= 9.995:
        return f"{value:.1f}"
    return f"{value:.2f}" if value >= 0.0995 else f"{value:.2g}"


def figure(value):
    """Three digits or more, with commas."""
    if value >= 99.95:
        return f"{value:,.0f}"
    if value >= 9.995:
        return f"{value:.1f}"
    return f"{value:.2f}" if value >= 0.0995 else f"{value:.2g}"


def amount(value, of):
    """A size: `100 MB` of bytes, `10,000 records`, `1 lane`."""
    if of == "bytes":
        for unit, scale in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
            if value >= scale:
                return f"{value / scale:.3g} {unit}"
        return f"{value:.0f} B"
    return f"{value:,.0f} {of[:-1] if value == 1 and of.endswith('s') else of}"


def part_of(ours):
    """`one lane` of `FeedCore, one lane`; empty for FeedCore as a whole."""
    return ours.removeprefix("FeedCore").removeprefix(", ")


def verdict_of(entry):
    """`0.74 ▼ worse`, so that a verdict never depends on a colour."""
    return f"{ratio(entry.ratio)} {MARKS[entry.verdict]} {entry.verdict}"


def count(number, one, many=None):
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def listed(words):
    words = list(words)
    return " and ".join([", ".join(words[:-1])] * (len(words) > 1) + words[-1:])
