"""What PyPI's `packaging` says of PEP 508 markers and requirements: JSON questions on stdin, JSON answers on stdout.

{"environments": [{variable: text, "extras": [..], "dependency_groups": [..]}], "markers": [text], "requirements": [text],
"versions": [text]} becomes
  markers       null (invalid) or for each environment true, false or null (no meaning: UndefinedComparison and the like)
  requirements  null (invalid) or {name, extras, url, contains: [for each version], marker: text or null}
Exit status 77: `packaging` 26.3 or newer is not there.
"""

import json
import sys


def skip(reason):
    print(reason, file=sys.stderr)
    sys.exit(77)


try:
    import packaging
    from packaging.markers import InvalidMarker, Marker, UndefinedComparison, UndefinedEnvironmentName
    from packaging.requirements import InvalidRequirement, Requirement
    from packaging.utils import canonicalize_name
    from packaging.version import Version
except ImportError as error:
    skip(f"no module `{error.name}` in {sys.executable}")
if Version(packaging.__version__) < Version("26.3"):
    skip(f"`packaging` 26.3 is needed, found {packaging.__version__}")


def evaluated(marker, environment):
    try:
        return marker.evaluate(environment, context="lock_file")
    except (UndefinedComparison, UndefinedEnvironmentName, AttributeError, TypeError):
        return None


def judge_marker(text, environments):
    try:
        marker = Marker(text)
    except InvalidMarker:
        return None
    return [evaluated(marker, environment) for environment in environments]


def judge_requirement(text, versions):
    try:
        requirement = Requirement(text)
    except InvalidRequirement:
        return None
    return {
        "name": canonicalize_name(requirement.name),
        "extras": sorted({canonicalize_name(extra) for extra in requirement.extras}),
        "url": requirement.url or "",
        "contains": [requirement.specifier.contains(version, prereleases=True) for version in versions],
        "marker": requirement.marker and str(requirement.marker),
    }


questions = json.load(sys.stdin)
environments = [
    {name: set(value) if isinstance(value, list) else value for name, value in environment.items()}
    for environment in questions["environments"]
]
json.dump(
    {
        "markers": [judge_marker(text, environments) for text in questions["markers"]],
        "requirements": [judge_requirement(text, questions["versions"]) for text in questions["requirements"]],
    },
    sys.stdout,
)
