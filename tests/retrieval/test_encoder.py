"""Encoders: the exported graph, the double, and how a bundle is found again."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mvp_site.errors import CorruptIndexError, EncoderError
from mvp_site.releases.bundles import building, read_bundle, write_bundle
from mvp_site.releases.store import ReleaseStore
from mvp_site.retrieval.building import encoder_of
from mvp_site.retrieval.encoder import (
    GRAPH,
    TOKENIZER,
    OnnxEncoder,
    find_bundle,
    open_by_fingerprint,
    pointer,
)
from mvp_site.settings import Settings

pytestmark = pytest.mark.serving

ANY_TEXT = st.text(st.characters(exclude_categories=()))
TEXTS = [
    "I try to slip past the guard.",
    "A foe of CR 1/4 is worth fifty points; write __DELETE__ to drop a key.",
    "",
    " \n\t",
    "x",
    "漢字かな 😀 e\u0301",
    "\ud800 broken \0 text",
    "The old mill burns. " * 20,
    "The old mill burns. " * 500,
    "x" * 10_000,
]


# --- the exported encoder -----------------------------------------------------------------------


def test_vectors_are_of_unit_length(real_encoder: OnnxEncoder) -> None:
    vectors = real_encoder.encode(TEXTS)
    assert vectors.shape == (len(TEXTS), real_encoder.dimension) == (len(TEXTS), 384)
    assert vectors.dtype == np.float32
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(1, abs=1e-5)


def test_a_vector_does_not_depend_on_its_batch(real_encoder: OnnxEncoder) -> None:
    """To the bit: an index's bytes must not follow from what else was to be encoded."""
    together = real_encoder.encode(TEXTS * 4)
    alone = np.concatenate([real_encoder.encode([text]) for text in TEXTS])
    assert np.array_equal(together, np.concatenate([alone] * 4))


@pytest.mark.parametrize(
    ("text", "same_as"),
    [
        ("lone \ud800 surrogate", "lone \ufffd surrogate"),
        ("a NUL \0 inside", "a NUL \ufffd inside"),
        ("Some CAPITALS", "some capitals"),
        ("The old mill burns. " * 5000, "The old mill burns. " * 100),
        ("the goblin king" + " " * 200 + "eats at noon", "the goblin king eats at noon"),
        ("the goblin king" + " " * 20_000 + "eats at noon", "the goblin king eats at noon"),
    ],
    ids=["surrogate", "NUL", "case", "past the window", "wide space", "very wide space"],
)
def test_texts_that_read_the_same_have_the_same_vector(
    real_encoder: OnnxEncoder, text: str, same_as: str
) -> None:
    one, other = real_encoder.encode([text, same_as])
    assert one @ other == pytest.approx(1, abs=1e-4)


@given(st.lists(ANY_TEXT, min_size=1, max_size=4))
def test_any_text_has_a_finite_unit_vector(real_encoder: OnnxEncoder, texts: list[str]) -> None:
    assert np.linalg.norm(real_encoder.encode(texts), axis=1) == pytest.approx(1, abs=1e-4)


@given(ANY_TEXT, ANY_TEXT)
def test_pieces_of_lines_add_up(real_encoder: OnnxEncoder, one: str, other: str) -> None:
    """Windows are filled by adding the pieces of their lines."""
    together = real_encoder.pieces(f"{one}\n{other}")
    assert together == real_encoder.pieces(one) + real_encoder.pieces(other)


# --- the bundle ---------------------------------------------------------------------------------


MODEL = "some/model"


@pytest.fixture
def shelf(tmp_path: Path, encoder_bundle: tuple[Path, str]) -> Path:
    """A copy of the real encoder's shelf that a test may damage."""
    source, name = encoder_bundle
    shelf = tmp_path / "encoder"
    shutil.copytree(source / name, shelf / "onnx-00000000000000aa")
    pointer(shelf, MODEL).write_text("onnx-00000000000000aa\n")
    return shelf


@pytest.mark.parametrize("file", [GRAPH, TOKENIZER])
def test_a_damaged_bundle_is_named(shelf: Path, file: str) -> None:
    name = find_bundle(shelf, MODEL)
    assert name
    with (shelf / name / file).open("r+b") as handle:
        handle.seek(1000)
        handle.write(b"\xff\x00\xff")
    with pytest.raises(CorruptIndexError) as caught:
        OnnxEncoder.open(shelf, name)
    assert str(shelf / name / file) in str(caught.value)
    assert "was altered" in str(caught.value)


@pytest.mark.parametrize(
    "content",
    [None, "", "onnx-gone\n", "../elsewhere\n", "x" * 300, b"\xff\xfe", b"a\0b"],
    ids=ascii,
)
def test_a_pointer_to_no_bundle_finds_none(tmp_path: Path, content: str | bytes | None) -> None:
    if content is not None:
        raw = content.encode() if isinstance(content, str) else content
        pointer(tmp_path, "some/model").write_bytes(raw)
    assert find_bundle(tmp_path, "some/model") is None


def test_an_index_whose_encoder_is_gone_says_so(tmp_path: Path) -> None:
    with pytest.raises(EncoderError) as caught:
        open_by_fingerprint(tmp_path, "onnx-0123", threads=1)
    assert f"the encoder onnx-0123 that the index was built with is not under {tmp_path}" in str(
        caught.value
    )
    assert "build the index again" in str(caught.value)


# --- the double ---------------------------------------------------------------------------------


def test_an_index_keeps_its_bundle_until_it_is_built_again(shelf: Path, tmp_path: Path) -> None:
    """Another export moves the pointer alone, and neither export nor publishing removes a bundle."""
    settings = Settings(mvp_site_data_dir=shelf.parent)
    before, after = find_bundle(shelf, MODEL), "onnx-0123456789abcdef"
    assert before is not None
    index = ReleaseStore(tmp_path / "index", "the book", "build it", 1)

    def publish(encoder: str, edition: int) -> OnnxEncoder:
        manifest = {"format": 1, "encoder": encoder, "model": MODEL, "edition": edition}
        with building(index.folder):
            index.publish(manifest, {"text": b"x"}, 1)
        opened = encoder_of(settings, index, index.load(), None)
        assert isinstance(opened, OnnxEncoder)
        return opened

    publish(before, 1)
    bundle = read_bundle(shelf, before, "")
    with building(shelf):
        write_bundle(shelf, after, {**bundle.manifest, "precision": "other"}, bundle.files)
        pointer(shelf, MODEL).write_text(f"{after}\n")
    assert find_bundle(shelf, MODEL) == after
    opened = encoder_of(settings, index, index.load(), None)
    assert opened.fingerprint == before
    assert opened.encode(TEXTS[:1]).shape == (1, opened.dimension)
    assert [publish(after, edition).fingerprint for edition in (2, 3, 4)] == [after] * 3
    assert {path.name for path in shelf.glob("onnx-*")} == {before, after}
