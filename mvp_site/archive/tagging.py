"""Domain and mode of a text, inferred from its headings and words where no author said.

Each label has cues; a cue in a heading or in the file's name counts more than in the body, and the
body's counts are dampened, so that one table does not outvote a title. Confidence is the winner's
share of all votes, in [0, 1]; under ``CONFIDENT`` there is no tag.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Final

TITLE_VOTES: Final = 3.0
CONFIDENT: Final = 0.4
SURE: Final = 0.6
"""The confidence from which on an inferred mode is as good as stated."""

_CUES: Final = {
    "schema": r"schemas?|fields?|json|string|integer|boolean|null|state_updates|branch(?:es)?|"
              r"record|ids?|required|optional|keys?|leaf|leaves|__delete__|data types?",
    "safety": r"safety|consent|minors?|sexual|distress|personality|alignments?|myers|big five|"
              r"hate|forbidden|refus\w+|boundar\w+|trigger warning|lines and veils|never reveal",
    "mechanics": r"dc|xp|d20|\d*d\d+|levels?|hit points?|hp|damage|saving throws?|saves?|bonus|"
                 r"slots?|ac|attacks?|checks?|modifier|rounds?|actions?|rests?|gp|initiative|"
                 r"proficiency|conditions?|rolls?|spells?|speed|cost",
    "narrative": r"npcs?|scenes?|stor(?:y|ies)|pacing|tone|complications?|companions?|rumou?rs?|"
                 r"factions?|relationships?|secrets?|trust|loyalty|motives?|goals?|consequences?|"
                 r"tension|quests?|villains?|reputation|dialogue|clock|narrat\w+",
    "worldgen": r"regions?|settlements?|towns?|villages?|cit(?:y|ies)|dungeons?|pantheon|gods|"
                r"cultures?|histor\w+|climate|generat\w+|maps?|terrain|kingdoms?|world ?building|"
                r"populations?|landmarks?",
    "examples": r"examples?|sample|worked|for instance|demonstration|\[mode:|player:|transcript",
}
_MODE_CUES: Final = {
    "story": r"\[mode: story|narrative field|in story",
    "dm": r"\[mode: dm|out[- ]of[- ]character|in dm\b|meta question",
    "god": r"\[mode: god|god:\w*|god_mode_response|in god\b|divine command",
}
_DOMAIN_RE: Final = re.compile(
    rf"(?<!\w)(?:{'|'.join(f'(?P<{name}>{cues})' for name, cues in _CUES.items())})(?!\w)"
)
_MODE_RES: Final = {
    name: re.compile(rf"\b{name} (?:mode|answer|choice|command|turn)s?\b|{cues}")
    for name, cues in _MODE_CUES.items()
}


def infer_tags(file: str, path: Sequence[str], text: str) -> dict[str, tuple[str | None, float]]:
    """The domain and mode of ``text`` under the heading ``path`` of ``file``.

    Each with its confidence in [0, 1]; None where the text does not tell.
    """
    title = " ".join(path).lower()
    stem = re.sub(r"[_\-/.]+", " ", file.removesuffix(".md")).lower()
    body = text.lower()
    in_title, in_stem, in_body = (Counter(cue.lastgroup for cue in _DOMAIN_RE.finditer(part))
                                  for part in (title, stem, body))
    domain_votes = {  # of the body, hits per 1,000 characters, flattened
        name: TITLE_VOTES * (in_title[name] + in_stem[name])
        + math.sqrt(in_body[name] * 1000 / max(len(body), 1000))
        for name in _CUES
    }
    mode_votes = {
        name: TITLE_VOTES * len(cue.findall(f"{title} {stem}"))
        + len(cue.findall(body)) * 400 / max(len(body), 400)
        for name, cue in _MODE_RES.items()
    }
    # Two votes are for no mode: most text serves every one.
    return {"domain": _winner(domain_votes), "mode": _winner(mode_votes, none=2.0)}


def _winner(votes: Mapping[str, float], none: float = 0.0) -> tuple[str | None, float]:
    """The label of most votes with its share, or None; ``none`` votes stand against all of them."""
    total = sum(votes.values()) + none
    if not total:
        return None, 0.0
    best = max(votes, key=lambda name: (votes[name], name))
    share = votes[best] / total
    return (best, share) if share >= CONFIDENT else (None, share)
