"""vta-sweep with workers of launchers: the numbers of local workers, whatever happens to those of the launcher."""

import json
import os
import signal
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "cases"))

from launcher_case import LauncherCase  # noqa: E402
import slurm_cluster  # noqa: E402
from tool_case import DIGITS, HW  # noqa: E402

MODEL = DIGITS / "digits.onnx"
FEW = f"""\
base: {HW / "small-1x8x8.yaml"}
models: {MODEL}
grid:
  gemm.block_out: [8, 16]
  axi.data_width_bits: [32, 64]
memories: [simple, ddr3-1066]
"""
# One outline, many simulations.
MANY = FEW.replace("memories:", "  axi.outstanding_bursts: [1, 2, 3, 4, 5, 6, 7, 8]\n"
                   "  axi.max_burst_beats: [2, 4, 8, 16]\nmemories:")


class SweepLauncherCase(LauncherCase):
    tool = "vta-sweep"

    def arguments(self, description, *more, cache="cache.db"):
        return [self.write("sweep.yaml", description), "--cache", self.folder / cache, *more]

    def points(self, description, *more, cache="cache.db", **options):
        """The objectives of all points."""
        text = self.succeed("vta-sweep", *self.arguments(description, "--json", *more, cache=cache), **options)
        points = json.loads(text)["points"]
        self.assertTrue(all(point["status"] == "ok" for point in points), text)
        return [(point["number"], point["models"]) for point in points]

    def local_points(self, description):
        return self.points(description, cache="local.db")

    def launched(self, launcher, text):
        return ["--launcher", launcher, "--launcher-file", self.config(text)]


class SshTest(SweepLauncherCase):
    def test_workers_on_hosts(self):
        environment = self.fake_ssh()
        launched = self.launched("ssh", "workers: 2\nssh: {hosts: [alpha, beta]}\n")
        self.assertEqual(self.points(FEW, *launched, env=environment), self.local_points(FEW))
        self.assertEqual(sorted(self.seen.read_text().split()), ["alpha", "beta"])
        # What is in the cache needs no worker.
        self.seen.write_text("")
        self.points(FEW, *launched, env=environment)
        self.assertEqual(self.seen.read_text(), "")

    def test_a_host_that_cannot_be_reached(self):
        self.refuse("vta-sweep", *self.arguments(FEW, *self.launched("ssh", "ssh: {hosts: [unreachable]}\n")),
                    says=["no worker is left", "no route"], env=self.fake_ssh())


class CommandTest(SweepLauncherCase):
    def launch(self, description, more="workers: 2\n"):
        return self.start(*self.arguments(description, *self.launched("command", self.command_text(more))))

    def test_a_killed_and_a_frozen_worker_lose_nothing(self):
        process = self.launch(MANY)
        self.wait_for(lambda: len(self.worker_processes()) >= 2)
        killed, frozen = self.worker_processes()[:2]
        os.kill(killed, signal.SIGKILL)
        os.kill(frozen, signal.SIGSTOP)
        _, errors = process.communicate(timeout=300)
        self.assertEqual(process.returncode, 0, errors)
        self.assertEqual(self.points(MANY), self.local_points(MANY))
        self.assertEqual(list(self.spool.iterdir()), [])

    def test_interruption_ends_workers_and_the_same_command_goes_on(self):
        process = self.launch(MANY)
        self.wait_for(lambda: len(self.worker_processes()) >= 1)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130)
        self.assertIn("stopped by SIGINT", errors)
        self.wait_for(lambda: not self.worker_processes())
        self.assertEqual(self.points(MANY, *self.launched("command", self.command_text())), self.local_points(MANY))

    def test_another_version_is_refused(self):
        other = self.folder / "other-version"
        other.write_text('#!/bin/sh\nprintf \'{"refused": "this worker is 0.0"}\' > "$2/to-farm.1"\n')
        other.chmod(0o755)
        process = self.launch(FEW, f"workers: 1\nprogram: {other}\n")
        _, errors = process.communicate(timeout=100)
        self.assertEqual(process.returncode, 1)
        self.assertIn("this worker is 0.0", errors)

    def test_bad_usage(self):
        sweep = self.arguments(FEW)
        self.refuse("vta-sweep", *sweep, "--launcher", "slrum", code=2, says=["--launcher", "slurm, ssh, command"])
        self.refuse("vta-sweep", *sweep, "--launcher", "ssh", code=2, says=["hosts", "--launcher-file"])
        self.refuse("vta-sweep", *sweep, "--launcher", "slurm", "--workers", "3", code=2, says=["--launcher-file"])
        self.refuse("vta-sweep", *sweep, "--worker", "-", code=2, says=["no sweep"])
        self.refuse("vta-sweep", "--worker", self.folder / "absent", says=["absent", "all machines see"])


@unittest.skipIf(slurm_cluster.missing_program(), f"{slurm_cluster.missing_program()} is not installed: "
                 "scripts/setup slurm installs Slurm")
class SlurmTest(SweepLauncherCase):
    def test_workers_on_nodes(self):
        cluster = slurm_cluster.SlurmCluster(self.folder / "cluster")
        self.addCleanup(cluster.stop)
        self.assertIsNone(cluster.wait_until_idle())
        launched = self.launched("slurm", f"workers: 2\nspool: {self.spool}\nslurm: {{partition: work}}\n")
        self.assertEqual(self.points(FEW, *launched, env=cluster.environment), self.local_points(FEW))
        self.wait_for(lambda: not cluster.call("squeue", "--noheader").stdout)


if __name__ == "__main__":
    unittest.main()
