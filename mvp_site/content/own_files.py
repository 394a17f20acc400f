"""Users' own entities: folders of JSON and YAML files; what cannot be used is refused by itself.

``<folder>/<type>/*.json``, ``*.yaml`` or ``*.yml``; a file holds one document, a list of them, or
a mapping that has either under the type's name (or ``results``, as web APIs answer), and so does
each part of a YAML stream. In a file that stands in no type's folder each says its type. Hidden
files, README and LICENSE files and Markdown are left alone.
:mod:`.own_model` says what documents may look like.
"""

from __future__ import annotations

import json
import re
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, TypeAlias

from ..errors import EntityDataError, EntityTypeError
from ..formats import Sample, recognise, refusal
from ..retrieval.filters import fold
from ..settings import Settings
from ..text import strict_json
from ..text.audience import is_audience_key, says_audience
from ..text.hiding_keys import hiding, of_the_master
from ..text.normalising import clean
from ..text.yaml_values import MAX_DEPTH, YamlError, read_yaml
from ..types import RefusedFile
from .document import SRD, Document
from .own_model import is_field, lacking, read_entity
from .slugs import problem, shown
from .types import EntityType, entity_type

MAX_FILE: Final = 16 * 2**20
"""Bytes of a file."""
MAX_DOCUMENT: Final = 2**20
"""Characters of a document as JSON."""
MAX_OWN: Final = 50_000
"""Characters of JSON under a key that is no field."""
MOST_FAULTS: Final = 10
"""Problems of one file that are listed."""
REPLACES: Final = "replaces"
"""The key by which an entity stands in the place of the SRD's of its slug."""
EXTRACTED: Final = "extracted"
"""The key that says what entry of a book an entity was read of; such a one tells what it lacks."""
WITHHELD: Final = ".withheld"
"""The file of a folder that lists, a line an id, the books whose entities players may not see."""
FOR_PLAYERS: Final = "for_players"
"""The key below ``extracted`` by which an entity is for players, whoever its book is for."""
_KEYS: Final = 200
_NAMELESS: Final = "name: is missing"
_HEAD_LINES: Final = 10
_TYPE_KEYS: Final = ("entity_type", "type", "kind")
_ALSO: Final = {"item": "magic-items", "creature": "monsters", "npc": "monsters",
                "class": "classes", "species": "races"}
"""What people call types."""
_NO_TYPE: Final = (
    "stands in no type's folder and does not say its type; move the file into one of "
    f"{', '.join(EntityType)}, or write type: spell"
)
_DATA: Final = (".json", ".yaml", ".yml")
_CONTROL: Final = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]|\r(?!\n)")
_Path: TypeAlias = tuple[str | int, ...]
_NO_SECRETS: Final = (
    "is not read: everybody may see every entity; keep secrets out of this folder, as text of the "
    "prompt archive"
)


def extracted_folder(settings: Settings) -> Path:
    """Where entities are kept that were made of entries of books, for their user to edit."""
    return settings.mvp_site_data_dir / "library" / "extracted"


@dataclass(frozen=True, slots=True)
class OwnEntities:
    """The entities of users' folders by type, and why others were refused, a line a problem."""

    documents: Mapping[EntityType, tuple[Document, ...]]
    refused: tuple[RefusedFile, ...] = ()


def read_folders(folders: Sequence[Path],
                 srd: Mapping[EntityType, Container[str]] = MappingProxyType({})) -> OwnEntities:
    """The entities of ``folders``, each checked and in the form of documents.

    What cannot be read is refused, and so is what breaks its type's schema, lacks what its type
    needs, or has the type and slug of another or of one in ``srd``, which it may only replace where
    it says so. What was extracted from a book that players may not see is left out.

    Raises:
        EntityDataError: a folder cannot be read.
    """
    entities: dict[EntityType, dict[str, tuple[str, Document]]] = {}
    refused: list[RefusedFile] = []
    roots = list({folder.resolve(): folder for folder in folders}.values())
    for root in roots:
        if not root.is_dir():
            raise EntityDataError(f"{root} is no folder that can be read: name one that is there")
        before = f"{root}/" if len(roots) > 1 else ""
        closed = withheld(root)
        for type_, path in _files(root, refused):
            file = f"{before}{path.relative_to(root).as_posix()}"
            try:
                raws = [(stated, raw) for value in _values(path)
                        for stated, raw in _typed(type_, value)]
            except YamlError as error:
                refused.append(RefusedFile(file, f"{file}: {error}"))
                continue
            raws = [(stated, raw) for stated, raw in raws if not is_withheld(raw, closed)]
            if type_ is not None:
                entities.setdefault(type_, {})
            faults: list[str] = []
            for number, (own, raw) in enumerate(raws, 1):
                if own is None:
                    faults.append(f"{file}: {_called(raw, number)}: {_untyped(raw)}")
                    continue
                others = entities.setdefault(own, {})
                document, why = checked(own, raw, root)
                slug, replaces = str(document.get("slug")), document.pop(REPLACES, False)
                if not why:
                    why = _in_the_way(slug, replaces, srd.get(own, ()), others)
                if why:
                    faults += [f"{file}: {_called(raw, number)}: {fault}" for fault in why]
                else:
                    others[slug] = (file, document)
            refused += [RefusedFile(file, clean(fault)) for fault in faults[:MOST_FAULTS]]
            if len(faults) > MOST_FAULTS:
                more = f"{file}: and {len(faults) - MOST_FAULTS} more problems"
                refused.append(RefusedFile(file, more))
    documents = {type_: tuple(document for _, document in named.values())
                 for type_, named in entities.items()}
    return OwnEntities(documents, tuple(refused))


def withheld(folder: Path) -> frozenset[str]:
    """The ids of the books whose entities in ``folder`` players may not see."""
    path = folder / WITHHELD
    return frozenset(path.read_text("utf-8").split() if path.is_file() else ())


def is_withheld(document: Any, closed: Container[str]) -> bool:
    """Whether an entity was extracted from one of the books ``closed``, and not for players."""
    origin = document.get(EXTRACTED) if isinstance(document, Mapping) else None
    return (isinstance(origin, Mapping) and str(origin.get("source")) in closed
            and origin.get(FOR_PLAYERS) is not True)


def _in_the_way(slug: str, replaces: Any, srd: Container[str],
                others: Mapping[str, tuple[str, Document]]) -> list[str]:
    """Why a document cannot have its slug."""
    if not isinstance(replaces, bool):
        return [f"{REPLACES}: must be true or false; found {shown(replaces)}"]
    if slug in others:
        other, document = others[slug]
        same = f"slug: {shown(slug)} is also that of {_called(document, 0)} in {other}"
        return [f"{same}; give one of them a slug of its own, or take one away"]
    if slug in srd and not replaces:
        instead = f"write {REPLACES}: true to put yours in its place, or give yours another slug"
        return [f"slug: {shown(slug)} is the SRD's; {instead}"]
    return []


def _called(raw: Any, number: int) -> str:
    name = raw.get("name") if isinstance(raw, Mapping) else None
    if isinstance(name, str) and name.strip():
        return clean(" ".join(name.split()))[:80]
    return f"document {number}"


def _files(root: Path, refused: list[RefusedFile]) -> Iterator[tuple[EntityType | None, Path]]:
    """The data files of a folder with their types, in order; ``refused`` gets what has no place.

    A file that stands in no type's folder has no type: its documents say theirs.
    """
    for folder in _entries(root, root, refused):
        if folder.is_file() and folder.suffix.lower() in _DATA:
            yield None, folder
            continue
        if not folder.is_dir():
            refused.append(RefusedFile(folder.name, (
                f"{folder.name}: stands in no type's folder; move it into one of "
                f"{', '.join(EntityType)}"
            )))
            continue
        try:
            type_ = entity_type(folder.name)
        except EntityTypeError as error:
            refused.append(RefusedFile(f"{folder.name}/", f"{folder.name}/: {error}"))
            continue
        for path in _entries(folder, root, refused):
            if path.is_file() and path.suffix.lower() in _DATA:
                yield type_, path
            else:
                name = f"{folder.name}/{path.name}"
                refused.append(RefusedFile(name, (
                    f"{name}: is no file of {', '.join(_DATA)}; rename it, move it, or hide it "
                    "behind a dot"
                )))


def _entries(folder: Path, root: Path, refused: list[RefusedFile]) -> list[Path]:
    """What a folder holds and does not ignore; links that leave ``root`` go to ``refused``."""
    try:
        entries = sorted(folder.iterdir())
    except OSError as error:
        if folder == root:
            raise EntityDataError(f"{folder} cannot be read: {error.strerror}") from None
        refused.append(RefusedFile(str(folder), f"{folder} cannot be read: {error.strerror}"))
        return []
    names = []
    for path in entries:
        if path.name.upper().startswith((".", "README", "LICENSE")) or path.suffix.lower() == ".md":
            continue
        try:
            inside = path.resolve().is_relative_to(root.resolve())
        except (OSError, RuntimeError):  # a link to itself
            inside = False
        if inside:
            names.append(path)
        else:
            name = path.relative_to(root).as_posix()
            refused.append(RefusedFile(name, (
                f"{name}: is a link out of the folder, which is not followed; copy what it leads to"
            )))
    return names


def _values(path: Path) -> list[Any]:
    """The values of a file: one of JSON, any number of YAML."""
    try:
        with path.open("rb") as file:
            content = file.read(MAX_FILE + 1)
        if len(content) > MAX_FILE:
            raise YamlError(f"is larger than {MAX_FILE // 2**20} MiB; divide it")
        text = content.decode("utf-8-sig")
        for line in text.split("\n", _HEAD_LINES)[:_HEAD_LINES]:
            if line.lstrip().startswith("#") and says_audience(line):
                raise YamlError(f"{shown(line.strip()[:80])} {_NO_SECRETS}")
        if path.suffix.lower() != ".json":
            return read_yaml(text)
        return [strict_json.parse(text, "it")]
    except OSError as error:
        raise YamlError(f"cannot be read: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise YamlError(f"is not UTF-8 at byte {error.start}; save it as UTF-8") from None
    except strict_json.JsonError as error:
        raise YamlError(str(error)) from None


def _typed(type_: EntityType | None, value: Any) -> Iterator[tuple[EntityType | None, Any]]:
    """The documents of a value, each with its type; None for one that does not say it.

    Of a file in no type's folder a document says its type under a key of :data:`_TYPE_KEYS`, or
    stands in a list that is called so.
    """
    if type_ is not None:
        yield from ((type_, raw) for raw in _documents(type_, value))
    elif isinstance(value, Mapping) and any(map(is_audience_key, value)):
        yield EntityType.RULES, value  # is refused as a secret
    elif isinstance(value, Mapping) and "name" not in value:
        for key, part in value.items():
            listed = part if isinstance(part, list) else [part] if isinstance(part, Mapping) else []
            yield from (_stated(raw, _type_of(key)) for raw in listed if not (
                str(key).startswith("_")))
    else:
        yield from (_stated(raw) for raw in (value if isinstance(value, list) else [value]))


def _stated(raw: Any, listed: EntityType | None = None) -> tuple[EntityType | None, Any]:
    """The type that a document states, and the document without the key that states it."""
    for key in _TYPE_KEYS if isinstance(raw, Mapping) else ():
        if type_ := _type_of(raw.get(key)):
            return type_, {name: value for name, value in raw.items() if name != key}
    return listed, raw


def _type_of(word: Any) -> EntityType | None:
    """The type that a word names, in the singular or plural; None for any other value."""
    if not isinstance(word, str):
        return None
    key = re.sub(r"[\W_]+", "-", word.casefold()).strip("-")
    key = _ALSO.get(key.removesuffix("s"), key)
    return next((type_ for type_ in EntityType if key in {type_, type_.removesuffix("s")}), None)


def _untyped(raw: Any) -> str:
    """What is wrong with a document whose type is not known."""
    if raw == {}:
        return "is empty; take it away, or give it a type and a name"
    word = next((raw[key] for key in _TYPE_KEYS if isinstance(raw.get(key), str)), "") if (
        isinstance(raw, Mapping)) else ""
    return f"{shown(word)} is no type; write one of {', '.join(EntityType)}" if word else _NO_TYPE


def _documents(type_: EntityType, value: Any) -> list[Any]:
    if isinstance(value, Mapping) and "name" not in value:
        for key in value:
            paged = key == "results" or _exported(value[key])
            listed = paged or str(key).replace("_", "-").casefold() == type_
            alone = len(value) == 1 or (paged and not any(map(is_audience_key, value)))
            if listed and alone:
                value = value[key]
                break
    return value if isinstance(value, list) else [value]


def _exported(value: Any) -> bool:
    """Whether a value is a list of another program's records."""
    return isinstance(value, list) and bool(value) and recognise(
        Sample("", value=value[0]), "entities") is not None


def checked(type_: EntityType, raw: Any, root: Path) -> tuple[dict[str, Any], list[str]]:
    """A document of the folder ``root`` in the form that is kept, and what is wrong with it."""
    if not isinstance(raw, Mapping):
        actual = "a list" if isinstance(raw, list) else shown(raw)
        return {}, [f"must be an object of fields; found {actual}"]
    if why := next(_unfit(raw), None):
        return {}, [why]
    if len(json.dumps(raw, ensure_ascii=False)) > MAX_DOCUMENT:
        return {}, [f"is larger than the {MAX_DOCUMENT} characters of a document"]
    sample = Sample("", value=raw)
    secrets: list[str] = []
    if export := recognise(sample, "entities"):
        if export.read is None:
            return {}, [refusal(sample, "entities")]
        # What its users wrote beside a tool's own fields; deeper keys are the tool's.
        secrets = [*_secrets(raw, 1)]
        raw = {**export.read(sample), **{key: raw[key] for key in (REPLACES, EXTRACTED)
                                         if key in raw}}
    document, problems = read_entity(type_, raw)
    if _NAMELESS in problems and raw:
        keys = f"; its keys are {', '.join(map(shown, raw))}"
        problems[problems.index(_NAMELESS)] += keys[:_KEYS]
    wrong = [*secrets, *_secrets(raw), *problems]
    document.setdefault("document", root.resolve().name.replace("_", " ").strip() or "own entities")
    if fold(document["document"]) == fold(SRD):
        wrong.append(f"document: {SRD} is what this program brings; leave it out, or name where "
                     "your own text is from")
    if not wrong and EXTRACTED not in raw and (why := lacking(type_, document)):
        looks = f"it is {export.name}" if export else f"its keys are {', '.join(raw)}"
        wrong.append(f"{why} ({looks[:_KEYS]}); write it in this program's form")
    for key, value in document.items():
        if not is_field(type_, key) and len(json.dumps(value, ensure_ascii=False)) > MAX_OWN:
            wrong.append(problem((key,), f"is longer than the {MAX_OWN} characters that a key "
                                 "which is no field may hold"))
    return document, sorted(set(wrong))


def _walk(value: Any, path: _Path = ()) -> Iterator[tuple[_Path, Any]]:
    """``value`` and every value in it with its path, down to the depth that is taken."""
    yield path, value
    if len(path) <= MAX_DEPTH and isinstance(value, Mapping | list):
        for key, part in value.items() if isinstance(value, Mapping) else enumerate(value):
            yield from _walk(part, (*path, key))


def _secrets(raw: Mapping[str, Any], depth: int = MAX_DEPTH) -> Iterator[str]:
    """Where keys down to ``depth`` say that players may not see something, or may mean it."""
    for path, value in _walk(raw):
        if 0 < len(path) <= depth and isinstance(key := path[-1], str) and (
                (len(path) == 1 and is_audience_key(key)) or hiding(key, value)
                or of_the_master(key, value)):
            yield problem(path, _NO_SECRETS)


def _unfit(raw: Mapping[str, Any]) -> Iterator[str]:
    """Why ``raw`` is nothing that can be kept and written as JSON; nothing where it can."""
    for path, value in _walk(raw):
        if len(path) > MAX_DEPTH:
            yield problem(path[:1], f"is nested deeper than {MAX_DEPTH} levels")
        for key in value if isinstance(value, Mapping) else ():
            if bad := _no_text(key):
                yield problem(path, f"the key {shown(clean(key))} has {bad}")
        if isinstance(value, str) and (bad := _no_text(value)):
            yield problem(path, f"has {bad}")
        elif isinstance(value, int | float) and not abs(value) <= 1e300:  # NaN is neither
            yield problem(path, "is not a number that can be kept")


def _no_text(text: str) -> str:
    """What character ``text`` has that no text has; '' for none. Lines may end in CR LF."""
    if control := _CONTROL.search(text):
        return f"a character that is no text: U+{ord(control[0]):04X}; remove it"
    if clean(text) != text:
        return "a character that is no text: half of a pair; remove it"
    return ""
