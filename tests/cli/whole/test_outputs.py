"""What a command writes into a file: whole whoever else writes there, and kept when the power fails once the command ended."""

import gzip
import json
import os
import pathlib
import resource
import shutil
import subprocess

from harness import STACKX, cases
from made_up_store import MadeUpStore


class WithStores(MadeUpStore):
    def filled(self, name, count):
        self.rounds([({"openblas": "0.3.21", "python": "3.11"}, 50 + count)], count=count, campaign=name)
        file = self.write(f"{name}.jsonl", "".join(json.dumps(document) + "\n" for document in self.documents))
        self.documents = []
        database = self.scratch / f"{name}.db"
        self.stackx("import", file, "--db", database)
        return database


class Outputs(WithStores):
    def at_once(self, *commands):
        """Exit codes and what was said, of commands that run at the same time."""
        started = [subprocess.Popen([STACKX, *map(str, command)], env=self.environment, stdout=subprocess.PIPE,
                                    stderr=subprocess.PIPE, text=True) for command in commands]
        ended = [(process.communicate(timeout=900), process.returncode) for process in started]
        return [(code, out + err) for (out, err), code in ended]

    def names(self, directory):
        return {file.name for file in directory.iterdir()}

    def test_salvages_to_one_file_do_not_destroy_each_other(self):
        database = self.filled("one", 120)
        expected = self.stackx("export", "--db", database).stdout
        for trial in range(cases(4, 12)):
            place = self.scratch / f"salvaged{trial}"
            place.mkdir()
            ended = self.at_once(*[("db", "salvage", database, "-o", place / "new.db")] * 5)
            with self.subTest(trial=trial, ended=ended):
                self.assertEqual(sorted(code for code, _ in ended), [0, 2, 2, 2, 2])
                for code, said in ended:
                    self.assertEqual("exists already" in said, code == 2)
                self.assertEqual(self.names(place), {"new.db"})
                self.assertEqual(self.stackx("export", "--db", place / "new.db").stdout, expected)
                self.stackx("db", "check", "--db", place / "new.db")

    def test_a_salvage_does_not_take_the_log_of_another_store(self):
        database = self.filled("one", 10)
        log = self.scratch / "new.db-wal"
        log.write_bytes(b"of a store that was removed")
        self.assertIn("new.db-wal: exists already", self.stackx("db", "salvage", database, "-o", self.scratch / "new.db", exit_code=2).stderr)

    def test_exports_to_one_file_do_not_mix(self):
        databases = [self.filled(f"store{number}", 40 + 60 * number) for number in range(4)]
        expected = {self.stackx("export", "--db", database).stdout for database in databases}
        for trial in range(cases(4, 12)):
            for ending, unpack in ((".jsonl", bytes), (".jsonl.gz", gzip.decompress)):
                place = self.scratch / f"exports{trial}{ending}"
                place.mkdir()
                ended = self.at_once(*[("export", "--db", database, "-o", place / f"all{ending}") for database in databases * 2])
                self.assertEqual([code for code, _ in ended], [0] * 8, ended)
                self.assertIn(unpack((place / f"all{ending}").read_bytes()).decode(), expected)
                self.assertEqual(self.names(place), {f"all{ending}"})

    def test_reports_to_one_file_do_not_mix(self):
        databases = [self.filled(f"store{number}", 20 + 20 * number) for number in range(2)]
        page = self.scratch / "report.md"

        def report(database):
            return ("report", "--format", "markdown", "--db", database, "-o", page)

        expected = set()
        for database in databases:
            self.stackx(*report(database))
            expected.add(page.read_text())
        self.assertEqual(len(expected), 2)
        for _ in range(cases(2, 6)):
            ended = self.at_once(*[report(database) for database in databases * 2])
            self.assertEqual([code for code, _ in ended], [0] * 4, ended)
            self.assertIn(page.read_text(), expected)

    def test_an_output_over_the_store_is_refused(self):
        database = self.filled("one", 20)
        before = self.stackx("export", "--db", database).stdout
        for command in (("export",), ("report", "--format", "markdown")):
            said = self.stackx(*command, "--db", database, "-o", database, exit_code=2).stderr
            self.assertIn("is a database, perhaps the store, and would be replaced; name another file", said)
        self.assertEqual(self.stackx("export", "--db", database).stdout, before)

    def test_an_output_that_cannot_be_written_is_an_error_and_leaves_nothing(self):
        """stdout that was closed, by its name, and a limit on the size of files, which kills who does not look."""
        database, place = self.filled("one", 60), self.scratch / "place"
        place.mkdir()

        def export(output, **how):
            return subprocess.run([STACKX, "export", "--db", database, "-o", output], env=self.environment, text=True, stderr=subprocess.PIPE, **how)

        closed = export("/dev/stdout", preexec_fn=lambda: os.close(1))
        self.assertEqual(closed.returncode, 3, closed.stderr)
        self.assertIn("cannot be written", closed.stderr)
        limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (40960, resource.RLIM_INFINITY))
        limited = export(place / "all.jsonl", preexec_fn=limit)
        self.assertEqual(limited.returncode, 3, limited.stderr)
        self.assertIn("File too large", limited.stderr)
        self.assertEqual(self.names(place), set())
        self.assertIn("make it first", export(place / "none" / "all.jsonl").stderr)

    def test_what_a_killed_export_left_is_used_up(self):
        database, output = self.filled("one", 20), self.scratch / "place" / "all.jsonl"
        output.parent.mkdir()
        (output.parent / ".all.jsonl.1.stackx-draft").write_text("x" * 1_000_000)
        self.stackx("export", "--db", database, "-o", output)
        self.assertEqual(output.read_text(), self.stackx("export", "--db", database).stdout)
        self.assertEqual(self.names(output.parent), {"all.jsonl"})

    def test_what_others_leave_beside_it_stays(self):
        """A browser's download, what has another name as well, and names as long as they may be."""
        database, place = self.filled("one", 20), self.scratch / "place"
        place.mkdir()
        others = {name: place / name for name in ("all.jsonl.part", "all.jsonl.2.part", "precious")}
        for name, path in others.items():
            path.write_text(name)
        os.link(others["precious"], place / ".all.jsonl.1.stackx-draft")
        (place / ".all.jsonl.2.stackx-draft").symlink_to(others["precious"])
        self.stackx("export", "--db", database, "-o", place / "all.jsonl")
        for name, path in others.items():
            self.assertEqual(path.read_text(), name)
        long = place / ("ü" * 124 + ".jsonl")  # 254 bytes
        self.stackx("export", "--db", database, "-o", long)
        self.assertEqual(long.read_text(), (place / "all.jsonl").read_text())
        self.assertEqual(self.names(place), {*others, ".all.jsonl.1.stackx-draft", ".all.jsonl.2.stackx-draft", "all.jsonl", long.name})


class PowerFailure(WithStores):
    """What outlasts one: a file that was synced, under a name that its directory was synced with."""

    def setUp(self):
        super().setUp()
        compiler = os.environ.get("STACKX_CC") or shutil.which("cc")
        if not compiler:
            self.skipTest("no C compiler to build the watcher with")
        watcher = self.scratch / "watch_files.so"
        subprocess.run([compiler, "-shared", "-fPIC", "-o", watcher, pathlib.Path(__file__).with_name("watch_files.c"), "-ldl"], check=True)
        self.log = self.scratch / "watched"
        self.watched = dict(LD_PRELOAD=str(watcher), WATCHED_FILES=str(self.log))

    def lasting(self, *arguments):
        """The files that the command renamed, if each was synced before and its directory after, before any other rename."""
        self.log.unlink(missing_ok=True)
        self.environment |= self.watched
        self.stackx(*arguments)
        for name in self.watched:
            del self.environment[name]
        events = [line.split("\t") for line in self.log.read_text().splitlines()]
        renamed = []
        for at, (what, source, target) in enumerate(events):
            if what != "rename":
                continue
            source, target = (os.path.join(os.path.realpath(os.path.dirname(path) or "."), os.path.basename(path)) for path in (source, target))
            self.assertIn(["sync", source, ""], events[:at], f"{target} can be empty")
            self.assertEqual(events[at + 1], ["sync", os.path.dirname(target), ""], f"{target} can be missing")
            renamed.append(target)
        return renamed

    def test_result_documents(self):
        self.fake_catalog({"library": ("9.9.1", self.fake_blas())})
        renamed = self.lasting("inspect", self.project())
        results = f"{self.db}-results/"
        documents = [path for path in map(str, pathlib.Path(results).rglob("*.json"))]
        self.assertEqual(len(documents), 4)  # the plan and three rounds
        self.assertEqual(sorted(path for path in renamed if path.startswith(os.path.realpath(results))),
                         sorted(map(os.path.realpath, documents)))

    def test_a_new_stores_directories(self):
        self.write("none.jsonl", "")
        self.lasting("import", self.scratch / "none.jsonl", "--format", "stackx", "--db", self.scratch / "new" / "er" / "s.db")
        synced = [line.split("\t")[1] for line in self.log.read_text().splitlines() if line.startswith("sync")]
        for directory in (self.scratch, self.scratch / "new"):
            self.assertIn(os.path.realpath(directory), synced)

    def test_outputs(self):
        database = self.filled("one", 20)
        for arguments in (("export", "--db", database, "-o", "all.jsonl"), ("export", "--db", database, "-o", "all.jsonl.zst"),
                          ("report", "--format", "markdown", "--db", database, "-o", "report.md"), ("db", "salvage", database, "-o", "new.db")):
            output = os.path.realpath(self.scratch / arguments[-1])
            self.assertEqual(self.lasting(*arguments[:-1], output), [output])
