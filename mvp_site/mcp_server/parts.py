"""What calls need: the opened parts, the tools and the resources, loaded on first use."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ..operations.operation import Operation
    from ..operations.services import Services
    from .calls import ToolCalls


class Parts:
    """The opened parts that calls ask, loaded when they are first needed.

    ``opens`` opens the parts; ``operations`` None are all. Thread-safe.
    """

    def __init__(self, opens: Callable[[], Services],
                 operations: Sequence[Operation[Any]] | None = None) -> None:
        self._opens, self._operations = opens, operations
        self._loading = threading.Lock()
        self._loaded: ToolCalls | None = None

    def loaded(self) -> ToolCalls:
        """What can be called. The first one takes seconds."""
        with self._loading:
            if self._loaded is None:
                from ..operations.all import OPERATIONS  # noqa: PLC0415 (it brings numpy)
                from .calls import ToolCalls  # noqa: PLC0415 (it brings the operations)

                self._loaded = ToolCalls(self._opens(), self._operations or OPERATIONS)
            return self._loaded

    def close(self) -> None:
        """Close what was opened."""
        with self._loading:
            if self._loaded is not None:
                self._loaded.services.close()
                self._loaded = None
