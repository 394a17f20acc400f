"""Good answers in every mode with the facts of their turns, and ways to alter them."""

from __future__ import annotations

import json
from copy import deepcopy
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from mvp_site.turns.checking import MODE_LINES, ContractCheck, Facts, check_answer
from mvp_site.turns.state import merged
from mvp_site.turns.types import Roll, Violation
from mvp_site.types import Mode

Json = dict[str, Any]
MISSING: Final = object()


@dataclass(frozen=True)
class Turn:
    """An answer, and the facts that it is checked with; a copy may be altered freely."""

    name: str
    answer: Json
    facts: Facts

    def having(self, place: str, value: Any) -> Turn:
        """A copy with another value at a path such as ``dice_rolls/0/total``."""
        answer = deepcopy(self.answer)
        keys = place.split("/")
        here: Any = answer
        for key in keys[:-1]:
            here = here[int(key)] if isinstance(here, list) else here.setdefault(key, {})
        last: Any = int(keys[-1]) if isinstance(here, list) else keys[-1]
        if value is MISSING:
            del here[last]
        else:
            here[last] = value
        return replace(self, answer=answer)

    def without(self, place: str) -> Turn:
        """A copy that lacks what stands at a path."""
        return self.having(place, MISSING)

    def saying(self, text: str) -> Turn:
        """A copy with another narrative."""
        return self.having("narrative", text)

    def asked(self, text: str) -> Turn:
        """A copy to which the player said something else."""
        return replace(self, facts=replace(self.facts, user_input=text))

    def in_state(self, place: str, value: Any) -> Turn:
        """A copy with another value at a path of the state before the turn."""
        state = deepcopy(dict(self.facts.state))
        *above, last = place.split("/")
        here = state
        for key in above:
            here = here.setdefault(key, {})
        if value is MISSING:
            here.pop(last, None)
        else:
            here[last] = value
        return replace(self, facts=replace(self.facts, state=state))

    def rolled(self, *rolls: Roll) -> Turn:
        """A copy in which other rolls were made."""
        return replace(self, facts=replace(self.facts, rolls=rolls))

    @property
    def text(self) -> str:
        """The answer as a model writes it."""
        return f"{MODE_LINES[self.facts.mode]}\n{json.dumps(self.answer, ensure_ascii=False)}"

    def check(self) -> ContractCheck:
        """What the contract says of it."""
        return check_answer(self.text, self.facts)

    def named(self, rule: str) -> list[Violation]:
        """What one rule says of it."""
        return [found for found in self.check().violations if found.rule == rule]

    def warned(self, rule: str) -> list[Violation]:
        """What one rule says of it without being sure."""
        return [found for found in self.check().warnings if found.rule == rule]


def rules_of(checked: ContractCheck) -> set[str]:
    """The names of the rules that are broken."""
    return {violation.rule for violation in checked.violations}


def roll(id_: str, expression: str, dice: list[int], modifier: int, total: int, *,
         target: str | None = None, value: int | None = None, advantage: str = "none",
         purpose: str = "a try") -> Roll:
    """A roll that was made."""
    success = None if value is None else total >= value
    return Roll(id_, expression, purpose, tuple(dice), modifier, total, advantage,  # type: ignore[arg-type]
                target, value, success)  # type: ignore[arg-type]


def choice(text: str, risk: str = "low", **more: Any) -> Json:
    """One choice."""
    return {"text": text, "description": f"{text}, and see what comes.", "risk_level": risk, **more}


def header(when: str, hp: int = 24) -> str:
    """A session header."""
    return (f"[SESSION_HEADER]\nTimestamp: 1492 DR, Mirtul {when}\nLocation: Grey Ford, the toll house\n"
            f"Status: Lvl 3 Ranger | HP {hp}/28 | XP 1100/2700 | Gold 37gp")


DATA: Final[Json] = json.loads((Path(__file__).parent / "data/turns.json").read_text("utf-8"))
STATE: Final[Json] = DATA["state"]


def _turn(name: str, mode: Mode, user_input: str, rolls: list[Json], answer: Json, state: Json | None = None) -> Turn:
    made = tuple(Roll(**{**one, "dice": tuple(one["dice"])}) for one in rolls)
    return Turn(name, answer, Facts(mode, user_input, merged(STATE, state or {}), made))


TURNS: Final = tuple(_turn(**turn) for turn in DATA["turns"])
SNEAK, FIGHT, CELLAR, NIGHT, NOVICE, THINK, THINK_ON, RULING, CORRECTION, GOLD, REWIND = TURNS
STEALTH, SWIM = SNEAK.facts.rolls
ARROW, DAMAGE = FIGHT.facts.rolls
