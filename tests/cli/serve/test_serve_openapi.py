"""The description at /openapi.json: it is OpenAPI 3.0.3, and schemathesis finds every operation to be as it says."""

import importlib.util
import json
import re
import subprocess
import sys

from harness import STACKX, cases
from made_up_store import MadeUpStore
from server_of_stackx import serving

EXAMPLES = cases(6, 60)  # of each operation; a thorough run also tries the bounds of each parameter
CHECKS = ("not_a_server_error", "status_code_conformance", "content_type_conformance", "response_schema_conformance", "response_headers_conformance")

# JSON Lines are a text to schemathesis, as the description has it.
JSONL = """import schemathesis

@schemathesis.serializer("application/jsonl")
def lines(context, value):
    return value if isinstance(value, bytes) else str(value).encode("utf-8", "replace")
"""


class Described(MadeUpStore):
    def setUp(self):
        super().setUp()
        self.begin_with_what_is_published()

    def needs(self, module):
        if not importlib.util.find_spec(module):
            self.skipTest(f"no {module} for {sys.executable}: `./run test` installs it")

    def test_it_is_openapi(self):
        self.needs("openapi_spec_validator")
        from openapi_spec_validator import OpenAPIV30SpecValidator  # pylint: disable=import-outside-toplevel
        document = self.json("serve", "--openapi")
        self.assertEqual(document["openapi"], "3.0.3")
        self.assertEqual([str(error) for error in OpenAPIV30SpecValidator(document).iter_errors()], [])
        del document["paths"]["/v1/advise"]["get"]["responses"]  # what is none is told
        self.assertTrue(list(OpenAPIV30SpecValidator(document).iter_errors()))

    def examine(self, server, document, *arguments, checks=CHECKS):
        """schemathesis on all operations of `document`."""
        self.needs("schemathesis")
        file = self.write("openapi.json", document)
        self.write("jsonl.py", JSONL)
        done = subprocess.run([sys.executable, "-m", "schemathesis.cli", "run", file, "--url", server.url, "--checks", ",".join(checks), "--phases", cases("fuzzing", "coverage,fuzzing"),
                               "--max-examples", str(EXAMPLES), "--seed", "1", "--generation-database", "none", "--request-timeout", "60", "--no-color",
                               "--suppress-health-check", "all", "--continue-on-failure", *arguments],
                              cwd=self.scratch, env=dict(self.environment, PYTHONPATH=str(self.scratch), SCHEMATHESIS_HOOKS="jsonl"), capture_output=True, text=True, timeout=900)
        self.assertEqual(done.returncode, 0, done.stdout[-8000:] + done.stderr[-4000:])
        operations = sum(len(one) for one in document["paths"].values())
        self.assertRegex(done.stdout, rf"Operations:\s+{operations} selected / {operations} total", done.stdout[-3000:])
        self.assertRegex(done.stdout, rf"Tested: {operations}\b", done.stdout[-3000:])
        return done.stdout

    def test_every_operation_is_as_described(self):
        with serving(self.environment, "--log", "nothing") as server:
            self.examine(server, server.json("/openapi.json")[1])
            self.assertIsNone(server.process.poll())
        self.stackx("db", "check")

    def test_no_operation_forgets_the_token(self):
        made = subprocess.run([STACKX, "serve", "token", "both", "--role", "read+write"], capture_output=True, text=True, check=True)
        token = re.search(r"^stackx_\S+$", made.stderr, re.M)[0]
        with serving(self.environment, "--log", "nothing", "--tokens", self.write("tokens", made.stdout)) as server:
            document = json.loads(server.request("/openapi.json", Authorization="Bearer " + token)[2])
            document["security"] = [{"token": []}]  # a server without tokens asks for none, which the description allows
            self.examine(server, document, "-H", f"Authorization: Bearer {token}", checks=CHECKS + ("ignored_auth",))
