"""``mvp-site mcp``."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from functools import cache
from typing import TYPE_CHECKING, Any

import click

from ..settings import Settings

if TYPE_CHECKING:
    from ..mcp_server.server import Parts
    from ..operations.services import Services


host_option = click.option("--host", default="127.0.0.1", show_default=True,
                           help="The address to listen on.")


def port_option(default: int) -> Callable[[Any], Any]:
    """The option --port of a command that listens."""
    return click.option("--port", type=click.IntRange(0, 65535), default=default,
                        show_default=True, help="The port; 0 takes a free one.")


def refuse_strangers(host: str, token: str | None) -> None:
    """End the command where others than this machine could come in without a token."""
    from ..operations.request_origin import is_loopback  # noqa: PLC0415 (stdio starts without it)

    if token is None and host != "localhost" and not is_loopback(host):
        raise click.ClickException(
            f"without a DM token, {host} would let everybody who can reach it see everything: "
            "set MVP_SITE_DM_TOKEN, or listen on 127.0.0.1"
        )


@contextmanager
def listening(host: str, port: int) -> Iterator[None]:
    """Within it a server begins to listen; if it cannot, the command ends and says why."""
    try:
        yield
    except OSError as error:
        raise click.ClickException(
            f"cannot listen on {host}, port {port}: {error.strerror or error}; try another --port"
        ) from None


def address(host: str, port: int) -> str:
    """The URL of a server."""
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


@click.command()
@click.option("--http", "over_http", is_flag=True,
              help="Listen for HTTP; without it, answer the program that starts this one.")
@host_option
@port_option(8765)
@click.option("--json", "as_json", is_flag=True, help="With --http: print the address as JSON.")
def mcp(over_http: bool, host: str, port: int, as_json: bool) -> None:
    """Serve assistants over MCP. Searches, lookups, rules, prompts.

    Over standard input and output, nothing but the protocol is printed there.
    """
    settings = Settings()
    # Nothing that takes long may stand before the first answer.
    from ..mcp_server.server import Parts, serve_stdio  # noqa: PLC0415 (it brings the SDK)

    def opened() -> Services:
        from ..operations.services import Services  # noqa: PLC0415 (it brings numpy)

        return Services(settings)

    with closing(Parts(opened)) as parts:
        if over_http:
            _serve_http(parts, host, port, settings, as_json)
        else:
            serve_stdio(parts)


def _serve_http(parts: Parts, host: str, port: int, settings: Settings, as_json: bool) -> None:
    from ..mcp_server import http  # noqa: PLC0415 (it brings the SDK)
    from ..operations.request_counts import storage_of  # noqa: PLC0415 (it brings the store)
    from ..operations.token_attempts import TokenAttempts  # noqa: PLC0415
    from ..store.campaigns import CampaignStore  # noqa: PLC0415

    token = settings.mvp_site_dm_token
    refuse_strangers(host, token)
    with listening(host, port):
        listener = http.listening(host, port)
    url = f"{address(host, listener.getsockname()[1])}{http.PATH}"
    click.echo(json.dumps({"addresses": [url]}) if as_json else f"serving at {url}, Ctrl+C ends it")
    with listener:
        counted_in = storage_of(settings, cache(lambda: CampaignStore.open(settings)))
        http.make_http(parts, host, token, TokenAttempts(**counted_in)).run(sockets=[listener])
