"""Scanning: what is new is read, what is gone forgotten, what is bad reported."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from mvp_site.errors import LibraryError
from mvp_site.library import scan as scanning
from mvp_site.library.reading import SECONDS, apart, read_json

from .conftest import ATLAS, SECRETS, Shelf


def ids(shelf: Shelf) -> dict[str, str]:
    return {one.file: one.id for one in shelf.open().sources()}


def test_a_scan_reads_what_is_new_or_changed_and_nothing_else(marches: Shelf) -> None:
    again = marches.scan()
    assert (again.new, again.changed, again.removed, again.built, again.encoded) == ((), (), (), False, 0)
    assert ids(marches) == {"atlas.md": "atlas", "secrets.md": "secrets"}
    marches.write("atlas.md", ATLAS.replace("A fishing town", "A ruined town"))
    changed = marches.scan()
    assert changed.changed == ("atlas",)
    assert 0 < changed.encoded < 4
    assert "ruined" in marches.open().ask("ruined town").results[0].extract


def test_what_moves_keeps_its_id_and_what_is_deleted_is_forgotten(marches: Shelf) -> None:
    marches.write("old/atlas-2.md", ATLAS.replace("Brackwater", "Saltwater"))
    (marches.books / "atlas.md").rename(marches.books / "map of the marches.md")
    found = marches.scan()
    assert (ids(marches)["map of the marches.md"], found.removed) == ("atlas", ())
    (marches.books / "map of the marches.md").unlink()
    shutil.rmtree(marches.books / "old")
    assert marches.scan().removed == ("atlas", "atlas-2")
    assert not marches.open().ask("lantern of reeds").results
    kept = marches.settings.mvp_site_data_dir / "library" / scanning.TEXTS
    assert len([one for one in kept.iterdir() if one.is_dir()]) == 1
    (marches.books / "secrets.md").unlink()
    assert marches.scan().sources == ()
    assert marches.open().ask("lantern of reeds").results == ()


def test_files_of_one_name_or_of_another_script_have_ids_of_their_own(shelf: Shelf) -> None:
    for name in ("a/atlas", "b/atlas", "c/atlas", "\u043a\u043d\u0438\u0433\u0430"):
        shelf.write(f"{name}.md", f"# {name}\n\nText.\n")
    shelf.scan(shelf.books)
    *atlases, other = ids(shelf).values()
    assert sorted(atlases) == ["atlas", "atlas-2", "atlas-3"]
    assert other.startswith("book-")


def test_copies_and_bad_files_are_reported_and_the_rest_indexed(shelf: Shelf) -> None:
    for name, content in {"atlas.md": ATLAS, "copy of atlas.md": ATLAS, "broken.pdf": b"%PDF-1.7 and then nothing", "empty.txt": b""}.items():
        shelf.write(name, content)
    problems = {source.file: source.problem for source in shelf.scan(shelf.books).sources if source.problem}
    assert set(problems) == {"broken.pdf", "copy of atlas.md", "empty.txt"}
    assert all(why.startswith(name) for name, why in problems.items())
    assert "is the same as atlas.md" in problems["copy of atlas.md"]
    assert shelf.open().ask("green light over the water").results[0].title == "Lantern of Reeds"
    with pytest.raises(LibraryError, match=r"broken\.pdf"):
        shelf.open().book("broken")


def test_a_reader_that_dies_or_hangs_stops_nothing(shelf: Shelf, monkeypatch: pytest.MonkeyPatch) -> None:
    path = shelf.write("atlas.md", ATLAS)
    monkeypatch.setitem(SECONDS, "read", 0)
    with pytest.raises(LibraryError, match=r"atlas\.md took longer than 0 s"):
        apart("read", path)

    def dying(_: Path) -> bytes:
        raise LibraryError("atlas.md is damaged")

    monkeypatch.setattr(scanning, "read_json", dying)
    assert shelf.scan(shelf.books).sources[0].problem == "atlas.md is damaged"


def test_a_scan_that_is_killed_goes_on_where_it_was(shelf: Shelf, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(6):
        shelf.write(f"book-{number}.md", ATLAS.replace("Brackwater", f"Town {number}"))
    reads: list[str] = []

    def counting(path: Path) -> bytes:
        if len(reads) == 3:
            raise KeyboardInterrupt
        reads.append(path.name)
        return read_json(path)

    monkeypatch.setattr(scanning, "read_json", counting)
    with pytest.raises(KeyboardInterrupt):
        shelf.scan(shelf.books)
    assert not shelf.settings.mvp_site_data_dir.joinpath("library/index/CURRENT").exists()
    reads.append("none")  # more than three from now on
    shelf.scan(shelf.books)
    assert len(reads) - 1 <= 6 + 1  # one at most was under way when it stopped
    assert len(shelf.open().sources()) == 6


def test_there_must_be_something_to_scan(shelf: Shelf) -> None:
    for folder, says in ((shelf.books / "nowhere", "is no folder"), (None, "has no folder yet")):
        with pytest.raises(LibraryError, match=says):
            shelf.scan(folder)
    folder = shelf.settings.mvp_site_data_dir / scanning.BOOKS  # the one that is scanned by itself
    folder.mkdir(parents=True)
    (folder / "atlas.md").write_text(ATLAS)
    assert len(shelf.scan().sources) == 1
    assert shelf.scan(forget=folder).sources == ()


def test_a_folder_that_is_gone_is_not_forgotten_by_itself(marches: Shelf) -> None:
    gone = marches.books.with_name("away")
    marches.books.rename(gone)
    with pytest.raises(LibraryError, match="bring it back, or take it out"):
        marches.scan()
    assert marches.open().ask("lantern of reeds").results
    assert marches.scan(forget=marches.books).sources == ()
    shutil.rmtree(gone)


def test_a_folder_in_a_folder_is_scanned_once(marches: Shelf) -> None:
    marches.write("more/secrets.md", SECRETS.replace("wraith", "ghoul"))
    assert len(marches.scan(marches.books / "more").sources) == 3
    above = marches.scan(marches.books.parent)
    assert len(above.sources) == 3
    assert above.removed == ()
    assert marches.scan(forget=marches.books.parent).removed == ()


def test_who_may_see_a_folder_is_said_once_and_a_folder_in_it_may_be_for_others(shelf: Shelf) -> None:
    shelf.write("atlas.md", ATLAS)
    shelf.write("secret/truth.md", "# The truth\n\nThe ferryman is the smuggler king.\n")
    shelf.scan(shelf.books)
    shelf.scan(shelf.books / "secret", audience="dm")
    for again in (None, shelf.books, shelf.books / "secret", shelf.books.parent):  # also a folder around it
        shelf.scan(again)
        assert {one.id: one.audience for one in shelf.open().sources()} == {"atlas": "player", "truth": "dm"}
    with pytest.raises(LibraryError, match="would be scanned again, for player"):
        shelf.scan(forget=shelf.books / "secret")
    shelf.scan(shelf.books, audience="dm")
    assert not shelf.open().ask("lantern of reeds").results
    assert shelf.open().ask("lantern of reeds", audience="dm").results


def test_a_scan_that_is_killed_while_it_encodes_goes_on_there(shelf: Shelf) -> None:
    text = "".join(f"# Room {number}\n\nIn room {number} stands statue {number * 7}.\n\n"
                   for number in range(1_500))
    shelf.write("rooms.md", text)

    def killed(stage: str, done: int, of: int) -> None:
        if stage == "encoding passages" and done >= 1_024:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        shelf.scan(shelf.books, progress=killed)
    before = shelf.encoder.encoded
    found = shelf.scan(shelf.books)
    assert found.built
    assert shelf.encoder.encoded - before < 1_000
    assert not (shelf.settings.mvp_site_data_dir / "library" / "encoded").exists()
