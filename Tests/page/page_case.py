"""What all tests of the page share: a browser, a store made of the examples, and its server."""

import json
import os
import pathlib
import tempfile
import unittest

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import sync_playwright

import pictures
from served import EXAMPLES, Served

COMMAND = os.environ["FEEDCORE"]
SCREENSHOTS = pathlib.Path(os.environ["FEEDCORE_SCREENSHOTS"])
IMAGES = json.loads((EXAMPLES / "feed.json").read_text())["items"]
CHARACTERS = json.loads((EXAMPLES / "characters.json").read_text())["results"]
ARTICLES = json.loads((EXAMPLES / "news.json").read_text())["articles"]
UNIVERSITIES = json.loads((EXAMPLES / "universities.json").read_text())
COMMENTS = json.loads((EXAMPLES / "comments.json").read_text())["items"]


def start_browser(test_class):
    """Starts the system's Chromium for all tests of a class."""
    playwright = sync_playwright().start()
    test_class.addClassCleanup(playwright.stop)
    test_class.browser = playwright.chromium.launch(
        executable_path=os.environ["CHROMIUM"], args=["--no-sandbox"])
    test_class.addClassCleanup(test_class.browser.close)


def make_served(test_class, origins=()):
    directory = tempfile.TemporaryDirectory(prefix="feedcore-page.")
    test_class.addClassCleanup(directory.cleanup)
    served = Served(COMMAND, directory.name, origins)
    test_class.addClassCleanup(served.stop)
    return served


def fill(served):
    """Fills the store with all examples and some of their pictures."""
    for name in ("feed", "news", "characters", "universities", "comments"):
        served.run("ingest", EXAMPLES / f"{name}.json", "--feed", name)
    served.ingest({"items": COMMENTS}, f"comments-{IMAGES[0]['id']}")
    urls = [item["image"] for item in IMAGES[:7] + CHARACTERS[:6]]
    urls += [item["urlToImage"] for item in ARTICLES[:5] if item["urlToImage"]]
    for number, url in enumerate(urls):
        served.put_picture(url, pictures.png(number))


class PageCase(unittest.TestCase):
    """A test that looks at pages in a browser, and has seen no error when it ends."""

    #: The options of the browser context.
    options = {}

    def setUp(self):
        self.context = self.browser.new_context(
            locale="en-GB", viewport={"width": 1200, "height": 850}, **self.options)
        self.context.set_default_timeout(15_000)
        self.addCleanup(self.context.close)
        self.page = self.context.new_page()
        self.errors = []
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.on("console", self.note)

    def note(self, message):
        # Some tests request a missing picture or page.
        if message.type == "error" and "Failed to load resource" not in message.text:
            self.errors.append(message.text)

    def tearDown(self):
        self.assertEqual(self.errors, [])

    def open(self, path):
        return self.page.goto(self.served.url + path)

    def titles(self):
        return self.page.locator("#items h2").all_inner_texts()

    def alert(self):
        return self.page.locator("#alert")

    def shoot(self, name, full=False):
        SCREENSHOTS.mkdir(parents=True, exist_ok=True)
        self.page.screenshot(path=SCREENSHOTS / f"{name}.png", full_page=full)

    def assert_accessible(self):
        found = Axe().run(self.page)
        self.assertEqual(found.violations_count, 0, found.generate_report())
