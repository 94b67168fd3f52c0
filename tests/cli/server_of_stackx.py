"""`stackx serve` as tests start it: on a port of its own, ended at the end of the test."""

import contextlib
import json
import re
import signal
import subprocess
import threading
import urllib.error
import urllib.parse
import urllib.request

from harness import STACKX


class Server:
    """A running server; `said` holds its lines of stderr so far."""

    def __init__(self, environment, *arguments, wrapper=()):
        self.process = subprocess.Popen([*wrapper, STACKX, "serve", "--listen", "127.0.0.1:0", *map(str, arguments)], env=environment,
                                        stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
        self.said, self.url = [], None
        ready = threading.Event()
        self.reader = threading.Thread(target=self.read, args=(ready,), daemon=True)
        self.reader.start()
        ready.wait(120)
        if not self.url:
            self.process.kill()
            raise AssertionError("the server did not start: " + "".join(self.said))
        self.port = int(self.url.rsplit(":", 1)[1])

    def read(self, ready):
        for line in self.process.stderr:
            self.said.append(line)
            if found := re.match(r"stackx serve: (https?://\S+) answers from", line):
                self.url = found[1]
                ready.set()
        ready.set()

    def request(self, path, method="GET", body=None, **headers):
        """(status, headers, body as text), whatever the status."""
        request = urllib.request.Request(self.url + path, data=body, method=method,
                                         headers={name.replace("_", "-"): value for name, value in headers.items()})
        try:
            with urllib.request.urlopen(request, timeout=120) as response:
                return response.status, response.headers, response.read().decode()
        except urllib.error.HTTPError as error:
            with error:
                return error.code, error.headers, error.read().decode()

    def json(self, path, **parameters):
        target = path + ("?" + urllib.parse.urlencode(parameters, doseq=True) if parameters else "")
        status, _, body = self.request(target)
        return status, json.loads(body)

    def send(self, documents, **headers):
        """POST of documents as JSON Lines: (status, what it answers)."""
        lines = "".join(json.dumps(one, sort_keys=True, ensure_ascii=False) + "\n" for one in documents)
        status, _, body = self.request("/v1/documents", "POST", lines.encode(), Content_Type="application/jsonl", **headers)
        return status, json.loads(body)

    def end(self, patience=240):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(patience)
        finally:
            if self.process.poll() is None:
                self.process.kill()
                self.process.wait()
            self.reader.join(10)
            self.process.stderr.close()
        return self.process.returncode


@contextlib.contextmanager
def serving(environment, *arguments, **options):
    server = Server(environment, *arguments, **options)
    try:
        yield server
    finally:
        server.end()
