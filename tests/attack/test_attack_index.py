"""A malicious package index: what it answers neither fills the memory, nor is anything else read or told for its sake."""

import base64
import gzip
import hashlib
import http.server
import io
import json
import os
import resource
import subprocess
import threading
import time
import zipfile

from attack import STACKX, Attack, main

JSON_TYPE = "application/vnd.pypi.simple.v1+json"
MEMORY = 2 << 30
EVIL = "\x1b]0;evil\x07\u202e"


def bounded():
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


class Handler(http.server.BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def do_GET(self):
        self.server.asked.append((self.path, self.headers.get("Authorization")))
        try:
            self.server.answer(self)
        except OSError:
            pass  # the client had enough

    def reply(self, body, kind=JSON_TYPE, status=200, **headers):
        self.send_response(status)
        self.send_header("Content-Type", kind)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


class Index(http.server.ThreadingHTTPServer):
    def __init__(self, answer):
        super().__init__(("127.0.0.1", 0), Handler)
        self.answer, self.asked = answer, []
        threading.Thread(target=self.serve_forever, args=(0.02,), daemon=True).start()

    def handle_error(self, request, client_address):
        """Clients that go away."""


def listing(*files):
    return json.dumps({"meta": {"api-version": "1.1"}, "name": "victim", "files": list(files)}).encode()


def wheel(version, *requires):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr(f"victim-{version}.dist-info/METADATA",
                         f"Metadata-Version: 2.1\nName: victim\nVersion: {version}\n" + "".join(f"Requires-Dist: {one}\n" for one in requires))
    return buffer.getvalue()


def file(name, url, digest=None):
    return {"filename": name, "url": url, "hashes": {"sha256": digest or "0" * 64}, "size": 100}


class MaliciousIndex(Attack):
    root = True

    def setUp(self):
        super().setUp()
        if os.geteuid() != 0:
            self.become(False)
        elif not self.root:
            self.become(False)
        for name in list(self.environment):
            if name.startswith(("UV_", "PIP_")) or name.lower().endswith("_proxy"):
                del self.environment[name]

    def index(self, answer):
        server = Index(answer)
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        return server

    def read(self, answer, login="", words=()):
        """`catalog import pypi victim` on such an index: ends in time, in little memory, with an exit code of its own."""
        server = self.index(answer)
        before = time.monotonic()
        done = subprocess.run([*self.prefix, STACKX, "catalog", "import", "pypi", "victim", "--index-url",
                               f"http://{login}127.0.0.1:{server.server_port}/simple", "--python", "3.11", "-o", self.scratch / "out.json", *words],
                              capture_output=True, env=self.environment, cwd=self.scratch, preexec_fn=bounded, timeout=600)
        self.assertLess(time.monotonic() - before, 240)
        self.assertIn(done.returncode, (0, 1, 2, 3), done.stderr)
        said = (done.stdout + done.stderr).decode()
        self.assertNotIn("fault of stackx", said)
        for character in "\x1b\x07\u202e":
            self.assertNotIn(character, said)
        return server, done.returncode, said

    def test_a_page_without_end(self):
        def answer(request):
            request.send_response(200)
            request.send_header("Content-Type", "text/html")
            request.end_headers()
            for _ in range(1 << 12):
                request.wfile.write(b"<a href='x'>" * (1 << 13))
        _, code, said = self.read(answer)
        self.assertEqual(code, 3, said)
        self.assertIn("64 MiB", said)

    def test_a_page_that_unpacks_without_end(self):
        packed = gzip.compress(bytes(400 << 20), 9)
        _, code, said = self.read(lambda request: request.reply(packed, "text/html", Content_Encoding="gzip"))
        self.assertEqual(code, 3, said)

    def test_a_page_that_is_sent_on_to_a_file(self):
        for place in ("file:///etc/passwd", "ftp://127.0.0.1/x", "gopher://127.0.0.1:22/x", "dict://127.0.0.1:22/x"):
            _, code, said = self.read(lambda request, place=place: request.reply(b"", status=302, Location=place))
            self.assertEqual(code, 3, said)
            self.assertNotIn("root:", said)

    def test_a_page_that_is_sent_on_for_ever(self):
        server, code, said = self.read(lambda request: request.reply(b"", status=302, Location=request.path + "x"))
        self.assertEqual(code, 3, said)
        self.assertLess(len(server.asked), 40)

    def test_a_login_is_told_to_nobody_else(self):
        login = base64.b64encode(b"somebody:pass-of-the-index").decode()
        other = self.index(lambda request: request.reply(listing()))
        server, _, said = self.read(lambda request: request.reply(b"", status=302, Location=f"http://127.0.0.1:{other.server_port}/simple/victim/"),
                                    login="somebody:pass-of-the-index@")
        self.assertTrue([one for one in server.asked if one[1] == f"Basic {login}"])
        self.assertTrue(other.asked)
        self.assertEqual([one for one in other.asked if one[1]], [])
        self.assertNotIn("pass-of-the-index", said + self.everything_kept())

    def test_files_that_lie_elsewhere(self):
        other = self.index(lambda request: request.reply(b"x", "application/octet-stream"))
        names = ["victim-1.0-py3-none-any.whl", "victim-1.1-py3-none-any.whl", "victim-1.2-py3-none-any.whl", "victim-1.3-py3-none-any.whl"]
        places = ["file:///etc/passwd", f"http://127.0.0.1:{other.server_port}/x.whl", "javascript:alert(1)", "//[::bad/x"]
        _, _, said = self.read(lambda request: request.reply(listing(*map(file, names, places)) if "simple" in request.path else b""),
                               login="somebody:pass-of-the-index@")
        self.assertNotIn("root:", said + self.everything_kept())
        self.assertEqual([one for one in other.asked if one[1]], [])

    def test_names_and_metadata_that_lie(self):
        evil = [f"victim-1.0{EVIL}-py3-none-any.whl", "../../../escaped-1.0-py3-none-any.whl", f"victim-{'9' * 5000}-py3-none-any.whl",
                "victim-1.0-py3-none-any.whl"]
        metadata = f"Metadata-Version: 2.1\nName: victim\nVersion: 1.0\nRequires-Dist: {EVIL}\nRequires-Dist: a{EVIL} >= 1\n".encode()
        entries = [dict(file(name, f"files/{i}.whl"), **{"core-metadata": {"sha256": hashlib.sha256(metadata).hexdigest()}})
                   for i, name in enumerate(evil)]
        self.read(lambda request: request.reply(metadata) if request.path.endswith(".metadata") else request.reply(listing(*entries)))
        self.assertFalse([path for place in (self.scratch, self.scratch.parent) for path in place.iterdir() if path.name.startswith("escaped")])

    def test_what_lies_is_left_out_and_the_rest_imported(self):
        names = {"requires_name": "a" * 200, "requires_extra": "b[" + "e" * 200 + "]", "requires_python": "python", "requires_page": "broken",
                 "requires_teapot": "teapot"}
        served = {f"/{name}.whl": wheel(f"2.{i}", one) for i, (name, one) in enumerate(names.items())}
        served["/sound.whl"], served["/upper.whl"] = wheel("0.1"), wheel("0.2")
        digest = {path: hashlib.sha256(content).hexdigest() for path, content in served.items()}
        entries = [file(f"victim-2.{i}-py3-none-any.whl", f"/{name}.whl", digest[f"/{name}.whl"]) for i, name in enumerate(names)]
        lies = ["http://[::bad/x.whl", "file:///etc/passwd", "ftp://127.0.0.1:9/x.whl", "/400", "/401", "/418", "/loop", "/away", "/packed", "/none"]
        entries += [file(f"victim-3.{i}-py3-none-any.whl", link) for i, link in enumerate(lies)]
        entries += [file("victim-0.1-py3-none-any.whl", "/sound.whl", digest["/sound.whl"]),
                    file("victim-0.2-py3-none-any.whl", "/upper.whl", digest["/upper.whl"].upper()),
                    file("victim-4.0-py3-none-any.whl", "/sound.whl", "zz"), file(f"victim-1.{'9' * 200}-py3-none-any.whl", "/sound.whl"),
                    file("victim-4.1-py3-none-x/y.any.whl", "/sound.whl"), file("victim-4.2x\nstackx: FORGED-py3-none-any.whl", "/sound.whl"),
                    {"filename": 1, "url": 2}, 3]

        def answer(request):
            path = request.path
            if path in served:
                return request.reply(served[path], "application/octet-stream")
            if path in ("/400", "/401", "/418", "/simple/teapot/"):
                return request.reply(b"", status=int(path[1:]) if path[1:].isdigit() else 418)
            if path in ("/loop", "/away"):
                return request.reply(b"", status=302, Location=path if path == "/loop" else "file:///etc/passwd")
            if path == "/packed":
                return request.reply(b"no gzip", "text/plain", Content_Encoding="gzip")
            page = {"/simple/victim/": listing(*entries), "/simple/broken/": b"{"}.get(path)
            return request.reply(page if page else b"", status=200 if page else 404)
        _, code, said = self.read(answer, words=["--reasons"])
        self.assertEqual(code, 0, said)
        components = json.loads((self.scratch / "out.json").read_text())["components"]
        self.assertEqual(list(components["victim"]["versions"]), ["0.1", "0.2", "2.3", "2.4"])
        self.assertEqual([components[name]["versions"] for name in ("broken", "teapot")], [{}, {}])
        self.assertEqual([line for line in said.splitlines() if line.startswith("stackx: ")], [])
        for reason in ("victim 2.2: requires python, which", "victim 3.0: its link is none", "victim 3.2: its link is neither",
                       "victim 3.4: its file needs a login (HTTP 401)", "victim 3.5: its file cannot be fetched: HTTP 418",
                       "victim 4.0: its SHA-256 is none", "teapot: no usable version: http"):
            self.assertIn(reason, said)
        _, code, said = self.read(lambda request: request.reply(listing(*entries[8:10])) if "simple" in request.path else answer(request))
        self.assertEqual(code, 3, said)
        self.assertIn("none of the 2 files that were asked for came; the last: http", said)

    def test_what_one_index_lies_holds_for_no_other(self):
        portal = [True]
        content = wheel("1.0")
        other = self.index(lambda request: request.reply(b"<html>log in" if portal[0] else content, "text/html"))
        for digest in ("0" * 64, hashlib.sha256(content).hexdigest()):
            entry = file("victim-1.0-py3-none-any.whl", f"http://127.0.0.1:{other.server_port}/x.whl", digest)
            _, code, said = self.read(lambda request, entry=entry: request.reply(listing(entry)) if "simple" in request.path else b"")
            self.assertEqual(code, 1 if portal[0] else 0, said)
            self.assertEqual(list(json.loads((self.scratch / "out.json").read_text())["components"]["victim"]["versions"]),
                             [] if portal[0] else ["1.0"])
            portal[0] = False

    def test_pages_that_are_none(self):
        for body in (b"[" * (1 << 20), b'{"files": ' + b'[' * 100000, b"{}," * (1 << 20), b"\xff" * 1000, b"", b"null",
                     json.dumps({"files": [{"filename": None}]}).encode(), json.dumps({"files": [[]] * 100000}).encode()):
            self.read(lambda request, body=body: request.reply(body))


class ForAUser(MaliciousIndex):
    root = False


if __name__ == "__main__":
    main()
