"""vta-run and vta-compile on the example model: results, inputs of every kind, batches, JSON."""

import csv
import fcntl
import json
import os
import pty
import re
import signal
import struct
import subprocess
import sys
import termios
import time
import unittest
from pathlib import Path

import numpy as np
from onnx import helper, numpy_helper
from PIL import Image

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "cases"))

from tool_case import BIN, DIGITS, DIGITS_OPTIONS, HW, DigitsModuleCase, tool  # noqa: E402

THREE = DIGITS / "images/three-1.png"


def as_input(path):
    pixels = np.asarray(Image.open(path), dtype=np.float64)
    return ((pixels / 255 - 0.5) / 0.5).astype(np.float32)[None, None]


class VtaRunTest(DigitsModuleCase):
    def scores(self, *arguments):
        out = self.folder / "out"
        report = self.run_json(self.module, *arguments, "--output", out)
        array = np.load(out / "probabilities.npy")
        self.assertEqual(report["outputs"][0]["file"], str(out / "probabilities.npy"))
        return array

    def test_json_of_a_verified_run(self):
        report = self.run_json("--sim", DIGITS / "digits.onnx", *DIGITS_OPTIONS, "--input", f"image={THREE}",
                               "--labels", DIGITS / "labels.txt", "--verify")
        self.assertEqual((report["model"], report["hw"], report["device"]), ("digits.onnx", "default", "cycle"))
        self.assertEqual(report["outputs"][0]["shape"], [1, 10])
        self.assertEqual(report["outputs"][0]["dtype"], "float32")
        self.assertEqual(report["outputs"][0]["top"][0]["label"], "three")
        self.assertGreaterEqual(report["totals"]["macs_on_vta"], 0.99 * report["totals"]["macs"])
        self.assertEqual(report["totals"]["macs"], sum(layer["macs"] for layer in report["layers"]))
        on_vta = [layer for layer in report["layers"] if layer["where"] == "vta"]
        self.assertEqual(report["verified_layers"], len(on_vta))
        self.assertTrue(all(layer["dram_read_bytes"] > 0 and layer["dram_write_bytes"] > 0 for layer in on_vta))
        self.assertTrue(all(layer["reason"] for layer in report["layers"]))
        self.assertEqual(set(report["seconds"]), {"import", "quantise", "compile", "load", "run"})
        self.assertGreater(report["peak_memory_bytes"], 10**7)

    def test_energy_is_estimated_for_what_runs_on_the_vta(self):
        reports = {name: self.run_json(self.module, *options) for name, options in
                   {"cycle": ["--sim"], "functional": [], "7nm": ["--energy=7nm"]}.items()}
        layers = {name: [layer["energy_pj_estimate"] for layer in report["layers"]] for name, report in reports.items()}
        for layer, energy in zip(reports["cycle"]["layers"], layers["cycle"]):
            self.assertEqual(energy is not None, layer["where"] == "vta")
            if energy:
                parts = sum(energy[part] for part in ("dram", "sram", "arithmetic", "static"))
                self.assertAlmostEqual(energy["total"], parts, delta=1e-6 * parts)
                # 1,300 pJ for 64 bits, of the bytes that the simulator has counted.
                moved = layer["dram_read_bytes"] + layer["dram_write_bytes"]
                self.assertAlmostEqual(energy["dram"], moved * 8 * 1300 / 64, delta=1e-6 * energy["dram"])
        self.assertEqual(layers["cycle"], layers["functional"])
        # Layers of one launch share some instructions.
        alone = sum(energy["total"] for energy in layers["cycle"] if energy)
        self.assertAlmostEqual(reports["cycle"]["totals"]["energy_pj_estimate"]["total"] / alone, 1, delta=0.05)
        self.assertEqual(reports["7nm"]["energy_table"]["name"], "7nm")
        for old, new in zip(layers["cycle"], layers["7nm"]):
            if old:
                self.assertEqual(new["dram"], old["dram"])
                self.assertLess(new["sram"], old["sram"])
        text = self.succeed("vta-run", self.module, "--profile=full")
        self.assertRegex(text, r"layer +energy +DRAM % +scratchpads % +arithmetic %")
        self.assertIn("Energy: an estimate from published figures for 45 nm", text)

    def test_every_partition_of_the_integers_gives_the_same_bits(self):
        outputs = {}
        for name, options in {"auto": [], "quantised": ["--partition=cpu-quantized"]}.items():
            out = self.folder / name
            self.succeed("vta-run", DIGITS / "digits.onnx", *DIGITS_OPTIONS, *options, "-i", THREE, "--output", out)
            outputs[name] = np.load(out / "probabilities.npy")
        np.testing.assert_array_equal(outputs["auto"], outputs["quantised"])
        np.testing.assert_array_equal(outputs["auto"], self.scores("-i", THREE, *DIGITS_OPTIONS[:2]))

    def test_kinds_of_input(self):
        array = as_input(THREE)
        expected = self.scores("-i", THREE, *DIGITS_OPTIONS[:2])
        np.save(self.folder / "x.npy", array)
        np.savez(self.folder / "x.npz", image=array)
        np.savez_compressed(self.folder / "packed.npz", image=array)
        tensor = numpy_helper.from_array(array, "image")
        self.write("x.pb", tensor.SerializeToString())
        typed = helper.make_tensor("image", 1, array.shape, array.flatten().tolist())
        self.write("typed.pb", typed.SerializeToString())
        np.save(self.folder / "pixels.npy", np.asarray(Image.open(THREE))[..., None])
        for name in ("x.npy", "x.npz", "packed.npz", "x.pb", "typed.pb"):
            np.testing.assert_array_equal(self.scores("--input", f"image={self.folder / name}"), expected, name)
        pixels = self.scores("--input", self.folder / "pixels.npy", *DIGITS_OPTIONS[:2])
        np.testing.assert_array_equal(pixels, expected)

    def test_random_inputs_depend_on_the_seed_and_say_so(self):
        text = self.succeed("vta-run", self.module, "--seed", "7")
        self.assertIn("random (seed 7)", text)
        first, again, other = (self.scores("--seed", seed) for seed in (7, 7, 8))
        np.testing.assert_array_equal(first, again)
        self.assertFalse(np.array_equal(first, other))

    def test_batches_are_scored(self):
        report = self.run_json(DIGITS / "digits.onnx", *DIGITS_OPTIONS, "--input", DIGITS / "images",
                               "--labels-csv", DIGITS / "labels.csv", "--compare-float", "--verify")
        batch = report["batch"]
        self.assertEqual((batch["samples"], batch["score"]["scored"]), (20, 20))
        self.assertGreaterEqual(batch["score"]["top1"], batch["float_score"]["top1"] - 0.05)
        self.assertGreaterEqual(batch["float_agreement"], 0.95)
        self.assertEqual(batch["score"]["top5"], 1.0)
        self.assertGreater(batch["samples_per_second"], 0)
        self.assertEqual(report["verified_layers"], 20 * sum(l["where"] == "vta" for l in report["layers"]))

    def test_an_array_of_several_samples_is_a_batch(self):
        names = ("three-1", "two-1", "nine-2")
        np.save(self.folder / "x.npy", np.concatenate([as_input(DIGITS / f"images/{n}.png") for n in names]))
        labels = self.write("labels.csv", "file,class\nx.npy:0,3\nx.npy:1,2\nx.npy:2,0\n")
        report = self.run_json(self.module, "-i", self.folder / "x.npy", "--labels-csv", labels, "--output", self.folder)
        self.assertEqual([entry["top"][0]["index"] for entry in report["batch"]["results"]], [3, 2, 9])
        self.assertAlmostEqual(report["batch"]["score"]["top1"], 2 / 3)
        self.assertTrue((self.folder / "x.npy_2.probabilities.npy").exists())

    def test_reference(self):
        array = self.scores("-i", THREE, *DIGITS_OPTIONS[:2])
        array[0, 4] += 0.25
        np.save(self.folder / "reference.npy", array)
        report = self.run_json(self.module, "-i", THREE, *DIGITS_OPTIONS[:2], "--reference",
                               f"probabilities={self.folder / 'reference.npy'}")
        self.assertAlmostEqual(report["outputs"][0]["reference"]["max_abs"], 0.25)
        self.assertEqual(report["outputs"][0]["reference"]["different"], 1)

    def test_cycles_are_the_same_with_and_without_values(self):
        full = self.run_json(self.module, "--sim=cycle")
        timing = self.run_json(self.module, "--sim=cycle", "--timing-only")
        self.assertEqual(timing["device"], "cycle:timing-only")
        self.assertGreater(full["totals"]["cycles"], 7225984 / 256)
        on_vta = [layer for layer in full["layers"] if layer["where"] == "vta"]
        for layer, again in zip(full["layers"], timing["layers"], strict=True):
            self.assertEqual([layer[k] for k in ("cycles", "cycles_in_run", "load", "compute", "store", "fetch")],
                             [again[k] for k in ("cycles", "cycles_in_run", "load", "compute", "store", "fetch")])
        for layer in on_vta:
            self.assertGreaterEqual(layer["cycles"], layer["roofline_cycles"])
            self.assertIn(layer["array_at_most"]["limit"], ("array", "lanes", "ALU", "reading", "writing"))
            compute = layer["compute"]
            self.assertEqual(compute["stall_token"],
                             layer["compute_waits_for_load"] + layer["compute_waits_for_store"])
            self.assertLessEqual(sum(compute[k] for k in compute if k != "instructions"), layer["cycles"])
        slow = self.run_json(self.module, "--timing-only", "--dram=DDR3-1066")
        self.assertNotEqual(slow["totals"]["cycles"], full["totals"]["cycles"])

    def cycles_of(self, *arguments):
        """What the text says that a run takes on the VTA."""
        text = self.succeed("vta-run", *arguments)
        return int(re.search(r"^([\d,]+) cycles on the VTA", text, re.M)[1].replace(",", ""))

    def test_a_run_takes_the_same_cycles_however_one_looks(self):
        for options in ([], ["--dram", "ddr3-1066"], ["--timing-only"]):
            with self.subTest(options):
                plain = self.cycles_of(self.module, "--sim=cycle", *options)
                for look in (["--profile"], ["--profile=full"], ["--verify"], ["--verify", "--profile"],
                             ["--report", self.folder / "page.html"], ["--trace", self.folder / "trace.json"],
                             ["--profile-csv", self.folder / "layers.csv"]):
                    if "--timing-only" in options and "--verify" in look:
                        continue
                    self.assertEqual(self.cycles_of(self.module, "--sim=cycle", *options, *look), plain, look)
                report = self.run_json(self.module, "--sim=cycle", *options)
                self.assertEqual(report["totals"]["cycles"], plain)
                self.assertEqual(sum(layer["cycles_in_run"] for layer in report["layers"]), plain)
                self.assertGreater(sum(layer["cycles"] for layer in report["layers"]), plain)
                self.assertFalse(report["totals"]["shares_are_estimated"])
                page = (self.folder / "page.html").read_text()
                self.assertIn(f'"cycles":{plain},', page.replace(" ", ""))

    def test_profile_shows_cycles_and_stalls(self):
        text = self.succeed("vta-run", self.module, "--profile")
        self.assertRegex(text, "layer +operator +on +cycles +alone +ms +roofline % +limited by +energy")
        self.assertRegex(text, r"[\d,]+ cycles on the VTA: [\d.]+ ms at 100 MHz\n")
        self.assertRegex(text, r"\n[\d.]+ ms on the CPU")
        self.assertRegex(text, r"together [\d.]+ frames per second")
        full = self.succeed("vta-run", self.module, "--profile=full")
        self.assertRegex(full, "layer +busy +loads +stores +bus +hazards +fetch")
        self.assertRegex(full, "peak utilisation % +limited by")

    def test_the_brief_profile_fits_100_columns(self):
        for device in ("--sim=cycle", "--sim=functional"):
            text = self.succeed("vta-run", self.module, "--profile", device)
            self.assertLessEqual(max(map(len, text.splitlines())), 100, text)

    def test_a_terminal_of_80_columns_gets_80(self):
        text = self.on_terminal("vta-run", self.module, "--profile", columns=80)
        self.assertIn("frames per second", text)
        table = text[text.index("layer "):text.index("cycles on the VTA")]
        self.assertLessEqual(max(map(len, table.splitlines())), 80, table)

    def on_terminal(self, name, *arguments, columns):
        """What the tool prints on a terminal of so many columns."""
        ours, its = pty.openpty()
        fcntl.ioctl(its, termios.TIOCSWINSZ, struct.pack("HHHH", 50, columns, 0, 0))
        process = subprocess.Popen([str(BIN / name), *map(str, arguments)], stdout=its, stderr=subprocess.DEVNULL)
        os.close(its)
        text = b""
        try:
            while chunk := os.read(ours, 4096):
                text += chunk
        except OSError:  # the other end is closed
            pass
        os.close(ours)
        self.assertEqual(process.wait(60), 0)
        return text.decode().replace("\r\n", "\n")

    def test_milliseconds_are_the_accelerators(self):
        csv_file = self.folder / "profile.csv"
        self.succeed("vta-run", self.module, "--profile-csv", csv_file)
        with csv_file.open(newline="") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual([row["layer"] for row in rows if row["on"] == "vta"][0], "conv1")
        for row in rows:
            if row["on"] == "vta":
                self.assertAlmostEqual(float(row["vta_ms"]), int(row["cycles_in_run"]) / 100e3, places=5)
                self.assertEqual(row["host_ms"], "")
            else:
                self.assertEqual((row["vta_ms"], row["cycles"], row["cycles_in_run"]), ("", "", ""))
                self.assertGreater(float(row["host_ms"]), 0)
            self.assertNotIn(None, row)  # no more cells than heads

    def test_wrong_profiles_are_refused(self):
        self.refuse("vta-run", self.module, "--profile=long", code=2, says=["--profile"])
        self.refuse("vta-run", self.module, "--profile-csv", self.folder / "no/profile.csv", says=["profile.csv"])

    def test_trace_has_slices_arrows_and_bus_counters(self):
        trace_file = self.folder / "trace.json"
        self.succeed("vta-run", self.module, "--trace", trace_file)
        events = json.loads(trace_file.read_text())["traceEvents"]
        tracks = {e["tid"]: e["args"]["name"] for e in events if e["name"] == "thread_name"}
        self.assertLessEqual({"load", "compute: GEMM", "compute: ALU", "store"}, set(tracks.values()))
        slices = [e for e in events if e["ph"] == "X"]
        self.assertTrue(all(e["dur"] > 0 and e["tid"] in tracks for e in slices))
        self.assertTrue(any(e["name"].startswith("conv3: gemm uop=") for e in slices))
        # Slices of one lane do not overlap.
        for lane in tracks:
            mine = sorted((e["ts"], e["ts"] + e["dur"]) for e in slices if e["tid"] == lane)
            for (_, end), (begin, _) in zip(mine, mine[1:]):
                self.assertLessEqual(end, begin + 0.002)
        begins = {e["id"]: e for e in events if e["ph"] == "s"}
        ends = {e["id"]: e for e in events if e["ph"] == "f"}
        self.assertEqual(begins.keys(), ends.keys())
        self.assertGreater(len(begins), 20)
        self.assertTrue(all(begins[i]["ts"] < ends[i]["ts"] for i in begins))
        counters = [e for e in events if e["ph"] == "C"]
        self.assertTrue(any(e["args"].get("load", 0) > 20 for e in counters))
        self.assertTrue(all(0 <= v <= 100.1 for e in counters for v in e["args"].values()))

    def test_profile_names_place_and_reason(self):
        text = self.succeed("vta-run", self.module, "--profile=full")
        self.assertRegex(text, r"conv1 +Conv +vta +[\d,]+ +[\d.]+")
        self.assertRegex(text, r"conv1 +147,456 ")
        self.assertRegex(text, r"conv1 .* schedule")
        self.assertRegex(text, r"digits.onnx +QuantizeLinear +cpu +[\d.]+")
        self.assertRegex(text, r"digits.onnx +conversion")
        self.assertRegex(text, r"\d+ of \d+ steps run on the CPU\n +\d steps?: ")
        self.assertIn("100.00 % of them on the VTA", text)

    def test_a_network_on_the_cpu_has_a_row_for_each_layer(self):
        model = [DIGITS / "digits.onnx", "--threads=1"]
        for partition, options in {"cpu": [], "cpu-quantized": DIGITS_OPTIONS}.items():
            with self.subTest(partition):
                text = self.succeed("vta-run", *model, f"--partition={partition}", *options, "--profile=full")
                for layer, operator in {"conv1": "Conv", "conv4": "Conv", "pool": "MaxPool", "conv5": "Conv",
                                        "softmax": "Softmax"}.items():
                    self.assertRegex(text, rf"(?m)^{layer} +{operator} +cpu +[\d.]+ +\d+")
                self.assertRegex(text, r"(?m)^[\d.]+ ms on the CPU, as measured here: [\d.]+ frames per second$")
                self.assertRegex(text, r"(?m)^[\d,]+ MACs$")
                self.assertRegex(text, r"load [\d.]+ \w+, run [\d.]+")
                self.assertNotIn("simulation", text)
                self.assertNotIn("VTA", text.split("How each layer runs")[0])
                report = self.run_json(*model, f"--partition={partition}", *options)
                layers = {row["name"]: row for row in report["layers"]}
                self.assertEqual(layers["conv1"]["macs"], 147_456)
                self.assertEqual(sum(row["macs"] for row in report["layers"]), report["totals"]["macs"])
                self.assertEqual([row["name"] for row in layers["conv1"]["convolutions"]], ["conv1"])
                self.assertLess(report["totals"]["steps"], len(layers))
                # Rows are parts of the time of their steps.
                self.assertLessEqual(sum(row["wall_seconds"] for row in report["layers"]), report["seconds"]["run"])

    def test_the_program_for_boards_gives_the_same(self):
        """vta-run-module has no compiler, and of the devices the functional simulator only."""
        for name in ("vta-run", "vta-run-module"):
            self.succeed(name, self.module, "--sim=functional", "--seed", "3", "--verify", "--output", self.folder / name)
        outputs = [(self.folder / name / "probabilities.npy").read_bytes() for name in ("vta-run", "vta-run-module")]
        self.assertEqual(*outputs)
        self.assertRegex(self.succeed("vta-run-module", self.module, "--profile"), r"conv1 +Conv +vta")
        self.assertIn("three", self.succeed("vta-run-module", self.module, "-i", THREE, *DIGITS_OPTIONS[:2],
                                            "--labels", DIGITS / "labels.txt"))
        # It is called vta-run where it is installed, and says so.
        for arguments, code, text in [
                ([DIGITS / "digits.onnx"], 1, "has no compiler; make one with vta-compile"),
                ([self.module, "--sim=cycle"], 2, "no such simulator; it has: functional"),
                ([self.module, "--partition=cpu"], 2, "--partition"),
                ([self.module, "-i", THREE, "--preprocess", DIGITS / "none.yaml"], 1, "none.yaml")]:
            with self.subTest(arguments):
                result = tool("vta-run-module", *arguments)
                self.assertEqual(result.returncode, code)
                self.assertRegex(result.stderr, "^vta-run: error: ")
                self.assertIn(text, result.stderr)

    def test_a_device_may_follow_its_option(self):
        for arguments in (["--sim", "functional"], ["--device", "functional"], ["--sim=functional"],
                          ["--device=functional:memory=64M"]):
            with self.subTest(arguments):
                self.assertEqual(self.run_json(*arguments, self.module)["device"], "functional")
        self.assertEqual(self.run_json("--sim", self.module)["device"], "cycle")
        self.refuse("vta-run", self.module, "--sim", "--device=functional", code=2, says=["exclude each other"])
        self.refuse("vta-run", self.module, "--sim=functional:fast", says=["no option 'fast'"])

    def test_checked_simulation(self):
        self.assertIn("three", self.succeed("vta-run", "--sim=checked", self.module, "-i", THREE, *DIGITS_OPTIONS[:2],
                                            "--labels", DIGITS / "labels.txt"))

    def test_objdump_of_the_module(self):
        text = self.succeed("vta-objdump", self.module)
        self.assertIn("module of 'digits.onnx'", text)
        self.assertRegex(text, r"device_constant +0x[0-9a-f]+ +[\d,]+ +2x1x3x3x16x16 int8 +conv2.weight")
        self.assertIn("gemm", self.succeed("vta-objdump", self.module, "--program", "1", "--verify"))
        # Eight layers, and the launch of all of them.
        self.refuse("vta-objdump", self.module, "--program", "99", says=["programs 0 to 8"])
        self.assertRegex(text, r"1 to 8 +8 +no")
        launch = self.succeed("vta-objdump", self.module, "--program", "8", "--asm")
        self.assertIn("conv2", launch)

    def test_info(self):
        text = self.succeed("vta-info", "--configs", HW)
        self.assertIn("functional", text)
        self.assertIn("vta-0.0.2", text)
        self.assertIn("GPUs (--host gpu:N):", text)
        self.assertIsInstance(json.loads(self.succeed("vta-info", "--json", "--configs", HW))["gpus"], list)
        self.write("bad.yaml", "colour: red\n")
        self.assertIn("not valid", self.succeed("vta-info", "--configs", self.folder))
        self.refuse("vta-info", "--configs", self.folder / "none", says=["not a folder"])

    def test_quantise_report(self):
        text = self.succeed("vta-compile", DIGITS / "digits.onnx", *DIGITS_OPTIONS, "-o", self.folder / "m.so",
                            "--quantise-report", "--verify-programs")
        self.assertRegex(text, r"zero point")
        self.assertRegex(text, r"relu1 +\d")
        self.assertIn("SNR dB", text)

    def test_quantise_report_as_json(self):
        text = self.succeed("vta-compile", DIGITS / "digits.onnx", *DIGITS_OPTIONS, "-o", self.folder / "m.so",
                            "--quantise-report", "--json")
        report = json.loads(text)
        self.assertEqual(report["rescaled_weights"], [])
        for tensor in report["quantised"]:
            with self.subTest(tensor["name"]):
                self.assertGreater(tensor["signal_to_noise_db"], 10)
                self.assertLessEqual(tensor["mean_error_steps"], tensor["max_error_steps"])

    def test_float_layers(self):
        report = self.run_json(DIGITS / "digits.onnx", *DIGITS_OPTIONS, "--float-layers", "conv2,residual", "--verify")
        on_vta = {layer["name"] for layer in report["layers"] if layer["where"] == "vta"}
        # The sum belongs to its convolution.
        self.assertTrue(on_vta.isdisjoint({"conv2", "conv4"}), on_vta)
        self.assertIn("conv3", on_vta)
        self.refuse("vta-run", DIGITS / "digits.onnx", *DIGITS_OPTIONS, "--float-layers", "conv2,conv9",
                    says=["'conv9'"])

    def test_fewer_multiplications_change_the_last_digits_and_can_be_left(self):
        random = np.random.RandomState(1)
        weight = (random.randn(64, 32, 3, 3) * 0.1).astype(np.float32)
        nodes = [helper.make_node("Conv", ["x", "w"], ["y"], pads=[1, 1, 1, 1])]
        model = self.model(nodes, [("x", [1, 32, 27, 27])], [("y", [1, 64, 27, 27])], [("w", weight)])

        def result(*options):
            out = self.folder / f"out{len(options)}{'-'.join(options)}"
            self.succeed("vta-run", model, "--partition=cpu", "--output", out, *options)
            return np.load(out / "y.npy")

        default, direct = result(), result("--no-winograd")
        self.assertFalse(np.array_equal(default, direct))
        np.testing.assert_allclose(default, direct, rtol=0, atol=1e-5 * np.abs(direct).max())
        for options in ([], ["--no-winograd"]):
            np.testing.assert_array_equal(result("--threads=1", *options), result("--threads=3", *options))

    def test_interrupt_leaves_nothing(self):
        process = subprocess.Popen([BIN / "vta-compile", DIGITS / "digits.onnx", *DIGITS_OPTIONS, "-o",
                                    self.folder / "m.so"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                   env={"TMPDIR": str(self.folder)})
        time.sleep(0.3)
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(60), -signal.SIGINT)
        self.assertEqual(list(self.folder.iterdir()), [])


if __name__ == "__main__":
    unittest.main()
