"""Rulebooks of every make: strategies for blocks, headings and files, and one for a file of any size.

A :class:`Head` knows what a reader makes of it, and a closed block opens no section. So a book that
is written of these has a known outline, without any parser. Files that are not so well made have
none, and are left to a parser of their own.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from hypothesis import strategies as st

from .books import odd_lines

UNTITLED: Final = "(untitled)"

# --- headings -----------------------------------------------------------------------------------

TITLES: Final = (
    # As it is written, and as it is read.
    ("Rage", "Rage"), ("Rage 2", "Rage 2"), ("Class Features", "Class Features"), ("class features", "class features"),
    ("Spellcasting", "Spellcasting"), ("Bard Spells", "Bard Spells"), ("1st Level", "1st Level"),
    ("Heroes’ Feast", "Heroes’ Feast"), ("The Order of *Combat*", "The Order of Combat"),
    ("***Finesse.***", "Finesse."), ("`1d20` + 5", "1d20 + 5"), ("5 \\* 4", "5 * 4"), ("Rock &amp; Roll", "Rock & Roll"),
    ("AC & HP", "AC & HP"), ("[Rage](/rage 'x') now", "Rage now"), ("Fire <b>bolt</b>", "Fire bolt"),
    ("![A *map*](/m.png)", "A map"), ("C++", "C++"), ("C# and F#", "C# and F#"), ("a_b_c", "a_b_c"), ("x | y", "x | y"),
    ("#hashtag", "#hashtag"), ("ends in a backslash\\", "ends in a backslash\\"), ("{braces}", "{braces}"),
    ("Rage {#rage} again", "Rage {#rage} again"), ("!?", "!?"), ("Preface", "Preface"), ("_preface", "_preface"),
    ("Über Größe", "Über Größe"), ("Ξίφος", "Ξίφος"), ("Правила боя", "Правила боя"), ("龍の怒り", "龍の怒り"),
    ("전투 규칙", "전투 규칙"), ("हिन्दी नियम", "हिन्दी नियम"), ("กฎการต่อสู้", "กฎการต่อสู้"), ("قواعد القتال", "قواعد القتال"),
    ("כללי קרב", "כללי קרב"), ("ＦＵＬＬ", "ＦＵＬＬ"), ("e\u0301lan", "e\u0301lan"), ("élan", "élan"), ("ﬁre", "ﬁre"),
    ("🐉", "🐉"), ("🏳️‍🌈 rules", "🏳️‍🌈 rules"), ("zero\u200bwidth", "zero\u200bwidth"), ("\u200b", UNTITLED),
    ("\u202eturned\u202c", "\u202eturned\u202c"), ("no\u00a0break", "no break"), ("a\u2028b\u2029c\x85d", "a b c d"),
    ("form\x0cfeed", "form feed"), ("tab\tbed", "tab bed"),
    # Stray characters of no text are few in a book.
    ("nul\x00l" + " and more" * 9, "nul\ufffdl" + " and more" * 9), ("half \ud83d" + " and more" * 9, "half \ufffd" + " and more" * 9),
    ("Word " * 60, ("Word " * 60).strip()), ("x" * 1_500, "x" * 1_500), ("", UNTITLED),
)
ANCHORS: Final = (
    "x", "x", "x-2", "rage", "rage-2", "Rage", "rage/rage", "class-features", "_preface", "untitled", "龍", "a.b:c_d",
    "rage/class-features", "y" * 300,
)


@dataclass(frozen=True, slots=True)
class Head:
    """A heading as written, and what it says: its level, its title and its anchor."""

    markdown: str
    level: int
    title: str
    anchor: str | None = None

    @property
    def height(self) -> int:
        """How many lines it takes."""
        return self.markdown.count("\n") + 1


def atx(level: int, title: tuple[str, str], anchor: str | None, form: int) -> Head:
    """``## Title ##``; ``form`` picks indents, closing hashes and how the anchor is written."""
    written, read = title
    if anchor and form % 5 == 4 and len(written) < 500:  # no markup is looked for in longer ones
        written = f'<a id="{anchor}"></a>{written}'
    elif anchor:
        mark = ("{#%s}", "{: #%s }", "{.wide #%s}", "{#%s key=val}")[form % 4] % anchor
        written = f"{written} {mark}"
    gap = (" ", " ", "\t", "  ")[form % 4]
    # A backslash would take the first closing hash for itself.
    closing = ("", "", " #", " ########", " ## \t")[form // 4 % 5] if written.strip() or not form % 2 else ""
    return Head(f"{' ' * (form % 7 == 6)}{'#' * level}{gap}{written}{closing}".rstrip(" "), level, read, anchor)


def setext(level: int, title: tuple[str, str], anchor: str | None, form: int) -> Head:
    """``Title`` over a line; titles that would open a block are put behind a word."""
    written, read = title
    if not written.strip() or not read[:1].isalpha() or written[:1] in "*`[!<&":
        written, read = f"On {written.strip()}", f"On {'' if read == UNTITLED else read}".strip()
    if read == "On":
        written = "On"
    if form % 3 == 2:
        written, read = f"Of\n{written}", f"Of {read}"
    if anchor:
        written = f"{written} {{#{anchor}}}"
    rule = ("=" if level == 1 else "-") * (1 + form % 6)
    return Head(f"{written}\n{rule}{' ' * (form % 2)}", level, read, anchor)


_levels = st.sampled_from((1, 1, 2, 2, 2, 3, 3, 3, 4, 5, 6))
_anchors = st.one_of(st.none(), st.none(), st.none(), st.sampled_from(ANCHORS))
_forms = st.integers(0, 139)
_few_titles = TITLES[:8]
_titles = st.one_of(st.sampled_from(TITLES), st.sampled_from(_few_titles))
heads = st.one_of(
    st.builds(atx, _levels, _titles, _anchors, _forms),
    st.builds(atx, _levels, _titles, _anchors, _forms),
    st.builds(setext, st.integers(1, 2), _titles, _anchors, _forms),
)

# --- blocks -------------------------------------------------------------------------------------

_HIDDEN: Final = ("# hidden", "## hidden {#x}", "hidden\n======", "   # hidden", "#", "text\n---", "")


def fenced(mark: str, length: int, indent: int, info: str, inside: Sequence[str]) -> str:
    """A closed fence, with shorter fences and the other kind of fence among what it may hold."""
    fence = mark * length
    other = ("~" if mark == "`" else "`") * (length + 1)
    held = "\n".join(inside).replace("FENCE", other).replace("SHORT", mark * (length - 1))
    return f"{' ' * indent}{fence}{info}\n{held}\n{fence}{mark * (length % 2)}"


def under(mark: str, inside: Sequence[str]) -> str:
    """A quote or a list item: every line behind ``mark``, or behind spaces of its width."""
    first, rest = mark, mark if ">" in mark else " " * len(mark)
    lines = "\n\n".join(inside).split("\n")
    return "\n".join(f"{first if not number else rest}{line}".rstrip() for number, line in enumerate(lines))


BLOCKS: Final = (
    "A rule.", "Roll 1d20 + 5.\nAdd it up.", "***Finesse.*** You can use it.", "*3rd-level evocation*",
    "**Casting Time:** 1 action\n**Range** 60 feet", "- **Casting Time:** 1 action", "#hashtag and #another\n#third",
    "####### seven", "\\# escaped", "#\u00a0no break", "a line\\\nand another\\", "a line  \nand another  ",
    "    # in code\n    ## too", "\t# in code", "\ttab\tbed", "***", "- - -", "_ _ _", "text <b>html</b> text",
    "*Light Armor*\n\n| Armor | Cost |\n|:------|-----:|\n| Padded | 5 gp |\n| # no | --- |", "a | b\n--|--\n1 | 2", "|---|\n|---|",
    "- one\n- two\n  # in it\n\n  ## in it\n- three", "* one\n\n      # code in it\n", "1. one\n\n   one\n   ===\n\n2. two",
    "+ - * # deep\n\n      deep\n      ----", "- [ ] task\n- [x] done", "> quoted\n> # in it\n>\n> in it\n> -----",
    "> ### Goblin\n> *Small humanoid*\n>\n> |STR|DEX|\n> |---|---|\n> | 8 | 14|", "> > # deep", ">#in it\nlazy",
    "<div>\n# in it\n</div>", '<div class="x">\n\ntext\n\n</div>', "<!-- # in it -->", "<!--\n\n# in it\n\nin it\n=====\n-->",
    "<script>\n\n# in it\n</script>", "<pre>\n# in it\n\n## in it</pre>", "<style>\n# in it\n</style>", "<?php\n\n# in it\n?>",
    "<![CDATA[\n\n# in it\n]]>", "<!DOCTYPE html>", "<table>\n<tr><td>\n# in it\n</td></tr>\n</table>", "<br>", "<custom-tag>\n# in it",
    "[r]: /u", "[R]: <u> 'a\ntitle'", "[r]:\n/u\n\"over\nlines\"", "[^1]: a note", "![map](/m.png)",
    "\x0c", "before\x0c# no", "a\u2028# no\u2029# no\x85# no", "a\x0b# no\x1c# no" + " and more text" * 8, "\u200b", "\u200b# no", "\u202eturned\u202c",
    "nul \x00 and \ud800 and \udfff" + " and more text" * 20, "\ufeff# no", "x" * 3_000, "word " * 600, "龍" * 900, "قواعد " * 90, "🐉 " * 90,
    "   \n\t\n   ", "--", "=", "=== no", "$$\nx\n$$", ":::note\ntext\n:::", "&nbsp;", "\\", "`code` and ``more` code``", "`open",
)
"""Closed where a blank line follows, and without a heading of the book."""

blocks = st.one_of(
    st.sampled_from(BLOCKS),
    st.sampled_from(BLOCKS),
    st.builds(
        fenced, st.sampled_from("`~"), st.integers(3, 8), st.integers(0, 1), st.sampled_from(("", "", "md", " py x", " {.x}")),
        st.lists(st.sampled_from((*_HIDDEN, "FENCE", "SHORT", "    # x", "> # x", "<!--", "-->")), max_size=5),
    ),
    st.builds(
        under, st.sampled_from(("> ", ">", "- ", "* ", "1. ", "10) ", "> > ", "> - ")),
        st.lists(st.sampled_from(("a", *_HIDDEN[:3], "```\n# hidden\n```", "<div>\n# hidden\n</div>")), min_size=1, max_size=4),
    ),
)

FRONT: Final = (
    "---\ntitle: x\n---", "---\ntitle: a: b\ntags: [a]\n# by hand\nlayout: none\n---", "---\n# made by hand\n\nkey:\n  - a\n  - b\n...",
    "--- \nlong key: |\n  ## in it\n\n  text\n---  ",
)
OPENINGS: Final = ("A word before.", "By nobody\nin no year", "> # quoted", "---", "<!-- a\n\n# comment -->", "    # code")

# --- books --------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Chapter:
    """A heading and what stands under it; ``tight`` without a blank line between them."""

    head: Head
    body: tuple[str, ...] = ()
    tight: bool = False

    def markdown(self) -> str:
        """Its lines, the body closed."""
        return f"{self.head.markdown}\n{'' if self.tight else chr(10)}" + "\n\n".join(self.body)


@dataclass(frozen=True, slots=True)
class Book:
    """Chapters, and what stands before the first one."""

    chapters: tuple[Chapter, ...]
    front: str = ""
    opening: str = ""

    def markdown(self) -> str:
        """The whole of it, lines ended by line feeds."""
        before = [f"{part}\n\n" for part in (self.front, self.opening) if part]
        return "".join((*before, *(f"{chapter.markdown()}\n\n" for chapter in self.chapters)))

    def outline(self) -> list[tuple[int, str, str | None]]:
        """Level, title and anchor of every heading."""
        return [(c.head.level, c.head.title, c.head.anchor) for c in self.chapters]

    def edited(self, bodies: Sequence[tuple[str, ...]]) -> Book:
        """The same headings over other texts, taken in turn."""
        return Book(
            tuple(Chapter(c.head, bodies[n % len(bodies)], c.tight) for n, c in enumerate(self.chapters)),
            self.front, self.opening,
        )


bodies = st.lists(blocks, max_size=3).map(tuple)
chapters = st.builds(Chapter, heads, bodies, st.booleans())
_some = st.lists(chapters, min_size=1, max_size=10)
_many = st.builds(
    lambda few, times: few * times, st.lists(chapters, min_size=1, max_size=3), st.integers(2, 40)
)
books = st.builds(
    Book, st.one_of(_some, _some, _some, _some, _some, _many).map(tuple),
    st.sampled_from(("", "", "", *FRONT)), st.sampled_from(("", "", "", *OPENINGS)),
)
"""Well made, with a known outline."""


def ended(text: str, ends: Sequence[str]) -> str:
    """``text`` with other line ends, taken in turn."""
    lines = text.split("\n")
    return "".join(
        line + ("" if number == len(lines) - 1 else ends[number % len(ends)]) for number, line in enumerate(lines)
    )


line_ends = st.sampled_from((("\n",), ("\r\n",), ("\r",), ("\n", "\r\n"), ("\r\n", "\r"), ("\n", "\n", "\r\n")))
"""Never a carriage return and then a line feed alone: the two would be one."""
marks = st.sampled_from(("", "", "\ufeff"))

_UNCLOSED: Final = (
    "```", "~~~~ md", "   ````", "- ```", "> ~~~", "<!--", "<div>", "<script>", "<pre>", "<?", "<![CDATA[", "<!X", "[r]:", "[r]: /u '",
    "|a|\n|-|", "text", "- item", "  - item", "1. item", "> quote", "text\n===", "text\n---", "#", "##\t", "---", "---\ntitle: x", "\ttab",
    "   # three", "    # four", "  setext\n  ---", "text\n    ---", "- text\n===", "> text\n---", "- - - - - - - - - - - - x", ">" * 30,
)
_pieces = st.one_of(
    chapters.map(Chapter.markdown), blocks, st.sampled_from(_UNCLOSED), odd_lines.map("\n".join), st.text(max_size=12),
)


def _joined(pieces: Sequence[tuple[str, str]], mark: str) -> str:
    return mark + "".join(piece + gap for piece, gap in pieces)


_gaps = st.sampled_from(("\n", "\n", "\n\n", "\r\n", "\r", "\n \n", "\r\n\r\n", ""))
wild = st.builds(_joined, st.lists(st.tuples(_pieces, _gaps), min_size=1, max_size=14), marks)
"""Whatever people write: blocks left open, one running into the next, any line ends."""

# --- of any size --------------------------------------------------------------------------------

_WORDS: Final = (
    "the creature makes a saving throw against your spell and takes half as much damage on a success while "
    "the attack roll of a weapon adds the proficiency bonus and an ability modifier unless it is prone"
)


def long_book(size: int, seed: int = 0) -> Iterator[Chapter]:
    """Chapters of about ``size`` characters in all, the same for the same seed: prose and every block."""
    chance = random.Random(seed)
    words = _WORDS.split()
    plain = [title for title in TITLES if len(title[0]) < 80]
    total, number = 0, 0
    while total < size:
        number += 1
        level = 1 if number % 60 == 1 else chance.choice((2, 3, 3, 3, 4, 4, 5, 6))
        title = chance.choice(plain) if chance.random() < 0.3 else (f"Entry {number}", f"Entry {number}")
        anchor = chance.choice((f"a{number}", *ANCHORS)) if chance.random() < 0.1 else None
        form = chance.randrange(140)
        make = setext if level <= 2 and form % 4 == 0 else atx
        body = [" ".join(chance.choices(words, k=chance.randrange(20, 90))) + "." for _ in range(chance.randrange(1, 4))]
        if chance.random() < 0.5:
            body.insert(chance.randrange(len(body) + 1), chance.choice(BLOCKS))
        chapter = Chapter(make(level, title, anchor, form), tuple(body), chance.random() < 0.3)
        total += len(chapter.markdown()) + 2
        yield chapter
