"""What the black-box tests share: a scratch directory with its own store and cache, and the binary."""

import fcntl
import functools
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

STACKX = os.environ["STACKX"]
ROOT = pathlib.Path(__file__).resolve().parents[2]
EXAMPLE = ROOT / "examples" / "blas-cpu" / "project.json"
sys.path.append(str(ROOT / "tests" / "specs"))  # oracle_jsonschema
# Kept between runs, for what is fetched or takes long to make.
KEPT = pathlib.Path(os.environ.get("STACKX_TEST_CACHE", ROOT / "build" / "tests" / "cache"))


def cases(usual, thorough):
    """How many cases a random or repeated test tries: `thorough` under `./run test --thorough`."""
    return thorough if os.environ.get("STACKX_THOROUGH") == "1" else usual


@functools.cache
def this_machine():
    """What `stackx hw --json` says; which container engine works is found out once, by one test, and kept. Not to be changed."""
    KEPT.mkdir(parents=True, exist_ok=True)
    with open(KEPT / "this-machine.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        done = subprocess.run([STACKX, "hw", "--json"], capture_output=True, text=True, check=True,
                              env=dict(os.environ, XDG_CACHE_HOME=str(KEPT)))
    return json.loads(done.stdout)


@functools.cache
def published_store():
    """{file name: content} of a store that has taken in the published results, which the first command on a store does."""
    with tempfile.TemporaryDirectory(prefix="stackx-test-") as scratch:
        subprocess.run([STACKX, "workload", "list"], capture_output=True, check=True,
                       env=dict(os.environ, XDG_CACHE_HOME=scratch, STACKX_DB=f"{scratch}/data/stackx.db"))
        return {file.name: file.read_bytes() for file in pathlib.Path(scratch, "data").iterdir() if file.is_file()}


def debian_package(name):
    """The installed version of a Debian package, or None."""
    if shutil.which("dpkg-query") is None:
        return None
    done = subprocess.run(["dpkg-query", "-W", "-f", "${Version}", name], capture_output=True, text=True)
    return done.stdout or None


def schema_errors(kind, documents):
    """What specs/schemas/KIND.json finds wrong with each document, "" if nothing."""
    try:
        from oracle_jsonschema import judge  # pylint: disable=import-outside-toplevel
    except ImportError as error:
        raise unittest.SkipTest(f"no module `{error.name}` in {sys.executable}") from error
    return [judge(ROOT / "specs" / "schemas", kind, one) for one in documents]


def paths_named_by(node):
    """Of a catalog: what its artifacts of type `path` name."""
    if isinstance(node, list):
        return [path for one in node for path in paths_named_by(one)]
    if not isinstance(node, dict):
        return []
    own = [node[key] for key in ("file", "library", "program") if isinstance(node.get(key), str)] if node.get("type") == "path" else []
    return own + [path for one in node.values() for path in paths_named_by(one)]


class BlackBox(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory(prefix="stackx-test-")
        self.addCleanup(scratch.cleanup)
        self.scratch = pathlib.Path(scratch.name)
        self.db = self.scratch / "data" / "stackx.db"
        self.environment = dict(os.environ, XDG_DATA_HOME=str(self.scratch / "share"),
                                XDG_CACHE_HOME=str(self.scratch / "cache"), STACKX_DB=str(self.db))
        if os.geteuid() != 0:
            self.keep_the_images()

    def keep_the_images(self):
        """A user's podman has its images below XDG_DATA_HOME: those that earlier tests made, and none to be left behind."""
        kept = pathlib.Path(os.environ.get("XDG_DATA_HOME") or pathlib.Path.home() / ".local" / "share") / "containers"
        kept.mkdir(parents=True, exist_ok=True)
        (self.scratch / "share").mkdir()
        (self.scratch / "share" / "containers").symlink_to(kept)

    def begin_with_what_is_published(self, db=None):
        """The store, or another one, as commands before this one would have left it."""
        place = (db or self.db).parent
        place.mkdir()
        for name, content in published_store().items():
            (place / name).write_bytes(content)

    def stackx(self, *arguments, exit_code=0, **options):
        done = subprocess.run([STACKX, *map(str, arguments)], capture_output=True, text=True,
                              env=self.environment, timeout=900, **options)
        allowed = (0, 1) if exit_code is None else (exit_code,)
        self.assertIn(done.returncode, allowed, f"{arguments}\nstdout: {done.stdout}\nstderr: {done.stderr}")
        return done

    def json(self, *arguments, exit_code=0):
        return json.loads(self.stackx(*arguments, "--json", exit_code=exit_code).stdout)

    def lines(self, *arguments):
        return [json.loads(line) for line in self.stackx(*arguments, "--json").stdout.splitlines()]

    def allow_paths(self, paths):
        """As `stackx catalog discover` would have noted them, had it found them here."""
        notes = pathlib.Path(self.environment["XDG_DATA_HOME"]) / "stackx" / "allowed-paths"
        notes.parent.mkdir(parents=True, exist_ok=True)
        with open(notes, "a") as file:
            file.writelines(json.dumps(path) + "\n" for path in paths)

    def write(self, name, document):
        """A document; a catalog's paths are allowed (attacks write theirs themselves)."""
        if isinstance(document, dict) and (paths := paths_named_by(document)):
            self.allow_paths(paths)
        path = self.scratch / name
        path.write_text(document if isinstance(document, str) else json.dumps(document))
        return path

    def project(self, name="project.json", **changes):
        """A project over `catalog.json` in the scratch directory; keyword arguments replace its members."""
        document = {"$schema": "stackx/project/1", "name": "test", "catalogs": ["catalog.json"], "requires": {"blas": "*"},
                    "workload": {"pi": "matmul", "params": {"m": 48, "n": 40, "k": 56, "dtype": "float32", "threads": 1,
                                                            "repetitions": 3, "min_sample_ms": 1, "warmup_ms": 1}},
                    "campaign": {"sampler": {"kind": "all"}, "rounds": 3, "limits": {"seconds": 30, "memory_gib": 2}}}
        document.update(changes)
        return self.write(name, document)

    def fake_blas(self, version="9.9.1", fault=0, slow=1):
        """Builds a look-alike library that does its work `slow` times; returns its path. Skips without a C compiler."""
        compiler = os.environ.get("STACKX_CC") or shutil.which("cc")
        if not compiler:
            self.skipTest("no C compiler to build the look-alike library with")
        library = self.scratch / f"libfake-{version}-{fault}-{slow}.so"
        subprocess.run([compiler, "-O1", "-shared", "-fPIC", f"-DFAULT={fault}", f"-DSLOW={slow}", f'-DVERSION="{version}"',
                        "-o", library, pathlib.Path(__file__).with_name("fake_blas.c")], check=True)
        return library

    def fake_catalog(self, libraries):
        """catalog.json with one component a library: {name: (version asked for, path)}; each provides blas."""
        components = {name: {"kind": "package", "versions": {version: {"provides": {"blas": version}, "artifacts": [
            {"type": "path", "file": str(path), "library": str(path)}]}}} for name, (version, path) in libraries.items()}
        return self.write("catalog.json", {"$schema": "stackx/catalog/1", "components": components})
