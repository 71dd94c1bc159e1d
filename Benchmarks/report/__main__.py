"""Writes tables and charts from the lines of the benchmarks.

    python3 Benchmarks/report LINES --output DIR --groups GROUP,… [--size ci|full]
        [--commit NAME] [--failed GROUP:WHAT]… [--readme README.md]

LINES has the new results of these groups. Results of other groups in DIR/results.jsonl are kept
with their date and machine. Ends with 1 if a part failed or a line cannot be used.
"""

import argparse
import datetime
import os
import pathlib
import sys

import machine
import ratio_chart
import scaling_chart
import tables
from results import SCALING, Results, Run, groups_in_order

ROOT = pathlib.Path(__file__).resolve().parents[2]


def lines_of(path):
    return path.read_text(encoding="utf-8").splitlines() if path.exists() else []


def merged(options, new_run):
    """The new results together with the earlier results of other groups."""
    kept = Results()
    problems = kept.read(lines_of(options.output / "results.jsonl"), "the results so far")
    results = kept.without(new_run.groups)
    results.runs.append(new_run)
    before = len(results.runs)
    problems += results.read(lines_of(options.lines), "what was measured")
    del results.runs[before:]
    for group in new_run.groups:
        if not results.of(group):
            new_run.failures.setdefault(group, "nothing was measured")
    stray = [name for name in results.groups if not any(name in run.groups for run in results.runs)]
    problems += [f"results of {name}, which was not to be measured" for name in stray]
    if problems:
        new_run.failures["lines"] = "; ".join(problems)
    return results


def failed(parts):
    """The failures of each group, from words of the form `GROUP:WHAT`."""
    failures = {}
    for part in parts:
        group, _, what = part.partition(":")
        failures[group] = f"{failures[group]}; {what}" if group in failures else what
    return failures


def write(results, output):
    output.mkdir(parents=True, exist_ok=True)
    for old in output.glob("*.svg"):
        old.unlink()
    for group in results.groups:
        entries = results.of(group)
        is_scaling = group == SCALING
        chart = scaling_chart.chart(entries) if is_scaling else ratio_chart.chart(group, entries)
        (output / tables.file_of(group)).write_text(chart, encoding="utf-8")
    (output / "results.md").write_text(tables.document(results), encoding="utf-8")
    (output / "results.jsonl").write_text(results.written(), encoding="utf-8")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("lines", type=pathlib.Path)
    parser.add_argument("--output", type=pathlib.Path, required=True)
    parser.add_argument("--groups", required=True)
    parser.add_argument("--size", choices=["ci", "full"], default="full")
    # The measured commit; by default the current commit.
    parser.add_argument("--commit")
    parser.add_argument("--failed", action="append", default=[], metavar="GROUP:WHAT")
    parser.add_argument("--readme", type=pathlib.Path)
    options = parser.parse_args()
    new_run = Run(
        tuple(groups_in_order(options.groups.split(","))),
        datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d %H:%M UTC"),
        options.commit or machine.commit(str(ROOT)),
        options.size,
        machine.machine(),
        machine.versions(str(ROOT)),
        failed(options.failed),
    )
    results = merged(options, new_run)
    write(results, options.output)
    failures = [f"{group}: {what}" for group, what in new_run.failures.items()]
    if options.readme:
        place = os.path.relpath(options.output, options.readme.parent)
        text = tables.placed(
            options.readme.read_text(encoding="utf-8"), tables.short(results, place)
        )
        if text is None:
            failures.append(f"{options.readme} has no place for the table: {tables.README_BEGIN}")
        else:
            options.readme.write_text(text, encoding="utf-8")
    print(f"{options.output / 'results.md'}: {tables.headline(results)}")
    for failure in failures:
        print(failure, file=sys.stderr)
    sys.exit(bool(failures))


if __name__ == "__main__":
    main()
