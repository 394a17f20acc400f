"""What a build takes over: sayings are encoded once, for all parts and all builds."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from mvp_site.errors import EncoderError
from mvp_site.retrieval import rebuild, talk, text_cache
from mvp_site.retrieval.encoder import HashingEncoder
from mvp_site.retrieval.index import VectorCache
from mvp_site.retrieval.situations import Situation
from mvp_site.settings import Settings

from ..conftest import settings_under
from ..few_sayings import SAYINGS

MORE = (*SAYINGS, Situation("swimming", ("into the river", "we wade"), "swimming, water"))


def encoded(settings: Settings, table: tuple[Situation, ...] = SAYINGS, dimension: int = 64) -> int:
    """How many texts a build encodes for a table, whose vectors it has in the end."""
    encoder = HashingEncoder(dimension)
    cache = VectorCache(encoder)
    rebuild.encode_texts(settings, talk.texts(table), encoder, cache)
    count = encoder.encoded
    vectors, _ = cache.encode(talk.texts(table))
    assert encoder.encoded == count
    assert np.array_equal(vectors, HashingEncoder(dimension).encode(talk.texts(table)))
    return count


def test_what_was_encoded_is_kept_for_the_next_build(tmp_path: Path) -> None:
    settings = settings_under(tmp_path)
    every = len(set(talk.texts(SAYINGS)))
    assert encoded(settings) == every
    assert (settings.mvp_site_data_dir / text_cache.SHELF).is_dir()
    assert not (settings.prompt_index_dir / text_cache.SHELF).exists()
    assert encoded(settings) == 0
    assert encoded(settings, MORE) == len(set(talk.texts(MORE))) - every
    assert encoded(settings, MORE) == 0
    assert encoded(settings) == 0


def test_vectors_of_another_encoder_are_none(tmp_path: Path) -> None:
    settings = settings_under(tmp_path)
    assert encoded(settings) == encoded(settings, dimension=32) > 0


def test_what_the_prompts_have_encoded_is_taken_over(tmp_path: Path) -> None:
    settings = settings_under(tmp_path)
    encoder = HashingEncoder()
    vectors, keys = VectorCache(encoder).encode(talk.texts(SAYINGS))
    text_cache.keep(settings.prompt_index_dir, encoder.fingerprint, vectors, keys)
    assert encoded(settings) == 0
    assert not (settings.mvp_site_data_dir / text_cache.SHELF).exists()


def test_what_is_known_is_neither_encoded_nor_kept_again(tmp_path: Path) -> None:
    settings, encoder = settings_under(tmp_path), HashingEncoder()
    cache = VectorCache(encoder)
    cache.encode(talk.texts(SAYINGS))
    before = encoder.encoded
    rebuild.encode_texts(settings, talk.texts(SAYINGS), encoder, cache)
    assert encoder.encoded == before
    assert not settings.mvp_site_data_dir.exists()


@pytest.mark.parametrize("content", [b"", b"no array", None], ids=["empty", "other", "gone"])
def test_damaged_vectors_are_none(tmp_path: Path, content: bytes | None) -> None:
    settings = settings_under(tmp_path)
    every = encoded(settings)
    for file in (settings.mvp_site_data_dir / text_cache.SHELF).rglob("*.npy"):
        file.unlink()
        if content is not None:
            file.write_bytes(content)
    assert encoded(settings) == every
    assert encoded(settings) == 0


def test_progress_is_told_of_what_is_encoded(tmp_path: Path) -> None:
    settings, encoder = settings_under(tmp_path), HashingEncoder()
    told: list[tuple[int, int]] = []
    for _ in range(2):
        rebuild.encode_texts(settings, talk.texts(SAYINGS), encoder, VectorCache(encoder), lambda *now: told.append(now))
    every = len(set(talk.texts(SAYINGS)))
    assert told == [(every, every)]


def test_the_encoder_of_a_release_is_opened_or_is_the_one_that_is_given(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings, given, found = settings_under(tmp_path), HashingEncoder(32), HashingEncoder(64)
    asked: list[object] = []

    def opened(*args: object) -> HashingEncoder:
        asked.append(args)
        return found

    monkeypatch.setattr(rebuild, "open_by_fingerprint", opened)
    assert rebuild.encoder_of(settings, given.fingerprint, "m", given, "the book x", "build it") is given
    assert not asked
    assert rebuild.encoder_of(settings, "onnx-1", "m", None, "the book x", "build it") is found
    assert asked == [(settings.encoder_dir, "onnx-1", "m", settings.prompt_encoder_threads)]
    with pytest.raises(EncoderError, match=f"the book x was built with onnx-1, not with {given.fingerprint}; .* same encoder: build it"):
        rebuild.encoder_of(settings, "onnx-1", "m", given, "the book x", "build it")
