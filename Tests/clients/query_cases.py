"""Random documents, and random queries of them."""

import json

import query_reference as reference
from query_reference import Condition, Literal, Number

KEYS = ["a", "b", "tags", "name", "odd key", "x.y", "n"]
OPERATORS = ["=", "!=", "<", "<=", ">", ">=", "~", "!~", "in", "exists", "!exists"]
STRINGS = [
    "", "1", "1.0", "Brazil", "BRAZIL", "brazil", "é", "É", "straße", "a,b", 'a"b', "a\\b", "'90s",
    "it's", "null", "true", "x\ny", "\U0001F600", "zz", "2024-01-01T00:00:00Z", "2024-01-01T01:00:00+01:00",
    "2023-12-31T23:59:59.5Z", "PushEvent", "a longer text with Brazil inside",
]
NUMBERS = [
    "0", "-0", "1", "1.0", "1e0", "10e-1", "-1", "2", "10", "0.1", "1e400", "-1e400", "1e-400",
    "9007199254740993", "9007199254740992", "123456789012345678901234567890", "0.30000000000000004",
]


def scalar(random):
    choice = random.randrange(10)
    if choice < 4:
        return random.choice(STRINGS)
    if choice < 8:
        return Number(random.choice(NUMBERS))
    return random.choice([True, False, None])


def value(random, depth):
    choice = random.randrange(10)
    if depth > 2 or choice < 6:
        return scalar(random)
    if choice < 8:
        return [value(random, depth + 1) for _ in range(random.randrange(4))]
    keys = random.sample(KEYS, random.randrange(4))
    return {key: value(random, depth + 1) for key in keys}


def record(random, number):
    if random.randrange(20) == 0:
        return value(random, 1)
    keys = random.sample(KEYS, random.randrange(1, len(KEYS)))
    result = {key: value(random, 1) for key in keys}
    if random.randrange(8):
        result["id"] = random.choice([Number(str(number)), f"k{number}"])
    return result


def path(random, any_element=True):
    steps = [random.choice(KEYS + ["id"])]
    while random.randrange(3) == 0:
        steps.append(
            random.choice(KEYS + [0, 1] + ([None, None] if any_element else [])))
    return steps


def literal(random):
    text = random.choice(STRINGS + NUMBERS + ["true", "false", "null", "k3", "7"])
    # Without quotes a text ends at a comma, and has no white space at its ends.
    is_odd = text != text.strip() or not text or "," in text or '"' in text or text[0] == "'"
    return Literal(text, quoted=is_odd or random.randrange(3) == 0)


def condition(random):
    operator = random.choice(OPERATORS)
    count = {"exists": 0, "!exists": 0, "in": random.randrange(1, 4)}.get(operator, 1)
    steps = path(random)
    is_pointer = None not in steps and random.randrange(4) == 0
    return Condition(steps, operator, [literal(random) for _ in range(count)], is_pointer)


class Query:
    """A query, and what the reference finds in the records."""

    def __init__(self, random, records, path=path, condition=condition):
        self.records = records
        self.conditions = [condition(random) for _ in range(random.randrange(3))]
        self.sort = [
            (path(random, any_element=False), random.randrange(2) == 1)
            for _ in range(random.choice([0, 0, 1, 2]))
        ]
        self.offset, self.limit = random.choice([0, 0, 3]), random.choice([1, 5, 1000])
        self.paths = [path(random) for _ in range(random.randrange(1, 4))]
        self.distinct_path = path(random)

    @property
    def where(self):
        return [str(condition) for condition in self.conditions]

    @property
    def order(self):
        return [
            ("-" if is_reversed else "") + reference.path_text(path)
            for path, is_reversed in self.sort
        ]

    @property
    def fields(self):
        return ",".join(map(reference.path_text, self.paths))

    def __str__(self):
        return (
            f"{self.where} {self.order} {self.offset} {self.limit} {self.fields}"
            f" {reference.path_text(self.distinct_path)}")

    def matches(self):
        """All records that match the conditions, in the order of the feed."""
        return self.found(is_sorted=False)

    def found(self, offset=0, limit=None, is_sorted=True):
        sort = self.sort if is_sorted else ()
        positions = reference.select(self.records, self.conditions, sort, offset, limit)
        return [self.records[position] for position in positions]

    def distinct(self):
        return reference.distinct(self.records, self.conditions, self.distinct_path)


class Known:
    """Makes queries from the paths and values of records."""

    def __init__(self, records):
        self.records = records
        self.scalars = {}
        for record in records:
            self.collect(record, ())

    def collect(self, value, steps):
        if isinstance(value, dict):
            for key, member in value.items():
                self.collect(member, (*steps, key))
        elif isinstance(value, list):
            for index, element in enumerate(value[:2]):
                self.collect(element, (*steps, index))
                self.collect(element, (*steps, None))
        else:
            self.scalars.setdefault(steps, []).append(value)

    def path(self, random, any_element=True):
        paths = [steps for steps in self.scalars if any_element or None not in steps]
        steps = list(random.choice(paths))
        return steps[:-1] if len(steps) > 1 and random.randrange(5) == 0 else steps

    def condition(self, random):
        steps = random.choice(list(self.scalars))
        operator = random.choice(["=", *OPERATORS])
        count = {"exists": 0, "!exists": 0, "in": random.randrange(1, 4)}.get(operator, 1)
        literals = [self.literal(random, self.scalars[steps]) for _ in range(count)]
        return Condition(list(steps), operator, literals)

    def literal(self, random, values):
        value = random.choice(values)
        if random.randrange(6) == 0:
            return literal(random)
        if not isinstance(value, str):
            return Literal(reference.write(value))
        if random.randrange(4) == 0:
            value = value[:random.randrange(1, 6)]
        return Literal(value, quoted=True)

    def query(self, random):
        return Query(random, self.records, self.path, self.condition)


def spelled(random, value):
    """A JSON text of a value, with random white space and escapes."""
    space = random.choice(["", "", " ", "\t"])
    if isinstance(value, Number):
        return value.text
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=random.randrange(2) == 0)
    if isinstance(value, dict):
        members = (f"{spelled(random, k)}:{space}{spelled(random, v)}" for k, v in value.items())
        return "{" + f",{space}".join(members) + "}"
    if isinstance(value, list):
        return f"[{space}" + ",".join(spelled(random, element) for element in value) + "]"
    return json.dumps(value)
