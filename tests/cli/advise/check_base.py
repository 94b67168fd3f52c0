"""What tests of `stackx check` share: how they ask, and what they read of the answer."""

import json

from harness import BlackBox


class Check(BlackBox):
    def setUp(self):
        super().setUp()
        for name in ("VIRTUAL_ENV", "CONDA_PREFIX"):
            self.environment.pop(name, None)
        self.environment["XDG_CONFIG_HOME"] = str(self.scratch / "config")

    def check(self, *arguments, exit_code=0, hw="h100", **options):
        return self.stackx("check", *arguments, *(["--hw", hw] if hw else []), exit_code=exit_code, **options)

    def document(self, *arguments, exit_code=0, **options):
        return json.loads(self.check(*arguments, "--json", exit_code=exit_code, **options).stdout)

    def first_line(self, *arguments, exit_code=0, **options):
        return self.check(*arguments, exit_code=exit_code, **options).stdout.splitlines()[0]

    def answer(self, *arguments, **options):
        return self.document(*arguments, exit_code=None, **options)["answer"]

    def refused(self, *arguments, **options):
        """The one line of a usage error."""
        done = self.check(*arguments, exit_code=2, **options)
        self.assertEqual(done.stdout, "")
        lines = done.stderr.splitlines()
        self.assertEqual(len(lines), 1, done.stderr)
        return lines[0].removeprefix("stackx: ")

    def is_torch_2_4(self, document, python=None, not_judged=()):
        self.assertEqual((document["answer"], document["stack"]["torch"], document["stack"]["nvidia-cudnn-cu12"]),
                         ("yes", "2.4.0", "9.1.0.70"))
        if python:
            self.assertEqual(document["pythons"], python.split())
        for text in not_judged:
            self.assertIn(text, document["not_judged"])
