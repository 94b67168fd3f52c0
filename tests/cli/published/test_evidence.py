"""What comes with stackx is known to a new store: loading it once, naming it where nothing is measured."""

import contextlib
import gzip
import json
import os
import random
import re
import shutil
import sqlite3
import statistics
import subprocess
import sys

from harness import ROOT, STACKX, BlackBox

EVIDENCE = ROOT / "specs" / "data" / "evidence"


def rows(directory=EVIDENCE):
    """Every result of the tables, read here without stackx: (file, source, hardware, pi, params, value)."""
    for file in sorted(directory.rglob("*.json")):
        document = json.loads(file.read_text())
        for table in document["tables"]:
            for cells in table["rows"]:
                cell = dict(zip(table["columns"], cells))
                params = dict(table.get("params", {}))
                params.update((key[7:], value) for key, value in cell.items()
                              if key.startswith("params.") and value is not None)
                yield (file.stem, document["source"][table["source"]], cell.get("hardware", table.get("hardware", "")),
                       table["pi"], params, cell["value"])


def words(name):
    return "-" + "-".join(word for word in re.split(r"[^a-z0-9.]+", name.lower()) if word) + "-"


def named(wanted, hardware):
    return words(wanted) in words(hardware)


class Evidence(BlackBox):
    def test_a_newcomers_store_knows_what_is_published(self):
        first = self.stackx("advise", "--hw", "v100", "--workload", "matmul")
        self.assertTrue(self.db.exists())
        matmul = sum(row[3] == "matmul" for row in rows())
        self.assertIn(f"took in {matmul} published results of matmul that come with stackx", first.stderr)
        self.assertIn("Published for matmul on V100", first.stdout)
        self.assertIn("stackx inspect", first.stdout)
        second = self.stackx("advise", "--hw", "v100", "--workload", "matmul")
        self.assertEqual(second.stderr, "")  # once
        self.assertEqual(second.stdout, first.stdout)
        everything = self.stackx("query", "sources", "--limit", "1")  # what is left
        self.assertIn(f"took in {len(list(rows())) - matmul} published results that come with stackx", everything.stderr)
        self.assertIn(f"with {len(list(rows()))} results", everything.stdout)
        self.assertEqual(self.stackx("workload", "list").stderr, "")

    def test_the_largest_shapes_come_first(self):
        found = self.json("query", "best", "--hw", "h200", "--workload", "matmul", "--limit", "0")
        flop = []
        for row in found["rows"]:
            shape = dict(part.split("=") for part in row["workload"].split(":")[1].split(","))
            flop.append(int(shape["m"]) * int(shape["n"]) * int(shape["k"]))
        self.assertGreater(len(flop), 100)
        self.assertEqual(flop, sorted(flop, reverse=True))
        self.assertIn("`stackx advise --hw h200 --workload matmul --explain`", found["notes"][-1])

    def test_where_nothing_is_measured_the_next_command_is_named(self):
        begin = "  stackx advise --hw host --workload matmul --settle s.json && stackx inspect s.json"
        for command in ("effects", "report"):
            text = self.stackx(command, exit_code=1).stdout
            self.assertIn(f"Nothing is measured yet. To begin, on this machine:\n{begin}\n", text)
            self.assertEqual(self.stackx(command, "--hw", "v100", exit_code=1).stdout.splitlines()[-1],
                             "What these say: stackx advise --hw v100 --workload matmul")
        self.assertIn("`stackx advise --hw host --workload matmul` says how to begin", self.json("query", "coverage", exit_code=1)["notes"][0])
        self.assertIn(begin, self.stackx("advise", "--hw", "host", "--workload", "matmul").stdout)

    def test_a_store_of_before_evidence_lay_by_family_takes_nothing_twice(self):
        self.begin_with_what_is_published()
        with contextlib.closing(sqlite3.connect(self.db)) as store, store:  # as that store knew them: a file a source
            store.execute("CREATE TEMP TABLE old AS SELECT substr(name, instr(name, '/') + 1) AS name, sum(bytes) AS bytes "
                          "FROM seeds GROUP BY 1")
            store.execute("DELETE FROM main.seeds")
            store.execute("INSERT INTO main.seeds SELECT name, bytes FROM old")
        done = self.stackx("query", "sources", "--limit", "1")
        self.assertEqual(done.stderr, "")
        self.assertIn(f"with {len(list(rows()))} results", done.stdout)

    def test_hardware_that_only_other_evidence_names_is_known(self):
        done = self.stackx("advise", "--hw", "HanGuang 800", "--workload", "train_alexnet", exit_code=1)
        self.assertIn("published results that come with stackx", done.stderr)
        self.assertIn("no such hardware in the catalogs or the store",
                      self.stackx("advise", "--hw", "HanGung 801", "--workload", "train_alexnet", exit_code=2).stderr)

    def test_counts_are_those_of_the_tables(self):
        spellings = {"v100": r"v100(?!s)|p3\.|p3dn|gn6v|NC6s_v3", "tpu": r"tpu-?v3", "t4": r"(^|\s)t4\b|gn6i", "k40": "k40"}
        for hw, workload, spelling in (
                ("v100", "train_ssd", "v100"), ("v100", "matmul:m=1760,dtype=float32", "v100"),
                ("TPUv3", "train_resnet50", "tpu"), ("tpu-v3", "train_resnet50", "tpu"),
                ("t4", "infer_resnet50", "t4"), ("tesla-k40", "matmul", "k40")):
            pi, _, rest = workload.partition(":")
            wanted = dict(item.split("=") for item in rest.split(",") if item)
            expected = [row for row in rows() if row[3] == pi and re.search(spellings[spelling], row[2], re.IGNORECASE)
                        and all(str(row[4].get(key)) == value for key, value in wanted.items())]
            with self.subTest(hw=hw, workload=workload):
                found = json.loads(self.stackx("advise", "--hw", hw, "--workload", workload, "--json", "--explain", exit_code=None).stdout)
                self.assertTrue(all(row["evidence"] != "measured" for row in found["recommendations"]))
                if not expected:
                    self.assertNotIn("published", found)
                    continue
                self.assertEqual(found["published"]["results"], len(expected))
                self.assertEqual({h["model"]: h["results"] for h in found["published"]["hardware"]},
                                 {h: sum(row[2] == h for row in expected) for h in {row[2] for row in expected}})
                self.assertEqual(sum(source["results"] for source in found["published"]["sources"]), len(expected))
                self.assertEqual({source["url"] for source in found["published"]["sources"]},
                                 {row[1]["url"] for row in expected})

    def test_what_stackx_measured_is_what_its_documents_say(self):
        """The evidence of an H200, from the documents again, and what advise makes of it."""
        measured = ROOT / "bench" / "measured" / "h200"
        rates, written = {}, {}  # (dtype, m, component) -> TFLOP/s of each process; (dtype, component) -> bytes of an entry of C
        with gzip.open(measured / "results.jsonl.gz", "rt") as lines:
            for one in map(json.loads, lines):
                if one["$schema"] == "stackx/inspection/1" and not one["arm"].endswith("+A"):
                    self.assertTrue(one["check"]["pass"])
                    rates.setdefault((one["workload"]["params"]["dtype"], 8192, "cublas"), []).append(
                        one["work"]["flop"] / one["samples_ns"][0] / 1e3)  # behind it the device rested (docs/gpu.md)
        once = [json.loads(line)["document"] for line in (measured / "once.jsonl").read_text().splitlines()]
        for one in (one for one in once if one["name"] == "matmul"):
            of = one["parameters"]
            key = of["dtype"], of["m"], one["component"] + (f" {of['search']}" if one["component"] == "cublaslt" else "")
            if not of.get("tf32") and (key not in rates or len(rates[key]) == 1):
                sample = statistics.median(one["samples_ns"]) if one["component"] in ("torch", "jax") else one["samples_ns"][0]
                rates[key] = [one["work"]["flop"] / sample / 1e3]
        # In what type C was written, by the bytes that each document counts.
        sizes, inputs = {"bfloat16": 2, "float16": 2, "float32": 4, "float64": 8}, {"fp8": 1, "bfloat16": 2, "float16": 2, "float64": 8}
        for one in (one for one in once if one["name"] == "matmul"):
            of, work = one["parameters"], one["work"]
            entry = work["bytes"] / work["items"] / of["m"] ** 2 - 2 * inputs.get(of["dtype"], 4)
            written.setdefault((of["dtype"], one["component"]), entry)
        document = json.loads((EVIDENCE / "matmul" / "nvidia-h200-stackx.json").read_text())
        found = 0
        for table in document["tables"]:
            for cells in table["rows"]:
                row = {**{f"params.{name}": value for name, value in table.get("params", {}).items()}, "runs": table.get("runs"),
                       **dict(zip(table["columns"], cells))}
                stack = table["stack"]
                component = next(name for name in ("torch", "jax", "cublaslt", "cublas") if name in stack)
                if component == "cublaslt":
                    component += " " + row["stack.cublaslt-search"]
                values = rates[row["params.dtype"].replace("float8_e4m3", "fp8"), row["params.m"], component]
                with self.subTest(dtype=row["params.dtype"], m=row["params.m"], component=component):
                    self.assertEqual(row["runs"], len(values))
                    self.assertAlmostEqual(row["value"], statistics.median(values), delta=0.011)
                    self.assertEqual(row.get("values", []), [round(value, 2) for value in values] if len(values) > 1 else [])
                    self.assertEqual(sizes[row["details.result"]],
                                     written[row["params.dtype"].replace("float8_e4m3", "fp8"), component.split()[0]])
                found += 1
        self.assertEqual(found, 25)
        asked = ("advise", "--hw", "h200", "--workload", "matmul:dtype=bfloat16,m=8192,n=8192,k=8192")
        self.assertIn("MEASURED ELSEWHERE with stackx on one H200 at m=n=k=8192", " ".join(self.stackx(*asked).stdout.split()))
        answer = self.json(*asked)["answer"]
        first = answer["measured_elsewhere"][0]
        self.assertEqual((first["processes"], first["stack"]), (10, "cublas 13.1.0.3, cuda 13.0 (also in torch 2.11.0)"))
        low, high = first["interval"]
        self.assertLess(low, first["value"])
        self.assertLess(first["value"], high)
        self.assertEqual(answer["grade"], "PREDICTED")  # of the newest torch: another cuBLAS
        torch = next(one for one in answer["measured_elsewhere"] if one["stack"].startswith("torch "))
        self.assertAlmostEqual(answer["expected"][0]["value"], torch["value"], delta=1)  # not cuBLAS by itself
        self.assertNotIn("stackx://", str(answer["evidence"]))
        self.write("requirements.txt", "torch==2.11.0\n")
        own = self.json(*asked, "--project", str(self.scratch / "requirements.txt"), "--require", "measured")["answer"]
        self.assertEqual((own["grade"], own["expected"][0]["interval"]), ("MEASURED ELSEWHERE", None))

    def test_what_stackx_measured_once_is_what_its_documents_say(self):
        once = ROOT / "bench" / "measured" / "h200" / "once.jsonl"
        folder = self.scratch / "evidence"
        subprocess.run([sys.executable, ROOT / "bench/gpu/evidence.py", "--hardware", "NVIDIA H200", "--driver", "580.159.04", "--date",
                        "2026-11-27", "--url", "stackx://bench/measured/h200/once.jsonl", folder, once], check=True, capture_output=True)
        made = sorted(file.relative_to(folder) for file in folder.rglob("*.json"))
        shipped = sorted(file.relative_to(EVIDENCE) for file in EVIDENCE.glob("*/nvidia-h200-stackx.json") if file.parent.name != "matmul")
        self.assertEqual(made, shipped)
        for file in made:
            self.assertEqual((folder / file).read_text(), (EVIDENCE / file).read_text())
        # Against what the indicators say themselves of their rate.
        documents = [json.loads(line)["document"] for line in once.read_text().splitlines()]
        said = sorted((told["parameters"]["phase"], told["component"], told["transformer"]["tokens_per_sec"]["median"])
                      for told in documents if told["name"] == "transformer")
        file = json.loads((EVIDENCE / "transformer" / "nvidia-h200-stackx.json").read_text())
        kept = sorted((row[0], "torch" if "torch" in table["stack"] else "jax", row[-1]) for table in file["tables"] for row in table["rows"])
        self.assertEqual([one[:2] for one in kept], [one[:2] for one in said])
        for ours, theirs in zip(kept, said):
            self.assertAlmostEqual(ours[2] / theirs[2], 1, delta=1e-3)
        text = " ".join(self.stackx("advise", "--hw", "h200", "--workload", "transformer:phase=decode").stdout.split())
        self.assertIn("MEASURED ELSEWHERE with stackx on one H200", text)
        self.assertIn("1609 tokens/s float32 decode mode=function", text)

    def test_what_nobody_published_is_not_made_up(self):
        done = self.stackx("advise", "--hw", "zen3")
        self.assertIn("Speed: UNKNOWN", done.stdout)
        self.assertNotIn("Published", done.stdout)
        self.assertIn("stackx inspect", done.stdout)
        document = self.json("advise", "--hw", "zen3", "--explain")
        self.assertEqual((document["recommendations"], document["answer"]["evidence"], document["answer"]["expected"]), ([], [], []))

    def test_killed_or_beside_each_other_the_store_becomes_whole(self):
        command = [STACKX, "advise", "--hw", "v100", "--workload", "matmul", "--json", "--explain"]
        chance = random.Random(11)
        for _ in range(8):
            process = subprocess.Popen(command, env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            try:
                process.communicate(timeout=chance.uniform(0.02, 0.3))
            except subprocess.TimeoutExpired:
                process.kill()
                process.communicate()
        expected = sum(row[3] == "matmul" and named("v100", row[2]) for row in rows())
        self.assertEqual(self.json(*command[1:])["published"]["results"], expected)
        self.environment["STACKX_DB"] = str(self.scratch / "another.db")
        processes = [subprocess.Popen(command, env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
                     for _ in range(3)]
        for process in processes:
            out, err = process.communicate(timeout=600)
            self.assertEqual(process.returncode, 0, err)
            self.assertEqual(json.loads(out)["published"]["results"], expected)

    def test_a_new_edition_replaces_the_old_one(self):
        data = self.scratch / "data-of-stackx"
        shutil.copytree(EVIDENCE.parent, data)
        self.environment["STACKX_DATA"] = str(data)
        arguments = ("advise", "--hw", "titan-x", "--workload", "train_alexnet", "--explain")
        before = self.json(*arguments)["published"]["results"]
        file = data / "evidence" / "train_alexnet" / "soumith-convnet-benchmarks.json"
        document = json.loads(file.read_text())
        document["source"][0]["title"] = "A source by another title"
        table = next(t for t in document["tables"] if t["pi"] == "train_alexnet")
        gone = len(table["rows"]) // 2
        del table["rows"][:gone]
        file.write_text(json.dumps(document))
        done = self.stackx(*arguments, "--json")
        self.assertIn("took in", done.stderr)
        self.assertEqual(json.loads(done.stdout)["published"]["results"], before - gone)
        self.assertEqual(self.stackx(*arguments).stderr, "")

    def test_bad_evidence_is_named_and_leaves_the_store_as_it_was(self):
        data = self.scratch / "data-of-stackx"
        shutil.copytree(EVIDENCE.parent, data)
        self.environment["STACKX_DATA"] = str(data)
        file = data / "evidence" / "infer_vgg16" / "u39kun-deep-learning-benchmark.json"
        good = file.read_text()
        file.write_text(good.replace('"metric"', '"metrik"', 1))
        message = self.stackx("query", "sources", exit_code=2).stderr
        self.assertRegex(message, r'infer_vgg16/u39kun-deep-learning-benchmark\.json: /tables/0.*metric')
        file.write_text(good)
        found = self.json("advise", "--hw", "v100", "--workload", "matmul", "--explain")
        self.assertGreater(found["published"]["results"], 1000)

    def test_a_store_that_cannot_be_written_answers_and_says_so(self):
        bare = self.scratch / "bare-data"
        shutil.copytree(EVIDENCE.parent, bare, ignore=shutil.ignore_patterns("evidence"))
        self.environment["STACKX_DATA"] = str(bare)
        self.stackx("advise")
        del self.environment["STACKX_DATA"]
        options = {}
        if os.geteuid() == 0:  # whom no permission stops
            options["user"] = 65534
            if not os.access(self.scratch.parent, os.X_OK):
                self.skipTest("no directory that another user can enter")
        self.scratch.chmod(0o755)
        self.db.chmod(0o444)
        self.db.parent.chmod(0o555)
        self.addCleanup(self.db.parent.chmod, 0o755)
        try:
            done = self.stackx("advise", "--hw", "v100", "--explain", exit_code=None, **options)
        except PermissionError:
            self.skipTest("another user cannot run the binary")
        self.assertIn("cannot be added", done.stderr)
        self.assertIn("No measurement", done.stdout)
        self.assertNotIn("Published", done.stdout)
