"""The question behind `inspections()`: a SELECT over the program's views, whose names and columns stay as they are."""

from __future__ import annotations

import re
from typing import Iterator, Optional

from .errors import BadInput

Text = Optional[str]
SELECT = """\
SELECT i.inspection, i.campaign, i.round, i.position, i.arm, i.sentinel, i.outcome, i.reason, i.host, i.finished,
       s.workload, s.hardware, s.device, s.stack, k.components,
       sample_count(i.samples) AS samples, median_ns(i.samples) AS median_ns
FROM inspections i JOIN series s USING (series) JOIN stacks k USING (stack)"""


def select(hw: Text, workload: Text, component: Text, stack: Text, campaign: Text, since: Text,
           limit: Optional[int]) -> str:
    conditions = list(_conditions(hw, workload, component, stack, campaign, since))
    where = f"\nWHERE {' AND '.join(conditions)}" if conditions else ""
    last = "" if limit is None else f"\nLIMIT {int(limit)}"
    return f"{SELECT}{where}\nORDER BY i.finished, i.inspection{last}"


def _conditions(hw: Text, workload: Text, component: Text, stack: Text, campaign: Text, since: Text) -> Iterator[str]:
    if hw is not None:  # whole words: a10 is no a100
        yield f"(instr({_spaced('s.hardware')}, {_spaced(_quoted(hw))}) > 0 OR s.microarchitecture = {_quoted(hw)})"
    if workload is not None:
        yield f"(s.workload = {_quoted(workload)} OR instr(s.workload, {_quoted(workload + ':')}) = 1)"
    if component is not None:
        yield _has(component)
    if stack is not None:
        yield f"instr(s.stack, {_quoted(stack)}) = 1"
    if campaign is not None:
        yield f"instr(i.campaign, {_quoted(campaign)}) = 1"
    if since is not None:
        yield f"i.finished >= {_quoted(since)}"


def _has(component: str) -> str:
    found = re.fullmatch(r"\s*([\w.-]+)\s*(.*?)\s*", component)
    if not found:
        raise BadInput(f"component={component!r}: expected a name, or one with a range of versions, as in 'numpy>=2'")
    name, versions = found.groups()
    condition = f"c.stack = s.stack AND c.component = {_quoted(name)}"
    if versions:
        condition += f" AND version_in(c.version, {_quoted(versions)}) = 1"
    return f"EXISTS (SELECT 1 FROM stack_components c WHERE {condition})"


def _spaced(text: str) -> str:
    """Of an SQL text: its words in lower case, with a space on either side of each."""
    return f"' ' || replace(replace(lower({text}), '-', ' '), '_', ' ') || ' '"


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
