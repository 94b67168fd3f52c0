"""Text from strangers (documents, catalogs, projects, file names) drives no terminal and forges no line, whatever prints it."""

import copy
import json
import os
import pty
import shlex
import subprocess
import unittest

import attack  # noqa: F401  pylint: disable=unused-import  # first: it says where the others are
from harness import EXAMPLE, STACKX
from made_up_store import WORKLOAD, MadeUpStore, sealed

FORGED = "stackx: FORGED"
EVIL = ("x\x1b[2J\x1b]0;title\x07\x08\x7f\x9b31m\x85\u202eevil\u2066\u2069\u200e\u200f\u061c\u2028\u2029 "
        f"\x1b[8mhidden\r\t\n{FORGED}\n")
BIDI = {0x61C, 0x200E, 0x200F, *range(0x2028, 0x202F), *range(0x2066, 0x2070)}


def foreign(data, colours=False):
    """What must not be in output: bytes that are no UTF-8, control characters but ends of lines, bidi controls."""
    text = data.decode()  # fails on what is no UTF-8
    text = text.replace("\r\n", "\n")
    if colours:
        for code in ("0", "1", "2", "4", "31", "32", "33"):
            text = text.replace(f"\x1b[{code}m", "")
        text = text.replace("\r\x1b[K", "")
    return sorted({f"U+{ord(c):04X}" for c in text if (ord(c) < 0x20 and c != "\n") or 0x7F <= ord(c) < 0xA0 or ord(c) in BIDI})


def poisoned(document, skip=()):
    """One copy of the document for each text in it, keys as well, with the evil text behind it."""
    def places(value, path=()):
        if isinstance(value, dict):
            for key, member in value.items():
                yield path, key
                yield from places(member, path + (key,))
        elif isinstance(value, list):
            for i, member in enumerate(value):
                yield from places(member, path + (i,))
        elif isinstance(value, str):
            yield path, None
    for path, key in places(document):
        if path and path[0] in skip or key in skip:
            continue
        result = copy.deepcopy(document)
        at = result
        for step in path if key is not None else path[:-1]:
            at = at[step]
        if key is None:
            at[path[-1]] += EVIL
        else:
            at[key + EVIL] = at[key] if at[key] else EVIL
        yield result


class HostileText(MadeUpStore):
    def check(self, *words):
        """Runs it in every form and looks at all bytes that come out."""
        done = subprocess.run([STACKX, *map(str, words)], capture_output=True, env=self.environment, timeout=900)
        for stream, data in (("stdout", done.stdout), ("stderr", done.stderr)):
            with self.subTest(words=words, stream=stream):
                self.assertEqual(foreign(data), [], data[:3000])
                self.assertFalse([line for line in data.decode().splitlines() if line.startswith(FORGED)], data[:3000])
        self.assertIn(done.returncode, (0, 1, 2, 3), done.stderr)
        return done

    def fill(self):
        """A campaign of sound and failed inspections, and one of each poisoned document that a store takes."""
        stacks = [{"mkl": "2024.2"}, {"openblas": "0.3.28"}]
        for number in range(6):
            self.inspection(stacks[0], 100, number)
            self.inspection(stacks[1], 80, number)
        bad = {"outcome": "failed", "samples_ns": [], "work": {"flop": 0.0, "bytes": 0.0, "items": 0.0}, "exit_code": 1}
        self.inspection(stacks[1], 80, 6, reason=EVIL, stderr_tail=EVIL, stdout_tail=EVIL, loaded={"lib": EVIL}, device="GPU" + EVIL,
                        runner="local" + EVIL, parameters={"m": EVIL, EVIL: "1"}, **bad)
        self.inspection({"mkl": "2024.2", "evil" + EVIL: "1" + EVIL}, 120, 7)
        self.inspection({"mkl": "1" + EVIL}, 130, 8)
        self.inspection(stacks[0], 100, 9, host=dict(self.host, kernel="6" + EVIL))
        model = self.documents[-1]
        sound = len(self.documents)
        texts = {name: value for name, value in model.items() if name not in ("id", "$schema")}
        self.documents += [sealed({**document, "$schema": "stackx/inspection/1", "round": 100 + i})
                           for i, document in enumerate(poisoned(texts, skip=("finished",)))]
        file = self.scratch / f"all{EVIL.replace('/', '')}.jsonl"
        file.write_text("\n".join(json.dumps(document, sort_keys=True, ensure_ascii=False) for document in self.documents) + "\n")
        self.db.parent.mkdir(exist_ok=True)
        self.check("import", file)
        self.assertGreaterEqual(len(self.lines_of("export")), sound)

    def lines_of(self, *words):
        done = subprocess.run([STACKX, *words], capture_output=True, env=self.environment, timeout=900)
        return [json.loads(line) for line in done.stdout.splitlines()]

    def test_no_command_passes_on_what_a_store_holds(self):
        self.fill()
        about = ["--hw", "host", "--workload", "matmul:" + ",".join(f"{k}={v}" for k, v in WORKLOAD["params"].items())]
        for words in (["query", "--views"], ["db", "info"], ["db", "check"], ["advise", *about], ["advise", *about, "--explain"],
                      ["report", *about], ["report", *about, "--format", "json"], ["report", *about, "--format", "csv"],
                      ["report", *about, "--format", "csv", "--table", "values"], ["effects", *about], ["effects", *about, "--format", "csv"],
                      ["compare", "mkl=2024.2", "openblas=0.3.28", *about], ["compare", EVIL, "openblas=0.3.28", *about],
                      ["workload", "list"], ["workload", "show", "matmul"], ["workload", "show", EVIL], ["query", EVIL],
                      *(["query", name, *form] for name in ("best", "worst-variance", "regressions", "coverage", "failures", "history", "hardware", "sources", "upgrades")
                        for form in ([], ["--format", "csv"], ["--json"])),
                      *(["query", "--sql", "select * from inspections", *form] for form in ([], ["--format", "csv"], ["--json"])),
                      ["query", "--sql", "select char(27) || '[2J', char(155), char(8238), x'9b'"]):
            self.check(*words)
            if "--json" not in words and words[0] != "query":
                self.check(*words, "--json")
        self.assertIn("\\u001b[2J", self.check("query", "--sql", "select reason from inspections where reason != ''").stdout.decode())
        for suffix in (".md", ".csv"):
            file = self.scratch / ("page" + suffix)
            self.check("report", *about, "-o", file)
            self.assertEqual(foreign(file.read_bytes()), [], suffix)

    def test_documents_come_out_as_they_went_in(self):
        self.fill()
        again = self.scratch / "again.db"
        exported = subprocess.run([STACKX, "export"], capture_output=True, env=self.environment, timeout=900).stdout
        self.assertNotEqual(foreign(exported), [], "a pipe gets the bytes that ids are made of")
        file = self.scratch / "again.jsonl"
        file.write_bytes(exported)
        said = self.check("import", file, "--db", again).stdout.decode()
        self.assertIn(f"{len(exported.splitlines())} documents imported, 0 were already there", said)
        self.assertTrue(any(EVIL in document.get("reason", "") for document in map(json.loads, exported.splitlines())))

    def published(self, name, **changes):
        """A file with one published result, which the advice for a V100 shows."""
        document = {"$schema": "stackx/published/1", "hardware": "Tesla V100-SXM2-16GB", "metric": "rate_gflops", "value": 124000.0,
                    "source": {"url": "https://example.org/", "read": "2026-11-20"}, "stack": {"cuda": "10.0"},
                    "workload": {"pi": "matmul", "params": {"dtype": "float16", "m": "4096", "n": "4096", "k": "4096"}}}
        return self.write(name, sealed({**document, **changes}))

    def test_no_source_becomes_a_link_but_its_own_page(self):
        title, url = "x](javascript:alert(1))|<img src=x onerror=alert(1)>`", "https://example.org/a)<b>|[c](javascript:alert(2))`"
        file = self.published("good.jsonl", source={"url": url, "title": title, "read": "2026-11-20"})
        self.check("import", file, "--format", "stackx")
        page = self.check("advise", "--hw", "v100", "--workload", "matmul", "--format", "markdown").stdout.decode()
        self.assertIn("[x\\](javascript:alert(1))\\|&lt;img src=x onerror=alert(1)\\>\\`]("
                      "<https://example.org/a%29%3Cb%3E%7C[c]%28javascript:alert%282%29%29%60>)", page)
        self.assertNotIn("<img", page)
        for url in ("javascript:alert(1)", "file:///etc/passwd", "https://me:secret@example.org/", "https:///x"):
            file = self.published("bad.jsonl", source={"url": url, "title": "MLPerf", "read": "2026-11-20"})
            done = self.check("import", file, "--format", "stackx")
            self.assertNotEqual(done.returncode, 0, url)
            self.assertIn(b"/source/url: expected a URL", done.stderr + done.stdout)
            self.assertNotIn(b"me:secret", done.stderr + done.stdout)

    def test_no_machine_is_infinitely_fast(self):
        """A time of 1e-308 ms made `inf TFLOP/s` the best of all."""
        huge = {"pi": "matmul", "params": {"m": "1e100", "n": "1e100", "k": "1e100"}}
        for name, changes in (("time", {"metric": "elapsed_ms", "value": 1e-308}), ("rate", {"value": 1e300}), ("parameters", {
                "metric": "elapsed_ms", "value": 1.0, "workload": huge})):
            done = self.check("import", self.published(f"{name}.jsonl", **changes), "--format", "stackx")
            self.assertNotEqual(done.returncode, 0, name)
            self.assertIn(b"no machine is like that", done.stderr + done.stdout)
        self.assertNotIn(b"inf ", self.check("advise", "--hw", "v100", "--workload", "matmul").stdout)

    def test_no_artifact_tells_pip_or_apt_more_than_a_name_and_a_version(self):
        wheel = {"type": "wheel", "file": "a-1.0-py3-none-any.whl", "sha256": "0" * 64}
        for artifact in ({**wheel, "package": "a\n--index-url http://evil/"}, {**wheel, "package": "evil @ http://evil/x.whl"},
                         {**wheel, "package_version": "1.0\n--pre"}, {"type": "system", "package": "/tmp/evil.deb"},
                         {"type": "system", "package": "libc6-"}, {"type": "system", "package": "liba", "package_version": "1.0 libc6-"}):
            catalog = {"$schema": "stackx/catalog/1", "components": {
                "lib": {"kind": "runtime", "versions": {"1.0": {"artifacts": [artifact]}}}}}
            (self.scratch / "catalog.json").write_text(json.dumps(catalog))
            done = self.check("catalog", "validate", self.scratch / "catalog.json")
            self.assertEqual(done.returncode, 2, artifact)
            self.assertRegex(done.stderr.decode(), r"catalog\.json: /components/lib/versions/1\.0/artifacts/0/package(_version)?: expected the ")

    def test_no_catalog_and_no_project_does(self):
        catalog = {"$schema": "stackx/catalog/1", "components": {
            "lib": {"kind": "package", "description": "d", "sources": ["https://example.org/"], "versions": {
                "1.0": {"requires": {"base": "*"}, "environment": {"PI_VARIABLE": "value"}, "provides": {"blas": "1.0"},
                        "artifacts": [{"type": "path", "file": "/usr/lib/lib.so", "library": "/usr/lib/lib.so"}]},
                "2.0": {"conflicts": {"base": "*"}}}},
            "base": {"kind": "package", "versions": {"1.0": {}}}}}
        project = json.loads(self.project(requires={"lib": "*", "base": "*"}).read_text())
        cases = [(one, project) for one in poisoned(catalog)] + [(catalog, one) for one in poisoned(project)]
        for one, of in cases:
            self.write("catalog.json", one)
            self.write("project.json", of)
            names = self.scratch / "catalog.json", self.scratch / "project.json"
            self.check("catalog", "validate", names[0])
            if self.check("catalog", "show", names[0]).returncode == 0:
                for name in one["components"]:
                    if "\0" not in name:
                        self.check("catalog", "show", names[0], name)
            self.check("resolve", names[1], "--list", "3")
            self.check("resolve", names[1], "--list", "3", "--json")
            self.check("resolve", names[1], "--explain", "lib==2.0")
            self.check("resolve", names[1], "--graph", "dot")
            self.check("inspect", names[1], "--dry-run")

    def test_no_message_about_a_document_does(self):
        specification = {"base": "debian:12" + EVIL, "packages": ["openblas" + EVIL], "python_packages": ["numpy" + EVIL],
                         "files": [{"path": "/x" + EVIL, "content": ""}], "run": {"requests": {"cpu": "1"}},
                         "build": {"requests": {"cpu": "1", "memory": "256Mi"}}}
        for changes in ({}, {"base": "debian:12"}, {"base": "debian:12", "files": []}, {"identifier": EVIL, "script": EVIL, "files": []}):
            document = self.write("amun.json", {**specification, **changes})
            self.check("inspect", "--amun", document, "--dockerfile-only", "--offline", "--pip", "/bin/true")
        plan = self.json("inspect", EXAMPLE, "--dry-run", "--offline")
        del plan["id"]
        blas = next(name for name in plan["arms"][0]["stack"] if name != "cpu")
        self.db.parent.mkdir(exist_ok=True)
        for place, key in ((plan, "project"), (plan["arms"][0]["stack"], blas)):
            sound = place[key]
            place[key] += EVIL
            bad = sealed(plan)
            self.write("plan.jsonl", json.dumps(bad, ensure_ascii=False))
            self.assertIn(b"1 document imported", self.check("import", self.scratch / "plan.jsonl").stdout)
            self.assertIn(b"FORGED", self.check("inspect", EXAMPLE, "--resume", bad["id"][:12], "--offline").stderr)
            place[key] = sound

    def test_what_is_measured_can_be_pasted_into_a_shell(self):
        model, evil = "Evil $(touch PWNED);x", "$(touch${IFS}PWNED);`id`'\""
        workload = {"pi": "matmul", "params": {"m": "512", "evil": evil}}
        for name in (model, "x" + EVIL):
            gpu = {"model": name, "uuid": "GPU-1", "pci": "", "compute_capability": "7.0", "memory_bytes": 16 << 30}
            self.inspection({"mkl": "2024.2"}, 100, len(self.documents), host={**self.host, "gpus": [gpu]}, workload=workload)
        self.store()
        for words in (["report", "--hw", "v100", "--workload", "matmul"], ["effects", "--hw", "v100", "--workload", "matmul"]):
            said = self.check(*words).stdout.decode()
            commands = [shlex.split(line) for line in said.splitlines() if line.startswith("  --hw")]
            self.assertEqual(len(commands), 2, said)
            for command in commands:
                self.assertEqual((len(command), command[0], command[2]), (4, "--hw", "--workload"))
            self.assertEqual(commands[0][1], model)
            self.assertEqual(commands[0][3], f"matmul:evil={evil},m=512")
        self.assertIn(f"measured: --hw '{model}' --workload matmul", self.check("query", "best", "--since", "2040-01-01").stdout.decode())

    def test_a_package_that_is_a_directory_too_is_a_package(self):
        """A cloned repository may hold anything; its Python once ran."""
        ran, program = self.scratch / "ran", self.scratch / "torch" / "bin" / "python"
        program.parent.mkdir(parents=True)
        program.write_text(f"#!/bin/sh\necho > {ran}\n")
        program.chmod(0o755)
        done = subprocess.run([STACKX, "check", "torch", "--hw", "h100"], capture_output=True, text=True, env=self.environment,
                              cwd=self.scratch, timeout=240)
        self.assertRegex(done.stdout, "^(Yes|No): torch ", done)
        self.assertFalse(ran.exists())

    def test_who_is_faster_than_his_hardware_is_doubted(self):
        """A document may make any machine of its host; the answer says what the model's data sheet says."""
        host = {**self.host, "gpus": [{"model": "Tesla V100-SXM2-16GB", "uuid": "GPU-1", "pci": "", "compute_capability": "99.0",
                                         "memory_bytes": 16 << 30}]}
        workload = {"pi": "matmul", "params": {**WORKLOAD["params"], "dtype": "float32"}}
        self.rounds([({"openblas": "0.0.666"}, 3e6), ({"mkl": "2024.2"}, 300)], host=host, workload=workload)
        self.store()
        said = self.check("advise", "--hw", "v100", "--workload", "matmul:m=512,n=512,k=512,dtype=float32").stdout.decode()
        self.assertIn("times the stated peak: not to be believed before it was measured here", " ".join(said.split()))

    def test_no_name_of_a_file_and_no_word_of_the_line_does(self):
        name = self.scratch / EVIL.replace("/", "")
        for words in (["resolve", name], ["catalog", "validate", name], ["import", name], ["report", "--hw", EVIL, "--workload", EVIL],
                      ["advise", "--hw", EVIL, "--workload", EVIL], [EVIL], ["--" + EVIL], ["check", EVIL], ["query", "--stack", EVIL],
                      ["inspect", name, "--budget", EVIL], ["db", "info", "--db", name], ["hw", "show", EVIL], ["verify", name], ["merge", name]):
            self.check(*words)

    def test_a_terminal_gets_the_colours_of_stackx_alone(self):
        self.fill()
        for words in (["query", "best"], ["advise", "--hw", "host", "--workload", "matmul"], ["query", "failures"], ["export"]):
            master, terminal = pty.openpty()
            process = subprocess.Popen([STACKX, *words], stdout=terminal, stderr=terminal, stdin=terminal, env=self.environment)
            os.close(terminal)
            data = b""
            while True:
                try:
                    piece = os.read(master, 1 << 16)
                except OSError:
                    break
                if not piece:
                    break
                data += piece
            os.close(master)
            process.wait()
            self.assertEqual(foreign(data, colours=True), [], data[:3000])
            self.assertTrue(b"\x1b[" in data or words == ["export"])


if __name__ == "__main__":
    unittest.main()
