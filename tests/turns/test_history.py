"""Trimming a history: what is kept, and how seldom the cut moves."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mvp_site.turns.prompting import Trimmed, trim
from mvp_site.types import Message, Role


def turn(number: int, user: int, answer: int) -> list[Message]:
    """A user's message and its answer of so many characters each."""
    return [
        Message("user", f"{number}:".ljust(user, "u")),
        Message("assistant", f"{number}:".ljust(answer, "a")),
    ]


def history(*sizes: int) -> list[Message]:
    """Turns of these sizes, each half question, half answer."""
    return [m for n, size in enumerate(sizes) for m in turn(n, size // 2, size - size // 2)]


KEPT: list[tuple[tuple[int, ...], int, int]] = [
    ((), 100, 0), ((10, 20, 30), 60, 3), ((10, 20, 30), 59, 1), ((20, 20, 20, 20), 59, 2), ((10, 58), 60, 1),
    ((10, 61), 60, 0), ((10, 61, 10), 60, 1), ((10, 10), 0, 0), ((10, 10), -5, 0),
]


@pytest.mark.parametrize(("sizes", "budget", "kept"), KEPT)
def test_the_newest_turns_that_fit_are_kept_whole(
    sizes: tuple[int, ...], budget: int, kept: int,
) -> None:
    messages = history(*sizes)
    first = 2 * (len(sizes) - kept)
    expected = Trimmed(tuple(messages[first:]), first, sum(sizes[len(sizes) - kept :]))
    assert trim(messages, budget, len) == expected


TOGETHER: list[tuple[str, list[int]]] = [
    ("ua ua", [0, 2, 4]), ("a ua ua", [0, 1, 3, 5]), ("uaa ua", [0, 3, 5]), ("u ua u", [0, 1, 3, 4]), ("aaa", [0, 3]),
]


@pytest.mark.parametrize(("roles", "cuts"), TOGETHER)
def test_answers_stay_with_the_message_they_answer(roles: str, cuts: list[int]) -> None:
    names: dict[str, Role] = {"u": "user", "a": "assistant"}
    messages = [Message(names[letter], "ten tokens") for letter in roles.replace(" ", "")]
    found = {trim(messages, budget, len).dropped for budget in range(120)}
    assert found <= set(cuts)
    assert {0, len(messages)} <= found


SIZES = st.lists(st.integers(8, 60), max_size=60)


@given(SIZES, st.integers(0, 400))
def test_within_the_budget_a_suffix_and_pairs_unbroken(sizes: list[int], budget: int) -> None:
    messages = history(*sizes)
    trimmed = trim(messages, budget, len)
    assert trimmed.messages == tuple(messages[trimmed.dropped :])
    assert trimmed.dropped % 2 == 0
    assert trimmed.tokens == sum(len(m.content) for m in trimmed.messages) <= max(0, budget)
    if sum(sizes) <= budget:
        assert trimmed.dropped == 0
    if sizes and sizes[-1] <= budget:
        assert trimmed.messages, "the newest turn is kept where it fits"


@given(SIZES, st.integers(0, 400))
def test_the_cut_moves_forward_and_only_when_the_window_is_full(
    sizes: list[int], budget: int,
) -> None:
    messages = history(*sizes)
    before = trim([], budget, len)
    for turns in range(1, len(sizes) + 1):
        now = trim(messages[: 2 * turns], budget, len)
        if before.tokens + sizes[turns - 1] <= budget:
            assert now.dropped == before.dropped
            assert now.messages[: len(before.messages)] == before.messages
        else:
            assert now.dropped > before.dropped
            assert now.tokens <= 3 / 4 * budget or len(now.messages) == 2
        before = now
