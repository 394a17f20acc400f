"""``mvp-site campaign``: begin, list, limit, export, import and delete campaigns."""

from __future__ import annotations

import json
from contextlib import closing
from pathlib import Path
from typing import Any, Final

import click

from ..errors import UnknownCampaignError
from ..operations.campaigns import MOST, DeletedCampaign
from ..operations.garbage import Garbage
from ..operations.services import Services
from ..releases.durable_write import replace_file
from ..settings import Settings
from ..store.campaigns import CampaignStore
from ..store.urls import is_there
from ..turns.spending import Spending
from .commands import Values, add, command_of, read_json
from .output import json_option, print_either, print_table, say, tell


@click.group()
def campaign() -> None:
    """Begin, list, rename, limit, export, import and delete campaigns."""


def _existing(*_: Any) -> Services:
    """The parts, where there are campaigns: a store is not made where none is."""
    settings = Settings()
    if not is_there(settings):
        raise UnknownCampaignError(
            f"there are no campaigns in {settings.mvp_site_data_dir} yet: set MVP_SITE_DATA_DIR to "
            "the folder that has them"
        )
    return Services(settings)


@campaign.command()
@click.argument("campaign_id")
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@click.option("--force", is_flag=True, help="Replace FILE where there is one.")
@json_option
def export(campaign_id: str, file: Path, force: bool, as_json: bool) -> None:
    """Write a whole campaign, manifests included, to FILE as JSON, for its owner alone to read."""
    if file.is_file() and not force:
        raise click.ClickException(f"{file} is there already: name another, or give --force")
    with closing(_existing()) as services:
        document = services.store().export(campaign_id)
    content = (json.dumps(document, ensure_ascii=False, indent=1) + "\n").encode()
    try:
        if file.exists() and not file.is_file():  # a pipe or a device, as /dev/stdout
            file.write_bytes(content)
        else:
            replace_file(file.resolve(), content, 0o600)
    except OSError as error:
        raise click.ClickException(f"{file} cannot be written: {error.strerror}") from None
    turns = len(document["turns"])
    print_either(as_json, {"campaign": campaign_id, "turns": turns, "file": str(file)},
                 ("exported", "green"), f" {campaign_id}: {turns} turns to {file}", to=tell)


@campaign.command("import")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@json_option
def import_campaign(file: Path, as_json: bool) -> None:
    """Read a campaign from a FILE that `export` wrote."""
    document = read_json(file)
    if not isinstance(document, dict):
        raise click.ClickException(f"{file}: an exported campaign must be a JSON object")
    with CampaignStore.open(Settings()) as store:
        campaign = store.import_document(document)
    print_either(as_json, {"campaign": campaign.id, "turns": campaign.turns},
                 ("imported", "green"), f" {campaign.id}: {campaign.turns} turns", to=tell)


def _show_deleted(gone: DeletedCampaign, _: Any, __: Values) -> None:
    tell(("deleted", "green"), f" {gone.campaign_id}: {gone.turns} turns")
    if gone.left_over:
        tell(("warning:", "yellow"), f" {gone.left_over}")


def _ask_first(context: click.Context, _: click.Parameter, yes: bool) -> None:
    if not yes:
        campaign_id = context.params["campaign_id"]
        click.confirm(f"delete campaign {campaign_id} with all its turns?", abort=True)


def _show_garbage(garbage: Garbage, _: Any, __: Values) -> None:
    say(("removed" if garbage.removed else "would be removed", "green"),
        f": {garbage.rows:,} rows of notes and sheets, {len(garbage.collections)} collections, "
        f"{garbage.questions:,} questions and expired results")
    for name in garbage.collections:
        say(f"  {name}")


def _show_spending(account: Spending, _: Any, __: Values) -> None:
    limit = "no limit" if account.limit is None else (
        f"its limit is ${account.limit:g}" + ("" if account.own else " (MVP_SITE_CAMPAIGN_USD)"))
    say((account.campaign_id, "bold"), f" has cost ${account.spent:.4f}; {limit}")


gc: Final = command_of("gc", shown=_show_garbage)
add(campaign, "campaigns.list", options={"limit": {"default": MOST}},
    as_json=lambda answer: answer.campaigns, shown=lambda answer, *_: print_table(
        ("campaign", "title", "turns", "last turn"),
        [(game.id, game.title, game.turns, game.updated) for game in answer.campaigns],
        order="Last changed first"))
add(campaign, "campaign.begin", arguments={"campaign_id": "CAMPAIGN"},
    options={"source": {"name": "--from"}}, shown=lambda begun, *_: say(
        ("begun", "green"), f" {begun.campaign.id}: mvp-site turn TEXT --campaign "
        f"{begun.campaign.id}"))
add(campaign, "campaign.rename", arguments={"campaign_id": "CAMPAIGN", "title": "TITLE"},
    shown=lambda game, *_: say(
        ("renamed", "green"), f" {game.campaign.id}: {game.campaign.title}"))
add(campaign, "campaign.delete", arguments={"campaign_id": "CAMPAIGN"}, opened=_existing,
    more=(click.option("--yes", is_flag=True, expose_value=False, callback=_ask_first,
                       help="Do not ask."),), shown=_show_deleted)
add(campaign, "campaign.limit", arguments={"campaign_id": "CAMPAIGN"}, shown=_show_spending)
