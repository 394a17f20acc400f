"""Export: the graph agrees with torch, is made once, and a model without one is served by torch."""

from __future__ import annotations

from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import numpy as np
import pytest

from mvp_site import PromptAssembler, Settings, build_prompt_index
from mvp_site.errors import CorruptIndexError, EncoderError
from mvp_site.releases.bundles import read_bundle
from mvp_site.retrieval.building import open_encoder
from mvp_site.retrieval.encoder import GRAPH, OnnxEncoder, pointer
from mvp_site.settings import DEFAULT_MODEL
from mvp_site.training import export

from ..conftest import settings_under
from ..hashing import HashingEncoder

if TYPE_CHECKING:
    from mvp_site.training.export import SentenceTransformersEncoder

pytestmark = pytest.mark.skipif(find_spec("sentence_transformers") is None, reason="the extra 'train' is not installed")

TEXTS = [
    "How much experience is a monster of challenge rating 1/4 worth?", "I try to slip past the guard.", "god:return_story, state_updates and __DELETE__",
    "", "漢字かな 😀", "lone \ud800 surrogate and NUL \0", "The old mill burns. " * 30, "The old mill burns. " * 300,
]


def named(shelf: Path) -> str | None:
    """The bundle that was exported last."""
    file = pointer(shelf, DEFAULT_MODEL)
    return file.read_text().strip() if file.exists() else None


@pytest.fixture(scope="module")
def torch_encoder() -> SentenceTransformersEncoder:
    """The model run by torch: the reference."""
    return export.open_sentence_transformers(DEFAULT_MODEL)


@pytest.fixture
def opened(torch_encoder: SentenceTransformersEncoder, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The models that were loaded; each load gives the session's."""
    models: list[str] = []

    def load(model: str, threads: int = 1) -> SentenceTransformersEncoder:
        models.append(model)
        return torch_encoder

    monkeypatch.setattr(export, "open_sentence_transformers", load)
    return models


@pytest.fixture(scope="module")
def whole_graph(torch_encoder: SentenceTransformersEncoder) -> bytes:
    """The graph as it is exported, made once."""
    return export._graph(torch_encoder)


@pytest.fixture
def exported(whole_graph: bytes, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The models whose graph was made; each is the module's."""
    made: list[str] = []
    monkeypatch.setattr(export, "_graph", lambda encoder: made.append(encoder.fingerprint) or whole_graph)
    return made


def no_graph(_: object) -> NoReturn:
    raise EncoderError("the model does not export to ONNX: an operator is unknown")


@pytest.mark.slow
def test_the_shipped_encoder_is_made_again(torch_encoder: SentenceTransformersEncoder, real_encoder: OnnxEncoder, tmp_path: Path) -> None:
    """The shipped encoder is near to torch, and the command that makes it gives the same again."""
    reference, shipped = torch_encoder.encode(TEXTS), real_encoder.encode(TEXTS)
    assert reference.shape == shipped.shape
    assert (np.sum(reference * shipped, axis=1) >= 0.97).all()
    again = OnnxEncoder.open(tmp_path, export.export_bundle(tmp_path, precision="int8"))
    assert again.fingerprint == real_encoder.fingerprint
    assert (np.sum(again.encode(TEXTS) * shipped, axis=1) >= 0.999).all()


@pytest.mark.slow
def test_a_model_is_exported_once(tmp_path: Path, opened: list[str], exported: list[str]) -> None:
    name = export.export_bundle(tmp_path)
    assert export.export_bundle(tmp_path) == name == named(tmp_path)
    assert len(exported) == 1
    manifest = read_bundle(tmp_path, name, "").manifest
    assert [manifest[key] for key in ("model", "precision", "dimension", "window")] == [DEFAULT_MODEL, "fp32", 384, 256]


@pytest.mark.slow
def test_the_command_that_a_damaged_bundle_names_mends_it(tmp_path: Path, opened: list[str], exported: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(export, "_fidelity", lambda *_: 1.0)
    name = export.export_bundle(tmp_path)
    (tmp_path / name / GRAPH).write_bytes(b"")
    with pytest.raises(CorruptIndexError) as caught:
        OnnxEncoder.open(tmp_path, name)
    assert "mvp-site encoder build" in str(caught.value)
    export.export_bundle(tmp_path)
    assert OnnxEncoder.open(tmp_path, name).fingerprint == name


@pytest.mark.slow
@pytest.mark.parametrize(("part", "made", "message"), [
    ("_graph", no_graph, "does not export to ONNX: an operator is unknown"),
    ("_fidelity", lambda *_: 0.5, r"agrees with torch to a cosine of 0\.5000 only; 0\.999 is required"),
])
def test_a_model_that_does_not_export_or_gives_other_vectors_is_refused(
        tmp_path: Path, opened: list[str], exported: list[str], monkeypatch: pytest.MonkeyPatch, part: str, made: object, message: str) -> None:
    monkeypatch.setattr(export, part, made)
    with pytest.raises(EncoderError, match=message):
        export.export_bundle(tmp_path)
    assert named(tmp_path) is None


@pytest.mark.slow
def test_int8_is_another_bundle_and_replaces_the_pointer(tmp_path: Path, opened: list[str], exported: list[str]) -> None:
    whole = export.export_bundle(tmp_path)
    small = export.export_bundle(tmp_path, precision="int8")
    assert small != whole
    assert named(tmp_path) == small
    sizes = [(tmp_path / name / GRAPH).stat().st_size for name in (whole, small)]
    assert sizes[1] < sizes[0]
    one, other = (OnnxEncoder.open(tmp_path, name).encode(TEXTS[:3]) for name in (whole, small))
    assert (np.sum(one * other, axis=1) > 0.95).all()


@pytest.mark.slow
@pytest.mark.parametrize("model", ["./no/such/folder", "no-such-owner/no-such-model"])
def test_a_model_that_cannot_be_loaded_is_named(tmp_path: Path, model: str) -> None:
    with pytest.raises(EncoderError, match=f"(?s)the model {model!r} cannot be loaded.*PROMPT_EMBED_MODEL"):
        open_encoder(settings_under(tmp_path, prompt_embed_model=model))


@pytest.mark.slow
def test_a_module_that_torch_cannot_trace_is_an_encoder_error(torch_encoder: SentenceTransformersEncoder) -> None:
    import torch

    class Untraceable(torch.nn.Module):
        def forward(self, features: dict[str, torch.Tensor]) -> dict[str, torch.Tensor]:
            if features["input_ids"].sum().item() > 3:
                raise RuntimeError("depends on its input")
            return {"sentence_embedding": features["input_ids"].float()}

    broken = HashingEncoder()
    broken._model = Untraceable()  # type: ignore[attr-defined]
    with pytest.raises(EncoderError, match="does not export to ONNX"):
        export._graph(broken)  # type: ignore[arg-type]


@pytest.mark.slow
def test_a_build_exports_another_model_and_finds_what_the_shipped_one_finds(settings: Settings) -> None:
    """The model as it came, by its folder: what it has not learnt is little in so small an archive."""
    asked = ("how much damage does a fall of ten feet do", "who keeps the ledger of the harbour", "how far do we walk in a day")
    best = []
    for model in (DEFAULT_MODEL, export.model_path(DEFAULT_MODEL)):
        own = replace(settings, prompt_embed_model=model)
        assert build_prompt_index(own).built
        turns = [PromptAssembler.open(own).assemble(text, audience="dm") for text in asked]
        best.append([turn.chunks[0].id if turn.chunks else None for turn in turns])
    assert best[0] == best[1]
    assert [path.name[:5] for path in settings.encoder_dir.glob("onnx-*")] == ["onnx-"]
