"""Asking parts that may hang: whoever asks waits a bounded time."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Mapping
from typing import Final

from ..errors import MvpSiteError

SECONDS: Final = 3.0
"""How long after its beginning a probe is waited for."""

_log = logging.getLogger("mvp_site.operations")
Parts = Mapping[str, Callable[[], str]]
Answers = dict[str, tuple[str, bool]]


class Probe:
    """Asks parts in a thread of its own; who comes while it does waits for the same answers."""

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._thread: threading.Thread | None = None
        self._began = 0.0
        self._answers: Answers = {}

    def ask(self, parts: Parts) -> Answers:
        """What each part says, one after the other, and whether it is well.

        One that hangs, and those that come after it, are not.
        """
        with self._guard:
            if self._thread is None or not self._thread.is_alive():
                self._began, self._answers = time.monotonic(), {}
                self._thread = threading.Thread(
                    target=_ask, args=(parts, self._answers), daemon=True
                )
                self._thread.start()
            thread, answers, age = self._thread, self._answers, time.monotonic() - self._began
        thread.join(max(0.0, SECONDS - age))
        silence = f"it gave no answer for {max(age, SECONDS):.0f} seconds", False
        return {name: answers.get(name, silence) for name in parts}


def _ask(parts: Parts, answers: Answers) -> None:
    for name, ask in parts.items():
        try:
            answers[name] = ask(), True
        except MvpSiteError as error:
            answers[name] = str(error), False
        except Exception as error:  # noqa: BLE001 - whatever it is, the part is not well
            _log.warning("%s failed", name, exc_info=error)
            answers[name] = f"it failed: {error}", False
