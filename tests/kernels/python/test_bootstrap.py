"""A script under bootstrap.py behaves as it does without: exit status, arguments, tracebacks, children."""

import sys
import unittest

import support


class Bootstrap(support.PiTest):
    def setUp(self):
        super().setUp()
        self.site = self.scratch / "site with spaces"
        self.site.mkdir()

    def started(self, text, *arguments, site=None, flags=("-s", "-S"), program=sys.executable, **changes):
        script = self.write("scripts/script.py", text)
        site = self.site if site is None else site
        return support.run(program, *flags, support.BOOTSTRAP, site, script, *arguments, **changes)

    def test_exit_statuses(self):
        for text, code in [("pass", 0), ("import sys; sys.exit(7)", 7), ("exit(5)", 5), ("quit()", 0),
                           ("raise SystemExit('no')", 1), ("1 / 0", 1), ("import os; os._exit(9)", 9),
                           ("import os, signal; os.kill(os.getpid(), signal.SIGKILL)", -9), ("def", 1)]:
            direct = support.run(sys.executable, self.write("scripts/script.py", text))
            done = self.started(text)
            self.assertEqual((done.returncode, direct.returncode), (code, code), text)

    def test_tracebacks_and_messages_are_those_of_the_script_alone(self):
        for text in ("1 / 0", "def f():\n    raise KeyError('é')\nf()", "def", "raise SystemExit('no')", "import nothing_",
                     "try:\n    1 / 0\nexcept ZeroDivisionError:\n    raise ValueError('x')"):
            direct = support.run(sys.executable, self.write("scripts/script.py", text))
            self.assertEqual(self.started(text).stderr, direct.stderr)
            self.assertTrue(direct.stderr)

    def test_arguments_and_first_directory(self):
        self.write("scripts/neighbour.py", "VALUE = 3")
        text = "import sys, neighbour; print(sys.argv[1:], neighbour.VALUE, __name__, __file__ == sys.argv[0])"
        done = self.started(text, "a b", "--x", "$(id);'\"", "")
        self.assertEqual(done.stdout, "%r 3 __main__ True\n" % ["a b", "--x", "$(id);'\"", ""], done.stderr)

    def test_packages_and_pth_files(self):
        self.write("elsewhere/far.py", "VALUE = 2")
        (self.site / "near.py").write_text("VALUE = 1")
        (self.site / "json.py").write_text("VALUE = 'a backport'")
        (self.site / "a.pth").write_text("%s\nimport sys; sys.pth_ran = True\n# no\n" % (self.scratch / "elsewhere"))
        text = "import near, far, json, sys; print(near.VALUE, far.VALUE, sys.pth_ran, hasattr(json, 'loads'))"
        self.assertEqual(self.started(text).stdout, "1 2 True True\n")
        self.assertIn("No module named", self.started(text, site="-").stderr)

    def test_nothing_of_the_interpreter_is_seen(self):
        done = self.started("import sys; print([p for p in sys.path if 'packages' in p])")
        self.assertEqual(done.stdout, "[]\n", done.stderr)

    def test_children_see_the_same_packages(self):
        self.write("elsewhere/far.py", "VALUE = 2")
        (self.site / "near.py").write_text("VALUE = 1")
        (self.site / "a.pth").write_text("%s\n" % (self.scratch / "elsewhere"))
        text = ("import subprocess, sys\nsys.stdout.flush()\n"
                "sys.exit(subprocess.call([sys.executable, '-s', '-S', '-c', 'import near, far; print(near.VALUE)']))")
        self.assertEqual(self.started(text).stdout, "1\n")
        text = ("import multiprocessing, near\ndef f(x):\n    import far\n    return x * far.VALUE\n"
                "if __name__ == '__main__':\n    print(multiprocessing.get_context('spawn').Pool(1).map(f, [4]))")
        self.assertEqual(self.started(text).stdout, "[8]\n")

    def test_a_bootstrap_below_a_bootstrap_keeps_the_order(self):
        (self.site / "json.py").write_text("VALUE = 'a backport'")
        inner = self.write("scripts/inner.py", "import json; print(hasattr(json, 'loads'))")
        text = "import subprocess, sys; subprocess.call([sys.executable, '-s', '-S', %r, %r, %r])" % (
            str(support.BOOTSTRAP), str(self.site), str(inner))
        self.assertEqual(self.started(text).stdout, "True\n")

    def test_bad_calls(self):
        for arguments, words in [([], "usage"), (["-"], "usage"), (["-", "missing.py"], "can't open file 'missing.py'"),
                                 (["/nowhere", "x.py"], "/nowhere is not a directory")]:
            done = support.run(sys.executable, support.BOOTSTRAP, *arguments)
            self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
            self.assertIn(words, done.stderr)
            self.assertEqual(done.stderr.count("\n"), 1)

    def test_every_interpreter_of_this_machine(self):
        (self.site / "near.py").write_text("VALUE = 1")
        text = ("import sys, site, near\n"
                "print([p for p in sys.path if 'site-packages' in p or 'dist-packages' in p], site.ENABLE_USER_SITE, "
                "isinstance(site.USER_SITE, str))\nexit(near.VALUE + 2)")
        for version, program in support.interpreters().items():
            with self.subTest(version=version):
                done = self.started(text, program=program)
                self.assertEqual(done.returncode, 3, done.stderr)
                self.assertIn(done.stdout, ("[] False True\n", "([], False, True)\n"))


if __name__ == "__main__":
    unittest.main()
