"""One run: everything that is measured, in turn."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Final

from evaluation.metrics import difference
from evaluation.needles import load_needles

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

QUICK_QUERIES: Final = 40


def run(settings: Settings, extent: results.Extent, work: Path, step: Callable[[str], None],
        ) -> results.Results:
    """The results for the settings' version; ``work`` is a folder for what is built on the way.

    Raises:
        MvpSiteError: the version's index cannot be served.
    """
    before = results.load()
    main = ours.Ours.open(settings)
    archive = read_version(settings, main.version)
    budget = settings.prompt_max_tokens_retrieved
    needles = [n for n in load_needles(extent.split) if n.version == main.version and n.gold]
    timed = needles[:: max(1, len(needles) // QUICK_QUERIES)] if extent.quick else needles
    step("the rival: indexing the archive, a minute or two")
    documents = rival_index.build(archive, settings.prompt_embed_model, budget, work / "rival")
    started, rival_started = processes.measure(
        main.settings, work / "rival", needles, extent.processes, work, step
    )
    other = rival.Rival.open(work / "rival")
    step("recall")
    mine, theirs = recall.of_ours(main, archive, needles), recall.of_rival(other, archive, needles)
    tokens = recall.tokens(main, needles)
    step("a campaign of forty turns")
    with closing(handling.Handling.open(main, work)) as played:
        timed_operations = turns.operations(main, other, played)
        times = turns.measure(timed_operations, timed, extent.rounds, step)
    book = rulebook.run(settings, extent.split, extent.rounds, step, quick=extent.quick)
    found = entities.run(settings, extent.split, extent.rounds, step, quick=extent.quick)
    books = library.run(settings, extent.split, extent.rounds, work, step, quick=extent.quick)
    sizes = scale.run(settings, work, step, quick=extent.quick) if extent.scale else ()
    seconds = serving.QUICK_SECONDS if extent.quick else serving.SECONDS
    served_to = serving.run(main.settings, seconds, work, step)
    manifest = main.served.release.manifest
    return results.Results(
        extent=extent, version=main.version, budget=budget, needles=len(needles),
        timed_queries=len(timed),
        release=manifest.fingerprint, chunks=manifest.chunks, documents=documents,
        lexical_seconds=other.lexical_seconds, machine=results.machine(before), recall=mine,
        rival_recall=theirs, gain=difference(mine.outcomes, theirs.outcomes), times=times,
        started=started, rival_started=rival_started, tokens=tokens, rulebook=book, entities=found,
        library=books, sizes=sizes, serving=served_to,
    )
