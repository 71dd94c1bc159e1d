"""Tests the report from lines to table and charts, with the command of scripts/bench.

python3 -m unittest discover --start-directory Benchmarks/report
"""

import json
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as ElementTree

import svg
import tables

SVG = "{http://www.w3.org/2000/svg}"
README = f"# A\n\nbefore\n\n{tables.README_BEGIN}\nold\n{tables.README_END}\n\nafter\n"


def comparison(**changes):
    line = {
        "group": "parse",
        "case": "universities, pretty",
        "ours": "FeedCore, one lane",
        "peer": "YAJL in C",
        "our_figure": 814.0,
        "peer_figure": 1100.0,
        "unit": "MB/s",
        "better": "higher",
        "ratio": 0.74,
        "low": 0.71,
        "high": 0.77,
        "rounds": 7,
    }
    return line | changes


def step(size, figure, **changes):
    line = {"group": "scaling", "case": "ingest", "size": size, "unit": "ns/byte", "figure": figure}
    return line | {"memory": 52_428_800, "flat_within": 0.1} | changes


LOSS = comparison()
WIN = comparison(
    peer="JSONDecoder", our_figure=814.0, peer_figure=50.0, ratio=16.3, low=15, high=17
)
TAIL = comparison(
    group="serve",
    case="GET",
    ours="FeedCore, p99",
    peer="nginx",
    our_figure=2000.0,
    peer_figure=900.0,
    unit="µs",
    better="lower",
    ratio=0.45,
    low=0.4,
    high=0.9,
)
UNDECIDED = comparison(case="news", our_figure=100, peer_figure=100, ratio=1.0, low=0.99, high=1.02)
ALL = [LOSS, WIN, TAIL, UNDECIDED, step(10_000_000, 8.0), step(4_000_000_000, 8.2)]


class ReportTests(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory(prefix="feedcore-report")
        self.addCleanup(directory.cleanup)
        self.directory = pathlib.Path(directory.name)
        self.output = self.directory / "Benchmarks/results"
        self.readme = self.directory / "README.md"
        self.readme.write_text(README)

    def report(self, lines, groups="parse,serve,scaling", *words):
        """Runs the report. Returns its standard error and its exit code."""
        written = [line if isinstance(line, str) else json.dumps(line) for line in lines]
        (self.directory / "lines").write_text("\n".join(written) + "\n")
        here = pathlib.Path(__file__).parent
        command = [sys.executable, here, self.directory / "lines", "--output", self.output]
        done = subprocess.run(
            [*map(str, command), "--groups", groups, *words], capture_output=True, text=True
        )
        return done.stderr, done.returncode

    def reported(self, lines, *words):
        errors, status = self.report(lines, *words)
        self.assertEqual((errors, status), ("", 0))
        return (self.output / "results.md").read_text()

    def chart(self, group):
        return ElementTree.parse(self.output / f"{group}.svg").getroot()

    def rows(self, text):
        return [line for line in text.splitlines() if line.startswith("| ")]

    def test_every_comparison_stands_in_the_table_and_in_a_chart(self):
        text = self.reported(ALL)
        for line in ALL[:4]:
            words = [line["case"], line["ours"], line["peer"], line["unit"]]
            self.assertTrue(
                any(all(word in row for word in words) for row in self.rows(text)), line
            )
            titles = [title.text for title in self.chart(line["group"]).iter(SVG + "title")]
            words = [line["case"], line["ours"], line["peer"]]
            self.assertTrue(any(all(word in title for word in words) for title in titles), line)
        for group in ("parse", "serve", "scaling"):
            self.assertIn(f"({group}.svg)", text)

    def test_losses_and_wins_are_counted_in_the_first_sentence(self):
        text = self.reported(ALL)
        self.assertIn(
            "Of 4 comparisons with peers FeedCore is better in 1, worse in 2 and undecided in 1.",
            text,
        )
        self.assertIn("Undecided: the rounds lie on both sides of 1.", text)

    def test_what_had_more_processors_or_less_to_do_is_left_out_of_a_second_count(self):
        lanes = comparison(
            ours="FeedCore, all lanes", our_figure=1540.0, ratio=1.4, low=1.3, high=1.5
        )
        text = self.reported([LOSS, WIN, lanes, TAIL], "parse,serve")
        self.assertIn("Of 4 comparisons with peers FeedCore is better in 2 and worse in 2.", text)
        self.assertIn("Of the 2 without those of all lanes", text)
        self.assertIn("it is better in 0 and worse in 2.", text)
        self.assertNotIn("without those", self.reported([LOSS, TAIL], "parse,serve"))

    def test_a_loss_is_told_by_a_word_a_sign_and_its_weight(self):
        rows = self.rows(self.reported(ALL))
        losses = [row for row in rows if "**" in row]
        self.assertEqual(len(losses), 2)
        self.assertIn("**0.74 ▼ worse**", losses[0])
        self.assertIn("**0.45 ▼ worse**", losses[1])
        self.assertTrue(any("| 16.3 ▲ better |" in row for row in rows))
        self.assertTrue(any("| 1.00 ≈ undecided |" in row for row in rows))

    def test_bars_go_left_of_the_line_at_1_for_a_loss_and_right_of_it_for_a_win(self):
        self.reported(ALL)
        chart = self.chart("parse")
        one = next(line for line in chart.iter(SVG + "line") if line.get("class") == "one")
        place = float(one.get("x1"))
        bars = {r.get("class"): r for r in chart.iter(SVG + "rect") if r.get("class") != "paper"}
        self.assertEqual(set(bars), {"better", "worse", "undecided"})
        left = float(bars["worse"].get("x"))
        self.assertLess(left, place)
        self.assertAlmostEqual(left + float(bars["worse"].get("width")), place, delta=0.2)
        self.assertAlmostEqual(float(bars["better"].get("x")), place, delta=0.2)
        self.assertGreater(float(bars["better"].get("width")), 50)

    def test_charts_name_and_describe_themselves_in_light_and_dark(self):
        self.reported(ALL)
        for group in ("parse", "serve", "scaling"):
            chart = self.chart(group)
            self.assertEqual(chart.get("role"), "img")
            names = {element.get("id"): element.text for element in chart}
            self.assertTrue(names["title"] and names["desc"])
            self.assertIn("prefers-color-scheme: dark", chart.find(SVG + "style").text)

    def test_no_text_of_a_chart_is_cut_off(self):
        long = "a case whose name is much longer than that of any case that there is, with more"
        self.reported([*ALL, comparison(case=long), step(1, 8.0, case=long)])
        for group in ("parse", "serve", "scaling"):
            chart = self.chart(group)
            *_, right, bottom = map(float, chart.get("viewBox").split())
            for text in chart.iter(SVG + "text"):
                kind = (text.get("class") or "").split()
                size = 17 if "title" in kind else 11.5 if "small" in kind else 13
                extent = svg.width(text.text, size)
                before = extent if "end" in kind else extent / 2 if "middle" in kind else 0
                start = float(text.get("x")) - before
                self.assertGreaterEqual(start, 0, text.text)
                self.assertLessEqual(start + extent, right, text.text)
                self.assertLess(float(text.get("y")), bottom)

    def test_labels_stand_beside_the_bars_and_not_under_them(self):
        self.reported(ALL)
        for group in ("parse", "serve"):
            chart = self.chart(group)
            rows = [row for row in chart.iter(SVG + "g") if row.find(SVG + "title") is not None]
            places = [float(line.get("x1")) for row in rows for line in row.iter(SVG + "line")]
            labels = {line[key] for line in ALL[:4] for key in ("case", "peer")}
            for label in chart.iter(SVG + "text"):
                if any(label.text.endswith(name) for name in labels):
                    end = float(label.get("x")) + svg.width(label.text)
                    self.assertLess(end, min(places))

    def test_many_comparisons_are_dots_and_each_of_them_is_named(self):
        cases = [f"case {number}" for number in range(60)]
        self.reported([*(comparison(case=case) for case in cases), WIN, UNDECIDED], "parse")
        chart = self.chart("parse")
        dots = list(chart.iter(SVG + "circle"))
        self.assertEqual(len(dots), 60 + 1)
        one = next(line for line in chart.iter(SVG + "line") if line.get("class") == "one")
        for dot in dots:
            if dot.get("class") == "worse":
                self.assertLess(float(dot.get("cx")), float(one.get("x1")))
        titles = [title.text for title in chart.iter(SVG + "title")]
        for case in cases:
            self.assertTrue(any(title.startswith(f"{case}: ") for title in titles))
        texts = [text.text for text in chart.iter(SVG + "text")]
        self.assertIn("▲ 0 better, ▼ 60 worse, ≈ 1", texts)

    def test_names_with_special_characters_break_neither_table_nor_chart(self):
        text = self.reported([comparison(case='<a> & "b" | c')], "parse")
        self.assertIn('<a> & "b" \\| c', text)
        titles = [title.text for title in self.chart("parse").iter(SVG + "title")]
        self.assertTrue(any('<a> & "b" | c' in title for title in titles))

    def test_comparisons_with_parsers_that_do_more_are_told_as_such(self):
        self.report(ALL, "parse,serve,scaling", "--readme", str(self.readme))
        for text in ((self.output / "results.md").read_text(), self.readme.read_text()):
            self.assertIn("parse: in 1 of the comparisons the peer is JSONDecoder", text)
        self.assertNotIn("makes values", self.reported([LOSS, TAIL], "parse,serve"))

    def test_steps_are_compared_with_their_peers_where_both_did_the_same(self):
        look_ups = {"case": "look-up", "of": "records", "unit": "ns", "peer": "LMDB"}
        text = self.reported(
            [
                *(step(size, 300.0, peer_figure=peer, **look_ups) for size, peer in
                  [(10_000, 150.0), (1_000_000, 300.0), (10_000_000, 450.0)]),
                step(1, 8.0, case="ingest", peer="writing", peer_figure=4.0),
            ],
            "scaling",
        )
        self.assertIn(
            "- look-up, against LMDB: **▼ 0.50** at 10,000 records, ≈ 1.00 at 1,000,000 records,"
            " ▲ 1.50 at 10,000,000 records.",
            text,
        )
        self.assertNotIn("against writing", text)

    def test_a_round_of_no_time_is_a_round(self):
        text = self.reported([step(1, 8.0, low=0, high=9.0), step(2, 8.0)], "scaling")
        self.assertIn("| 0–9.00 |", text)

    def test_time_that_grows_with_the_size_is_told(self):
        self.assertIn("factor of 1.02 (aim: 1.10, met)", self.reported(ALL))
        grown = [step(10_000_000, 8.0), step(4_000_000_000, 9.6)]
        text = self.reported(grown, "scaling")
        self.assertIn(
            "10 MB to 4 GB: ns/byte differs by a factor of 1.20 (aim: 1.10, **not met**)", text
        )
        self.assertNotIn("from 4 GB on", text)
        text = self.reported([step(1_000_000, 16.0), *grown], "scaling")
        self.assertIn("factor of 2.00 (aim: 1.10, **not met**); from 10 MB on 1.20.", text)

    def test_the_readme_is_changed_between_its_markers_alone_and_twice_is_as_once(self):
        self.reported(ALL, "parse,serve,scaling", "--readme", str(self.readme))
        once = self.readme.read_text()
        self.assertTrue(once.startswith("# A\n\nbefore\n\n" + tables.README_BEGIN))
        self.assertTrue(once.endswith(tables.README_END + "\n\nafter\n"))
        self.assertNotIn("\nold\n", once)
        self.assertIn("(Benchmarks/results/results.md)", once)
        self.assertIn("| parse | YAJL in C | one lane **▼ 0.74** to ≈ 1.00 | 0 of 2 |", once)
        self.assertIn("| one lane ▲ 16.3 (universities, pretty) | 1 of 1 |", once)
        self.reported(ALL, "parse,serve,scaling", "--readme", str(self.readme))
        self.assertEqual(self.readme.read_text(), once)

    def test_a_readme_without_a_place_for_the_table_is_told_and_left_as_it_is(self):
        self.readme.write_text("# A\n")
        errors, status = self.report(ALL, "parse,serve,scaling", "--readme", str(self.readme))
        self.assertEqual(status, 1)
        self.assertIn("has no place for the table", errors)
        self.assertEqual(self.readme.read_text(), "# A\n")

    def test_groups_that_are_not_measured_again_are_kept_with_their_run(self):
        self.reported(ALL)
        again = [TAIL | {"our_figure": 1800.0, "ratio": 0.5, "low": 0.5, "high": 0.5}]
        text = self.reported(again, "serve", "--size", "ci")
        self.assertIn("0.74 ▼ worse", text)
        self.assertIn("0.50 ▼ worse", text)
        self.assertNotIn("0.45 ▼ worse", text)
        self.assertRegex(text, r"size full \(parse and scaling\)")
        self.assertRegex(text, r"size ci \(serve\)")
        lines = (self.output / "results.jsonl").read_text().splitlines()
        self.assertEqual(len(lines), 2 + len(ALL))

    def test_what_failed_is_told_and_the_rest_is_reported(self):
        words = ["parse,serve,scaling", "--failed", "serve:redis-server did not start"]
        errors, status = self.report([LOSS, *ALL[4:]], *words)
        self.assertEqual(status, 1)
        self.assertIn("serve: redis-server did not start", errors)
        text = (self.output / "results.md").read_text()
        self.assertIn("**Incomplete: serve: redis-server did not start**", text)
        self.assertIn("0.74 ▼ worse", text)

    def test_a_group_without_results_is_a_failure(self):
        errors, status = self.report([LOSS], "parse,scan")
        self.assertEqual((errors, status), ("scan: nothing was measured\n", 1))

    def test_lines_that_say_nothing_or_contradict_themselves_are_told(self):
        upside_down = comparison(ratio=1.35, low=1.3, high=1.4)
        for line, reason in [
            ("{", "no JSON"),
            ("7", "no JSON object"),
            ('{"group": "parse"}', "better"),
            (comparison(ratio=0), "ratio is 0"),
            (comparison(ratio="NaN"), "ratio is not a number"),
            (comparison(low=0.8), "does not lie between"),
            (comparison(case="a\nb"), "case"),
            (upside_down, "the figures say 0.74 and the rounds 1.3 to 1.4"),
            (comparison(group="other"), "results of other"),
        ]:
            with self.subTest(reason):
                errors, status = self.report([LOSS, line], "parse")
                self.assertEqual(status, 1)
                self.assertIn(reason, errors)
                self.assertIn("0.74 ▼ worse", (self.output / "results.md").read_text())

    def test_the_machine_the_versions_the_date_and_the_commit_are_named(self):
        text = self.reported(ALL)
        self.assertRegex(text, r"Measured on \d{4}-\d\d-\d\d \d\d:\d\d UTC at commit \w+")
        for word in ["processor", "memory", "kernel", "Swift", "YAJL", "LMDB", "simdjson"]:
            self.assertTrue(re.search(rf"\b{word}\b", text), word)


if __name__ == "__main__":
    unittest.main()
