"""Lines on a page to paragraphs, tables and headings; running lines left out."""

from __future__ import annotations

from mvp_site.library.readers.layout import LineSegment
from mvp_site.library.readers.paragraphs import blocks
from mvp_site.library.readers.running import PageSegments, strip

PROSE = "the keeper of the gate counts every lantern before the"


def line(text: str, x: float, y: float, size: float = 10, bold: bool = False, width: float = 0) -> LineSegment:
    return LineSegment(text, x, x + (width or len(text) * size / 2), y, size, bold, bold, size / 4)


def column(x: float, top: float, texts: list[str] | str, width: float = 0) -> list[LineSegment]:
    """Lines below each other; of a name six that begin with it."""
    rows = [f"{texts}{n} walks the long road home" for n in range(6)] if isinstance(texts, str) else texts
    return [line(text, x, top - 12 * n, width=width) for n, text in enumerate(rows)]


def read(*pages: list[LineSegment]) -> list[tuple[int, str]]:
    return [(block.level, block.text) for block in blocks(pages, [800] * len(pages))]


def texts(*pages: list[LineSegment]) -> list[str]:
    return [text for _, text in read(*pages)]


COLUMNS = [
    *column(50, 700, "a", 150), *column(220, 700, "b", 150), *column(390, 700, "c", 150),
    line("A title that spans all of the columns of this page and more", 50, 750, 20),
    line("A line below that spans all of the columns of this page, in small letters, to its right end", 50, 600),
    *column(50, 560, "d", 250), *column(320, 560, "e", 250),
]
PARTED = [*column(50, 700, "a", 150), *column(220, 700, "b", 150), line("Chapter", 50, 605, 20), *column(50, 575, "c", 150)]


def test_columns_are_read_one_after_the_other():
    for page, order in (
        (COLUMNS, ["A title", "a0", "a5", "b0", "b5", "c0", "c5", "A line below", "d0", "d5", "e0", "e5"]),
        ([*PARTED, *column(220, 575, "d", 150)], ["a0", "b0", "Chapter", "c0", "d0"]),  # it stands over both columns below it
        (PARTED, ["a0", "Chapter", "c0", "b0"]),  # the right column has ended before
    ):
        joined = " ".join(texts(page))
        places = [joined.index(mark) for mark in order]
        assert places == sorted(places)


def test_stat_blocks_side_by_side_are_no_table():
    def creature(x: float, top: float) -> list[LineSegment]:
        scores = [line(cell, x + 40 * k, top - 30 - 14 * n) for n, name in enumerate(("STR", "DEX", "CON", "INT", "WIS", "CHA"))
                  for k, cell in enumerate((name, "10", "+0"))]
        return [line("Speed 30 ft.", x, top), line("Senses none", x, top - 13), *scores]

    found = texts([s for top in (700, 580, 460, 340) for s in (*creature(50, top), *creature(300, top - 5.5))])
    assert found == found[:2] * 8
    assert found[1].splitlines()[0] == "STR | 10 | +0"


def test_tables_are_rows_and_widened_spaces_are_none():
    rows = [("Club", "1 sp", "1d4 bludgeoning"), ("Dagger", "2 gp", "1d4 piercing"), ("Mace", "5 gp", "1d6 bludgeoning")]
    cells = [line(cell, x, 700 - 16 * n) for n, row in enumerate(rows) for cell, x in zip(row, (50, 150, 250), strict=True)]
    assert texts([*cells, line("and thunder", 250, 656)]) == [
        "Club | 1 sp | 1d4 bludgeoning\nDagger | 2 gp | 1d4 piercing\nMace | 5 gp | 1d6 bludgeoning and thunder"]
    words = [("gates", 50, 75, 700), ("open", 98, 118, 700), ("wide", 141, 161, 700),
             ("doors", 50, 76, 688), ("stay", 101, 116, 688), ("shut", 141, 161, 688)]
    assert texts([*(LineSegment(*word, 10) for word in words), *column(50, 676, ["at all of these hours", "of the longest night"], 111)]) == [
        "gates open wide doors stay shut at all of these hours of the longest night"]


def test_hyphens_at_a_lines_end():
    for first, second, elsewhere, joined in (
        ("They carried lan-", "terns home at night.", "", "They carried lanterns home at night."),
        ("They carried lan\u00ad", "terns home at night.", "", "They carried lanterns home at night."),
        ("He is well-", "known in every town.", "A well-known man.", "He is well-known in every town."),
        ("He is half-", "Elven by his mother.", "", "He is half-Elven by his mother."),
        ("The years 1320-", "1340 were quite dry.", "", "The years 1320-1340 were quite dry."),
        ("It comes to an end –", "or so it is said.", "", "It comes to an end – or so it is said."),
    ):
        assert texts([*column(50, 700, [first, second], 200), *([line(elsewhere, 50, 500)] if elsewhere else [])])[0] == joined


def test_where_paragraphs_begin():
    for above, below, count in (
        (line("It ends here.", 50, 700, width=100), line("Another starts.", 50, 688, width=250), 2),
        (line("It goes on and on and", 50, 700, width=250), line("Then it ends.", 50, 688, width=100), 1),
        (line("It goes on, with", 50, 700, width=250), line("a gap below it.", 50, 670, width=250), 2),
        (line("It ends here, in full.", 50, 700, width=250), line("Indented is new.", 62, 688, width=238), 2),
        (line("A list of things:", 50, 700, width=250), line("• one of these", 50, 688, width=250), 2),
        (line("Small text", 50, 700, 8, width=250), line("and larger text.", 50, 688, width=250), 2),
        (line("Bold alone", 50, 700, bold=True, width=250), line("Then a text.", 50, 688, width=250), 2),
    ):
        assert len(texts([above, below])) == count


def test_a_paragraph_runs_over_columns_and_pages():
    columns = [*column(50, 700, [f"{PROSE},"] * 5, 220), *column(320, 700, [f"{PROSE},"] * 5, 220)]
    found = texts(columns, [line("night falls.", 50, 700), line("Morning.", 50, 670)])
    assert [text.count("keeper") for text in found] == [10, 0]
    assert found[0].endswith("night falls.")


def test_headings_are_ranked_by_size_then_bold():
    body = [PROSE.capitalize(), PROSE, PROSE]
    page = [
        line("The Book of", 50, 760, 30), line("Lanterns", 50, 726, 30), line("Chapter", 50, 690, 20), *column(50, 670, body, 250),
        line("Section", 50, 610, 14), *column(50, 590, body, 250), line("Run of the mill", 50, 536, bold=True),
        *column(50, 524, body, 250), line("LANTERNS & OIL", 50, 470), *column(50, 450, body, 250),
        line("• Item in bold", 50, 400, bold=True),
        line("This is a lead paragraph in letters that are larger than those of the text.", 50, 380, 12),
    ]
    assert [(level, text) for level, text in read(page) if level] == [
        (1, "The Book of Lanterns"), (2, "Chapter"), (3, "Section"), (4, "Run of the mill"), (4, "LANTERNS & OIL")]


def test_a_drop_capital_is_joined_to_its_word():
    for capital, rest, opening in (("O", "nce there was", "Once there was"), ("A", "dragon comes", "A dragon comes"), ("A", "rmour is worn", "Armour is worn")):
        ((level, text),) = read([
            line(capital, 50, 676, 36, width=24), *column(76, 700, [rest, "a long way from home and", "nobody knew its name,"], 224),
            line("which was a dragon like any dragon.", 50, 664, width=250),
        ])
        assert level == 0
        assert text.startswith(opening)


def test_a_table_of_contents_is_left_out_but_no_list_of_prices():
    entries = [("Armour", 9), ("Weapons", 12), ("Poisons", 40), ("Traps", 47)]
    contents = column(50, 700, [f"{name} . . . . . . . . {n}" for name, n in entries])
    assert texts([line("Contents", 50, 730, 20), *contents, line("Ends.", 50, 500)]) == ["Contents", "Ends."]
    assert texts(column(50, 700, [f"{name} ....... {n} gp" for name, n in entries]))[0] == "Armour | 9 gp"
    assert texts([], []) == []


def sheet(*outer: tuple[str, float], body: str = PROSE, size: float = 8) -> PageSegments:
    return PageSegments((*(line(text, 50, y, size) for text, y in outer), line(body, 50, 400)), 0, 800)


def test_running_lines_are_left_out():
    for pages in (
        [sheet(("The Book", 780), (str(n), 20)) for n in range(1, 9)],
        [sheet((number, 20)) for number in (*["i", "ii", "iii", "iv"], *"123456")],
        [sheet((f"{n} The Book" if n % 2 else f"Lanterns {n}", 780)) for n in range(11, 23)],
        [sheet(*([(f"- {n} -", 20)] if n % 3 else [])) for n in range(3, 12)],
    ):
        assert all([s.text for s in page] == [PROSE] for page in strip(pages))


def test_what_recurs_far_apart_or_in_large_letters_is_no_running_head():
    pages = [sheet(*([("Actions", 780)] if n in {3, 20, 50} else []), body=f"{PROSE} {n}") for n in range(60)]
    for book in (pages, [sheet(("Actions", 780), size=16)] * 9):
        assert [len(page) for page in strip(book)] == [len(page.segments) for page in book]
