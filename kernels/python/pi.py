"""Performance indicators of Python frameworks: the counterpart of stackx-pi, same protocol and parameters.

    PROGRAM -s -S bootstrap.py SITE_DIR pi.py matmul framework=numpy m=1024 n=1024 k=1024 threads=1

One script each, which can be started alone too: matmul.py, conv1d.py, conv2d.py, import_time.py (PI `import`), startup.py, hello_world.py,
train_resnet50.py, transformer.py, vllm_bench.py; collective.py has five (all_reduce ... alltoall).
Which framework is measured says framework=...; without it the one that is installed (stackx_pi/frameworks/__init__.py).

Thoth's PI scripts (thoth-station/performance) and the words that ask the same here:
    tensorflow/matmul.py         pi.py matmul  framework=tensorflow
    tensorflow/conv1d.py         pi.py conv1d  framework=tensorflow
    tensorflow/conv2d.py         pi.py conv2d  framework=tensorflow
    pytorch/matmul.py, conv*.py  the same with framework=torch
    import.py                    pi.py import
Their parameters, as their results name them in "@parameters":
    matrix_size=N             m=N n=N k=N
    reps=N                    repetitions=N mini_batch=1 (Thoth times N single calls and keeps their median)
    dtype, device, batch      the same
    input_height, input_width height, width (conv1d: length)
    input_channels, output_channels      in_channels, out_channels
    filter_height, filter_width          kernel_h, kernel_w (conv1d: kernel)
    strides=N                 stride=N
    padding=SAME|VALID        padding=same|valid
    data_format=NHWC|NWC      layout=channels_last;  NCHW|NCW: layout=channels_first
Rates differ by the count of flop: see stackx_pi/work.py.
"""

from __future__ import absolute_import, print_function

import importlib
import sys

from stackx_pi import VERSION, protocol
from stackx_pi.errors import UsageError
from stackx_pi.parameters import nearest

SCRIPTS = [("matmul", "matmul"), ("conv1d", "conv1d"), ("conv2d", "conv2d"), ("import", "import_time"),
           ("startup", "startup"), ("hello_world", "hello_world"), ("train_resnet50", "train_resnet50"),
           ("transformer", "transformer"), ("vllm_bench", "vllm_bench"),
           ("all_reduce", "collective"), ("all_gather", "collective"), ("reduce_scatter", "collective"),
           ("broadcast", "collective"), ("alltoall", "collective")]


def pi_in(script, name):
    """A script has one PI or several."""
    module = importlib.import_module(script)
    return next(pi for pi in getattr(module, "PIS", None) or [module.PI] if pi.name == name)


def all_pis():
    return [pi_in(script, name) for name, script in SCRIPTS]


def find_pi(name):
    scripts = dict(SCRIPTS)
    if name in scripts:
        return pi_in(scripts[name], name)
    near = nearest(name, [known for known, _ in SCRIPTS])
    raise UsageError('unknown performance indicator "%s"; %s' % (
        name, 'did you mean "%s"?' % near if near else "see pi.py list"))


def main(words):
    command = words[0] if words else ""
    try:
        if command in ("--help", "-h"):
            protocol.print_help(all_pis(), sys.stdout)
        elif command == "--version":
            print("pi.py " + VERSION)
        elif command == "list":
            for pi in all_pis():
                print("%s\t%s" % (pi.name, pi.summary))
        elif not command:
            raise UsageError("which performance indicator? see pi.py --help")
        else:
            protocol.main(find_pi(command), words[1:])
    except UsageError as error:
        sys.stderr.write("pi.py: %s\n" % error)
        protocol.finish(protocol.USAGE)


if __name__ == "__main__":
    main(sys.argv[1:])
