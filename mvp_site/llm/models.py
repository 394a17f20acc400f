"""The models, and the one that the settings name."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from ..errors import SettingsError
from ..settings import Settings
from .protocol import Model
from .provider_model import ProviderModel
from .scripted import ScriptedModel

FORMS: Final = ("offline", "PROVIDER:MODEL (as openai:gpt-5-mini)", "scripted:FILE")


def open_model(settings: Settings) -> Model:
    """The model of MVP_SITE_LLM, ready to be asked; whoever opens it closes it.

    Raises:
        SettingsError: no such form, no key, no SDK, or a script that cannot be read.
    """
    named = settings.mvp_site_llm
    prefix, _, rest = named.partition(":")
    match prefix.strip(), rest.strip():
        case "scripted", str(file) if file:
            return ScriptedModel.open(Path(file), tools=settings.mvp_site_llm_tools)
        case "offline", "":
            raise SettingsError(
                "MVP_SITE_LLM='offline' is no language model, and this needs one: set "
                f"MVP_SITE_LLM to {' or '.join(FORMS[1:])}"
            )
        case str(provider), str(model) if model and provider not in {"", "offline"}:
            return ProviderModel.open(settings, provider, model)
    raise SettingsError(
        f"MVP_SITE_LLM={named!r} names no model: write one of {', '.join(FORMS)}"
    )
