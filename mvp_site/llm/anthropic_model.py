"""Anthropic's models through Anthropic's SDK (extra ``llm``)."""

from __future__ import annotations

from typing import Any, ClassVar

from . import anthropic_wire
from .anthropic_wire import AnthropicPieces
from .protocol import ModelReply, ModelRequest
from .sdk_model import SdkModel


class AnthropicModel(SdkModel):
    """A model of the Messages API."""

    prefix: ClassVar[str] = "anthropic"
    key_variable: ClassVar[str] = "ANTHROPIC_API_KEY"
    url_variable: ClassVar[str] = "ANTHROPIC_BASE_URL"
    home: ClassVar[str] = "https://api.anthropic.com"
    id_header: ClassVar[str] = "request-id"
    sync_class: ClassVar[str] = "Anthropic"
    async_class: ClassVar[str] = "AsyncAnthropic"

    def _create(self, client: Any) -> Any:
        return client.messages.create

    def _payload(self, request: ModelRequest, *, stream: bool) -> dict[str, Any]:
        # With a timeout of ten minutes and none said here, the SDK would refuse long answers.
        fields = anthropic_wire.payload(self._model, request, stream=stream)
        return fields | {"timeout": self._client.timeout}

    def _reply(self, body: Any) -> ModelReply:
        return anthropic_wire.reply(body, self._model)

    def _pieces(self, model: str) -> AnthropicPieces:
        return AnthropicPieces(model)
