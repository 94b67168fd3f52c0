"""Runs a script with the packages of one directory: no installed package of the interpreter's own is seen.

    PROGRAM -s -S bootstrap.py SITE_DIR SCRIPT ARGUMENT...        SITE_DIR "-": nothing is added (then without -S)

SITE_DIR is a flat tree as `pip install --target` makes it. Under -S Python skips the module `site`, and with it both the
interpreter's site-packages and what makes SITE_DIR usable; this file does the rest of site's work:
  - SITE_DIR and what its .pth files add come behind the standard library and before everything else, where a virtual
    environment has its packages: a backport (typing, enum34) must not hide the standard library's own module.
  - exit, quit, copyright, help and the like exist.
  - PYTHONPATH names those directories: a child started with sys.executable sees the same packages.
For the script all is as in `PROGRAM SCRIPT ARGUMENT...`: sys.argv, sys.path[0], __main__, tracebacks, exit status.
Rejected: a virtual environment for each stack (dozens of files, and a path to an interpreter inside that must be right in every
container); PYTHONPATH alone (no .pth files, and the interpreter's own packages remain in sight).

Python 2.7 and 3.
"""

import os
import sys
import types

SITE_VARIABLE = "STACKX_SITE_DIR"  # what a child needs to be started by this file too


def load_site():
    """The module `site`, without what it does when Python starts."""
    if sys.version_info[0] > 2 or "site" in sys.modules:
        import site
        return site
    # Python 2's runs main() when imported, which would add the interpreter's own packages: all but that call is executed.
    import ast
    path = os.path.join(os.path.dirname(os.__file__), "site.py")
    with open(path) as file:
        tree = ast.parse(file.read(), path)
    tree.body = [node for node in tree.body if not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Call))]
    site = types.ModuleType("site")
    site.__file__ = path
    eval(compile(tree, path, "exec"), site.__dict__)
    sys.modules["site"] = site
    return site


def add_packages(directory):
    site = load_site()
    directory = os.path.abspath(directory)
    if not os.path.isdir(directory):
        fail("SITE_DIR %s is not a directory" % directory)
    before = list(sys.path)
    # Named by PYTHONPATH they would come before the standard library.
    sys.path[:] = [entry for entry in sys.path if entry != directory and entry not in inherited()]
    own = list(sys.path)
    site.addsitedir(directory)
    added = [entry for entry in sys.path if entry not in own]
    at = 1 + max([i for i, entry in enumerate(own) if entry in standard_library(before)] or [0])
    sys.path[:] = own[:at] + added + own[at:]
    others = [entry for entry in os.environ.get("PYTHONPATH", "").split(os.pathsep) if entry and entry not in added]
    os.environ["PYTHONPATH"] = os.pathsep.join(added + others)
    os.environ[SITE_VARIABLE] = os.pathsep.join(added)
    if sys.flags.no_site:
        # TensorFlow 1.14 to 2.2 compare their place with these. Nothing is added to sys.path.
        site.getusersitepackages()
        site.ENABLE_USER_SITE = False
        # Python 3.4 to 3.12 know setcopyright, all know setquit; sethelper is there from 3.4 on.
        for name in ("setquit", "setcopyright", "sethelper"):
            getattr(site, name, lambda: None)()


def inherited():
    """What a bootstrap above this one has put on PYTHONPATH."""
    return [entry for entry in os.environ.get(SITE_VARIABLE, "").split(os.pathsep) if entry]


def standard_library(path):
    home = os.path.dirname(os.path.abspath(os.__file__))
    return [e for e in path if e == home or e.endswith(".zip") or
            (e.startswith(home + os.sep) and "-packages" not in e)]


def fail(message):
    sys.stderr.write("bootstrap.py: %s\n" % message)
    sys.exit(2)


def hide_own_frames():
    """A traceback begins in the script, as if nobody had called it."""
    here = os.path.abspath(__file__)

    def hook(kind, value, trace):
        while trace is not None and os.path.abspath(trace.tb_frame.f_code.co_filename) == here:
            trace = trace.tb_next
        if hasattr(value, "with_traceback"):
            value = value.with_traceback(trace)
        sys.__excepthook__(kind, value, trace)

    sys.excepthook = hook


def run(script, arguments):
    try:
        with open(script, "rb") as file:
            source = file.read()
    except (IOError, OSError) as error:
        fail("can't open file '%s': [Errno %s] %s" % (script, error.errno, error.strerror))
    own_directory = os.path.dirname(os.path.realpath(__file__))
    script_directory = os.path.dirname(os.path.realpath(script))
    if sys.path and os.path.realpath(sys.path[0] or ".") == own_directory:
        sys.path[0] = script_directory
    elif not getattr(sys.flags, "safe_path", False) and not getattr(sys.flags, "isolated", 0):
        sys.path.insert(0, script_directory)
    sys.argv[:] = [script] + arguments
    main = types.ModuleType("__main__")
    main.__file__ = script
    main.__builtins__ = sys.modules.get("builtins") or sys.modules["__builtin__"]
    kept = sys.modules["__main__"]  # Python 2 empties the globals of a module that nobody holds
    sys.modules["__main__"] = main
    hide_own_frames()
    # pylint: disable=exec-used
    eval(compile(source, script, "exec", 0, True), main.__dict__)
    return kept


if __name__ == "__main__":
    if len(sys.argv) < 3:
        fail("usage: bootstrap.py SITE_DIR SCRIPT ARGUMENT...")
    if sys.argv[1] != "-":
        add_packages(sys.argv[1])
    run(sys.argv[2], sys.argv[3:])
