"""Checks the imports of all targets against the table of layers in CONTRIBUTING.md.

    imports.py

Run it in the root of the repository. A target may import the targets of its row and their imports.
Prints each other import, and ends with 1 if there is one.
"""

import pathlib
import re
import sys

C_TARGETS = "the C targets"
# Matches attributes and access, an optional kind of declaration, and the name of the module.
IMPORT = re.compile(
    r"^\s*(?:@\S+\s+)*(?:\w+\s+)?import\s+"
    r"(?:(?:struct|class|enum|protocol|func|let|var|typealias)\s+)?(\w+)",
    re.M,
)


def rows(table):
    """The cells of the rows below the heading "Layers"."""
    section = table.split("\n## Layers\n")[1].split("\n## ")[0]
    for line in section.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if len(cells) == 3 and "`" in cells[1]:
            yield cells


def allowed_imports(table):
    """The targets that each target may import, without their own imports."""
    allowed = {}
    for _, targets, imports in rows(table):
        for target in re.findall(r"`(\w+)`", targets):
            allowed[target] = set(re.findall(r"`(\w+)`", imports))
            if C_TARGETS in imports:
                allowed[target] |= {name for name in allowed if name.startswith("C")}
    return allowed


def closure(target, allowed):
    found, rest = set(), [target]
    while rest:
        name = rest.pop()
        if name not in found:
            found.add(name)
            rest += allowed.get(name, ())
    return found


def violations(root):
    allowed = allowed_imports((root / "CONTRIBUTING.md").read_text())
    for directory in sorted((root / "Sources").iterdir()):
        target = directory.name
        if target not in allowed:
            yield f"{target}: has no row in the table of layers in CONTRIBUTING.md"
            continue
        permitted = closure(target, allowed)
        for path in sorted(directory.rglob("*.swift")):
            for name in IMPORT.findall(path.read_text()):
                if name in allowed and name not in permitted:
                    yield f"{path.relative_to(root)}: {target} may not import {name}"


found = list(violations(pathlib.Path.cwd()))
print("\n".join(found) or "Every target imports what the table of layers allows.")
sys.exit(bool(found))
