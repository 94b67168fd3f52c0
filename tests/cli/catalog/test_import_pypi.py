"""`stackx catalog import pypi` against a small index on this machine: both kinds of pages, metadata with and without PEP 658."""

import base64
import hashlib
import html
import http.server
import io
import json
import os
import random
import shutil
import sys
import tarfile
import threading
import zipfile

from harness import BlackBox

JSON_TYPE = "application/vnd.pypi.simple.v1+json"


def wheel(name, version, requires=(), tags="py3-none-any", padding=0, **headers):
    """(file name, bytes, metadata). With padding, METADATA stands first, far from the end of the file."""
    metadata = f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"
    metadata += "".join(f"Requires-Dist: {one}\n" for one in requires)
    metadata += "".join(f"{key.replace('_', '-')}: {value}\n" for key, value in headers.items())
    metadata += "\nRequires-Dist: not-a-header; this is the description\n"
    stem = f"{name.replace('-', '_')}-{version}"
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, content in ((f"{stem}.dist-info/METADATA", metadata), ("padding.bin", os.urandom(padding))):
            archive.writestr(zipfile.ZipInfo(path), content, zipfile.ZIP_DEFLATED)  # of 1980: the same bytes every time
    return f"{stem}-{tags}.whl", buffer.getvalue(), metadata


def sdist(name, version, requires_txt, pkg_info="Metadata-Version: 1.0\n"):
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as archive:
        for path, text in ((f"{name}-{version}/PKG-INFO", pkg_info),
                           (f"{name}-{version}/{name}.egg-info/requires.txt", requires_txt)):
            member = tarfile.TarInfo(path)
            member.size = len(text)
            archive.addfile(member, io.BytesIO(text.encode()))
    return f"{name}-{version}.tar.gz", buffer.getvalue(), None


class Index(http.server.ThreadingHTTPServer):
    """Projects and their files; counts what is asked, and how many at a time."""

    def __init__(self, pages="json", offers_metadata=True, ranges=True):
        super().__init__(("127.0.0.1", 0), Handler)
        self.pages, self.offers_metadata, self.ranges = pages, offers_metadata, ranges
        self.projects, self.contents, self.metadata = {}, {}, {}
        self.asked, self.statuses, self.failures = [], [], {}
        self.needs_login = ""  # the Authorization that is expected
        self.lock, self.now, self.most = threading.Lock(), 0, 0
        threading.Thread(target=self.serve_forever, args=(0.02,), daemon=True).start()  # looks for shutdown() so often

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server_port}/simple"

    def add(self, project, file, uploaded="2019-01-01T00:00:00Z", yanked=False, requires_python=None):
        name, content, metadata = file
        self.contents[name], self.metadata[name] = content, metadata
        entry = {"filename": name, "url": f"../../files/{name}", "hashes": {"sha256": hashlib.sha256(content).hexdigest()},
                 "size": len(content), "upload-time": uploaded, "yanked": yanked}
        if requires_python:
            entry["requires-python"] = requires_python
        if metadata and self.offers_metadata:
            entry["core-metadata"] = {"sha256": hashlib.sha256(metadata.encode()).hexdigest()}
        self.projects.setdefault(project, []).append(entry)

    def page(self, project):
        entries = self.projects[project]
        if self.pages == "json":
            return JSON_TYPE, json.dumps({"meta": {"api-version": "1.1"}, "name": project, "files": entries})
        rows = []
        for entry in entries:
            attributes = {"href": f"{entry['url']}#sha256={entry['hashes']['sha256']}", "data-upload-time": entry["upload-time"]}
            if "requires-python" in entry:
                attributes["data-requires-python"] = entry["requires-python"]
            if entry["yanked"]:
                attributes["data-yanked"] = "broken"
            if "core-metadata" in entry:
                attributes["data-dist-info-metadata"] = "sha256=" + entry["core-metadata"]["sha256"]
            text = " ".join(f'{key}="{html.escape(value)}"' for key, value in attributes.items())
            rows.append(f"<A {text}>{entry['filename']}</A><br>")
        return "text/html; charset=utf-8", "<!DOCTYPE html><html><body>" + "\n".join(rows)

    def asked_for(self, ending):
        return [path for path in self.asked if path.endswith(ending)]


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # or a head waits 40 ms for its body

    def log_message(self, *_):
        pass

    def reply(self, status, body=b"", **headers):
        self.server.statuses.append(status)
        self.send_response(status)
        for key, value in headers.items():
            self.send_header(key.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        with self.server.lock:
            self.server.now += 1
            self.server.most = max(self.server.most, self.server.now)
        try:
            self.answer()
        finally:
            with self.server.lock:
                self.server.now -= 1

    def answer(self):
        server = self.server
        server.asked.append(self.path)
        if server.needs_login and self.headers.get("Authorization") != server.needs_login:
            return self.reply(401, WWW_Authenticate="Basic")
        if server.failures.get(self.path):
            return self.reply(server.failures[self.path].pop(0))
        place, _, name = self.path.strip("/").partition("/")
        if place == "simple" and name in server.projects:
            kind, text = server.page(name)
            tag = f'"{hashlib.sha256(text.encode()).hexdigest()}"'
            if self.headers.get("If-None-Match") == tag:
                return self.reply(304, ETag=tag)
            return self.reply(200, text.encode(), Content_Type=kind, ETag=tag)
        if place == "files" and name.endswith(".metadata") and server.offers_metadata and server.metadata.get(name[:-9]):
            return self.reply(200, server.metadata[name[:-9]].encode())
        if place == "files" and name in server.contents:
            return self.file(server.contents[name])
        return self.reply(404, b"no such page")

    def file(self, content):
        wanted = self.headers.get("Range", "")
        if not wanted or not self.server.ranges:
            return self.reply(200, content)
        first, last = wanted.removeprefix("bytes=").split("-")
        start = int(first) if first else max(0, len(content) - int(last))
        end = int(last) if first and last else len(content) - 1
        end = min(end, len(content) - 1)
        return self.reply(206, content[start:end + 1], Content_Range=f"bytes {start}-{end}/{len(content)}")


class ImportPypi(BlackBox):
    def setUp(self):
        super().setUp()
        for name in [name for name in self.environment if name.lower().endswith("_proxy") or name.startswith("PIP_")]:
            del self.environment[name]

    def index(self, **options):
        index = Index(**options)
        self.addCleanup(index.server_close)
        self.addCleanup(index.shutdown)
        return index

    def run_import(self, index, *arguments, exit_code=0, python="3.7"):
        """With a Python whose pip is configured to nothing, which is quick to say so; a real one is asked in test_index_of_pip."""
        pythons = [word for one in python.split() for word in ("--python", one)]
        return self.stackx("catalog", "import", "pypi", *pythons, *arguments, "--index-url", index.url, "--pip", shutil.which("true"),
                           exit_code=exit_code)

    def components(self, index, *arguments, **options):
        catalog = json.loads(self.run_import(index, *arguments, **options).stdout)
        return {name: component["versions"] for name, component in catalog["components"].items()}

    def expire(self):
        for page in (self.scratch / "cache" / "stackx" / "pypi" / "listings").iterdir():
            os.utime(page, (0, 0))

    def fill(self, index):
        """app 1.0, 2.0rc1, 2.0 -> lib with an extra; lib -> base by marker; a cycle from base to app."""
        index.add("app", wheel("app", "1.0", ["Lib[fast]>=1,<2", "old; python_version<'3'", "lib!=1.5"]), "2018-01-01T00:00:00Z")
        index.add("app", wheel("app", "2.0rc1", ["lib (>=1.1)"]), "2018-06-01T00:00:00Z")
        index.add("app", wheel("app", "2.0", ["lib>=1.1"], Requires_Python=">=3.6"), "2019-06-01T00:00:00Z", requires_python=">=3.6")
        index.add("app", wheel("app", "3.0", ["future-thing"]), "2020-01-01T00:00:00Z")
        index.add("lib", wheel("lib", "1.0", ["base; sys_platform=='linux'", "c-speed>=0.2; extra == 'fast'"]))
        index.add("lib", wheel("lib", "1.1", ["base>=2", "c_speed; extra=='fast'"]))
        index.add("lib", wheel("lib", "1.2"), yanked="oops")
        index.add("lib", wheel("lib", "1.3"), requires_python=">=3.8")
        index.add("base", wheel("base", "2.0", ["app"]))
        index.add("base", wheel("base", "2.1", ["app", "(nonsense"]))
        index.add("c-speed", wheel("c-speed", "0.2", tags="cp36-cp36m-manylinux1_x86_64"))
        index.add("c-speed", wheel("c-speed", "0.3", tags="cp37-cp37m-win_amd64"))
        index.add("c-speed", wheel("c-speed", "0.3", tags="cp37-cp37m-manylinux1_x86_64"))
        index.add("c-speed", wheel("c-speed", "0.4", tags="cp36-abi3-manylinux2010_x86_64"))
        return index

    def check_closure(self, found):
        self.assertEqual(set(found), {"app", "lib", "lib+fast", "base", "c-speed", "python"})
        self.assertEqual(list(found["app"]), ["1.0", "2.0"])
        self.assertEqual(found["app"]["1.0"]["requires"], {"lib": ">=1,<2,!=1.5", "lib+fast": ">=1,<2"})
        self.assertEqual(found["app"]["2.0"]["requires"], {"lib": ">=1.1", "python": ">=3.6"})
        self.assertEqual(list(found["lib"]), ["1.0", "1.1"])
        self.assertEqual(found["lib+fast"], {"1.0": {"requires": {"lib": "==1.0", "c-speed": ">=0.2"}},
                                             "1.1": {"requires": {"lib": "==1.1", "c-speed": "*"}}})
        self.assertEqual(list(found["base"]), ["2.0"])
        self.assertEqual(list(found["c-speed"]), ["0.3", "0.4"])
        self.assertEqual(found["c-speed"]["0.3"]["artifacts"][0]["file"], "c_speed-0.3-cp37-cp37m-manylinux1_x86_64.whl")

    def test_closure_from_json_and_html(self):
        texts = set()
        for pages in ("json", "html"):
            for options in ({}, {"offers_metadata": False}, {"offers_metadata": False, "ranges": False}):
                with self.subTest(pages=pages, **options):
                    self.environment["XDG_CACHE_HOME"] = str(self.scratch / f"cache-{pages}-{len(texts)}-{options}")
                    index = self.fill(self.index(pages=pages, **options))
                    found = self.components(index, "app", "--before", "2019-11-08")
                    self.check_closure(found)
                    self.assertLessEqual(index.most, 4)
                    self.assertEqual(len(index.asked), len(set(index.asked)), "one request a file at most")
                    self.assertEqual([path for path in index.asked if "future" in path or "old" in path], [])
                    for versions in found.values():
                        for entry in versions.values():
                            for artifact in entry.get("artifacts", []):
                                artifact.pop("size", None)  # PEP 503 has none
                    texts.add(json.dumps(found))
        self.assertEqual(len(texts), 1, "the catalog does not depend on how the index answers")

    def test_catalog_is_valid_and_resolves(self):
        index = self.fill(self.index())
        self.run_import(index, "app", "--before", "2019-11-08", "-o", self.scratch / "catalog.json")
        self.stackx("catalog", "validate", self.scratch / "catalog.json")
        project = self.project(requires={"app": "*"})
        stacks = {(one["components"]["app"], one["components"]["lib"], one["components"].get("c-speed"))
                  for one in self.lines("resolve", project, "--list", "100")}
        self.assertEqual(stacks, {("1.0", "1.0", "0.3"), ("1.0", "1.0", "0.4"), ("1.0", "1.1", "0.3"), ("1.0", "1.1", "0.4"),
                                  ("2.0", "1.1", None)})
        self.assertNotIn("127.0.0.1", (self.scratch / "catalog.json").read_text())

    def test_prereleases_dates_ranges_and_yanked(self):
        index = self.fill(self.index())
        index.add("only", wheel("only", "1.0b1"))
        index.add("only", wheel("only", "1.0b2"))
        self.assertEqual(list(self.components(index, "app", "--pre", "--before", "2019-11-08")["app"]), ["1.0", "2.0rc1", "2.0"])
        self.assertEqual(list(self.components(index, "app<2", "--before", "2019-11-08")["app"]), ["1.0"])
        self.assertEqual(list(self.components(index, "app>=2.0rc1", "--before", "2019-11-08")["app"]), ["2.0rc1", "2.0"])
        self.assertEqual(list(self.components(index, "only")["only"]), ["1.0b1", "1.0b2"])
        self.assertEqual(list(self.components(index, "lib==1.2")["lib"]), ["1.2"])
        self.assertEqual(list(self.components(index, "lib", python="3.8")["lib"]), ["1.0", "1.1", "1.3"])
        self.assertEqual(list(self.components(index, "app", "--before", "2018-03-01")["app"]), ["1.0"])
        self.assertIn("lib+fast", self.components(index, "lib[fast]"))
        said = self.run_import(index, "lib", "--reasons").stderr
        self.assertIn("lib 1.2: yanked", said)
        self.assertIn("lib 1.3: needs another Python", said)

    def test_source_archives(self):
        index = self.index()
        index.add("old", sdist("old", "0.1", "six>=1\n\n[:python_version<'3']\nfutures\n\n[gpu]\ncuda-thing\n"))
        index.add("old", sdist("old", "0.2", "wrong\n", "Metadata-Version: 2.2\nRequires-Dist: six<2\n\nabout\n"))
        index.add("old", wheel("old", "0.3", ["six"], tags="cp27-cp27mu-manylinux1_x86_64"))
        index.add("old", wheel("old", "0.3", ["six"], tags="cp36-cp36m-manylinux1_x86_64"))
        index.add("six", wheel("six", "1.0", tags="py2.py3-none-any"))
        for files, versions in (("wheels", []), ("sdists", ["0.1", "0.2"]), ("any", ["0.1", "0.2", "0.3"])):
            found = self.components(index, "old", "--files", files, exit_code=0 if versions else 1)
            self.assertEqual(list(found["old"]), versions)
        self.assertEqual(set(found), {"old", "six", "python"})
        self.assertEqual(found["old"]["0.1"]["requires"], {"six": ">=1"})
        self.assertIn("not authoritative", found["old"]["0.1"]["source"])
        self.assertEqual(found["old"]["0.2"]["requires"], {"six": "<2"})
        self.assertNotIn("not authoritative", found["old"]["0.2"]["source"])
        self.assertEqual(found["old"]["0.3"]["requires"], {"six": "*", "python": {"any": ["==2.7.*", "==3.6.*"]}})
        self.assertNotIn("artifacts", found["old"]["0.3"])

    def test_metadata_far_from_the_end_of_a_wheel(self):
        index = self.index(offers_metadata=False)
        index.add("big", wheel("big", "1.0", ["small"], padding=300_000))
        index.add("small", wheel("small", "1.0"))
        found = self.components(index, "big")
        self.assertEqual(found["big"]["1.0"]["requires"], {"small": "*"})
        self.assertNotIn(200, [status for path, status in zip(index.asked, index.statuses) if path.startswith("/files/")])

    def test_cache_revalidates_and_works_offline(self):
        index = self.fill(self.index())
        first = self.run_import(index, "app").stdout
        count = len(index.asked)
        self.assertEqual(self.run_import(index, "app").stdout, first)
        self.assertEqual(len(index.asked), count, "fresh listings are not asked for again")
        self.expire()
        self.assertEqual(self.run_import(index, "app").stdout, first)
        again = index.statuses[count:]
        self.assertTrue(again)
        self.assertEqual(set(again), {304, 404}, "listings are revalidated")
        self.assertEqual([path for path in index.asked[count:] if "/files/" in path], [], "metadata is not read again")
        self.expire()
        count = len(index.asked)
        self.assertEqual(self.run_import(index, "app", "--offline").stdout, first)
        self.assertEqual(len(index.asked), count)
        said = self.run_import(index, "lib2", "--offline", exit_code=3).stderr
        self.assertIn("lib2", said)
        self.assertIn("without --offline", said)

    def test_what_passes_is_tried_again(self):
        index = self.fill(self.index())
        index.failures = {"/simple/app/": [503, 429]}
        self.check_closure(self.components(index, "app", "--before", "2019-11-08"))
        self.assertEqual(len(index.asked_for("/simple/app/")), 3)

    def test_errors_say_what_to_do(self):
        index = self.fill(self.index())
        index.failures = {"/simple/locked/": [401], "/simple/down/": [500] * 9}
        cases = [(["nothere"], 2, "nothere: the package index has no such project"), (["app ="], 2, "column"),
                 (["app", "--before", "yesterday"], 2, "--before yesterday"), (["app", "--before", "2019-02-30"], 2, "2019-02-30"),
                 (["app", "--platform", "vax"], 2, "vax"), (["locked"], 3, "HTTP 401"),
                 (["app", "--python", "3.7.3"], 2, "wheels do not tell them apart"), (["app", "--newest", "0"], 2, "--newest"),
                 (["down"], 3, "HTTP 500"), (["app @ https://example.org/app.whl"], 2, "URL")]
        for arguments, code, words in cases:
            with self.subTest(arguments=arguments):
                self.assertIn(words, self.run_import(index, *arguments, exit_code=code).stderr)
        index.pages = "json"
        index.page = lambda project: (JSON_TYPE, "{broken")
        self.expire()
        self.assertIn("PEP 691", self.run_import(index, "app", exit_code=3).stderr)
        index.page = lambda project: ("image/png", "")
        self.assertIn("image/png", self.run_import(index, "app", exit_code=3).stderr)

    def test_metadata_that_was_tampered_with_is_refused(self):
        index = self.index()
        index.add("app", wheel("app", "1.0"))
        index.add("app", wheel("app", "2.0"))
        index.metadata["app-2.0-py3-none-any.whl"] += "Requires-Dist: evil\n"
        result = self.run_import(index, "app", "--reasons")
        self.assertEqual(list(json.loads(result.stdout)["components"]["app"]["versions"]), ["1.0"])
        self.assertIn("app 2.0: metadata is not what the index states (SHA-256)", result.stderr)

    def test_damaged_archives_are_left_out_and_the_rest_is_imported(self):
        index = self.index(offers_metadata=False)
        chance = random.Random(1)

        def damaged(file):
            name, content, metadata = file
            content = bytearray(content)
            for _ in range(chance.randint(1, 4)):
                content[chance.randrange(len(content))] = chance.randrange(256)
            if chance.random() < 0.3:
                content = content[:chance.randrange(len(content))]
            return name, bytes(content), metadata

        index.add("app", wheel("app", "0.1", ["lib"]))
        index.add("lib", sdist("lib", "0.1", "app\n"))
        for i in range(1, 60):
            index.add("app", damaged(wheel("app", f"1.{i}", ["lib"], padding=chance.choice([0, 100_000]))))
            index.add("lib", damaged(sdist("lib", f"1.{i}", "app\n")))
        outside = bytearray(wheel("app", "2.0")[1])
        at = outside.find(b"PK\1\2") + 42
        outside[at:at + 4] = b"\xff\xff\xff\x7f"
        index.add("app", ("app-2.0-py3-none-any.whl", bytes(outside), None))
        result = self.run_import(index, "app", "--files", "sdists", "--reasons")
        components = json.loads(result.stdout)["components"]
        self.assertIn("0.1", components["app"]["versions"])
        self.assertIn("0.1", components["lib"]["versions"])
        self.assertIn("app 2.0: wheel cannot be read: METADATA lies outside of it", result.stderr)

    def test_passwords_of_the_index_are_nowhere(self):
        index = self.fill(self.index())
        index.needs_login = "Basic " + base64.b64encode(b"me:s3cret").decode()
        url = index.url.replace("//", "//me:s3cret@")
        arguments = ("catalog", "import", "pypi", "--python", "3.7", "app", "--pip", shutil.which("true"), "--index-url")
        for mirror in (url, url):  # the second time from what is cached, whose links need the password too
            result = self.stackx(*arguments, mirror)
            self.assertNotIn("s3cret", result.stdout + result.stderr)
            shutil.rmtree(self.scratch / "cache" / "stackx" / "pypi" / "metadata")
        kept = [path.read_text() for path in (self.scratch / "cache").rglob("*") if path.is_file()]
        self.assertTrue(kept)
        self.assertFalse([text for text in kept if "s3cret" in text])
        for password in ("s3/cret", "s3 cret", "s3#cret", "s3?cret"):
            with self.subTest(password=password):
                self.expire()
                result = self.stackx(*arguments, index.url.replace("//", f"//me:{password}@"), exit_code=3)
                self.assertIn("http://***@127.0.0.1", result.stderr)
                self.assertNotIn("cret", result.stdout + result.stderr)
        for nowhere, code in (("me:s3cret@127.0.0.1:9/simple", 2), ("https:me:s3cret@127.0.0.1", 2), ("http://me:s3cret", 3)):
            with self.subTest(index=nowhere):
                self.assertNotIn("s3cret", self.stackx(*arguments, nowhere, exit_code=code).stderr)
        index.needs_login = "Basic other"
        self.expire()
        self.assertNotIn("s3cret", self.stackx(*arguments, url, exit_code=3).stderr)

    def test_index_of_pip(self):
        index = self.fill(self.index())
        for variable in ("PIP_INDEX_URL", "PIP_CONFIG_FILE"):
            with self.subTest(variable=variable):
                self.environment.pop("PIP_INDEX_URL", None)
                self.environment[variable] = index.url
                if variable == "PIP_CONFIG_FILE":
                    self.environment[variable] = str(self.write("pip.conf", f"[global]\nindex-url = {index.url}\n"))
                # The system's python3 need not have pip; the tests' own has.
                done = self.stackx("catalog", "import", "pypi", "app", "--python", "3.7", "--pip", sys.executable)
                self.assertIn("app", json.loads(done.stdout)["components"])

    def test_unusable_projects_stay_visible(self):
        index = self.index()
        index.add("app", wheel("app", "1.0", ["gone", "native"]))
        index.add("native", wheel("native", "1.0", tags="cp37-cp37m-win_amd64"))
        done = self.run_import(index, "app")
        catalog = json.loads(done.stdout)["components"]
        self.assertEqual(catalog["gone"]["versions"], {})
        self.assertEqual(catalog["native"]["versions"], {})
        self.assertIn("gone: no usable version: not on the index", done.stderr)
        self.assertIn("native: no usable version: 1 no wheel for the target", done.stderr)

    def test_a_root_without_a_version_is_a_no(self):
        """Exit 1 with what there is instead, as pip says it; the catalog is written, and `resolve` can say why."""
        index = self.fill(self.index())
        index.add("native", wheel("native", "1.0", tags="cp37-cp37m-win_amd64"))
        output = self.scratch / "catalog.json"
        for words, said in ((["lib==99"], "lib==99: the index has no such version; nearest are 1.3, 1.2, 1.1 (of 4)"),
                            (["app", "lib>=1.05,<1.1"], "lib>=1.05,<1.1: the index has no such version; nearest are 1.3, 1.2, 1.1, 1.0"),
                            (["native"], "native: no version can be used: 1 no wheel for the target; newest 1.0"),
                            (["lib", "--before", "2010-01-01"], "lib: no version can be used: 4 uploaded on 2010-01-01 or later; newest 1.3")):
            with self.subTest(words=words):
                done = self.run_import(index, *words, "-o", output, exit_code=1)
                self.assertEqual(done.stdout, "")
                self.assertEqual(done.stderr.splitlines()[-1], f"stackx: {said}")
                self.assertIn({}, [one["versions"] for one in json.loads(output.read_text())["components"].values()])
        said = self.run_import(index, "lib==99", "--reasons", exit_code=1).stderr
        self.assertIn("lib 1.1: outside of the range asked for\n", said)
        self.assertIn("lib; python_version < '3': the marker allows no CPython 3.7",
                      self.run_import(index, "lib; python_version < '3'", exit_code=2).stderr)

    def fill_for_pythons(self, index):
        """app needs old on 3.9 and new on 3.11 and 3.13; lib has a wheel a Python, not each version for each."""
        index.add("app", wheel("app", "1.0", ["lib>=1", "old<2; python_version<'3.10'", "new; python_version>='3.11'",
                                              "both>=1; python_version<'3.12'", "both>=2; python_version>='3.12'"]))
        for version, pythons in (("1.0", (9, 11)), ("2.0", (9, 11, 13)), ("3.0", (11, 13)), ("4.0", (10,))):
            for minor in pythons:
                needs = ["backport"] if (version, minor) == ("2.0", 9) else []  # as an old setup.py would have it
                index.add("lib", wheel("lib", version, needs, tags=f"cp3{minor}-cp3{minor}-manylinux2014_x86_64", padding=minor,
                                       Requires_Python=">=3.11" if version == "3.0" else ">=3.6"))
        for name, versions in (("old", ("1.0", "2.0")), ("new", ("1.0",)), ("backport", ("0.9",)), ("both", ("1.5", "2.5"))):
            for version in versions:
                index.add(name, wheel(name, version, tags="py2.py3-none-any"))
        return index

    def test_several_pythons_in_one_catalog(self):
        index = self.fill_for_pythons(self.index())
        done = self.run_import(index, "app", "lib", "-o", self.scratch / "catalog.json", python="3.13 3.9 3.11")
        self.assertIn("6 projects", done.stderr)
        catalog = json.loads((self.scratch / "catalog.json").read_text())
        self.assertIn("CPython 3.9, 3.11, 3.13 on Linux x86_64", catalog["description"])
        found = {name: component["versions"] for name, component in catalog["components"].items()}
        self.assertEqual(list(found["python"]), ["3.9", "3.11", "3.13"])
        app = found["app"]["1.0"]
        self.assertEqual(app["requires"], {"lib": ">=1", "python": "*"})
        later, earlier = {"any": ["==3.11.*", "==3.13.*"]}, {"any": ["==3.9.*", "==3.11.*"]}
        self.assertCountEqual(app["requires_if"], [
            {"if": {"python": "==3.9.*"}, "then": {"old": "<2"}}, {"if": {"python": later}, "then": {"new": "*"}},
            {"if": {"python": earlier}, "then": {"both": ">=1"}}, {"if": {"python": "==3.13.*"}, "then": {"both": ">=2"}}])
        self.assertEqual([one["file"] for one in app["artifacts"]], ["app-1.0-py3-none-any.whl"], "one wheel for all")
        lib = found["lib"]
        self.assertEqual(list(lib), ["1.0", "2.0", "3.0"])
        self.assertEqual(lib["1.0"]["requires"]["python"], {"any": ["==3.9.*,>=3.6", "==3.11.*,>=3.6"]}, "no wheel for 3.13")
        self.assertEqual(lib["2.0"]["requires"], {"python": ">=3.6"})
        self.assertEqual(lib["2.0"]["requires_if"], [{"if": {"python": "==3.9.*"}, "then": {"backport": "*"}}])
        self.assertEqual(lib["3.0"]["requires"], {"python": ">=3.11"}, "Requires-Python says it all")
        files = [f"lib-2.0-{tag}-{tag}-manylinux2014_x86_64.whl" for tag in ("cp39", "cp311", "cp313")]
        self.assertEqual([(one["file"], one["sha256"]) for one in lib["2.0"]["artifacts"]],
                         [(file, hashlib.sha256(index.contents[file]).hexdigest()) for file in files])
        self.assertIn("1 no wheel for the target", catalog["components"]["lib"]["description"])
        project = self.project(requires={"app": "*"})
        stacks = {tuple(one["components"].get(name) for name in ("python", "lib", "old", "new", "both", "backport"))
                  for one in self.lines("resolve", project, "--list", "100")}
        self.assertEqual(stacks, {
            ("3.9", "1.0", "1.0", None, "1.5", None), ("3.9", "1.0", "1.0", None, "2.5", None),
            ("3.9", "2.0", "1.0", None, "1.5", "0.9"), ("3.9", "2.0", "1.0", None, "2.5", "0.9"),
            ("3.11", "1.0", None, "1.0", "1.5", None), ("3.11", "1.0", None, "1.0", "2.5", None),
            ("3.11", "2.0", None, "1.0", "1.5", None), ("3.11", "2.0", None, "1.0", "2.5", None),
            ("3.11", "3.0", None, "1.0", "1.5", None), ("3.11", "3.0", None, "1.0", "2.5", None),
            ("3.13", "2.0", None, "1.0", "2.5", None), ("3.13", "3.0", None, "1.0", "2.5", None)})

    def test_a_catalog_for_several_pythons_restricts_to_that_for_each(self):
        """The stacks on one Python are those of a catalog for that Python alone."""
        index = self.fill_for_pythons(self.index())
        everything = set()
        for pythons in ("3.9 3.11 3.13", "3.9", "3.11", "3.13"):
            self.run_import(index, "app", "-o", self.scratch / "catalog.json", python=pythons)
            stacks = [one["components"] for one in
                      self.lines("resolve", self.project(requires={"app": "*", "python": "*"}), "--list", "100")]
            keys = {json.dumps(one, sort_keys=True) for one in stacks}
            self.assertEqual(len(keys), len(stacks))
            if " " in pythons:
                everything = keys
            else:
                self.assertEqual({one for one in everything if json.loads(one)["python"] == pythons}, keys)
                self.assertTrue(keys)

    def test_python_2_and_its_wide_wheels(self):
        index = self.index()
        for tags in ("cp27-cp27m-manylinux1_x86_64", "cp27-cp27mu-manylinux1_x86_64", "cp36-cp36m-manylinux1_x86_64"):
            index.add("app", wheel("app", "1.0", ["enum34; python_version<'3.4'", "linux-only; sys_platform=='linux2'"], tags=tags))
        for name in ("enum34", "linux-only"):
            index.add(name, wheel(name, "1.0", tags="py2-none-any"))
        found = self.components(index, "app", python="2.7 3.6")
        self.assertEqual([one["file"] for one in found["app"]["1.0"]["artifacts"]],
                         ["app-1.0-cp27-cp27mu-manylinux1_x86_64.whl", "app-1.0-cp36-cp36m-manylinux1_x86_64.whl"])
        self.assertEqual(found["app"]["1.0"]["requires_if"],
                         [{"if": {"python": "==2.7.*"}, "then": {"enum34": "*", "linux-only": "*"}}])
        self.assertEqual(found["enum34"]["1.0"]["requires"], {"python": "==2.7.*"})

    def test_projects_named_twice_and_markers(self):
        index = self.fill_for_pythons(self.index())
        self.assertEqual(list(self.components(index, "lib==1.0", "lib>=3", python="3.9 3.11")["lib"]), ["1.0", "3.0"])
        found = self.components(index, "lib==1.0", "lib>=2; python_version>='3.12'", python="3.9 3.11 3.13")["lib"]
        self.assertEqual({version: entry["requires"]["python"] for version, entry in found.items()},
                         {"1.0": {"any": ["==3.9.*,>=3.6", "==3.11.*,>=3.6"]}, "2.0": "==3.13.*,>=3.6", "3.0": "==3.13.*,>=3.11"})

    def test_newest_versions_that_somebody_needs(self):
        index = self.index()
        index.add("app", wheel("app", "1.0", ["lib<3"]))
        index.add("app", wheel("app", "2.0", ["lib"]))
        index.add("lib", wheel("lib", "1.0"))
        index.add("lib", wheel("lib", "2.0", ["deep==1.*"]))
        index.add("lib", wheel("lib", "3.0", tags="cp39-cp39-manylinux1_x86_64"))
        index.add("lib", wheel("lib", "4.0", ["deep"]))
        index.add("lib", wheel("lib", "5.0", ["(nonsense"]))
        for version in ("0.9", "1.0", "1.1", "2.0", "3.0"):
            index.add("deep", wheel("deep", version))
        # lib 4.0 for app 2.0, as 5.0 cannot be kept and 3.0 has no wheel for 3.7; lib 2.0 for app 1.0.
        found = self.components(index, "app", "--newest", "1")
        self.assertEqual({name: list(versions) for name, versions in found.items()},
                         {"app": ["1.0", "2.0"], "lib": ["2.0", "4.0"], "deep": ["1.1", "3.0"], "python": ["3.7"]})
        self.assertEqual([path for path in index.asked if "deep-" in path and ("1.0" in path or "2.0" in path)], [],
                         "what is not kept is not read")
        both = self.run_import(index, "app", "--newest", "1", "--reasons", python="3.7 3.9")
        catalog = json.loads(both.stdout)["components"]
        self.assertEqual(list(catalog["lib"]["versions"]), ["2.0", "4.0"])
        self.assertIn("lib 1.0: not among the newest that a requirement allows", both.stderr)
        self.assertEqual(list(self.components(index, "app==2.0", "--newest", "2", python="3.7 3.9")["lib"]), ["2.0", "3.0", "4.0"])
        self.assertEqual(list(self.components(index, "app", "lib<4", "--newest", "1")["lib"]), ["1.0", "2.0"], "asked for: all")
        everything = {name: set(versions) for name, versions in self.components(index, "app", "--newest", "9").items()}
        self.assertEqual(everything, {name: set(versions) for name, versions in self.components(index, "app").items()})

    def test_source_archives_as_artifacts(self):
        index = self.index()
        index.add("old", sdist("old", "0.1", "six\n"))
        index.add("old", wheel("old", "0.2", ["six"], tags="cp39-cp39-manylinux1_x86_64"))
        index.add("old", sdist("old", "0.2", "six\n"))
        index.add("old", sdist("old", "0.3", ""), requires_python=">=3.8")
        index.add("six", wheel("six", "1.0"))
        index.add("six", sdist("six", "1.0", ""))
        found = self.components(index, "old", "--sdists", python="3.7 3.9")
        types = {version: [(one["type"], one["file"]) for one in entry["artifacts"]] for version, entry in found["old"].items()}
        self.assertEqual(types, {"0.1": [("sdist", "old-0.1.tar.gz")],
                                 "0.2": [("wheel", "old-0.2-cp39-cp39-manylinux1_x86_64.whl"), ("sdist", "old-0.2.tar.gz")],
                                 "0.3": [("sdist", "old-0.3.tar.gz")]})
        artifact = found["old"]["0.1"]["artifacts"][0]
        content = index.contents["old-0.1.tar.gz"]
        self.assertEqual((artifact["sha256"], artifact["size"]), (hashlib.sha256(content).hexdigest(), len(content)))
        self.assertEqual([one["type"] for one in found["six"]["1.0"]["artifacts"]], ["wheel"], "wheels serve all targets")
        self.assertEqual(found["old"]["0.3"]["requires"]["python"], ">=3.8")
        self.assertIn("no wheel for Python 3.7; requirements of old-0.2-cp39", found["old"]["0.2"]["source"])
        self.assertIn("no wheel for the targets", found["old"]["0.1"]["source"])
        plain = self.components(index, "old", "--files", "sdists", python="3.7 3.9")
        self.assertEqual(list(plain["old"]), ["0.1", "0.2", "0.3"])
        self.assertNotIn("artifacts", plain["old"]["0.1"])
        # A wheel goes before a newer source archive.
        index.add("app", wheel("app", "1.0", ["old"]))
        self.assertEqual(list(self.components(index, "app", "--sdists", "--newest", "1", python="3.9")["old"]), ["0.2"])
        self.assertEqual(list(self.components(index, "app", "--sdists", "--newest", "1")["old"]), ["0.2"])
