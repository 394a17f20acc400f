"""The model that the settings name."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from ..errors import SettingsError
from ..settings import Settings
from .anthropic_model import AnthropicModel
from .openai_model import OpenAIModel
from .protocol import Model
from .scripted import ScriptedModel

FORMS: Final = ("offline", "openai:MODEL", "anthropic:MODEL", "scripted:FILE")
"""What MVP_SITE_LLM may be."""


def open_model(settings: Settings) -> Model:
    """The model of MVP_SITE_LLM, ready to be asked; whoever opens it closes it.

    Raises:
        SettingsError: no such form, no key, no SDK, or a script that cannot be read.
    """
    named = settings.mvp_site_llm
    prefix, _, rest = named.partition(":")
    match prefix, rest.strip():
        case "openai", str(model) if model:
            return OpenAIModel.open(settings, model)
        case "anthropic", str(model) if model:
            return AnthropicModel.open(settings, model)
        case "scripted", str(file) if file:
            return ScriptedModel.open(Path(file), tools=settings.mvp_site_llm_tools)
        case "offline", "":
            raise SettingsError(
                "MVP_SITE_LLM='offline' is no language model: the offline narrator is opened by "
                "TurnHandler.open; to open a model here set MVP_SITE_LLM to one of "
                f"{', '.join(FORMS[1:])}"
            )
    raise SettingsError(
        f"MVP_SITE_LLM={named!r} names no model: write one of {', '.join(FORMS)}"
    )
