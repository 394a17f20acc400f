"""Texts: scanning errors, stray spaces, typos, and a few words that change a rule."""

from __future__ import annotations

import re
from typing import Final

from ..values import Kind
from .log import Log, What, look, places

_NO_TEXT: Final = frozenset({"url", "index", "updated_at", "spell", "feature"})

# (pattern, replacement): what a scan or a paste leaves behind, the same in every text.
_DEBRIS: Final = tuple(
    (re.compile(pattern), replacement)
    for pattern, replacement in (
        (r"\(l(?=\d+d\d)", "(1"),
        (r"\(Sd(?=\d)", "(5d"),
        (r"(?<=\dd1)O\b", "0"),
        (r"(?<=\bDC )l(?=\d)", "1"),
        (r"\b(\d) d(?=\d)", r"\1d"),
        (r"\ba d 100\b", "a d100"),
        (r"\b1 5-foot\b", "15-foot"),
        (r"(?<=\d)(?:- | -)foot\b", "-foot"),
        (r"(?<=\d)ft\.", " ft."),
        (r"\b5- gp\b", "5-gp"),
        (r"Attack:\+ ?(?=\d)", "Attack: +"),
        (r"(?<=[\w.]) +(?=[.,](?:[\s,]|$))", ""),
        (r"\bo f\b", "of"),
        (r"\boft he\b", "of the"),
        (r"\b([Nn])on magical\b", r"\1onmagical"),
        (r"\bdesign nate\b", "designate"),
        (r"(?<=\d(?:st|nd|rd|th)-) (?=level)", ""),
        (r"(?<=[a-z]-) (?=(?:level|handed|quarters|destructive|choked|to-hand|talk)\b)", ""),
        (r"(?<=[a-z]-) (?=(?:threatening|shrouded)\b)", ""),
        (r"(?<=[a-z])- ?(?=(?:for|that|noticing|sometimes|moving|circles|rely|is|not) )", "--"),
        (r"\bclose--quarters\b", "close-quarters"),
    )
)
# Every text that a pattern above changes has one of these; few other texts have.
_SUSPECT: Final = re.compile(
    r"[ \t]{2}| [.,]|- |\d -|\([lS]|1O|C l\d|\d d\d|d 100|1 5-|\dft|k:\+|o f |oft |on m|n nate"
    r"|[a-z]-(?:rely|is|not) |--q"
)
_SPACES: Final = re.compile(r"(?<=\S)[ \t]{2,}(?=\S)")
_LAID_OUT: Final = ("|", "1", "2", "3", "4", "5", "6", "7", "8", "9")  # tables, numbered lists

# Whole words that are misspelt, wherever they stand.
_TYPOS: Final = tuple(
    (re.compile(rf"(?:{wrong})\b"), right)
    for wrong, right in (
        (r"\bWondous", "Wondrous"), ("^Wondrous Items(?=,)", "Wondrous item"), ("posion", "poison"),
        ("whetever", "whenever"), ("Perciption", "Perception"), ("its takes a", "it takes a"),
        ("choice form the", "choice from the"), ("extra moment", "extra movement"),
        ("an 60-foot", "a 60-foot"),
        ("understands infernal", "understands Infernal"), (r"heavy, uncommon", "heavy), uncommon"),
    )
)  # fmt: skip

_MISSPELT: Final = re.compile("|".join(pattern.pattern for pattern, _ in _TYPOS))

# (type, slug, field, found, now, why): words that say something else than the SRD does.
_WORDS: Final = (
    (Kind.MONSTERS, "ghost", "actions > Horrifying Visage > desc", "1d4 + 10 years",
     "1d4 × 10 years", "the SRD multiplies"),
    (Kind.MONSTERS, "bandit", "actions > Light Crossbow > desc", "80 ft./320", "80/320",
     "the form of every other range"),
    (Kind.MONSTERS, "salamander", "actions > Spear > desc", "20 ft./60", "20/60",
     "the form of every other range"),
    (Kind.MONSTERS, "scout", "actions > Longbow > desc", "ranged 150", "range 150",
     "the form of every other range"),
    (Kind.SPELLS, "divine-word", "desc > 0", "a backup Charisma", "a Charisma saving throw",
     "the spell's dc"),
    (Kind.SPELLS, "divine-word", "desc > 1", "pv or less 50: muted",
     "50 hit points or fewer: deafened", "the SRD's condition is deafened"),
    (Kind.SPELLS, "divine-word", "desc > 3", "deafened and dazed", "deafened, and stunned",
     "the SRD's condition is stunned; there is no condition dazed"),
    (Kind.SPELLS, "divine-word", "desc > 5", "an elementary, a fairy", "an elemental, a fey",
     "the SRD's creature types"),
    (Kind.SPELLS, "divine-word", "desc > 5", "original plan (", "original plane (",
     "a creature is sent to a plane"),
    (Kind.SPELLS, "confusion", "desc > 1", "can react", "can't take reactions",
     "the SRD forbids it"),
    (Kind.SPELLS, "confusion", "higher_level > 0", "a level spell slot 5 or more",
     "a spell slot of 5th level or higher", "the wording of every other spell"),
    (Kind.SPELLS, "confusion", "higher_level > 0", "level of higher spell slot to 4",
     "slot level above 4th", "the wording of every other spell"),
    (Kind.SPELLS, "wall-of-fire", "higher_level > 0", "a level spell slot 5 or more",
     "a spell slot of 5th level or higher", "the wording of every other spell"),
    (Kind.SPELLS, "wall-of-fire", "higher_level > 0", "level of higher spell slot to 4",
     "slot level above 4th", "the wording of every other spell"),
    (Kind.SPELLS, "hold-monster", "higher_level > 0", "a level 6 or higher location",
     "a spell slot of 6th level or higher", "the wording of every other spell"),
    (Kind.SPELLS, "hold-monster", "higher_level > 0", "level of location beyond the fifth",
     "slot level above 5th", "the wording of every other spell"),
    (Kind.MAGIC_ITEMS, "wand-of-wonder", "desc > 7", " 06-10 You", " |\n| 06-10 | You",
     "two rows of the table stand in one"),
    (Kind.RULE_SECTIONS, "movement", "desc", "| 3 miles | 18 miles |", "| 3 miles | 24 miles |",
     "8 hours at 3 miles"),
    (Kind.RULE_SECTIONS, "movement", "desc", "| 2 miles | 24 miles |", "| 2 miles | 18 miles |",
     "the SRD's figure; the two paces were swapped"),
)  # fmt: skip

_LEADING_NAME: Final = re.compile(r"^(Bite|Sting)\. (?=Melee)")
_HEADING: Final = re.compile(r"^(#+)(?= )", re.MULTILINE)


def repair_texts(log: Log) -> None:
    """Cleans every text; each field that changes is one repair a cause."""
    for kind, rows in log.tables.items():
        for slug, row in rows.items():
            for field, value in list(places(row)):
                if isinstance(value, str) and field.rsplit(" > ", 1)[-1] not in _NO_TEXT:
                    _repair_text(log, kind, slug, field, value)
    for kind, slug, field, found, now, why in _WORDS:
        text = look(log.tables[kind].get(slug, {}), field)
        if isinstance(text, str) and found in text:
            log.put(kind, slug, field, text.replace(found, now), What.WRONG_TEXT, why)
    for slug, row in log.tables[Kind.RULE_SECTIONS].items():
        log.put(
            Kind.RULE_SECTIONS, slug, "desc", levelled(row["desc"]), What.DEBRIS,
            "a heading is at most one level below the one it stands under",
        )


def cleaned(text: str) -> str:
    """``text`` without the debris of scans and doubled spaces; line breaks and tables stay."""
    for pattern, replacement in _DEBRIS:
        text = pattern.sub(replacement, text)
    lines = (
        line if line.startswith(_LAID_OUT) else _SPACES.sub(" ", line) for line in text.split("\n")
    )
    return "\n".join(lines)


def levelled(markdown: str) -> str:
    """``markdown`` with headings that skip no level; their order of rank is kept."""
    above: list[tuple[int, int]] = []  # (level found, level now) of the headings this one is under

    def level(match: re.Match[str]) -> str:
        found = len(match[1])
        while above and above[-1][0] >= found:
            above.pop()
        now = min(above[-1][1] + 1, found) if above else found
        above.append((found, now))
        return "#" * now

    return _HEADING.sub(level, markdown)


def _repair_text(log: Log, kind: Kind, slug: str, field: str, text: str) -> None:
    clean = cleaned(text) if _SUSPECT.search(text) else text
    if clean != text:
        log.put(kind, slug, field, clean, What.DEBRIS, "left by a scan or a paste")
    right = clean
    if _MISSPELT.search(right):
        for pattern, replacement in _TYPOS:
            right = pattern.sub(replacement, right)
    if right != clean:
        log.put(kind, slug, field, right, What.TYPO, "misspelt")
    if kind is Kind.MONSTERS and field.endswith(" > desc"):
        whole = _LEADING_NAME.sub("", right)
        if whole.startswith("Weapon Attack:"):
            whole = f"Melee {whole}"
        if whole != right:
            log.put(
                kind, slug, field, whole, What.WRONG_TEXT, "every attack opens with its manner"
            )
