"""Keyword arguments as options of the command line."""

from __future__ import annotations

import os
from typing import Iterator, List, Mapping, Sequence, Union

Path = Union[str, "os.PathLike[str]"]
Value = Union[str, int, float, "os.PathLike[str]"]
Option = Union[Value, bool, None, Sequence[Value], Mapping[str, Value]]


def words(options: Mapping[str, Option]) -> List[str]:
    """max_slower=3 is --max-slower=3; True is a flag, None and False nothing, a list repeated, a dict key=value,..."""
    return [word for name, value in options.items() for word in _words("--" + name.strip("_").replace("_", "-"), value)]


def _words(name: str, value: Option) -> Iterator[str]:
    if value is None or value is False:
        return
    if value is True:
        yield name
    elif isinstance(value, Mapping):
        yield f"{name}={','.join(f'{key}={text(one)}' for key, one in value.items())}"
    elif isinstance(value, (list, tuple)):
        for one in value:
            yield f"{name}={text(one)}"
    else:
        yield f"{name}={text(value)}"


def text(value: object) -> str:
    return os.fspath(value) if isinstance(value, os.PathLike) else str(value)
