"""Scanning: the folders of the library looked through, what is new read, the index published.

A file is known by its content: what was read of it is kept under its digest, so that a scan reads
only what is new or changed, whatever moved, and one that was killed goes on where it was. A file
that cannot be read is reported with its reason and the others are indexed; what was deleted is
forgotten.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path
from typing import Final

import msgspec

from ..content.own_files import extracted_folder
from ..content.slugs import slug_of
from ..errors import CorruptIndexError, LibraryError, MissingIndexError
from ..releases.bundles import building, read_bundle, write_bundle
from ..retrieval.building import Progress
from ..retrieval.encoder import Encoder
from ..settings import Settings, settings_of
from ..text.normalising import clean
from ..types import AUDIENCES, Audience, audiences_of
from .book import DM_PART, LibraryBook, LibrarySource
from .build import LibraryManifest, Root, folder_of, manifest_of, publish, store_of
from .entity_files import withhold
from .reading import PLAIN, ReadFile, files_of, read_json
from .types import Text

READING: Final = 6
"""Raised whenever the same file gives another text or other contents."""
TEXTS: Final = "texts"
BOOKS: Final = "books"
"""The folder in the data folder that is scanned where no other was ever named."""
_FILE: Final = "read.json"


@dataclass(frozen=True, slots=True)
class Scanned:
    """What a scan did.

    ``sources`` are all that the library has now, those with a problem among them, by title;
    ``new``, ``changed`` and ``removed`` are ids. ``read_pages`` pages were read in
    ``read_seconds``, and ``encoded`` texts encoded in ``encode_seconds``. ``refused`` are paths
    that were left out, each with why, and ``ignored`` counts files of other kinds by suffix.
    ``withheld`` are files of extracted entities whose books players may not see: the next build of
    the entities leaves them out.
    """

    sources: tuple[LibrarySource, ...]
    new: tuple[str, ...]
    changed: tuple[str, ...]
    removed: tuple[str, ...]
    refused: Mapping[str, str]
    ignored: Mapping[str, int]
    read_pages: int
    read_seconds: float
    encoded: int
    encode_seconds: float
    built: bool
    withheld: tuple[str, ...] = ()

    def left_out(self, *, copies: bool) -> tuple[str, ...]:
        """Why files were not read: as another has their content, or for other reasons."""
        read = {source.digest for source in self.sources if not source.problem}
        return tuple(source.problem for source in self.sources
                     if source.problem and (source.digest in read) is copies)


@dataclass(frozen=True, slots=True)
class _File:
    """A file of the library; ``name`` is its path below the root."""

    root: Root
    path: Path
    name: str
    digest: str


def scan(settings: Settings | None = None, folder: Path | None = None, *,
         audience: Audience | None = None, forget: Path | None = None, force: bool = False,
         encoder: Encoder | None = None, progress: Progress | None = None) -> Scanned:
    """Bring the library up to date with its folders; ``folder`` becomes one of them.

    What ``folder`` holds is for ``audience`` and those above it, by default as before, or as the
    folder around it, else for players. ``forget`` is a folder that is taken out. With ``force``
    every book is read again. ``encoder`` takes the place of the settings' one. ``progress`` is told
    (stage, done, of).

    Raises:
        LibraryError: there is no such folder, or none to scan.
        EncoderError: there is no encoder.
        BuildError: another scan holds the lock, or the index cannot be written.
    """
    settings = settings_of(settings)
    report = progress or (lambda _stage, _done, _of: None)
    place = folder_of(settings)
    with building(place):
        _make_private(place)
        before = _served(settings)
        roots = _roots_of(settings, before, folder, audience, forget)
        files, refused, ignored = _files(roots, settings.mvp_site_data_dir.resolve())
        started = time.perf_counter()
        reads, problems, pages = _read(place / TEXTS, files, report)
        read_seconds = time.perf_counter() - started
        books = [*_books(files, reads, problems, before.sources if before else ())]
        started = time.perf_counter()
        sources = tuple(sorted(
            (book.source for book in books), key=lambda source: (source.title.casefold(), source.id)
        ))
        manifest = publish(settings, roots, sources,
                           [book for book in books if not book.source.problem], force=force,
                           encoder=encoder, progress=report)
        withheld = withhold(extracted_folder(settings), frozenset(
            source.id for source in sources if source.audience != "player"
        ))
        _prune(place / TEXTS, {_kept_name(file.digest) for file in files})
        _make_private(place, *place.rglob("*"))
    old = {source.id: source.digest for source in before.sources} if before else {}
    new = {source.id: source.digest for source in sources}
    return Scanned(sources, tuple(sorted(new.keys() - old.keys())),
                   tuple(sorted(id_ for id_ in new.keys() & old.keys() if new[id_] != old[id_])),
                   tuple(sorted(old.keys() - new.keys())), refused, ignored, pages, read_seconds,
                   manifest.encoded, time.perf_counter() - started, manifest.built, withheld)


def _roots_of(settings: Settings, before: LibraryManifest | None, folder: Path | None,
              audience: Audience | None, forget: Path | None) -> tuple[Root, ...]:
    """The folders that a scan looks through."""
    roots = {Path(root.path): root for root in before.roots} if before else {}
    if forget is not None:
        own = forget.expanduser().resolve()
        if roots.pop(own, None) is None:
            raise LibraryError(f"{forget} is no folder of the library; its folders are "
                               f"{', '.join(map(str, roots)) or 'none'}")
        for root in roots.values():
            if own.is_relative_to(root.path):
                raise LibraryError(f"{forget} lies in {root.path}, with which its books would be "
                                   f"scanned again, for {root.audience}: move it elsewhere first")
    default = settings.mvp_site_data_dir / BOOKS
    if folder is None and forget is None and not roots and default.is_dir():
        folder = default
    if folder is not None:
        own = _resolved(folder)
        above = [root for path, root in roots.items() if own.is_relative_to(path)]
        around = max(above, key=lambda root: len(root.path), default=Root(""))
        if not above or audience not in {None, around.audience}:
            roots[own] = Root(str(own), audience or around.audience)
    if not roots and forget is None:
        raise LibraryError(f"the library has no folder yet: put books into {default}, or name the "
                           "folder they are in: mvp-site library scan FOLDER")
    for path in roots:
        if not path.is_dir():
            raise LibraryError(f"{path} is not there, and its books would be forgotten: bring it "
                               f"back, or take it out: mvp-site library scan --forget {path}")
    return tuple(roots[path] for path in sorted(roots))


def _resolved(folder: Path) -> Path:
    own = folder.expanduser().resolve()
    if not own.is_dir():
        raise LibraryError(f"{folder} is no folder: name the folder that your books are in")
    if clean(str(own)) != str(own):
        raise LibraryError(f"{_printable(own)}: the folder's name is not UTF-8: rename it")
    return own


def _served(settings: Settings) -> LibraryManifest | None:
    store = store_of(settings)
    try:
        bundle = store.load()
        return store.read(bundle, lambda bundle: manifest_of(bundle.name, bundle.manifest))
    except (MissingIndexError, CorruptIndexError):
        return None


def _files(roots: Sequence[Root], data: Path,
           ) -> tuple[list[_File], dict[str, str], dict[str, int]]:
    """The files of the roots, but for what the program itself keeps in its ``data`` below one."""
    files: list[_File] = []
    refused: dict[str, str] = {}
    ignored: Counter[str] = Counter()
    for root in roots:
        top = Path(root.path)
        paths, unreadable, counts = files_of(top)
        refused |= {_printable(path): why for path, why in unreadable.items()}
        ignored += counts
        # What is in a folder of its own may be for others.
        others = [path for other in roots if (path := Path(other.path)) not in {top, *top.parents}]
        if not top.is_relative_to(data):
            others.append(data)
        for path in paths:
            if any(map(path.is_relative_to, others)):
                continue
            try:
                with path.open("rb") as handle:
                    digest = hashlib.file_digest(handle, "sha256").hexdigest()
            except OSError as error:
                refused[_printable(path)] = f"cannot be read: {error.strerror}"
            else:
                files.append(_File(root, path, path.relative_to(top).as_posix(), digest))
    return files, refused, dict(sorted(ignored.items(), key=lambda kind: (-kind[1], kind[0])))


def _read(place: Path, files: Sequence[_File], report: Progress,
          ) -> tuple[dict[str, ReadFile], dict[str, str], int]:
    """What each file says, by digest, and why the others say nothing; with the pages read anew."""
    reads: dict[str, ReadFile] = {}
    problems: dict[str, str] = {}
    missing: dict[str, Path] = {}
    pages = 0
    for file in files:
        try:
            content = read_bundle(place, _kept_name(file.digest), "").files[_FILE]
            reads[file.digest] = msgspec.json.decode(content, type=ReadFile)
        except (CorruptIndexError, msgspec.MsgspecError, KeyError):
            missing.setdefault(file.digest, file.path)
    report("reading", 0, len(missing))
    with ThreadPoolExecutor(2) as pool:
        jobs = {pool.submit(read_json, path): digest for digest, path in missing.items()}
        try:
            for done, job in enumerate(as_completed(jobs), 1):
                digest = jobs[job]
                try:
                    content = job.result()
                except LibraryError as error:
                    problems[digest] = str(error)
                else:
                    reads[digest] = msgspec.json.decode(content, type=ReadFile)
                    pages += reads[digest].text.pages
                    place.mkdir(parents=True, exist_ok=True)
                    write_bundle(place, _kept_name(digest), {"reading": READING}, {_FILE: content})
                report("reading", done, len(missing))
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    return reads, problems, pages


def _kept_name(digest: str) -> str:
    return f"{digest[:32]}-{READING}"


def _books(files: Sequence[_File], reads: Mapping[str, ReadFile], problems: Mapping[str, str],
           before: Sequence[LibrarySource]) -> Iterator[LibraryBook]:
    """A book a file, and one of its secrets.

    One that says nothing, or what another says, has a problem and no text. A copy is listed for the
    game master alone.
    """
    audiences = {file.path: _audience(file, reads.get(file.digest)) for file in files}
    ids = _ids(files, before, audiences)
    first_by_digest: dict[tuple[str, Audience], _File] = {}
    for file in files:
        path, read = file.path, reads.get(file.digest)
        source = LibrarySource(ids[path], path.stem, file.name, file.root.path,
                               path.suffix[1:].lower(), file.digest, audience=audiences[path],
                               problem=problems.get(file.digest, ""))
        # A copy for other readers is a book of its own: theirs would vanish otherwise.
        if (other := first_by_digest.setdefault((file.digest, audiences[path]), file)) is not file:
            source = replace(
                source, audience=_narrower(audiences[path], "dm"),
                problem=f"{path.name} is the same as {other.name}, which is read instead",
            )
        if read is None or source.problem:
            yield LibraryBook(source, Text(source.title, ()), ())
            continue
        text, entries = read.text, read.entries
        yield LibraryBook(replace(source, title=text.title or path.stem, pages=text.pages,
                                  entries=len(entries), notes=text.notes), text, entries)
        if secret := read.secret:
            title = f"{text.title or path.stem} (game master)"
            yield LibraryBook(replace(
                source, id=source.id + DM_PART, digest=source.digest + DM_PART, title=title,
                audience=_narrower(source.audience, "dm"), entries=len(secret.entries),
            ), secret.text, secret.entries)


def _audience(file: _File, read: ReadFile | None) -> Audience:
    """Who may see a file: whom its folder and its front matter let.

    Front matter that nobody could read may have kept it from players.
    """
    unread: Audience = "dm" if file.path.suffix.lower() in PLAIN else "player"
    return _narrower(file.root.audience, read.text.audience if read else unread)


def _narrower(*audiences: Audience) -> Audience:
    return max(audiences, key=AUDIENCES.index)


def _ids(files: Sequence[_File], before: Sequence[LibrarySource],
         audiences: Mapping[Path, Audience]) -> dict[Path, str]:
    """An id a file: that of before at this place, or of the same content, else of its name.

    An id is made of a file's name: of one that was hidden it goes to nobody who did not know it.
    """
    before = [source for source in before if not source.id.endswith(DM_PART)]
    by_place = {(source.root, source.file): source.id for source in before}
    ids = {file.path: id_ for file in files if (id_ := by_place.get((file.root.path, file.name)))}
    former_ids = {(source.digest, source.audience): source.id for source in before
            if source.id not in ids.values()}
    used = {*ids.values(), *former_ids.values()}
    for file in files:
        if file.path in ids:
            continue
        wider = audiences_of(audiences[file.path], LibraryError)
        moved = next((key for level in wider if (key := (file.digest, level)) in former_ids), None)
        if moved is not None:
            ids[file.path] = former_ids.pop(moved)
            continue
        slug = slug_of(file.path.stem)
        stem = slug if slug.isascii() and slug else f"book-{file.digest[:8]}"
        names = (f"{stem}-{number}" if number > 1 else stem for number in count(1))
        ids[file.path] = next(name for name in names if name not in used)
        used.add(ids[file.path])
    return ids


def _printable(path: Path) -> str:
    r"""A path as text; a byte that is none stands as ``\xe9``."""
    return os.fsencode(path).decode("utf-8", "backslashreplace")


def _make_private(*paths: Path) -> None:
    """Close the paths to the machine's other users: the game master's books are among them."""
    for path in paths:
        if not path.is_symlink():
            with suppress(OSError):  # another user's, who has to know
                path.chmod(0o700 if path.is_dir() else 0o600)


def _prune(place: Path, keep: set[str]) -> None:
    for path in place.iterdir() if place.is_dir() else ():
        if path.is_dir() and path.name not in keep:
            shutil.rmtree(path, ignore_errors=True)
