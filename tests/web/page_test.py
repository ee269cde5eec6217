"""The page in a browser, as a reader uses it (page_checks.mjs)."""

import os
import pathlib
import shutil
import subprocess
import unittest

from web_build import PAGE, ROOT, OutlineFolder, host_answers, missing

_CHECKS = pathlib.Path(__file__).with_name("page_checks.mjs")
_BROWSERS = ("chromium", "chromium-browser", "google-chrome")


class PageTest(unittest.TestCase):
    def setUp(self):
        self.browser = next(filter(None, map(shutil.which, _BROWSERS)), None)
        reason = missing(PAGE, ROOT / "web/node_modules/playwright-core/package.json")
        if not self.browser:
            reason = "not installed: chromium; `scripts/setup web` installs it"
        if reason:
            self.skipTest(reason)

    def check(self, name, **environment):
        run = subprocess.run(["node", _CHECKS, name], env={**os.environ, "VTA_CHROMIUM": self.browser, **environment},
                             capture_output=True, text=True, check=False)
        self.assertEqual(run.returncode, 0, run.stderr)

    def test_figures_are_those_of_the_sdk(self):
        text = (ROOT / "configs/hw/default.yaml").read_text()
        with OutlineFolder() as folder:
            file = folder.file("digits", host_answers([{"ask": "hardware", "yaml": text}])[0]["outline"])
            _, answer = host_answers([{"ask": "network", "file": file},
                                      {"ask": "estimate", "yaml": text, "memory": "simple"}])
        self.check("figures", VTA_EXPECTED_CYCLES=str(answer["cycles"]))

    def test_every_network_has_figures(self):
        self.check("everyNetworkHasFigures")

    def test_controls_change_the_text(self):
        self.check("controlsChangeTheText")

    def test_newer_choices_do_not_wait(self):
        self.check("newerChoicesDoNotWait")

    def test_the_clock_changes_time_alone(self):
        self.check("clockChangesTimeAlone")

    def test_mistakes_are_explained_and_nothing_typed_is_lost(self):
        self.check("mistakesAreExplainedAndKept")

    def test_links_hold_the_state(self):
        self.check("linksHoldTheState")

    def test_points_are_compared(self):
        self.check("pointsAreCompared")

    def test_files_are_written(self):
        self.check("filesAreWritten")

    def test_small_screens_and_themes(self):
        self.check("smallScreensHaveNoSideways")

    def test_every_control_has_a_label(self):
        self.check("everyControlHasALabel")

    def test_two_virtual_threads_are_quicker(self):
        self.check("twoVirtualThreadsAreQuicker")

    def test_programs_are_stepped_through(self):
        self.check("programsAreSteppedThrough")

    def test_programs_may_be_written(self):
        self.check("programsMayBeWritten")

    def test_programs_fit_small_screens(self):
        self.check("programsFitSmallScreens")

    def test_the_folder_is_small(self):
        self.check("theFolderIsSmall")


if __name__ == "__main__":
    unittest.main()
