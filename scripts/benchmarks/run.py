"""One run: everything that is measured, in turn."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from evaluation.metrics import difference
from evaluation.needles import load_needles
from evaluation.sets import Split

from mvp_site.archive.versions import read_version
from mvp_site.settings import Settings

from . import (
    entities,
    handling,
    library,
    ours,
    processes,
    recall,
    results,
    rival,
    rival_index,
    rulebook,
    scale,
    serving,
    turns,
)


def run(settings: Settings, command: str, split: Split, work: Path, step: Callable[[str], None],
        ) -> results.Results:
    """The results for the settings' version; ``work`` is a folder for what is built on the way.

    ``command`` is what the docs name as the way to do it again.

    Raises:
        MvpSiteError: the version's index cannot be served.
    """
    before = results.load()
    main = ours.Ours.open(settings)
    archive = read_version(settings, main.version)
    budget = settings.prompt_max_tokens_retrieved
    needles = [n for n in load_needles(split) if n.version == main.version and n.gold]
    step("the rival: indexing the archive, a minute or two")
    documents = rival_index.build(archive, settings.prompt_embed_model, budget, work / "rival")
    started, rival_started = processes.measure(main.settings, work / "rival", needles, work, step)
    other = rival.Rival.open(work / "rival")
    step("recall")
    mine, theirs = recall.of_ours(main, archive, needles), recall.of_rival(other, archive, needles)
    tokens = recall.tokens(main, needles)
    step("a campaign of forty turns")
    with closing(handling.Handling.open(main, work)) as played:
        timed_operations = turns.operations(main, other, played)
        times = turns.measure(timed_operations, needles, step)
    manifest = main.served.release.manifest
    return results.Results(
        command=command, split=split, version=main.version, budget=budget, needles=len(needles),
        release=manifest.fingerprint, chunks=manifest.chunks, documents=documents,
        lexical_seconds=other.lexical_seconds, recall=mine,
        rival_recall=theirs, gain=difference(mine.outcomes, theirs.outcomes), times=times,
        started=started, rival_started=rival_started, tokens=tokens,
        rulebook=rulebook.run(settings, split, step), entities=entities.run(settings, split, step),
        library=library.run(settings, split, work, step), sizes=scale.run(settings, work, step),
        serving=serving.run(main.settings, work, step), machine=results.machine(before),
    )
