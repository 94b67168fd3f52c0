"""What tests of advise share: a store that holds what is published, the command, its golden texts."""

import json
import os
import pathlib
import re

from harness import BlackBox

GOLDEN = pathlib.Path(__file__).with_name("golden")


class AdviseCase(BlackBox):
    maxDiff = None

    def setUp(self):
        super().setUp()
        self.begin_with_what_is_published()

    def golden(self, name, text):
        text = re.sub(r", \d+ days old: [^;]*; stackx\s+catalog\s+[^.]*", "", text)  # the facts have grown old
        path = GOLDEN / f"{name}.txt"
        if os.environ.get("STACKX_GOLDEN") == "write":
            path.write_text(text)
        self.assertEqual(text, path.read_text())

    def advise(self, *arguments, exit_code=0, **options):
        return self.stackx("advise", *arguments, exit_code=exit_code, cwd=self.scratch, **options)

    def answer(self, *arguments, exit_code=0):
        return json.loads(self.advise(*arguments, "--json", exit_code=exit_code).stdout)["answer"]
