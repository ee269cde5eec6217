"""What the tests of pages in a browser share: the browser, and what they read from a page and do to it."""

import json
import tempfile
from pathlib import Path

from browser import Browser, needs_chromium
from report_case import with_data
from tool_case import ToolCase


@needs_chromium
class PageCase(ToolCase):
    """A test class has one browser. Its own `setUpClass` sets `page_text`, the page that `open_data` opens."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.browser = Browser(Path(folder.name))
        cls.addClassCleanup(cls.browser.close)

    def setUp(self):
        super().setUp()
        self.browser.complaints.clear()

    def tearDown(self):
        # Neither errors on the console nor requests to a network.
        self.assertEqual(self.browser.complaints, [])
        super().tearDown()

    def open_data(self, data, **how):
        """The page with other data."""
        page = self.folder / "other.html"
        page.write_text(with_data(self.page_text, data))
        self.browser.open(page, **how)

    def value(self, script):
        return self.browser.evaluate(script)

    def text(self, selector):
        return self.value(f"document.querySelector({selector!r}).textContent")

    def count(self, selector):
        return self.value(f"document.querySelectorAll({selector!r}).length")

    def set(self, selector, value):
        """Gives an input or a choice another value, as a user does."""
        self.value(f"(e => {{ e[e.type === 'checkbox' ? 'checked' : 'value'] = {json.dumps(value)}; "
                   f"e.dispatchEvent(new Event('input')); e.dispatchEvent(new Event('change')); }})"
                   f"(document.querySelector({selector!r}))")

    def click(self, selector):
        self.browser.click(*self.browser.middle_of(selector))
