"""A turn's request as others send it: with curl to the API, and in Python to the package. Pure."""

from __future__ import annotations

import json
import shlex
from pprint import pformat
from typing import Any, Final

from ..operations.prompts import AssembleRequest
from ..operations.requests import adapter

TOKEN: Final = "MVP_SITE_DM_TOKEN"  # noqa: S105 - the name of a variable


def body_of(query: AssembleRequest) -> dict[str, Any]:
    """The request as a body of the API: what is not as it would be anyway."""
    body: dict[str, Any] = adapter(AssembleRequest).dump_python(
        query, mode="json", exclude_defaults=True, exclude={"explain"}
    )
    return body


def as_curl(query: AssembleRequest, address: str, *, token: bool) -> str:
    """A command for a shell that asks the API at ``address``, with the token's variable."""
    lines = [f"curl -s {shlex.quote(f'{address}api/assemble')}",
             "-H 'Content-Type: application/json'"]
    if token:
        lines.append(f'-H "Authorization: Bearer ${TOKEN}"')
    body = json.dumps(body_of(query), ensure_ascii=False, indent=2)
    return " \\\n  ".join([*lines, f"--data-raw {shlex.quote(body)}"])


def as_python(query: AssembleRequest) -> str:
    """A program that assembles the same prompt and prints it."""
    body = body_of(query)
    text, version, history = body.pop("text"), body.pop("version", None), body.pop("history", ())
    names = "Message, PromptAssembler, Settings" if history else "PromptAssembler, Settings"
    opened = f"Settings(prompt_version={version!r})" if version else "Settings()"
    messages = [f"        Message({row['role']!r}, {row['content']!r})," for row in history]
    more = {name: pformat(value, width=90, sort_dicts=False) for name, value in body.items()}
    lines = [
        f"from mvp_site import {names}", "", f"assembler = PromptAssembler.open({opened})",
        "turn = assembler.assemble(", f"    {text!r},",
        *(f"    {name}={value}," for name, value in more.items()),
        *(["    history=(", *messages, "    ),"] if messages else []), ")", "print(turn.prompt)",
    ]
    return "\n".join(lines)
