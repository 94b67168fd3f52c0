"""stackx resolve --explain and --graph: what is said of projects and versions without a stack."""

import json
import re
import shutil
import subprocess

from resolve_box import ResolveBox

COMPONENTS = {
    "tensorflow": {"2.18": {"requires": {"python": ">=3.8", "numpy": "<2"}}, "2.19": {"requires": {"python": ">=3.9", "numpy": "<2"}}},
    "numpy": ["1.26", "2.0"], "python": ["3.8", "3.9"], "unrelated": ["1", "2"],
}


class Explain(ResolveBox):
    def unsolvable(self, **changes):
        self.catalog(COMPONENTS)
        return self.project(requires={"tensorflow": ">=2.19", "unrelated": "*"}, **{"pins": {"python": "==3.8"}, **changes})

    def test_names_as_pip_reads_them(self):
        text = self.stackx("resolve", self.unsolvable(pins={}), "--explain", "NumPy==2.0", exit_code=1).stdout
        self.assertIn("numpy <2", text)
        far = self.stackx("resolve", self.unsolvable(pins={}), "--explain", "pandas==2.0", exit_code=2).stderr
        self.assertIn('nothing that the project can reach is called "pandas"; --share lists what it reaches', far)

    def test_an_empty_stream_is_empty_and_says_why_beside_it(self):
        for question in (["--list", "2"], ["--sample", "2"], ["--top", "2"], ["--cover", "1"]):
            answer = self.stackx("resolve", self.unsolvable(), *question, "--json", exit_code=1)
            self.assertEqual(answer.stdout, "")
            self.assertIn("no valid stack", answer.stderr)

    def test_a_tree_from_the_roots_down_and_what_would_fix_it(self):
        project = self.unsolvable()
        text = self.stackx("resolve", project, "--explain", exit_code=1).stdout
        self.assertIn("test: no valid stack.", text)
        self.assertRegex(text, r"the project needs tensorflow >=2.19\n +└─ tensorflow 2.19 needs python >=3.9\n")
        self.assertIn("the project pins python to ==3.8\n", text)
        self.assertIn("so: no version of python is both ==3.8 (pin) and >=3.9 (tensorflow 2.19)\n", text)
        self.assertEqual(text.count("to fix: "), 2)
        self.assertNotIn("unrelated", text)
        self.assertNotIn("numpy", text)
        # Without --explain the same is said, whatever was asked.
        for question in ((), ("--count",), ("--list", "3"), ("--share",), ("--cover", "2")):
            self.assertEqual(self.stackx("resolve", project, *question, exit_code=1).stdout, text)

    def test_the_fixes_are_fixes(self):
        answer = self.json("resolve", self.unsolvable(), "--explain", exit_code=1)
        self.assertEqual(answer["valid_stacks"], "0")
        self.assertEqual(len(answer["clash"]), 3)
        self.assertEqual(len(answer["fixes"]), 2)
        self.assertTrue(any("pin python ==3.8" in fix and "there are stacks with python 3.9" in fix for fix in answer["fixes"]))
        self.assertTrue(any("tensorflow >=2.19" in fix and "there are stacks with tensorflow 2.18" in fix for fix in answer["fixes"]))
        self.assertEqual(self.versions_of("python", self.unsolvable(pins={})), {"3.9"})
        project = self.project(requires={"tensorflow": "*", "unrelated": "*"}, pins={"python": "==3.8"})
        self.assertEqual(self.versions_of("tensorflow", project), {"2.18"})

    def versions_of(self, name, project):
        return {stack[name] for stack in self.stacks(project)}

    def test_a_project_with_stacks_has_nothing_to_explain(self):
        project = self.unsolvable(pins={})
        self.assertIn("nothing to explain", self.stackx("resolve", project, "--explain").stdout)
        self.assertEqual(self.json("resolve", project, "--explain")["clash"], [])

    def test_a_version_in_no_stack(self):
        project = self.unsolvable(pins={})
        text = self.stackx("resolve", project, "--explain", "python==3.8", exit_code=1).stdout
        self.assertIn("python 3.8 is in no valid stack", text)
        self.assertIn("tensorflow 2.19 needs python >=3.9", text)
        answer = self.json("resolve", project, "--explain", "numpy==2.0", exit_code=1)
        self.assertIn("numpy <2", " / ".join(answer["clash"]))
        self.assertNotIn("valid_stacks", answer)  # there are some

    def test_every_version_without_a_share_is_explained_and_no_other(self):
        project, _ = self.generated(10)
        shares = self.json("resolve", project, "--share")["stacks_with"]
        none = [(name, version) for name, versions in shares.items() for version, number in versions.items() if number == "0"]
        some = [(name, version) for name, versions in shares.items() for version, number in versions.items() if number != "0"]
        self.assertGreater(len(none), 3)
        for name, version in none:
            answer = self.json("resolve", project, "--explain", f"{name}=={version}", exit_code=1)
            self.assertGreaterEqual(len(answer["clash"]) + len(answer["notes"]), 1)
            self.assertIn(name, json.dumps(answer))
        for name, version in some[:10]:
            self.assertEqual(self.json("resolve", project, "--explain", f"{name}=={version}")["clash"], [])

    def test_a_version_in_some_stack(self):
        self.assertIn("there are valid stacks with python 3.9",
                      self.stackx("resolve", self.unsolvable(pins={}), "--explain", "python==3.9").stdout)

    def test_unknown_names_are_answered_with_the_nearest(self):
        project = self.unsolvable(pins={})
        self.assertIn('did you mean "tensorflow"?', self.refusal(project, "--explain", "tensorflwo==2.19"))
        self.assertIn('did you mean "2.19"?', self.refusal(project, "--explain", "tensorflow==2.29"))
        for text in ("tensorflow", "tensorflow==", "==2.19", "tensorflow>=2"):
            self.assertIn("COMPONENT==VERSION", self.refusal(project, "--explain", text))

    def test_virtual_components_and_conflicts(self):
        self.catalog({"openblas": {"1": {"provides": {"blas": "1"}}}, "mkl": {"1": {"provides": {"blas": "1"}}},
                      "app": {"1": {"conflicts": {"openblas": "*"}}}})
        two = self.json("resolve", self.project(requires={"openblas": "*", "mkl": "*"}), exit_code=1)
        self.assertIn("blas", " / ".join(two["notes"] + two["so"]))
        clash = self.json("resolve", self.project(requires={"openblas": "*", "app": "*"}), exit_code=1)["clash"]
        self.assertEqual(len(clash), 3)
        self.assertRegex(" / ".join(clash), "app 1 conflicts with openblas")


class Graph(ResolveBox):
    def graph(self, **changes):
        self.catalog(COMPONENTS)
        project = self.project(**{"requires": {"tensorflow": "*"}, "pins": {"python": "==3.8"}, **changes})
        return self.stackx("resolve", project, "--graph", "dot").stdout

    def test_excluded_versions_are_there_with_their_reasons(self):
        text = re.sub(r"\\n", " ", self.graph())
        self.assertRegex(text, r'label="3\.9 is out: the project pins python to ==3\.8"')
        self.assertRegex(text, r'label="2\.19 is out: tensorflow 2\.19 needs python >=3\.9, and python 3\.9 is out')
        self.assertRegex(text, r'label="2\.0 is out: ')
        for label in ("1.26", "2.18", "3.8"):
            self.assertIn(f'[label="{label}"]', text)
        self.assertNotIn("unrelated", text)

    def test_it_is_there_without_any_stack_too(self):
        text = self.graph(requires={"tensorflow": ">=2.19"})
        self.assertIn("is out: ", text)
        self.assertNotIn('[label="2.19"]', text)

    def test_conflicts_are_drawn(self):
        self.catalog({"a": {"1": {"conflicts": {"b": "==2"}}}, "b": ["1", "2"]})
        plain = self.stackx("resolve", self.project(requires={"a": "*", "b": "*"}), "--graph", "dot").stdout
        self.assertRegex(plain, r"n\d+ -> n\d+ \[[^]]*(red|conflict)")

    def drawn(self, text):
        if shutil.which("dot") is None:
            self.skipTest("the program dot is not installed: apt install graphviz")
        done = subprocess.run(["dot", "-Tplain"], input=text, capture_output=True, text=True, timeout=240)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout

    def test_graphviz_reads_it(self):
        plain = self.drawn(self.graph())
        self.assertEqual(len(re.findall("^node ", plain, re.M)), 1 + 6)  # the project and each version
        for version in ("3.9", "2.19", "2.0"):
            self.assertEqual(plain.count(f'"{version} is out: '), 1, version)

    def test_graphviz_reads_names_and_versions_of_all_kinds(self):
        self.catalog({"a+b": {"1!2.0+local.1": {"requires": {"c.d": {"any": ["<2", ">=3"]}}}}, "c": {"1": {"attributes": {"d": "1"}}}})
        self.assertIn("1!2.0+local.1", self.drawn(self.stackx("resolve", self.project(requires={"a+b": "*"}), "--graph", "dot").stdout))
        for seed in (2, 8):
            self.drawn(self.stackx("resolve", self.generated(seed)[0], "--graph", "dot").stdout)

    def test_svg(self):
        if shutil.which("dot") is None:
            self.skipTest("the program dot is not installed: apt install graphviz")
        self.catalog(COMPONENTS)
        text = self.stackx("resolve", self.project(requires={"tensorflow": "*"}), "--graph", "svg").stdout
        self.assertIn("<svg", text)
        self.assertIn(">2.19<", text)

    def test_svg_without_graphviz_says_what_to_install(self):
        self.catalog(COMPONENTS)
        self.environment["PATH"] = str(self.scratch)
        message = self.refusal(self.project(requires={"tensorflow": "*"}), "--graph", "svg", exit_code=3)
        self.assertIn("install graphviz", message)
        self.assertIn("--graph dot", message)
