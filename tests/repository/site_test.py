"""The manual as a web site: every page is listed once, and Sphinx has nothing to complain about."""

import importlib.util
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from source_tree import ROOT

sys.path[:0] = [str(ROOT / folder) for folder in ("scripts/docs", "docs/site", "tests/tools/cases")]

import doxygen_comments  # noqa: E402
import site_pages  # noqa: E402
import theme_files  # noqa: E402
from browser import CHROMIUM, Browser  # noqa: E402

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


class ThemeTest(unittest.TestCase):
    def test_the_script_is_no_module(self):
        script = 'import Gumshoe from "./gumshoe-patched.js";\nnew Gumshoe();\n'
        whole = theme_files.one_script(script, "window.Gumshoe = 1;\n")
        self.assertNotIn("import", whole)
        self.assertLess(whole.index("window.Gumshoe"), whole.index("new Gumshoe"))
        self.assertEqual(theme_files.one_script("built();\n", "x"), "built();\n")


class SiteTest(unittest.TestCase):
    def test_sphinx_builds_it_without_warnings(self):
        missing = [name for name in _NEEDED if importlib.util.find_spec(name) is None]
        if missing:
            self.skipTest(f"not installed: {', '.join(missing)}; `scripts/setup site` installs them")
        with tempfile.TemporaryDirectory() as folder:
            pages, site = Path(folder) / "pages", Path(folder) / "site"
            subprocess.run([sys.executable, "-B", ROOT / "scripts/docs/site_pages.py", pages], check=True)
            result = subprocess.run([sys.executable, "-B", "-m", "sphinx", "-W", "--keep-going", "-q", "-b", "html",
                                     "-c", ROOT / "docs/site", pages, site], capture_output=True, text=True, check=False)
            self.assertEqual(result.returncode, 0, result.stderr)
            index = (site / "index.html").read_text()
            self.assertIn("tutorials/first-result.html", index)
            self.assertTrue((site / "searchindex.js").exists())
            self.look_at_the_files_of_the_theme(site)
            self.look_at_it_in_a_browser(site, Path(folder))

    def look_at_the_files_of_the_theme(self, site):
        self.assertNotRegex((site / "_static/scripts/furo.js").read_text(), r"(?m)^\s*(import|export)\b")
        for style in (site / "_static/styles").glob("*.css"):
            self.assertNotRegex(style.read_text(), r"@import|url\(/", style.name)

    def look_at_it_in_a_browser(self, site, folder):
        if CHROMIUM is None:
            return
        browser = Browser(folder)
        self.addCleanup(browser.close)
        browser.open(site / "index.html")
        self.assertEqual(browser.complaints, [])
        margin = browser.evaluate("getComputedStyle(document.body).margin")
        self.assertEqual(margin, "0px", "a rim around the page")
        theme = "document.body.dataset.theme"
        before = browser.evaluate(theme)
        browser.evaluate("document.querySelector('.theme-toggle').click()")
        self.assertNotEqual(browser.evaluate(theme), before)
        browser.open(site / "search.html", query="?q=roofline")
        browser.wait_for("document.querySelectorAll('#search-results li').length > 0")


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
            first = (Path(folder) / "index.html").read_text()
            for text in ("vta_session_run()", "vta_8hpp.html", "classvta_1_1api_1_1Module.html", "../api.html"):
                self.assertIn(text, first)
            # A comment behind a constant.
            self.assertIn("the device stopped", page)


if __name__ == "__main__":
    unittest.main()
