"""``mvp-site llm``: the language model that turns are taken with."""

from __future__ import annotations

from typing import Any

import click

from ..operations.all import operation
from ..operations.checking_models import ModelCheck
from .commands import CommandForm, Values, add
from .output import print_table, say


@click.group()
def llm() -> None:
    """See what the language model of MVP_SITE_LLM can do."""


def _show_check(check: ModelCheck, _: Any, __: Values) -> None:
    window = f"{check.context_tokens:,} tokens" if check.context_tokens else "not known"
    say((check.model, "bold"), f", window {window}, {check.usage.account}")
    marks = {True: ("yes", "green"), False: ("no", "red"), None: ("?", "dim")}
    print_table(("", "", "finding", "cost"), (
        (row.name, marks[row.works], row.finding,
         row.usage.account if row.usage.total_tokens else "")
        for row in check.capabilities
    ))
    for line in check.settings:
        say(line)


add(llm, operation("llm.check"), CommandForm(shown=_show_check))
