"""The job that the package has to do with each Python, with nothing but its standard library. Prints "done"."""

import sys

import stackx

assert not {"pandas", "polars", "numpy"} & sys.modules.keys()
assert stackx.check("torch==2.4.0", hw="v100") and not stackx.check("torch==2.7.1+cu128", hw="v100")
assert stackx.sql("SELECT 'é' AS a") == [{"a": "é"}]
assert stackx.resolve("examples/framework-matmul/project.json").valid == 303
assert stackx.inspections() == []
try:
    stackx.check("torch=!", hw="v100")
except stackx.BadInput as error:
    assert "a specifier starts with one of" in str(error)
try:
    stackx.sql("WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT count(*) FROM c", timeout=0.2)
except stackx.TimedOut:
    print("done")
