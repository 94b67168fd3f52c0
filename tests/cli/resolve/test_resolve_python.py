"""stackx resolve on requirements.txt, Pipfile and pyproject.toml, and on lock files."""

import codecs
import json
import os

from resolve_box import ResolveBox

COMPONENTS = {
    "flask": {"1.0": {"requires": {"werkzeug": ">=0.14", "python": ">=3.6"}}, "1.1": {"requires": {"werkzeug": ">=0.15", "python": ">=3.6"}}},
    "werkzeug": ["0.14", "0.15", "0.16"],
    "requests": ["2.0", "2.1"],
    "requests+security": {"2.0": {"requires": {"requests": "==2.0", "pyopenssl": "*"}}, "2.1": {"requires": {"requests": "==2.1", "pyopenssl": ">=1"}}},
    "pyopenssl": ["0.9", "1.0"],
    "typing-extensions": ["3.7", "4.0"],
    "python": ["3.6", "3.7", "3.8"],
}


class PythonBox(ResolveBox):
    def setUp(self):
        super().setUp()
        self.packages = self.catalog(COMPONENTS)

    def chosen(self, project, *options):
        """The stacks as a set of {(component, version)}."""
        return {frozenset(stack.items()) for stack in self.stacks(project, "--catalog", self.packages, *options, "--list", "1000")}

    def versions(self, name, stacks):
        return {dict(stack).get(name) for stack in stacks}

    def complaint(self, project, *options):
        return self.refusal(project, "--catalog", self.packages, *options)


class Requirements(PythonBox):
    def test_ranges_names_and_several_lines_on_one_package(self):
        project = self.write("requirements.txt", "Flask >=1.0  # the web\nwerkzeug!=0.15\nWERKZEUG \\\n  <0.16\n\n")
        expected = {frozenset({("flask", "1.0"), ("werkzeug", "0.14"), ("python", python)}) for python in ("3.6", "3.7", "3.8")}
        self.assertEqual(self.chosen(project), expected)

    def test_markers_hold_for_the_newest_python_or_the_one_asked_for(self):
        project = self.write("requirements.txt", 'flask==1.0\ntyping_extensions>=4; python_version < "3.8"\n'
                                                 'requests==2.0; sys_platform == "win32"\n')
        newest = self.chosen(project)
        self.assertEqual(self.versions("python", newest), {"3.8"})
        self.assertEqual(self.versions("typing-extensions", newest), {None})
        older = self.chosen(project, "--python", "3.7")
        self.assertEqual(self.versions("python", older), {"3.7"})
        self.assertEqual(self.versions("typing-extensions", older), {"4.0"})
        self.assertEqual(self.versions("requests", older), {None})
        windows = self.chosen(project, "--python", "3.7", "--platform", "windows amd64")
        self.assertEqual(self.versions("requests", windows), {"2.0"})

    def test_extras_ask_for_what_they_need(self):
        self.assertEqual(self.chosen(self.write("requirements.txt", "requests\n")),
                         {frozenset({("requests", "2.0")}), frozenset({("requests", "2.1")})})
        expected = {frozenset({("requests", requests), ("requests+security", requests), ("pyopenssl", openssl)})
                    for requests, openssl in (("2.0", "0.9"), ("2.0", "1.0"), ("2.1", "1.0"))}
        self.assertEqual(self.chosen(self.write("requirements.txt", "requests[security]\n")), expected)

    def test_extras_and_groups_that_a_file_cannot_have(self):
        requirements, pipfile = self.write("requirements.txt", "flask\n"), self.write("Pipfile", '[packages]\nflask = "*"\n')
        self.assertIn("requirements.txt: --extra async: ", self.complaint(requirements, "--extra", "async"))
        self.assertIn("requirements.txt: --group dev: ", self.complaint(requirements, "--group", "dev"))
        self.assertIn("Pipfile: --extra async: ", self.complaint(pipfile, "--extra", "async"))

    def test_constraints_restrict_and_require_nothing(self):
        (self.scratch / "more").mkdir()
        self.write("more/base.txt", "flask\n-c ../constraints.txt\n")
        self.write("constraints.txt", "werkzeug!=0.15\nrequests<2.1\nnobody-knows-this<3\n")
        found = self.chosen(self.write("requirements.txt", "-r more/base.txt\n"))
        self.assertEqual(self.versions("werkzeug", found), {"0.14", "0.16"})
        self.assertEqual(self.versions("requests", found), {None})
        self.assertEqual(self.versions("requests", self.chosen(self.write("requirements.txt", "-r more/base.txt\nrequests\n"))), {"2.0"})

    def test_bad_lines_are_named_by_file_and_line(self):
        for text, line, said in (("flask\nflask >< 2\n", 2, "column 8"),
                                 ("flask\n\n# one\nflsk>1\n", 4, 'did you mean "flask"?'),
                                 ("-e .\n", 1, "source tree"),
                                 ("flask\nflask @ https://example.org/flask.whl\n", 2, "https://example.org/flask.whl"),
                                 ('flask\nrequests; python_version << "3"\n', 2, "column 27"),
                                 ("flask\n-r nowhere.txt\n", 2, "nowhere.txt"),
                                 ("flask\nrequests[securty]\n", 2, 'did you mean "requests+security"?'),
                                 ("flask \\\n  >=1.0 \\\n\nrequests=2.0\n", 4, "column 9")):
            with self.subTest(text=text):
                message = self.complaint(self.write("requirements.txt", text))
                self.assertIn(f"{self.scratch / 'requirements.txt'}:{line}: ", message)
                self.assertIn(said, message)

    def test_a_bad_line_of_a_constraints_file_is_named_there(self):
        self.write("constraints.txt", "werkzeug<1\nflask=1\n")
        self.assertIn(f"{self.scratch / 'constraints.txt'}:2: ",
                      self.complaint(self.write("requirements.txt", "flask\n-c constraints.txt\n")))

    def test_files_that_name_each_other_end(self):
        self.write("other.txt", "-r requirements.txt\nflask==1.1\n")
        project = self.write("requirements.txt", "-r other.txt\n")
        done = self.stackx("resolve", project, "--catalog", self.packages, exit_code=2)
        self.assertIn("requirements.txt", done.stderr)


class Pipfile(PythonBox):
    TEXT = """[[source]]
name = "pypi"
url = "https://example.org/simple"
verify_ssl = true
[packages]
flask = "*"
requests = {version = ">=2.1", extras = ["security"], markers = "python_version >= '3.7'"}
[dev-packages]
typing-extensions = "<4"
[requires]
python_version = "3.7"
"""

    def test_packages_extras_markers_and_python(self):
        found = self.chosen(self.write("Pipfile", self.TEXT))
        self.assertEqual({(dict(stack)["flask"], dict(stack)["werkzeug"]) for stack in found},
                         {("1.0", "0.14"), ("1.0", "0.15"), ("1.0", "0.16"), ("1.1", "0.15"), ("1.1", "0.16")})
        for name, version in (("python", "3.7"), ("requests", "2.1"), ("requests+security", "2.1"), ("pyopenssl", "1.0"),
                              ("typing-extensions", None)):
            self.assertEqual(self.versions(name, found), {version}, name)

    def test_dev_packages_where_asked_for(self):
        found = self.chosen(self.write("Pipfile", self.TEXT), "--group", "dev")
        self.assertEqual(self.versions("typing-extensions", found), {"3.7"})

    def test_bad_lines_are_named_by_file_and_line(self):
        for text, place, said in (('[packages]\nflask = "*"\nrequests = "~2"\n', "3:12", "column 1"),
                                  ("[packages]\nflask = \n", "2:9", "TOML"),
                                  ('[packages]\nflsk = "*"\n', "2:", 'did you mean "flask"?'),
                                  ('[packages]\nflask = {versoin = "*"}\n', "2:", 'version'),
                                  ('[packages]\nflask = {git = "https://example.org/flask.git"}\n', "2:", "git")):
            with self.subTest(text=text):
                message = self.complaint(self.write("Pipfile", text))
                self.assertIn(f"{self.scratch / 'Pipfile'}:{place}", message)
                self.assertIn(said, message)


class Pyproject(PythonBox):
    TEXT = """[project]
name = "Demo"
version = "1"
requires-python = ">=3.7"
dependencies = ["flask>=1.1", "typing-extensions>=4; python_version < '3.8'"]
[project.optional-dependencies]
tls = ["requests[security]"]
[dependency-groups]
test = ["pyopenssl<1"]
"""

    def test_dependencies_markers_and_python(self):
        project = self.write("pyproject.toml", self.TEXT)
        self.assertEqual(self.chosen(project), {frozenset({("flask", "1.1"), ("python", "3.8"), ("werkzeug", werkzeug)})
                                                for werkzeug in ("0.15", "0.16")})
        self.assertEqual(self.versions("typing-extensions", self.chosen(project, "--python", "3.7")), {"4.0"})
        self.assertEqual(self.json("resolve", project, "--catalog", self.packages)["project"], "Demo")

    def test_a_python_that_the_project_does_not_allow(self):
        project = self.write("pyproject.toml", self.TEXT)
        clash = self.json("resolve", project, "--catalog", self.packages, "--python", "3.6", "--explain", exit_code=1)["clash"]
        self.assertIn("python >=3.7", " / ".join(clash))
        self.assertIn("3.6", " / ".join(clash))

    def test_extras_and_groups_where_asked_for(self):
        project = self.write("pyproject.toml", self.TEXT)
        found = self.chosen(project, "--extra", "tls", "--group", "test")
        self.assertEqual(self.versions("requests", found), {"2.0"})  # 2.1 needs a newer pyopenssl than the group allows
        self.assertEqual(self.versions("pyopenssl", found), {"0.9"})
        self.assertIn('did you mean "tls"?', self.complaint(project, "--extra", "tsl"))
        self.assertIn('did you mean "test"?', self.complaint(project, "--group", "tset"))

    def test_bad_lines_are_named_by_file_and_line(self):
        message = self.complaint(self.write("pyproject.toml", '[project]\nname="x"\ndependencies=["flask", "requests ; os_name = 3"]\n'))
        self.assertIn(f"{self.scratch / 'pyproject.toml'}:3:24: ", message)
        self.assertIn("column 20", message)


class Encodings(PythonBox):
    TEXT = "# coding of caf\u00e9\nflask<1.1\n"

    def answer(self, content, name="requirements.txt"):
        (self.scratch / name).write_bytes(content)
        return self.stackx("resolve", self.scratch / name, "--catalog", self.packages, "--list", "99").stdout

    def test_byte_order_marks_and_coding_lines_as_pip_reads_them(self):
        """The codecs are Python's own, which pip decodes by."""
        expected = self.answer(self.TEXT.encode())
        self.assertIn("flask=1.0", expected)
        for mark, codec in ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"),
                            (codecs.BOM_UTF32_LE, "utf-32-le"), (codecs.BOM_UTF32_BE, "utf-32-be")):
            self.assertEqual(self.answer(mark + self.TEXT.replace("\n", "\r\n").encode(codec)), expected, codec)
        for codec in ("latin-1", "cp1252", "utf-8"):
            self.assertEqual(self.answer(f"# -*- coding: {codec} -*-\n{self.TEXT}".encode(codec)), expected, codec)

    def test_what_is_no_text(self):
        for content, said in ((self.TEXT.encode("utf-16-le"), "requirements.txt:1: holds byte 0"), (b"\x7fELF\x02\x01\x01" + os.urandom(64), "requirements.txt:1: holds byte 2: this is no text"),
                              (codecs.BOM_UTF16_LE + b"f", "begins as UTF-16, but ends inside a character"),
                              (b"# coding: koi8-r\nflask\n", 'says that its encoding is "koi8-r", which is not read here')):
            (self.scratch / "requirements.txt").write_bytes(content)
            message = self.complaint(self.scratch / "requirements.txt")
            self.assertIn(said, message)
            self.assertNotIn("\\u0000", message)

    def test_markers_that_all_exclude(self):
        project = self.write("requirements.txt", "flask; sys_platform == 'win32'\nrequests; python_version < '3'\n")
        lines = self.complaint(project).splitlines()
        self.assertEqual(lines[0], f"stackx: {project}: 2 requirements, but none for Python 3.8 on linux x86_64 (--python, --platform)")
        self.assertEqual([line.split(": ", 1)[1] for line in lines[1:]], ['flask; sys_platform == "win32"', 'requests; python_version < "3"'])
        self.assertIn("asks for no package", self.complaint(self.write("requirements.txt", "")))


class Lock(PythonBox):
    def setUp(self):
        super().setUp()
        self.asked = self.write("Pipfile", Pipfile.TEXT)

    def lock(self, file, *options, exit_code=0):
        return self.json("resolve", self.asked, "--catalog", self.packages, "--lock", file, *options, exit_code=exit_code)

    def pipfile_lock(self, **packages):
        return self.write("Pipfile.lock", {"_meta": {"hash": {"sha256": "0"}, "pipfile-spec": 6, "requires": {"python_version": "3.7"},
                                                     "sources": []},
                                           "default": {name: {"version": f"=={version}"} for name, version in packages.items()},
                                           "develop": {}})

    def pylock(self, **packages):
        tables = "".join(f'[[packages]]\nname = "{name}"\nversion = "{version}"\n' for name, version in packages.items())
        return self.write("pylock.toml", f'lock-version = "1.0"\ncreated-by = "test"\n{tables}')

    def pinned(self, **packages):
        return self.write("requirements-lock.txt", "".join(f"{name}=={version}\n" for name, version in packages.items()))

    def test_a_valid_lock_in_each_format_has_its_rank(self):
        by_lateness = self.lines("resolve", self.asked, "--catalog", self.packages, "--sample", "9", "--strategy", "latest")
        self.assertEqual(len(by_lateness), 5)
        for write in (self.pipfile_lock, self.pylock, self.pinned):
            for rank, line in enumerate(by_lateness, 1):
                stack = line["components"]
                answer = self.lock(write(flask=stack["flask"], werkzeug=stack["werkzeug"], requests="2.1", pyopenssl="1.0"))
                self.assertEqual((answer["valid"], answer["problems"], answer["valid_stacks"]), (True, [], "5"))
                self.assertEqual((answer["rank"], answer["id"], answer["score"]), (rank, line["id"], line["score"]))
                self.assertEqual(answer["components"], stack)

    def test_a_rank_by_scores(self):
        scores = self.write("scores.json", {"$schema": "stackx/score/1", "scores": {"werkzeug": {"0.14": 2, "0.15": 1.5}}})
        lock = self.pinned(flask="1.0", werkzeug="0.14", requests="2.1", pyopenssl="1.0")
        answer = self.lock(lock, "--score", scores)
        self.assertEqual((answer["rank"], answer["score"]), (1, 2))
        self.assertEqual(self.lock(lock)["rank"], 5)
        text = self.stackx("resolve", self.asked, "--catalog", self.packages, "--lock", lock).stdout
        self.assertIn("a valid stack", text)
        self.assertIn("rank 5 of 5", text)

    def test_what_makes_a_lock_invalid_is_said_of_each_line(self):
        for write in (self.pipfile_lock, self.pylock, self.pinned):
            with self.subTest(write.__name__):
                file = write(flask="1.1", werkzeug="0.14", requests="2.1", pyopenssl="1.0")
                answer = self.lock(file, exit_code=1)
                self.assertFalse(answer["valid"])
                self.assertEqual(len(answer["problems"]), 1)
                self.assertIn(str(file), answer["problems"][0])
                self.assertRegex(answer["problems"][0], "(flask 1.1|werkzeug 0.14) does not go with the rest")

    def test_every_kind_of_problem(self):
        file = self.write("requirements-lock.txt", "flask==1.0\nwerkzeug==0.17\nrequest==2.1\ntyping-extensions==4.0\npyopenssl==0.9\n")
        problems = self.lock(file, exit_code=1)["problems"]
        for line, said in ((2, "no werkzeug 0.17"), (3, "no catalog declares request"), (4, "typing-extensions"), (5, "pyopenssl 0.9")):
            self.assertEqual(sum(f"{file}:{line}: " in problem and said in problem for problem in problems), 1, problems)
        self.assertTrue(any("lacks requests" in problem for problem in problems), problems)
        self.assertEqual(len(problems), 5, problems)
        text = self.stackx("resolve", self.asked, "--catalog", self.packages, "--lock", file, exit_code=1).stdout
        self.assertIn("not a valid stack", text)
        self.assertTrue(all(problem in text for problem in problems))

    def test_what_is_no_lock_is_refused(self):
        options = ("--catalog", self.packages, "--lock")
        for name, text, said in (("requirements-lock.txt", "flask==1.0\nwerkzeug>=0.14\n", ":2: "),
                                 ("Pipfile.lock", '{"default": [}', "Pipfile.lock"),
                                 ("pylock.toml", 'lock-version = "1.0"\n[[packages]]\nversion = "1"\n', "pylock.toml:")):
            with self.subTest(name):
                self.assertIn(said, self.refusal(self.asked, *options, self.write(name, text)))
        self.assertIn("nowhere.txt", self.refusal(self.asked, *options, self.scratch / "nowhere.txt"))

    def test_of_a_project_without_stacks_the_clash_is_told(self):
        self.asked = self.write("requirements.txt", "flask==1.1\nwerkzeug<0.15\n")
        answer = self.lock(self.pinned(flask="1.1", werkzeug="0.14"), exit_code=1)
        self.assertIn("werkzeug", json.dumps(answer["clash"]))
