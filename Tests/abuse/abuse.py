"""Runs the chosen parts against a real server, and prints a line for each. See scripts/abuse-server."""

import argparse
import importlib
import logging
import os
import random
import resource
import shutil
import sys
import tempfile
import time
import traceback
import warnings

import parts
import served

MODULES = ["slowness", "floods", "targets", "queries", "replacing", "ending"]


def run(part, options, store, fault=None):
    """Returns the verdict of a part, its figures or its fault, and the duration.

    FAIL means that the part has found a fault; BROKEN means that the harness itself has failed."""
    began = time.monotonic()
    trial = parts.Trial(options, store, fault, random.Random(options.seed))
    try:
        verdict, text = "PASS", part.function(trial)
    except served.Failure as failure:
        verdict, text = "FAIL", str(failure)
    except Exception as error:
        traceback.print_exc()
        verdict, text = "BROKEN", f"{type(error).__name__}: {error}"
    finally:
        trial.clean_up()
    return verdict, text, time.monotonic() - began


def self_test(chosen, options, store):
    missed = 0
    for part in chosen:
        for fault in part.faults:
            verdict, text, seconds = run(part, options, store, fault)
            word = {"FAIL": "FOUND", "PASS": "MISSED"}.get(verdict, verdict)
            missed += verdict != "FAIL"
            print(f"{word} {part.name} with {fault}: {text} ({seconds:.1f} s)", flush=True)
    print(f"{len(chosen)} parts, {missed} faults missed", flush=True)
    return 1 if missed else 0


def main():
    for module in MODULES:
        importlib.import_module(module)
    parser = argparse.ArgumentParser(prog="scripts/abuse-server")
    parser.add_argument("part", nargs="*", help=", ".join(parts.ALL))
    parser.add_argument("--size", choices=["ci", "full"], default="ci")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--self-test", action="store_true")
    parser.add_argument("--feedcore", required=True)
    options = parser.parse_args()
    for name in options.part:
        if name not in parts.ALL:
            parser.exit(64, f"there is no part {name}; the parts: {', '.join(parts.ALL)}\n")
    # The line of a failed part says enough about the tasks that were still running.
    logging.getLogger("asyncio").setLevel(logging.CRITICAL + 1)
    warnings.simplefilter("ignore")
    chosen = [parts.ALL[name] for name in options.part or parts.ALL]
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    work = tempfile.mkdtemp(prefix="feedcore-abuse.")
    try:
        store = served.Store(options.feedcore, os.path.join(work, "store"))
        store.fill()
        if options.self_test:
            return self_test(chosen, options, store)
        failed = 0
        for part in chosen:
            verdict, text, seconds = run(part, options, store)
            failed += verdict != "PASS"
            print(f"{verdict} {part.name}: {text} ({seconds:.1f} s)", flush=True)
        print(f"{len(chosen)} parts, {failed} failed, seed {options.seed}", flush=True)
        return 1 if failed else 0
    finally:
        shutil.rmtree(work, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
