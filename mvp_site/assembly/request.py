"""What a turn asks of retrieval: checked, normalised, and with everything that changes the result.

Pure.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from ..archive.delimiters import GIVEN, escape
from ..archive.own_modes import Declared, OwnMode
from ..archive.turn_ranking import LastExchange
from ..errors import InvalidTurnError, NotEntitledError, UnknownModeError, require_text
from ..text.languages import ENGLISH, Language
from ..text.normalising import clean, content_words, normalise
from ..types import AUDIENCES, MODES, AnswerMessage, Audience, Message, StateMessage
from .budget import MAX_BUDGET
from .scope import EVERYTHING, Scope, within
from .state_signals import classes, state_signals

GOD_AUDIENCES: Final = ("dm", "god")
MAX_HISTORY: Final = 2_000
_PREFIX: Final = re.compile(
    r"\s*+(?:(?:\[\s*+)?god(?:[\s_-]*+mode)?\s*+\]?|think)\s*+:\s", re.IGNORECASE
)
_FEW: Final = 2
QUERY_CHARS: Final = 1_000
"""How much of a turn's text is searched with: its beginning and its end, by halves."""


@dataclass(frozen=True, slots=True)
class RetrievalRequest:
    """A turn as it is searched for: everything that changes what is retrieved."""

    query: str
    query_hash: str
    mode: str
    audience: Audience
    signals: frozenset[str]
    leaned: bool
    """Whether the last exchange is searched with, since the turn names nothing."""
    scope: Scope = EVERYTHING
    fill: tuple[tuple[str, str], ...] = ()
    """The texts of placeholders, each with its name; harmless."""
    classes: tuple[str, ...] = ()
    """What the state says that people are; untrusted."""
    words_alone: bool = False
    """Whether it names nothing and has no exchange to lean on: a passage must share a word."""
    barred: frozenset[int] = frozenset()
    """Chunks that this turn, or the last exchange, keeps out by their ``unless``."""
    scene: LastExchange | None = None
    """The last exchange of a turn that does not lean on it: what is about it ranks higher."""


def check_mode(mode: str, audience: str, own: Mapping[str, OwnMode] | None = None) -> None:
    """Check who asks for what; ``own`` are the modes that the version declares.

    Raises:
        UnknownModeError, InvalidTurnError: a mode or audience is unknown; lists those that exist.
        NotEntitledError: a mode for an audience that may not use it.
    """
    own = own or {}
    if not isinstance(mode, str) or (mode not in MODES and mode not in own):
        raise UnknownModeError(
            f"unknown mode {mode!r:.80}; the modes are {', '.join((*MODES, *own))}")
    if audience not in AUDIENCES:
        raise InvalidTurnError(
            f"unknown audience {audience!r}; the audiences are {', '.join(AUDIENCES)}"
        )
    if mode == "god":
        check_god(audience)
    if mode in own and AUDIENCES.index(audience) < AUDIENCES.index(own[mode].who):
        raise NotEntitledError(f"the mode {mode} is not for audience {audience!r}: it needs "
                               f"{own[mode].who}, which the caller states")


def history_of(messages: Sequence[Message | Mapping[str, Any]]) -> tuple[Message, ...]:
    """The last messages of a history, each of which may be a mapping with ``role`` and ``content``.

    They are :data:`MAX_HISTORY` at most.

    Raises:
        InvalidTurnError: it is no list of such; or a role or key is unknown.
    """
    if isinstance(messages, str | bytes | Mapping) or not isinstance(messages, Sequence):
        raise InvalidTurnError(
            f"history is of the type {type(messages).__name__}: give a list of messages"
        )
    start = max(len(messages) - MAX_HISTORY, 0)
    return tuple(_message(message, f"history[{at}]")
                 for at, message in enumerate(messages[start:], start))


def _message(raw: object, place: str) -> Message:
    if isinstance(raw, Mapping):
        if {*raw} != {"role", "content"}:
            raise InvalidTurnError(f"{place} has the keys {', '.join(map(str, raw)) or 'none'}: "
                                   "give role and content")
        raw = Message(raw["role"], raw["content"])
    if not isinstance(raw, Message):
        raise InvalidTurnError(f"{place} is of the type {type(raw).__name__}: give a Message, or "
                               "a mapping with role and content")
    if raw.role not in ("user", "assistant", "system"):
        raise InvalidTurnError(f"{place} has the role {raw.role!r:.40}; the roles are user, "
                               "assistant, system")
    require_text(raw.content, f"the content of {place}", InvalidTurnError)
    return raw


def check_god(audience: str) -> None:
    """Raise :class:`NotEntitledError` for an audience that may not use god mode."""
    if audience not in GOD_AUDIENCES:
        raise NotEntitledError(
            "god mode, by its name or by a text that begins `god:`, is not for audience "
            f"{audience!r}: it needs {' or '.join(GOD_AUDIENCES)}, which the caller states and "
            "the text never does"
        )


def names_nothing(text: str, language: Language = ENGLISH) -> bool:
    """Whether a text has hardly a word of its own ("yes", "and again?", "👍")."""
    return len(content_words(text, language)) < _FEW


def request_of(text: str, mode: str, audience: Audience,  # noqa: PLR0913 (a turn, and options)
               history: Sequence[Message],
               state: Mapping[str, Any] | None, given: Mapping[str, str] | None = None, *,
               query: str | None = None, scope: Scope = EVERYTHING,
               fill: Mapping[str, str] | None = None,
               declared: Declared | None = None,
               leaning: Callable[[str], bool] = names_nothing,
               barred: Callable[[Sequence[str]], frozenset[int]] = lambda _: frozenset(),
               ) -> RetrievalRequest:
    """The request of a turn; where it names nothing, the last exchange is searched with.

    ``barred`` gives the chunks that what was said keeps out. ``query`` stands in for the text in
    what is searched with; ``fill`` are the texts of
    placeholders, before those that the version has ``declared``. ``leaning`` tells whether a text
    leans on the last exchange.

    Raises:
        InvalidTurnError: as :func:`check_mode`; or text, state or ``given`` is of a wrong type, or
            an element of ``given`` is unknown.
    """
    declared = declared or Declared()
    check_mode(mode, audience, declared.modes)
    if mode in declared.modes:
        scope = within(declared.modes[mode], scope)
    require_text(text, "the turn's text", InvalidTurnError)
    if query is not None:
        require_text(query, "the query", InvalidTurnError)
    for name, value in (("state", state), ("given", given), ("fill", fill)):
        if not isinstance(value, Mapping | None):
            raise InvalidTurnError(
                f"{name} is of the type {type(value).__name__}: give a mapping, or leave it out"
            )
    for name, element in (given or {}).items():
        if name not in GIVEN:
            raise InvalidTurnError(
                f"unknown element {name!r}; the elements are {', '.join(GIVEN)}"
            )
        require_text(element, f"the element {name}", InvalidTurnError)
    for name, element in (fill or {}).items():
        require_text(element, f"the text of {name!r:.80} in fill", InvalidTurnError)
    searched = query_of(text if query is None else query)
    exchange = _last_exchange(history)
    leans = bool(searched) and leaning(searched)
    scene = None
    if searched and exchange:
        scene = LastExchange(query_of("\n".join([*exchange, searched])), query_of(exchange[0]))
    if leaned := leans and scene is not None:
        searched, scene = scene.words, None
    return RetrievalRequest(
        searched, sha256(searched), mode, audience,
        state_signals(state, text, mode, declared.signals), leaned, scope,
        tuple((name, escape(clean(text)))
              for name, text in sorted({**declared.placeholders, **(fill or {})}.items())),
        classes(state, declared.signals), leans and not leaned,
        barred([*exchange, text if query is None else query]), scene,
    )


def _last_exchange(history: Sequence[Message]) -> list[str]:
    """What the player said last, and the answer behind it."""
    said = [message for message in history
            if message.role != "system" and not isinstance(message, StateMessage)]
    start = next((at for at in reversed(range(len(said))) if said[at].role == "user"), 0)
    return [message.narrative if isinstance(message, AnswerMessage) else message.content
            for message in said[start:]]


def closed_modes(mode: str) -> tuple[str, ...]:
    """The modes whose own passages a turn of ``mode`` does without: a story turn, those of both."""
    return ("dm", "god") if mode == "story" else ()


def budget_of(limit: int | None, default: int) -> int:
    """The o200k tokens that a turn's retrieved block may have: as asked, else the ``default``.

    Raises:
        InvalidTurnError: what is asked is no whole number from 0 to :data:`MAX_BUDGET`.
    """
    if limit is None:
        return default
    if type(limit) is not int or not 0 <= limit <= MAX_BUDGET:
        raise InvalidTurnError(
            f"max_tokens_retrieved is {limit!r:.40}; give a whole number from 0 to {MAX_BUDGET}, "
            f"or leave it out for PROMPT_MAX_TOKENS_RETRIEVED, which is {default}"
        )
    return limit


def check_floor(floor: float | None) -> None:
    """Raise :class:`InvalidTurnError` for a floor that is no number from 0 to 1."""
    number = isinstance(floor, int | float) and not isinstance(floor, bool)
    if floor is not None and not (number and 0 <= floor <= 1):
        raise InvalidTurnError(f"floor is {floor!r:.40}; give a number from 0 to 1")


def query_of(text: str) -> str:
    """The text that is searched with: normalised, of a very long one the two ends.

    A prefix that chooses how a turn is taken (``think:``, ``GOD MODE:``) says nothing of what it
    is about.
    """
    if prefix := _PREFIX.match(text):
        text = text[prefix.end() :]
    if len(text) > QUERY_CHARS:
        half = QUERY_CHARS // 2
        text = f"{text[:half]} {text[-half:]}"
    return normalise(text)


def sha256(text: str) -> str:
    """The SHA-256 of a text in hexadecimal."""
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()
