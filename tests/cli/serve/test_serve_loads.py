"""Attacks on `stackx serve` by weight: bodies without end, thousands of connections. Memory stays bounded, and others are answered
meanwhile."""

import contextlib
import gzip
import json
import os
import re
import resource
import select
import shutil
import subprocess
import time
import zlib

from attacked_server import PATIENCE, POST, Attacked, connected, memory_of, rest_of, statuses, talk


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
