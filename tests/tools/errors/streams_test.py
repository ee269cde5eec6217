"""Standard streams that are full or closed: no tool aborts, and none ends with 0 when its output is lost."""

import subprocess
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "cases"))

from tool_case import BIN, DIGITS, DIGITS_OPTIONS, HW, DigitsModuleCase, tool  # noqa: E402

MODEL = DIGITS / "digits.onnx"
TOOLS = ("vta-run", "vta-compile", "vta-info", "vta-objdump", "vta-cosim", "vta-validate", "vta-rtl-models",
         "vta-random-networks", "vta-onnx-conformance", "vta-opt", "vta-translate")
FULL = "1>/dev/full"
CLOSED = "1>&-"


def run(name, *arguments, streams):
    """The tool under a shell, which redirects or closes its standard streams."""
    command = ["/bin/sh", "-c", f'exec "$@" {streams}', "sh", str(BIN / name), *map(str, arguments)]
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=300)


class StreamsTest(DigitsModuleCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.assembler = cls.module.with_name("program.s")
        cls.assembler.write_text(tool("vta-objdump", cls.module, "--program", "0", "--asm").stdout)

    def test_lost_output_is_an_error(self):
        commands = [(name, option) for name in TOOLS for option in ("--help", "--version")]
        commands += [("vta-info",), ("vta-info", "--json"), ("vta-objdump", self.module),
                     ("vta-objdump", self.module, "--json"), ("vta-objdump", self.module, "--program=0"),
                     ("vta-objdump", self.assembler, "--asm"), ("vta-run", self.module),
                     ("vta-run", self.module, "--json"), ("vta-run", self.module, "--profile"),
                     ("vta-rtl-models", HW / "default.yaml")]
        compiling = ("vta-compile", MODEL, *DIGITS_OPTIONS, "-o", self.folder / "m.so")
        commands += [compiling, (*compiling, "--json"), (*compiling, "--quantise-report")]
        for command in commands:
            # LLVM's tools end with 1 of themselves where they can tell.
            is_ours = command[0] not in ("vta-opt", "vta-translate")
            for streams in (FULL, CLOSED) if is_ours else (FULL,):
                with self.subTest(command, streams=streams):
                    result = run(*command, streams=streams)
                    self.assertEqual(result.returncode, 1, result.stderr)
                    if is_ours:
                        self.assertIn(f"{command[0]}: error: cannot write to standard output", result.stderr)

    def test_messages_that_cannot_be_written_change_nothing(self):
        missing = self.folder / "none"
        commands = [(1, "vta-run", missing), (1, "vta-compile", missing), (1, "vta-objdump", missing),
                    (1, "vta-info", "--configs", missing), (1, "vta-cosim", "--hw", missing),
                    (1, "vta-validate", "--hw", missing), (1, "vta-rtl-models", missing), (2, "vta-run"),
                    (1, "vta-onnx-conformance", "--cases", missing), (1, "vta-opt", missing), (1, "vta-translate", missing),
                    (0, "vta-run", self.module)]
        commands += [(2, name, "--no-such") for name in TOOLS if name not in ("vta-opt", "vta-translate")]
        for code, *command in commands:
            for streams in ("2>/dev/full", "2>&-", "2>/dev/full <&-", "0<&- 2>&-"):
                with self.subTest(command, streams=streams):
                    self.assertEqual(run(*command, streams=streams).returncode, code)

    def test_files_do_not_take_the_place_of_closed_streams(self):
        # Warns, and would write the warning or the summary into the module.
        for streams, code in (("0<&- 1>&- 2>&-", 1), ("2>&-", 0)):
            target = self.folder / "m.so"
            target.unlink(missing_ok=True)
            self.assertEqual(run("vta-compile", MODEL, "-o", target, streams=streams).returncode, code)
            self.assertIn("module of", self.succeed("vta-objdump", target))


if __name__ == "__main__":
    unittest.main()
