"""Where the program is: among the scripts of the Python that it is installed in, or beside the folder."""

from __future__ import annotations

import os
import pathlib
import shutil
import sysconfig
from typing import Iterator

from .errors import ProgramNotFound

NAME = "stackx"
WHAT_TO_DO = "`pip install stackx` brings it, and $STACKX_PROGRAM can name another one"


def find_program() -> str:
    """The path of the program: $STACKX_PROGRAM, else the one installed with this package, else the first in $PATH."""
    named = os.environ.get("STACKX_PROGRAM")
    if named:
        return checked(named, "$STACKX_PROGRAM")
    folders = list(dict.fromkeys(_script_folders()))
    for folder in folders:
        if _runs(folder / NAME):
            return str(folder / NAME)
    on_path = shutil.which(NAME)
    if on_path:
        return on_path
    looked_in = ", ".join(map(str, folders))
    raise ProgramNotFound(f"no program {NAME} in {looked_in}, nor in $PATH; {WHAT_TO_DO}")


def checked(path: str, who: str) -> str:
    """The path that somebody named, if a program is there."""
    if _runs(pathlib.Path(path)):
        return path
    raise ProgramNotFound(f"{who} names {path}, which is no file that can be run; {WHAT_TO_DO}")


def _runs(path: pathlib.Path) -> bool:
    return path.is_file() and os.access(path, os.X_OK)


def _script_folders() -> Iterator[pathlib.Path]:
    """Where installers put scripts: those of pip's --prefix and --target are found from this file only."""
    packages = pathlib.Path(__file__).resolve().parent.parent
    yield pathlib.Path(sysconfig.get_path("scripts"))
    yield packages / "bin"  # --target DIR
    if packages.parent.parent.name in ("lib", "lib64"):
        yield packages.parents[2] / "bin"  # --prefix DIR: DIR/lib/pythonX.Y/site-packages
    yield pathlib.Path(sysconfig.get_path("scripts", "posix_user"))
