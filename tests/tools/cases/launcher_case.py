"""What tests of tools with workers of launchers share."""

import os
import subprocess
import time
from pathlib import Path

from tool_case import BIN, ToolCase

# Every worker is a process in the background; its number is the job.
COMMANDS = """\
command:
  submit: 'sh -c "exec "{command} > {log} 2>&1 & echo $!'
  status: "if kill -0 {job} 2> /dev/null; then echo running; fi"
  cancel: "kill -9 {job}"
  running: [running]
"""
FAKE_SSH = """\
#!/bin/sh
while [ "${1#-}" != "$1" ]; do shift 2; done
echo "$1" >> "$HOSTS_SEEN"
[ "$1" = unreachable ] && { echo "ssh: connect to host unreachable: no route" >&2; exit 255; }
exec sh -c "$2"
"""


class LauncherCase(ToolCase):
    """A spool, and the workers that use it."""

    tool = None  # whose workers they are

    def setUp(self):
        super().setUp()
        self.spool = self.folder / "spool"
        self.spool.mkdir()

    def config(self, text):
        return self.write("launcher.yaml", text)

    def command_text(self, more="workers: 2\n"):
        """A launcher's file for workers that are processes in the background."""
        return f"{more}spool: {self.spool}\nlost_after_seconds: 5\n{COMMANDS}"

    def fake_ssh(self):
        """Environment in which ssh runs commands here; `self.seen` gets the hosts' names."""
        programs = self.folder / "programs"
        programs.mkdir()
        fake = programs / "ssh"
        fake.write_text(FAKE_SSH)
        fake.chmod(0o755)
        self.seen = self.folder / "hosts"
        return {**os.environ, "PATH": f"{programs}:{os.environ['PATH']}", "HOSTS_SEEN": str(self.seen)}

    def start(self, *arguments, **options):
        command = [str(part) for part in (BIN / self.tool, *arguments)]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options)
        self.addCleanup(lambda: (process.kill(), process.communicate()))
        return process

    def worker_processes(self):
        """Processes of workers that use this test's spool."""
        found = []
        for entry in Path("/proc").iterdir():
            try:
                words = (entry / "cmdline").read_bytes().split(b"\0") if entry.name.isdigit() else []
                parent = int((entry / "stat").read_text().rsplit(")", 1)[1].split()[1]) if words else 0
            except (OSError, IndexError):
                continue
            place = words[2] if len(words) > 2 and words[1] == b"--worker" else b""
            if place.startswith(str(self.spool).encode()):
                found.append((int(entry.name), parent))
        own = {pid for pid, _ in found}
        # Those that measure are children of the workers.
        return [pid for pid, parent in found if parent not in own]

    def wait_for(self, condition, seconds=120):
        deadline = time.monotonic() + seconds
        while not condition():
            self.assertLess(time.monotonic(), deadline, "nothing happened")
            time.sleep(0.1)
