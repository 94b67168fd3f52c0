"""The resolver of thoth-adviser (PyPI; runs on Python 3.8 and 3.11) on one of our instances, in memory.

usage: thoth_peer.py PREDICTOR STACKS PROJECT [SCORE]      (PREDICTOR as thoth-adviser names it, AUTO for its own default)

Its resolver runs unchanged. Of the graph database, which holds what Thoth's solvers found out about packages, it gets a
double that answers the questions the resolver asks; of the pipeline, one step that adds our score of each version.
Prints one JSON object: stacks listed, best score, seconds.
"""
import json
import logging
import random
import sys
import time
import warnings

warnings.simplefilter("ignore")  # about the age of Python 3.8 and of its own dependencies
from thoth.adviser import predictors  # noqa: E402
from thoth.adviser.enums import RecommendationType  # noqa: E402
from thoth.adviser.exceptions import CannotProduceStack  # noqa: E402
from thoth.adviser.pipeline_config import PipelineConfig  # noqa: E402
from thoth.adviser.resolver import Resolver  # noqa: E402
from thoth.adviser.step import Step  # noqa: E402
from thoth.python import Project  # noqa: E402

import instance as instances  # noqa: E402

INDEX = "https://index.invalid/simple"


class Graph:
    """The double: versions are written 0.0, 1.0, ..., since Thoth wants versions with a dot."""

    DEFAULT_COUNT = 1 << 30  # one page

    def __init__(self, instance):
        self.versions, self.depends = {}, {}
        names = [name.lower() for name in instance.components]
        for name, size in zip(names, instance.sizes):
            self.versions[name] = [f"{v}.0" for v in range(size)]
        for name, versions in zip(names, instance.requires):
            for v, needs in enumerate(versions):
                self.depends[name, f"{v}.0"] = {None: [(names[j], f"{w}.0") for j, (low, high) in needs.items()
                                                       for w in range(low, high)]}
        self.records = {(name, version): [{"package_name": name, "package_version": version, "index_url": INDEX,
                                           "os_name": None, "os_version": None, "python_version": None}]
                        for name, known in self.versions.items() for version in known}

    def get_solved_python_package_versions_all(self, *, package_name, **_):
        return [(package_name, version, INDEX) for version in self.versions[package_name]]

    def get_depends_on(self, name, version, index, **_):
        return self.depends[name, version]

    def get_python_package_version_records(self, *, package_name, package_version, **_):
        return self.records[package_name, package_version]

    def get_python_package_hashes_sha256(self, *_):
        return []  # this and the next: only for the report of the best stack

    def get_python_environment_marker(self, *_, **__):
        return None


class Score(Step):
    SCORES = {}

    def run(self, state, package_version):
        return self.SCORES.get(package_version.name, {}).get(package_version.locked_version.split(".")[0], 0.0), []


def predictor_named(name):
    """As the command line of thoth-adviser chooses it for stacks that are to be the best ones."""
    if name != "AUTO":
        return getattr(predictors, name)(keep_history=False)
    coefficient = predictors.TemporalDifference.obtain_default_configuration("temperature_coefficient")
    return predictors.TemporalDifference(step=1, temperature_coefficient=coefficient, trace=False, keep_history=False)


def main():
    name, stacks, project = sys.argv[1], int(sys.argv[2]), sys.argv[3]
    logging.disable(logging.CRITICAL)
    instance = instances.read(project)
    if len(sys.argv) > 4:
        with open(sys.argv[4]) as file:
            Score.SCORES = json.load(file)["scores"]
    pipfile = "\n".join(["[[source]]", f'url = "{INDEX}"', "verify_ssl = true", 'name = "index"', "[packages]",
                         *(f'{instance.components[i]} = "*"' for i in instance.roots)]) + "\n"
    random.seed(42)
    resolver = Resolver(pipeline=PipelineConfig(steps={None: [Score()]}), project=Project.from_strings(pipfile),
                        library_usage={}, graph=Graph(instance), predictor=predictor_named(name), limit=stacks,
                        count=1, recommendation_type=RecommendationType.TESTING)
    start = time.process_time()
    try:
        report = resolver.resolve(with_devel=False, user_stack_scoring=False)
        best = report.products[0].score
    except CannotProduceStack:
        best = None
    print(json.dumps({"stacks": resolver.context.accepted_final_states_count, "best": best,
                      "seconds": time.process_time() - start}))


if __name__ == "__main__":
    main()
