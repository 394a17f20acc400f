"""The registry: every module of this package that has ``FORMATS``."""

from __future__ import annotations

import pkgutil
from collections.abc import Mapping
from functools import lru_cache
from importlib import import_module
from typing import Any

from ..text.strict_json import named
from .types import COMMANDS, Format, Kind, Sample

_KEYS = 5


@lru_cache(maxsize=1)
def _all() -> tuple[Format, ...]:
    package = import_module(__package__)
    modules = [import_module(f"{__package__}.{module.name}")
               for module in pkgutil.iter_modules(package.__path__)]
    return tuple(format_ for module in modules for format_ in getattr(module, "FORMATS", ()))


def formats(kind: Kind | None = None) -> tuple[Format, ...]:
    """The formats of a kind, or all; in the order of their modules' names."""
    return tuple(format_ for format_ in _all() if kind in {None, format_.kind})


def recognise(sample: Sample, kind: Kind | None = None) -> Format | None:
    """The format of a file, of one kind or of any; None for an unknown one."""
    return next((format_ for format_ in formats(kind) if format_.recognised(sample)), None)


def refusal(sample: Sample, kind: Kind) -> str:
    """Why a file is not read as one of a kind, naming what it looks like, and what reads it."""
    if (format_ := recognise(sample, kind)) or (format_ := recognise(sample)):
        if format_.kind != kind and format_.extent != "refused":
            return f"it is {format_.name}: {COMMANDS[format_.kind]} reads it"
        return f"it is {format_.name}, which is not read: {format_.aside}"
    readable = ", ".join(format_.name for format_ in formats(kind) if format_.extent != "refused")
    return f"it looks like {likeness(sample)}, which is not read; {kind} may be {readable}"


def likeness(sample: Sample) -> str:
    """What an unknown file looks like, in words."""
    value = sample.value
    if value is None:
        return "text" if sample.text else "data of no known kind"
    if isinstance(value, list) and value and isinstance(value[0], Mapping):
        return f"a list of objects with the keys {_keys(value[0])}"
    if isinstance(value, Mapping):
        return f"an object with the keys {_keys(value)}" if value else "an empty object"
    return named(value)


def _keys(value: Mapping[str, Any]) -> str:
    return ", ".join(map(str, [*value][:_KEYS])) + ", …" * (len(value) > _KEYS)
