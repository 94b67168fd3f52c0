"""images/s as tf_cnn_benchmarks prints them (tensorflow/benchmarks, benchmark_cnn.py), which other tools read, stackx's importer
among them (importers/tf_cnn_benchmarks.hpp):

    Step    Img/sec total_loss
    1       images/sec: 12.3 +/- 0.0 (jitter = 0.0) 7.123
    10      images/sec: 12.4 +/- 0.1 (jitter = 0.2) 7.001
    ----------------------------------------------------------------
    total images/sec: 12.39
    ----------------------------------------------------------------

With the times of all steps so far, its get_perf_timing: the rate is images / mean time (the harmonic mean of the steps' rates),
"+/-" the standard deviation (of the population) of the steps' rates / sqrt(steps), jitter 1.4826 x the median absolute
deviation of the rates from their median. The total is all images / the time from the first step's begin to the last one's end,
printing included.
"""

from __future__ import absolute_import, division, print_function

import sys

from stackx_pi.measure import median

MAD_TO_DEVIATION = 1.4826


def timing(images, seconds):
    """(mean, standard error, jitter) of images/s; `images` in each of the `seconds`."""
    rates = [images / one for one in seconds]
    mean = images / (sum(seconds) / len(seconds))
    center = sum(rates) / len(rates)
    deviation = (sum((rate - center)**2 for rate in rates) / len(rates))**0.5
    middle = median(rates)
    return mean, deviation / len(rates)**0.5, MAD_TO_DEVIATION * median([abs(rate - middle) for rate in rates])


class Report(object):
    """Lines on stderr: stdout is the document's."""

    def __init__(self, images, steps_a_sample, display_every, out=None):
        """`images` of a sample, which is some steps."""
        self.images, self.steps, self.every = images, steps_a_sample, display_every
        self.out = sys.stderr if out is None else out
        self.seconds = []

    def line(self, text):
        print(text, file=self.out)
        self.out.flush()

    def header(self, pairs):
        for label, value in pairs:
            self.line("%-13s%s" % (label + ":" if label else "", value))
        self.line("=" * 10)

    def begin(self):
        self.line("Step\tImg/sec\ttotal_loss")

    def sample(self, nanoseconds, loss):
        self.seconds.append(nanoseconds / 1e9)
        count = len(self.seconds)
        if count == 1 or count % self.every == 0:
            self.line("%d\timages/sec: %.1f +/- %.1f (jitter = %.1f)\t%.3f" % (
                (count * self.steps,) + timing(self.images, self.seconds) + (loss,)))

    def end(self, nanoseconds):
        """images/s over all, from the time that the samples took together with what was between them."""
        total = self.images * len(self.seconds) / (nanoseconds / 1e9)
        for text in ("-" * 64, "total images/sec: %.2f" % total, "-" * 64):
            self.line(text)
        return total
