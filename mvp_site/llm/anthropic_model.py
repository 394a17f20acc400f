"""Anthropic's models through Anthropic's SDK (extra ``llm``)."""

from __future__ import annotations

from typing import Any, ClassVar

from . import anthropic_wire
from .sdk_model import SdkModel


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
