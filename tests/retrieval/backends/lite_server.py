"""Milvus Lite as a server in a process of its own, which tests kill, stop and start again.

    python -m tests.retrieval.backends.lite_server FOLDER [PORT]

Prints the port once it answers, and serves until it is ended.
"""

from __future__ import annotations

import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from mvp_site.errors import BackendError


class LiteServer:
    """A server at ``uri``; :meth:`stop` ends it."""

    def __init__(self, folder: Path) -> None:
        self._folder, self._port = folder, 0
        self.start()

    def start(self) -> None:
        """Start it, at the port that it had."""
        self.process: subprocess.Popen[str] = subprocess.Popen(
            [sys.executable, "-m", "tests.retrieval.backends.lite_server", str(self._folder), str(self._port)],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, cwd=Path(__file__).parents[3],
        )
        assert self.process.stdout is not None
        self._port = int(self.process.stdout.readline())

    @property
    def uri(self) -> str:
        """Where it is reached."""
        return f"http://127.0.0.1:{self._port}"

    def kill(self) -> None:
        """End it without a word."""
        self.process.kill()
        self.stop()

    def empty(self) -> None:
        """Remove what it has; it is not running."""
        shutil.rmtree(self._folder)

    def freeze(self, number: int = signal.SIGSTOP) -> None:
        """Stop it, or with SIGCONT let it go on."""
        self.process.send_signal(number)

    def stop(self) -> None:
        """End it."""
        self.process.kill()
        self.process.wait()
        if self.process.stdout is not None:
            self.process.stdout.close()


def soon(ask: Callable[[], Any], seconds: float = 30) -> Any:
    """What ``ask`` gives once its engine is there again, within so many seconds."""
    ended = time.monotonic() + seconds
    while True:
        try:
            return ask()
        except BackendError:
            if time.monotonic() > ended:
                raise
            time.sleep(0.1)


def main(folder: str, port: str = "0") -> None:
    from milvus_lite.adapter.grpc.server import start_server_in_thread

    kept: tuple[Any, ...] = start_server_in_thread(folder, port=int(port))
    sys.stdout.write(f"{kept[2]}\n")
    sys.stdout.flush()
    threading.Event().wait()


if __name__ == "__main__":
    main(*sys.argv[1:])
