"""Learning from utterances: what a batch is made of, that training trains, and what the adapter does to a model's weights."""

from __future__ import annotations

import random
from itertools import islice
from pathlib import Path

import numpy as np
import pytest

from mvp_site.errors import EncoderError
from mvp_site.retrieval.index import Passage
from mvp_site.retrieval.topic_files import Topic
from mvp_site.settings import DEFAULT_MODEL
from mvp_site.training import adaptation, adapter
from mvp_site.training.adaptation import BATCH, ExampleKind, Point, TrainingExample, examples, train
from mvp_site.training.games import read_games

from ..hashing import HashingEncoder

HIDING = Topic("hiding", ("I duck behind the crates", "can he see me?"), "hide, stealth, unseen")
TRADE = Topic("trade", ("how much for the mule?",), "prices of animals")
BOOK = [
    Passage("hide", ("Rules", "Hiding"), "hide stealth unseen " * 8),
    Passage("mule", ("Goods", "Mules"), "prices of animals such as a mule are in this table of it"), Passage("short", ("Goods", "Rope"), "fifty feet"),
]
ARCHIVE = [Passage("mine", ("file", "House rules"), "luck points", also=("I use my luck",)), Passage("other", ("file", "Names"), "what places are called")]


def kinds_of(own: tuple[Topic, ...] = (), games: tuple[list[Passage], ...] = ()) -> list[tuple[float, list[TrainingExample]]]:
    kinds = examples([HIDING, TRADE], own, BOOK, ARCHIVE, games, HashingEncoder())  # type: ignore[arg-type]
    return [(kind.share, [example for pool in kind.pools for example in pool]) for kind in kinds]


def test_each_utterance_belongs_with_its_rules_words_and_what_they_find() -> None:
    (_, spoken), (_, called), (_, titled) = kinds_of()
    assert [one.said for one in spoken] == [*HIDING.says, *TRADE.says]
    assert spoken[0].texts == (HIDING.rules, "Rules > Hiding\n" + BOOK[0].text.strip())
    assert spoken[0].keys == {"hiding", "hide"}
    assert called == [TrainingExample("I use my luck", ("file > House rules\nluck points",), called[0].keys)]
    assert [one.said for one in titled] == ["Hiding", "Rules > Hiding", "Mules", "Goods > Mules"]


def test_the_shares_of_a_batch_are_one() -> None:
    assert sum(share for share, _ in kinds_of()) == pytest.approx(1)
    own = kinds_of((Topic("own", ("I blink",), "luck points"),))
    assert sum(share for share, _ in own) == pytest.approx(1)
    assert own[1][1][0].texts == ("luck points", "file > House rules\nluck points")


def test_no_two_of_a_batch_are_about_the_same_thing_and_all_are_dealt() -> None:
    held = [TrainingExample(f"{topic} {n}", ("text",), frozenset({f"topic {topic}", f"page {topic % 70}"})) for topic in range(140) for n in range(3)]
    dealt: set[str] = set()
    for said, texts in islice(adaptation._batches([ExampleKind(1.0, [held])], random.Random(1)), 14):
        assert len(texts) == len(said) <= BATCH
        pages = [int(one.split()[0]) % 70 for one in said]
        assert len(set(pages)) == len(pages)
        dealt.update(said)
    assert len(dealt) > 0.9 * len(held)


def test_a_batch_tells_sections_of_one_game_apart() -> None:
    games = [[TrainingExample(f"{game} {n}", ("text",), frozenset({f"{game} {n}"})) for n in range(90)] for game in "ab"]
    first, second = islice(adaptation._batches([ExampleKind(0.5, games)], random.Random(1)), 2)
    assert {says[0] for says in first[0]} == {"a"}
    assert {says[0] for says in second[0]} == {"b"}


def test_the_invented_games_say_what_calls_for_each_section() -> None:
    games = read_games(Path(__file__).parents[2] / "scripts" / "evaluation" / "sets" / "learnt_games")
    assert len(games) == 6
    for game in games:
        assert len(game) >= 40
        assert all(len(passage.also) >= 5 for passage in game if passage.text.strip())


@pytest.mark.slow
@pytest.mark.encoder
def test_training_brings_what_belongs_together_together() -> None:
    pytest.importorskip("torch")
    from mvp_site.training.export import open_sentence_transformers

    # Words of no language: nothing but the training can connect them.
    topics = [Topic(f"t{n}", tuple(f"{word} {n} says {k}" for k in range(6)), f"rule {other} {n}")
              for n, (word, other) in enumerate(zip("abcdefghijklmnopqrst", "tsrqponmlkjihgfedcba", strict=True))]
    encoder = open_sentence_transformers(DEFAULT_MODEL, 1, adapted=False)
    changes, curve = train(encoder, examples(topics, (), [], [], (), encoder), steps=12, threads=1)
    assert curve[-1].step == 12
    assert curve[-1].learnt < curve[0].learnt
    assert not any(name.startswith("embeddings.") for name in changes)


CURVE = (Point(0, 2.5, 2.5), Point(50, 1.5, 2.0))


def test_a_change_comes_back_to_a_step_of_its_row() -> None:
    rng = np.random.default_rng(1)
    matrix = rng.normal(size=(6, 9)).astype(np.float32) * np.logspace(-4, 0, 6)[:, None]
    held = adapter.load(adapter.dump({"w": matrix, "b": matrix[:, 0]}, "base", CURVE))
    back = held["w"] * held["w" + adapter.SCALE]
    assert (np.abs(back - matrix) <= np.abs(matrix).max(axis=1, keepdims=True) / 250).all()
    assert adapter.load(adapter.dump({"w": np.zeros_like(matrix)}, "base", CURVE)).keys() == {adapter.BASE, adapter.CURVE}
    assert held["b"].tolist() == matrix[:, 0].astype(np.float32).tolist()
    assert held[adapter.CURVE].tolist() == [[0, 2.5, 2.5], [50, 1.5, 2.0]]


def test_it_is_added_to_the_weights_that_it_was_made_for(monkeypatch: pytest.MonkeyPatch) -> None:
    torch = pytest.importorskip("torch")
    change = np.array([[1.0, -2.0], [0.5, 0.0]], np.float32)
    content = adapter.dump({"w": change}, "base", CURVE)
    monkeypatch.setattr(adapter, "_bytes", lambda: content)
    weights = {"w": torch.ones(2, 2), "other": torch.ones(1)}
    adapter.apply(weights, "base")
    assert weights["w"].numpy() == pytest.approx(1 + change, abs=0.01)
    assert weights["other"].item() == 1
    with pytest.raises(EncoderError, match=r"weights are another, and the adapter .* for base"):
        adapter.apply(weights, "another")


def test_the_shipped_one_is_small_and_learnt_something() -> None:
    held = adapter.load()
    steps, learnt, unseen = held[adapter.CURVE].T
    assert len(adapter._bytes()) < 24 * 2**20
    assert steps[0] == 0
    assert unseen[-1] < 0.8 * unseen[0]
    assert learnt[-1] < unseen[0]


@pytest.mark.slow
@pytest.mark.encoder
def test_it_brings_what_players_say_nearer_to_its_rules() -> None:
    pytest.importorskip("torch")
    from mvp_site.training.export import open_sentence_transformers

    said, rules, other = "I'm bleeding out on the floor", "death saving throws", "buying a horse"
    before, after = (open_sentence_transformers(DEFAULT_MODEL, adapted=adapted).encode([said, rules, other]) for adapted in (False, True))
    margins = [float(v[0] @ v[1] - v[0] @ v[2]) for v in (before, after)]
    assert margins[1] > margins[0] + 0.05
