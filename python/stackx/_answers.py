"""Answers: the headline of a document as typed members, the whole of it in `document`.

What the documents hold is written down in the JSON Schemas of the program, and in its page on JSON."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Dict, Optional, Tuple

Document = Dict[str, Any]


@dataclass(frozen=True, repr=False)
class Answer:
    """What the program says. `bool(answer)`, or `ok`: is it a yes?

    line      -- the answer in a sentence; `repr` shows it
    ok        -- yes, found, within the limit; no exception says no
    document  -- all of it, as parsed JSON"""

    line: str
    ok: bool
    document: Document = field(hash=False)

    def __bool__(self) -> bool:
        return self.ok

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self.line}>"


@dataclass(frozen=True)
class Expected:
    """A speed: `value` in `unit`; `of` tells it from others (float16); a single number of others has no interval."""

    of: str
    value: float
    unit: str
    interval: Optional[Tuple[float, float]]


@dataclass(frozen=True, repr=False)
class Advice(Answer):
    """What to run; `str(advice)` is the answer in sentences.

    found     -- is there a stack to run; of a lock: does it run there
    command   -- the line that installs it, to be typed as it is; None where there is none
    stack     -- component -> version, the machine's too; empty where nothing is found
    run       -- the stack in words
    grade     -- what the speed rests on: MEASURED, MEASURED ELSEWHERE, PUBLISHED, PREDICTED, NEWEST (unknown);
                 None without a stack
    expected  -- the speeds, with intervals
    expect, why, cautions -- the sentences about it"""

    found: bool
    command: Optional[str]
    stack: Dict[str, str] = field(hash=False)
    run: Optional[str]
    grade: Optional[str]
    expected: Tuple[Expected, ...]
    expect: Optional[str]
    why: Optional[str]
    cautions: Tuple[str, ...]

    @classmethod
    def of(cls, document: Document, ok: bool) -> Advice:
        answer = document["answer"]
        return cls(
            line=answer["line"], ok=ok, document=document, found=answer["found"], command=answer["install"]["line"],
            stack=answer["stack"] or {}, run=answer["run"], grade=answer["grade"],
            expected=tuple(_expected(speed) for speed in answer["expected"]), expect=answer["expect"],
            why=answer["why"], cautions=tuple(answer["cautions"]))

    def __str__(self) -> str:
        why = self.why and f"Why: {self.why}"
        sentences = [line for line in (self.line, self.expect, why) if line]
        below = [f"  {self.command}"] if self.command else []
        below += [f"  ! {caution}" for caution in self.cautions]
        return "\n".join(sentences + ([""] + below if below else []))


@dataclass(frozen=True)
class Nearest:
    """What runs instead. `changes`: name -> (from, to), from "" where it is added; `install`: what to give to pip.
    `indexes`: addresses to look at beside the usual index, for builds that no version of these names."""

    changes: Dict[str, Tuple[str, str]] = field(hash=False)
    install: Tuple[str, ...]
    stack: Dict[str, str] = field(hash=False)
    indexes: Tuple[str, ...] = ()


@dataclass(frozen=True, repr=False)
class Check(Answer):
    """Does it run there; only a yes is true. `str(check)` is the answer with its reasons.

    answer   -- "yes", "no", or "unknown": nobody states it, or there is no such version
    because  -- sentences; the first is the reason of a no or unknown
    stack    -- component -> version of what would be installed, and the machine; empty where nothing can be
    pythons  -- on which the answer holds, the newest first
    driver   -- which of NVIDIA's drivers a yes takes: ">=525.60.13,<581"
    nearest  -- after a no: the same with as few changes as run"""

    answer: str
    because: Tuple[str, ...]
    stack: Dict[str, str] = field(hash=False)
    pythons: Tuple[str, ...]
    driver: Optional[str]
    nearest: Optional[Nearest]

    @classmethod
    def of(cls, document: Document) -> Check:
        answer = document["answer"]
        return cls(
            line=f"{answer.capitalize()}: {document['text']}.", ok=answer == "yes", document=document, answer=answer,
            because=tuple(document["because"]), stack=document["stack"], pythons=tuple(document["pythons"]),
            driver=document.get("driver"), nearest=_nearest(document["nearest"]))

    def __str__(self) -> str:
        options = [word for url in self.nearest.indexes for word in ("--extra-index-url", url)] if self.nearest else []
        instead = [f"  instead: {' '.join([*self.nearest.install, *options])}"] if self.nearest and self.nearest.install else []
        return "\n".join([self.line, *(f"  {reason}" for reason in self.because), *instead])


@dataclass(frozen=True, repr=False)
class Comparison(Answer):
    """A against B. Not `ok`: nothing of it is measured, or B is shown to be slower than `max_slower` allows.

    verdict   -- FASTER (A is), SLOWER, EQUIVALENT, UNRESOLVED; of metric="memory" and others BETTER, WORSE; None: nothing is measured.
                 UNRESOLVED where no round has both: what it looks like then stands in document["looks"]
    ratio     -- A's rate over B's, or what metric= names, median; None without a verdict
    interval  -- of the ratio, at the confidence asked for (95% unless told); None where there are too few rounds
    n         -- pairs of rounds, or inspections, that it rests on"""

    verdict: Optional[str]
    ratio: Optional[float]
    interval: Optional[Tuple[float, float]]
    n: int

    @classmethod
    def of(cls, document: Document, ok: bool) -> Comparison:
        verdict, ratio, n = document["verdict"], document.get("ratio"), document.get("n", 0)
        interval = _pair(document.get("interval"))
        line = " ".join(document["notes"]) if verdict is None else f"{verdict} x{ratio:.3f}{_between(interval)}, n={n}"
        return cls(line=line, ok=ok, document=document, verdict=verdict, ratio=ratio, interval=interval, n=n)


@dataclass(frozen=True, repr=False)
class Resolution(Answer):
    """How many stacks can work. Not `ok`: none.

    valid         -- how many, exactly; None where time was up first
    between       -- then: at least, at most
    combinations  -- out of how many combinations of versions; None where none is valid
    why, fixes    -- where none is valid: what clashes, and what would help"""

    valid: Optional[int]
    combinations: Optional[int]
    why: Tuple[str, ...]
    fixes: Tuple[str, ...]
    between: Optional[Tuple[int, int]] = None

    @classmethod
    def of(cls, document: Document) -> Resolution:
        if "valid_stacks" in document:
            valid, between, number = int(document["valid_stacks"]), None, f"{int(document['valid_stacks']):,}"
        else:
            low, high = map(int, document["valid_stacks_between"])
            valid, between, number = None, (low, high), f"at least {low:,} and at most {high:,}"
        raw, why = document.get("raw_combinations"), tuple(document.get("clash", ()))
        counted = f"{number} valid stacks" + (f" out of {int(raw):,} combinations" if raw else "")
        return cls(
            line=f"{document['project']}: {'; '.join([counted, *why])}", ok=valid != 0, document=document, valid=valid,
            combinations=int(raw) if raw else None, why=why, fixes=tuple(document.get("fixes", ())), between=between)


@dataclass(frozen=True)
class Stack:
    """A stack: its id (64 hex digits), component -> version, and its score where there is one."""

    id: str
    components: Dict[str, str] = field(hash=False)
    score: Optional[float] = None


def _pair(interval: Any) -> Optional[Tuple[float, float]]:
    return (interval[0], interval[1]) if interval else None


def _between(interval: Optional[Tuple[float, float]]) -> str:
    return f" [{interval[0]:.3f}, {interval[1]:.3f}]" if interval else ""


def _expected(speed: Any) -> Expected:
    return Expected(speed["of"], speed["value"], speed["unit"], _pair(speed["interval"]))


def _nearest(found: Any) -> Optional[Nearest]:
    if not found:
        return None
    changes = {change["name"]: (change["from"], change["to"]) for change in found["changes"]}
    return Nearest(changes, tuple(found["install"]), found["stack"], tuple(found["indexes"]))
