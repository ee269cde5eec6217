"""Instructions issued from Python and from C, on simulators."""

import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ["VTA_BINARY_DIR"])
CONFIGURATION = ROOT / "configs/hw/default.yaml"
sys.path.insert(0, str(BUILD / "python"))

import vta  # noqa: E402
from vta.commands import Buffer, Commands  # noqa: E402


class CommandsTest(unittest.TestCase):
    def device(self, kind="cycle"):
        return vta.Device.for_configuration(str(CONFIGURATION), kind)

    def refused(self, *says, call):
        with self.assertRaises(vta.Error) as caught:
            call()
        self.assertEqual(caught.exception.status, "invalid argument")
        for text in says:
            self.assertIn(text, str(caught.exception))

    def test_a_matrix_product_is_issued_as_tvm_does(self):
        """y[4, 32] = x[4, 48] w[32, 48]^T >> 8, in blocks of 16."""
        random = np.random.RandomState(1)
        x = random.randint(-128, 128, (4, 48), np.int8)
        w = random.randint(-128, 128, (32, 48), np.int8)
        for kind in ("functional:checked", "cycle"):
            device = self.device(kind)
            inp, wgt, out = Buffer(device, x.size), Buffer(device, w.size), Buffer(device, 4 * 32)
            inp.write(x)  # 4 rows of 3 elements
            wgt.write(w.reshape(2, 16, 3, 16).transpose(0, 2, 1, 3))  # 2 x 3 elements of 16 x 16
            c = Commands(device)
            c.gemm([(0, 0, 0)], (4, 2), dst=(2, 1), reset=True)
            for k in range(3):
                if k > 0:
                    c.pop("compute", "load")
                c.load("inp", 0, inp, first_elem=k, y_size=4, x_stride=3)
                c.load("wgt", 0, wgt, first_elem=k, y_size=2, x_stride=3)
                c.push("load", "compute")
                c.pop("load", "compute")
                c.gemm([(0, 0, 0)], (4, 2), dst=(2, 1), src=(1, 0), wgt=(0, 1))
                if k < 2:
                    c.push("compute", "load")
            c.alu("shr", [(0, 0)], (1, 8), dst=(0, 1), src=(0, 1), immediate=8)
            c.push("compute", "store")
            c.pop("compute", "store")
            c.store(0, out, x_size=8)
            cycles = c.run()
            self.assertEqual(cycles > 0, kind == "cycle")
            expected = (x.astype(np.int32) @ w.astype(np.int32).T) >> 8
            np.testing.assert_array_equal(out.read(np.int8).reshape(4, 32), expected.astype(np.int8))

    def test_memory_outlives_its_handle_and_lists_may_be_used_again(self):
        device = self.device("functional")
        y = Buffer(device, 16)
        c = Commands(device)
        for value in (3, 4):
            x = Buffer(device, 64)
            x.write(np.full(16, value, np.int32))
            c.load("acc", 0, x)
            del x
            c.alu("add", [(0, 0)])
            c.push("compute", "store")
            c.pop("compute", "store")
            c.store(0, y)
            self.assertEqual(c.run(), 0)
            np.testing.assert_array_equal(y.read(np.int8), 2 * value)

    def test_mistakes_are_named(self):
        device = self.device()
        x, c = Buffer(device, 64), Commands(device)
        self.refused("64 bytes at 8", "has 64", call=lambda: x.write(np.zeros(64, np.uint8), 8))
        self.refused("no memory to load 'out'", call=lambda: c.load("out", 0, x))
        self.refused("there is no ALU operation 'ad'; did you mean add?", call=lambda: c.alu("ad", [(0, 0)], immediate=1))
        self.refused("no unit 'fetch'", call=lambda: c.push("fetch", "load"))
        self.refused("not from load to store", call=lambda: c.push("load", "store"))
        self.refused("0 micro-ops", call=lambda: c.gemm([]))
        other = Buffer(self.device(), 64)
        self.refused("a buffer of the device that the commands are for", call=lambda: c.load("acc", 0, other))

    def test_races_and_bounds_are_proved_before_anything_runs(self):
        device = self.device()
        y, c = Buffer(device, 16), Commands(device)
        c.alu("add", [(0, 0)], immediate=1)
        c.store(0, y)
        self.refused("instruction 2 `store out", "race", call=c.run)
        np.testing.assert_array_equal(y.read(), 0)
        c.load("acc", 0, y, first_elem=1)
        self.refused("buffer0", call=c.run)
        self.assertGreater(c.run(), 0)  # nothing is left of them

    def test_a_program_in_c_does_the_same(self):
        source = """
#include <stdio.h>
#include <vta/vta.h>
#define CHECK(call) if ((call) != VTA_OK) { puts(vta_error_message()); return 1; }
int main(int argc, char** argv) {
  (void)argc;
  int32_t in[16]; int8_t out[16]; uint64_t cycles = 0;
  for (int i = 0; i < 16; ++i) in[i] = i;
  vta_device* device; vta_buffer *x, *y; vta_commands* c;
  CHECK(vta_device_create_for("cycle", argv[1], &device))
  CHECK(vta_buffer_create(device, sizeof in, &x)) CHECK(vta_buffer_create(device, sizeof out, &y))
  CHECK(vta_buffer_write(x, 0, in, sizeof in)) CHECK(vta_commands_create(device, &c))
  vta_transfer t; vta_transfer_init(&t); t.memory = VTA_MEMORY_ACC; t.buffer = x;
  CHECK(vta_commands_load(c, &t))
  vta_micro_op op = {0, 0, 0};
  vta_compute a; vta_compute_init(&a); a.micro_ops = &op; a.micro_op_count = 1; a.operation = "add";
  a.use_immediate = 1; a.immediate = 100;
  CHECK(vta_commands_alu(c, &a))
  CHECK(vta_commands_push(c, VTA_UNIT_COMPUTE, VTA_UNIT_STORE)) CHECK(vta_commands_pop(c, VTA_UNIT_COMPUTE, VTA_UNIT_STORE))
  t.memory = VTA_MEMORY_OUT; t.buffer = y;
  CHECK(vta_commands_store(c, &t)) CHECK(vta_commands_run(c, 0, &cycles))
  CHECK(vta_buffer_read(y, 0, out, sizeof out))
  printf("%d %d %d\\n", out[0], out[15], cycles > 0);
  if (vta_commands_load(c, NULL) != VTA_INVALID_ARGUMENT) return 2;
  if (vta_commands_push(NULL, 0, 1) != VTA_INVALID_ARGUMENT) return 6;
  t.memory = VTA_MEMORY_INP;
  if (vta_commands_store(c, &t) != VTA_INVALID_ARGUMENT) return 3;
  if (vta_commands_run(NULL, 0, NULL) != VTA_INVALID_ARGUMENT) return 4;
  if (vta_buffer_create(device, 0, &x) != VTA_INVALID_ARGUMENT) return 7;
  a.micro_ops = NULL;
  if (vta_commands_gemm(c, &a) != VTA_INVALID_ARGUMENT || vta_buffer_read(NULL, 0, out, 1) != VTA_INVALID_ARGUMENT) return 5;
  vta_commands_release(c); vta_buffer_release(y); vta_device_release(device); vta_buffer_release(x);
  return 0;
}
"""
        with tempfile.TemporaryDirectory() as folder:
            file, program = Path(folder) / "issue.c", Path(folder) / "issue"
            file.write_text(source)
            subprocess.run(["cc", "-std=c99", "-Wall", "-Wextra", "-Werror", f"-I{ROOT / 'api/include'}", file,
                            f"-L{BUILD / 'lib'}", "-lvta", "-o", program], check=True)
            run = subprocess.run([program, CONFIGURATION], capture_output=True, text=True, check=False,
                                 env={**os.environ, "LD_LIBRARY_PATH": str(BUILD / "lib")})
        self.assertEqual((run.returncode, run.stdout), (0, "100 115 1\n"), run.stderr)


if __name__ == "__main__":
    unittest.main()
