#!/usr/bin/env python3
"""Holds the docs against the code; prints each difference as ``file:line: what`` and exits 1.

README.md and docs/ name every public name, environment variable, error and dependency; the
variables, commands, options, files, links and examples that they name are there, and signatures
are those of the code.

Usage: check_docs.py [ROOT]
"""

from __future__ import annotations

import ast
import configparser
import inspect
import re
import shlex
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple, get_args
from urllib.parse import unquote

import click
import formats_table
from benchmarks import curves
from markdown_it import MarkdownIt
from markdown_it.token import Token

import mvp_site
from mvp_site.cli import cli
from mvp_site.types import DropReason

VARIABLE = re.compile(r"\b(?:PROMPT|MVP_SITE)(?:_[A-Z0-9]+)+\b")
SHELLS = {"", "bash", "sh", "shell", "console"}
PLACEHOLDER = re.compile(r"[A-Z<{…]|\.\.\.")
PATH = re.compile(r"[\w.-]+(?:/[\w.-]+)+/?")
TREES = {"mvp_site", "scripts", "tests", "docs"}
OF_MODULES = {"docs/architecture.md", "docs/scores.md"}
"""Pages that name modules by their places in the package."""
UNRELEASED = re.compile(r"pip install [^`#]*\bmvp-site\b(?!/)")
SIGNATURE = re.compile(r"^(?:await )?(\w+(?:\.\w+)?)\(((?:[^()]|\(\))*)\)", re.MULTILINE)
OPENED = {
    "assembler": "PromptAssembler", "rulebook": "Rulebook", "entities": "EntityIndex",
    "library": "Library", "notes": "SessionNotes", "engine": "CentralEngine",
}
"""What the signatures of docs/api.md call an object of a class."""
HTML_LINK = re.compile(r"""\b(?:src|href)\s*=\s*["']([^"']+)["']""")
HTML_ANCHOR = re.compile(r"""\b(?:id|name)\s*=\s*["']([^"']+)["']""")


class Problem(NamedTuple):
    """One difference between docs and code."""

    file: str
    line: int
    what: str


class Found(NamedTuple):
    """A piece of a page: a command, a link, a block of code."""

    line: int
    text: str


@dataclass(frozen=True, slots=True)
class Page:
    """A Markdown file; ``name`` is its path from the root."""

    name: str
    text: str
    tokens: list[Token]

    @classmethod
    def read(cls, root: Path, path: Path) -> Page:
        """The page at ``path``, parsed."""
        text = path.read_text(encoding="utf-8")
        tokens = MarkdownIt("commonmark").enable("table").parse(text)
        return cls(path.relative_to(root).as_posix(), text, tokens)

    def inline(self) -> Iterator[tuple[int, Token]]:
        """The tokens inside paragraphs, headings and cells, with their lines."""
        line = 1
        for token in self.tokens:
            line = token.map[0] + 1 if token.map else line
            if token.type == "html_block":
                yield line, token
            at = line
            for child in token.children or ():
                yield at, child
                at += child.type in {"softbreak", "hardbreak"}

    def fences(self, languages: Iterable[str] | None = None) -> Iterator[Found]:
        """The fenced blocks, of ``languages`` if given; the line is that of the code's first."""
        for token in self.tokens:
            language = "".join(token.info.split()[:1])
            if token.type == "fence" and (languages is None or language in languages):
                yield Found((token.map or [0])[0] + 2, token.content)

    def code(self) -> str:
        """All that the page prints as code."""
        spans = (token.content for _, token in self.inline() if token.type == "code_inline")
        return "\n".join([*spans, *(block.text for block in self.fences())])

    def commands(self) -> Iterator[Found]:
        """Whatever is quoted of ``mvp-site``: in code spans, and on lines of shell blocks."""
        for line, token in self.inline():
            if token.type == "code_inline" and token.content.startswith("mvp-site "):
                yield Found(line, token.content)
        for start, block in self.fences(SHELLS):
            whole = ""
            for number, text in enumerate(block.splitlines(), start):
                whole += text.removesuffix("\\")
                if not text.endswith("\\"):
                    yield Found(number, whole.strip().removeprefix("$ "))
                    whole = ""

    def links(self) -> Iterator[Found]:
        """The targets of links and images, in Markdown or HTML."""
        for line, token in self.inline():
            if token.type == "link_open":
                yield Found(line, str(token.attrs["href"]))
            elif token.type == "image":
                yield Found(line, str(token.attrs["src"]))
            elif token.type in {"html_inline", "html_block"}:
                yield from (Found(line, target) for target in HTML_LINK.findall(token.content))

    def anchors(self) -> set[str]:
        """What ``#…`` can name on this page: headings as GitHub spells them, and HTML ids."""
        names: set[str] = set(HTML_ANCHOR.findall(self.text))
        seen: Counter[str] = Counter()
        for opening, token in zip(self.tokens, self.tokens[1:], strict=False):
            if opening.type == "heading_open":
                text = "".join(
                    t.content for t in token.children or () if t.type in {"text", "code_inline"}
                )
                slug = re.sub(r"[^\w\- ]", "", text.strip().lower()).replace(" ", "-")
                names.add(f"{slug}-{seen[slug]}" if seen[slug] else slug)
                seen[slug] += 1
        return names


def check(root: Path) -> list[Problem]:
    """Every difference between the docs under ``root`` and the installed package, sorted."""
    docs = [Page.read(root, path) for path in sorted((root / "docs").rglob("*.md"))]
    readme = [Page.read(root, root / "README.md")] if (root / "README.md").is_file() else []
    others = [
        Page.read(root, root / name)
        for name in ("CHANGELOG.md", "CONTRIBUTING.md") if (root / name).is_file()
    ]
    named = readme + docs
    return sorted({
        *public_names(root, named), *variables(root, named), *errors(root, named),
        *dependencies(root, named), *commands(named + others), *links(root, named + others),
        *examples(named), *paths(root, named + others), *installs(named), *signatures(docs),
        *reasons(docs), *file_formats(root), *growth(root),
    })


def public_names(root: Path, pages: list[Page]) -> Iterator[Problem]:
    """Names of ``mvp_site.__all__`` that no page shows as code."""
    file = "mvp_site/__init__.py"
    source = (root / file).read_text(encoding="utf-8")
    text = "\n".join(page.code() for page in pages)
    for name in mvp_site.__all__:
        if not _says(text, name):
            line = _line_of(source, f'"{name}"')
            yield Problem(file, line, f"{name} is public, but no page shows it as code")


def variables(root: Path, pages: list[Page]) -> Iterator[Problem]:
    """Variables of the settings that the operations guide lacks, and those that are none."""
    file = "mvp_site/settings.py"
    source = (root / file).read_text(encoding="utf-8")
    known = {"MVP_SITE_SETTINGS": 1} | {
        setting.target.id.upper(): setting.lineno
        for node in ast.parse(source).body if isinstance(node, ast.ClassDef)
        for setting in node.body
        if isinstance(setting, ast.AnnAssign) and isinstance(setting.target, ast.Name)
    }
    yield from _absent(pages, "docs/operations.md", file, known)
    for page in pages:
        for number, line in enumerate(page.text.splitlines(), 1):
            for name in VARIABLE.findall(line):
                if name not in known:
                    yield Problem(page.name, number, f"{name} is no setting: {file} lacks it")


def errors(root: Path, pages: list[Page]) -> Iterator[Problem]:
    """Error classes that the operations guide lacks."""
    file = "mvp_site/errors.py"
    tree = ast.parse((root / file).read_text(encoding="utf-8"))
    classes = {node.name: node.lineno for node in tree.body if isinstance(node, ast.ClassDef)}
    yield from _absent(pages, "docs/operations.md", file, classes)


def dependencies(root: Path, pages: list[Page]) -> Iterator[Problem]:
    """Requirements of ``setup.cfg``, extras included, that their page does not name."""
    source = (root / "setup.cfg").read_text(encoding="utf-8")
    config = configparser.ConfigParser(interpolation=None)
    config.read_string(source)
    wanted = [config.get("options", "install_requires", fallback="")]
    if config.has_section("options.extras_require"):
        wanted += [text for _, text in config.items("options.extras_require")]
    lines = [line.strip() for text in wanted for line in text.splitlines() if line.strip()]
    named = {
        match[0]: _line_of(source, line) for line in lines if (match := re.match(r"[\w.-]+", line))
    }
    yield from _absent(pages, "docs/dependencies.md", "setup.cfg", named)


def commands(pages: list[Page]) -> Iterator[Problem]:
    """Commands and options of ``mvp-site`` that pages quote and that are not there."""
    for page in pages:
        for line, text in page.commands():
            for words in _calls(text):
                top = click.Context(cli, info_name="mvp-site", **cli.context_settings)
                yield from (Problem(page.name, line, what) for what in _unknown(top, words))


def links(root: Path, pages: list[Page]) -> Iterator[Problem]:
    """Relative links and images whose file or heading is not there."""
    anchors = {(root / page.name).resolve(): page.anchors() for page in pages}
    for page in pages:
        here = (root / page.name).resolve()
        for line, target in page.links():
            if re.match(r"[a-zA-Z][\w+.-]*:|//", target):
                continue
            name, _, anchor = unquote(target).partition("#")
            name = name.partition("?")[0]
            folder = root.resolve() if name.startswith("/") else here.parent
            file = (folder / name.lstrip("/")).resolve() if name else here
            if not file.is_relative_to(root.resolve()) or not file.exists():
                yield Problem(page.name, line, f"the link {target} leads to no file")
            elif anchor and file in anchors and anchor not in anchors[file]:
                yield Problem(page.name, line, f"the link {target} leads to no heading")


def examples(pages: list[Page]) -> Iterator[Problem]:
    """Python blocks that do not compile, or import what is not there."""
    for page in pages:
        for line, code in page.fences({"python", "py"}):
            try:
                tree = compile(code, page.name, "exec",
                               ast.PyCF_ONLY_AST | ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
            except SyntaxError as error:
                at = line + (error.lineno or 1) - 1
                yield Problem(page.name, at, f"the example does not compile: {error.msg}")
                continue
            for node in ast.walk(tree):
                if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("mvp_site"):
                    for name in node.names:
                        if not _is_there(str(node.module), name.name):
                            at = line + node.lineno - 1
                            yield Problem(page.name, at, f"{node.module} has no {name.name}")


def _is_there(module: str, name: str) -> bool:
    try:
        return hasattr(import_module(module), name) or bool(find_spec(f"{module}.{name}"))
    except ImportError:
        return False


def paths(root: Path, pages: list[Page]) -> Iterator[Problem]:
    """Files that code names and that are not there; a module may stand without its suffix."""
    packages = {path.name for path in (root / "mvp_site").iterdir() if path.is_dir()}
    for page in pages:
        for line, token in page.inline():
            name = token.content if token.type == "code_inline" else ""
            if PATH.fullmatch(name):
                tree = name.partition("/")[0]
                at = root / name if tree in TREES else root / "mvp_site" / name
                meant = tree in TREES or (page.name in OF_MODULES and tree in packages)
                if meant and not (at.exists() or Path(f"{at}.py").exists()):
                    yield Problem(page.name, line, f"there is no file {name}")


def installs(pages: list[Page]) -> Iterator[Problem]:
    """Commands that install from an index what is in none."""
    for page in pages:
        for number, line in enumerate(page.text.splitlines(), 1):
            if UNRELEASED.search(line):
                yield Problem(page.name, number, "nothing is released: install from a checkout")


def signatures(pages: list[Page]) -> Iterator[Problem]:
    """Signatures of docs/api.md with other parameters or defaults than the code's."""
    for page in pages:
        for start, block in page.fences({"text"}) if page.name == "docs/api.md" else ():
            for match in SIGNATURE.finditer(block):
                owner, _, method = match[1].rpartition(".")
                found = getattr(mvp_site, OPENED.get(owner, owner or method), None)
                found = getattr(found, method, None) if owner else found
                if found is None or match[2] == "...":
                    continue
                told = inspect.signature(eval(f"(lambda {match[2]}: 0)"))  # noqa: S307 - our own page
                if (said := _parameters(told, {})) != (are := _parameters(
                        inspect.signature(found), told.parameters)):
                    line = start + block[: match.start()].count("\n")
                    differing = ", ".join(sorted(set(said) ^ set(are)) or ["the order"])
                    yield Problem(page.name, line, f"{match[1]} has other parameters: {differing}")


def file_formats(root: Path) -> Iterator[Problem]:
    """The table of formats is that of the registry."""
    page = root / formats_table.PAGE
    if page.exists() and formats_table.page_of(text := page.read_text("utf-8")) != text:
        what = "its table is not the registry's: run scripts/formats_table.py --write"
        yield Problem(formats_table.PAGE, 1, what)


def growth(root: Path) -> Iterator[Problem]:
    """The table of growth is that of what was measured."""
    page = root / curves.PAGE
    rows = curves.read(root / curves.RESULTS)
    if page.exists() and rows and curves.page_of(text := page.read_text("utf-8"), rows) != text:
        what = "its table is not what was measured: run scripts/bench scale"
        yield Problem(str(curves.PAGE), 1, what)


def reasons(pages: list[Page]) -> Iterator[Problem]:
    """Reasons for which a candidate is dropped that readers are not told the meaning of."""
    known = {reason.replace("_", " "): 1 for reason in get_args(DropReason)}
    yield from _absent(pages, "docs/choosing.md", "mvp_site/types.py", known)


def _parameters(of: inspect.Signature, told: Mapping[str, inspect.Parameter]) -> list[str]:
    """Each parameter with its default; what is ``told`` of one that is made at the call."""
    found = [one for one in of.parameters.values() if one.name not in {"self", "cls"}]
    return [
        str(one.replace(annotation=inspect.Parameter.empty, default=(
            told[one.name].default if one.name in told and repr(one.default).startswith("<")
            else one.default
        ))) for one in found
    ]


def _absent(
    pages: list[Page], guide: str, file: str, lines: dict[str, int]
) -> Iterator[Problem]:
    """The names, with their lines in ``file``, that the page ``guide`` does not have."""
    text = next((page.text for page in pages if page.name == guide), None)
    if text is None:
        if lines:
            yield Problem(guide, 1, f"there is no such page; it is to name all of {file}")
        return
    for name, line in lines.items():
        if not _says(text, name):
            yield Problem(file, line, f"{name} is not in {guide}")


def _says(text: str, name: str) -> bool:
    """Whether ``text`` has ``name`` as a word of its own."""
    return re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", text) is not None


def _line_of(source: str, text: str) -> int:
    return source[: source.index(text)].count("\n") + 1 if text in source else 1


def _calls(text: str) -> Iterator[list[str]]:
    """The arguments of each call of ``mvp-site`` in a line of shell."""
    try:
        words = shlex.split(text)
    except ValueError:  # prose with an apostrophe, a quote that goes on
        words = text.split()
    call: list[str] | None = None
    expecting = True
    words = [part for word in words for part in re.split(r"(;)$", word) if part]
    for word in [*words, ";"]:
        if word.startswith("#") or re.fullmatch(r"[|&;]+|\d?[<>].*", word):
            if call is not None:
                yield call
            call, expecting = None, not word.startswith("#")
            if not expecting:
                return
        elif call is not None:
            call.append(word)
        elif expecting and not re.match(r"[A-Za-z_]+=", word):
            call = [] if word.rpartition("/")[2] == "mvp-site" else None
            expecting = False


def _unknown(context: click.Context, words: list[str]) -> Iterator[str]:
    """What of ``words``, the arguments of the context's command, it does not know."""
    command, rest = context.command, [word.strip("[]") for word in words]
    while rest:
        word = rest.pop(0)
        if word.startswith("-") and not re.fullmatch(r"-[\d.]*", word):
            name, has_value, value = word.partition("=")
            option = _option(context, name)
            if option is None:
                yield f"{context.command_path} has no option {name}"
            elif not has_value and not option.is_flag and not option.count and rest:
                value = rest.pop(0)
            if option is not None and isinstance(option.type, click.Choice):
                for one in value.split("|"):
                    if one and not PLACEHOLDER.match(one) and one not in option.type.choices:
                        yield f"{context.command_path} {name} takes no {one}"
        elif isinstance(command, click.Group):
            if not PLACEHOLDER.match(word):
                for name in word.split("|"):
                    found = command.get_command(context, name)
                    if found is None:
                        yield f"{context.command_path} has no command {name}"
                    else:
                        below = click.Context(found, parent=context, info_name=name)
                        yield from _unknown(below, rest)
            return


def _option(context: click.Context, name: str) -> click.Option | None:
    for parameter in context.command.get_params(context):
        known = {*parameter.opts, *parameter.secondary_opts}
        if isinstance(parameter, click.Option) and name in known:
            return parameter
    return None


def main() -> int:
    """Check the project around this file, or the one named."""
    root = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parent.parent
    problems = check(root)
    for problem in problems:
        print(f"{problem.file}:{problem.line}: {problem.what}")
    print(f"docs: {len(problems)} problems" if problems else "docs: in step with the code")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
