"""Commands that read say at once what is missing where there is nothing, and write nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from .conftest import Command


@pytest.mark.parametrize(("words", "code", "says"), [
    (("ask", "How far can I jump?"), 1, "mvp-site rulebook build"), (("ask", "Who is Corvin?", "--campaign", "c"), 1, "mvp-site sessions import"),
    (("ask", "How many hit points do I have?", "--character", "Ilse"), 1, "there is nothing to ask in"),
    (("sessions", "list"), 0, "none yet"), (("characters", "list", "c"), 0, "none yet"), (("campaign", "list"), 0, ""),
    (("campaign", "export", "c", "c.json"), 1, "there are no campaigns"), (("campaign", "delete", "c", "--yes"), 1, "there are no campaigns"),
    (("rulebook", "query", "falling"), 1, "mvp-site rulebook build"), (("entities", "search", "spells", "fire"), 1, "mvp-site entities build"),
    (("library", "list"), 1, "mvp-site library scan"), (("index", "status"), 0, ""),
])
def test_nothing_is_written_where_nothing_is(project: Path, command: Command, words: tuple[str, ...], code: int, says: str) -> None:
    result = command(*words)
    assert (result.exit_code, says in result.stderr) == (code, True), result.output + result.stderr
    assert [path.name for path in project.rglob("*")] == []
