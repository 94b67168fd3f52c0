"""stackx db: what is in a store, whether it is sound, and what can be saved of a damaged one."""

import fcntl
import json
import os
import pathlib
import sqlite3

from made_up_store import MadeUpStore, campaign_id


class Db(MadeUpStore):
    def setUp(self):
        super().setUp()
        self.rounds([({"openblas": f"0.3.{minor}"}, 50 + minor) for minor in (9, 21, 23)], count=40)
        self.inspection({"openblas": "0.3.9"}, 50, outcome="crashed", reason="signal 11", samples_ns=[], campaign="other")
        self.count = len(self.documents)
        self.file = self.store("one")

    def change(self, sql):
        connection = sqlite3.connect(self.file)
        connection.execute(sql)
        connection.commit()
        connection.close()

    def test_info(self):
        told = self.json("db", "info", "--db", self.file)
        self.assertEqual(told["counts"]["inspections"], self.count)
        self.assertEqual(told["counts"]["failed"], 1)
        self.assertEqual(told["counts"]["campaigns"], 2)
        self.assertEqual(told["counts"]["stacks"], 3)
        self.assertEqual(told["file_bytes"], self.file.stat().st_size)
        text = self.stackx("db", "info", "--db", self.file).stdout
        self.assertIn(f"inspections  {self.count}", text)
        self.assertIn("no such store", self.stackx("db", "info", "--db", self.scratch / "none.db", exit_code=2).stderr)
        self.assertIn("bytes_an_inspection", told)
        # Where others' results lie in the file, too, its size divided by the inspections is no inspection's.
        self.stackx("query", "hardware", "--db", self.file)
        told = self.json("db", "info", "--db", self.file)
        self.assertGreater(told["counts"]["published"], 0)
        self.assertNotIn("bytes_an_inspection", told)
        self.assertNotRegex(self.stackx("db", "info", "--db", self.file).stdout, "(?m)^  each")

    def test_a_store_is_named_by_an_option(self):
        self.assertIn('"one.db" is one word too many; --db names a store', self.stackx("db", "check", "one.db", exit_code=2).stderr)

    def test_sound(self):
        self.assertIn(f"sound: {self.count} inspections", self.stackx("db", "check", "--db", self.file).stdout)
        self.assertEqual(self.json("db", "check", "--db", self.file)["problems"], [])
        self.assertIn("no such store", self.stackx("db", "check", "--db", self.scratch / "none.db", exit_code=2).stderr)
        text = self.write("text.db", "this is no store, but long enough to be looked at as one " * 20)
        self.assertIn("not a stackx store", self.stackx("db", "check", "--db", text, exit_code=2).stderr)

    def test_a_store_that_may_not_be_read_is_not_damaged(self):
        """Salvage could not read it either."""
        self.scratch.chmod(0o755)
        self.file.chmod(0)
        nobody = {"preexec_fn": lambda: os.setuid(65534)} if os.geteuid() == 0 else {}
        done = self.stackx("db", "check", "--db", self.file, exit_code=3, **nobody)
        self.assertRegex(done.stderr, f"^stackx: {self.file}: cannot be .*permissions")
        self.assertNotIn("salvage", done.stdout + done.stderr)
        self.assertNotIn("damaged", done.stdout + done.stderr)

    def test_every_kind_of_damage_is_a_line(self):
        """Each change is one that SQLite itself finds nothing wrong with."""
        for sql, expected in (
                ("UPDATE inspections SET samples = substr(samples, 1, length(samples) - 1) WHERE id = (SELECT min(id) FROM inspections)", "checksum"),
                ("UPDATE inspections SET key = key + 1 WHERE id = (SELECT max(id) FROM inspections)", "checksum"),
                ("UPDATE hosts SET document = replace(document, '\"cores\":', '\"cores\" :')", "hosts"),
                ("UPDATE contexts SET document = document || ' '", "contexts"),
                ("UPDATE versions SET version = '9.9.9' WHERE id = 1", "stacks"),
                ("UPDATE series SET median = median * 2 WHERE id = 1", "series"),
                ("UPDATE series SET ok = ok + 1 WHERE id = 1", "series"),
                ("UPDATE campaigns SET done = done + 1", "campaigns"),
                ("DELETE FROM inspections WHERE id = (SELECT min(id) FROM inspections)", "series")):
            with self.subTest(sql=sql):
                content = self.file.read_bytes()
                self.change(sql)
                done = self.stackx("db", "check", "--db", self.file, exit_code=1)
                self.assertIn(expected, done.stdout)
                self.assertRegex(done.stderr, rf"^{self.file} is damaged: \d+ problems?; `stackx db salvage {self.file}` ")
                self.assertTrue(all(line.startswith(str(self.file)) for line in done.stdout.splitlines()), done.stdout)
                answer = self.json("db", "check", "--db", self.file, exit_code=1)
                self.assertFalse(answer["sound"])
                self.assertEqual(len(answer["problems"]), len(done.stdout.splitlines()))
                for companion in ("-wal", "-shm"):
                    pathlib.Path(f"{self.file}{companion}").unlink(missing_ok=True)
                self.file.write_bytes(content)

    def test_what_is_gone_is_said_in_words_and_once(self):
        connection = sqlite3.connect(self.file)
        connection.execute("PRAGMA foreign_keys = OFF")
        connection.execute("DELETE FROM workloads")
        connection.commit()
        connection.close()
        problems = self.json("db", "check", "--db", self.file, exit_code=1)["problems"]
        self.assertEqual(len(problems), len(set(problems)), problems)
        self.assertTrue(any("of its rows name is not there any more" in one for one in problems), problems)
        for words in ("PRAGMA", "json.exception"):
            self.assertNotIn(words, "".join(problems))

    def test_backup(self):
        copy = self.scratch / "copy.db"
        told = self.stackx("db", "backup", copy, "--db", self.file).stdout
        self.assertRegex(" ".join(told.split()), f"^{copy}: .* with {self.count} inspections and 0 plans, as {self.file} held them")
        self.assertEqual(self.stackx("export", "--db", copy).stdout, self.stackx("export", "--db", self.file).stdout)
        content = copy.read_bytes()
        self.assertIn("exists already", self.stackx("db", "backup", copy, "--db", self.file, exit_code=2).stderr)
        self.assertEqual(copy.read_bytes(), content)
        other = self.json("db", "backup", self.scratch / "other.db", "--db", self.file)
        self.assertEqual((other["inspections"], other["bytes"]), (self.count, (self.scratch / "other.db").stat().st_size))
        done = self.stackx("db", "backup", self.scratch / "x.db", "--db", self.scratch / "none.db", exit_code=2)
        self.assertIn("no such store", done.stderr)

    def remove(self, *options, **more):
        done = self.stackx("db", "remove", *options, "--db", self.file, **more)
        return " ".join((done.stdout + done.stderr).split())

    def test_remove(self):
        before = self.stackx("export", "--db", self.file).stdout
        other = campaign_id("other")
        told = self.remove("--campaign", other[:8])
        self.assertIn(f"1 of {self.count} inspections would be removed, 1 of them failed", told)
        self.assertIn(f"campaign {other[:12]}: all 1 inspection", told)
        self.assertIn("Nothing is removed yet: the same with --yes does it", told)
        self.assertEqual(self.stackx("export", "--db", self.file).stdout, before)
        self.assertIn(f"1 of {self.count} inspections was removed", self.remove("--campaign", other[:8], "--yes"))
        left = self.stackx("export", "--db", self.file).stdout
        self.assertEqual(left.splitlines(), [line for line in before.splitlines() if json.loads(line)["campaign"] != other])
        self.stackx("db", "check", "--db", self.file)
        document = self.json("db", "remove", "--before", "2026-11-20T17:10:00Z", "--yes", "--db", self.file)
        self.assertEqual((document["removed"], document["inspections"], document["of"]), (True, 30, self.count - 1))
        self.assertEqual([(one["inspections"], one["of"], one["whole"]) for one in document["campaigns"]], [(30, self.count - 1, False)])
        self.stackx("db", "check", "--db", self.file)
        self.assertIn("Nothing to remove", self.remove("--before", "2026-01-31"))
        self.remove("--host", self.host["hostname"], "--yes")
        self.assertEqual(self.stackx("export", "--db", self.file).stdout, "")

    def test_remove_says_what_is_missing(self):
        for words, told in (((), "say which results: --campaign ID"), (("--campaign", "ffffff"), "knows no campaign of this id"),
                            (("--host", "nobody"), "it has those of: "), (("--before", "soon"), "--before soon: expected a time back")):
            with self.subTest(words=words):
                self.assertIn(told, self.remove(*words, "--yes", exit_code=2))
        self.assertEqual(self.json("db", "info", "--db", self.file)["counts"]["inspections"], self.count)

    def test_a_campaign_that_runs_is_not_removed(self):
        first = campaign_id("first")
        place = self.scratch / "one.db-results" / first[:12]
        place.mkdir(parents=True)
        with (place / "lock").open("w") as lock:
            lock.write("process 77 on node1\n")
            lock.flush()
            fcntl.flock(lock, fcntl.LOCK_EX)
            told = self.remove("--campaign", first, "--yes", exit_code=2)
            self.assertIn(f"campaign {first[:12]} is being run by process 77 on node1", told)
        self.assertEqual(self.json("db", "info", "--db", self.file)["counts"]["inspections"], self.count)
        self.remove("--campaign", first, "--yes")
        self.assertFalse(place.exists())

    def test_salvage(self):
        whole = self.stackx("export", "--db", self.file).stdout
        self.change("UPDATE inspections SET samples = x'00' WHERE id IN (SELECT id FROM inspections ORDER BY id LIMIT 2)")
        content = self.file.read_bytes()
        new = self.scratch / "new.db"
        done = self.stackx("db", "salvage", self.file, "-o", new, exit_code=1)
        self.assertTrue(done.stdout.startswith(f"{new}: {self.count - 2} inspections"), done.stdout)
        self.assertIn("2 documents of which something is left", done.stdout)
        self.assertEqual(done.stderr.count("not saved:"), 2)
        self.assertEqual(self.file.read_bytes(), content)
        saved = self.stackx("export", "--db", new).stdout.splitlines()
        self.assertEqual(len(saved), self.count - 2)
        self.assertLessEqual(set(saved), set(whole.splitlines()))
        self.stackx("db", "check", "--db", new)
        self.assertIn("exists already", self.stackx("db", "salvage", self.file, "-o", new, exit_code=2).stderr)
        # The default name; and what stands in the result files beside the store comes back.
        results = self.scratch / "one.db-results" / "first"
        results.mkdir(parents=True)
        for line in whole.splitlines():
            (results / f"{json.loads(line)['id']}.json").write_text(line + "\n")
        answer = self.json("db", "salvage", self.file, exit_code=1)
        self.assertEqual((answer["inspections"], answer["lost"]), (self.count - 2, 2))
        self.assertEqual(answer["store"], str(self.scratch / "one.salvaged.db"))
        self.assertEqual(self.stackx("export", "--db", answer["store"]).stdout, whole)

    def test_nothing_to_salvage(self):
        for name, content in (("empty.db", b""), ("text.db", b"no store at all\n" * 1000), ("zeros.db", bytes(1 << 16))):
            file = self.scratch / name
            file.write_bytes(content)
            done = self.stackx("db", "salvage", file, exit_code=2)
            self.assertIn(str(file), done.stderr)
            self.assertEqual([path.name for path in self.scratch.glob(f"{file.stem}*")], [name])
        self.stackx("db", "salvage", self.scratch / "none.db", exit_code=2)

    def test_compact(self):
        whole = self.stackx("export", "--db", self.file).stdout
        self.change("CREATE TABLE ballast(x)")
        self.change("INSERT INTO ballast VALUES(zeroblob(3000000))")
        self.change("DROP TABLE ballast")
        told = self.json("db", "compact", "--db", self.file)
        self.assertLess(told["bytes"], told["bytes_before"] - 2_900_000)
        self.assertEqual(self.stackx("export", "--db", self.file).stdout, whole)
        self.stackx("db", "check", "--db", self.file)
