"""``mvp-site rulebook``: build it, ask it, look at its sections and at the intentions."""

from __future__ import annotations

import shlex
from functools import partial
from pathlib import Path
from typing import Any, Final

import click
from rich.text import Text
from rich.tree import Tree

from ..errors import RulebookQueryError
from ..retrieval.text import clean
from ..rulebook.build import build_rulebook, read_manuscript
from ..rulebook.categories import Category
from ..rulebook.intentions import Intention
from ..rulebook.markdown import parse_rulebook
from ..rulebook.rulebook import MAX_TOKENS, MIN_TOKENS, Rulebook
from ..rulebook.sections import Section, Sections
from ..settings import Settings
from .output import console, errors, json_option, print_json, printable, progress
from .rulebook_answer import print_response, table

_PREFIX: Final = 3

markdown_option = click.option(
    "--markdown", type=click.Path(exists=True, dir_okay=False, path_type=Path), metavar="FILE",
    help="Another book than the one that was built, read for this one command.",
)


def _categories(context: click.Context, option: click.Parameter, given: tuple[str, ...],
                ) -> tuple[Category, ...]:
    """The categories that are meant by numbers, labels or beginnings of labels."""
    found: list[Category] = []
    for value in given:
        said = " ".join(value.lower().replace("_", " ").split())
        meant = [c for c in Category if said in {str(c.value), c.label.lower()}] or [
            c for c in Category if said and c.label.lower().startswith(said)
        ]
        if len(meant) != 1:
            known = ", ".join(f"{c.value} {c.label}" for c in Category)
            raise click.BadParameter(
                f"{clean(value)!r} is none of the categories: {known}", context, option
            )
        found += meant
    return tuple(found)


def register(root: click.Group) -> None:
    """Add the commands."""
    root.add_command(rulebook)


@click.group()
def rulebook() -> None:
    """Ask the rulebook: the rules for an intention and entities, within a token budget."""


@rulebook.command()
@click.option("--markdown", type=click.Path(exists=True, dir_okay=False, path_type=Path),
              metavar="FILE", help="A book in markdown, instead of the System Reference Document.")
@click.option("--source", metavar="NAME", help="What the book of FILE is cited as (its name).")
@click.option("--attribution", metavar="TEXT", default="", help="Whose text the book of FILE is.")
@click.option("--force", is_flag=True, help="Build anew even where nothing changed.")
@json_option
def build(markdown: Path | None, source: str | None, attribution: str, force: bool,
          as_json: bool) -> None:
    """Build the rulebook and publish it; with nothing changed there is nothing to do."""
    if markdown is None and (source or attribution):
        raise click.UsageError("--source and --attribution go with --markdown")
    with progress(as_json) as told:
        manifest = build_rulebook(
            Settings(), markdown, source=source, attribution=attribution, force=force,
            progress=told,
        )
    if as_json:
        print_json(manifest.as_dict())
        return
    done = f"built, {manifest.encoded} texts encoded" if manifest.built else "up to date"
    console.print(
        Text(printable(manifest.source), style="bold"), Text(f"{manifest.fingerprint}:"),
        f"{done};",
        f"{manifest.sections} sections of {manifest.tokens} tokens, {manifest.windows} windows",
    )


@rulebook.command()
@click.argument("question", required=False)
@click.option("--intention", metavar="NAME", help="What is wanted: see `rulebook intentions`.")
@click.option("--entity", "entities", multiple=True, metavar="E",
              help="What it is about: a spell, a class, a creature; again for several.")
@click.option("--hint", "hints", multiple=True, metavar="H",
              help="A word on the circumstances; again for several.")
@click.option("--category", "categories", multiple=True, callback=_categories, metavar="N|LABEL",
              help="Only sections of this category, by number or label; again for several.")
@click.option("--max-tokens", type=click.IntRange(min=MIN_TOKENS), default=MAX_TOKENS,
              show_default=True, metavar="N", help="The budget in o200k tokens.")
@click.option("--continue", "continuation", metavar="TOKEN",
              help="Go on where an answer to the same question ended.")
@markdown_option
@click.option("--explain", is_flag=True, help="Show what each section's score is made of.")
@json_option
def query(question: str | None, intention: str | None, entities: tuple[str, ...],
          hints: tuple[str, ...], categories: tuple[Category, ...], max_tokens: int,
          continuation: str | None, markdown: Path | None, explain: bool, as_json: bool) -> None:
    """Print the sections that answer, best first, each whole and with its source."""
    # What is no text in an argument could not be printed again.
    question, intention = question and clean(question), intention and clean(intention)
    entities, hints = tuple(map(clean, entities)), tuple(map(clean, hints))
    book = _opened(Settings(), markdown, quiet=as_json)
    response = book.query(
        intention, entities, hints, question, categories or None, max_tokens, continuation
    )
    if response.reason == "nothing_asked":
        raise RulebookQueryError(response.explanation)
    if as_json:
        print_json(response.as_dict())
        return
    print_response(response, explain=explain)
    if response.continuation:
        options = [
            ("--intention", intention), *(("--entity", one) for one in entities),
            *(("--hint", one) for one in hints),
            *(("--category", str(one.value)) for one in categories),
            ("--max-tokens", None if max_tokens == MAX_TOKENS else str(max_tokens)),
            ("--markdown", markdown and str(markdown)), ("--continue", response.continuation),
        ]
        words = [word for option, value in options if value for word in (option, value)]
        words += ["--", question] if question else []
        again = shlex.join(["mvp-site", "rulebook", "query", *words])
        left = f"More is left ({response.left}, less likely to answer or without room)"
        errors.print(Text(printable(f"{left}: {again}")))


@rulebook.command()
@click.option("--under", metavar="ID", help="Only what stands under this section.")
@click.option("--depth", type=click.IntRange(min=1), metavar="N",
              help="At most N levels of the tree.")
@markdown_option
@json_option
def sections(under: str | None, depth: int | None, markdown: Path | None, as_json: bool) -> None:
    """Print the tree of the book's sections, with their ids."""
    if markdown is None:
        held = Rulebook.open(Settings()).sections
    else:  # the tree needs no index
        held = parse_rulebook(read_manuscript(markdown).text)
    tops = held.roots if under is None else (_section(held, under),)
    if as_json:
        print_json([
            _as_dict(one) for top in tops for one in (top, *held.descendants(top))
            if depth is None or len(one.path) - len(top.path) < depth
        ])
        return
    for top in tops:
        tree = Tree(_label(top))
        _grow(tree, top, held, depth)
        # Ids are there to be copied: a line is as long as it must be.
        console.print(tree, no_wrap=True, overflow="ignore", crop=False)


def _section(held: Sections, section_id: str) -> Section:
    found = held.get(section_id)
    if found is None:
        near = [one.id for one in held.titled(section_id)][:_PREFIX]
        raise RulebookQueryError(
            f"the book has no section {clean(section_id)!r}"
            f"{'; of that title: ' + ', '.join(near) if near else ''}; "
            "`mvp-site rulebook sections` lists them all"
        )
    return found


def _grow(tree: Tree, section: Section, held: Sections, depth: int | None) -> None:
    if depth == 1:
        return
    for child in held.children(section):
        _grow(tree.add(_label(child)), child, held, depth and depth - 1)


def _label(section: Section) -> Text:
    return Text.assemble(
        printable(section.title), (f"  {printable(section.id)}", "dim"),
        (f"  {section.tokens} tokens" if section.content else "", "dim cyan"),
    )


def _as_dict(section: Section) -> dict[str, Any]:
    return {
        "id": section.id, "title": section.title, "level": section.level,
        "path": list(section.path), "parent": section.parent_id,
        "children": list(section.children_ids), "lines": list(section.lines),
        "tokens": section.tokens,
        "categories": [
            {"category": found.category.label, "why": found.why, "weight": found.weight}
            for found in section.categories
        ],
    }


@rulebook.command()
@json_option
def intentions(as_json: bool) -> None:
    """List what can be asked for, each with when to choose it and where its answers stand."""
    if as_json:
        print_json([
            {"name": one.value, "description": one.description,
             "categories": [category.label for category in one.categories],
             "query_words": list(one.query_words)}
            for one in Intention
        ])
        return
    console.print(table(
        ("intention", "what is wanted", "in"),
        [(one.value, one.description, " ".join(str(c.value) for c in one.categories))
         for one in Intention],
    ))
    known = ", ".join(f"{category.value} {category.label}" for category in Category)
    console.print(f"\nin: the categories where answers usually stand: {known}")


def _opened(settings: Settings, markdown: Path | None, *, quiet: bool) -> Rulebook:
    if markdown is None:
        return Rulebook.open(settings)
    manuscript = read_manuscript(markdown)
    with progress(quiet) as told:
        return Rulebook.from_markdown(
            manuscript.text, source=manuscript.source, settings=settings,
            progress=partial(told, "sections"),
        )
