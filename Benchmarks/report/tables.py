"""The full tables for results.md, and the short table for Benchmarks/README.md."""

import textwrap

import words
from results import BETTER, SCALING, WORSE, by_case, counted, groups_in_order

README_BEGIN = "<!-- scripts/bench writes what stands from here -->"
README_END = "<!-- to here -->"
# The name of FeedCore with several threads. The parsers of the peers have one thread.
ALL_LANES = "all lanes"
# Peers that make values of a whole document and keep them.
VALUE_MAKERS = ("JSONDecoder", "JSONSerialization")


def cell(text):
    return text.replace("\\", "\\\\").replace("|", "\\|").replace("\n", " ")


def table(heads, rows, right=()):
    """A table in Markdown; `right` are the columns of figures."""
    lines = [heads, ["--:" if index in right else "---" for index in range(len(heads))]]
    return [
        "| " + " | ".join(map(cell, row)) + " |"
        if row is not lines[1]
        else "|" + "|".join(row) + "|"
        for row in lines + list(rows)
    ]


def file_of(group):
    """The name of a group's chart."""
    letters = "".join(c if c.isascii() and c.isalnum() else "-" for c in group.lower())
    return f"{letters}.svg"


def headline(results):
    """A summary of all comparisons in a few sentences."""
    entries = results.comparisons
    if not entries:
        return "Nothing was compared with peers."
    total = words.count(len(entries), "comparison")
    sentence = f"Of {total} with peers FeedCore is {verdicts(entries)}."
    alike = [entry for entry in entries if not is_unlike(entry)]
    if alike and len(alike) < len(entries):
        sentence += (
            f" Of the {len(alike)} without those of all lanes against a peer's one thread, and"
            f" without parsers that make values of the whole document, it is {verdicts(alike)}."
        )
    if counted(entries)[2]:
        sentence += " Undecided: the rounds lie on both sides of 1."
    return sentence


def verdicts(entries):
    better, worse, undecided = counted(entries)
    told = [f"better in {better}", f"worse in {worse}"] + [f"undecided in {undecided}"] * (undecided > 0)
    return words.listed(told)


def is_unlike(entry):
    """Whether FeedCore used more processors than the peer, or the peer did more work."""
    return ALL_LANES in entry.ours or entry.group == "parse" and entry.peer in VALUE_MAKERS


def emphasised(text, entry):
    return f"**{text}**" if entry.verdict == WORSE else text


def comparison_rows(entries):
    for entry in entries:
        yield [
            entry.case,
            entry.ours,
            f"{words.figure(entry.our_figure)} {entry.unit}",
            entry.peer,
            f"{words.figure(entry.peer_figure)} {entry.unit}",
            emphasised(words.verdict_of(entry), entry),
            f"{words.ratio(entry.low)}–{words.ratio(entry.high)}",
        ]


def scaling_rows(steps):
    for step in (step for rows in by_case(steps).values() for step in rows):
        yield [
            step.case,
            words.amount(step.size, step.of),
            f"{words.figure(step.figure)} {step.unit}",
            f"{words.figure(step.low)}–{words.figure(step.high)}",
            words.amount(step.memory, "bytes") if step.memory else "",
            step.peer if step.peer_figure else "",
            f"{words.figure(step.peer_figure)} {step.unit}" if step.peer_figure else "",
        ]


def growth(steps):
    """For each case with an aim: how much figure and memory grow, and whether the aim is met."""
    for case, rows in by_case(steps).items():
        for name, promises in [
            (rows[0].unit, [(row, row.figure, row.flat_within) for row in rows]),
            ("peak memory", [(row, row.memory, row.memory_flat_within) for row in rows]),
        ]:
            promised = [promise for promise in promises if promise[2]]
            if len(promised) < 2:
                continue
            figures = [figure for _, figure, _ in promised]
            most, aim = max(figures) / min(figures), 1 + promised[0][2]
            sizes = [words.amount(row.size, rows[0].of) for row, _, _ in promised]
            without_first = max(figures[1:]) / min(figures[1:])
            rest = f"; from {sizes[1]} on {words.ratio(without_first)}" if len(promised) > 2 else ""
            yield (
                f"{case}, {sizes[0]} to {sizes[-1]}: {name} differs by a factor of"
                f" {words.ratio(most)} (aim: {aim:.2f}, {'met' if most <= aim else '**not met**'})"
                f"{rest}."
            )


def unlike_work(results):
    """The note on parsers that make values of a whole document."""
    entries = [entry for entry in results.of("parse") if entry.peer in VALUE_MAKERS]
    if entries:
        yield (
            f"parse: in {len(entries)} of the comparisons the peer is {' or '.join(VALUE_MAKERS)}, which"
            " makes values of the whole document and keeps them; FeedCore makes flat records of it,"
            " a batch at a time. In decode both make values."
        )


def steps_beside_peers(steps):
    """FeedCore's ratio to a peer at each size, for cases in which both did the same work."""
    for case, rows in by_case(steps).items():
        ratios = {"ns": lambda row: row.peer_figure / row.figure,
                  "MB/s": lambda row: row.figure / row.peer_figure}.get(rows[0].unit)
        if ratios is None or not all(row.peer_figure for row in rows):
            continue
        sizes = [f"{step_ratio(ratios(row))} at {words.amount(row.size, row.of)}" for row in rows]
        yield f"{case}, against {rows[0].peer}: {', '.join(sizes)}."


def step_ratio(ratio):
    if 0.995 <= ratio < 1.005:
        return f"≈ {words.ratio(ratio)}"
    return f"▲ {words.ratio(ratio)}" if ratio > 1 else f"**▼ {words.ratio(ratio)}**"


def about(results):
    """The machine and the versions of each run, after the failures."""
    lines = []
    for run in results.runs:
        for group, what in run.failures.items():
            lines += [f"**Incomplete: {cell(group)}: {cell(what)}**", ""]
    for run in results.runs:
        names = groups_in_order(run.groups)
        covers = "" if len(results.runs) == 1 else f" ({words.listed(names)})"
        lines += [f"Measured on {run.date} at commit {run.commit}, size {run.size}{covers}:", ""]
        lines += [f"- {name}: {value}" for name, value in run.machine.items()]
        versions = ", ".join(f"{name} {value}" for name, value in run.versions.items())
        lines += [f"- versions: {versions}"] if versions else []
        lines.append("")
    return lines


def document(results):
    """results.md."""
    lines = ["# Benchmarks", "", headline(results), ""]
    lines += [
        "`scripts/bench` wrote this. A ratio says how many times as good as the peer FeedCore is:"
        " above 1 FeedCore is better, below 1 the peer is, and that stands in bold. It is the"
        " median of the rounds, in which both did the same work in turn; beside it their extremes.",
        "",
    ]
    lines += about(results)
    for group in results.groups:
        entries = results.of(group)
        lines += [f"## {group}", ""]
        if group == SCALING:
            told = [*steps_beside_peers(entries), *growth(entries)]
            lines += [f"- {sentence}" for sentence in told] + [""]
            heads = ["case", "size", "figure", "rounds", "peak memory", "peer", "its figure"]
            lines += table(heads, scaling_rows(entries), (1, 2, 3, 4, 6))
        else:
            better, worse, undecided = counted(entries)
            lines += [f"Better in {better}, worse in {worse}, undecided in {undecided}.", ""]
            if group == "parse":
                lines += [f"- {sentence}" for sentence in unlike_work(results)] + [""]
            heads = ["case", "FeedCore", "figure", "peer", "its figure", "ratio", "rounds"]
            lines += table(heads, comparison_rows(entries), (2, 4, 6))
        lines += ["", f"![{group}]({file_of(group)})", ""]
    return "\n".join(lines).rstrip() + "\n"


def short_rows(results):
    """A row for each peer in a group, with the worst and the best case of each part of FeedCore.

    So no comparison is left out."""
    peers = {}
    for entry in results.comparisons:
        ours = peers.setdefault((entry.group, entry.peer), {})
        ours.setdefault((words.part_of(entry.ours), entry.unit), []).append(entry)
    order = results.groups
    for (group, peer), ours in sorted(peers.items(), key=lambda pair: order.index(pair[0][0])):
        cells = [f"{part} {extremes(entries)}".strip() for (part, _), entries in ours.items()]
        entries = [entry for parts in ours.values() for entry in parts]
        wins = sum(entry.verdict == BETTER for entry in entries)
        yield [group, peer, "; ".join(cells), f"{wins} of {len(entries)}"]


def extremes(entries):
    """`**▼ 0.68** to ▲ 1.20`, with a loss in bold. A single ratio is followed by its case."""
    least, most = (
        emphasised(f"{words.MARKS[entry.verdict]} {words.ratio(entry.ratio)}", entry)
        for entry in (pick(entries, key=lambda entry: entry.ratio) for pick in (min, max))
    )
    return f"{least} to {most}" if len(entries) > 1 else f"{least} ({entries[0].case})"


def short(results, directory):
    """The text for Benchmarks/README.md. `directory` is its path to results.md."""
    dates = dict.fromkeys(run.date[:10] for run in results.runs)
    machines = dict.fromkeys(", ".join(run.machine.values()) for run in results.runs)
    about = (
        "`scripts/bench` measures FeedCore against its peers, each what one would use in its place,"
        f" in turn and on the same data. Measured on {words.listed(dates)} on"
        f" {' and on '.join(machines)}. {headline(results)} [All of them, with"
        f" charts]({directory}/results.md). Ratios say how many times as good as the peer FeedCore"
        " is: ▲ FeedCore is better, **▼ the peer is**."
    )
    lines = [*textwrap.wrap(about, 100, break_long_words=False, break_on_hyphens=False), ""]
    heads = ["", "against", "FeedCore's worst to best case", "better in"]
    if results.comparisons:
        lines += table(heads, short_rows(results), (3,)) + [""]
    steps = results.of(SCALING)
    told = [*unlike_work(results), *steps_beside_peers(steps), *growth(steps)]
    lines += [f"- {sentence}" for sentence in told]
    incomplete = groups_in_order(name for r in results.runs for name in r.failures)
    if incomplete:
        lines += ["", f"Incomplete: {words.listed(incomplete)}."]
    return "\n".join(lines).rstrip() + "\n"


def placed(readme, text):
    """The README with the text between its markers. None unless each occurs once, in order."""
    if readme.count(README_BEGIN) != 1 or readme.count(README_END) != 1:
        return None
    before, rest = readme.split(README_BEGIN)
    if README_END not in rest:
        return None
    return f"{before}{README_BEGIN}\n\n{text.rstrip()}\n\n{README_END}{rest.split(README_END)[1]}"
