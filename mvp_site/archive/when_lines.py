"""``when:`` lines: which sections have none, and a file with lines added for them. Pure."""

from __future__ import annotations

import difflib
import io
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from ..errors import FrontMatterError
from ..text.markdown import split_lines
from ..text.tokens import count_tokens
from ..text.yaml_values import END, key_lines, write_yaml
from .chunking import PIECE_TOKENS
from .front_matter import WHOLE_FILE, FrontMatter, read_front_matter
from .passages import section_texts
from .versions import PromptFile, Version


@dataclass(frozen=True, slots=True)
class LinedSection:
    """Text that lines can be given to, and the heading path right above it.

    ``heading`` is its key under ``when:``: '' for a file that is one section without a heading.
    Sections of a file under the same words share their lines, and are one here.
    """

    file: str
    heading: str
    path: tuple[str, ...]
    text: str


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A section that gets no lines, and why."""

    file: str
    heading: str
    why: str


def lacking(version: Version) -> tuple[tuple[LinedSection, ...], tuple[LeftOut, ...]]:
    """The sections that no line calls for, in order, and those of them that can be given none.

    Raises:
        FrontMatterError: a file's front matter cannot be used.
    """
    lined_sections: list[LinedSection] = []
    left_out: list[LeftOut] = []
    for source in version.sources:
        when_lines = matter_of(source).when
        sections = _sections(source)
        lone = len(sections) == 1
        bare = [] if when_lines.get(WHOLE_FILE) else [
            section for section in sections if not when_lines.get(section.heading)
        ]
        together = _refused(source, bare)
        for section in bare:
            if not section.heading and not (lone and count_tokens(section.text) <= PIECE_TOKENS):
                why = "it has no heading that lines could be given to: write one above it"
            else:
                why = together and _refused(source, [section])
            if why:
                left_out.append(LeftOut(source.file, section.heading, why))
            else:
                lined_sections.append(section)
    return tuple(lined_sections), tuple(left_out)


def with_lines(source: PromptFile, when: Mapping[str, Sequence[str]]) -> PromptFile:
    """The file with lines added for headings that have none; nothing else of it changes.

    A heading's lines stand before those of the headings that follow it.

    Raises:
        FrontMatterError: the lines cannot be added to the front matter as it is written, or it
            would then say something else.
    """
    matter, file = matter_of(source), source.file
    lines = io.StringIO(source.text.removeprefix("\ufeff"), newline="").readlines()
    mark = "\ufeff" if source.text.startswith("\ufeff") else ""
    ending = lines[0][len(lines[0].rstrip("\r\n")) :] if lines else ""
    places = _insertions(source, matter, lines, when)
    for at, added in sorted(places.items(), reverse=True):
        lines[at:at] = [f"{line}{ending or chr(10)}" for line in added]
    prompt_file = PromptFile(file, mark + "".join(lines))
    merged = {**matter.when, **{heading: tuple(phrases) for heading, phrases in when.items()}}
    try:
        current, why = matter_of(prompt_file), ""
    except FrontMatterError as error:
        current, why = None, f" ({str(error).removeprefix(f'{file}: ')})"
    if current is None or current != replace(matter, when=merged, body=current.body) or (
        split_lines(prompt_file.text)[current.body :] != split_lines(source.text)[matter.body :]
    ):
        raise FrontMatterError(
            f"{file}: lines for {', '.join(map(repr, when))} cannot be added to the front matter "
            f"as it is written{why}: write each of its keys on a line of its own"
        )
    return prompt_file


def unified(name: str, before: str, after: str) -> str:
    """How a file changes, as `git apply` and `patch -p1` take it; '' where it does not."""
    old, new = (io.StringIO(text, newline="\n").readlines() for text in (before, after))
    return "".join(
        line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"
        for line in difflib.unified_diff(old, new, _named("a", name), _named("b", name))
    )


def matter_of(source: PromptFile) -> FrontMatter:
    """The front matter of a file; raises as :func:`.front_matter.read_front_matter` does."""
    return read_front_matter(split_lines(source.text), source.file)


def _sections(source: PromptFile) -> list[LinedSection]:
    sections: dict[str, LinedSection] = {}
    for path, texts in section_texts(source).items():
        heading, text = path[-1] if path else WHOLE_FILE, "\n".join(texts)
        if (other := sections.get(heading)) is not None:
            sections[heading] = replace(other, text=f"{other.text}\n\n{text}")
        else:
            sections[heading] = LinedSection(source.file, heading, path, text)
    return list(sections.values())


def _refused(source: PromptFile, sections: Iterable[LinedSection]) -> str:
    """Why the sections cannot be given lines; '' where they can."""
    try:
        with_lines(source, {section.heading: ("I try",) for section in sections})
    except FrontMatterError as error:
        return str(error).removeprefix(f"{source.file}: ")
    return ""


def _insertions(source: PromptFile, matter: FrontMatter, lines: Sequence[str],
                when: Mapping[str, Sequence[str]]) -> dict[int, list[str]]:
    """The lines to add, by the number of the line that they come before."""
    if not when:
        return {}
    entries = {heading: [*phrases] for heading, phrases in when.items()}
    block = write_yaml({
        "when": entries.get(WHOLE_FILE, entries) if len(entries) == 1 else entries
    }).splitlines()
    if not matter.body:
        return {0: ["---", *block, "---"]}
    head = "\n".join(["", *split_lines(source.text)[1 : matter.body - 1]])
    places = key_lines(head, "when")
    if places is None:
        return {matter.body - 1: block}
    if not places:
        raise FrontMatterError(
            f"{source.file}: when: is no mapping with each heading on a line of its own: write it "
            "so, or delete the key where it says nothing"
        )
    first = lines[min(places.values())]
    indent = first[: len(first) - len(first.lstrip())]
    order = [section.heading for section in _sections(source)]
    added: dict[int, list[str]] = {}
    for heading, phrases in sorted(entries.items(), key=lambda entry: order.index(entry[0])):
        if heading in places:
            raise FrontMatterError(
                f"{source.file}: when: gives {heading!r} no line: delete the key"
            )
        later = {*order[order.index(heading) :]}
        at = next((line for key, line in places.items() if key in later), places[END])
        while lines[at - 1].lstrip().startswith("#") or not lines[at - 1].strip():
            at -= 1  # a comment belongs to what follows it
        entry = write_yaml({heading: phrases}).splitlines()
        added.setdefault(at, []).extend(f"{indent}{line}" for line in entry)
    return added


def _named(side: str, name: str) -> str:
    """A file's name as a diff's header has it."""
    name = f"{side}/{name}"
    if '"' in name or "\\" in name or not name.isprintable():
        return json.dumps(name, ensure_ascii=False)
    return f"{name}\t" if " " in name else name
