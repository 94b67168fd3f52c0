"""Runs the program and reads what it prints; knows none of its commands."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from typing import Any, Dict, Iterator, List, Mapping, Optional, Tuple

from ._options import Option, Path, text, words
from ._process import Process
from ._program import checked, find_program
from .errors import StackxError


@dataclass(frozen=True)
class Runner:
    db: Optional[Path] = None
    program: Optional[Path] = None
    env: Optional[Mapping[str, str]] = None

    def run(self, *arguments: Path, given: str = "", timeout: Optional[float] = None) -> Any:
        """Runs any command and returns its JSON document, parsed: `run("hw", "show", "v100")`.

        `given` is what it reads from stdin, `timeout` seconds. Where the answer is no (exit code 1), the document comes
        all the same, and says so itself; None: the command printed nothing.
        Raises BadInput, EnvironmentFailed, TimedOut; StackxError where it prints no JSON document."""
        return self._document(arguments, given, timeout)[0]

    def stream(self, *arguments: Path, given: str = "", timeout: Optional[float] = None) -> Iterator[Any]:
        """Runs a command that prints JSON Lines and yields its documents as they come: `stream("export")`.

        Whoever stops early ends the program. Raises as `run` does, when the documents are read."""
        with self._started("--json", *arguments, given=given, timeout=timeout) as process:
            for line in process:
                yield _parsed(line, process)
            process.exit_code()

    def text(self, *arguments: Path, given: str = "", timeout: Optional[float] = None) -> str:
        """Runs a command and returns what it prints, as terminals show it: `text("advise", "--format=containerfile")`.

        Raises BadInput, EnvironmentFailed, TimedOut."""
        with self._started(*arguments, given=given, timeout=timeout) as process:
            printed = "".join(process)
            process.exit_code()
        return printed

    def _started(self, *arguments: Path, given: str, timeout: Optional[float]) -> Process:
        program = find_program() if self.program is None else checked(text(self.program), "program=")
        database = [] if self.db is None else [f"--db={text(self.db)}"]
        return Process([program, *database, *map(text, arguments)], {**os.environ, **(self.env or {})}, given, timeout)

    def _document(self, arguments: Tuple[Path, ...], given: str, timeout: Optional[float]) -> Tuple[Any, bool]:
        """What it prints, and whether the answer is yes."""
        with self._started("--json", *arguments, given=given, timeout=timeout) as process:
            printed = "".join(process)
            yes = process.exit_code() == 0
        return (_parsed(printed, process) if printed.strip() else None), yes

    def _ask(self, command: str, what: List[str], options: Mapping[str, Option],
             timeout: Optional[float]) -> Tuple[Dict[str, Any], bool]:
        """A command with options; `what` is never taken for an option, whatever it begins with."""
        document, yes = self._document((command, *words(options), "--", *what), "", timeout)
        return document, yes


def _parsed(printed: str, process: Process) -> Any:
    try:
        return json.loads(printed)
    except json.JSONDecodeError as error:
        several = error.msg == "Extra data"
        found = "several JSON documents, which stream() takes" if several else "no JSON; text() takes what is printed"
        message = f"{' '.join(process.command)}: printed {found}"
        raise StackxError(message, command=process.command, exit_code=0) from error
