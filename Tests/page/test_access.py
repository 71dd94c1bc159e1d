"""Accessibility of the page: keyboard, screen readers, dark mode, languages, screen sizes, and no
script."""

import re
import unittest

from playwright.sync_api import expect

from page_case import IMAGES, UNIVERSITIES, PageCase, fill, make_served, start_browser

LANGUAGES = {
    "en": ("Universities", "Load more", "Refresh"),
    "el": ("Πανεπιστήμια", "Φόρτωση περισσότερων", "Ανανέωση"),
    "pt-BR": ("Universidades", "Carregar mais", "Recarregar"),
    "ru": ("Университеты", "Загрузить ещё", "Обновить"),
    "hi": ("विश्वविद्यालय", "और लोड करें", "ताज़ा करें"),
}


def paths():
    key = UNIVERSITIES[0]["name"].replace(" ", "%20")
    return {
        "home": "/", "universities": "/page/universities", "feed": "/page/feed",
        "news": "/page/news", "characters": "/page/characters", "comments": "/page/comments",
        "filtered": "/page/universities?filter=nothing+like+it",
        "university": f"/page/universities/record?key={key}",
        "image": f"/page/feed/record?key={IMAGES[0]['id']}",
        "not-found": "/page/nothing",
    }


class Served(PageCase):
    @classmethod
    def setUpClass(cls):
        start_browser(cls)
        cls.served = make_served(cls)
        fill(cls.served)
        cls.served.start()


class EverybodysPage(Served):
    def test_axe_finds_nothing_on_any_page_in_light_and_dark(self):
        for scheme in ("light", "dark"):
            self.page.emulate_media(color_scheme=scheme)
            for name, path in paths().items():
                with self.subTest(page=name, scheme=scheme):
                    self.open(path)
                    self.assert_accessible()

    def test_light_and_dark_follow_the_reader(self):
        grounds = []
        for scheme in ("light", "dark"):
            self.page.emulate_media(color_scheme=scheme)
            self.open("/page/feed")
            grounds.append(self.page.evaluate(
                "getComputedStyle(document.body).backgroundColor"))
            self.page.wait_for_function(
                "() => document.querySelector('#items img').naturalWidth > 0")
            self.shoot(f"feed-{scheme}")
        light, dark = ([int(part) for part in re.findall(r"\d+", ground)] for ground in grounds)
        self.assertGreater(min(light), 200)
        self.assertLess(max(dark), 60)

    def test_the_keyboard_reaches_everything_in_the_order_of_reading(self):
        self.open("/page/universities")

        def focused():
            self.page.keyboard.press("Tab")
            return self.page.evaluate("document.activeElement.textContent.trim() "
                                      "|| document.activeElement.id")

        self.assertEqual(focused(), "Skip to the content")
        self.shoot("keyboard-skip")
        order = [focused() for _ in range(5)]
        self.assertEqual(
            order,
            ["FeedCore", "Refresh", "filter-text", "Apply", UNIVERSITIES[0]["name"]])
        self.shoot("keyboard-item")
        self.page.keyboard.press("Enter")
        expect(self.page.locator("h1")).to_have_text(UNIVERSITIES[0]["name"])

    def test_the_skip_link_leads_to_the_content(self):
        self.open("/page/universities")
        self.page.keyboard.press("Tab")
        self.page.keyboard.press("Enter")
        expect(self.page.locator("main")).to_be_focused()

    def test_more_is_loaded_by_keyboard_and_reading_goes_on_there(self):
        self.open("/page/universities")
        self.page.get_by_role("link", name="Load more").focus()
        self.page.keyboard.press("Enter")
        expect(self.page.locator("#items > li").nth(24).get_by_role("link")).to_be_focused()

    def test_a_page_has_its_landmarks_and_one_first_heading(self):
        for path in paths().values():
            self.open(path)
            for role in ("banner", "main"):
                expect(self.page.get_by_role(role)).to_have_count(1)
            # A long list has its numbered pages too.
            expect(self.page.get_by_role("banner").get_by_role("navigation")).to_have_count(1)
            expect(self.page.get_by_role("heading", level=1)).to_have_count(1)

    def test_nothing_is_wider_than_a_small_screen(self):
        self.page.set_viewport_size({"width": 320, "height": 640})
        for name, path in paths().items():
            with self.subTest(page=name):
                self.open(path)
                width = self.page.evaluate("document.documentElement.scrollWidth")
                self.assertLessEqual(width, 320)
                self.shoot(f"small-{name}")

    def test_the_policy_lets_nothing_else_in(self):
        answer = self.open("/page/feed")
        self.assertTrue(
            answer.headers["content-security-policy"].startswith("default-src 'self';"))
        self.page.evaluate(
            "document.body.append(Object.assign(document.createElement('script'), "
            "{ textContent: 'window.wasRun = true' }))")
        self.assertIsNone(self.page.evaluate("window.wasRun ?? null"))
        self.assertTrue(any("Content Security Policy" in error for error in self.errors))
        self.errors.clear()


class WithoutScript(Served):
    options = {"java_script_enabled": False}

    def test_everything_can_be_read_by_links_alone(self):
        self.open("/")
        self.page.get_by_role("link", name="Universities", exact=True).click()
        names = self.titles()
        while self.page.get_by_role("link", name="Load more").count():
            self.page.get_by_role("link", name="Load more").click()
            names += self.titles()
        self.assertEqual(names, [university["name"] for university in UNIVERSITIES])
        self.page.get_by_role("link", name="Back to the beginning").click()
        self.page.get_by_role("link", name="Refresh").click()
        self.assertEqual(self.titles(), names[:24])
        self.page.get_by_label("Filter").fill("são paulo")
        self.page.get_by_role("button", name="Apply").click()
        self.assertTrue(self.titles())
        self.page.locator("#items a").first.click()
        expect(self.page.locator("dl")).to_be_visible()
        self.open("/page/feed")
        self.shoot("without-script")


class Languages(Served):
    def test_the_page_speaks_the_language_that_the_browser_asks_for(self):
        for language, words in LANGUAGES.items():
            with self.subTest(language=language):
                context = self.browser.new_context(
                    locale=language, viewport={"width": 1000, "height": 700})
                self.addCleanup(context.close)
                self.page = context.new_page()
                answer = self.open("/page/universities")
                self.assertEqual(answer.headers["content-language"], language)
                self.assertEqual(
                    self.page.locator("html").get_attribute("lang"), language)
                expect(self.page.locator("h1")).to_have_text(words[0])
                expect(self.page.get_by_role("link", name=words[1])).to_be_visible()
                expect(self.page.get_by_role("link", name=words[2], exact=True)).to_be_visible()
                self.assert_accessible()
                self.shoot(f"language-{language}")


if __name__ == "__main__":
    unittest.main()
