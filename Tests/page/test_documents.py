"""A feed that no app knows, as a reader explores it in the page."""

import json
import re
import unittest

from playwright.sync_api import expect

import pictures
from events import EVENTS, ndjson
from page_case import PageCase, fill, make_served, start_browser

FEED = "/page/events"
PATHS = {
    "home": "/", "events": FEED, "events-sorted": FEED + "?sort=-payload.size",
    "events-narrowed": FEED + "?where=type+%3D+IssuesEvent&where=public+%3D+true",
    "events-error": FEED + "?where=type",
    "events-none": FEED + "?where=type+%3D+Nothing",
    "event": f"{FEED}/record?key={EVENTS[6]['id']}", "pictures": "/page/pictures",
}


def serve(cls):
    start_browser(cls)
    cls.served = make_served(cls)
    fill(cls.served)
    cls.served.run("ingest", "-", "--feed", "events", "--kind", "json", input=ndjson())
    schema = cls.served.store.parent / "pictures.schema.json"
    schema.write_text(json.dumps({
        "type": "object", "properties": {
            "id": {"type": "integer"},
            "photo": {"type": "string", "x-feedcore": {"id": 9, "image": True}}}}))
    photos = [{"id": number, "photo": f"https://photos.example/{number}.png", "title": f"No. {number}"}
              for number in range(5)]
    cls.served.run("ingest", "-", "--feed", "pictures", "--schema", schema,
                   input=json.dumps(photos).encode())
    for photo in photos[:4]:
        cls.served.put_picture(photo["photo"], pictures.png(photo["id"]))
    cls.served.start()


class ForeignFeed(PageCase):
    @classmethod
    def setUpClass(cls):
        serve(cls)

    def rows(self):
        return self.page.locator("#items > tr")

    def column(self, title):
        titles = [text.strip() for text in self.page.locator("thead th").all_inner_texts()]
        return self.page.locator(f"#items > tr > :nth-child({titles.index(title) + 1})").all_inner_texts()

    def facet(self, title):
        return self.page.locator(".facet").filter(has=self.page.get_by_role("heading", name=title, exact=True))

    def test_the_feeds_show_what_is_in_them_and_where_programs_find_it(self):
        self.open("/")
        card = self.page.locator(".feeds > li").filter(has=self.page.get_by_role("heading", name="events"))
        expect(card).to_contain_text("Items: 300")
        expect(card).to_contain_text("Size: ")
        expect(card.locator(".preview")).to_contain_text(EVENTS[0]["id"])
        self.shoot("documents-home")
        schema = card.get_by_role("link", name="Schema").get_attribute("href")
        self.assertEqual(self.page.request.get(self.served.url + schema).status, 200)
        card.get_by_role("link", name="JSON").click()
        self.assertTrue(self.page.url.endswith("/feeds/events"))

    def test_a_list_is_sorted_by_its_headings(self):
        self.open(FEED)
        expect(self.rows()).to_have_count(24)
        self.page.get_by_role("link", name="type", exact=True).click()
        expect(self.page.get_by_role("columnheader", name="type")).to_have_attribute(
            "aria-sort", "ascending")
        self.assertEqual(set(self.column("type")), {"ForkEvent"})
        self.page.locator("thead").get_by_role("link", name="type").click()
        expect(self.page.get_by_role("columnheader", name="type")).to_have_attribute(
            "aria-sort", "descending")
        self.assertEqual(set(self.column("type")), {"WatchEvent"})
        self.shoot("documents-sorted")
        self.page.get_by_role("link", name="Load more").click()
        expect(self.rows()).to_have_count(48)
        self.page.get_by_role("link", name="Remove: type, highest first").click()
        expect(self.page.locator("[aria-sort]")).to_have_count(0)

    def test_a_range_leads_to_its_ends(self):
        self.open(FEED)
        low, high = self.facet("repo.stars").locator(".range a").all()
        numbers = [event["repo"]["stars"] for event in EVENTS]
        self.assertEqual([low.inner_text(), high.inner_text()], [str(min(numbers)), str(max(numbers))])
        high.click()
        first = max(EVENTS, key=lambda event: event["repo"]["stars"])
        expect(self.rows().first.get_by_role("link")).to_have_text(first["id"])

    def test_values_have_counts_and_numbers_have_bars(self):
        self.open(FEED)
        for kind in sorted({event["type"] for event in EVENTS}):
            count = sum(event["type"] == kind for event in EVENTS)
            row = self.facet("type").get_by_role("listitem").filter(has_text=kind)
            expect(row.locator(".count")).to_have_text(str(count))
        bars = self.facet("repo.stars").get_by_role("img")
        expect(bars).to_have_accessible_name(re.compile("^Most values: [0-9.]+ – [0-9.]+$"))
        numbers = [event["repo"]["stars"] for event in EVENTS]
        low, high = map(float, re.findall("[0-9.]+", bars.get_attribute("aria-label")))
        shares = {}
        for number in numbers:
            bar = (number - low) // (high - low + 1)
            shares[bar] = shares.get(bar, 0) + 1
        self.assertEqual(shares[0], max(shares.values()))
        self.assertEqual(bars.locator("rect").count(), len(shares))

    def test_values_narrow_the_list_down_and_are_removed_again(self):
        self.open(FEED)
        self.shoot("documents-list")
        self.facet("type").get_by_role("link", name="IssuesEvent").click()
        issues = [event for event in EVENTS if event["type"] == "IssuesEvent"]
        expect(self.page.locator("#list .quiet").first).to_contain_text(f"Matches: {len(issues)}")
        self.facet("public").get_by_role("link", name="true").click()
        public = [event for event in issues if event["public"]]
        expect(self.page.locator("#list .quiet").first).to_contain_text(f"Matches: {len(public)}")
        expect(self.facet("public").locator("[aria-current]")).to_have_text("true")
        self.shoot("documents-narrowed")
        self.page.get_by_role("link", name="Remove: type = IssuesEvent").click()
        expect(self.page.locator(".chips li")).to_have_count(1)
        self.facet("public").get_by_role("link", name="true").click()
        expect(self.page.locator(".chips li")).to_have_count(0)

    def test_a_condition_is_written_and_its_error_is_next_to_it(self):
        self.open(FEED)
        self.page.get_by_label("Condition", exact=True).fill("payload.size >= 50")
        self.page.get_by_role("button", name="Add").click()
        found = [event for event in EVENTS if event["payload"]["size"] >= 50]
        expect(self.page.locator("#list .quiet").first).to_contain_text(f"Matches: {len(found)}")
        self.page.get_by_label("Condition", exact=True).fill("type")
        self.page.get_by_role("button", name="Add").click()
        expect(self.page.locator("#condition-error")).to_contain_text("An operator follows the path")
        field = self.page.get_by_label("Condition", exact=True)
        expect(field).to_have_value("type")
        self.shoot("documents-error")
        field.fill("type ~ issues")
        self.page.get_by_role("button", name="Add").click()
        expect(self.page.locator(".chips li")).to_have_count(2)

    def test_the_filter_keeps_conditions_and_says_how_many_match(self):
        self.open(FEED + "?where=public+%3D+true&sort=-payload.size")
        self.page.get_by_label("Filter").fill("grace")
        expect(self.page).to_have_url(self.served.url + FEED
                                      + "?filter=grace&where=public+%3D+true&sort=-payload.size")
        found = [event for event in EVENTS if event["public"] and "grace" in json.dumps(event)]
        expect(self.page.locator("#list .quiet").first).to_contain_text(f"Matches: {len(found)}")
        best = max(found, key=lambda event: event["payload"]["size"])["payload"]["size"]
        self.assertEqual(self.column("payload.size")[0], str(best))
        self.page.get_by_label("Condition", exact=True).fill("type = PushEvent")
        self.page.get_by_role("button", name="Add").click()
        self.assertIn("filter=grace", self.page.url)

    def test_pages_are_turned_and_sized(self):
        self.open(FEED)
        pager = self.page.get_by_role("navigation", name="Pages")
        expect(pager).to_contain_text("of 13")
        pager.get_by_label("Page").fill("13")
        pager.get_by_role("button", name="Go").click()
        expect(self.rows()).to_have_count(12)
        expect(self.rows().last.get_by_role("link")).to_have_text(EVENTS[-1]["id"])
        self.page.get_by_role("link", name="Previous").click()
        expect(self.rows().first.get_by_role("link")).to_have_text(EVENTS[264]["id"])
        self.page.get_by_role("link", name="100", exact=True).click()
        expect(self.rows()).to_have_count(100)
        expect(self.page.get_by_role("navigation", name="Pages")).to_contain_text("of 3")

    def test_a_record_is_a_tree_that_can_be_copied(self):
        self.context.grant_permissions(["clipboard-read", "clipboard-write"])
        self.open(PATHS["event"])
        expect(self.page.locator(".tree")).to_contain_text(EVENTS[6]["actor"]["login"])
        self.page.get_by_role("button", name="Copy JSON").click()
        expect(self.page.get_by_role("button", name="Copied")).to_be_visible()
        self.assertEqual(
            json.loads(self.page.evaluate("navigator.clipboard.readText()")), EVENTS[6])
        self.shoot("documents-record", full=True)
        self.page.get_by_role("link", name="Raw JSON").click()
        self.assertEqual(json.loads(self.page.locator("body").inner_text()), EVENTS[6])

    def test_pictures_of_documents_are_next_to_their_keys(self):
        self.open("/page/pictures")
        self.page.wait_for_function(
            "() => document.querySelectorAll('#items img')[3].naturalWidth > 0")
        expect(self.page.locator("#items .picture").last).to_have_class("picture missing")
        self.shoot("documents-pictures")

    def test_a_missing_picture_of_a_record_is_small(self):
        self.open("/page/pictures/record?key=4")
        expect(self.page.locator(".picture.missing")).to_be_visible()
        box = self.page.locator(".picture").bounding_box()
        self.assertLess(box["height"], 200)
        self.shoot("documents-missing-picture")

    def test_axe_finds_nothing_in_light_and_dark(self):
        for scheme in ("light", "dark"):
            self.page.emulate_media(color_scheme=scheme)
            for name, path in PATHS.items():
                with self.subTest(page=name, scheme=scheme):
                    self.open(path)
                    self.assert_accessible()
                    self.shoot(f"documents-{scheme}-{name}", full=True)

    def test_nothing_is_wider_than_a_phone(self):
        self.page.set_viewport_size({"width": 360, "height": 720})
        for name, path in PATHS.items():
            with self.subTest(page=name):
                self.open(path)
                self.assertLessEqual(
                    self.page.evaluate("document.documentElement.scrollWidth"), 360)
                self.shoot(f"documents-phone-{name}", full=True)

    def test_the_keyboard_sorts_and_narrows(self):
        self.open(FEED)
        self.page.locator("thead").get_by_role("link", name="type").focus()
        self.page.keyboard.press("Enter")
        expect(self.page.locator("[aria-sort=ascending]")).to_have_count(1)
        self.facet("type").get_by_role("link", name="ForkEvent").focus()
        self.page.keyboard.press("Enter")
        expect(self.page.locator(".chips li")).to_have_count(2)


class ForeignFeedWithoutScript(PageCase):
    options = {"java_script_enabled": False}

    @classmethod
    def setUpClass(cls):
        serve(cls)

    def test_sorting_narrowing_conditions_and_pages_are_links_and_forms(self):
        self.open(FEED)
        self.page.locator("thead").get_by_role("link", name="type").click()
        self.page.locator(".facet").get_by_role("link", name="PushEvent").click()
        self.page.get_by_label("Condition", exact=True).fill("payload.size < 30")
        self.page.get_by_role("button", name="Add").click()
        self.page.get_by_label("Filter").fill("project")
        self.page.get_by_role("button", name="Apply").click()
        found = [event for event in EVENTS
                 if event["type"] == "PushEvent" and event["payload"]["size"] < 30]
        expect(self.page.locator("#list .quiet").first).to_contain_text(f"Matches: {len(found)}")
        pager = self.page.get_by_role("navigation", name="Pages")
        pager.get_by_label("Page").fill("2")
        pager.get_by_role("button", name="Go").click()
        self.assertEqual(self.page.locator("#items > tr").count(), min(len(found) - 24, 24))
        self.shoot("documents-without-script")
        self.page.locator("#items a").first.click()
        expect(self.page.locator(".tree")).to_be_visible()
        expect(self.page.get_by_role("button", name="Copy JSON")).to_have_count(0)


if __name__ == "__main__":
    unittest.main()
