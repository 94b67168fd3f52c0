"""The questions whose answers are a yes, a no or a stack."""

from __future__ import annotations

import sys
from typing import List, Mapping, Optional, Union

from ._answers import Advice, Check, Comparison, Resolution, Stack
from ._options import Option, Path, Value, text, words
from ._questions import Questions
from .errors import BadInput


class Stackx(Questions):
    """The program with a store and an environment of your own; the functions of the package are methods of `Stackx()`.

    db       -- the store, a file; else $STACKX_DB, else the user's
    program  -- the program; else $STACKX_PROGRAM, the one installed with this package, or the first in $PATH
    env      -- variables that are set for the program beside those of this process

    It holds no state, so threads may share it. What the program remarks goes to the logger "stackx", at INFO."""

    def advise(self, hw: str = "host", workload: str = "matmul", *, have: Union[str, Mapping[str, Value], None] = None,
               require: Optional[str] = None, project: Optional[Path] = None, lock: Optional[Path] = None,
               python: Optional[str] = None, timeout: Optional[float] = None, **options: Option) -> Advice:
        """What to run a workload with on some hardware, what to expect of it, and why.

        hw        -- a model ("v100", "zen4"), a name that a cloud or driver gives it, or "host"
        workload  -- NAME or NAME:key=value,...: "matmul:m=4096,dtype=float16"
        have      -- what cannot change there: {"driver": "535.183.01", "python": "3.11"}
        require   -- not ok where less is known of the speed: "measured", "published" or "predicted"
        project   -- a file that says what must be in the stack: requirements.txt, Pipfile, pyproject.toml
        lock      -- a file that pins what you run today: does it run there?
        python    -- "3.11"
        options   -- every other option of `stackx advise`: type="latest", explain=True, settle="settle.json"

        Raises BadInput, EnvironmentFailed, TimedOut (after `timeout` seconds); where none is valid, none is `found`."""
        named = {"hw": hw, "workload": workload, "have": have, "require": require, "project": project, "lock": lock,
                 "python": python}
        return Advice.of(*self._ask("advise", [], {**named, **options}, timeout))

    def check(self, *what: Path, hw: str = "host", driver: Optional[str] = None, python: Optional[str] = None,
              python_env: Optional[Path] = None, timeout: Optional[float] = None, **options: Option) -> Check:
        """Will these packages run on that hardware, driver and Python?

        what        -- requirements ("torch==2.4.0", "jax[cuda12]>=0.6") or a file (requirements.txt, uv.lock, ...);
                       without any: what the running Python has installed
        hw          -- a GPU or CPU: "v100"; "host" is this machine
        driver      -- NVIDIA's driver: "535.183.01"
        python      -- "3.11"; else any that these install on
        python_env  -- the directory of an environment, whose packages are meant
        options     -- every other option of `stackx check`: platform="linux aarch64", deep=True

        Raises BadInput, EnvironmentFailed, TimedOut (after `timeout` seconds); never for a no or unknown."""
        if not what and python_env is None:
            python_env = sys.prefix
        named = {"hw": hw, "driver": driver, "python": python, "python_env": python_env}
        return Check.of(self._ask("check", [_one(word) for word in what], {**named, **options}, timeout)[0])

    def compare(self, a: Path, b: Path, *, workload: Optional[str] = None, hw: Optional[str] = None,
                max_slower: Optional[float] = None, timeout: Optional[float] = None, **options: Option) -> Comparison:
        """Is A faster than B? A verdict on what was measured of both, with an interval.

        a, b        -- a stack's id or how it begins, COMPONENT=VERSION,... ("numpy=2.1"), a lock file, a campaign,
                       a host, a store
        workload    -- else the one that both have most of
        hw          -- only measurements on this hardware
        max_slower  -- percent: not ok if B is shown to be slower than A by more than this
        options     -- every other option of `stackx compare`: delta=1, confidence=99 (both in percent)

        Raises BadInput, EnvironmentFailed, TimedOut (after `timeout` seconds); never for a no."""
        named = {"workload": workload, "hw": hw, "max_slower": max_slower}
        return Comparison.of(*self._ask("compare", [_one(a), _one(b)], {**named, **options}, timeout))

    def resolve(self, project: Path, *, python: Optional[str] = None, timeout: Optional[float] = None,
                **options: Option) -> Resolution:
        """How many stacks a project (a project of stackx, requirements.txt, Pipfile, pyproject.toml) allows, exactly.

        `options` are those of `stackx resolve` that belong to counting: catalog=[...], platform="linux x86_64".
        Raises BadInput, EnvironmentFailed, TimedOut (after `timeout` seconds); where none is valid, it says why."""
        return Resolution.of(self._ask("resolve", [_one(project)], {"python": python, **options}, timeout)[0])

    def stacks(self, project: Path, *, timeout: Optional[float] = None, **options: Option) -> List[Stack]:
        """Valid stacks of a project: the first N (list=N), N at random (sample=N, seed=42), those with the K highest
        scores (top=K, score="scores.json"), or few that hold every combination of T versions (cover=T). An empty list
        where none is valid.

        Further options are those of `stackx resolve`.
        Raises BadInput, EnvironmentFailed, TimedOut (after `timeout` seconds)."""
        if not {"list", "sample", "top", "cover"} & options.keys():
            raise BadInput("stacks(): which ones? expected list=N, sample=N, top=K or cover=T")
        found = self.stream("resolve", *words(options), "--", _one(project), timeout=timeout)
        return [Stack(one["id"], one["components"], one.get("score")) for one in found]


def _one(what: object) -> str:
    """A word for the program; a list of them is a mistake that is easily made."""
    if isinstance(what, (list, tuple, set)):
        raise BadInput(f"expected a text or a path, not a {type(what).__name__}; of several: check(*requirements)")
    return text(what)
