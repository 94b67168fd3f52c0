"""The start of a container as a phase of its own, with podman or docker for real: against what the PI says of when it began, what a
wrapper of the engine says of when that was started, `run` of the same image by hand, and a delay that was put in."""

import json
import os
import pathlib
import re
import shutil
import statistics
import subprocess
import time

from harness import BlackBox, this_machine
from python_stack import container_engine

# The image holds nothing: what runs in it is static. It says when it began, on both clocks.
PI = r"""
#include <stdio.h>
#include <time.h>
static long long now(clockid_t clock) {
  struct timespec time;
  clock_gettime(clock, &time);
  return time.tv_sec * 1000000000LL + time.tv_nsec;
}
int main(void) {
  printf("{\"name\": \"began\", \"component\": \"none\", \"samples_ns\": [1000, 1001, 1002], \"loaded\": {}, \"parameters\": "
         "{\"realtime\": \"%lld\", \"monotonic\": \"%lld\"}}\n", now(CLOCK_REALTIME), now(CLOCK_MONOTONIC));
  return 0;
}
"""

# In the place of the engine: writes down when it began, then waits where the words name an image of `late`.
WRAPPER = """#!/bin/sh
case " $* " in
*" --label stackx=run "*)
  date +%s%N >> "{scratch}/began"
  while read -r image; do
    case " $* " in *"$image"*) sleep {delay} ;; esac
  done < "{scratch}/late" ;;
esac
exec {engine} "$@"
"""

DELAY = 2  # s
NEAR = 0.25  # s. A machine that does much else puts more between two moments that follow each other now and then, and never less.


class ContainerStart(BlackBox):
    def setUp(self):
        super().setUp()
        if container_engine():
            self.skipTest("no container engine works here: " + container_engine())
        found = this_machine()["container_engine"]
        self.engine = found["program"]
        self.command, self.limits = [self.engine, *found["options"]], found["limits"]
        self.pi = self.static_pi()
        self.late = self.write("late", "")
        wrapper = self.scratch / "bin" / pathlib.Path(self.engine).name
        wrapper.parent.mkdir()
        wrapper.write_text(WRAPPER.format(scratch=self.scratch, delay=DELAY, engine=self.engine))
        wrapper.chmod(0o755)
        self.environment["PATH"] = f"{wrapper.parent}:{os.environ['PATH']}"

    def static_pi(self):
        compiler = os.environ.get("STACKX_CC") or shutil.which("cc")
        if not compiler:
            self.skipTest("no C compiler to build the PI with")
        program = self.scratch / "pi"
        built = subprocess.run([compiler, "-O1", "-static", "-o", program, self.write("pi.c", PI)], capture_output=True, text=True)
        if built.returncode != 0:
            self.skipTest("no static C library: " + built.stderr)
        return program

    def image(self, name):
        """Of this test alone: its reference."""
        (self.scratch / name).write_text(str(self.scratch))
        archive, tag = self.scratch / f"{name}.tar", f"localhost/stackx-test-start-{os.getpid()}:{name}"
        subprocess.run(["tar", "-C", self.scratch, "-cf", archive, name], check=True)
        subprocess.run([*self.command, "import", archive, tag], check=True, capture_output=True)
        self.addCleanup(subprocess.run, [*self.command, "rmi", "--force", tag], capture_output=True)
        return tag

    def id_of(self, tag):
        return subprocess.run([*self.command, "image", "inspect", "--format", "{{.Id}}", tag], check=True, capture_output=True,
                              text=True).stdout.strip()

    def measure(self, images, rounds):
        """The documents of a campaign over them, and how long all of it took."""
        self.write("catalog.json", {"$schema": "stackx/catalog/1", "components": {"image": {
            "kind": "image", "versioning": "opaque",
            "versions": {name: {"artifacts": [{"type": "oci", "file": tag}]} for name, tag in images.items()}}}})
        project = self.project(requires={"image": "*"}, workload={"pi": "began", "params": {}},
                               campaign={"sampler": {"kind": "all"}, "rounds": rounds, "runner": "container",
                                         "limits": {"seconds": 60, "memory_gib": 1}})
        began = time.monotonic()
        self.stackx("inspect", project, "--pi", self.pi)
        took = time.monotonic() - began
        documents = [json.loads(line) for line in self.stackx("export").stdout.splitlines()]
        documents = [one for one in documents if one["$schema"] == "stackx/inspection/1"]
        for one in documents:
            self.assertEqual(one["outcome"], "ok", one)
        return sorted(documents, key=lambda one: one["round"]), took

    def start_of(self, document):
        (phase,) = [one for one in document["phases"] if one["name"] == "container_start"]
        return phase

    def seconds(self, documents):
        return [self.start_of(one)["duration_ns"] / 1e9 for one in documents]

    def by_hand(self, tag):
        """Seconds from starting `run` to the first moment of what runs inside, on the clock that both share."""
        began = time.monotonic_ns()
        done = subprocess.run([*self.command, "run", "--rm", "--pull=never", "--log-driver", "none", "--network", "none", *self.limits,
                               "--cap-drop", "all", "--read-only", "--mount", f"type=bind,source={self.pi},target={self.pi},readonly",
                               "--entrypoint", "", tag, self.pi], check=True, capture_output=True, text=True)
        return (int(json.loads(done.stdout)["parameters"]["monotonic"]) - began) / 1e9

    def test_from_the_engines_first_moment_to_the_first_inside(self):
        tag = self.image("empty")
        documents, took = self.measure({"empty": tag}, 5)
        starts = self.seconds(documents)
        self.assertEqual(len(starts), 5)
        self.assertGreater(min(starts), 0)
        self.assertLess(sum(starts), took)
        engines = [int(line) for line in (self.scratch / "began").read_text().split()][-5:]  # before them: what is in the image
        before, after = [], []
        for document, engine in zip(documents, engines):
            phase = self.start_of(document)
            self.assertLess(phase["start_ns"], engine)
            self.assertLess(engine, phase["end_ns"])
            before.append((engine - phase["start_ns"]) / 1e9)
            after.append((int(document["parameters"]["realtime"]) - phase["end_ns"]) / 1e9)
            self.assertGreater(after[-1], 0)  # the supervisor first
            (run,) = [one for one in document["phases"] if one["name"] == "run"]
            self.assertGreaterEqual(run["start_ns"], phase["end_ns"])
        self.assertLess(min(before), NEAR)
        self.assertLess(min(after), NEAR)
        ratio = min(starts) / min(self.by_hand(tag) for _ in range(5))
        self.assertTrue(0.5 < ratio < 2, f"{ratio} times `run` by hand: {starts}")

    def test_a_delay_is_seen_and_ranked(self):
        images = {"soon": self.image("soon"), "late": self.image("late-one")}
        self.late.write_text(self.id_of(images["late"]).removeprefix("sha256:") + "\n")
        documents, _ = self.measure(images, 6)
        soon, late = (self.seconds([one for one in documents if one["stack"]["image"] == name]) for name in ("soon", "late"))
        self.assertGreaterEqual(min(late), DELAY)
        self.assertAlmostEqual(min(late) - min(soon), DELAY, delta=DELAY / 2)  # once, not twice

        asked = ("advise", "--hw", "host", "--workload", "began", "--pi", self.pi, "--metric", "container_start")
        found = self.json(*asked)
        self.assertEqual([row["stack"]["components"]["image"] for row in found["recommendations"]], ["soon", "late"])
        self.assertEqual((found["unit"], found["recommendations"][1]["verdict_vs_best"]), ("ms", "WORSE"))
        self.assertAlmostEqual(found["recommendations"][0]["amount"]["median"] / 1000 / statistics.median(soon), 1, delta=1e-6)
        self.assertRegex(self.stackx(*asked).stdout, r"has the LEAST time of starting the container: [\d.]+ ms")
        ids = {row["stack"]["components"]["image"]: row["stack"]["id"] for row in found["recommendations"]}
        compared = self.json("compare", ids["soon"], ids["late"], "--pi", self.pi, "--metric", "container_start")
        self.assertEqual((compared["verdict"], compared["metric"], compared["unit"]), ("BETTER", "container_start", "ms"))
        best = self.json("query", "best", "--pi", self.pi, "--metric", "container_start")["rows"][0]
        self.assertEqual(best["stack_id"], ids["soon"])

    def test_without_a_container_there_is_none(self):
        self.write("catalog.json", {"$schema": "stackx/catalog/1", "components": {"any": {"kind": "package", "versions": {"1": {}}}}})
        self.stackx("inspect", self.project(requires={"any": "*"}, workload={"pi": "began", "params": {}}), "--pi", self.pi, "--rounds", 1)
        (document,) = [one for one in map(json.loads, self.stackx("export").stdout.splitlines()) if one["$schema"] == "stackx/inspection/1"]
        self.assertEqual(document["outcome"], "ok", document)
        self.assertNotIn("container_start", [one["name"] for one in document["phases"]])
        said = self.stackx("advise", "--hw", "host", "--workload", "began", "--pi", self.pi, "--metric", "container_start", exit_code=None)
        self.assertFalse(re.search(r"\d ms", said.stdout), said.stdout)
