"""The child of vllm_bench.py: what the script `vllm` does, with the interpreter and packages of the stack."""

from __future__ import absolute_import

import os
import sys

if __name__ == "__main__":
    # vLLM's own processes import this file again, and nothing of ours is to be found in its place.
    sys.path[:] = [entry for entry in sys.path if os.path.realpath(entry or ".") != os.path.dirname(os.path.realpath(__file__))]
    from vllm.entrypoints.cli.main import main
    sys.argv[0] = "vllm"
    sys.exit(main())
