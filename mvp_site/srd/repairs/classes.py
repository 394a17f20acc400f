"""Classes, subclasses, features and races: tables, references, and names that are not SRD."""

from __future__ import annotations

import re
from typing import Any, Final

from ..raw import Row
from ..values import Kind
from .log import Log, What

_CLASS_TABLE: Final = "the class's table in the SRD"
# (class, level, field, the SRD's figure)
_FIGURES: Final = (
    ("druid", 7, "class_specific > wild_shape_max_cr", 0.5),
    ("sorcerer", 16, "class_specific > metamagic_known", 3),
    ("warlock", 4, "class_specific > invocations_known", 2),
    ("warlock", 6, "class_specific > invocations_known", 3),
)
_IMPROVEMENT: Final = re.compile(r"(.+)-improvement-\d+")
_UNLIMITED: Final = 9999

_TITLES: Final = {
    "berserker": "Path of the Berserker", "champion": "Champion", "devotion": "Oath of Devotion",
    "draconic": "Draconic Bloodline", "evocation": "School of Evocation", "fiend": "The Fiend",
    "hunter": "Hunter", "land": "Circle of the Land", "life": "Life Domain",
    "lore": "College of Lore", "open-hand": "Way of the Open Hand", "thief": "Thief",
}  # fmt: skip

# A sentence with one of these names what the SRD does not have.
_FOREIGN: Final = re.compile(
    r"(?<!options are )detailed at the (?:end|bottom)|detailed in the Open Game"
    r"|described in the official|original source material|Archfey|Great Old One|Tempest"
)
_TOKENS: Final = (
    ("metamagic-twinned-spell", "ray of frost and chromatic orb are", "ray of frost is"),
    ("pact-of-the-chain", "sprites and pseudodragons tied to the Archfey and ", ""),
)
_SENTENCE: Final = re.compile(r"(?<=\.) ")

_INVOCATIONS: Final = "eldritch-invocations-1"
_ELDRITCH_BLAST: Final = "/api/spells/eldritch-blast"
_ARCTIC: Final = "circle-of-the-land-arctic"
# (subclass, the feature asked for, class level, the SRD's spells)
_SUBCLASS_SPELLS: Final = (
    ("land", _ARCTIC, "druid-7", ("freedom-of-movement", "ice-storm")),
    ("land", _ARCTIC, "druid-9", ("commune-with-nature", "cone-of-cold")),
    ("life", None, "cleric-7", ("death-ward", "guardian-of-faith")),
)


def repair_classes(log: Log) -> None:
    """Repairs features first, then what refers to them."""
    _features(log)
    for slug, row in log.tables[Kind.CLASSES].items():
        _levels(log, slug, row)
    for slug, number, field, figure in _FIGURES:
        place = f"levels > {slug}-{number} > {field}"
        log.put(Kind.CLASSES, slug, place, figure, What.FIGURE, _CLASS_TABLE)
    for slug in ("sorcerer", "wizard"):
        _crossbow(log, slug)
    for slug, title in _TITLES.items():
        log.put(Kind.SUBCLASSES, slug, "title", title, What.INCOMPLETE, "its name in the SRD")
    for slug, feature, level, spells in _SUBCLASS_SPELLS:
        _subclass_spells(log, slug, feature, level, spells)
    _traits(log)


def reference(row: Row) -> Row:
    """A reference to a row, as the data writes one."""
    return {key: row[key] for key in ("index", "name", "url")}


def _features(log: Log) -> None:
    features = log.tables[Kind.FEATURES]
    for slug in list(features):
        improvement = _IMPROVEMENT.fullmatch(slug)
        if improvement and improvement[1] in features:
            log.drop(
                Kind.FEATURES, slug, "", What.DUPLICATE, f"it repeats the text of {improvement[1]}"
            )
    log.drop(
        Kind.FEATURES, "eldritch-invocations-8", "", What.JUNK,
        "the class's table has eight invocations at level 18, which seven rows make, and no more",
    )
    for slug, row in features.items():
        for position, required in enumerate(row["prerequisites"]):
            if required.get("spell", "").endswith("/dominate-monster"):
                log.put(
                    Kind.FEATURES, slug, f"prerequisites > {position} > spell", _ELDRITCH_BLAST,
                    What.REFERENCE, "the invocation changes eldritch blast",
                )
        _foreign(log, slug, row)
    log.put(
        Kind.FEATURES, "supreme-healing", "subclass",
        reference(log.tables[Kind.SUBCLASSES]["life"]), What.MISSING,
        "the class's table does not have it; it is the Life domain's",
    )
    log.put(
        Kind.FEATURES, "metamagic-twinned-spell", "parent", reference(features["metamagic-1"]),
        What.MISSING, "metamagic lists it as an option",
    )
    _options(log)


def _foreign(log: Log, slug: str, row: Row) -> None:
    for token_slug, found, now in _TOKENS:
        for position, text in enumerate(row["desc"]):
            if token_slug == slug and found in text:
                log.put(
                    Kind.FEATURES, slug, f"desc > {position}", text.replace(found, now),
                    What.NOT_SRD, "it names what the SRD does not have",
                )
    for position, text in enumerate(row["desc"]):
        log.put(
            Kind.FEATURES, slug, f"desc > {position}", without_foreign(text), What.NOT_SRD,
            "the sentence names what the SRD does not have",
        )


def without_foreign(text: str) -> str:
    """``text`` without its sentences, or the lists that end them, that name what is not SRD."""
    kept = []
    for sentence in _SENTENCE.split(text):
        if not _FOREIGN.search(sentence):
            kept.append(sentence)
        elif ":" in sentence:
            kept.append(sentence[: sentence.index(":")] + ".")
    return " ".join(kept)


def _options(log: Log) -> None:
    """A feature's options are at least its children: every invocation can be chosen."""
    features = log.tables[Kind.FEATURES]
    children = [
        reference(row) for row in features.values()
        if row.get("parent", {}).get("index") == _INVOCATIONS
    ]
    for slug, row in features.items():
        if re.fullmatch(r"eldritch-invocations-\d", slug):
            options = row["feature_specific"]["subfeature_options"]["from"]
            known = {option["index"] for option in options}
            now = [*options, *(child for child in children if child["index"] not in known)]
            log.put(
                Kind.FEATURES, slug, "feature_specific > subfeature_options > from", now,
                What.INCOMPLETE, "an option for each invocation of the SRD",
            )


def _levels(log: Log, slug: str, row: Row) -> None:
    features = log.tables[Kind.FEATURES]
    improvements = 0
    for level in row["levels"]:
        place = f"levels > {level['index']}"
        now = []
        for feature in level["features"]:
            index = feature["index"]
            improvements += "ability-score-improvement" in index
            improvement = _IMPROVEMENT.fullmatch(index)
            if index not in features and improvement and improvement[1] in features:
                now.append(reference(features[improvement[1]]))
            elif index not in features and f"{index}-1" in features:
                now.append(reference(features[f"{index}-1"]))
            elif improvement and index not in features:
                continue
            else:
                now.append(feature)
        log.put(
            Kind.CLASSES, slug, f"{place} > features", now, What.DANGLING,
            "the data has no such feature; this one has the text of its subclass's features",
        )
        log.put(
            Kind.CLASSES, slug, f"{place} > ability_score_bonuses", improvements, What.FIGURE,
            "the improvements among the features of the table so far",
        )
        if level.get("class_specific", {}).get("rage_count") == _UNLIMITED:
            log.put(
                Kind.CLASSES, slug, f"{place} > class_specific > rage_count", "Unlimited",
                What.FIGURE, _CLASS_TABLE,
            )


def _crossbow(log: Log, slug: str) -> None:
    row = log.tables[Kind.CLASSES][slug]
    crossbows = log.tables[Kind.PROFICIENCIES]["crossbows-light"]
    why = "the SRD gives the class light crossbows"
    if not any(item["index"] == "crossbows-light" for item in row["proficiencies"]):
        now = [*row["proficiencies"], reference(crossbows)]
        log.put(Kind.CLASSES, slug, "proficiencies", now, What.MISSING, why)
    if not any(item["index"] == slug for item in crossbows["classes"]):
        classes = [*crossbows["classes"], reference(row)]
        log.put(Kind.PROFICIENCIES, "crossbows-light", "classes", classes, What.MISSING, why)


def _subclass_spells(
    log: Log, slug: str, feature: str | None, level: str, spells: tuple[str, ...]
) -> None:
    row = log.tables[Kind.SUBCLASSES][slug]

    def belongs(entry: Row) -> bool:
        asked = {item["index"] for item in entry["prerequisites"]}
        return asked == {level} | ({feature} if feature else set())

    same = [entry for entry in row["spells"] if belongs(entry)]
    if not same or [entry["spell"]["index"] for entry in same] == list(spells):
        return
    required = same[0]["prerequisites"]
    right: list[Any] = [
        {"spell": reference(log.tables[Kind.SPELLS][spell]), "prerequisites": required}
        for spell in spells
    ]
    first = row["spells"].index(same[0])
    rest = [entry for entry in row["spells"] if not belongs(entry)]
    log.put(
        Kind.SUBCLASSES, slug, "spells", [*rest[:first], *right, *rest[first:]], What.REFERENCE,
        f"the SRD's list at {level}" + (f" for {feature}" if feature else ""),
    )


def _traits(log: Log) -> None:
    for slug, trait in log.tables[Kind.TRAITS].items():
        for race in trait["races"]:
            row = log.tables[Kind.RACES][race["index"]]
            if "parent" not in trait and not any(t["index"] == slug for t in row["traits"]):
                log.put(
                    Kind.RACES, race["index"], "traits", [*row["traits"], reference(trait)],
                    What.MISSING, "the trait names this race",
                )
