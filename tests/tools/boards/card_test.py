"""Modules on a virtual card, through XRT: results, and what --verify says about broken cards."""

import json
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "cases"))

from tool_case import BIN, DigitsModuleCase, tool  # noqa: E402


@unittest.skipUnless((BIN / "vta-virtual-card").exists(), "no XRT with software emulation on this machine")
class CardTest(DigitsModuleCase):
    def on_card(self, card_options, *arguments):
        return tool("vta-virtual-card", *card_options, "--", BIN / "vta-run", self.module, *arguments,
                    "--device", "xrt:0,xclbin={}")

    def outputs(self, folder):
        return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}

    def test_the_card_computes_what_the_simulator_does(self):
        self.succeed("vta-run", self.module, "--output", self.folder / "wanted")
        for core in ("model", "rtl"):
            with self.subTest(core):
                result = self.on_card(("--core", core), "--verify", "--output", self.folder / core)
                self.assertEqual(result.returncode, 0, result.stderr)
                self.assertIn("equal their references bit for bit", result.stdout)
                self.assertEqual(self.outputs(self.folder / core), self.outputs(self.folder / "wanted"))

    def test_a_broken_multiplier_is_found(self):
        result = self.on_card(("--fault", "arithmetic@*"), "--verify")
        self.assertEqual(result.returncode, 1, result.stdout)
        self.assertIn("verdict: arithmetic", result.stderr)

    def test_a_card_that_disappears_is_an_error(self):
        result = self.on_card(("--fault", "gone@1"))
        self.assertEqual(result.returncode, 1, result.stdout)
        self.assertIn("of the card cannot be written", result.stderr)

    def test_other_hardware_prints_both_configurations(self):
        result = self.on_card(("--hw", "small-1x8x8"))
        self.assertEqual(result.returncode, 1, result.stdout)
        self.assertIn("kernel vta_top:vta_top_1 of card 0", result.stderr)
        self.assertIn("hardware: ", result.stderr)
        self.assertIn("wanted: ", result.stderr)

    def test_a_kernel_that_xrt_starts_is_for_other_programs(self):
        result = self.on_card(("--control", "ap_ctrl_chain"))
        self.assertEqual(result.returncode, 1, result.stdout)
        self.assertIn("one that XRT starts", result.stderr)

    def test_the_container_alone(self):
        container = self.folder / "vta.xclbin"
        text = self.succeed("vta-virtual-card", "--container", container, "--core", "rtl")
        self.assertIn("export XCL_EMULATION_MODE=sw_emu", text)
        self.assertIn("export VTA_VIRTUAL_CARD=core=rtl", text)
        self.assertIn("vta_virtual_card", self.succeed("vta-flash", "--info", container))

    def test_the_self_test_needs_no_configuration(self):
        for hw in ("default", "small-1x8x8"):
            result = tool("vta-virtual-card", "--hw", hw, "--", BIN / "vta-flash", "--test", "--device", "xrt:0,xclbin={}")
            self.assertEqual(result.returncode, 0, result.stderr)
            for step in ("identification: passed", "load-store: passed", "gemm: passed", "interrupt: skipped"):
                self.assertIn(step, result.stdout)
        result = tool("vta-virtual-card", "--fault", "arithmetic@*", "--", BIN / "vta-flash", "--test", "--json",
                      "--device", "xrt:0,xclbin={}")
        self.assertEqual(result.returncode, 1)
        report = json.loads(result.stdout)
        self.assertFalse(report["passed"])
        self.assertEqual([step["outcome"] for step in report["steps"]], ["passed", "passed", "failed", "skipped"])
        self.assertIn("the self test of xrt:0", result.stderr)

    def test_bad_usage(self):
        self.refuse("vta-virtual-card", code=1, says=("nothing to do",))
        self.refuse("vta-virtual-card", "--fault", "stale-cpu@1", "--", "true", code=1,
                    says=("no fault 'stale-cpu'", "legal: stuck"))
        self.refuse("vta-virtual-card", "--", "no-such-command", code=1, says=("cannot be started",))
        self.refuse("vta-run", self.module, "--device", "xrt:0", says=("xclbin=<file>",))

    def test_without_xrt_the_message_says_what_to_set(self):
        container = self.folder / "vta.xclbin"
        self.succeed("vta-virtual-card", "--container", container)
        result = tool("vta-run", self.module, "--device", f"xrt:0,xclbin={container}",
                      env={"XILINX_XRT": str(self.folder)})
        self.assertEqual(result.returncode, 1, result.stdout)
        self.assertIn("XRT does not start; set XILINX_XRT", result.stderr)


if __name__ == "__main__":
    unittest.main()
