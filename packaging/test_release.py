"""Tests that a mismatch of version, changelog, tag or pins is refused with a remedy.

    python3 -m unittest discover --start-directory packaging
"""

import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent


class ReleaseCase(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory(prefix="feedcore-release-test.")
        self.addCleanup(directory.cleanup)
        self.root = pathlib.Path(directory.name)
        for name in ("include/feedcore.h", "packaging/release.py", "packaging/dependencies.json"):
            (self.root / name).parent.mkdir(exist_ok=True)
            shutil.copy(ROOT / name, self.root / name)
        header = self.root / "include/feedcore.h"
        header.write_text('#define FEEDCORE_VERSION "1.2.3"\n')
        self.changelog("Unreleased")
        self.git("init", "--quiet")
        self.commit()

    def git(self, *arguments):
        subprocess.run(
            ["git", "-c", "user.name=n", "-c", "user.email=e", "-c", "init.defaultBranch=main",
             *arguments], cwd=self.root, check=True, capture_output=True)

    def commit(self):
        self.git("add", "--all")
        self.git("commit", "--quiet", "--allow-empty", "--message", "c")

    def changelog(self, *sections):
        text = "# Changelog\n" + "".join(f"\n## [{each}]\n" for each in sections)
        (self.root / "CHANGELOG.md").write_text(text)

    def run_helper(self, *arguments):
        return subprocess.run([sys.executable, self.root / "packaging/release.py", *arguments],
                              capture_output=True, text=True)

    def refuse(self, word, *arguments):
        run = self.run_helper(*arguments)
        self.assertEqual(run.returncode, 1, run.stdout)
        self.assertIn(word, run.stderr)

    def test_a_commit_without_a_tag_is_of_development(self):
        self.assertEqual(self.run_helper("version").stdout, "1.2.3 dev\n")

    def test_a_tag_needs_its_header_and_its_section(self):
        self.git("tag", "v1.2.3")
        self.refuse("no section [1.2.3]", "version")
        self.changelog("Unreleased", "1.2.3")
        self.commit()
        self.git("tag", "--force", "v1.2.3")
        self.assertEqual(self.run_helper("version").stdout, "1.2.3\n")

    def test_another_tag_is_refused(self):
        self.git("tag", "v1.2.4")
        self.refuse("HEAD has the tag v1.2.4, but include/feedcore.h is 1.2.3", "version")

    def test_a_version_is_tagged_once(self):
        self.git("tag", "v1.2.3")
        self.commit()
        self.refuse("Raise FEEDCORE_VERSION", "version")

    def test_the_changelog_is_not_ahead(self):
        self.changelog("Unreleased", "1.10.0")
        self.refuse("CHANGELOG.md is at 1.10.0", "version")

    def test_what_was_resolved_is_what_is_pinned(self):
        pins, swift = self.root / "Package.resolved", self.manifest()["swift"]
        self.run_helper("pins", str(pins))
        self.refuse("Swift: pinned is", "verify", str(pins), "5.0")
        text = json.loads(pins.read_text())
        text["pins"][0]["state"]["version"] = "9.9.9"
        pins.write_text(json.dumps(text))
        self.refuse(f"{text['pins'][0]['identity']}: pinned is", "verify", str(pins), swift)
        del text["pins"][0]
        pins.write_text(json.dumps(text))
        self.refuse("resolved was nothing", "verify", str(pins), swift)

    def test_a_source_has_its_checksum(self):
        file = self.root / "lmdb_0.9.24.orig.tar.gz"
        file.write_bytes(b"other")
        self.refuse("SHA-256", "source", str(file))

    def manifest(self):
        return json.loads((self.root / "packaging/dependencies.json").read_text())


if __name__ == "__main__":
    unittest.main()
