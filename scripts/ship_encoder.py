#!/usr/bin/env python3
"""Make the encoder that the package ships again, of the base model and the adapter.

Says how far its vectors agree with those of the one that stands in the package, and fails below a
cosine of .999; with ``--write`` it takes that one's place. Needs the extra ``train``.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
from pathlib import Path

import numpy as np

from mvp_site.errors import MvpSiteError
from mvp_site.retrieval.encoder import BUNDLE, SHIPPED, OnnxEncoder, find_bundle
from mvp_site.settings import DEFAULT_MODEL
from mvp_site.training.export import FIDELITY, PROBES, export_bundle


def main() -> int:
    """Exits 1 where the two do not agree, or one cannot be made."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--write", action="store_true", help="put it into the package")
    write = parser.parse_args().write
    with tempfile.TemporaryDirectory() as folder:
        shelf = Path(folder)
        try:
            name = export_bundle(shelf, precision="int8")
            stands = OnnxEncoder.open(SHIPPED, find_bundle(SHIPPED, DEFAULT_MODEL) or "")
        except MvpSiteError as error:
            print(f"error: {error}")
            return 1
        made = OnnxEncoder.open(shelf, name).encode(PROBES)
        cosine = float(np.min(np.sum(made * stands.encode(PROBES), axis=1)))
        size = sum(file.stat().st_size for file in (shelf / name).iterdir())
        print(f"{name}: {size / 1e6:.1f} MB; a cosine of {cosine:.4f} or more with "
              f"{stands.fingerprint}")
        if write:
            for old in SHIPPED.iterdir():
                if BUNDLE.match(old.name):
                    shutil.rmtree(old)
            shutil.copytree(shelf / name, SHIPPED / name)
            return 0
    return int(cosine < FIDELITY)


if __name__ == "__main__":
    sys.exit(main())
