"""How ranks are started, and what they tell one another."""

import json
import os
import socket
import subprocess
import sys
import time
import unittest

import support
from stackx_pi.ranks.network import free_port

if support.numpy is not None:
    from stackx_pi.errors import EnvironmentFault
    from stackx_pi.ranks import world

# Every rank finds the same; rank 0 prints it.
TALK = """
import json, os, sys
import numpy
from stackx_pi.ranks.world import fork_ranks, launched
from stackx_pi.ranks.circle import Circle
world = launched(os.environ) or fork_ranks(3)
circle = Circle(world)
rank = world.rank
found = {"gathered": circle.gathered({"rank": rank}), "largest": circle.largest([3, 2**62, 0.5][rank % 3])}
circle.barrier()
found["mean"] = [m.tolist() for m in circle.mean([numpy.full((2, 2), float(rank)), numpy.array([1.0 + rank * 2**-40])])]
found["agreed"] = [circle.agreed({"pass": rank != wrong, "max_relative_error": rank * 0.5, "detail": "of %d" % rank}) for wrong in (9, 1)]
same = circle.gathered(json.dumps(found, sort_keys=True))
assert all(one == same[0] for one in same), same
if rank == 0:
    print(json.dumps(found))
    sys.stdout.flush()
    world.end_children()
circle.barrier() if world.by != "fork" else None
os._exit(0)
"""


@support.needs_numpy
class Launching(unittest.TestCase):
    def test_torchrun_and_indexed_jobs(self):
        found = world.launched({"RANK": "3", "WORLD_SIZE": "8", "LOCAL_RANK": "1", "MASTER_ADDR": "head", "MASTER_PORT": "9"})
        self.assertEqual((found.rank, found.size, found.local_rank, found.init_method()), (3, 8, 1, "tcp://head:9"))
        found = world.launched({"JOB_COMPLETION_INDEX": "2", "WORLD_SIZE": "4", "MASTER_ADDR": "job-0.job"})
        self.assertEqual((found.rank, found.init_method()), (2, "tcp://job-0.job:29500"))
        with self.assertRaisesRegex(EnvironmentFault, "MASTER_ADDR does not say"):
            world.launched({"RANK": "0", "WORLD_SIZE": "2"})
        with self.assertRaisesRegex(EnvironmentFault, "neither RANK"):
            world.launched({"WORLD_SIZE": "2"})

    def test_srun(self):
        one = {"SLURM_PROCID": "1", "SLURM_STEP_NUM_TASKS": "2", "SLURM_LOCALID": "1", "SLURM_JOB_ID": "20041"}
        found = world.launched(one)
        self.assertEqual((found.rank, found.size, found.init_method()), (1, 2, "tcp://127.0.0.1:20041"))
        with self.assertRaisesRegex(EnvironmentFault, "MASTER_ADDR"):
            world.launched(dict(one, SLURM_STEP_NUM_NODES="2"))

    def test_mpirun(self):
        open_mpi = {"OMPI_COMM_WORLD_RANK": "3", "OMPI_COMM_WORLD_SIZE": "4", "OMPI_COMM_WORLD_LOCAL_RANK": "1",
                    "OMPI_COMM_WORLD_LOCAL_SIZE": "4", "MASTER_PORT": "77"}
        found = world.launched(open_mpi)
        self.assertEqual((found.rank, found.size, found.local_rank, found.init_method()), (3, 4, 1, "tcp://127.0.0.1:77"))
        with self.assertRaisesRegex(EnvironmentFault, "MASTER_ADDR"):
            world.launched(dict(open_mpi, OMPI_COMM_WORLD_LOCAL_SIZE="2"))
        found = world.launched({"PMI_RANK": "1", "PMI_SIZE": "2"})
        self.assertEqual((found.rank, found.size, found.by), (1, 2, "mpirun"))

    def test_a_tf_job(self):
        def found(kind, index, **cluster):
            return world.launched({"TF_CONFIG": json.dumps({"cluster": cluster, "task": {"type": kind, "index": index}})})
        one = found("worker", 1, worker=["a:2222", "b:2223"])
        self.assertEqual((one.rank, one.size, one.init_method()), (1, 2, "tcp://a:2222"))
        one = found("worker", 0, chief=["c:1"], worker=["a:2222", "b:2223"])
        self.assertEqual((one.rank, one.size, one.init_method()), (1, 3, "tcp://c:1"))
        self.assertEqual(found("master", 0, master=["m:1"], worker=["a:2"], ps=["p:3"]).rank, 0)
        with self.assertRaisesRegex(EnvironmentFault, "a parameter server"):
            found("ps", 0, worker=["a:2"], ps=["p:3"])
        for kind, index, cluster in (("evaluator", 0, {"worker": ["a:2"]}), ("worker", 2, {"worker": ["a:2"]}), ("worker", 0, {}),
                                     ("worker", 0, {"worker": ["a"]}), ("worker", 0, {"worker": 7})):
            with self.assertRaisesRegex(EnvironmentFault, "TF_CONFIG: expected"):
                found(kind, index, **cluster)
        with self.assertRaisesRegex(EnvironmentFault, "TF_CONFIG: expected"):
            world.launched({"TF_CONFIG": "{"})

    def test_numbers_that_are_none(self):
        with self.assertRaisesRegex(EnvironmentFault, "RANK=x: expected a whole number"):
            world.launched({"RANK": "x", "WORLD_SIZE": "2", "MASTER_ADDR": "a"})

    def test_alone(self):
        self.assertIsNone(world.launched({"SLURM_STEP_NUM_TASKS": "1", "JOB_COMPLETION_INDEX": "0"}))


@support.needs_numpy
class Talking(support.PiTest):
    def told(self, out):
        found = json.loads(out)
        self.assertEqual(found["gathered"], [{"rank": 0}, {"rank": 1}, {"rank": 2}])
        self.assertEqual(found["largest"], 2**62)
        self.assertEqual(found["mean"], [[[1.0, 1.0], [1.0, 1.0]], [1.0 + 2**-40]])
        right, wrong = found["agreed"]
        self.assertEqual((right["pass"], right["max_relative_error"]), (True, 1.0))
        self.assertEqual((wrong["pass"], wrong["detail"]), (False, "of 1"))

    def start(self, text, **changes):
        script = self.write("talk.py", text)
        return subprocess.Popen([sys.executable, str(script)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                env=support.environment(PYTHONPATH=str(support.KERNELS), **changes))

    def test_ranks_that_were_forked(self):
        child = self.start(TALK)
        out, err = child.communicate(timeout=240)
        self.assertEqual(child.returncode, 0, err)
        self.told(out)

    def test_every_python_that_is_here(self):
        lines = [line for line in TALK.splitlines() if "numpy" not in line]
        script = self.write("talk_without_numpy.py", "\n".join(lines) + "\n")
        for version, program in support.interpreters().items():
            with self.subTest(version=version):
                done = support.run(program, script, PYTHONPATH=str(support.KERNELS))
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertEqual(json.loads(done.stdout)["gathered"], [{"rank": 0}, {"rank": 1}, {"rank": 2}])

    def test_ranks_of_a_launcher_meet_at_a_port(self):
        where = {"WORLD_SIZE": "3", "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(free_port())}
        late_first = [self.start(TALK, RANK=str(rank), **where) for rank in (2, 1)]
        time.sleep(0.3)
        children = [self.start(TALK, RANK="0", **where)] + late_first
        found = [child.communicate(timeout=240) for child in children]
        self.assertEqual([child.returncode for child in children], [0, 0, 0], found)
        self.told(found[0][0])
        self.assertEqual([out for out, _ in found[1:]], ["", ""])

    def test_a_rank_that_ends_is_noticed(self):
        for end, message in (("os._exit(5)", "rank 2 of 3 ended: exit status 5"), ("os.kill(os.getpid(), 9)", "killed by signal 9")):
            child = self.start(TALK.replace("circle.barrier()\n", "if rank == 2: %s\ncircle.barrier()\n" % end, 1))
            _, err = child.communicate(timeout=240)
            self.assertNotEqual(child.returncode, 0)
            self.assertIn(message, err)

    def test_a_port_that_is_taken(self):
        with socket.socket() as taken:
            taken.bind(("", 0))
            taken.listen()
            port = taken.getsockname()[1]
            child = self.start(TALK, RANK="0", WORLD_SIZE="2", MASTER_ADDR="127.0.0.1", MASTER_PORT=str(port - 1))
            _, err = child.communicate(timeout=240)
        self.assertIn("port %d, at which rank 0 awaits the others" % port, err)

    def test_ranks_of_this_program_share_its_cpus(self):
        script = TALK.split("circle = ")[0] + """
from stackx_pi import threads
all_of_them = threads.share(world.rank, world.size)
circle = Circle(world)
told = circle.gathered(sorted(os.sched_getaffinity(0)))
if world.rank == 0:
    print(json.dumps([all_of_them, told]))
    sys.stdout.flush()
os._exit(0)
"""
        child = self.start(script)
        cpus, told = json.loads(child.communicate(timeout=240)[0])
        self.assertEqual(cpus, sorted(os.sched_getaffinity(0)))
        if len(cpus) >= 3:
            self.assertEqual(len(set(sum(told, []))), 3 * (len(cpus) // 3))
        else:
            self.assertEqual(told, [cpus] * 3)


if __name__ == "__main__":
    unittest.main()
