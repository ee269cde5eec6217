"""The RTL elaborates without a warning in Verilator and Yosys for many configurations, and refuses parameters that it is
not built for with a message."""

import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BINARIES = pathlib.Path(os.environ["VTA_BINARY_DIR"]) / "bin"
RTL = ROOT / "hw" / "vta_rtl"

TEMPLATE = """name: lint
gemm: {{batch: {batch}, block_in: {block_in}, block_out: {block_out}, multipliers: {multipliers}}}
operands: {{inp_width_bits: 8, wgt_width_bits: 8, acc_width_bits: {acc_bits}, out_width_bits: 8}}
buffers: {{uop_buf_bytes: {uop}, inp_buf_bytes: {inp}, wgt_buf_bytes: {wgt}, acc_buf_bytes: {acc}}}
isa: {{extensions: {extensions}, qmul_multiplier_bits: 18, compat: none}}
queues: {{command_depth: {queue}, token_depth: {queue}}}
axi: {{data_width_bits: {data}, addr_width_bits: {addr}, outstanding_bursts: {bursts}, max_burst_beats: {beats}}}
clock_mhz: 100
compute: {{concurrent: {concurrent}, alu_passes: {passes}, acc_banks: {banks}, pipeline: {pipeline}}}
"""

DEFAULTS = dict(batch=1, block_in=16, block_out=16, uop="32KiB", inp="32KiB", wgt="256KiB", acc="128KiB",
                extensions="[qmul, clip, pad_min]", queue=512, data=64, addr=32, bursts=8, beats=16, concurrent="true",
                multipliers="packed", passes=1, banks=4, acc_bits=32, pipeline="fast")

# What the shipped configurations do not have: other buses, single entries, one lane, batch with unequal blocks.
UNUSUAL = {
    "bus32": dict(data=32, addr=64, bursts=1, beats=256),
    "bus128": dict(data=128, addr=40, beats=3),
    "bus512": dict(data=512, addr=64, bursts=16, block_in=8, block_out=8, inp="16KiB", wgt="64KiB", acc="64KiB",
                   extensions="[qmul, transpose]"),
    "one": dict(block_in=1, block_out=1, uop="64", inp="64", wgt="64", acc="64", queue=1, beats=1,
                extensions="[clip, transpose]"),
    # Scratchpads of two elements, the fewest there are.
    "two": dict(block_in=8, block_out=8, uop="16", inp="16", wgt="128", acc="64"),
    "pumped": dict(block_out=32, acc="64KiB", multipliers="double_pumped", passes=8, banks=2),
    "lut": dict(batch=2, block_in=8, block_out=8, inp="16KiB", wgt="64KiB", multipliers="lut", passes=2, banks=8),
    # Depths that are no powers of two, ACC's just above one.
    "odd": dict(block_in=8, uop="31KiB", inp="12296", wgt="24704", acc="66048", banks=8, extensions="[qmul, transpose]"),
    "batch": dict(batch=4, block_in=8, block_out=32, inp="8KiB", wgt="64KiB", acc="64KiB", data=256, extensions="[transpose]",
                  concurrent="false"),
    # Accumulators that fill no bytes; a relaxed pipeline, with and without several passes.
    "narrow": dict(block_in=2, block_out=2, acc_bits=25, inp="4KiB", wgt="4KiB", acc="16KiB"),
    "relaxed": dict(acc_bits=24, pipeline="relaxed", extensions="[qmul, clip, prelu, requant]"),
    "relaxed_passes": dict(pipeline="relaxed", passes=4, extensions="[qmul, clip, requant, lut]"),
    # The largest batch, and elements of ACC of 8 KiB.
    "batch64": dict(batch=64, block_in=1, block_out=32, uop="1KiB", inp="1KiB", wgt="1KiB", acc="16KiB", passes=8,
                    extensions="[qmul, clip, pad_min, prelu, requant, lut]"),
}


def rtl_files():
    return [str(RTL / line) for line in (RTL / "files.f").read_text().split()]


def run(*command):
    return subprocess.run([str(part) for part in command], text=True, capture_output=True, check=False)


class RtlTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def package_of(self, config, *options):
        package = self.folder / "vta_pkg.sv"
        result = run(BINARIES / "vta-info", "--rtl-package", package, "--hw", config, *options)
        self.assertEqual(result.returncode, 0, result.stderr)
        return package

    def unusual(self, name):
        config = self.folder / f"{name}.yaml"
        config.write_text(TEMPLATE.format(**{**DEFAULTS, **UNUSUAL[name]}))
        return config

    def lint(self, package):
        return run("verilator", "--lint-only", "-Wall", "--top-module", "vta_core", package, *rtl_files())

    def lint_without_warning(self, *configs, forms=([], ["--rtl-fast-simulation"])):
        for config in configs:
            for options in forms:
                with self.subTest(config.stem, options=options):
                    result = self.lint(self.package_of(config, *options))
                    self.assertEqual((result.returncode, result.stderr), (0, ""))

    @unittest.skipUnless(shutil.which("verilator"), "verilator is not installed")
    def test_default_has_no_warning(self):
        self.lint_without_warning(ROOT / "configs/hw/default.yaml",
                                  forms=([], ["--rtl-fast-simulation"], ["--rtl-no-packing", "--rtl-no-counters"]))

    @unittest.skipUnless(shutil.which("verilator"), "verilator is not installed")
    def test_shipped_have_no_warning(self):
        # Of the published HLS core there is no RTL here.
        shipped = [path for path in sorted((ROOT / "configs/hw").glob("*.yaml"))
                   if "timing: hls" not in path.read_text() and path.stem != "default"]
        self.assertGreaterEqual(len(shipped), 5)
        self.lint_without_warning(*shipped)

    @unittest.skipUnless(shutil.which("verilator"), "verilator is not installed")
    def test_unusual_have_no_warning(self):
        self.lint_without_warning(*(self.unusual(name) for name in UNUSUAL))

    @unittest.skipUnless(shutil.which("verilator"), "verilator is not installed")
    def test_the_package_in_the_tree_needs_no_build(self):
        result = run("verilator", "--lint-only", "-Wall", f"-I{RTL / 'package'}", "--top-module", "vta_core",
                     RTL / "package" / "vta_pkg.sv", *rtl_files())
        self.assertEqual((result.returncode, result.stderr), (0, ""))

    @unittest.skipUnless(shutil.which("verilator"), "verilator is not installed")
    def test_functional_coverage_fits_the_core(self):
        # It looks at registers of blocks from outside, by name.
        for config in ("configs/hw/default.yaml", "tests/sim/rtl/configs/short-queues-2x4x4.yaml",
                       "tests/sim/rtl/configs/wide-bus-2x2x2.yaml", "tests/sim/rtl/configs/taps-1x16x4.yaml"):
            package = self.package_of(ROOT / config)
            result = run("verilator", "--lint-only", "-Wall", "--top-module", "vta_core", package, *rtl_files(),
                         ROOT / "hw" / "coverage" / "vta_cover.sv")
            self.assertEqual((result.returncode, result.stderr), (0, ""))

    def sources_of(self, config, prefix):
        """The list of the files that --rtl-sources writes."""
        folder = self.folder / prefix
        result = run(BINARIES / "vta-info", "--rtl-sources", folder, "--rtl-prefix", prefix, "--hw", config)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(len(list(folder.iterdir())), len(rtl_files()) + 2)
        return folder / f"{prefix}files.f"

    @unittest.skipUnless(shutil.which("verilator") and shutil.which("yosys"), "verilator or yosys is not installed")
    def test_two_configurations_in_one_design(self):
        lists = [self.sources_of(ROOT / "configs" / "hw" / "default.yaml", "a_"),
                 self.sources_of(self.unusual("bus128"), "b_")]
        result = run("verilator", "--lint-only", "-Wall", "--top-module", "two_cores", "-F", lists[0], "-F", lists[1],
                     ROOT / "tests" / "hw" / "pair" / "two_cores.sv")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        files = [str(path.parent / line) for path in lists for line in path.read_text().split()]
        tops = "; ".join(f"hierarchy -check -top {prefix}vta_core" for prefix in ("a_", "b_"))
        result = run("yosys", "-q", "-p", f"read_verilog -sv -noassert {' '.join(files)}; design -save both; "
                     f"{tops.replace('; ', '; design -load both; ')}")
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)

    @unittest.skipUnless(shutil.which("yosys"), "yosys is not installed")
    def test_yosys_reads_it(self):
        package = self.package_of(ROOT / "configs" / "hw" / "tiny-buffers.yaml")
        files = " ".join([str(package)] + rtl_files())
        # It takes a name that it does not find for a new signal, which nobody drives.
        result = run("yosys", "-q", "-e", "implicitly declared", "-p",
                     f"read_verilog -sv -noassert {files}; hierarchy -check -top vta_core")
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)

    def refuse_constants(self, package, good, constants, message):
        """The check by itself: the other modules would say less clearly what is wrong."""
        text = good
        for name, value in constants.items():
            text, count = re.subn(rf"((?:unsigned|bit) {name} = )(1'b)?\d+;", rf"\g<1>{value};", text)
            self.assertEqual(count, 1)
        package.write_text(text)
        result = run("verilator", "--lint-only", "--top-module", "vta_config_check", package,
                     RTL / "core" / "vta_config_check.sv")
        self.assertNotEqual(result.returncode, 0)
        self.assertIn(message, result.stderr)

    @unittest.skipUnless(shutil.which("verilator"), "verilator is not installed")
    def test_bad_parameters_stop_elaboration(self):
        package = self.package_of(ROOT / "configs" / "hw" / "default.yaml")
        good = package.read_text()
        for name, value, message in (
            ("InpWidth", 4, "operands.inp_width_bits: 8"),
            ("AccWidth", 16, "operands.acc_width_bits: 24 to 32"),
            ("Batch", 3, "gemm.batch: powers of two"),
            ("AxiDataWidth", 48, "axi.data_width_bits: powers of two"),
            ("AxiAddrWidth", 20, "axi.addr_width_bits: 32 to 64"),
            ("OutstandingBursts", 0, "axi.outstanding_bursts: 1 to 256"),
            ("CommandDepth", 0, "queues.command_depth: 1 to 65536"),
            ("TokenDepth", 0, "queues.token_depth: 1 to 65536"),
            ("InpDepth", 1048576, "buffers.inp_buf_bytes: 2 to 65536 elements"),
            ("AccDepth", 2049, "buffers.acc_buf_bytes, compute.acc_banks: all banks of ACC are equally deep"),
            ("UopDepth", 8191, "buffers.uop_buf_bytes, axi.data_width_bits: a scratchpad has to hold a whole number"),
            ("UopLanes", 8192, "two beats"),
            ("QmulMultiplierBits", 40, "isa.qmul_multiplier_bits: 2 to 32"),
        ):
            with self.subTest(name):
                self.refuse_constants(package, good, {name: value}, message)
        for constants, message in (
            ({"ExtPrelu": 1, "ExtQmul": 0}, "isa.extensions: prelu needs qmul"),
            ({"ExtRequant": 1, "ExtQmul": 0}, "isa.extensions: requant needs qmul"),
            ({"ExtRequant": 1, "ExtClip": 0}, "isa.extensions: requant needs clip"),
            ({"ExtRequant": 1, "QmulMultiplierBits": 27}, "isa.qmul_multiplier_bits, isa.extensions: "),
            ({"QmulMultiplierBits": 25, "AccWidth": 24}, "isa.qmul_multiplier_bits, operands.acc_width_bits: "),
            ({"TableWidth": 32, "AccWidth": 31}, "operands.acc_width_bits, isa.extensions: "),
        ):
            with self.subTest(constants):
                self.refuse_constants(package, good, constants, message)
        with self.subTest("in the core"):
            package.write_text(re.sub(r"(unsigned TokenDepth = )\d+;", r"\g<1>0;", good))
            result = self.lint(package)
            self.assertNotEqual(result.returncode, 0)
            self.assertIn("queues.token_depth", result.stderr)
        for name, value, message in (
            ("AccLatency", 5, "ACC latency"),
            ("AluDepth", 5, "ALU depth"),
            ("GemmDepth", 5, "GEMM depth"),
        ):
            with self.subTest("fewer cycles than an engine has stages", name=name):
                text, count = re.subn(rf"(unsigned {name} = )\d+;", rf"\g<1>{value};", good)
                self.assertEqual(count, 1)
                package.write_text(text)
                result = self.lint(package)
                self.assertNotEqual(result.returncode, 0)
                self.assertIn(message, result.stderr)

    @unittest.skipUnless(shutil.which("verilator"), "verilator is not installed")
    def test_deeper_pipelines_lint(self):
        package = self.package_of(ROOT / "configs" / "hw" / "default.yaml")
        text = package.read_text()
        for name, value in (("AccLatency", 9), ("AluDepth", 8), ("GemmDepth", 10), ("LoadLatency", 3)):
            text, count = re.subn(rf"(unsigned {name} = )\d+;", rf"\g<1>{value};", text)
            self.assertEqual(count, 1)
        package.write_text(text)
        result = self.lint(package)
        self.assertEqual((result.returncode, result.stderr), (0, ""))

    def test_every_file_is_listed(self):
        listed = set((RTL / "files.f").read_text().split())
        # Flows take the package of their own configuration.
        package = {"package/vta_pkg.sv"}
        self.assertEqual(listed | package, {str(path.relative_to(RTL)) for path in RTL.rglob("*.sv")})


if __name__ == "__main__":
    unittest.main()
