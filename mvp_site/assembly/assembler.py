"""The assembler: a turn in, a prompt out, with the account of how it was chosen (design 1)."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Any, Final

from ..archive.candidates import Selection, select
from ..archive.header_files import examples
from ..archive.own_modes import Declared, declared, filled, named
from ..archive.release import EXCLUSIVE_MODES, ArchiveRelease
from ..archive.turn_classifiers import short
from ..archive.turn_ranking import STATE_SHARE, lanes_used, rank_turn
from ..archive.versions import read_beside, read_header, resolve_version, store_of
from ..errors import InvalidTurnError, UnknownSectionError
from ..releases.reloading import Fixed, ServedSource
from ..retrieval.cache import SingleFlightCache
from ..retrieval.encoder import Encoder, Vector, knows
from ..retrieval.ranking import LanesFailedError, Ranking, understand
from ..settings import Settings, settings_of
from ..text.normalising import clean, content_words
from ..text.tokens import count_tokens
from ..types import (
    AUDIENCES,
    MODES,
    Account,
    AssembledTurn,
    Audience,
    Message,
    Mode,
    SparseReason,
    SystemText,
)
from . import rendering, telemetry
from .contents import MAX_TOKENS, contents, titled, titles
from .plan import RankedPlan, Redactor, RetrievalPlan, empty, plan, with_pinned
from .request import (
    RetrievalRequest,
    budget_of,
    check_floor,
    closed_modes,
    history_of,
    names_nothing,
    request_of,
)
from .scope import pieces_of, scope_of, scoped
from .serving import Loaded, load, serve
from .state_signals import SHARES, WORDS

EXAMPLES: Final = 4
TITLES_PART: Final = 4
"""The part of a look-up that is left for titles, where a section does not fit whole."""
TABLES: Final = 32
"""Tables of contents that are kept: for modes, audiences and scopes."""


class PromptAssembler:
    """Assembles turns from a release. Thread-safe; open one a process and share it."""

    def __init__(self, settings: Settings, serving: ServedSource[Loaded], header: str, version: str,
                 redactors: Sequence[Redactor] = (),
                 beside: Mapping[str, bytes] | None = None) -> None:
        self._settings = settings
        self._serving = serving
        self._header = header
        self._version = version
        self._redactors = tuple(redactors)
        self._beside = beside or {}
        size = settings.prompt_cache_size
        self._plans: SingleFlightCache[tuple[Any, ...], RankedPlan] = SingleFlightCache(size)
        self._vectors: SingleFlightCache[tuple[str, str], Vector] = SingleFlightCache(size)
        self._tables: SingleFlightCache[tuple[Any, ...], Any] = SingleFlightCache(TABLES)

    @classmethod
    def open(cls, settings: Settings | None = None, *, degraded: bool = False,
             encoder: Encoder | None = None, redactors: Sequence[Redactor] = (),
             release: str | None = None) -> PromptAssembler:
        """An assembler of the settings' version, its release loaded and verified.

        With ``degraded`` a release that cannot be served is no error: turns are then assembled
        from the header alone, reason ``no_index``, until one is published. ``redactors`` are
        called with each passage and its chunk, after audience filtering, and give the text that
        may be shown. ``encoder`` stands in for the one that the release was built with.
        ``release`` names a kept release by its fingerprint: that one is served, whatever the
        archive holds and whatever is published.

        Raises:
            UnknownVersionError: the version does not exist; lists those that do.
            MissingIndexError, StaleIndexError, CorruptIndexError: the command that mends it is
                in the message.
            EncoderError: the release's encoder is not on this machine.
        """
        settings = settings_of(settings)
        version = resolve_version(settings)

        if release is not None:
            bundle = store_of(settings.prompt_index_dir, version).load(release)
            source = Fixed(load(settings, version, encoder, bundle))
            return cls(settings, source, "", version, redactors)
        serving = serve(settings, version, encoder, degraded=degraded)
        served = serving.peek()
        if served:
            return cls(settings, serving, served.release.header, version, redactors,
                       served.release.beside)
        header = read_header(settings, version).decode("utf-8")
        return cls(settings, serving, header, version, redactors, read_beside(settings, version))

    @property
    def problem(self) -> str:
        """Why turns have the header alone, with the command that mends it; '' where they do not."""
        return self._serving.problem

    @property
    def version(self) -> str:
        """The version this assembler serves."""
        return self._version

    @property
    def loaded(self) -> Loaded | None:
        """The release in service with its encoder; None where there is none."""
        return self._serving.now()

    @property
    def header(self) -> str:
        """The core header of the release in service."""
        served = self._serving.peek()
        return served.release.header if served else self._header

    @property
    def beside(self) -> Mapping[str, bytes]:
        """What stands beside the header in service (:mod:`mvp_site.archive.header_files`)."""
        served = self._serving.now()
        return served.release.beside if served else self._beside

    @property
    def modes(self) -> tuple[str, ...]:
        """The modes of turns: the built-in ones, then those that the version declares."""
        return (*MODES, *self._declared(self._serving.peek()).modes)

    def examples(self) -> list[tuple[str, str]]:
        """Turns to try, each with its mode: the archive's, else questions about its headings."""
        served = self._serving.peek()
        titles = dict.fromkeys(
            piece.path[-1] for chunk in (served.release.chunks if served else ())
            if chunk.audience == "player" for piece in chunk.pieces if piece.path
        )
        return examples(self.beside) or [
            (f"What about {title.lower() if title.isupper() else title}?", "story")
            for title in list(titles)[:EXAMPLES]
        ]

    def assemble(self, text: str, mode: str = "story",  # noqa: PLR0913 (a turn, and options)
                 audience: Audience = "player",
                 history: Sequence[Message | Mapping[str, Any]] = (),
                 state: Mapping[str, Any] | None = None,
                 given: Mapping[str, str] | None = None, *,
                 query: str | None = None, pin: Sequence[str] = (), only: Sequence[str] = (),
                 without: Sequence[str] = (), fill: Mapping[str, str] | None = None,
                 max_tokens_retrieved: int | None = None, max_tokens_contents: int = 0,
                 floor: float | None = None, explain: bool = False) -> AssembledTurn:
        """The prompt of one turn.

        Args:
            text: what the player, or the system, says this turn. Any text is safe.
            mode: ``story``, ``dm`` or ``god``, or one that the version declares
                (:mod:`mvp_site.archive.own_modes`).
            audience: who may see the passages; the caller states it, the text never does.
            history: the messages before, oldest first, each a :class:`Message` or a mapping with
                ``role`` (``user``, ``assistant`` or ``system``) and ``content``. Of more than
                2,000 the last ones are taken.
            state: the game's state; words for what it says are searched with too.
            given: what is printed between the retrieved context and the turn, by element:
                ``state``, ``state_changes``, ``secret_notes``, ``dice_tray``. It is not searched
                with.
            query: what is searched with in place of ``text``, where that says more than the turn.
            pin: files or sections that are printed in any case; they count against the budget
                first. :mod:`~mvp_site.assembly.scope` says how they are named.
            only: the files or sections that are searched; by default all.
            without: those that are not.
            fill: the texts of placeholders in header and passages (``{{WEATHER}}``), by name. Where
                there is none, that of the version's ``placeholders.toml`` stands, else the name.
            max_tokens_retrieved: o200k tokens of the retrieved block; by default the settings'.
            max_tokens_contents: o200k tokens of a table of contents of the archive behind the
                header, up to 600: for a model that can ask for sections. By default there is none.
                It is a player's story turn's in all built-in modes: the same from turn to turn.
            floor: the evidence that the best passage must reach, 0 to 1; by default the
                settings' or the release's.
            explain: gives the account of how it was chosen, too.

        Raises:
            InvalidTurnError: an unknown mode, audience, role, element, file or section, pinned
                text over the budget, a budget or floor that is none, or a value of a wrong type.
        """
        started = time.perf_counter()
        history = history_of(history)
        served = self._serving.now()
        version = self._declared(served)
        request = self._request(
            served, text, mode, audience, history, state, given, query=query, fill=fill,
            scope=scope_of(pin, only, without), leaning=partial(self._leaning, served))
        budget = budget_of(max_tokens_retrieved, self._settings.prompt_max_tokens_retrieved)
        check_floor(floor)
        # A table of the turn's own mode would cost all that a cache holds of the history.
        anyones = replace(request, mode="story", audience="player") if mode in MODES else request
        table = self._contents_of(served, anyones, max_tokens_contents)
        logged = clean(text) if self._settings.prompt_log_text else None
        with telemetry.span(self._version, logged) as span:
            retrieval, cached = self._retrieve(served, request, budget, floor=floor)
            retrieved_at = time.perf_counter()
            archived = served.release.header if served else self._header
            texts = dict(request.fill)
            header = filled(archived, texts)
            own = version.modes.get(mode)
            mode_header = filled(own.header, texts) if own else ""
            header_tokens = (count_tokens(header) if header != archived else
                             served.release.manifest.header_tokens if served else None)
            prompt, messages, segments = rendering.prompt(
                header, history,
                (*retrieval.plan.segments, *rendering.asked(text, mode, audience, given)),
                header_tokens, mode_header, table,
            )
            event = telemetry.prompt_event(
                self._settings, self._version, served.release.manifest if served else None,
                request, retrieval, budget=budget, cached=cached, text=text, header=archived,
                header_tokens=header_tokens, contents=table,
                unfilled=named("".join((header, mode_header, retrieval.plan.block))),
                times=(started, retrieved_at, time.perf_counter()),
            )
            telemetry.describe(span, event)
        telemetry.emit(event)
        how: Account | None = None
        if served and explain and retrieval.ranking is not None:
            from .account import account  # noqa: PLC0415 (it brings the reader of Markdown)

            how = account(served.release, request, retrieval,
                          self._query_vector(served, request, retrieval), budget,
                          self._redactors_of(request))
        reason = retrieval.plan.sparse_reason
        return AssembledTurn(prompt, messages, retrieval.plan.chunks, retrieval.plan.dropped,
                             reason is not None, reason, event, how, segments)

    async def aassemble(self, text: str, *turn: Any, **more: Any) -> AssembledTurn:
        """The prompt of one turn as :meth:`assemble` gives it, without blocking an event loop."""
        return await asyncio.to_thread(self.assemble, text, *turn, **more)

    def system_text(self, *turn: Any, **more: Any) -> SystemText:
        """Header and passages as one system text, for callers who build their own messages.

        Takes what :meth:`assemble` takes, and raises what it raises.
        """
        assembled = self.assemble(*turn, **more)
        return rendering.system_text(assembled)

    def retrieve(self, text: str, mode: str = "story",  # noqa: PLR0913 (a turn, and options)
                 audience: Audience = "player",
                 history: Sequence[Message | Mapping[str, Any]] = (),
                 state: Mapping[str, Any] | None = None, *,
                 query: str | None = None, pin: Sequence[str] = (), only: Sequence[str] = (),
                 without: Sequence[str] = (), fill: Mapping[str, str] | None = None,
                 max_tokens_retrieved: int | None = None,
                 floor: float | None = None, why: str | None = None) -> RetrievalPlan:
        """What :meth:`assemble` would retrieve, without the prompt around it.

        ``why`` names a passage of the archive, whoever may see it, by a chunk's id, a title or a
        file: the plan then says where it stands, what it missed, and what would bring it.

        Raises:
            InvalidTurnError: as for :meth:`assemble`; or nothing is called ``why``.
        """
        served = self._serving.now()
        request = self._request(
            served, text, mode, audience, history_of(history), state, query=query, fill=fill,
            scope=scope_of(pin, only, without), leaning=partial(self._leaning, served))
        budget = budget_of(max_tokens_retrieved, self._settings.prompt_max_tokens_retrieved)
        check_floor(floor)
        retrieval = self._retrieve(served, request, budget, floor=floor)[0]
        if why is None or served is None:
            return retrieval.plan
        from .why import Answered  # noqa: PLC0415 (it brings the reader of Markdown)
        from .why import why as why_of  # noqa: PLC0415

        answered = Answered(
            served.release, text if query is None else query, request, retrieval,
            scoped(served.release, request.scope, request.audience), budget,
            self._query_vector(served, request, retrieval), self._redactors_of(request),
            lambda words: self._rank_and_plan(
                served, replace(request, query=words), budget, frozenset(), floor),
        )
        return replace(retrieval.plan, why=why_of(answered, why))

    def contents(self, mode: str = "story", audience: Audience = "player",
                 max_tokens: int = MAX_TOKENS) -> str:
        """A table of contents of what an audience may look up in a mode, '' where there is none.

        It has at most ``max_tokens`` o200k tokens.

        Raises:
            InvalidTurnError: an unknown mode or audience, or more than 600 tokens.
        """
        served = self._serving.now()
        request = self._request(served, "", mode, audience, (), None)
        return self._contents_of(served, request, max_tokens)

    def look_up(self, query: str, *, mode: Mode, audience: Audience, max_tokens: int,
                printed_ids: Collection[str] = ()) -> RetrievalPlan:
        """What is printed for a ``query`` of the model's own within ``max_tokens`` o200k tokens.

        A title gives its section whole, or what fits of it best, and the titles of the rest
        (``more``). Else it is searched, filled and rendered as a turn's text is, without history
        and state. It is only what ``audience`` may see. Chunks whose ids are in ``printed_ids`` are
        not printed again; they are dropped as duplicates.

        Raises:
            InvalidTurnError, NotEntitledError: as for :meth:`assemble`.
        """
        served = self._serving.now()
        request = self._request(served, query, mode, audience, (), None)
        budget = budget_of(max_tokens, self._settings.prompt_max_tokens_looked_up)
        section = served and self._section_of(served, request, query)
        if not served or not section:
            return self._retrieve(served, request, budget, frozenset(printed_ids))[0].plan
        within_it = replace(request, scope=replace(request.scope, only=(section,)))
        pieces = pieces_of(served.release, section, audience)
        if all(_open(served.release, number, request) for number, _ in pieces):
            pinned = replace(within_it, scope=replace(within_it.scope, pin=(section,)))
            with suppress(InvalidTurnError):  # it does not fit whole
                return self._retrieve(served, pinned, budget, frozenset(printed_ids), 0.0)[0].plan
        rest = budget - budget // TITLES_PART
        plan = self._retrieve(served, within_it, rest, frozenset(printed_ids), 0.0)[0].plan
        return replace(plan, more=_unprinted(served.release, pieces, request, plan))

    def _section_of(self, served: Loaded, request: RetrievalRequest, name: str) -> str | None:
        """The title or file that a text names, among what the request may be given."""
        release, scope = served.release, request.scope
        names, _ = self._tables.get(
            ("titles", release.manifest.fingerprint, request.mode, request.audience, scope),
            lambda: titles(release.chunks, request.audience, request.mode,
                           searched=scoped(release, scope, request.audience).searched),
        )
        section = titled(name, names)
        with suppress(UnknownSectionError):
            if section and pieces_of(release, section, request.audience):
                return section
        return None

    def _contents_of(self, served: Loaded | None, request: RetrievalRequest, most: int) -> str:
        """The table of contents of what a request may be given, '' where none is wanted."""
        if type(most) is not int or not 0 <= most <= MAX_TOKENS:
            raise InvalidTurnError(
                f"max_tokens_contents is {most!r:.40}; give a whole number from 0 to {MAX_TOKENS}")
        if not served or not most:
            return ""
        release, scope = served.release, replace(request.scope, pin=())
        table, _ = self._tables.get(
            ("contents", release.manifest.fingerprint, request.mode, request.audience, scope,
             request.fill, most),
            lambda: contents(release.chunks, request.audience, request.mode, most,
                             searched=scoped(release, scope, request.audience).searched,
                             redactors=self._redactors_of(request)),
        )
        return str(table)

    def _retrieve(self, served: Loaded | None, request: RetrievalRequest, budget: int,
                  printed_ids: frozenset[str] = frozenset(), floor: float | None = None,
                  ) -> tuple[RankedPlan, bool]:
        if served is None:
            return _empty_plan("no_index"), False
        if not request.query and not request.scope.pin:
            return _empty_plan("empty_query"), False
        if floor is None:
            floor = self._settings.prompt_retriever_score_floor
        key = (
            served.release.manifest.fingerprint, request.mode, request.audience,
            request.query_hash, request.signals, request.scope, request.fill,
            request.classes, request.leaned, request.barred, request.scene, budget, floor,
            printed_ids,
        )
        return self._plans.get(
            key, lambda: self._rank_and_plan(served, request, budget, printed_ids, floor),
            lambda retrieval: not retrieval.failed,
        )

    def _request(self, served: Loaded | None, *turn: Any, **more: Any) -> RetrievalRequest:
        """The request of a turn under what is served (:func:`.request.request_of`)."""
        if served:
            more["barred"] = served.release.conditions.barred
        return request_of(*turn, declared=self._declared(served), **more)

    def _declared(self, served: Loaded | None) -> Declared:
        return served.release.declared if served else declared(self._beside)

    def _redactors_of(self, request: RetrievalRequest) -> tuple[Redactor, ...]:
        """What a passage goes through: its placeholders are filled first."""
        if not request.fill:
            return self._redactors
        texts = dict(request.fill)
        return (lambda text, _: filled(text, texts), *self._redactors)

    def _query_vector(self, served: Loaded, request: RetrievalRequest, retrieval: RankedPlan,
                      ) -> Vector | None:
        """The vector that the query was ranked by; None where the dense lane gave no scores."""
        ranking = retrieval.ranking
        failed = ranking is None or ranking.dense is None
        return None if failed else self._vector(served, request.query)

    def _vector(self, served: Loaded, text: str) -> Vector | None:
        """The vector of a text; None where the encoder does not read its script."""
        if not served.encoder.reads(text):
            return None
        key = (served.release.manifest.encoder, text)
        return self._vectors.get(key, lambda: served.encoder.encode([text])[0])[0]

    def _leaning(self, served: Loaded | None, text: str) -> bool:
        """Whether a text leans on what was said.

        By its words alone if the encoder fails, or does not know the archive's language.
        """
        if served is None:
            return short(text) and names_nothing(text)
        release = served.release
        language = release.turn_index.language
        if not short(text, language):
            return False
        readable = knows(release.manifest.encoder, language.codes) and content_words(text, language)
        seen = understand(partial(self._vector, served), text) if readable else None
        if seen is None or seen.vector is None:
            return names_nothing(text, language)
        return release.turn_index.classifiers.is_leaning(seen.vector)

    def _rank_and_plan(self, served: Loaded, request: RetrievalRequest, budget: int,
                       printed_ids: frozenset[str], floor: float | None) -> RankedPlan:
        release = served.release
        scope = scoped(release, request.scope, request.audience)

        def planned(ranking: Ranking | None, retrieved: Selection,
                    failed: Mapping[str, str]) -> RankedPlan:
            pinned = {number: pieces for number, pieces in scope.pinned.items()
                      if release.chunks[number].id not in printed_ids}
            retrieved = with_pinned(release, retrieved, pinned)
            printed = plan(release, retrieved, budget, self._redactors_of(request), pinned,
                           lambda number: _open(release, number, request)
                           and release.chunks[number].id not in printed_ids
                           and (scope.searched is None
                                or bool(scope.searched[release.spans[number]].all())))
            return RankedPlan(ranking, printed, failed, retrieved.selected, pinned)

        if not request.query:
            return planned(None, _empty_selection("empty_query"), {})
        try:
            ranking = rank_turn(
                release.turn_index, partial(self._vector, served), request.query,
                state={WORDS[name]: SHARES.get(name, STATE_SHARE)
                       for name in sorted(request.signals)},
                of_others=release.alternatives.of_others(request.classes, request.query),
                leaned=request.leaned, scene=request.scene,
                also=() if scope.searched is None or not request.scope.only
                else scope.searched.nonzero()[0].tolist(),
            )
        except LanesFailedError as error:
            return planned(None, _empty_selection("lane_failure"), error.failed)
        if floor is None:
            lanes = lanes_used(ranking)
            leaned = request.leaned and lanes == "both"
            floor = getattr(release.manifest.floors, "leaned" if leaned else lanes)
            if request.words_alone and ranking.lexical is not None and not ranking.lexical.any():
                floor = 1.0
        retrieved = _without(printed_ids, select(release, ranking, request.audience, floor,
                                                 budget=budget, searched=scope.searched,
                                                 closed_modes=closed_modes(request.mode),
                                                 barred=request.barred))
        return planned(ranking, retrieved, ranking.failed)


def _open(release: ArchiveRelease, number: int, request: RetrievalRequest) -> bool:
    """Whether a chunk may be printed for a request, and says what no earlier one says."""
    closed = (EXCLUSIVE_MODES[release.only_for[number]] in closed_modes(request.mode)
              or number in request.barred
              or release.audience_rank[number] > AUDIENCES.index(request.audience))
    return not closed and not release.chunks[number].duplicate_of


def _unprinted(release: ArchiveRelease, pieces: Sequence[tuple[int, int]],
               request: RetrievalRequest, plan: RetrievalPlan) -> tuple[str, ...]:
    """The titles right above the text of pieces that were not printed."""
    printed = {path for chunk in plan.chunks for path in chunk.sections}
    paths = (release.chunks[number].pieces[index].path
             for number, index in pieces if _open(release, number, request))
    return tuple(dict.fromkeys(path[-1] for path in paths
                               if path and " > ".join(path) not in printed))


def _without(printed_ids: Collection[str], retrieved: Selection) -> Selection:
    """What was retrieved but for the chunks that were printed."""
    passed = retrieved.selected
    candidates = tuple(candidate for candidate in passed if candidate.id not in printed_ids)
    if len(candidates) == len(passed):
        return retrieved
    repeated = tuple(c.dropped("duplicate") for c in passed if c.id in printed_ids)
    return replace(
        retrieved, selected=candidates, dropped=(*retrieved.dropped, *repeated),
        sparse_reason=None if candidates else "filtered",
    )


def _empty_selection(reason: SparseReason) -> Selection:
    return Selection((), (), reason, 0.0, 0.0)


def _empty_plan(reason: SparseReason) -> RankedPlan:
    return RankedPlan(None, empty(_empty_selection(reason)), {})
