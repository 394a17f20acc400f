"""Why not this passage: its place, what it missed and by how much, and what brings it, all of which comes true."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from mvp_site import PromptAssembler
from mvp_site.text.yaml_values import write_yaml

from ..doubles import assembler_of

PLACES = ("quay", "mill", "forge", "chapel", "orchard", "cellar", "tower", "stable", "kiln", "well", "loft", "vault", "cairn", "weir", "fold")
FILES = {
    **{f"{name}.md": f"# The {name}\n\nThe guard of the {name} keeps watch at night and calls for help.\n" for name in PLACES},
    "swim.md": "# Swimming\n\nSwimming against a current asks for an Athletics check every minute.\n",
    "drown.md": "# Water\n\n## Drowning\n\nWho holds no breath any more drowns.\n",
    "twin.md": "# Swimming\n\nSwimming against a current asks for an Athletics check every minute.\n",
    "moor.md": "# The moor\n\nSwimming here is deadly. " + "The moor is wide and the wind comes from the sea. " * 20 + "\n",
    "god.md": "---\nmode: god\n---\n# Returning\n\nThe guard returns to the story.\n",
    "reeve.md": "---\naudience: dm\n---\n# The reeve\n\nThe reeve pays the guard for swimming at night.\n",
}
ASKED = "the guard keeps watch at night"


@pytest.fixture(scope="module")
def assembler(tmp_path_factory: pytest.TempPathFactory) -> PromptAssembler:
    return assembler_of(tmp_path_factory.mktemp("why"), FILES)


CASES: dict[str, tuple[str, str, dict[str, Any], list[str]]] = {
    "printed": ("swimming in a current", "swim#1", {}, []),
    "for another audience": (ASKED, "The reeve", {}, ["audience"]),
    "for this audience": ("the reeve pays the guard", "The reeve", {"audience": "dm"}, []),
    "for another mode": ("the guard returns to the story", "Returning", {}, ["mode"]),
    "for this mode": ("the guard returns to the story", "Returning", {"mode": "dm"}, []),
    "not searched": (ASKED, "quay.md", {"only": ["mill.md"]}, ["scope"]),
    "left out": (ASKED, "The quay", {"without": ["quay"]}, ["scope"]),
    "a duplicate": ("swimming in a current", "twin#1", {}, ["duplicate"]),
    "over the budget": ("swimming is deadly on the moor", "The moor", {"max_tokens_retrieved": 150}, ["budget"]),
    "below the floor": ("swimming in a current", "Swimming", {"floor": 1.0}, ["floor"]),
    "far behind": (ASKED, "Drowning", {}, ["candidates", "share"]),
    "nothing is asked": ("", "Swimming", {}, ["empty_query"]),
    "pinned": (ASKED, "Drowning", {"pin": ["Drowning"]}, []),
}


@pytest.mark.parametrize(("text", "name", "options", "missed"), CASES.values(), ids=CASES)
def test_what_it_missed(assembler: PromptAssembler, text: str, name: str, options: dict[str, Any], missed: list[str]) -> None:
    plan = assembler.retrieve(text, **options, why=name)
    why = plan.why
    assert why
    assert [bar.bar for bar in why.missed] == missed
    assert why.printed == (not missed) == any(why.section in chunk.sections for chunk in plan.chunks if chunk.id == why.id)
    assert abs(sum(why.parts.values()) - why.score) < .001 or missed == ["scope"]
    for bar in why.missed:
        if isinstance(bar.value, float) and isinstance(bar.needed, float):
            assert bar.value < bar.needed
        if bar.bar == "budget":
            assert isinstance(bar.needed, int)
            printed = [{c.id for c in assembler.retrieve(text, max_tokens_retrieved=budget).chunks} for budget in (bar.needed - 1, bar.needed)]
            assert [why.id in ids for ids in printed] == [False, True]
    assert bool(why.missing) == bool({*missed} & {"floor", "candidates", "share", "budget"})
    assert plan.chunks == assembler.retrieve(text, **options).chunks


def test_every_passage_has_a_place_and_they_are_all_different(assembler: PromptAssembler) -> None:
    places = {name: assembler.retrieve(ASKED, why=name).why for name in [*PLACES, "swim", "drown", "moor"]}
    ranks = sorted(why.rank or 0 for why in places.values() if why)
    assert ranks == [*range(1, len(places) + 1)]
    assert {(why.ranked, why.candidates) for why in places.values() if why} == {(len(places), 12)}


def test_the_word_and_the_line_bring_it(assembler: PromptAssembler, tmp_path: Path) -> None:
    why = assembler.retrieve(ASKED, why="Drowning").why
    assert why
    assert why.line
    assert [len(more.words) for more in why.missing] == [*range(1, len(why.missing) + 1)]
    assert why.missing[-1].printed
    for more in why.missing:
        again = assembler.retrieve(" ".join((ASKED, *more.words)), why="Drowning").why
        assert again
        assert (again.printed, again.rank, again.score) == (more.printed, more.rank, more.score)
    assert (why.line.file, why.line.heading, why.line.line) == ("drown.md", "Drowning", ASKED)
    lines = f"---\n{write_yaml({'when': {why.line.heading: [why.line.line]}})}---\n"
    mended = assembler_of(tmp_path, {**FILES, "drown.md": lines + FILES["drown.md"]})
    brought = mended.retrieve(ASKED, why="Drowning").why
    assert brought
    assert (brought.printed, brought.when) == (True, ASKED)


def test_a_turn_that_leans_on_others_makes_no_line(assembler: PromptAssembler) -> None:
    why = assembler.retrieve("yes", history=[{"role": "user", "content": ASKED}], why="Drowning").why
    assert why
    assert why.missing
    assert why.line is None


def test_redactors_hold(tmp_path: Path) -> None:
    assembler = assembler_of(tmp_path, FILES, redactors=[lambda text, _: "" if "drown" in text else text])
    why = assembler.retrieve("who drowns", why="Drowning").why
    assert why
    assert ([bar.bar for bar in why.missed], why.missing, why.line) == (["redacted"], (), None)
