"""Command lines that no tool takes: one message, exit code 2."""

import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "cases"))

from tool_case import DIGITS, DIGITS_OPTIONS, HW, ROOT, ToolCase, tool  # noqa: E402

MODEL = DIGITS / "digits.onnx"
# vta-opt and vta-translate have LLVM's command line.
TOOLS = ("vta-run", "vta-compile", "vta-info", "vta-objdump", "vta-cosim", "vta-validate", "vta-rtl-models",
         "vta-tune", "vta-flash", "vta-random-networks", "vta-onnx-conformance")


class UsageTest(ToolCase):
    def test_wrong_usage_exits_with_2(self):
        for arguments, text in [([], "model"), ([MODEL, "--no-such"], "--no-such"),
                                ([MODEL, "--waves=x.fst"], "needs --sim=rtl"), ([MODEL, "--sim=x"], "no such simulator"),
                                ([MODEL, "--sim=rtl", "--waves-from=3"], "need --waves"),
                                ([MODEL, "--sim=functional", "--timing-only"], "--timing-only needs --sim=cycle"),
                                ([MODEL, "--sim=functional", "--dram=simple"], "--dram needs --sim=cycle"),
                                ([MODEL, "--sim=functional", "--trace=t.json"], "--trace needs --sim=cycle"),
                                ([MODEL, "--timing-only", "--verify"], "no values to verify"),
                                ([MODEL, "--device=pcie:0"], "no hardware"), ([MODEL, "--host=tpu"], "this build has no such machine; it has cpu, gpu"),
                                ([MODEL, "--host=gpu:"], "write gpu, gpu:N or gpu:NAME"), ([MODEL, "--host=cpu:1"], "write cpu"),
                                ([MODEL, "--host=cpu", "--partition=gpu"], "--partition says that operators run on a GPU"),
                                ([MODEL, "--shape", "batch"], "NAME=N"), ([MODEL, "--shape", "n=0"], "at least 1"),
                                ([MODEL, "--gpu-precision=float8"], "float8 not in {float16,float32}"),
                                ([MODEL, "--partition=moon"], "moon not in {auto,cpu,cpu-quantized,gpu,gpu-quantized,vta}"),
                                ([MODEL, "--calibration-method=x"], "x not in {auto,kl,minmax,mse,percentile}"),
                                ([MODEL, "--activations=fpga"], "fpga not in {alu,auto,host}"),
                                ([MODEL, "--rescaling=quick"], "quick not in {exact,fast}"),
                                ([MODEL, "--float-layers", "auto:0"], "write auto:N with a whole number N"),
                                ([MODEL, "--wide-activations", "auto:two"], "write auto:N with a whole number N"),
                                ([MODEL, "--wide-activations", "auto,none"], "contradict each other"),
                                ([MODEL, "--weight-groups", "0"], "'0' is not auto, none or a whole number of channels"),
                                ([MODEL, "--weight-groups", "64x"], "'64x' is not auto, none or a whole number"),
                                ([MODEL, "--schedules", "a.yaml", "--schedules", "b.yaml"], "one file at most"),
                                ([MODEL, "--top", "0"], "--top"),
                                ([MODEL, "--energy=7nm"], "--energy needs --profile, --profile-csv, --report or --json"),
                                ([MODEL, "--labels-csv", "x.csv"], "needs --input")]:
            with self.subTest(arguments):
                self.refuse("vta-run", *arguments, code=2, says=[text])
        self.refuse("vta-compile", code=2, says=["model"])

    def test_options_of_quantisation_are_the_same_everywhere(self):
        for tool in ("vta-run", "vta-compile", "vta-tune"):
            for arguments, text in [(["--float-layers", "auto:0"], "write auto:N with a whole number N"),
                                    (["--wide-activations", "auto,none"], "contradict each other"),
                                    (["--static-ranges"], "give them with --calibrate"),
                                    (["--rescaling=quick"], "quick not in {exact,fast}")]:
                with self.subTest(tool, arguments=arguments):
                    self.refuse(tool, MODEL, *arguments, code=2, says=[text])

    def test_every_tool_knows_its_options(self):
        for name in TOOLS:
            with self.subTest(name):
                needed = ["x"] if name in ("vta-run", "vta-compile", "vta-objdump", "vta-rtl-models") else []
                self.refuse(name, *needed, "--no-such", code=2, says=["--no-such", f"Run {name} --help"])

    def test_counts_are_at_least_one(self):
        for name, option in [("vta-cosim", "--count"), ("vta-validate", "--programs"),
                             ("vta-random-networks", "--cases")]:
            for value in ("0", "-1"):
                with self.subTest(name, value=value):
                    self.refuse(name, option, value, code=2, says=[option, "1"])
        self.refuse("vta-cosim", "--seed", "-1", code=2, says=["--seed"])

    def test_conformance_tool(self):
        self.refuse("vta-onnx-conformance", "--filter", "[", code=2, says=["--filter", "'['"])
        self.refuse("vta-onnx-conformance", "--cases", self.folder / "none", says=["none", "--cases"])
        self.refuse("vta-onnx-conformance", "--cases", self.folder, "--report", self.folder / "none/r.json",
                    says=["none/r.json"])

    def test_info(self):
        self.refuse("vta-info", "--configs", self.folder / "none", says=["none"])
        self.refuse("vta-info", "--configs", self.folder, says=["no configuration", ".yaml"])
        package = self.folder / "none/vta_pkg.sv"
        self.refuse("vta-info", "--rtl-package", package, "--hw", HW / "default.yaml", says=[str(package), "No such file"])
        self.refuse("vta-info", "--rtl-package", package, code=2, says=["--hw"])
        self.refuse("vta-info", "--hw", HW / "default.yaml", code=2, says=["--hw needs --rtl-package or --rtl-sources"])
        self.refuse("vta-info", "--rtl-no-counters", code=2, says=["--rtl-no-counters needs --rtl-package"])
        self.refuse("vta-info", "--rtl-prefix", "a_", code=2, says=["--rtl-sources"])

    def test_rtl_sources(self):
        sources = ["--hw", HW / "default.yaml", "--rtl-sources"]
        for prefix in ("", "1st_", "a-", "a b", "a$", "\u00e4_", "a" * 65):
            self.refuse("vta-info", *sources, self.folder / "rtl", "--rtl-prefix", prefix, says=[f"'{prefix}'", "a prefix is"])
        self.assertFalse((self.folder / "rtl").exists())
        self.refuse("vta-info", *sources, self.folder / "none/rtl", says=["none/rtl", "No such file"])
        self.refuse("vta-info", *sources, self.write("file", ""), says=["file"])
        self.refuse("vta-info", "--hw", HW / "vta-0.0.2-hls.yaml", "--rtl-sources", self.folder / "rtl", says=["RTL"])

    def test_help_and_version(self):
        for name in TOOLS:
            with self.subTest(name):
                text = self.succeed(name, "--help")
                self.assertIn(name, text)
                if name.removeprefix("vta-") not in ("random-networks", "onnx-conformance"):
                    self.assertIn("Example", text)
                commit = r" \([0-9a-f]{12,40}(\+changes)?\)" if (ROOT / ".git").exists() else ""
                self.assertRegex(self.succeed(name, "--version"), rf"^{name} \d+\.\d+\.\d+{commit}$")

    def test_seeds_are_64_bit_numbers(self):
        for name, *needed in [("vta-run", MODEL), ("vta-compile", MODEL), ("vta-cosim",), ("vta-validate",)]:
            for value in ("-1", "99999999999999999999999", "1.5", "x"):
                with self.subTest(name, value=value):
                    self.refuse(name, *needed, f"--seed={value}", code=2,
                                says=["--seed", f"{value} is not a whole number from 0 to 18446744073709551615"])

    def test_options_that_repeat_leave_the_model_alone(self):
        none = self.folder / "none.onnx"
        file = self.write("x.npy", "")
        common = ["--calibrate", "--float-layers", "--wide-activations", "--shape"]
        for name, options in {"vta-run": ["--input", "-i", *common, "--schedules"],
                              "vta-compile": [*common, "--schedules"],
                              "vta-tune": [*common, "--dram"]}.items():
            for option in options:
                with self.subTest(name, option=option):
                    value = {"--shape": "n=1", "--dram": "simple"}.get(option, file)
                    # The model is looked for: it was not taken as a second value.
                    self.refuse(name, option, value, none, says=["none.onnx"], cwd=self.folder)
                    self.refuse(name, option, value, option, value, none, code=1 if option != "--schedules" else 2,
                                cwd=self.folder)
        for name, *options in [("vta-tune", "--compare", "learned"), ("vta-sweep", "--model", file),
                               ("vta-sweep", "--report", "r.html", "--layers-of", "1"),
                               ("vta-flash", "--jtag-option", "x=y")]:
            with self.subTest(name, options=options):
                self.refuse(name, *options, none, says=["none.onnx"], cwd=self.folder)
        for options in (["--device", "functional"], ["--device", "functional", "--hw", "default"]):
            self.refuse("vta-server", *options, "extra", code=2, says=["not expected: extra"])
        for option in ("--hw", "--module", "--memory"):
            self.refuse("vta-validate", option, "a.yaml", "extra", code=2, says=["extra"])

    def test_sim_takes_names_and_leaves_files(self):
        for arguments in (["--sim", "functional", MODEL], ["--sim", MODEL], [MODEL, "--sim"]):
            with self.subTest(arguments):
                self.succeed("vta-run", *arguments, *DIGITS_OPTIONS)

    def test_configurations_by_name(self):
        for name, *arguments in [("vta-run", MODEL), ("vta-compile", MODEL, "-o", self.folder / "m.so"),
                                 ("vta-cosim", "--count=1"), ("vta-validate",)]:
            with self.subTest(name):
                self.refuse(name, *arguments, "--hw", "wied", code=2,
                            says=["'wied' is neither a file nor a configuration", "default", "did you mean wide?"])
        self.succeed("vta-compile", MODEL, *DIGITS_OPTIONS, "--hw", "wide", "-o", self.folder / "m.so")
        self.assertIn("accelerator: wide:", self.succeed("vta-objdump", self.folder / "m.so"))

    def test_mistyped_options(self):
        for name, wrong, right in [("vta-run", "--profle", "--profile"), ("vta-compile", "--tagret=x", "--target"),
                                   ("vta-info", "--jsno", "--json")]:
            self.refuse(name, *([MODEL] if name != "vta-info" else []), wrong, code=2, says=[f"did you mean {right}?"])
        result = self.refuse("vta-info", "--xyzzy", code=2)
        self.assertNotIn("did you mean", result.stderr)

    def test_mistyped_values(self):
        for option, wrong, right in [("--sim", "cycel", "cycle"), ("--dram", "DDR3-1067", "DDR3-1066"),
                                     ("--hw", "walde", "wide"), ("--partition", "cup", "cpu"),
                                     ("--energy", "7mn", "7nm"), ("--calibration-method", "minmx", "minmax")]:
            with self.subTest(option):
                more = ["--profile"] if option == "--energy" else []
                result = tool("vta-run", MODEL, *DIGITS_OPTIONS, f"{option}={wrong}", *more)
                self.assertIn(result.returncode, (1, 2))
                self.assertIn(f"did you mean {right}?", result.stderr)
        self.refuse("vta-tune", MODEL, "--searcher=lerned", code=2, says=["did you mean learned?"])
        self.refuse("vta-tune", MODEL, "--launcher=slrum", code=2, says=["did you mean slurm?"])
        self.refuse("vta-run", MODEL, *DIGITS_OPTIONS, "--input", "imge=x.npy", says=["did you mean image?"])
        self.refuse("vta-run", MODEL, *DIGITS_OPTIONS, "--float-layers=cnv1", says=["did you mean conv1?"])
        self.refuse("vta-compile", MODEL, "--cpu=x86-64-v33", "-o", self.folder / "m.so",
                    says=["did you mean x86-64-v3?"])
        hw = self.write("x.yaml", "gemm: {blok_in: 8}\n")
        self.refuse("vta-run", MODEL, "--hw", hw, says=["unknown key gemm.blok_in", "did you mean block_in?"])

    def test_names_of_configurations_mean_those_of_the_sdk(self):
        own = self.folder / "configs" / "hw"
        own.mkdir(parents=True)
        (own / "wide.yaml").write_text("nonsense: 1\n")
        self.write("wide", "nonsense: 1\n")
        shown = self.succeed("vta-compile", MODEL, *DIGITS_OPTIONS, "--hw", "wide", "-o", "m.so", "--json",
                             cwd=self.folder)
        self.assertIn('"wide"', shown)
        self.refuse("vta-compile", MODEL, "--hw", "./wide", "-o", "m.so", cwd=self.folder, says=["nonsense"])
        self.refuse("vta-compile", MODEL, "--hw", "configs/hw/wide.yaml", "-o", "m.so", cwd=self.folder,
                    says=["nonsense"])
        self.refuse("vta-compile", MODEL, "--hw", "strange", "-o", "m.so", code=2, cwd=self.folder,
                    says=["neither a file nor a configuration"])
        self.write("strange", "nonsense: 1\n")
        self.refuse("vta-compile", MODEL, "--hw", "strange", "-o", "m.so", cwd=self.folder, says=["nonsense"])

    def test_cpus(self):
        module = self.folder / "m.so"
        self.refuse("vta-compile", MODEL, "--cpu=pdp11", "-o", module, says=["unknown CPU 'pdp11'", "x86-64-v3"])
        self.refuse("vta-compile", MODEL, "--target=armv7", "--cpu=x86-64-v3", "-o", module, says=["cortex-a9"])
        self.assertFalse(module.exists())
        self.succeed("vta-compile", MODEL, *DIGITS_OPTIONS, "--target=armv7", "--cpu=cortex-a9", "-o", module)
        self.succeed("vta-compile", MODEL, *DIGITS_OPTIONS, "--cpu=x86-64", "-o", module)

    def test_help_is_grouped_and_wrapped(self):
        for name, *headings in [("vta-run", "Where it runs:", "Results:"), ("vta-compile", "Quantisation:")]:
            lines = self.succeed(name, "--help").splitlines()
            for heading in headings:
                self.assertIn(heading, lines)
            options = [line for line in lines if line.startswith("  -") or line.startswith(32 * " ")]
            self.assertGreater(len(options), 20)
            self.assertLessEqual(max(map(len, options)), 100)

    def test_usage_line(self):
        self.assertIn("Usage: vta-run [OPTIONS] model\n", self.succeed("vta-run", "--help"))


if __name__ == "__main__":
    unittest.main()
