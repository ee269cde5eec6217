"""The static timing analysis: netlists whose longest path is known, what it prints, and what it refuses."""

import importlib.machinery
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

SOURCE_DIR = pathlib.Path(__file__).resolve().parents[2]
SYNTH_DIR = SOURCE_DIR / "hw" / "synth"
TIMING = SYNTH_DIR / "timing"
CONFIG = SOURCE_DIR / "tests" / "hw" / "configs" / "synth-1x4x4.yaml"

sys.path.insert(0, str(SYNTH_DIR))
from sta import analysis, cells, fill, netlist, published, report  # noqa: E402  (found through the line above)
from yosys_flow import SynthesisError  # noqa: E402

calibrate = importlib.machinery.SourceFileLoader("calibrate", str(SYNTH_DIR / "calibrate")).load_module()
unit_timing = importlib.machinery.SourceFileLoader("unit_timing", str(SYNTH_DIR / "unit_timing")).load_module()
clock_model = importlib.machinery.SourceFileLoader("clock_model", str(SYNTH_DIR / "clock_model")).load_module()

CLOCK = 2  # the net of the clock in the netlists below
DELAYS = cells.read_delays("xc7")
WIRES = DELAYS["wires"]["typical"]
CLOCK_LOSS = sum(DELAYS["clock"].values())  # what every path loses to the clock


def cell(kind, inputs, outputs, **parameters):
    """A cell of Yosys's JSON. Ports map to a net or a list of nets."""
    ports = {**inputs, **outputs}
    return {"type": kind, "parameters": parameters,
            "port_directions": {port: "output" if port in outputs else "input" for port in ports},
            "connections": {port: nets if isinstance(nets, list) else [nets] for port, nets in ports.items()}}


def flip_flop(data, output):
    return cell("FDRE", {"C": CLOCK, "D": data, "CE": "1", "R": "0"}, {"Q": output})


def lut(sources, output):
    return cell(f"LUT{len(sources)}", {f"I{i}": net for i, net in enumerate(sources)}, {"O": output})


def read(module_cells, names=()):
    """The netlist of these cells; `names` gives nets a name."""
    module = {"cells": module_cells, "ports": {"clk_i": {"direction": "input", "bits": [CLOCK]}},
              "netnames": {name: {"bits": [net], "hide_name": 0} for name, net in names}}
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "netlist.json"
        path.write_text(json.dumps({"modules": {"top": module}}))
        return netlist.read_netlist(path, "top")


def longest(design):
    return next(iter(analysis.Analysis(design, DELAYS, "typical").longest_paths()))


class AnalysisTest(unittest.TestCase):
    def test_register_to_register_through_two_luts(self):
        design = read({"a": flip_flop(13, 10), "x": lut([10], 11), "y": lut([11, 10], 12), "b": flip_flop(12, 13)})
        # a drives both LUTs and is itself driven by b: fan-out 2 behind a, 1 behind x; y and b share a slice.
        wires = WIRES["base"] + WIRES["slope"] + WIRES["base"]
        expected = DELAYS["ff"]["clock_to_q"] + wires + 2 * DELAYS["lut"] + DELAYS["ff"]["setup_data"] + CLOCK_LOSS
        path = longest(design)
        self.assertEqual(path.delay, expected)
        self.assertEqual(path.nets, (10, 11, 12))

    def test_carry_chains_take_no_wire(self):
        nets = [20 + i for i in range(8)]
        design = read({
            "a": flip_flop(nets[7], 10),
            "s": lut([10], 11),
            "c0": cell("CARRY4", {"CI": "0", "S": [11, "0", "0", "0"], "DI": ["0"] * 4},
                       {"CO": nets[:4], "O": [40, 41, 42, 43]}),
            "c1": cell("CARRY4", {"CI": nets[3], "S": ["0"] * 4, "DI": ["0"] * 4},
                       {"CO": [50, 51, 52, 53], "O": nets[4:]})})
        carry = DELAYS["carry"]
        expected = (DELAYS["ff"]["clock_to_q"] + WIRES["base"] + DELAYS["lut"] + carry["CO"]["S"][3][0]
                    + carry["O"]["CI"][3] + WIRES["base"] + DELAYS["ff"]["setup_data"] + CLOCK_LOSS)
        self.assertEqual(longest(design).delay, expected)

    def test_output_registers_of_blocks_count(self):
        for kind, parameters, key in (("RAMB36E1", {"DOA_REG": 0}, "clock_to_out"),
                                      ("RAMB36E1", {"DOA_REG": 1}, "clock_to_out_registered")):
            design = read({"m": cell(kind, {"CLKARDCLK": CLOCK}, {"DOADO": [10]}, **parameters),
                           "b": flip_flop(10, 11)})
            expected = DELAYS["bram"][key] + WIRES["base"] + WIRES["block_extra"] + DELAYS["ff"]["setup_data"]
            self.assertEqual(longest(design).delay, expected + CLOCK_LOSS)

    def test_registers_of_a_multiplier_cut_its_paths(self):
        delays = []
        for registers in ({}, {"MREG": "1"}, {"AREG": "1", "MREG": "1", "PREG": "1"}):
            design = read({"a": flip_flop(12, 10), "b": flip_flop(11, 12),
                           "d": cell("DSP48E1", {"CLK": CLOCK, "A": [10], "B": ["0"]}, {"P": [11]}, **registers)})
            delays.append(longest(design).delay)
        self.assertGreater(delays[0], delays[1])
        self.assertGreater(delays[1], delays[2])

    def test_addresses_of_distributed_memory_read_their_own_output(self):
        inputs = {"WCLK": CLOCK, "WE": "1", "ADDRA": [10], "ADDRD": [14], "DIA": ["0"]}
        design = read({"m": cell("RAM64M", inputs, {"DOA": [11], "DOD": [12]})})
        arcs = cells.timing_of(design.cells[0], DELAYS).arcs
        self.assertEqual({(arc.source, arc.target) for arc in arcs}, {(10, 11), (14, 12)})

    def test_paths_of_the_double_clock_have_half_a_cycle(self):
        fast = 3

        def clocked(data, output, clock):
            return cell("FDRE", {"C": clock, "D": data, "CE": "1", "R": "0"}, {"Q": output})

        def read_with(*clocks):
            module_cells = {f"r{i}": clocked(10 + i, 11 + i, clock) for i, clock in enumerate(clocks)}
            module = {"cells": module_cells, "netnames": {},
                      "ports": {"clk_i": {"direction": "input", "bits": [CLOCK]},
                                "clk2x_i": {"direction": "input", "bits": [fast]}}}
            with tempfile.TemporaryDirectory() as folder:
                path = pathlib.Path(folder) / "netlist.json"
                path.write_text(json.dumps({"modules": {"top": module}}))
                return netlist.read_netlist(path, "top")

        # From the last register of two nothing goes on; from outside comes net 10. What the clock loses counts twice, too.
        once = DELAYS["ff"]["clock_to_q"] + WIRES["base"] + DELAYS["ff"]["setup_data"] + CLOCK_LOSS
        self.assertEqual(longest(read_with(CLOCK, CLOCK)).delay, once)
        for clocks in ((CLOCK, fast), (fast, CLOCK), (fast, fast)):
            with self.subTest(clocks):
                path = longest(read_with(*clocks))
                self.assertEqual((path.delay, path.is_half), (2 * once, True))

    def test_unknown_cells_are_named(self):
        with self.assertRaisesRegex(cells.UnknownCell, "FROB"):
            analysis.Analysis(read({"f": cell("FROB", {}, {})}), DELAYS, "typical")

    def test_every_family_has_every_table(self):
        for family in ("xc7", "xcup"):
            with self.subTest(family):
                delays = cells.read_delays(family)
                self.assertEqual(delays.keys(), DELAYS.keys())
                for key, table in DELAYS.items():
                    if isinstance(table, dict) and key != "carry":
                        self.assertEqual(delays[key].keys(), table.keys(), key)
                for corner in ("calibrated", "typical", "full"):
                    self.assertGreater(delays["wires"][corner]["base"], 0)

    def test_calibrated_wires_are_a_share_of_typical(self):
        for factor in (None, 0.5):
            delays = cells.read_delays("xc7", factor)
            share = cells.read_wire_factor() if factor is None else factor
            for key, delay in delays["wires"]["typical"].items():
                self.assertEqual(delays["wires"]["calibrated"][key], share * delay)


class FillTest(unittest.TestCase):
    """How full a device is, and which corner that means."""

    def test_the_fuller_the_slower(self):
        for share, corner in ((0.0, "calibrated"), (0.49, "calibrated"), (0.5, "typical"), (0.74, "typical"),
                              (0.75, "full"), (1.2, "full")):
            self.assertEqual(fill.corner_of(share), corner, share)

    def test_what_cells_take_is_counted_in_the_netlist_itself(self):
        design = read({"a": flip_flop(11, 10), "x": lut([10], 11), "y": lut([10, 11], 12),
                       "m": cell("RAM64M", {"WCLK": CLOCK, "WE": "1", "ADDRA": [10], "DIA": ["0"]}, {"DOA": [13]})})
        used = fill.used_by(design)
        self.assertEqual((used["lut"], used["ff"], used["dsp"]), (6, 1, 0))

    def test_memories_of_unknown_size_are_refused(self):
        with self.assertRaisesRegex(SynthesisError, "RAM9X9"):
            fill.used_by(read({"m": cell("RAM9X9", {}, {})}))


class ReportTest(unittest.TestCase):
    def test_paths_in_words(self):
        design = read({"a": flip_flop(12, 10), "x": lut([10], 11), "b": flip_flop(11, 12)},
                      (("u_load.head_q", 10), ("u_load.u_dma.next", 11), ("u_store.fault_q", 12)))
        text = report.PathText(design)
        path = longest(design)
        data = report.path_as_data(path, text)
        self.assertEqual((data["start"], data["end"], data["end_port"]), ("u_load.head_q", "u_store.fault_q", "D"))
        self.assertEqual(data["levels"], {"LUT": 1})
        self.assertEqual(data["modules"], ["u_load", "u_load.u_dma", "u_store"])
        self.assertEqual(report.group_of(path, text), ("u_load", "u_store"))

    def test_bits_of_a_bus_are_one_path(self):
        entries = {f"a{i}": flip_flop(20 + i, 10 + i) for i in range(4)}
        entries |= {f"b{i}": flip_flop(10 + i, 20 + i) for i in range(4)}
        names = [(f"from_q[{i}]", 10 + i) for i in range(4)] + [(f"to_q[{i}]", 20 + i) for i in range(4)]
        design = read(entries, names)
        text = report.PathText(design)
        paths = analysis.Analysis(design, DELAYS, "typical").longest_paths()
        self.assertEqual(len(report.distinct_paths(paths, text, 10)), 2)


class CalibrationTest(unittest.TestCase):
    """hw/synth/calibrate: the factor, the table that it wrote, and what it refuses."""

    def test_the_factor_for_a_frequency_is_found(self):
        self.assertAlmostEqual(calibrate.factor_for(200, lambda factor: 1000 / (3 + 4 * factor)), 0.5, delta=0.001)
        self.assertEqual(calibrate.factor_for(400, lambda factor: 1000 / (3 + 4 * factor)), 0)

    def test_wires_of_an_estimate_take_the_factor(self):
        design = read({"a": flip_flop(11, 10), "b": flip_flop(10, 11)})
        half, whole = (calibrate.estimate(design, "xc7", "calibrated", factor) for factor in (0.5, 1))
        self.assertAlmostEqual(1e6 / whole - 1e6 / half, 0.5 * WIRES["base"])
        self.assertEqual(whole, calibrate.estimate(design, "xc7", "typical"))

    def test_no_core_is_slower_than_its_calibrated_estimate(self):
        cores = published.read_cores()
        self.assertGreaterEqual(len(cores), 4)
        for core in cores:
            with self.subTest(core["name"]):
                self.assertGreaterEqual(core["grade_1_mhz"], core["calibrated"])
                self.assertGreaterEqual(core["published_mhz"], core["grade_1_mhz"])
                self.assertGreater(core["calibrated"], core["typical"])
                self.assertGreater(core["typical"], core["full"])
        self.assertEqual(calibrate.common_factor(cores), cells.read_wire_factor())

    def test_the_slowest_core_decides(self):
        self.assertEqual(calibrate.common_factor([{"wire_factor": 0.3}, {"wire_factor": 0.851}]), 0.86)
        self.assertEqual(calibrate.common_factor([{"wire_factor": 1.3}]), 1.0)

    def test_the_spread_is_rounded_outwards(self):
        cores = [{"grade_1_mhz": 103, "calibrated": 100}, {"grade_1_mhz": 141, "calibrated": 100}]
        self.assertEqual(published.spread(cores), (1.0, 1.5))

    def test_missing_sources_are_named(self):
        with tempfile.TemporaryDirectory() as folder:
            result = subprocess.run([SYNTH_DIR / "calibrate", folder], capture_output=True, text=True, check=False)
        self.assertEqual(result.returncode, 1)
        self.assertIn("picorv32.v; docs/rtl.md says where", result.stderr)


class UnitsTest(unittest.TestCase):
    """Units of the default configuration, each by itself, are no slower than hw/synth/units.json says."""

    # Those that take seconds; hw/synth/unit_timing without names looks at all.
    UNITS = ("vta_control", "vta_fetch", "vta_store", "vta_compute_issue", "vta_alu_lane", "vta_gemm_dot")

    def run_units(self, *arguments):
        command = [SYNTH_DIR / "unit_timing", "--build", os.environ["VTA_BINARY_DIR"], *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    def test_no_unit_gets_slower(self):
        result = self.run_units(*self.UNITS)
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        for unit in self.UNITS:
            self.assertIn(unit, result.stdout)

    def test_slower_is_told(self):
        known = {"calibrated": 160.0, "typical": 150.0, "full": 110.0}
        self.assertFalse(unit_timing.is_slower({"calibrated": 159.0, "typical": 149.0, "full": 140.0}, known))
        for slower in ({"calibrated": 158.0}, {"typical": 148.0}, {"full": 108.0}):
            self.assertTrue(unit_timing.is_slower(known | slower, known), slower)

    def test_unknown_units_are_refused(self):
        result = self.run_units("vta_nothing")
        self.assertEqual(result.returncode, 2)
        self.assertIn("no unit vta_nothing; there are vta_control", result.stderr)

    def test_unknown_devices_are_refused(self):
        result = self.run_units("--device", "xc2064")
        self.assertEqual(result.returncode, 2)
        self.assertIn("no figures for xc2064, only for xc7z020", result.stderr)


class ClockModelTest(unittest.TestCase):
    """hw/synth/clock_model: the fit, and the header that it wrote."""

    def test_a_line_is_found(self):
        base, slope = clock_model.fit([(1, 200.0), (4, 125.0)])
        self.assertAlmostEqual(base, 5.0)
        self.assertAlmostEqual(slope, 1.5)
        self.assertEqual(clock_model.fit([(16, 200.0)]), (5.0, 0.0))

    def test_all_devices_of_a_family_share_its_points(self):
        points = [{"device": "xczu3eg", "lanes": 16, "calibrated": 250.0, "full": 200.0},
                  {"device": "xczu7ev", "lanes": 64, "calibrated": 200.0, "full": 160.0}]
        fits = clock_model.fits_of(points)
        self.assertNotIn("xc7z020", fits)
        self.assertEqual(fits["xczu3eg"], fits["xczu7ev"])
        self.assertAlmostEqual(fits["xczu3eg"]["calibrated"][1], 0.5)

    def test_the_header_is_that_of_the_points(self):
        rows = clock_model.rows_of(clock_model.fits_of(clock_model.read_points()))
        self.assertIn('{"xc7z020-1", ', rows)
        self.assertIn("kDevicePeriods[] = {\n" + rows + "};", clock_model.HEADER.read_text())

    def test_points_are_those_of_the_core(self):
        core = json.loads((SYNTH_DIR / "units.json").read_text())["devices"]
        for point in clock_model.read_points():
            if point["config"] == "configs/hw/default.yaml":
                known = core[point["device"]]["vta_core"]
                self.assertEqual(known, {corner: point[corner] for corner in unit_timing.CORNERS})


class CommandTest(unittest.TestCase):
    def run_timing(self, *arguments):
        command = [TIMING, "--build", os.environ["VTA_BINARY_DIR"], *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    def test_a_small_module(self):
        result = self.run_timing(CONFIG, "--top", "vta_queues", "--json", "--paths", "2")
        self.assertEqual(result.returncode, 0, result.stderr)
        data = json.loads(result.stdout)
        mhz = data["frequency_mhz"]
        self.assertTrue(mhz["calibrated"] > mhz["typical"] > mhz["full"], mhz)
        self.assertEqual(len(data["paths"]), 2)
        self.assertGreaterEqual(data["paths"][0]["delay_ns"], data["paths"][1]["delay_ns"])
        self.assertAlmostEqual(1e3 / data["paths"][0]["delay_ns"], mhz["calibrated"], delta=1)
        # So few LUTs are a nearly empty device.
        self.assertEqual((data["corner"], data["corner_of_paths"]), ("calibrated", "calibrated"))
        self.assertAlmostEqual(data["lut_share"], data["used"]["lut"] / 53200, delta=0.001)
        faster = json.loads(self.run_timing(CONFIG, "--top", "vta_queues", "--json", "--device", "xczu3eg").stdout)
        self.assertGreater(faster["frequency_mhz"]["typical"], 1.3 * mhz["typical"])

    def test_a_kept_netlist_gives_the_same(self):
        with tempfile.TemporaryDirectory() as folder:
            kept = pathlib.Path(folder) / "kept.json"
            made = self.run_timing(CONFIG, "--top", "vta_queues", "--json", "--keep-netlist", kept)
            self.assertEqual(made.returncode, 0, made.stderr)
            read_again = self.run_timing(CONFIG, "--top", "vta_queues", "--json", "--netlist", kept)
            self.assertEqual(read_again.stdout, made.stdout)
            luts = json.loads(made.stdout)["used"]["lut"]
            text = self.run_timing(CONFIG, "--top", "vta_queues", "--netlist", kept).stdout
            self.assertRegex(text, rf"estimated \d+ MHz, by calibrated: this netlist takes {luts:,} LUTs, \d+\.\d % of")
            self.assertIn("longest paths with calibrated wires", text)
            text = self.run_timing(CONFIG, "--top", "vta_queues", "--netlist", kept, "--corner", "full").stdout
            self.assertIn("longest paths with full wires", text)
            data = json.loads(self.run_timing(CONFIG, "--top", "vta_queues", "--json", "--netlist", kept,
                                              "--wire-factor", "1").stdout)
            self.assertEqual(data["frequency_mhz"]["calibrated"], data["frequency_mhz"]["typical"])

    def test_groups_have_slack_at_a_clock(self):
        with tempfile.TemporaryDirectory() as folder:
            kept, fast = (pathlib.Path(folder) / name for name in ("kept.json", "fast.yaml"))
            fast.write_text(CONFIG.read_text() + "clock_mhz: 250\n")
            made = self.run_timing(CONFIG, "--top", "vta_queues", "--json", "--keep-netlist", kept)
            self.assertEqual(made.returncode, 0, made.stderr)
            data = json.loads(made.stdout)
            self.assertIsNone(data["clock_mhz"])
            self.assertNotIn("slack_ns", data["groups"][0])
            for arguments, period_ns in (([CONFIG, "--clock", "125"], 8), ([fast], 4), ([fast, "--clock", "125"], 8)):
                with self.subTest(arguments):
                    options = [*arguments, "--top", "vta_queues", "--netlist", kept]
                    groups = json.loads(self.run_timing(*options, "--json").stdout)["groups"]
                    for group, known in zip(groups, data["groups"]):
                        self.assertEqual(group["delay_ns"], known["delay_ns"])
                        self.assertAlmostEqual(group["slack_ns"], period_ns - known["delay_ns"])
                    slack = groups[0]["slack_ns"]
                    text = self.run_timing(*options).stdout
                    self.assertIn(f"its slack at {1000 // period_ns} MHz", text)
                    self.assertIn(f"{groups[0]['delay_ns']:9.2f}{slack:9.2f}  {groups[0]['from']} -> ", text)

    def test_any_verilog(self):
        with tempfile.TemporaryDirectory() as folder:
            source = pathlib.Path(folder) / "adder.v"
            source.write_text("module adder #(parameter W = 4) (input clk, input [W-1:0] d, output reg [W-1:0] q);\n"
                              "always @(posedge clk) q <= q + d;\nendmodule\n")
            frequencies = []
            for width in ("8", "64"):
                result = self.run_timing("--verilog", source, "--top", "adder", "--set", f"W={width}", "--json")
                self.assertEqual(result.returncode, 0, result.stderr)
                data = json.loads(result.stdout)
                self.assertIn("uncertainty", data)
                frequencies.append(data["frequency_mhz"]["typical"])
            self.assertGreater(frequencies[0], frequencies[1])

    def test_wrong_usage(self):
        for arguments, reason in (([], "name a configuration, or sources"),
                                  ([CONFIG, "--verilog", "a.v"], "name a configuration, or sources"),
                                  ([CONFIG, "--set", "W=8"], "--set is for --verilog"),
                                  (["--verilog", "a.v", "--set", "W"], "--set takes NAME=VALUE"),
                                  ([CONFIG, "--netlist", "a", "--keep-netlist", "b"], "--keep-netlist is for"),
                                  ([CONFIG, "--clock", "0"], "--clock takes megahertz, 1 to 5000"),
                                  ([CONFIG, "--wire-factor", "-1"], "--wire-factor takes a number from 0 to 2")):
            with self.subTest(reason):
                result = self.run_timing(*arguments)
                self.assertEqual(result.returncode, 2)
                self.assertIn(reason, result.stderr)

    def test_bad_input(self):
        with tempfile.TemporaryDirectory() as folder:
            broken = pathlib.Path(folder) / "broken.json"
            broken.write_text('{"modules": {')
            empty = pathlib.Path(folder) / "empty.json"
            empty.write_text('{"modules": {"vta_core": {"cells": {}, "ports": {}, "netnames": {}}}}')
            for arguments, reason in (
                    ([CONFIG, "--device", "xc7nothing"], "unknown device xc7nothing; known: xc7z020"),
                    ([CONFIG, "--netlist", folder + "/none.json"], "cannot read the netlist"),
                    ([CONFIG, "--netlist", broken], "cannot read the netlist"),
                    ([CONFIG, "--netlist", empty, "--top", "vta_other"], "no module 'vta_other'"),
                    ([CONFIG, "--netlist", empty], "no register"),
                    ([folder + "/none.yaml"], "none.yaml"),
                    ([CONFIG, "--build", folder], "no vta-info in")):
                with self.subTest(reason):
                    result = self.run_timing(*arguments)
                    self.assertEqual(result.returncode, 1)
                    self.assertIn(reason, result.stderr)
                    self.assertEqual(result.stdout, "")


if __name__ == "__main__":
    unittest.main()
