"""hello_world: a sum of whole numbers in Python. No framework, milliseconds in all: it tries the harness, not the machine."""

from __future__ import absolute_import

import sys

from stackx_pi import protocol, versions
from stackx_pi.measure import measure, sampler
from stackx_pi.parameters import Parameter


def run(parameters, plan, phases):
    items = parameters.whole("items", 1, 1000000000)
    box = [0]

    def call():
        total = 0
        i = 1
        while i <= items:
            total += i
            i += 1
        box[0] = total

    with phases.record("check"):
        call()
        passed = box[0] == items * (items + 1) // 2
    document = {"component": "python", "notes": [], "loaded": versions.loaded(),
                "check": {"reference": "n (n + 1) / 2", "max_relative_error": 0 if passed else 1, "bound": 0,
                          "pass": passed}}
    if passed:
        measurement = measure(sampler(call, None, phases.clock), plan, phases.clock, phases)
        protocol.put_measurement(document, parameters, plan, measurement)
    else:
        measurement = protocol.put_no_measurement(document, parameters, plan)
    document["work"] = {"flop": 0, "bytes": 0, "items": items * measurement.mini_batch}
    document["work_formula"] = "items: numbers added"
    return document


PI = protocol.Pi("hello_world", "a sum of whole numbers: tries the harness, needs no framework",
                 protocol.with_plan_parameters([Parameter("items", "1000", "numbers to add"),
                                                Parameter("framework", "none", "what a stack's setting says; it is not used")],
                                               min_sample_ms="0.1", warmup_ms="1"), run)

if __name__ == "__main__":
    protocol.main(PI, sys.argv[1:])
