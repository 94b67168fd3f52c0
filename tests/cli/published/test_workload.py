"""stackx workload list|show: what can be asked for, counted here from the evidence files."""

import json
import pathlib
import re
import subprocess
import sys

from harness import ROOT, STACKX, BlackBox
from test_evidence import rows

DESCRIBED = json.loads((ROOT / "specs" / "data" / "workloads.json").read_text())


class WorkloadCommand(BlackBox):
    def setUp(self):
        super().setUp()
        self.begin_with_what_is_published()

    def test_list_counts_what_the_tables_hold(self):
        expected = {}
        for _, _, hardware, pi, params, _ in rows():
            family = expected.setdefault(pi, {"published": 0, "hardware": set(), "values": {}})
            family["published"] += 1
            family["hardware"].add(hardware)
            for key in params:
                family["values"].setdefault(key, set()).add(str(params[key]).lower())
        listed = {family["name"]: family for family in self.json("workload", "list")["workloads"]}
        self.assertEqual(set(listed), set(DESCRIBED["families"]) | set(expected))
        for name, family in expected.items():
            with self.subTest(workload=name):
                self.assertEqual(listed[name]["published"], family["published"])
                self.assertEqual(set(listed[name]["hardware"]), family["hardware"])
                self.assertEqual(sum(listed[name]["hardware"].values()), family["published"])
                self.assertEqual(listed[name]["inspections"], 0)
                self.assertTrue(listed[name]["description"])
                values = {p["name"]: {v.lower() for v in p["values"]} for p in listed[name]["parameters"]}
                self.assertEqual({key: found for key, found in values.items() if found}, family["values"])

    def test_the_list_names_every_family_once_with_its_numbers(self):
        text = self.stackx("workload", "list").stdout
        for name in DESCRIBED["families"]:
            self.assertEqual(text.count(f"\n{name}: "), 1, name)
        matmul = sum(row[3] == "matmul" for row in rows())
        self.assertIn(f"{matmul} published results on ", text)

    def test_show_says_what_parameters_mean_and_where_stacks_are(self):
        shown = self.stackx("workload", "show", "matmul").stdout
        self.assertIn("columns of A, rows of B", shown)
        self.assertRegex(self.stackx("workload", "show", "rnn").stdout, r"(?m)^mul .*\n +results: float16, float32$")
        self.assertRegex(shown, r"(?m)^On a CPU: stacks with blas, of blas\.json$")
        self.assertIn("NVIDIA V100 (", shown)
        document = self.json("workload", "show", "matmul:m=512")  # as --workload takes it
        self.assertEqual(document["cpu"], DESCRIBED["spaces"]["blas"] | {"name": "blas"})
        self.assertIsNone(self.json("workload", "show", "hello_world")["gpu"])

    def test_who_answers_queries_says_so(self):
        """Families have the parameters of a scenario where a PI has them: stackx-pi's and those in Python, as they say themselves."""
        python = ROOT / "kernels" / "python"
        names = re.findall(r'Parameter\("(\w+)"', (python / "stackx_pi" / "scenarios" / "plan.py").read_text())
        self.assertEqual(len(names), 9)
        helped = subprocess.run([pathlib.Path(STACKX).with_name("stackx-pi"), "--help"], capture_output=True, text=True, check=True).stdout
        native = {part.split(":")[0]: part for part in helped.split("\n\n")}
        self.assertIn("softmax", native)
        for family in DESCRIBED["families"]:
            told = [native.get(family, "")]
            if (python / f"{family}.py").exists():
                told.append(subprocess.run([sys.executable, python / "pi.py", family, "--help"], capture_output=True, text=True).stdout)
            has = any("min_queries" in text for text in told)
            own = [name for name in names if name in DESCRIBED["families"][family]["params"]]
            with self.subTest(family):
                self.assertEqual(own, names if has else [name for name in own if name == "scenario"])
                if has:
                    self.assertIn("single_stream", DESCRIBED["values"][f"{family}.scenario"]["one_of"])
        self.assertEqual(sum("min_queries" in one["params"] for one in DESCRIBED["families"].values()), 8)

    def test_the_spaces_hold_stacks(self):
        for name, space in DESCRIBED["spaces"].items():
            hardware = {"gpu": "v100-sxm2-16gb"} if name.startswith("gpu") else {"cpu": "zen4"} if name in ("blas", "onednn", "mpi") else {}
            document = {"$schema": "stackx/project/1", "name": name, "hardware": hardware, **space}
            project = self.write(f"project-{name}.json", document)
            with self.subTest(space=name):
                self.assertGreater(int(self.json("resolve", project, "--count")["valid_stacks"]), 40 if name in ("onednn", "mpi") else 100)

    def test_what_was_measured_is_counted(self):
        self.fake_blas()
        catalog = {"$schema": "stackx/catalog/1", "components": {}}
        self.assertEqual(self.json("workload", "show", "hello_world")["inspections"], 0)
        catalog["components"]["made-up"] = {"kind": "package", "versions": {"1.0": {"provides": {"blas": "3"}}}}
        self.write("catalog.json", catalog)
        project = self.project(workload={"pi": "hello_world", "params": {"repetitions": 3, "items": 10}})
        self.stackx("inspect", project, exit_code=None)
        shown = self.json("workload", "show", "hello_world")
        self.assertEqual(shown["inspections"], 3)
        self.assertEqual(len(shown["measured_on"]), 1)
        self.assertEqual({p["name"]: p["values"] for p in shown["parameters"]}["items"], ["10"])

    def test_an_unknown_name_gets_the_nearest(self):
        for name, near in (("matmull", '"matmul"'), ("train_resnet5", '"train_resnet50"')):
            done = self.stackx("workload", "show", name, exit_code=2)
            self.assertIn(f'unknown workload "{name}"; did you mean ', done.stderr)
            self.assertIn(near, done.stderr)
            self.assertEqual(done.stdout, "")
        self.assertIn("`stackx workload list`", self.stackx("workload", "show", "sort", exit_code=2).stderr)

    def test_a_family_is_shown_by_what_people_call_it(self):
        for typed, family, said in (("gemm", "matmul", "gemm is taken for matmul"),
                                    ("ResNet-50", "train_resnet50", "ResNet-50 is taken for train_resnet50; there is also infer_resnet50")):
            done = self.stackx("workload", "show", typed)
            self.assertTrue(done.stdout.startswith(family + ": "), done.stdout)
            self.assertIn(said, done.stderr)
        self.assertIn("Also called gemm, ", self.stackx("workload", "show", "matmul").stdout)
        self.assertIn("sdpa", self.json("workload", "show", "attention")["aliases"])
        self.assertIn("decoder-layer", self.json("workload", "show", "transformer_ops")["aliases"])

    def test_aliases_name_families_that_are_known_or_to_come(self):
        """An alias of a family that is not there is passed over; a misspelt family would be, too."""
        families = set(DESCRIBED["families"])
        awaited = {"infer_llm", "serve_llm", "infer_timm", "train_timm", "all_reduce", "alltoall", "torch_call", "train_bert_large",
                   "infer_bert_large", "infer_llama2_70b", "infer_llama3_1_8b", "infer_llama3_1_405b", "infer_gptj_6b",
                   "infer_mixtral_8x7b", "infer_deepseek_r1", "train_llama2_70b_lora", "train_llama3_1_8b", "infer_stable_diffusion_xl",
                   "train_stable_diffusion", "infer_whisper", "infer_rnnt", "infer_dlrm", "infer_dlrm_v2", "infer_3d_unet", "infer_rgat"}
        for target in DESCRIBED["aliases"]:
            self.assertIn(target.split(":")[0], families | awaited)
