"""Is what a command printed what the page shows? Lines of `...` stand for anything; spaces at the ends of lines and how long
something took never count. Strictly: line by line. Loosely: word by word, where numbers, stack ids, verdicts, hardware names,
rows of rankings and strokes of plots stand for any other of their kind, so that what is measured may differ, and wording,
headings, columns and their order may not."""

import re

ANYTHING = "..."
_DURATION = re.compile(r"\b\d[\d.,]*(?:e[+-]?\d+)? (?:ns|µs|us|ms|s|min|h)\b(?: \d+ (?:ms|s|min)\b)*")
_ID = re.compile(r"\b[0-9a-f]{12}\b|\b[0-9a-f]{64}\b")
_NUMBER = re.compile(r"(?<![A-Za-z_\d.])[+\-−×±x]?\d[\d.,]*(?:e[+-]?\d+)?%?")
_VERDICT = re.compile(r"\b(?:FASTER|SLOWER|EQUIVALENT|UNRESOLVED)\b")
_PLOT = re.compile(r"[┃▒├┤∘│┴░●]")
_ROW = re.compile(r"\s*[=~]?\d+\s{2,}\S")  # of a ranking: its rank
_CONTINUED = re.compile(r"\s{40,}\S")  # what a row has to say over more lines than one


def _strict(lines):
    return [ANYTHING if line.strip() == ANYTHING else _DURATION.sub("<time>", line.rstrip()) for line in lines]


def _unfolded(lines):
    """A paragraph folds elsewhere where what took 3.4 ms takes 22.8 ms."""
    return _DURATION.sub("<time>", " ".join(" ".join(lines).split()))


def _loose(lines, hardware):
    names = re.compile(r"\b(?:" + "|".join(map(re.escape, sorted(hardware, key=len, reverse=True))) + r")\b") if hardware else None
    words = []
    for line in lines:
        if line.strip() == ANYTHING:
            words.append(ANYTHING)
        elif _PLOT.search(line):
            words.append("<plot>")
        elif _ROW.match(line) or _CONTINUED.match(line):
            words.append("<row>")
        else:
            line = names.sub("<hardware>", line) if names else line
            line = _ID.sub("<id>", _DURATION.sub("<time>", line))
            words += _VERDICT.sub("<verdict>", _NUMBER.sub("#", line)).split()
    return [word for i, word in enumerate(words) if word not in ("<row>", "<plot>") or i == 0 or words[i - 1] != word]


def _find(part, whole, begin):
    return next((i for i in range(begin, len(whole) - len(part) + 1) if whole[i:i + len(part)] == part), None)


def _match(expected, actual):
    parts, at = [[]], 0
    for item in expected:
        parts.append([]) if item == ANYTHING else parts[-1].append(item)
    if len(parts) == 1:
        return parts[0] == actual
    first, *middle, last = parts
    if actual[:len(first)] != first:
        return False
    at = len(first)
    for part in middle:
        place = _find(part, actual, at)
        if place is None:
            return False
        at = place + len(part)
    return len(actual) - len(last) >= at and actual[len(actual) - len(last):] == last


def holds(expected, stdout, stderr, loose=False, hardware=()):
    """Both streams count, as a terminal shows them; which of them comes first does not."""
    if not expected:
        return True
    reduce = (lambda lines: _loose(lines, hardware)) if loose else _strict
    printed = [(a + b).rstrip().splitlines() for a, b in ((stderr, stdout), (stdout, stderr))]
    timed = not loose and ANYTHING not in expected and any(map(_DURATION.search, expected))
    return any(_match(reduce(expected), reduce(lines)) or timed and _unfolded(expected) == _unfolded(lines) for lines in printed)
