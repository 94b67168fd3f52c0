"""What --help prints, of all commands: the truth that man pages and completions are compared with."""

import functools
import os
import re
import subprocess


@functools.cache
def every_command():
    """{("hw", "show"): what its --help prints}; () is stackx itself."""
    found, todo = {}, [()]
    while todo:
        path = todo.pop(0)
        found[path] = subprocess.run([os.environ["STACKX"], *path, "--help"], capture_output=True, text=True, check=True).stdout
        listed = re.search(r"(?ms)^Subcommands:\n(.*?)(?:^\S|\Z)", found[path])
        todo += [(*path, name) for name in re.findall(r"(?m)^  ([a-z-]+)", listed[1])] if listed else []
    return found


def top_commands():
    return [path[0] for path in every_command() if len(path) == 1]


def long_options(text):
    """Those that a help text declares."""
    return set(re.findall(r"(?m)^  (?:-\w,)?(--[a-z-]+)", text))
