"""The indexes of all versions: which is served, whether it is of the archive as it stands."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Final, Literal

from ..archive.release import IndexManifest, read_manifest
from ..archive.versions import list_built, list_versions, read_version
from ..errors import ArchiveError, IndexLoadError
from ..settings import Settings

Status = Literal["fresh", "stale", "missing", "corrupt", "archive_gone"]
BUILD: Final = "mvp-site index build --version {}"


@dataclass(frozen=True, slots=True)
class ReleaseStatus:
    """A version's index. Without a manifest there is none that can be read."""

    version: str
    status: Status
    manifest: IndexManifest | None = None
    remedy: str | None = None

    def as_json(self) -> dict[str, Any]:
        """As the API gives it."""
        manifest = self.manifest
        found: dict[str, Any] = {
            "version": self.version, "status": self.status, "remedy": self.remedy,
            "release": manifest.fingerprint if manifest else None,
            "floor": manifest.floors.both if manifest else None,
        }
        for name in ("chunks", "passages", "header_tokens", "archive_tokens", "model", "encoder",
                     "header_sha256"):
            found[name] = getattr(manifest, name) if manifest else None
        return found


def release_statuses(settings: Settings) -> list[ReleaseStatus]:
    """The state of every version that is authored or built, by name."""
    authored = list_versions(settings)
    return [
        _status(settings, version, authored=version in authored)
        for version in sorted({*authored, *list_built(settings)})
    ]


def _status(settings: Settings, version: str, *, authored: bool) -> ReleaseStatus:
    build = BUILD.format(version)
    try:
        manifest = read_manifest(settings.prompt_index_dir, version)
        if manifest is None:
            return ReleaseStatus(version, "missing", None, build)
    except IndexLoadError:
        return ReleaseStatus(version, "corrupt", None, f"{build} --force")
    found = ReleaseStatus(version, "fresh", manifest)
    if not authored:
        return replace(found, status="archive_gone")
    try:
        fresh = read_version(settings, version).archive_hash == manifest.archive_hash
    except ArchiveError as error:
        return replace(found, status="stale", remedy=str(error))
    return found if fresh else replace(found, status="stale", remedy=build)
