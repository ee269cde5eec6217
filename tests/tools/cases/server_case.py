"""A vta-server for the time of a test."""

import re
import subprocess

from tool_case import BIN


class Server:
    """A vta-server at a free port; ends with the test. `program`: the command that starts it."""

    def __init__(self, case, *arguments, program=(BIN / "vta-server",)):
        command = [*map(str, program), "--listen", "127.0.0.1:0", *map(str, arguments)]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        case.addCleanup(self.end)
        self.lines = []
        while True:
            line = self.process.stdout.readline()
            assert line, self.process.stderr.read()
            self.lines.append(line)
            if match := re.search(r"listening at (tcp://\S+)", line):
                self.address = match[1]
                return

    def end(self):
        if self.process.poll() is None:
            self.process.terminate()
        code = self.process.wait(30)
        self.process.stdout.close()
        self.process.stderr.close()
        return code
