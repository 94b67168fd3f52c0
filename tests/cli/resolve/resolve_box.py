"""What the tests of `stackx resolve` share: catalogs written down shortly, and generated ones."""

import hashlib
import json

from generated_catalog import GeneratedCatalog
from harness import BlackBox


def stack_id(components):
    text = json.dumps(components, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()


class ResolveBox(BlackBox):
    def catalog(self, components, name="catalog.json"):
        """{component: {version: {"requires": ...}}} or, of versions that say nothing, {component: [version, ...]}."""
        document = {}
        for component, versions in components.items():
            entries = versions if isinstance(versions, dict) else {version: {} for version in versions}
            document[component] = {"kind": "runtime" if component == "python" else "package", "versions": entries}
        return self.write(name, {"$schema": "stackx/catalog/1", "components": document})

    def generated(self, seed):
        """The project of a generated catalog, and the catalog."""
        catalog = GeneratedCatalog(seed)
        self.write("catalog.json", {"$schema": "stackx/catalog/1", "components": catalog.components})
        return self.project(requires=catalog.requires, pins=catalog.pins), catalog

    def count(self, *arguments):
        return int(self.json("resolve", *arguments, "--count")["valid_stacks"])

    def stacks(self, project, *arguments):
        """All of them, in the order of --list."""
        return [line["components"] for line in self.lines("resolve", project, *(arguments or ("--list", "10000000")))]

    def refusal(self, *arguments, exit_code=2):
        """What `stackx resolve` says on stderr when it gives no answer."""
        done = self.stackx("resolve", *arguments, exit_code=exit_code)
        self.assertEqual(done.stdout, "")
        return done.stderr
