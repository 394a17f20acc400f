"""``mvp-site serve``."""

from __future__ import annotations

import sys
import threading
from typing import Any, Final

import click

from ..settings import Settings
from .mcp import address, host_option, listening, port_option, refuse_strangers
from .output import json_option, print_either, settings_for, warn_of

CONNECTIONS: Final = 1_000
"""Connections that may be open: waitress cannot count them by client, so one's must not be all."""
IDLE_SECONDS: Final = 15
"""Seconds that a client may be silent in the middle of a request, and between two."""


@click.command()
@host_option
@port_option(8000)
@click.option("--threads", type=click.IntRange(1, 256), default=12, show_default=True,
              help="How many requests are answered at once, beside pictures; four fewer turns.")
@click.option("--proxies", type=click.IntRange(0, 10), default=0, show_default=True,
              help="How many proxies of your own stand before it; their headers are believed.")
@json_option
def serve(host: str, port: int, threads: int, proxies: int, as_json: bool) -> None:
    """Play and look into turns in a browser; the JSON API."""
    settings_for(None)  # tells of what is served, and pins nothing: it may be promoted later
    settings = Settings()
    refuse_strangers(host, settings.mvp_site_dm_token)
    server = make_server(settings, host, port, threads, proxies, warm=True)
    addresses = _addresses(server)
    print_either(as_json, {"addresses": addresses},
                 "serving at ", (" and ".join(addresses), "bold"), ", Ctrl+C ends it")
    # A thread that works gives way ten times as often as by default: short requests wait less.
    sys.setswitchinterval(0.0005)
    server.run()


def make_server(settings: Settings, host: str, port: int, threads: int = 12, proxies: int = 0,
                *, warm: bool = False) -> Any:
    """A waitress server of the app that listens already; ``run`` serves until it is closed.

    With ``warm`` its parts are opened meanwhile, so that no first turn or question waits for them.
    """
    from waitress import create_server  # noqa: PLC0415 (other commands start without it)

    from ..web import create_app, limits  # noqa: PLC0415 (it brings Flask)

    # What turns and large bodies do not hold is for all the rest, however slow the model is.
    turns = max(1, threads - limits.LARGE_AT_ONCE - 3)
    app = create_app(settings, config={"TRUSTED_PROXIES": proxies, limits.TURNS: turns})
    warn_of(app.extensions["services"].problem())
    try:
        with listening(host, port):
            server = create_server(
                # Those who wait for a picture have threads of their own.
                app, host=host, port=port, threads=threads + limits.PICTURES_AT_ONCE, ident=None,
                # The app must see them: they tell that a request is not from this machine.
                clear_untrusted_proxy_headers=False,
                # The app refuses at 1 MiB, in words; this bounds what is kept until it can.
                max_request_body_size=16 * 1024 * 1024,
                # One more is read while one is answered: so it is seen that a client has gone.
                channel_request_lookahead=1,
                connection_limit=_connections(), channel_timeout=IDLE_SECONDS, cleanup_interval=5,
                asyncore_use_poll=True,  # select() knows no file over 1,024
            )
    except ValueError:
        raise click.ClickException(f"{host} is no address of this machine") from None
    if warm:
        threading.Thread(target=app.extensions["services"].warm, daemon=True).start()
    return server


def _connections() -> int:
    """How many connections may be open: :data:`CONNECTIONS`, or as many as there are files for.

    The limit of open files is raised as far as it may be. A connection takes up to three: its
    socket, and one for a large body in either direction.
    """
    try:
        import resource  # noqa: PLC0415 (Windows has none)
    except ImportError:
        return 250  # its select() takes 512
    needed = 4 * CONNECTIONS
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY:
        return CONNECTIONS
    if soft < needed:
        soft = needed if hard == resource.RLIM_INFINITY else min(hard, needed)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    return min(CONNECTIONS, soft // 4)


def _addresses(server: Any) -> list[str]:
    """The URLs that a server answers at."""
    pairs = getattr(server, "effective_listen", None) or [
        (server.effective_host, server.effective_port)
    ]
    return [address(str(host), port) for host, port in pairs]
