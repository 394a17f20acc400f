"""Two processes answer for the same campaigns, over one PostgreSQL and one Milvus."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.conftest import REPOSITORY
from tests.llm.loopback import loopback_only
from tests.store.conftest import postgres, postgres_url  # noqa: F401 (fixtures)
from tests.texts import case_text

pytestmark = [pytest.mark.slow, pytest.mark.engine, pytest.mark.postgresql]
ILSE = '{"base": {"name": "Ilse Varn", "race": "high elf", "classes": [{"name": "wizard", "level": 5}]}}'
FERRY = case_text("ferry_notes.md")
MIRRORS = FERRY.replace("Corvin Hale", "Aldous Finch").replace("lamp oil", "mirror glass").replace("drowned silver", "salt")
SMUGGLER = "Who is the smuggler, and what does he sell at the ferry in session 1?"


class Worker:
    """A process that does what it is asked (:mod:`.worker`)."""

    def __init__(self, *arguments: str) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.engine.worker", *arguments], cwd=REPOSITORY, text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )

    def begin(self, campaign: str, **request: Any) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(f"{json.dumps({'campaign': campaign, **request})}\n")
        self._process.stdin.flush()

    def end(self) -> Any:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        assert line, self._process.communicate()[1]
        return json.loads(line)

    def ask(self, campaign: str, **request: Any) -> Any:
        self.begin(campaign, **request)
        return self.end()

    def stop(self) -> None:
        self._process.kill()
        self._process.communicate()


class Game(NamedTuple):
    first: Worker
    second: Worker
    uri: str


@pytest.fixture
def game(tmp_path: Path, _no_network: None, postgres_url: str) -> Iterator[Game]:  # noqa: F811
    """Two processes with folders of their own, one database and one Milvus."""
    from tests.retrieval.backends.engines import milvus_server

    with loopback_only(), milvus_server(tmp_path) as uri:
        workers = [Worker(str(tmp_path / name), postgres_url, uri) for name in ("first", "second")]
        yield Game(*workers, uri)
        for one in workers:
            one.stop()


def found_in(text: str) -> str:
    """An answer without what only says the question's own words again."""
    return "\n".join(line for line in text.splitlines() if not line.startswith(("Nothing ", "- Past sessions: ")))


def test_what_one_process_imports_the_other_answers_from(game: Game) -> None:
    first, second, uri = game
    assert first.ask("lanterns", notes=FERRY) == {"imported": ["session-1"]}
    assert first.ask("lanterns", sheet=ILSE) == {"imported": ["ilse-varn"]}
    before = second.ask("lanterns", query=SMUGGLER, character="Ilse")
    assert "lamp oil" in before["text"]
    assert second.ask("lanterns", query=SMUGGLER, character="Ilse") == before | {"kept": True}
    assert "wizard" in second.ask("lanterns", query="What class and level am I?", character="Ilse Varn")["text"]

    first.ask("lanterns", notes=FERRY.replace("lamp oil", "candle wax"))
    after = second.ask("lanterns", query=SMUGGLER, character="Ilse")
    assert ("candle wax" in after["text"], "lamp oil" in after["text"], after["kept"]) == (True, False, False)

    first.begin("mirrors", notes=MIRRORS)  # both write at once
    second.begin("lanterns", notes=FERRY.replace("session: 1", "session: 2").replace("Session 1", "Session 2"))
    assert (first.end(), second.end()) == ({"imported": ["session-1"]}, {"imported": ["session-2"]})
    for one in (first, second):
        for campaign, own, others in (("lanterns", ("Corvin", "candle wax"), ("Aldous", "mirror glass")),
                                      ("mirrors", ("Aldous", "mirror glass"), ("Corvin", "candle wax"))):
            said = one.ask(campaign, query=f"{SMUGGLER} Is it Corvin Hale or Aldous Finch?", audience="dm")
            assert said["errors"] == []
            text = found_in(said["text"])
            assert all(word in text for word in own)
            assert not any(word in text for word in others)
            assert "Vessna" not in found_in(one.ask(campaign, query="Who pays the smuggler, Vessna?")["text"])

    from pymilvus import MilvusClient

    with closing(MilvusClient(uri)) as client:
        kept = [one for one in client.list_collections() if "campaigns" in one]
        types = {row["group"] for one in kept for row in client.query(one, filter="row >= 0", output_fields=["group"], limit=1_000)}
    assert len(kept) == 1
    assert len(types) >= 3
