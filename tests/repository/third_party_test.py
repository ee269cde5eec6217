"""Files from others are as their authors published them."""

import hashlib
import re
import unittest

from source_tree import ROOT

_SUM = re.compile(r"sha256 of `([\w.-]+)`: `([0-9a-f]{64})`")


class ThirdPartyTest(unittest.TestCase):
    def test_files_have_the_sums_that_their_readme_says_and_a_license(self):
        folders = [path for path in (ROOT / "third_party").iterdir() if path.is_dir()]
        self.assertGreater(len(folders), 0)
        for folder in folders:
            sums = _SUM.findall((folder / "README.md").read_text())
            self.assertGreater(len(sums), 0, folder)
            self.assertTrue((folder / "LICENSE").is_file(), folder)
            for name, expected in sums:
                self.assertEqual(hashlib.sha256((folder / name).read_bytes()).hexdigest(), expected, name)


if __name__ == "__main__":
    unittest.main()
