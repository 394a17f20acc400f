"""``mvp-site entities``, over a few entities that are really built, with the encoder's double."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import pytest

from mvp_site.content.types import EntityType
from mvp_site.entities import build as building
from mvp_site.entities.index import EntityIndex

from ..web.entity_doubles import DOCUMENTS, WordsIndex
from .invoking import Run, invoke, ok, under

THEIRS = {type_: tuple({key: value for key, value in one.items() if key != "shadows"} | {"document": "SRD 5.1"} for one in found) for type_, found in DOCUMENTS.items()}
OWN = {"name": "Lamp", "replaces": True, "document": "Our [red]Table", "level": 0, "school": "Evocation", "ritual": True, "desc": "A light [bold]without[/bold] fire :fire:."}


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Runs a command with its data under ``tmp_path``, the encoder's double for the model, and few entities."""
    under(tmp_path, monkeypatch)
    monkeypatch.setattr(building, "srd_stock", lambda *_: THEIRS)
    return invoke


@pytest.fixture
def own(tmp_path: Path) -> Path:
    """A folder with an entity that shadows one of theirs."""
    path = tmp_path / "own/spells/lamp.json"
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps(OWN))
    return tmp_path / "own"


@pytest.fixture
def built(run: Run, own: Path) -> Run:
    """The same, with the entities built."""
    manifest = json.loads(ok(run("entities", "build", "--folder", str(own), "--json")))
    assert (manifest["entities"], manifest["types"]["monsters"], manifest["shadowed"], manifest["built"]) == (11, 3, ["spells/lamp"], True)
    return run


def names(said: str) -> list[str]:
    return [result["slug"] for result in json.loads(said)["results"]]


def test_search_finds_and_filters(built: Run) -> None:
    found = json.loads(ok(built("entities", "search", "spells", "ember lance", "--json")))
    assert set(found) == {"results", "total", "stated", "bound", "lanes_failed", "attribution"}
    assert found["results"][0]["slug"] == "ember-lance"
    assert 0 < found["results"][0]["_score"] <= 1
    assert names(ok(built("entities", "search", "spells", "--json"))) == ["ember-lance", "ember-rain", "lamp", "quiet-step"]
    assert names(ok(built("entities", "search", "spells", "--json", "--filter", "class=druid,bard", "--filter", "school~illu"))) == ["quiet-step"]
    assert names(ok(built("entities", "search", "Monsters", "--json", "--filter", "cr=1/4..3"))) == ["marsh-imp", "reed-wight"]


def test_a_person_gets_a_table(built: Run) -> None:
    said = ok(built("entities", "search", "spells", "ember rain", "--limit", "1"))
    assert re.search(r"[█░]{8} 0\.\d\d|[█░]{8} 1\.00", said)
    assert "3rd-level evocation · 1 action · 60 feet · concentration" in said
    listed = built("entities", "search", "spells", "--limit", "3")
    assert "score" not in ok(listed)
    assert "Our [red]Table, in place of SRD 5.1" in listed.stdout
    assert "1 to 3 of 4" in listed.stderr
    assert "More: --offset 3" in listed.stderr
    assert "4 to 4 of 4" in built("entities", "search", "spells", "--offset", "3").stderr
    assert "no more results" in ok(built("entities", "search", "spells", "--offset", "9"))
    assert "nothing was found" in ok(built("entities", "search", "spells", "zzgl qqrx"))


def test_what_words_state_is_offered_as_arguments(built: Run) -> None:
    result = built("entities", "search", "spells", "ember level 3")
    offer = re.search(r"To hold to what the words state: (.*)", result.stderr)
    assert offer
    assert names(ok(built("entities", "search", "spells", "ember level 3", "--json", *shlex.split(offer[1])))) == ["ember-rain"]
    assert "Held to what the words state: --filter level=3" in built("entities", "search", "spells", "ember level 3", "--bind-stated").stderr


ERRORS = (
    (("search", "spels"), "did you mean spells"), (("search", "spells", "x", "--filter", "level=five"), "level of spells is a number"), (("search", "spells", "x", "--filter", "level"), "is no filter"),
    (("similar", "spells", "ember-lanc"), "ember-lance"), (("lookup", "all", "x", "--documents", "nope"), "is never 'nope': there are"), (("show", "spells", "[red]x"), "[red]x"),
    (("lookup", "creature", "x", "--cr", "many"), "write 5 or 1/4"),
)


def test_errors_are_one_line(run: Run, own: Path) -> None:
    for args in (("search", "spells"), ("similar", "spells", "x"), ("lookup", "all", "x"), ("show", "spells", "x"), ("types",), ("documents",)):
        result = run("entities", *args)
        assert (result.exit_code, "mvp-site entities" in result.stderr) == (1, True)
    ok(run("entities", "build", "--folder", str(own), "--json"))
    for args, says in ERRORS:
        result = run("entities", *args)
        assert (result.exit_code, result.stdout, result.stderr.startswith("error: ")) == (1, "", True)
        assert says in result.stderr
    for args in (("search", "spells", "--limit", "0"), ("search", "spells", "--offset", "-1"), ("search", "spells", "--limit", "1001"), ("lookup", "thing", "x"), ("lookup", "creature", "x", "--armor-class", "15"), ("build", "--folder", "/nowhere")):
        assert run("entities", *args).exit_code == 2


def test_one_entity_is_shown_whole(built: Run) -> None:
    said = ok(built("entities", "show", "monsters", "bog-wyrm"))
    for text in ("Bog Wyrm", "Large dragon, neutral", "Challenge: 6", "Legendary actions", "Breath (Recharge 5–6). Fire in a line.", "Tail. It strikes.", "Reactions"):
        assert text in said
    assert "Spellcaster" not in said
    lamp = ok(built("entities", "show", "spells", "lamp"))
    assert "A light [bold]without[/bold] fire :fire:." in lamp
    assert "Our [red]Table, in place of SRD 5.1" in lamp
    assert "At higher levels" in ok(built("entities", "show", "spells", "ember-lance"))
    assert json.loads(ok(built("entities", "show", "spells", "lamp", "--json")))["desc"] == OWN["desc"]


@pytest.mark.parametrize("columns", ["40", "80", "200"])
def test_the_levels_of_a_class_are_a_table_of_whole_words(run: Run, monkeypatch: pytest.MonkeyPatch, columns: str) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    figures = {"Magical Secrets": "—", "Bardic Inspiration": "d6", "Cantrips Known": 2}
    levels = [{"level": 1, "features": ["Jack of All Trades", "Spellcasting"], "spell_slots": {"1": 3}, **figures}, {"level": 2, "spell_slots": {"1": 4, "2": 2}, **figures}]
    reaver = {"name": "Reaver", "slug": "reaver", "document": "SRD 5.1", "levels": levels}
    monkeypatch.setattr(EntityIndex, "open", lambda settings: WordsIndex({EntityType.CLASSES: [reaver]}))
    said = ok(run("entities", "show", "classes", "reaver"))
    for word in ("Level", "Features", "Spellcasting", "inspiration", "Magical", "4/2", "1/2"):
        assert re.search(rf"(?<!\w){word}(?!\w)", said), said


def test_types_and_documents_are_listed(built: Run) -> None:
    types = json.loads(ok(built("entities", "types", "--json")))
    assert [one["type"] for one in types] == list(EntityType)
    assert re.search(r"spells +4 +slug, name", ok(built("entities", "types")))
    documents = json.loads(ok(built("entities", "documents", "--json")))
    assert {one["document"]: (one["entities"], one["shadowed"]) for one in documents} == {"SRD 5.1": (10, 1), "Our [red]Table": (1, 0)}
    result = built("entities", "documents")
    assert "Our [red]Table" in ok(result)
    assert "System Reference Document" in result.stderr


def test_a_lookup_finds(built: Run) -> None:
    for args, slug in (
        (("all", "ember rain"), "ember-rain"), (("creature", "imp", "--cr-min", "1/8", "--cr-max", "1/2"), "marsh-imp"), (("spell", "ember", "--level-min", "3", "--class", "druid", "--no-ritual"), "ember-rain"),
        (("equipment", "hook blade", "--type", "weapon"), "hook-blade"),
    ):
        assert names(ok(built("entities", "lookup", *args, "--json")))[0] == slug
