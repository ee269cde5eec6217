"""scripts/board: the set-up of a board, in a folder with the files that a board has."""

import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SETUP = ROOT / "scripts/board/setup"


class BoardSetupTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        self.write("etc/group", "root:x:0:\nvta:x:990:\n")
        self.write("proc/meminfo", "CmaTotal:         131072 kB\n")

    def write(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def setup(self, *arguments):
        return subprocess.run([SETUP, "--root", self.root, *arguments], capture_output=True, text=True, check=False)

    def complete(self):
        self.assertEqual(self.setup().returncode, 0)
        self.write("sys/class/fpga_manager/fpga0/firmware", "")
        self.write("sys/class/u-dma-buf/udmabuf0/size", "67108864\n")
        self.write("sys/class/uio/uio0/name", "other\n")
        self.write("sys/class/uio/uio1/name", "vta\n")

    def test_installs(self):
        result = self.setup()
        self.assertEqual(result.returncode, 0, result.stderr)
        for name in ("etc/udev/rules.d/99-vta.rules", "etc/modprobe.d/vta.conf", "etc/modules-load.d/vta.conf"):
            self.assertTrue((self.root / name).is_file(), name)
        self.assertEqual((self.root / "lib/firmware/vta").stat().st_mode & 0o777, 0o775)
        self.assertEqual(self.setup().returncode, 0)  # a second time

    def test_check_of_a_complete_board(self):
        self.complete()
        result = self.setup("--check")
        self.assertEqual(result.returncode, 0, result.stdout)
        self.assertNotIn("MISSING", result.stdout)

    def test_check_names_each_gap(self):
        for gap, says, remedy in (
                ("sys/class/fpga_manager", "FPGA manager", "CONFIG_FPGA_MGR"),
                ("sys/class/u-dma-buf", "u-dma-buf memory", "modprobe u-dma-buf"),
                ("sys/class/uio/uio1", "UIO device", "--via overlay"),
                ("etc/udev", "udev rules", "without --check"),
                ("lib/firmware/vta", "firmware folder", "without --check")):
            with self.subTest(gap):
                self.complete()
                shutil.rmtree(self.root / gap)
                result = self.setup("--check")
                self.assertEqual(result.returncode, 1)
                lines = result.stdout.splitlines()
                self.assertTrue(any(line.startswith("MISSING") and says in line for line in lines), result.stdout)
                self.assertIn(remedy, result.stdout)
        self.complete()
        self.write("proc/meminfo", "CmaTotal:         16384 kB\n")
        self.assertIn("cma=128M", self.setup("--check").stdout)
        self.write("etc/group", "root:x:0:\n")
        self.assertIn("MISSING  group vta", self.setup("--check").stdout)

    def test_memory_of_zocl_is_memory(self):
        self.complete()
        shutil.rmtree(self.root / "sys/class/u-dma-buf")
        self.write("sys/class/drm/renderD128/device/uevent", "DRIVER=other\n")
        self.assertIn("MISSING  u-dma-buf memory", self.setup("--check").stdout)
        self.write("sys/class/drm/renderD129/device/uevent", "DRIVER=zocl-drm\n")
        result = self.setup("--check")
        self.assertEqual(result.returncode, 0, result.stdout)
        self.assertIn("--device zynq:zocl", result.stdout)

    def test_usage(self):
        result = self.setup("--fast")
        self.assertEqual(result.returncode, 2)
        self.assertIn("unknown argument '--fast'", result.stderr)
        self.assertIn("Usage: setup", self.setup("--help").stdout)

    @unittest.skipUnless(shutil.which("dtc"), "needs dtc")
    def test_memory_overlay_compiles(self):
        subprocess.run(["dtc", "-q", "-@", "-I", "dts", "-O", "dtb", "-o", self.root / "m.dtbo",
                        ROOT / "scripts/board/memory.dtso"], check=True)

    def test_rules_name_what_the_driver_opens(self):
        rules = (ROOT / "scripts/board/99-vta.rules").read_text()
        for subsystem in ("uio", "u-dma-buf", "fpga_manager"):
            self.assertIn(f'SUBSYSTEM=="{subsystem}"', rules)
        self.assertIn('ATTR{name}=="vta*"', rules)


if __name__ == "__main__":
    unittest.main()
