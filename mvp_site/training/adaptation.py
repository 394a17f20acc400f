"""Adapting an encoder to a game: contrastive learning from what people say (extra ``train``).

Each example is a text that somebody may say or look for, with texts that it should find. The
encoder learns to put the two together and all others of the batch apart (in-batch negatives, both
ways: Henderson et al. 2017; Radford et al. 2021). The shipped utterances name their rules in a few
words only; so each topic is also matched with the passages of a book that these words find best.
Of invented games each section has its own; of these a batch holds sections of one game alone, so
that what is told apart is what stands side by side in an archive.
The new weights are then drawn back towards the old ones, which keeps what the encoder knew
(Wortsman et al. 2022). Embeddings stay as they are.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import cycle, islice
from typing import Any, Final
from zlib import crc32

import numpy as np

from ..retrieval.arrays import minmax
from ..retrieval.index import Passage
from ..retrieval.lexical import LexicalLane
from ..retrieval.topic_files import Topic
from ..retrieval.windows import windows
from ..text.normalising import terms
from .adapter import Point
from .export import SentenceTransformersEncoder

STEPS: Final = 700
BATCH: Final = 64
RATE: Final = 5e-5
SCALE: Final = 20.0
"""What cosines are multiplied with before the softmax: a temperature of .05."""
NEW: Final = 0.75
"""How much of the change is kept: 1 would be the trained weights, 0 the old ones."""
OWN: Final = 0.3
CALLED: Final = 0.2
PLAYED: Final = 0.34
TITLED: Final = 0.12
"""Shares of a batch: of somebody's own utterances, of authors' situations, of an invented game, of
titles. The shipped utterances have the rest."""
HELD_OUT: Final = 20
"""Of so many topics one is not learnt from; the second loss is measured on these."""
MEASURED: Final = 50
"""Steps between two measurements."""
PROBES: Final = 4
"""Batches that a measurement is made with."""
_DENSE: Final = 0.6
_COSINE: Final = 0.5
_FUSED: Final = 0.85
_BEST: Final = 3
_LENGTH: Final = 160
_DECAY: Final = 0.01
_WARMING: Final = 0.1
_STRETCH: Final = 110
_SHORTEST: Final = 8
Progress = Callable[[int, int], None]
Batch = tuple[list[str], list[str]]
"""What is said, and for each the text that it should find."""


@dataclass(frozen=True, slots=True)
class TrainingExample:
    """``said`` belongs with each of ``texts``; two that share a key are about the same thing."""

    said: str
    texts: tuple[str, ...]
    keys: frozenset[str]


@dataclass(frozen=True, slots=True)
class ExampleKind:
    """Examples by what they are about, of which each batch takes the next; ``share`` of it."""

    share: float
    pools: Sequence[Sequence[TrainingExample]]


def examples(topics: Sequence[Topic], own: Sequence[Topic], book: Sequence[Passage],
             archive: Sequence[Passage], games: Sequence[Sequence[Passage]],
             encoder: SentenceTransformersEncoder) -> Sequence[ExampleKind]:
    """What to learn from.

    ``topics`` are matched with the passages of ``book``, whose titles are learnt too, ``own`` ones
    with those of ``archive``, and its authors' situations, as those of each of the ``games``, with
    the passages that they stand at.
    """
    titled = [
        TrainingExample(title, tuple(stretches), frozenset({passage.id}))
        for passage in book if (stretches := _stretches(passage.text))
        for title in (passage.heading[-1], " > ".join(passage.heading))
    ]
    more = [
        ExampleKind(OWN, [_spoken(own, archive, encoder)]),
        ExampleKind(CALLED, [_called(archive, encoder)]),
        ExampleKind(PLAYED, [_called(game, encoder) for game in games]),
        ExampleKind(TITLED, [titled]),
    ]
    nonempty = [kind for kind in more if any(kind.pools)]
    rest = 1 - math.fsum(kind.share for kind in nonempty)
    return [ExampleKind(rest, [_spoken(topics, book, encoder)]), *nonempty]


def _called(passages: Sequence[Passage], encoder: SentenceTransformersEncoder,
            ) -> list[TrainingExample]:
    """What calls for each passage, with the first window of its text."""
    return [
        TrainingExample(line, (window,), frozenset({passage.heading[-1], window}))
        for passage in passages for window in windows(passage.heading, passage.text, encoder)[:1]
        for line in passage.also
    ]


def _spoken(topics: Sequence[Topic], book: Sequence[Passage],
            encoder: SentenceTransformersEncoder) -> list[TrainingExample]:
    worded = [topic for topic in topics if topic.says]
    return [
        TrainingExample(line, (topic.rules, *texts), frozenset({topic.id, *keys}))
        for topic, (texts, keys) in zip(worded, _matched(worded, book, encoder), strict=True)
        for line in topic.says
    ]


def _matched(topics: Sequence[Topic], book: Sequence[Passage],
             encoder: SentenceTransformersEncoder) -> list[tuple[list[str], set[str]]]:
    """For each topic the windows of ``book`` that its rules words surely mean.

    And the ids of the passages that they may mean, which no other example of a batch may be about.
    """
    texts = [(passage.id, text) for passage in book
             for text in windows(passage.heading, passage.text, encoder)]
    if not topics or not texts:
        return [([], set()) for _ in topics]
    vectors = encoder.encode([text for _, text in texts])
    lane = LexicalLane.build([terms(text) for _, text in texts])
    pairs = []
    for topic, vector in zip(topics, encoder.encode([t.rules for t in topics]), strict=True):
        cosine = vectors @ vector
        lexical, _ = lane.scores(terms(topic.rules))
        fused = _DENSE * minmax(cosine) + (1 - _DENSE) * minmax(lexical)
        best = [row for row in np.argsort(-fused, kind="stable")[:_BEST] if fused[row] >= _FUSED]
        pairs.append(([texts[row][1] for row in best if cosine[row] >= _COSINE],
                      {texts[row][0] for row in best}))
    return pairs


def _stretches(text: str) -> list[str]:
    words = text.split()
    starts = range(0, len(words) - _SHORTEST + 1, _STRETCH)
    return [" ".join(words[at : at + _STRETCH]) for at in starts]


class _Deck:
    """Examples dealt in a shuffled order, again and again; what does not fit is dealt later."""

    def __init__(self, examples: Sequence[TrainingExample], chance: random.Random) -> None:
        self._held, self._chance = examples, chance
        self._left: list[TrainingExample] = []
        self._later: list[TrainingExample] = []

    def deal(self, used: set[str]) -> TrainingExample | None:
        """An example about nothing of ``used``, which takes what it is about; None without."""
        for _ in range(len(self._held)):
            if not self._left:
                self._left = self._later or self._chance.sample(self._held, len(self._held))
                self._later = []
            example = self._left.pop()
            if used.isdisjoint(example.keys):
                used |= example.keys
                return example
            self._later.append(example)
        return None


def _batches(kinds: Sequence[ExampleKind], chance: random.Random) -> Iterator[Batch]:
    """Batches without end."""
    decks = [(round(kind.share * BATCH), cycle([_Deck(pool, chance) for pool in kind.pools]))
             for kind in kinds]
    while True:
        used: set[str] = set()
        taken = [(count, next(pools)) for count, pools in decks]
        dealt = [deck.deal(used) for count, deck in taken for _ in range(count)]
        batch = [example for example in dealt if example is not None]
        yield [example.said for example in batch], [chance.choice(row.texts) for row in batch]


def train(encoder: SentenceTransformersEncoder, kinds: Sequence[ExampleKind], *, steps: int = STEPS,
          threads: int = 2, seed: int = 1, progress: Progress | None = None,
          ) -> tuple[dict[str, Any], list[Point]]:
    """The change of each weight, by name, as float32 arrays; and how the loss went.

    ``encoder`` is the adapted one afterwards. The same seed deals the same examples.
    """
    import torch
    from torch.nn import functional

    torch.set_num_threads(threads)
    torch.manual_seed(seed)
    chance = random.Random(seed)  # noqa: S311 - no secret
    model = encoder.model[0].auto_model
    model.embeddings.requires_grad_(requires_grad=False)
    weights = {name: w for name, w in model.named_parameters() if w.requires_grad}
    before = {name: w.detach().clone() for name, w in weights.items()}
    optimizer = torch.optim.AdamW(weights.values(), lr=RATE, weight_decay=_DECAY)
    warm = max(round(_WARMING * steps), 1)
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda step: min((step + 1) / warm, (steps - step) / max(steps - warm, 1))
    )

    def vectors(texts: Sequence[str]) -> Any:
        # The short half and the long half, each padded to its own length.
        order = sorted(range(len(texts)), key=lambda i: len(texts[i]))
        halves = [order[: len(order) // 2], order[len(order) // 2 :]]
        stacked = torch.cat([half([texts[i] for i in rows]) for rows in halves if rows])
        return stacked[torch.argsort(torch.tensor([i for rows in halves for i in rows]))]

    def half(texts: Sequence[str]) -> Any:
        fed = encoder.model.tokenizer(
            list(texts), padding=True, truncation=True, max_length=_LENGTH, return_tensors="pt"
        )
        with torch.autocast("cpu", torch.bfloat16):
            hidden = model(**fed).last_hidden_state
        mask = fed["attention_mask"].unsqueeze(-1).float()
        return functional.normalize((hidden.float() * mask).sum(1) / mask.sum(1), dim=-1)

    def loss_of(batch: Batch) -> Any:
        alike = SCALE * vectors(batch[0]) @ vectors(batch[1]).T
        own = torch.arange(len(alike))
        return (functional.cross_entropy(alike, own) + functional.cross_entropy(alike.T, own)) / 2

    learnt, unseen = _split(kinds)
    probes = [*islice(_batches(unseen, chance), PROBES)]

    def measured(batches: Sequence[Batch]) -> float:
        model.eval()
        with torch.no_grad():
            loss = math.fsum(float(loss_of(batch)) for batch in batches) / len(batches)
        model.train()
        return loss

    first = islice(_batches(learnt, random.Random(seed)), PROBES)  # noqa: S311
    curve, losses = [Point(0, measured([*first]), measured(probes))], []
    for step, batch in zip(range(1, steps + 1), _batches(learnt, chance), strict=False):
        loss = loss_of(batch)
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(weights.values(), 1.0)
        optimizer.step()
        schedule.step()
        losses.append(float(loss.detach()))
        if step % MEASURED == 0 or step == steps:
            curve.append(Point(step, math.fsum(losses) / len(losses), measured(probes)))
            losses.clear()
        if progress:
            progress(step, steps)
    model.eval()
    changes = {name: NEW * (w.detach() - before[name]) for name, w in weights.items()}
    with torch.no_grad():
        for name, change in changes.items():
            weights[name].copy_(before[name] + change)
    return {name: change.numpy() for name, change in changes.items()}, curve


def _split(kinds: Sequence[ExampleKind],
           ) -> tuple[Sequence[ExampleKind], Sequence[ExampleKind]]:
    """What is learnt from, and what is held out: by what they are about, not by example."""
    def held(example: TrainingExample) -> bool:
        return crc32(min(example.keys).encode()) % HELD_OUT == 0

    def of(unseen: bool) -> list[ExampleKind]:
        return [ExampleKind(kind.share, [[e for e in pool if held(e) is unseen]
                                         for pool in kind.pools]) for kind in kinds]

    learnt, unseen = of(False), of(True)
    return learnt, unseen if any(any(kind.pools) for kind in unseen) else learnt
