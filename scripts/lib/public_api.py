"""Removes from the output of swift-api-digester all symbols that other packages cannot use.

    public_api.py DIRECTORY

Changes the file of every module in the directory. Ends with 1 if there is no file.
"""

import json
import pathlib
import sys


def is_public(declaration):
    return not declaration.get("isInternal") and not declaration.get("spi_group_names")


def keep_public(node):
    if "children" in node:
        node["children"] = [child for child in node["children"] if is_public(child)]
    for child in node.get("children", []):
        keep_public(child)


paths = list(pathlib.Path(sys.argv[1]).glob("*.json"))
for path in paths:
    dump = json.loads(path.read_text())
    keep_public(dump["ABIRoot"])
    path.write_text(json.dumps(dump))
sys.exit(not paths)
