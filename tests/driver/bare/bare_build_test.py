"""The runtime without an operating system needs no library: it links alone, for this machine and for boards."""

import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
COMPILERS = ("cc", "arm-linux-gnueabihf-gcc", "aarch64-linux-gnu-gcc", "arm-none-eabi-gcc")

MAIN = """
#include "driver/bare/vta_bare.h"
static unsigned char memory[4096];
static const vta_bare_core core = {.registers = (volatile uint32_t*)0x43c00000};
static const vta_bare_program program = {.image = "", .image_bytes = 1, .insn_count = 1};
static const vta_bare_memory place = {memory, sizeof memory, 0x100000};
void _start(void) {
  if (vta_bare_load(&core, &program, &place) == VTA_BARE_OK) vta_bare_start(&core, &program, &place);
  while (vta_bare_wait(&core, &place, 1000, 0) == VTA_BARE_RUNNING) {
  }
  for (;;) {
  }
}
"""


class BareBuildTest(unittest.TestCase):
    def test_it_links_without_any_library(self):
        found = [compiler for compiler in COMPILERS if shutil.which(compiler)]
        self.assertIn("cc", found)
        with tempfile.TemporaryDirectory() as folder:
            main = Path(folder) / "main.c"
            main.write_text(MAIN)
            for compiler in found:
                with self.subTest(compiler):
                    run = subprocess.run([compiler, "-std=c11", "-pedantic-errors", "-Wall", "-Wextra", "-Werror", "-Os",
                                          "-ffreestanding", "-fno-tree-loop-distribute-patterns", "-nostdlib", "-static",
                                          f"-I{ROOT}", main, ROOT / "driver/bare/vta_bare.c", "-o", Path(folder) / "program"],
                                         capture_output=True, text=True, check=False)
                    self.assertEqual(run.returncode, 0, run.stderr)


if __name__ == "__main__":
    unittest.main()
