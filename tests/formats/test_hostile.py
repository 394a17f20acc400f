"""Hostile files of each kind, each read by a process of its own: a named error within 5 s and 500 MiB, measured."""

from __future__ import annotations

import io
import json
import re
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest

READ = """
import re, resource, sys, time
from pathlib import Path
from mvp_site.errors import MvpSiteError
kind, path, place = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3])
def read():
    if kind == "prompts":
        from mvp_site.archive.importing import propose, read_source
        propose(read_source(path))
    elif kind == "books":
        from mvp_site.library.reading import read_json
        read_json(path)
    elif kind == "sheets":
        from mvp_site import SessionNotes, Settings
        SessionNotes.open(Settings(mvp_site_data_dir=place)).import_characters("game", [(path.name, path.read_bytes())])
    else:
        from mvp_site.content.own_files import read_folders
        raise MvpSiteError(str(read_folders([path]).refused[0].reason))
start = time.process_time()
for _ in range(20_000_000):
    pass
unit = time.process_time() - start
start, said = time.process_time(), "it was read"
try:
    read()
except MvpSiteError as error:
    said = str(error)
children = resource.getrusage(resource.RUSAGE_CHILDREN)
spent = time.process_time() - start + children.ru_utime + children.ru_stime
own = re.search(r"VmHWM:\\s+(\\d+) kB", Path("/proc/self/status").read_text())[1]  # ru_maxrss begins with the parent's
print(max(int(own), children.ru_maxrss) // 1024, round(spent / unit, 1), said)
"""
MEMORY, UNITS = 500, 20.0
"""MiB, and what 20 million empty steps of the same process take."""


def _zip(name: str) -> bytes:
    """A zip of a member that swells to 300 MB; made in small parts, for a child's peak begins with its parent's."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("mimetype", "application/epub+zip")
        with archive.open(name, "w") as member:
            for _ in range(300):
                member.write(b"<w:p>" * 200_000)
    return out.getvalue()


def _lying(content: bytes) -> bytes:
    """A zip whose members say that they have ten bytes."""
    at = content.rfind(b"PK\x01\x02")
    return content[: at + 24] + (10).to_bytes(4, "little") + content[at + 28 :]


_ENTRY = {"key": ["mill"], "content": "It turns."}
_LAUGHS = "a: &a [x, x, x, x, x, x, x, x, x]\n" + "".join(f"{key}: &{key} [{', '.join([f'*{above}'] * 9)}]\n" for above, key in zip("abcdefgh", "bcdefghi", strict=True))
FILES: dict[str, tuple[str, str, Any, str]] = {
    "a PNG whose chunk lies": ("prompts", "card.png", b"\x89PNG\r\n\x1a\n\x7f\xff\xff\xf0tEXtchara\0e30=", "cut short"),
    "deep nesting": ("prompts", "deep.json", b"[" * 8_000_000, "nested deeper|not JSON"),
    "deep objects": ("prompts", "objects.json", b'{"a":' * 2_000_000, "nested deeper|not JSON"),
    "100,000 entries": ("prompts", "book.json", json.dumps({"entries": [_ENTRY] * 100_000}).encode(), "100,000 entries"),
    "a file of 17 MiB": ("prompts", "large.json", b'"' + b"x" * (17 << 20) + b'"', "over 16 MiB"),
    "nothing but marks": ("prompts", "marks.md", ("<!-- gm -->\n[secret] :::gm\n<p class='a'>\n- secret:\n" * 10_000).encode(), "it was read"),
    "front matter with aliases": ("prompts", "note.md", f"---\n{_LAUGHS}---\n".encode(), "no text|nothing to import"),
    "a sheet with aliases": ("sheets", "hero.yaml", f"name: A\n{_LAUGHS}".encode(), "alias|nested|larger|too"),
    "a deep sheet": ("sheets", "hero.json", b'{"base":' * 2_000_000, "nested deeper|not JSON|characters"),
    "a PDF form that is none": ("sheets", "hero.pdf", b"%PDF-1.7\n/AcroForm " + b"[" * 4_000_000, "without the filled form"),
    "entities with aliases": ("entities", "own/spells/a.yaml", _LAUGHS.encode(), "alias|nested|larger"),
    "entities of 17 MiB": ("entities", "own/spells/a.json", b'"' + b"x" * (17 << 20) + b'"', "larger than 16 MiB"),
    "a Word document that swells": ("books", "book.docx", _zip, "book.docx"),
    "an EPUB that swells": ("books", "book.epub", _zip, "book.epub"),
    "a Word document that lies about it": ("books", "lying.docx", _zip, "lying.docx"),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", FILES)
def test_a_hostile_file_is_refused_in_bounds(name: str, tmp_path: Path) -> None:
    kind, file, content, said = FILES[name]
    path = tmp_path / file
    path.parent.mkdir(parents=True, exist_ok=True)
    if content is _zip:
        content = _zip("word/document.xml" if "docx" in file else "OEBPS/a.xhtml")
        content = _lying(content) if "lying" in file else content
    path.write_bytes(content)
    done = subprocess.run([sys.executable, "-c", READ, kind, str(tmp_path / "own" if kind == "entities" else path), str(tmp_path / "data")], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-500:]
    memory, units, words = done.stdout.split(" ", 2)
    assert re.search(said, words), words
    assert int(memory) <= MEMORY, (memory, words)
    assert float(units) <= UNITS, (units, words)
