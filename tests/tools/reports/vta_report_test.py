"""vta-report: reports of vta-run together on one page, and what it refuses."""

import json
import shutil
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "cases"))

from report_case import ReportCase, data_of, with_data  # noqa: E402


class VtaReportTest(ReportCase):
    def test_reports_keep_their_data_and_get_names(self):
        other, both = self.folder / "other.html", self.folder / "both.html"
        shutil.copy(self.page, other)
        self.succeed("vta-report", self.page, f"again={other}", "-o", both)
        reports = data_of(both.read_text())["reports"]
        self.assertEqual([report.pop("label") for report in reports], ["digits", "again"])
        self.assertEqual(reports, [self.data, self.data])
        # A page of several may be taken apart and put together again.
        self.succeed("vta-report", both, f"third={other}", "-o", self.folder / "three.html")
        labels = [report["label"] for report in data_of((self.folder / "three.html").read_text())["reports"]]
        self.assertEqual(labels, ["digits", "again", "third"])

    def test_json_is_the_data_of_the_page(self):
        text = self.succeed("vta-report", self.page, "--json")
        printed = json.loads(text)
        self.assertEqual(printed["reports"][0].pop("label"), "digits")
        self.assertEqual(printed["reports"], [self.data])
        self.assertEqual((self.data["format"], self.data["version"]), ("vta-report", 1))
        # JSON reads back like a page.
        again = self.write("again.json", text)
        self.assertEqual(json.loads(self.succeed("vta-report", again, "--json")), json.loads(text))

    def test_what_is_no_report_is_refused(self):
        out = self.folder / "out.html"
        self.refuse("vta-report", self.folder / "none.html", "-o", out, says=["none.html"])
        for name, text in {"empty.html": "", "page.html": "<html></html>", "list.json": "[]", "other.json": "{}",
                           "half.html": self.page_text[:self.page_text.index('id="data">') + 5000], "none.json": '{"reports": []}'}.items():
            self.refuse("vta-report", self.write(name, text), "-o", out, says=[name, "no report"])
        newer = {"reports": [{**self.data, "version": 2}]}
        self.refuse("vta-report", self.write("newer.html", with_data(self.page_text, newer)), "-o", out,
                    says=["newer.html", "version 2", "version 1"])
        self.refuse("vta-report", self.page, self.page, "-o", out, says=["'digits'", "NAME=FILE"])
        both = self.folder / "both.html"
        self.succeed("vta-report", self.page, f"b={self.page}", "-o", both)
        self.refuse("vta-report", f"c={both}", "-o", out, says=["2 reports", "leave out NAME="])
        self.refuse("vta-report", self.page, "-o", self.page, says=["digits.html"])
        self.refuse("vta-report", self.page, code=2, says=["--output"])
        self.refuse("vta-report", code=2, says=["reports"])
        self.assertFalse(out.exists())


if __name__ == "__main__":
    unittest.main()
