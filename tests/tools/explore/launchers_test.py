"""vta-tune with workers of launchers: ssh, commands, and a real Slurm on this machine."""

import getpass
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "cases"))

from launcher_case import LauncherCase  # noqa: E402
import slurm_cluster  # noqa: E402
from tool_case import DIGITS, DIGITS_OPTIONS, tool  # noqa: E402

MODEL = DIGITS / "digits.onnx"


class TuneCase(LauncherCase):
    tool = "vta-tune"

    def setUp(self):
        super().setUp()
        self.database = self.folder / "tuning.db"

    def arguments(self, *more, database=None):
        return [MODEL, *DIGITS_OPTIONS, "--db", database or self.database, "--searcher", "random", "--patience", "0", *more]

    def tasks(self, launcher, text, *more, **options):
        arguments = self.arguments("--launcher", launcher, "--launcher-file", self.config(text), "--json", *more)
        return json.loads(self.succeed("vta-tune", *arguments, **options))["tasks"]

    def local_tasks(self, *more):
        arguments = self.arguments("--json", *more, database=self.folder / "local.db")
        return json.loads(self.succeed("vta-tune", *arguments))["tasks"]

    def assert_same(self, tasks, expected):
        self.assertEqual([(task["trials"], task["best_cycles"], task["schedule"]) for task in tasks],
                         [(task["trials"], task["best_cycles"], task["schedule"]) for task in expected])

    def trials(self, database=None):
        """Every trial of a database, by its task and schedule."""
        lines = self.folder / "lines.jsonl"
        self.succeed("vta-tune", "--db", database or self.database, "--export", lines)
        entries = [json.loads(line) for line in lines.read_text().splitlines()]
        return {(json.dumps(entry["workload"]), json.dumps(entry["schedule"])): (entry["outcome"], entry["cycles"])
                for entry in entries if "schedule" in entry}

    def stored(self):
        result = tool("vta-tune", "--show", "--json", "--db", self.database)
        return json.loads(result.stdout)["tasks"] if result.returncode == 0 else []

    def trouble_in_the_middle(self, launcher, text, **options):
        """One worker is killed, one freezes; the search ends with the trials that it has without trouble."""
        # So many that the search goes on for a while on a machine that has much else to do.
        trials = ("--trials", "400")
        process = self.start(*self.arguments("--launcher", launcher, "--launcher-file", self.config(text), *trials),
                             **options)
        self.wait_for(lambda: len(self.worker_processes()) >= 2 and len(self.stored()) >= 1)
        killed, frozen = self.worker_processes()[:2]
        os.kill(killed, signal.SIGKILL)
        os.kill(frozen, signal.SIGSTOP)
        _, errors = process.communicate(timeout=300)
        self.assertEqual(process.returncode, 0, errors)
        self.assertGreaterEqual(sum(task["lost_workers"] for task in self.stored()), 1)
        self.local_tasks(*trials)
        self.assertEqual(self.trials(), self.trials(self.folder / "local.db"))
        self.assertEqual(list(self.spool.iterdir()), [])


class SshTest(TuneCase):
    def setUp(self):
        super().setUp()
        self.environment = self.fake_ssh()

    def test_workers_on_hosts(self):
        tasks = self.tasks("ssh", "workers: 3\nssh: {hosts: [ann@alpha, beta]}\n", "--trials", "12", env=self.environment)
        self.assert_same(tasks, self.local_tasks("--trials", "12"))
        self.assertEqual(sorted(self.seen.read_text().split()), ["ann@alpha", "ann@alpha", "beta"])

    def test_a_host_that_cannot_be_reached(self):
        text = "workers: 2\nssh: {hosts: [unreachable]}\n"
        self.refuse("vta-tune", *self.arguments("--launcher", "ssh", "--launcher-file", self.config(text)),
                    says=["no worker is left", "no route"], env=self.environment)
        # Others do its work.
        tasks = self.tasks("ssh", "workers: 2\nssh: {hosts: [unreachable, beta]}\n", "--trials", "8", env=self.environment)
        self.assert_same(tasks, self.local_tasks("--trials", "8"))

    def test_a_device_of_the_other_machine(self):
        text = self.config("workers: 2\nssh: {hosts: [beta]}\n")
        arguments = self.arguments("--launcher", "ssh", "--launcher-file", text, "--trials", "4", "--json")
        tasks = json.loads(self.succeed("vta-tune", *arguments, "--device", "cycle", env=self.environment))["tasks"]
        self.assertTrue(all(task["rank_agreement"] >= -1 for task in tasks))
        self.assertTrue(all(task["source"].startswith("device ") for task in self.stored()))
        self.refuse("vta-tune", *arguments, "--device", "absent:0", env=self.environment,
                    says=["no worker is left", "unknown device 'absent'"])

    @unittest.skipUnless(Path("/usr/sbin/sshd").exists(), "openssh-server is not installed")
    def test_a_real_server(self):
        if os.getuid() == 0:
            Path("/run/sshd").mkdir(exist_ok=True)
        for name in ("host", "user"):
            subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", self.folder / name], check=True)
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        self.write("sshd.conf", f"Port {port}\nListenAddress 127.0.0.1\nHostKey {self.folder}/host\nUsePAM no\n"
                   f"AuthorizedKeysFile {self.folder}/user.pub\nStrictModes no\nPidFile none\nPermitRootLogin yes\n")
        server = subprocess.Popen(["/usr/sbin/sshd", "-D", "-e", "-f", self.folder / "sshd.conf"],
                                  stderr=subprocess.PIPE, text=True)
        self.addCleanup(lambda: (server.terminate(), server.communicate()))
        options = (f"-F none -p {port} -i {self.folder}/user -o BatchMode=yes -o StrictHostKeyChecking=no "
                   f"-o UserKnownHostsFile=/dev/null -o ConnectionAttempts=20")
        text = ("workers: 2\nssh:\n  hosts: [127.0.0.1]\n"
                f"  command: ssh {options} -l {getpass.getuser()} {{host}} {{command}}\n")
        self.assert_same(self.tasks("ssh", text, "--trials", "12"), self.local_tasks("--trials", "12"))


class CommandTest(TuneCase):
    def test_a_killed_and_a_frozen_worker_lose_nothing(self):
        self.trouble_in_the_middle("command", self.command_text())

    def test_interruption_keeps_finished_trials_and_ends_workers(self):
        process = self.start(*self.arguments("--launcher", "command", "--launcher-file", self.config(self.command_text()),
                                             "--trials", "100000"))
        self.wait_for(lambda: sum(task["trials"] for task in self.stored()) >= 20)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130)
        self.assertIn("every finished trial", errors)
        self.wait_for(lambda: not self.worker_processes())

    def test_workers_end_when_their_farm_is_killed(self):
        process = self.start(*self.arguments("--launcher", "command", "--launcher-file", self.config(self.command_text()),
                                             "--trials", "100000"))
        self.wait_for(lambda: len(self.worker_processes()) == 2)
        process.kill()
        process.communicate()
        shutil.rmtree(next(self.spool.iterdir()))
        self.wait_for(lambda: not self.worker_processes())

    def test_another_version_is_refused(self):
        other = self.folder / "other-version"
        other.write_text('#!/bin/sh\nprintf \'{"refused": "this worker is 0.0"}\' > "$2/to-farm.1"\n')
        other.chmod(0o755)
        text = self.command_text(f"workers: 1\nprogram: {other}\n")
        self.refuse("vta-tune", *self.arguments("--launcher", "command", "--launcher-file", self.config(text)),
                    says=["this worker is 0.0"])

    def test_bad_usage(self):
        self.refuse("vta-tune", MODEL, "--launcher", "slrum", code=2, says=["--launcher", "slurm, ssh, command"])
        self.refuse("vta-tune", MODEL, "--launcher", "ssh", code=2, says=["hosts", "--launcher-file"])
        self.refuse("vta-tune", MODEL, "--launcher", "slurm", "--workers", "3", code=2, says=["--launcher-file"])
        self.refuse("vta-tune", MODEL, "--worker", "-", code=2, says=["no model"])
        self.refuse("vta-tune", "--worker", self.folder / "absent", says=["absent", "all machines see"])
        bad = self.config("workers: 2\ncommand:\n  submit: run {comand}\n")
        self.refuse("vta-tune", MODEL, "--launcher", "command", "--launcher-file", bad,
                    says=["launcher.yaml:3:11", "{comand}", "{command}"])
        self.refuse("vta-tune", *self.arguments("--launcher", "slurm", "--launcher-file",
                                                self.config("spool: /no/such/folder\n")), says=["/no/such/folder"])

    def test_slurm_programs_that_print_nonsense(self):
        programs = self.folder / "programs"
        programs.mkdir()
        environment = {**os.environ, "PATH": f"{programs}:{os.environ['PATH']}"}
        arguments = self.arguments("--launcher", "slurm", "--launcher-file", self.config(f"spool: {self.spool}\n"))
        for script, says in (("echo Submitted batch job", "Submitted batch job"),
                             ("echo 'sbatch: error: no such partition' >&2; exit 1", "no such partition")):
            (programs / "sbatch").write_text(f"#!/bin/sh\n{script}\n")
            (programs / "sbatch").chmod(0o755)
            self.refuse("vta-tune", *arguments, env=environment, says=["slurm", says])
        self.assertEqual(list(self.spool.iterdir()), [])

    def test_a_machine_without_slurm(self):
        self.refuse("vta-tune", *self.arguments("--launcher", "slurm", "--launcher-file",
                                                self.config(f"spool: {self.spool}\n")),
                    env={**os.environ, "PATH": str(self.folder)}, says=["cannot start 'sbatch'"])


@unittest.skipIf(slurm_cluster.missing_program(), f"{slurm_cluster.missing_program()} is not installed: "
                 "scripts/setup slurm installs Slurm")
class SlurmTest(TuneCase):
    def setUp(self):
        super().setUp()
        self.cluster = slurm_cluster.SlurmCluster(self.folder / "cluster")
        self.addCleanup(self.cluster.stop)
        self.assertIsNone(self.cluster.wait_until_idle())

    def text(self, more="workers: 2\n", slurm="partition: work"):
        return f"{more}spool: {self.spool}\nlost_after_seconds: 5\nslurm: {{{slurm}}}\n"

    def test_workers_on_nodes_with_boards_as_licences(self):
        # There are two boards: the third worker waits in the queue, and nobody waits for it.
        text = self.text("workers: 3\n", "partition: work, licenses: board:1, nodes: [n1], time_limit: 10")
        tasks = self.tasks("slurm", text, "--trials", "12", env=self.cluster.environment)
        self.assert_same(tasks, self.local_tasks("--trials", "12"))
        self.wait_for(lambda: not self.cluster.call("squeue", "--noheader").stdout)
        shown = self.cluster.call("scontrol", "show", "job", "--oneliner").stdout.splitlines()
        self.assertEqual(len(shown), 3)
        for line in shown:
            self.assertIn("Requeue=0", line)
            self.assertRegex(line, "Licenses=board(:1)? ")
        self.assertEqual(sum("NodeList=n1 " in line for line in shown), 2, shown)

    def test_a_killed_and_a_frozen_worker_lose_nothing(self):
        self.trouble_in_the_middle("slurm", self.text(), env=self.cluster.environment)

    def test_a_refused_submission(self):
        for slurm, says in (("partition: absent", "Invalid partition"), ("licenses: board:7", "license"),
                            ("nodes: [n7]", "no node 'n7'")):
            self.refuse("vta-tune", *self.arguments("--launcher", "slurm", "--launcher-file",
                                                    self.config(self.text(slurm=slurm))),
                        says=["slurm", says], env=self.cluster.environment)

    def test_a_job_that_never_starts(self):
        text = self.text("start_within_seconds: 3\n", "options: [--begin=now+1hour]")
        self.refuse("vta-tune", *self.arguments("--launcher", "slurm", "--launcher-file", self.config(text)),
                    says=["within 3 s", "PENDING", "BeginTime"], env=self.cluster.environment)
        self.wait_for(lambda: not self.cluster.call("squeue", "--noheader").stdout)

    def test_a_cluster_that_vanishes(self):
        process = self.start(*self.arguments("--launcher", "slurm", "--launcher-file", self.config(self.text()),
                                             "--trials", "100000"), env=self.cluster.environment)
        self.wait_for(lambda: sum(task["trials"] for task in self.stored()) >= 20)
        self.cluster.stop_controller()
        for worker in self.worker_processes():
            os.kill(worker, signal.SIGKILL)
        _, errors = process.communicate(timeout=200)
        self.assertEqual(process.returncode, 1)
        self.assertIn("Unable to contact slurm controller", errors)
        self.assertIn("every finished trial", errors)
        self.assertGreaterEqual(sum(task["trials"] for task in self.stored()), 20)


if __name__ == "__main__":
    unittest.main()
