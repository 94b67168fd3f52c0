"""Python stacks to inspect that are made on the spot: an index on this machine, wheels, source archives, a PI of one's own."""

import atexit
import functools
import hashlib
import http.server
import io
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import threading
import zipfile

from harness import KEPT, ROOT, STACKX, BlackBox, this_machine

HERE = f"{sys.version_info[0]}.{sys.version_info[1]}"
# The real one: where the tests run in a virtual environment, that is another program.
PROGRAM = os.path.realpath(getattr(sys, "_base_executable", None) or sys.executable)

# Says what it imported; everything else is in `parameters`.
PI = '''import json, sys
arguments = dict(word.split("=", 1) for word in sys.argv[2:])
name = arguments.get("package", "victim")
print(json.dumps({"name": sys.argv[1], "component": name, "parameters": {"where": __import__(name).__file__},
                  "samples_ns": [1000, 1001, 1002], "loaded": {"python": "%d.%d.%d" % sys.version_info[:3]}}))
'''


def wheel(name="victim", version="1.0", tags="py3-none-any", files=None, requires=()):
    """(file name, bytes); `files` are entries as they are, `../` too."""
    info = f"{name}-{version}.dist-info"
    contents = {f"{name}/__init__.py": f"version = {version!r}\n", **(files or {})}
    contents[f"{info}/METADATA"] = f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n" + "".join(f"Requires-Dist: {one}\n" for one in requires)
    contents[f"{info}/WHEEL"] = f"Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: {tags}\n"
    contents[f"{info}/RECORD"] = "".join(f"{path},,\n" for path in [*contents, f"{info}/RECORD"])
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for path, content in contents.items():
            archive.writestr(zipfile.ZipInfo(path), content)
    return f"{name}-{version}-{tags}.whl", buffer.getvalue()


def sdist(setup, name="victim", version="1.0", files=None):
    """A source archive whose setup.py begins with `setup`; that one may change the keywords of setuptools.setup()."""
    script = ("import setuptools\n"
              f"keywords = dict(name={name!r}, version={version!r}, packages=[{name!r}])\n{setup}\nsetuptools.setup(**keywords)\n")
    contents = {"setup.py": script, f"{name}/__init__.py": "", "PKG-INFO": f"Metadata-Version: 1.0\nName: {name}\nVersion: {version}\n",
                **(files or {})}
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as archive:
        for path, text in contents.items():
            member = tarfile.TarInfo(f"{name}-{version}/{path}")
            member.size = len(text)
            archive.addfile(member, io.BytesIO(text.encode()))
    return f"{name}-{version}.tar.gz", buffer.getvalue()


class Index(http.server.ThreadingHTTPServer):
    """What it serves: {file name: bytes}. Those that are `gated` once the test opens the gate: a build can be held there."""

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.files, self.asked, self.gated = {}, [], set()
        self.sizes = {}  # {file name: bytes}, as JSON states them: whatever the file has
        self.at_gate, self.gate = threading.Event(), threading.Event()
        threading.Thread(target=self.serve_forever, args=(0.02,), daemon=True).start()  # looks for shutdown() so often

    def handle_error(self, request, client_address):
        """Clients that are killed in the middle belong to the tests."""

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server_port}"

    def add(self, file):
        """The artifact of a catalog that stands for it."""
        name, content = file
        self.files[name] = content
        return {"type": "wheel" if name.endswith(".whl") else "sdist", "file": name, "size": len(content),
                "sha256": hashlib.sha256(content).hexdigest()}


class Handler(http.server.BaseHTTPRequestHandler):
    disable_nagle_algorithm = True  # or a head waits 40 ms for its body

    def log_message(self, *_):
        pass

    def reply(self, status, body=b"", kind="text/html"):
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_HEAD(self):
        self.reply(405)

    def do_GET(self):
        self.server.asked.append(self.path)
        kind, _, name = self.path.strip("/").partition("/")
        if name in self.server.gated:
            self.server.at_gate.set()
            self.server.gate.wait(60)
        if kind == "simple":
            wanted = [file for file in self.server.files if re.sub("[-_.]+", "-", file.split("-")[0].lower()) == name.strip("/")]
            if self.server.sizes:
                listed = [{"filename": file, "url": f"/files/{file}", "hashes": {"sha256": hashlib.sha256(self.server.files[file]).hexdigest()},
                           "size": self.server.sizes.get(file, len(self.server.files[file]))} for file in wanted]
                document = {"meta": {"api-version": "1.1"}, "name": name.strip("/"), "files": listed}
                return self.reply(200 if wanted else 404, json.dumps(document).encode(), "application/vnd.pypi.simple.v1+json")
            rows = "".join(f'<a href="/files/{file}#sha256={hashlib.sha256(self.server.files[file]).hexdigest()}">{file}</a>\n'
                           for file in wanted)
            self.reply(200 if wanted else 404, f"<!DOCTYPE html><html><body>{rows}</body></html>".encode())
        elif kind == "files" and name in self.server.files:
            self.reply(200, self.server.files[name], "application/octet-stream")
        else:
            self.reply(404)


@functools.cache
def build_tools(python=sys.version_info[:3]):
    """The wheels that build source archives under a Python, fetched once: {file name: bytes}, or why they cannot be had."""
    house = KEPT / "build-tools"
    house.mkdir(parents=True, exist_ok=True)
    catalog = json.loads((ROOT / "specs" / "data" / "build-tools.json").read_text())["components"]
    files = {}
    for name in ("pip", "setuptools", "wheel"):
        fitting = [(tuple(map(int, version.split("."))), version, entry["artifacts"][0]) for version, entry in catalog[name]["versions"].items()
                   if tuple(map(int, entry["requires"]["python"].lstrip(">=").split("."))) <= python]
        _, version, artifact = max(fitting, key=lambda item: item[0])
        file = house / artifact["file"]
        if not file.exists():
            lines = house / f"{artifact['file']}.txt"
            lines.write_text(f"{name}=={version} --hash=sha256:{artifact['sha256']}\n")
            done = subprocess.run([sys.executable, "-m", "pip", "download", "--no-deps", "--quiet", "--require-hashes", "--only-binary", ":all:",
                                   "--python-version", f"{python[0]}.{python[1]}", "--dest", house, "-r", lines],
                                  capture_output=True, text=True)
            if done.returncode != 0:
                return f"{name} {version}, which builds source archives, cannot be fetched: {done.stderr.strip()[-300:]}"
        files[artifact["file"]] = file.read_bytes()
    return files


UNPACKED = []  # where the build tools are that has_build_tools() copies


class PythonStack(BlackBox):
    def setUp(self):
        super().setUp()
        self.index = Index()
        self.addCleanup(self.index.server_close)
        self.addCleanup(self.index.shutdown)
        self.addCleanup(self.index.gate.set)
        for name in list(self.environment):
            if name.startswith(("UV_", "PIP_")) or name.lower().endswith("_proxy"):
                del self.environment[name]
        self.environment.update(PIP_CONFIG_FILE=os.devnull, PIP_INDEX_URL=self.index.url + "/simple", PIP_DISABLE_PIP_VERSION_CHECK="1")
        self.pi = self.write("pi.py", PI)
        self.cache = pathlib.Path(self.environment["XDG_CACHE_HOME"]) / "stackx"

    def needs_build_tools(self, python=sys.version_info[:3]):
        files = build_tools(python)
        if isinstance(files, str):
            self.skipTest(files)
        self.index.files.update(files)

    def has_build_tools(self):
        """Those of this Python, unpacked already: one honest build does that for all tests of a process, because it takes seconds."""
        self.needs_build_tools()
        if not UNPACKED:
            place = tempfile.TemporaryDirectory(prefix="stackx-test-tools-")
            atexit.register(place.cleanup)
            usual, self.environment = self.environment, {**self.environment, "XDG_CACHE_HOME": place.name}
            self.stackx("--db", f"{place.name}/stackx.db", "inspect", self.stack(self.index.add(sdist(""))), "--pi", self.pi)
            self.environment = usual
            self.index.asked.clear()
            hashes = tuple(hashlib.sha256(content).hexdigest() for content in build_tools().values())
            UNPACKED.extend(path for path in pathlib.Path(place.name, "stackx", "wheels").iterdir()
                            if path.is_dir() and path.name.startswith(hashes))
        for path in UNPACKED:
            shutil.copytree(path, self.cache / "wheels" / path.name, symlinks=True)

    def python(self):
        """The component of this machine's Python, by its path."""
        return {"kind": "runtime", "versions": {HERE: {"artifacts": [{"type": "path", "file": PROGRAM, "program": PROGRAM}]}}}

    def stack(self, *artifacts, name="victim", version="1.0", limits=None, campaign=None, **more):
        """catalog.json and project.json: one stack of Python and one package with these artifacts."""
        package = {"kind": "package", "ecosystem": "pypi",
                   "versions": {version: {"requires": {"python": "*"}, "artifacts": list(artifacts)}}}
        self.write("catalog.json", {"$schema": "stackx/catalog/1", "components": {"python": self.python(), name: package, **more}})
        return self.project(requires={name: "*", **{extra: "*" for extra in more}}, workload={"pi": "hello", "params": {}},
                            campaign={"sampler": {"kind": "all"}, "rounds": 1,
                                      "limits": {"seconds": 60, "memory_gib": 1, **(limits or {})}, **(campaign or {})})

    def inspect(self, project, exit_code=0, **options):
        return self.stackx("inspect", project, "--pi", self.pi, exit_code=exit_code, **options)

    def documents(self):
        """The results in the store, oldest first."""
        lines = [json.loads(line) for line in self.stackx("export").stdout.splitlines()]
        found = [document for document in lines if document["$schema"] == "stackx/inspection/1"]
        return sorted(found, key=lambda document: document["finished"])

    def start(self, project, db):
        """An inspection that runs beside the test."""
        return subprocess.Popen([STACKX, "--db", str(db), "inspect", str(project), "--pi", str(self.pi)], env=self.environment,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def half_built(self):
        """What no finished or failed build may leave in the cache."""
        return [str(path) for path in self.cache.rglob("*") if ".partial-" in path.name or path.name.endswith((".build", ".fetched", ".compiled"))]


def container_engine():
    """Why no container engine works here; "" if one does."""
    return this_machine()["container_engine"].get("none", "")
