"""The lines that the benchmarks write, which are JSON objects.

A line is a comparison, a step of scaling, or a run with the machine and the commit of its groups.
"""

import json
import math
from dataclasses import asdict, dataclass, field, replace

SCALING = "scaling"
GROUPS = ["parse", "decode", "ingest", "look-up", "scan", "image", "C", "serve", SCALING]
BETTER, WORSE, UNDECIDED = "better", "worse", "undecided"


class BadLine(ValueError):
    """The reason why a line is not a result."""


@dataclass(frozen=True)
class Comparison:
    """FeedCore and a peer, measured in turn with the same work."""

    group: str
    case: str
    ours: str
    peer: str
    our_figure: float
    peer_figure: float
    unit: str
    lower_is_better: bool
    # How many times as good as the peer: the median of the rounds, and their extremes.
    ratio: float
    low: float
    high: float
    rounds: int

    @property
    def verdict(self):
        # Undecided if rounds lie on both sides of 1, or if the ratio is written as 1.00.
        if self.low <= 1 <= self.high or 0.995 <= self.ratio < 1.005:
            return UNDECIDED
        return BETTER if self.ratio > 1 else WORSE


@dataclass(frozen=True)
class Step:
    """A figure at one size of a case of scaling."""

    group: str
    case: str
    size: float
    # The unit of the size: bytes, lanes, records.
    of: str
    unit: str
    figure: float
    low: float
    high: float
    # Bytes; 0 if not measured.
    memory: float
    # 0 without a peer.
    peer_figure: float
    peer: str
    # The allowed excess of the figure over the least figure of its case, as a fraction, and the
    # same for the memory; 0 without a promise.
    flat_within: float
    memory_flat_within: float


@dataclass(frozen=True)
class Run:
    """Where and when some groups were measured."""

    groups: tuple
    date: str
    commit: str
    size: str
    machine: dict
    versions: dict
    # The groups that failed, and the reasons.
    failures: dict = field(default_factory=dict)


def number(line, name, default=None):
    value = line.get(name, default)
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
        raise BadLine(f"{name} is not a number")
    if value < 0:
        raise BadLine(f"{name} is below 0")
    return float(value)


def positive(line, name, default=None):
    value = number(line, name, default)
    if value == 0:
        raise BadLine(f"{name} is 0")
    return value


def text(line, name, default=None):
    value = line.get(name, default)
    if not isinstance(value, str) or not value or not value.isprintable():
        raise BadLine(f"{name} is not a word of printable characters")
    return value


def comparison(line):
    if line.get("better") not in ("higher", "lower"):
        raise BadLine("better is neither higher nor lower")
    result = Comparison(
        *(text(line, name) for name in ("group", "case", "ours", "peer")),
        *(positive(line, name) for name in ("our_figure", "peer_figure")),
        unit=text(line, "unit"),
        lower_is_better=line["better"] == "lower",
        **{name: positive(line, name) for name in ("ratio", "low", "high")},
        rounds=int(positive(line, "rounds")),
    )
    # Allows for rounding.
    if not result.low * 0.99 <= result.ratio <= result.high * 1.01:
        raise BadLine("the ratio does not lie between low and high")
    return result


def contradiction(entry):
    """The contradiction between the figures of a comparison and its rounds, or None.

    The ratio of two medians, or of two best rounds, lies within the ratios of the rounds.
    """
    told = entry.our_figure / entry.peer_figure
    if entry.lower_is_better:
        told = 1 / told
    if entry.low * 0.95 <= told <= entry.high * 1.05:
        return None
    return f"the figures say {told:.3g} and the rounds {entry.low:g} to {entry.high:g}"


def step(line):
    figure = positive(line, "figure")
    return Step(
        SCALING,
        text(line, "case"),
        positive(line, "size"),
        text(line, "of", "bytes"),
        text(line, "unit"),
        figure,
        # The processor time of a short round may be below the resolution of the system.
        number(line, "low", figure),
        positive(line, "high", figure),
        number(line, "memory", 0),
        number(line, "peer_figure", 0),
        text(line, "peer", "peer"),
        number(line, "flat_within", 0),
        number(line, "memory_flat_within", 0),
    )


def run(line):
    return Run(
        tuple(line["groups"]),
        text(line, "date"),
        text(line, "commit"),
        text(line, "size"),
        dict(line["machine"]),
        dict(line["versions"]),
        dict(line.get("failures", {})),
    )


def parsed(line):
    """A comparison, a step, or a run."""
    try:
        value = json.loads(line)
    except ValueError as error:
        raise BadLine("this is no JSON") from error
    if not isinstance(value, dict):
        raise BadLine("this is no JSON object")
    group = text(value, "group")
    if group == "run":
        try:
            return run(value)
        except (KeyError, TypeError, ValueError) as error:
            raise BadLine(f"a run that cannot be read: {error}") from error
    return step(value) if group == SCALING else comparison(value)


def groups_in_order(names):
    """Each group once: known groups in the order of the report, then the others as given."""
    names = dict.fromkeys(names)
    return [name for name in GROUPS if name in names] + [n for n in names if n not in GROUPS]


class Results:
    """The measured entries and their runs."""

    def __init__(self):
        self.runs = []
        self.entries = []
        # The original lines of the entries, without runs.
        self.lines = []

    def read(self, lines, source):
        """Adds entries from lines. Returns a sentence for each line that cannot be used."""
        problems = []
        for place, line in enumerate(lines, 1):
            if not line.strip():
                continue
            try:
                entry = parsed(line)
            except BadLine as problem:
                problems.append(f"line {place} of {source}: {problem}: {line.strip():.120}")
                continue
            if isinstance(entry, Run):
                self.runs.append(entry)
                continue
            self.entries.append(entry)
            self.lines.append(line.strip())
            doubt = contradiction(entry) if isinstance(entry, Comparison) else None
            if doubt:
                problems.append(f"{entry.group}, {entry.case}: {entry.ours}, {entry.peer}: {doubt}")
        return problems

    def without(self, groups):
        """The results without the groups that are measured again."""
        left = Results()
        for entry, line in zip(self.entries, self.lines):
            if entry.group not in groups:
                left.entries.append(entry)
                left.lines.append(line)
        for old in self.runs:
            remaining = tuple(name for name in old.groups if name not in groups)
            if remaining:
                failures = {g: what for g, what in old.failures.items() if g in remaining}
                left.runs.append(replace(old, groups=remaining, failures=failures))
        return left

    @property
    def comparisons(self):
        return [entry for entry in self.entries if isinstance(entry, Comparison)]

    @property
    def groups(self):
        return groups_in_order(entry.group for entry in self.entries)

    def of(self, group):
        return [entry for entry in self.entries if entry.group == group]

    def written(self):
        """The lines of runs and entries, for results.jsonl."""
        runs = [
            json.dumps({"group": "run", **asdict(run)}, ensure_ascii=False) for run in self.runs
        ]
        in_order = sorted(
            zip(self.entries, self.lines), key=lambda pair: self.groups.index(pair[0].group)
        )
        return "".join(line + "\n" for line in runs + [line for _, line in in_order])


def by_case(steps):
    """The steps of each case by size, with cases in their original order."""
    cases = {step.case: [] for step in steps}
    for step in sorted(steps, key=lambda step: step.size):
        cases[step.case].append(step)
    return cases


def counted(comparisons):
    """The numbers of better, worse and undecided comparisons."""
    verdicts = [entry.verdict for entry in comparisons]
    return verdicts.count(BETTER), verdicts.count(WORSE), verdicts.count(UNDECIDED)
