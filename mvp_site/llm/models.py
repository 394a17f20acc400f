"""The models, and the one that the settings name."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Final

from ..errors import SettingsError
from ..settings import Settings
from .fallback import FallbackModel
from .protocol import Model
from .provider_model import ProviderModel
from .scripted import ScriptedModel

FORMS: Final = ("offline", "PROVIDER:MODEL (as openai:gpt-5-mini)", "scripted:FILE")


def open_model(settings: Settings) -> Model:
    """The model of MVP_SITE_LLM, ready to be asked; whoever opens it closes it.

    With MVP_SITE_LLM_FALLBACK, that model behind it. MVP_SITE_LLM_BASE_URL is not the second's.

    Raises:
        SettingsError: no such form, no key, no SDK, or a script that cannot be read.
    """
    if settings.mvp_site_llm_fallback is None:
        return _open(settings)
    second = replace(settings, mvp_site_llm=settings.mvp_site_llm_fallback,
                     mvp_site_llm_base_url=None)
    return FallbackModel(_open(settings), _open(second))


def _open(settings: Settings) -> Model:
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
