"""What goes wrong. "No" is no error: it is an answer, and comes back as a value."""

from __future__ import annotations

from typing import Optional, Sequence


class StackxError(Exception):
    """Everything that this package raises. `command` is what was run, `exit_code` how it ended, if it did by itself."""

    def __init__(self, message: str, *, command: Sequence[str] = (), exit_code: Optional[int] = None) -> None:
        super().__init__(message)
        self.command = list(command)
        self.exit_code = exit_code


class BadInput(StackxError, ValueError):
    """The program understands something not (exit code 2). Its words name the place, and what was expected there."""


class EnvironmentFailed(StackxError, RuntimeError):
    """Something around the program failed: I/O, the network, another program (exit code 3), or it was killed."""


class ProgramNotFound(EnvironmentFailed):
    """There is no program `stackx` to ask. The message says where it was looked for, and what to do."""


class TimedOut(StackxError, TimeoutError):
    """The program took longer than `timeout` seconds and was ended."""
