"""The documentation as a site: every page is in it, links lead somewhere, and it needs no other server."""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

PROJECT = pathlib.Path(__file__).resolve().parent.parent.parent
TOOLS = pathlib.Path(subprocess.run([PROJECT / "scripts/python-folder.sh", "site"], stdout=subprocess.PIPE, text=True,
                                    check=True).stdout.strip())
REPOSITORY = "https://git.example/ganscale"


def build(folder):
    environment = {**os.environ, "REPOSITORY_URL": REPOSITORY}
    configuration = PROJECT / "scripts/site/mkdocs.yml"
    subprocess.run([TOOLS / "bin/mkdocs", "build", "--strict", "--quiet", "-f", configuration, "-d", folder],
                   env=environment, check=True)


class Site(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        kept = tempfile.TemporaryDirectory()
        cls.addClassCleanup(kept.cleanup)
        cls.folder = pathlib.Path(kept.name)
        build(cls.folder)
        cls.pages = {file.relative_to(cls.folder).as_posix(): file.read_text(encoding="utf-8")
                     for file in cls.folder.rglob("*.html")}

    def test_has_every_page_in_its_search(self):
        index = json.loads((self.folder / "search/search_index.json").read_text(encoding="utf-8"))
        found = {entry["location"].partition("#")[0] for entry in index["docs"]}
        docs = PROJECT / "docs"
        expected = {file.relative_to(docs).with_suffix(".html").as_posix() for file in docs.rglob("*.md")}
        self.assertEqual(found, expected - {"README.html"} | {"index.html", "runbooks/index.html"})

    def test_loads_nothing_from_elsewhere(self):
        for name, page in self.pages.items():
            self.assertEqual(re.findall(r'<(?:script|img|link)[^>]+(?:src|href)="(?:https?:)?//[^"]*', page), [], name)

    def test_links_other_files_to_the_repository(self):
        self.assertIn(f'<a href="{REPOSITORY}/blob/HEAD/benchmarks/mnist/README.md">', self.pages["tutorial-one-machine.html"])
        self.assertIn('<a href="runbooks/index.html">Runbooks</a>', self.pages["index.html"])
        self.assertIn('<a href="data.html">Datasets</a>', self.pages["index.html"])

    def test_shows_commands_as_code(self):
        self.assertIn("<code class=\"language-console\">$ ganscale data convert", self.pages["data.html"])
        for name, page in self.pages.items():
            self.assertNotIn("```", page, name)


if __name__ == "__main__":
    if not (TOOLS / "bin/mkdocs").exists():
        print("SKIPPED: needs MkDocs, which scripts/setup.sh site installs", file=sys.stderr)
        sys.exit(77)
    unittest.main()
