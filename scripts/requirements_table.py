#!/usr/bin/env python3
"""Writes docs/requirements.md: the designs' requirements and the tests that hold them.

The rows are made from ``@pytest.mark.requirement("DESIGN", "what it asks for")`` on the tests.

Usage: requirements_table.py [ROOT]
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

DESIGNS = {
    "1": "Hybrid core and retrieval", "2": "Rulebook retrieval", "3": "Entity semantic search",
    "4": "Library, `ask_books`", "5": "Central engine and context assembler",
}
MARK = "mark.requirement"
HEAD = """\
# What the designs ask for, and the tests of it

Made by `scripts/requirements_table.py` from marks in the tests, which use the designs' own words,
types and limits.

| design | requirement | test |
| --- | --- | --- |
"""


def requirements(root: Path) -> Iterator[tuple[str, str, str]]:
    """Design, requirement and test of each mark, in order."""
    for path in sorted((root / "tests").rglob("test_*.py")):
        text = path.read_text(encoding="utf-8")
        for node in ast.walk(ast.parse(text)) if MARK in text else ():
            if not isinstance(node, ast.FunctionDef):
                continue
            for mark in node.decorator_list:
                if isinstance(mark, ast.Call) and ast.unparse(mark.func).endswith(MARK):
                    design, requirement = (ast.literal_eval(value) for value in mark.args)
                    yield design, requirement, f"{path.relative_to(root).as_posix()}::{node.name}"


def page(root: Path) -> str:
    """The page, a row a mark."""
    return HEAD + "".join(
        f"| {design} {DESIGNS[design]} | {requirement} | `{test}` |\n"
        for design, requirement, test in sorted(requirements(root))
    )


if __name__ == "__main__":
    base = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).parents[1])
    (base / "docs" / "requirements.md").write_text(page(base), encoding="utf-8")
