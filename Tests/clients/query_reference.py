"""A naive evaluation of queries, which shares nothing with FeedCore but the documentation.

A record is what `json` reads, with numbers as `Number`, so that none is rounded.
"""

import datetime
import json
import re
from decimal import Decimal


class Number:
    """A number with its text."""

    def __init__(self, text):
        self.text = text
        self.value = Decimal(text)


def read(text):
    return json.loads(text, parse_int=Number, parse_float=Number)


def write(value):
    """The compact JSON text of a value."""
    if isinstance(value, Number):
        return value.text
    if isinstance(value, dict):
        return "{" + ",".join(f"{write(k)}:{write(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(write, value)) + "]"
    return json.dumps(value, ensure_ascii=False)


# Paths are lists of steps: a key, an index, or None for any element.


def path_text(path):
    text = ""
    for step in path:
        if step is None:
            text += "[]"
        elif isinstance(step, int):
            text += f"[{step}]"
        else:
            plain = re.fullmatch(r"[A-Za-z_][A-Za-z_0-9-]*", step)
            text += ("." if text else "") + (step if plain else json.dumps(step))
    return text


def pointer_text(path):
    return "".join("/" + str(step).replace("~", "~0").replace("/", "~1") for step in path)


def values(record, path):
    if not path:
        return [record]
    step, rest = path[0], path[1:]
    if step is None:
        elements = record if isinstance(record, list) else []
        return [value for element in elements for value in values(element, rest)]
    if isinstance(step, int):
        if isinstance(record, list) and step < len(record):
            return values(record[step], rest)
        return []
    return values(record[step], rest) if isinstance(record, dict) and step in record else []


def instant(text):
    """The Unix time of a date with a time and a zone; None for other texts."""
    if not re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)", text):
        return None
    return datetime.datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp()


class Literal:
    """A value in a condition, quoted or unquoted."""

    def __init__(self, text, quoted=False):
        self.text = text
        self.quoted = quoted
        is_number = re.fullmatch(r"-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?", text)
        self.number = Decimal(text) if is_number and not quoted else None

    def __str__(self):
        if not self.quoted:
            return self.text
        # Half of them are in single quotes.
        if len(self.text) % 2 == 0 or min(self.text) < " ":
            return json.dumps(self.text, ensure_ascii=False)
        return "'" + self.text.replace("'", "''") + "'"

    def equals(self, value):
        if isinstance(value, str):
            if value == self.text:
                return True
            mine, other = instant(self.text), instant(value)
            return mine is not None and mine == other
        if isinstance(value, Number):
            return self.number is not None and self.number == value.value
        if value is None or isinstance(value, bool):
            return not self.quoted and write(value) == self.text
        return False

    def order(self, value):
        """Compares a value of the same type with this one: -1, 0 or 1; None for other types."""
        if isinstance(value, Number):
            mine, other = self.number, value.value
        elif isinstance(value, str) and self.number is None:
            mine, other = instant(self.text), instant(value)
            if mine is None or other is None:
                mine, other = self.text.encode(), value.encode()
        else:
            return None
        return None if mine is None else (other > mine) - (other < mine)


def lower(text):
    # Character by character: a sigma has one lowercase form.
    return "".join(character.lower() for character in text)


def passes(value, operator, literals):
    if isinstance(value, list):
        scalars = [element for element in value if not isinstance(element, (list, dict))]
        return any(passes(element, operator, literals) for element in scalars)
    if isinstance(value, dict):
        return False
    if operator in ("=", "in"):
        return any(literal.equals(value) for literal in literals)
    if operator == "~":
        return isinstance(value, str) and lower(literals[0].text) in lower(value)
    order = literals[0].order(value)
    if order is None:
        return False
    return {"<": order < 0, "<=": order <= 0, ">": order > 0, ">=": order >= 0}[operator]


class Condition:
    def __init__(self, path, operator, literals, as_pointer=False):
        self.path, self.operator, self.literals = path, operator, literals
        self.as_pointer = as_pointer

    def __str__(self):
        path = pointer_text(self.path) if self.as_pointer else path_text(self.path)
        return f"{path} {self.operator} {', '.join(map(str, self.literals))}".strip()

    def matches(self, record):
        found = values(record, self.path)
        if self.operator == "exists":
            return bool(found)
        if self.operator == "!exists":
            return not found
        if self.operator in ("!=", "!~"):
            positive = {"!=": "=", "!~": "~"}[self.operator]
            return not any(passes(value, positive, self.literals) for value in found)
        return any(passes(value, self.operator, self.literals) for value in found)


class SortKey:
    """A value in jq's sort order. A missing value comes first."""

    def __init__(self, record, path):
        found = values(record, path)
        self.rank, self.value = self.ranked(found[0]) if found else (0, 0)

    @staticmethod
    def ranked(value):
        if value is None:
            return 1, 0
        if isinstance(value, bool):
            return 2 + value, 0
        if isinstance(value, Number):
            return 4, value.value
        if isinstance(value, str):
            return 5, value.encode()
        return (6 if isinstance(value, list) else 7), 0

    def __lt__(self, other):
        return (self.rank, self.value) < (other.rank, other.value)


def select(records, conditions, sort=(), offset=0, limit=None):
    """The positions of the records that a query selects. `sort` has pairs: a path, and whether
    the order is reversed."""
    found = [
        position for position, record in enumerate(records)
        if all(condition.matches(record) for condition in conditions)
    ]
    for path, is_reversed in reversed(sort):
        # The sort is stable, also if it is reversed.
        found.sort(key=lambda position: SortKey(records[position], path), reverse=is_reversed)
    return found[offset:None if limit is None else offset + limit]


def project(record, paths):
    """The values of a record, by the texts of their paths."""
    result = {}
    for path in paths:
        found = values(record, path)
        if None in path:
            result[path_text(path)] = found
        elif found:
            result[path_text(path)] = found[0]
    return result


def distinct(records, conditions, path):
    """The distinct scalars and their counts, the most frequent first."""
    counts = {}
    for position in select(records, conditions):
        for value in values(records[position], path):
            if isinstance(value, (dict, list)):
                continue
            key = ("number", value.value) if isinstance(value, Number) else (None, write(value))
            text, count = counts.get(key, (write(value), 0))
            counts[key] = (text, count + 1)
    return sorted(counts.values(), key=lambda pair: -pair[1])
