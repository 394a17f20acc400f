"""Doubles of the engine and of the sessions' notes, for what stands above them."""

from __future__ import annotations

import datetime
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import SimpleNamespace
from typing import Any

from mvp_site.engine.types import (
    Answer,
    CitedSentence,
    Decision,
    Evidence,
    Failure,
    NamedEntity,
    Question,
    Relation,
)
from mvp_site.errors import SessionsError, UnknownCharacterError
from mvp_site.sessions.types import CampaignDocument, CampaignPiece, ImportedDocuments, Mention
from mvp_site.store.campaign_documents import DocumentStamp

SECRET = "the ferryman was drowned by the priest"
WHY = "no such file: /srv/secret/books.sqlite3"
WHEN = datetime.datetime(2026, 3, 7, 20, 0, tzinfo=datetime.UTC)
EVIDENCE = (
    Evidence("character/ilse-varn/spell_list/counterspell", "character", "Counterspell", "Counterspell, 3rd level, prepared.", "Ilse Varn, Spells", 0.9, ("Counterspell",)),
    Evidence("rulebook/spells/counterspell", "rulebook", "Counterspell", "A reaction, taken when you see a creature\nwithin reach cast a spell.", "Rules, Spells", 0.8, ("Counterspell",)),
    Evidence("session_notes/session-3/combat/1", "session_notes", "The fight at the ferry", "The hag sank the ferry with a wave of her hand.", "Session 3, Combat", 0.6, session=3),
)
DECISIONS = (
    Decision("character", True, 0.93, "magic_info", (NamedEntity("Counterspell", "spell", 0.98),)), Decision("rulebook", True, 0.88, "spell_details", (NamedEntity("Counterspell", "spell"),)),
    Decision("session_notes", True, 0.71, "combat_recap", by="openai:small"), Decision("books", False, 0.97),
)


@dataclass
class TellingEngine:
    """Answers every question alike, with a secret for the DM alone; a name it knows not is no character."""

    fails: Exception | None = None
    asked: list[dict[str, Any]] = field(default_factory=list)
    changed: dict[str, Any] = field(default_factory=dict)

    def answer(self, user_query: str, character_name: str = "", *, campaign: str | None = None, audience: str = "player", max_tokens: int = 4_000, **style: Any) -> Answer:
        self.asked.append({"query": user_query, "character": character_name, "campaign": campaign, "audience": audience, "max_tokens": max_tokens})
        if self.fails is not None:
            raise self.fails
        if character_name not in {"", "Ilse", "Ilse Varn"}:
            raise UnknownCharacterError(f"there is no character {character_name!r}: there are Mordan in secret_campaign")
        evidence = EVIDENCE if audience == "player" else (*EVIDENCE, replace(EVIDENCE[2], id="session_notes/session-3/dm_notes/1", title="DM notes", text=SECRET, citation="Session 3, DM notes"))
        return replace(Answer(
            Question(user_query, "Ilse Varn" if character_name else "", campaign or "lantern_road", audience),  # type: ignore[arg-type]
            "She could: Counterspell is prepared [1]. It is a reaction [2].",
            (CitedSentence("She could: Counterspell is **prepared** [1].", (EVIDENCE[0].id,)), CitedSentence("It is a reaction [2][5].", (EVIDENCE[1].id, "rulebook/gone"))),
            evidence, DECISIONS, 0.82, (Relation("Counterspell", (EVIDENCE[0].id, EVIDENCE[1].id), "Counterspell is on the sheet and in the rules."),),
            (replace(EVIDENCE[2], id="session_notes/session-1/x", citation="Session 1, Spells used"),), ("Session 3 is the newest that says so.", "the books were not asked"),
            (Failure("books", WHY, "the books were not asked"),), {"routers": 0.01, "sources": 0.05, "total": 0.06}, 640, "openai:small", "SRD 5.1, CC-BY-4.0", "r-77",
        ), **self.changed)

    def taught(self, campaign: str) -> tuple[Any, float, float]:
        return SimpleNamespace(corrections=(), refitted=False), 0.8, 0.8

    def close(self) -> None: ...


@dataclass
class KeptNotes:
    """Notes of two campaigns, in memory."""

    kept: list[DocumentStamp] = field(default_factory=lambda: [
        DocumentStamp("lantern_road", "character", "ilse-varn", "Ilse Varn", None, WHEN, ""), DocumentStamp("lantern_road", "character", "brannoc", "Brannoc Ashdown", None, WHEN, ""),
        DocumentStamp("lantern_road", "session", "session-3", "Session 3: The ferry", 3, WHEN, ""), DocumentStamp("secret_campaign", "character", "mordan", "Mordan", None, WHEN, ""),
    ])
    corrected: dict[str, Mapping[str, Any]] = field(default_factory=dict)
    fails: Exception | None = None

    def forget_campaign(self, campaign: str) -> str:
        self.kept = [row for row in self.kept if row.campaign != campaign]
        return ""

    def documents(self, campaign: str | None = None, kind: str | None = None) -> tuple[DocumentStamp, ...]:
        if self.fails is not None:
            raise self.fails
        return tuple(one for one in self.kept if campaign in {None, one.campaign} and kind in {None, one.kind})

    def sheets(self, campaign: str | None = None) -> tuple[DocumentStamp, ...]:
        return self.documents(campaign, "character")

    def has(self, campaign: str) -> bool:
        return bool(self.documents(campaign))

    def resolve(self, name: str, campaign: str | None = None) -> DocumentStamp:
        raise UnknownCharacterError(f"there is no character {name!r}")

    def import_characters(self, campaign: str, given: Sequence[tuple[str, str]]) -> ImportedDocuments:
        return ImportedDocuments(self._keep(campaign, "character", text, file) for file, text in given)

    def import_notes(self, campaign: str, given: Sequence[tuple[str, str]], progress: object = None) -> ImportedDocuments:
        return ImportedDocuments(self._keep(campaign, "session", text, file) for file, text in given)

    def import_samples(self, campaign: str = "lantern_road") -> ImportedDocuments:
        return ImportedDocuments((*self.import_characters(campaign, [("pell.yaml", "Pell")]), *self.import_notes(campaign, [("one.md", "The road")])))

    def forget(self, campaign: str, kind: str, document: str) -> None:
        self.kept = [one for one in self.kept if (one.campaign, one.kind, one.id) != (campaign, kind, document)]

    def correct(self, routing: str, corrected: Mapping[str, Any]) -> None:
        if self.fails is not None:
            raise self.fails
        self.corrected[routing] = {**self.corrected.get(routing, {}), **corrected}

    def close(self) -> None: ...

    def _keep(self, campaign: str, kind: Any, text: str, file: str) -> CampaignDocument:
        if not text.strip():
            raise SessionsError(f"{file} says nothing")
        title = text.splitlines()[0]
        self.kept.append(DocumentStamp(campaign, kind, file.partition(".")[0], title, None, WHEN, ""))
        return CampaignDocument(self.kept[-1].id, kind, title, (CampaignPiece("a/1", "a", "A", text, mentions=(Mention("Ilse Varn", "player_character"),)),), text,
                        warnings=(f"{file}: kept among the notes: pets",) if "pets" in text else ())
