"""Well-known truths put to `stackx check`: each says where it stands, nobody here made up an answer.

    truths-open.json   an auditor's, with sources
    truths.json        ours, from other sources
No answer may be a wrong yes; of each file 95% must be right. "unknown-to-pypi": no such version exists.
"""

import json
import os
import pathlib
import subprocess
import unittest

HERE = pathlib.Path(__file__).parent
STACKX = os.environ.get("STACKX", str(HERE.parents[1] / "build" / "stackx"))


def ask(truth):
    """What stackx answers, and its whole document."""
    argv = [STACKX, "--json", "check", *truth["requirements"], "--hw", truth["hw"]]
    for option in ("driver", "python"):
        if truth[option]:
            argv += [f"--{option}", truth[option]]
    done = subprocess.run(argv, capture_output=True, text=True, timeout=240)
    if done.returncode not in (0, 1):
        return "error", {"text": done.stderr.strip()}
    document = json.loads(done.stdout)
    return document["answer"], document


def wanted(truth):
    return {"unknown-to-pypi": ("unknown", "no")}.get(truth["answer"], (truth["answer"],))


class Truths(unittest.TestCase):
    def hold(self, name):
        truths = json.loads((HERE / name).read_text())
        wrong = []
        for truth in truths:
            answer, document = ask(truth)
            if answer not in wanted(truth):
                wrong.append((truth, answer, document.get("text", "")))
        for truth, answer, text in wrong:
            print(f"{truth['id']}: {' '.join(truth['requirements'])} on {truth['hw']}: {answer}, should be {truth['answer']} "
                  f"({truth['why']})\n    {text}")
        wrong_yes = [truth["id"] for truth, answer, _ in wrong if answer == "yes"]
        self.assertEqual(wrong_yes, [])
        self.assertGreaterEqual(1 - len(wrong) / len(truths), 0.95, f"{len(wrong)} of {len(truths)} wrong")

    def test_of_an_auditor(self):
        self.hold("truths-open.json")

    def test_of_our_own(self):
        self.hold("truths.json")


if __name__ == "__main__":
    unittest.main()
