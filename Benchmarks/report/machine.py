"""The machine of the measurements, and the versions of the compared software."""

import json
import os
import platform
import re
import shutil
import subprocess


def output(*command):
    """The output of a program; empty if it is missing or fails."""
    if not shutil.which(command[0]):
        return ""
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    # nginx writes its version to standard error.
    return (done.stdout + done.stderr).strip() if done.returncode == 0 else ""


def contents(path):
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read()
    except OSError:
        return ""


def found(pattern, text):
    match = re.search(pattern, text, re.MULTILINE)
    return match.group(1).strip() if match else ""


def machine():
    processor = found(r"^model name\s*:\s*(.+)$", contents("/proc/cpuinfo"))
    processor = processor or output("sysctl", "-n", "machdep.cpu.brand_string")
    kilobytes = found(r"^MemTotal:\s*(\d+) kB", contents("/proc/meminfo"))
    size = int(kilobytes) * 1024 if kilobytes else int(output("sysctl", "-n", "hw.memsize") or 0)
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    is_virtual = re.search(r"^flags\s*:.*\bhypervisor\b", contents("/proc/cpuinfo"), re.MULTILINE)
    return {
        "processor": f"{cores} core{'s' * (cores != 1)} of {processor or platform.machine()}"
        + (", a virtual machine" if is_virtual else ""),
        "memory": f"{size / 2**30:.0f} GiB",
        "kernel": f"{platform.system()} {platform.release()}",
    }


def package_version(root, name):
    """The version that the benchmarks' package resolved."""
    try:
        pins = json.loads(contents(os.path.join(root, "Benchmarks/Package.resolved")))["pins"]
        return next(p["state"].get("version", "") for p in pins if p["identity"] == name)
    except (KeyError, StopIteration, TypeError, ValueError):
        return ""


def versions(root):
    told = {
        "Swift": found(r"Swift version ([\w.-]+)", output("swift", "--version")),
        "GRDB": package_version(root, "grdb.swift"),
        "redis-server": found(r"v=([\w.]+)", output("redis-server", "--version")),
        "nginx": found(r"nginx/([\w.]+)", output("nginx", "-v")),
    }
    for name, package in [
        ("YAJL", "yajl"),
        ("LMDB", "lmdb"),
        ("simdjson", "simdjson"),
        ("RapidJSON", "RapidJSON"),
        ("SQLite", "sqlite3"),
    ]:
        told[name] = output("pkg-config", "--modversion", package)
    return {name: version or "unknown" for name, version in sorted(told.items())}


def commit(root):
    """The commit, and whether other files than the results have uncommitted changes."""
    name = output("git", "-C", root, "rev-parse", "--short=10", "HEAD") or "unknown"
    written = (":!Benchmarks/results", ":!Benchmarks/README.md")
    changes = output("git", "-C", root, "status", "--porcelain", "--", ".", *written)
    return f"{name} and changes that are not committed" if changes else name
