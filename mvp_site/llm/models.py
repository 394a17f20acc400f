"""The models, and the one that the settings name."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from ..errors import SettingsError
from ..settings import Settings
from . import anthropic_wire, openai_wire
from .protocol import Model
from .scripted import ScriptedModel
from .sdk_model import ModelApi, SdkModel

FORMS: Final = ("offline", "openai:MODEL", "anthropic:MODEL", "scripted:FILE")


OPENAI: Final = ModelApi(
    "openai", "OpenAI", "https://api.openai.com/v1", "x-request-id", openai_wire,
    lambda client, fields: client.chat.completions.create(**fields),
)
"""Chat Completions, the API that other servers speak too (OPENAI_BASE_URL)."""
ANTHROPIC: Final = ModelApi(
    "anthropic", "Anthropic", "https://api.anthropic.com", "request-id", anthropic_wire,
    # With a timeout of ten minutes and none said here, the SDK would refuse long answers.
    lambda client, fields: client.messages.create(**fields, timeout=client.timeout),
)
"""The Messages API."""


def open_model(settings: Settings) -> Model:
    """The model of MVP_SITE_LLM, ready to be asked; whoever opens it closes it.

    Raises:
        SettingsError: no such form, no key, no SDK, or a script that cannot be read.
    """
    named = settings.mvp_site_llm
    prefix, _, rest = named.partition(":")
    match prefix, rest.strip():
        case "openai", str(model) if model:
            return SdkModel.open(OPENAI, settings, model)
        case "anthropic", str(model) if model:
            return SdkModel.open(ANTHROPIC, settings, model)
        case "scripted", str(file) if file:
            return ScriptedModel.open(Path(file), tools=settings.mvp_site_llm_tools)
        case "offline", "":
            raise SettingsError(
                "MVP_SITE_LLM='offline' is no language model, and this needs one: set "
                f"MVP_SITE_LLM to one of {', '.join(FORMS[1:])}"
            )
    raise SettingsError(
        f"MVP_SITE_LLM={named!r} names no model: write one of {', '.join(FORMS)}"
    )
