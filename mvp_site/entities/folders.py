"""Users' own entities: folders of JSON and YAML files, read whole or refused with what is wrong.

``<folder>/<type>/*.json``, ``*.yaml`` or ``*.yml``; a file holds one document, a list of them, or
a mapping that has either under the type's name (or ``results``, as web APIs answer), and so does
each part of a YAML stream. Hidden files, README and LICENSE files and Markdown are left alone.
What documents may look like say :mod:`.schemas` and :mod:`.leniencies`.
"""

from __future__ import annotations

import hashlib
import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import yaml

from ..errors import EntityDataError, EntityTypeError
from ..retrieval.text import clean
from .document import SRD, Document
from .leniencies import normalised
from .schemas import Problem, keys_of, problems, shown
from .types import EntityType, entity_type

MAX_FILE: Final = 16 * 2**20
"""Bytes of a file."""
MAX_EXPANDED: Final = 4 * MAX_FILE
"""What a YAML file's values weigh where every alias is written out; each weighs 16 and its text."""
MAX_DOCUMENT: Final = 2**20
"""What the values of a document weigh, likewise."""
MAX_OWN: Final = 50_000
"""Characters of JSON under a key that is no field."""
MAX_DEPTH: Final = 16
SHOWN: Final = 10
"""Problems that an error lists."""
_WEIGHT: Final = 16
_DATA: Final = (".json", ".yaml", ".yml")
_LOADER: Final[type] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_INTEGER: Final = re.compile("[-+]?(?:0|[1-9][0-9]{0,300})")
_FLOAT: Final = re.compile(r"[-+]?(?:\.[0-9]+|(?:0|[1-9][0-9]*)(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_WORDS: Final = {"yes": True, "true": True, "on": True, "no": False, "false": False, "off": False,
                 "null": None, "~": None, "": None}
_TAG: Final = "tag:yaml.org,2002:"
_PLAIN: Final = ("str", "int", "float", "bool", "null")
_TWICE: Final = "the key {} is there twice in one object; keep one"


@dataclass(frozen=True, slots=True)
class OwnEntity:
    """A document and the file it is from, told from the folder on."""

    document: Document
    file: str


@dataclass(frozen=True, slots=True)
class OwnEntities:
    """What users' folders hold, by type; ``digest`` changes with the documents and nothing else."""

    entities: Mapping[EntityType, tuple[OwnEntity, ...]]
    digest: str

    def __len__(self) -> int:
        """How many there are of all types."""
        return sum(map(len, self.entities.values()))


@dataclass(frozen=True, slots=True)
class Merged:
    """Documents by type, ordered by name; ``shadowed`` has what users' took the place of."""

    documents: Mapping[EntityType, tuple[Document, ...]]
    shadowed: tuple[str, ...]


class _RefusedError(Exception):
    """A file or a part of one cannot be read; the text says why."""


def read_folders(folders: Sequence[Path]) -> OwnEntities:
    """The entities of ``folders``, each checked and in the form of documents.

    Raises:
        EntityDataError: something cannot be read, breaks its type's schema, or has the type and
            slug of another; lists up to :data:`SHOWN` problems by file, document and place.
    """
    found: dict[tuple[EntityType, str], OwnEntity] = {}
    wrong: list[str] = []
    roots = list({folder.resolve(): folder for folder in folders}.values())
    for root in roots:
        before = f"{root}/" if len(roots) > 1 else ""
        for type_, path in _files(root, wrong):
            file = f"{before}{path.relative_to(root).as_posix()}"
            try:
                raws = [raw for value in _values(path) for raw in _documents(type_, value)]
            except _RefusedError as error:
                wrong.append(f"{file}: {error}")
                continue
            for number, raw in enumerate(raws, 1):
                document, why = _checked(type_, raw, root)
                about = f"{file}: {_called(raw, number)}"
                wrong += [f"{about}: {problem}" for problem in why]
                key = (type_, str(document.get("slug")))
                if why:
                    continue
                if key in found:
                    other = found[key]
                    wrong.append(
                        f"{about}: slug: {shown(key[1])} is also that of "
                        f"{_called(other.document, 0)} in {other.file}; give one of them a slug "
                        "of its own, or take one away"
                    )
                found.setdefault(key, OwnEntity(document, file))
    if wrong:
        raise EntityDataError(_listed(wrong))
    keys = sorted(found, key=lambda key: _place(found[key].document))
    entities = {
        type_: tuple(found[key] for key in keys if key[0] is type_)
        for type_ in EntityType if any(key[0] is type_ for key in keys)
    }
    plain = {type_: [one.document for one in several] for type_, several in entities.items()}
    canonical = json.dumps(plain, sort_keys=True, ensure_ascii=False).encode()
    return OwnEntities(entities, hashlib.sha256(canonical).hexdigest())


def merge(srd: Mapping[EntityType, Sequence[Document]], own: OwnEntities) -> Merged:
    """All documents by type; of two with one type and slug the user's, which then ``shadows``."""
    documents: dict[EntityType, tuple[Document, ...]] = {}
    shadowed = []
    for type_ in EntityType:
        if type_ not in srd and type_ not in own.entities:
            continue
        held = {str(one["slug"]): one for one in srd.get(type_, ())}
        for entity in own.entities.get(type_, ()):
            slug = str(entity.document["slug"])
            if slug in held:
                shadowed.append(f"{type_}/{slug}")
                of = held[slug].get("document", SRD)
                held[slug] = {**entity.document, "shadows": of}
            else:
                held[slug] = entity.document
        documents[type_] = tuple(sorted(held.values(), key=_place))
    return Merged(documents, tuple(sorted(shadowed)))


def _place(document: Document) -> tuple[str, str]:
    return str(document["name"]).casefold(), str(document["slug"])


def _called(raw: Any, number: int) -> str:
    name = raw.get("name") if isinstance(raw, Mapping) else None
    if isinstance(name, str) and name.strip():
        return clean(" ".join(name.split()))[:80]
    return f"document {number}"


def _listed(wrong: Sequence[str]) -> str:
    if len(wrong) == 1:
        return wrong[0]
    more = [f"and {len(wrong) - SHOWN} more"] if len(wrong) > SHOWN else []
    return "\n- ".join([f"{len(wrong)} problems in users' entities:", *wrong[:SHOWN], *more])


def _files(root: Path, wrong: list[str]) -> Iterator[tuple[EntityType, Path]]:
    """The data files of a folder with their types, in order; ``wrong`` gets what has no place."""
    for folder in _entries(root, root, wrong):
        if not folder.is_dir():
            wrong.append(f"{folder.name}: stands in no type's folder; move it into one of "
                         f"{', '.join(EntityType)}")
            continue
        try:
            type_ = entity_type(folder.name)
        except EntityTypeError as error:
            wrong.append(f"{folder.name}/: {error}")
            continue
        for path in _entries(folder, root, wrong):
            if path.is_file() and path.suffix.lower() in _DATA:
                yield type_, path
            else:
                wrong.append(f"{folder.name}/{path.name}: is no file of {', '.join(_DATA)}; rename "
                             "it, move it, or hide it behind a dot")


def _entries(folder: Path, root: Path, wrong: list[str]) -> list[Path]:
    """What a folder holds and does not ignore; links that leave ``root`` go to ``wrong``."""
    try:
        entries = sorted(folder.iterdir())
    except OSError as error:
        wrong.append(f"{folder} cannot be read: {error.strerror}")
        return []
    taken = []
    for path in entries:
        if path.name.upper().startswith((".", "README", "LICENSE")) or path.suffix.lower() == ".md":
            continue
        try:
            inside = path.resolve().is_relative_to(root.resolve())
        except (OSError, RuntimeError):  # a link to itself
            inside = False
        if inside:
            taken.append(path)
        else:
            wrong.append(f"{path.relative_to(root).as_posix()}: is a link out of the folder, which "
                         "is not followed; copy what it leads to")
    return taken


def _documents(type_: EntityType, value: Any) -> list[Any]:
    """The documents in one value of a file."""
    if isinstance(value, Mapping) and "name" not in value:
        for key in value:
            listed = key == "results" or str(key).replace("_", "-").casefold() == type_
            if listed and (key == "results" or len(value) == 1):
                value = value[key]
                break
    return value if isinstance(value, list) else [value]


def _checked(type_: EntityType, raw: Any, root: Path) -> tuple[Document, list[Problem]]:
    """A document in the form that is kept, and what is wrong with it."""
    if not isinstance(raw, Mapping):
        found = "a list" if isinstance(raw, list) else shown(raw)
        return {}, [Problem((), f"must be an object of fields; found {found}")]
    if why := _unfit(raw):
        return {}, [why]
    document, wrong = normalised(type_, raw)
    document.setdefault("document", root.resolve().name.replace("_", " ").strip() or "own entities")
    if document["document"] == SRD:
        wrong.append(Problem(("document",), f"{SRD} is what this program brings; leave it out, or "
                                            "name where your own text is from"))
    wrong += problems(type_, document)
    for key in document.keys() - keys_of(type_):
        if len(json.dumps(document[key], ensure_ascii=False)) > MAX_OWN:
            wrong.append(Problem((key,), f"is longer than the {MAX_OWN} characters that a key "
                                         "which is no field may hold"))
    return document, sorted(set(wrong), key=str)


def _unfit(raw: Any) -> Problem | None:
    """Why ``raw`` is nothing that can be kept and written as JSON; None where it can."""
    waiting: list[tuple[tuple[str | int, ...], Any]] = [((), raw)]
    weight = 0
    while waiting:
        path, value = waiting.pop()
        weight += _WEIGHT
        if len(path) > MAX_DEPTH:
            return Problem(path[:1], f"is nested deeper than {MAX_DEPTH} levels")
        if isinstance(value, Mapping):
            for key in value:
                if clean(key) != key:
                    return Problem(path, f"the key {shown(clean(key))} has a character that is "
                                         "no text")
                weight += len(key)
            waiting += [((*path, key), one) for key, one in value.items()]
        elif isinstance(value, list):
            waiting += [((*path, at), one) for at, one in enumerate(value)]
        elif isinstance(value, str):
            weight += len(value)
            if clean(value) != value:
                return Problem(path, "has a character that is no text: NUL, or half of a pair")
        elif not isinstance(value, bool) and isinstance(value, int | float) and (
                abs(value) > 1e300 or math.isnan(value)):
            return Problem(path, "is not a number that can be kept")
        if weight > MAX_DOCUMENT:
            return Problem((), f"is larger than the {MAX_DOCUMENT} characters of a document")
    return None


def _values(path: Path) -> list[Any]:
    """The values of a file: one of JSON, any number of YAML."""
    try:
        with path.open("rb") as file:
            content = file.read(MAX_FILE + 1)
    except OSError as error:
        raise _RefusedError(f"cannot be read: {error.strerror}") from None
    if len(content) > MAX_FILE:
        raise _RefusedError(f"is larger than {MAX_FILE // 2**20} MiB; divide it")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise _RefusedError(f"is not UTF-8 at byte {error.start}; save it as UTF-8") from None
    try:
        return [_json(text)] if path.suffix.lower() == ".json" else list(_yaml(text))
    except json.JSONDecodeError as error:
        raise _RefusedError(
            f"is not JSON: {error.msg} in line {error.lineno}, column {error.colno}"
        ) from None
    except yaml.YAMLError as error:
        raise _RefusedError(f"is not YAML: {' '.join(str(error).split())}; quote texts that hold "
                            "a colon or a #") from None
    except RecursionError:
        raise _RefusedError("is nested too deeply") from None
    except ValueError:  # Python reads integers of 4300 digits at most
        raise _RefusedError("has a number of too many digits") from None


def _json(text: str) -> Any:
    return json.loads(text, object_pairs_hook=_object, parse_constant=_no_constant)


def _object(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise _RefusedError(_TWICE.format(shown(clean(key))))
        found[key] = value
    return found


def _no_constant(name: str) -> None:
    raise _RefusedError(f"is not JSON: {name} is no number of JSON")


@dataclass(slots=True)
class _Open:
    """A collection of YAML that is not closed; of a mapping, ``values`` are keys and values."""

    is_mapping: bool
    anchor: str | None
    began: int
    values: list[Any] = field(default_factory=list)

    @property
    def wants_key(self) -> bool:
        return self.is_mapping and len(self.values) % 2 == 0


def _yaml(text: str) -> Iterator[Any]:
    """The values of a YAML stream, made of JSON's types alone; dates stay the text they are."""
    stream = _Stream()
    for event in yaml.parse(text, Loader=_LOADER):
        yield from stream.take(event)


class _Stream:
    """Values built from YAML's events, so that neither depth nor aliases exhaust anything.

    libyaml's own composer crashes on deep nesting, and PyYAML's types read 1:30 as 90.
    """

    def __init__(self) -> None:
        self._open: list[_Open] = []
        self._anchors: dict[str, tuple[Any, int]] = {}
        self._weight = 0

    def take(self, event: Any) -> Iterator[Any]:
        """The value that is complete with ``event``, if one is."""
        line = f"line {event.start_mark.line + 1}:"
        match event:
            case yaml.DocumentStartEvent():
                self._anchors.clear()
            case yaml.CollectionStartEvent():
                self._begin(event, line)
            case yaml.CollectionEndEvent():
                closed = self._open.pop()
                values = _mapping(closed.values, line) if closed.is_mapping else closed.values
                yield from self._add(values, 0, closed.anchor, closed.began)
            case yaml.ScalarEvent():
                is_key = bool(self._open) and self._open[-1].wants_key
                value = event.value if is_key else _scalar(event, line)
                yield from self._add(value, _WEIGHT + len(event.value), event.anchor, self._weight)
            case yaml.AliasEvent():
                if event.anchor not in self._anchors:
                    raise _RefusedError(f"{line} nothing that is complete has the name of the "
                                        f"alias *{event.anchor}")
                value, weight = self._anchors[event.anchor]
                yield from self._add(value, weight, None, self._weight)

    def _begin(self, event: Any, line: str) -> None:
        is_mapping = isinstance(event, yaml.MappingStartEvent)
        if event.tag not in {None, "!", _TAG + ("map" if is_mapping else "seq")}:
            raise _RefusedError(_tagged(event, line))
        if len(self._open) > 2 * MAX_DEPTH:
            raise _RefusedError(f"{line} nested too deeply")
        self._anchors.pop(event.anchor, None)
        self._open.append(_Open(is_mapping, event.anchor, self._weight))
        self._weight += _WEIGHT

    def _add(self, value: Any, weight: int, anchor: str | None, began: int) -> Iterator[Any]:
        self._weight += weight
        if self._weight > MAX_EXPANDED:
            raise _RefusedError("is too large once its aliases are written out; use fewer")
        if anchor:
            self._anchors[anchor] = (value, self._weight - began)
        if self._open:
            self._open[-1].values.append(value)
        else:
            yield value


def _mapping(values: Sequence[Any], line: str) -> dict[str, Any]:
    """Keys and values in turn as a mapping; what ``<<`` leads to gives what it does not have."""
    found: dict[str, Any] = {}
    merged: dict[str, Any] = {}
    for key, value in zip(values[::2], values[1::2], strict=True):
        several = value if isinstance(value, list) else [value]
        if not isinstance(key, str):
            raise _RefusedError(f"{line} a key must be a text")
        if key == "<<" and all(isinstance(one, dict) for one in several):
            for one in several:
                merged = {**one, **merged}
        elif key in found:
            raise _RefusedError(f"{line} {_TWICE.format(shown(key))}")
        else:
            found[key] = value
    return {**merged, **found}


def _scalar(event: yaml.ScalarEvent, line: str) -> str | float | bool | None:
    """The value of a scalar; numbers are those of JSON, and only plain words are true or false."""
    text = str(event.value)
    if event.tag not in {None, "!", *(f"{_TAG}{one}" for one in _PLAIN)}:
        raise _RefusedError(_tagged(event, line))
    if event.tag in {"!", f"{_TAG}str"} or (event.tag is None and event.style):
        return text
    if _INTEGER.fullmatch(text):
        return int(text)
    if _FLOAT.fullmatch(text):
        return float(text)
    return _WORDS.get(text.lower(), text)


def _tagged(event: Any, line: str) -> str:
    return f"{line} the tag {str(event.tag)[:80]} is not taken; write plain values"
