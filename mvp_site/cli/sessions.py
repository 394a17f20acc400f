"""``mvp-site ask``, ``mvp-site sessions`` and ``mvp-site characters``."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterable, Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from textwrap import shorten
from typing import Any, Final

import click

from ..engine.final_prompt import HEADINGS
from ..engine.gazetteer import HELPERS
from ..engine.types import DOMAINS
from ..operations.all import operation
from ..operations.asking import AnswerSentence, EngineAnswer, KeptCorrections
from ..operations.requests import read
from ..operations.services import Services, reporting_to
from ..operations.sessions import Imported, ImportFiles, KeptDocuments, imported
from ..sessions.session_notes import SAMPLE
from ..settings import Settings
from ..text.normalising import binary_kind, clean
from ..types import RefusedFile
from .commands import Values, add, command_of
from .output import (
    end_with,
    json_option,
    print_json,
    print_table,
    progress,
    say,
    say_wrapped,
    tell,
)

_NOTES: Final = frozenset({".md", ".markdown", ".txt"})
_SHEETS: Final = frozenset({".json", ".yaml", ".yml", ".pdf"})
_STYLES: Final = dict(zip(DOMAINS, ("magenta", "cyan", "yellow", "green"), strict=True))
_HELP: Final = "\n\n".join((
    ("Ask sheet, rules, past sessions and books at once. The books are those that the campaign is "
     "bound to. Which of them are asked, and what, is decided by the language model of "
     "MVP_SITE_LLM, or without one by this machine. What each may be asked:"),
    *("\b\n" + "\n".join((f"{HEADINGS[domain]} ({domain}):", *(
        f"  {name:22}{shorten(intent.split(':')[0], 54, placeholder=' …')}"
        for name, intent in helper.intents.items()
    ))) for domain, helper in HELPERS.items()),
))


@click.group()
def sessions() -> None:
    """Keep the notes of past sessions, for questions."""


@click.group()
def characters() -> None:
    """Keep characters' sheets, for questions."""


@sessions.command("import")
@click.argument("campaign", required=False)
@click.argument("files", nargs=-1, metavar="FILE|FOLDER...",
                type=click.Path(exists=True, path_type=Path))
@click.option("--sample", is_flag=True,
              help=f"Import the sample campaign with its characters, as CAMPAIGN or {SAMPLE}.")
@json_option
def import_notes(campaign: str | None, files: tuple[Path, ...], sample: bool,
                 as_json: bool) -> None:
    """Import notes of sessions, Markdown or text; a file that cannot be read is left out.

    A session's notes take the place of those that it had. `mvp-site sessions template` prints a
    form to write them in; other headings, and none, are read too.
    """
    if sample == bool(files) or (campaign is None and not sample):
        raise click.UsageError("give CAMPAIGN and files, or --sample")
    if sample:
        name = campaign or SAMPLE
        with closing(Services(Settings())) as services:
            done = services.session_notes().import_samples(name)
        _show_imported(imported(name, done), as_json)
    else:
        _import("sessions.import", str(campaign), [*_files_in(files, _NOTES)], as_json)


@characters.command("import")
@click.argument("campaign")
@click.argument("files", nargs=-1, required=True, metavar="FILE|FOLDER...",
                type=click.Path(exists=True, path_type=Path))
@json_option
def import_characters(campaign: str, files: tuple[Path, ...], as_json: bool) -> None:
    """Import characters: JSON or YAML of our own form, exports of D&D Beyond or Foundry, PDF forms.

    A character takes the place of the one of the same name. What cannot be read is left out.
    """
    _import("characters.import", campaign, [*_files_in(files, _SHEETS)], as_json)


def _files_in(paths: tuple[Path, ...], suffixes: frozenset[str]) -> Iterator[tuple[str, Path]]:
    """The files among ``paths``, and those of such suffixes below folders, by their names.

    A vault's files are called as it has them; what is hidden, as its trash, is left out.
    """
    for path in paths:
        if not path.is_dir():
            yield _called(path), path
            continue
        for file in sorted(path.rglob("*")):
            own = file.relative_to(path)
            if file.suffix.lower() in suffixes and not any(
                    part.startswith(".") for part in own.parts):
                yield own.as_posix(), file


def _called(path: Path) -> str:
    """What a file is called: with the folder that it is in, which may say what it is."""
    return "/".join(path.parts[-2:]) if path.is_absolute() else path.as_posix()


def _import(name: str, campaign: str, files: Iterable[tuple[str, Path]], as_json: bool) -> None:
    texts: list[dict[str, str]] = []
    unread: list[RefusedFile] = []
    for called, path in files:
        try:
            content = path.read_bytes()
        except OSError as error:
            unread.append(RefusedFile(str(path), f"{path} cannot be read: {error.strerror}"))
            continue
        file = {"name": clean(called)}
        try:
            text = "" if binary_kind(content) else content.decode("utf-8-sig")
        except UnicodeDecodeError:
            text = ""
        texts.append(file | ({"text": text} if text or not content else {
            "base64": b64encode(content).decode()}))
    if unread and not texts:
        raise click.ClickException("\n".join(file.reason for file in unread))
    import_files = read(ImportFiles, {"campaign": campaign, "files": texts})
    with (closing(Services(Settings())) as services, progress(as_json) as report,
          reporting_to(report)):
        imported = operation(name).run(services, import_files, True)
    _show_imported(replace(imported, refused=(*unread, *imported.refused)), as_json)


def _show_imported(imported: Imported, as_json: bool) -> None:
    if as_json:
        print_json(imported)
    else:
        for row in imported.documents:
            say(("imported ", "green"), (row.title, "bold"), f" ({row.id}): {row.pieces} pieces")
            for warning in row.warnings:
                tell(("warning: ", "bold yellow"), warning)
        tell(f"ask with: mvp-site ask QUESTION --campaign {imported.campaign}")
    end_with(file.reason for file in imported.refused)


def _show_documents(documents: KeptDocuments, _: Any, __: Values) -> None:
    if not documents.documents:
        tell(("none yet", "yellow"), ": import some, or the sample with "
             "mvp-site sessions import --sample")
        return
    print_table(("campaign", "id", "title", "imported"), [
        (row.campaign, row.id, row.title, row.updated) for row in documents.documents
    ], order="By campaign, then by number and id")


def _say(sentence: AnswerSentence) -> None:
    if heading := sentence.text.startswith("#"):
        say()
    pieces = enumerate(sentence.text.lstrip("# ").split("**"))
    say_wrapped(
        *((piece, "bold" if heading or at % 2 else "") for at, piece in pieces),
        ("".join(f" [{number}]" for number in sentence.evidence), "bold cyan"),
    )


def _show_answer(answer: EngineAnswer, _: Any, __: Values) -> None:
    for sentence in answer.said():
        _say(sentence)
    if answer.evidence:
        say(("\nWhere it stands", "bold underline"))
    cited = answer.cited()
    for at in answer.evidence:
        if at.number in cited:
            say((f"[{at.number}] ", "bold cyan"), (HEADINGS[at.domain], _STYLES[at.domain]),
                f" · {at.citation}")
    if more := len(answer.evidence) - len(cited):
        say((f"and {more} more, which --json shows", "dim"))
    for note in (*(answer_sentence.text for answer_sentence in answer.relations), *answer.notes):
        say(("· ", "green"), note)
    tell(("\nAsked", "bold underline"), f" · sure {answer.confidence:.0%} · {answer.tokens} tokens"
         f" · {answer.timings.get('total', 0):.1f} s"
         + (f" · routing {answer.routing}" if answer.routing else ""))
    for decided in answer.decisions:
        title, style = HEADINGS[decided.domain], _STYLES[decided.domain]
        status = decided.intention or "asked" if decided.is_needed else "not needed"
        names = f": {', '.join(who.name for who in decided.entities)}" if decided.entities else ""
        tell((f"{title:16}", style if decided.is_needed else "dim"), f"{status}{names}",
             (f"  {decided.confidence:.0%}, by {decided.by}", "dim"))
    for failed in answer.errors:
        tell((f"{failed.where}: ", "bold yellow"), failed.told,
             f" ({failed.why})" if failed.why else "")
    if answer.left_out:
        tell((f"{len(answer.left_out)} more did not fit; --max-tokens gives them room", "dim"))
    if answer.attribution:
        tell((f"\n{answer.attribution}", "dim"))


@click.group()
def corrections() -> None:
    """Correct which domains a question needs, for those near it too."""


def _show_corrections(kept: KeptCorrections, _: Any, __: Values) -> None:
    if not kept.corrections:
        tell("no corrections yet: mvp-site corrections add ROUTING DOMAIN")
        return

    def told(intention: str | None) -> str:
        return "not needed" if intention is None else intention or "needed"

    print_table(("routing", "question", "domain", "decided", "corrected"), [
        (row.routing, shorten(row.query, 50, placeholder=" …"), row.domain, told(row.decided),
         told(row.corrected)) for row in kept.corrections])
    tell(f"decided rightly: {kept.before:.0%} as shipped, {kept.after:.0%} with all the others"
         + ("; the router was fitted anew with them" if kept.refitted else ""))


for _group, _kind in ((sessions, "session"), (characters, "character")):
    add(_group, f"{_kind}s.list", arguments={"campaign": "[CAMPAIGN]"}, shown=_show_documents)
    add(_group, f"{_kind}s.forget", arguments={"campaign": "CAMPAIGN", "id": "ID"},
        shown=lambda gone, *_: say(("deleted", "green"), f" {gone.id} of {gone.campaign}"))
add(sessions, "sessions.template", shown=lambda form, *_: click.echo(form.text))
add(corrections, "corrections.list", arguments={"campaign": "CAMPAIGN"}, shown=_show_corrections)
for _name in ("corrections.add", "corrections.remove"):
    add(corrections, _name, arguments={"routing": "ROUTING", "domain": "DOMAIN"},
        shown=lambda kept, *_: tell(f"{kept.domain} of {kept.routing}: done"))
ask: Final = command_of(
    "ask", help=_HELP, arguments={"query": "QUERY"}, shown=_show_answer, options={"audience": {
        "name": "--dm", "is_flag": True, "flag_value": "dm", "show_default": False,
        "help": "Ask as the DM, who may see everything.",
    }})
