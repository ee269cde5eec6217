"""What the tests of the boards' programs share: the processors, their programs under qemu, models."""

import shutil
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tools/cases"))
from tool_case import MODELS, ROOT, ToolCase  # noqa: E402  (found through the line above)

# Name of --target: qemu, the folder with the C library, the ELF machine.
PROCESSORS = {"armv7": ("qemu-arm-static", "/usr/arm-linux-gnueabihf", 40),
              "aarch64": ("qemu-aarch64-static", "/usr/aarch64-linux-gnu", 183)}
# Names of shared libraries, up to the first dot, that every board has.
C_LIBRARY = {"libc", "libm", "libdl", "libpthread", "ld-linux-armhf", "ld-linux-aarch64"}


def board_program(processor, name):
    return ROOT / f"build-{processor}" / "bin" / name


def can_run(processor):
    qemu, library, _ = PROCESSORS[processor]
    return bool(shutil.which(qemu)) and Path(library).is_dir() and board_program(processor, "vta-run-module").exists()


def needed_libraries(file):
    """The shared libraries that a program or a library asks for, up to the first dot of their names."""
    text = subprocess.run(["readelf", "-d", file], capture_output=True, text=True, check=True).stdout
    return {line.split("[")[1].split(".")[0] for line in text.splitlines() if "NEEDED" in line}


def model_file(name):
    files = sorted(MODELS.rglob(f"*{name}*.onnx"))
    return files[0] if files else None


class CrossCase(ToolCase):
    def each_processor(self):
        """Subtests of the processors that can be run here; skips when there is none."""
        runnable = [processor for processor in PROCESSORS if can_run(processor)]
        if not runnable:
            self.skipTest("needs scripts/cross and qemu-user-static")
        for processor in runnable:
            with self.subTest(processor=processor):
                yield processor

    def cross(self, processor, *options):
        """Runs scripts/cross, which has to succeed."""
        result = subprocess.run([ROOT / "scripts/cross", processor, *options], capture_output=True, text=True, check=False)
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)

    def on_board(self, processor, name, *arguments):
        qemu, library, _ = PROCESSORS[processor]
        command = [qemu, "-L", library, board_program(processor, name), *map(str, arguments)]
        return subprocess.run(command, capture_output=True, text=True, timeout=900, check=False)
