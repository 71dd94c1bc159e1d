"""HTTP as curl speaks it: conditions, ranges, codings and errors, over a port and a Unix socket."""

import gzip
import subprocess
import unittest

from http_case import IMAGE, IMAGE_URL, HTTPCase, example

FEED = "/feeds/universities?limit=5"
IMAGE_PATH = f"/images?url={IMAGE_URL}"


class PlaceTests(HTTPCase):
    def test_port_and_socket_give_the_same(self):
        for path in (FEED, IMAGE_PATH, "/feeds", "/openapi.json"):
            first, second = self.curl(path), self.curl(path, over=self.socket)
            self.assertEqual((first.status, second.status), (200, 200))
            self.assertEqual(first.body, second.body)
            self.assertEqual(first["etag"], second["etag"])

    def test_one_connection_takes_many_requests(self):
        url = self.served.url + FEED
        finished = subprocess.run(
            ["curl", "--silent", "--show-error", "--verbose", *["-o", "/dev/null", url] * 20],
            check=True, stderr=subprocess.PIPE, text=True)
        self.assertEqual(finished.stderr.count("* Connected to "), 1)
        self.assertEqual(finished.stderr.count("< HTTP/1.1 200 OK"), 20)


class MethodTests(HTTPCase):
    def test_head_is_get_without_a_body(self):
        paths = [FEED, IMAGE_PATH, "/feeds", "/healthz", "/metrics", "/", "/page/nothing"]
        for path in paths + ["/feeds/nothing", "/feeds/universities?format=ndjson"]:
            with self.subTest(path):
                get, head = self.curl(path), self.curl(path, "--head")
                self.assertEqual(head.status, get.status)
                self.assertEqual(head.body, b"")
                names = {"date", "content-length", "transfer-encoding"}
                if path == "/metrics":
                    names.remove("date")
                for answer in (get, head):
                    for name in names:
                        answer.fields.pop(name, None)
                if path != "/metrics":
                    self.assertEqual(head.fields, get.fields)

    def test_the_length_that_head_tells_is_that_of_get(self):
        for path in (FEED, IMAGE_PATH, "/feeds/nothing"):
            length = self.curl(path, "--head")["content-length"]
            self.assertEqual(int(length), len(self.curl(path).body))

    def test_other_methods_are_told_which_ones_there_are(self):
        for method in ("POST", "PUT", "DELETE", "PATCH", "TRACE"):
            for path in (FEED, IMAGE_PATH, "/", "/nothing"):
                answer = self.curl(path, "--request", method)
                self.assertProblem(answer, 405)
                self.assertEqual(answer["allow"], "GET, HEAD, OPTIONS")
        answer = self.curl(FEED, "--request", "OPTIONS")
        self.assertEqual((answer.status, answer["allow"]), (204, "GET, HEAD, OPTIONS"))


class ConditionTests(HTTPCase):
    def test_what_a_client_has_is_not_sent_again(self):
        for path in (FEED, IMAGE_PATH, "/feeds", "/v1/feed", "/openapi.json"):
            whole = self.curl(path)
            tag = whole["etag"]
            self.assertRegex(tag, r'^"[^"]+"$')
            for value in (tag, f"W/{tag}", "*", f'"a", {tag}', f'W/"a" ,, {tag}, "b"'):
                with self.subTest(path=path, value=value):
                    answer = self.curl(path, "--header", f"If-None-Match: {value}")
                    self.assertEqual((answer.status, answer.body), (304, b""))
                    for name in ("etag", "cache-control", "vary", "last-modified"):
                        self.assertEqual(answer[name], whole[name], name)
                    self.assertIsNotNone(answer["date"])
            for value in ('"a"', '"a", "b"', tag.strip('"')):
                self.assertEqual(
                    self.curl(path, "--header", f"If-None-Match: {value}").status, 200)

    def test_a_list_may_come_in_several_lines(self):
        tag = self.curl(FEED)["etag"]
        answer = self.curl(FEED, "-H", 'If-None-Match: "a"', "-H", f"If-None-Match: {tag}")
        self.assertEqual(answer.status, 304)

    def test_curl_keeps_a_tag_and_compares_with_it(self):
        kept = self.directory / "etag"
        self.assertEqual(self.curl(FEED, "--etag-save", kept).status, 200)
        self.assertEqual(self.curl(FEED, "--etag-compare", kept).status, 304)

    def test_dates_count_where_there_is_no_tag(self):
        date = self.curl(FEED)["last-modified"]
        old = "Sat, 01 Jan 2011 00:00:00 GMT"
        for fields, status in (
            ([f"If-Modified-Since: {date}"], 304),
            ([f"If-Modified-Since: {old}"], 200),
            ([f"If-Modified-Since: {date}", 'If-None-Match: "a"'], 200),
            ([f"If-Unmodified-Since: {old}"], 412),
            (['If-Match: "a"'], 412),
        ):
            options = [option for field in fields for option in ("-H", field)]
            self.assertEqual(self.curl(FEED, *options).status, status, fields)

    def test_each_coding_has_a_tag_of_its_own(self):
        tags = [
            self.curl(FEED, "-H", f"Accept-Encoding: {coding}")["etag"]
            for coding in ("identity", "gzip", "zstd")
        ]
        self.assertEqual(len(set(tags)), 3)
        answer = self.curl(FEED, "-H", "Accept-Encoding: gzip", "-H", f"If-None-Match: {tags[0]}")
        self.assertEqual(answer.status, 200)

    def test_a_new_feed_has_a_new_tag(self):
        self.served.ingest([{"name": "A", "country": "B", "alpha_two_code": "BB",
                             "web_pages": []}], "changing")
        path = "/feeds/changing"
        first = self.curl(path)
        self.served.ingest([{"name": "C", "country": "B", "alpha_two_code": "BB",
                             "web_pages": []}], "changing")
        second = self.curl(path, "-H", f"If-None-Match: {first['etag']}")
        self.assertEqual(second.status, 200)
        self.assertEqual(second.json["records"][0]["name"], "C")


class RangeTests(HTTPCase):
    def test_parts_of_an_image(self):
        size = len(IMAGE)
        for asked, first, last in (
            ("0-0", 0, 0), ("5-9", 5, 9), ("599999-", 599_999, 599_999),
            ("-10", size - 10, size - 1), ("262143-262144", 262_143, 262_144),
            ("1000-9999999", 1000, size - 1), ("-9999999", 0, size - 1),
        ):
            for over in (None, self.socket):
                with self.subTest(asked):
                    answer = self.curl(IMAGE_PATH, "--range", asked, over=over)
                    self.assertEqual(answer.status, 206)
                    self.assertEqual(answer["content-range"], f"bytes {first}-{last}/{size}")
                    self.assertEqual(int(answer["content-length"]), last + 1 - first)
                    self.assertEqual(answer.body, IMAGE[first : last + 1])

    def test_what_lies_outside_is_416(self):
        for asked in ("600000-", "9999999999999999999999-", "-0"):
            answer = self.curl(IMAGE_PATH, "--range", asked)
            self.assertEqual((answer.status, answer.body), (416, b""))
            self.assertEqual(answer["content-range"], "bytes */600000")

    def test_what_is_no_range_is_passed_over(self):
        for value in ("bytes=9-5", "bytes=a-b", "bytes=0-1,5-6", "lines=1-2", "bytes="):
            answer = self.curl(IMAGE_PATH, "-H", f"Range: {value}")
            self.assertEqual((answer.status, answer.body), (200, IMAGE))
        self.assertEqual(self.curl(FEED, "--range", "0-3").status, 200)

    def test_a_range_of_another_version_is_not_sent(self):
        tag = self.curl(IMAGE_PATH)["etag"]
        for value, status in ((tag, 206), ('"other"', 200), (f"W/{tag}", 200)):
            answer = self.curl(IMAGE_PATH, "--range", "0-9", "-H", f"If-Range: {value}")
            self.assertEqual(answer.status, status)

    def test_curl_goes_on_with_a_download_that_was_cut(self):
        file = self.directory / "image"
        file.write_bytes(IMAGE[:123_456])
        subprocess.run(
            ["curl", "--silent", "--show-error", "--fail", "--continue-at", "-", "--output", file,
             self.served.url + IMAGE_PATH], check=True)
        self.assertEqual(file.read_bytes(), IMAGE)

    def test_an_image_is_served_as_such(self):
        answer = self.curl(IMAGE_PATH)
        self.assertEqual(answer.body, IMAGE)
        self.assertEqual(answer["accept-ranges"], "bytes")
        self.assertEqual(answer["x-content-type-options"], "nosniff")
        self.assertProblem(self.curl("/images?url=https://example.com/none.jpg"), 404)
        self.assertProblem(self.curl("/images"), 400)


class CodingTests(HTTPCase):
    def test_bodies_are_packed_for_those_who_like_that(self):
        for path in ("/feeds/universities?limit=50", "/v1/feed", "/search", "/feeds",
                     "/feeds/universities?format=ndjson", "/feeds/news?format=atom"):
            bare = self.curl(path)
            self.assertIsNone(bare["content-encoding"])
            self.assertIn("Accept-Encoding", bare["vary"])
            packed = self.curl(path, "-H", "Accept-Encoding: gzip")
            self.assertEqual(packed["content-encoding"], "gzip")
            self.assertEqual(gzip.decompress(packed.body), bare.body)
            packed = self.curl(path, "-H", "Accept-Encoding: br, zstd")
            self.assertEqual(packed["content-encoding"], "zstd")
            plain = subprocess.run(
                ["zstd", "--decompress", "--stdout", "--quiet"], input=packed.body, check=True,
                stdout=subprocess.PIPE).stdout
            self.assertEqual(plain, bare.body)

    def test_curl_unpacks(self):
        bare = self.curl(FEED)
        self.assertEqual(self.curl(FEED, "--compressed").body, bare.body)

    def test_weights_are_heeded(self):
        for field, coding in (
            ("gzip;q=0", None), ("gzip;q=0.5, zstd;q=0.2", "gzip"), ("*", "zstd"),
            ("identity", None), ("gzip;q=0.1, identity;q=0.9", None), ("br", None), ("GZIP", "gzip"),
        ):
            answer = self.curl(FEED, "-H", f"Accept-Encoding: {field}")
            self.assertEqual((answer.status, answer["content-encoding"]), (200, coding), field)

    def test_images_are_not_packed_again(self):
        answer = self.curl(IMAGE_PATH, "-H", "Accept-Encoding: gzip, zstd")
        self.assertIsNone(answer["content-encoding"])


class ErrorTests(HTTPCase):
    def test_errors_are_problems(self):
        for path, status in (
            ("/nothing", 404), ("/feeds/nothing", 404), ("/feeds/universities/records/Nobody", 404),
            ("/feeds/universities?limit=0", 400), ("/feeds/universities?limit=x", 400),
            ("/feeds/universities?cursor=!", 400), ("/feeds/universities?cursor=1.0", 410),
            ("/feeds/universities?format=xml", 400), ("/api/character?page=0", 400),
            ("/api/character?page=99", 404), ("/v1/image/x/comments", 404),
            ("/v1/feed?after_id=x", 400), ("/v1/feed?after_id=00000000-0000-0000-0000-000000000000", 404),
            ("/v2/top-headlines?pageSize=1000", 400), ("/feeds/%ff", 400), ("/feeds/../etc/passwd", 404),
            ("/feeds/%2e%2e%2fetc", 404),
        ):
            for over in (None, self.socket):
                with self.subTest(path):
                    self.assertProblem(self.curl(path, over=over), status)

    def test_an_unknown_method_is_not_implemented(self):
        self.assertProblem(self.curl(FEED, "--request", "BREW"), 501)

    def test_a_body_of_a_get_is_read_over(self):
        answer = self.curl(FEED, "--request", "GET", "--data", "x" * 100)
        self.assertEqual(answer.status, 200)
        self.assertEqual(answer.body, self.curl(FEED).body)


class ContractTests(HTTPCase):
    """The five apps can point at the server unchanged: what is served is what was ingested."""

    def test_images(self):
        items = example("feed")["items"]
        answer = self.curl("/v1/feed?limit=1000")
        self.assertEqual(answer["content-type"], "application/json")
        self.assertEqual(self.bare(answer.json["items"]), self.bare(items))
        walked, path = [], "/v1/feed?limit=4"
        while page := self.curl(path).json["items"]:
            walked += page
            path = f"/v1/feed?limit=4&after_id={page[-1]['id']}"
        self.assertEqual(self.bare(walked), self.bare(items))

    def test_comments(self):
        items = example("comments")["items"]
        image = example("feed")["items"][0]["id"]
        answer = self.curl(f"/v1/image/{image}/comments")
        self.assertEqual([item["id"] for item in answer.json["items"]],
                         [item["id"] for item in items])
        self.assertEqual([item["message"] for item in answer.json["items"]],
                         [item["message"] for item in items])
        self.served.ingest({"items": items[:1]}, f"comments-{image}")
        self.assertEqual(len(self.curl(f"/v1/image/{image}/comments").json["items"]), 1)
        other = example("feed")["items"][1]["id"]
        self.assertEqual(len(self.curl(f"/v1/image/{other}/comments").json["items"]), len(items))

    def test_universities(self):
        items = example("universities")
        self.assertEqual(self.curl("/search").json, items)
        for query, wanted in (
            ("country=Brazil", lambda item: item["country"] == "Brazil"),
            ("name=federal&country=brazil", lambda item: item["country"] == "Brazil"
             and "federal" in item["name"].lower()),
            ("name=S%C3%A3o+Paulo", lambda item: "são paulo" in item["name"].lower()),
            ("country=Nowhere", lambda item: False),
        ):
            self.assertEqual(self.curl(f"/search?{query}").json, list(filter(wanted, items)), query)

    def test_characters(self):
        items = example("characters")["results"]
        walked, path = [], "/api/character"
        while path:
            page = self.curl(path).json
            self.assertEqual(page["info"]["count"], len(items))
            walked += page["results"]
            path = page["info"]["next"] and page["info"]["next"].removeprefix(self.served.url)
        self.assertEqual(walked, items)
        # The links of the app's own service have this form.
        self.assertEqual(self.curl("/api/character/?page=1").json["results"], items[:20])
        alive = [item for item in items if item["status"] == "Alive"]
        page = self.curl("/api/character?status=alive").json
        self.assertEqual(page["info"]["count"], len(alive))
        self.assertEqual(page["results"], alive[:20])

    def test_headlines(self):
        items = example("news")["articles"]
        walked = []
        for number in range(1, 100):
            page = self.curl(f"/v2/top-headlines?page={number}&pageSize=7").json
            self.assertEqual((page["status"], page["totalResults"]), ("ok", len(items)))
            if not page["articles"]:
                break
            walked += page["articles"]
        self.assertEqual([item["url"] for item in walked], [item["url"] for item in items])
        self.assertEqual([item["title"] for item in walked], [item["title"] for item in items])
        found = self.curl("/v2/top-headlines?q=telescope").json
        self.assertEqual(found["totalResults"], len(
            [item for item in items if any("telescope" in (item[name] or "").lower()
                                           for name in ("title", "description", "content"))]))

    def test_lines(self):
        items = example("universities")
        answer = self.curl("/feeds/universities?format=ndjson")
        self.assertEqual(answer["content-type"], "application/x-ndjson")
        lines = answer.body.decode().splitlines()
        self.assertEqual(len(lines), len(items))
        walked, path = [], "/feeds/universities?limit=10"
        while path:
            page = self.curl(path)
            walked += page.json["records"]
            path = page.json["next"]
            if path:
                self.assertEqual(page["link"], f'<{path}>; rel="next"')
        self.assertEqual(walked, items)

    def test_one_record(self):
        item = example("universities")[0]
        path = "/feeds/universities/records/Universidade%20de%20S%C3%A3o%20Paulo"
        self.assertEqual(self.curl(path).json, item)
        self.assertEqual(self.curl(path + "?all=1").json, [item])

    @staticmethod
    def bare(items):
        """Removes null values, which a contract may omit, and lowercases ids."""
        return [{key: value.lower() if key == "id" else value
                 for key, value in item.items() if value is not None} for item in items]




if __name__ == "__main__":
    unittest.main()
