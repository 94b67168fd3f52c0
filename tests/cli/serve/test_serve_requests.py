"""Attacks on `stackx serve` by requests: what is ambiguous, endless or names a file is refused in words."""

import contextlib
import ctypes
import json
import os
import pathlib
import re
import socket
import struct
import time
import urllib.parse

from attacked_server import CANARY, POST, SECURITY, Attacked, connected, rest_of, statuses, talk
from harness import cases


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
        for what, data in {"a target above 32 KiB": b"GET /v1/query/best?hw=" + b"a" * 33000 + b" HTTP/1.1\r\nHost: localhost\r\n\r\n",
                           "many parameters": b"GET /v1/query/best?" + b"a=b&" * 1500 + b" HTTP/1.1\r\nHost: localhost\r\n\r\n"}.items():
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
        for option in ("db", "catalog", "lock", "project", "settle", "advisories", "sql", "scores", "predict", "python-env", "deep", "find-links", "pip", "output",
                       "server", "to", "json", "help", "h", "-o", "--db", "timeout", "views", "html", "config", "version"):
            for path in ("/v1/advise", "/v1/check", "/v1/compare", "/v1/effects", "/v1/query/best", "/v1/hardware"):
                status, _, body = self.server.request(f"{path}?{option}=" + urllib.parse.quote("/etc/passwd"))
                self.assertEqual(status, 400, (path, option, body))
                by_name = option == "project" and path == "/v1/query/best"  # of those that the server was given, never a file
                self.assertIn("this server has none" if by_name else "no such parameter", body)

    def test_an_index_is_a_word_that_nobody_fetches(self):
        status, _, body = self.server.request("/v1/check?what=torch==2.7.1&hw=v100&index-url=" + urllib.parse.quote("https://download.pytorch.org/whl/cu128"))
        self.assertEqual((status, json.loads(body)["answer"]), (200, "no"))
        with socket.create_server(("127.0.0.1", 0)) as listener:
            listener.settimeout(1)
            address = f"http://127.0.0.1:{listener.getsockname()[1]}/simple"
            self.assertEqual(self.server.request("/v1/check?what=torch==2.7.1&hw=v100&index-url=" + urllib.parse.quote(address))[0], 200)
            self.assertRaises(TimeoutError, listener.accept)

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
