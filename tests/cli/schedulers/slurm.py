"""A real Slurm of one node, on this machine and for one test: its own munge, its own ports, GPUs that are /dev/zero.

Its node is this machine, which a job sees as it is; slurm_cluster.py has nodes that can be lost. Needs root, slurmctld, slurmd,
sbatch and munged (Debian: slurmctld slurmd slurm-client munge)."""

import os
import secrets
import shutil
import socket
import subprocess
import time

PATH = os.environ["PATH"] + ":/usr/sbin:/sbin"
PROGRAMS = ("slurmctld", "slurmd", "sbatch", "scontrol", "munged")


def why_no_slurm():
    """"" if one can be started."""
    return why_not_all(PROGRAMS)


def why_not_all(programs):
    missing = [name for name in programs if not shutil.which(name, path=PATH)]
    if missing:
        return "no Slurm here: " + ", ".join(missing)
    return "" if os.geteuid() == 0 else "Slurm's daemons need root"


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


class Daemons:
    """Programs of one Slurm, whose settings, logs and sockets are in `place`; commands that ask them; its munge."""

    def __init__(self, place, folders):
        self.place, self.daemons = place, {}
        for name in ("state", "spool", "run", "log", *folders):
            (place / name).mkdir(parents=True)
        self.environment = dict(os.environ, SLURM_CONF=str(place / "slurm.conf"), PATH=PATH)

    def daemon(self, name, *words):
        """Ends with the thread that starts it, if nobody ends it before."""
        with open(self.place / "log" / f"{name}.out", "a") as log:
            self.daemons[name] = subprocess.Popen(["setpriv", "--pdeathsig", "KILL", *map(str, words)], env=self.environment,
                                                  stdin=subprocess.PIPE, stdout=log, stderr=subprocess.STDOUT)
        return self.daemons[name]

    def start_munge(self):
        run = self.place / "run"
        key = run / "munge.key"
        key.write_bytes(secrets.token_bytes(128))
        key.chmod(0o600)
        self.daemon("munged", "munged", "--foreground", "--force", f"--key-file={key}", f"--socket={run}/munge.socket",
                    f"--pid-file={run}/munged.pid", f"--log-file={self.place}/log/munged.log", f"--seed-file={run}/munged.seed")
        self.until(lambda: (run / "munge.socket").exists(), "munged")

    def until(self, done, what, seconds=240):
        end = time.monotonic() + seconds
        while not done():
            if time.monotonic() > end:
                logs = "\n".join(f"== {file.name}\n{file.read_text()[-2000:]}" for file in (self.place / "log").iterdir())
                raise AssertionError(f"{what}: not within {seconds} s\n{logs}")
            time.sleep(0.2)

    def command(self, *words, check=True, **options):
        options.setdefault("env", self.environment)
        done = subprocess.run([str(word) for word in words], capture_output=True, text=True, timeout=240, **options)
        if check and done.returncode != 0:
            raise AssertionError(f"{words}\n{done.stdout}\n{done.stderr}")
        return done.stdout

    def stop(self):
        while self.daemons:
            self.end(next(reversed(self.daemons)))

    def end(self, name):
        """At once, as kill -9 does."""
        daemon = self.daemons.pop(name)
        daemon.stdin.close()
        daemon.kill()
        daemon.wait(30)


class Slurm(Daemons):
    def __init__(self, place, gpus):
        super().__init__(place, ())
        host = socket.gethostname().split(".")[0]
        gres = ",".join(f"gpu:{one}:1" for one in gpus)
        (place / "slurm.conf").write_text(f"""ClusterName=test
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={free_port()}
SlurmdPort={free_port()}
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket={place}/run/munge.socket
CredType=cred/munge
StateSaveLocation={place}/state
SlurmdSpoolDir={place}/spool
SlurmctldPidFile={place}/run/slurmctld.pid
SlurmdPidFile={place}/run/slurmd.pid
SlurmctldLogFile={place}/log/slurmctld.log
SlurmdLogFile={place}/log/slurmd.log
MpiDefault=none
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SlurmdParameters=config_overrides  # so that recipes get the CPUs and the memory that they ask for, on any machine
SchedulerParameters=sched_interval=1,batch_sched_delay=0
ReturnToService=2
MinJobAge=600
GresTypes=gpu
AccountingStorageType=accounting_storage/none
NodeName={host} NodeAddr=127.0.0.1 CPUs={max(os.cpu_count(), 16)} RealMemory=32000 Gres={gres}
PartitionName=main Nodes={host} Default=YES MaxTime=INFINITE State=UP
""")
        (place / "gres.conf").write_text("".join(f"NodeName={host} Name=gpu Type={one} File=/dev/{file}\n"
                                                 for one, file in zip(gpus, ("zero", "null", "full", "random", "urandom"))))

    def start(self):
        self.start_munge()
        self.daemon("slurmctld", "slurmctld", "-D")
        self.daemon("slurmd", "slurmd", "-D", "-N", socket.gethostname().split(".")[0])
        self.until(lambda: "State=IDLE" in self.command("scontrol", "show", "node", check=False), "the node")

    def submit(self, script, directory, variables):
        """The job's number; its environment is `variables`."""
        environment = dict(variables, SLURM_CONF=self.environment["SLURM_CONF"])
        return self.command("sbatch", "--parsable", script, cwd=directory, env=environment).strip()

    def wait(self, job, seconds=600):
        """The state in which it ended."""
        state = ""

        def ended():
            nonlocal state
            state = self.command("scontrol", "show", "job", job, "--oneliner").partition("JobState=")[2].split(" ")[0]
            return state not in ("PENDING", "RUNNING", "COMPLETING", "CONFIGURING")

        self.until(ended, f"job {job}", seconds)
        return state
