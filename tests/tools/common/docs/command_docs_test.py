"""Manual pages and shell completion of every tool: complete, and understood by the programs that read them."""

import re
import shutil
import subprocess
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "cases"))

from tool_case import BIN, ToolCase  # noqa: E402

# Every tool with a manual page: those that are installed.
TOOLS = sorted(path.stem for path in (BIN.parent / "share/man/man1").glob("*.1"))
assert len(TOOLS) >= 5, TOOLS


def run(*command, **options):
    return subprocess.run(command, capture_output=True, text=True, timeout=60, **options)


class CommandDocsTest(ToolCase):
    def test_every_option_is_documented(self):
        for name in TOOLS:
            with self.subTest(name):
                page = self.succeed(name, "--man").replace("\\-", "-")
                scripts = {shell: self.succeed(name, "--completion", shell) for shell in ("bash", "zsh", "fish")}
                for option in ("--help", "--version", "--man", "--completion"):
                    self.assertIn(option, page)
                for line in self.succeed(name, "--help").splitlines():
                    head = line.split("   ")[0].strip()
                    if not line.startswith("  ") or line.startswith("    ") or not head.startswith("-"):
                        continue
                    option = re.search(r"--[a-z0-9][a-z0-9-]*", head)
                    if option is None or option[0] == "--help-list":  # LLVM's -o, and its other form of the help
                        continue
                    option = option[0]
                    self.assertIn(option, page)
                    self.assertIn(option, scripts["bash"])
                    self.assertIn(option, scripts["zsh"])
                    self.assertRegex(scripts["fish"], rf"-l {option[2:]}\b")

    def test_bash_completes(self):
        for name in TOOLS:
            self.write(f"{name}.sh", self.succeed(name, "--completion", "bash"))
            checked = run("bash", "-n", self.folder / f"{name}.sh")
            self.assertEqual((checked.returncode, checked.stderr), (0, ""))
        for words, expected in ((["--rep"], {"--report", "--reproduce"}), (["--host", ""], {"cpu", "gpu"}),
                                (["mod"], {"model.onnx"}), (["--sim", "=", "r"], {"rtl"}),
                                (["--sim", "=", "cy"], {"cycle"}), (["--sim", "cy"], {"cycle"}),
                                (["--sim", "mod"], {"model.onnx"}), (["--hw", "wi"], {"wide"}),
                                (["--hw", "=", "zynq-7020-h"], {"zynq-7020-handover"}),
                                (["--partition", "cpu-"], {"cpu-quantized"}), (["--dram", "DDR3-10"], {"DDR3-1066"}),
                                (["--profile", "=", "f"], {"full"}), (["--energy", "7"], {"7nm"}),
                                (["--preprocess", "im"], {"imagenet"})):
            self.write("model.onnx", "")
            script = (f"source ./vta-run.sh; COMP_WORDS=(vta-run {' '.join(repr(word) for word in words)}); "
                      f"COMP_CWORD={len(words)}; _vta_run; printf '%s\\n' \"${{COMPREPLY[@]}}\"")
            done = run("bash", "-c", script, cwd=self.folder)
            self.assertEqual(set(done.stdout.split()), expected, done.stderr)

    @unittest.skipUnless(shutil.which("zsh"), "zsh is not installed")
    def test_zsh_reads_the_scripts(self):
        for name in TOOLS:
            checked = run("zsh", "-n", self.write(f"_{name}", self.succeed(name, "--completion", "zsh")))
            self.assertEqual((checked.returncode, checked.stderr), (0, ""))

    @unittest.skipUnless(shutil.which("fish"), "fish is not installed")
    def test_fish_reads_the_scripts(self):
        for name in TOOLS:
            checked = run("fish", "-n", self.write(f"{name}.fish", self.succeed(name, "--completion", "fish")))
            self.assertEqual((checked.returncode, checked.stderr), (0, ""))

    @unittest.skipUnless(shutil.which("man"), "man is not installed")
    def test_man_shows_the_pages(self):
        for name in TOOLS:
            shown = run("man", "--warnings", "-l", self.write(f"{name}.1", self.succeed(name, "--man")))
            self.assertEqual((shown.returncode, shown.stderr), (0, ""))
            self.assertIn("--version", shown.stdout)

    def test_other_shells_are_refused(self):
        for name in ("vta-run", "vta-opt"):
            self.refuse(name, "--completion", "csh", code=2, says=["csh"])

    def test_the_compilers_tools_are_about_the_compiler(self):
        for name, own in (("vta-opt", "--vta-pack"), ("vta-translate", "--vta-to-program")):
            shown = self.succeed(name, "--help")
            self.assertIn(own, shown)
            self.assertNotIn("amdgpu", shown)
            self.assertIn("--amdgpu", self.succeed(name, "--help-hidden"))
            page = self.succeed(name, "--man").replace("\\-", "-")
            entry = re.search(rf"\\fB{own}\\fR.*\n(.+)\n", page)
            self.assertTrue(entry and entry[1].strip(), own)

    def test_every_tool_says_its_version(self):
        for name in [*TOOLS, "vta-run-module"]:
            if (BIN / name).exists():
                self.assertRegex(self.succeed(name, "--version"), rf"^{'vta-run' if name == 'vta-run-module' else name} \d")


if __name__ == "__main__":
    unittest.main()
