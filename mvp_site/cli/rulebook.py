"""``mvp-site rulebook``: build it, ask it, look at its sections and at the intentions."""

from __future__ import annotations

from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any, Final

import click
from rich.tree import Tree

from ..errors import RulebookQueryError
from ..operations.rulebook import RetrievedSectionView, RulebookQueryResult, SectionTree
from ..operations.services import Services
from ..rulebook.build import build_rulebook, read_manuscript
from ..rulebook.categories import Category
from ..rulebook.intentions import Intention
from ..rulebook.rulebook import Rulebook
from ..rulebook.sections import SEPARATOR
from ..settings import Settings
from ..text.normalising import clean
from .commands import Values, add
from .output import console, json_option, plain_text, print_either, print_table, progress, say, tell

_CATEGORIES: Final = ", ".join(f"{category.value} {category.label}" for category in Category)
_MOST_CHILDREN: Final = 5
"""How many of the sections that did not fit are named."""


def _categories(context: click.Context, option: click.Parameter, raw: tuple[str, ...],
                ) -> tuple[int, ...]:
    """The numbers of the categories that are meant by numbers, labels or beginnings of labels."""
    numbers: list[int] = []
    for value in raw:
        text = " ".join(value.lower().replace("_", " ").split())
        categories = [c for c in Category if text in {str(c.value), c.label.lower()}] or [
            c for c in Category if text and c.label.lower().startswith(text)
        ]
        if len(categories) != 1:
            raise click.BadParameter(
                f"{clean(value)!r} is none of the categories: {_CATEGORIES}", context, option
            )
        numbers.append(categories[0].value)
    return tuple(numbers)


_MARKDOWN: Final = click.option(
    "--markdown", type=click.Path(exists=True, dir_okay=False, path_type=Path), metavar="FILE",
    help="Another book than the one that was built, read for this one command.",
)
_EXPLAIN: Final = click.option(
    "--explain", is_flag=True, help="Show what each section's score is made of."
)


@click.group()
def rulebook() -> None:
    """Ask the rules. For an intention, entities or a question, within a token budget."""


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
    with progress(as_json) as report:
        manifest = build_rulebook(
            Settings(), markdown, source=source, attribution=attribution, force=force,
            progress=report,
        )
    done = f"built, {manifest.encoded} texts encoded" if manifest.built else "up to date"
    print_either(as_json, manifest, (manifest.source, "bold"),
                 f" {manifest.fingerprint}: {done}; {manifest.sections} sections of "
                 f"{manifest.tokens} tokens, {manifest.windows} windows")


def _show(result: RulebookQueryResult, _: Any, own: Values) -> None:
    _checked(result)
    print_response(result, explain=own["explain"])
    if result.continuation:
        note = f"More is left ({result.left}, less likely to answer or without room)"
        tell(f"{note}: ask the same with --continue {result.continuation}", whole=True)


def _checked(result: RulebookQueryResult) -> RulebookQueryResult:
    """The response, where something was asked."""
    if result.reason == "nothing_asked":
        raise RulebookQueryError(result.explanation)
    return result


def _show_sections(tree: SectionTree, _: Any, __: Values) -> None:
    trees: dict[str, Tree] = {}
    tops: list[Tree] = []
    for section in tree.sections:
        label = plain_text(
            section.title, (f"  {section.id}", "dim"),
            (f"  {section.tokens} tokens" if section.tokens else "", "dim cyan"),
        )
        above = trees.get(section.parent_id or "")
        trees[section.id] = above.add(label) if above else Tree(label)
        if above is None:
            tops.append(trees[section.id])
    for top in tops:
        # Ids are there to be copied: a line is as long as it must be.
        console.print(top, no_wrap=True, overflow="ignore", crop=False)


def _show_intentions(intentions: tuple[Intention, ...], _: Any, __: Values) -> None:
    print_table(("intention", "what is wanted", "in"), [
        (row.value, row.description, " ".join(str(of.value) for of in row.categories))
        for row in intentions
    ])
    say(f"\nin: the categories where answers usually stand: {_CATEGORIES}")


def _opened(own: Values, quiet: bool) -> Services:
    """The rulebook that was built, or that of the file that is named."""
    settings = Settings()
    if own["markdown"] is None:
        return Services(settings)
    manuscript = read_manuscript(own["markdown"])
    with progress(quiet) as report:
        return Services(settings, rulebook=Rulebook.from_markdown(
            manuscript.text, source=manuscript.source, settings=settings,
            progress=partial(report, "sections"),
        ))


def print_response(response: RulebookQueryResult, *, explain: bool) -> None:
    """The response: tables, then sections; or why it is empty.

    What was made of the question, and whose text it is, go to standard error.
    """
    if response.reason is not None:
        say((response.explanation, "yellow"))
        return
    if response.explanation:
        tell((response.explanation, "yellow"))
    for answer_table in response.tables:
        print_table(answer_table.columns, answer_table.rows, answer_table.title)
        say()
    for section in response.sections:
        _print_section(section, explain=explain)
    parts = [f"{len(response.sections)} sections", f"{response.total_tokens} tokens"]
    tell(("; ".join(part for part in (", ".join(parts), response.attribution) if part), "dim"))


def _print_section(section: RetrievedSectionView, *, explain: bool) -> None:
    say((SEPARATOR.join(section.path), "bold"), f"  {section.relevance:.3f}")
    say((section.citation, "dim"))
    if explain:
        print_table(("part", "value", "why"), [
            (part.name, f"{part.value:+.3f}", part.why) for part in
            sorted(section.parts, key=lambda part: (-abs(part.value), part.name))
        ])
    say("\n", section.content, "\n")
    if section.cut:
        say(("This section goes on.", "yellow"))
    if section.children_left:
        named = ", ".join(section.children_left[:_MOST_CHILDREN])
        more = len(section.children_left) - _MOST_CHILDREN
        and_more = f" and {more} more" if more > 0 else ""
        say((f"Did not fit: {named}{and_more}", "yellow"))


_CATEGORY: Final[dict[str, Any]] = {
    "name": "--category", "metavar": "N|LABEL", "callback": _categories,
    "help": "Only sections of this category, by number or label; again for several.",
}
add(rulebook, "rulebook.query", arguments={"query": "[QUESTION]"}, more=(_MARKDOWN, _EXPLAIN),
    opened=_opened, shown=_show, as_json=_checked, options={
        "intention": {"type": str, "metavar": "NAME",
                      "help": "What is wanted: see `rulebook intentions`."},
        "entities": {"name": "--entity", "metavar": "E"},
        "context_hints": {"name": "--hint", "metavar": "H"},
        "categories": _CATEGORY,
        "continuation": {"name": "--continue", "metavar": "TOKEN"},
    })
add(rulebook, "rulebook.sections", options={"under": {"metavar": "ID"}, "categories": _CATEGORY},
    shown=_show_sections, as_json=lambda answer: [asdict(row) for row in answer.sections])
add(rulebook, "rulebook.intentions", shown=_show_intentions, as_json=lambda answer: [{
    "name": row.value, "description": row.description,
    "categories": [held.label for held in row.categories], "query_words": row.query_words,
} for row in answer])
