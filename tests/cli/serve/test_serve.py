"""`stackx serve`: the same answers as the command line's, documents in as `import` takes them, and the clients."""

import concurrent.futures
import contextlib
import gzip
import http.server
import json
import os
import pathlib
import select
import socket
import subprocess
import threading
import time

from harness import STACKX
from made_up_store import MadeUpStore, stack_id
from server_of_stackx import Server, serving

ONE = {"numpy": "2.0.0", "python": "3.11"}
OTHER = {"numpy": "2.1.0", "python": "3.11"}


@contextlib.contextmanager
def older_server(answer):
    """The address of one that refuses every question with this."""
    class Refusing(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(400)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(answer)))
            self.end_headers()
            self.wfile.write(answer.encode())

        def log_message(self, *_):
            pass

    server = http.server.HTTPServer(("127.0.0.1", 0), Refusing)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


class Serve(MadeUpStore):
    def setUp(self):
        super().setUp()
        self.begin_with_what_is_published()
        self.rounds([(ONE, 50), (OTHER, 60)], count=8)
        self.stackx("import", self.lines_of(self.documents))
        self.made, self.documents = self.documents, []
        self.server = Server(self.environment)
        self.addCleanup(self.server.end)

    def lines_of(self, documents):
        return self.write("documents.jsonl", "".join(json.dumps(one, sort_keys=True, ensure_ascii=False) + "\n" for one in documents))

    def more(self, count=5, campaign="second"):
        self.rounds([(ONE, 50)], count=count, campaign=campaign)
        documents, self.documents = self.documents, []
        return documents


class Questions(Serve):
    ASKED = (("/v1/advise?hw=v100&workload=matmul", ("advise", "--hw", "v100", "--workload", "matmul")),
             ("/v1/advise?workload=matmul&explain=1", ("advise", "--workload", "matmul", "--explain")),
             ("/v1/advise?hw=h100&have=driver%3D535.183.01", ("advise", "--hw", "h100", "--have", "driver=535.183.01")),
             ("/v1/advise?hw=h100&driver=535.183.01", ("advise", "--hw", "h100", "--driver", "535.183.01")),
             ("/v1/check?what=torch%3D%3D2.4.0&what=numpy&hw=v100", ("check", "torch==2.4.0", "numpy", "--hw", "v100")),
             ("/v1/check?what=torch&hw=v100&have=driver%3D470.57.02%2Cpython%3D3.9",
              ("check", "torch", "--hw", "v100", "--have", "driver=470.57.02,python=3.9")),
             ("/v1/compare?A=numpy%3D2.0.0&B=numpy%3D2.1.0", ("compare", "numpy=2.0.0", "numpy=2.1.0")),
             ("/v1/effects?workload=matmul", ("effects", "--workload", "matmul")),
             ("/v1/query/best?limit=3", ("query", "best", "--limit", "3")),
             (f"/v1/query/history?stack={stack_id(ONE)}", ("query", "history", "--stack", stack_id(ONE))),
             ("/v1/query/regressions", ("query", "regressions")),
             ("/v1/query/coverage", ("query", "coverage")),
             ("/v1/query/failures", ("query", "failures")),
             ("/v1/query/sources", ("query", "sources")),
             ("/v1/query/upgrades?hw=v100", ("query", "upgrades", "--hw", "v100")),
             ("/v1/workloads", ("workload", "list")),
             ("/v1/workloads/matmul", ("workload", "show", "matmul")),
             ("/v1/hardware", ("hw", "list")),
             ("/v1/hardware/v100", ("hw", "show", "v100")))

    def test_every_question_is_answered_as_the_command_line_answers_it(self):
        for target, words in self.ASKED:
            with self.subTest(target):
                status, headers, body = self.server.request(target)
                done = self.stackx(*words, "--json", exit_code=None)
                self.assertEqual((status, body), (200, done.stdout), target)
                self.assertEqual(headers["Stackx-Exit"], str(done.returncode), target)

    def test_text_and_markdown_are_the_command_lines_too(self):
        words = ("advise", "--hw", "v100", "--workload", "matmul")
        for accept, more, kind in (("text/plain", (), "text/plain"), ("text/markdown", ("--format", "markdown"), "text/markdown")):
            _, headers, body = self.server.request("/v1/advise?hw=v100&workload=matmul", Accept=accept, Stackx_Columns="100")
            self.assertEqual(body, self.stackx(*words, *more).stdout)
            self.assertTrue(headers["Content-Type"].startswith(kind))
        _, headers, body = self.server.request("/v1/advise?hw=v100&workload=matmul&format=requirements")
        self.assertEqual(body, self.stackx(*words, "--format", "requirements").stdout)
        self.assertTrue(headers["Content-Type"].startswith("text/plain"))
        with self.subTest("what the format says goes before what is accepted"):
            _, headers, body = self.server.request("/v1/advise?hw=v100&workload=matmul&format=text", Accept="application/json", Stackx_Columns="100")
            self.assertEqual((body, headers["Content-Type"]), (self.stackx(*words).stdout, "text/plain; charset=utf-8"))
            _, headers, body = self.server.request("/v1/advise?hw=v100&workload=matmul&format=json", Accept="text/plain")
            self.assertEqual((body, headers["Content-Type"]), (self.stackx(*words, "--json").stdout, "application/json"))

    def test_errors_have_the_words_of_the_command_line(self):
        for target, words in (("/v1/advise?hw=v1000", ("advise", "--hw", "v1000")), ("/v1/advise?delta=x", ("advise", "--delta", "x")),
                              ("/v1/advise?objective=fast", ("advise", "--objective", "fast")),
                              ("/v1/query/bst", ("query", "bst")), ("/v1/workloads/matmull", ("workload", "show", "matmull")),
                              ("/v1/hardware/v1000", ("hw", "show", "v1000")), ("/v1/compare?A=numpy%3D2.0.0", ("compare", "numpy=2.0.0"))):
            with self.subTest(target):
                status, answer = self.server.json(target)
                said = self.stackx(*words, "--json", exit_code=2).stderr
                self.assertEqual(status, 400)
                self.assertEqual("stackx: " + answer["error"] + "\n", said)
                self.assertEqual(answer["exit_code"], 2)

    def test_what_names_a_file_or_is_no_parameter_is_refused(self):
        self.write("wheels.txt", "numpy\n")
        for target in ("/v1/check?what=/etc/passwd", "/v1/check?what=requirements/../x", "/v1/check?what=-", "/v1/check", "/v1/compare?A=store:x.db&B=y",
                       "/v1/advise?pi=/bin/sh", "/v1/advise?lock=x", "/v1/advise?settle=x", "/v1/advise?db=x", "/v1/query/--sql=SELECT",
                       "/v1/query/best?sql=SELECT", "/v1/check?what=--catalog%3Dx", "/v1/advise?workload=matmul&workload=stream"):
            with self.subTest(target):
                status, answer = self.server.json(target)
                self.assertEqual(status, 400, answer)
                self.assertTrue(answer["error"])
        self.assertIn('did you mean "workload"?', self.server.json("/v1/advise?wrkload=matmul")[1]["error"])
        self.assertEqual(self.server.json("/v2/advise")[0], 404)
        self.assertEqual(self.server.request("/v1/advise", "PUT", b"x")[0], 405)

    def test_a_plus_that_became_a_space(self):
        status, answer = self.server.json("/v1/check?what=torch==2.4.0+cu121&hw=v100")
        self.assertEqual(status, 400)
        self.assertIn('"torch==2.4.0 cu121" has a space: a "+" in an address is one, and %2B a plus', answer["error"])
        self.assertEqual(self.server.json("/v1/check?what=torch==2.4.0%2Bcu121&hw=v100")[0], 200)

    def test_an_answer_is_kept_until_the_store_grows(self):
        target = "/v1/query/coverage"
        status, headers, body = self.server.request(target)
        tag = headers["ETag"]
        self.assertEqual(self.server.request(target, If_None_Match=tag)[::2], (304, ""))
        self.assertEqual(self.server.request(target, If_None_Match='"other", W/' + tag)[0], 304)
        self.assertEqual(self.server.request(target, If_None_Match='"other"')[0], 200)
        self.assertEqual(self.server.send(self.more())[0], 201)
        status, headers, again = self.server.request(target, Cache_Control="no-cache", If_None_Match=tag)
        self.assertEqual(status, 200)
        self.assertNotEqual((headers["ETag"], again), (tag, body))
        self.assertEqual(again, self.stackx("query", "coverage", "--json").stdout)

    def test_what_other_programs_store_is_seen(self):
        before = self.server.json("/v1/query/coverage")[1]
        self.stackx("import", self.lines_of(self.more()))
        _, _, after = self.server.request("/v1/query/coverage", Cache_Control="no-cache")
        self.assertNotEqual(before, json.loads(after))

    def test_head_is_get_without_the_body(self):
        _, get, body = self.server.request("/v1/query/coverage")
        status, head, nothing = self.server.request("/v1/query/coverage", "HEAD")
        self.assertEqual((status, nothing, head["ETag"], head["Content-Length"]), (200, "", get["ETag"], str(len(body.encode()))))


class Documents(Serve):
    def test_taken_once_and_found_again(self):
        documents = self.more()
        self.assertEqual(self.server.send(documents)[0], 201)
        status, answer = self.server.send(documents)
        self.assertEqual((status, answer["inserted"], answer["already_there"]), (200, 0, len(documents)))
        for one in documents:
            status, _, body = self.server.request("/v1/documents/" + one["id"])
            self.assertEqual((status, json.loads(body)), (200, one))
        self.assertIn(documents[0]["id"], self.stackx("export").stdout)
        self.stackx("db", "check")

    def test_put_is_of_the_document_that_the_address_names(self):
        first, second = self.more(2)
        text = json.dumps(first, sort_keys=True).encode()
        self.assertEqual(self.server.request("/v1/documents/" + first["id"], "PUT", text)[0], 201)
        self.assertEqual(self.server.request("/v1/documents/" + first["id"], "PUT", text)[0], 200)
        status, _, body = self.server.request("/v1/documents/" + second["id"], "PUT", text)
        self.assertEqual(status, 422)
        self.assertIn(second["id"], json.loads(body)["error"])
        self.assertEqual(self.server.request("/v1/documents/" + second["id"])[0], 404)

    def test_packed_bodies(self):
        for number, (coding, pack) in enumerate((("gzip", gzip.compress), ("zstd", self.zstd), ("identity", bytes))):
            documents = self.more(campaign=f"packed {number}")
            lines = "".join(json.dumps(one, sort_keys=True) + "\n" for one in documents).encode()
            status, _, body = self.server.request("/v1/documents", "POST", pack(lines), Content_Encoding=coding)
            self.assertEqual((status, json.loads(body)["inserted"]), (201, len(documents)), coding)
        status, _, body = self.server.request("/v1/documents", "POST", b"x", Content_Encoding="br")
        self.assertEqual(status, 415)

    def zstd(self, lines):
        file = self.write("lines", lines.decode())
        return subprocess.run(["zstd", "-qc", file], capture_output=True, check=True).stdout

    def test_what_is_refused_is_named_and_the_rest_is_stored(self):
        good = self.more(3)
        damaged = dict(good[1], reason="changed")
        lines = [json.dumps(good[0]), json.dumps(damaged), "{}", "no JSON", "", json.dumps(good[2])]
        status, _, body = self.server.request("/v1/documents", "POST", "\n".join(lines).encode())
        answer = json.loads(body)
        self.assertEqual((status, answer["inserted"], answer["refused"]), (422, 2, 3))
        self.assertEqual([one["line"] for one in answer["reasons"]], [2, 3, 4])
        self.assertIn("the document was changed", answer["reasons"][0]["why"])
        self.assertEqual(self.server.request("/v1/documents/" + good[2]["id"])[0], 200)

    def test_many_at_once_from_many(self):
        bundles = [self.more(20, f"of sender {sender}") for sender in range(12)]
        with concurrent.futures.ThreadPoolExecutor(12) as pool:
            statuses = list(pool.map(lambda bundle: [self.server.send([one])[0] for one in bundle], bundles))
        self.assertEqual(statuses, [[201] * 20] * 12)
        exported = self.stackx("export").stdout
        for bundle in bundles:
            for one in bundle:
                self.assertEqual(exported.count(f'"id":"{one["id"]}"'), 1)
        self.stackx("db", "check")

    def test_thousands_in_one_request(self):
        self.rounds([({"numpy": f"2.{minor}.0", "python": "3.11"}, 50) for minor in range(100)], count=30, campaign="many")
        documents, self.documents = self.documents, []
        status, answer = self.server.send(documents)
        self.assertEqual((status, answer["inserted"]), (201, len(documents)))
        status, answer = self.server.send(documents)
        self.assertEqual((status, answer["already_there"]), (200, len(documents)))


class Clients(Serve):
    def test_questions_with_server(self):
        for words in (("advise", "--hw", "v100", "--workload", "matmul"), ("advise", "--hw", "v100", "--format", "requirements"),
                      ("advise", "--hw", "v100", "--json"), ("advise", "--hw", "h100", "--driver", "535.183.01"),
                      ("advise", "--hw", "h100", "--have", "driver=535.183.01,python=3.9"),
                      ("check", "torch", "--hw", "v100", "--have", "driver=470.57.02"),
                      ("check", "torch==2.4.0", "numpy", "--hw", "v100"),
                      ("check", "torch==2.4.0", "--hw", "v100", "--json"), ("query", "best", "--limit", "3"), ("query", "best", "--format", "csv"),
                      ("query", "coverage", "--json")):
            with self.subTest(words):
                there = self.stackx(*words, "--server", self.server.url, exit_code=None)
                here = self.stackx(*words, exit_code=None)
                self.assertEqual((there.stdout, there.returncode), (here.stdout, here.returncode))

    def test_the_answer_no_and_errors_end_as_they_do_here(self):
        no = ("check", "torch==2.4.0", "--hw", "k80")
        self.assertEqual(self.stackx(*no, "--server", self.server.url, exit_code=1).stdout, self.stackx(*no, exit_code=1).stdout)
        said = self.stackx("advise", "--hw", "v1000", "--server", self.server.url, exit_code=2).stderr
        self.assertIn("no such hardware", said)
        self.assertIn(self.server.url, said)

    def test_what_no_server_can_know(self):
        lock = self.write("x.txt", "numpy==2.0.0\n")
        said = self.stackx("advise", "--lock", lock, "--server", self.server.url, exit_code=2).stderr
        self.assertIn("--lock: has no place beside --server", said)
        self.stackx("advise", "--server", "ftp://x", exit_code=2)
        self.stackx("advise", "--server", self.server.url, "--db", self.scratch / "x.db", exit_code=2)
        self.assertIn("not asked about a directory", self.stackx("check", self.scratch, "--hw", "v100", "--server", self.server.url, exit_code=2).stderr)

    def test_what_stands_in_a_file_is_sent(self):
        """The client reads it, the server never sees its name."""
        text = "torch==2.4.0\nnumpy<2.1 ; python_version >= '3.8'\n" + "".join(f"made-up-{number}==1.0.{number}\n" for number in range(300))
        file, hw = self.write("requirements.txt", text), ("--hw", "v100", "--json")
        here = self.stackx("check", file, *hw, exit_code=None)
        there = self.stackx("check", file, *hw, "--server", self.server.url, exit_code=None)
        self.assertEqual(there.returncode, here.returncode)
        for name in ("answer", "text", "stack"):
            self.assertEqual(json.loads(there.stdout).get(name), json.loads(here.stdout).get(name))
        there = self.stackx("check", "-", *hw, "--server", self.server.url, input="torch==2.4.0\n", exit_code=None)
        self.assertEqual(there.stdout, self.stackx("check", "torch==2.4.0", *hw, exit_code=None).stdout)
        self.write("limits.txt", "numpy<2\nscipy<1.10\n")
        limited = self.stackx("check", self.write("limited.txt", "-c limits.txt\nnumpy\n"), *hw, "--server", self.server.url, exit_code=None)
        self.assertIn("numpy, numpy<2", json.loads(limited.stdout)["text"])
        self.assertIn("not sent: scipy<1.10", limited.stderr)

    def test_whose_hardware_is_asked_about(self):
        said = self.stackx("check", "torch==2.4.0", "--server", self.server.url, exit_code=2).stderr
        self.assertIn("--hw h100", said)
        self.assertIn("machine of the server", said)

    def test_a_server_that_is_older(self):
        """It has no such parameter; what its near names are is of no use here."""
        answer = json.dumps({"error": '"driver": no such parameter; did you mean "have"?', "exit_code": 2})
        with older_server(answer) as url:
            said = self.stackx("advise", "--hw", "h100", "--driver", "535.183.01", "--server", url, exit_code=2).stderr
            self.assertEqual(said, f'stackx: {url}/: "driver": no such parameter; an older stackx answers there, which does not know --driver: '
                                   "leave it out, or bring that server up to date\n")
            said = self.stackx("advise", "--hw", "h100", "--python", "3.11", "--server", url, exit_code=2).stderr
            self.assertNotIn("older", said)

    def test_nobody_learns_which_files_there_are(self):
        """A word that names a file where the server was started is answered as one that names none."""
        there, not_there = "browser.py", "browseq.py"
        self.assertTrue(pathlib.Path(there).exists(), "the server's directory is that of the tests")
        for path, name, rest in (("/v1/check", "what", {"hw": "v100"}), ("/v1/compare", "A", {"B": "numpy=1.0"}), ("/v1/compare", "source", {}),
                                 ("/v1/advise", "pi", {"hw": "v100", "workload": "matmul"}), ("/v1/query/best", "pi", {})):
            with self.subTest(path=path, name=name):
                answers = [self.server.json(path, **{name: word}, **rest) for word in (there, not_there)]
                self.assertEqual(json.dumps(answers[0]).replace("browser", "browseq"), json.dumps(answers[1]))

    def test_nobody_there(self):
        self.server.end()
        said = self.stackx("advise", "--hw", "v100", "--server", self.server.url, exit_code=3).stderr
        self.assertEqual(said, f"stackx: {self.server.url}/: Couldn't connect to server; does a server run there, and can it be reached from here?\n")

    def other(self):
        """The environment of another store."""
        db = self.scratch / "other" / "stackx.db"
        self.begin_with_what_is_published(db)
        return dict(self.environment, STACKX_DB=str(db))

    def test_export_to_a_server(self):
        other = self.other()
        with serving(other) as server:
            said = self.stackx("export", "--to", server.url).stderr
            self.assertIn(f"{len(self.made)} documents new, 0 were there", said)
            self.assertIn(f"0 documents new, {len(self.made)} were there", self.stackx("export", "--to", server.url).stderr)
            theirs = self.stackx("export", "--db", other["STACKX_DB"]).stdout
        self.assertEqual(sorted(theirs.splitlines()), sorted(self.stackx("export").stdout.splitlines()))

    def test_export_of_nothing_asks_the_server_too(self):
        """Who tries address and token out before anything is measured learns whether they are right."""
        empty = ("export", "--db", self.scratch / "empty.db", "--to", self.server.url)
        self.stackx("query", "best", "--db", self.scratch / "empty.db", exit_code=None)
        self.assertIn("0 documents new, 0 were there", self.stackx(*empty).stderr)
        self.server.end()
        self.assertIn("Couldn't connect", self.stackx(*empty, exit_code=3).stderr)

    def test_export_to_nobody(self):
        """A mistyped port is told at once, not waited for."""
        self.server.end()
        said = self.stackx("export", "--to", self.server.url, exit_code=3).stderr
        self.assertEqual(said, f"stackx: {self.server.url}/: Couldn't connect to server; does a server run there, and can it be reached from here? "
                               "Nothing was sent\n")

    def test_export_to_a_server_that_restarts(self):
        """It was there, so it is waited for."""
        class Answers(http.server.BaseHTTPRequestHandler):
            status, body = 503, b""

            def do_POST(self):
                self.rfile.read(int(self.headers["Content-Length"]))
                self.send_response(self.status)
                self.send_header("Content-Length", str(len(self.body)))
                self.end_headers()
                self.wfile.write(self.body)

            def log_message(self, *_):
                pass

        class Taken(Answers):
            status, body = 201, json.dumps({"$schema": "stackx/intake/1", "inserted": 3, "already_there": 0, "refused": 0}).encode()

        def listen(port, answers):
            server = http.server.HTTPServer(("127.0.0.1", port), answers)
            threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
            return server

        def end(server):
            server.shutdown()
            server.server_close()

        first = listen(0, Answers)
        port = first.server_port
        with subprocess.Popen([STACKX, "export", "--to", f"http://127.0.0.1:{port}"], env=self.environment, stderr=subprocess.PIPE, text=True) as client:
            self.assertIn("trying again for 5 minutes", client.stderr.readline())
            end(first)
            time.sleep(5)  # longer than nobody is waited for
            second = listen(port, Taken)
            self.assertEqual(client.stderr.read(), f"http://127.0.0.1:{port}/: 3 documents new, 0 were there\n")
        end(second)
        self.assertEqual(client.returncode, 0)

    def test_tokens(self):
        made = self.stackx("serve", "token", "node-7", "--role", "write")
        token = next(line for line in made.stderr.splitlines() if line.startswith("stackx_"))
        self.assertNotIn(token, made.stdout)
        tokens, other = self.write("tokens", made.stdout), self.other()
        with serving(other, "--tokens", tokens) as server:
            self.assertIn("expected a token", self.stackx("export", "--to", server.url, exit_code=2).stderr)
            self.environment["STACKX_TOKEN"] = token
            self.assertIn("new", self.stackx("export", "--to", server.url).stderr)
            self.assertIn("may not ask", self.stackx("query", "best", "--server", server.url, exit_code=2).stderr)
        self.assertIn(" node-7 POST /v1/documents 201 ", "".join(server.said))
        self.assertNotIn(token, "".join(server.said))


class Starting(MadeUpStore):
    def setUp(self):
        super().setUp()
        self.begin_with_what_is_published()

    def test_other_addresses_need_tokens(self):
        said = self.stackx("serve", "--listen", "0.0.0.0:0", exit_code=2).stderr
        self.assertIn("--tokens", said)
        self.assertIn("stackx serve token", said)

    def test_bad_options(self):
        for words, expected in ((("--listen", "x"), "expected ADDRESS:PORT"), (("--listen", "127.0.0.1:99999"), "expected ADDRESS:PORT"),
                                (("--certificate", "x.pem"), "give both"), (("--tokens", self.scratch / "none"), "none"),
                                (("--certificate", "x.pem", "--key", "y.pem"), "x.pem")):
            self.assertIn(expected, self.stackx("serve", *words, exit_code=2).stderr)
        tokens = self.write("tokens", "# none yet\nnode write 123\n")
        self.assertIn(f"{tokens}:2: expected a name", self.stackx("serve", "--tokens", tokens, exit_code=2).stderr)

    def test_a_store_that_is_not_there_any_more_acknowledges_nothing(self):
        """What is written into a deleted file is nowhere; a backup that was put in its place is not what answers."""
        store, kept = pathlib.Path(self.environment["STACKX_DB"]), self.scratch / "kept.db"
        self.rounds([(ONE, 50)], count=1)
        with serving(self.environment) as server:
            kept.write_bytes(store.read_bytes())
            for words, change in (("gone", lambda: store.rename(self.scratch / "away.db")), ("another", lambda: kept.rename(store))):
                change()
                with self.subTest(words):
                    for path in ("/healthz", "/v1/query/coverage", "/"):
                        status, headers, body = server.request(path)
                        self.assertEqual((status, words in body, "Retry-After" in headers), (503, True, True), body)
                    self.assertEqual(server.send(self.documents)[0], 503)
                    self.assertIn("stackx_store_readable 0\n", server.request("/metrics")[2])
            (self.scratch / "away.db").rename(store)
            self.assertEqual(server.request("/healthz")[::2], (200, "ok\n"))
            self.assertEqual(server.send(self.documents)[0], 201)
            self.assertIn("stackx_store_readable 1\n", server.request("/metrics")[2])

    def test_the_description_and_health(self):
        printed = self.json("serve", "--openapi")
        with serving(self.environment) as server:
            self.assertEqual(server.json("/openapi.json")[1], printed)
            self.assertEqual(server.request("/healthz")[2], "ok\n")
            self.assertEqual(self.stackx("serve", "--listen", f"127.0.0.1:{server.port}", exit_code=3).stderr.count("another program listens there"), 1)
        self.assertIn("/v1/advise", printed["paths"])
        self.assertEqual(server.process.returncode, 0)
        self.assertIn("ended", server.said[-1])

    def test_an_answer_that_never_comes_does_not_hold_up_the_end(self):
        """A package's facts come from a pipe into which nobody writes; who asked for it has left."""
        facts = pathlib.Path(self.environment["XDG_DATA_HOME"]) / "stackx/generated"
        facts.mkdir(parents=True)
        os.mkfifo(facts / "never.json")
        writer = os.open(facts / "never.json", os.O_RDWR)
        self.addCleanup(os.close, writer)
        with serving(self.environment) as server:
            with socket.create_connection(("127.0.0.1", server.port)) as asking:
                asking.sendall(b"GET /v1/check?what=never&hw=v100 HTTP/1.1\r\nHost: localhost\r\n\r\n")
                self.assertFalse(select.select([asking], [], [], 3)[0], "it was answered")
            began = time.monotonic()
            self.assertEqual(server.end(240), 0)
        self.assertLess(time.monotonic() - began, 240)  # that answer never comes
        self.assertIn("ended", server.said[-1])
