"""OpenAI's models, and those of compatible servers, through OpenAI's SDK (extra ``llm``)."""

from __future__ import annotations

from typing import Any, ClassVar

from . import openai_wire
from .openai_wire import OpenAIPieces
from .protocol import ModelReply, ModelRequest
from .sdk_model import SdkModel


class OpenAIModel(SdkModel):
    """A model of Chat Completions, the API that other servers speak too (OPENAI_BASE_URL)."""

    prefix: ClassVar[str] = "openai"
    key_variable: ClassVar[str] = "OPENAI_API_KEY"
    url_variable: ClassVar[str] = "OPENAI_BASE_URL"
    home: ClassVar[str] = "https://api.openai.com/v1"
    id_header: ClassVar[str] = "x-request-id"
    sync_class: ClassVar[str] = "OpenAI"
    async_class: ClassVar[str] = "AsyncOpenAI"

    def _create(self, client: Any) -> Any:
        return client.chat.completions.create

    def _payload(self, request: ModelRequest, *, stream: bool) -> dict[str, Any]:
        return openai_wire.payload(self._model, request, stream=stream)

    def _reply(self, body: Any) -> ModelReply:
        return openai_wire.reply(body, self._model)

    def _pieces(self, model: str) -> OpenAIPieces:
        return OpenAIPieces(model)
