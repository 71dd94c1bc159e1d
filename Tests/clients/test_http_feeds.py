"""Atom as feedparser reads it, and JSON Feed by its specification and feedparser-rs."""

import calendar
import datetime
import html
import json
import pathlib
import unittest

import feedparser
import feedparser_rs
import jsonschema_rs

from http_case import HTTPCase, example

SCHEMA = json.loads((pathlib.Path(__file__).parent / "jsonfeed-1.1.schema.json").read_text())
JSON_FEED = jsonschema_rs.Draft202012Validator(SCHEMA, validate_formats=True)


def entry(title, content, *, link=None, image=None, author=None, summary=None, published=None):
    return {"title": title, "content": content, "link": link, "image": image, "author": author,
            "summary": summary, "published": published}


def seconds(text):
    return int(datetime.datetime.fromisoformat(text).timestamp())


def texts(*parts):
    return ", ".join(part for part in parts if part)


#: The records of each kind, with what feed readers should show.
EXPECTED = {
    "universities": [
        (item["name"], entry(item["name"], texts(item.get("state-province"), item["country"]),
                             link=item["web_pages"][0] if item["web_pages"] else None))
        for item in example("universities")
    ],
    "characters": [
        (item["name"], entry(item["name"], texts(item["species"], item["status"]),
                             image=item["image"]))
        for item in example("characters")["results"]
    ],
    "feed": [
        (item["id"], entry(item.get("location"), item.get("description") or item.get("location")
                           or "", image=item["image"]))
        for item in example("feed")["items"]
    ],
    "comments": [
        (item["id"], entry(None, item["message"], author=item["author"]["username"],
                           published=seconds(item["created_at"])))
        for item in example("comments")["items"]
    ],
    "news": [
        (item["url"], entry(item["title"], item["content"] or item["description"] or item["title"],
                            link=item["url"], image=item["urlToImage"], summary=item["description"],
                            author=item["author"] or item["source"]["name"],
                            published=seconds(item["publishedAt"])))
        for item in example("news")["articles"]
    ],
}


class FeedCase(HTTPCase):
    def pages(self, name, format, next_page):
        """All pages of a feed, each of which links to the next."""
        path, pages = f"/feeds/{name}?format={format}&limit=7", []
        while path:
            answer = self.curl(path)
            self.assertEqual(answer.status, 200)
            pages.append(answer)
            url = next_page(answer)
            self.assertEqual(
                answer["link"], url and f'<{url.removeprefix(self.served.url)}>; rel="next"')
            path = url and url.removeprefix(self.served.url)
        return pages


class AtomTests(FeedCase):
    @staticmethod
    def parse(answer):
        # Without the charset of the header fields, feedparser guesses and reports it.
        return feedparser.parse(
            answer.body, response_headers={"content-type": answer["content-type"]})

    def next_page(self, answer):
        links = self.parse(answer).feed.links
        return next((link.href for link in links if link.rel == "next"), None)

    def test_entries_are_the_records(self):
        for name, expected in EXPECTED.items():
            with self.subTest(name):
                entries = []
                for answer in self.pages(name, "atom", self.next_page):
                    self.assertEqual(answer["content-type"], "application/atom+xml")
                    parsed = self.parse(answer)
                    self.assertEqual(parsed.bozo, 0, parsed.get("bozo_exception"))
                    self.assertEqual(parsed.version, "atom10")
                    self.assertEqual(parsed.feed.title, name)
                    self.assertTrue(parsed.feed.id and parsed.feed.updated_parsed)
                    self.assertIn("self", [link.rel for link in parsed.feed.links])
                    entries += parsed.entries
                self.assertEqual(len(entries), len(expected))
                for (_, wanted), found in zip(expected, entries):
                    self.compare(found, wanted)
                # Two records may share a key, and readers treat entries with the same id as one.
                self.assertEqual(len({found.id for found in entries}), len(expected))
                first = [found for found in entries if "#" not in found.id]
                self.assertEqual(len(first), len({key for key, _ in expected}))

    def compare(self, found, wanted):
        self.assertEqual(found.title, self.folded(wanted["title"] or wanted["content"]))
        self.assertEqual(found.content[0].type, "text/plain")
        self.assertEqual(self.folded(found.content[0].value), self.folded(wanted["content"]))
        for relation, name in (("alternate", "link"), ("enclosure", "image")):
            links = [link.href for link in found.get("links", []) if link.rel == relation]
            self.assertEqual(links, [wanted[name]] if wanted[name] else [])
        self.assertEqual(found.get("author"), wanted["author"])
        if wanted["summary"]:
            self.assertEqual(self.folded(found.summary), self.folded(wanted["summary"]))
        self.assertTrue(found.updated_parsed)
        if wanted["published"]:
            self.assertEqual(calendar.timegm(found.published_parsed), wanted["published"])

    @staticmethod
    def folded(text):
        # XML normalizes line ends to line feeds, and feedparser trims white space.
        return text.replace("\r\n", "\n").strip()

    def test_what_xml_cannot_hold_or_would_read_as_its_own(self):
        text = 'a<b>&amp;"\'\u0001]]>\u00e9\ud83d\ude00'.encode("utf-16", "surrogatepass").decode("utf-16")
        item = {"name": text, "country": "<i>x</i>", "alpha_two_code": "XX", "web_pages": []}
        self.served.ingest([item], "odd")
        parsed = self.parse(self.curl("/feeds/odd?format=atom"))
        self.assertEqual(parsed.bozo, 0, parsed.get("bozo_exception"))
        self.assertEqual(parsed.entries[0].content[0].value, "<i>x</i>")
        self.assertEqual(
            parsed.entries[0].title_detail.value, text.replace("\u0001", "\ufffd"))

    def test_a_reader_that_has_it_is_told_so(self):
        url = self.served.url + "/feeds/news?format=atom"
        first = feedparser.parse(url)
        self.assertEqual((first.status, first.bozo), (200, 0), first.get("bozo_exception"))
        again = feedparser.parse(url, etag=first.etag, modified=first.modified)
        self.assertEqual((again.status, again.entries), (304, []))
        accepted = feedparser.parse(
            self.served.url + "/feeds/news", request_headers={"Accept": "application/atom+xml"})
        self.assertEqual(accepted.version, "atom10")


class JSONFeedTests(FeedCase):
    def test_items_are_the_records(self):
        for name, expected in EXPECTED.items():
            with self.subTest(name):
                items = []
                pages = self.pages(name, "jsonfeed", lambda answer: answer.json.get("next_url"))
                for answer in pages:
                    self.assertEqual(answer["content-type"], "application/feed+json")
                    errors = [error.message for error in JSON_FEED.iter_errors(answer.json)]
                    self.assertEqual(errors, [])
                    self.assertEqual(answer.json["title"], name)
                    self.assertTrue(answer.json["feed_url"].startswith(self.served.url))
                    items += answer.json["items"]
                keys = [key.lower() for key, _ in expected]
                self.assertEqual([item["id"].lower() if key not in keys[:n] else
                                  item["id"].lower().rpartition("#")[0]
                                  for n, (item, key) in enumerate(zip(items, keys))], keys)
                self.assertEqual(len({item["id"] for item in items}), len(keys))
                for (_, wanted), found in zip(expected, items):
                    self.compare(found, wanted)

    def compare(self, found, wanted):
        names = {"title": "title", "content": "content_text", "link": "url", "image": "image",
                 "summary": "summary"}
        for ours, theirs in names.items():
            self.assertEqual(found.get(theirs), wanted[ours], theirs)
        authors = [{"name": wanted["author"]}] if wanted["author"] else None
        self.assertEqual(found.get("authors"), authors)
        published = found.get("date_published")
        self.assertEqual(published and seconds(published), wanted["published"])

    def test_another_reader_finds_the_same(self):
        for name, expected in EXPECTED.items():
            answer = self.curl(f"/feeds/{name}?format=jsonfeed&limit=1000")
            parsed = feedparser_rs.parse(answer.body)
            self.assertFalse(parsed.bozo, parsed.bozo_exception)
            self.assertEqual(str(parsed.version), "json11")
            # feedparser-rs converts titles to HTML.
            self.assertEqual([entry.title and html.unescape(entry.title) for entry in parsed.entries],
                             [wanted["title"] for _, wanted in expected])
            self.assertEqual([entry.link for entry in parsed.entries],
                             [wanted["link"] for _, wanted in expected])

    def test_the_schema_refuses_what_is_none(self):
        item = {"id": "a", "content_text": "b"}
        feed = {"version": "https://jsonfeed.org/version/1.1", "title": "t", "items": [item]}
        self.assertTrue(JSON_FEED.is_valid(feed))
        for wrong in ({"title": None}, {"version": "1.1"}, {"items": [{"id": "a"}]},
                      {"items": [{**item, "date_published": "yesterday"}]},
                      {"items": [{**item, "url": "no url"}]}, {"next_url": 1}):
            self.assertFalse(JSON_FEED.is_valid({**feed, **wrong}), wrong)


class ProxyTests(FeedCase):
    """A server behind a proxy: links begin with the URL of the proxy."""

    @classmethod
    def make_options(cls):
        return ["--public-url", "https://feeds.example.org:8443/"]

    def test_links_begin_with_the_url_of_the_proxy(self):
        root = "https://feeds.example.org:8443/feeds/universities?"
        answer = self.curl("/feeds/universities?format=jsonfeed&limit=1")
        self.assertEqual(answer.json["feed_url"], root + "format=jsonfeed&limit=1")
        self.assertTrue(answer.json["next_url"].startswith(root), answer.json["next_url"])
        atom = self.curl("/feeds/universities?format=atom&limit=1")
        links = feedparser.parse(atom.body).feed.links
        for relation in ("self", "next"):
            found = [link.href for link in links if link.rel == relation]
            self.assertEqual(len(found), 1, relation)
            self.assertTrue(found[0].startswith(root), found[0])


if __name__ == "__main__":
    unittest.main()
