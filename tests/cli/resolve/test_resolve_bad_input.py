"""stackx resolve on input that is wrong, hostile or too large: one clear error, or the answer."""

import json
import math
import resource

from resolve_box import ResolveBox

DEPTH = 10_000


class BadCatalogs(ResolveBox):
    def complaint(self, components):
        self.catalog(components)
        message = self.refusal(self.project(requires={next(iter(components)): "*"}))
        self.assertIn(str(self.scratch / "catalog.json"), message)
        return message

    def test_a_dangling_requirement_names_both_components(self):
        message = self.complaint({"scipy": {"1.11": {"requires": {"nunpy": ">=1"}}}, "numpy": ["1.26"]})
        for words in ("scipy 1.11", "nunpy >=1", 'did you mean "numpy"?'):
            self.assertIn(words, message)

    def test_conditions_and_what_follows_may_not_dangle_either(self):
        for entry in ({"requires_if": [{"if": {"numpy": "*"}, "then": {"nunpy": "*"}}]}, {"requires": {"blass": "*"}}):
            message = self.complaint({"scipy": {"1.11": entry}, "numpy": {"1.26": {"provides": {"blas": "1"}}}})
            self.assertIn("did you mean", message)

    def test_roots_that_nobody_declares(self):
        self.catalog({"numpy": ["1"]})
        project = self.project(requires={"numpi": "*"})
        message = self.refusal(project)
        self.assertIn(str(project), message)
        self.assertIn('did you mean "numpy"?', message)

    def test_a_specifier_that_does_not_parse_is_named_by_file_pointer_and_column(self):
        for specifier, column in ((">=1,<<2", 6), ("1.0", 1), ("=>1", 1), (">=1 <2", 4), (">=x", 3), ("~=1", None)):
            with self.subTest(specifier):
                message = self.complaint({"a": {"1": {"requires": {"b": specifier}}}, "b": ["1"]})
                self.assertIn("/components/a/versions/1/requires/b", message)
                self.assertIn(f'"{specifier}"', message)
                if column:
                    self.assertIn(f"column {column}", message)

    def test_one_that_does_not_parse_among_alternatives(self):
        message = self.complaint({"a": {"1": {"requires": {"b": {"any": [">=2", "<<1"]}}}}, "b": ["1"]})
        self.assertIn("/components/a/versions/1/requires/b/any/1", message)

    def test_versions_that_are_none(self):
        message = self.complaint({"a": {"one": {}}})
        self.assertIn("/components/a/versions/one", message)

    def test_misspelt_keys(self):
        message = self.complaint({"a": {"1": {"require": {"b": "*"}}}, "b": ["1"]})
        self.assertIn("/components/a/versions/1", message)
        self.assertIn('"requires"', message)

    def test_broken_json_is_named_by_line_and_column(self):
        self.write("catalog.json", '{"$schema": "stackx/catalog/1",\n "components": {,}}')
        message = self.refusal(self.project())
        self.assertIn("catalog.json", message)
        self.assertRegex(message, r"line 2|:2:")


class Nesting(ResolveBox):
    """Ten thousand levels: a parser that recurses without a bound would overflow its stack."""

    def complaint(self, project, *options):
        message = self.refusal(project, *options)
        self.assertIn(str(self.scratch), message)
        self.assertRegex(message, "nested|inside each other|parts")
        self.assertLess(len(message), 2_000)

    def test_catalogs(self):
        for open_, inside, close in (("[", "1", "]"), ('{"a":', "1", "}"), ('[{"a":', "1", "}]")):
            with self.subTest(open_):
                self.write("catalog.json", f'{{"$schema":"stackx/catalog/1","components":{open_ * DEPTH}{inside}{close * DEPTH}}}')
                self.complaint(self.project())

    def test_a_catalog_that_ends_inside(self):
        self.write("catalog.json", '{"$schema":"stackx/catalog/1","components":' + "[" * DEPTH)
        self.refusal(self.project())

    def test_projects_and_scores(self):
        self.catalog({"blas": ["1"]})
        deep = "[" * DEPTH + "]" * DEPTH
        self.complaint(self.write("deep.json", '{"$schema":"stackx/project/1","requires":%s}' % deep))
        self.complaint(self.project(), "--top", "1", "--score", self.write("scores.json", '{"$schema":"stackx/score/1","scores":%s}' % deep))

    def test_pipfiles(self):
        catalog = self.catalog({"a": ["1"]})
        for text in (f"[packages]\na = {'[' * DEPTH}{']' * DEPTH}\n", f"[packages]\na = {'{b=' * DEPTH}1{'}' * DEPTH}\n",
                     f"[{'.'.join(['a'] * DEPTH)}]\nb = 1\n"):
            self.complaint(self.write("Pipfile", text), "--catalog", catalog)

    def test_pyprojects(self):
        catalog = self.catalog({"a": ["1"]})
        head = '[project]\nname = "x"\ndependencies = '
        for text in (f"{head}{'[' * DEPTH}{']' * DEPTH}\n", f"""{head}["a; {'(' * DEPTH}os_name == 'x'{')' * DEPTH}"]\n"""):
            self.complaint(self.write("pyproject.toml", text), "--catalog", catalog)

    def test_markers(self):
        catalog = self.catalog({"a": ["1"], "python": ["3.8"]})
        self.complaint(self.write("requirements.txt", f'a; {"(" * DEPTH}os_name == "x"{")" * DEPTH}\n'), "--catalog", catalog)
        # Long is not deep.
        long = self.write("requirements.txt", "a; " + " and ".join(['os_name == "posix"'] * DEPTH) + "\n")
        self.assertEqual(self.count(long, "--catalog", catalog), 1)

    def test_requirements_files_that_name_a_chain_of_files(self):
        catalog = self.catalog({"a": ["1"]})
        for number in range(200):
            self.write(f"requirements-{number}.txt", f"-r requirements-{number + 1}.txt\n")
        self.write("requirements-200.txt", "a\n")
        done = self.stackx("resolve", self.scratch / "requirements-199.txt", "--catalog", catalog, "--count", "--json")
        self.assertEqual(json.loads(done.stdout)["valid_stacks"], "1")


class Large(ResolveBox):
    def test_a_catalog_of_100_mb_is_counted(self):
        # A chain in which nobody is older than the one before: as many stacks as there are ascending sequences.
        versions, source, size, length = 200, "x" * 1000, 0, 0
        with open(self.scratch / "catalog.json", "w") as out:
            out.write('{"$schema":"stackx/catalog/1","components":{')
            while size < 100_000_000:
                entries = {str(v): {"requires": {f"p{length + 1}": f">={v}"}, "source": f"https://example.org/{length}/{v}/{source}"}
                           for v in range(versions)}
                size += out.write(f'"p{length}":{json.dumps({"kind": "package", "versions": entries})},')
                length += 1
            out.write(f'"p{length}":{{"kind":"package","versions":{{"{versions}":{{}}}}}}}}}}')
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime  # of stackx: others load the machine
        self.assertEqual(self.count(self.project(requires={"p0": "*"})), math.comb(length + versions - 1, versions - 1))
        self.assertLess(resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before, 120)


class Entangled(ResolveBox):
    """Components of which no two may be of one version: n rooks on a board. The tables know no shortcut, counting does."""

    def rooks(self, rows, columns):
        names = [f"row-{row:02}" for row in range(rows)]
        self.catalog({name: {str(column): {"conflicts": {other: f"=={column}" for other in names[place + 1:]}} for column in range(columns)}
                      for place, name in enumerate(names)})
        return self.project(requires={name: "*" for name in names}), names

    def test_the_refusal_names_the_components_and_what_still_works(self):
        project, names = self.rooks(8, 9)
        self.assertEqual(self.count(project), math.perm(9, 8))
        for question in (("--share",), ("--sample", "2"), ("--top", "2"), ("--cover", "2")):
            message = self.refusal(project, "--memory", "0.001", *question)
            self.assertGreater(sum(name in message for name in names), 5, message)
            self.assertIn(str(project), message)
            for words in ("0.001 GiB are allowed", "--list", "--explain", "--count", "--memory"):
                self.assertIn(words, message)

    def test_the_count_is_exact_all_the_same(self):
        for rows, columns, memory in ((6, 6, "0.00001"), (8, 9, "0.001")):
            project, _ = self.rooks(rows, columns)
            answer = self.json("resolve", project, "--memory", memory)
            self.assertEqual(answer["valid_stacks"], str(math.perm(columns, rows)))
            self.assertNotIn("valid_stacks_between", answer)
        self.assertIn(f"{math.perm(9, 8):,} valid stacks", self.stackx("resolve", project, "--memory", memory, "--count").stdout)

    def test_bounds_where_time_is_up_hold_the_true_count(self):
        rows, columns = 12, 20
        project, _ = self.rooks(rows, columns)
        answer = self.json("resolve", project, "--memory", "0.01", "--seconds", "0.5")
        self.assertNotIn("valid_stacks", answer)
        low, high = map(int, answer["valid_stacks_between"])
        self.assertTrue(low <= math.perm(columns, rows) <= high <= columns ** rows, answer)
        self.assertLess(low, high)
        text = self.stackx("resolve", project, "--memory", "0.01", "--seconds", "0.5").stdout
        self.assertRegex(text, "at least [0-9,]+ and at most [0-9,]+ valid stacks out of")
        self.assertIn("proven", text)

    def test_lists_explanations_and_graphs_still_work(self):
        project, names = self.rooks(8, 9)
        limit = ("--memory", "0.001")
        stacks = self.stacks(project, *limit, "--list", "3")
        self.assertEqual(len({str(stack) for stack in stacks}), 3)
        for stack in stacks:
            self.assertEqual(stack.keys(), set(names))
            self.assertEqual(len(set(stack.values())), 8)
        self.assertEqual(self.stacks(project, *limit, "--list", "3"), stacks)
        self.assertEqual(self.json("resolve", project, *limit, "--explain")["clash"], [])
        self.assertEqual(self.json("resolve", project, *limit, "--explain", "row-03==4")["clash"], [])
        self.assertIn("digraph", self.stackx("resolve", project, *limit, "--graph", "dot").stdout)
        pinned = json.loads(project.read_text())
        pinned["pins"] = {"row-02": "==5", "row-06": "==5"}
        clash = self.json("resolve", self.write("pinned.json", pinned), *limit, "--explain", exit_code=1)["clash"]
        self.assertEqual(len(clash), 5)  # two roots, two pins, one conflict

    def test_few_stacks_are_counted_without_tables(self):
        project, _ = self.rooks(6, 6)
        by_tables = {str(stack) for stack in self.stacks(project)}
        limit = ("--memory", "0.00001")
        without = [str(stack) for stack in self.stacks(project, *limit, "--list", "1000")]
        self.assertEqual(len(without), math.factorial(6))
        self.assertEqual(set(without), by_tables)
        for question in ("--count", "--share"):
            answers = [self.json("resolve", project, question, *more) for more in ((), limit)]
            for answer in answers:
                answer.pop("elapsed_ms", None)
            self.assertEqual(*answers)
        ranked = self.stacks(project, *limit, "--top", "1000")
        self.assertEqual({str(stack) for stack in ranked}, by_tables)
        covering = self.stacks(project, *limit, "--cover", "2")
        self.assertTrue({str(stack) for stack in covering} <= by_tables)

    def test_the_approximate_count_holds_the_true_one(self):
        for rows, columns, memory in ((8, 9, "0.001"), (10, 16, "0.02")):
            project, _ = self.rooks(rows, columns)
            true = math.perm(columns, rows)
            answer = self.json("resolve", project, "--memory", memory, "--count", "--approximate")
            low, high = map(int, answer["between"])
            self.assertTrue(answer["approximate"])
            self.assertEqual(answer["confidence"], 0.95)
            self.assertTrue(low <= true <= high, answer)
            self.assertTrue(low <= int(answer["valid_stacks_about"]) <= high, answer)
            self.assertLess(high, 1.5 * low)
        text = self.stackx("resolve", self.rooks(8, 9)[0], "--memory", "0.001", "--count", "--approximate").stdout
        self.assertRegex(text, "APPROXIMATE: about [0-9,]+ valid stacks, between [0-9,]+ and [0-9,]+ with a confidence of 95 %")


class Usage(ResolveBox):
    def test_wrong_options_are_refused(self):
        self.catalog({"a": ["1"]})
        project = self.project(requires={"a": "*"})
        for options in (("--list", "x"), ("--sample", "1.5"), ("--strategy", "best"), ("--memory", "0"),
                        ("--memory", "-1"), ("--graph", "png"), ("--seed", "x"), ("--lits", "3")):
            with self.subTest(options):
                self.assertIn(options[0], self.refusal(project, *options))
        self.assertIn("nowhere.json", self.refusal(self.scratch / "nowhere.json"))
        self.assertIn("--catalog", self.refusal(project, "--catalog", "catalog.json"))

    def test_what_is_no_project(self):
        """First what is wrong with this file, then what a project is; nothing of catalogs, which would come later."""
        self.write("requirements.txt", "a\n")
        self.write("setup.cfg", "[metadata]\nname = a\n")
        self.write("empty.toml", "")
        self.write("binary.whl", "PK\x03\x04\x01\x02")
        self.write("uv.lock", "version = 1\n")
        (self.scratch / "nothing").mkdir()
        what = "a project is a JSON document (stackx/project/1), requirements.txt"
        for options in ((), ("--python", "3.11"), ("--catalog", "packages.json", "--python", "3.11")):
            for name, said in (("nope.toml", "no such file; check the path"), ("setup.cfg", "is no project"), ("empty.toml", "is no project"),
                               ("binary.whl", "is no project"), ("nothing", "is a directory; expected a project"),
                               ("requirments.toml", "no such file; did you mean")):
                with self.subTest(name=name, options=options):
                    lines = self.refusal(self.scratch / name, *options).splitlines()
                    self.assertTrue(lines[0].startswith(f"stackx: {self.scratch / name}: {said}"), lines)
                    self.assertTrue(lines[1].startswith(f"  {what}"), lines)
                    self.assertEqual(len(lines), 2)
            self.assertIn("a lock file is one stack, and no project", self.refusal(self.scratch / "uv.lock", *options))

    def test_negative_numbers_are_refused(self):
        self.catalog({"a": ["1"]})
        for option in ("--list", "--top"):
            self.assertIn(option, self.refusal(self.project(requires={"a": "*"}), option, "-1"))

    def test_options_of_python_projects_are_refused_for_others(self):
        self.catalog({"a": ["1"]})
        for options in (("--python", "3.8"), ("--extra", "x"), ("--group", "x"), ("--platform", "macos arm64")):
            self.assertIn(options[0], self.refusal(self.project(requires={"a": "*"}), *options))

    def test_pythons_and_platforms_that_are_none(self):
        catalog = self.catalog({"a": ["1"], "python": ["3.8"]})
        project = self.write("requirements.txt", "a\n")
        for options, said in ((("--python", "three"), "3.11"), (("--platform", "amiga"), "linux x86_64")):
            message = self.refusal(project, "--catalog", catalog, *options)
            self.assertIn(options[1], message)
            self.assertIn(said, message)
