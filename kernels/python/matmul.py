"""matmul: C = A B by a Python framework; A is m x k, B is k x n. 2 m n k flop a call (stackx_pi/work.py)."""

from __future__ import absolute_import

import sys

from stackx_pi import memory, protocol, reference, work
from stackx_pi.errors import Unsupported
from stackx_pi.framework_pi import FrameworkRun, settings_from, with_scenario_parameters
from stackx_pi.inputs import random_array
from stackx_pi.parameters import Parameter
from stackx_pi.scenarios.plan import scenario_plan_from

LARGEST_SIDE = (1 << 31) - 1  # as in the native PI
RESULTS = ("usual", "same", "float32", "float16", "bfloat16", "float64", "int32")  # likewise


class Product(object):
    formula = work.MATMUL_FORMULA

    def __init__(self, parameters, settings):
        self.m, self.n, self.k = (parameters.whole(key, 1, LARGEST_SIDE) for key in "mnk")
        self.seed = parameters.whole("seed", 0, 2**64 - 1)
        self.dtype, self.tf32 = settings.dtype, settings.tf32
        result = parameters.one_of("result", RESULTS)
        self.result = self.dtype if result in ("usual", "same") else result
        parameters.set("result", self.result)
        self.work = work.matmul_work(self.m, self.n, self.k, self.dtype)

    def need(self):
        inputs = [self.m * self.k, self.k * self.n]
        return memory.need_of(["m", "n", "k", "dtype"], inputs, self.m * self.n, self.dtype, max(inputs))

    def prepare(self, adapter):
        if self.result != self.dtype:
            raise Unsupported("frameworks write %s products as %s, not %s" % (self.dtype, self.dtype, self.result))
        self.a = random_array((self.m, self.k), self.dtype, self.seed, 0)
        self.b = random_array((self.k, self.n), self.dtype, self.seed, 1)
        return adapter.matmul(self.a, self.b)

    def check(self, c):
        return reference.check_product(self.a, self.b, c, self.dtype, self.seed, self.tf32)


def run(parameters, plan, phases):
    settings = settings_from(parameters)
    product = Product(parameters, settings)
    return FrameworkRun(parameters, plan, phases, settings, scenario_plan_from(parameters))(product)


PI = protocol.Pi("matmul", "matrix product C = A * B by a Python framework", with_scenario_parameters([
    Parameter("m", "512", "rows of A and C"),
    Parameter("n", "512", "columns of B and C"),
    Parameter("k", "512", "columns of A, rows of B"),
    Parameter("result", "usual", "type of C, as in the native PI; frameworks write that of A and B"),
]), run)

if __name__ == "__main__":
    protocol.main(PI, sys.argv[1:])
