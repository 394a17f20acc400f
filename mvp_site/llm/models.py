"""The models: the one that the settings name, with a second behind it where they name one."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from typing import Final

from ..concurrency import ended_async
from ..errors import ModelError, SettingsError
from ..settings import Settings
from .protocol import Model, ModelReply, ModelRequest, StreamedModel
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


class FallbackModel(StreamedModel):
    """Asks the first model, and the second where the first gives no answer.

    A stream that fails after its first words is not begun again. Both get the same requests: tools
    and schemas if both know them, within the smaller window, or None if one is not known.
    """

    def __init__(self, first: Model, second: Model) -> None:
        self._models = first, second
        self.name = f"{first.name}, else {second.name}"
        self.tools = first.tools and second.tools
        self.structured = first.structured and second.structured
        if first.context_tokens and second.context_tokens:
            self.context_tokens = min(first.context_tokens, second.context_tokens)

    async def astream(self, request: ModelRequest) -> AsyncIterator[str | ModelReply]:
        """The answer as it comes, of the first model that gives one.

        Raises:
            ModelError: neither does; the message has both reasons.
        """
        reasons: list[str] = []
        for model in self._models:
            begun = False
            try:
                async with ended_async(model.astream(request)) as pieces:
                    async for piece in pieces:
                        begun = True
                        yield piece
                return
            except ModelError as error:
                reasons.append(str(error))
                if begun or model is self._models[-1]:
                    raise type(error)("; then ".join(reasons)) from None

    def close(self) -> None:
        """Close both."""
        for model in self._models:
            model.close()
