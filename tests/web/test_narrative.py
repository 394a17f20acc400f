"""What a model tells, as HTML: emphasis and speech, and nothing else of it is markup."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mvp_site.web.narrative import story_of


@pytest.mark.parametrize(("text", "told"), [
    ("*It* is **here**.\nNow.", "<p><em>It</em> is <strong>here</strong>.<br>\nNow.</p>"), ("One.\n\nTwo.", "<p>One.</p>\n<p>Two.</p>"), ("a_b_c 2 * 3 * 4", "<p>a_b_c 2 * 3 * 4</p>"),
    ("“Go *now*.” He left.", '<p><span class="speech">“Go </span><em><span class="speech">now</span></em><span class="speech">.”</span> He left.</p>'),
    ('A 10" pole, "she said".', '<p>A 10&#34; pole, <span class="speech">&#34;she said&#34;</span>.</p>'), ("„Halt“, ruft er.", '<p><span class="speech">„Halt“</span>, ruft er.</p>'), ("«Oui»", '<p><span class="speech">«Oui»</span></p>'),
    ("“Not ended\n\nNext.", '<p><span class="speech">“Not ended</span></p>\n<p>Next.</p>'), ("- a\n- b", "<ul>\n<li>a</li>\n<li>b</li>\n</ul>"), ("", ""),
    ("# Head\n\n![p](x) [l](javascript:y) <b>z</b> `c` https://a.example", "<p># Head</p>\n<p>![p](x) [l](javascript:y) &lt;b&gt;z&lt;/b&gt; `c` https://a.example</p>"),
])
def test_a_story_is_told(text: str, told: str) -> None:
    assert str(story_of(text)).strip() == told


@given(st.text("“”„\"«»*_ab<>[]()!\\n#-1. &"))
def test_any_text_is_safe_and_its_tags_are_closed(text: str) -> None:
    html = str(story_of(text))
    tags = re.findall("<(/?)([a-z]+)([^>]*)>", html)
    assert {name for _, name, _ in tags} <= {"p", "em", "strong", "br", "hr", "ul", "ol", "li", "span"}
    assert {more for _, _, more in tags if more} <= {' class="speech"', *(f' start="{n}"' for n in range(120))}
    open_: list[str] = []
    for ends, name, _ in tags:
        if ends:
            assert open_.pop() == name
        elif name not in {"br", "hr"}:
            open_.append(name)
    assert open_ == []
