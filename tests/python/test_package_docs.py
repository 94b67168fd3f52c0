"""The examples of docs/python.md, of the page that the package index shows, and of the package's docstring are run;
every public function says what it raises."""

import doctest
import importlib.util
import inspect
import io
import os
import re
import unittest
import unittest.mock

from support import ROOT

import stackx
from harness import STACKX
from made_up_store import MadeUpStore

PAGES = [ROOT / "docs" / "python.md", ROOT / "python" / "README.md"]
FLAGS = doctest.ELLIPSIS | doctest.IGNORE_EXCEPTION_DETAIL
BLOCK = re.compile(r"(?ms)(?:^<!-- needs (?P<needs>\w+) -->\n)?^```python\n(?P<text>.*?)^```$")


def missing(module):
    return importlib.util.find_spec(module) is None


class Examples(MadeUpStore):
    def setUp(self):
        super().setUp()
        self.rounds([({"openblas": "0.3.34"}, 106), ({"openblas": "0.3.27"}, 100)])
        self.store()
        there = unittest.mock.patch.dict(os.environ, self.environment, STACKX_PROGRAM=STACKX)
        there.start()
        self.addCleanup(there.stop)
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(ROOT)

    def run_examples(self, name, text, first=0):
        said = io.StringIO()
        test = doctest.DocTestParser().get_doctest(text, self.names, name, name, first)
        self.assertTrue(test.examples, f"{name}: a block of Python without an example (>>>)")
        doctest.DocTestRunner(verbose=False, optionflags=FLAGS).run(test, out=said.write, clear_globs=False)
        self.names = test.globs
        self.assertEqual(said.getvalue(), "")

    def test_pages_and_the_docstring(self):
        left_out = set()
        if missing("pandas"):
            left_out.add("pandas")
        else:
            self.names = {}
            self.run_examples("stackx", stackx.__doc__)
        for page in PAGES:
            self.names, text = {}, page.read_text()
            for block in BLOCK.finditer(text):
                line = text.count("\n", 0, block.start("text"))
                with self.subTest(f"{page.name}:{line + 1}"):
                    if block["needs"] and missing(block["needs"]):
                        left_out.add(block["needs"])
                        continue
                    self.run_examples(page.name, block["text"], line)
        if left_out:
            self.skipTest(f"not installed in the tests' Python, so their examples were left out: {', '.join(left_out)}")


class Docstrings(unittest.TestCase):
    def test_every_public_name_says_what_it_is(self):
        for name in stackx.__all__:
            with self.subTest(name):
                self.assertGreater(len(inspect.getdoc(getattr(stackx, name)) or ""), 40)
                if inspect.ismethod(getattr(stackx, name)):
                    self.assertRegex(getattr(stackx, name).__doc__, r"\bRaises ")

    def test_the_page_names_every_function_and_exception(self):
        text = PAGES[0].read_text()
        unnamed = [name for name in stackx.__all__ if not re.search(rf"\b{name}\b", text)]
        self.assertEqual(unnamed, ["Answer", "Expected", "Nearest"])  # what members of the answers are


if __name__ == "__main__":
    unittest.main()
