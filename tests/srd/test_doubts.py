"""Doubts are about what is there, and nothing is doubted that was repaired."""

from __future__ import annotations

from mvp_site.srd import Kind, Srd, srd_doubts


def test_doubts_name_records_and_fields(srd: Srd) -> None:
    doubts = srd_doubts(srd)
    assert doubts == srd_doubts()
    assert 30 < len(doubts) < 60
    for doubt in doubts:
        assert doubt.why
        assert not doubt.slug or srd.get(doubt.type, doubt.slug) is not None


def test_texts_that_are_missing_are_counted(srd: Srd) -> None:
    missing = {d.type: d.found for d in srd_doubts(srd) if " have none: " in d.found}
    assert set(missing) == {Kind.EQUIPMENT, Kind.LANGUAGES}
    assert missing[Kind.LANGUAGES].startswith("10 of 16 have none")


def test_every_class_of_doubt_occurs(srd: Srd) -> None:
    whys = " ".join(doubt.why for doubt in srd_doubts(srd))
    for part in ("translated", "table", "condition of the reaction", "more than one ability", "no ability and"):
        assert part in whys


def test_known_doubts_are_still_true(srd: Srd) -> None:
    for doubt in srd_doubts(srd):
        record = srd.get(doubt.type, doubt.slug)
        if doubt.field == "casting_time":
            assert record.casting_time == doubt.found  # type: ignore[union-attr]
        if doubt.type is Kind.RULE_SECTIONS:
            assert all(name in " ".join(record.text) for name in doubt.found.split(", "))  # type: ignore[union-attr]
        if "table" in doubt.why and doubt.type is Kind.SPELLS:
            assert not any(block.startswith("|") for block in record.text)  # type: ignore[union-attr]
