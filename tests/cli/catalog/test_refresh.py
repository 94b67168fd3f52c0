"""`stackx catalog refresh` against small indexes on this machine: what it writes, and what is left when an index or the run ends early."""

import http.server
import json
import os
import re
import shutil
import signal
import subprocess
import threading

import test_import_pypi as pypi
from harness import ROOT, STACKX, BlackBox, schema_errors


class After:
    """An index that breaks: one status for all requests after the first so many. 500 is asked for again before it counts, 401 is not."""

    def __init__(self, requests, status=500):
        self.left, self.status, self.lock = requests, status, threading.Lock()

    def get(self, _):
        with self.lock:
            self.left -= 1
            return [self.status] if self.left < 0 else None

    def __getitem__(self, _):
        return [self.status]


class Waits:
    """An index that stops to answer after so many requests; `reached` says when."""

    def __init__(self, requests):
        self.left, self.lock, self.reached, self.go_on = requests, threading.Lock(), threading.Event(), threading.Event()

    def get(self, _):
        with self.lock:
            self.left -= 1
            wait = self.left < 0
        if wait:
            self.reached.set()
            self.go_on.wait(60)


class Nvidia(http.server.ThreadingHTTPServer):
    """NVIDIA's list of CUDA releases, at /redist/, and a registry of containers that wants a token."""

    class Handler(http.server.BaseHTTPRequestHandler):
        def log_message(self, *_):
            pass

        def do_GET(self):
            server, path = self.server, self.path.partition("?")[0]
            server.asked.append(path)
            challenge = {"WWW-Authenticate": f'Bearer realm="{server.url}/token",service="registry",scope="some:pull"'}
            if path.startswith("/v2/") and self.headers.get("Authorization") != "Bearer t0ken":
                status, headers, body = 401, challenge, ""
            else:
                status, headers, body = 200 if path in server.pages else 404, {}, server.pages.get(path, "")
            self.send_response(status)
            for key, value in {**headers, "Content-Length": str(len(body))}.items():
                self.send_header(key, value)
            self.end_headers()
            self.wfile.write(body.encode())

    def __init__(self):
        super().__init__(("127.0.0.1", 0), self.Handler)
        self.url, self.asked = f"http://127.0.0.1:{self.server_port}", []
        self.pages = {"/token": '{"token": "t0ken"}'}
        self.releases(("12.6.0", "560.28.03"), ("13.0.0", "580.65.06"))
        for name in ("pytorch", "tensorflow", "jax"):
            self.tags(name, "25.08-py3", "25.09-py3")
        threading.Thread(target=self.serve_forever, args=(0.02,), daemon=True).start()

    def releases(self, *releases):
        self.pages["/redist/"] = "".join(f"<a href='redistrib_{label}.json'>x</a>" for label, _ in releases)
        for label, driver in releases:
            self.pages[f"/redist/redistrib_{label}.json"] = json.dumps(
                {"release_date": "2025-08-04", "release_label": label, "nvidia_driver": {"version": driver}})

    def tags(self, name, *tags):
        self.pages[f"/v2/nvidia/{name}/tags/list"] = json.dumps({"name": f"nvidia/{name}", "tags": tags})


class Refresh(BlackBox):
    NAMES = ["torch", "triton", "jax", "numpy"]

    def setUp(self):
        super().setUp()
        for name in [name for name in self.environment if name.lower().endswith("_proxy") or name.startswith("PIP_")]:
            del self.environment[name]
        self.out = self.scratch / "facts"
        self.index, self.pytorch, self.nvidia = self.serve(pypi.Index()), self.serve(pypi.Index()), self.serve(Nvidia())
        self.fill()

    def serve(self, index):
        index.handle_error = lambda *_: None  # whoever asks may be killed
        self.addCleanup(index.server_close)
        self.addCleanup(index.shutdown)
        return index

    def fill(self):
        add = self.index.add
        tags = "cp311-cp311-manylinux_2_28_x86_64"
        for version, day in (("2.9.0", "2025-10-15"), ("2.10.0", "2026-01-21"), ("2.11.0", "2026-03-23")):
            for python in ("311", "312"):
                add("torch", pypi.wheel("torch", version, ["triton==3.6", 'filelock; extra == "all"'], Requires_Python=">=3.10",
                                        tags=f"cp{python}-cp{python}-manylinux_2_28_x86_64"), f"{day}T10:00:00Z", requires_python=">=3.10")
            add("torch", pypi.wheel("torch", version, ["other"], tags="cp311-cp311-win_amd64"), f"{day}T09:00:00Z")
        add("torch", pypi.wheel("torch", "2.12.0rc1", tags=tags), "2026-04-01T00:00:00Z")
        add("torch", pypi.wheel("torch", "2.0.0", tags="cp311-cp311-macosx_11_0_arm64"), "2023-03-15T00:00:00Z")
        for version in ("3.5", "3.6"):
            add("triton", pypi.wheel("triton", version, tags=tags))
        add("jax", pypi.wheel("jax", "0.7.0", ["numpy>=2"], Requires_Python=">=3.11"))
        add("jax", pypi.sdist("jax", "0.7.0", ""))
        add("jax", pypi.wheel("jax", "0.6.9"), yanked="broken")
        add("numpy", pypi.wheel("numpy", "2.3.0", tags="cp311-cp311-manylinux2014_x86_64.manylinux_2_17_x86_64"))
        for version in ("2.10.0+cu126", "2.11.0+cu126"):
            self.pytorch.add("torch", pypi.wheel("torch", version, ["triton==3.6"], tags=tags))
        self.pytorch.add("torchvision", pypi.wheel("torchvision", "0.26.0+cu126", tags=tags))

    def data(self, *names):
        """A data directory that asks for these packages, and holds no facts yet."""
        data = self.scratch / "data-directory"
        shutil.copytree(ROOT / "specs/data", data, ignore=shutil.ignore_patterns("generated", "evidence"))
        (data / "packages.json").write_text(json.dumps({"$schema": "stackx/packages/1", "packages": list(names)}))
        self.environment["STACKX_DATA"] = str(data)
        return data

    def command(self, *words):
        return ["catalog", "refresh", *map(str, words), "--index-url", self.index.url, "--pytorch-index", self.pytorch.url,
                "--redistributables", self.nvidia.url + "/redist", "--registry", self.nvidia.url, "--pip", shutil.which("true")]

    def refresh(self, *words, exit_code=0):
        words = words or [*self.NAMES, "--only-package-index"]
        return self.everything(*words, exit_code=exit_code)

    def everything(self, *words, exit_code=0):
        """What the data directory asks for, from everywhere."""
        return self.stackx(*self.command(*words, "--output", self.out), exit_code=exit_code)

    def all(self):
        """{path: bytes} of what is written."""
        return {str(file.relative_to(self.out)): file.read_bytes() for file in sorted(self.out.rglob("*")) if file.is_file()}

    def expire(self):
        """What was kept of listings is to be asked for again."""
        for page in (self.scratch / "cache" / "stackx" / "pypi" / "listings").iterdir():
            os.utime(page, (0, 0))

    def are_whole(self, files):
        documents = {path: json.loads(content) for path, content in files.items() if path.endswith(".json")}
        documents = {path: one for path, one in documents.items() if one["$schema"] == "stackx/package/1"}
        self.assertEqual(dict(zip(documents, schema_errors("package", list(documents.values())))), dict.fromkeys(documents, ""))


class Files(Refresh):
    def test_what_is_written(self):
        done = self.refresh()
        files = self.all()
        self.assertEqual(list(files), ["jax.json", "numpy.json", "torch.json", "triton.json"])
        self.are_whole(files)
        torch = json.loads(files["torch.json"])
        self.assertEqual(list(torch["versions"]), ["2.11.0", "2.10.0", "2.9.0"])
        self.assertEqual(torch["versions"]["2.11.0"], {
            "uploaded": "2026-03-23", "python": ">=3.10", "wheels": {"manylinux_2_28_x86_64": "cp311-cp311 cp312-cp312"},
            "requires": ["triton==3.6", 'filelock; extra == "all"']})
        jax = json.loads(files["jax.json"])["versions"]
        self.assertEqual((jax["0.7.0"]["sdist"], jax["0.7.0"]["python"], jax["0.6.9"]["yanked"]), (True, ">=3.11", True))
        self.assertNotIn("yanked", jax["0.7.0"])
        lines = files["torch.json"].decode().splitlines()
        self.assertEqual([line[:8] for line in lines[1:-1]], ['"2.11.0"', '"2.10.0"', '"2.9.0":'], "one version a line")
        self.assertIn("News of 4 packages; 0 as they were.", done.stdout)
        self.assertTrue(done.stderr.startswith(f"Facts are written to {self.out}\n"), done.stderr)
        self.assertRegex(done.stdout, r"torch +newest 2\.11\.0, new: 2\.9\.0, 2\.10\.0, 2\.11\.0\n")

    def test_where_they_are_written_is_said_first(self):
        data = self.data("jax") / "generated"
        data.mkdir()
        done = self.stackx(*self.command("jax", "--only-package-index"))
        self.assertTrue(done.stderr.startswith(f"Facts are written to {data}; --output DIR writes others\n"), done.stderr)
        self.assertTrue((data / "jax.json").exists())

    def test_wheels_are_not_downloaded(self):
        self.refresh()
        self.assertEqual(self.index.asked_for(".whl"), [])
        self.assertEqual(len(self.index.asked_for(".metadata")), 8, "one of a release")
        self.assertLessEqual(self.index.most, 4)

    def test_a_second_run_changes_no_byte(self):
        self.refresh()
        before, asked = self.all(), len(self.index.asked)
        self.assertIn("Nothing new: 4 packages as they were.", self.refresh().stdout)
        self.assertEqual((self.all(), len(self.index.asked)), (before, asked), "ten minutes have not passed: nobody is asked")
        self.expire()
        self.assertIn("Nothing new: 4 packages as they were.", self.refresh().stdout)
        self.assertEqual(self.all(), before)
        self.assertEqual(self.index.statuses[asked:], [304] * 4)

    def test_what_was_read_today_is_not_called_old(self):
        """Nothing came out for a year: whoever has just looked is not told to look."""
        data = self.data("torch", "triton")
        (data / "generated").mkdir()
        self.stackx(*self.command("--only-package-index"))
        for file in (data / "generated").iterdir():
            file.write_text(re.sub('"as_of": "[^"]+"', '"as_of": "2025-11-30"', file.read_text()))
        check = ("check", "torch==2.9.0", "--hw", "zen4")
        self.assertRegex(self.stackx(*check).stdout, r"Facts as of 2025-11-30, \d+ days old")
        self.assertIn("Nothing new: 2 packages as they were.", self.stackx(*self.command("--only-package-index")).stdout)
        self.assertRegex(self.stackx(*check).stdout, r"Facts as of \d{4}-\d\d-\d\d\.\n")

    def test_another_cache_makes_the_same_bytes(self):
        self.refresh()
        before = self.all()
        shutil.rmtree(self.scratch / "cache")
        shutil.rmtree(self.out)
        self.refresh(*reversed(self.NAMES), "--only-package-index")
        self.assertEqual(self.all(), before)

    def test_a_new_release_is_one_new_line(self):
        self.refresh()
        before = self.all()
        self.expire()
        asked = len(self.index.asked)
        self.index.add("torch", pypi.wheel("torch", "2.12.0", ["triton==3.6"], tags="cp312-cp312-manylinux_2_28_x86_64"), "2026-05-01T00:00:00Z")
        done = self.refresh()
        self.assertRegex(done.stdout, r"News of 1 packages?; 3 as they were\..*\n  torch +newest 2\.12\.0, new: 2\.12\.0\n")
        after = self.all()
        self.assertEqual([name for name in after if after[name] != before[name]], ["torch.json"])
        old, new = (one["torch.json"].decode().splitlines() for one in (before, after))
        self.assertEqual([line[:9] for line in new if line not in old[1:]][1:], ['"2.12.0":'])
        self.assertEqual([line for line in old[1:] if line not in new], [])
        self.assertEqual(sorted(self.index.statuses[asked:]), [200, 200, 304, 304, 304], "one listing, one file of metadata")

    def test_yanked_and_deleted_releases(self):
        self.refresh()
        self.expire()
        for entry in self.index.projects["torch"]:
            if "2.11.0" in entry["filename"]:
                entry["yanked"] = "broken"
        self.index.projects["triton"] = self.index.projects["triton"][1:]
        done = self.refresh()
        self.assertRegex(done.stdout, r"torch +newest 2\.11\.0, withdrawn: 2\.11\.0\n")
        self.assertRegex(done.stdout, r"triton +newest 3\.6, withdrawn: 3\.5\n")
        files = self.all()
        self.assertTrue(json.loads(files["torch.json"])["versions"]["2.11.0"]["yanked"])
        self.assertEqual(list(json.loads(files["triton.json"])["versions"]), ["3.6"])

    def test_json(self):
        document = self.stackx(*self.command(*self.NAMES, "nowhere", "--only-package-index"), "--output", self.out, "--json").stdout
        document = json.loads(document)
        self.assertEqual((document["$schema"], document["unchanged"]), ("stackx/refresh/1", 0))
        self.assertRegex(document["as_of"], r"^\d{4}-\d\d-\d\d$")
        self.assertEqual([one["package"] for one in document["news"]], self.NAMES)
        self.assertEqual(document["news"][0], {"package": "torch", "newest": "2.11.0", "added": ["2.9.0", "2.10.0", "2.11.0"],
                                               "withdrawn": [], "unread": []})
        self.assertEqual(document["not_reached"], [{"what": "the package index: nowhere", "reason": ""}])
        self.assertIn("the package index: nowhere: it lists no such project", self.refresh("nowhere").stdout)

    def test_where_it_writes(self):
        """The data directory's packages; into it, where it can be written; check reads them there."""
        data = self.data("torch", "numpy")
        own = self.scratch / "share/stackx/generated"
        for directory in (own, data / "generated"):
            self.stackx(*self.command("--only-package-index"))
            self.assertEqual(sorted(file.name for file in directory.iterdir()), ["numpy.json", "torch.json"])
            if directory == own:  # no directory of facts came with stackx: the user's own is written
                shutil.rmtree(own)
                (data / "generated").mkdir()
        self.assertFalse(own.exists())
        self.assertEqual(json.loads(self.stackx("check", "torch==2.9.0", "triton", "--hw", "zen4", "--json").stdout)["stack"]["torch"], "2.9.0")
        self.assertEqual(json.loads(self.stackx("check", "torch==2.4.0", "--hw", "zen4", "--json").stdout)["answer"], "unknown")


class OtherSources(Refresh):
    OTHERS = [*(f"containers/nvidia-{name}.json" for name in ("jax", "pytorch", "tensorflow")), "nvidia/cuda.json", "pytorch/torch.json",
              "pytorch/torchvision.json"]

    def setUp(self):
        super().setUp()
        self.data("torch")

    def judge_not_reached(self, done, what, before, changed=()):
        """Named, and its files are as they were."""
        self.assertRegex(done.stdout.partition("Not read, what was known of it stays:")[2], what)
        after = self.all()
        self.assertEqual(list(after), list(before))
        self.assertEqual([name for name in after if after[name] != before[name]], list(changed))

    def close(self, server):
        server.shutdown()
        server.server_close()

    def test_pytorchs_builds(self):
        self.everything()
        files = self.all()
        self.assertEqual(list(files), [*self.OTHERS, "torch.json"])
        self.are_whole(files)
        document = json.loads(files["pytorch/torch.json"])
        self.assertEqual(list(document["versions"]), ["2.11.0+cu126", "2.10.0+cu126"])
        self.assertIn("PyTorch", document["source"])

    def test_check_knows_them(self):
        self.pytorch.add("torch", pypi.wheel("torch", "2.77.0+cu126", tags="cp311-cp311-manylinux_2_28_x86_64"))
        self.stackx(*self.command())
        self.assertEqual(self.json("check", "torch==2.77.0+cu126", "--hw", "zen4")["stack"]["torch"], "2.77.0+cu126")
        self.assertEqual(self.json("check", "torch==2.78.0+cu126", "--hw", "zen4")["answer"], "unknown")

    def test_nvidias_lists(self):
        self.everything()
        files = self.all()
        cuda, tags = json.loads(files["nvidia/cuda.json"]), json.loads(files["containers/nvidia-jax.json"])
        self.assertEqual(cuda["releases"], {"12.6.0": {"driver": "560.28.03", "date": "2025-08-04"},
                                            "13.0.0": {"driver": "580.65.06", "date": "2025-08-04"}})
        self.assertEqual(tags["tags"], ["25.08-py3", "25.09-py3"])
        self.expire()
        asked = len(self.nvidia.asked)
        self.everything()
        self.assertEqual(self.all(), files)
        self.assertEqual([path for path in self.nvidia.asked[asked:] if "redistrib_" in path], [], "what is known is not asked for again")
        self.nvidia.releases(("12.6.0", "560.28.03"), ("13.0.0", "580.65.06"), ("13.1.0", "590.44.01"))
        self.nvidia.tags("jax", "25.08-py3", "25.09-py3", "25.10-py3")
        done = self.everything()
        self.assertRegex(done.stdout, r"CUDA releases +newest 13\.1\.0, new: 13\.1\.0\n")
        self.assertRegex(done.stdout, r"nvidia/jax +newest 25\.10-py3, new: 25\.10-py3\n")
        after = self.all()
        self.assertEqual([name for name in after if after[name] != files[name]], ["containers/nvidia-jax.json", "nvidia/cuda.json"])
        for name in ("containers/nvidia-jax.json", "nvidia/cuda.json"):
            lines = files[name].decode().replace(",\n", "\n").splitlines()
            self.assertEqual(len([line for line in after[name].decode().replace(",\n", "\n").splitlines() if line not in lines]), 1, name)

    def test_pytorchs_index_cannot_be_reached(self):
        self.everything()
        before = self.all()
        self.expire()
        self.close(self.pytorch)
        self.index.add("torch", pypi.wheel("torch", "2.12.0", tags="cp312-cp312-manylinux_2_28_x86_64"))
        self.judge_not_reached(self.everything(), r"PyTorch's own index: torch, torchvision, .*\n +http://127", before, ["torch.json"])

    def test_nvidia_cannot_be_reached(self):
        self.everything()
        before = self.all()
        self.close(self.nvidia)
        self.judge_not_reached(self.everything(), r"NVIDIA's redistributables\n +http://127.*\n  containers of nvidia/pytorch", before)

    def test_nvidia_says_rubbish(self):
        """A page that asks to log in, say."""
        self.everything()
        before = self.all()
        for path in ("/redist/", "/redist/redistrib_13.1.0.json", "/v2/nvidia/pytorch/tags/list", "/token"):
            for page in ("<html>Please log in</html>", "", '{"tags": null}', "[]", '{"tags": []}'):
                pages = dict(self.nvidia.pages)
                self.nvidia.releases(("12.6.0", "560.28.03"), ("13.0.0", "580.65.06"), *([("13.1.0", "1")] if "13.1" in path else []))
                self.nvidia.pages[path] = page
                with self.subTest(path=path, page=page):
                    self.everything()
                    after = self.all()
                    self.assertEqual({name for name in after if after[name] != before[name]}, set())
                self.nvidia.pages = pages
                self.restore(before)

    def restore(self, files):
        for name, content in files.items():
            (self.out / name).write_bytes(content)

    def test_they_are_not_asked(self):
        self.everything("--only-package-index")
        self.refresh("torch")
        self.assertEqual((self.pytorch.asked, self.nvidia.asked), ([], []))
        self.assertEqual(list(self.all()), ["torch.json"])

    def test_a_part_cannot_be_written(self):
        self.out.mkdir()
        (self.out / "pytorch").write_text("")
        done = self.everything(exit_code=3)
        self.assertRegex(done.stdout + done.stderr, r"pytorch.*cannot be written")


class Interrupted(Refresh):
    def judge_half(self, before, done, failed):
        """Nothing is lost; what failed is named; the rest of the names is whole."""
        after = self.all()
        self.assertEqual({name for name in before if name not in after}, set())
        self.are_whole(after)
        for name in self.NAMES:
            if name in failed:
                self.assertEqual(after.get(f"{name}.json"), before.get(f"{name}.json"), name)
        named = done.stdout.partition("Not read, what was known of it stays:")[2]
        self.assertIn("the package index: " + ", ".join(failed), named)

    def test_an_index_that_breaks_half_way(self):
        for requests, status, failed in ((0, 401, self.NAMES), (2, 401, self.NAMES), (4, 500, self.NAMES[1:]), (7, 401, self.NAMES[2:]),
                                         (10, 401, self.NAMES[3:])):
            with self.subTest(requests=requests):
                shutil.rmtree(self.scratch / "cache", ignore_errors=True)
                shutil.rmtree(self.out, ignore_errors=True)
                self.index.failures = After(requests, status)
                done = self.refresh(exit_code=3)
                self.judge_half({}, done, failed)
                self.assertIn(f"HTTP {status}", done.stdout)
        self.index.failures = {}
        self.refresh()
        self.assertEqual(list(self.all()), [f"{name}.json" for name in sorted(self.NAMES)])

    def test_it_breaks_when_facts_are_there(self):
        self.refresh()
        before = self.all()
        self.expire()
        for name in self.NAMES:
            self.index.add(name, pypi.wheel(name, "99.0"))
        self.index.failures = After(2, 401)
        done = self.refresh(exit_code=3)
        self.judge_half(before, done, self.NAMES[1:])
        self.assertIn(b'"99.0"', self.all()["torch.json"])
        self.index.failures = {}
        self.assertRegex(self.refresh().stdout, "News of 3 packages; 1 as they were")
        self.assertEqual([name for name, content in self.all().items() if b'"99.0"' not in content], [])

    def test_nobody_listens(self):
        self.refresh()
        before = self.all()
        self.expire()
        self.index.shutdown()
        self.index.server_close()
        done = self.refresh(exit_code=3)
        self.judge_half(before, done, self.NAMES)
        self.assertEqual(self.all(), before)
        self.assertRegex(done.stdout, "Couldn't connect")
        self.assertNotIn("Nothing new", done.stdout)
        self.assertNotIn("--offline", done.stdout, "there is no such option here")

    def test_rubbish_instead_of_a_listing(self):
        self.refresh()
        before = self.all()
        self.expire()
        self.index.page = lambda project: (pypi.JSON_TYPE, '{"files": [')
        self.judge_half(before, self.refresh(exit_code=3), self.NAMES)
        self.assertEqual(self.all(), before)

    def test_pages_that_list_nothing(self):
        """A broken mirror, or a page that asks to log in: releases do not vanish all at once."""
        self.refresh()
        before = self.all()
        for page in ((pypi.JSON_TYPE, '{"meta": {"api-version": "1.1"}, "name": "torch", "files": []}'),
                     ("text/html", "<!DOCTYPE html><html><body>Please <a href='/login'>log in</a></body></html>")):
            self.expire()
            self.index.page = lambda project: page
            with self.subTest(page=page):
                done = self.refresh("torch", exit_code=3)
                self.assertIn("torch", done.stdout.partition("what was known of it stays")[2])
            self.assertEqual(self.all(), before)

    def test_killed_at_any_moment(self):
        self.refresh("torch", "numpy")
        before = self.all()
        for requests in range(1, 12, 2):
            for name in ("torch", "numpy"):
                self.index.add(name, pypi.wheel(name, f"99.{requests}"))
            shutil.rmtree(self.scratch / "cache", ignore_errors=True)
            waits = self.index.failures = Waits(requests)
            running = subprocess.Popen([STACKX, *self.command(*self.NAMES, "--only-package-index"), "--output", self.out], env=self.environment,
                                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            while running.poll() is None and not waits.reached.wait(0.01):
                pass
            running.kill()
            running.wait()
            waits.go_on.set()
            with self.subTest(requests=requests):
                self.assertLessEqual(set(before), set(self.all()))
                self.are_whole(self.all())
        self.index.failures = {}
        self.refresh()
        self.are_whole(self.all())
        self.assertEqual([name for name in self.all() if not name.endswith(".json")], [])
        self.assertIn(b'"99.11"', self.all()["numpy.json"])

    def test_ctrl_c(self):
        waits = self.index.failures = Waits(6)
        running = subprocess.Popen([STACKX, *self.command(*self.NAMES, "--only-package-index"), "--output", self.out], env=self.environment,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.addCleanup(running.kill)
        self.addCleanup(waits.go_on.set)
        self.assertTrue(waits.reached.wait(30))
        running.send_signal(signal.SIGINT)
        self.assertNotEqual(running.wait(20), 0)
        self.are_whole(self.all())


class BadInput(Refresh):
    def test_a_full_disk(self):
        """Here: no file may be longer than a thousand or two."""
        self.refresh()
        before = self.all()
        self.expire()
        self.index.add("torch", pypi.wheel("torch", "2.12.0", ["x" * 3000], tags="cp312-cp312-manylinux_2_28_x86_64"))
        limited = ["bash", "-c", 'trap "" XFSZ; ulimit -f 2; exec "$@"', "-", STACKX, *self.command("torch", "--only-package-index"), "--output", self.out]
        done = subprocess.run(limited, env=self.environment, capture_output=True, text=True)
        self.assertEqual(done.returncode, 3, done)
        self.assertRegex(done.stdout + done.stderr, r"\.json: cannot be written")
        self.assertEqual(self.all(), before)
        self.refresh()
        self.assertIn(b'"2.12.0"', self.all()["torch.json"])

    def test_a_directory_that_cannot_be_written(self):
        self.out = self.write("a-file", "") / "facts"
        done = self.refresh(exit_code=3)
        self.assertRegex(done.stdout + done.stderr, r"a-file.*cannot be written")
        self.assertNotIn("filesystem error", done.stdout + done.stderr)

    def test_a_file_that_is_no_package(self):
        self.out.mkdir()
        (self.out / "torch.json").write_text('{"$schema": "stackx/package/1", "name": "torch"')
        done = self.refresh("torch", "numpy", exit_code=2)
        self.assertRegex(done.stderr, r"torch\.json:1:\d+: not JSON")

    def test_names_that_are_none(self):
        for name in ("torch==2.0", "a/b", "../x", "/etc/x", "torch[all]", ""):
            with self.subTest(name):
                done = self.refresh(name, exit_code=2)
                self.assertIn(name, done.stderr)
        self.assertEqual(self.index.asked, [])
        self.refresh("Torch")
        self.assertEqual(list(self.all()), ["torch.json"])
