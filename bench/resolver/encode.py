"""The same instance in the languages of the peers. Each encoding has exactly one model a stack.

usage: encode.py asp|cnf|ladder|wcsp PROJECT

asp     an answer set program for clingo
cnf     clauses, one variable a version and one for presence; a range is a clause over the versions in it
ladder  clauses, with the order encoding as well ("version >= k"): a range is two short clauses
wcsp    a network of tables for toulbar2: a variable's values are its versions, then "absent"; what asks for a component
        is gathered along a chain of boolean variables, so that no table has more than three variables
"""
import itertools
import sys

import instance as instances


def asp(instance):
    lines = ["1 { select(C,V) : V=0..N-1 } 1 :- needed(C), size(C,N).",
             "needed(D) :- select(C,V), requires(C,V,D,_,_).",
             ":- select(C,V), requires(C,V,D,A,B), select(D,W), W < A.",
             ":- select(C,V), requires(C,V,D,A,B), select(D,W), W >= B.",
             "needed(D) :- root(D,_,_).",
             ":- root(D,A,B), select(D,W), W < A.",
             ":- root(D,A,B), select(D,W), W >= B.",
             "#show select/2."]
    lines += [f"size({i},{size})." for i, size in enumerate(instance.sizes)]
    lines += [f"root({i},{low},{high})." for i, (low, high) in instance.roots.items()]
    lines += [f"requires({i},{v},{j},{low},{high})." for i, versions in enumerate(instance.requires)
              for v, needs in enumerate(versions) for j, (low, high) in needs.items()]
    return "\n".join(lines) + "\n"


def equals_any(variable, others):
    """variable <=> at least one of the others"""
    return [[-variable, *others], *([variable, -other] for other in others)]


def clauses(instance, ladder=False):
    """(number of variables, clauses); every variable beside the versions' is defined by them."""
    fresh = itertools.count(1)
    selected = [[next(fresh) for _ in range(size)] for size in instance.sizes]
    present = [next(fresh) for _ in instance.sizes]
    # at_least[i][k]: i is present in version k or higher; at_least[i][0] is its presence.
    at_least = [[present[i], *(next(fresh) for _ in range(1, size))] if ladder else []
                for i, size in enumerate(instance.sizes)]
    found = []
    for i, size in enumerate(instance.sizes):
        if ladder:
            steps = at_least[i]
            for k in range(size):
                above = [steps[k + 1]] if k + 1 < size else []
                found += [[-selected[i][k], steps[k]], *([-selected[i][k], -step] for step in above),
                          [selected[i][k], -steps[k], *above], *([-step, steps[k]] for step in above)]
        else:
            found += equals_any(present[i], selected[i])
            found += [[-a, -b] for a, b in itertools.combinations(selected[i], 2)]

    def within(i, low, high):
        """Clauses that hold exactly when i is present in a version of [low, high)."""
        if not ladder:
            return [selected[i][low:high]]
        return [[at_least[i][low]], *([[-at_least[i][high]]] if high < instance.sizes[i] else [])]

    for i, versions in enumerate(instance.requires):
        for v, needs in enumerate(versions):
            for j, (low, high) in needs.items():
                found += [[-selected[i][v], *clause] for clause in within(j, low, high)]
    for j, asking in enumerate(instance.requirers()):
        if j in instance.roots:
            found += within(j, *instance.roots[j])
        else:
            found.append([-present[j], *(selected[i][v] for i, versions in asking for v in versions)])
    return next(fresh) - 1, found


def dimacs(instance, ladder=False):
    variables, found = clauses(instance, ladder)
    return "".join([f"p cnf {variables} {len(found)}\n", *(" ".join(map(str, clause)) + " 0\n" for clause in found)])


def wcsp(instance):
    domains, tables = [size + 1 for size in instance.sizes], []

    def forbid(scope, bad):
        tables.append("\n".join([f"{len(scope)} {' '.join(map(str, scope))} 0 {len(bad)}",
                                 *(f"{' '.join(map(str, values))} 1" for values in bad)]))

    def gather(chain, i, versions):
        """A boolean variable: has the chain so far, or one of these versions of i, asked?"""
        domains.append(2)
        link = len(domains) - 1
        before = [(), ] if chain is None else [(0,), (1,)]
        forbid([*([] if chain is None else [chain]), i, link],
               [(*b, v, 1 - int(b == (1,) or v in versions)) for b in before for v in range(domains[i])])
        return link

    pairs = {}
    for i, versions in enumerate(instance.requires):
        for v, needs in enumerate(versions):
            for j, (low, high) in needs.items():
                pairs.setdefault((i, j), []).extend((v, w) for w in range(domains[j]) if not low <= w < high)
    for scope, bad in pairs.items():
        forbid(scope, bad)
    for j, asking in enumerate(instance.requirers()):
        absent = instance.sizes[j]
        if j in instance.roots:
            low, high = instance.roots[j]
            forbid([j], [(w,) for w in range(absent + 1) if not low <= w < high])
        elif not asking:
            forbid([j], [(w,) for w in range(absent)])
        else:
            chain = None
            for i, versions in asking:
                chain = gather(chain, i, versions)
            forbid([chain, j], [(0, w) for w in range(absent)])
    return "\n".join([f"{instance.name} {len(domains)} {max(domains)} {len(tables)} 1", " ".join(map(str, domains)),
                      *tables]) + "\n"


ENCODINGS = {"asp": asp, "cnf": dimacs, "ladder": lambda instance: dimacs(instance, ladder=True), "wcsp": wcsp}

if __name__ == "__main__":
    if len(sys.argv) != 3 or sys.argv[1] not in ENCODINGS:
        sys.exit(__doc__)
    sys.stdout.write(ENCODINGS[sys.argv[1]](instances.read(sys.argv[2])))
