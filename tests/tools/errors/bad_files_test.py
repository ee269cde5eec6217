"""Files that cannot be read or written: nothing waits, and earlier files stay as they were."""

import os
import resource
import signal
import subprocess
import sys
import unittest
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "cases"))

from tool_case import BIN, DIGITS, DIGITS_OPTIONS, HW, ToolCase  # noqa: E402

MODEL = DIGITS / "digits.onnx"
IMAGE = DIGITS / "images/three-1.png"


class SpecialFileTest(ToolCase):
    """Pipes that nobody writes to, and files without an end: nothing waits for them."""

    def test_special_files_are_refused_at_once(self):
        pipe = self.folder / "pipe.npy"
        os.mkfifo(pipe)
        commands = [("vta-run", "{}"), ("vta-compile", "{}"), ("vta-objdump", "{}"), ("vta-run", MODEL, "--hw", "{}"),
                    ("vta-compile", MODEL, "--hw", "{}"), ("vta-objdump", MODEL, "--hw", "{}"),
                    ("vta-run", MODEL, "--sim", "--dram", "{}"), ("vta-run", MODEL, "--profile", "--energy", "{}"),
                    ("vta-run", MODEL, "-i", "{}"), ("vta-run", MODEL, "--calibrate", "{}"),
                    ("vta-run", MODEL, "--reference", "{}"), ("vta-run", MODEL, "--labels", "{}"),
                    ("vta-run", MODEL, "--labels-csv", "{}", "-i", IMAGE),
                    ("vta-run", MODEL, "-i", IMAGE, "--preprocess", "{}"), ("vta-run", MODEL, "--schedules", "{}"),
                    ("vta-validate", "--module", "{}"), ("vta-cosim", "--hw", "{}"), ("vta-rtl-models", "{}"),
                    ("vta-flash", "{}")]
        for command in commands:
            for special in (pipe, "/dev/zero"):
                arguments = [special if argument == "{}" else argument for argument in command[1:]]
                with self.subTest(command, special=special):
                    result = subprocess.run([BIN / command[0], *arguments], capture_output=True, text=True, timeout=20)
                    self.assertEqual(result.returncode, 1, result.stderr)
                    self.assertIn(str(special), result.stderr)


class OutputTest(ToolCase):
    def test_outputs_never_overwrite_inputs(self):
        data = MODEL.read_bytes()
        model = self.write("good.onnx", data)
        hw = self.write("hw.yaml", (HW / "default.yaml").read_text())
        (self.folder / "link").symlink_to(model)
        for arguments, says in [((model, "-o", model), "the model"), ((model, "-o", self.folder / "link"), "the model"),
                                ((model, "--write-schedules", model), "the model"), ((model, "--hw", hw, "-o", hw), "--hw"),
                                ((self.folder / "link", "-o", model), "the model")]:
            with self.subTest(arguments):
                self.refuse("vta-compile", *arguments, says=[says, "choose another name"])
        for arguments, says in [((model, "--report", model), "the model"), ((model, "--trace", hw, "--hw", hw), "--hw"),
                                ((model, "--report", "same", "--trace", "same"), "--report"),
                                ((model, "--output", DIGITS / "images", "-i", DIGITS / "images"), "--input")]:
            with self.subTest(arguments):
                self.refuse("vta-run", "--sim", *arguments, says=[says, "choose another name"])
        self.assertEqual(model.read_bytes(), data)
        self.assertEqual(sorted(path.name for path in self.folder.iterdir()), ["good.onnx", "hw.yaml", "link"])

    def test_names_are_checked_before_work(self):
        # The model is broken: an error that speaks of something else came before it was read.
        model = self.write("broken.onnx", "none")
        none = self.folder / "none"
        for arguments, says in [(("--dram", "nope"), "nope"), (("--reference", none), "--reference"),
                                (("--report", none / "r.html"), "--report"), (("--trace", none / "t"), "--trace"),
                                (("--output", model / "x"), "--output"), (("--dump-ir", model / "x"), "--dump-ir"),
                                (("--hw", none), "none"), (("--energy", "3nm", "--profile"), "3nm"),
                                (("--labels", none), "none"), (("-i", IMAGE, "--preprocess", none), "--preprocess")]:
            with self.subTest(arguments):
                result = self.refuse("vta-run", "--sim", model, *arguments, says=[says])
                self.assertNotIn("broken.onnx: ", result.stderr)
        for arguments, says in [(("-o", none / "m.so"), "--output"), (("--write-schedules", none / "s"), "--write-schedules"),
                                (("-o", self.folder), "is a folder"), (("--hw", none), "none")]:
            with self.subTest(arguments):
                self.refuse("vta-compile", model, *arguments, says=[says])

    def test_the_mask_for_new_files_is_kept(self):
        out, module = self.folder / "out", self.folder / "m.so"
        report = self.folder / "r.html"
        self.succeed("vta-compile", MODEL, *DIGITS_OPTIONS, "-o", module, umask=0o077)
        self.succeed("vta-run", "--sim", module, "--output", out, "--report", report, umask=0o077)
        for path in (module, report, *out.iterdir()):
            self.assertEqual(path.stat().st_mode & 0o777, 0o600, path)
        link = self.folder / "link.so"
        link.symlink_to("real.so")
        self.succeed("vta-compile", MODEL, *DIGITS_OPTIONS, "-o", link)
        self.assertTrue(link.is_symlink())
        self.assertTrue((self.folder / "real.so").is_file())

    def test_no_space_left(self):
        options = [*DIGITS_OPTIONS, "-o"]
        self.refuse("vta-compile", MODEL, *options, "/dev/full", says=["No space left", "/dev/full"])
        self.refuse("vta-compile", MODEL, *options, self.folder / "none/m.so", says=["none/m.so"])
        with open("/dev/full", "w") as full:
            result = subprocess.run([BIN / "vta-run", MODEL, "--json"], stdout=full, stderr=subprocess.PIPE, text=True)
        self.assertEqual(result.returncode, 1)
        self.assertIn("standard output", result.stderr)

    def test_failed_writes_leave_earlier_files(self):
        def limit():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (40000, 40000))

        target = self.write("m.so", "earlier")
        self.refuse("vta-compile", MODEL, *DIGITS_OPTIONS, "-o", target, preexec_fn=limit)
        self.assertEqual(target.read_text(), "earlier")
        self.assertEqual([path.name for path in self.folder.iterdir()], ["m.so"])

    def test_output_folder_that_is_a_file(self):
        blocked = self.write("out", "earlier")
        self.refuse("vta-run", MODEL, *DIGITS_OPTIONS, "--output", blocked, says=["out"])
        self.assertEqual(blocked.read_text(), "earlier")

    def test_reference_of_another_size(self):
        np.save(self.folder / "r.npy", np.zeros(3, np.float32))
        self.refuse("vta-run", MODEL, *DIGITS_OPTIONS, "--reference", self.folder / "r.npy", says=["1x10", "reference"])


if __name__ == "__main__":
    unittest.main()
