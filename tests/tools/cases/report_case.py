"""What the tests of vta-run's report share: the page of the example model and its data."""

import json
import re

from tool_case import DigitsModuleCase, tool


def data_of(text):
    """The JSON inside a page."""
    return json.loads(re.search(r'id="data">(.*?)</script>', text, re.S).group(1))


def with_data(text, data):
    """The page with other data."""
    start, end = re.search(r'id="data">(.*?)</script>', text, re.S).span(1)
    return text[:start] + json.dumps(data).replace("<", "\\u003c") + text[end:]


class ReportCase(DigitsModuleCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.page = cls.module.with_name("digits.html")
        result = tool("vta-run", cls.module, "--report", cls.page, "--json")
        assert result.returncode == 0, result.stderr
        cls.json = json.loads(result.stdout)
        cls.page_text = cls.page.read_text()
        cls.all_data = data_of(cls.page_text)
        cls.data = cls.all_data["reports"][0]
