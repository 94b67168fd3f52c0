"""Documents between machines: export, import and merge give the same content whatever the way, and what is hostile,
damaged or of another version is refused by name while the rest goes on."""

import gzip
import json
import lzma
import os
import random
import resource
import shutil
import sqlite3
import subprocess

from harness import ROOT, STACKX
from made_up_store import MadeUpStore, campaign_id, sealed

STORED = ROOT / "tests" / "store" / "data"


def processor_seconds():
    """Of all commands so far: what else the machine does is not in them."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def stack(minor):
    return {"openblas": f"0.3.{minor}", "python": "3.11"}


def published(value=1.0, **changes):
    document = {"$schema": "stackx/published/1", "hardware": "Tesla V100", "metric": "elapsed_ms", "stack": {"cuda": "9.0"},
                "source": {"url": "https://example.org/table", "read": "2026-11-01"}, "value": float(value),
                "workload": {"params": {"m": "512"}, "pi": "matmul"}}
    document.update(changes)
    return sealed(document)


class Exchange(MadeUpStore):
    def some_documents(self, count=40, campaign="first"):
        self.rounds([(stack(minor), 50 + minor) for minor in (20, 21, 23)], count=count // 4, campaign=campaign)
        for number in range(count // 4):
            self.inspection(stack(29), 60, number, campaign=campaign, outcome="crashed", reason="signal 11", samples_ns=[])
            self.documents[-1] = sealed({**{k: v for k, v in self.documents[-1].items() if k != "id"}, "campaign": ""})
        documents, self.documents = self.documents, []
        return documents

    def jsonl(self, name, documents):
        return self.write(name, "".join(json.dumps(document, sort_keys=True, ensure_ascii=False) + "\n" for document in documents))

    def made(self, name, documents):
        database = self.scratch / f"{name}.db"
        self.stackx("import", self.jsonl(f"{name}.jsonl", documents), "--db", database)
        return database

    def export(self, database, *arguments):
        return self.stackx("export", "--db", database, *arguments).stdout

    def sound(self, database):
        self.stackx("db", "check", "--db", database)

    def test_every_packing_and_every_order_gives_the_same_content(self):
        documents = self.some_documents()
        documents += [published(n / 3) for n in range(1, 6)]
        first = self.made("first", documents)
        expected = self.export(first)
        self.assertEqual(len(expected.splitlines()), len(documents))
        self.assertEqual({json.loads(line)["id"] for line in expected.splitlines()}, {d["id"] for d in documents})
        for number, ending in enumerate((".jsonl", ".jsonl.zst", ".jsonl.gz", ".jsonl.xz")):
            file = self.scratch / f"out{ending}"
            self.stackx("export", "--db", first, "-o", file)
            self.assertFalse(list(self.scratch.glob(".*.stackx-draft")))
            text = {".jsonl": lambda b: b, ".jsonl.gz": gzip.decompress, ".jsonl.xz": lzma.decompress}.get(ending)
            if text:
                self.assertEqual(text(file.read_bytes()).decode(), expected)
            again = self.scratch / f"again{number}.db"
            for added in (len(documents), 0):
                self.assertEqual(self.json("import", file, "--db", again)["inserted"], added)
            with open(file, "rb") as stream:
                self.stackx("import", "-", "--db", again, stdin=stream)
            self.assertEqual(self.export(again), expected)
            self.sound(again)
        for seed in range(3):
            random.Random(seed).shuffle(documents)
            self.assertEqual(self.export(self.made(f"shuffled{seed}", documents)), expected)

    def test_export_of_a_part(self):
        database = self.made("one", self.some_documents(campaign="a") + self.some_documents(campaign="b") + [published()])
        lines = [json.loads(line) for line in self.export(database, "--campaign", campaign_id("a")[:9]).splitlines()]
        self.assertEqual({document["campaign"] for document in lines}, {campaign_id("a")})
        self.assertEqual(len(lines), 30)
        self.assertEqual([json.loads(line)["$schema"] for line in self.export(database, "--published").splitlines()],
                         ["stackx/published/1"])
        self.stackx("export", "--db", database, "--campaign", "beef" * 4, exit_code=2)

    def test_an_export_takes_its_place_at_the_end_and_devices_stay(self):
        database = self.made("one", self.some_documents())
        for name in ("results.csv", "results.jsonl.bz2", "results.html"):
            self.assertIn(f"-o {name}: export writes JSON Lines", self.stackx("export", "--db", database, "-o", name, exit_code=2).stderr)
            self.assertFalse((self.scratch / name).exists())
        missing = self.scratch / "no" / "such" / "directory.jsonl.zst"
        self.assertIn(str(missing), self.stackx("export", "--db", database, "-o", missing, exit_code=3).stderr)
        fifo = self.scratch / "pipe"
        os.mkfifo(fifo)
        reader = subprocess.Popen(["cat", fifo], stdout=subprocess.PIPE)
        self.stackx("export", "--db", database, "-o", fifo)
        self.assertEqual(reader.communicate(timeout=240)[0].decode(), self.export(database))
        self.assertTrue(fifo.is_fifo(), "a pipe was replaced by a file")

    def test_merge_is_idempotent_and_commutative(self):
        a, b = self.some_documents(40, "a"), self.some_documents(60, "b")
        stores = [self.made("a", a + b[:20] + [published(1)]), self.made("b", b + [published(1), published(2)]),
                  self.made("c", a[5:15] + self.some_documents(20, "c"))]
        results = set()
        for number, order in enumerate(((0, 1, 2), (2, 1, 0), (1, 0, 2), (1, 2, 0))):
            joined = self.scratch / f"joined{number}.db"
            before = [store.read_bytes() for store in stores]
            self.stackx("merge", *[stores[i] for i in order], "--db", joined)
            self.assertEqual(self.json("merge", *stores, "--db", joined)["inserted"], 0)
            self.assertEqual([store.read_bytes() for store in stores], before)
            self.sound(joined)
            results.add(self.export(joined))
        self.assertEqual(len(results), 1)
        everything = self.made("all", a + b + [published(1), published(2)])
        self.stackx("merge", stores[2], "--db", everything)
        self.assertEqual(results, {self.export(everything)})
        self.assertIn("itself", self.stackx("merge", everything, "--db", everything, exit_code=2).stderr)
        self.assertIn("none.db: no such store; check the path", self.stackx("merge", self.scratch / "none.db", "--db", everything, exit_code=2).stderr)
        self.assertIn("OTHER.db... is missing: Stores", self.stackx("merge", exit_code=2).stderr)

    def test_an_export_of_nothing_says_so(self):
        nothing = self.scratch / "nothing.db"
        self.stackx("import", self.write("nothing.jsonl", ""), "--db", nothing)
        done = self.stackx("export", "--db", nothing)
        self.assertEqual(done.stdout, "")
        self.assertIn("nothing to export: nothing was measured or imported here; `stackx inspect PROJECT` measures", done.stderr)
        self.assertIn("--seeds", self.stackx("export", "--published", "--db", nothing).stderr)

    def test_conflicts_are_refused_by_name_and_the_rest_goes_on(self):
        documents = self.some_documents()
        slot = documents[3]
        other = sealed({**{k: v for k, v in slot.items() if k != "id"}, "load_1m": 9.75})
        mine, theirs = self.made("mine", documents[:8]), self.made("theirs", [other] + documents[8:])
        before = self.export(mine).splitlines()
        done = self.stackx("merge", theirs, "--db", mine, exit_code=2)
        self.assertIn(other["id"][:16], done.stderr)
        self.assertIn(slot["id"][:16], done.stderr)
        after = self.export(mine).splitlines()
        self.assertEqual(len(after), len(documents))
        self.assertLessEqual(set(before), set(after))
        self.sound(mine)
        answer = self.json("merge", theirs, "--db", mine, exit_code=2)
        self.assertEqual((answer["inserted"], len(answer["refused"])), (0, 1))

    def schema_1(self, name):
        file = self.scratch / name
        file.write_bytes(gzip.decompress((STORED / "schema-1.db.gz").read_bytes()))
        return file

    def test_a_store_of_schema_1_is_brought_forward_with_everything(self):
        stored = gzip.decompress((STORED / "schema-1.jsonl.gz").read_bytes()).decode()
        old = self.schema_1("old.db")
        self.assertIn("schema 1", self.stackx("export", "--db", old, exit_code=2).stderr)  # reading alone does not migrate
        self.stackx("import", self.write("none.jsonl", json.dumps(published()) + "\n"), "--db", old)
        with sqlite3.connect(old) as database:
            self.assertGreaterEqual(database.execute("PRAGMA user_version").fetchone()[0], 2)
        lines = self.export(old).splitlines()
        self.assertEqual(sorted(lines[:-1]), sorted(stored.splitlines()))
        self.sound(old)
        fresh = self.scratch / "fresh.db"
        self.stackx("import", self.write("stored.jsonl", stored), self.scratch / "none.jsonl", "--db", fresh)
        self.assertEqual(self.export(fresh), "".join(line + "\n" for line in lines))
        # Merged without being touched, and nothing is left beside the store.
        untouched, joined = self.schema_1("untouched.db"), self.scratch / "joined" / "joined.db"
        before = untouched.read_bytes()
        self.stackx("merge", untouched, "--db", joined)
        self.assertEqual(untouched.read_bytes(), before)
        self.assertEqual(sorted(self.export(joined).splitlines()), sorted(stored.splitlines()))
        self.assertEqual({file.name.removeprefix("joined.db") for file in joined.parent.iterdir()} - {"", "-wal", "-shm"}, set())

    def test_packed_files_that_are_cut_short_or_damaged(self):
        documents = self.some_documents(160)
        plain = self.jsonl("all.jsonl", documents).read_bytes()
        self.stackx("export", "--db", self.made("all", documents), "-o", self.scratch / "all.jsonl.zst")
        chance = random.Random(9)
        for name, packed in (("gz", gzip.compress(plain)), ("xz", lzma.compress(plain)),
                             ("zst", (self.scratch / "all.jsonl.zst").read_bytes())):
            for trial in range(4):
                cut = chance.randrange(8, len(packed) - 1)
                file, database = self.scratch / f"cut{trial}.{name}", self.scratch / f"cut-{name}-{trial}.db"
                file.write_bytes(packed[:cut])
                done = self.stackx("import", file, "--db", database, exit_code=2)
                self.assertRegex(done.stderr, rf"{file.name}: byte \d+: ")
                whole = int(done.stderr.split("; the ")[1].split()[0])
                self.assertEqual(len(self.export(database).splitlines()), whole)
                bad = bytearray(packed)
                bad[chance.randrange(20, len(packed))] ^= 0x10
                file.write_bytes(bad)
                done = subprocess.run([STACKX, "import", file, "--db", database], capture_output=True, text=True, env=self.environment)
                self.assertIn(done.returncode, (0, 2), done.stderr)
                self.assertLessEqual({json.loads(line)["id"] for line in self.export(database).splitlines()},
                                     {document["id"] for document in documents})
                self.sound(database)

    def test_hostile_documents(self):
        good = self.some_documents(8)
        base = {k: v for k, v in good[0].items() if k != "id"}
        text = json.dumps(good[0], sort_keys=True)
        deep = '{"$schema":' + "[" * 100_000 + "]" * 100_000 + "}"
        hostile = {
            "an id of another content": json.dumps(dict(good[0], load_1m=99.0)),
            "no id": json.dumps(base),
            "an id that is no hash": json.dumps(dict(good[0], id="'; DROP TABLE inspections; --")),
            "a later version": json.dumps(sealed(dict(base, **{"$schema": "stackx/inspection/2"}))),
            "another document": json.dumps(sealed({"$schema": "stackx/catalog/1"})),
            "NaN": text.replace('"load_1m": 0.5', '"load_1m": NaN'),
            "a number beyond doubles": text.replace('"load_1m": 0.5', '"load_1m": 1e999'),
            "a text for a number": text.replace('"load_1m": 0.5', '"load_1m": "0.5"'),
            "a negative round": json.dumps(sealed(dict(base, round=-1))),
            "a phase that ends before it begins": json.dumps(sealed(dict(base, phases=[
                {"name": "run", "start_ns": 5, "duration_ns": 3, "end_ns": 1}]))),
            "a phase beyond time": json.dumps(sealed(dict(base, phases=[
                {"name": "run", "start_ns": 2**63 - 1, "duration_ns": 1, "end_ns": 2**63}]))),
            "a sample beyond 64 bits": text.replace('"samples_ns": [', '"samples_ns": [99999999999999999999, '),
            "a key twice": text[:-1] + ', "load_1m": 0.5}',
            "an unknown key": json.dumps(sealed(dict(base, speed=1))),
            "no object": "[1, 2, 3]",
            "no JSON": "SELECT * FROM inspections;",
            "cut short": text[: len(text) // 2],
            "bytes that are no text": '{"$schema": "\udcff\udcfe"}',
            "deep nesting": deep,
            "a million keys": '{"$schema":"stackx/inspection/1",' + ",".join(f'"k{n}":{n}' for n in range(1_000_000)) + "}",
            "a wrong published id": json.dumps(dict(published(), value=2.0)),
        }
        lines = []
        for document, (_, line) in zip(good * 9, hostile.items()):
            lines += [line, json.dumps(document)]
        file = self.scratch / "hostile.jsonl"
        file.write_bytes("\n".join(lines).encode("utf-8", "surrogateescape") + b"\n")
        database = self.scratch / "store.db"
        done = self.json("import", file, "--db", database, exit_code=2)
        refused = [int(line.split("hostile.jsonl:")[1].split(":")[0]) for line in done["refused"]]
        self.assertEqual(refused, list(range(1, 2 * len(hostile), 2)), done["refused"])
        self.assertIn("later", [line for line in done["refused"] if "inspection/2" in line][0])
        self.assertEqual(len(self.export(database).splitlines()), len(good))
        self.sound(database)

    def test_odd_but_sound_documents_come_back_byte_for_byte(self):
        base = {k: v for k, v in self.some_documents(4)[0].items() if k != "id"}
        names = ["'; DROP TABLE inspections; --", "\\\" \\n", "%s%n", "\0", "ünïcödé \U0001f600", "a" * 1000, ""]
        odd = [sealed(dict(base, arm=name, stack={name or "x": name}, device=name, reason=name, runner=name, round=n))
               for n, name in enumerate(names)]
        odd += [sealed(dict(base, round=100 + n, samples_ns=samples)) for n, samples in enumerate(
            ([], [0], [-5, 7], [-1] * 9, [2**63 - 1, -2**63, 0, 2**63 - 1], [1, 2] * 5000))]
        odd += [sealed(dict(base, round=round, position=2**64 - 1)) for round in (4095, 4096, 2**63 - 1, 2**63, 2**64 - 1)]
        odd += [sealed(dict(base, round=200 + n, finished=finished)) for n, finished in enumerate(("", "yesterday", "2026-02-30T25:61:61Z"))]
        odd += [sealed(dict(base, round=300 + n, phases=[{"name": "run", "start_ns": 9, "duration_ns": -5, "end_ns": 4}],
                            stdout_tail=tail)) for n, tail in enumerate(("[1,2,3", "1e5 1E5 -0 00 1.50 .5 5.", "\n" * 70))]
        odd += [sealed(dict(base, campaign="no id, but a name", round=n)) for n in range(2)]
        database = self.made("odd", odd)
        exported = {json.dumps(json.loads(line), sort_keys=True) for line in self.export(database).splitlines()}
        self.assertEqual(exported, {json.dumps(document, sort_keys=True) for document in odd})
        self.sound(database)

    def test_pipes_lose_nothing(self):
        """205 documents, the plan first, through process substitution and named pipes: an importer that opened them twice lost some."""
        plan = json.loads((ROOT / "tests/specs/documents/plan/good-stratified.json").read_text())
        documents = [plan] + self.some_documents(204)
        self.assertEqual(len(documents), 205)
        file = self.jsonl("all.jsonl", documents)
        expected = self.export(self.made("direct", documents))
        self.assertEqual(len(expected.splitlines()), 205)
        packed = self.scratch / "all.jsonl.gz"
        packed.write_bytes(gzip.compress(file.read_bytes()))
        commands = ['"$0" import <(cat "$1") --db "$2"', '"$0" import <(sleep 0.1; cat "$1") --db "$2"', '"$0" import <(cat "$1.gz") --db "$2"',
                    'cat "$1" | "$0" import /dev/stdin --db "$2"', 'cat "$1" | "$0" import - --db "$2"',
                    'mkfifo "$2.pipe"; (sleep 0.1; cat "$1" >"$2.pipe") & "$0" import "$2.pipe" --db "$2"',
                    '"$0" import <(head -n 70 "$1") <(tail -n +71 "$1") --db "$2"', '"$0" import <(printf "\\n \\n"; cat "$1") --db "$2"']
        for number, command in enumerate(commands * 3):
            database = self.scratch / f"piped{number}.db"
            with self.subTest(command=command):
                done = subprocess.run(["bash", "-c", command, STACKX, file, database], env=self.environment, capture_output=True, text=True, timeout=240)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertEqual(done.stdout, "205 documents imported, 0 were already there\n")
                self.assertEqual(self.export(database), expected)

    def test_what_other_tools_wrote_comes_through_pipes_too(self):
        report = json.dumps({"results": [{"command": "sleep 0.1", "mean": 0.1, "stddev": 0.01, "median": 0.1, "min": 0.09, "max": 0.11,
                                          "times": [0.09, 0.1, 0.11]}]}, indent=1)
        file, database = self.write("hyperfine.json", report), self.scratch / "store.db"
        command = '"$0" import <(cat "$1") --source https://example.org/x --db "$2"'
        done = subprocess.run(["bash", "-c", command, STACKX, file, database], env=self.environment, capture_output=True, text=True, timeout=240)
        self.assertEqual((done.returncode, done.stdout), (0, "1 document imported, 0 were already there\n"), done.stderr)

    def test_lines_keep_their_numbers_after_a_look_at_the_first(self):
        good = self.some_documents(4)[:1]
        file = self.write("gaps.jsonl", "\n  \n" + json.dumps(good[0]) + "\n\n{}\n")
        self.assertIn("gaps.jsonl:5: ", self.stackx("import", file, "--db", self.scratch / "store.db", exit_code=2).stderr)

    def test_what_never_ends(self):
        database = self.scratch / "store.db"
        for arguments, stdin in ((("import", "/dev/zero"), None), (("import", "-"), "/dev/zero"), (("resolve", "/dev/zero"), None)):
            with open(stdin or "/dev/null", "rb") as stream:
                done = subprocess.run([STACKX, *arguments, "--db", database], env=self.environment, stdin=stream, capture_output=True, text=True, timeout=240)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn("is a device; expected", done.stderr)
        pipe = self.scratch / "pipe"
        os.mkfifo(pipe)
        for command in ("import", "resolve"):
            done = subprocess.run([STACKX, command, pipe, "--db", database], env=self.environment, capture_output=True, text=True, timeout=240)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn("pipe: is a pipe into which nobody writes", done.stderr)

    def test_what_unpacks_to_nothing_but_more_is_refused_at_once(self):
        """What kept a reader busy for 40 s: a 32 KiB file that unpacks to a GiB; blank lines in gzip, which stays below 1000 times."""
        good = json.dumps(self.some_documents(4)[0]).encode() + b"\n"
        squeezed = self.scratch / "squeezed.jsonl.xz"
        with lzma.open(squeezed, "wb", preset=0) as out:
            out.write(good)
            for _ in range(512):
                out.write(b" " * (1 << 20))
        blank = self.scratch / "blank.jsonl.gz"
        with gzip.open(blank, "wb", compresslevel=1) as out:
            out.write(good)
            for _ in range(256):
                out.write(b"\n" * (1 << 20))
        plain = self.scratch / "plain.jsonl"
        plain.write_bytes(good + b"\n" * 20_000_000)
        for file, why in ((squeezed, "unpacks to more than 1000 times its size"), (blank, "blank lines so far"), (plain, "blank lines so far")):
            with self.subTest(file=file.name):
                database, began = self.scratch / f"{file.name}.db", processor_seconds()
                said = self.stackx("import", file, "--db", database, exit_code=2)
                self.assertLess(processor_seconds() - began, 30)
                self.assertIn(why, said.stderr)
                self.assertIn(file.name, said.stderr)
                self.assertEqual(len(self.export(database).splitlines()), 1)

    def test_lines_may_lie_apart(self):
        good = self.some_documents(4)[:3]
        file, database = self.scratch / "apart.jsonl.gz", self.scratch / "apart.db"
        file.write_bytes(gzip.compress(b"".join(b"\n" * 300_000 + json.dumps(one).encode() + b"\n" for one in good)))
        self.stackx("import", file, "--db", database)
        self.assertEqual(len(self.export(database).splitlines()), 3)

    def test_documents_that_unfold_are_refused_in_little_memory_and_time(self):
        """What took 9 GB in each worker, and what took 35 s."""
        good = self.some_documents(4)
        start = '{"$schema":"stackx/inspection/1","x":['
        for name, element, size in (("objects", b"{},", 240 << 20), ("arrays", b"[],", 60 << 20), ("floats", b"0.5,", 60 << 20),
                                    ("odd floats", b"1.50,", 60 << 20), ("integers", b"1,", 60 << 20), ("members", b'{"b":0,"a":0},', 60 << 20)):
            for head in (start, start.replace(":", ": ")):  # in the form that is read quickly, and in another
                file, database = self.scratch / f"{name}.gz", self.scratch / f"{name}{len(head)}.db"
                with gzip.open(file, "wb", compresslevel=1) as out:
                    out.write(json.dumps(good[0]).encode() + b"\n" + head.encode())
                    chunk = element * 100_000
                    for _ in range(size // len(chunk)):
                        out.write(chunk)
                    out.write(b"0]}\n" + json.dumps(good[1]).encode() + b"\n")
                began = processor_seconds()
                done = subprocess.run([STACKX, "import", file, "--db", database, "--json"], env=self.environment, capture_output=True, text=True,
                                      timeout=600, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (3 << 30, 3 << 30)))
                with self.subTest(name=name, head=head, seconds=processor_seconds() - began):
                    self.assertEqual(done.returncode, 2, done.stderr)
                    answer = json.loads(done.stdout)
                    self.assertEqual((answer["inserted"], len(answer["refused"])), (2, 1))
                    self.assertRegex(answer["refused"][0], r"\.gz:2: .*more than 2000000 (values|numbers)")
                    self.assertLess(len(answer["refused"][0]), 1000)
                    self.assertLess(processor_seconds() - began, 60)

    def test_too_little_memory_is_said(self):
        """Whatever there is, and wherever it ends: never a crash."""
        file = self.write("objects.jsonl", '{"$schema": "stackx/inspection/1","x":[' + "{}," * 1_900_000 + "0]}\n")
        said = set()
        for megabytes in (1000, 400, 300, 250, 200, 150, 120):
            limit = megabytes << 20
            for command in (("import", file, "--db", self.scratch / "store.db"), ("resolve", file)):
                done = subprocess.run([STACKX, *command], env=self.environment, capture_output=True, text=True, timeout=240,
                                      preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)))
                self.assertIn(done.returncode, (2, 3), (megabytes, command, done.stderr))
                said.add("too little memory" in done.stderr)
        self.assertEqual(said, {True, False})

    def test_no_memory_for_another_thread(self):
        """Threads that had begun do the work of all, or it is said. (With less, nlohmann's destructors throw: no fault of threads.)"""
        file = self.jsonl("some.jsonl", self.some_documents(4))
        ended = []
        for megabytes in range(70, 200, 3):
            done = subprocess.run([STACKX, "import", file, "--db", self.scratch / f"{megabytes}.db"], env=self.environment, capture_output=True,
                                  text=True, timeout=240, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (megabytes << 20,) * 2))
            ended.append(done.returncode)
            if "GnuTLS" not in done.stderr:  # before stackx begins
                self.assertNotIn("without an active exception", done.stderr, megabytes)
            self.assertNotIn("was changed", done.stderr, megabytes)  # a digest that could not be made is none
        self.assertIn(0, ended)

    def test_how_many_were_refused(self):
        """Reasons are listed for a thousand, and all are counted."""
        good = self.some_documents(4)[:1]
        for database, lines in ((self.scratch / "one.db", "{}\n" * 1500), (self.scratch / "two.db", "{}\n" * 700)):
            file = self.write("refused.jsonl", json.dumps(good[0]) + "\n" + lines)
            done = self.stackx("import", file, file, "--db", database, exit_code=2)
            count = 2 * lines.count("\n")
            self.assertEqual(done.stdout, f"1 document imported, 1 was already there, {count} were refused\n")
            self.assertEqual(done.stderr.count("refused.jsonl:"), 1000)
            self.assertIn(f"and {count - 1000} more were refused", done.stderr)
            answer = self.json("import", file, file, "--db", database, exit_code=2)
            self.assertEqual((answer["already_there"], answer["refused_documents"], len(answer["refused"])), (2, count, 1000))

    def test_a_value_of_a_hundred_megabytes_is_not_echoed(self):
        base = {k: v for k, v in self.some_documents(4)[0].items() if k != "id"}
        large = "x" * 100_000_000
        long, key = large[:10_000_000], large[:10_000]
        for changes in ({"outcome": large}, {large: 1}, {"host": long}, {"$schema": long}, {"finished": 1, key: 2}, {"id": long}):
            file = self.write("large.jsonl", json.dumps(dict(base, **changes)))
            done = self.stackx("import", "--format", "stackx", file, "--db", self.scratch / "store.db", exit_code=2)
            self.assertIn("large.jsonl:1", done.stderr)
            self.assertLess(len(done.stderr), 5000)
        project = {"$schema": "stackx/project/1", "name": "x", "catalogs": [], "requires": {}, "workload": {"pi": "matmul", "params": {}}}
        for changes in ({"name": [large]}, {key: 1}, {"catalogs": [long]}, {"requires": {"a": long}}, {"requires": {key: "*"}},
                        {"$schema": long}, {"workload": {"pi": long, "params": {}}}):
            done = self.stackx("resolve", self.write("large.json", dict(project, **changes)), exit_code=2)
            self.assertLess(len(done.stderr), 5000, str(changes)[:60])

    def test_a_gigabyte_in_one_line_is_refused_without_being_kept(self):
        with open("/proc/meminfo") as memory:
            free = {line.split(":")[0]: int(line.split()[1]) for line in memory}["MemAvailable"]
        if free < 3 << 20:
            self.skipTest("less than 3 GiB of memory are free")
        good = self.some_documents(4)
        database = self.scratch / "store.db"
        process = subprocess.Popen([STACKX, "import", "--format", "stackx", "-", "--db", database, "--json"], env=self.environment,
                                   stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (2 << 30, 2 << 30)))
        process.stdin.write((json.dumps(good[0]) + '\n{"$schema":"stackx/inspection/1","id":"').encode())
        megabyte = b"x" * (1 << 20)
        for _ in range(1024):
            process.stdin.write(megabyte)
        process.stdin.write(('"}\n' + json.dumps(good[1]) + "\n").encode())
        out, err = process.communicate(timeout=600)
        self.assertEqual(process.returncode, 2, err)
        answer = json.loads(out)
        self.assertEqual((answer["inserted"], len(answer["refused"])), (2, 1))
        self.assertIn("stdin:2: a line longer than 256 MiB", answer["refused"][0])
