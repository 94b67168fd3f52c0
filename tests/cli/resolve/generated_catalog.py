"""Random catalogs with all that a catalog can say: ranges, alternatives, conditions, conflicts, attributes, virtual
components, pins and cycles."""

import operator
import random

OPERATORS = {">=": operator.ge, "<=": operator.le, ">": operator.gt, "<": operator.lt, "==": operator.eq, "!=": operator.ne}


class GeneratedCatalog:
    """All versions are small integers, so that `allowed(specifier, number)` is all there is to know about ranges."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        count = self.random.randint(6, 14)
        self.names = [f"c{i:02}" for i in range(count)]
        self.virtual = ["blas", "mpi"][: self.random.randint(0, 2)]
        self.components = {}
        for place, name in enumerate(self.names):
            self.components[name] = {"kind": "package", "versions": {
                str(number): self.version(place, number) for number in range(1, self.random.randint(3, 6) + 1)}}
        self.provide()
        self.requires = {name: "*" for name in self.random.sample(self.names[:6], 4)}
        for name in self.virtual:
            if self.random.random() < 0.5:
                self.requires[name] = "*"
        self.pins = {name: self.specifier() for name in self.random.sample(self.names, self.random.randint(0, 2))}

    def specifier(self):
        """Mostly a wide range, so that there are many stacks."""
        low, high = self.random.randint(1, 3), self.random.randint(4, 7)
        first = self.random.choice([f">={low}", f"<={high}", f"<{high}", f">{low - 1}", f"!={low}", f"=={high - 2}"])
        return first + (f",!={self.random.randint(1, 6)}" if self.random.random() < 0.3 else "")

    def constraint(self):
        roll = self.random.random()
        if roll < 0.25:
            return "*"
        if roll < 0.4:
            return {"any": [self.specifier(), self.specifier()]}
        return self.specifier()

    def key(self, place):
        """What component number `place` demands: mostly a later component, now and then an earlier one or a virtual one."""
        roll = self.random.random()
        if roll < 0.15 and self.virtual:
            return self.random.choice(self.virtual)
        others = self.names[place + 1:] if roll < 0.85 else self.names[:place]
        if not others:
            return None
        return self.random.choice(others) + (".level" if self.random.random() < 0.1 else "")

    def demands(self, place, most):
        keys = {self.key(place) for _ in range(self.random.randint(0, most))} - {None}
        return {key: self.constraint() for key in sorted(keys)}

    def version(self, place, number):
        version = {"requires": self.demands(place, 3), "conflicts": self.demands(place, 1) if self.random.random() < 0.3 else {}}
        if number == 1 or self.random.random() < 0.7:
            version["attributes"] = {"level": str(self.random.randint(1, 5))}
        if self.random.random() < 0.3:
            condition, consequence = self.demands(place, 2), self.demands(place, 2)
            if condition and consequence:
                version["requires_if"] = [{"if": condition, "then": consequence}]
        return version

    def provide(self):
        for name in self.virtual:
            for provider in self.random.sample(self.names[3:], 3):
                for version in self.components[provider]["versions"].values():
                    version.setdefault("provides", {})[name] = str(self.random.randint(1, 5))


def allowed(constraint, number):
    """Is the integer in the range, by what PEP 440 says of integers?"""
    if isinstance(constraint, dict):
        return any(allowed(one, number) for one in constraint["any"])
    if constraint == "*":
        return True
    for part in constraint.split(","):
        sign = part.rstrip("0123456789")
        if not OPERATORS[sign](number, int(part[len(sign):])):
            return False
    return True
