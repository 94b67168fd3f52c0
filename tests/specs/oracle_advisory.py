"""Which versions OSV advisories name, by the schema's "Evaluation" over PyPI's `packaging`: JSON on stdin and stdout.

{"advisories": [OSV], "versions": [text], "package": name} becomes {"affected": [[ids], ...]}, one list a version.
Exit status 77: `packaging` 26.3 or newer is not there.
"""

import json
import sys

try:
    import packaging
    from packaging.utils import canonicalize_name
    from packaging.version import Version
except ImportError:
    print(f"no module `packaging` in {sys.executable}", file=sys.stderr)
    sys.exit(77)
if Version(packaging.__version__) < Version("26.3"):
    print(f"`packaging` 26.3 is needed, found {packaging.__version__}", file=sys.stderr)
    sys.exit(77)


def place(event):
    text = next(value for key, value in event.items())
    return (0, Version("0")) if event.get("introduced") == "0" else (1, Version(text))


def before_limits(version, events):
    limits = [event["limit"] for event in events if "limit" in event]
    return not limits or any(limit == "*" or version < Version(limit) for limit in limits)


def in_range(version, events):
    if not before_limits(version, events):
        return False
    vulnerable = False
    for event in sorted((event for event in events if "limit" not in event), key=place):
        if "introduced" in event and (event["introduced"] == "0" or version >= Version(event["introduced"])):
            vulnerable = True
        elif "fixed" in event and version >= Version(event["fixed"]):
            vulnerable = False
        elif "last_affected" in event and version > Version(event["last_affected"]):
            vulnerable = False
    return vulnerable


def affects(advisory, name, version):
    if "withdrawn" in advisory:
        return False
    for affected in advisory["affected"]:
        package = affected["package"]
        if package["ecosystem"] != "PyPI" or canonicalize_name(package["name"]) != canonicalize_name(name):
            continue
        if version in [Version(text) for text in affected.get("versions", [])]:
            return True
        if any(in_range(version, one["events"]) for one in affected.get("ranges", []) if one["type"] != "GIT"):
            return True
    return False


asked = json.load(sys.stdin)
json.dump({"affected": [[one["id"] for one in asked["advisories"] if affects(one, asked["package"], Version(text))]
                        for text in asked["versions"]]}, sys.stdout)
