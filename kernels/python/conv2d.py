"""conv2d: a convolution over two dimensions by a Python framework. Flop: stackx_pi/work.py."""

from __future__ import absolute_import

import sys

from stackx_pi import convolution, protocol
from stackx_pi.parameters import Parameter


def run(parameters, plan, phases):
    kernels = []
    for key in ("kernel_h", "kernel_w"):
        own = "kernel" if parameters.text(key) == "kernel" else key
        kernels.append((own, parameters.whole(own, 1, convolution.LARGEST_SIDE)))
    return convolution.run(parameters, plan, phases, ["height", "width"], kernels)


PI = protocol.Pi("conv2d", "convolution over two dimensions by a Python framework", convolution.parameters_of([
    Parameter("height", "56", "rows of the input"),
    Parameter("width", "56", "columns of the input"),
    Parameter("kernel", "3", "rows and columns of a filter"),
    Parameter("kernel_h", "kernel", "rows of a filter, if not `kernel`"),
    Parameter("kernel_w", "kernel", "columns of a filter, if not `kernel`"),
], "64", "64"), run)

if __name__ == "__main__":
    protocol.main(PI, sys.argv[1:])
