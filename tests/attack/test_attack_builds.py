"""Malicious source archives and wheels: what is built and installed is code from strangers, too."""

import json
import os
import shutil
import time
import unittest

from attack import SECRETS, WORDS, Listener, main, sandboxes  # first: it says where the others are
from python_stack import PythonStack, sdist, wheel


class MaliciousBuild(PythonStack):
    """setup.py tells by failing with its findings: the end of its log is stored."""

    def setUp(self):
        super().setUp()
        self.scratch.chmod(0o755)
        self.needs_build_tools()
        self.listener = Listener()
        self.addCleanup(self.listener.socket.close)
        self.environment.update({name: value for name, value in SECRETS.items() if name != "PIP_INDEX_URL"})
        self.environment["no_proxy"] = "127.0.0.1"
        self.environment["PIP_INDEX_URL"] = self.index.url.replace("http://", "http://somebody:pass-of-the-index@") + "/simple"

    def build(self, setup, memory_gib=1, seconds=60):
        project = self.stack(self.index.add(sdist(setup)), limits={"memory_gib": memory_gib, "build_seconds": seconds})
        self.inspect(project, exit_code=None)
        return self.documents()[-1]

    def test_a_secret_is_neither_found_nor_sent_away(self):
        document = self.build(f"""
import os, socket, sys
words = {WORDS!r}
text = repr(dict(os.environ))
for process in os.listdir('/proc'):
    for file in ('environ', 'cmdline'):
        try:
            text += open('/proc/%s/%s' % (process, file), 'rb').read().decode('latin1')
        except (OSError, IOError):
            pass
sent = 'sent'
try:
    socket.create_connection(('127.0.0.1', {self.listener.port}), 3).close()
except OSError:
    sent = 'not sent'
sys.exit('found %d, %s' % (len([word for word in words if word in text]), sent))
""")
        self.assertEqual(document["outcome"], "build_failed")
        self.assertIn("found 0, not sent", document["stderr_tail"])
        self.assertEqual(self.listener.came, 0)
        for word in WORDS:
            self.assertNotIn(word, self.stackx("export").stdout)

    def test_it_cannot_fill_the_disk(self):
        before = time.monotonic()
        document = self.build("""
import os
import shutil
for i in range(200):
    with open(os.path.join(os.environ.get('PWD', '.'), 'fill%d' % i) if i % 2 else '/tmp/fill%d' % i, 'wb') as file:
        file.write(bytes(100 << 20))
import glob
for place in open('/proc/mounts').read().split():
    if place.endswith('/room'):
        for i in range(100):
            with open(os.path.join(place, 'fill%d' % i), 'wb') as file:
                file.write(bytes(100 << 20))
""", memory_gib=1)
        self.assertNotEqual(document["outcome"], "ok")
        self.assertLess(time.monotonic() - before, 60)
        self.assertEqual(self.half_built(), [])

    def test_it_cannot_fill_what_it_may_write(self):
        document = self.build("""
import os
import shutil
for line in open('/proc/mounts'):
    place = line.split()[1]
    if place.endswith('/room'):
        for i in range(100):
            with open(os.path.join(place, 'fill%d' % i), 'wb') as file:
                file.write(bytes(100 << 20))
""", memory_gib=1)
        self.assertNotEqual(document["outcome"], "ok")
        self.assertIn("it wrote more than", document["reason"])
        self.assertEqual(self.half_built(), [])

    def test_it_cannot_hide_what_it_writes(self):
        """Deeper than paths reach, and behind a door that was closed after the files were opened."""
        for where in ("for _ in range(40): os.mkdir('d' * 200); os.chdir('d' * 200)", "os.mkdir('closed'); os.chdir('closed')"):
            with self.subTest(where=where):
                document = self.build(f"""
import os, time
import shutil
for line in open('/proc/mounts'):
    place = line.split()[1]
    if place.endswith('/room'):
        os.chdir(place)
        {where}
        files = [open('fill%d' % i, 'wb') for i in range(100)]
        os.chmod('.', 0)
        for file in files:
            file.write(bytes(100 << 20))
        time.sleep(5)
""", memory_gib=1)
                self.assertNotEqual(document["outcome"], "ok")
                self.assertIn("it wrote more than", document["reason"])
                self.assertEqual(self.half_built(), [])

    def test_a_fork_bomb_is_ended(self):
        before = time.monotonic()
        document = self.build("""
import os, time
while True:
    try:
        os.fork()
    except OSError:
        time.sleep(0.1)
""", seconds=20)
        self.assertNotEqual(document["outcome"], "ok")
        self.assertLess(time.monotonic() - before, 40)

    def test_what_its_build_requires(self):
        for required in ("victim @ file:///etc/passwd", "--index-url=http://127.0.0.1:9/", "a b"):
            archive = sdist("", files={"pyproject.toml": '[build-system]\nrequires = [%s]\n' % json.dumps(required)})
            self.inspect(self.stack(self.index.add(archive)), exit_code=None)
            document = self.documents()[-1]
            self.assertEqual(document["outcome"], "build_failed")
            self.assertIn("no name with versions", document["reason"])

    def test_a_build_that_requires_what_is_on_the_index(self):
        self.index.add(wheel("helper", "2.0", files={"helper/__init__.py": "word = 'helped'\n"}))
        archive = sdist("import helper\nassert helper.word == 'helped'",
                        files={"pyproject.toml": '[build-system]\nrequires = ["setuptools", "helper>=2"]\n'})
        self.inspect(self.stack(self.index.add(archive)))
        self.assertEqual(self.documents()[-1]["outcome"], "ok")


class PrivateUmask(PythonStack):
    """Root's files may be root's alone; what is measured as another user must be able to read its stack."""

    def test_a_stack_can_read_itself(self):
        if not shutil.which("bwrap"):
            self.skipTest("needs bubblewrap")
        before = os.umask(0o077)
        self.addCleanup(os.umask, before)
        project = self.stack(self.index.add(wheel()))
        self.inspect(project, exit_code=None)
        self.assertEqual(self.documents()[-1]["outcome"], "ok" if os.stat(self.pi).st_mode & 0o004 or os.geteuid() else "missing_pi")
        self.pi.chmod(0o600)
        self.inspect(project, exit_code=None)
        if os.geteuid() == 0:
            self.assertIn("chmod a+r", self.documents()[-1]["reason"])
        self.pi.chmod(0o644)
        self.inspect(project)
        self.assertEqual(self.documents()[-1]["outcome"], "ok")


class WithoutProtection(PythonStack):
    def test_what_a_stack_wrote_is_not_used_by_another(self):
        """Without a sandbox a PI can write to what is cached: no other stack sees it, and it is made again."""
        self.environment["PATH"] = self.without_bubblewrap()
        project = self.stack(self.index.add(wheel(files={"victim/data.py": "word = 'good'\n"})))
        self.write("pi.py", "import sys, os, victim, victim.data, json\n"
                            "path = victim.data.__file__.replace('.pyc', '.py')\n"
                            "before = open(path).read()\n"
                            "os.chmod(path, 0o644)\n"
                            "open(path, 'w').write(before.replace('good', 'evil'))\n"
                            "print(json.dumps({'samples_ns': [1000], 'parameters': {'before': before}, 'component': 'victim'}))\n")
        for _ in range(2):
            self.inspect(project)
            self.assertIn("good", self.documents()[-1]["parameters"]["before"])
        for file in (self.cache / "wheels").rglob("data.py"):
            self.assertIn("good", file.read_text())

    def without_bubblewrap(self):
        place = self.scratch / "bin"
        place.mkdir()
        for directory in os.environ["PATH"].split(os.pathsep):
            for name in os.listdir(directory) if os.path.isdir(directory) else []:
                if name not in ("bwrap", "podman", "docker") and not (place / name).exists():
                    (place / name).symlink_to(os.path.join(directory, name))
        return str(place)


if __name__ == "__main__":
    main()
