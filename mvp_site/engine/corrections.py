"""What a campaign's corrections teach: they count for the same question, and for those near it.

A correction says what a router should have decided of one domain. What the router lacked of it is
spread to near questions by a narrow Gaussian over the router's own features (a kernel regression on
residuals), so that a far question is decided as before.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from ..retrieval.encoder import Vectors
from ..store.campaign_documents import Routing
from .question_classifier import Judgement, alike
from .types import DOMAINS, Domain, Question

NARROW: Final = 4.0
"""How much steeper the Gaussian is than the router's own: a question counts for its paraphrases."""
ODDS: Final = 2.5
"""The odds, as a logarithm, that a corrected question has at least: a chance of .92."""
LEAD: Final = 0.5
"""By how much a corrected intention leads the others."""
PENALTY: Final = 0.05
NEAR: Final = 0.5
"""From here on a question is near a corrected one."""


@dataclass(frozen=True, slots=True)
class CorrectedQuestion:
    """A routing with what people said of it.

    ``needs`` has for each corrected domain its intention, '' for none in particular, None where
    the domain is not needed; ``decided`` the same of all domains as the router had them.
    """

    id: str
    question: Question
    decided: Mapping[Domain, str | None]
    needs: Mapping[Domain, str | None]

    @classmethod
    def of(cls, routing: Routing) -> CorrectedQuestion:
        """The correction that is stored."""
        asked = routing.asked
        return cls(routing.id, Question(
            str(asked.get("query", "")), str(asked.get("character", "")),
            routing.campaign_id or "", asked.get("audience", "player"),
        ), _needs(routing.decided), _needs(routing.corrected or {}))

    @property
    def example(self) -> dict[Domain, str]:
        """The intention of each domain that the question needs, all together."""
        both = {**self.decided, **self.needs}
        return {domain: intention for domain, intention in both.items() if intention is not None}

    def right(self, judged: Mapping[Domain, Judgement], threshold: float) -> bool:
        """Whether every corrected domain is decided as it should be."""
        for domain, intention in self.needs.items():
            judgement = judged.get(domain)
            needed = judgement is not None and judgement.chance >= threshold
            if needed != (intention is not None) or (
                    judgement and intention and judgement.likely[:1] != (intention,)):
                return False
        return True


@dataclass(frozen=True, slots=True, eq=False)
class Learned:
    """Corrections fitted over a router: what they add to its odds and margins."""

    rows: Mapping[Domain, Vectors]
    odds: Mapping[Domain, Any]
    margins: Mapping[Domain, Mapping[str, Any]]

    @classmethod
    def fit(cls, corrections: Sequence[CorrectedQuestion], rows: Sequence[Vectors],
            judged: Sequence[Mapping[Domain, Judgement]]) -> Learned:
        """What is learned of corrections with their rows, and with how the router judges them."""
        by_domain, odds = dict[Domain, Vectors](), dict[Domain, Any]()
        margins: dict[Domain, dict[str, Any]] = {}
        for domain in DOMAINS:
            own = [at for at, row in enumerate(corrections)
                   if domain in row.needs and domain in judged[at]]
            if not own:
                continue
            by_domain[domain] = np.concatenate([rows[at] for at in own])
            near = alike(by_domain[domain], by_domain[domain], NARROW)
            inverse = np.linalg.inv(near + PENALTY * np.eye(len(own)))
            odds[domain] = inverse @ [
                _lacking(judged[at][domain].odds, corrections[at].needs[domain]) for at in own]
            wanted = [corrections[at].needs[domain] or "" for at in own]
            margins[domain] = {name: inverse @ [
                _behind(judged[at][domain].margins, name) if right == name else 0.0
                for at, right in zip(own, wanted, strict=True)]
                for name in dict.fromkeys(wanted) if name}
        return cls(by_domain, odds, margins)

    def judged(self, row: Vectors, judged: Mapping[Domain, Judgement]) -> dict[Domain, Judgement]:
        """A router's judgements of a question with what was learned."""
        learned = dict(judged)
        for domain, rows in self.rows.items():
            if domain in judged:
                near, before = alike(row, rows, NARROW)[0], judged[domain]
                learned[domain] = Judgement(before.odds + float(near @ self.odds[domain]), {
                    name: margin + float(near @ self.margins[domain].get(name, np.zeros(len(near))))
                    for name, margin in before.margins.items()}, before.asks)
        return learned

    def knows(self, domain: Domain, row: Vectors) -> bool:
        """Whether a question is near one that was corrected in a domain."""
        rows = self.rows.get(domain)
        return rows is not None and float(alike(row, rows, NARROW).max()) >= NEAR


def _needs(decided: Mapping[str, Any]) -> dict[Domain, str | None]:
    return {domain: (decided[domain].get("intention") or "") if decided[domain].get("is_needed")
            else None for domain in DOMAINS if isinstance(decided.get(domain), Mapping)}


def _lacking(odds: float, intention: str | None) -> float:
    """What odds lack of those of a corrected question."""
    return max(ODDS - odds, 0.0) if intention is not None else min(-ODDS - odds, 0.0)


def _behind(margins: Mapping[str, float], name: str) -> float:
    """How far an intention is behind where it should be."""
    others = max((margin for other, margin in margins.items() if other != name), default=0.0)
    return max(others + LEAD - margins.get(name, 0.0), 0.0)
