"""import stackx: finding the program, running it, and all the ways in which that ends. Shell scripts stand in."""

import concurrent.futures
import os
import pathlib
import pickle
import shutil
import signal
import subprocess
import sys
import sysconfig
import tempfile
import threading
import time
import unittest
import unittest.mock

from support import PACKAGE, stand_in

import stackx
from stackx import _process, _program


class Scratch(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory(prefix="stackx-test-")
        self.addCleanup(scratch.cleanup)
        self.scratch = pathlib.Path(scratch.name).resolve()

    def program(self, script):
        return stackx.Stackx(program=stand_in(self.scratch / "program", script))

    def assert_ended(self, pid):
        """Soon no process has that id (one that is dead and nobody has asked for counts as ended)."""
        for _ in range(6000):
            try:
                if pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z":
                    return
            except OSError:
                return
            time.sleep(0.01)
        self.fail(f"process {pid} is still there")


class HowItEnds(Scratch):
    def test_exit_codes(self):
        says = "echo 'stackx: took in 3 results' >&2; echo 'stackx: x.json:3: no' >&2; echo ' (stackx: a number)' >&2"
        for code, kind in ((2, stackx.BadInput), (3, stackx.EnvironmentFailed), (130, stackx.EnvironmentFailed)):
            with self.subTest(code), self.assertRaises(kind) as raised:
                self.program(f"{says}; exit {code}").run("hw")
            self.assertEqual(str(raised.exception), "x.json:3: no\n (stackx: a number)")
            self.assertEqual((raised.exception.exit_code, raised.exception.command[1:]), (code, ["--json", "hw"]))
        self.assertEqual(self.program("echo '{\"a\": 1}'; exit 1").run("hw"), {"a": 1})
        self.assertTrue(issubclass(stackx.BadInput, ValueError) and issubclass(stackx.TimedOut, TimeoutError))

    def test_words_without_the_programs_name_and_no_words(self):
        with self.assertRaisesRegex(stackx.BadInput, "^--type: bad not in"):
            self.program("echo '--type: bad not in {a,b}' >&2; exit 2").run("advise")
        with self.assertRaisesRegex(stackx.EnvironmentFailed, "program ended with 3$"):
            self.program("exit 3").run("advise")

    def test_a_signal(self):
        with self.assertRaisesRegex(stackx.EnvironmentFailed, r"was ended by signal 9 \(Killed\)"):
            self.program("kill -9 $$").run("hw")

    def test_what_cannot_be_started(self):
        program = stand_in(self.scratch / "program", "")
        program.write_bytes(b"\x7fELF of another machine")
        with self.assertRaisesRegex(stackx.EnvironmentFailed, "cannot be started: .*Exec format error"):
            stackx.Stackx(program=program).run("hw")

    def test_an_exception_survives_pickling(self):
        error = stackx.BadInput("no", command=["stackx"], exit_code=2)
        copy = pickle.loads(pickle.dumps(error))
        self.assertEqual((str(copy), copy.command, copy.exit_code), ("no", ["stackx"], 2))

    def test_much_on_all_three_pipes(self):
        program = self.program("cat > /dev/null; for i in $(seq 20000); do echo 1; echo remark $i >&2; done")
        self.assertEqual(sum(program.stream("x", given="y" * 1_000_000)), 20000)

    def test_bytes_that_are_no_utf8(self):
        self.assertEqual(self.program(r"printf '\377\n'").text("x"), "\ufffd\n")


class Ending(Scratch):
    # A wrapper that waits for what does the work: both have to end.
    SLEEPS = "sleep 600 & echo $! > {0}/new; mv {0}/new {0}/pid; wait"

    def sleeping(self):
        return self.program(self.SLEEPS.format(self.scratch))

    def pid(self):
        for _ in range(6000):
            if (self.scratch / "pid").exists():
                return int((self.scratch / "pid").read_text())
            time.sleep(0.01)
        self.fail("the program did not begin")

    def test_timeout(self):
        begun = time.monotonic()
        with self.assertRaisesRegex(stackx.TimedOut, "not done after 5 s"):
            self.sleeping().run("hw", timeout=5)
        self.assertLess(time.monotonic() - begun, 240)  # it sleeps 600
        self.assert_ended(self.pid())
        self.assertEqual(self.program("echo 1").run(timeout=240), 1)

    def test_one_that_does_not_listen_is_killed(self):
        with unittest.mock.patch("stackx._process.GRACE_SECONDS", 0.2), self.assertRaises(stackx.TimedOut):
            deaf = f"trap '' TERM; echo $$ > {self.scratch}/pid; while :; do sleep 0.05; done"
            self.program(deaf).run("hw", timeout=5)
        self.assert_ended(self.pid())

    def test_a_stream_that_nobody_reads_on(self):
        documents = self.program(f"echo $$ > {self.scratch}/pid; while :; do echo 1; done").stream("export")
        self.assertEqual([next(documents), next(documents)], [1, 1])
        documents.close()
        self.assert_ended(self.pid())
        with self.assertRaises(stackx.TimedOut):
            list(self.sleeping().stream("export", timeout=0.2))

    def test_ctrl_c_ends_the_program_and_is_raised(self):
        stand_in(self.scratch / "program", self.SLEEPS.format(self.scratch))
        code = "import stackx, sys\ntry: stackx.run('hw')\nexcept KeyboardInterrupt: sys.exit(42)"
        python = subprocess.Popen([sys.executable, "-c", code], env=dict(
            os.environ, PYTHONPATH=str(PACKAGE), STACKX_PROGRAM=str(self.scratch / "program")))
        pid = self.pid()
        for _ in range(6000):  # until both of its threads wait for what the program prints
            threads = [one.read_text().rpartition(")")[2].split()[0] for one in pathlib.Path(f"/proc/{python.pid}/task").glob("*/stat")]
            if threads == ["S", "S"]:
                break
            time.sleep(0.01)
        python.send_signal(signal.SIGINT)
        self.assertEqual(python.wait(240), 42)
        self.assert_ended(pid)

    def test_threads(self):
        asked = self.program('echo "[\\"$2\\"]"; sleep 0.0$2')
        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            self.assertEqual(list(pool.map(lambda n: asked.run(str(n)), range(40))), [[str(n)] for n in range(40)])


class Interrupted(unittest.TestCase):
    """Ctrl-C at every line: no child is left, neither one that runs nor one that nobody has waited for."""

    def process(self, timeout=600):
        return _process.Process(["sleep", "600"], dict(os.environ), "", timeout)

    def assert_no_child(self):
        with self.assertRaises(ChildProcessError):
            os.waitpid(-1, os.WNOHANG)

    def at_each_line(self, functions, act):
        """`act` again and again, KeyboardInterrupt coming at another line of _process.py each time; how many lines there are."""
        for number in range(10000):
            left = [number]

            def trace(frame, event, _):
                code = frame.f_code
                if code.co_filename != _process.__file__ or code.co_name not in functions:
                    return None
                if event == "line":
                    left[0] -= 1
                    if left[0] < 0:
                        sys.settrace(None)
                        raise KeyboardInterrupt
                return trace

            try:
                act(lambda: sys.settrace(trace))
            except KeyboardInterrupt:
                self.assert_no_child()
            finally:
                sys.settrace(None)
            if left[0] >= 0:
                return number
        return None

    def test_while_it_enters(self):
        entered = []

        def act(watched):
            process = self.process()
            watched()
            with process:
                sys.settrace(None)
                entered.append(process)
            self.assert_no_child()

        self.assertGreater(self.at_each_line(("__enter__", "_await_start"), act), 5)
        self.assertEqual(len(entered), 1)

    def test_before_and_after_each_thread_starts(self):
        start, entered = threading.Thread.start, []
        for number in range(4):  # the listener's and the clock's
            calls = []

            def starts(thread):
                calls.append(thread)
                if number < 2 and len(calls) == number + 1:
                    raise KeyboardInterrupt
                start(thread)
                if number >= 2 and len(calls) == number - 1:
                    raise KeyboardInterrupt

            with unittest.mock.patch.object(threading.Thread, "start", starts), self.assertRaises(KeyboardInterrupt), self.process():
                entered.append(number)
            self.assert_no_child()
        self.assertEqual(entered, [])

    def test_once_more_while_it_leaves(self):
        def act(watched):
            with self.process():
                watched()
                raise InterruptedError

        def leaves(watched):
            with self.assertRaises(InterruptedError):
                act(watched)
            self.assert_no_child()

        self.assertGreater(self.at_each_line(("_leave", "_await_start", "_end"), leaves), 8)

    def test_while_the_program_is_being_started(self):
        leaving, started, leave, start = threading.Event(), [], _process.Process.__exit__, subprocess.Popen

        def starts(*words, **more):
            started.append(start(*words, **more))
            os.kill(os.getpid(), signal.SIGINT)
            self.assertTrue(leaving.wait(240))
            return started[0]

        def leaves(*words):
            leaving.set()
            leave(*words)

        with unittest.mock.patch.object(_process.subprocess, "Popen", starts), \
                unittest.mock.patch.object(_process.Process, "__exit__", leaves), self.assertRaises(KeyboardInterrupt), self.process():
            self.fail("it was entered")
        self.assertIsNotNone(started[0].returncode)
        self.assert_no_child()


class Finding(Scratch):
    """Each way in which pip can install a wheel: the package in one folder, the program in another."""

    def ask(self, packages, **environment):
        """What a Python finds that has the package from this folder."""
        code = "import sys; sys.path.insert(0, sys.argv[1]); import stackx\n" \
               "try: print(stackx.find_program())\nexcept stackx.ProgramNotFound as error: print('none:', error)"
        done = subprocess.run([sys.executable, "-c", code, str(packages)], capture_output=True, text=True, check=True,
                              env={"PATH": "", **environment})
        return done.stdout.strip()

    def installed(self, folder):
        target = self.scratch / folder
        shutil.copytree(PACKAGE / "stackx", target / "stackx", ignore=shutil.ignore_patterns("__pycache__"))
        return target

    def test_target_prefix_user_path_and_variable(self):
        version = "python{}.{}".format(*sys.version_info)
        user = sysconfig.get_path("scripts", "posix_user", {"userbase": str(self.scratch / "home")})
        for packages, program, environment in (
                ("target", "target/bin/stackx", {}),
                (f"prefix/lib/{version}/site-packages", "prefix/bin/stackx", {}),
                (f"home/lib/{version}/site-packages", os.path.relpath(user, self.scratch) + "/stackx", {}),
                ("user", "base/bin/stackx", {"PYTHONUSERBASE": str(self.scratch / "base")}),
                ("path", "somewhere/stackx", {"PATH": str(self.scratch / "somewhere")}),
                ("named", "other/name", {"STACKX_PROGRAM": str(self.scratch / "other/name"),
                                         "PATH": str(self.scratch / "somewhere")})):
            with self.subTest(packages):
                expected = stand_in(self.scratch / program, "")
                self.assertEqual(self.ask(self.installed(packages), **environment), str(expected))

    def test_a_virtual_environment(self):
        def scripts(_, scheme=None):
            return str(self.scratch / ("user" if scheme else "venv"))

        with unittest.mock.patch("sysconfig.get_path", scripts), unittest.mock.patch.dict(os.environ):
            os.environ.pop("STACKX_PROGRAM", None)
            user = stand_in(self.scratch / "user" / "stackx", "")
            self.assertEqual(_program.find_program(), str(user))
            venv = stand_in(self.scratch / "venv" / "stackx", "")  # goes before the user's
            self.assertEqual(_program.find_program(), str(venv))

    def test_none(self):
        packages = self.installed("alone")
        said = self.ask(packages)
        self.assertRegex(said, r"^none: no program stackx in .*/alone/bin.*, nor in \$PATH; `pip install stackx`")
        said = self.ask(packages, STACKX_PROGRAM="/nowhere")
        self.assertRegex(said, r"^none: \$STACKX_PROGRAM names /nowhere, which is no file that can be run; ")
        with self.assertRaisesRegex(stackx.ProgramNotFound, "^program= names /nowhere"):
            stackx.Stackx(program="/nowhere").run("hw")

    def test_python_m_stackx_is_the_program(self):
        program = stand_in(self.scratch / "program", 'echo "$@" $$; exit 7')
        process = subprocess.Popen([sys.executable, "-m", "stackx", "hw", "--json"], stdout=subprocess.PIPE, text=True,
                                   env=dict(os.environ, PYTHONPATH=str(PACKAGE), STACKX_PROGRAM=str(program)))
        self.assertEqual(process.communicate()[0], f"hw --json {process.pid}\n")
        self.assertEqual(process.returncode, 7)
        done = subprocess.run([sys.executable, "-m", "stackx"], capture_output=True, text=True,
                              env=dict(os.environ, PYTHONPATH=str(PACKAGE), STACKX_PROGRAM="/nowhere"))
        self.assertEqual((done.returncode, done.stderr[:22]), (3, "stackx: $STACKX_PROGRAM"[:22]))


if __name__ == "__main__":
    unittest.main()
