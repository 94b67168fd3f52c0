"""Attacks on `stackx serve`, mostly from raw sockets: what is ambiguous, endless, slow, guessed or names a file is refused in words,
others are answered meanwhile, memory stays bounded, and what was acknowledged is in the store."""

import base64
import concurrent.futures
import contextlib
import ctypes
import gzip
import hashlib
import http.client
import json
import os
import pathlib
import re
import resource
import select
import shutil
import signal
import socket
import ssl
import struct
import subprocess
import tempfile
import threading
import time
import unittest
import urllib.parse
import warnings
import zlib

from harness import STACKX, cases, published_store
from made_up_store import MadeUpStore
from server_of_stackx import Server

PATIENCE = 120  # for what should take a moment, on a machine that is busy with other tests
CANARY = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"
SECURITY = {"X-Content-Type-Options": "nosniff", "X-Frame-Options": "DENY", "Referrer-Policy": "no-referrer",
            "Cross-Origin-Resource-Policy": "same-origin"}


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


POST = b"POST /v1/documents HTTP/1.1\r\nHost: localhost\r\n"
GET = b"GET /v1/query/coverage HTTP/1.1\r\n"


class Smuggling(Attacked):
    def test_two_lengths_and_none(self):
        for what, fields in {
                "two lengths": b"Content-Length: 4\r\nContent-Length: 0\r\n",
                "the same length twice": b"Content-Length: 4\r\nContent-Length: 4\r\n",
                "a list of lengths": b"Content-Length: 4, 4\r\n",
                "a length beside chunks": b"Content-Length: 4\r\nTransfer-Encoding: chunked\r\n",
                "chunks beside a length": b"Transfer-Encoding: chunked\r\nContent-Length: 4\r\n",
                "a length of zero beside chunks": b"Content-Length: 0\r\nTransfer-Encoding: chunked\r\n",
                "two codings": b"Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n",
                "two codings that are the same": b"Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n",
                "a list of codings": b"Transfer-Encoding: identity, chunked\r\n",
                "chunked is not the last": b"Transfer-Encoding: chunked, identity\r\n",
                "chunked twice": b"Transfer-Encoding: chunked, chunked\r\n",
                "a coding that nobody knows": b"Transfer-Encoding: xchunked\r\n",
                "identity": b"Transfer-Encoding: identity\r\n",
                "a quoted coding": b'Transfer-Encoding: "chunked"\r\n',
                "a parameter": b"Transfer-Encoding: chunked;q=1\r\n",
                "a vertical tab": b"Transfer-Encoding:\x0bchunked\r\n",
                "a NUL": b"Transfer-Encoding: chunked\x00\r\n",
                "a space before the colon": b"Transfer-Encoding : chunked\r\n",
                "a space before the colon of a length": b"Content-Length : 4\r\n",
                "a tab before the colon": b"Content-Length\t: 4\r\n",
                "a negative length": b"Content-Length: -1\r\n",
                "a sign": b"Content-Length: +4\r\n",
                "hexadecimal": b"Content-Length: 0x4\r\n",
                "a fraction": b"Content-Length: 4.0\r\n",
                "no number": b"Content-Length: four\r\n",
                "an empty length": b"Content-Length:\r\n",
                "beyond 64 bits": b"Content-Length: 18446744073709551620\r\n",
                "far beyond": b"Content-Length: " + b"9" * 400 + b"\r\n",
                "a length in two": b"Content-Length: 4\r\n 0\r\n",
                "a folded coding": b"Transfer-Encoding:\r\n chunked, identity\r\n",
                "a line without a colon": b"Content-Length\r\n",
                "a name that is none": b"Content@Length: 4\r\n",
                "an empty name": b": 4\r\n"}.items():
            with self.subTest(what):
                self.refused_once(POST + fields + b"\r\nabcd", {400, 413, 501}, what)

    def test_chunks(self):
        head = POST + b"Transfer-Encoding: chunked\r\n\r\n"
        for what, body in {
                "beyond 64 bits": b"10000000000000000\r\nabcd\r\n0\r\n\r\n",
                "all ones": b"ffffffffffffffff\r\nabcd\r\n0\r\n\r\n",
                "all ones but one": b"fffffffffffffffe\r\nabcd\r\n0\r\n\r\n",
                "half of 64 bits": b"8000000000000004\r\nabcd\r\n0\r\n\r\n",
                "a sum beyond 64 bits": b"4\r\nabcd\r\nfffffffffffffffc\r\nabcd\r\n0\r\n\r\n",
                "larger than allowed": b"40000001\r\nabcd\r\n0\r\n\r\n",
                "a sign": b"+4\r\nabcd\r\n0\r\n\r\n",
                "0x": b"0x4\r\nabcd\r\n0\r\n\r\n",
                "negative": b"-4\r\nabcd\r\n0\r\n\r\n",
                "no digits": b"g\r\nabcd\r\n0\r\n\r\n",
                "nothing": b"\r\nabcd\r\n0\r\n\r\n",
                "a space first": b" 4\r\nabcd\r\n0\r\n\r\n",
                "too much data": b"4\r\nabcdefgh\r\n0\r\n\r\n",
                "a bare line feed": b"4\nabcd\n0\n\n",
                "a bare line feed after the data": b"4\r\nabcd\n0\r\n\r\n",
                "NUL": b"4\x00\r\nabcd\r\n0\r\n\r\n",
                "a trailer that says a length": b"4\r\nabcd\r\n0\r\nContent-Length: 40\r\n\r\n",
                "a trailer that says a coding": b"4\r\nabcd\r\n0\r\nTransfer-Encoding: identity\r\n\r\n",
                "a trailer that is none": b"4\r\nabcd\r\n0\r\nno trailer\r\n\r\n",
                "an extension without end": b"4;" + b"x" * 200_000 + b"\r\nabcd\r\n0\r\n\r\n",
                "a trailer without end": b"0\r\nX: " + b"x" * 200_000 + b"\r\n\r\n"}.items():
            with self.subTest(what):
                self.refused_once(head + body, {400, 413, 431}, what)

    def test_first_lines_and_hosts(self):
        for what, data in {
                "HTTP/0.9": b"GET /healthz\r\n\r\n",
                "HTTP/2": b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
                "HTTP/1.2": b"GET /healthz HTTP/1.2\r\nHost: localhost\r\n\r\n",
                "http/1.1": b"GET /healthz http/1.1\r\nHost: localhost\r\n\r\n",
                "no version": b"GET /healthz HTTP/\r\nHost: localhost\r\n\r\n",
                "two spaces": b"GET  /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n",
                "a space in the target": b"GET /health z HTTP/1.1\r\nHost: localhost\r\n\r\n",
                "a tab": b"GET\t/healthz\tHTTP/1.1\r\nHost: localhost\r\n\r\n",
                "a method that is none": b"G(T /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n",
                "no target": b"GET HTTP/1.1\r\nHost: localhost\r\n\r\n",
                "bare line feeds": b"GET /healthz HTTP/1.1\nHost: localhost\n\n",
                "a bare line feed between fields": b"GET /healthz HTTP/1.1\r\nHost: localhost\nX: y\r\n\r\n",
                "a bare carriage return": b"GET /healthz HTTP/1.1\r\nHost: localhost\rX: y\r\n\r\n",
                "absolute": b"GET http://localhost/healthz HTTP/1.1\r\nHost: localhost\r\n\r\n",
                "absolute, of another": b"GET http://evil.example/healthz HTTP/1.1\r\nHost: localhost\r\n\r\n",
                "an authority": b"CONNECT localhost:80 HTTP/1.1\r\nHost: localhost\r\n\r\n",
                "an asterisk": b"OPTIONS * HTTP/1.1\r\nHost: localhost\r\n\r\n",
                "two Hosts": b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nHost: localhost\r\n\r\n",
                "two Hosts that differ": b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\n\r\n",
                "no Host": b"GET /healthz HTTP/1.1\r\n\r\n",
                "a NUL in a field": b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nX: a\x00b\r\n\r\n",
                "a NUL in the target": b"GET /health\x00z HTTP/1.1\r\nHost: localhost\r\n\r\n",
                "a field before all": b"GET /healthz HTTP/1.1\r\n Host: localhost\r\nHost: localhost\r\n\r\n",
                "TLS": b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(40),
                "HTTP/1.0 with chunks": b"POST /v1/documents HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
                "two Authorizations": b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nAuthorization: a\r\nAuthorization: b\r\n\r\n"}.items():
            with self.subTest(what):
                self.refused_once(data, {400, 501, 505}, what)

    def test_heads_without_end(self):
        for what, data in {"a long target": b"GET /" + b"a" * 100_000 + b" HTTP/1.1\r\nHost: localhost\r\n\r\n",
                           "a long field": b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nX: " + b"a" * 100_000 + b"\r\n\r\n",
                           "many fields": b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n" + b"X: y\r\n" * 20_000 + b"\r\n",
                           "a long method": b"A" * 100_000 + b" /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"}.items():
            with self.subTest(what):
                self.refused_once(data, {431}, what)
        for what, data in {"a target above 8 KiB": b"GET /v1/query/best?hw=" + b"a" * 9000 + b" HTTP/1.1\r\nHost: localhost\r\n\r\n",
                           "many parameters": b"GET /v1/query/best?" + b"a=b&" * 200 + b" HTTP/1.1\r\nHost: localhost\r\n\r\n"}.items():
            with self.subTest(what):
                self.refused_once(data, {400}, what)

    def test_a_body_that_is_read_to_its_end_leaves_the_connection_whole(self):
        """What is refused for its content alone, with the next request behind it: two answers, in their order."""
        received = talk(self.server, POST + b"Content-Length: 4\r\n\r\nabcd" + CANARY.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n"))
        self.assertEqual(statuses(received), [422, 200])
        chunked = POST + b"Transfer-Encoding: Chunked\r\n\r\n2;a=b\r\nab\r\n2\r\ncd\r\n0\r\nX: y\r\n\r\n"
        received = talk(self.server, chunked + CANARY.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n"))
        self.assertEqual(statuses(received), [422, 200])

    def test_a_body_of_who_may_not_send_one_is_no_request(self):
        """Refused before the body is read: the body is a request in disguise."""
        for line in (b"GET /v1/query/coverage", b"POST /healthz", b"DELETE /v1/documents", b"POST /nowhere", b"PATCH /v1/documents/" + b"a" * 64):
            attack = line + b" HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n" % len(CANARY)
            self.refused_once(attack, {400, 404, 405}, line)
            self.refused_once(line + b" HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", {400, 404, 405}, line)

    def test_who_waits_to_be_told_to_go_on(self):
        with connected(self.server) as connection:
            connection.sendall(POST + b"Expect: 100-continue\r\nContent-Length: 4\r\nConnection: close\r\n\r\n")
            self.assertEqual(connection.recv(25), b"HTTP/1.1 100 Continue\r\n\r\n")
            connection.sendall(b"abcd")
            self.assertEqual(statuses(rest_of(connection)), [422])
        began = time.monotonic()  # nothing is to come: it is answered, and not waited for
        received = talk(self.server, b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\nConnection: close\r\n\r\n")
        self.assertEqual(statuses(received), [200])
        self.assertLess(time.monotonic() - began, 15)


class Sizes(Attacked):
    def test_a_gigabyte_is_refused_at_once(self):
        with connected(self.server) as connection:
            connection.sendall(POST + b"Content-Length: 1073741824\r\n\r\n")
            self.assertEqual(statuses(rest_of(connection)), [413])
        with connected(self.server) as connection:
            connection.sendall(POST + b"Expect: 100-continue\r\nContent-Length: 1073741824\r\n\r\n")
            self.assertEqual(statuses(rest_of(connection)), [413])

    def test_a_gigabyte_in_chunks_ends_at_the_limit(self):
        before, sent, received = memory_of(self.server), 0, b""
        chunk = b"100000\r\n" + b"x" * (1 << 20) + b"\r\n"
        with connected(self.server) as connection:
            connection.sendall(POST + b"Transfer-Encoding: chunked\r\n\r\n")
            with contextlib.suppress(ConnectionError):
                while sent < 1024 and not select.select([connection], [], [], 0)[0]:
                    connection.sendall(chunk)
                    sent += 1
            received = rest_of(connection)
        self.assertEqual(statuses(received), [413], received)
        self.assertGreaterEqual(sent, 64)
        self.assertLess(sent, 200)
        self.assertLess(memory_of(self.server) - before, 300)

    def test_what_many_announce_is_bounded(self):
        """Four bodies of the largest size may be on their way: the next is told to come again. And they go again with their senders."""
        holding = [connected(self.server) for _ in range(4)]
        try:
            for connection in holding:
                connection.sendall(POST + b"Content-Length: 67108864\r\n\r\nx")
            received, end = b"", time.monotonic() + PATIENCE
            while statuses(received) != [503] and time.monotonic() < end:
                received = talk(self.server, POST + b"Content-Length: 67108864\r\nConnection: close\r\nExpect: 100-continue\r\n\r\n" if not received else
                                POST + b"Content-Length: 67108864\r\nConnection: close\r\n\r\n" + b"x" * 10)
            self.assertEqual(statuses(received), [503], received)
            self.assertRegex(received, rb"\r\nRetry-After: \d+\r\n")
            self.assertEqual(self.server.request("/v1/query/coverage")[0], 200)
        finally:
            for connection in holding:
                connection.close()
        document, end = self.some(1, "after it"), time.monotonic() + PATIENCE
        while (status := self.server.send(document)[0]) == 503 and time.monotonic() < end:
            time.sleep(0.2)
        self.assertEqual(status, 201)

    def bomb(self, coding, packed, allowed, why):
        status, _, body = self.server.request("/v1/documents", "POST", packed, Content_Encoding=coding)
        self.assertIn(status, allowed, body[:500])
        self.assertRegex(body, why)
        self.assertLess(len(body), 20_000)

    def test_what_unpacks_to_a_gigabyte(self):
        before = memory_of(self.server)
        if shutil.which("zstd"):
            zeros = subprocess.run("head -c 1G /dev/zero | zstd -qc", shell=True, capture_output=True, check=True).stdout
            self.bomb("zstd", zeros, (400, 422), "1000 times its size|longer than 64 MiB")
        pieces = []
        packer = zlib.compressobj(1, wbits=31)
        for piece in (bytes(1 << 20), b"\n" * (1 << 20)):
            pieces.append(b"".join(packer.compress(piece) for _ in range(200)))
        self.bomb("gzip", b"".join(pieces) + packer.flush(), (400, 422), "blank lines|1000 times|longer than")
        self.assertLess(memory_of(self.server) - before, 300)

    def test_long_lines_that_are_packed_well_are_not_held_all_at_once(self):
        """A megabyte or two of gzip is 600 MB of lines: below every limit of its own, and once held whole."""
        self.assertEqual(self.server.send(self.some(1, "beside"))[0], 201)
        before = memory_of(self.server)
        piece = os.urandom(300).hex().encode() + b"x" * 200_000
        packed = gzip.compress((b'"' + piece * 150 + b'"\n') * 20, compresslevel=1)
        status, _, body = self.server.request("/v1/documents", "POST", packed, Content_Encoding="gzip")
        self.assertEqual((status, json.loads(body)["refused"]), (422, 20), body[:500])
        self.assertLess(memory_of(self.server) - before, 400)

    def test_documents_that_are_wrong(self):
        good = self.some(4)
        text = [json.dumps(one, sort_keys=True) for one in good]
        hostile = [text[0].replace('"load_1m": 0.5', '"load_1m": 99.5'), text[0].replace('"load_1m": 0.5', '"load_1m": 1e999'), text[0][:200],
                   text[0][:-1] + ', "load_1m": 0.5}', "[" * 100_000, '{"$schema":"stackx/inspection/1","x":[' + "[]," * 3_000_000 + "0]}",
                   "x" * 30_000_000, '{"id":"' + "a" * 10_000_000 + '"}', "null", '{"$schema":"stackx/inspection/9"}']
        lines = [line for pair in zip(hostile, text + text + text) for line in pair]
        status, _, body = self.server.request("/v1/documents", "POST", ("\n".join(lines) + "\n\x00\n\xff\xfe\n").encode("latin-1"))
        answer = json.loads(body)
        self.assertEqual((status, answer["inserted"], answer["refused"]), (422, 4, len(hostile) + 2), answer)
        self.assertEqual([one["line"] for one in answer["reasons"]], [*range(1, 2 * len(hostile), 2), 2 * len(hostile) + 1, 2 * len(hostile) + 2])
        self.assertLess(len(body), 50_000)
        status, _, body = self.server.request("/v1/documents", "POST", gzip.compress(b"\n".join(line.encode() for line in text))[:-20], Content_Encoding="gzip")
        self.assertEqual(status, 400)
        self.assertIn("byte", json.loads(body)["error"])

    def test_an_address_names_one_document(self):
        """However many there are: above a thousand they were stored under any address."""
        documents = self.some(1200, "many")
        lines = "".join(json.dumps(one, sort_keys=True) + "\n" for one in documents).encode()
        status, _, body = self.server.request("/v1/documents/" + documents[0]["id"], "PUT", lines)
        self.assertEqual((status, json.loads(body)["inserted"]), (422, 0), body)
        self.assertFalse({one["id"] for one in documents} & set(self.stored()))
        for name in ("x", "%20", "A" * 64, "a" * 5000):
            status, _, body = self.server.request("/v1/documents/" + name, "PUT", json.dumps(documents[0]).encode())
            self.assertEqual(status, 422, body)
        self.assertNotIn(documents[0]["id"], self.stored())


class Paths(Attacked):
    def described(self):
        return self.server.json("/openapi.json")[1]["paths"]

    def routes(self):
        return ["/", "/healthz", "/metrics", "/openapi.json"] + [path.replace("{id}", "a" * 64).replace("{question}", "best").replace("{name}", "v100")
                                                                 .replace("{NAME}", "matmul") for path in self.described()]

    def raw(self, target):
        received = talk(self.server, b"GET " + target + b" HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        self.assertEqual(len(statuses(received)), 1, (target, received))
        self.assertNotIn(b"root:", received)
        return statuses(received)[0], received

    def test_tricks_on_every_route(self):
        tricks = [b"/../../../../etc/passwd", b"/..", b"/.", b"/%2e%2e/%2e%2e/etc/passwd", b"/%2e%2e%2f%2e%2e%2fetc%2fpasswd", b"/..%2f..%2fetc/passwd", b"//",
                  b"//etc/passwd", b"/..\\..\\etc\\passwd", b"/..%5c..%5cetc", b"/%00", b"/a%00.json", b"/%252e%252e/etc/passwd", b"/..;/x", b"/%c0%ae%c0%ae/x",
                  b"/%ff", b"/%", b"/%4", b"/%zz", b"/%u002e", b"/\x80", b"/\xc3\xa9", b"/a%0d%0aX:%20y", b"/a%0ab", b"/%7f", b"/%c2%85", b"/%1b[31m", b"/a#b"]
        for route in self.routes():
            for trick in tricks:
                status, received = self.raw(route.encode().rstrip(b"/") + trick)
                self.assertIn(status, (400, 404), (route, trick, received))
                self.assertNotIn(b"\r\nX: y", received)

    def test_bad_text_in_parameters(self):
        for value in (b"%ff", b"%c3", b"%ed%a0%80", b"%f4%90%80%80", b"%c0%80", b"%00", b"%0a", b"%0d%0aSet-Cookie:%20x", b"%1b%5d0;x%07", b"%7f", b"%c2%9b", b"%", b"%x1",
                      b"\xff", b"\x7f", b"a%e2%82"):
            status, received = self.raw(b"/v1/query/best?hw=" + value)
            self.assertEqual(status, 400, (value, received))
            body = received.split(b"\r\n\r\n", 1)
            self.assertNotIn(b"Set-Cookie", body[0])
            self.assertFalse([byte for byte in body[1] if byte < 0x20 and byte != 0x0A], received)
            self.assertEqual(self.raw(b"/v1/query/best?" + value + b"=x")[0], 400)

    def opened(self, files, attack):
        """Which of `files` anybody opened while `attack` ran."""
        libc = ctypes.CDLL(None, use_errno=True)
        watch = libc.inotify_init1(os.O_NONBLOCK)
        names = {libc.inotify_add_watch(watch, os.fsencode(file), 0x20 | 0x1): file for file in files}  # IN_OPEN | IN_ACCESS
        self.assertNotIn(-1, names)
        try:
            attack()
            events = b""
            with contextlib.suppress(BlockingIOError):
                events = os.read(watch, 1 << 20)
            return {names[struct.unpack_from("i", events, at)[0]] for at in range(0, len(events), 16)}
        finally:
            os.close(watch)

    def test_no_file_that_a_request_names_is_opened(self):
        secret = self.home.place / "secret.json"
        secret.write_text('{"$schema": "stackx/catalog/1", "components": {"secret-word": {}}}')
        pipe = self.home.place / "pipe"  # who opens it waits for ever
        if not pipe.exists():
            os.mkfifo(pipe)
        program = self.home.place / "program"
        program.write_text("#!/bin/sh\ntouch \"$0.ran\"\n")
        program.chmod(0o755)
        values = [str(secret), str(pipe), str(program), f"file://{secret}", f"@{secret}", f"store:{self.home.db}", f"lock:{secret}", f"campaign:{secret}",
                  f"a:{secret}", f"{secret}:a", f"numpy @ file://{secret}", f"-r {secret}", f"--db={secret}", f"--catalog={secret}", f"$(cat {secret})",
                  f"`{program}`", f"; {program}", f"| {program}", "-", "--sql=SELECT 1", "../../secret.json", f"numpy,{secret}", f"matmul:m={secret}"]
        said = []

        def attack():
            for path, operations in self.described().items():
                for number, one in enumerate(operations.get("get", {}).get("parameters", [])):
                    for value in values[number % cases(4, 1)::cases(4, 1)]:
                        target = re.sub(r"\{.*\}", lambda _, v=value: urllib.parse.quote(v, safe=""), path) if one["in"] == "path" else (
                            re.sub(r"\{.*\}", "best", path) + "?" + urllib.parse.urlencode({one["name"]: value}))
                        status, _, body = self.server.request(target)
                        said.append(body)
                        self.assertLess(status, 500, (target, body))
                        if one["in"] == "path" or one["name"] in ("what", "A", "B", "pi", "source"):
                            self.assertIn(status, (400, 404), (target, body))

        # The watch sees what is opened, else the test could not fail.
        self.assertEqual(self.opened([secret, program], secret.read_text), {secret})
        self.assertEqual(self.opened([secret, pipe, program], attack), set())
        self.assertFalse(pathlib.Path(f"{program}.ran").exists())
        self.assertNotIn("secret-word", "".join(said))

    def test_options_that_are_none_of_a_requests(self):
        for option in ("db", "catalog", "lock", "project", "settle", "advisories", "sql", "scores", "predict", "python-env", "deep", "index-url", "pip", "output",
                       "server", "to", "json", "help", "h", "-o", "--db", "timeout", "views", "html", "config", "version"):
            for path in ("/v1/advise", "/v1/check", "/v1/compare", "/v1/effects", "/v1/query/best", "/v1/hardware"):
                status, _, body = self.server.request(f"{path}?{option}=" + urllib.parse.quote("/etc/passwd"))
                self.assertEqual(status, 400, (path, option, body))
                by_name = option == "project" and path == "/v1/query/best"  # of those that the server was given, never a file
                self.assertIn("this server has none" if by_name else "no such parameter", body)

    def test_names_of_pages_of_other_sites(self):
        """Without tokens only this machine's own names are served: no name of another site's leads here (DNS rebinding)."""
        for host, expected in ((b"localhost", 200), (b"LOCALHOST:1", 200), (b"127.0.0.1:8421", 200), (b"[::1]:8421", 200), (b"evil.example", 421),
                               (b"localhost.evil.example", 421), (b"evil.example:8421", 421), (b"127.0.0.1.evil.example", 421), (b"", 421), (b"localhost@evil", 421),
                               (b"127.0.0.1:80:evil", 421), (b"0.0.0.0", 421), (b"\xff\xfe", 421), (b"evil.example, localhost", 421)):
            for method in (b"GET /v1/query/coverage", b"GET /healthz", b"POST /v1/documents"):
                received = talk(self.server, method + b" HTTP/1.1\r\nHost: " + host + b"\r\nConnection: close\r\nContent-Length: 0\r\n\r\n")
                self.assertEqual(statuses(received)[0], expected, (host, received))

    def test_documents_from_pages_of_other_sites(self):
        here = f"127.0.0.1:{self.server.port}"
        for origin, expected in ((f"http://{here}", 201), ("http://evil.example", 403), ("null", 403), ("http://127.0.0.1", 403), (f"http://{here}.evil.example", 403),
                                 ("https://", 403), ("file://", 403)):
            with self.subTest(origin):
                document = json.dumps(self.some(1, origin)[0]).encode()
                self.assertEqual(self.server.request("/v1/documents", "POST", document, Origin=origin)[0], expected)

    def test_every_answer_has_the_headers(self):
        asked = [("GET", path) for path in self.routes()] + [("GET", "/nowhere"), ("POST", "/healthz"), ("PUT", "/v1/documents/x"), ("POST", "/v1/documents"),
                                                            ("HEAD", "/metrics"), ("OPTIONS", "/v1/documents"), ("TRACE", "/healthz"), ("GET", "/v1/query/bst")]
        found = set()
        for method, path in asked:
            status, headers, _ = self.server.request(path, method, b"x" if method in ("PUT", "POST") else None)
            found.add(status)
            for name, value in SECURITY.items():
                self.assertEqual(headers.get_all(name), [value], (method, path, status))
            self.assertRegex(headers["Content-Security-Policy"], "default-src 'none'.*frame-ancestors 'none'")
            self.assertNotIn("Access-Control-Allow-Origin", headers)
            self.assertNotIn("Server", headers)
        self.assertLessEqual({200, 400, 404, 405, 422}, found)


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
            for broken, words in (("node-7 write 123\n", "expected a name"), ("", "holds no token"), (b"\xff\xfe\x00", ""), ("node-7 root " + "a" * 64 + "\n", "expected a name"),
                                  ("x" * 1_000_000, "expected a name"), ("a read " + "A" * 64 + "\n", "expected a name")):
                self.waits_for(words, since := self.replace(broken))
                self.waits_for("still count", since)
                self.assertEqual(self.sent("node-7", f"e {broken[:20]!r}"), 201)
            self.file.unlink()
            time.sleep(1.5)
            self.assertEqual(self.sent("node-7", "f"), 201)
        finally:
            self.waits_for("3 tokens read", self.replace(self.lines))
        self.assertEqual(self.asked(self.bearer("reader"))[0], 200)


class ManyConnections(Attacked):
    options = ("--connections", "12000")
    WANTED = 10_000

    def setUp(self):
        super().setUp()
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        self.addCleanup(resource.setrlimit, resource.RLIMIT_NOFILE, (soft, hard))
        most = min(hard, 20_000) if hard != resource.RLIM_INFINITY else 20_000
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))
        self.count = min(self.WANTED, most - 500)
        self.opened = []
        self.addCleanup(lambda: [one.close() for one in self.opened])

    def open(self, count, data=b""):
        for _ in range(count):
            self.opened.append(connected(self.server))
            if data:
                self.opened[-1].sendall(data)

    def open_in_the_server(self):
        return int(re.search(r"^stackx_connections_open (\d+)", self.server.request("/metrics")[2], re.M)[1])

    def test_ten_thousand(self):
        """Half of them with half a head. Others are asked and send meanwhile."""
        before = memory_of(self.server)
        self.open(self.count // 2)
        self.open(self.count // 2, b"GET /v1/query/coverage HTTP/1.1\r\nHost: loc")
        held = self.open_in_the_server()
        self.assertGreaterEqual(held, self.count * 0.9, "hard limit of open files: " + str(resource.getrlimit(resource.RLIMIT_NOFILE)))
        self.assertEqual(self.server.request("/v1/query/best?limit=3")[0], 200)
        self.assertEqual(self.server.send(self.some(2))[0], 201)
        for number in range(0, self.count // 2, 997):  # the last of them are still whole
            self.opened[-1 - number].sendall(b"alhost\r\nConnection: close\r\n\r\n")
            self.assertEqual(statuses(rest_of(self.opened[-1 - number]))[:1], [200])
        self.assertLess(memory_of(self.server) - before, 400)


class FewPlaces(Attacked):
    options = ("--connections", "50")

    def test_who_waits_longest_gives_way(self):
        opened = [connected(self.server) for _ in range(400)]
        try:
            for _ in range(5):
                self.assertEqual(self.server.request("/healthz")[0], 200)
            opened[0].settimeout(PATIENCE)
            self.assertEqual(rest_of(opened[0]), b"")
            self.assertEqual(self.server.send(self.some(1))[0], 201)
        finally:
            for one in opened:
                one.close()


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
        self.assertLess(time.monotonic() - began, PATIENCE / 2)

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
        self.assertLess(time.monotonic() - began, 60)
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


class SlowClients(unittest.TestCase):
    def test_they_are_ended_and_others_are_answered(self):
        server = SLOW["server"]
        self.assertEqual(server.request("/v1/query/coverage")[0], 200)
        for name, client in SLOW["clients"].items():
            client.join(PATIENCE)
            with self.subTest(name):
                self.assertIsNotNone(client.seconds, "still going")
                self.assertLess(client.seconds, 75)
                self.assertGreater(client.seconds, 15)
                self.assertNotIn(b" 20", client.received)
        self.assertEqual(server.request("/v1/query/coverage")[0], 200)

    def test_who_does_not_read_is_ended(self):
        time.sleep(max(0.0, 45 - (time.monotonic() - SLOW["since"])))
        whole = int(SLOW["server"].request("/openapi.json")[1]["Content-Length"]) * 300
        self.assertLess(len(rest_of(SLOW["reader"])), whole)
        SLOW["reader"].close()
        self.assertEqual(SLOW["server"].request("/healthz")[0], 200)


if __name__ == "__main__":
    unittest.main()
