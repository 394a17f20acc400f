"""PostgreSQL and PgBouncer of Debian's packages, on loopback, for one run of the tests."""

from __future__ import annotations

import contextlib
import getpass
import os
import random
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Final

import psycopg

USER: Final = "game_master"
PASSWORD: Final = "open/sesame@1"
QUOTED: Final = "open%2Fsesame%401"
READY: Final = "database system is ready to accept connections"
TRIES: Final = 20
PATH: Final = "/usr/sbin:/usr/bin:/usr/local/bin"
OWNER: Final = "postgres" if os.geteuid() == 0 else getpass.getuser()
"""Who the servers run as."""


def binaries() -> Path | None:
    """The folder with initdb and postgres of the newest version that is installed."""
    found = [p.parent for p in Path("/usr/lib/postgresql").glob("*/bin/initdb")]
    whole = [folder for folder in found if (folder / "postgres").exists()]
    return max(whole, key=lambda folder: float(folder.parent.name), default=None)


def _as_user(*command: str | Path) -> list[str]:
    # The server ends with who started it, however that one ends; it refuses root.
    change = ["setpriv", "--pdeathsig=INT"]
    if os.geteuid() == 0:
        change += [f"--reuid={OWNER}", f"--regid={OWNER}", "--init-groups"]
    return [*change, *map(str, command)]


class Server:
    """A server that is running; ``stop`` ends it and removes what it wrote."""

    def __init__(self, folder: Path, *, killed: bool = False) -> None:
        self._commits = "on" if killed else "off"  # what is committed outlives a kill
        # Not pytest's folder: nobody but who runs the tests may enter that one. A short path,
        # since that of a socket must have fewer than 108 bytes.
        self._root = Path(tempfile.mkdtemp(prefix="pg-"))
        self._bin = folder
        if os.geteuid() == 0:
            shutil.chown(self._root, OWNER)
        self._databases = 0
        try:
            self._initialise()
            self.process, self.port = self._start()
        except BaseException:
            shutil.rmtree(self._root, ignore_errors=True)
            raise

    def _initialise(self) -> None:
        secret = self._root / "password"
        secret.write_text(PASSWORD)
        secret.chmod(0o644)
        command = _as_user(self._bin / "initdb", "-D", self._root / "data", "-U", USER, "-E", "UTF8", "--locale=C.UTF-8", "--no-sync", "--auth=scram-sha-256",
                                f"--pwfile={secret}")
        done = subprocess.run(command, cwd=self._root, capture_output=True, text=True, check=False)
        if done.returncode:
            raise RuntimeError(f"initdb failed: {done.stdout}{done.stderr}")

    def _start(self, at: int | None = None) -> tuple[subprocess.Popen[str], int]:
        said: list[str] = []
        for _ in range(TRIES):  # another program may have the port
            port = at or random.randrange(20_000, 32_000)
            options = {
                "listen_addresses": "127.0.0.1", "port": port, "max_connections": 60, "unix_socket_directories": self._root, "fsync": "off",
                "synchronous_commit": self._commits, "full_page_writes": "off", "shared_buffers": "32MB", "lc_messages": "C",
                "log_min_messages": "log",  # nobody reads on, and refused statements would fill the pipe
            }
            words = (word for name, value in options.items() for word in ("-c", f"{name}={value}"))
            command = _as_user(self._bin / "postgres", "-D", self._root / "data", *words)
            process = subprocess.Popen(command, cwd=self._root, stderr=subprocess.PIPE, text=True)
            assert process.stderr is not None
            for line in process.stderr:
                said.append(line)
                if READY in line:
                    return process, port
            process.wait()
            process.stderr.close()
        raise RuntimeError(f"postgres did not start: {''.join(said[-20:])}")

    def die(self) -> None:
        """Kill the server with all its processes, as a power cut does."""
        children = subprocess.run(["pgrep", "-P", str(self.process.pid)], capture_output=True, text=True, check=False).stdout.split()
        for pid in (self.process.pid, *map(int, children)):
            os.kill(pid, signal.SIGKILL)
        self.process.wait()

    def start_again(self) -> None:
        """Start a server that died, where it was."""
        if self.process.stderr is not None:
            self.process.stderr.close()
        self.process, self.port = self._start(self.port)

    def freeze(self, number: int = signal.SIGSTOP) -> None:
        """Stop all its processes, or with SIGCONT let them go on: it takes connections, and is silent."""
        children = subprocess.run(["pgrep", "-P", str(self.process.pid)], capture_output=True, text=True, check=False).stdout.split()
        for pid in (self.process.pid, *map(int, children)):
            with contextlib.suppress(ProcessLookupError):  # one that has just ended
                os.kill(pid, number)

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
        self.process.send_signal(signal.SIGINT)
        try:
            self.process.wait(timeout=20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        finally:
            if self.process.stderr is not None:
                self.process.stderr.close()
            shutil.rmtree(self._root, ignore_errors=True)


class Pooler:
    """PgBouncer in transaction mode before a server; ``stop`` ends it and removes what it wrote."""

    def __init__(self, server: Server, *options: str) -> None:
        self._server = server
        self._root = Path(tempfile.mkdtemp(prefix="pgb-"))
        self.port = random.randrange(32_000, 32_700)
        (self._root / "users.txt").write_text(f'"{USER}" "{PASSWORD}"\n')
        (self._root / "pgbouncer.ini").write_text("\n".join((
            "[databases]", f"* = host=127.0.0.1 port={server.port} user={USER} password={PASSWORD}",
            "[pgbouncer]", "listen_addr = 127.0.0.1", f"listen_port = {self.port}", "unix_socket_dir =", "auth_type = scram-sha-256",
            f"auth_file = {self._root / 'users.txt'}", "pool_mode = transaction", "default_pool_size = 4", "max_client_conn = 200",
            "server_round_robin = 1", "server_login_retry = 1", f"logfile = {self._root / 'log'}", *options, "",
        )))
        if os.geteuid() == 0:
            for path in (self._root, *self._root.iterdir()):
                shutil.chown(path, OWNER)
        try:
            self._begin()
        except BaseException:
            self.stop()
            raise

    def _begin(self) -> None:
        command = _as_user(shutil.which("pgbouncer", path=PATH) or "pgbouncer", "-q", self._root / "pgbouncer.ini")
        self.process = subprocess.Popen(command, cwd=self._root, stderr=subprocess.DEVNULL)
        for _ in range(200):
            with contextlib.suppress(psycopg.OperationalError), psycopg.connect(self.url("postgres")):
                return
            time.sleep(0.02)
        raise RuntimeError(f"pgbouncer did not start: {(self._root / 'log').read_text()}")

    def start_again(self) -> None:
        """End it at once, and start it where it was."""
        self.process.kill()
        self.process.wait()
        self._begin()

    def url(self, name: str) -> str:
        """The URL of a database of the server, through the pooler."""
        return f"postgresql://{USER}:{QUOTED}@127.0.0.1:{self.port}/{name}"

    def stop(self) -> None:
        """End the pooler and remove its folder."""
        self.process.kill()
        self.process.wait()
        shutil.rmtree(self._root, ignore_errors=True)
