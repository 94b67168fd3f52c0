"""conv1d: a convolution over one dimension by a Python framework. Flop: stackx_pi/work.py."""

from __future__ import absolute_import

import sys

from stackx_pi import convolution, protocol
from stackx_pi.parameters import Parameter


def run(parameters, plan, phases):
    kernel = parameters.whole("kernel", 1, convolution.LARGEST_SIDE)
    return convolution.run(parameters, plan, phases, ["length"], [("kernel", kernel)])


PI = protocol.Pi("conv1d", "convolution over one dimension by a Python framework", convolution.parameters_of([
    Parameter("length", "1024", "positions of the input"),
    Parameter("kernel", "9", "taps of a filter"),
], "64", "64"), run)

if __name__ == "__main__":
    protocol.main(PI, sys.argv[1:])
