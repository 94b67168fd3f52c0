"""A foreign program as a child: how it ended, what it said, and the shared objects mapped by it and its own children while it ran."""

from __future__ import absolute_import

import io
import os
import re
import subprocess
import tempfile
import time

from stackx_pi.protocol import mapped_files
from stackx_pi.starting.children import end

FIRST_WAIT, LONGEST_WAIT = 0.02, 1.0  # seconds between two looks: what ends soon is seen, what lasts is left in peace
FAULT = re.compile(r"(?:^|[\s:\]])((?:[A-Za-z_]\w*\.)*[A-Za-z_]\w*(?:Error|Exception|Interrupt|Exit)(?:: .*|$))")


class Ended(object):
    def __init__(self, status, out, err, seconds, files):
        self.status, self.out, self.err, self.seconds, self.files = status, out, err, seconds, files


def parents():
    """pid -> its parent's, of all processes."""
    found = {}
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                with open("/proc/%s/stat" % name) as stat:
                    found[int(name)] = int(stat.read().rpartition(")")[2].split()[1])
            except (IOError, OSError, ValueError, IndexError):  # it has just ended
                pass
    return found


def descendants(root):
    known, above = [root], parents()
    for pid in known:
        known += [child for child, parent in above.items() if parent == pid and child not in known]
    return known


def look(root, files):
    for pid in descendants(root):
        try:
            files.update(mapped_files(pid))
        except (IOError, OSError):
            pass


def run(command, environment, directory):
    """Ended. `directory`: where its output may lie meanwhile: a pipe that nobody reads would stop it."""
    files, wait = set(), FIRST_WAIT
    with tempfile.TemporaryFile(dir=directory) as out, tempfile.TemporaryFile(dir=directory) as err:
        begin = time.time()
        child = subprocess.Popen(command, stdout=out, stderr=err, env=environment, cwd=directory)
        try:
            while child.poll() is None:
                look(child.pid, files)
                time.sleep(wait)
                wait = min(LONGEST_WAIT, 1.5 * wait)
            seconds = time.time() - begin
        finally:
            end(child)
        return Ended(child.returncode, text(out), text(err), seconds, sorted(files))


def text(file):
    file.seek(0)
    return io.TextIOWrapper(io.BytesIO(file.read()), encoding="utf-8", errors="replace").read()


def reason(err):
    """The line that says why: the last exception that is no mere echo of another, else the last line."""
    lines = [line.strip() for line in err.splitlines() if line.strip()]
    faults = [found.group(1) for found in (FAULT.search(line) for line in lines) if found]
    own = [fault for fault in faults if "root cause above" not in fault]
    return ((own or faults or lines or ["no message"])[-1])[:500]
