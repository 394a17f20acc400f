#!/usr/bin/env python3
"""Build the index of every prompt version whose content changed; for CI.

Exits 0 when all indexes are current, 1 with a message when one cannot be built. Settings come
from the environment (docs/operations.md); naming versions builds those alone.
"""

from __future__ import annotations

import sys

from mvp_site import Settings, build_prompt_index
from mvp_site.archive.versions import list_versions
from mvp_site.cli.output import tell
from mvp_site.errors import MvpSiteError


def main(versions: list[str]) -> int:
    """Build ``versions``, or all, and say what was done."""
    try:
        settings = Settings()
        names = versions or list_versions(settings)
        if not names:
            tell(f"no prompt version under {settings.prompt_archive_dir}")
            return 1
        for name in names:
            manifest = build_prompt_index(settings, name)
            done = f"built, {manifest.encoded} texts encoded" if manifest.built else "up to date"
            print(f"{name} {manifest.fingerprint}: {done}")
    except (MvpSiteError, OSError) as error:
        tell(f"error: {error}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
