"""The form fields of a fillable character sheet in PDF as the values of an own sheet.

``python -m mvp_site.formats.pdf_form`` reads a PDF from its input and prints the fields as JSON: a
damaged or hostile file stops that process alone.
"""

from __future__ import annotations

import ctypes
import json
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from typing import Any, Final

from ..text.shipped_tables import shipped_tables
from ..text.vocabulary import ABILITIES
from .export_fields import MAX_NAME
from .types import Format, Sample

MOST_PAGES: Final = 40
_SECONDS: Final = 20.0
_MEMORY: Final = 2**30
_TABLES: Final[dict[str, Any]] = shipped_tables(__package__, "pdf_form.toml")
_KEY: Final = re.compile(r"[\W_]+")
_CLASS: Final = re.compile(r"(.+?)[\s,(]*(?:level\s*)?(\d{1,2})\)?", re.IGNORECASE)
_SPELL: Final = re.compile(r"spells?\d{2,6}|spellname\d+")
_LEVELS: Final = (23, 34, 47, 60, 73, 82, 91, 100, 107)
"""The first fields of the spells of levels 1 to 9, less "10" before each."""
_FIRST_FIELDS: Final = {"14": 0, "15": 1}
_BOXES: Final = {15: 251, 23: 309, 34: 310, 46: 313} | {
    _LEVELS[level - 1] + second: 308 + 2 * level + second for level in range(3, 10)
    for second in (0, 1)}
"""The check boxes of the fields of the printed sheet's first spells, by which they are prepared."""
_BOXES_FROM: Final = ((24, 3010), (35, 3020), (49, 3031), (62, 3042), (75, 3053), (84, 3060),
                      (93, 3067), (102, 3074), (109, 3079))
"""Those of all others, as runs of a field and a box."""
_FIRST_SLOTS: Final = 18
"""The number of the printed sheet's fields for slots, less the level."""
_QUANTITY: Final = re.compile(r"(?:(\d{1,5})\s*x?\s+)?(.+?)(?:\s*(?:x|×|\()\s*(\d{1,5})\)?)?")
_CHECKED: Final = frozenset({"Yes", "On", "Off", ""})


def fields_of(content: bytes) -> dict[str, str]:
    """The filled form fields of a PDF by their names; empty where it has none or is damaged."""
    try:
        done = subprocess.run([sys.executable, "-m", __name__], input=content, check=False,  # noqa: S603 - our own module
                              capture_output=True, timeout=_SECONDS)
    except subprocess.TimeoutExpired:
        return {}
    fields: dict[str, str] = json.loads(done.stdout) if done.returncode == 0 else {}
    return fields


def sheet_of(sample: Sample) -> dict[str, Any]:
    """The sheet that a form is; fields of no known name are among its notes."""
    filled = {name: value.strip() for name, value in fields_of(sample.content).items()
              if value.strip()}
    form = {_KEY.sub("", name).lower(): value for name, value in filled.items()}
    used: set[str] = set()

    def field(*names: str) -> str:
        name = next((name for name in names if name in form), "")
        used.update({*names} & form.keys())
        return form.get(name, "")

    sheet: dict[str, Any] = {}
    for path, names in _TABLES["texts"].items():
        if text := field(*names):
            _put(sheet, path, [{"title": "", "text": text}] if path == "backstory" else text)
    for path, names in _TABLES["numbers"].items():
        if (number := _number(field(*names))) is not None:
            _put(sheet, path, number)
    base = sheet.setdefault("base", {})
    base["name"] = base.get("name", "")[:MAX_NAME]
    base["classes"] = [*_classes(field(*_TABLES["classes"]["fields"]))]
    scores = {ability: _score(field(short), field(f"{short}mod"))
              for ability in ABILITIES for short in (ability[:3],)}
    sheet["ability_scores"] = {name: score for name, score in scores.items() if score}
    _put(sheet, "combat_stats.saves", [
        {"name": name.capitalize(), "bonus": bonus} for name in ABILITIES
        if (bonus := _number(field(f"st{name}"))) is not None])
    _put(sheet, "proficiencies.skills", [
        {"name": name, "bonus": bonus} for name, names in _TABLES["skills"].items()
        if (bonus := _number(field(*names))) is not None])
    _put(sheet, "combat_stats.attacks", [*_attacks(form, used)])
    _put(sheet, "inventory.items", [*_items(form, field("equipment"), used)])
    source = field("spellcastingclass2", "spellcastingclass", "spellcastingclass0")
    if spells := [*_spells(form, source)]:
        used.update(name for name in form if _SPELL.fullmatch(name))
        ability = field("spellcastingability2", "spellcastingability", "spellcastingability0")
        sheet["spell_list"] = [{
            "source": source, "ability": ability, "slots": [*_slots(form, used)],
            "save_dc": _number(field("spellsavedc2", "spellsavedc", "spellsavedc0")),
            "attack_bonus": _number(field("spellatkbonus2", "spellatkbonus", "spellatkbonus0")),
            "spells": spells}]
    sheet["notes"] = [{"title": " ".join(name.split()), "text": text}
                      for name, text in filled.items()
                      if _KEY.sub("", name).lower() not in used and text not in _CHECKED]
    return sheet


def _put(sheet: dict[str, Any], path: str, value: Any) -> None:
    *above, last = path.split(".")
    for key in above:
        sheet = sheet.setdefault(key, {})
    sheet[last] = value


def _number(text: str) -> int | None:
    match = re.match(r"\s*([+−-]?\d{1,9})\b", text)
    return int(match[1].replace("−", "-")) if match else None


def _score(*texts: str) -> int | None:
    """The score of an ability: the number without a sign, in whichever of its two boxes."""
    plain = [int(text) for text in texts if text.strip().isdecimal() and 0 < int(text) <= 30]
    return max(plain, default=None)


def _classes(text: str) -> Iterator[dict[str, Any]]:
    for part in re.split(r"\s*[/,;&]\s*", text):
        if part and (match := _CLASS.fullmatch(part)):
            yield {"name": match[1].strip(), "level": int(match[2])}
        elif part:
            yield {"name": part}


def _attacks(form: Mapping[str, str], used: set[str]) -> Iterator[dict[str, Any]]:
    for name in form:
        if match := re.fullmatch(r"wpnname(\d*)", name):
            number = match[1] or "1"
            keys = [f"wpn{number}atkbonus", f"wpn{number}damage"]
            used.update({name, *keys})
            yield {"name": form[name], "bonus": _number(form.get(keys[0], "")),
                   "damage": form.get(keys[1], "")}


def _items(form: Mapping[str, str], listed: str, used: set[str]) -> Iterator[dict[str, Any]]:
    for name in form:
        if match := re.fullmatch(r"eqname(\d+)", name):
            used.update({name, f"eqqty{match[1]}"})
            yield {"name": form[name], "quantity": max(1, _number(
                form.get(f"eqqty{match[1]}", "")) or 1)}
    for part in re.split(r"[\n\r;,]+", listed):
        if match := _QUANTITY.fullmatch(part.strip()):
            count = match[1] or match[3]
            yield {"name": match[2].strip(), "quantity": max(1, int(count or 1))}


def _spells(form: Mapping[str, str], source: str) -> Iterator[dict[str, Any]]:
    """Spells by their fields, whose numbers on the printed sheet tell the level and the box.

    Where no box is marked, and of a class that knows its spells, an empty box says nothing.
    """
    spells = {name.removeprefix("spells10"): text for name, text in form.items()
              if _SPELL.fullmatch(name) and not text.startswith("=")}
    marked = {number: form.get(f"checkbox{box}", "Off") not in {"Off", ""}
              for number in spells if (box := _box(number))}
    prepares = any(marked.values()) and any(
        name in source.casefold() for name in _TABLES["classes"]["prepare"])
    for number, text in spells.items():
        ready = marked.get(number)
        yield {"name": text, **_level(number),
               **({} if ready is None or not (ready or prepares) else {"prepared": ready})}


def _box(number: str) -> int:
    """The check box beside a spell's field, by what stands behind "10" in it; 0 for none."""
    field = int(number) if number.isdecimal() else 0
    runs = [box + field - start for start, box in _BOXES_FROM if start <= field]
    return _BOXES.get(field, runs[-1] if runs else 0)


def _level(number: str) -> dict[str, int]:
    """The level of a spell's field by what stands behind "10" in its number."""
    if not number.isdecimal():
        return {}
    if number in _FIRST_FIELDS:
        return {"level": _FIRST_FIELDS[number]}
    return {"level": sum(int(number) >= first for first in _LEVELS)}


def _slots(form: Mapping[str, str], used: set[str]) -> Iterator[dict[str, int]]:
    for name in form:
        match = re.fullmatch(r"slots(total|remaining)(\d+)", name)
        level = int(match[2]) - _FIRST_SLOTS if match else 0
        if match:
            used.add(name)
        if match and match[1] == "total" and 1 <= level <= 9 and (total := _number(form[name])):
            remaining = _number(form.get(f"slotsremaining{match[2]}", ""))
            yield {"level": level, "total": max(0, total),
                   "used": 0 if remaining is None else max(0, total - remaining)}


def main() -> None:
    """Print the filled fields of the PDF at the input."""
    import resource  # noqa: PLC0415 - only here, and Windows has none

    import pypdfium2 as pdfium  # noqa: PLC0415 - a second of start, for this process alone
    from pypdfium2 import raw  # noqa: PLC0415

    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))

    def text(read: Any, annotation: Any) -> str:
        size = read(document.formenv.raw, annotation, None, 0)
        buffer = ctypes.create_string_buffer(size)
        read(document.formenv.raw, annotation,
             ctypes.cast(buffer, ctypes.POINTER(raw.FPDF_WCHAR)), size)
        return buffer.raw[:size].decode("utf-16-le", "replace").rstrip("\0")

    values: dict[str, str] = {}
    document = pdfium.PdfDocument(sys.stdin.buffer.read())
    document.init_forms()
    for number in range(min(len(document), MOST_PAGES) if document.formenv else 0):
        page = document[number]
        for at in range(raw.FPDFPage_GetAnnotCount(page.raw)):
            annotation = raw.FPDFPage_GetAnnot(page.raw, at)
            if raw.FPDFAnnot_GetFormFieldType(document.formenv.raw, annotation) >= 0:
                name = text(raw.FPDFAnnot_GetFormFieldName, annotation)
                values.setdefault(name, text(raw.FPDFAnnot_GetFormFieldValue, annotation))
            raw.FPDFPage_CloseAnnot(annotation)
    sys.stdout.write(json.dumps(values))


FORMATS: Final = (Format(
    "a character sheet in PDF with form fields", "sheets",
    lambda sample: sample.content.startswith(b"%PDF-") and (
        b"/AcroForm" in sample.content or b"/ObjStm" in sample.content),
    "the fields of the printed sheet of 2014, boxes of prepared spells too, and of D&D Beyond's "
    "export",
    "fields of other names are kept as notes; a sheet without fields is refused",
    extent="read in part", read=sheet_of),)

if __name__ == "__main__":
    main()
