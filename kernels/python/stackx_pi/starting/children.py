"""Fresh interpreters: the same program, flags (-s, -S, -B, -O, -X ...) and packages as this one, running a script of ours."""

from __future__ import absolute_import

import json
import os
import subprocess
import sys

from stackx_pi.errors import EnvironmentFault

HERE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BOOTSTRAP = os.path.join(HERE, "bootstrap.py")


def interpreter():
    """This interpreter with its flags, as subprocess knows them."""
    return [sys.executable] + subprocess._args_from_interpreter_flags()  # pylint: disable=protected-access


def command(script, words):
    """`script`: a file beside pi.py."""
    sites = [e for e in os.environ.get("STACKX_SITE_DIR", "").split(os.pathsep) if e]
    return interpreter() + [BOOTSTRAP, sites[0] if sites else "-", os.path.join(HERE, script)] + list(words)


def answer(words, what, environment=None):
    """The document that a child prints; `what` names it in messages."""
    child = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment)
    try:
        out, err = child.communicate()
    finally:
        end(child)
    out, err = out.decode("utf-8", "replace"), err.decode("utf-8", "replace")
    if child.returncode != 0:
        raise EnvironmentFault("%s: %s: %s" % (what, ending(child.returncode), last_line(err)))
    try:
        return json.loads(out)
    except ValueError:
        raise EnvironmentFault("%s: the child printed no document: the module ended it" % what)


def end(child):
    """Of one that still runs, since Ctrl-C or a fault came before its end."""
    if child.poll() is None:
        child.kill()
        child.wait()


def program(known):
    """Version and file of the module that a child tells of; the file is the source's, whether Python 2 had compiled it yet or not."""
    file = known["file"]
    return known["version"], file[:-1] if file and file.endswith(".pyc") else file


def ending(status):
    return "exit status %d" % status if status >= 0 else "killed by signal %d" % -status


def last_line(text):
    return ([line.strip() for line in text.splitlines() if line.strip()] or ["no message"])[-1][:500]
