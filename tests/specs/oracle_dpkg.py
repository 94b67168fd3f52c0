"""What dpkg says of Debian versions: JSON questions on stdin, JSON answers on stdout.

{"versions": [text], "pairs": [[a, b]]} becomes {"versions": [valid], "pairs": [-1, 0, 1]}.
Exit status 77: dpkg is not there.
"""

import json
import shutil
import subprocess
import sys

if not shutil.which("dpkg"):
    print("dpkg is not installed", file=sys.stderr)
    sys.exit(77)


def dpkg(*arguments):
    return subprocess.run(["dpkg", *arguments], stderr=subprocess.DEVNULL).returncode


def order(a, b):
    if dpkg("--compare-versions", a, "lt", b) == 0:
        return -1
    return dpkg("--compare-versions", a, "gt", b) == 0


questions = json.load(sys.stdin)
json.dump(
    {
        # 1 is a warning (an odd character, no digit at the start), which deb-version(7) does not allow either
        "versions": [dpkg("--validate-version", "--", text) == 0 for text in questions["versions"]],
        "pairs": [int(order(a, b)) for a, b in questions["pairs"]],
    },
    sys.stdout,
)
