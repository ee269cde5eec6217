"""Modules for published bitstreams of VTA 0.0.2, on a virtual board with the registers of one."""

import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "cases"))

from tool_case import BIN, DIGITS, DIGITS_OPTIONS, ToolCase, tool  # noqa: E402

DEVICE = "zynq:root={},map=four-block"


@unittest.skipUnless((BIN / "vta-virtual-board").exists(), "no virtual board on this machine")
class FourBlockTest(ToolCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.modules = {}
        for hw in ("vta-0.0.2", "default"):
            cls.modules[hw] = Path(folder.name) / f"{hw}.vta.so"
            result = tool("vta-compile", DIGITS / "digits.onnx", *DIGITS_OPTIONS, "--hw", hw, "-o", cls.modules[hw])
            assert result.returncode == 0, result.stderr

    def on_board(self, *arguments, module="vta-0.0.2", options=(), device=DEVICE, hw="vta-0.0.2", core="four-block"):
        return tool("vta-virtual-board", "--core", core, "--hw", hw, *options, "--", BIN / "vta-run-module",
                    self.modules[module], *arguments, "--device", device)

    def outputs(self, folder):
        return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}

    def test_the_board_computes_what_the_simulator_does(self):
        self.succeed("vta-run-module", self.modules["vta-0.0.2"], "--output", self.folder / "wanted")
        for options in ((), ("--coherent",)):
            device = DEVICE + (",coherent" if options else "")
            with self.subTest(device):
                result = self.on_board("--verify", "--output", self.folder / "found", options=options, device=device)
                self.assertEqual(result.returncode, 0, result.stderr)
                self.assertIn("equal their references bit for bit", result.stdout)
                self.assertEqual(self.outputs(self.folder / "found"), self.outputs(self.folder / "wanted"))

    def test_a_broken_board_gets_a_verdict_and_a_reproducer(self):
        # Stale lines before a launch are instructions, too, and then these blocks hang.
        for fault, verdict in (("stale-cpu@*", "memory, stale cache lines"), ("truncated@*", "memory, truncated transfer"),
                               ("wrong-address@*", "memory, wrong address"), ("reset@2", "nothing"),
                               ("arithmetic@*", "arithmetic")):
            with self.subTest(fault):
                prefix = self.folder / fault.split("@")[0]
                result = self.on_board("--verify", "--reproduce", prefix, options=("--fault", fault))
                self.assertEqual(result.returncode, 1, result.stdout)
                self.assertIn(f"verdict: {verdict}", result.stderr)
                text = self.succeed("vta-run", "--image", f"{prefix}.pre.img.gz", "--description", f"{prefix}.json",
                                    "--expect", f"{prefix}.post.img.gz", "--hw", "vta-0.0.2", "--sim", "functional")
                self.assertIn("memory equals", text)
        self.assertIn("a part of a program leaves tokens behind", result.stderr)  # of arithmetic

    def test_the_map_and_the_module_have_to_fit(self):
        for says, arguments in (
            ("configuration 'default' is not for them", {"module": "default"}),
            ("give the device the option map=four-block", {"device": "zynq:root={}"}),
            ("a core of this project answers", {"core": "model"}),
        ):
            with self.subTest(says):
                result = self.on_board(**arguments)
                self.assertEqual(result.returncode, 1, result.stdout)
                self.assertIn(says, result.stderr)
        self.refuse("vta-virtual-board", "--core", "four-block", "--", "true", says=("take --hw vta-0.0.2",))

    def test_the_self_test_is_told_the_configuration(self):
        board = ("vta-virtual-board", "--core", "four-block", "--hw", "vta-0.0.2", "--", BIN / "vta-flash", "--test",
                 "--device", DEVICE)
        result = tool(*board, "--hw", "vta-0.0.2")
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        for text in ("identification: passed", "load-store: passed", "gemm: passed", "interrupt: skipped"):
            self.assertIn(text, result.stdout)
        result = tool(*board)
        self.assertEqual(result.returncode, 1)
        self.assertIn("name it with --hw", result.stderr)
        self.refuse("vta-flash", "--list", "--hw", "vta-0.0.2", code=2, says=("--hw needs --test",))


if __name__ == "__main__":
    unittest.main()
