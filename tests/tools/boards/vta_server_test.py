"""vta-server as a user meets it: runs over it, its messages, its metrics, its end."""

import json
import re
import socket
import subprocess
import sys
import time
import unittest
import urllib.request
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "cases"))

from server_case import Server  # noqa: E402
from tool_case import BIN, DIGITS, DigitsModuleCase, tool  # noqa: E402

TOKEN = "0123456789abcdef0123"


@unittest.skipUnless((BIN / "vta-server").exists(), "built without gRPC")
class ServerTest(DigitsModuleCase):
    def outputs(self, name, *arguments):
        folder = self.folder / name
        self.succeed("vta-run", self.module, "--seed", 3, "--output", folder, *arguments)
        return {path.name: path.read_bytes() for path in folder.iterdir()}

    def test_a_run_gives_what_it_gives_here(self):
        wanted = self.outputs("here", "--sim=functional")
        server = Server(self, "--device", "functional")
        self.assertEqual(self.outputs("there", "--device", server.address), wanted)
        text = self.succeed("vta-run", self.module, "--verify", "--device", server.address)
        self.assertIn("equal their references bit for bit", text)
        self.assertEqual(server.end(), 0)

    def test_a_module_runs_there_whole(self):
        wanted = self.outputs("here", "--sim=functional")
        server = Server(self, "--device", "functional", "--modules")
        remote = ("--remote-module", "--device", server.address)
        self.assertEqual(self.outputs("there", *remote), wanted)
        report = json.loads(self.succeed("vta-run", self.module, "--json", *remote))
        self.assertEqual(report["device"], server.address)
        self.succeed("vta-run", self.module, "--verify", "--device", server.address)
        self.refuse("vta-run", DIGITS / "digits.onnx", *remote, says=["vta-compile", "--target"])
        for option in ("--verify", "--profile", "--hw=wide", "--threads=1", f"--trace={self.folder / 'trace.json'}"):
            with self.subTest(option):
                self.refuse("vta-run", self.module, option, *remote, code=2, says=[option.split("=")[0] + " needs"])
        self.refuse("vta-run", self.module, "--remote-module", "--sim", code=2, says=["tcp://host:port"])
        server.end()
        plain = Server(self, "--device", "functional")
        self.refuse("vta-run", self.module, "--remote-module", "--device", plain.address,
                    says=["did not give --modules"])
        self.refuse("vta-server", "--device", "functional", "--modules", "--listen", "0.0.0.0:0", "--insecure", code=2,
                    says=["run any program on this machine"])
        self.refuse("vta-server", "--device", "functional", "--modules", "--module-memory", "much", code=2,
                    says=["--module-memory much", "256M"])

    def test_a_module_for_another_processor_is_named(self):
        server = Server(self, "--device", "functional", "--modules")
        other = self.folder / "other.vta.so"
        self.succeed("vta-compile", DIGITS / "digits.onnx", "--target", "aarch64", "-o", other)
        self.refuse("vta-run", other, "--remote-module", "--device", server.address, says=["aarch64", "x86-64"])

    def test_a_model_is_compiled_here_and_profiled_there(self):
        server = Server(self, "--device", "cycle")
        arguments = (DIGITS / "digits.onnx", "--json")
        here = json.loads(self.succeed("vta-run", *arguments, "--sim=cycle"))
        there = json.loads(self.succeed("vta-run", *arguments, "--device", server.address))
        self.assertGreater(there["totals"]["cycles"], 0)
        self.assertEqual(there["totals"]["cycles"], here["totals"]["cycles"])
        self.succeed("vta-run", self.module, "--trace", self.folder / "trace.json", "--device", server.address)

    def test_tokens_boards_and_metrics(self):
        tokens = self.write("tokens", f"ann {TOKEN}\n")
        token = self.write("token", TOKEN)
        tokens.chmod(0o600)
        token.chmod(0o600)
        # Any free port: that of a server that has ended.
        port = Server(self, "--device", "functional")
        metrics = port.address.removeprefix("tcp://")
        port.end()
        server = Server(self, "--device", "left=functional", "--device", "right=functional", "--tokens", tokens,
                        "--metrics", metrics)
        self.refuse("vta-run", self.module, "--device", server.address, says=["token=FILE"])
        with_token = f"{server.address},token={token}"
        self.refuse("vta-run", self.module, "--device", with_token, says=["board=NAME: left, right"])
        self.succeed("vta-run", self.module, "--device", f"{with_token},board=right")
        with urllib.request.urlopen(f"http://{metrics}/metrics", timeout=30) as page:
            text = page.read().decode()
        self.assertRegex(text, r'vta_server_launches_total\{client="ann",device="right"\} [1-9]')
        self.assertIn('vta_server_refused_total{reason="token"} 1', text)
        self.assertIn('vta_server_memory_bytes{device="right"} 0', text)

    def test_another_configuration_is_refused_with_both_printed(self):
        server = Server(self, "--device", "functional", "--hw", "small-1x8x8")
        self.refuse("vta-run", self.module, "--device", server.address, says=["board: ", "program: ", "1x16x16"])

    def test_schedules_are_measured_there(self):
        server = Server(self, "--device", "cycle")
        arguments = (DIGITS / "digits.onnx", "--db", self.folder / "tuning.db", "--device", server.address)
        search = ("--searcher", "random", "--trials", 8, "--launches", 1, "--json")
        tasks = json.loads(self.succeed("vta-tune", *arguments, *search))["tasks"]
        self.assertGreater(len(tasks), 1)
        for task in tasks:
            self.assertEqual(task["failed_trials"], 0)
            self.assertGreater(task["rank_agreement"], 0.9)
        source = f"device {server.address}"
        self.assertIn(source, self.succeed("vta-tune", "--show", "--db", self.folder / "tuning.db"))
        self.succeed("vta-compile", DIGITS / "digits.onnx", "--tuned", self.folder / "tuning.db", "--tuned-on", source,
                     "-o", self.folder / "tuned.vta.so")
        server.end()
        self.refuse("vta-tune", *arguments, "--trials", 99, says=["is vta-server running there"])
        simulator = Server(self, "--device", "functional")
        self.refuse("vta-tune", DIGITS / "digits.onnx", "--db", self.folder / "tuning.db", "--device",
                    simulator.address, says=["counts no cycles"])

    @unittest.skipUnless((BIN / "vta-virtual-board").exists(), "no virtual board on this machine")
    def test_schedules_are_measured_on_a_virtual_board(self):
        text = self.succeed("vta-virtual-board", "--", BIN / "vta-tune", DIGITS / "digits.onnx", "--db",
                            self.folder / "tuning.db", "--searcher", "random", "--trials", 3, "--launches", 1, "--json",
                            "--device", "zynq:root={}")
        for task in json.loads(text)["tasks"]:
            self.assertEqual(task["failed_trials"], 0)

    def test_silent_connections_lock_nobody_out(self):
        program = (sys.executable, "-c", "import os, resource, sys; "
                   "resource.setrlimit(resource.RLIMIT_NOFILE, (100, 100)); os.execv(sys.argv[1], sys.argv[1:])",
                   BIN / "vta-server")
        server = Server(self, "--device", "functional", "--login-limit", "2", program=program)
        address = server.address.removeprefix("tcp://").split(":")
        silent = [socket.create_connection(address, 5) for _ in range(150)]
        self.addCleanup(lambda: [each.close() for each in silent])
        for _ in range(20):
            result = tool("vta-run", self.module, "--device", server.address)
            if result.returncode == 0:
                break
            time.sleep(0.5)
        self.assertEqual(result.returncode, 0, result.stderr)
        server.process.terminate()
        said = server.process.stderr.read()
        self.assertIn("vta-server: warning: at most 18 connections instead of 64 (--max-connections), because this "
                      "process may open 100 files", said)
        self.assertRegex(said, r"warning: \d+ connections?, the last one from ipv4:127.0.0.1: closed, as ")

    def test_numbers_that_are_none(self):
        for option in ("--idle-limit", "--launch-limit", "--module-limit", "--login-limit"):
            for value in ("nan", "inf", "-1", "0", "1e7", "ten"):
                with self.subTest(option=option, value=value):
                    self.refuse("vta-server", "--device", "functional", f"{option}={value}", code=2,
                                says=(option, f"{value} is not a number from 0.01 to 1000000"))

    def test_wrong_usage(self):
        secret = self.write("open", f"ann {TOKEN}\n")
        secret.chmod(0o644)
        cases = [((), "--device is required"), (("--device", "moon"), "unknown device 'moon'"),
                 (("--device", "functional", "--listen", "host"), "host:port"),
                 (("--device", "functional", "--listen", "0.0.0.0:0"), "--tls-cert"),
                 (("--device", "functional", "--device", "functional"), "called 'functional'"),
                 (("--device", "tcp://host:1"), "the devices of its own machine"),
                 (("--device", "functional", "--memory-limit", "many"), "256M"),
                 (("--device", "functional", "--tls-cert", "x"), "need each other"),
                 (("--device", "functional", "--hw", "wide", "--hw", "wide"), "2 --hw for 1 --device")]
        for arguments, text in cases:
            with self.subTest(arguments):
                self.refuse("vta-server", *arguments, code=2, says=[text])
        self.refuse("vta-server", "--device", "functional", "--tokens", secret, says=["chmod 600"])
        self.refuse("vta-server", "--device", "zynq:root=/none", says=["zynq"])

    def test_no_server(self):
        server = Server(self, "--device", "functional")
        server.end()
        self.refuse("vta-run", self.module, "--device", server.address, says=["is vta-server running there"])
        result = tool("vta-run", self.module, "--device", "tcp://nonsense")
        self.assertIn("host:port", result.stderr)


if __name__ == "__main__":
    unittest.main()
