"""Synthesis of a small configuration: what it takes is what its structure says, and errors are reported."""

import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

SOURCE_DIR = pathlib.Path(__file__).resolve().parents[2]
SYNTH = SOURCE_DIR / "hw" / "synth" / "synth"
CONFIG = SOURCE_DIR / "tests" / "hw" / "configs" / "synth-1x4x4.yaml"


def synth(*arguments):
    command = [SYNTH, "--build", os.environ["VTA_BINARY_DIR"], *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


class SynthTest(unittest.TestCase):
    def test_compute_unit_maps_to_the_intended_blocks(self):
        result = synth(CONFIG, "--top", "vta_compute", "--json")
        self.assertEqual(result.returncode, 0, result.stderr)
        used = json.loads(result.stdout)
        # GEMM: two of 4 x 4 products in a block; ALU: three a lane; the scanner multiplies six factors.
        self.assertEqual(used["dsp"], 4 * 4 / 2 + 3 * 4 + 6)
        # Two copies of 2048 micro-ops; ACC and OUT in four banks of 512 elements of 128 and 32 bits.
        self.assertEqual(used["bram36"], 2 * 2 + 4 * 2 + 4 * 0.5)
        self.assertGreater(used["lut"], 1000)
        self.assertGreater(used["ff"], 1000)

    def memory_of(self, style):
        """What ACC and OUT of the configuration take, made of `style`."""
        with tempfile.TemporaryDirectory() as folder:
            config = pathlib.Path(folder) / "config.yaml"
            config.write_text(CONFIG.read_text().replace("acc_buf_bytes: 32KiB}",
                                                         f"acc_buf_bytes: 8KiB, acc_ram: {style}}}"))
            result = synth(config, "--top", "vta_acc_memory", "--device", "xczu7ev", "--json")
        self.assertEqual(result.returncode, 0, result.stderr)
        return json.loads(result.stdout)

    def test_memories_are_made_of_what_is_asked_for(self):
        # ACC and OUT in four banks of 128 elements of 128 and 32 bits.
        block = self.memory_of("block")
        self.assertEqual((block["bram36"], block["uram"]), (4 * 2.5, 0))
        ultra = self.memory_of("ultra")
        self.assertEqual((ultra["bram36"], ultra["uram"]), (0, 4 * 3))
        distributed = self.memory_of("distributed")
        self.assertEqual((distributed["bram36"], distributed["uram"]), (0, 0))
        self.assertGreater(distributed["lut"], block["lut"] + 4 * 128 * 160 / 64)

    def test_counted_by_module(self):
        used = [json.loads(synth(CONFIG, "--top", "vta_queues", "--json", *options).stdout)
                for options in ((), ("--by-module",))]
        for key in ("dsp", "bram36"):
            self.assertEqual(used[1][key], used[0][key])
        # Three command queues and four token counters, whichever way they are counted.
        self.assertGreater(used[1]["ff"], 100)
        self.assertLess(abs(used[1]["ff"] - used[0]["ff"]), 0.1 * used[0]["ff"])

    def broken_tokens(self, old, new):
        """Synthesis of the token counter with a line replaced."""
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        rtl = pathlib.Path(folder.name) / "rtl"
        shutil.copytree(SOURCE_DIR / "hw" / "vta_rtl", rtl)
        tokens = rtl / "core" / "vta_tokens.sv"
        text = tokens.read_text()
        self.assertEqual(text.count(old), 1)
        tokens.write_text(text.replace(old, new))
        return synth(CONFIG, "--top", "vta_tokens", "--rtl", rtl)

    def test_latches_are_refused(self):
        for block in ("always_comb", "always_latch"):
            result = self.broken_tokens("assign overflow_o = push_i && !pop_i && !room;",
                                        f"{block} if (push_i) overflow_o = !pop_i && !room;")
            self.assertEqual(result.returncode, 1, result.stdout)
            self.assertIn("latch", result.stderr.lower())

    def test_combinational_loops_are_refused(self):
        result = self.broken_tokens("assign overflow_o = push_i && !pop_i && !room;",
                                    "assign overflow_o = (push_i && !pop_i && !room) || (overflow_o && pop_i);")
        self.assertEqual(result.returncode, 1, result.stdout)
        self.assertIn("loop", result.stderr)

    def test_errors_are_reported(self):
        result = synth(SOURCE_DIR / "no-such-file.yaml")
        self.assertEqual(result.returncode, 1)
        self.assertIn("no-such-file.yaml", result.stderr)
        result = synth(CONFIG, "--device", "xc2064")
        self.assertEqual(result.returncode, 1)
        self.assertIn("known: xc7z020", result.stderr)


if __name__ == "__main__":
    unittest.main()
