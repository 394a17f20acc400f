"""A PostgreSQL server of Debian's package, on loopback, for one run of the tests."""

from __future__ import annotations

import getpass
import os
import random
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Final

import psycopg

USER: Final = "game_master"
PASSWORD: Final = "open/sesame@1"
QUOTED: Final = "open%2Fsesame%401"
READY: Final = "database system is ready to accept connections"
TRIES: Final = 20


def binaries() -> Path | None:
    """The folder with initdb and postgres of the newest version that is installed."""
    found = [p.parent for p in Path("/usr/lib/postgresql").glob("*/bin/initdb")]
    whole = [folder for folder in found if (folder / "postgres").exists()]
    return max(whole, key=lambda folder: float(folder.parent.name), default=None)


class Server:
    """A server that is running; ``stop`` ends it and removes what it wrote."""

    def __init__(self, folder: Path) -> None:
        # Not pytest's folder: nobody but who runs the tests may enter that one. A short path,
        # since that of a socket must have fewer than 108 bytes.
        self._root = Path(tempfile.mkdtemp(prefix="pg-"))
        self._bin = folder
        # initdb and postgres refuse root.
        self._user = "postgres" if os.geteuid() == 0 else getpass.getuser()
        if os.geteuid() == 0:
            shutil.chown(self._root, self._user)
        self._databases = 0
        try:
            self._initialise()
            self._process, self.port = self._start()
        except BaseException:
            shutil.rmtree(self._root, ignore_errors=True)
            raise

    def _as_user(self, *command: str | Path) -> list[str]:
        # The server ends with who started it, however that one ends.
        change = ["setpriv", "--pdeathsig=INT"]
        if os.geteuid() == 0:
            change += [f"--reuid={self._user}", f"--regid={self._user}", "--init-groups"]
        return [*change, *map(str, command)]

    def _initialise(self) -> None:
        secret = self._root / "password"
        secret.write_text(PASSWORD)
        secret.chmod(0o644)
        command = self._as_user(self._bin / "initdb", "-D", self._root / "data", "-U", USER, "-E", "UTF8", "--locale=C.UTF-8", "--no-sync", "--auth=scram-sha-256",
                                f"--pwfile={secret}")
        done = subprocess.run(command, cwd=self._root, capture_output=True, text=True, check=False)
        if done.returncode:
            raise RuntimeError(f"initdb failed: {done.stdout}{done.stderr}")

    def _start(self) -> tuple[subprocess.Popen[str], int]:
        said: list[str] = []
        for _ in range(TRIES):  # another program may have the port
            port = random.randrange(20_000, 32_000)
            options = {
                "listen_addresses": "127.0.0.1", "port": port, "max_connections": 60, "unix_socket_directories": self._root, "fsync": "off",
                "synchronous_commit": "off", "full_page_writes": "off", "shared_buffers": "32MB", "lc_messages": "C",
                "log_min_messages": "log",  # nobody reads on, and refused statements would fill the pipe
            }
            words = (word for name, value in options.items() for word in ("-c", f"{name}={value}"))
            command = self._as_user(self._bin / "postgres", "-D", self._root / "data", *words)
            process = subprocess.Popen(command, cwd=self._root, stderr=subprocess.PIPE, text=True)
            assert process.stderr is not None
            for line in process.stderr:
                said.append(line)
                if READY in line:
                    return process, port
            process.wait()
            process.stderr.close()
        raise RuntimeError(f"postgres did not start: {''.join(said[-20:])}")

    def execute(self, statement: str) -> None:
        """Run a statement outside a transaction, as the server's owner."""
        with psycopg.connect(self.url("postgres"), autocommit=True) as connection:
            connection.execute(statement.encode())

    def create(self, options: str = "") -> str:
        """The name of a new database."""
        self._databases += 1
        name = f"campaigns_{self._databases}"
        self.execute(f"CREATE DATABASE {name} {options}")
        return name

    def drop(self, name: str) -> None:
        """Remove a database, whoever uses it."""
        self.execute(f"DROP DATABASE {name} WITH (FORCE)")

    def url(self, name: str) -> str:
        """The URL of a database."""
        return f"postgresql://{USER}:{QUOTED}@127.0.0.1:{self.port}/{name}"

    def stop(self) -> None:
        """End the server and remove its folder."""
        self._process.terminate()
        try:
            self._process.wait(timeout=20)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        finally:
            if self._process.stderr is not None:
                self._process.stderr.close()
            shutil.rmtree(self._root, ignore_errors=True)
