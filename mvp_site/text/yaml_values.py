"""The values of a YAML text, those of JSON alone: the one reader of all YAML that people write.

It also writes what is added. libyaml reads; this says what it may read. A key given twice is
refused, and so are tags, aliases, the merge key ``<<`` and deep nesting: what is read is what
stands there, and no larger.
"""

from __future__ import annotations

import json
import math
import re
from typing import Any, Final

import yaml

MAX_DEPTH: Final = 16
END: Final = "\n"
"""No key of a mapping: it stands for the place behind the last."""
_TAG: Final = "tag:yaml.org,2002:"
_BASE: Final[type] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_RESOLVED: Final = {
    "bool": "(?i:yes|no|true|false|on|off)", "null": "~|(?i:null)|",
    "int": "[-+]?(?:0|[1-9][0-9]{0,300})",
    "float": r"[-+]?(?:\.[0-9]+|(?:0|[1-9][0-9]*)(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?",
}
"""Plain scalars that are no text. PyYAML's own table reads 1:30 as 90, and dates."""
_TAGS: Final = {
    yaml.MappingStartEvent: {f"{_TAG}map"}, yaml.SequenceStartEvent: {f"{_TAG}seq"},
    yaml.ScalarEvent: {f"{_TAG}{name}" for name in ("str", *_RESOLVED)},
}


class YamlError(Exception):
    """A file or a part of one cannot be read; the text says why."""


class _Loader(_BASE):  # type: ignore[misc]
    yaml_implicit_resolvers: dict[str | None, Any] = {}  # noqa: RUF012 - PyYAML's own name

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[str, Any]:
        """The values by their keys, which are texts as they stand, each once."""
        members: dict[str, Any] = {}
        for key, value in node.value:
            line = f"line {key.start_mark.line + 1}:"
            if not isinstance(key, yaml.ScalarNode):
                raise YamlError(f"{line} a key must be a text")
            if key.value == "<<":
                raise YamlError(f"{line} the merge key << is not taken; write its keys out")
            if key.value in members:
                printed = json.dumps(key.value[:80], ensure_ascii=False)
                raise YamlError(f"{line} the key {printed} is there twice in one object; keep one")
            members[key.value] = self.construct_object(value, deep=deep)
        return members


for _name, _pattern in _RESOLVED.items():
    _Loader.add_implicit_resolver(f"{_TAG}{_name}", re.compile(rf"(?:{_pattern})\Z"), None)


def read_yaml(text: str) -> list[Any]:
    """The values of a YAML stream, made of JSON's types alone; dates stay the text they are.

    Raises:
        RefusedError: it is no YAML, or something in it is not taken; says the line.
    """
    try:
        _check(text)
        return list(yaml.load_all(text, Loader=_Loader))
    except (yaml.YAMLError, ValueError) as error:  # half a pair is a ValueError
        raise YamlError(f"is not YAML: {' '.join(str(error).split())}; quote texts that hold "
                           "a colon or a #") from None


def key_lines(text: str, key: str) -> dict[str, int] | None:
    """The 0-based lines of the keys under ``key``, and as :data:`END` the line behind the last.

    None where ``text``, which :func:`read_yaml` reads, has no such ``key`` at its top; empty where
    what stands under it is no mapping of a line or more for each key.
    """
    root = yaml.compose(text, Loader=_BASE)
    for name, value in root.value if isinstance(root, yaml.MappingNode) else ():
        if name.value == key:
            if not isinstance(value, yaml.MappingNode) or value.flow_style:
                return {}
            lines = {inner.value: inner.start_mark.line for inner, _ in value.value}
            return lines | {END: value.end_mark.line}
    return None


def write_yaml(value: object) -> str:
    """``value`` as block YAML, a line for each key and item, in the order that it has."""
    return yaml.safe_dump(value, allow_unicode=True, sort_keys=False, width=math.inf)


def _check(text: str) -> None:
    """Refuse tags, aliases and deep nesting before a value is made: libyaml's composer recurses."""
    depth = 0
    event: Any
    for event in yaml.parse(text, Loader=_BASE):
        line = f"line {event.start_mark.line + 1}:"
        if isinstance(event, yaml.AliasEvent):
            raise YamlError(f"{line} the alias *{str(event.anchor)[:80]} is not taken; "
                               "write its value out")
        depth += isinstance(event, yaml.CollectionStartEvent)
        depth -= isinstance(event, yaml.CollectionEndEvent)
        if depth > 2 * MAX_DEPTH:
            raise YamlError(f"{line} nested too deeply")
        tag = getattr(event, "tag", None)
        if tag is not None and tag not in _TAGS[type(event)]:
            raise YamlError(f"{line} the tag {tag[:80]} is not taken; write plain values")
