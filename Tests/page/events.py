"""A feed that no app knows: made-up records in the form of GitHub's events."""

import json

TYPES = ("PushEvent", "WatchEvent", "IssuesEvent", "PullRequestEvent", "ForkEvent")
NAMES = ("ada", "grace", "linus", "barbara", "ken", "margaret", "edsger")


def event(number):
    kind = TYPES[(number * number + number // 5) % 5]
    document = {
        "id": str(45_000_000_000 + number * 17),
        "type": kind,
        "public": number % 3 > 0,
        "created_at": f"2025-02-{number % 28 + 1:02}T{number % 24:02}:{number % 60:02}:00Z",
        "actor": {
            "login": NAMES[number % 7] + str(number % 11),
            "url": f"https://api.github.example/users/{NAMES[number % 7]}",
        },
        "repo": {"name": f"{NAMES[number * 3 % 7]}/project-{number % 13}", "stars": number * 37 % 9001},
        "payload": {"size": number * 7919 % 60, "ratio": number % 10 / 4},
    }
    if kind == "IssuesEvent":
        document["payload"]["action"] = ("opened", "closed", "")[number % 3]
        document["payload"]["labels"] = ["bug", "help wanted"][:number % 3]
    if number % 4 == 0:
        document["org"] = None if number % 8 else {"login": "the-org"}
    return document


EVENTS = [event(number) for number in range(300)]


def ndjson():
    return "".join(json.dumps(one) + "\n" for one in EVENTS).encode()
