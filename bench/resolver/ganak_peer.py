"""Ganak (PyPI: pyganak) counts the models of a DIMACS file; prints the number.  usage: ganak_peer.py FILE"""
import sys

import pyganak

counter = pyganak.Counter()
with open(sys.argv[1]) as file:
    counter.new_vars(int(next(file).split()[2]))
    counter.add_clauses([[int(word) for word in line.split()[:-1]] for line in file])
print(counter.count())
