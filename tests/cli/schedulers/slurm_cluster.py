"""A real Slurm of several nodes on this machine, for one test: each node has its own network, host name and processes.

    with SlurmCluster(place, ("h100", "h100", "v100")) as cluster:    # nodes n1, n2, n3
        job = cluster.command("sbatch", "--parsable", "--partition=main", script).strip()
        cluster.wait(job)                                             # {"123_0": "COMPLETED", ...}
        subprocess.run([STACKX, "cluster", ...], env=cluster.environment)

`place` is a directory that is not there yet; logs lie in place/log. A node's kind is its feature and its one GPU, which is
/dev/zero. Partitions: `main`, the default, and `urgent`, whose jobs preempt those of main, which are requeued. What is to go
wrong: power_loss, cut_network, join_network, start_node, kill_controller, start_controller. why_not() says why there can be
no such cluster here. accounting=True has sacct, by slurmdbd and mariadbd, where why_not(accounting=True) is "". All is up
within 2 s (4 s with accounting); a lost node is down after some 10 s, its task elsewhere after 16 s, and so is one whose
network was cut, which is idle again 12 s after it joined.

Nothing outlives the test, however it ends: networks have no names, so they go with their processes, a node is a PID
namespace, so it dies with its first process, and each first process dies with the thread that started the cluster. Any number
may run at a time: each has addresses of its own. Rejected: `ip netns`, whose names stay behind, and whose `exec` remounts
/sys, where slurmd then finds no control groups.

Needs root; Debian: slurmctld slurmd slurm-client munge iproute2 (and slurmdbd mariadb-server)."""

import os
import random
import secrets
import subprocess

import slurm

PROGRAMS = (*slurm.PROGRAMS, "ip", "nsenter", "unshare", "setpriv")
ACCOUNTING = ("slurmdbd", "sacct", "mariadbd", "mariadb-install-db")
LIVE = ("PENDING", "RUNNING", "COMPLETING", "CONFIGURING", "REQUEUED", "SUSPENDED")
NAMESPACES = ("unshare", "--net", "--uts", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc")
# A node's first process waits for its network, then takes in orphans, as an init does.
NODE = """read -r address && hostname "$1" && ip link set lo up && ip addr add "$address" dev eth0 && ip link set eth0 up &&
slurmd -D -N "$1"; exit"""


def why_not(accounting=False):
    """"" if one can be started."""
    why = slurm.why_not_all(PROGRAMS + (ACCOUNTING if accounting else ()))
    if why:
        return why
    tried = subprocess.run([*NAMESPACES, "ip", "link", "add", "v", "type", "veth", "peer", "name", "w"],
                           env=dict(os.environ, PATH=slurm.PATH), capture_output=True, text=True)
    return f"no network of its own for each node here: {tried.stderr.strip()}" if tried.returncode != 0 else ""


class SlurmCluster(slurm.Daemons):
    def __init__(self, place, kinds=("h100", "h100", "v100"), accounting=False):
        self.kinds = {f"n{number}": kind for number, kind in enumerate(kinds, 1)}
        super().__init__(place, [f"spool/{node}" for node in self.kinds])
        self.accounting, self.network = accounting, f"10.{random.randrange(64, 128)}.{random.randrange(256)}"
        (place / "slurm.conf").write_text(self.settings())
        (place / "gres.conf").write_text("".join(f"NodeName={node} Name=gpu Type={kind} File=/dev/zero\n"
                                                 for node, kind in self.kinds.items()))

    def settings(self):
        place, names = self.place, ",".join(self.kinds)
        kept = "accounting_storage/none"
        if self.accounting:
            kept = (f"accounting_storage/slurmdbd\nAccountingStorageHost={self.network}.254\n"
                    f"AccountingStoragePass={place}/run/munge.socket")
        # cred_expire is also how long a requeued job waits: two minutes, if nobody says so.
        return f"""ClusterName=test
SlurmctldHost=head({self.network}.254)
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket={place}/run/munge.socket,cred_expire=5
CredType=cred/munge
StateSaveLocation={place}/state
SlurmdSpoolDir={place}/spool/%n
SlurmctldPidFile={place}/run/slurmctld.pid
SlurmdPidFile={place}/run/slurmd.%n.pid
SlurmctldLogFile={place}/log/slurmctld.log
SlurmdLogFile={place}/log/slurmd.%n.log
MpiDefault=none
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerParameters=sched_interval=1,bf_interval=1,batch_sched_delay=0
PreemptType=preempt/partition_prio
PreemptMode=REQUEUE
SlurmdTimeout=4
MessageTimeout=3
TCPTimeout=1
KillWait=3
MinJobAge=600
ReturnToService=2
GresTypes=gpu
AccountingStorageType={kept}
""" + "".join(f"NodeName={node} NodeAddr={self.network}.{node[1:]} CPUs={os.cpu_count()} RealMemory=1000 "
              f"Feature={kind} Gres=gpu:{kind}:1\n" for node, kind in self.kinds.items()) + f"""
PartitionName=main Nodes={names} Default=YES MaxTime=INFINITE State=UP PriorityTier=1
PartitionName=urgent Nodes={names} MaxTime=INFINITE State=UP PriorityTier=10
"""

    def __enter__(self):
        try:
            self.start()
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(self, *_):
        self.stop()

    def start(self):
        self.start_munge()
        self.start_network()
        if self.accounting:
            self.start_accounting()
        self.start_controller()
        for node in self.kinds:
            self.start_node(node)
        self.until(lambda: set(self.states().values()) == {"idle"}, "the nodes")

    # What a test asks

    def states(self):
        """{node: "idle", "allocated", "down*", ...}"""
        printed = self.command("sinfo", "-h", "-N", "-p", "main", "-o", "%N %T", check=False)
        return dict(line.split() for line in printed.splitlines())

    def tasks(self, job):
        """{task: state} of a job's array, those that ended too."""
        printed = self.command("squeue", "-h", "-r", "-t", "all", "-j", job, "-o", "%i %T")
        return dict(line.split() for line in printed.splitlines())

    def wait(self, job, seconds=600):
        """How its tasks ended."""
        self.until(lambda: not any(state in LIVE for state in self.tasks(job).values()), f"job {job}", seconds)
        return self.tasks(job)

    # What goes wrong

    def power_loss(self, node):
        """Nothing of the node says goodbye: all its processes die at once, and nobody hears of it."""
        self.cut_network(node)
        self.end(node)

    def cut_network(self, node):
        self.in_network("ip", "link", "set", node, "down")

    def join_network(self, node):
        self.in_network("ip", "link", "set", node, "up")

    def kill_controller(self, remembers=True):
        """By kill -9. What it did not write down it does not know when it comes back: a task that began since then is ended and
        begins again, or its node refuses a second one, then the task is held and the node drained."""
        if remembers:
            state = self.place / "state" / "job_state"
            before = state.stat().st_mtime_ns
            self.command("scontrol", "reconfigure")  # writes it down
            self.until(lambda: state.stat().st_mtime_ns != before, "the controller's state")
        self.end("slurmctld")

    # What runs

    def start_network(self):
        """A switch, which is also the head's network card, and a cable to where the test runs."""
        switch = self.daemon("switch", "unshare", "--net", "sleep", "infinity")
        self.wait_for_network_of(switch)
        cable = "sx" + secrets.token_hex(4)
        for words in ("link add br0 type bridge", f"addr add {self.network}.254/24 dev br0", "link set br0 up", "link set lo up"):
            self.in_network("ip", *words.split())
        for words in (f"link add {cable} type veth peer name test netns {switch.pid}",
                      f"addr add {self.network}.253/24 dev {cable}", f"link set {cable} up"):
            self.command("ip", *words.split())
        self.in_network("ip", "link", "set", "test", "master", "br0", "up")

    def start_controller(self):
        self.head("slurmctld", "-D")

    def start_node(self, node):
        machine = self.daemon(node, *NAMESPACES, "sh", "-c", NODE, "sh", node)
        self.wait_for_network_of(machine)
        self.in_network("ip", "link", "add", node, "type", "veth", "peer", "name", "eth0", "netns", machine.pid)
        self.in_network("ip", "link", "set", node, "master", "br0", "up")
        machine.stdin.write(f"{self.network}.{node[1:]}/24\n".encode())
        machine.stdin.flush()

    def start_accounting(self):
        data = self.place / "mariadb"
        self.command("mariadb-install-db", "--user=root", f"--datadir={data}", "--auth-root-authentication-method=normal",
                     "--skip-test-db")
        self.head("mariadbd", "--user=root", f"--datadir={data}", f"--socket={self.place}/run/mariadb",
                  "--bind-address=127.0.0.1", f"--pid-file={self.place}/run/mariadb.pid")
        self.until(lambda: (self.place / "run" / "mariadb").exists(), "mariadbd")
        settings = self.place / "slurmdbd.conf"
        settings.write_text(f"DbdHost=head\nDbdAddr={self.network}.254\nSlurmUser=root\n"
                            f"AuthType=auth/munge\nAuthInfo=socket={self.place}/run/munge.socket\n"
                            f"LogFile={self.place}/log/slurmdbd.log\nPidFile={self.place}/run/slurmdbd.pid\n"
                            "StorageType=accounting_storage/mysql\nStorageHost=127.0.0.1\nStorageUser=root\n")
        settings.chmod(0o600)
        self.head("slurmdbd", "-D")
        asked = dict(args=("sacctmgr", "-n", "-P", "show", "cluster"), env=self.environment, capture_output=True, timeout=240)
        self.until(lambda: subprocess.run(**asked).returncode == 0, "slurmdbd")

    def head(self, program, *words):
        """A program on the head, which has the switch's network."""
        self.daemon(program, "nsenter", "-t", self.daemons["switch"].pid, "--net", "unshare", "--uts",
                    "sh", "-c", 'hostname head; exec "$@"', "sh", program, *words)

    def in_network(self, *words):
        self.command("nsenter", "-t", self.daemons["switch"].pid, "--net", *words)

    def wait_for_network_of(self, process):
        here = os.readlink("/proc/self/ns/net")
        self.until(lambda: os.readlink(f"/proc/{process.pid}/ns/net") != here, "a network")
