"""Which software stack should run a workload on given hardware? The program `stackx`, asked from Python.

    >>> import stackx
    >>> advice = stackx.advise(hw="v100", workload="matmul")
    >>> check = stackx.check("torch==2.7.1+cu128", hw="v100")
    >>> rows = stackx.inspections(workload="matmul", as_="pandas")

`advise`, `check`, `compare` and `resolve` return answers (`bool(answer)` is yes or no, `answer.document` all of the
JSON); `query`, `sql`, `inspections` and `hardware` return tables; `run`, `stream` and `text` take any command line.
What cannot be answered raises a `StackxError`: `BadInput`, `EnvironmentFailed`, `ProgramNotFound`, `TimedOut`."""

from ._answers import Advice, Answer, Check, Comparison, Expected, Nearest, Resolution, Stack
from ._client import Stackx
from ._program import find_program
from .errors import BadInput, EnvironmentFailed, ProgramNotFound, StackxError, TimedOut

__all__ = [
    "Advice", "Answer", "BadInput", "Check", "Comparison", "EnvironmentFailed", "Expected", "Nearest",
    "ProgramNotFound", "Resolution", "Stack", "Stackx", "StackxError", "TimedOut", "advise", "check", "compare",
    "find_program", "hardware", "inspections", "query", "resolve", "run", "sql", "stacks", "stream", "text",
]

# One that decides at each call where the program and the store are: it has nothing that could change.
_usual = Stackx()
advise = _usual.advise
check = _usual.check
compare = _usual.compare
hardware = _usual.hardware
inspections = _usual.inspections
query = _usual.query
resolve = _usual.resolve
run = _usual.run
sql = _usual.sql
stacks = _usual.stacks
stream = _usual.stream
text = _usual.text
