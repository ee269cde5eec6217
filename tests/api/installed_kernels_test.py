"""docs/tile-kernels.md for a reader who has the installed package alone: a kernel of one's own in Python, then in an ONNX
model, and both on the RTL. The source tree and the build are hidden meanwhile, where this machine lets a test do that."""

import os
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ["VTA_BINARY_DIR"])
PAGE = ROOT / "docs" / "tile-kernels.md"
# An empty folder in place of $0, seen by the command behind it alone.
HIDE = ("unshare", "--map-root-user", "--mount", "sh", "-c", 'for each in $0; do mount -t tmpfs none "$each"; done; exec "$@"')


def section(page, heading):
    """From a heading of the second level to the next one."""
    return re.search(rf"^## {heading}\n(.*?)(?=^## |\Z)", page, re.DOTALL | re.MULTILINE)[1]


def blocks(text, language):
    return re.findall(rf"```{language}\n(.*?)```", text, re.DOTALL)


class InstalledKernelsTest(unittest.TestCase):
    def setUp(self):
        if not list(BUILD.glob("python/vta/_tile.*")) or not (BUILD / "bin/vta-run").exists():
            self.skipTest("this build has no vta.tile, or no vta-run")
        if not shutil.which("verilator"):
            self.skipTest("no Verilator, from which the RTL's simulator is built")
        folder = tempfile.TemporaryDirectory(prefix="vta-installed-")
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.prefix = self.folder / "prefix"
        for component in ("runtime", "python", "tools"):
            subprocess.run(["cmake", "--install", BUILD, "--prefix", self.prefix, "--component", component], check=True,
                           capture_output=True)
        library = next(self.prefix.glob("lib/**/libvta.so.0")).parent
        self.work = self.folder / "work"
        self.work.mkdir()
        self.environment = {"PATH": f"{self.prefix / 'bin'}:/usr/bin:/bin", "HOME": str(self.folder),
                            "PYTHONPATH": str(self.prefix / "lib/python3/dist-packages"), "LD_LIBRARY_PATH": str(library)}
        hidden = str(ROOT) if BUILD.is_relative_to(ROOT) else f"{ROOT} {BUILD}"
        self.hide = (*HIDE, hidden)
        probe = subprocess.run([*self.hide, "test", "!", "-e", str(PAGE)], check=False, capture_output=True, cwd="/")
        if probe.returncode != 0:
            print("the source tree stays visible: this machine does not let a test hide it")
            self.hide = ()

    def run_here(self, *command):
        result = subprocess.run([*self.hide, *map(str, command)], capture_output=True, text=True, check=False, cwd=self.work,
                                env=self.environment)
        self.assertEqual(result.returncode, 0, f"{command}\n{result.stdout}\n{result.stderr}")
        return result

    def test_the_tutorial_needs_the_package_alone(self):
        page = PAGE.read_text()
        first = blocks(section(page, "A first kernel"), "python")
        in_a_model = section(page, "In an ONNX model")
        self.assertTrue(first)
        self.assertTrue(blocks(in_a_model, "python"))
        on_rtl = """
import vta
assert vta.__file__.startswith({prefix!r}), vta.__file__
run = matmul.run(x, w, device="rtl", check=True)
print(np.array_equal(run.output, y), run.cycles == matmul.run(x, w, device="cycle").cycles)
small = matmul.run(x, w, hw="small-1x8x8", check=True)
print(small.output.shape)
""".format(prefix=str(self.prefix))
        (self.work / "kernel.py").write_text("".join([*first, on_rtl, *blocks(in_a_model, "python")]))
        printed = self.run_here("/usr/bin/python3", "-B", "kernel.py").stdout.splitlines()
        self.assertEqual(printed, [*"".join(blocks(section(page, "A first kernel"), "text")).splitlines(), "True True",
                                   "(1, 256)"])
        commands = "".join(blocks(in_a_model, "sh")).splitlines()
        self.assertIn("--sim=rtl", " ".join(commands))
        for command in commands:
            result = self.run_here(*command.split())
            self.assertNotIn("is computed by its function", result.stderr)
            if "--verify" in command:
                self.assertIn("bit for bit", result.stdout)
        self.assertTrue((self.work / "matmul.vta.so").exists())


if __name__ == "__main__":
    unittest.main()
