"""What PyPI's `packaging` says of versions and specifiers: JSON questions on stdin, JSON answers on stdout.

{"versions": [text], "pairs": [[i, j]], "contains": [[specifier, i]]}, i and j being indices into versions, becomes
  versions  null (invalid) or [normal form, is a pre-release]
  pairs     -1, 0, 1
  contains  null (invalid specifier) or [prereleases=True, prereleases=None, by rule], where "by rule" lets a
            pre-release in only if a clause names one (what None meant before packaging 26)
Exit status 77: `packaging` 26.3 or newer is not there. (Up to 25, "<" and ">" strayed from PEP 440: 1.0+local was not in
>1.0a1 and 1.0a1 not in <1.0.post1; 26.1 still says that 1.1 is not in ~=v1.1.)
"""

import json
import sys


def skip(reason):
    print(reason, file=sys.stderr)
    sys.exit(77)


try:
    import packaging
    from packaging.specifiers import InvalidSpecifier, SpecifierSet
    from packaging.version import InvalidVersion, Version
except ImportError:
    skip(f"no module `packaging` in {sys.executable}")
if Version(packaging.__version__) < Version("26.3"):
    skip(f"`packaging` 26.3 is needed, found {packaging.__version__}")


def parsed(kind, error, text):
    try:
        return kind(text)
    except error:
        return None


def contained(text, version):
    specifiers = parsed(SpecifierSet, InvalidSpecifier, text)
    if specifiers is None:
        return None
    version = version.strip()  # as text: === compares what is written
    return [
        specifiers.contains(version, prereleases=True),
        specifiers.contains(version, prereleases=None),
        specifiers.contains(version, prereleases=bool(specifiers.prereleases)),
    ]


questions = json.load(sys.stdin)
texts = questions["versions"]
versions = [parsed(Version, InvalidVersion, text) for text in texts]
json.dump(
    {
        "packaging": packaging.__version__,
        "versions": [v and [str(v), v.is_prerelease] for v in versions],
        "pairs": [(versions[i] > versions[j]) - (versions[i] < versions[j]) for i, j in questions["pairs"]],
        "contains": [contained(text, texts[i]) for text, i in questions["contains"]],
    },
    sys.stdout,
)
