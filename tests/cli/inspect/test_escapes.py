"""What a catalog says never reaches a shell and never leaves its directory, and what a stack does while it runs reaches neither
network, nor files of this machine, nor anything else that runs here: in both runners."""

import concurrent.futures
import json
import os
import pathlib
import pwd
import re
import shutil
import socket
import subprocess

from harness import KEPT, ROOT, STACKX
from python_stack import PROGRAM, PythonStack, container_engine, wheel

# Says what arrived.
ECHO = '''import json, os, sys
arguments = dict(word.split("=", 1) for word in sys.argv[2:])
parameters = {"name": sys.argv[1], "shout": os.environ.get("PI_SHOUT", ""), "cwd": os.getcwd()}
if "PI_FILE" in os.environ:
    parameters["content"] = open(os.environ["PI_FILE"]).read()
print(json.dumps({"name": "echo", "component": "echo", "parameters": dict(arguments, **parameters), "samples_ns": [1000, 1001]}))
'''

# Tries what a run must not do; `parameters` says what succeeded.
OFFENDER = '''import json, os, socket, sys
arguments = dict(word.split("=", 1) for word in sys.argv[2:])
if sys.argv[1] == "fork":
    while True:
        os.fork()
done = {}
def attempt(name, what):
    try:
        what()
        done[name] = "true"
    except (OSError, IOError):
        done[name] = "false"
def write(directory):
    with open(os.path.join(directory, "stackx-escaped"), "w") as file:
        file.write("x")
def change(file):
    with open(file, "r+") as opened:
        opened.write("x")
attempt("network", lambda: socket.create_connection((arguments["address"], int(arguments["port"])), 3))
attempt("name", lambda: socket.create_connection(("example.org", 80), 3))
attempt("read", lambda: open(arguments["secret"]).read())
for place in ("/", "/usr", "/etc", os.path.dirname(os.__file__), arguments["home"], arguments["real_home"]):
    attempt("write " + place, lambda: write(place))
import victim
attempt("environment", lambda: change(victim.__file__))
attempt("environment tree", lambda: write(os.path.dirname(victim.__file__)))
attempt("own program", lambda: change(__file__))
attempt("unlink", lambda: os.unlink(victim.__file__))
attempt("mode", lambda: os.chmod(victim.__file__, 0o777))
attempt("scratch", lambda: write("/tmp"))
done["homes"] = [name for name in (os.listdir(arguments["real_home"]) if os.access(arguments["real_home"], os.R_OK) else [])
                 if name in arguments["known"].split("/")]
print(json.dumps({"name": "offender", "component": "victim", "parameters": done, "samples_ns": [1000, 1001]}))
'''


class Runners(PythonStack):
    """What holds for one runner is asked of both: subclasses."""
    runner = "local"

    def setUp(self):
        super().setUp()
        self.canary = self.scratch / "canary"
        self.projects = 0
        self.pi = self.write("echo.py", ECHO)
        self.base = {"python": self.python()}
        self.requires = {"python": "*"}
        if self.runner == "container":
            if container_engine():
                self.skipTest("no container engine works here: " + container_engine())
            self.environment["XDG_CACHE_HOME"] = str(KEPT)
            self.cache = KEPT / "stackx"
            self.base = {"python": {"kind": "runtime", "versions": {"3.11": {}}},
                         "image": json.loads((ROOT / "specs/data/images.json").read_text())["components"]["image"]}
            self.requires = {"python": "*", "image": "==bookworm"}

    def of(self, components, params=None, requires=None, limits=None, pi_name="echo", **changes):
        """A project in a directory of its own, where its store will be, too."""
        self.projects += 1
        place = self.scratch / "projects" / str(self.projects)
        place.mkdir(parents=True)
        self.write(place / "catalog.json", {"$schema": "stackx/catalog/1", "components": {**self.base, **components}})
        return self.project(place / "project.json", requires={**self.requires, **{name: "*" for name in components}, **(requires or {})},
                            workload={"pi": pi_name, "params": params or {}},
                            campaign={"sampler": {"kind": "all"}, "rounds": 1, "runner": self.runner,
                                      "limits": {"seconds": 60, "memory_gib": 1, **(limits or {})}}, **changes)

    def weird(self):
        touch = f"touch {self.canary}"
        return [f"$({touch})", f"`{touch}`", f"; {touch};", f"a && {touch}", f"| {touch}", "a b  'c' \"d\"", f"one\n{touch}\n", "../../escape",
                "--help", "-rf", "*", "a,target=/etc", "{{.Id}}", "${HOME}", "%s%n", "ünï", "a\\b", "#x"]

    def nothing_escaped(self):
        self.assertFalse(self.canary.exists())
        places = [self.scratch.parent, self.scratch, self.scratch / "projects"]
        self.assertFalse([path for place in places if place.exists() for path in place.iterdir() if path.name == "escape"])
        known = {"share", "cache", "projects", "echo.py", "pi.py", "weird", "home", "offender", f"offender-{os.getpid()}.py"}
        self.assertLessEqual({path.name for path in self.scratch.iterdir()}, known)
        for number in range(1, self.projects + 1):
            self.assertLessEqual({path.name for path in (self.scratch / "projects" / str(number)).iterdir()}, {"catalog.json", "project.json", "data"})

    def start_it(self, project):
        environment = dict(self.environment, STACKX_DB=str(project.parent / "data" / "stackx.db"))
        done = subprocess.run([STACKX, "inspect", project, "--pi", self.pi], capture_output=True, text=True, cwd=project.parent,
                              env=environment, timeout=900)
        if done.returncode not in (0, 1):
            return done, []
        exported = subprocess.run([STACKX, "export"], capture_output=True, text=True, env=environment, timeout=900)
        documents = [document for document in map(json.loads, exported.stdout.splitlines()) if document["$schema"] == "stackx/inspection/1"]
        return done, sorted(documents, key=lambda document: document["finished"])

    def judged(self, done, documents):
        self.assertIn(done.returncode, (0, 1, 2), done.stderr)
        if done.returncode == 2:
            self.assertRegex(done.stderr, r"(catalog|project)\.json|stack [0-9a-f]{12}|: ")
            self.assertNotIn("terminate called", done.stderr)
        return done, documents[-1] if documents else None

    def try_it(self, project):
        """Refused with one error that says where, or done; (exit code, newest document)."""
        done, documents = self.start_it(project)
        self.nothing_escaped()
        return self.judged(done, documents)

    def try_them(self, projects):
        """try_it() of {what: project}, a few side by side, as each mostly waits; not yet judged()."""
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            running = {what: pool.submit(self.start_it, project) for what, project in projects.items()}
        self.nothing_escaped()
        return {what: one.result() for what, one in running.items()}

    def run_it(self, project):
        done, document = self.try_it(project)
        self.assertIsNotNone(document, done.stderr)
        return done, document


class Literally(Runners):
    def test_values_arrive_as_they_are_or_are_refused(self):
        """Of variables all; of parameters, which are written `name:key=value,...`, those without spaces and commas."""
        texts = self.weird() + [f"$(touch${{IFS}}{self.canary})", f"';touch${{IFS}}{self.canary};'", "--library=/etc/passwd"]
        def setting(*versions):
            return {"loud": {"kind": "setting", "versioning": "opaque", "versions": {f"v{i}": version for i, version in enumerate(versions)}}}
        def inspected(project):
            done, documents = self.start_it(project)
            self.nothing_escaped()
            self.assertEqual(done.returncode, 0, done.stderr)
            return {document["stack"]["loud"]: document for document in documents}
        words = [text for text in texts if not re.search(r"[\s,]", text)]
        # Each text is a version: all of them are one campaign. A container takes its time: there they are one text.
        said = texts if self.runner == "local" else ["".join(texts)]
        documents = inspected(self.of(setting(*({"environment": {"PI_SHOUT": text}} for text in said))))
        self.assertEqual(len(documents), len(said))
        for i, text in enumerate(said):
            with self.subTest(variable=text):
                document = documents[f"v{i}"]
                self.assertEqual(document["outcome"], "ok", document)
                self.assertEqual(document["parameters"]["shout"], text)
                self.assertEqual(document["parameters"]["cwd"], "/tmp")
        said = words if self.runner == "local" else ["".join(words)]
        documents = inspected(self.of(setting(*({"parameters": {"volume": text}} for text in said)), {f"quiet{i}": text for i, text in enumerate(said)}))
        self.assertEqual(len(documents), len(said))
        for i, text in enumerate(said):
            with self.subTest(parameter=text):
                document = documents[f"v{i}"]
                self.assertEqual(document["outcome"], "ok", document)
                self.assertEqual([document["parameters"][name] for name in ("volume", f"quiet{i}")], [text, text])
        refused = {}
        for text in sorted(set(texts) - set(words)):
            refused[text, "catalog.json: /components/loud/versions/v0/parameters/volume"] = self.of(setting({"parameters": {"volume": text}}))
            refused[text, "project.json: /workload/params/quiet"] = self.of({}, {"quiet": text})
        for what, answer in self.try_them(refused).items():
            with self.subTest(refused=what):
                done, document = self.judged(*answer)
                self.assertIsNone(document)
                self.assertIn(what[1], done.stderr)

    def test_names_and_versions_are_names(self):
        projects = {}
        plain = {"kind": "setting", "versioning": "opaque", "versions": {"one": {}}}
        for text in self.weird():
            projects["component", text] = self.of({text: plain})
            projects["version", text] = self.of({"loud": {**plain, "versions": {text: {}}}})
            projects["variable", text] = self.of({"loud": {**plain, "versions": {"one": {"environment": {text: "x"}}}}})
        carried = 0
        for (what, text), answer in self.try_them(projects).items():
            with self.subTest(what=what, text=text):
                done, document = self.judged(*answer)
                if document is None:
                    self.assertTrue(done.stderr.strip(), "refused without a word")
                elif what == "version" and document["outcome"] == "ok":
                    self.assertEqual(document["stack"]["loud"], text)
                    carried += 1
        self.assertGreater(carried, 0)

    def test_the_name_of_a_pi_is_a_word(self):
        for text, answer in self.try_them({text: self.of({}, pi_name=text) for text in self.weird()}).items():
            with self.subTest(text=text):
                done, document = self.judged(*answer)
                if document and document["outcome"] == "ok":
                    self.assertEqual(document["parameters"]["name"], text)

    def test_paths_are_paths(self):
        """A file, a PI and a cache in directories with names that hold all that shells, CSV and option parsers care for."""
        name = f"$(touch {self.canary.name}) 'a' \"b\", target=x `c`|&\n*.."
        directory = self.scratch / "weird" / name
        directory.mkdir(parents=True)
        (directory / "data file").write_text("content")
        self.pi = directory / "own pi.py"
        self.pi.write_text(ECHO)
        if self.runner == "local":  # a cache of its own costs the container runner new images
            self.environment["XDG_CACHE_HOME"] = str(directory / "cache")
        path = {"kind": "package", "versioning": "opaque", "versions": {"1": {"artifacts": [{"type": "path", "file": str(directory / "data file")}]}}}
        package = {"kind": "package", "ecosystem": "pypi", "versions": {"1.0": {"requires": {"python": "*"}, "artifacts": [self.index.add(wheel())]}}}
        told = {"kind": "setting", "versions": {"1": {"environment": {"PI_FILE": str(directory / "data file")}}}}
        done, document = self.run_it(self.of({"data": path, "victim": package, "told": told}))
        self.assertEqual(document["outcome"], "ok", (document, done.stderr))
        self.assertEqual(document["parameters"]["content"], "content")

    def test_a_cache_that_the_loader_cannot_search_is_refused(self):
        self.environment["XDG_CACHE_HOME"] = str(self.scratch / "weird" / "a:b")
        done, _ = self.start_it(self.of({}))
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertIn("XDG_CACHE_HOME", done.stderr)

    def test_artifacts_with_odd_names_are_refused(self):
        good = self.index.add(wheel())
        projects = {}
        for text in self.weird():
            for artifact in (dict(good, file=text + ".whl"), dict(good, package=text), dict(good, package_version=text), dict(good, sha256=text),
                             {"type": "system", "package": text}, {"type": "path", "file": text},
                             {"type": "path", "file": PROGRAM, "program": text}, {"type": "path", "file": PROGRAM, "library": text},
                             {"type": "debootstrap", "file": text}, {"type": "oci", "file": text}):
                if self.runner == "container" and artifact["type"] in ("debootstrap", "oci"):
                    components = {"image": {"kind": "image", "versioning": "opaque", "versions": {"bookworm": {"artifacts": [artifact]}}}}
                else:
                    components = {"odd": {"kind": "package", "ecosystem": "pypi", "versions": {"1.0": {"artifacts": [artifact]}}}}
                projects[json.dumps(artifact)] = self.of(components, requires={"image": "==bookworm"} if "image" in components else None)
        for artifact, answer in self.try_them(projects).items():
            with self.subTest(artifact=artifact):
                done, document = self.judged(*answer)
                if document:
                    self.assertNotEqual(document["outcome"], "ok", document)
                    self.assertTrue(document["reason"])


class LiterallyInContainers(Literally):
    runner = "container"

    def weird(self):
        texts = super().weird()
        return texts[:3] + texts[6:9] + texts[10:12]


class Confined(Runners):
    def setUp(self):
        super().setUp()
        self.pi = self.write(f"offender-{os.getpid()}.py", OFFENDER)  # found again among all processes
        home = self.scratch / "home"
        home.mkdir()
        (home / "secret").write_text("secret")
        self.environment["HOME"] = str(home)
        self.server = socket.create_server(("0.0.0.0", 0))
        self.addCleanup(self.server.close)
        self.real_home = pwd.getpwuid(os.getuid()).pw_dir
        known = os.listdir(self.real_home) if os.path.isdir(self.real_home) else []
        # What the run must see may lie in the home: the checkout, the cache.
        # Every image has a home with these in it.
        needed = {".bashrc", ".profile", *(os.listdir("/etc/skel") if os.path.isdir("/etc/skel") else [])}
        needed |= {path.relative_to(self.real_home).parts[0] for path in (ROOT, KEPT, pathlib.Path(PROGRAM), self.scratch)
                  if path.is_relative_to(self.real_home) and path != pathlib.Path(self.real_home)}
        self.params = {"address": "127.0.0.1", "port": str(self.server.getsockname()[1]), "secret": str(home / "secret"), "home": str(home),
                       "real_home": self.real_home, "known": "/".join(name for name in known if name not in needed and re.fullmatch(r"[\w.-]+", name)) or "-"}
        self.victim = {"victim": {"kind": "package", "ecosystem": "pypi", "versions": {
            "1.0": {"requires": {"python": "*"}, "artifacts": [self.index.add(wheel())]}}}}
        self.needs_confinement()

    def needs_confinement(self):
        """Before anything that forks without end: told once a class."""
        if "no_sandbox" not in vars(type(self)):
            document = self.offend()
            type(self).no_sandbox = document["runner"] if "no sandbox" in document["runner"] else ""
        if self.no_sandbox:
            self.skipTest("bubblewrap does not work here: " + self.no_sandbox)

    def offend(self):
        done, document = self.try_it(self.of(self.victim, self.params, pi_name="offender"))
        self.assertIsNotNone(document, done.stderr)
        self.said = done.stderr
        return document

    def judge(self, document):
        self.assertEqual(document["outcome"], "ok", document)
        tried = {name: value for name, value in document["parameters"].items() if name not in self.params}
        self.assertEqual(tried.pop("scratch"), "true")  # it did try, and may write where it should
        self.assertIn(tried.pop("homes", "[]"), ("[]", []))
        # Homes may be there, private and empty: what is written there is gone with the run.
        allowed = {"write " + self.params["home"], "write " + self.real_home, "write3"}
        self.assertEqual({name for name, value in tried.items() if value != "false"} - allowed, set(), tried)
        self.assertGreater(len(tried), 5)
        for place in ("/", "/usr", "/etc", "/tmp", self.real_home, self.scratch / "home"):
            self.assertFalse((pathlib.Path(place) / "stackx-escaped").exists(), place)

    def test_a_python_pi_reaches_nothing(self):
        self.judge(self.offend())

    def test_the_environment_is_as_it_was(self):
        self.offend()
        self.judge(self.offend())
        self.assertNotIn("installing", self.said)

    def test_forks_without_end_are_ended(self):
        _, document = self.run_it(self.of(self.victim, pi_name="fork", limits={"processes": 40, "seconds": 30}))
        self.assertIn(document["outcome"], ("failed", "timed_out", "left_processes"), document)
        self.assertTrue(document["reason"])
        mine = [entry for entry in os.listdir("/proc") if entry.isdigit() and self.pi.name.encode() in self.command_line(entry)]
        self.assertEqual(mine, [])

    @staticmethod
    def command_line(process):
        try:
            return pathlib.Path(f"/proc/{process}/cmdline").read_bytes()
        except OSError:
            return b""

    def test_a_native_pi_reaches_nothing(self):
        compiler = os.environ.get("STACKX_CC") or shutil.which("cc")
        program = self.scratch / "offender"
        if not compiler or subprocess.run([compiler, "-O1", "-static", "-o", program, pathlib.Path(__file__).with_name("offender.c")],
                                          capture_output=True).returncode:
            self.skipTest("no C compiler with a static C library, to make a program that runs in every image")
        self.pi = program
        _, document = self.run_it(self.of(self.victim, self.params, pi_name="offender"))
        self.judge(document)
        _, document = self.run_it(self.of(self.victim, {}, pi_name="fork", limits={"processes": 40, "seconds": 30}))
        self.assertIn(document["outcome"], ("failed", "timed_out", "left_processes"), document)


class ConfinedInContainers(Confined):
    runner = "container"
