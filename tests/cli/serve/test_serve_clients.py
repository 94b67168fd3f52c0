"""Attacks on `stackx serve` by who connects: guesses at tokens, what is no TLS, clients that are slow, also at the end of the server."""

import base64
import concurrent.futures
import contextlib
import hashlib
import http.client
import json
import os
import select
import shutil
import signal
import ssl
import subprocess
import threading
import time
import unittest
import warnings

from attacked_server import CANARY, PATIENCE, POST, Attacked, Home, connected, rest_of, statuses, talk
from harness import STACKX
from server_of_stackx import Server


class Tokens(Attacked):
    @classmethod
    def arguments(cls):
        cls.file, cls.token = cls.home.place / "tokens", {}
        lines = []
        for name, role in (("reader", "read"), ("node-7", "write"), ("both", "read+write")):
            done = subprocess.run([STACKX, "serve", "token", name, "--role", role], capture_output=True, text=True, check=True)
            cls.token[name] = next(line for line in done.stderr.splitlines() if line.startswith("stackx_"))
            lines.append(done.stdout)
        cls.lines = "".join(lines)
        cls.file.write_text(cls.lines)
        return ("--tokens", cls.file, "--log", "all")

    def asked(self, authorization=None, path="/v1/query/coverage", **options):
        headers = {"Authorization": authorization} if authorization is not None else {}
        return self.server.request(path, **options, **headers)

    def bearer(self, name):
        return "Bearer " + self.token[name]

    def sent(self, name, campaign):
        return self.asked(self.bearer(name), "/v1/documents", method="POST", body=json.dumps(self.some(1, campaign)[0]).encode())[0]

    def may_be_guessed_again(self):
        """Wrong tokens are forgiven with time; a right one is never in need of that."""
        end = time.monotonic() + PATIENCE
        while self.asked()[0] == 429 and time.monotonic() < end:
            time.sleep(0.5)

    def test_roles(self):
        self.assertEqual(self.asked(self.bearer("reader"))[0], 200)
        self.assertEqual(self.asked(self.bearer("both"))[0], 200)
        self.assertEqual(self.asked(self.bearer("node-7"))[0], 403)
        self.assertEqual(self.sent("node-7", "a"), 201)
        self.assertEqual(self.sent("both", "b"), 201)
        self.assertEqual(self.sent("reader", "c"), 403)
        self.assertEqual(self.asked(self.bearer("reader"), "/v1/documents/" + "a" * 64, method="PUT", body=b"{}")[0], 403)
        self.assertEqual(self.asked(self.bearer("node-7"), "/metrics")[0], 403)
        self.assertEqual(self.asked(path="/healthz")[0], 200)
        basic = "Basic " + base64.b64encode(b"anybody:" + self.token["reader"].encode()).decode()
        self.assertEqual(self.asked(basic)[0], 200)
        self.assertEqual(self.asked("bEARER " + self.token["reader"])[0], 200)
        said = "".join(self.server.said)
        for name in ("reader", "node-7", "both"):
            self.assertIn(f" {name} ", said)
            self.assertNotIn(self.token[name], said)
            self.assertNotIn(hashlib.sha256(self.token[name].encode()).hexdigest(), said)

    def test_nothing_is_said_without_a_token(self):
        self.may_be_guessed_again()
        for path in ("/v1/query/coverage", "/metrics", "/openapi.json", "/v1/hardware/v100", "/v1/documents/" + "a" * 64):
            status, headers, body = self.asked(path=path)
            self.assertEqual(status, 401, path)
            self.assertEqual(len(headers.get_all("WWW-Authenticate")), 2)
            self.assertIn("token", json.loads(body)["error"])
        status, _, _ = self.asked(path="/v1/documents", method="POST", body=b"{}")
        self.assertEqual(status, 401)

    def test_guesses(self):
        """429 after some; nothing that is near a token is one; and who has a right one is not locked out by who has not."""
        right, digest = self.token["reader"], hashlib.sha256(self.token["reader"].encode()).hexdigest()
        guesses = [f"Bearer {right[:-1]}", f"Bearer {right}x", f"Bearer {right.swapcase()}", f"Bearer {digest}", "Bearer", "Bearer ", "Basic", "Basic =", "Basic ====", right,
                   f"Basic {right}", "Basic " + base64.b64encode(right.encode()).decode(), "Basic " + base64.b64encode(right.encode() + b":").decode(),
                   "Basic " + base64.b64encode(b":" + right.encode()[:-1]).decode(), f"Digest {right}", "Bearer " + "x" * 10_000, f"Token {right}", f"bearer\t{right}",
                   "Bearer reader", "Basic " + base64.b64encode(b"a:\x00").decode()] + [f"Bearer stackx_{n:043}" for n in range(30)]
        told = []
        for guess in guesses:
            status, headers, body = self.asked(guess)
            self.assertIn(status, (401, 429), (guess, body))
            self.assertNotIn(right, body)
            if status == 429:
                self.assertRegex(headers["Retry-After"], r"^\d+$")
            told.append(status)
        self.assertIn(401, told)
        self.assertIn(429, told)
        self.assertEqual(self.asked(f"Bearer  {right}")[0] in (401, 429), True)
        self.assertEqual(self.asked(self.bearer("reader"))[0], 200)
        self.assertNotIn(right, "".join(self.server.said))

    def waits_for(self, words, since):
        end = time.monotonic() + PATIENCE
        while words not in "".join(self.server.said[since:]) and time.monotonic() < end:
            time.sleep(0.1)
        self.assertIn(words, "".join(self.server.said[since:]))

    def replace(self, content):
        since, draft = len(self.server.said), self.file.with_suffix(".new")
        draft.write_bytes(content if isinstance(content, bytes) else content.encode())
        draft.replace(self.file)
        return since

    def test_the_file_changes_and_breaks(self):
        lines = self.lines.splitlines(keepends=True)
        try:
            self.waits_for("2 tokens read", self.replace("".join(lines[1:])))
            self.assertIn(self.asked(self.bearer("reader"))[0], (401, 429))
            self.assertEqual(self.sent("node-7", "d"), 201)
            for number, broken in enumerate(("node-7 write 123\n", "\xff\xfe\n", "node-7 root " + "a" * 64 + "\n", "x" * 1_000_000 + "\n", "a read " + "A" * 64 + "\n")):
                with self.subTest("a bad line is named, and the others count", broken=broken[:20]):
                    self.waits_for(f"{self.file}:1: expected a name", since := self.replace(broken + lines[1]))
                    self.waits_for("1 token read", since)
                    self.assertEqual(self.sent("node-7", f"e {number}"), 201)
            self.waits_for("not count", self.replace("node-7 write 123\n"))
            self.assertIn(self.sent("node-7", "none is left"), (401, 429))
        finally:
            self.waits_for("3 tokens read", self.replace(self.lines))
        self.assertEqual(self.asked(self.bearer("reader"))[0], 200)

    def test_the_last_token_is_taken_back(self):
        try:
            with self.subTest("an emptied file"):
                self.waits_for("holds no token any more", self.replace(""))
                self.assertIn(self.sent("node-7", "emptied"), (401, 429))
            with self.subTest("a file that is gone for a moment"):
                self.waits_for("3 tokens read", self.replace(self.lines))
                since = len(self.server.said)
                self.file.unlink()
                self.waits_for("count for 5 s more", since)
                self.assertEqual(self.sent("node-7", "gone for a moment"), 201)
            with self.subTest("and for longer"):
                self.waits_for("no token counts until it can be read again", since)
                self.assertIn(self.sent("node-7", "gone"), (401, 429))
        finally:
            self.waits_for("3 tokens read", self.replace(self.lines))
        self.assertEqual(self.sent("node-7", "back"), 201)


class Tls(Attacked):
    @classmethod
    def arguments(cls):
        if not shutil.which("openssl"):
            raise unittest.SkipTest("no openssl to make a certificate with")
        cls.certificate, key = cls.home.place / "cert.pem", cls.home.place / "key.pem"
        subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", key, "-out", cls.certificate, "-days", "2", "-subj", "/CN=localhost",
                        "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"], check=True, capture_output=True)
        return ("--certificate", cls.certificate, "--key", key)

    def tearDown(self):
        self.assertIsNone(self.server.process.poll(), "".join(self.server.said))
        self.assertEqual(self.asked(), [200])

    def context(self, version=None):
        context = ssl.create_default_context(cafile=self.certificate)
        if version:
            with warnings.catch_warnings():  # old ones are deprecated, and asked for all the same
                warnings.simplefilter("ignore", DeprecationWarning)
                context.minimum_version = context.maximum_version = version
            context.set_ciphers("DEFAULT@SECLEVEL=0")
        return context

    def asked(self, version=None):
        with self.context(version).wrap_socket(connected(self.server), server_hostname="localhost") as connection:
            connection.sendall(CANARY.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n"))
            received = rest_of(connection)
            self.assertIn(b"Strict-Transport-Security: ", received)
            return statuses(received)

    def test_versions(self):
        self.assertEqual(self.asked(ssl.TLSVersion.TLSv1_3), [200])
        self.assertEqual(self.asked(ssl.TLSVersion.TLSv1_2), [200])
        for old in (ssl.TLSVersion.TLSv1_1, ssl.TLSVersion.TLSv1):
            with self.assertRaises(OSError) as refused:
                self.asked(old)
            self.assertRegex(str(refused.exception), "(?i)protocol.version|no protocols available|unsupported protocol")

    def test_what_is_no_tls_is_ended(self):
        began = time.monotonic()
        for data in (CANARY, b"\x00" * 1000, b"\x16\x03\x01\xff\xff" + os.urandom(1000), b"\x15\x03\x01\x00\x02\x02\x00", os.urandom(5000)):
            self.assertNotIn(b"HTTP/1.1", talk(self.server, data))
        with connected(self.server) as silent:  # ten seconds for a handshake
            self.assertEqual(rest_of(silent), b"")
        self.assertLess(time.monotonic() - began, PATIENCE)

    def test_smuggling_and_pipelining_are_the_same(self):
        for data, expected in ((POST + b"Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\nabcd" + CANARY, [400]), (CANARY * 3 + b"\r\n\r\n", [200, 200, 200, 400])):
            with self.context().wrap_socket(connected(self.server), server_hostname="localhost") as connection:
                connection.sendall(data)
                self.assertEqual(statuses(rest_of(connection)), expected)


class GracefulEnd(Attacked):
    @classmethod
    def ended(cls):
        cls.server.end()

    def tearDown(self):
        pass

    def test_what_is_acknowledged_is_there(self):
        """SIGTERM while sixteen send and others half send, ask and read slowly. It ends within its limit."""
        documents = self.some(4000, "many")
        acknowledged, ended = [], []

        def send(mine):
            try:
                connection = http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=PATIENCE)
                for one in mine:
                    connection.request("POST", "/v1/documents", json.dumps(one, sort_keys=True).encode())
                    response = connection.getresponse()
                    response.read()
                    if response.status in (200, 201):
                        acknowledged.append(one["id"])
            except (OSError, http.client.HTTPException) as error:
                ended.append(error)

        idle, half, slow = connected(self.server), connected(self.server), connected(self.server, 4096)
        half.sendall(POST + b"Content-Length: 1000\r\n\r\nx")
        slow.sendall(b"GET /openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n" * 200)
        with concurrent.futures.ThreadPoolExecutor(16) as pool:
            for sender in range(16):
                pool.submit(send, documents[sender::16])
            end = time.monotonic() + PATIENCE
            while len(acknowledged) < 60 and time.monotonic() < end:
                time.sleep(0.01)
            began = time.monotonic()
            self.server.process.send_signal(signal.SIGTERM)
            self.assertEqual(rest_of(idle), b"")  # who only waits is let go at once
            code = self.server.process.wait(PATIENCE)
        for one in (idle, half, slow):
            one.close()
        self.assertEqual(code, 0, "".join(self.server.said[-20:]))
        self.assertLess(time.monotonic() - began, PATIENCE)
        self.assertEqual(len(ended), 16, "they had sent all before the end")
        self.server.reader.join(30)
        self.assertIn("ended; what was acknowledged is in the store", self.server.said[-1])
        there = self.stored()
        self.assertGreaterEqual(len(acknowledged), 60)
        self.assertLessEqual(set(acknowledged), set(there))
        self.assertEqual(len(there), len(set(there)))
        subprocess.run([STACKX, "db", "check"], env=self.home.environment, check=True, capture_output=True, timeout=PATIENCE)


class Trickle(threading.Thread):
    """A byte a second, until the other side has enough: `seconds` says when."""

    def __init__(self, server, first, each):
        super().__init__(daemon=True)
        self.connection, self.each, self.seconds, self.received = connected(server), each, None, b""
        self.connection.sendall(first)
        self.start()

    def run(self):
        began = time.monotonic()
        with contextlib.suppress(ConnectionError):
            while time.monotonic() - began < PATIENCE:
                if select.select([self.connection], [], [], 1)[0]:
                    piece = self.connection.recv(1 << 16)
                    self.received += piece
                    if not piece:
                        break
                else:
                    self.connection.sendall(self.each)
        self.seconds = time.monotonic() - began
        self.connection.close()


SLOW = {}


def setUpModule():
    """Slow clients are slow while the other tests run: their limits are half a minute."""
    home = Home()
    server = Server(home.environment)
    unittest.addModuleCleanup(home.scratch.cleanup)
    unittest.addModuleCleanup(server.end)
    SLOW.update(server=server, clients={
        "a head": Trickle(server, b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nX: ", b"x"),
        "nothing": Trickle(server, b"", b""),
        "fields": Trickle(server, b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n", b"X: y\r\n"),
        "a body": Trickle(server, POST + b"Content-Length: 60000000\r\n\r\n", b"x"),
        "chunks": Trickle(server, POST + b"Transfer-Encoding: chunked\r\n\r\n", b"1\r\nx\r\n"),
        "an extension": Trickle(server, POST + b"Transfer-Encoding: chunked\r\n\r\n1;", b"x"),
        "trailers": Trickle(server, POST + b"Transfer-Encoding: chunked\r\n\r\n0\r\n", b"X: y\r\n"),
        "to be continued": Trickle(server, POST + b"Expect: 100-continue\r\nContent-Length: 60000000\r\n\r\n", b"x")})
    reader = connected(server, 4096)
    reader.sendall(b"GET /openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n" * 300)
    SLOW.update(reader=reader, since=time.monotonic())


class WhoIsSlow(unittest.TestCase):
    """Last by its name: their time passes while the others run."""

    def test_they_are_ended_and_others_are_answered(self):
        server = SLOW["server"]
        self.assertEqual(server.request("/v1/query/coverage")[0], 200)
        for name, client in SLOW["clients"].items():
            client.join(PATIENCE)
            with self.subTest(name):
                self.assertIsNotNone(client.seconds, "still going")
                self.assertLess(client.seconds, PATIENCE - 5)
                self.assertGreater(client.seconds, 15)
                self.assertNotIn(b" 20", client.received)
        self.assertEqual(server.request("/v1/query/coverage")[0], 200)

    def test_who_does_not_read_is_ended(self):
        time.sleep(max(0.0, 45 - (time.monotonic() - SLOW["since"])))
        whole = int(SLOW["server"].request("/openapi.json")[1]["Content-Length"]) * 300
        self.assertLess(len(rest_of(SLOW["reader"])), whole)
        SLOW["reader"].close()
        self.assertEqual(SLOW["server"].request("/healthz")[0], 200)
