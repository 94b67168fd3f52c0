"""Judges documents by the JSON Schemas of specs/schemas, for Python tests and, as a program, for others.

stdin: {"schemas": directory, "documents": [{"format": "catalog", "document": {...}}, ...]}
stdout: for each document "" if valid, else the first error.
"""

import functools
import json
import pathlib
import sys

try:
    from jsonschema import Draft202012Validator
    from referencing import Registry, Resource
except ImportError as error:
    if __name__ != "__main__":
        raise
    print(f"skipped: no module `{error.name}` in {sys.executable}", file=sys.stderr)
    sys.exit(77)

BASE = "https://stackx.invalid/"  # never fetched: names under which the schemas refer to each other


@functools.cache  # reading and checking all of them takes a second
def registry_of(directory):
    schemas = {p.name: json.loads(p.read_text()) for p in pathlib.Path(directory).glob("*.json")}
    for schema in schemas.values():
        Draft202012Validator.check_schema(schema)
    return Registry().with_resources((BASE + name, Resource.from_contents(schema)) for name, schema in schemas.items())


def judge(directory, document_format, document):
    """ "" if valid, else the first error."""
    schema = {"$schema": "https://json-schema.org/draft/2020-12/schema", "$ref": f"{BASE}{document_format}.json"}
    for error in Draft202012Validator(schema, registry=registry_of(directory)).iter_errors(document):
        return f"{error.json_path}: {error.message[:200]}"
    return ""


if __name__ == "__main__":
    questions = json.load(sys.stdin)
    json.dump([judge(questions["schemas"], q["format"], q["document"]) for q in questions["documents"]], sys.stdout)
