"""How many stacks a generated catalog has, by answer set programming: an oracle that shares nothing with stackx.

Ranges are evaluated here; clingo is told which versions meet a demand. A name is held by its component and by those that
provide it. Every choice of versions has one model at most, since all other atoms follow from it without negative cycles;
models are projected to the choice all the same."""

from generated_catalog import allowed

PROGRAM = """
{ on(C,V) : version(C,V) } 1 :- version(C,_).
:- holds(_,_,N), 2 #count { C : on(C,V), holds(C,V,N) }.
met(D)     :- on(C,V), meets(C,V,D).
holder(C,D) :- on(C,V), holds(C,V,N), names(D,N).

:- root(D), not met(D).
:- pin(D), on(C,V), holds(C,V,N), names(D,N), not meets(C,V,D).
:- on(C,V), requires(C,V,D), not met(D).
:- on(C,V), conflicts(C,V,D), on(E,W), meets(E,W,D), E != C.

unmet(I)  :- if(I,D), not met(D).
active(I) :- conditional(C,V,I), on(C,V), not unmet(I).
:- active(I), then(I,D), not met(D).

reached(C) :- root(D), holder(C,D).
reached(E) :- reached(C), on(C,V), requires(C,V,D), holder(E,D).
reached(E) :- reached(C), conditional(C,V,I), active(I), then(I,D), holder(E,D).
:- on(C,_), not reached(C).
#show on/2.
"""


class Facts:
    def __init__(self, components, requires, pins):
        self.components, self.lines, self.known = components, [], 0
        for name, component in components.items():
            for version, entry in component["versions"].items():
                self.fact("version", name, int(version))
                self.fact("holds", name, int(version), name)
                for provided in entry.get("provides", {}):
                    self.fact("holds", name, int(version), provided)
        for kind, demands in (("root", requires), ("pin", pins)):
            for demand in self.demands(demands):
                self.fact(kind, demand)
        for name, component in components.items():
            for version, entry in component["versions"].items():
                self.entry(name, int(version), entry)

    def fact(self, name, *arguments):
        self.lines.append(f"{name}({','.join(map(str, arguments))}).")

    def entry(self, name, version, entry):
        for kind in ("requires", "conflicts"):
            for demand in self.demands(entry.get(kind, {})):
                self.fact(kind, name, version, demand)
        for conditional in entry.get("requires_if", []):
            self.known += 1
            number = self.known
            self.fact("conditional", name, version, number)
            for kind in ("if", "then"):
                for demand in self.demands(conditional[kind]):
                    self.fact(kind, number, demand)

    def demands(self, demands):
        """A number for each, with the facts about who meets it."""
        numbers = []
        for key, constraint in demands.items():
            self.known += 1
            numbers.append(self.known)
            wanted, _, attribute = key.partition(".")
            self.fact("names", self.known, wanted)
            for name, component in self.components.items():
                for version, entry in component["versions"].items():
                    held = version if name == wanted else entry.get("provides", {}).get(wanted)
                    if held is not None and attribute:
                        held = entry.get("attributes", {}).get(attribute)
                    if held is not None and allowed(constraint, int(held)):
                        self.fact("meets", name, version, self.known)
        return numbers


def count(components, requires, pins, most):
    """The number of stacks, or most + 1 if there are more."""
    import clingo
    control = clingo.Control([f"--models={most + 1}", "--project=show"], logger=lambda code, message: None)
    control.add("base", [], PROGRAM + "\n".join(Facts(components, requires, pins).lines))
    control.ground([("base", [])])
    control.solve()
    return int(control.statistics["summary"]["models"]["enumerated"])
