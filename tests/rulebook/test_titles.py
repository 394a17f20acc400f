"""Titles: no markup, and the anchor that the author gave."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mvp_site.rulebook.markdown import UNTITLED, read_title

CASES: list[tuple[str, str, str | None]] = [
    ("Rage", "Rage", None),
    ("", UNTITLED, None),
    ("  two\nlines ", "two lines", None),
    ("The *Order* of **Combat**", "The Order of Combat", None),
    ("[Rage](/rage 'x') and ![a *shield*](/s.png)", "Rage and a shield", None),
    ("Rock &amp; Roll &copy;", "Rock & Roll ©", None),
    ("Fire <b>bolt</b>", "Fire bolt", None),
    ("<b></b>", "<b></b>", None),
    ("**", "**", None),
    ("\u200b\u200d \u202e", UNTITLED, None),
    ("\u200bRage", "\u200bRage", None),
    ("Rage {#rage}", "Rage", "rage"),
    ("Rage {#Rage:2.b-c_d}", "Rage", "Rage:2.b-c_d"),
    ("Rage {#rage .wide key=val}", "Rage", "rage"),
    ('Rage {key="a b" #rage}', "Rage", "rage"),
    ("Rage {.unnumbered}", "Rage", None),
    ("Rage ## {#rage}", "Rage", "rage"),
    ("{#rage}", UNTITLED, "rage"),
    ("Rage {#}", "Rage {#}", None),
    ("Rage {#rage} again", "Rage {#rage} again", None),
    ('<a id="rage"></a>Rage', "Rage", "rage"),
    ('<a name="a"></a>Rage {#b}', "Rage", "b"),
    ("*Rage* {#rage}", "Rage", "rage"),
    ("x" * 2_000 + " ## {#rage}", "x" * 2_000, "rage"),
]


@pytest.mark.parametrize(("text", "title", "anchor"), CASES, ids=[case[0][-40:] or "empty" for case in CASES])
def test_title_and_anchor(text: str, title: str, anchor: str | None) -> None:
    assert read_title(text) == (title, anchor)


@given(st.one_of(st.text(max_size=80), st.text("{}#.=\"' a-:<>/*`[]()_", max_size=40)))
def test_a_title_is_one_line_and_never_empty(text: str) -> None:
    title, anchor = read_title(text)
    assert title
    assert title == " ".join(title.split())
    assert anchor is None or (anchor and anchor in text and not set(anchor) & set(" {}\n"))
