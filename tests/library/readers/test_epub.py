"""EPUB to blocks, bookmarks and pages."""

from __future__ import annotations

from pathlib import Path

import pytest

from mvp_site.errors import LibraryError
from mvp_site.library.readers.epub import read_epub
from mvp_site.library.types import Text

from .books import epub


def blocks(text: Text) -> list[tuple[str, int]]:
    return [(block.text, block.level) for block in text.blocks]


@pytest.mark.parametrize(("body", "expected"), [
    ("<h1>A <b>b</b><br/>c</h1><p>d</p>e", [("A b c", 1), ("d", 0), ("e", 0)]),
    ("<h2><div>a</div><div>b</div></h2><h6>c</h6>", [("a b", 2), ("c", 6)]),
    ("<ul><li>a<ul><li>b</li></ul></li><li><p>c</p></li></ul>", [("a", 0), ("b", 0), ("c", 0)]),
    ("<blockquote><p>a</p><p>b</p></blockquote>", [("a", 0), ("b", 0)]),
    ("<p><b>AC</b> 1<br/>HP 2</p>", [("AC 1", 0), ("HP 2", 0)]),
    ("<dl><dt>a</dt><dd>b</dd></dl>", [("a", 0), ("b", 0)]),
    ("<table><caption>t</caption><tr><th>a</th><th>b</th></tr><tr><td>1<p>2</p></td><td>3</td></tr></table>x",
     [("t\na | b\n1 2 | 3", 0), ("x", 0)]),
    ("<table><tr><td>a</td></tr><tr><td>b</td></tr></table>", [("a", 0), ("b", 0)]),
    ("<table><tr><td>a<table><tr><td>i</td><td>j</td></tr></table></td><td>b</td></tr></table>", [("a i j | b", 0)]),
    ("<p>a&nbsp;b &eacute; &lt;i&gt;</p>", [("a b é <i>", 0)]),
    ("<p>a<script>x</script> b<style>y</style><!-- c --> d</p>", [("a b d", 0)]),
    ("<p>not <b>well</p><p>formed", [("not well", 0), ("formed", 0)]),
    ('<nav epub:type="landmarks"><ol><li>x</li></ol></nav><p>a</p>', [("a", 0)]),
])
def test_structure(tmp_path: Path, body: str, expected: list[tuple[str, int]]) -> None:
    found = read_epub(epub(tmp_path / "a.epub", body))
    assert blocks(found) == expected
    assert found.title == "The Book"
    assert found.pages == 0


NAV = """<nav epub:type="toc"><ol>
<li><span>Part</span><ol><li><a href="text/a%20chapter0.xhtml">One</a>
<ol><li><a href="./text/../text/a%20chapter1.xhtml#deep">Deep</a></li></ol></li></ol></li>
<li><a href="text/a%20chapter1.xhtml#nowhere">Two</a></li>
<li><a href="http://elsewhere/x">Out</a></li><li><a href="../../etc/passwd">Up</a></li></ol></nav>"""
NCX = """<!DOCTYPE ncx PUBLIC "-//NISO//DTD ncx 2005-1//EN" "http://www.daisy.org/z3986/2005/ncx-2005-1.dtd">
<ncx xmlns="http://www.daisy.org/z3986/2005/ncx/"><navMap>
<navPoint><navLabel><text>Part</text></navLabel><navPoint><navLabel><text>One</text></navLabel>
<content src="text/a%20chapter0.xhtml"/><navPoint><navLabel><text>Deep</text></navLabel>
<content src="text/a%20chapter1.xhtml#deep"/></navPoint></navPoint></navPoint>
<navPoint><navLabel><text>Two</text></navLabel><content src="text/a%20chapter1.xhtml"/></navPoint>
</navMap></ncx>"""


@pytest.mark.parametrize("contents", [{"nav": NAV}, {"ncx": NCX}, {"nav": NAV, "ncx": "<broken"}])
def test_contents_are_bookmarks(tmp_path: Path, contents: dict[str, str]) -> None:
    found = read_epub(epub(
        tmp_path / "a.epub", "<h1>One</h1><p>x</p>", "<h1>Two</h1><p>y <i id='deep'>z</i></p>", **contents))
    assert [(one.title, one.level, one.block) for one in found.bookmarks] == [
        ("Part", 1, 0), ("One", 2, 0), ("Deep", 3, 3), ("Two", 1, 2)]


def test_a_page_list_gives_pages(tmp_path: Path) -> None:
    nav = """<nav epub:type="toc"><ol><li><a href="text/a%20chapter0.xhtml#two">C</a></li></ol></nav>
    <nav epub:type="page-list"><ol><li><a href="text/a%20chapter0.xhtml#one">xi</a></li>
    <li><a href="text/a%20chapter0.xhtml#two">12</a></li></ol></nav>"""
    found = read_epub(epub(tmp_path / "a.epub", '<p>cover</p><p id="one">a</p><p id="two">b</p><p>c</p>', nav=nav))
    assert [block.page for block in found.blocks] == [1, 2, 3, 3]
    assert (found.pages, found.labels, found.bookmarks[0].block) == (3, ("", "xi", "12"), 2)


def test_what_is_missing_is_noted(tmp_path: Path) -> None:
    from .books import TEXT, opf

    items = f'<item id="a" href="text/a%20chapter0.xhtml" media-type="{TEXT}"/><item id="b" href="b.xhtml" media-type="{TEXT}"/>'
    path = epub(tmp_path / "a.epub", "<p>a</p>", **{"OEBPS/book.opf": opf(items, '<itemref idref="a"/><itemref idref="b"/><itemref idref="c"/>')})
    assert read_epub(path).notes == ("OEBPS/b.xhtml is missing from the file.",)


def encryption(way: str, part: str) -> str:
    return f"""<encryption xmlns:enc="http://www.w3.org/2001/04/xmlenc#"><enc:EncryptedData>
    <enc:EncryptionMethod Algorithm="{way}"/><enc:CipherData><enc:CipherReference URI="{part}"/>
    </enc:CipherData></enc:EncryptedData></encryption>"""


def test_protection(tmp_path: Path) -> None:
    part = "OEBPS/text/a%20chapter0.xhtml"
    aes = "http://www.w3.org/2001/04/xmlenc#aes128-cbc"
    where = "META-INF/encryption.xml"
    fonts = epub(tmp_path / "f.epub", "<p>a</p>", **{where: encryption("http://www.idpf.org/2008/embedding", "OEBPS/f.otf")})
    assert blocks(read_epub(fonts)) == [("a", 0)]
    with pytest.raises(LibraryError, match=r"is protected \(DRM\)"):
        read_epub(epub(tmp_path / "p.epub", "<p>a</p>", **{where: encryption(aes, part)}))
