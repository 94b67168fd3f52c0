"""kill -9 while a store is filled, brought forward, merged and salvaged; disks that are full; writers and readers at once.

After each kill the store is sound and lacks nothing that it had before; the same command again completes it, and its content is
that of an undisturbed run. Under `./run test --thorough` there are more moments; STACKX_LONG=1: still more, and a whole minute of
writers and readers.
"""

import gzip
import json
import os
import pathlib
import random
import re
import shutil
import signal
import sqlite3
import subprocess
import threading
import time

from harness import ROOT, STACKX, cases
from made_up_store import MadeUpStore, campaign_id, sealed

LONG = os.environ.get("STACKX_LONG") == "1"
KILLS = 300 if LONG else cases(40, 100)
SECONDS = 60 if LONG else cases(4, 8)
STORED = ROOT / "tests" / "store" / "data"


class StoreKill(MadeUpStore):
    def setUp(self):
        super().setUp()
        for minor in (9, 21, 23):
            self.rounds([({"openblas": f"0.3.{minor}", "python": "3.11"}, 50 + minor)], count=40, campaign="first")
        self.all = self.scratch / "all.jsonl"
        self.all.write_text("".join(json.dumps(document, sort_keys=True) + "\n" for document in self.documents))
        self.environment["STACKX_DB"] = str(self.scratch / "unused.db")

    def export(self, database):
        return self.stackx("export", "--db", database).stdout

    def some(self, name, part):
        """A store of every third document from `part` on."""
        database = self.scratch / name
        lines = self.all.read_text().splitlines(keepends=True)
        self.stackx("import", self.write(f"{name}.jsonl", "".join(lines[part::3])), "--db", database)
        return database

    def killed(self, arguments, delay):
        process = subprocess.Popen([STACKX, *map(str, arguments)], env=self.environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            process.wait(timeout=delay)
            return False
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
            process.wait()
            return True

    def duration(self, prepare, arguments):
        """Of an undisturbed run, the longest of three."""
        longest = 0.0
        for _ in range(3):
            prepare()
            begin = time.monotonic()
            self.stackx(*arguments)
            longest = max(longest, time.monotonic() - begin)
        return longest

    def torment(self, prepare, arguments, after_kill, finish, seed):
        """`prepare`, killed at a random moment of each of KILLS equal parts of its time, `after_kill`, the command again, `finish`.
        Deaths are counted. Its time is what it takes now: other tests that run beside this one begin and end."""
        time_needed = self.duration(prepare, arguments)
        chance = random.Random(seed)
        moments = [(part + chance.random()) / KILLS for part in range(KILLS)]
        chance.shuffle(moments)
        deaths = 0
        for trial, moment in enumerate(moments):
            prepare()
            begin = time.monotonic()
            if self.killed(arguments, moment * time_needed):
                deaths += 1
            else:
                time_needed = (time_needed + time.monotonic() - begin) / 2
            with self.subTest(trial=trial):
                after_kill()
                if trial % 5 == 0:  # every state was looked at; finishing each costs as much again
                    finish()
        self.assertGreater(deaths, KILLS // 3, "hardly a run was killed in time")

    def remove(self, database):
        for companion in ("", "-wal", "-shm"):
            pathlib.Path(f"{database}{companion}").unlink(missing_ok=True)

    def restore(self, files, database):
        self.remove(database)
        for suffix, content in files.items():
            pathlib.Path(f"{database}{suffix}").write_bytes(content)

    def contents(self, database):
        return {suffix: pathlib.Path(f"{database}{suffix}").read_bytes()
                for suffix in ("", "-wal") if pathlib.Path(f"{database}{suffix}").exists() and os.path.getsize(f"{database}{suffix}")}

    def check_growing(self, database, before, expected, checked=False):
        if not checked:
            self.stackx("db", "check", "--db", database)
        now = set(self.export(database).splitlines())
        self.assertLessEqual(before, now, "what was there is lost")
        self.assertLessEqual(now, expected)

    def test_import(self):
        """Into a store that has a third of the documents, and into none, in turn."""
        database, reference = self.some("store.db", 0), self.scratch / "reference.db"
        self.stackx("import", self.all, "--db", reference)
        expected, some = self.export(reference), set(self.export(database).splitlines())
        files, again = self.contents(database), ("import", self.all, "--db", database)
        before = [set()]

        def prepare():
            before[0] = set() if before[0] else some
            self.restore(files if before[0] else {}, database)

        def after_kill():
            done = subprocess.run([STACKX, "db", "check", "--db", database], env=self.environment, capture_output=True, text=True)
            if done.returncode:  # a store that is not begun yet
                self.assertRegex(done.stderr, "no such store|empty store", done.stdout)
                self.assertFalse(before[0])
            else:
                self.check_growing(database, before[0], set(expected.splitlines()), checked=True)

        def finish():
            self.stackx(*again)
            self.assertEqual(self.export(database), expected)
            self.stackx("db", "check", "--db", database)

        self.torment(prepare, again, after_kill, finish, 1)

    def test_remove(self):
        """All of it is there, or none; the same command again completes it."""
        self.inspection({"openblas": "0.3.9"}, 50, campaign="other")
        database, campaign = self.store("store"), campaign_id("first")
        self.stackx("import", self.all, "--db", database)
        files, again = self.contents(database), ("db", "remove", "--campaign", campaign, "--yes", "--db", database)
        whole = self.export(database)
        rest = [line for line in whole.splitlines() if json.loads(line)["campaign"] != campaign]

        def after_kill():
            self.stackx("db", "check", "--db", database)
            self.assertIn(self.export(database), (whole, "\n".join(rest) + "\n"))

        def finish():
            subprocess.run([STACKX, *map(str, again)], env=self.environment, capture_output=True)  # refused, if it is gone
            self.assertEqual(self.export(database).splitlines(), rest)

        self.torment(lambda: self.restore(files, database), again, after_kill, finish, 5)

    def test_migrate(self):
        old = gzip.decompress((STORED / "schema-1.db.gz").read_bytes())
        stored = gzip.decompress((STORED / "schema-1.jsonl.gz").read_bytes()).decode().splitlines()
        database, one = self.scratch / "old.db", self.write("one.jsonl", stored[0] + "\n")
        again = ("import", one, "--db", database)

        def after_kill():
            done = subprocess.run([STACKX, "db", "check", "--db", database], env=self.environment, capture_output=True, text=True)
            if done.returncode:
                self.assertIn("schema 1 is older", done.stderr)
            else:
                self.assertEqual(sorted(self.export(database).splitlines()), sorted(stored))

        def finish():
            self.stackx(*again)
            self.assertEqual(sorted(self.export(database).splitlines()), sorted(stored))
            self.stackx("db", "check", "--db", database)

        self.torment(lambda: self.restore({"": old}, database), again, after_kill, finish, 2)

    def test_merge(self):
        into, other, third = self.some("into.db", 0), self.some("other.db", 1), self.some("third.db", 2)
        reference = self.scratch / "reference.db"
        self.stackx("import", self.all, "--db", reference)
        expected, before, files = self.export(reference), set(self.export(into).splitlines()), self.contents(into)
        others = self.contents(other), self.contents(third)
        again = ("merge", other, third, "--db", into)

        def after_kill():
            self.check_growing(into, before, set(expected.splitlines()))
            self.assertEqual((self.contents(other), self.contents(third)), others)

        def finish():
            self.stackx(*again)
            self.assertEqual(self.export(into), expected)

        self.torment(lambda: self.restore(files, into), again, after_kill, finish, 3)

    def test_salvage(self):
        damaged, new = self.scratch / "damaged.db", self.scratch / "new" / "new.db"
        new.parent.mkdir()
        self.stackx("import", self.all, "--db", damaged)
        self.stackx("db", "compact", "--db", damaged)
        content = bytearray(damaged.read_bytes())
        size = 256 * content[16]
        connection = sqlite3.connect(damaged)
        indexes = [page for page, in connection.execute("SELECT rootpage FROM sqlite_schema WHERE type = 'index'")]
        connection.close()
        for page in indexes:
            content[(page - 1) * size:page * size] = bytes(size)
        self.remove(damaged)
        damaged.write_bytes(content)
        self.stackx("db", "check", "--db", damaged, exit_code=1)
        expected = self.all.read_text().splitlines()
        again = ("db", "salvage", damaged, "-o", new)

        def prepare():
            shutil.rmtree(new.parent)
            new.parent.mkdir()

        def ids(database):
            return {json.loads(line)["id"] for line in self.export(database).splitlines()}

        whole = {json.loads(line)["id"] for line in expected}

        def after_kill():
            self.assertEqual(damaged.read_bytes(), content)
            if new.exists():  # it got its name when it was complete
                self.assertEqual(ids(new), whole)

        def finish():
            if not new.exists():
                self.stackx(*again)
                self.assertEqual({file.name for file in new.parent.iterdir()}, {"new.db"}, "left behind")
            self.assertEqual(ids(new), whole)
            self.stackx("db", "check", "--db", new)

        self.torment(prepare, again, after_kill, finish, 4)


class FullDisk(MadeUpStore):
    """On a tmpfs of a megabyte, in a mount namespace of its own."""

    SCRIPT = """set -u
mount -t tmpfs -o size=3m none "$1" || exit 99
cp "$2"/* "$1"/
cd "$1"
shift 2
left=$1; shift
head -c $(( $(stat -f -c '%a*%S' .) - left )) /dev/zero >filler
"$@" >"$OUT/full.out" 2>"$OUT/full.err"; echo $? >"$OUT/full.rc"
rm -f filler
"$STACKX" db check --db store.db >"$OUT/check.out" 2>&1; echo $? >"$OUT/check.rc"
ls -A >"$OUT/files"
"$@" >"$OUT/again.out" 2>&1; echo $? >"$OUT/again.rc"
"$STACKX" export --db "${RESULT:-store.db}" >"$OUT/export"
"""

    def setUp(self):
        super().setUp()
        if subprocess.run(["unshare", "-rm", "true"], capture_output=True).returncode:
            self.skipTest("no mount namespaces here")
        self.rounds([({"openblas": f"0.3.{minor}"}, 50 + minor) for minor in (9, 21, 23)], count=150)
        for document in self.documents[::7]:
            document.update(sealed({**{k: v for k, v in document.items() if k != "id"}, "campaign": ""}))
        self.file = self.scratch / "all.jsonl"
        self.file.write_text("".join(json.dumps(document, sort_keys=True) + "\n" for document in self.documents))
        self.start, self.place = self.scratch / "start", self.scratch / "place"
        self.start.mkdir()
        self.place.mkdir()

    def on_a_disk_with(self, left, *command, result="store.db"):
        out = self.scratch / "out"
        shutil.rmtree(out, ignore_errors=True)
        out.mkdir()
        done = subprocess.run(["unshare", "-rm", "bash", "-c", self.SCRIPT, "sh", self.place, self.start, str(left), STACKX, *map(str, command)],
                              env=dict(self.environment, OUT=str(out), STACKX=STACKX, RESULT=result), capture_output=True, text=True, timeout=600)
        if done.returncode == 99:
            self.skipTest("no tmpfs can be mounted here")
        return {file.name: file.read_text() for file in out.iterdir()}

    def room(self, *command, result="store.db", seed=0, checked=True):
        """The command with less and less room: a clear error, a sound store, and complete with room again."""
        whole = self.on_a_disk_with(2 << 20, *command, result=result)
        self.assertEqual(whole["full.rc"], "0\n", whole)
        failures = 0
        for left in [0, 4096, 40960, 81920] + [random.Random(seed).randrange(1 << 19) // 4096 * 4096 for _ in range(cases(4, 8))]:
            with self.subTest(left=left):
                done = self.on_a_disk_with(left, *command, result=result)
                if done["full.rc"] != "0\n":
                    failures += 1
                    self.assertEqual(done["full.rc"], "3\n", done)
                    self.assertRegex(done["full.err"], "disk is full|No space left", done)
                if checked:
                    self.assertTrue(done["check.rc"] == "0\n" or "empty store" in done["check.out"] or "no such store" in done["check.out"], done)
                self.assertFalse([name for name in done["files"].split() if "draft" in name or "merge" in name], done["files"])
                self.assertEqual(done["again.rc"], "0\n", done)
                self.assertEqual(done["export"], whole["export"])
        self.assertGreater(failures, 3, "the disk was hardly ever full")

    def test_import(self):
        lines = self.file.read_text().splitlines(keepends=True)
        self.stackx("import", self.write("some.jsonl", "".join(lines[:40])), "--db", self.start / "store.db")
        self.room("import", self.file, "--db", "store.db", seed=1)

    def test_import_says_what_was_stored(self):
        """Documents that are stored each for itself, so that some are in when the disk is full."""
        published = [sealed({"$schema": "stackx/published/1", "hardware": "Tesla V100", "metric": "elapsed_ms", "stack": {"cuda": "9.0"},
                             "source": {"url": "https://example.org/table", "read": "2026-11-01"}, "value": float(number + 1),
                             "workload": {"params": {"m": "512"}, "pi": "matmul"}}) for number in range(40)]
        self.file.write_text("".join(json.dumps(document, sort_keys=True) + "\n" for document in published))
        stored = set()
        self.stackx("import", self.write("one.jsonl", json.dumps(self.documents[0]) + "\n"), "--db", self.start / "store.db")
        for left in (300_000, 500_000, 800_000):
            done = self.on_a_disk_with(left, "import", self.file, "--db", "store.db")
            self.assertEqual((done["full.rc"], done["again.rc"], done["check.rc"]), ("3\n", "0\n", "0\n"), done)
            self.assertNotIn("nothing of this was stored", done["full.err"])
            told = re.search(r"; (\d+) documents were stored before that", done["full.err"])
            self.assertTrue(told, done["full.err"])
            self.assertIn(f"{40 - int(told[1])} documents imported, {told[1]} were already there", done["again.out"])
            stored.add(int(told[1]))
        self.assertGreater(len(stored), 1)

    def test_migrate(self):
        (self.start / "store.db").write_bytes(gzip.decompress((STORED / "schema-1.db.gz").read_bytes()))
        one = self.write("one.jsonl", gzip.decompress((STORED / "schema-1.jsonl.gz").read_bytes()).decode().splitlines()[-1] + "\n")
        self.room("import", one, "--db", "store.db", seed=2, checked=False)

    def test_merge(self):
        self.stackx("import", self.file, "--db", self.scratch / "other.db")
        self.room("merge", self.scratch / "other.db", "--db", "store.db", seed=3)

    def test_salvage(self):
        self.stackx("import", self.file, "--db", self.start / "store.db")
        self.room("db", "salvage", "store.db", "-o", "new.db", result="new.db", seed=4)

    def test_export(self):
        self.stackx("import", self.file, "--db", self.start / "store.db")
        self.room("export", "--db", "store.db", "-o", "all.jsonl", seed=5)


class WritersAndReaders(MadeUpStore):
    def test_two_writers_and_five_readers(self):
        self.rounds([({"openblas": f"0.3.{minor}"}, 50 + minor) for minor in range(20)], count=60)
        documents, self.documents = self.documents, []
        chunks = [documents[i:i + 40] for i in range(0, len(documents), 40)]
        truth = {document["id"] for document in documents}
        files = [self.write(f"chunk{i}.jsonl", "".join(json.dumps(d, sort_keys=True) + "\n" for d in chunk)) for i, chunk in enumerate(chunks)]
        database = self.scratch / "store.db"
        self.stackx("import", files[0], "--db", database)
        end, trouble, waits, rounds = time.monotonic() + SECONDS, [], [], [0, 0]

        def run(*arguments):
            begin = time.monotonic()
            done = subprocess.run([STACKX, *map(str, arguments), "--db", database], env=self.environment, capture_output=True, text=True)
            if done.returncode:
                trouble.append((arguments, done.returncode, done.stderr))
            return done.stdout, time.monotonic() - begin

        def write(writer):
            while (time.monotonic() < end or rounds[writer] <= 2) and not trouble:
                run("import", files[(rounds[writer] * 2 + writer) % len(files)])
                rounds[writer] += 1

        def read():
            seen = 0
            while (time.monotonic() < end or len(waits) <= 10) and not trouble:
                out, wait = run("export")
                waits.append(wait)
                ids = {json.loads(line)["id"] for line in out.splitlines()}
                if not ids <= truth or len(ids) < seen:
                    trouble.append(("export", len(ids), seen))
                seen = len(ids)

        threads = [threading.Thread(target=write, args=(n,)) for n in range(2)] + [threading.Thread(target=read) for _ in range(5)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(trouble, [])
        self.assertGreater(min(rounds), 2)
        self.assertGreater(len(waits), 10)
        self.assertLess(max(waits), 25, "a reader waited for a writer")  # SQLite gives up after 30 s
        self.stackx("db", "check", "--db", database)
