"""A peer counts the models of one file that encode.py wrote; prints the number.

usage: count_peer.py ganak|pysdd|clingo|toulbar2 FILE

clingo counts by enumeration, it has no other way.
"""
import re
import shutil
import subprocess
import sys


def dimacs(path):
    with open(path) as file:
        variables = int(next(file).split()[2])
        return variables, [[int(word) for word in line.split()[:-1]] for line in file]


def ganak(path):
    import pyganak
    variables, clauses = dimacs(path)
    counter = pyganak.Counter()
    counter.new_vars(variables)
    counter.add_clauses(clauses)
    return counter.count()


def pysdd(path):
    from pysdd.sdd import SddManager
    _, root = SddManager.from_cnf_file(path.encode())
    return root.global_model_count()


def clingo(path):
    import clingo
    control = clingo.Control(["0"])
    control.load(path)
    control.ground()
    with control.solve(yield_=True) as handle:
        return sum(1 for _ in handle)


def toulbar2(path):
    # All solutions of no cost, counted on a tree decomposition (depth first, since its best-first search cannot count).
    text = subprocess.run([shutil.which("toulbar2"), path, "-a", "-B=1", "-hbfs:", "-ub=1"], capture_output=True,
                          text=True).stdout
    return re.search(r"Number of solutions\s*:\s*=?\s*(\d+)", text).group(1)


PEERS = {"ganak": ganak, "pysdd": pysdd, "clingo": clingo, "toulbar2": toulbar2}

if __name__ == "__main__":
    if len(sys.argv) != 3 or sys.argv[1] not in PEERS:
        sys.exit(__doc__)
    print(PEERS[sys.argv[1]](sys.argv[2]))
