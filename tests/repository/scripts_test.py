"""The shell scripts: syntax, help, wrong usage, and scripts/setup on machines that lack packages."""

import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

from source_tree import ROOT, source_files, text_of

_BASH = shutil.which("bash")


def run(*command, **kwargs):
    return subprocess.run(command, capture_output=True, text=True, check=False, **kwargs)


def shell_scripts():
    return [path for path in source_files()
            if (text_of(path) or "").startswith("#!/usr/bin/env bash") or path.suffix == ".sh"]


class ScriptsTest(unittest.TestCase):
    def test_syntax(self):
        scripts = shell_scripts()
        self.assertGreater(len(scripts), 4)
        for script in scripts:
            result = run(_BASH, "-n", ROOT / script)
            self.assertEqual((script, result.returncode, result.stderr), (script, 0, ""))

    def test_commands_are_executable_and_libraries_are_not(self):
        for script in shell_scripts():
            self.assertEqual(os.access(ROOT / script, os.X_OK), script.suffix != ".sh", script)

    def test_help_and_wrong_usage(self):
        for name in ("setup", "build", "test", "demo", "format", "tidy", "benchmarks", "fuzz",
                     "operators_table", "cosim", "coverage-rtl", "validate-timing", "rtl-models", "site", "release",
                     "try-packages", "compare_cpu", "web"):
            with self.subTest(name):
                result = run(ROOT / "scripts" / name, "--help", cwd="/")
                self.assertEqual(result.returncode, 0, result.stderr)
                self.assertIn(f"Usage: scripts/{name}", result.stdout)
        for name in ("setup", "build", "demo", "format", "tidy", "benchmarks", "fuzz", "operators_table",
                     "cosim", "coverage-rtl", "validate-timing", "rtl-models", "site", "try-packages", "compare_cpu", "web"):
            with self.subTest(name):
                result = run(ROOT / "scripts" / name, "--no-such-option", cwd="/")
                self.assertEqual(result.returncode, 2, result.stderr)
                self.assertIn("--no-such-option", result.stderr)

    def test_rtl_configs_are_those_whose_hardware_is_the_rtl(self):
        result = run(_BASH, "-c", "source scripts/lib.sh; rtl_configs configs/hw tests/sim/rtl/configs", cwd=ROOT)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        listed = set(result.stdout.split())
        there = {str(path.relative_to(ROOT)) for folder in ("configs/hw", "tests/sim/rtl/configs")
                 for path in (ROOT / folder).glob("*.yaml")}
        self.assertEqual(there - listed, {"configs/hw/vta-0.0.2-hls.yaml"})
        self.assertEqual(listed - there, set())


class TryPackagesTest(unittest.TestCase):
    """What is wrong is said before a system is made."""

    def check(self, arguments, code, text):
        result = run(ROOT / "scripts" / "try-packages", *arguments, cwd="/")
        self.assertEqual(result.returncode, code, result.stderr)
        self.assertIn(text, result.stderr)

    def test_what_is_wrong_is_said_first(self):
        with tempfile.TemporaryDirectory() as folder:
            self.check([], 2, "no folder with packages")
            self.check([folder, "second"], 2, "not 'second' too")
            self.check([folder, "--architecture", "mips"], 2, "not 'mips'")
            self.check(["/nonexistent"], 1, "'/nonexistent' is no folder")
            self.check([folder], 1, "has no package for amd64, armhf or arm64")
            (Path(folder) / "a_1_armhf.deb").touch()
            self.check([folder, "--architecture", "arm64"], 1, "has no package for arm64")


class SetupTest(unittest.TestCase):
    """scripts/setup with a PATH of fakes: nothing is installed."""

    def setUp(self):
        self.folder = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)
        for tool in ("bash", "env", "dirname", "basename", "grep", "sed", "tr", "cat", "mktemp", "rm"):
            (self.folder / tool).symlink_to(shutil.which(tool))

    def fake(self, name, body):
        path = self.folder / name
        path.write_text(f"#!{_BASH}\n{body}\n")
        path.chmod(0o755)

    def setup(self, *arguments):
        return run(_BASH, ROOT / "scripts/setup", *arguments, env={"PATH": str(self.folder)})

    def test_not_debian(self):
        result = self.setup()
        self.assertEqual(result.returncode, 1)
        self.assertIn("not Debian", result.stderr)

    def test_nothing_missing_calls_nothing(self):
        self.fake("dpkg-query", 'shift 2; for p in "$@"; do echo "ii $p"; done')
        self.fake("apt-get", f'echo "$@" >>{self.folder}/calls')
        result = self.setup()
        self.assertEqual((result.returncode, result.stdout, result.stderr), (0, "", ""))
        self.assertFalse((self.folder / "calls").exists())

    def test_missing_and_removed_packages_are_installed_as_root(self):
        self.fake("dpkg-query", 'shift 2; for p in "$@"; do case $p in ccache) ;; cmake) echo "rc $p";; '
                                '*) echo "ii $p";; esac; done; exit 1')
        self.fake("apt-get", f'echo "$@" >>{self.folder}/calls')
        self.fake("id", "echo 0")
        result = self.setup()
        self.assertEqual(result.returncode, 0, result.stderr)
        update, install = (self.folder / "calls").read_text().splitlines()
        self.assertTrue(update.endswith("update"))
        self.assertTrue(install.endswith("--yes cmake ccache"), install)
        self.assertEqual(self.setup("--list").stdout.split(), ["cmake", "ccache"])

    def test_a_part_has_packages_of_its_own(self):
        self.fake("dpkg-query", "exit 1")
        self.assertEqual(self.setup("--list", "site").stdout.split(),
                         ["python3-sphinx", "python3-myst-parser", "furo", "doxygen"])

    def test_several_parts_have_the_packages_of_all(self):
        self.fake("dpkg-query", "exit 1")
        both = self.setup("--list", "gpu", "site").stdout.split()
        self.assertEqual(both, [*self.setup("--list", "gpu").stdout.split(), *self.setup("--list", "site").stdout.split()])
        self.assertEqual(self.setup("--list", "gpu", "no-such").returncode, 2)

    def test_the_demo_needs_a_part_of_what_is_installed(self):
        self.fake("dpkg-query", "exit 1")
        demo = set(self.setup("--list", "demo").stdout.split())
        everything = set(self.setup("--list").stdout.split())
        self.assertLess(demo, everything)
        self.assertIn("libmlir-19-dev", demo)
        self.assertIn("libgtest-dev", everything - demo)

    def test_neither_root_nor_sudo(self):
        self.fake("dpkg-query", "exit 1")
        self.fake("id", "echo 1000")
        result = self.setup()
        self.assertEqual(result.returncode, 1)
        self.assertIn("as root: apt-get install build-essential", result.stderr)

    def test_sudo_is_used(self):
        self.fake("dpkg-query", "exit 1")
        self.fake("id", "echo 1000")
        self.fake("sudo", 'exec "$@"')
        self.fake("apt-get", f'echo "$@" >>{self.folder}/calls')
        self.assertEqual(self.setup().returncode, 0)
        self.assertIn("libmlir-19-dev", (self.folder / "calls").read_text())

    def test_failing_apt_shows_its_output(self):
        self.fake("dpkg-query", "exit 1")
        self.fake("id", "echo 0")
        self.fake("apt-get", "echo E: no network; exit 100")
        result = self.setup()
        self.assertEqual(result.returncode, 1)
        self.assertIn("E: no network", result.stderr)


class ConfigureTest(unittest.TestCase):
    """Which preset a script configures, in a tree with a CMake that only says what it was asked for."""

    def setUp(self):
        self.tree = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.tree)
        (self.tree / "scripts").mkdir()
        shutil.copy(ROOT / "scripts/lib.sh", self.tree / "scripts")
        (self.tree / "bin").mkdir()
        cmake = self.tree / "bin/cmake"
        cmake.write_text(f"""#!{_BASH}
[ "$1" = --preset ] || exit 0
echo "$2" >>{self.tree}/presets
mkdir -p {self.tree}/build
touch {self.tree}/build/build.ninja
with_search=ON
[ "$2" = demo ] && with_search=OFF
printf '%s\n' CMAKE_HOME_DIRECTORY:INTERNAL={self.tree} VTA_BUILD_SEARCH:BOOL=$with_search >{self.tree}/build/CMakeCache.txt
""")
        cmake.chmod(0o755)

    def build(self, preset):
        command = f'source {self.tree}/scripts/lib.sh; build_preset={preset} build_targets vta-run'
        result = run(_BASH, "-c", command, f"{self.tree}/scripts/build",
                     env={**os.environ, "PATH": f"{self.tree}/bin:{os.environ['PATH']}"})
        self.assertEqual(result.returncode, 0, result.stderr)

    def test_a_build_after_the_demo_configures_what_the_demo_left_out(self):
        for preset in ("demo", "demo", "release", "release", "demo"):
            self.build(preset)
        self.assertEqual((self.tree / "presets").read_text().split(), ["demo", "release"])


if __name__ == "__main__":
    unittest.main()
