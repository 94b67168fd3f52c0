"""The child of import_time.py: imports one module, prints one JSON object. Only what is needed before the clock is imported first."""

from __future__ import absolute_import

import sys

from stackx_pi.measure import Clock

CLOCK = Clock.system()
FIRST_STATEMENT = CLOCK.steady_ns()


def main(module):
    import os
    out = os.dup(1)
    os.dup2(2, 1)
    known = len(sys.modules)
    begin = CLOCK.steady_ns()
    __import__(module)
    elapsed = CLOCK.steady_ns() - begin
    import json
    from stackx_pi.protocol import finish, mapped_files, write_all
    imported = sys.modules[module]
    version = getattr(imported, "__version__", None)
    write_all(out, json.dumps({
        "import_ns": elapsed, "first_statement_ns": FIRST_STATEMENT, "modules": len(sys.modules) - known,
        "version": str(version) if version is not None else None, "file": getattr(imported, "__file__", None),
        "files": mapped_files()}).encode("utf-8"))
    finish(0)


if __name__ == "__main__":
    main(sys.argv[1])
