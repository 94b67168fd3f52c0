"""Tables: rows as dictionaries, or a DataFrame of pandas or polars."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any, Dict, List, Optional, Sequence, Union

from .errors import BadInput

if TYPE_CHECKING:
    import pandas
    import polars

Row = Dict[str, Any]
Table = Union[List[Row], "pandas.DataFrame", "polars.DataFrame"]
FORMATS = ("records", "pandas", "polars")


def check_format(as_: str) -> None:
    """Before anything is asked: is the format one, and is its library here?"""
    if as_ not in FORMATS:
        raise BadInput(f"as_={as_!r}: expected one of {', '.join(map(repr, FORMATS))}")
    if as_ != "records":
        _library(as_)


def table(rows: List[Row], as_: str, columns: Optional[Sequence[str]] = None) -> Table:
    """The rows in a format. Columns: those given, else those of all rows in the order in which they come up."""
    if as_ == "records":
        return rows
    names = list(columns) if columns is not None else list(dict.fromkeys(name for row in rows for name in row))
    library = _library(as_)
    frame: Table
    if as_ == "pandas":
        frame = library.DataFrame.from_records([[row.get(name) for name in names] for row in rows], columns=names)
    else:  # by columns, so that all rows decide on a type: the first hundred may hold nulls and whole numbers alone
        columns_of = {name: [row.get(name) for row in rows] for name in names}
        frame = library.DataFrame([library.Series(name, values, strict=False) for name, values in columns_of.items()])
    return frame


def _library(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise BadInput(f"as_={name!r} needs {name}, which is not installed here: pip install stackx[{name}]") from error
