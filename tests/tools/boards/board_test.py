"""Modules on a virtual board: results, what --verify says about broken boards, and reproducers."""

import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "cases"))

import bitstreams  # noqa: E402
from tool_case import BIN, DigitsModuleCase, tool  # noqa: E402

MANAGER = "sys/class/fpga_manager/fpga0"
VERDICTS = (
    ("truncated@*", "verdict: memory, truncated transfer"),
    ("wrong-address@*", "verdict: memory, wrong address"),
    ("stale-cpu@*", "verdict: memory, stale cache lines"),
    ("stale-device@*", "verdict: memory, stale cache lines"),
    ("arithmetic@*", "verdict: arithmetic"),
)


@unittest.skipUnless((BIN / "vta-virtual-board").exists(), "no virtual board on this machine")
class BoardTest(DigitsModuleCase):
    def on_board(self, board_options, *arguments):
        return tool("vta-virtual-board", *board_options, "--", BIN / "vta-run-module", self.module, *arguments,
                    "--device", "zynq:root={}")

    def outputs(self, folder):
        return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}

    def test_the_board_computes_what_the_simulator_does(self):
        self.succeed("vta-run-module", self.module, "--output", self.folder / "wanted")
        for core in ("model", "rtl"):
            for more in ("", ",coherent", ",zocl"):
                with self.subTest(core=core, more=more):
                    device = "zynq:root={}" + more
                    options = ["--coherent"] if more == ",coherent" else []
                    result = tool("vta-virtual-board", "--core", core, *options, "--", BIN / "vta-run-module",
                                  self.module, "--verify", "--output", self.folder / core, "--device", device)
                    self.assertEqual(result.returncode, 0, result.stderr)
                    self.assertIn("equal their references bit for bit", result.stdout)
                    self.assertEqual(self.outputs(self.folder / core), self.outputs(self.folder / "wanted"))

    def test_a_broken_board_gets_a_verdict_and_a_reproducer(self):
        for fault, verdict in VERDICTS:
            with self.subTest(fault):
                prefix = self.folder / fault.split("@")[0]
                result = self.on_board(("--fault", fault), "--verify", "--reproduce", prefix)
                self.assertEqual(result.returncode, 1, result.stdout)
                self.assertIn(verdict, result.stderr)
                self.assertIn("instruction: ", result.stderr)
                for device in ("functional", "cycle", "rtl"):
                    text = self.succeed("vta-run", "--image", f"{prefix}.pre.img.gz", "--description", f"{prefix}.json",
                                        "--expect", f"{prefix}.post.img.gz", "--sim", device)
                    self.assertIn("memory equals", text)

    def test_a_launch_that_does_not_end_well_is_explained(self):
        for fault, says in (("bus-error@*", ("bus error", "verdict: launch")),
                            ("reset@2", ("was reset while a launch ran", "verdict: nothing")),
                            ("reset@*", ("was reset while a launch ran", "no bisection: the core was reset")),
                            ("stuck@2", ("the launch still runs after 300 ms", "verdict: nothing")),
                            ("dead-bus@2", ("the launch still runs after 300 ms", "no bisection: the core was reset",
                                            "has not answered its bursts", "program the FPGA again"))):
            with self.subTest(fault):
                prefix = self.folder / fault.split("@")[0]
                result = tool("vta-virtual-board", "--fault", fault, "--", BIN / "vta-run-module", self.module, "--verify",
                              "--timeout", 0.3, "--reproduce", prefix, "--device", "zynq:root={},busy-wait=200")
                self.assertEqual(result.returncode, 1, result.stdout)
                for text in (*says, "reproducer: "):
                    self.assertIn(text, result.stderr)
                text = self.succeed("vta-run", "--image", f"{prefix}.pre.img.gz", "--description", f"{prefix}.json",
                                    "--expect", f"{prefix}.post.img.gz", "--sim", "functional")
                self.assertIn("memory equals", text)
        result = self.on_board(("--fault", "gone@3"))
        self.assertIn("the core disappeared: no VTA answers", result.stderr)

    def in_one_board(self, options, *commands):
        """What shell commands print, one after the other, on one board; $B stands for its folder."""
        script = "; ".join(" ".join(map(str, words)) + " 2>&1" for words in commands)
        return tool("vta-virtual-board", *options, "--", "sh", "-c", f"B={{}}; {script}", cwd=self.folder).stdout

    def test_a_core_that_hangs_works_again_when_the_fpga_is_programmed(self):
        self.write("vta.bit", bitstreams.bit(bitstreams.raw(bitstreams.packets())))
        run = [BIN / "vta-run-module", self.module, "--device", "zynq:root=$B,busy-wait=100", "--timeout", 0.3]
        flash = [BIN / "vta-flash", "--root", "$B"]
        # The RTL is verilated without packed multipliers, which the description has.
        self.write("vta.json", bitstreams.description())
        for core, description, says in (("model", "vta.json", "verified       true"),
                                        ("rtl", None, "no description beside the bitstream")):
            with self.subTest(core):
                if description is None:
                    (self.folder / "vta.json").unlink()
                text = self.in_one_board(("--core", core, "--fault", "dead-bus@1"), [*run, "--verify"], run,
                                         [*flash, "vta.bit"], [*run, "--verify"], [*flash, "--list"])
                self.assertIn("the launch still runs after 300 ms", text)
                self.assertIn("a launch of another process did not end, but the memory has not answered", text)
                self.assertIn(says, text)
                self.assertIn("equal their references bit for bit", text)
                self.assertIn("Xilinx Zynq FPGA Manager, operating", text)

    def test_the_fpga_manager_takes_bitstreams_for_its_die_only(self):
        self.write("other.bin", bitstreams.raw(bitstreams.packets(0x03722093), swapped=True))
        self.write("turned.bin", bitstreams.raw(bitstreams.packets()))
        for name, wanted in (("none.bin", "firmware request error"), ("other.bin", "write complete error"),
                             ("turned.bin", "write init error")):
            text = self.in_one_board((), ["cp", "*.bin", "$B/lib/firmware"],
                                     [sys.executable, "-c", f"\"import os; os.write(os.open('$B/{MANAGER}/firmware', "
                                      f"os.O_WRONLY), b'{name}')\""], ["cat", f"$B/{MANAGER}/state"])
            self.assertIn(wanted, text, name)

    def test_a_new_board_tests_itself(self):
        result = self.on_board(("--fault", "truncated@*"))
        self.assertEqual(result.returncode, 1, result.stdout)
        self.assertIn("does not pass its self test", result.stderr)
        self.assertIn("load-store: failed", result.stderr)
        self.assertIn("gemm: skipped", result.stderr)
        self.assertEqual(self.on_board(()).returncode, 0)

    def test_lost_interrupts_change_nothing(self):
        result = self.on_board(("--fault", "lost-interrupt@*"), "--verify")
        self.assertEqual(result.returncode, 0, result.stderr)

    def test_the_self_test_needs_no_configuration(self):
        for core, hw in (("model", "small-1x8x8"), ("rtl", "default")):
            result = tool("vta-virtual-board", "--core", core, "--hw", hw, "--", BIN / "vta-flash", "--test", "--device",
                          "zynq:root={}")
            self.assertEqual(result.returncode, 0, result.stderr)
            for step in ("identification", "load-store", "gemm", "interrupt"):
                self.assertIn(f"{step}: passed", result.stdout)
        result = tool("vta-virtual-board", "--fault", "truncated@*", "--", BIN / "vta-flash", "--test", "--device",
                      "zynq:root={}")
        self.assertEqual(result.returncode, 1)
        self.assertIn("truncated transfer", result.stdout)
        self.assertIn("the self test of zynq", result.stderr)
        self.refuse("vta-flash", "--test", "--device", "zynq:root=/none", says=("the kernel has no UIO",))
        self.refuse("vta-flash", "--test", "--device", "cycle", says=("unknown device 'cycle'; known: zynq",))
        self.refuse("vta-flash", "--test", "vta.bit", code=2, says=("--list and --test take no bitstream",))

    def test_a_memory_file_that_is_cut_ends_the_board(self):
        result = tool("vta-virtual-board", "--", "sh", "-c",
                      f"truncate -s 0 {{}}/dev/udmabuf0; {BIN}/vta-flash --test --device zynq:root={{}}")
        self.assertEqual(result.returncode, 1, result.stderr)
        self.assertIn("the file with the board's memory was cut: it has 0 of", result.stderr)

    def test_bad_usage(self):
        self.refuse("vta-virtual-board", "--fault", "stuck", code=1, says=("KIND@LAUNCH", "lost-interrupt"))
        self.refuse("vta-virtual-board", "--", "no-such-command", code=1, says=("cannot be started",))
        result = tool("vta-run-module", self.module, "--reproduce", self.folder / "x")
        self.assertEqual(result.returncode, 2)
        self.assertIn("--reproduce needs --verify", result.stderr)


if __name__ == "__main__":
    unittest.main()
