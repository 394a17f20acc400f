"""What calls need: the opened parts, the tools and the resources, loaded on first use."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ..operations.operation import Operation
    from ..operations.services import Services
    from .calls import Offered
    from .resources import Resource


@dataclass(frozen=True, slots=True)
class Loaded:
    """The opened parts, and what is offered of them."""

    services: Services
    operations: dict[str, Operation[Any]]
    tools: dict[str, Offered]
    resources: tuple[Resource, ...]


class Parts:
    """The opened parts that calls ask, and the tools: both loaded when they are first needed.

    ``opens`` opens the parts; ``operations`` None are all. Thread-safe.
    """

    def __init__(self, opens: Callable[[], Services],
                 operations: Sequence[Operation[Any]] | None = None) -> None:
        self._opens, self._operations = opens, operations
        self._loading = threading.Lock()
        self._loaded: Loaded | None = None

    def loaded(self) -> Loaded:
        """Everything that a call needs. The first one takes seconds."""
        with self._loading:
            if self._loaded is None:
                from ..operations.all import OPERATIONS  # noqa: PLC0415 (it brings numpy)
                from .calls import offered  # noqa: PLC0415 (it brings the operations)
                from .resources import RESOURCES  # noqa: PLC0415 (likewise)

                held = {one.name: one for one in self._operations or OPERATIONS}
                self._loaded = Loaded(
                    self._opens(), held, offered(tuple(held.values())),
                    tuple(one for one in RESOURCES if one.operation in held),
                )
            return self._loaded

    def close(self) -> None:
        """Close what was opened."""
        with self._loading:
            if self._loaded is not None:
                self._loaded.services.close()
                self._loaded = None
