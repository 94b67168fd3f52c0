"""stackx import: what other tools measured, with where it was published; the same again changes nothing."""

import gzip
import json
import subprocess

from harness import STACKX, BlackBox

SOURCE = ("--source", "https://example.org/results", "--revision", "0123abc", "--date", "2021-05-20")

MLL = (':::MLL 1560881700.0 submission_benchmark: {"value": "resnet", "metadata": {}}\n'
       ':::MLL 1560881700.0 run_start: {"value": null, "metadata": {\'lineno\': 615}}\n'
       ':::MLL %s run_stop: {"value": null, "metadata": {"status": "%s"}}\n')
THOTH = {"exit_code": 0, "hostname": "pod", "datetime": "2020-08-05T14:49:50", "stderr": "# Version: 2.2.0, path: x",
         "stdout": {"component": "tensorflow", "name": "PiMatmul", "@result": {"elapsed": 200, "rate": 33.7},
                    "@parameters": {"dtype": "float32", "device": "cpu", "mini_batch": 100, "matrix_size": 512}},
         "hwinfo": {"cpu_info": {"brand_raw": "Intel Xeon Processor (Skylake, IBRS)"}}}
LOADGEN = ("MLPerf Results Summary\nSUT name : BERT SERVER\nScenario : Server\nMode     : PerformanceOnly\n"
           "Scheduled samples per second : 10900.72\nResult is : VALID\n")
TF_CNN = ("TensorFlow:  1.13\nModel:       resnet50\nBatch size:  64 global\nDevices:     ['/gpu:0']\n"
          "100\timages/sec: 94.5 +/- 1.1 (jitter = 12.4)\t8.0\ntotal images/sec: 94.60\n")
GOOGLE = {"context": {"num_cpus": 4}, "benchmarks": [{"name": "BM_Copy/64", "real_time": 1500, "time_unit": "us"}]}
PYPERF = {"version": "1.0", "metadata": {"cpu_model_name": "i7", "python_version": "3.8.5 (64-bit)"},
          "benchmarks": [{"metadata": {"name": "telco"}, "runs": [{"values": [0.002]}]}]}
ASV = {"commit_hash": "0d24", "params": {"cpu": "Apple M2"}, "python": "3.12", "version": 2, "results": {
    "b.time_x": [[0.5], [], "v"]}, "result_columns": ["result", "params", "version"]}
HYPERFINE = {"results": [{"command": "sleep 0.1", "times": [0.1, 0.3, 0.1], "exit_codes": [0, 0, 0]}]}
NVBENCH = {"devices": [{"id": 0, "name": "Quadro GV100"}], "benchmarks": [{"name": "copy", "states": [
    {"device": 0, "is_skipped": False, "summaries": [
        {"tag": "nv/cold/time/gpu/mean", "data": [{"name": "value", "type": "float64", "value": "0.001"}]}]}]}]}
KUBEBENCH = "total_images/sec,model,batch_size\n120.25,vgg16,32 global\n"

# format: (document, pi, metric, value)
FILES = {"thoth": (THOTH, "matmul", "elapsed_ms", 2), "mlperf-training": (MLL % ("1560882300.0", "success"),
         "train_resnet50", "minutes_to_train", 10), "mlperf-loadgen": (LOADGEN, "mlperf-loadgen", "queries_per_s", 10900.72),
         "tf-cnn-benchmarks": (TF_CNN, "train_resnet50", "images_per_s", 94.6),
         "kubebench": (KUBEBENCH, "train_vgg16", "images_per_s", 120.25),
         "google-benchmark": (GOOGLE, "google-benchmark", "elapsed_ms", 1.5), "pyperf": (PYPERF, "pyperf", "elapsed_ms", 2),
         "asv": (ASV, "asv", "elapsed_ms", 500), "hyperfine": (HYPERFINE, "hyperfine", "elapsed_ms", 100),
         "nvbench": (NVBENCH, "nvbench", "elapsed_ms", 1)}


class Import(BlackBox):
    def dry(self, *arguments):
        done = self.stackx("import", *arguments, "--dry-run")
        return [json.loads(line) for line in done.stdout.splitlines()]

    def published(self):
        lines = self.stackx("export", "--published").stdout.splitlines()
        rows = [json.loads(line) for line in lines]
        return [row for row in rows if row["source"]["url"] == SOURCE[1]]

    def refused(self, *arguments):
        done = self.stackx("import", *arguments, exit_code=2)
        self.assertEqual(done.stdout, "")
        return done.stderr

    def test_each_format_is_told_from_the_others_and_kept_once(self):
        for name, (document, pi, metric, value) in FILES.items():
            with self.subTest(name):
                file = self.write(name, document)
                [told] = self.dry(file, *SOURCE)
                self.assertEqual(told["workload"]["pi"], pi)
                self.assertEqual((told["metric"], told["source"]["tool"]), (metric, name))
                self.assertAlmostEqual(told["value"], value)
                self.assertEqual(self.dry(file, *SOURCE, "--format", name), [told])
        self.assertFalse(self.db.exists(), "a dry run makes no store")
        files = [self.scratch / name for name in FILES]
        self.assertEqual(self.json("import", *files, *SOURCE), {"inserted": 10, "already_there": 0})
        self.assertEqual(self.json("import", *files, *SOURCE), {"inserted": 0, "already_there": 10})
        self.assertEqual(self.json("import", *files, *SOURCE, "--read", "2020-01-01"), {"inserted": 0, "already_there": 10})
        rows = self.published()
        self.assertEqual(sorted(row["source"]["tool"] for row in rows), sorted(FILES))
        for row in rows:
            self.assertEqual((row["source"]["revision"], row["source"]["date"]), ("0123abc", "2021-05-20"))

    def test_what_the_user_adds(self):
        file = self.write("h.json", HYPERFINE)
        [row] = self.dry(file, *SOURCE, "--hw", "Tesla V100", "--with", "cuda=11.8", "--with", "cudnn=8.9", "--license", "MIT")
        self.assertEqual((row["hardware"], row["stack"]), ("Tesla V100", {"cuda": "11.8", "cudnn": "8.9"}))
        self.assertEqual(row["source"]["license"], "MIT")
        self.assertIn("component=version", self.refused(file, *SOURCE, "--with", "cuda"))
        self.assertIn("given twice", self.refused(file, *SOURCE, "--with", "cuda=1", "--with", "cuda=2"))
        self.assertIn("YYYY-MM-DD", self.refused(file, *SOURCE[:2], "--date", "May 2021"))
        for option in ("--date", "--read"):
            self.assertIn(f"{option} 2999-01-01: lies in the future", self.refused(file, *SOURCE[:2], option, "2999-01-01"))
        self.assertIn("URL", self.refused(file, "--source", "here"))
        self.assertIn("is for what comes with stackx", self.refused(file, "--source", "stackx://bench/results.json"))

    def test_what_nobody_knows_is_kept_and_said_once(self):
        self.write("h.json", HYPERFINE)
        file = self.write("h2.json", HYPERFINE)
        said = self.stackx("import", self.scratch / "h.json", file, *SOURCE, "--hw", "nosuchgpu", "--with", "cuda=banana").stderr
        self.assertEqual(said.count('--hw "nosuchgpu": no such hardware is known'), 1, said)
        self.assertEqual(said.count('--with cuda=banana: "banana" is no version'), 1, said)
        self.assertNotIn("note: --", self.stackx("import", file, *SOURCE, "--hw", "v100", "--with", "cuda=11.8").stderr)

    def test_without_a_source_nothing_is_kept(self):
        message = self.refused(self.write("h.json", HYPERFINE))
        self.assertIn("h.json", message)
        self.assertIn("--source URL", message)

    def test_a_repository_of_mlperf_training(self):
        for run, (minutes, status) in enumerate([(10, "success"), (12, "success"), (11, "success"), (30, "aborted")]):
            path = self.scratch / "repo" / "X" / "results" / "box" / "resnet" / f"result_{run}.txt"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(MLL % (1560881700 + 60 * minutes, status))
        (self.scratch / "repo" / "X" / "systems").mkdir()
        (self.scratch / "repo" / "X" / "systems" / "box.json").write_text(
            '{"accelerator_model_name": "Tesla V100", "accelerators_per_node": "8", "number_of_nodes": "1",'
            ' "other_software_stack": "cuda 10.1, cudnn 7.6"}')
        done = self.stackx("import", self.scratch / "repo", *SOURCE, "--json")
        told = json.loads(done.stdout)
        self.assertEqual((told["inserted"], len(told["remarks"])), (1, 1))
        self.assertIn('result_3.txt: the run failed: run_stop says "aborted"', done.stderr)
        [row] = self.published()
        self.assertAlmostEqual(row["value"], 11.5)
        self.assertEqual((row["devices"], row["stack"]), (8, {"cuda": "10.1", "cudnn": "7.6"}))

    def test_a_tree_of_thoth(self):
        for run in range(3):
            path = self.scratch / "inspection" / "results" / str(run) / "result"
            path.parent.mkdir(parents=True)
            path.write_text(json.dumps(THOTH))
        (self.scratch / "inspection" / "build").mkdir()
        (self.scratch / "inspection" / "build" / "specification").write_text(json.dumps(
            {"base": "quay.io/x/ubi8", "batch_size": "3", "run": {"requests": {"cpu": "500m", "memory": "4Gi"}}}))
        [row] = self.dry(self.scratch / "inspection", *SOURCE)
        self.assertEqual((row["runs"], row["stack"]["image"]), (3, "quay.io/x/ubi8"))
        self.assertEqual(row["details"]["rate_stated_gflops"], "33.7")

    def test_own_documents_packed_or_not(self):
        [first] = self.dry(self.write("h.json", HYPERFINE), *SOURCE)
        line = json.dumps(first) + "\n"
        plain = self.write("r.jsonl", line)
        packed = self.scratch / "r.jsonl.gz"
        packed.write_bytes(gzip.compress(line.encode()))
        self.assertEqual(self.json("import", packed), {"inserted": 1, "already_there": 0})
        self.assertEqual(self.json("import", plain), {"inserted": 0, "already_there": 1})
        done = subprocess.run([STACKX, "import", "-", "--json"], input=line, text=True, capture_output=True,
                              env=self.environment)
        self.assertEqual(json.loads(done.stdout), {"inserted": 0, "already_there": 1})
        packed_tool = self.scratch / "h.json.gz"
        packed_tool.write_bytes(gzip.compress(json.dumps(HYPERFINE).encode()))
        self.assertEqual(self.json("import", packed_tool, *SOURCE), {"inserted": 0, "already_there": 1})

    def test_forged_documents_are_refused_and_the_rest_is_kept(self):
        [first] = self.dry(self.write("h.json", HYPERFINE), *SOURCE)
        forged = dict(first, value=1.0)
        file = self.write("r.jsonl", json.dumps(forged) + "\n" + json.dumps(first) + "\n{\"$schema\": \"stackx/pro")
        told = self.json("import", file, exit_code=2)
        self.assertEqual((told["inserted"], len(told["refused"])), (1, 2))
        self.assertIn("r.jsonl:1", told["refused"][0])
        self.assertIn("r.jsonl:3", told["refused"][1])

    def test_errors_name_the_file_and_what_was_expected(self):
        self.assertIn("no known format", self.refused(self.write("x.txt", "hello\n"), *SOURCE))
        # What holds no results needs no source, but another file.
        self.assertIn("no known format", self.refused(self.write("x.txt", "hello\n")))
        self.assertIn("p.json: is stackx/project/1, which holds no results", self.refused(self.write("p.json", '{\n  "$schema": "stackx/project/1"\n}\n'), *SOURCE))
        self.assertIn("is a store, no result document; `stackx merge`", self.refused(self.db))
        self.assertIn("h.json:1:", self.refused(self.write("h.json", json.dumps(HYPERFINE)[:40]), *SOURCE))
        self.assertIn("did you mean", self.refused(self.write("y.json", HYPERFINE), *SOURCE, "--format", "hyperfin"))
        bad = self.write("z.json", {"results": [{"command": "a", "times": [-1]}]})
        self.assertIn("/results/0", self.refused(bad, *SOURCE))
        done = self.stackx("import", self.scratch / "none.json", *SOURCE, exit_code=2)
        self.assertIn("none.json: no such file; check the path", done.stderr)
