"""Which files a Python script is made of, and that names of shared modules are unique."""

import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts/testing"))

from imported_files import MODULE_FOLDERS, imported_files, modules_in  # noqa: E402


class ImportedFilesTest(unittest.TestCase):
    def test_modules_are_found_beside_their_importer_and_in_shared_folders(self):
        with tempfile.TemporaryDirectory() as name:
            root = Path(name)
            for path, text in {"tests/a/x_test.py": "import sys\nimport beside\nfrom far import f\n", "tests/a/beside.py": "",
                               "tests/b/beside.py": "", "scripts/models/far.py": "def f():\n    from package import part\n",
                               "scripts/docs/package/__init__.py": "", "scripts/docs/package/part.py": "import case\n",
                               "tests/tools/cases/case.py": "import far\n", "scripts/other.py": "", "tests/b/sys.py": ""}.items():
                (root / path).parent.mkdir(parents=True, exist_ok=True)
                (root / path).write_text(text)
            found = {path.relative_to(root).as_posix() for path in imported_files(root / "tests/a/x_test.py", root)}
            self.assertEqual(found, {"tests/a/x_test.py", "tests/a/beside.py", "scripts/models/far.py", "scripts/docs/package/__init__.py",
                                     "scripts/docs/package/part.py", "tests/tools/cases/case.py"})
            self.assertEqual(imported_files(root / "scripts/other.py", root), {root / "scripts/other.py"})

    def test_names_of_shared_modules_are_unique(self):
        places = {}
        for folder in (folder for pattern in MODULE_FOLDERS for folder in ROOT.glob(pattern) if folder.is_dir()):
            if not (folder / "__init__.py").exists():
                for module in modules_in(folder):
                    places.setdefault(module, []).append(folder.relative_to(ROOT).as_posix())
        self.assertGreater(len(places), 40)
        self.assertEqual({module: folders for module, folders in places.items() if len(folders) > 1}, {})

    def test_every_import_of_ours_is_found(self):
        """What the tests of the tools import is seen: by the names that only our files have."""
        for script, module in (("tests/tools/networks/attention_test.py", "scripts/models/network_builder.py"),
                               ("tests/tools/networks/attention_test.py", "tests/tools/networks/families_test.py"),
                               ("tests/tools/reports/timing_pictures_test.py", "scripts/docs/pictures/waves.py"),
                               ("tests/cross/cross_test.py", "tests/tools/cases/tool_case.py"),
                               ("scripts/study.py", "scripts/studies/search.py"),
                               ("scripts/benchmarking/compile_times.py", "scripts/testing/every_model.py")):
            self.assertIn(ROOT / module, imported_files(ROOT / script, ROOT), script)

    def test_folders_stay_small(self):
        for folder in ("scripts", "tests/tools"):
            for inside in [ROOT / folder, *(path for path in (ROOT / folder).rglob("*") if path.is_dir() and path.name != "__pycache__")]:
                files = [path for path in inside.iterdir() if path.is_file()]
                self.assertLessEqual(len(files), 22, inside.relative_to(ROOT))


if __name__ == "__main__":
    unittest.main()
