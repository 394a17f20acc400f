"""A model that passes everything on, and remembers that it was refused."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from types import TracebackType
from typing import Self

from ..errors import ModelRequestError
from ..llm.protocol import Model, ModelReply, ModelRequest


class Watched:
    """Another model, asked in its stead.

    The handler turns a model's errors into fallbacks; ``refused`` keeps the last one that no
    repetition mends, for a caller who had better stop.
    """

    def __init__(self, model: Model) -> None:
        self._model = model
        self.refused: ModelRequestError | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 trace: TracebackType | None) -> None:
        self.close()

    @property
    def name(self) -> str:
        """The model's."""
        return self._model.name

    @property
    def tools(self) -> bool:
        """Whether the model can call tools."""
        return self._model.tools

    def complete(self, request: ModelRequest) -> ModelReply:
        """The model's answer; raises as the model does."""
        try:
            return self._model.complete(request)
        except ModelRequestError as error:
            self.refused = error
            raise

    async def acomplete(self, request: ModelRequest) -> ModelReply:
        """The model's answer; raises as the model does."""
        return await self._model.acomplete(request)

    def stream(self, request: ModelRequest) -> Iterator[str | ModelReply]:
        """The model's stream."""
        return self._model.stream(request)

    def astream(self, request: ModelRequest) -> AsyncIterator[str | ModelReply]:
        """The model's stream."""
        return self._model.astream(request)

    def close(self) -> None:
        """Close the model."""
        self._model.close()
