"""Random documents, and random queries of them."""

import json

from query_reference import Condition, Literal, Number

KEYS = ["a", "b", "tags", "name", "odd key", "x.y", "n"]
STRINGS = [
    "", "1", "1.0", "Brazil", "BRAZIL", "brazil", "é", "É", "straße", "a,b", 'a"b', "a\\b", "null",
    "true", "x\ny", "\U0001F600", "zz", "2024-01-01T00:00:00Z", "2024-01-01T01:00:00+01:00",
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
    is_odd = text != text.strip() or not text or "," in text or '"' in text
    return Literal(text, quoted=is_odd or random.randrange(3) == 0)


def condition(random):
    operator = random.choice(["=", "!=", "<", "<=", ">", ">=", "~", "!~", "in", "exists"])
    count = {"exists": 0, "in": random.randrange(1, 4)}.get(operator, 1)
    steps = path(random)
    is_pointer = None not in steps and random.randrange(4) == 0
    return Condition(steps, operator, [literal(random) for _ in range(count)], is_pointer)


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
