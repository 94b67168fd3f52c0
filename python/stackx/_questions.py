"""Questions whose answers are tables."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, List, Literal, Optional, Tuple, overload

from . import _inspections
from ._options import Option
from ._run import Runner
from ._tables import Row, Table, check_format, table

if TYPE_CHECKING:
    import pandas
    import polars

Records = Literal["records"]
Pandas = Literal["pandas"]
Polars = Literal["polars"]
Seconds = Optional[float]


class Questions(Runner):
    """Each takes `as_`: "records" (a list of dictionaries: the default, on every machine), "pandas" or "polars"."""

    @overload
    def query(self, question: str, *, as_: Records = ..., timeout: Seconds = ..., **filters: Option) -> List[Row]: ...
    @overload
    def query(self, question: str, *, as_: Pandas, timeout: Seconds = ..., **filters: Option) -> pandas.DataFrame: ...
    @overload
    def query(self, question: str, *, as_: Polars, timeout: Seconds = ..., **filters: Option) -> polars.DataFrame: ...

    def query(self, question: str, *, as_: str = "records", timeout: Seconds = None, **filters: Option) -> Table:
        """The rows that answer a named question about the store: best, hardware, failures, regressions, history, ...

        `filters` are the options of `stackx query`: hw="v100", workload="matmul", component="numpy>=2", since="30d",
        stack="5e7b", limit=20 (here all rows come unless you limit them). Units stand in the rows.
        Raises BadInput (no such question or filter), EnvironmentFailed, TimedOut (after `timeout` seconds)."""
        check_format(as_)
        document, _ = self._ask("query", [question], {"limit": 0, **filters}, timeout)
        return table(document["upgrades" if question == "upgrades" else "rows"], as_)

    @overload
    def sql(self, select: str, *, as_: Records = ..., timeout: Seconds = ...) -> List[Row]: ...
    @overload
    def sql(self, select: str, *, as_: Pandas, timeout: Seconds = ...) -> pandas.DataFrame: ...
    @overload
    def sql(self, select: str, *, as_: Polars, timeout: Seconds = ...) -> polars.DataFrame: ...

    def sql(self, select: str, *, as_: str = "records", timeout: Seconds = None) -> Table:
        """The rows of one SELECT over the store's views, which can only read; `text("query", "--views")` lists them.

        Raises BadInput (the SQL is wrong: SQLite's words), EnvironmentFailed, TimedOut (after `timeout` seconds)."""
        check_format(as_)
        rows, columns = self._select(select, timeout)
        return table(rows, as_, columns)

    @overload
    def inspections(self, *, hw: Optional[str] = ..., workload: Optional[str] = ..., component: Optional[str] = ...,
                    stack: Optional[str] = ..., campaign: Optional[str] = ..., since: Optional[str] = ...,
                    limit: Optional[int] = ..., as_: Records = ..., timeout: Seconds = ...) -> List[Row]: ...
    @overload
    def inspections(self, *, hw: Optional[str] = ..., workload: Optional[str] = ..., component: Optional[str] = ...,
                    stack: Optional[str] = ..., campaign: Optional[str] = ..., since: Optional[str] = ...,
                    limit: Optional[int] = ..., as_: Pandas, timeout: Seconds = ...) -> pandas.DataFrame: ...
    @overload
    def inspections(self, *, hw: Optional[str] = ..., workload: Optional[str] = ..., component: Optional[str] = ...,
                    stack: Optional[str] = ..., campaign: Optional[str] = ..., since: Optional[str] = ...,
                    limit: Optional[int] = ..., as_: Polars, timeout: Seconds = ...) -> polars.DataFrame: ...

    def inspections(self, *, hw: Optional[str] = None, workload: Optional[str] = None, component: Optional[str] = None,
                    stack: Optional[str] = None, campaign: Optional[str] = None, since: Optional[str] = None,
                    limit: Optional[int] = None, as_: str = "records", timeout: Seconds = None) -> Table:
        """What was measured, a row for each inspection (one fresh process), the oldest first.

        Only: hardware with the words `hw` in its name; a `workload` or its family ("matmul"); stacks that hold a
        `component` ("numpy>=2"); a `stack` or `campaign` by how its id begins; what finished `since` a date
        ("2026-11-20"); the first `limit`.
        Columns: inspection, campaign, round, position, arm, sentinel (1: a stack under its second name), outcome,
        reason, host, finished (UTC, RFC 3339), workload, hardware, device, stack, components (component -> version),
        samples, and median_ns: the median time of one sample in ns, None where there is none.
        Raises BadInput, EnvironmentFailed, TimedOut (after `timeout` seconds)."""
        check_format(as_)
        select = _inspections.select(hw, workload, component, stack, campaign, since, limit)
        rows, columns = self._select(select, timeout)
        for row in rows:
            row["components"] = json.loads(row["components"])
        return table(rows, as_, columns)

    @overload
    def hardware(self, *, as_: Records = ..., timeout: Seconds = ...) -> List[Row]: ...
    @overload
    def hardware(self, *, as_: Pandas, timeout: Seconds = ...) -> pandas.DataFrame: ...
    @overload
    def hardware(self, *, as_: Polars, timeout: Seconds = ...) -> polars.DataFrame: ...

    def hardware(self, *, as_: str = "records", timeout: Seconds = None) -> Table:
        """The processors and accelerators known by name, a row each: id (what `hw` takes), kind ("accelerator",
        "processor", or "cpu": a microarchitecture), name, vendor, aliases; of accelerators compute_capability,
        memory_gb, bandwidth_gb_s, peaks_tflop_s. What nobody states is missing. For one of them:
        `run("hw", "show", "v100")`; for this machine: `run("hw")`.

        Raises EnvironmentFailed, TimedOut (after `timeout` seconds)."""
        check_format(as_)
        return table(list(self.stream("hw", "list", timeout=timeout)), as_)

    def _select(self, select: str, timeout: Seconds) -> Tuple[List[Row], List[str]]:
        """Rows and the names of columns. The program's own time limit is lifted: `timeout` is the only one."""
        document, _ = self._ask("query", [], {"sql": select, "timeout": 0}, timeout)
        columns = document["columns"]
        return [dict(zip(columns, row)) for row in document["rows"]], columns
