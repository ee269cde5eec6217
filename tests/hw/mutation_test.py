"""Mutants of the RTL: what they are, and that a sample of them is killed. hw/mutation/mutate runs hundreds by hand."""

import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

_ROOT = Path(__file__).resolve().parent.parent.parent
_MUTATION = _ROOT / "hw" / "mutation"
sys.path.insert(0, str(_MUTATION))

from mutants import all_mutants, mutants_of  # noqa: E402  # pylint: disable=wrong-import-position

_SOURCE = """\
// a == b in a comment is no code
module m;
  localparam int unsigned Width = 3 + 1;
  logic [Width-1:0] count_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni || clear_i) count_q <= '0;
    else if (push_i) count_q <= count_q + 1'b1;
  end
  assign full_o = count_q == Width'(Depth) && !pop_i;
  assign way_o = full_o ? a_i : b_i;
  always_ff @(posedge clk_i) never : assert (a == b);
endmodule
"""


def _mutate(*arguments):
    return subprocess.run([_MUTATION / "mutate", "--build", os.environ["VTA_BINARY_DIR"], *arguments],
                          capture_output=True, text=True, check=False)


class MutantsTest(unittest.TestCase):
    def test_changes_of_code_only(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "m.sv"
            path.write_text(_SOURCE)
            mutants = mutants_of(path)
            lines = {mutant.line_after() for mutant in mutants}
        self.assertEqual(lines, {
            "logic [Width-2:0] count_q;",
            "if (!rst_ni) count_q <= '0;",
            "if (!rst_ni && clear_i) count_q <= '0;",
            "if (rst_ni || clear_i) count_q <= '0;",
            "if (!rst_ni || clear_i) count_q <= '1;",
            "else if (1'b1) count_q <= count_q + 1'b1;",
            "else if (push_i) count_q <= count_q - 1'b1;",
            "else if (push_i) count_q <= count_q + 1'b0;",
            "assign full_o = count_q != Width'(Depth) && !pop_i;",
            "assign full_o = count_q == Width'(Depth) || !pop_i;",
            "assign full_o = count_q == Width'(Depth) && pop_i;",
            "assign way_o = full_o ? b_i : a_i;"})

    def test_every_module_has_some(self):
        modules = {mutant.path.stem for mutant in all_mutants(_ROOT / "hw" / "vta_rtl")}
        self.assertGreater(len(modules), 30)
        self.assertGreater(len(all_mutants(_ROOT / "hw" / "vta_rtl")), 1000)

    def test_bad_arguments(self):
        result = _mutate("--files", "vta_nothing", "--list")
        self.assertEqual(result.returncode, 2)
        self.assertIn("vta_nothing", result.stderr)
        result = subprocess.run([_MUTATION / "mutate", "--build", "/nowhere"], capture_output=True, text=True, check=False)
        self.assertEqual(result.returncode, 2)
        self.assertIn("--build", result.stderr)

    @unittest.skipUnless(shutil.which("verilator"), "Verilator is not installed")
    def test_a_sample_is_killed(self):
        result = _mutate("--files", "vta_tokens", "vta_decode", "--count", "2", "--seed", "7")
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        self.assertIn("2 mutants: 2 killed", result.stdout)


if __name__ == "__main__":
    unittest.main()
