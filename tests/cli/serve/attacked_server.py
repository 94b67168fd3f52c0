"""A server of `stackx serve` under attack, mostly from raw sockets, which it survives: what the tests of that share."""

import contextlib
import json
import os
import pathlib
import re
import socket
import subprocess
import tempfile

from harness import STACKX, published_store
from made_up_store import MadeUpStore
from server_of_stackx import Server

PATIENCE = 120  # for what should take a moment, on a machine that is busy with other tests
CANARY = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"
SECURITY = {"X-Content-Type-Options": "nosniff", "X-Frame-Options": "DENY", "Referrer-Policy": "no-referrer",
            "Cross-Origin-Resource-Policy": "same-origin"}
POST = b"POST /v1/documents HTTP/1.1\r\nHost: localhost\r\n"


class Home:
    """A place for one server: its store and its environment."""

    def __init__(self):
        self.scratch = tempfile.TemporaryDirectory(prefix="stackx-test-")
        self.place = pathlib.Path(self.scratch.name)
        self.db = self.place / "data" / "stackx.db"
        self.db.parent.mkdir()
        for name, content in published_store().items():
            (self.db.parent / name).write_bytes(content)
        self.environment = dict(os.environ, XDG_DATA_HOME=str(self.place / "share"), XDG_CACHE_HOME=str(self.place / "cache"), STACKX_DB=str(self.db))


def memory_of(server):
    """The most that it ever held, in MiB."""
    status = pathlib.Path(f"/proc/{server.process.pid}/status").read_text()
    return int(re.search(r"VmHWM:\s+(\d+) kB", status)[1]) / 1024


def connected(server, receive_buffer=0):
    connection = socket.socket()
    if receive_buffer:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
    connection.settimeout(PATIENCE)
    connection.connect(("127.0.0.1", server.port))
    return connection


def rest_of(connection):
    """All that comes until the other side closes."""
    received = b""
    with contextlib.suppress(ConnectionError):
        while piece := connection.recv(1 << 16):
            received += piece
    return received


def talk(server, data):
    with connected(server) as connection:
        with contextlib.suppress(ConnectionError):
            connection.sendall(data)
        return rest_of(connection)


def statuses(received):
    return [int(code) for code in re.findall(rb"HTTP/1\.1 (\d{3}) ", received)]


class Attacked(MadeUpStore):
    """One server for the tests of a class, which it survives."""

    options = ()

    @classmethod
    def setUpClass(cls):
        cls.home = Home()
        cls.addClassCleanup(cls.home.scratch.cleanup)
        cls.server = Server(cls.home.environment, *cls.arguments())
        cls.addClassCleanup(cls.ended)

    @classmethod
    def arguments(cls):
        return cls.options

    @classmethod
    def ended(cls):
        lives, code = cls.server.process.poll() is None, cls.server.end()
        if not lives or code != 0:
            raise AssertionError(f"the server ended with {code}: " + "".join(cls.server.said[-20:]))

    def tearDown(self):
        self.assertIsNone(self.server.process.poll(), "the server is gone: " + "".join(self.server.said[-20:]))
        self.assertEqual(self.server.request("/healthz")[0], 200)

    def some(self, count=3, campaign="first"):
        self.rounds([({"numpy": "2.0.0", "python": "3.11"}, 50)], count=count, campaign=campaign)
        documents, self.documents = self.documents, []
        return documents

    def stored(self):
        done = subprocess.run([STACKX, "export"], env=self.home.environment, capture_output=True, text=True, check=True, timeout=PATIENCE)
        return [json.loads(line)["id"] for line in done.stdout.splitlines()]

    def refused_once(self, attack, allowed, what):
        """One answer, a refusal, and the connection is closed: what follows the attack is never taken for a request."""
        received = talk(self.server, attack + CANARY)
        found = statuses(received)
        self.assertEqual(len(found), 1, f"{what}: {received!r}")
        self.assertIn(found[0], allowed, f"{what}: {received!r}")
        self.assertNotIn(b"\r\n\r\nok\n", received, what)
        self.assertRegex(received, rb"(?i)\r\nconnection: close\r\n", what)
        for name, value in SECURITY.items():
            self.assertIn(f"{name}: {value}\r\n".encode(), received, what)
        self.assertTrue(json.loads(received.split(b"\r\n\r\n", 1)[1])["error"], what)
