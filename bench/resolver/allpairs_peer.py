"""allpairspy (PyPI) builds a pairwise array under constraints.  usage: allpairs_peer.py PROJECT

Every component of the project is a root, so a stack is one version each. The constraints are its filter, which judges
rows as far as they are filled. Prints the rows as JSON, and the CPU seconds that allpairspy took.
"""
import json
import sys
import time

from allpairspy import AllPairs

import instance as instances


if __name__ == "__main__":
    model = instances.read(sys.argv[1])
    start = time.process_time()
    rows = [list(row) for row in AllPairs([list(range(size)) for size in model.sizes],
                                          filter_func=lambda row: model.allows(row))]
    print(json.dumps({"seconds": time.process_time() - start, "rows": rows}))
