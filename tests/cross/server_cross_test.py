"""The boards' build of vta-server, from its package and under qemu, with clients of this machine."""

import shutil
import subprocess
import unittest
import urllib.request

from cross_case import C_LIBRARY, PROCESSORS, CrossCase, board_program, model_file, needed_libraries
from server_case import Server
from tool_case import BIN, DIGITS, ROOT

NETWORK = "mlperf_resnet8_qdq"
ARCHITECTURES = {"armv7": "armhf", "aarch64": "arm64"}
MOST_BOARD_BYTES = 2_000_000


@unittest.skipUnless((BIN / "vta-server").exists(), "built without gRPC: vta-run here takes no tcp:// device")
class ServerCrossTest(CrossCase):
    def unpack(self, processor, *options):
        """The server's package for a processor, unpacked."""
        if not board_program(processor, "vta-server").exists():
            self.skipTest(f"scripts/cross {processor} has built no vta-server")
        package = self.folder / f"vta-server-{processor}.tar.gz"
        self.cross(processor, *options, "--server-package", package)
        folder = self.folder / processor
        folder.mkdir()
        subprocess.run(["tar", "-C", folder, "-xzf", package], check=True)
        return folder / "vta-server"

    def emulator(self, processor):
        qemu, library, _ = PROCESSORS[processor]
        return [qemu, "-L", library]

    def outputs(self, module, *arguments):
        folder = self.folder / f"output-{len(list(self.folder.iterdir()))}"
        self.succeed("vta-run", module, "--seed", 3, "--output", folder, *arguments)
        return {path.name: path.read_bytes() for path in folder.iterdir()}

    def model(self):
        return model_file(NETWORK) or self.skipTest(f"no model {NETWORK}")

    def test_the_package_has_all_libraries(self):
        for processor in self.each_processor():
            folder = self.unpack(processor)
            there = {file.name.split(".")[0] for file in (folder / "lib").iterdir()}
            for file in [*(folder / "bin").iterdir(), *(folder / "lib").iterdir()]:
                self.assertLessEqual(needed_libraries(file), C_LIBRARY | there, file.name)

    def test_a_network_gives_the_same_bits(self):
        """Host code here, the functional device in the emulated process."""
        module = self.folder / "model.vta.so"
        self.succeed("vta-compile", self.model(), "-o", module, "--calibration-method", "minmax")
        wanted = self.outputs(module, "--sim=functional")
        self.assertGreater(len(wanted), 0)
        for processor in self.each_processor():
            program = [*self.emulator(processor), self.unpack(processor) / "bin/vta-server"]
            server = Server(self, "--device", "functional", program=program)
            self.assertEqual(self.outputs(module, "--device", server.address), wanted)
            text = self.succeed("vta-run", module, "--verify", "--device", server.address)
            self.assertIn("equal their references bit for bit", text)
            self.assertEqual(server.end(), 0)

    def test_a_whole_module_gives_the_same_bits(self):
        """Host code and device in emulated processes, the first in vta-module-worker."""
        here = self.folder / "here.vta.so"
        self.succeed("vta-compile", self.model(), "-o", here, "--calibration-method", "minmax")
        wanted = self.outputs(here, "--sim=functional")
        for processor in self.each_processor():
            folder = self.unpack(processor)
            self.start_under_the_emulator(processor, folder / "bin/vta-module-worker")
            module = self.folder / f"{processor}.vta.so"
            self.succeed("vta-compile", self.model(), "--target", processor, "-o", module, "--calibration-method", "minmax")
            server = Server(self, "--device", "functional", "--modules",
                            program=[*self.emulator(processor), folder / "bin/vta-server"])
            self.assertEqual(self.outputs(module, "--remote-module", "--device", server.address), wanted)
            self.refuse("vta-run", here, "--remote-module", "--device", server.address, says=["built for x86-64"])

    def start_under_the_emulator(self, processor, program):
        """This machine's kernel starts the emulated server's process, so it has to find a program of this machine."""
        emulated = program.with_name("emulated-" + program.name)
        program.rename(emulated)
        command = " ".join(map(str, [*self.emulator(processor), emulated]))
        program.write_text(f'#!/bin/sh\nexec {command} "$@"\n')
        program.chmod(0o755)

    def test_metrics(self):
        module = self.folder / "digits.vta.so"
        self.succeed("vta-compile", DIGITS / "digits.onnx", "-o", module)
        for processor in self.each_processor():
            program = [*self.emulator(processor), self.unpack(processor) / "bin/vta-server"]
            port = Server(self, "--device", "functional", program=program)
            metrics = port.address.removeprefix("tcp://")
            port.end()
            server = Server(self, "--device", "functional", "--metrics", metrics, program=program)
            self.succeed("vta-run", module, "--device", server.address)
            with urllib.request.urlopen(f"http://{metrics}/metrics", timeout=30) as page:
                text = page.read().decode()
            self.assertRegex(text, r'vta_server_launches_total\{client="session-[0-9]+",device="functional"\} 1')

    @unittest.skipUnless(shutil.which("dpkg-deb"), "dpkg-deb is not installed")
    def test_debian_packages(self):
        for processor in self.each_processor():
            if not board_program(processor, "vta-server").exists():
                self.skipTest(f"scripts/cross {processor} has built no vta-server")
            packages, root = self.folder / f"{processor}-packages", self.folder / f"{processor}-root"
            self.cross(processor, "--deb", packages)
            files = sorted(packages.iterdir())
            self.assertEqual([file.name.split("_")[0] for file in files],
                             ["libvta0", "python3-vta", "vta-board", "vta-server"])
            for file in files:
                fields = subprocess.run(["dpkg-deb", "-f", file], check=True, capture_output=True, text=True).stdout
                self.assertIn(f"Architecture: {ARCHITECTURES[processor]}\n", fields)
                self.assertRegex(fields, r"Depends: libc6 \(>= 2\.\d+\)" +
                                 (r", libvta0 \(= .*python3-numpy\n" if "python3" in file.name else r"\n"))
                subprocess.run(["dpkg-deb", "-x", file, root], check=True)
            self.assertLess(files[2].stat().st_size, MOST_BOARD_BYTES)
            self.assertTrue((root / "usr/lib/libvta.so.0").exists())
            self.assertLessEqual(needed_libraries(root / "usr/lib/python3/dist-packages/vta/_native.so"),
                                 C_LIBRARY | {"libvta"})
            self.assertEqual(sorted(file.name for file in (root / "usr/bin").iterdir()), ["vta-flash", "vta-run", "vta-server"])
            shown = subprocess.run([*self.emulator(processor), root / "usr/bin/vta-run", "--version"], check=True,
                                   capture_output=True, text=True).stdout
            self.assertIn("vta-run", shown)
            # It finds its libraries and the program of modules behind the link in usr/bin.
            program = [*self.emulator(processor), root / "usr/bin/vta-server"]
            self.assertEqual(Server(self, "--device", "functional", "--modules", program=program).end(), 0)

    def test_with_a_c_library(self):
        for processor in self.each_processor():
            folder = self.unpack(processor, "--libc")
            loader, = (folder / "lib").glob("ld-linux*")
            # As the script starts it; no -L: nothing of this machine is used.
            start = [PROCESSORS[processor][0], loader, "--library-path", folder / "lib"]
            server = Server(self, "--device", "functional", "--modules", program=[*start, folder / "libexec/vta-server"])
            self.assertEqual(server.end(), 0)
            script = (folder / "lib/vta-module-worker").read_text()
            self.assertIn(loader.name, script)
            self.assertIn("libexec/vta-module-worker", script)


if __name__ == "__main__":
    unittest.main()
