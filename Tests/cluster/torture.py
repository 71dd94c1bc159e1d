"""Publishes a feed in real clusters over and over while something fails, and checks what hosts see.

    torture.py FEEDCORE [CASE…] [--size ci|full] [--kills N] [--freezes N] [--server PROGRAM]
    torture.py --self-test

In all cases: hosts see complete generations whose numbers never fall. Each publish that was
acknowledged is there for a host without a copy. No command hangs, and each ends with a documented
status. At the end each block without a time to live has an owner, and nothing that is published has
a time to live. The case images puts and removes images instead: hosts see whole ones, of the last
change that was acknowledged or of a later one. The case commands runs all commands in a healthy
cluster, and compares their output with that of a store in a directory.

Prints a line for each case, and ends with 1 if a rule was broken. --self-test: plants faults in a
copy of the tree, and fails if a case does not find its fault.
"""

import argparse
import os
import signal
import sys
import traceback

import commands
import failures
import images
import limits
import near
import namespaces
import planted
import writers

CASES = {**failures.CASES, **limits.CASES, **writers.CASES, **images.CASES,
         **near.CASES, **commands.CASES}


class Parser(argparse.ArgumentParser):
    def error(self, message):
        # The same status for wrong usage as in the scripts.
        self.exit(64, f"{self.prog}: {message}\n")


class Options(argparse.Namespace):
    def count(self, ci, full):
        return ci if self.size == "ci" else full


def options_of(arguments=None):
    parser = Parser(prog="torture.py")
    parser.add_argument("program", nargs="?", metavar="FEEDCORE")
    parser.add_argument("case", nargs="*", metavar="CASE", help=", ".join(CASES))
    parser.add_argument("--size", choices=["ci", "full"], default="ci")
    parser.add_argument("--kills", type=int)
    parser.add_argument("--freezes", type=int)
    parser.add_argument("--server", default="redis-server", help="redis-server or valkey-server")
    parser.add_argument("--self-test", action="store_true")
    options = parser.parse_intermixed_args(arguments, Options())
    if not options.self_test and options.program is None:
        parser.error("the program feedcore is missing")
    for case in options.case:
        if case not in CASES:
            parser.error(f"there is no case {case}: use {', '.join(CASES)}")
    if options.kills is None:
        options.kills = options.count(10, 200)
    if options.freezes is None:
        options.freezes = options.count(3, 40)
    if options.program:
        options.program = os.path.abspath(options.program)
    if not options.case:
        # The network of a partition needs Linux.
        options.case = [case for case in CASES if case != "partition" or sys.platform == "linux"]
    return options


def run_case(name, options):
    """Returns whether no rule was broken."""
    if name == "partition" and not namespaces.is_inside():
        return namespaces.run_inside(
            options.program, name, "--size", options.size, "--server", options.server) == 0
    try:
        return CASES[name](options)
    except Exception:
        traceback.print_exc()
        print(f"{name}: the case did not run to its end", flush=True)
        return False


def main():
    options = options_of()
    # The nodes end with the test.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    if options.self_test:
        return planted.self_test()
    results = [run_case(name, options) for name in options.case]
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
