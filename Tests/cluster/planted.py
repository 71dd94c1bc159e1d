"""Tests the test: plants faults in a copy of the tree, and fails if a case does not find its fault.

One build has all of them; FEEDCORE_PLANTED is the number of the active one.
"""

import collections
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
HARNESS = pathlib.Path(__file__).with_name("torture.py")

PLANTED = """\
#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

package let plantedFault = getenv("FEEDCORE_PLANTED").flatMap { Int(String(cString: $0)) } ?? 0
"""

# Each edit has a file below Sources, a part that occurs once in it, and the replacement.
EDITS = [
    # 1
    ("RESPClient/RESPClusterClient+Barrier.swift",
     "guard replicas > 0 else",
     "guard replicas > 0, plantedFault != 1 else"),
    # 2
    ("FeedCluster/ClusterWriter.swift",
     "let isComplete = try await persist()",
     "let isComplete = plantedFault == 2 ? true : try await persist()"),
    # 3
    ("FeedCluster/ClusterScripts.swift",
     "if state ~= ARGV[2] then return 3 end",
     r'\(plantedFault == 3 ? "" : "if state ~= ARGV[2] then return 3 end")'),
    ("FeedCluster/ClusterScripts.swift",
     "#if Cluster\n",
     "#if Cluster\n  import RESPClient\n"),
    # 4
    ("FeedCluster/ClusterPublication.swift",
     "case nil: throw",
     "case nil where plantedFault == 4: isVisible = true\n          case nil: throw"),
    ("FeedCluster/ClusterPublication.swift",
     "guard error.isTransient else {",
     "if plantedFault == 4, !error.isTransient { return true }\n"
     "          guard error.isTransient else {"),
    # 5
    ("FeedCluster/ClusterScripts.swift",
     "for place = 2, 1 + count do redis.call('PEXPIRE', KEYS[place], ARGV[3]) end",
     r'\(plantedFault == 5 ? "" : "for place = 2, 1 + count do'
     r""" redis.call('PEXPIRE', KEYS[place], ARGV[3]) end")"""),
    # 6
    ("FeedCluster/ClusterScripts.swift",
     "for place = 2 + count, #KEYS do redis.call('PEXPIRE', KEYS[place], ARGV[5]) end",
     r'\(plantedFault == 6 ? "" : "for place = 2 + count, #KEYS do'
     r""" redis.call('PEXPIRE', KEYS[place], ARGV[5]) end")"""),
]

# The arguments run the case that finds the fault; the pattern matches its output.
Fault = collections.namedtuple("Fault", "number name arguments pattern")
FAULTS = [
    Fault(1, "no WAIT", ["kills", "--kills", "1", "--freezes", "0"], "was acknowledged"),
    Fault(2, "no seal pass", ["race"], "it is missing"),
    Fault(3, "no compare-and-set in the publish script", ["race"], "was published meanwhile"),
    Fault(4, "an error reply taken for success", ["memory"], "was acknowledged"),
    Fault(5, "the chunks of an image expire before its row", ["images"], "of 0 versions of"),
    Fault(6, "the chunks of a replaced image stay", ["images"], "of [12] versions of"),
]


def plant(sources):
    (sources / "RESPClient" / "Planted.swift").write_text(PLANTED)
    for name, part, replacement in EDITS:
        path = sources / name
        text = path.read_text()
        if text.count(part) != 1:
            sys.exit(f"'{part}' is not once in {name}: update {HARNESS.with_name('planted.py')}")
        path.write_text(text.replace(part, replacement))


def build(directory):
    """Builds the program in a copy of the tree with all faults."""
    tree = directory / "tree"
    shutil.copytree(
        ROOT, tree, symlinks=True, ignore=shutil.ignore_patterns(".build*", ".git", ".mypy_cache"))
    plant(tree / "Sources")
    with open(directory / "log", "w") as log:
        status = subprocess.run(
            ["swift", "build", "--package-path", tree, "--scratch-path", directory / "build",
             "--product", "feedcore"],
            stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT).returncode
    if status != 0:
        sys.exit(f"the tree with faults does not build, see {directory}/log")
    return directory / "build" / "debug" / "feedcore"


def run(program, arguments, number):
    return subprocess.run(
        [sys.executable, HARNESS, program, *arguments],
        env=dict(os.environ, FEEDCORE_PLANTED=str(number)), capture_output=True, text=True)


def self_test():
    directory = pathlib.Path(tempfile.mkdtemp(prefix="feedcore-self-test."))
    print(f"building a copy in {directory}", flush=True)
    program = build(directory)
    sound = {}
    missed = 0
    for fault in FAULTS:
        case = " ".join(fault.arguments)
        if case not in sound:
            sound[case] = run(program, fault.arguments, 0)
        start = time.monotonic()
        found = run(program, fault.arguments, fault.number)
        lines = [line for line in found.stdout.splitlines() if re.search(fault.pattern, line)]
        if sound[case].returncode != 0:
            verdict = f"BROKEN: {case} fails without a fault: {sound[case].stdout}"
        elif found.returncode != 1 or not lines:
            verdict = f"NOT FOUND: {found.stdout}{found.stderr}"
        else:
            verdict = f"found by {case} in {time.monotonic() - start:.0f} s:{lines[0]}"
        missed += not verdict.startswith("found")
        print(f"{fault.name}: {verdict}", flush=True)
    if missed == 0:
        shutil.rmtree(directory)
    return 1 if missed else 0
