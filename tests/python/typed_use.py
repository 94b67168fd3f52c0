"""Not run: a program that uses the package, for mypy (test_package_pythons.py). Lines that are to be errors say so."""

from typing import Any, Dict, List, Optional, Tuple

import stackx

advice: stackx.Advice = stackx.advise("v100", have={"driver": "535"}, explain=True, catalog=["a.json"])
command: Optional[str] = advice.command
install: str = advice.command  # type: ignore[assignment]
interval: Optional[Tuple[float, float]] = advice.expected[0].interval
check = stackx.check("torch", hw="v100")
check.nearest.install  # type: ignore[union-attr]
check.answer = "yes"  # type: ignore[misc]
rows: List[Dict[str, Any]] = stackx.sql("SELECT 1")
stackx.sql("SELECT 1", as_="numpy")  # type: ignore[call-overload]
stackx.inspections(limit="5")  # type: ignore[call-overload]
frame = stackx.inspections(as_="pandas")
also = stackx.query("best", hw="host", component=["numpy"], as_="polars")
ids: List[str] = [stack.id for stack in stackx.stacks("project.json", sample=3)]
mine = stackx.Stackx(db="a.db")
mine.db = "b.db"  # type: ignore[misc]
document: Any = mine.run("hw")
