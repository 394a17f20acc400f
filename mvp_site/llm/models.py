"""The models, and the one that the settings name."""

from __future__ import annotations

from pathlib import Path
from typing import Any, ClassVar, Final

from ..errors import SettingsError
from ..settings import Settings
from . import anthropic_wire, openai_wire
from .protocol import Model
from .scripted import ScriptedModel
from .sdk_model import SdkModel

FORMS: Final = ("offline", "openai:MODEL", "anthropic:MODEL", "scripted:FILE")


class OpenAIModel(SdkModel):
    """A model of Chat Completions, the API that other servers speak too (OPENAI_BASE_URL)."""

    prefix: ClassVar[str] = "openai"
    client: ClassVar[str] = "OpenAI"
    home: ClassVar[str] = "https://api.openai.com/v1"
    id_header: ClassVar[str] = "x-request-id"
    wire: ClassVar[Any] = openai_wire

    def _create(self, client: Any, fields: dict[str, Any]) -> Any:
        return client.chat.completions.create(**fields)


class AnthropicModel(SdkModel):
    """A model of the Messages API."""

    prefix: ClassVar[str] = "anthropic"
    client: ClassVar[str] = "Anthropic"
    home: ClassVar[str] = "https://api.anthropic.com"
    id_header: ClassVar[str] = "request-id"
    wire: ClassVar[Any] = anthropic_wire

    def _create(self, client: Any, fields: dict[str, Any]) -> Any:
        # With a timeout of ten minutes and none said here, the SDK would refuse long answers.
        return client.messages.create(**fields, timeout=client.timeout)


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
                "MVP_SITE_LLM='offline' is no language model, and this needs one: set "
                f"MVP_SITE_LLM to one of {', '.join(FORMS[1:])}"
            )
    raise SettingsError(
        f"MVP_SITE_LLM={named!r} names no model: write one of {', '.join(FORMS)}"
    )
