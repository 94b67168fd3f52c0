"""How pip reads a requirements file: JSON [text] on stdin; on stdout for each text a list of [line number, requirement
(normalised), options], or null where a requirement is none.

pip's reader is internal to it and needs no network. Exit status 77: it is not where it was.
"""

import json
import sys

try:
    from pip._internal.req.req_file import break_args_options, preprocess
    from pip._vendor.packaging.requirements import InvalidRequirement, Requirement
    from pip._vendor.packaging.utils import canonicalize_name
except ImportError as error:
    print(f"skipped: pip's reader of requirements files: {error}", file=sys.stderr)
    sys.exit(77)


def read(text):
    result = []
    for number, line in preprocess(text):
        arguments, _ = break_args_options(line)
        if arguments.strip():
            requirement = Requirement(arguments)
            result.append([number, canonicalize_name(requirement.name)])
    return result


def judge(text):
    try:
        return read(text)
    except InvalidRequirement:
        return None


json.dump([judge(text) for text in json.load(sys.stdin)], sys.stdout)
