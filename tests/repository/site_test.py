"""The manual as a web site: every page is listed once, and Sphinx has nothing to complain about."""

import importlib.util
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from source_tree import ROOT

sys.path[:0] = [str(ROOT / "scripts"), str(ROOT / "docs/site")]

import doxygen_comments  # noqa: E402
import site_pages  # noqa: E402

_NEEDED = ("sphinx", "myst_parser", "furo")


class PagesTest(unittest.TestCase):
    def test_links(self):
        paths = {"docs/README.md": "index.md", "docs/a/b.md": "a/b.md", "README.md": "overview.md"}
        self.assertEqual(site_pages.site_link("docs/a/b.md", "../../README.md#x", paths), "../overview.md#x")
        self.assertEqual(site_pages.site_link("README.md", "docs/a/b.md", paths), "a/b.md")
        text = "[code](../../isa/a.h) [page](../README.md) ![p](../pictures/p.svg) [web](https://a.b)"
        self.assertEqual(site_pages.with_links_of_the_site("docs/a/b.md", text, paths),
                         "code [page](../index.md) ![p](../pictures/p.svg) [web](https://a.b)")

    def test_contents_have_the_order_of_the_index(self):
        text = "# T\n\n## One\n[a](a.md) [b](b.md#c)\n## Two\n[a](a.md) [c](https://c.md)\n[d](d.md)\n"
        one, two = [part.split("\n\n")[1].split() for part in site_pages.tables_of_contents(text).split("```{toctree}")[1:]]
        self.assertEqual((one[:2], two[:1]), (["a", "b"], ["d"]))


class SiteTest(unittest.TestCase):
    def test_sphinx_builds_it_without_warnings(self):
        missing = [name for name in _NEEDED if importlib.util.find_spec(name) is None]
        if missing:
            self.skipTest(f"not installed: {', '.join(missing)}; `scripts/setup site` installs them")
        with tempfile.TemporaryDirectory() as folder:
            pages, site = Path(folder) / "pages", Path(folder) / "site"
            subprocess.run([sys.executable, "-B", ROOT / "scripts/site_pages.py", pages], check=True)
            result = subprocess.run([sys.executable, "-B", "-m", "sphinx", "-W", "--keep-going", "-q", "-b", "html",
                                     "-c", ROOT / "docs/site", pages, site], capture_output=True, text=True, check=False)
            self.assertEqual(result.returncode, 0, result.stderr)
            index = (site / "index.html").read_text()
            self.assertIn("tutorials/first-result.html", index)
            self.assertTrue((site / "searchindex.js").exists())


class ApiReferenceTest(unittest.TestCase):
    def test_comments_of_the_header_become_those_of_doxygen(self):
        text = "/* What it does. */\nint f(void);\n  int a; /* in bytes */\n/* ---- Part ---- */\n"
        self.assertEqual(doxygen_comments.with_doxygen_comments(text),
                         "/** What it does. */\nint f(void);\n  int a; /**< in bytes */\n/* ---- Part ---- */\n")

    def test_doxygen_has_every_function_and_no_warnings(self):
        if shutil.which("doxygen") is None:
            self.skipTest("not installed: doxygen; `scripts/setup site` installs it")
        with tempfile.TemporaryDirectory() as folder:
            settings = (ROOT / "docs/site/Doxyfile").read_text() + f'OUTPUT_DIRECTORY = "{folder}"\n'
            result = subprocess.run(["doxygen", "-"], input=settings, cwd=ROOT, capture_output=True, text=True,
                                    check=False)
            self.assertEqual((result.returncode, result.stderr), (0, ""))
            page = (Path(folder) / "vta_8h.html").read_text()
            for name in ("vta_module_load", "vta_compile", "vta_session_run"):
                self.assertIn(f">{name}<", page)
            # A comment behind a constant.
            self.assertIn("the device stopped", page)


if __name__ == "__main__":
    unittest.main()
