"""Two models as one: the second is asked when the first fails."""

from __future__ import annotations

from collections.abc import AsyncIterator

from ..concurrency import ended_async
from ..errors import ModelError
from .protocol import Model, ModelReply, ModelRequest, StreamedModel


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
