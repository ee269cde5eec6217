"""The installed tree: what is in it, and the examples of C, C++ and Python built against it and run."""

import json
import os
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ["VTA_BINARY_DIR"])
EXAMPLES = ROOT / "examples" / "api"
DIGITS = ROOT / "examples" / "digits"
CONFIGURATION = ROOT / "configs" / "hw" / "default.yaml"
NAMES = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")


def run(*command, **options):
    result = subprocess.run([str(part) for part in command], capture_output=True, text=True, **options)
    if result.returncode != 0:
        raise AssertionError(f"{command}: {result.returncode}\n{result.stdout}\n{result.stderr}")
    return result


class InstallTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = Path(tempfile.mkdtemp(prefix="vta-install-"))
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        cls.prefix = cls.folder / "a prefix"
        for component in ("runtime", "dev", "python"):
            run("cmake", "--install", BUILD, "--prefix", cls.prefix, "--component", component)
        cls.library = next(cls.prefix.glob("lib/**/libvta.so.0")).parent
        cls.environment = {**os.environ, "LD_LIBRARY_PATH": str(cls.library),
                           "PYTHONPATH": str(cls.prefix / "lib/python3/dist-packages")}
        cls.module = cls.folder / "digits.vta.so"
        cls.image = cls.folder / "image.f32"
        np.full((1, 1, 32, 32), 0.25, np.float32).tofile(cls.image)

    def compiled(self):
        """The module of the example, which the compiler of this build makes."""
        compiler = BUILD / "bin" / "vta-compile"
        if not compiler.exists():
            self.skipTest("this build has no vta-compile")
        if not self.module.exists():
            run(compiler, DIGITS / "digits.onnx", "--preprocess", DIGITS / "preprocess.yaml",
                "--calibrate", DIGITS / "calibration", "-o", self.module)
        return self.module

    def python(self, text):
        if not list(BUILD.glob("python/vta/_native*")):
            self.skipTest("this build has no Python package: pybind11 is missing")
        return run("/usr/bin/python3", "-B", "-c", text, env=self.environment).stdout.strip()

    def test_only_the_functions_of_the_header_are_visible(self):
        lines = run("nm", "-D", "--defined-only", self.library / "libvta.so.0").stdout.splitlines()
        names = {line.split()[-1].split("@")[0] for line in lines if " A " not in line}
        header = re.sub(r"/\*.*?\*/", "", (self.prefix / "include/vta/vta.h").read_text(), flags=re.S)
        self.assertEqual(names, set(re.findall(r"\b(vta_\w+)\(", header)))

    def test_every_component_brings_its_licence(self):
        for package in ("libvta0", "libvta-dev", "python3-vta"):
            documents = self.prefix / "share/doc" / package
            self.assertEqual((documents / "copyright").read_bytes(), (ROOT / "LICENSE").read_bytes())
            self.assertEqual((documents / "SECURITY.md").read_bytes(), (ROOT / "SECURITY.md").read_bytes())

    def test_python_objects_say_what_they_are(self):
        module = self.compiled()
        shown = self.python(f"""
import vta
module = vta.Module({str(module)!r})
session = module.session("cycle")
print(repr(module), repr(module.inputs[0]), repr(module.layers[1]), repr(session.device), repr(session), sep="\\n")
print(repr(module.session(vta.Device(module, "functional"), per_layer=True)))
""").splitlines()
        self.assertEqual(shown[0], "<vta.Module 'digits.onnx' for default: 1 input, 1 output, 10 layers>")
        self.assertEqual(shown[1], "<vta.TensorInfo 'image': 1x1x32x32 float32>")
        self.assertRegex(shown[2], r"^<vta.LayerInfo 'conv1': Conv on vta, [\d,]+ MACs>$")
        self.assertRegex(shown[3], r"^<vta.Device 'cycle': default: 1x16x16 i8 w8 a32, .*>$")
        self.assertEqual(shown[4], "<vta.Session of 'digits.onnx' on cycle>")
        self.assertEqual(shown[5], "<vta.Session of 'digits.onnx' on functional>")

    def test_pkg_config_finds_the_library(self):
        environment = {**os.environ, "PKG_CONFIG_PATH": str(self.library / "pkgconfig")}
        self.assertIn("-lvta", run("pkg-config", "--libs", "vta", env=environment).stdout)

    def test_a_strict_c_compiler_takes_the_header(self):
        source = self.folder / "strict.c"
        source.write_text("#include <vta/vta.h>\n"
                          "int main(void) { return vta_api_version() == VTA_API_VERSION ? 0 : 1; }\n")
        program = self.folder / "strict"
        run("cc", "-std=c99", "-pedantic-errors", "-Wall", "-Wextra", "-Werror", f"-I{self.prefix / 'include'}", source,
            f"-L{self.library}", "-lvta", "-o", program)
        run(program, env=self.environment)

    def compile_program(self):
        """A program that compiles argv[1] with the options behind it and prints what it got."""
        program = self.folder / "compile"
        if not program.exists():
            source = self.folder / "compile.cpp"
            source.write_text("""
#include <iostream>
#include <vta/vta.hpp>
int main(int argc, char** argv) try {
  vta::api::CompileOptions options;
  options.arguments.assign(argv + 2, argv + argc);
  int lines = 0;
  options.progress = [&](const std::string& line) {
    if (line.find("throw") != std::string::npos) throw std::runtime_error("thrown: " + line);
    ++lines;
  };
  const vta::api::Module module = vta::api::compile(argv[1], options);
  std::cout << module.model() << " " << module.hardware() << " " << (lines > 0) << std::endl;
} catch (const vta::api::Error& error) {
  std::cout << vta_status_name(error.status()) << " | " << error.what() << std::endl;
} catch (const std::exception& error) {
  std::cout << error.what() << std::endl;
}
""")
            run("c++", "-std=c++17", "-Wall", "-Wextra", "-Werror", f"-I{self.prefix / 'include'}", source,
                f"-L{self.library}", "-lvta", "-o", program)
        return program

    def compiles(self, tool, *arguments):
        environment = {**self.environment, "VTA_COMPILE": str(tool)}
        return run(self.compile_program(), *arguments, env=environment).stdout.strip()

    def test_programs_compile_models(self):
        compiler = BUILD / "bin" / "vta-compile"
        if not compiler.exists():
            self.skipTest("this build has no vta-compile")
        digits = ROOT / "examples/digits/digits.onnx"
        self.assertEqual(self.compiles(compiler, digits, "--hw", "small-1x8x8"), "digits.onnx small-1x8x8 1")
        kept = self.folder / "kept.vta.so"
        wrong = self.compiles(compiler, digits, "--hw", "nothing.yaml")
        self.assertRegex(wrong, "^(unsupported|invalid argument) . .*nothing.yaml")
        self.assertRegex(self.compiles(compiler, digits, "--nonsense"), "^invalid argument . .*nonsense")
        self.assertFalse(kept.exists())
        self.assertRegex(self.compiles(compiler, self.folder / "none.onnx"), "^not found . .*none.onnx' does not exist")

    def test_compilers_that_fail_are_reported(self):
        digits = ROOT / "examples/digits/digits.onnx"
        self.assertRegex(self.compiles(self.folder / "no-tool", digits), "^not found . .*no-tool")
        self.assertEqual(self.compiles("/bin/false", digits), "internal error | vta-compile ended with exit code 1")
        tool = self.folder / "tool"
        tool.write_text("#!/bin/sh\nkill -9 $$\n")
        tool.chmod(0o755)
        self.assertRegex(self.compiles(tool, digits), "^internal error . vta-compile ended with signal 9")
        tool.write_text("#!/bin/sh\necho please throw\necho and go on\n")
        self.assertEqual(self.compiles(tool, digits), "thrown: please throw")

    def test_a_program_needs_a_model_and_a_place(self):
        source = self.folder / "places.c"
        source.write_text("#include <stdio.h>\n#include <vta/vta.h>\n"
                          "int main(void) { vta_module* m; vta_compile_options o; vta_compile_options_init(&o);\n"
                          "if (vta_compile(NULL, NULL, &m) != VTA_INVALID_ARGUMENT) return 1;\n"
                          "if (vta_compile(\"m.onnx\", NULL, NULL) != VTA_INVALID_ARGUMENT) return 2;\n"
                          "o.argument_count = 1;\n"
                          "return vta_compile(\"m.onnx\", &o, &m) == VTA_INVALID_ARGUMENT ? 0 : 3; }\n")
        program = self.folder / "places"
        run("cc", "-std=c99", "-Wall", "-Wextra", "-Werror", f"-I{self.prefix / 'include'}", source,
            f"-L{self.library}", "-lvta", "-o", program)
        run(program, env=self.environment)

    def test_python_reports_errors(self):
        text = self.python("import vta\n"
                           "try:\n  vta.Module('/nonexistent.so')\n"
                           "except vta.Error as e:\n  print(e.status, '|', e)")
        self.assertTrue(text.startswith("not found | '/nonexistent.so': "), text)

    def test_python_compiles_through_the_tool(self):
        text = self.python("import os, vta\n"
                           "os.environ['VTA_COMPILE'] = '/bin/false'\n"
                           "try:\n  vta.compile('m.onnx', hw='wide')\n"
                           "except vta.Error as e:\n  print(e)")
        self.assertEqual(text, "vta-compile ended with exit code 1")

    def examples(self):
        """The folder with the examples in C and C++, built against the installed tree."""
        build = self.folder / "examples"
        if not build.exists():
            run("cmake", "-S", EXAMPLES, "-B", build, f"-DCMAKE_PREFIX_PATH={self.prefix}")
            run("cmake", "--build", build)
        return build

    def example(self, *command):
        return subprocess.run([str(part) for part in command], capture_output=True, text=True, check=False,
                              env=self.environment)

    def test_the_examples_of_all_languages_agree(self):
        build = self.examples()
        for program in ("classify_c", "classify_cpp"):
            wrong = self.example(build / program, "/nonexistent.so", self.image)
            self.assertEqual(wrong.returncode, 1)
            self.assertIn("'/nonexistent.so': cannot read it", wrong.stderr)
        module = self.compiled()
        commands = ([build / "classify_c"], [build / "classify_cpp"],
                    ["/usr/bin/python3", "-B", EXAMPLES / "classify.py"])
        digits = {run(*command, module, self.image, device, env=self.environment).stdout
                  for command in commands for device in ("functional", "cycle")}
        self.assertEqual(len(digits), 1, digits)

    def test_python_runs_kernels_outside_the_tree(self):
        self.assertEqual(self.python("""
import numpy as np
import vta.tile as vt
@vt.kernel(a=vt.acc["N"], b=vt.acc["N"], y=vt.out["N"])
def add(a, b, y, N, B=2):
    for i in vt.range(N, B, stages=2):
        vt.store(y[i:i + B], vt.load(a[i:i + B]) + vt.load(b[i:i + B]))
a = np.arange(64, dtype=np.int32)
run = add.run(a, a, device="cycle", check=True)
print(run.output.sum(), run.cycles > 0)
"""), f"{64 * 63} True")

    def test_kernels_become_operators_of_models_outside_the_tree(self):
        compiler = BUILD / "bin" / "vta-compile"
        if not compiler.exists():
            self.skipTest("this build has no vta-compile")
        self.assertEqual(self.python(f"""
import os
import numpy as np
import onnx
import vta
import vta.tile as vt
from onnx import TensorProto, helper
@vt.kernel(a=vt.acc8["N", "C"], y=vt.out["N", "C"])
def half(a, y, N, C):
    for c in vt.range(C, stages=2):
        vt.store(y[:, c:c + 1], vt.load(a[:, c:c + 1]) >> 1)
a = np.arange(-32, 32, dtype=np.int8).reshape(1, 64)
os.chdir({str(self.folder)!r})
vt.save("half.yaml", half.compile(a))
node = helper.make_node
function = helper.make_function("vta.kernels", "half", ["a"], ["y"], [
    node("Cast", ["a"], ["f"], to=TensorProto.FLOAT), node("Constant", [], ["two"], value_float=2.0),
    node("Div", ["f", "two"], ["h"]), node("Floor", ["h"], ["r"]), node("Cast", ["r"], ["y"], to=TensorProto.INT8)],
    [helper.make_opsetid("", 13)])
port = [helper.make_tensor_value_info(name, TensorProto.INT8, [1, 64]) for name in "xz"]
graph = helper.make_graph([node("half", ["x"], ["z"], name="half", domain="vta.kernels")], "g", port[:1], port[1:])
onnx.save(helper.make_model(graph, functions=[function], ir_version=8, opset_imports=[
    helper.make_opsetid("", 13), helper.make_opsetid("vta.kernels", 1)]), "half.onnx")
os.environ["VTA_COMPILE"] = {str(compiler)!r}
module = vta.compile("half.onnx", kernels="half.yaml", partition="vta")
print([str(layer.where) for layer in module.layers].count("vta"), np.array_equal(module.run(a), a >> 1))
"""), "1 True")

    def test_kernels_are_lowered_outside_the_tree(self):
        build = self.folder / "kernels"
        run("cmake", "-S", ROOT / "examples" / "kernels", "-B", build, f"-DCMAKE_PREFIX_PATH={self.prefix}")
        run("cmake", "--build", build)
        lines = run(build / "matmul", env=self.environment).stdout.splitlines()
        self.assertEqual(lines[:2], ["reference: same", "assembler: same"])
        own, built_in = map(int, re.fullmatch(r"cycles: (\d+), built in: (\d+)", lines[2]).groups())
        self.assertLess(own, 1.03 * built_in)

    def test_the_example_of_a_folder_reads_every_digit(self):
        self.python("import vta")
        module = self.compiled()
        script = ("/usr/bin/python3", "-B", EXAMPLES / "folder.py", module)
        lines = run(*script, DIGITS / "images", env=self.environment).stdout.splitlines()
        self.assertEqual(len(lines), len(list((DIGITS / "images").glob("*.png"))))
        for line in lines:
            name, digit = line.split()
            self.assertEqual(name.split("-")[0], NAMES[int(digit)])
        empty = self.example(*script, self.prefix)
        self.assertEqual((empty.returncode, empty.stderr), (1, f"folder.py: '{self.prefix}' has no .png file\n"))
        wrong = self.example(*script, DIGITS / "images", "nonsense")
        self.assertEqual(wrong.returncode, 1)
        self.assertIn("folder.py: unknown device 'nonsense'; known: functional, cycle, zynq", wrong.stderr)

    def test_the_example_of_the_simulator_has_the_cycles_of_vta_run(self):
        build, module = self.examples(), self.compiled()
        slow = Path("slow.yaml")
        (self.folder / slow).write_text("kind: simple\nlatency_cycles: 300\nbeats_per_cycle: 1\noutstanding: 32\n")
        header, *rows = run(build / "simulate", module, "simple", slow, env=self.environment,
                             cwd=self.folder).stdout.splitlines()
        self.assertEqual(header.split(), ["layer", "simple", str(slow)])
        table = {name: (int(fast), int(late)) for name, fast, late in map(str.split, rows)}
        report = json.loads(run(BUILD / "bin/vta-run", "--sim=cycle", module, "--json").stdout)
        wanted = {layer["name"]: layer["cycles_in_run"] for layer in report["layers"] if layer["cycles"]}
        wanted["all"] = report["totals"]["cycles"]
        self.assertEqual(wanted["all"], sum(cycles for name, cycles in wanted.items() if name != "all"))
        self.assertEqual({name: fast for name, (fast, _) in table.items()}, wanted)
        self.assertTrue(all(late > fast for fast, late in table.values()), table)
        wrong = self.example(build / "simulate", module, "nonsense")
        self.assertEqual(wrong.returncode, 1)
        self.assertIn("nonsense", wrong.stderr)

    def test_a_library_names_its_devices(self):
        text = self.python("import vta\nprint(*vta.Device.kinds())\n"
                           f"try:\n  vta.Device.for_configuration({str(CONFIGURATION)!r}, 'zynq:uio=/nonexistent')\n"
                           "except vta.Error as e:\n  print(e)")
        kinds, error = text.splitlines()
        self.assertEqual(kinds.split(), ["functional", "cycle", "zynq"])
        self.assertTrue("/nonexistent" in error or "there is no /sys/class/uio" in error, error)

    def test_python_runs_in_the_background_and_shows_profiles(self):
        module = self.compiled()
        self.python(f"""
import numpy as np, vta
module = vta.Module({str(module)!r})
x = np.zeros((1, 1, 32, 32), np.float32)
expected = module.run(x)
session = module.session("cycle", per_layer=True)
session.start(image=x)
assert session.wait(60)
session.start(image=x)
assert session.wait()
assert np.array_equal(session.outputs()["probabilities"], expected)
assert sum(row["cycles_in_run"] for row in session.profile) == session.cycles > 0
assert all(0 <= row["copy_seconds"] <= row["host_seconds"] for row in session.profile)
assert sum(row["cycles"] for row in session.profile) >= session.cycles
plain = module.session("cycle")
plain.run(x)
assert plain.cycles == session.cycles
assert sum(row["cycles_in_run"] for row in plain.profile) == session.cycles
for wrong in ((x[0],), (x, x), ()):
    try:
        module.run(*wrong)
        raise SystemExit("no error")
    except vta.Error as error:
        assert error.status == "invalid argument", error
""")

    def test_the_tools_bring_the_rtl(self):
        tools = [path.stem for path in BUILD.glob("share/man/man1/*.1")]
        if "vta-opt" not in tools or not all((BUILD / "bin" / tool).exists() for tool in tools):
            self.skipTest("this build has not all tools")
        prefix = self.folder / "tools"
        run("cmake", "--install", BUILD, "--prefix", prefix, "--component", "tools")
        licences = prefix / "share/doc/vta-tools"
        self.assertEqual((licences / "copyright").read_bytes(), (ROOT / "LICENSE").read_bytes())
        for file in ("LICENSE", "LICENSE-d3", "NOTICE"):
            self.assertEqual((licences / "third_party/echarts" / file).read_bytes(),
                             (ROOT / "third_party/echarts" / file).read_bytes())
        rtl = prefix / "share/vta/rtl"
        names = (rtl / "hw/vta_rtl/files.f").read_text().split()
        for file in (*(f"hw/vta_rtl/{name}" for name in names), "sim/rtl/model/vta_model.cpp", "sim/rtl/model/vta_model.h",
                     "sim/rtl/model/vta_probe.vlt", "sim/rtl/model/vta_start_probe.sv", "hw/coverage/vta_cover.sv"):
            self.assertEqual((rtl / file).read_bytes(), (ROOT / file).read_bytes())
        # It is what the installed program builds its models from.
        (rtl / "hw/vta_rtl/files.f").write_text("of_this_prefix.sv")
        result = subprocess.run([prefix / "bin/vta-run", ROOT / "examples/digits/digits.onnx", "--sim=rtl"],
                                capture_output=True, text=True, check=False, cwd=self.folder,
                                env={**self.environment, "VTA_CACHE_DIR": str(self.folder / "cache")})
        self.assertEqual(result.returncode, 1, result.stdout)
        self.assertIn(str(rtl / "hw/vta_rtl/of_this_prefix.sv"), result.stderr)

    @unittest.skipUnless(shutil.which("cpack") and shutil.which("dpkg-deb"), "cpack or dpkg-deb is not installed")
    def test_debian_packages_hold_what_their_names_say(self):
        packages = self.folder / "packages"
        run("cpack", "-G", "DEB", "--config", BUILD / "CPackConfig.cmake", "-B", packages,
            "-D", "CPACK_COMPONENTS_ALL=runtime;dev;python", cwd=BUILD)
        root = self.folder / "root"
        contents = {}
        for package in sorted(packages.glob("*.deb")):
            name = run("dpkg-deb", "-f", package, "Package").stdout.strip()
            contents[name] = run("dpkg-deb", "-c", package).stdout
            run("dpkg-deb", "-x", package, root)
        self.assertEqual(sorted(contents), ["libvta-dev", "libvta0", "python3-vta"])
        for name, listed in contents.items():
            self.assertIn(f"/usr/share/doc/{name}/copyright", listed)
        for package in packages.glob("*.deb"):
            maintainer = run("dpkg-deb", "-f", package, "Maintainer").stdout
            self.assertEqual(maintainer, (ROOT / "cmake/maintainer.txt").read_text())
            self.assertNotIn("localhost", maintainer)
        self.assertRegex(contents["libvta0"], r"/usr/lib/\S*libvta\.so\.0")
        self.assertNotIn(".h\n", contents["libvta0"])
        self.assertIn("/usr/include/vta/vta.h", contents["libvta-dev"])
        self.assertIn("vtaConfig.cmake", contents["libvta-dev"])
        self.assertIn("/usr/lib/python3/dist-packages/vta/__init__.pyi", contents["python3-vta"])
        # The package finds the library of its own root.
        environment = {**os.environ, "PYTHONPATH": str(root / "usr/lib/python3/dist-packages")}
        run("/usr/bin/python3", "-B", "-c", "import vta; assert 'cycle' in vta.Device.kinds()", env=environment)


if __name__ == "__main__":
    unittest.main()
