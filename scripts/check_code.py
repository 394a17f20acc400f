#!/usr/bin/env python3
"""Holds the code to its size and its words; `scripts/check` calls it.

Checks four things: no package has more code lines than `scripts/ceilings.txt` allows (blank lines,
comments and docstrings do not count); no package has an import circle inside; of the names that
`mvp_site` binds no larger share than the ceiling is vague; and no two classes have one name. Prints
what is wrong, and exits 1.
"""

from __future__ import annotations

import ast
import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import grimp

ROOT = Path(__file__).resolve().parent.parent
CEILINGS = "scripts/ceilings.txt"
PACKAGE = "mvp_site"
TOP = "mvp_site/*.py"
TREES = ("scripts", "tests")
VAGUE_LINE = "vague names, per mille"
SHARED_LINE = "classes that share a name"
VAGUE = frozenset(re.findall(r"\w+", """
    one ones found said told held asked meant those it them they what which that these given
    wanted here there now known seen shown kept left sure taken made came put gone brought
"""))
"""Pronouns and participles: a name like these says nothing of what it is bound to."""


def code_lines(path: Path) -> int:
    """How many lines of a file hold code."""
    text = path.read_text("utf-8")
    docstrings = {
        number
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
        for number in range(node.lineno, (node.end_lineno or node.lineno) + 1)
    }
    return sum(
        number not in docstrings and bool(line.strip()) and not line.lstrip().startswith("#")
        for number, line in enumerate(text.splitlines(), 1)
    )


def sizes() -> Counter[str]:
    """The code lines of each package of the product, of all of it, and of the other trees."""
    lines: Counter[str] = Counter()
    for path in sorted((ROOT / PACKAGE).rglob("*.py")):
        parts = path.relative_to(ROOT).parts
        count = code_lines(path)
        lines["/".join(parts[:2]) if len(parts) > 2 else TOP] += count
        lines[PACKAGE] += count
    for tree in TREES:
        lines[tree] = sum(map(code_lines, (ROOT / tree).rglob("*.py")))
    return lines


def bound_names(path: Path) -> Iterator[str]:
    """Every name that a file binds: variables, arguments, functions and classes."""
    for node in ast.walk(ast.parse(path.read_bytes())):
        match node:
            case ast.Name(id=name, ctx=ast.Store()) | ast.arg(arg=name):
                yield name
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                yield node.name


def vague_share() -> int:
    """Of a thousand names that the product binds, how many are vague, rounded up."""
    names = Counter(name for path in (ROOT / PACKAGE).rglob("*.py") for name in bound_names(path))
    vague = sum(count for name, count in names.items() if name.strip("_").lower() in VAGUE)
    return -(-1000 * vague // max(names.total(), 1))


def shared_class_names() -> list[str]:
    """The names that more than one class of the product has."""
    names = Counter(
        node.name for path in (ROOT / PACKAGE).rglob("*.py")
        for node in ast.walk(ast.parse(path.read_bytes())) if isinstance(node, ast.ClassDef)
    )
    return sorted(name for name, count in names.items() if count > 1)


def ceilings() -> dict[str, int]:
    """What each line of the file allows: `NAME NUMBER`, and behind a `#` why it was raised."""
    rows = [line.partition("#")[0] for line in (ROOT / CEILINGS).read_text().splitlines()]
    pairs = (row.strip().rpartition(" ") for row in rows if row.strip())
    return {name.strip(): int(most) for name, _, most in pairs}


def over(found: dict[str, int], allowed: dict[str, int]) -> Iterator[str]:
    """What exceeds its ceiling, or has none."""
    for name in sorted(found.keys() | allowed.keys()):
        if name not in allowed:
            yield f"{name} ({found[name]} code lines) has no ceiling: add a line to {CEILINGS}"
        elif name not in found:
            yield f"{CEILINGS}: there is no {name}"
        elif found[name] > allowed[name]:
            yield (f"{name} has {found[name]}, its ceiling is {allowed[name]}: cut, or raise the "
                   f"ceiling in {CEILINGS} with the reason behind a #")


def circles() -> Iterator[str]:
    """The first import circle inside each package."""
    sys.path.insert(0, str(ROOT))  # the tree that the script stands in, not an installed one
    graph = grimp.build_graph(PACKAGE, exclude_type_checking_imports=True)
    for package in sorted(graph.find_children(PACKAGE)):
        modules = {package, *graph.find_descendants(package)}
        imports = {
            module: graph.find_modules_directly_imported_by(module) & modules for module in modules
        }
        try:
            TopologicalSorter(imports).prepare()
        except CycleError as error:
            yield f"{package} has an import circle: {' <- '.join(error.args[1])}"


def problems() -> Iterable[str]:
    """All that is wrong."""
    found = dict(sizes())
    found[VAGUE_LINE] = vague_share()
    shared = shared_class_names()
    found[SHARED_LINE] = len(shared)
    allowed = ceilings()
    yield from over(found, allowed)
    if len(shared) > allowed.get(SHARED_LINE, 0):
        yield f"classes that share a name: {', '.join(shared)}"
    yield from circles()


if __name__ == "__main__":
    wrong = list(problems())
    print("\n".join(wrong) or "code: within its ceilings, no import circles")
    sys.exit(bool(wrong))
