#!/usr/bin/env python3
"""The table of formats in docs/formats.md, made from the registry (`mvp_site.formats`).

Usage: formats_table.py [--write]   prints it, or puts it into the page. check_docs.py compares.
"""

from __future__ import annotations

import sys
from pathlib import Path

from mvp_site.formats import formats

PAGE = "docs/formats.md"
START, END = "<!-- formats -->", "<!-- end -->"
KINDS = {"prompts": "Prompts", "sheets": "Sheets", "entities": "Entities", "notes": "Notes",
         "books": "Books"}


def table() -> str:
    """A table for each kind of which there are formats: whole, in part, refused, and why."""
    parts = []
    for kind, title in KINDS.items():
        rows = sorted((format_ for format_ in formats() if format_.kind == kind),
                      key=lambda format_: (format_.extent == "refused", format_.extent,
                                           format_.name.removeprefix("a ")))
        if rows:
            parts += [f"## {title}", "",
                      "| file | extent | what is read | kept aside, or why not |",
                      "| --- | --- | --- | --- |"]
            parts += [f"| {row.name} | {row.extent} | {row.used or '–'} | {row.aside or '–'} |"
                      for row in rows] + [""]
    return "\n".join(parts)


def page_of(text: str) -> str:
    """The page with today's table between its marks."""
    before, _, rest = text.partition(START)
    return f"{before}{START}\n\n{table()}\n{END}{rest.partition(END)[2]}"


if __name__ == "__main__":
    path = Path(__file__).resolve().parent.parent / PAGE
    if "--write" in sys.argv[1:]:
        path.write_text(page_of(path.read_text("utf-8")), "utf-8")
    else:
        print(table())
