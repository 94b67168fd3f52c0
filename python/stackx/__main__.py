"""`python -m stackx ...` is the command line, in place of this process."""

import os
import sys

from ._program import find_program
from .errors import ProgramNotFound


def main() -> None:
    try:
        program = find_program()
    except ProgramNotFound as error:
        sys.exit(_failed(str(error)))
    os.execv(program, [program, *sys.argv[1:]])


def _failed(message: str) -> int:
    print(f"stackx: {message}", file=sys.stderr)
    return 3


if __name__ == "__main__":
    main()
