"""Judges documents by the JSON Schemas of specs/schemas.

stdin: {"schemas": directory, "documents": [{"format": "catalog", "document": {...}}, ...]}
stdout: for each document "" if valid, else the first error.
"""

import json
import pathlib
import sys

try:
    from jsonschema import Draft202012Validator
    from referencing import Registry, Resource
except ImportError as error:
    print(f"skipped: no module `{error.name}` in {sys.executable}", file=sys.stderr)
    sys.exit(77)

BASE = "https://stackx.invalid/"  # never fetched: names under which the schemas refer to each other

questions = json.load(sys.stdin)
schemas = {p.name: json.loads(p.read_text()) for p in pathlib.Path(questions["schemas"]).glob("*.json")}
for schema in schemas.values():
    Draft202012Validator.check_schema(schema)
registry = Registry().with_resources(
    (BASE + name, Resource.from_contents(schema)) for name, schema in schemas.items()
)


def judge(document_format, document):
    schema = {"$schema": "https://json-schema.org/draft/2020-12/schema", "$ref": f"{BASE}{document_format}.json"}
    for error in Draft202012Validator(schema, registry=registry).iter_errors(document):
        return f"{error.json_path}: {error.message[:200]}"
    return ""


json.dump([judge(q["format"], q["document"]) for q in questions["documents"]], sys.stdout)
