"""The things that pieces name by their form, each with all names that are surely its own.

Names are one where they differ by a typo, by titles ("Mayor", "Old"), or where one is a part of
the other's and of no third's; and where somebody wrote "also called", of two names with one first
name too. Where two could be meant, neither is: two persons are never made one.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from itertools import chain, pairwise
from typing import Final

from ...text.names import title_key
from ...text.typos import Misspellings, closest
from ..intentions import TITLES
from ..types import CampaignDocument, Mention

COMMON: Final = frozenset({"spell", "ability", "item", "artifact", "event", "quest", "puzzle"})
"""Types whose names are common words too: one that opens a sentence may be no name."""
_FROM_SHEETS: Final = {
    "character": "player_character", "ally": "non_player_character",
    "enemy": "non_player_character", "weapon": "item", "armor": "item", "feature": "ability",
    "objective": "quest",
}
"""Types of sheets that notes have by another name."""
_ORDER: Final = {name: place for place, name in enumerate((
    "player_character", "artifact", "deity", "organization", "puzzle", "quest", "ability", "spell",
    "location", "creature", "non_player_character", "item", "event",
))}
"""The types of notes: of those that are said of a name as often, the first is right."""
_PERSONS: Final = frozenset({"player_character", "non_player_character", "creature", "deity"})
_PLAYED: Final = frozenset({"player_character", "non_player_character"})
_SORTS: Final = dict.fromkeys(_PERSONS, "person") | {"artifact": "item"}
_UNSURE: Final = frozenset({"spells_used", "combat", "loot", "character_status", "key_events"})
"""Parts whose items may open with who did it: they say less of what a name is."""
_CERTAIN: Final = 3
_UNTITLED: Final = frozenset({"of", "the", "in", "from"})
_ARTICLE: Final = re.compile(r"^(?:the|an?)\s+(?=\S)", re.IGNORECASE)


class _Form:
    """A name as it was written, what says what it is, and whether it was only told as an alias.

    ``core`` are its words without ``titles``; at least one.
    """

    def __init__(self, key: str) -> None:
        self.key = key
        self.spelt: Counter[str] = Counter()
        self.types: Counter[str] = Counter()
        self.lists: set[tuple[int, str]] = set()
        self.alias = True
        parts, at = tuple(key.split()), 0
        while at < len(parts) - 1 and parts[at] in TITLES and parts[at + 1] not in _UNTITLED:
            at += 1
        self.titles, self.core = frozenset(parts[:at]), parts[at:]

    def sort(self, least: int = 1) -> str:
        """What sort of thing it is, for names of two sorts are not joined; '' if less says so."""
        certain = max(self.types.values(), default=0) >= least
        return _SORTS.get(_type(self.types), _type(self.types)) if certain else ""


class CampaignEntity:
    """One thing of the campaign: ``name`` in full, ``type``, and how it is called besides.

    ``stands`` says that its names are looked for in texts, ``proper`` that they are written with
    a capital. ``words`` are those of its names, ``titles`` a person's; ``short`` are words that
    may stand for a person alone, by their keys.
    """

    def __init__(self, forms: Sequence[_Form]) -> None:
        own = [form for form in forms if not form.alias] or list(forms)
        best = min(own, key=lambda form: (-len(form.key.split()), -form.spelt.total(), form.key))
        self.name = min(best.spelt, key=lambda name: (-best.spelt[name], name.islower(), name))
        types = sum((form.types for form in forms), Counter[str]())
        self.type = _type(types)
        self.aliases = tuple(sorted({name for form in forms for name in form.spelt} - {self.name}))
        self.stands = self.type in _ORDER
        self.proper = self.name[:1].isupper()
        self.person = self.type in _PERSONS
        self.words = {word for form in own for word in form.core}
        self.titles = {word for form in own for word in form.titles}
        core_words = self.name.split()[-len(best.core) :]
        named = types and all(word[:1].isupper() for word in self.name.split()) and (
            self.type in _PLAYED or (self.person and best.titles))
        self.short = {title_key(word): word for word in (core_words[0], core_words[-1]) if named}


def things_of(documents: Sequence[CampaignDocument], readable: Sequence[str],
              ) -> tuple[list[CampaignEntity], dict[str, CampaignEntity]]:
    """All that pieces of ``readable`` audiences name by their form, and the things by names' keys.

    A name that might be one of two things' is neither's.
    """
    forms: dict[str, _Form] = {}
    claims: dict[str, set[str]] = defaultdict(set)
    for at, document in enumerate(documents):
        if document.kind == "character" and "player" in readable:
            _add(forms, Mention(document.title, "character"), 2 * _CERTAIN)
        for piece in document.pieces:
            for mention in piece.mentions if piece.audience in readable else ():
                form = _add(forms, mention, 1 if piece.part in _UNSURE else _CERTAIN)
                form.lists.add((at, piece.part))
        for entity in document.known:
            for alias in entity.aliases if entity.audience in readable else ():
                _add(forms, Mention(entity.name, entity.type), 0)
                form = forms.setdefault(title_key(alias), _Form(title_key(alias)))
                form.spelt[_ARTICLE.sub("", alias)] += 1
                claims[form.key].add(title_key(entity.name))
    forms.pop("", None)
    joined = _Joined(forms)
    joined.typos()
    unclear = joined.parts()
    for alias, named in sorted(claims.items()):
        joined.respelt([forms[key] for key in sorted(named) if key in forms])
        roots = {joined.root(key) for key in named if key in forms}
        sorts = {forms[key].sort() for key in (alias, *roots)} - {""}
        if len(roots) == 1 and len(sorts) < 2:
            joined.join(alias, roots.pop())
            unclear.discard(alias)
        elif forms[alias].alias:
            unclear.add(alias)
    grouped: dict[str, list[_Form]] = defaultdict(list)
    for key in sorted(set(forms) - unclear):
        grouped[joined.root(key)].append(forms[key])
    # Something says what it is, or it is written as a name of several words.
    pairs = [(group, CampaignEntity(group)) for group in grouped.values()
             if any(form.types or len(form.core) > 1 or form.spelt.total() > 1 for form in group)]
    return [thing for _, thing in pairs], {
        form.key: thing for group, thing in pairs for form in group
    }


class _Joined:
    """Names by their keys, and which of them are one."""

    def __init__(self, forms: dict[str, _Form]) -> None:
        self._forms = forms
        self._sorts = {key: form.sort(_CERTAIN) for key, form in forms.items()}
        self._root: dict[str, str] = {}

    def root(self, key: str) -> str:
        """The one name that stands for all that were joined with ``key``."""
        while key in self._root:
            key = self._root[key]
        return key

    def join(self, key: str, other: str) -> None:
        """Make the names of ``key`` and of ``other`` one."""
        if (ours := self.root(key)) != (theirs := self.root(other)):
            self._root[ours] = theirs

    def typos(self) -> None:
        """Join what is misspelt: the rarer name to the more frequent, unless one list has both."""
        index = Misspellings(self._forms)
        rank = {key: (form.spelt.total(), key) for key, form in self._forms.items()}
        for key, form in sorted(self._forms.items(), key=lambda keyed: rank[keyed[0]]):
            near = closest(key, [
                near_key for near_key in index.near(key)
                if rank[near_key] > rank[key] and self._sorts[key] in {"", self._sorts[near_key]}
                and not form.lists & self._forms[near_key].lists
            ])
            if near:
                self.join(key, near)

    def respelt(self, forms: Sequence[_Form]) -> None:
        """Join names of one alias and one first name: a surname in two spellings."""
        for form, other in pairwise(forms):
            if len(form.core) == len(other.core) > 1 and form.core[0] == other.core[0] \
                    and form.sort() == other.sort() and not form.lists & other.lists:
                rarer, better = sorted((form, other), key=lambda form: (
                    form.spelt.total(), form.key))
                self.join(rarer.key, better.key)

    def parts(self) -> set[str]:
        """Join short names to the one full name that they can mean; those that can mean several."""
        by_word: dict[tuple[str, int], list[_Form]] = defaultdict(list)
        by_core: dict[tuple[str, ...], list[_Form]] = defaultdict(list)
        for form in self._forms.values():
            by_core[form.core].append(form)
            for word in set(form.core):
                by_word[word, len(form.core)].append(form)
        longest = max((len(core) for core in by_core), default=0)
        unclear = set()
        for key in sorted(self._forms, key=lambda form: (-len(form.split()), form)):
            form = self._forms[key]
            longer = range(len(form.core) + 1, longest + 1)
            rarest = min(form.core, key=lambda word: sum(
                len(by_word.get((word, size), ())) for size in longer))
            candidates = chain(by_core[form.core], *(by_word.get((rarest, size), ())
                                                     for size in longer))
            full = [candidate for candidate in candidates if self._short(form, candidate)]
            same = [candidate for candidate in full if form.titles & candidate.titles]
            roots = {self.root(form.key) for form in same or full}
            if len(roots) == 1:
                self.join(key, roots.pop())
            elif roots:
                unclear.add(key)
        return unclear

    def _short(self, form: _Form, full: _Form) -> bool:
        """Whether a name is another's with words left out, and no other title."""
        sort = self._sorts[full.key]
        if form is full or self._sorts[form.key] not in {"", sort} or not (
                form.titles <= full.titles or full.titles <= form.titles):
            return False
        if form.core == full.core:
            return sort == "person" and len(form.titles) < len(full.titles)
        if sort != "person" and form.sort() not in {"", sort}:
            return False  # as a spell and a wand of it
        least, rest = 1 if sort == "person" else 2, iter(full.core)
        return len(full.core) > len(form.core) >= least and all(word in rest for word in form.core)


def _add(forms: dict[str, _Form], mention: Mention, weight: int) -> _Form:
    key = title_key(mention.name)
    form = forms.setdefault(key, _Form(key))
    form.alias = False
    form.spelt[_ARTICLE.sub("", mention.name)] += bool(weight)
    if mention.type:
        form.types[_FROM_SHEETS.get(mention.type, mention.type)] += weight
    return form


def _type(types: Counter[str]) -> str:
    """What is said most often, of as many the most specific; a person where nothing is said."""
    if not types.total():
        return "non_player_character"
    return min(types, key=lambda type_: (-types[type_], _ORDER.get(type_, len(_ORDER)), type_))
