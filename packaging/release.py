"""Checks and writes parts of a release; scripts/release calls it.

    version            checks header, changelog and tag; prints the version, with "dev" if untagged
    pins FILE          writes Package.resolved with the pinned packages
    verify FILE SWIFT  compares the resolved packages, the toolchain and the libraries with the pins
    update FILE SWIFT  pins the resolved packages, the toolchain and the installed libraries
    sources            prints the names and versions of the source packages to build
    source FILE        checks a file of a source package against its pinned SHA-256
    sbom COMMIT        prints the bill of materials (SPDX 2.3)
    wheel LIBRARY OUT  writes the wheel around a library, and prints its name

Exit codes: 1 for a mismatch, with the remedy; 64 for wrong arguments.
"""

from __future__ import annotations

import base64
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys
import time
import zipfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
MANIFEST = ROOT / "packaging/dependencies.json"


def fail(message: str) -> None:
    sys.exit(f"release: {message}")


def output(*command: str) -> str:
    run = subprocess.run(command, check=True, capture_output=True, text=True, cwd=ROOT)
    return run.stdout.strip()


def manifest() -> dict:
    return json.loads(MANIFEST.read_text())


def header_version() -> str:
    found = re.search(r'#define FEEDCORE_VERSION "(\d+\.\d+\.\d+)"',
                      (ROOT / "include/feedcore.h").read_text())
    if not found:
        fail("include/feedcore.h has no FEEDCORE_VERSION of three numbers.")
    return found.group(1)


def tags(*arguments: str) -> list[str]:
    try:
        return output("git", "tag", "--list", "v*", *arguments).split()
    except (subprocess.CalledProcessError, FileNotFoundError):
        # A source archive has no history.
        return []


def version() -> tuple[str, bool]:
    """The version, and whether HEAD is its release. Header, changelog and tag must agree."""
    number = header_version()
    sections = re.findall(r"^## \[([^\]]+)\]", (ROOT / "CHANGELOG.md").read_text(), re.M)
    here = tags("--points-at", "HEAD")
    if len(here) > 1 or here and here[0] != f"v{number}":
        fail(f"HEAD has the tag {', '.join(here)}, but include/feedcore.h is {number}. "
             f"Set FEEDCORE_VERSION, or move the tag.")
    if here and number not in sections:
        fail(f"CHANGELOG.md has no section [{number}], which is tagged. "
             f"Rename [Unreleased], and move the tag to that commit.")
    if not here and f"v{number}" in tags():
        fail(f"v{number} is tagged, and HEAD comes after it. Raise FEEDCORE_VERSION in "
             f"include/feedcore.h.")
    released = [each for each in sections if each != "Unreleased"]
    if released and as_numbers(released[0]) > as_numbers(number):
        fail(f"CHANGELOG.md is at {released[0]}, but include/feedcore.h is {number}. "
             f"Set FEEDCORE_VERSION.")
    return number, bool(here)


def as_numbers(text: str) -> list[int]:
    return [int(part) for part in re.findall(r"\d+", text)]


def resolved(path: str) -> dict[str, dict]:
    pins = json.loads(pathlib.Path(path).read_text())["pins"]
    return {pin["identity"]: {"location": pin["location"], **pin["state"]} for pin in pins}


def write_pins(path: str) -> None:
    pins = [{"identity": identity, "kind": "remoteSourceControl", "location": each["location"],
             "state": {"revision": each["revision"], "version": each["version"]}}
            for identity, each in manifest()["packages"].items()]
    pathlib.Path(path).write_text(json.dumps({"pins": pins, "version": 3}, indent=2))


def installed(package: str) -> str | None:
    run = subprocess.run(["dpkg-query", "-W", "-f", "${Version}", package], capture_output=True,
                         text=True)
    return run.stdout or None


def verify(path: str, swift: str) -> None:
    """Compares the dependencies with the pins, and reports every difference."""
    known, found, wrong = manifest(), resolved(path), []
    for identity in sorted(known["packages"] | found):
        pinned, given = known["packages"].get(identity), found.get(identity)
        if pinned != given:
            describe = [f"{each['version']} ({each['revision'][:7]})" if each else "nothing"
                        for each in (pinned, given)]
            wrong.append(f"{identity}: pinned is {describe[0]}, resolved was {describe[1]}")
    if swift != known["swift"]:
        wrong.append(f"Swift: pinned is {known['swift']}, found was {swift}")
    for name, library in known["libraries"].items():
        given = installed(library["package"])
        if given != library["version"]:
            wrong.append(f"{name}: pinned is {library['package']} {library['version']}, "
                         f"installed is {given}")
    if wrong:
        fail("dependencies differ from packaging/dependencies.json:\n  " + "\n  ".join(wrong)
             + "\nInstall what is pinned, or run scripts/release --update-pins and review it.")


def update(path: str, swift: str) -> None:
    known = manifest()
    known["swift"], known["packages"] = swift, resolved(path)
    for library in known["libraries"].values():
        library["version"] = installed(library["package"]) or library["version"]
    MANIFEST.write_text(json.dumps(known, indent=2) + "\n")


def check_source(path: str) -> None:
    name = pathlib.Path(path).name
    pinned = {name: value for library in manifest()["libraries"].values()
              for name, value in library.get("source", {}).get("sha256", {}).items()}
    found = hashlib.sha256(pathlib.Path(path).read_bytes()).hexdigest()
    if pinned.get(name) != found:
        fail(f"{name} has the SHA-256 {found}, and not the one in packaging/dependencies.json. "
             f"If its version was raised, compare it with the .dsc of Debian, and set it there.")


def sbom(commit: str) -> dict:
    """The bill of materials of the binaries. Everything except glibc is linked statically."""
    number, known = header_version(), manifest()
    created = int(os.environ.get("SOURCE_DATE_EPOCH", time.time()))

    def package(name: str, version: str, location: str, licence: str, purl: str | None) -> dict:
        entry = {
            "SPDXID": "SPDXRef-" + re.sub(r"[^A-Za-z0-9.]", "-", name), "name": name,
            "versionInfo": version, "downloadLocation": location, "filesAnalyzed": False,
            "licenseConcluded": licence, "licenseDeclared": licence,
            "copyrightText": "NOASSERTION",
        }
        if purl:
            entry["externalRefs"] = [{"referenceCategory": "PACKAGE-MANAGER",
                                      "referenceType": "purl", "referenceLocator": purl}]
        return entry

    packages = [package("feedcore", f"{number}+{commit[:12]}", "NOASSERTION", "MIT", None)]
    for identity, each in known["packages"].items():
        if identity in known["unlinked"]:
            continue
        location = each["location"].removesuffix(".git")
        purl = f"pkg:swift/{location.removeprefix('https://')}@{each['version']}"
        packages.append(package(identity, each["version"],
                                f"git+{location}.git@{each['revision']}",
                                known["licences"].get(identity, "Apache-2.0"), purl))
    packages.append(package("swift-runtime", known["swift"], "https://www.swift.org/install",
                            "Apache-2.0 WITH Swift-exception", None))
    for name, each in known["libraries"].items():
        packages.append(package(
            name, each["version"], "https://deb.debian.org/debian", each["licence"],
            f"pkg:deb/debian/{each['package']}@{each['version']}?arch=amd64"))
    return {
        "spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT",
        "name": f"feedcore-{number}",
        "documentNamespace": f"https://spdx.org/spdxdocs/feedcore-{number}-{commit}",
        "creationInfo": {
            "created": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(created)),
            "creators": ["Tool: scripts/release"]},
        "packages": packages,
        "relationships": [
            {"spdxElementId": "SPDXRef-DOCUMENT", "relationshipType": "DESCRIBES",
             "relatedSpdxElement": "SPDXRef-feedcore"},
            *({"spdxElementId": "SPDXRef-feedcore", "relationshipType": "STATIC_LINK",
               "relatedSpdxElement": each["SPDXID"]} for each in packages[1:])],
    }


def required_glibc(library: str) -> tuple[int, ...]:
    symbols = output("objdump", "-T", library)
    return max(tuple(map(int, each.split("."))) for each in re.findall(r"GLIBC_([\d.]+)", symbols))


def wheel(library: str, directory: str) -> str:
    """Writes the wheel. It uses no build backend, so it needs no package from a registry."""
    number, is_release = version()
    number += "" if is_release else ".dev0"
    tag = "py3-none-manylinux_{}_{}_x86_64".format(*required_glibc(library)[:2])
    information = f"feedcore-{number}.dist-info"
    readme = (ROOT / "python/README.md").read_text()
    files = {f"feedcore/{path.name}": path.read_bytes()
             for path in sorted((ROOT / "python/feedcore").iterdir())
             if path.suffix == ".py" or path.name == "py.typed"}
    files["feedcore/libfeedcore.so"] = pathlib.Path(library).read_bytes()
    files[f"{information}/LICENSE"] = (ROOT / "LICENSE").read_bytes()
    third_party = pathlib.Path(directory) / "THIRD-PARTY.txt"
    files[f"{information}/THIRD-PARTY.txt"] = third_party.read_bytes()
    files[f"{information}/METADATA"] = (
        f"Metadata-Version: 2.1\nName: feedcore\nVersion: {number}\n"
        "Summary: JSON dumps of any size as feeds in a memory-mapped store\nLicense: MIT\n"
        "Requires-Python: >=3.9\nProvides-Extra: fast\nRequires-Dist: orjson; extra == 'fast'\n"
        "Provides-Extra: arrow\nRequires-Dist: pyarrow; extra == 'arrow'\n"
        "Provides-Extra: pandas\nRequires-Dist: pandas; extra == 'pandas'\n"
        "Requires-Dist: pyarrow; extra == 'pandas'\n"
        f"Description-Content-Type: text/markdown\n\n{readme}").encode()
    files[f"{information}/WHEEL"] = (
        f"Wheel-Version: 1.0\nGenerator: feedcore\nRoot-Is-Purelib: false\nTag: {tag}\n").encode()
    record = "".join(
        f"{name},sha256={base64.urlsafe_b64encode(hashlib.sha256(data).digest()).decode().rstrip('=')}"
        f",{len(data)}\n" for name, data in files.items())
    files[f"{information}/RECORD"] = (record + f"{information}/RECORD,,\n").encode()
    name = f"feedcore-{number}-{tag}.whl"
    moment = time.gmtime(int(os.environ.get("SOURCE_DATE_EPOCH", time.time())))[:6]
    with zipfile.ZipFile(pathlib.Path(directory) / name, "w", zipfile.ZIP_DEFLATED,
                         compresslevel=9) as archive:
        for path, data in files.items():
            entry = zipfile.ZipInfo(path, moment)
            entry.external_attr = (0o755 if path.endswith(".so") else 0o644) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, data)
    return name


def main(command: str, *arguments: str) -> None:
    if command == "version":
        number, is_release = version()
        print(number if is_release else f"{number} dev")
    elif command == "pins":
        write_pins(*arguments)
    elif command == "verify":
        verify(*arguments)
    elif command == "update":
        update(*arguments)
    elif command == "sources":
        for library in manifest()["libraries"].values():
            if "source" in library:
                print(library["source"]["name"], library["version"])
    elif command == "source":
        check_source(*arguments)
    elif command == "sbom":
        print(json.dumps(sbom(*arguments), indent=2))
    elif command == "wheel":
        print(wheel(*arguments))
    else:
        sys.exit(64)


if __name__ == "__main__":
    main(*sys.argv[1:])
