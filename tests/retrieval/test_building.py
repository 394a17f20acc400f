"""What a build takes over: utterances are encoded once, for all parts and all builds."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

from mvp_site.errors import EncoderError
from mvp_site.retrieval import building as rebuild
from mvp_site.retrieval import query_expansion as talk
from mvp_site.retrieval import text_cache
from mvp_site.retrieval.index import VectorCache
from mvp_site.retrieval.topic_files import Topic
from mvp_site.settings import Settings

from ..conftest import settings_under
from ..few_utterances import TOPICS
from ..hashing import HashingEncoder

MORE = (*TOPICS, Topic("swimming", ("into the river", "we wade"), "swimming, water"))


def encoded(settings: Settings, table: tuple[Topic, ...] = TOPICS, dimension: int = 64) -> int:
    """How many texts a build encodes for a table, whose vectors it has in the end."""
    encoder = HashingEncoder(dimension)
    cache = VectorCache(encoder)
    rebuild.encode_texts(settings, talk.texts(table), encoder, cache)
    assert np.array_equal(cache.encode(talk.texts(table))[0], HashingEncoder(dimension).encode(talk.texts(table)))
    assert cache.encoded == encoder.encoded
    return encoder.encoded


def parts(settings: Settings) -> list[Path]:
    return sorted((settings.cache_dir / text_cache.FOLDER).glob("*/*/texts.npy"))


def test_what_was_kept_is_of_one_encoder_for_every_archive(tmp_path: Path) -> None:
    settings, elsewhere = settings_under(tmp_path), settings_under(tmp_path, prompt_archive_dir=tmp_path / "another")
    assert encoded(settings) == encoded(settings, dimension=32) > 0
    assert encoded(elsewhere) == 0
    assert encoded(settings) == encoded(settings, dimension=32) == 0


@pytest.mark.parametrize("file", ["texts.npy", "texts_keys.npy", "manifest.json"])
@pytest.mark.parametrize("content", [b"", b"no array", None], ids=["empty", "other", "gone"])
def test_damaged_vectors_are_none(
    tmp_path: Path, file: str, content: bytes | None, caplog: pytest.LogCaptureFixture
) -> None:
    settings = settings_under(tmp_path)
    every = encoded(settings)
    more = encoded(settings, MORE)
    path = parts(settings)[0].with_name(file)
    path.unlink()
    if content is not None:
        path.write_bytes(content)
    assert encoded(settings, MORE) in {every, more}  # those of the damaged part, and no others
    assert f"kept vectors cannot be used: {path}" in caplog.text
    assert "its texts are encoded again" in caplog.text
    caplog.clear()
    assert encoded(settings, MORE) == 0
    assert not caplog.text


def test_a_folder_that_cannot_be_written_costs_the_next_build_its_time_only(tmp_path: Path) -> None:
    settings = settings_under(tmp_path)
    settings.cache_dir.write_text("a file where the folder should be")
    assert encoded(settings) == encoded(settings) > 0


def test_without_the_extra_nothing_is_told_or_made_before_the_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    told = list[object]()
    with pytest.raises(EncoderError, match=r"needs the extra 'train': pip install 'PATH\[train\]'"):
        rebuild.open_encoder(settings_under(tmp_path, prompt_embed_model="another"), lambda *now: told.append(now))
    assert (told, caplog.records, [*tmp_path.iterdir()]) == ([], [], [])
