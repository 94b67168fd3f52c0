"""A remote shell of processes that wait, as MPI's launchers call it; and exchange=mpi by processes that somebody else has started."""

import importlib.util
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
import unittest.mock

import support
from stackx_pi.errors import EnvironmentFault
from stackx_pi.ranks import mpirun, remote_shell
from stackx_pi.ranks.network import free_port, network_of
from stackx_pi.ranks.world import World, launched

WAITS = """
import os
from stackx_pi.ranks.remote_shell import wait_for_launcher
from stackx_pi.ranks.world import launched
wait_for_launcher(launched(os.environ))
"""


def runs(pid):
    """Somebody else's child: it may wait to be reaped."""
    try:
        return pathlib.Path("/proc/%d/stat" % pid).read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


class Shell(unittest.TestCase):
    def setUp(self):
        self.port = free_port()
        self.others = [self.process(rank) for rank in (1, 2)]
        self.shell = remote_shell.RemoteShell(World(0, 3, "WORLD_SIZE", 0, "127.0.0.1", self.port))
        self.addCleanup(self.shell.close)

    def process(self, rank):
        process = subprocess.Popen([sys.executable, "-c", WAITS], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=support.environment(
            PYTHONPATH=str(support.KERNELS), RANK=str(rank), WORLD_SIZE="3", MASTER_ADDR="127.0.0.1", MASTER_PORT=str(self.port), SLURM_JOB_ID="7"))
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def call(self, *words):
        return subprocess.Popen(["/bin/sh", self.shell.program, *words], stderr=subprocess.PIPE, text=True)

    def test_a_command_runs_where_the_other_waits_and_its_status_comes_back(self):
        self.assertEqual(self.shell.hosts, ["127.0.0.1"] * 3)
        first, second = self.call("-x", "127.0.0.1", "echo rank $RANK, job $SLURM_JOB_ID, $MASTER_ADDR;", "exit 0"), None
        self.assertEqual(first.wait(240), 0)
        second = self.call("127.0.0.1", "exit", "7")
        self.assertEqual(second.wait(240), 7)
        first.stderr.close()
        second.stderr.close()
        said = [other.communicate(timeout=240)[0] for other in self.others]
        self.assertEqual(said, ["rank , job , 127.0.0.1\n", "pi.py: rank 2: what MPI's launcher ran here: exit status 7\n"])
        self.assertEqual([other.returncode for other in self.others], [0, 0])  # the launcher's own status tells
        third = self.call("127.0.0.1", "true")
        third.stderr.close()
        self.assertEqual(third.wait(240), 255)  # nobody waits any more

    def test_who_waits_ends_with_the_first_and_with_all_that_it_has_started(self):
        mark = pathlib.Path(self.shell.directory).with_name("stackx-mark-%d" % os.getpid())
        self.addCleanup(lambda: mark.exists() and mark.unlink())
        running = self.call("127.0.0.1", "sh -c 'echo $$ > %s; exec sleep 1000'; true" % mark)
        end = time.time() + 240
        while not (mark.exists() and mark.read_text().strip()):
            self.assertLess(time.time(), end)
            time.sleep(.05)
        running.send_signal(signal.SIGTERM)  # as a launcher does in the end
        running.wait(240)
        running.stderr.close()
        self.shell.close()
        self.assertEqual([other.wait(240) for other in self.others], [0, 0])
        while runs(int(mark.read_text())):
            self.assertLess(time.time(), end)
            time.sleep(.05)
        self.assertFalse(os.path.exists(self.shell.directory))
        self.assertEqual([thread for thread in self.shell.threads if thread.is_alive()], [])  # none left that may write there


class Script(unittest.TestCase):
    def test_it_is_that_of_stackx_pi(self):
        source = (support.ROOT / "kernels" / "collectives" / "remote_shell.cpp").read_text()
        self.assertIn('R"sh(%s)sh"' % remote_shell.SCRIPT, source)


class Launcher(unittest.TestCase):
    def heard(self, program):
        child = subprocess.Popen([sys.executable, "-c", "import sys, time\nprint('a launcher', flush=True)\n" + program], stdout=subprocess.PIPE)
        self.addCleanup(child.stdout.close)
        self.addCleanup(child.wait)
        self.addCleanup(child.kill)
        return mpirun.heard(child)

    def test_what_was_measured_is_kept_where_the_ranks_do_not_leave(self):
        with unittest.mock.patch.object(mpirun, "LEAVE", .5):
            self.assertEqual(self.heard("print('{}', flush=True); time.sleep(1000)"), (b"a launcher\n{}\n", False))
            self.assertEqual(self.heard("print('{', end='', flush=True); time.sleep(2); print('}')"), (b"a launcher\n{}\n", True))
            self.assertEqual(self.heard("sys.exit(3)"), (b"a launcher\n", True))

    def test_what_the_launcher_has_started_ends_first(self):
        mark = pathlib.Path(tempfile.mkdtemp()) / "mark"
        self.addCleanup(shutil.rmtree, mark.parent)
        self.heard("import subprocess; subprocess.Popen(['sh', '-c', 'sleep 1; : >%s'])" % mark)
        self.assertTrue(mark.exists())


class Words(unittest.TestCase):
    def test_whom_the_launcher_has_started_itself_waits_for_none(self):
        told = {"RANK": "1", "WORLD_SIZE": "2", "MASTER_ADDR": "127.0.0.1"}
        self.assertTrue(remote_shell.can_serve(launched(told), told))
        for name in ("OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK"):
            self.assertFalse(remote_shell.can_serve(launched(told), dict(told, **{name: "1"})))
        self.assertFalse(remote_shell.can_serve(launched(dict(told, WORLD_SIZE="1")), told))

    def test_a_port_that_is_taken_is_named(self):
        import socket
        with socket.socket() as taken:
            taken.bind(("", 0))
            taken.listen(1)
            port = taken.getsockname()[1]
            with self.assertRaisesRegex(EnvironmentFault, "port %d, at which the first" % port):
                remote_shell.RemoteShell(World(0, 2, "WORLD_SIZE", 0, "127.0.0.1", port))

    def test_networks(self):
        self.assertEqual(network_of("127.0.0.1"), "127.0.0.0/8")
        self.assertIsNone(network_of("192.0.2.1"))  # RFC 5737: nobody's


@support.needs_numpy
@unittest.skipIf(importlib.util.find_spec("mpi4py") is None or not shutil.which("mpirun.openmpi"), "needs mpi4py and Open MPI")
class Training(support.PiTest):
    def test_processes_that_torchrun_has_started_train_by_mpi(self):
        told = {"WORLD_SIZE": "2", "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(free_port())}
        words = [sys.executable, str(support.PI), "transformer", "phase=train", "model=tiny", "context=8", "framework=numpy", "exchange=mpi", "threads=1",
                 "nodes=2", *support.QUICK]
        first, second = [subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=support.environment(RANK=rank, **told))
                         for rank in "01"]
        (out, err), (none, why) = first.communicate(timeout=240), second.communicate(timeout=240)
        self.assertEqual((first.returncode, second.returncode), (0, 0), err + why)
        found = json.loads(out)
        self.assertTrue(found["check"]["pass"], found["check"])
        self.assertEqual((found["transformer"]["workers"]["count"], found["transformer"]["workers"]["exchange"]), (2, "mpi"))
        self.assertEqual(none, "")


if __name__ == "__main__":
    unittest.main()
