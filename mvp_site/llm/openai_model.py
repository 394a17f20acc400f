"""OpenAI's models, and those of compatible servers, through OpenAI's SDK (extra ``llm``)."""

from __future__ import annotations

from typing import Any, ClassVar

from . import openai_wire
from .sdk_model import SdkModel


class OpenAIModel(SdkModel):
    """A model of Chat Completions, the API that other servers speak too (OPENAI_BASE_URL)."""

    prefix: ClassVar[str] = "openai"
    client: ClassVar[str] = "OpenAI"
    home: ClassVar[str] = "https://api.openai.com/v1"
    id_header: ClassVar[str] = "x-request-id"
    wire: ClassVar[Any] = openai_wire

    def _create(self, client: Any, fields: dict[str, Any]) -> Any:
        return client.chat.completions.create(**fields)
