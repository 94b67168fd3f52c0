"""One run of the program: its lines as they come, its remarks to logging, its end as a value or an exception."""

from __future__ import annotations

import logging
import os
import signal
import subprocess
import tempfile
import threading
from types import TracebackType
from typing import Dict, Iterator, List, Optional, Sequence, Type

from .errors import BadInput, EnvironmentFailed, StackxError, TimedOut

LOG = logging.getLogger("stackx")
# A campaign that is asked to end writes down what it has and ends its containers.
GRACE_SECONDS = 10.0


class Process:
    """A program that runs, and its lines. A context: whatever leaves it, Ctrl-C too, ends the program.

    The listener's thread starts it: Ctrl-C comes to the main thread alone, and so never between the program's start and our
    knowing it. Rejected: another handler of SIGINT meanwhile, which belongs to whoever imports us."""

    def __init__(self, command: Sequence[str], environment: Dict[str, str], given: str,
                 timeout: Optional[float]) -> None:
        self.command = list(command)
        self._environment, self._given = environment, given
        self._timeout, self._expired = timeout, False
        self._said: List[str] = []
        self._child: Optional[subprocess.Popen[str]] = None
        self._fault: Optional[Exception] = None
        self._who: Dict[str, str] = {}  # came first: the listener's thread, which starts it, or one that leaves, and nobody starts it
        self._begun = threading.Lock()  # let go when there is a child, or a fault
        self._begun.acquire()  # pylint: disable=consider-using-with
        self._listener = threading.Thread(target=self._run, daemon=True)
        self._clock = threading.Timer(timeout, self._expire) if timeout is not None else None

    def __enter__(self) -> Process:
        try:
            self._listener.start()
            self._await_start()
            if isinstance(self._fault, OSError):
                message = f"{self.command[0]} cannot be started: {self._fault}"
                raise EnvironmentFailed(message, command=self.command) from self._fault
            if self._fault:
                raise self._fault
            if self._clock:
                self._clock.daemon = True
                self._clock.start()
            return self
        except BaseException:
            self.__exit__(None, None, None)
            raise

    def __exit__(self, kind: Optional[Type[BaseException]], error: Optional[BaseException],
                 trace: Optional[TracebackType]) -> None:
        try:
            self._leave(GRACE_SECONDS)
        except BaseException:  # Ctrl-C once more: without grace
            self._leave(0)
            raise

    def __iter__(self) -> Iterator[str]:
        assert self._child and self._child.stdout
        return iter(self._child.stdout)

    def exit_code(self) -> int:
        """Waits for the end: 0, or 1 where the answer is no. Every other end is an exception."""
        assert self._child
        code = self._child.wait()
        self._listener.join()
        if self._expired:
            raise TimedOut(f"{self.command[0]}: not done after {self._timeout} s, and ended", command=self.command)
        if code not in (0, 1):
            raise self._error(code)
        return code

    def _run(self) -> None:
        try:
            if self._who.setdefault("first", "starts") == "starts":
                self._child = self._start()
        except Exception as error:  # pylint: disable=broad-except
            self._fault = error
        finally:
            self._begun.release()
        for line in (self._child.stderr if self._child else None) or ():
            self._said.append(line)
            LOG.info(line.rstrip("\n"))

    def _start(self) -> subprocess.Popen[str]:
        with tempfile.TemporaryFile() as stdin:  # a file: nobody has to feed a pipe while another one is read
            stdin.write(self._given.encode("utf-8"))
            stdin.seek(0)
            # In a session of its own it can be ended with all that it started.
            return subprocess.Popen(
                self.command, env=self._environment, stdin=stdin, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                encoding="utf-8", errors="replace", start_new_session=True)

    def _await_start(self) -> None:
        if not (self._child or self._fault):
            self._begun.acquire()  # pylint: disable=consider-using-with

    def _leave(self, grace: float) -> None:
        if self._who.setdefault("first", "leaves") == "starts":
            self._await_start()
        self._end(grace)
        if self._clock:
            self._clock.cancel()
        if self._listener.is_alive():
            self._listener.join()
        for pipe in (self._child.stdout, self._child.stderr) if self._child else ():
            if pipe:
                pipe.close()

    def _expire(self) -> None:
        self._expired = True
        self._end(GRACE_SECONDS)

    def _end(self, grace: float) -> None:
        """Asks, waits a while, and ends it."""
        for number, patience in ((signal.SIGTERM, grace), (signal.SIGKILL, GRACE_SECONDS)):
            if not self._child or self._child.poll() is not None:
                return
            try:
                os.killpg(self._child.pid, number)
                self._child.wait(patience)
            except (ProcessLookupError, subprocess.TimeoutExpired):
                continue

    def _error(self, code: int) -> StackxError:
        if code < 0:
            message = f"{self.command[0]} was ended by signal {-code} ({signal.strsignal(-code)})"
            return EnvironmentFailed(message, command=self.command, exit_code=code)
        kind = BadInput if code == 2 else EnvironmentFailed
        return kind(self._message() or f"{self.command[0]} ended with {code}", command=self.command, exit_code=code)

    def _message(self) -> str:
        """The program's last words: a message begins with its name, and what it remarked before is none of it."""
        said = "".join(self._said).strip()
        return ("\n" + said).rpartition("\nstackx: ")[2].strip()
