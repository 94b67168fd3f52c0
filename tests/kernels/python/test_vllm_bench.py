"""vllm_bench: vLLM played by a package whose CLI takes the same options and writes the same JSON (fakes/vllm), and broken ones."""

import importlib.util
import json
import os
import pathlib
import shutil
import unittest

import support
from support import FAKES

FAKE = {"PYTHONPATH": str(FAKES / "vllm")}
LATENCY = ["vllm_bench", "of=latency", "model=llama-tiny", "input_len=16", "output_len=8", "batch=2", "repetitions=3"]
THROUGHPUT = ["vllm_bench", "of=throughput", "model=llama-tiny", "input_len=16", "output_len=8", "num_prompts=4", "repetitions=3"]
STARTUP = ["vllm_bench", "of=startup", "model=llama-tiny", "repetitions=2"]


class Played(support.PiTest):
    def measured(self, *words, **changes):
        found = self.pi(*words, **dict(FAKE, **changes))
        self.assertTrue(found["check"]["pass"], found["check"])
        self.assertTrue(all(isinstance(ns, int) and ns > 0 for ns in found["samples_ns"]))
        self.assertEqual((found["component"], found["loaded"]["vllm"], found["work"]["flop"]), ("vllm", "0.99.0", 0))
        return found

    def test_latency(self):
        found = self.measured(*LATENCY)
        told = found["vllm"]["result"]["latencies"]
        self.assertEqual(found["samples_ns"], [round(seconds * 1e9) for seconds in told])
        self.assertEqual(found["work"]["items"], 2 * 8)
        self.assertEqual(list(found["metrics"]), ["latency_ms"])
        self.assertAlmostEqual(found["metrics"]["latency_ms"], sorted(told)[1] * 1e3, places=3)
        self.assertEqual(self.measured(*LATENCY, "count=total")["work"]["items"], 2 * (8 + 16))

    def test_the_first_token(self):
        found = self.measured(*[word for word in LATENCY if "output_len" not in word], "output_len=1")
        self.assertEqual(found["metrics"]["first_token_ms"], found["metrics"]["latency_ms"])

    def test_throughput_is_one_process_a_sample(self):
        found = self.measured(*THROUGHPUT)
        self.assertEqual((len(found["samples_ns"]), found["work"]["items"]), (3, 4 * 8))
        self.assertEqual(self.measured(*THROUGHPUT, "count=total")["work"]["items"], 4 * (8 + 16))
        self.measured(*THROUGHPUT, FAKE_FAULT="says no tokens")

    def test_startup(self):
        for cache, other in (("cold", "warm"), ("warm", "cold")):
            found = self.measured(*STARTUP, "cache=" + cache)
            told = found["vllm"]["result"]
            self.assertEqual(found["samples_ns"], [round(seconds * 1e9) for seconds in told[cache + "_startup_times"]])
            self.assertEqual(len(told[other + "_startup_times"]), 1)
            self.assertGreater(found["metrics"]["compile_ms"], 0)
        found = self.measured(*STARTUP, "enforce_eager=1")
        self.assertNotIn("metrics", found)
        self.assertEqual(found["notes"], ["vLLM tells of no compilation: enforce_eager=1"])

    def test_options_reach_vllm(self):
        found = self.measured(*LATENCY, "enforce_eager=1", "dtype=bfloat16", "tensor_parallel=2", "seed=%d" % (2**33 + 5),
                              "extra=--max-model-len '64'")
        words = found["vllm"]["command"]
        for pair in (["--dtype", "bfloat16"], ["--tensor-parallel-size", "2"], ["--seed", "5"], ["--max-model-len", "64"],
                     ["--num-iters", "3"], ["--load-format", "dummy"]):
            self.assertEqual(words[words.index(pair[0]) + 1], pair[1])
        self.assertIn("--enforce-eager", words)

    def test_files_of_its_own_processes_are_seen(self):
        library = pathlib.Path(importlib.util.find_spec("_ctypes").origin)
        copy = self.scratch / "libengine.so"
        shutil.copy(library, copy)
        self.assertIn(str(copy), self.measured(*LATENCY, FAKE_LIBRARY=str(copy))["files"])

    def test_broken_answers_are_one_clear_message(self):
        for words, fault, message in [
            (LATENCY, "drop latencies", 'its JSON has no list "latencies"; it has avg_latency, model_id, percentiles'),
            (LATENCY, "drop avg_latency", 'its JSON has no "avg_latency"'),
            (LATENCY, "latencies=[0.1, NaN, 0.1]", "says latencies[1]=NaN: expected a number of at least 0"),
            (LATENCY, "latencies=[0.1, -1, 0.1]", "says latencies[1]=-1:"), (LATENCY, "latencies=[0.1, 0, 0.1]", "no time passed"),
            (LATENCY, 'latencies=[0.1, "1", 0.1]', 'says latencies[1]="1":'), (LATENCY, "latencies=[]", "has 0 latencies, 3 were"),
            (LATENCY, "latencies=[true, 1, 1]", "says latencies[0]=true:"), (LATENCY, "latencies=3", 'no list "latencies"'),
            (LATENCY, "more latencies", "has 4 latencies, 3 were asked for"), (LATENCY, "half", "what it wrote is no JSON"),
            (LATENCY, "list", "its JSON is no object"), (LATENCY, "writes nothing", "exit status 0, and it wrote no JSON"),
            (LATENCY, "killed", "killed by signal 9"), (LATENCY, "fails", "exit status 1: ValueError: the engine's own reason"),
            (THROUGHPUT, "drop total_num_tokens", 'has no "total_num_tokens"'), (THROUGHPUT, "elapsed_time=Infinity", "=Infinity"),
            (THROUGHPUT, "elapsed_time=0", "no time passed"), (THROUGHPUT, "drop elapsed_time", "elapsed_time"),
            (STARTUP, "drop cold_startup_times", 'no list "cold_startup_times"'),
            (STARTUP, "more warm_startup_times", "has 2 warm_startup_times, 1 were"),
            (STARTUP, "cold_compilation_times=[NaN, 1]", "cold_compilation_times[0]=NaN"),
        ]:
            with self.subTest(fault=fault):
                err = self.pi(*words, exit_code=3, FAKE_FAULT=fault, **FAKE)
                self.assertIn("pi.py: vllm bench %s: " % words[1][3:], err)
                self.assertIn(message, err)
                self.assertEqual(err.count("\n"), 1, err)

    def test_what_cannot_be_is_a_wrong_result(self):
        for words, fault, detail in [
            (LATENCY, "avg_latency=0.5", "avg_latency: 0.5, expected"), (LATENCY, "times latencies", "its process took"),
            (THROUGHPUT, "stops early", "generated tokens: 31, expected 32"), (THROUGHPUT, "num_requests=3", "num_requests: 3, expected 4"),
            (THROUGHPUT, "ignores input_len", "prompts of 1016 tokens, 16 were asked for"),
            (THROUGHPUT, "tokens_per_second=1", "tokens_per_second: 1"), (THROUGHPUT, "times elapsed_time", "tokens_per_second"),
            (STARTUP, "times cold_startup_times", "its process took"), (STARTUP, "avg_warm_startup_time=9", "avg_warm_startup_time: 9"),
            (STARTUP, "cold_compilation_times=[9, 9]", "a compilation of 9 s in starts of"),
        ]:
            with self.subTest(fault=fault):
                found = self.pi(*words, FAKE_FAULT=fault, **FAKE)
                self.assertFalse(found["check"]["pass"])
                self.assertIn(detail, found["check"]["detail"])
                self.assertEqual(found["samples_ns"], [])
                self.assertNotIn("metrics", found)

    def test_a_refusal_is_unsupported(self):
        self.assertIn("bfloat16 is not supported", self.pi(*LATENCY, FAKE_FAULT="refuses", **FAKE)["unsupported"])

    def test_a_version_without_the_benchmark(self):
        shutil.copytree(FAKES / "vllm", self.scratch / "old")
        (self.scratch / "old/vllm/entrypoints/cli/benchmark/startup.py").unlink()
        found = self.pi(*STARTUP, PYTHONPATH=str(self.scratch / "old"))
        self.assertEqual(found["unsupported"], "vllm 0.99.0 has no `vllm bench startup`")
        self.assertNotIn("samples_ns", found)

    def test_an_older_one_knows_no_random_input_len(self):
        self.assertIn("--random-input-len", self.measured(*THROUGHPUT)["vllm"]["command"])
        shutil.copytree(FAKES / "vllm", self.scratch / "old")
        (self.scratch / "old/vllm/benchmarks/throughput.py").write_text("")
        found = self.pi(*THROUGHPUT, PYTHONPATH=str(self.scratch / "old"))
        self.assertNotIn("--random-input-len", found["vllm"]["command"])

    def test_nothing_is_left_behind(self):
        for fault in ("", "fails", "killed", "half"):
            self.pi(*LATENCY, exit_code=3 if fault else 0, TMPDIR=str(self.scratch), FAKE_FAULT=fault, **FAKE)
            self.assertEqual(os.listdir(str(self.scratch)), [])

    @unittest.skipIf(importlib.util.find_spec("vllm") is not None, "vLLM is installed")
    def test_not_installed(self):
        self.assertIn("vllm is not installed for", self.pi(*LATENCY, exit_code=3))

    def test_usage(self):
        for words, message in [(["of=serve"], "expected one of latency, throughput, startup"), (["mini_batch=2"], "expected 1"),
                               (["load_format=auto"], "llama-1b has no weights"), (["extra='"], "extra='"),
                               (["extra=--num-iters 3", "of=latency"], "extra: --num-iters is what a parameter says"),
                               (["output_ln=3"], 'did you mean "output_len"?')]:
            err = self.pi("vllm_bench", *words, exit_code=2, **FAKE)
            self.assertIn(message, err)
            self.assertEqual(err.count("\n"), 1, err)


@unittest.skipIf(importlib.util.find_spec("vllm") is None, "vLLM is not installed")
class Real(support.PiTest):
    def test_latency(self):
        found = self.pi(*LATENCY, "enforce_eager=1", "warmup_iters=1")
        self.assertTrue(found["check"]["pass"], json.dumps(found["check"]))


if __name__ == "__main__":
    unittest.main()
