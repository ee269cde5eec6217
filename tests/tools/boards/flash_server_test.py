"""vta-flash through vta-server: the server's board is programmed as on the board itself, between its sessions."""

import fcntl
import json
import shutil
import socket
import sys
import threading
import time
import unittest
import urllib.request
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "cases"))

import bitstreams  # noqa: E402
from flash_case import FlashCase  # noqa: E402
from server_case import Server  # noqa: E402
from tool_case import BIN, HW, ToolCase, tool  # noqa: E402

TOKEN = "0123456789abcdef0123"


class SlowBoard(bitstreams.Board):
    """A made-up board on which dfx-mgr loads, so long that others come meanwhile."""

    def __init__(self, root, case):
        super().__init__(root)
        self.command("dtc", f'exec {shutil.which("dtc")} "$@"')
        self.command("dfx-mgr-client", f"echo \"$@\" >> {root}/log\nwhile [ -e {root}/hold ]; do sleep 0.05; done")
        (self.root / "hold").write_text("")
        case.addCleanup((self.root / "hold").unlink, missing_ok=True)

    def wait_for_load(self):
        while not (self.root / "log").exists():
            time.sleep(0.02)


class CutLine:
    """Hands on what comes for a server, until so many bytes have come; then the line is dead."""

    def __init__(self, case, server, size_bytes):
        self.host, port = server.address.removeprefix("tcp://").split(":")
        self.port, self.left = int(port), size_bytes
        self.listener = socket.create_server((self.host, 0))
        case.addCleanup(self.listener.close)
        self.address = f"tcp://{self.host}:{self.listener.getsockname()[1]}"
        threading.Thread(target=self.run, daemon=True).start()

    def run(self):
        client, _ = self.listener.accept()
        with client, socket.create_connection((self.host, self.port)) as server:
            threading.Thread(target=self.hand_back, args=(server, client), daemon=True).start()
            while self.left > 0 and (data := client.recv(min(65536, self.left))):
                server.sendall(data)
                self.left -= len(data)
            for line in (client, server):
                line.shutdown(socket.SHUT_RDWR)

    @staticmethod
    def hand_back(server, client):
        try:
            while data := server.recv(65536):
                client.sendall(data)
        except OSError:
            pass


@unittest.skipUnless((BIN / "vta-server").exists(), "built without gRPC")
class MadeUpBoardTest(FlashCase):
    """No core answers behind these files: the server waits for a bitstream and offers nothing."""

    def serve(self, *arguments, root=None):
        return Server(self, "--device", f"zynq:root={root or self.board.root}", "--flash", *arguments)

    def flash_there(self, server, *arguments, more=""):
        return self.succeed("vta-flash", self.file, "--device", server.address + more, *arguments)

    def refuse_there(self, server, *says, arguments=(), code=1):
        return self.refuse("vta-flash", self.file, "--device", server.address, *arguments, says=says, code=code)

    def refuse_here_and_there(self, server, *says, arguments=()):
        """Errors are those of vta-flash on the board, with the server's address."""
        here = self.refuse_flash(*says, arguments=arguments).stderr
        there = self.refuse_there(server, *says, arguments=arguments).stderr
        self.assertEqual(there.replace(f"{server.address}: ", ""), here)

    def test_text_json_and_warnings_are_those_of_the_board(self):
        server = self.serve()
        self.describe()
        self.board.clock("fclk0", 100000000)
        for arguments in ((), ("--json",)):
            self.assertEqual(self.flash_there(server, *arguments), self.flash(*arguments))
        report = json.loads(self.flash_there(server, "--json"))
        self.assertEqual((report["via"], report["verified"], report["hardware_from"]), ("manager", True, "/dev/uio0"))
        self.assertEqual((self.board.manager / "firmware").read_text(), self.firmware().name)
        self.assertEqual(self.firmware().read_bytes(), bitstreams.raw(bitstreams.packets(), swapped=True))
        result = tool("vta-flash", self.file, "--device", server.address)
        self.assertIn("vta-flash: warning: the server cannot offer 'zynq' with this bitstream: ", result.stderr)
        (self.folder / "vta.json").unlink()
        result = tool("vta-flash", self.file, "--device", server.address)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("warning: no description beside the bitstream", result.stderr)
        server.end()

    def test_large_bitstreams_travel_in_pieces(self):
        self.file = self.write("vta.bit", bitstreams.bit(bitstreams.raw(bitstreams.packets(frame_words=900_001))))
        server = self.serve()
        self.flash_there(server)
        self.assertGreater(self.firmware().stat().st_size, 3 << 20)
        self.assertEqual(self.firmware().read_bytes(),
                         bitstreams.raw(bitstreams.packets(frame_words=900_001), swapped=True))

    def test_size_limit(self):
        server = self.serve("--flash-memory", 1024)
        size = self.file.stat().st_size
        self.refuse_there(server, f"the bitstream has {size} bytes, and the server takes 1 to 1024 (--flash-memory)")
        self.assertFalse(list((self.board.root / "lib/firmware").iterdir()))

    def test_mistakes_are_those_of_the_board_and_change_nothing(self):
        server = self.serve()
        good = self.file
        cases = {"die.bit": (bitstreams.raw(bitstreams.packets(bitstreams.IDCODE_ZU3)), {}, "this device is xc7z020"),
                 "partial.bit": (bitstreams.raw(bitstreams.packets()), {"design": "r;PARTIAL=TRUE"}, "partial bitstream")}
        for name, (data, options, says) in cases.items():
            with self.subTest(name):
                self.file = self.write(name, bitstreams.bit(data, **options))
                self.refuse_here_and_there(server, says)
        self.file = good
        for arguments, says in ((["--die", "spartan"], "no die 'spartan'"),
                                (["--via", "overlay"], "needs the description"),
                                (["--via", "dfx"], "needs the description")):
            with self.subTest(arguments):
                self.refuse_here_and_there(server, says, arguments=arguments)
        self.describe("zynqmp")
        self.refuse_here_and_there(server, "its description is for a zynqmp")
        self.describe(clocks=[{"name": "fclk0", "mhz": 100, "multiplied": True}])
        self.refuse_here_and_there(server, "has to be right before the design is loaded")
        self.file = self.write("card.xclbin", bitstreams.xclbin([(0, "bitstream", b"opaque" * 10)]))
        (self.folder / "vta.json").unlink()
        self.refuse_here_and_there(server, "use --via xrt")
        self.board.command("xbutil", f"touch {self.board.root}/xbutil-ran")
        self.refuse_there(server, "--via xrt leads to no FPGA of the server's machine")
        self.assertFalse((self.board.root / "xbutil-ran").exists())
        self.assertEqual((self.board.manager / "firmware").read_text(), "")
        self.assertFalse(list((self.board.root / "lib/firmware").iterdir()))

    def test_cut_files_never_travel(self):
        server = self.serve()
        whole = self.file.read_bytes()
        for length in (0, 1, 20, len(whole) // 2, len(whole) - 1):
            self.file = self.write("cut.bit", whole[:length])
            with self.subTest(length):
                self.refuse_here_and_there(server, "'")

    def test_a_line_that_breaks_in_the_middle(self):
        self.file = self.write("vta.bit", bitstreams.bit(bitstreams.raw(bitstreams.packets(frame_words=900_001))))
        server = self.serve()
        for size_bytes in (1000, 1_500_000):
            line = CutLine(self, server, size_bytes)
            result = tool("vta-flash", self.file, "--device", line.address)
            self.assertEqual(result.returncode, 1, result.stdout)
            self.assertIn(f"vta-flash: error: {line.address}: ", result.stderr)
            self.assertEqual((self.board.manager / "firmware").read_text(), "")
        for _ in range(100):  # until the server has noticed it
            result = tool("vta-flash", self.file, "--device", server.address)
            if result.returncode == 0:
                break
            self.assertIn("programs the board at this moment", result.stderr)
            time.sleep(0.1)
        self.assertEqual((self.board.manager / "firmware").read_text(), self.firmware().name)

    def test_options_of_this_machine(self):
        server = self.serve()
        for arguments in (["--root", "/"], ["--via", "jtag"], ["--via", "xrt"], ["--card", "0"],
                          ["--jtag-option", "--cable"]):
            if arguments == ["--root", "/"]:
                arguments = ["--root", self.folder]
            self.refuse_there(server, "is for the machine that vta-flash runs on", arguments=arguments, code=2)
        for arguments in (["--list"], ["--info", self.file], ["--package", self.folder / "p", self.file]):
            self.refuse("vta-flash", *arguments, "--device", server.address, code=2, says=["leave out --device"])
        self.refuse("vta-flash", "--test", "--device", server.address, code=2, says=["needs --hw"])
        self.refuse("vta-flash", self.file, "--device", "zynq:uio=uio1", code=2, says=["tcp://host:port"])
        self.refuse("vta-flash", self.file, "--device", "tcp://nonsense", code=2, says=["host:port"])
        self.refuse("vta-flash", self.file, "--device", server.address + ",board=moon", says=["it has: zynq"])

    def test_a_server_has_to_be_told(self):
        plain = Server(self, "--device", "functional")
        self.refuse_there(plain, "did not give --flash")
        self.refuse("vta-server", "--device", "functional", "--flash", code=2, says=["no --device is a board"])
        self.refuse("vta-server", "--device", "zynq", "--flash", "--listen", "0.0.0.0:0", "--insecure", code=2,
                    says=["--flash at 0.0.0.0:0", "load any logic", "--tokens"])
        self.refuse("vta-server", "--device", "zynq", "--flash", "--flash-memory", "much", code=2,
                    says=["--flash-memory much", "256M"])
        self.refuse("vta-server", "--device", "a=zynq:root=/a", "--device", "b=zynq:root=/b", "--flash", code=2,
                    says=["'a' and 'b'", "different machines"])
        plain.end()
        self.refuse_there(plain, "is vta-server running there")

    def test_tokens_and_metrics(self):
        tokens = self.write("tokens", f"ann {TOKEN}\n")
        token = self.write("token", TOKEN)
        tokens.chmod(0o600)
        token.chmod(0o600)
        port = Server(self, "--device", "functional")
        metrics = port.address.removeprefix("tcp://")
        port.end()
        server = self.serve("--tokens", tokens, "--metrics", metrics)
        self.refuse_there(server, "token=FILE")
        self.assertEqual((self.board.manager / "firmware").read_text(), "")
        self.flash_there(server, more=f",token={token}")
        self.board.write("sys/class/fpga_manager/fpga0/state", "write init error\n")
        self.refuse("vta-flash", self.file, "--device", f"{server.address},token={token}", says=["write init error"])
        with urllib.request.urlopen(f"http://{metrics}/metrics", timeout=30) as page:
            text = page.read().decode()
        self.assertIn('vta_server_bitstreams_total{client="ann"} 2', text)
        self.assertIn('vta_server_bitstream_failures_total{client="ann"} 1', text)
        server.process.terminate()
        said = server.process.stdout.read()
        self.assertIn(f"client 'ann' has programmed the board: {self.firmware().name}\n", said)
        self.assertIn("client 'ann' could not program the board: the FPGA manager's state", said)

    @unittest.skipUnless(shutil.which("dtc"), "needs dtc")
    def test_one_client_programs_at_a_time_and_to_the_end(self):
        self.board = SlowBoard(self.folder / "slow", self)
        self.describe()
        server = self.serve()
        results = []
        first = threading.Thread(target=lambda: results.append(tool("vta-flash", self.file, "--device", server.address)))
        first.start()
        self.board.wait_for_load()
        self.refuse_there(server, "client 'session-1' programs the board at this moment; try again")
        # Who wants the board waits until it is programmed.
        waiting = threading.Thread(target=lambda: results.append(
            tool("vta-flash", "--test", "--device", server.address, "--hw", HW / "default.yaml")))
        waiting.start()
        time.sleep(0.5)
        self.assertEqual(results, [])
        (self.board.root / "hold").unlink()
        first.join()
        waiting.join()
        codes = {result.args[1] == "--test": result for result in results}
        self.assertEqual(codes[False].returncode, 0, codes[False].stderr)
        self.assertIn("the server's board 'zynq' is not there", codes[True].stderr)
        self.flash_there(server)

    @unittest.skipUnless(shutil.which("dtc"), "needs dtc")
    def test_a_client_that_goes_while_the_board_is_programmed(self):
        self.board = SlowBoard(self.folder / "slow", self)
        self.describe()
        server = self.serve()
        result = tool("vta-flash", self.file, "--device", server.address + ",answer-timeout=500")
        self.assertEqual(result.returncode, 1)
        self.assertIn("no answer for 500 ms", result.stderr)
        self.refuse_there(server, "programs the board at this moment")
        (self.board.root / "hold").unlink()
        for _ in range(100):
            result = tool("vta-flash", self.file, "--device", server.address, "--json")
            if result.returncode == 0:
                break
            time.sleep(0.1)
        self.assertTrue(json.loads(result.stdout)["verified"], result.stderr)

    def test_a_board_that_another_process_uses(self):
        server = self.serve()
        with open(self.board.root / "dev/uio0", "r+b") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            self.refuse_there(server, "is in use by process")
        self.flash_there(server)


@unittest.skipUnless((BIN / "vta-server").exists() and (BIN / "vta-virtual-board").exists(), "no server or virtual board")
class VirtualBoardTest(ToolCase):
    """With a core behind the files: what is served is what the last bitstream is."""

    def test_sessions_see_what_was_programmed(self):
        board = (BIN / "vta-virtual-board", "--programmed-hw", "small-1x8x8", "--", BIN / "vta-server")
        server = Server(self, "--device", "zynq:root={}", "--flash", program=board)
        file = self.write("vta.bit", bitstreams.bit(bitstreams.raw(bitstreams.packets())))
        there = ("--device", server.address)
        self.succeed("vta-flash", "--test", *there, "--hw", "default")
        self.refuse("vta-flash", "--test", *there, "--hw", "small-1x8x8", says=["board: ", "program: "])
        # A description of other hardware than what answers: it is loaded, and nobody gets it.
        description = self.write("vta.json", bitstreams.description())
        self.refuse("vta-flash", file, *there, says=["another configuration", server.address])
        for name in ("default", "small-1x8x8"):
            self.refuse("vta-flash", "--test", *there, "--hw", name,
                        says=["the server's board 'zynq' is not there", "has to be programmed again"])
        description.unlink()
        self.succeed("vta-flash", file, *there)
        self.succeed("vta-flash", "--test", *there, "--hw", "small-1x8x8")
        self.refuse("vta-flash", "--test", *there, "--hw", "default", says=["board: ", "program: "])
        # What can be found before changes nothing.
        self.refuse("vta-flash", self.write("cut.bin", bitstreams.raw(bitstreams.packets(0x03722093))), *there,
                    says=["this device is xc7z020"])
        self.succeed("vta-flash", "--test", *there, "--hw", "small-1x8x8")


if __name__ == "__main__":
    unittest.main()
