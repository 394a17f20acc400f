"""``mvp-site encoder``: the exported encoder, and one that has learnt your game."""

from __future__ import annotations

from pathlib import Path

import click

from ..errors import ArchiveError
from ..releases.bundles import read_bundle
from ..retrieval import topic_files
from ..retrieval.building import Progress, encode_texts, open_encoder
from ..retrieval.encoder import SHIPPED, Encoder, OnnxEncoder, find_bundle
from ..retrieval.index import VectorCache
from ..retrieval.multilingual import MODEL
from ..retrieval.query_expansion import texts
from ..settings import DEFAULT_MODEL, Settings
from .output import json_option, print_either, print_json, print_table, progress, say


@click.group()
def encoder() -> None:
    """The exported encoder, shared by every part."""


@encoder.command("build")
@click.option("--precision", type=click.Choice(["fp32", "int8"]), default="fp32", show_default=True,
              help="int8, as the shipped encoder: a third of the size, and faster.")
@json_option
def encoder_build(precision: str, as_json: bool) -> None:
    """Export PROMPT_EMBED_MODEL to ONNX under data/encoder (needs the extra `train`).

    The shipped texts are read with it at once, for all that is built later. The shipped encoder and
    multilingual-e5-small are in packages: for them they are all there is to do.
    """
    settings = Settings()
    shelf, threads = settings.encoder_dir, settings.prompt_encoder_threads
    if settings.prompt_embed_model == MODEL:
        multilingual = open_encoder(settings)
        with progress(as_json) as report:
            _read_shipped(settings, multilingual, report)
        print_either(as_json, {"bundle": multilingual.fingerprint, "model": MODEL},
                     ("installed", "green"), f" {MODEL} as {multilingual.fingerprint}")
        return
    if settings.prompt_embed_model == DEFAULT_MODEL:
        shelf, name = SHIPPED, find_bundle(SHIPPED, DEFAULT_MODEL) or ""
    else:
        from ..training.export import export_bundle

        name = export_bundle(shelf, settings.prompt_embed_model,
                             "int8" if precision == "int8" else "fp32", threads)
    manifest = read_bundle(shelf, name, "").manifest
    onnx_encoder = OnnxEncoder.open(shelf, name, threads)
    with progress(as_json) as report:
        _read_shipped(settings, onnx_encoder, report)
    done = ("shipped" if shelf == SHIPPED else "exported", "green")
    print_either(as_json, {"bundle": name, **manifest}, done,
                 f" {manifest['model']} ({manifest['precision']}) as {shelf / name}")


def _read_shipped(settings: Settings, own: Encoder, report: Progress) -> None:
    """Read the shipped texts; those of the entities are all there are."""
    every = texts(topic_files.entity_topics(), "entities")
    encode_texts(settings, every, own, VectorCache(own), report)


@encoder.command("adapt")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--out", type=click.Path(file_okay=False, path_type=Path), required=True,
              help="A folder for the adapted model; it must not exist yet.")
@click.option("--steps", type=click.IntRange(1), default=350, show_default=True,
              help="Batches of 64; three seconds each on two cores.")
@json_option
def encoder_adapt(file: Path, out: Path, steps: int, as_json: bool) -> None:
    """Teach the encoder what players of your game say (needs the extra `train`).

    FILE has utterances with the rules that they call for, in the form of docs/utterances.md. The
    `when:` lines of the archive are learnt too, and the shipped utterances again, so that nothing
    is forgotten.
    """
    if out.exists():
        raise click.BadParameter(f"{out} exists; name a new folder", param_hint="--out")
    try:
        text = file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ArchiveError(f"{file} cannot be read ({error}): give a file in UTF-8") from None
    own = topic_files.parse_topics(text, str(file))
    if not own:
        raise ArchiveError(f"{file} has no utterances; docs/utterances.md shows their form")
    from ..training.adapt import adapt

    with progress(as_json) as report:
        adapted = adapt(Settings(), own, steps=steps,
                        progress=lambda done, of: report("training", done, of))
    adapted.encoder.model.save(str(out))
    if as_json:
        print_json({"model": str(out), "examples": adapted.learnt, "curve": adapted.curve})
        return
    print_table(("batches", "loss", "held out"), [
        (point.step, f"{point.learnt:.3f}", f"{point.held_out:.3f}") for point in adapted.curve
    ])
    say(("adapted", "green"), f" as {out}; use it with PROMPT_EMBED_MODEL={out} and build again: "
        "mvp-site index build --all")
