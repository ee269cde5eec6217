"""Every C++ file is formatted as .clang-format says."""

import shutil
import subprocess
import unittest

from source_tree import ROOT, source_files

# They hold single files that are built outside of the main build, which scripts/tidy needs for the same list.
NOT_CHECKED = {"cmake", "examples", "hw"}


class FormatTest(unittest.TestCase):
    @unittest.skipUnless(shutil.which("clang-format"), "clang-format is not installed")
    def test_tree_is_formatted(self):
        result = subprocess.run([ROOT / "scripts/format"], capture_output=True, text=True, check=False)
        self.assertEqual(result.returncode, 0, result.stderr)

    def test_every_folder_is_checked(self):
        listing = subprocess.run(["bash", "-c", "source scripts/lib.sh; our_sources h cpp"], cwd=ROOT, capture_output=True,
                                 text=True, check=True)
        folders = {line.split("/")[0] for line in listing.stdout.splitlines()}
        self.assertEqual(folders, {path.parts[0] for path in source_files(".h", ".cpp")} - NOT_CHECKED)


if __name__ == "__main__":
    unittest.main()
