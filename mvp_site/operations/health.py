"""What of the server is ready: the index, the campaigns' store, and turns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

from ..retrieval.engine_releases import LOCAL, engine_of, reach
from .operation import API, declared
from .requests import Nothing
from .services import Services

NEEDED: Final = 3
"""The first checks: index and campaigns, which all needs, and turns."""


@dataclass(frozen=True, slots=True)
class Check:
    """A part, and whether it is ready."""

    name: str
    ok: bool
    message: str


@dataclass(frozen=True, slots=True)
class Health:
    """``degraded``: prompts are assembled and campaigns kept.

    Turns are not played, or are without the notes and books that an engine has.
    """

    status: Literal["ok", "degraded", "failing"]
    checks: tuple[Check, ...]


@declared("health", surfaces=API)
def _health(services: Services, _: Nothing, entitled: bool) -> Health:
    """What is ready, and what mends the rest.

    Opens what is not open yet. A part that gives no answer for seconds is missing.
    """
    index = f"index {services.default_version or 'of no version'}"

    def assembles() -> str:
        services.assembler()
        return "prompts are assembled"

    def keeps() -> str:
        services.store().check()
        return "campaigns are kept"

    def plays() -> str:
        services.handler()
        alone = services.problem()
        return "turns are played, on the core header alone" if alone else "turns are played"

    def reaches() -> str:
        reach(services.settings)
        return "the engine answers"

    parts = {index: assembles, "campaigns": keeps, "turns": plays}
    if engine_of(services.settings).name != LOCAL:
        parts["engine"] = reaches
    answers = services.probe.ask(parts)
    checks = tuple(
        Check(name, ok, message if entitled else "ready" if ok else "not ready")
        for name, (message, ok) in answers.items()
    )
    *needed, turns = checks[:NEEDED]
    if not all(check.ok for check in needed):
        if turns.ok:
            turns = Check(turns.name, False, "not ready: a turn needs all of the above")
        return Health("failing", (*needed, turns, *checks[NEEDED:]))
    return Health("ok" if all(check.ok for check in checks) else "degraded", checks)
