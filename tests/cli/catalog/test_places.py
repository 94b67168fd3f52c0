"""Where pip looks for packages, stackx looks too: extra indices, find-links, no-index; and servers that hang, drip or refuse.

pip is the oracle: what it would take is what the catalog names.
"""

import hashlib
import io
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
import zipfile

from harness import STACKX, BlackBox
from test_import_pypi import Index, sdist


def wheel(name, version, requires=(), stated=None, **headers):
    """(file name, bytes, metadata), one that pip installs."""
    metadata = f"Metadata-Version: 2.1\nName: {name}\nVersion: {stated or version}\n"
    metadata += "".join(f"Requires-Dist: {one}\n" for one in requires) + "".join(f"{key}: {value}\n" for key, value in headers.items())
    info, buffer = f"{name}-{version}.dist-info", io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for file, text in (("METADATA", metadata), ("RECORD", ""),
                           ("WHEEL", "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n")):
            archive.writestr(zipfile.ZipInfo(f"{info}/{file}"), text)
    return f"{name}-{version}-py3-none-any.whl", buffer.getvalue(), metadata


class Silent:
    """Accepts, and then sends what `drip` gives, ten bytes each `pause` seconds: nothing, for ever, without any."""

    def __init__(self, drip=b"", pause=1.0):
        self.drip, self.pause, self.taken = drip, pause, []
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.ended = threading.Event()
        threading.Thread(target=self.serve, daemon=True).start()

    @property
    def server(self):
        return "127.0.0.1:%d" % self.socket.getsockname()[1]

    @property
    def url(self):
        return f"http://{self.server}/simple"

    def serve(self):
        while True:
            try:
                connection, _ = self.socket.accept()
            except OSError:
                return
            self.taken.append(connection)
            threading.Thread(target=self.send, args=(connection,), daemon=True).start()

    def send(self, connection):
        try:
            for at in range(0, len(self.drip), 10):
                connection.sendall(self.drip[at:at + 10])
                if self.ended.wait(self.pause):
                    return
        except OSError:
            pass

    def close(self):
        self.ended.set()
        self.socket.close()
        for connection in self.taken:
            connection.close()


class Places(BlackBox):
    def setUp(self):
        super().setUp()
        for name in [name for name in self.environment if name.lower().endswith("_proxy") or name.startswith("PIP_")]:
            del self.environment[name]
        self.environment["PIP_CONFIG_FILE"] = os.devnull

    def index(self, *files, **options):
        index = Index(**options)
        self.addCleanup(index.server_close)
        self.addCleanup(index.shutdown)
        for project, file in files:
            index.add(project, file)
        return index

    def silent(self, **options):
        silent = Silent(**options)
        self.addCleanup(silent.close)
        return silent

    def directory(self, name, *files):
        directory = self.scratch / name
        directory.mkdir()
        for file, content, _ in files:
            (directory / file).write_bytes(content)
        return directory

    def run_import(self, *arguments, pip=shutil.which("true"), **options):
        return self.stackx("catalog", "import", "pypi", "app", "--python", "3.11", "--pip", pip, *arguments, **options)

    def files(self, *arguments, **options):
        """{file: hash} of all that the catalog names."""
        components = json.loads(self.run_import(*arguments, **options).stdout)["components"]
        return {one["file"]: one["sha256"] for component in components.values() for version in component["versions"].values()
                for one in version.get("artifacts", [])}

    def pip(self, *arguments):
        """{file: hash} of what pip would install, its newest first."""
        done = subprocess.run([sys.executable, "-m", "pip", "install", "--quiet", "--dry-run", "--ignore-installed", "--report", "-",
                               "--no-cache-dir", "--disable-pip-version-check", "--only-binary", ":all:", *map(str, arguments)],
                              env=self.environment, capture_output=True, text=True, timeout=600)
        if done.returncode != 0:
            return {}
        found = {}
        for one in json.loads(done.stdout)["install"]:
            url = one["download_info"]["url"]
            found[url.rpartition("/")[2]] = one["download_info"]["archive_info"].get("hashes", {}).get("sha256", url)
        return found

    def all_of_pip(self, versions, *arguments):
        found = {}
        for version in versions:
            found.update(self.pip(f"app=={version}", "--no-deps", *arguments))
        return found

    def test_what_pip_takes_from_which_place(self):
        """Own versions and shared file names with other bytes, in two indices and two directories."""
        def files(mark, own):
            return [wheel("app", "1.0", Keywords=mark), wheel("app", own, Keywords=mark)]
        first = self.index(*(("app", one) for one in files("first", "2.0")))
        second = self.index(*(("app", one) for one in files("second", "3.0")), pages="html")
        here, there = self.directory("here", *files("here", "4.0")), self.directory("there", *files("there", "5.0"))
        pages = self.directory("pages")
        (pages / "links.html").write_text(f'<a href="../here/app-4.0-py3-none-any.whl">x</a><a href="{first.url}/../files/app-2.0-py3-none-any.whl#sha256={hashlib.sha256(files("first", "2.0")[1][1]).hexdigest()}">y</a>')
        versions = ("1.0", "2.0", "3.0", "4.0", "5.0")
        extra = ("--index-url", first.url, "--extra-index-url", second.url)
        for arguments in (extra, ("--index-url", second.url, "--extra-index-url", first.url),
                          (*extra, "--find-links", here, "--find-links", there),
                          ("--index-url", first.url, "--find-links", f"file://{there}"),
                          ("--no-index", "--find-links", here, "--find-links", there),
                          ("--no-index", "--find-links", there, "--find-links", here),
                          ("--no-index", "--find-links", pages / "links.html"),
                          ("--no-index", "--find-links", pages, "--find-links", here),
                          ("--no-index", "--find-links", f"{second.url}/app/", "--find-links", here)):
            with self.subTest(arguments=arguments):
                wanted = self.all_of_pip(versions, *arguments)
                self.assertTrue(wanted)
                found = self.files(*arguments)
                self.assertEqual(set(found), set(wanted))
                for file, known in wanted.items():
                    if "/" not in known:  # else a URL: the page that pip had it from states no hash
                        self.assertEqual(found[file], known, file)

    def test_pips_own_configuration(self):
        first, second = self.index(("app", wheel("app", "1.0"))), self.index(("app", wheel("app", "2.0")))
        here = self.directory("here", wheel("app", "3.0"))
        one, two, three = (f"app-{version}-py3-none-any.whl" for version in ("1.0", "2.0", "3.0"))
        self.environment["PIP_CONFIG_FILE"] = str(self.write(
            "pip.conf", f"[global]\nindex-url = {first.url}\nextra-index-url =\n  {second.url}\n[install]\nfind-links = {here}\n"))
        for environment, wanted in (({}, {one, two, three}), ({"PIP_NO_INDEX": "1"}, {three}), ({"PIP_NO_INDEX": "0"}, {one, two, three}),
                                    ({"PIP_NO_INDEX": ""}, {one, two, three}), ({"PIP_EXTRA_INDEX_URL": first.url}, {one, three}),
                                    ({"PIP_FIND_LINKS": "/nowhere", "PIP_INDEX_URL": second.url}, {two})):
            with self.subTest(environment=environment):
                before = dict(self.environment)
                self.environment.update(environment)
                self.assertEqual(set(self.files(pip=sys.executable)), wanted)
                self.assertEqual(set(self.all_of_pip(("1.0", "2.0", "3.0"))), wanted)
                self.environment = before
        self.environment["PIP_NO_INDEX"] = "maybe"
        self.assertIn("no-index", self.run_import(pip=sys.executable, exit_code=2).stderr)
        self.environment["PIP_NO_INDEX"] = "1"
        self.environment["PIP_CONFIG_FILE"] = os.devnull
        self.assertIn("nowhere to look", self.run_import(pip=sys.executable, exit_code=2).stderr)

    def test_a_catalog_names_no_place(self):
        files = [wheel("app", "1.0"), sdist("app", "2.0", "")]
        index, here = self.index(*(("app", one) for one in files)), self.directory("here", *files)
        texts = [self.run_import(*arguments, "--sdists").stdout
                 for arguments in (("--index-url", index.url), ("--no-index", "--find-links", here))]
        self.assertEqual(texts[0], texts[1])
        self.assertNotIn(str(self.scratch), texts[1])
        self.assertIn("app-2.0.tar.gz", texts[1])

    def test_a_project_that_no_place_has(self):
        empty = self.directory("empty")
        self.assertIn("app: none of the places that --find-links", self.run_import("--no-index", "--find-links", empty, exit_code=2).stderr)
        self.assertIn("app: the package index has no such project", self.run_import("--index-url", self.index().url, exit_code=2).stderr)

    def test_an_extra_index_that_is_down_is_left_out_as_by_pip(self):
        index, free = self.index(("app", wheel("app", "1.0", ["gone"]))), socket.create_server(("127.0.0.1", 0))
        down = f"http://127.0.0.1:{free.getsockname()[1]}/simple"
        free.close()
        self.environment["PIP_RETRIES"] = "0"
        arguments = ("--index-url", index.url, "--extra-index-url", down)
        done = self.run_import(*arguments)
        self.assertEqual(set(self.pip("app", "--no-deps", *arguments)), {"app-1.0-py3-none-any.whl"})
        self.assertIn("app-1.0", done.stdout)
        self.assertEqual(done.stderr.count("left out, as by pip"), 1, done.stderr)
        self.assertIn(down, done.stderr)
        self.assertIn("gone: no usable version", done.stderr)
        self.assertIn(down, self.run_import("--index-url", down, exit_code=3).stderr)

    def test_what_pip_discards_as_inconsistent(self):
        index = self.index()
        for version, stated in (("1.0", "1.0"), ("2.0", "9.9"), ("3.0", "3")):
            index.add("app", wheel("app", version, stated=stated))
        name, content, metadata = wheel("app", "4.0")
        index.add("app", (name, content, metadata.replace("Name: app", "Name: other")))
        index.add("app", sdist("app", "5.0", "", "Metadata-Version: 1.0\nName: app\nVersion: 5.1\n"))
        done = self.run_import("--index-url", index.url, "--files", "sdists", "--reasons")
        versions = list(json.loads(done.stdout)["components"]["app"]["versions"])
        self.assertEqual(versions, ["1.0", "3.0"])
        self.assertIn('app 2.0: inconsistent version: its metadata says "9.9"', done.stderr)
        self.assertIn('app 4.0: inconsistent name: its metadata says "other"', done.stderr)
        self.assertIn('app 5.0: inconsistent version: its metadata says "5.1"', done.stderr)
        taken = [version for version in ("1.0", "2.0", "4.0") if self.pip(f"app=={version}", "--no-deps", "--index-url", index.url)]
        self.assertEqual(taken, ["1.0"])

    def test_refusals_say_what_to_do(self):
        index = self.index(("app", wheel("app", "1.0")))
        url = index.url.replace("//", "//me:s3cret@")
        for status, words in ((401, "wants a login"), (403, "refuses us, and will again"), (407, "https_proxy=")):
            with self.subTest(status=status):
                index.failures["/simple/app/"] = [status]
                done = self.run_import("--index-url", url, exit_code=3)
                self.assertIn(f"HTTP {status}", done.stderr)
                self.assertIn(words, done.stderr)
                self.assertNotIn("try later", done.stderr)
                self.assertNotIn("s3cret", done.stderr)

    def waited(self, silent, *arguments):
        """(message, seconds)"""
        begun = time.monotonic()
        done = self.run_import("--index-url", silent.url, *arguments, exit_code=3)
        return done.stderr, time.monotonic() - begun

    def test_a_server_that_says_nothing(self):
        silent = self.silent()
        self.environment["PIP_RETRIES"] = "2"
        text, seconds = self.waited(silent, "--timeout", "3")
        self.assertEqual(len(silent.taken), 3)
        self.assertGreater(seconds, 9)
        self.assertLess(seconds, 240)
        self.assertRegex(text, rf"waiting \d+ s for {re.escape(silent.server)}\n")
        self.assertRegex(text, r"no answer in \d+ s, 3 times asked; .*PIP_TIMEOUT")
        for line in text.splitlines()[:-1]:
            self.assertLessEqual(len(line), 80)

    def test_a_server_that_drips_ends_after_one_minute_of_all_tries(self):
        drip = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 100000\r\n\r\n" + b"<html>" * 16000
        text, seconds = self.waited(self.silent(drip=drip, pause=0.02), "--timeout", "5")  # some 400 bytes a second: no silence
        self.assertGreater(seconds, 55)
        self.assertLess(seconds, 240)  # its words say the minute
        self.assertRegex(text, r"only \d+ bytes in 6\d s; ")

    def test_interrupting_ends_at_once(self):
        silent = self.silent()
        process = subprocess.Popen([STACKX, "catalog", "import", "pypi", "app", "--python", "3.11", "--pip", shutil.which("true"),
                                    "--index-url", silent.url], env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        deadline = time.monotonic() + 240
        while not silent.taken and time.monotonic() < deadline:
            time.sleep(0.02)
        time.sleep(0.3)
        begun = time.monotonic()
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=240)
        self.assertLess(time.monotonic() - begun, 30)  # the index says nothing for minutes
        self.assertNotEqual(process.returncode, 0)
