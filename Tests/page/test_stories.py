"""The stories of the apps' documents, as a customer sees them in the page."""

import datetime
import json
import re
import unittest

from playwright.sync_api import expect

from origin import Origin
from page_case import (ARTICLES, CHARACTERS, COMMENTS, IMAGES, UNIVERSITIES, PageCase, fill,
                       make_served, start_browser)

OFFLINE = "Couldn't connect to server"


class StoredFeeds(PageCase):
    """Feeds that were ingested, and have no service."""

    @classmethod
    def setUpClass(cls):
        start_browser(cls)
        cls.served = make_served(cls)
        fill(cls.served)
        cls.served.start()

    def test_the_feeds_are_listed_and_lead_to_their_lists(self):
        self.open("/")
        self.assertEqual(
            self.page.locator("h1").inner_text(), "Feeds")
        self.shoot("home")
        self.page.get_by_role("link", name="Universities", exact=True).click()
        expect(self.page.locator("h1")).to_have_text("Universities")

    def test_a_list_of_images_shows_those_of_the_image_store(self):
        self.open("/page/feed")
        pictures = self.page.locator("#items img")
        self.assertEqual(pictures.count(), min(24, len(IMAGES)))
        self.page.wait_for_function(
            "() => Array.from(document.querySelectorAll('#items img')).slice(0, 3)"
            ".every((image) => image.complete && image.naturalWidth > 0)")
        self.assertTrue(pictures.nth(0).get_attribute("alt").startswith("Image: Swifts over"))
        self.shoot("feed")

    def test_a_picture_that_is_not_there_leaves_its_words(self):
        self.open("/page/feed")
        last = self.page.locator("#items li").last
        last.scroll_into_view_if_needed()
        expect(last.locator(".picture")).to_have_class(re.compile("missing"))
        self.shoot("feed-missing-picture")

    def test_more_is_loaded_below_what_is_there(self):
        self.open("/page/universities")
        names = [university["name"] for university in UNIVERSITIES]
        self.assertEqual(self.titles(), names[:24])
        self.page.get_by_role("link", name="Load more").click()
        expect(self.page.locator("#items > li")).to_have_count(48)
        expect(self.page.locator("#status")).to_have_text("Loaded: 24")
        expect(self.page.locator("#items > li").nth(24).get_by_role("link")).to_be_focused()
        self.page.get_by_role("link", name="Load more").click()
        expect(self.page.locator("#items > li")).to_have_count(len(names))
        self.assertEqual(self.titles(), names)
        expect(self.page.locator("#outcome")).to_have_text("That is all")
        expect(self.page.get_by_role("link", name="Load more")).to_have_count(0)
        self.shoot("universities-end")

    def test_a_list_that_was_replaced_meanwhile_says_so_and_stays(self):
        self.served.ingest(UNIVERSITIES, "replaced")
        self.open("/page/replaced")
        self.served.ingest(UNIVERSITIES, "replaced")
        self.page.get_by_role("link", name="Load more").click()
        expect(self.alert()).to_contain_text("The feed has changed")
        self.assertEqual(len(self.titles()), 24)
        self.page.get_by_role("link", name="Back to the beginning").click()
        self.page.get_by_role("link", name="Load more").click()
        expect(self.page.locator("#items > li")).to_have_count(48)

    def test_a_filter_finds_while_it_is_written(self):
        self.open("/page/universities")
        self.page.get_by_label("Filter").fill("sao paulo")
        expect(self.page.locator("#items > li")).to_have_count(
            sum("Paulo" in str(university) for university in UNIVERSITIES))
        self.assertIn("filter=sao+paulo", self.page.url)
        self.shoot("universities-filter")
        self.page.get_by_label("Filter").fill("no such place")
        expect(self.page.locator("#outcome")).to_have_text("Nothing matches “no such place”")
        self.page.get_by_role("link", name="Show all").click()
        expect(self.page.locator("#items > li")).to_have_count(24)

    def test_an_answer_that_a_filter_has_outrun_does_not_come_into_the_filtered_list(self):
        found = sum("Paulo" in str(university) for university in UNIVERSITIES)
        for name, part in (("Refresh", "refresh=1"), ("Load more", "cursor=")):
            with self.subTest(link=name):
                self.page.route(re.compile(part), lambda route: None)
                self.open("/page/universities")
                with self.page.expect_request(re.compile(part)):
                    self.page.get_by_role("link", name=name).click()
                with self.page.expect_event(
                        "requestfailed", lambda request: part in request.url):
                    self.page.get_by_label("Filter").fill("sao paulo")
                expect(self.page.locator("#items > li")).to_have_count(found)
                expect(self.page.locator("#refresh")).to_have_text("Refresh")

    def test_the_detail_of_a_university_has_its_state_and_links(self):
        university = next(one for one in UNIVERSITIES if one["state-province"])
        self.open("/page/universities?filter=" + university["name"].replace(" ", "+"))
        self.page.get_by_role("link", name=university["name"], exact=True).click()
        expect(self.page.locator("h1")).to_have_text(university["name"])
        fields = self.page.locator("dl")
        expect(fields).to_contain_text(university["state-province"])
        link = fields.get_by_role("link").first
        self.assertEqual(link.get_attribute("href"), university["web_pages"][0])
        self.assertEqual(link.get_attribute("rel"), "noopener noreferrer")
        self.shoot("university")

    def test_the_detail_of_an_article_has_source_and_text(self):
        article = ARTICLES[0]
        self.open("/page/news")
        self.shoot("news")
        self.page.get_by_role("link", name=article["title"]).click()
        expect(self.page.locator("h1")).to_have_text(article["title"])
        expect(self.page.locator("article")).to_contain_text(f"From: {article['source']['name']}")
        for line in article["content"].splitlines():
            expect(self.page.locator("article")).to_contain_text(line)
        self.assertEqual(
            self.page.get_by_role("link", name="Read the whole article").get_attribute("href"),
            article["url"])
        self.shoot("article")

    def test_the_detail_of_an_image_has_its_comments_and_how_old_they_are(self):
        self.open("/page/feed")
        self.page.locator("#items a").first.click()
        comments = self.page.get_by_role("region", name="Comments")
        expect(comments.get_by_role("article")).to_have_count(len(COMMENTS))
        expect(comments).to_contain_text(COMMENTS[0]["message"])
        expect(comments).to_contain_text(re.compile(r"\d years? ago"))
        self.shoot("image", full=True)

    def test_the_detail_of_a_character_has_status_and_species(self):
        self.open("/page/characters")
        self.shoot("characters")
        self.page.get_by_role("link", name=CHARACTERS[0]["name"], exact=True).click()
        expect(self.page.locator("dl").first).to_contain_text("Status")
        expect(self.page.locator("dl").first).to_contain_text(CHARACTERS[0]["species"])
        self.shoot("character")

    def test_without_a_connection_the_list_stays_and_says_why_there_is_nothing_new(self):
        self.open("/page/news")
        before = self.titles()
        self.context.set_offline(True)
        self.page.get_by_role("link", name="Refresh").click()
        expect(self.alert()).to_have_text(OFFLINE)
        self.assertEqual(self.titles(), before)
        self.context.set_offline(False)
        self.page.get_by_role("link", name="Refresh").click()
        expect(self.alert()).to_be_hidden()
        self.assertEqual(self.titles(), before)

    def test_what_there_is_none_of_is_not_found(self):
        answer = self.open("/page/nothing")
        self.assertEqual(answer.status, 404)
        expect(self.page.locator("h1")).to_have_text("This couldn't be found")
        self.shoot("not-found")


class RemoteFeeds(PageCase):
    """Feeds that come from a service."""

    @classmethod
    def setUpClass(cls):
        start_browser(cls)

    def setUp(self):
        super().setUp()
        self.origin = Origin()
        self.addCleanup(self.origin.stop)

    def serve(self, *feeds, saved=()):
        """Starts a server with feeds from the service. `saved` has feeds and their age in days."""
        self.served = make_served(
            type(self), [(name, f"{self.origin.url}/{path}") for name, path in feeds])
        for name, document, days in saved:
            moment = datetime.datetime.now(datetime.timezone.utc) - datetime.timedelta(days=days)
            self.served.run(
                "ingest", "-", "--feed", name, "--timestamp",
                moment.strftime("%Y-%m-%dT%H:%M:%SZ"), input=json.dumps(document).encode())
        self.served.start()
        self.addCleanup(self.served.stop)

    def click_until(self, name, is_seen):
        """Clicks until `is_seen`: the server asks a service again only after some seconds."""
        for _ in range(100):
            self.page.get_by_role("link", name=name).click()
            try:
                return is_seen(timeout=250)
            except AssertionError:
                pass
        is_seen()

    def test_online_the_latest_is_shown_and_a_refresh_replaces_it(self):
        self.origin.put("/news", {"articles": ARTICLES[:2]})
        self.serve(("news", "news"))
        self.open("/")
        expect(self.page.locator("main")).to_contain_text("Not loaded yet")
        self.page.get_by_role("link", name="News").click()
        self.assertEqual(self.titles(), [article["title"] for article in ARTICLES[:2]])
        self.origin.put("/news", {"articles": ARTICLES[2:5]})
        items = expect(self.page.locator("#items > li"))
        self.click_until("Refresh", lambda **options: items.to_have_count(3, **options))
        self.assertEqual(self.titles(), [article["title"] for article in ARTICLES[2:5]])
        self.page.reload()
        self.assertEqual(self.titles(), [article["title"] for article in ARTICLES[2:5]])

    def test_offline_the_cached_feed_is_shown_with_the_reason_until_there_is_connectivity(self):
        self.origin.is_offline = True
        self.origin.put("/news", {"articles": ARTICLES[2:5]})
        self.serve(("news", "news"), saved=[("news", {"articles": ARTICLES[:2]}, 3)])
        self.open("/page/news")
        expect(self.alert()).to_contain_text(OFFLINE)
        expect(self.alert()).to_contain_text("Showing what was saved 3 days ago")
        self.assertEqual(self.titles(), [article["title"] for article in ARTICLES[:2]])
        self.shoot("offline-cached")
        self.assert_accessible()
        self.page.get_by_role("link", name="Refresh").click()
        expect(self.page.locator("#refresh")).to_have_text("Refresh")
        expect(self.alert()).to_contain_text(OFFLINE)
        self.assertEqual(self.titles(), [article["title"] for article in ARTICLES[:2]])
        self.origin.is_offline = False
        self.click_until("Refresh", expect(self.alert()).to_be_hidden)
        self.assertEqual(self.titles(), [article["title"] for article in ARTICLES[2:5]])

    def test_offline_with_an_empty_cache_there_is_the_error_message(self):
        self.origin.is_offline = True
        self.origin.put("/news", {"articles": ARTICLES[:2]})
        self.serve(("news", "news"))
        answer = self.open("/page/news")
        self.assertEqual(answer.status, 503)
        expect(self.page.get_by_role("alert")).to_contain_text(OFFLINE)
        expect(self.page.get_by_role("alert")).to_contain_text("Nothing has been saved")
        self.shoot("offline-empty")
        self.assert_accessible()
        self.origin.is_offline = False
        items = expect(self.page.locator("#items > li"))
        self.click_until("Try again", lambda **options: items.to_have_count(2, **options))

    def test_offline_with_an_expired_cache_there_is_the_error_message(self):
        self.origin.is_offline = True
        self.serve(("news", "news"), saved=[("news", {"articles": ARTICLES[:2]}, 7)])
        answer = self.open("/page/news")
        self.assertEqual(answer.status, 503)
        expect(self.page.get_by_role("alert")).to_contain_text(OFFLINE)
        expect(self.page.get_by_role("alert")).to_contain_text("too old to show")
        expect(self.page.get_by_text(ARTICLES[0]["title"])).to_have_count(0)
        self.shoot("offline-expired")
        self.assert_accessible()

    def test_a_list_that_is_shown_stays_readable_when_the_service_goes_away(self):
        self.origin.put("/news", {"articles": ARTICLES[:2]})
        self.serve(("news", "news"))
        self.open("/page/news")
        before = self.titles()
        self.origin.is_offline = True
        alert = expect(self.alert())
        self.click_until("Refresh", lambda **options: alert.to_contain_text(OFFLINE, **options))
        self.assertEqual(self.titles(), before)

    def test_images_and_comments_come_from_their_services(self):
        image = dict(IMAGES[0], image=self.origin.put_picture(3, "/picture.png"))
        self.origin.put("/v1/feed", {"items": [image]})
        comments = f"/v1/image/{image['id']}/comments"
        self.origin.put(comments, {"items": COMMENTS[:2]})
        self.serve(("feed", "v1/feed"))
        self.open("/page/feed")
        self.page.wait_for_function("() => document.querySelector('#items img').naturalWidth > 0")
        self.page.locator("#items a").first.click()
        region = self.page.get_by_role("region", name="Comments")
        expect(region.get_by_role("article")).to_have_count(2)
        self.origin.is_offline = True
        self.page.reload()
        expect(region.get_by_role("alert")).to_have_text(OFFLINE)
        # The server stored the picture when it was first shown.
        self.page.wait_for_function("() => document.querySelector('.picture img').naturalWidth > 0")
        self.shoot("comments-offline")
        self.assert_accessible()


if __name__ == "__main__":
    unittest.main()
