"""Requests for what no client may get: files, other machines, and injected header fields."""

import asyncio
import http.server
import json
import re
import threading
import urllib.parse

import served
import wire
from parts import Talker, in_time, part
from served import Tally, demand

CLIMBS = [
    "/../../../../etc/passwd", "/..%2f..%2f..%2f..%2fetc/passwd", "/%2e%2e/%2e%2e/%2e%2e/etc/passwd",
    "/%252e%252e/%252e%252e/etc/passwd", "/assets/../../../../etc/passwd",
    "/assets/..%2F..%2F..%2Fetc%2Fpasswd", "/assets/%2e%2e%5c%2e%2e%5cetc%5cpasswd",
    "/assets/....//....//etc/passwd", "/page/..%2F..%2Fetc%2Fpasswd", "//etc/passwd", "/etc/passwd",
    "/assets//etc/passwd", "/assets/%2Fetc%2Fpasswd", "/feeds/..%2F..%2Fetc%2Fpasswd",
    "/feeds/%2Fetc%2Fpasswd", "/feeds/universities/records/..%2F..%2F..%2Fetc%2Fpasswd",
    "/feeds/..%2Ffeeds%2Fdata.mdb", "/feeds/data.mdb", "/feeds/.%2Fdata.mdb", "/page/data.mdb",
    "/assets/style.css%00/../../../etc/passwd", "/assets/%c0%ae%c0%ae/etc/passwd",
    "/images?url=file:///etc/passwd", "/images?url=/etc/passwd", "/images?url=..%2F..%2Fdata.mdb",
    "/images?url=file%3A%2F%2Flocalhost%2Fetc%2Fpasswd", "/v1/image/..%2F..%2Fetc/comments",
    "http://localhost/../../etc/passwd", "/%2e%2e%2fstore/data.mdb", "/..\\..\\etc\\passwd"]
CLIMBING_KEYS = [
    "feed:../../etc/passwd:item:a", "feed:{../../etc/passwd}:cur", "img:file:///etc/passwd",
    "img:/etc/passwd", "feed:data.mdb:item:x", "../../../../etc/passwd", "feed:..:1:p:0"]
SECRETS = [b"root:x:0:0", b"CANARY-OF-THE-STORE"]


def demand_no_secret(data, what):
    for secret in SECRETS:
        demand(secret not in data, f"{what} is answered with a file's content")


@part("path-traversal", "a file read out")
def path_traversal(trial):
    async def attack(trial, server):
        with open(trial.store.directory + "/canary", "wb") as file:
            file.write(SECRETS[1])
        port = trial.fronted(server.http)
        targets = CLIMBS + [climb.replace("etc/passwd", "canary") for climb in CLIMBS]
        tally = Tally()
        for target in targets:
            for method in ("GET", "HEAD"):
                talker = await Talker.to(port)
                await talker.send(wire.get(target).replace(b"GET", method.encode(), 1))
                try:
                    answer = await in_time(
                        wire.read_answer(talker.reader, method == "HEAD"), 20, target)
                except wire.Broken as error:
                    raise served.Failure(f"{target}: {error}") from error
                demand(answer is not None, f"{target}: no answer")
                demand_no_secret(answer.body, target)
                demand(400 <= answer.status < 500, f"{target}: {answer.status}")
                is_page = (answer.field("content-type") or "").startswith("text/html")
                demand(answer.is_typed or is_page or method == "HEAD", f"{target}: {answer}")
                tally.add(f"× {answer.status}")
                await talker.close()
        talker = await Talker.to(server.resp)
        for key in CLIMBING_KEYS:
            for words in (("GET", key), ("STRLEN", key), ("TYPE", key), ("GETRANGE", key, 0, -1)):
                await talker.send(wire.command(*words))
                reply = await in_time(wire.read_reply(talker.reader), 20, key)
                demand(reply in (None, b"", 0, b"none"), f"{words}: {reply!r:.80}")
                tally.add("keys that hold nothing")
        await talker.close()
        return tally

    return trial.abuse(attack, expected={
        "http/malformed": lambda tally: tally["× 400"]})


class Origin:
    """A service of a feed and its images, which counts the requests by path."""

    def __init__(self):
        self.asked = {}
        self.answers = {}
        self.redirects = {}
        lock = threading.Lock()
        origin = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):
                with lock:
                    origin.asked[self.path] = origin.asked.get(self.path, 0) + 1
                if self.path in origin.redirects:
                    self.send_response(302)
                    self.send_header("Location", origin.redirects[self.path])
                    self.send_header("Content-Length", "0")
                    return self.end_headers()
                body = origin.answers.get(self.path)
                self.send_response(404 if body is None else 200)
                kind = "application/json" if self.path.endswith(".json") else "image/png"
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(body or b"")))
                self.end_headers()
                self.wfile.write(body or b"")

            do_HEAD = do_POST = do_PUT = do_GET

            def log_message(self, *_):
                pass

        class Listener(http.server.ThreadingHTTPServer):
            daemon_threads = True
            request_queue_size = 200

            def handle_error(self, *_):
                pass

        self.server = Listener(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self):
        self.server.shutdown()
        self.server.server_close()


def image_feed(urls):
    return json.dumps({"items": [
        {"id": f"00000000-0000-0000-0000-{number:012d}", "image": url}
        for number, url in enumerate(urls)]}).encode()


@part("foreign-urls", "a feed that lists one of them")
def foreign_urls(trial):
    origin, inner = Origin(), Origin()
    trial.closers += [origin.close, inner.close]
    listed = [f"{origin.url}/{number}.png" for number in range(20)]
    moved = f"{origin.url}/moved.png"
    origin.redirects["/moved.png"] = f"{inner.url}/moved-to"
    named = [*listed, moved]
    if trial.fault:
        named.append(f"{inner.url}/secret")
    origin.answers["/feed.json"] = image_feed(named)
    for number in range(20):
        origin.answers[f"/{number}.png"] = served.pattern(10_000, number)
    place = inner.url.split("//")[1]
    port = place.split(":")[1]
    foreign = [
        f"{inner.url}/secret", f"{inner.url}/", f"{origin.url}/unlisted.png",
        f"{listed[0]}?more", f"{listed[0]}#part", f"{listed[0]}/", f"{listed[0]}/../../secret",
        listed[0].replace("http:", "HTTP:").replace(".png", ".PNG"),
        listed[0].replace("127.0.0.1", "localhost"), listed[0].replace("127.0.0.1", "0x7f000001"),
        f"http://2130706433:{port}/secret", f"http://[::1]:{port}/secret",
        f"http://0:{port}/secret", f"http://{listed[0].split('//')[1]}@{place}/secret",
        f"{listed[0]}@{place}/secret", f"http://user:word@{place}/secret", f"//{place}/secret",
        f"gopher://{place}/secret", f"file://{place}/secret", f"ftp://{place}/secret",
        f"{listed[0]}\r\nHost: {place}", f"{listed[0]} {inner.url}/secret", f" {inner.url}/secret",
        f"{inner.url}/secret\x00{listed[0]}", f"unix:///tmp/{place}", f"http://{place}\\@a/secret",
        "http://169.254.169.254/latest/meta-data/", f"https://{place}/secret"]

    async def ask(server, target, *fields, method="GET"):
        talker = await Talker.to(server.http)
        await talker.send(wire.get(target, *fields).replace(b"GET", method.encode(), 1))
        try:
            return await in_time(wire.read_answer(talker.reader, method == "HEAD"), 20, target)
        except wire.Broken as error:
            raise served.Failure(f"{target}: {error}") from error
        finally:
            await talker.close()

    async def attack(trial, server):
        tally = Tally()
        answer = await ask(server, "/feeds/pictures?limit=100")
        demand(answer.status == 200, f"the feed's service: {answer}")
        for url in foreign:
            quoted = urllib.parse.quote(url, safe="")
            for method, fields in (("GET", []), ("HEAD", []), ("GET", ["Range: bytes=0-99"]),
                                   ("GET", [f"Referer: {inner.url}/secret", f"X-Forwarded-Host: {place}"])):
                answer = await ask(server, "/images?url=" + quoted, *fields, method=method)
                demand(answer.status == 404, f"{url}: {answer}")
                tally.add("× 404")
        talker = await Talker.to(server.resp)
        for url in foreign:
            await talker.send(wire.command("GET", "img:" + url))
            demand(await in_time(wire.read_reply(talker.reader), 20, url) is None, f"img:{url}")
        await talker.close()
        answer = await ask(server, "/images?url=" + urllib.parse.quote(moved, safe=""))
        demand(answer.status == 502 and answer.is_typed, f"an image that has moved: {answer}")
        crowd = await asyncio.gather(*(
            ask(server, "/images?url=" + urllib.parse.quote(url, safe=""))
            for url in listed for _ in range(10)))
        for number, answer in enumerate(crowd):
            demand(
                answer.status == 200 and answer.body == served.pattern(10_000, number // 10),
                f"an image that the feed lists: {answer.status}")
        tally.add("images fetched", len(listed))
        allowed = {"/feed.json", "/moved.png", *(f"/{number}.png" for number in range(20))}
        demand(not inner.asked, f"what no feed lists was asked for: {inner.asked}")
        demand(set(origin.asked) <= allowed, f"asked for {set(origin.asked) - allowed}")
        twice = {path: count for path, count in origin.asked.items() if count > 1}
        demand(not twice, f"asked for more than once: {twice}")
        tally.add("requests at the services", sum(origin.asked.values()))
        return tally

    return trial.abuse(
        attack, f"--origin=pictures={origin.url}/feed.json",
        expected={"http/foreign_url": lambda tally: tally["× 404"]})


INJECTED = "%0d%0aset-cookie:%20planted"
INJECTIONS = [
    "/" + INJECTED, "/feeds/" + INJECTED, f"/feeds/universities{INJECTED}",
    f"/feeds/universities?cursor={INJECTED}", f"/feeds/universities?limit={INJECTED}",
    f"/feeds/universities?format=jsonfeed&limit=2&x={INJECTED}",
    f"/feeds/universities?format=atom&limit=2&x={INJECTED}",
    f"/feeds/universities?format={INJECTED}", f"/feeds/universities/records/{INJECTED}",
    f"/feeds/universities/records/University%207?all={INJECTED}", f"/images?url={INJECTED}",
    f"/images?url=http://a/{INJECTED}", f"/v1/feed?after_id={INJECTED}",
    f"/v1/image/{INJECTED}/comments", f"/search?name={INJECTED}&country={INJECTED}",
    f"/api/character?page=1&name={INJECTED}&status={INJECTED}", f"/v2/top-headlines?q={INJECTED}",
    f"/page/universities?filter={INJECTED}", f"/page/{INJECTED}", f"/page/universities/record?key={INJECTED}",
    f"/?x={INJECTED}", "/feeds/universities%0a", "/feeds/universities?limit=2%0d%0a%0d%0aHTTP/1.1%20200%20OK"]
BAD_HEADS = {
    "a host with a field behind it": b"GET /feeds/universities?format=jsonfeed HTTP/1.1\r\nHost: a\" onload=\"\r\n\r\n",
    "a host with a space": b"GET / HTTP/1.1\r\nHost: a b\r\n\r\n",
    "two hosts": b"GET / HTTP/1.1\r\nHost: localhost\r\nHost: b\r\n\r\n",
    "no host": b"GET / HTTP/1.1\r\n\r\n",
    "a bare carriage return": b"GET / HTTP/1.1\r\nHost: localhost\r\nX: a\rset-cookie: planted\r\n\r\n",
    "a zero byte": b"GET / HTTP/1.1\r\nHost: localhost\r\nX: a\0b\r\n\r\n",
    "a space before the colon": b"GET / HTTP/1.1\r\nHost: localhost\r\nContent-Length : 5\r\n\r\nabcde",
    "a folded field": b"GET / HTTP/1.1\r\nHost: localhost\r\nX: a\r\n b\r\n\r\n",
    "two lengths": b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nabcdeGET / HTTP/1.1\r\n",
    "a length and chunks": b"GET / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /x HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "chunks by another name": b"GET / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: xchunked\r\n\r\n0\r\n\r\n",
    "a target with a space": b"GET /feeds/a b HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "HTTP/2.0": b"GET / HTTP/2.0\r\nHost: localhost\r\n\r\n",
    "HTTP/0.9": b"GET /\r\n\r\n",
    "a request of HTTP/2": b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"}


@part("header-injection", "an injected field")
def header_injection(trial):
    async def attack(trial, server):
        port = trial.fronted(server.http)
        tally = Tally()
        for target in INJECTIONS:
            for method in ("GET", "HEAD"):
                talker = await Talker.to(port)
                # A valid request follows: its answer must be the second one, and the last.
                await talker.send(
                    wire.get(target).replace(b"GET", method.encode(), 1)
                    + wire.get("/healthz", "Connection: close"))
                try:
                    answer = await in_time(
                        wire.read_answer(talker.reader, method == "HEAD"), 20, target)
                    second = await in_time(wire.read_answer(talker.reader), 20, target)
                    rest = await in_time(talker.reader.read(), 20, target)
                except wire.Broken as error:
                    raise served.Failure(f"{target}: {error}") from error
                demand(answer is not None, f"{target}: no answer")
                names = [name for name, _ in answer.fields]
                demand("set-cookie" not in names, f"{target}: {answer.fields}")
                demand(
                    all(re.fullmatch(r"[\x20-\x7e]*", value) for _, value in answer.fields),
                    f"{target}: {answer.fields}")
                demand(not rest and (second is None or second.body == b"ok\n"), f"{target}: {second} {rest[:80]}")
                tally.add("targets")
                await talker.close()
        for name, head in BAD_HEADS.items():
            talker = await Talker.to(server.http)
            await talker.send(head)
            try:
                answer = await in_time(wire.read_answer(talker.reader), 20, name)
                rest = await in_time(talker.reader.read(), 20, name)
            except wire.Broken as error:
                raise served.Failure(f"{name}: {error}") from error
            demand(answer is not None, f"{name}: no answer")
            demand(answer.status >= 400 and answer.is_typed, f"{name}: {answer}")
            demand(not rest, f"{name}: {rest[:80]} behind the refusal")
            tally.add("heads refused")
            await talker.close()
        talker = await Talker.to(server.resp)
        for word in ("foo\r\n+OK\r\n", "GET\r\n$2\r\nOK\r\n", "\x00\r\n:1"):
            for words in ((word,), ("GET", word), ("CLIENT", "SETNAME", word), ("CLIENT", word),
                          ("HELLO", "3", "SETNAME", word), ("CONFIG", "GET", word), ("SELECT", word)):
                await talker.send(wire.command(*words) + wire.command("PING"))
                try:
                    first = await in_time(wire.read_reply(talker.reader), 20, repr(words))
                    second = await in_time(wire.read_reply(talker.reader), 20, repr(words))
                except (EOFError, wire.Broken) as error:
                    raise served.Failure(f"{words}: {error}") from error
                demand(second == b"PONG", f"{words}: {first!r:.80}, then {second!r:.80}")
                tally.add("commands")
        await talker.close()
        refused = await asyncio.to_thread(server.refusals)
        tally.refused = refused
        given = sum(count for key, count in refused.items() if key.startswith("http/"))
        demand(given >= tally["heads refused"], f"{given} refusals were counted: {refused}")
        return tally

    return trial.abuse(attack, expected={
        key: (lambda tally, key=key: tally.refused[key])
        for key in ("http/malformed", "http/body", "http/not_allowed", "http/foreign_url",
                    "resp/not_allowed")})
