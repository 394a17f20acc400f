"""What of an archive is about other classes than those of a state."""

from __future__ import annotations

import pytest

from mvp_site.archive.alternatives import alternatives

from .test_passages import chunks_of

pytestmark = pytest.mark.serving

CLASSES = ["Barbarian", "Bard", "Cleric", "Druid", "Wizard"]
FILES = {
    "classes.md": "# Classes\n\n" + "\n\n".join(f"## {name}\n\n{name}s gain a feature at each level. {'More of it. ' * 90}" for name in CLASSES),
    "spells.md": "# Spells\n\n" + "\n\n".join(f"## {name} spells\n\nWhat they cast." for name in ("Bard", "Cleric", "Druid")),
    "gear.md": "# Gear\n\n" + "\n\n".join(f"## {name}\n\nWhat it costs." for name in ("Rope", "Torch", "Tent")),
}


@pytest.mark.parametrize(("own", "text", "others"), [
    (["Wizard"], "what do I gain", {"Barbarian", "Bard", "Cleric", "Druid"}), (["a Wizard and Druid"], "what do I gain", {"Barbarian", "Bard", "Cleric"}),
    (["Wizard"], "what do bards gain", {"Barbarian", "Cleric", "Druid"}), (["a rope"], "and wizards", {"Torch", "Tent"}), ([], "what do bards gain", None), (["Monk"], "", None),
])
def test_what_is_of_others(own: list[str], text: str, others: set[str] | None) -> None:
    chunks = chunks_of(FILES)
    about = alternatives(chunks).of_others(own, text)
    pieces = [piece for chunk in chunks for piece in chunk.pieces]
    assert (about is None) is (others is None)
    if others is not None and about is not None:
        assert [{*piece.path} & others for piece in pieces] == [{piece.path[-1]} if said else set() for piece, said in zip(pieces, about, strict=True)]
