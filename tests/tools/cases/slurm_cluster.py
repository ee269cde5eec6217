"""A Slurm cluster for tests: Debian's slurmctld and some slurmd, all on this machine and on loopback only."""

import os
import pwd
import shutil
import socket
import subprocess
import time
from pathlib import Path

PROGRAMS = ("slurmctld", "slurmd", "sbatch", "squeue", "scontrol", "scancel")
_DAEMON_PATH = f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin"

_CONFIGURATION = """\
ClusterName=vta
SlurmctldHost={host}(127.0.0.1)
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/none
CredType=cred/none
CryptoType=crypto/none
MpiDefault=none
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerParameters=sched_interval=1,batch_sched_delay=0,defer_batch
SchedulerType=sched/builtin
SlurmdParameters=config_overrides
SwitchType=switch/none
ReturnToService=2
SlurmctldPort={ports[0]}
SlurmctldTimeout=10
SlurmdTimeout=10
InactiveLimit=0
MinJobAge=300
KillWait=1
Licenses=board:2
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/slurmd-%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd-%n.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd-%n.log
{nodes}
PartitionName=work Nodes={names} Default=YES MaxTime=60 State=UP
"""


def missing_program():
    """The first program of Slurm that is not installed, or None."""
    return next((name for name in PROGRAMS if not shutil.which(name, path=_DAEMON_PATH)), None)


def _free_ports(count):
    sockets = [socket.socket() for _ in range(count)]
    for each in sockets:
        each.bind(("127.0.0.1", 0))
    ports = [each.getsockname()[1] for each in sockets]
    for each in sockets:
        each.close()
    return ports


class SlurmCluster:
    """`nodes` nodes n0, n1, ... with `cpus` processors each, which exist on paper only. Ends with stop()."""

    def __init__(self, folder, nodes=2, cpus=2):
        self.folder = Path(folder)
        (self.folder / "state").mkdir(parents=True)
        host = socket.gethostname().split(".")[0]
        ports = _free_ports(nodes + 1)
        self.names = [f"n{i}" for i in range(nodes)]
        lines = [f"NodeName={name} NodeHostname={host} NodeAddr=127.0.0.1 Port={port} CPUs={cpus} State=UNKNOWN"
                 for name, port in zip(self.names, ports[1:], strict=True)]
        text = _CONFIGURATION.format(host=host, user=pwd.getpwuid(os.getuid()).pw_name, ports=ports, folder=self.folder,
                                     nodes="\n".join(lines), names=",".join(self.names))
        self.conf = self.folder / "slurm.conf"
        self.conf.write_text(text)
        self.environment = {**os.environ, "PATH": _DAEMON_PATH, "SLURM_CONF": str(self.conf)}
        self.processes = {}
        self._start("slurmctld", "slurmctld", "-D", "-i")
        for name in self.names:
            self.start_node(name)

    def _start(self, key, *command):
        log = (self.folder / f"{key}.out").open("ab")
        self.processes[key] = subprocess.Popen(command, env=self.environment, stdout=log, stderr=log,
                                               stdin=subprocess.DEVNULL, cwd=self.folder)
        log.close()

    def start_node(self, name):
        self._start(name, "slurmd", "-D", "-N", name)

    def call(self, *command):
        return subprocess.run([str(part) for part in command], env=self.environment, capture_output=True, text=True,
                              timeout=60, check=False)

    def wait_until_idle(self, seconds=60):
        """Waits for all nodes; what went wrong, or None."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            states = self.call("sinfo", "--noheader", "--Node", "--format=%T").stdout.split()
            if len(states) == len(self.names) and set(states) == {"idle"}:
                return None
            time.sleep(0.2)
        return f"the nodes are {states}; logs:\n" + "".join(self.logs())

    def logs(self):
        return [f"== {path.name}\n{path.read_text(errors='replace')[-2000:]}\n"
                for path in sorted([*self.folder.glob("*.log"), *self.folder.glob("*.out")])]

    def stop_controller(self):
        self._end("slurmctld")

    def _end(self, key):
        process = self.processes.pop(key, None)
        if process is None:
            return
        process.terminate()
        try:
            process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()

    def stop(self):
        """Ends all jobs, and then the cluster."""
        if "slurmctld" not in self.processes:  # without it nobody ends the jobs
            self._start("slurmctld", "slurmctld", "-D")
        deadline = time.monotonic() + 30
        while time.monotonic() < deadline:
            self.call("scancel", "--quiet", f"--user={pwd.getpwuid(os.getuid()).pw_name}")
            queue = self.call("squeue", "--noheader")
            if queue.returncode == 0 and not queue.stdout:
                break
            time.sleep(0.2)
        for key in list(self.processes):
            self._end(key)
