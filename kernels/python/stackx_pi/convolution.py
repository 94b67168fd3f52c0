"""What conv1d and conv2d share: a cross-correlation of `batch` inputs with `out_channels` filters, as all frameworks define it.

Inputs are made as batch, space..., channels and filters as taps..., in, out, and brought into the layout asked for before
anything is timed, so that every framework and layout gets the same numbers.
"""

from __future__ import absolute_import

from stackx_pi import memory, reference, work
from stackx_pi.errors import UsageError
from stackx_pi.framework_pi import FrameworkRun, settings_from, with_scenario_parameters
from stackx_pi.inputs import random_array
from stackx_pi.parameters import Parameter
from stackx_pi.scenarios.plan import scenario_plan_from

LARGEST_SIDE = 1 << 20


def parameters_of(own, in_channels, out_channels):
    return with_scenario_parameters([Parameter("batch", "8", "inputs convolved in one call")] + own + [
        Parameter("in_channels", in_channels, "channels of the input"),
        Parameter("out_channels", out_channels, "filters, channels of the result"),
        Parameter("stride", "1", "step between output positions, in every dimension"),
        Parameter("padding", "valid", "valid (none) or same (zeros, so that the result has size / stride positions)"),
        Parameter("layout", "default", "channels_last (NWC, NHWC), channels_first (NCW, NCHW) or the framework's own"),
    ])


class Convolution(object):
    formula = work.CONVOLUTION_FORMULA

    def __init__(self, parameters, settings, sizes, kernels):
        """`sizes`: keys of the input's size in each dimension; `kernels`: (key, size) of the filters'."""
        whole = parameters.whole
        self.sizes = sizes
        self.batch = whole("batch", 1, LARGEST_SIDE)
        self.in_channels, self.out_channels = (whole(k, 1, LARGEST_SIDE) for k in ("in_channels", "out_channels"))
        stride = whole("stride", 1, LARGEST_SIDE)
        padding = parameters.one_of("padding", ["valid", "same"])
        self.axes = []
        for size_key, (kernel_key, kernel) in zip(sizes, kernels):
            size = whole(size_key, 1, LARGEST_SIDE)
            if padding == "valid" and kernel > size:
                raise UsageError("%s=%d: larger than %s=%d; a filter must fit with padding=valid" % (
                    kernel_key, kernel, size_key, size))
            self.axes.append(work.axis(size, kernel, stride, padding))
        self.seed = whole("seed", 0, 2**64 - 1)
        self.dtype, self.tf32 = settings.dtype, settings.tf32
        self.work = work.convolution_work(self.batch, self.axes, self.in_channels, self.out_channels, self.dtype)

    def need(self):
        x, w, y = work.convolution_elements(self.batch, self.axes, self.in_channels, self.out_channels)
        return memory.need_of(["batch"] + self.sizes + ["in_channels", "out_channels", "dtype"], [x, w], y, self.dtype, w)

    def prepare(self, adapter):
        shape = (self.batch,) + tuple(one.size for one in self.axes) + (self.in_channels,)
        taps = tuple(one.kernel for one in self.axes)
        self.x = random_array(shape, self.dtype, self.seed, 0)
        self.w = random_array(taps + (self.in_channels, self.out_channels), self.dtype, self.seed, 1)
        return adapter.convolution(self.x, self.w, self.axes)

    def check(self, y):
        return reference.check_convolution(self.x, self.w, y, self.axes, self.dtype, self.seed, self.tf32)


def run(parameters, plan, phases, sizes, kernels):
    layout = parameters.one_of("layout", ["default", "channels_last", "channels_first"])
    settings = settings_from(parameters, layout)
    operation = Convolution(parameters, settings, sizes, kernels)
    framework_run = FrameworkRun(parameters, plan, phases, settings, scenario_plan_from(parameters))
    document = framework_run(operation)
    if framework_run.adapter is not None:
        document["parameters"]["layout"] = framework_run.adapter.layout
    return document
