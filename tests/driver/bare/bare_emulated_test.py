"""The runtime without an operating system on a processor of its own: qemu's, with a core that shares the processor's
memory. The program is one of docs/tutorials/programs.md, and all of memory has to be as the simulator leaves it."""

import contextlib
import os
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
BIN = Path(os.environ["VTA_BINARY_DIR"]) / "bin"
# Of a processor: qemu, its options, compiler, the compiler's options.
PROCESSORS = {
    "armv7": ("qemu-system-arm", ("-cpu", "cortex-a15"), "arm-linux-gnueabihf-gcc",
              ("-marm", "-mgeneral-regs-only", "-mno-unaligned-access")),
    "aarch64": ("qemu-system-aarch64", ("-cpu", "cortex-a53"), "aarch64-linux-gnu-gcc",
                ("-mgeneral-regs-only", "-mstrict-align")),
}
FREESTANDING = ("-std=gnu11", "-Wall", "-Wextra", "-Werror", "-Os", "-ffreestanding", "-fno-tree-loop-distribute-patterns",
                "-fno-pic", "-fno-stack-protector", "-fno-asynchronous-unwind-tables", "-nostdlib", "-static", "-no-pie",
                "-Wl,--build-id=none", "-Wl,--no-warn-rwx-segments")
RAM_BYTES = 32 << 20
ADDRESS = 0x10000
PROGRAM = """
.buffer "uop" uop size=4 align=64
.buffer "inp" input size={inp} align=64
.buffer "wgt" constant size={wgt} align=64
.buffer "out" output size={out} align=64
.uop 0 0 0
load uop sram=0 dram=@uop+0 size=1x1 stride=1
load inp sram=0 dram=@inp+0 size=1x4 stride=4
load wgt sram=0 dram=@wgt+0 size=1x1 stride=1 push_next
gemm uop=0:1 iter=1x4 dst=0,1 src=0,0 wgt=0,0 reset
gemm uop=0:1 iter=1x4 dst=0,1 src=0,1 wgt=0,0 pop_prev
alu shr imm=4 uop=0:1 iter=1x4 dst=0,1 src=0,1
alu clip range=-100,100 uop=0:1 iter=1x4 dst=0,1 src=0,1 push_next
store out sram=0 dram=@out+0 size=1x4 stride=4 pop_prev push_prev
finish pop_next
"""
INSTRUCTIONS = 9
BLOCKS = {"default": 16, "small-1x8x8": 8}


def run(*command, seconds=120):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=seconds, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def c_array(name, data):
    return f"static const unsigned char {name}[{len(data)}] = {{{','.join(map(str, data))}}};\n"


class BareEmulatedTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def image(self, hw):
        """The program with its data, and memory behind its run."""
        block = BLOCKS[hw]
        sizes = {"inp": 4 * block, "wgt": block * block, "out": 4 * block}
        (self.folder / "dense.s").write_text(PROGRAM.format(**sizes))
        (self.folder / "inp.bin").write_bytes(bytes(i * 37 % 251 for i in range(sizes["inp"])))
        (self.folder / "wgt.bin").write_bytes(bytes(i * 101 % 253 for i in range(sizes["wgt"])))
        run(BIN / "vta-objdump", self.folder / "dense.s", "--hw", hw, "--verify", "--image", self.folder / "dense.img",
            "--data", f"inp={self.folder / 'inp.bin'}", "--data", f"wgt={self.folder / 'wgt.bin'}")
        run(BIN / "vta-run", "--image", self.folder / "dense.img", "--hw", hw, "--address", hex(ADDRESS),
            "--sim=functional", "--save", self.folder / "after.img")
        return (self.folder / "dense.img").read_bytes(), (self.folder / "after.img").read_bytes()

    @contextlib.contextmanager
    def running_core(self, core, hw):
        """A process with the core, and new RAM; gives its fingerprint."""
        ram = self.folder / "ram"
        ram.unlink(missing_ok=True)
        ram.touch()
        os.truncate(ram, RAM_BYTES)
        with subprocess.Popen([BIN / "bare_core_process", ram, core, ROOT / f"configs/hw/{hw}.yaml"],
                              stdout=subprocess.PIPE, text=True) as process:
            try:
                yield process.stdout.readline().strip()
            finally:
                process.kill()

    def build(self, processor, image, expected, fingerprint):
        _, _, compiler, options = PROCESSORS[processor]
        (self.folder / "case.h").write_text(
            f"enum {{ CASE_BYTES = {len(image)}, CASE_ADDRESS = {ADDRESS}, CASE_INSTRUCTIONS = {INSTRUCTIONS} }};\n"
            f"#define CASE_FINGERPRINT {fingerprint}ull\n" + c_array("caseImage", image) + c_array("caseExpected", expected))
        program = self.folder / f"{processor}.elf"
        run(compiler, *options, *FREESTANDING, f"-I{ROOT}", f"-I{self.folder}", "-T",
            ROOT / "tests/driver/bare/emulated/program.ld", ROOT / "tests/driver/bare/emulated/program.c",
            ROOT / "driver/bare/vta_bare.c", "-o", program)
        return program

    def emulate(self, processor, program):
        emulator, options, _, _ = PROCESSORS[processor]
        ram = f"memory-backend-file,id=ram,size={RAM_BYTES},mem-path={self.folder / 'ram'},share=on"
        command = [emulator, "-nodefaults", "-machine", "virt,memory-backend=ram", "-object", ram, "-m", str(RAM_BYTES >> 20), *options,
                   "-semihosting-config", "enable=on,target=native", "-display", "none",
                   "-kernel", str(program)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
        return done.stdout + done.stderr

    def test_a_program_computes_what_the_simulator_does(self):
        found = [name for name, (emulator, _, compiler, _) in PROCESSORS.items()
                 if shutil.which(emulator) and shutil.which(compiler)]
        if not found:
            self.skipTest("no qemu-system-arm with a compiler for its processors; `scripts/setup cross` installs both")
        if not (BIN / "vta-run").exists():
            self.skipTest("this build has no vta-run, which says what has to come out")
        for processor in found:
            for core, hw in (("model", "default"), ("rtl", "default"), ("model", "small-1x8x8")):
                with self.subTest(processor=processor, core=core, hw=hw):
                    image, expected = self.image(hw)
                    self.assertNotEqual(image, expected[:len(image)])
                    with self.running_core(core, hw) as fingerprint:
                        program = self.build(processor, image, expected, fingerprint)
                        text = self.emulate(processor, program)
                    self.assertEqual(re.sub(r"cycles: 0{13}[0-9a-f]{3}", "cycles", text), WANTED)
                    first, again = re.findall(r"cycles: ([0-9a-f]+)", text)
                    self.assertGreater(int(first, 16), 0)
                    self.assertEqual(first, again)


RUN = """{}: ok
start: ok
end: ok
bytes that differ: 0000000000000000
cycles
"""
WANTED = """other hardware: the program is for another configuration
crooked: the memory does not begin a multiple of 4096 behind the image
narrow: the program does not fit the memory, or the core's addresses
""" + RUN.format("first") + """load: ok
start: ok
end: the launch ended with a fault
fault at instruction: 0000000000000000
""" + RUN.format("again")


if __name__ == "__main__":
    unittest.main()
