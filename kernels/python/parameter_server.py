"""A parameter server of exchange=servers (stackx_pi/parallel/with_tensorflow1.py); no PI. CLUSTER INDEX: JSON and a number."""

from __future__ import absolute_import

import ctypes
import json
import os
import signal
import sys

PR_SET_PDEATHSIG = 1

if __name__ == "__main__":
    parent = os.getppid()
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        sys.exit(1)
    os.dup2(2, 1)  # stdout is the document's
    import tensorflow
    v1 = getattr(tensorflow.compat, "v1", tensorflow)
    server = v1.train.Server(v1.train.ClusterSpec(json.loads(sys.argv[1])), job_name="ps", task_index=int(sys.argv[2]),
                             config=v1.ConfigProto(device_count={"GPU": 0}))
    server.join()
