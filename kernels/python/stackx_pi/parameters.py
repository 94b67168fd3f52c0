"""key=value words, read as kernels/parameters.cpp reads them: same checks, same messages.

Every PI declares what it takes; what it does not take, takes twice or cannot read is a UsageError that names the key, what was
expected and, for a misspelt key, the nearest known one. All values come back in the output, defaults included.
"""

from __future__ import absolute_import, division

import collections
import math
import re

from stackx_pi.errors import UsageError

Parameter = collections.namedtuple("Parameter", "key fallback help")

WHOLE = re.compile(r"[0-9]+\Z")
NUMBER = re.compile(r"-?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?\Z")


def edit_distance(a, b):
    row = list(range(len(b) + 1))
    for i, left in enumerate(a):
        diagonal, row[0] = row[0], i + 1
        for j, right in enumerate(b):
            changed = diagonal + (left != right)
            diagonal = row[j + 1]
            row[j + 1] = min(changed, row[j] + 1, diagonal + 1)
    return row[-1]


def nearest(word, candidates):
    """The candidate with the smallest edit distance; "" if none is near."""
    best, least = "", max(2, len(word) // 2) + 1
    for candidate in candidates:
        distance = edit_distance(word, candidate)
        if distance < least:
            best, least = candidate, distance
    return best


class Parameters(object):
    def __init__(self, known, words):
        self._values = {}
        keys = [parameter.key for parameter in known]
        for word in words:
            if "=" not in word:
                raise UsageError('"%s": expected key=value' % word)
            key, value = word.split("=", 1)
            if key not in keys:
                near = nearest(key, keys)
                raise UsageError('unknown parameter "%s"; did you mean "%s"?' % (key, near) if near else
                                 'unknown parameter "%s"; known are %s' % (key, ", ".join(keys)))
            if key in self._values:
                raise UsageError('parameter "%s" is given twice' % key)
            self._values[key] = value
        for parameter in known:
            self._values.setdefault(parameter.key, parameter.fallback)

    def text(self, key):
        return self._values[key]

    def whole(self, key, least, most):
        text = self._values[key]
        if not WHOLE.match(text) or not least <= int(text) <= most:
            raise UsageError("%s=%s: expected a whole number from %d to %d" % (key, text, least, most))
        return int(text)

    def whole_or(self, key, word, least, most):
        """A whole number, or None for `word`."""
        return None if self._values[key] == word else self.whole(key, least, most)

    def number(self, key, least):
        text = self._values[key]
        if not NUMBER.match(text) or not least <= float(text) < float("inf"):
            raise UsageError("%s=%s: expected a number of at least %g" % (key, text, least))
        return float(text)

    def one_of(self, key, choices):
        value = self._values[key]
        if value not in choices:
            raise UsageError("%s=%s: expected one of %s" % (key, value, ", ".join(choices)))
        return value

    def set(self, key, value):
        """What a run decided: the calibrated mini-batch, the framework found."""
        self._values[key] = str(value)

    def json(self):
        return dict((key, plain(value)) for key, value in self._values.items())


def plain(text):
    if WHOLE.match(text) and int(text) < 2**64:
        return int(text)
    if NUMBER.match(text) and not math.isinf(float(text)):
        return float(text)
    return text
