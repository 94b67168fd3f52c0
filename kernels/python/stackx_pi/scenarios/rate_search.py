"""The largest rate that holds, by doubling or halving, then bisecting: kernels/timing/rate_search.cpp in Python, the why in its header.

No clock in it.
"""

from __future__ import absolute_import, division

START = .5  # of the capacity
LEAST = 1 / 32  # of the capacity: below, waiting is not why it is late


class RateSearch(object):
    def __init__(self, capacity, precision):
        """`capacity`: about the rate at which the server would be busy all the time. Ends when the largest rate that held and the
        smallest that did not differ by less than `precision`."""
        self._precision, self._least = precision, capacity * LEAST
        self.rate = capacity * START  # to try next
        self.best, self._fails = 0, 0  # the largest that held, the smallest that did not; 0: none yet

    def done(self):
        if not self.best:
            return self._fails > 0 and self.rate < self._least
        return 0 < self._fails <= self.best * (1 + self._precision)

    def add(self, holds):
        """Of `rate`."""
        if holds:
            self.best = self.rate
        else:
            self._fails = self.rate
        if not self._fails:
            self.rate = self.best * 2
        elif not self.best:
            self.rate = self._fails / 2
        else:
            self.rate = (self.best + self._fails) / 2
