"""What the commands of ``mvp-site eval`` print alike."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from ..errors import SettingsError
from .output import console

if TYPE_CHECKING:
    from ..evaluation.report import Goal


def print_goals(goals: Iterable[Goal]) -> None:
    """A line a goal: whether it was reached, and by how much."""
    for goal in goals:
        mark = "[green]reached[/]" if goal.reached else "[red]missed[/] "
        console.print(f"{mark} {goal.name}: {goal.found:+.3f} (wanted {goal.wanted})")


def without_extra(error: ImportError) -> SettingsError:
    """The error of a plain install, which cannot measure."""
    return SettingsError(
        f"the evaluation needs the extra 'eval' ({error}): pip install 'mvp-site[eval]'"
    )
