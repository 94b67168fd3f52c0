"""Where more was measured than one answer shows, advise reads the stacks that the maintained sums say lead."""

import sqlite3

from made_up_store import MadeUpStore

STACKS = 30


class Large(MadeUpStore):
    def setUp(self):
        super().setUp()
        rates = [({"numpy": f"1.{n}", "blas": "3"}, 100 + 3 * (n * 7 % STACKS)) for n in range(STACKS)]
        self.best = max(rates, key=lambda rate: rate[1])[0]
        self.store_once(lambda: self.rounds(rates, count=150))

    def advise(self, *arguments):
        return self.json("advise", "--hw", "host", "--workload", "matmul", "--explain", *arguments)

    def test_the_leading_stacks_are_those_of_all(self):
        every = self.advise("--rows", "0")
        few = self.advise()
        self.assertEqual(len(every["recommendations"]), STACKS)
        self.assertEqual(every["recommendations"][0]["stack"]["components"], self.best)
        shown = [row["stack"] for row in few["recommendations"]]
        self.assertGreaterEqual(len(shown), 10)
        self.assertLess(len(shown), STACKS)
        self.assertEqual(shown, [row["stack"] for row in every["recommendations"]][:len(shown)])
        for one, same in zip(few["recommendations"], every["recommendations"]):
            for key in ("rate", "cv", "inspections", "failures", "evidence"):
                self.assertEqual(one[key], same[key])
        self.assertTrue([note for note in few["notes"] if note.startswith(f"{STACKS} stacks were measured, in 4500 inspections")])
        self.assertFalse([note for note in every["notes"] if "stacks were measured, in" in note])

    def test_the_answer_names_the_first(self):
        document = self.json("advise", "--hw", "host", "--workload", "matmul")
        self.assertEqual(document["answer"]["stack"], self.best)
        self.assertEqual([row["stack"] for row in document["recommendations"]],
                         [row["stack"] for row in self.advise()["recommendations"]][:8])

    def test_as_many_as_asked_for(self):
        for rows in (3, 28):
            self.assertEqual(len(self.advise("--rows", str(rows))["recommendations"]), rows)

    def test_sums_that_a_killed_import_left_are_made_first(self):
        with sqlite3.connect(self.db) as database:
            database.execute("UPDATE series SET median = 1, checksum = 0")
            database.execute("INSERT INTO stale SELECT id FROM series")
        database.close()
        self.assertEqual(self.advise()["recommendations"][0]["stack"]["components"], self.best)
        with sqlite3.connect(self.db) as database:
            self.assertEqual(database.execute("SELECT count(*) FROM stale").fetchone(), (0,))
        database.close()

    def test_a_changed_sum_is_an_error(self):
        with sqlite3.connect(self.db) as database:
            database.execute("UPDATE series SET median = median * 2 WHERE id = 7")
        database.close()
        done = self.stackx("advise", "--hw", "host", "--workload", "matmul", exit_code=3)
        self.assertIn("series: row 7 is changed", done.stderr)
