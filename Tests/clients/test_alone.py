"""The program needs no other file: a copy alone serves the page in every language."""

import pathlib
import shutil
import tempfile
import unittest
import urllib.request

from http_case import COMMAND
from served import EXAMPLES, Served


class AloneTests(unittest.TestCase):
    def test_a_copy_speaks_every_language(self):
        directory = tempfile.TemporaryDirectory(prefix="feedcore-alone.")
        self.addCleanup(directory.cleanup)
        copy = pathlib.Path(directory.name) / "feedcore"
        shutil.copyfile(COMMAND, copy)
        copy.chmod(0o755)
        served = Served(copy, directory.name)
        self.addCleanup(served.stop)
        served.run("ingest", EXAMPLES / "comments.json", "--feed", "comments")
        served.start()
        for language, title in (
            ("en", "Skip to the content"), ("el", "Ροές"), ("pt-BR", "Feeds disponíveis"),
            ("ru", "Ленты"), ("hi", "फ़ीड"),
        ):
            request = urllib.request.Request(served.url, headers={"Accept-Language": language})
            with urllib.request.urlopen(request, timeout=20) as answer:
                page = answer.read().decode()
            self.assertIn(f'<html lang="{language}"', page)
            self.assertIn(title, page)
        with urllib.request.urlopen(served.url + "/feeds", timeout=20) as answer:
            self.assertEqual(answer.status, 200)


if __name__ == "__main__":
    unittest.main()
