"""vta.tile: kernels written in Python give the values that NumPy gives, and mistakes have messages that help."""

import contextlib
import io
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import numpy as np

BUILD = Path(os.environ["VTA_BINARY_DIR"])
PAGE = Path(__file__).resolve().parents[2] / "docs" / "tile-kernels.md"
sys.path.insert(0, str(BUILD / "python"))

if not list(BUILD.glob("python/vta/_tile.*")):
    print("skipped: this build has no vta.tile: pybind11 is missing, or the target vta_tile_python was not built")
    sys.exit(0)

import vta  # noqa: E402  (found through the line above)
import vta.tile as vt  # noqa: E402

# Extensions or not, batches, small buffers, wide blocks, weights of other widths.
CONFIGURATIONS = ("default", "small-1x8x8", "batched-4x16x16", "large-1x32x32", "vta-0.0.2", "zynq-7020", "tiny-buffers")


@vt.kernel(x=vt.inp["M", "K"], w=vt.wgt["N", "K"], y=vt.out["M", "N"])
def matmul(x, w, y, M, N, K, BM=1, BN=1, BK=1, shift=6, stages=2):
    """clip(x w^T >> shift)"""
    for m, n in vt.grid((M, BM), (N, BN), threads=stages):
        acc = vt.zeros(BM, BN)
        for k in vt.range(K, BK, stages=stages):
            acc += vt.dot(vt.load(x[m:m + BM, k:k + BK]), vt.load(w[n:n + BN, k:k + BK]))
        vt.store(y[m:m + BM, n:n + BN], vt.clip(acc >> shift, 0, 127))


@vt.kernel(x=vt.inp[1, "C", "H", "W"], w=vt.wgt["O", "C", 3, 3], bias=vt.acc["O"], y=vt.out[1, "O", "H", "W"])
def convolution(x, w, bias, y, O, C, H, W, BO=1, BC=1):
    for o in vt.range(O, BO, stages=2):
        acc = vt.zeros(BO, H, W)
        for c in vt.range(C, BC, stages=2):
            image = vt.load(x[0, c:c + BC, -1:H + 1, -1:W + 1])
            taps = vt.load(w[o:o + BO, c:c + BC])
            for i in range(3):
                for j in range(3):
                    acc += vt.dot(image[:, i:i + H, j:j + W], taps[:, :, i, j], "chw,oc->ohw")
        vt.store(y[0, o:o + BO], vt.clip((acc + vt.load(bias[o:o + BO])[:, None, None]) >> 5, -128, 127))


def make_elementwise():
    @vt.kernel(a=vt.acc["N"], b=vt.acc["N"], sum=vt.out["N"], pooled=vt.out["N"])
    def elementwise(a, b, sum, pooled, N):
        for i in vt.range(N, 2, stages=2):
            x, y = vt.load(a[i:i + 2]), vt.load(b[i:i + 2])
            vt.store(sum[i:i + 2], 3 + x - 1)
            vt.store(pooled[i:i + 2], vt.minimum(vt.maximum(x, y), 100))

    return elementwise


def integers(rng, shape, dtype=np.int8, low=-128, high=128):
    return rng.integers(low, high, shape, dtype=np.int64).astype(dtype)


def weights(rng, shape, hw):
    bits = vt.hardware(hw).wgt_width_bits
    return integers(rng, shape, low=-(1 << (bits - 1)), high=1 << (bits - 1))


class TileTest(unittest.TestCase):
    def setUp(self):
        self.rng = np.random.default_rng(1)

    def sizes(self, name):
        hw = vt.hardware(name)
        return hw.batch, hw.block_in, hw.block_out

    def test_matrix_products_are_those_of_numpy(self):
        for hw in CONFIGURATIONS:
            batch, block_in, block_out = self.sizes(hw)
            for m, n, k, tiles in ((1, 1, 1, {}), (3, 2, 5, {}), (4, 6, 4, {"BM": 2, "BN": 3, "BK": 2})):
                with self.subTest(hw=hw, sizes=(m, n, k)):
                    x = integers(self.rng, (m * batch, k * block_in))
                    w = weights(self.rng, (n * block_out, k * block_in), hw)
                    expected = np.clip((x.astype(np.int64) @ w.T.astype(np.int64)) >> 6, 0, 127)
                    for device in ("reference", "functional:checked", "cycle"):
                        run = matmul.run(x, w, hw=hw, device=device, check=True, **tiles)
                        np.testing.assert_array_equal(run.output, expected)
                        self.assertEqual(run.cycles > 0, device == "cycle")

    def test_a_factor_with_one_axis_is_the_same_for_all_rows(self):
        @vt.kernel(x=vt.inp["K"], w=vt.wgt["N", "K"], y=vt.out["N"])
        def product(x, w, y, N, K):
            acc = vt.zeros(N)
            for k in vt.range(K, stages=2):
                acc += vt.dot(vt.load(x[k:k + 1]), vt.load(w[:, k:k + 1]), "k,nk->n")
            vt.store(y, vt.clip(acc >> 6, 0, 127))

        for hw in CONFIGURATIONS:
            batch, block_in, block_out = self.sizes(hw)
            with self.subTest(hw=hw):
                x = integers(self.rng, 3 * block_in)
                w = weights(self.rng, (2 * block_out, 3 * block_in), hw)
                expected = np.clip((w.astype(np.int64) @ x.astype(np.int64)) >> 6, 0, 127)
                found = product(x, w, hw=hw, device="functional:checked", check=True)
                np.testing.assert_array_equal(found, np.broadcast_to(expected, (batch, len(expected))))

    def test_convolutions_are_those_of_numpy(self):
        for hw in CONFIGURATIONS:
            batch, block_in, block_out = self.sizes(hw)
            if batch > 1:
                continue
            with self.subTest(hw=hw):
                x = integers(self.rng, (1, 2 * block_in, 4, 5))
                w = weights(self.rng, (3 * block_out, 2 * block_in, 3, 3), hw)
                bias = integers(self.rng, 3 * block_out, np.int32, -1000, 1000)
                padded = np.pad(x[0].astype(np.int64), ((0, 0), (1, 1), (1, 1)))
                windows = np.lib.stride_tricks.sliding_window_view(padded, (3, 3), (1, 2))
                sums = np.einsum("chwij,ocij->ohw", windows, w.astype(np.int64)) + bias[:, None, None]
                result = convolution(x, w, bias, hw=hw, device="functional:checked", check=True)
                np.testing.assert_array_equal(result[0], np.clip(sums >> 5, -128, 127))

    @unittest.skipUnless(shutil.which("verilator"), "the RTL needs Verilator")
    def test_the_rtl_has_the_values_and_the_cycles(self):
        x, w = integers(self.rng, (4, 64)), integers(self.rng, (64, 64))
        kernel = matmul.compile(x, w, BM=4, BN=2, BK=2)
        self.assertEqual(kernel.run(x, w, device="rtl", check=True).cycles, kernel.cycles)
        image, filters = integers(self.rng, (1, 32, 5, 7)), integers(self.rng, (32, 32, 3, 3))
        bias = integers(self.rng, 32, np.int32, -1000, 1000)
        kernel = convolution.compile(image, filters, bias)
        self.assertEqual(kernel.run(image, filters, bias, device="rtl", check=True).cycles, kernel.cycles)

    def test_kernels_may_have_several_outputs(self):
        elementwise = make_elementwise()
        a, b = (integers(self.rng, 64, np.int32, -200, 200) for _ in range(2))
        outputs = elementwise(a, b)
        np.testing.assert_array_equal(outputs["sum"][0], (a + 2).astype(np.int8))
        np.testing.assert_array_equal(outputs["pooled"][0], np.minimum(np.maximum(a, b), 100).astype(np.int8))
        self.fails("the kernel has 2 outputs: sum, pooled; see .outputs", lambda: elementwise.run(a, b).output)

    def test_tables_are_functions_of_int8(self):
        @vt.kernel(x=vt.acc8["M", "N"], y=vt.out["M", "N"])
        def sigmoid(x, y, M, N):
            for m in vt.range(M, stages=2):
                vt.store(y[m:m + 1], vt.table(vt.load(x[m:m + 1]), lambda v: 127 / (1 + np.exp(-v / 16))))

        with tempfile.TemporaryDirectory() as folder:
            hw = Path(folder) / "with-lut.yaml"
            hw.write_text("name: with-lut\nisa: {extensions: [qmul, clip, lut]}\n")
            x = np.arange(-128, 128, dtype=np.int8).reshape(4, 64)
            expected = np.rint(127 / (1 + np.exp(-x.astype(float) / 16))).astype(np.int8)
            for device in ("functional:checked", "cycle"):
                run = sigmoid.run(x, hw=str(hw), device=device, check=True)
                np.testing.assert_array_equal(run.output, expected)
        self.fails("default has no tables", lambda: sigmoid(x))

    def test_each_stage_can_be_shown(self):
        x, w = integers(self.rng, (4, 64)), integers(self.rng, (64, 64))
        compiled = matmul.compile(x, w, BM=4)
        self.assertIn("for i1 in range(0, 4, 1), 2 stages:", compiled.ir)
        self.assertIn('dot(t1, t2, "mk,nk->mn")', compiled.ir)
        self.assertIn("gemm uop=", compiled.assembler)
        self.assertIn("pop_prev", compiled.assembler)
        self.assertIn(f"{compiled.cycles} cycles; #: busy", compiled.timeline)
        self.assertEqual(compiled.run(x, w, device="cycle").cycles, compiled.cycles)

    def test_stages_load_ahead(self):
        x, w = integers(self.rng, (8, 256)), integers(self.rng, (256, 256))
        one, two = (matmul.compile(x, w, BM=8, BN=2, BK=8, stages=stages).cycles for stages in (1, 2))
        self.assertLess(two, one)

    def test_tuning_takes_the_fastest(self):
        x, w = integers(self.rng, (4, 128)), integers(self.rng, (128, 128))
        tuning = matmul.tune(x, w, space={"BN": [1, 3, 8], "BK": [1, 8]})
        self.assertEqual(len(tuning.rows), 6)
        self.assertIn("steps of 3 do not divide 8", tuning.rows[2][1])
        self.assertEqual(tuning.cycles, matmul.compile(x, w, **tuning.best).cycles)
        for numbers, cycles in tuning.rows:
            if isinstance(cycles, int):
                self.assertGreaterEqual(cycles, tuning.cycles)
        tuned = vt.kernel(autotune={"BN": [1, 8], "BK": [1, 8]}, **matmul.parameters)(matmul.function)
        self.assertEqual(tuned.compile(x, w).cycles, matmul.compile(x, w, BN=8, BK=8).cycles)
        self.assertEqual(tuned.compile(x, w, BN=1, BK=1).cycles, matmul.compile(x, w).cycles)
        self.fails("no combination of parameters makes a kernel", lambda: matmul.tune(x, w, space={"BN": [3]}))

    def test_the_page_shows_what_its_code_prints(self):
        blocks = re.findall(r"```(python|text)\n(.*?)```", PAGE.read_text(), re.DOTALL)
        names = {}
        printed = io.StringIO()
        folder = tempfile.TemporaryDirectory()  # for the files that it writes
        self.addCleanup(folder.cleanup)
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(folder.name)
        for kind, text in blocks:
            if kind == "text":
                self.assertEqual(printed.getvalue(), text)
            else:
                printed = io.StringIO()
                with contextlib.redirect_stdout(printed):
                    exec(text, names)
        if not (BUILD / "bin/vta-run").exists():
            return
        commands = "".join(re.findall(r"```sh\n(.*?)```", PAGE.read_text(), re.DOTALL)).splitlines()
        self.assertEqual(len(commands), 3)
        for command in commands:
            program, *arguments = command.split()
            result = subprocess.run([BUILD / "bin" / program, *arguments], capture_output=True, text=True, check=False)
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertNotIn("is computed by its function", result.stderr)
        self.assertTrue(Path("matmul.vta.so").exists())

    def test_only_compiled_kernels_are_saved(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "kernels.yaml"
            self.fails("is not compiled for a size: write kernel.compile(arrays)", lambda: vt.save(path, matmul))
            self.fails("there is no kernel to save", lambda: vt.save(path))
            self.assertFalse(path.exists())
            x, w = integers(self.rng, (4, 64)), integers(self.rng, (64, 64))
            vt.save(path, matmul.compile(x, w, BM=4), matmul.compile(x[:1], w))
            text = path.read_text()
            self.assertEqual(text.count("name: \"matmul\""), 2)
            self.assertIn("\"BM\": 4", text)

    def test_programs_may_be_written_by_hand(self):
        elementwise = make_elementwise()
        a, b = (integers(self.rng, 64, np.int32, -200, 200) for _ in range(2))
        kernel = elementwise.compile(a, b)
        program = vt.Program(kernel.assembler)
        self.assertEqual(program.assembler, kernel.assembler)
        self.assertEqual(program.cycles, kernel.cycles)
        self.assertIn(("a", "input", 256), program.buffers)
        run = program.run(device="cycle", a=a, b=b)
        self.assertEqual(run.cycles, kernel.cycles)
        np.testing.assert_array_equal(run.outputs["sum"].view(np.int8), (a + 2).astype(np.int8))

        without_token = kernel.assembler.replace(" pop_prev", "", 1)
        self.fails("race", lambda: vt.Program(without_token.replace(" push_next", "", 1)))
        self.fails("token", lambda: vt.Program(without_token))
        self.fails("program:1:1", lambda: vt.Program("lead acc"))
        self.fails("no buffer 'c'; the program has a, b, sum, pooled", lambda: program.run(c=a))
        self.fails("128 bytes for buffer 'a', which has 256", lambda: program.run(a=a[:32]))

    # Mistakes

    def fails(self, message, action):
        with self.assertRaises(vta.Error) as caught:
            action()
        self.assertIn(message, str(caught.exception))

    def written(self, body, **parameters):
        """Compiles a kernel of 64x64 int8 inputs and outputs whose function is `body`."""
        kinds = {"x": vt.inp["M", "K"], "w": vt.wgt["N", "K"], "y": vt.out["M", "N"], **parameters}
        arrays = [np.zeros((64, 64), kind.dtype) for kind in kinds.values() if kind.memory != "OUT"]
        return lambda: vt.kernel(**kinds)(body).compile(*arrays)

    def test_arrays_that_do_not_fit_are_refused(self):
        x, w = np.zeros((4, 64), np.int8), np.zeros((64, 64), np.int8)
        self.fails("'x' is float64, but INP holds int8: write x.astype(np.int8)", lambda: matmul(np.zeros((4, 64)), w))
        self.fails("'x' has 60 values along axis 1; an element of INP on default has 16 of them: pad the array to 64",
                   lambda: matmul(x[:, :60].copy(), w))
        self.fails("axis K has 2 elements in 'w', but 4 elsewhere", lambda: matmul(x, w[:, :32].copy()))
        self.fails("matmul takes 2 arrays: x, w; 1 are given", lambda: matmul(x))
        self.fails("'x' has 1 axes, but INP[M, K] has 2", lambda: matmul(x[0], w))
        self.fails("matmul has no number 'BX'; it has BM, BN, BK, shift, stages", lambda: matmul(x, w, BX=1))
        self.fails("no configuration 'defualt'; there are batched-4x16x16", lambda: matmul(x, w, hw="defualt"))

    def test_tiles_that_do_not_divide_or_fit_are_refused(self):
        x, w = np.zeros((250, 64), np.int8), np.zeros((64, 64), np.int8)
        self.fails("matmul: loop i0: steps of 16 do not divide 250; 10 and 25 do", lambda: matmul(x, w, BM=16))
        self.fails("INP of tiny-buffers has 256 elements, 4096 bytes; the tiles need 500 elements, 8000 bytes (t1 2 slots of "
                   "250x1); with one stage they need 250 elements, 4000 bytes, which fits",
                   lambda: matmul(x, w[:32].copy(), BM=250, hw="tiny-buffers"))

    def test_tensors_are_used_for_what_they_are(self):
        def loads_output(x, w, y, M, N, K):
            vt.load(y[0, 0])

        def stores_input(x, w, y, M, N, K):
            vt.store(x[0:1, 0:1], vt.zeros(1, 1))

        def adds_operand(x, w, y, M, N, K):
            vt.load(x[0:1, 0:1]) + 1

        self.fails("'y' is stored and cannot be loaded", self.written(loads_output))
        self.fails("'x' is an input and cannot be stored", self.written(stores_input))
        self.fails("t0 lies in INP, but has to lie in ACC", self.written(adds_operand))

    def test_outputs_are_stored_once(self):
        def stores_nothing(x, w, y, M, N, K):
            pass

        def stores_twice(x, w, y, M, N, K):
            for m in vt.range(M):
                vt.store(y[0:1, :], vt.zeros(1, N))

        def stores_other_shape(x, w, y, M, N, K):
            vt.store(y[0:2, :], vt.zeros(1, N))

        self.fails("256 of 256 elements of 'y' are never stored, the first is y[0, 0]", self.written(stores_nothing))
        self.fails("i0 = 1: race: y[0, 0] is stored twice", self.written(stores_twice))
        self.fails("a tile of 1x4 does not fill the box of 2x4 elements of 'y'", self.written(stores_other_shape))

    def test_loops_run_to_their_ends(self):
        def breaks(x, w, y, M, N, K):
            for m in vt.range(M):
                break

        def rebinds(x, w, y, M, N, K):
            acc = vt.zeros(M, N)
            for k in vt.range(K):
                acc = acc + vt.dot(vt.load(x[:, k:k + 1]), vt.load(w[:, k:k + 1]))
            vt.store(y, acc)

        def box_grows(x, w, y, M, N, K):
            for m in vt.range(M):
                vt.load(x[0:m])

        def chooses(x, w, y, M, N, K):
            for k in vt.range(K):
                if k == 0:
                    pass

        self.fails("the variable of a loop has no value", self.written(chooses))
        self.fails("loop i0 has not ended", self.written(breaks))
        self.fails("was made in loop i0, which has ended; make it in front of the loop and change it there with +=",
                   self.written(rebinds))
        self.fails("the extent of a box depends on a loop", self.written(box_grows))

    def test_operands_are_tiles_or_integers(self):
        def float_operand(x, w, y, M, N, K):
            vt.zeros(1) + 0.5

        def steps(x, w, y, M, N, K):
            vt.load(x[::2])

        def many_indices(x, w, y, M, N, K):
            vt.load(x[0, 0, 0])

        def no_box(x, w, y, M, N, K):
            vt.load(3)

        def no_tile(x, w, y, M, N, K):
            vt.store(y, 3)

        def no_operation(x, w, y, M, N, K):
            vt.alu("sub", vt.zeros(1), 3)

        def not_there(x, w, y, M, N, K):
            vt.alu("prelu", vt.zeros(1), vt.zeros(1), 3)

        def wide_table(x, w, y, M, N, K):
            vt.table(vt.zeros(1), [200] * 256)

        self.fails("table: a result is no int8", self.written(wide_table))
        self.fails("no ALU operation SUB", self.written(no_operation))
        self.fails("default has no PRELU: add the extension to the configuration", self.written(not_there))
        self.fails("ADD: the second operand is float; a tile or an int is possible", self.written(float_operand))
        self.fails("a box has no steps", self.written(steps))
        self.fails("3 indices for 'x', which has 2 axes", self.written(many_indices))
        self.fails("load: int is no box of a tensor", self.written(no_box))
        self.fails("store: int is no tile", self.written(no_tile))
        self.fails("in a function with the decorator vt.kernel", lambda: vt.zeros(1))

    def test_declarations_are_checked(self):
        def function(x, y, M, BM=1):
            pass

        def declared(**parameters):
            return lambda: vt.kernel(**parameters)(function)

        x, y = vt.inp["M", 1], vt.out["M", 1]
        declared(x=x, y=y)()
        self.fails("'z' is not a parameter of the function", declared(x=x, y=y, z=y))
        self.fails("'x' has no axes", declared(x=vt.inp, y=y))
        self.fails("'M' is neither a tensor, an axis nor a number", declared(x=vt.inp["K", 1], y=vt.out["K", 1]))
        self.fails("autotune has 'BN'", lambda: vt.kernel(autotune={"BN": [1]}, x=x, y=y)(function))
        self.fails("no parameter is an output", declared(x=x, y=x))
        self.fails("'y' is 3; vt.inp, vt.wgt", declared(x=x, y=3))
        self.fails("the length of axis P of 'y' is unknown",
                   lambda: vt.kernel(x=x, y=vt.out["P", 1])(function).compile(np.zeros((1, 16), np.int8)))


if __name__ == "__main__":
    unittest.main()
