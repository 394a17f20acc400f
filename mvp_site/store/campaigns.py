"""The campaign store: what the rest of the package asks of the database."""

from __future__ import annotations

import datetime
import uuid
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import AbstractContextManager, suppress
from dataclasses import replace
from math import isfinite
from typing import Any, Final, Self, TypeVar

import sqlalchemy as sa
from sqlalchemy.exc import IntegrityError

from ..errors import (
    CampaignConflictError,
    CampaignExistsError,
    InvalidTurnError,
    NotEntitledError,
    StoreError,
)
from ..settings import Settings, settings_of
from ..text.strict_json import shown
from . import documents, migrating, queries, rows, urls
from .campaign_documents import CampaignDocuments
from .database import Database
from .shared_counts import SharedCounts
from .tables import (
    campaign_builds,
    campaign_documents,
    campaigns,
    routings,
    sources,
    spending_limits,
    turn_results,
    turns,
)
from .types import (
    NEW,
    Campaign,
    CampaignSummary,
    KeptResult,
    StoredExchange,
    StoredMemory,
    StoredRetrieval,
    StoredState,
    TurnRecord,
)

Clock = Callable[[], datetime.datetime]
DAY: Final = datetime.timedelta(days=1)
"""How long an idempotency key gives the same turn."""
PAGE: Final = 200
"""Manifests that are read at once."""
Said = TypeVar("Said", StoredExchange, StoredMemory)


def utc_now() -> datetime.datetime:
    """The time, in UTC."""
    return datetime.datetime.now(datetime.UTC)


class CampaignStore:
    """Campaigns in SQLite or PostgreSQL: state, history, and every turn's manifest.

    Safe to use from several threads and processes at once: a writer names the version that it
    read, and of two who read the same one, one is told so and writes nothing. States, manifests
    and texts come back as they were given, key order aside.
    """

    def __init__(self, database: Database, clock: Clock = utc_now) -> None:
        self._database = database
        self._clock = clock
        self.documents = CampaignDocuments(database, clock)
        self.shared_counts = SharedCounts(database, clock)

    @classmethod
    def open(cls, settings: Settings, *, clock: Clock = utc_now) -> Self:
        """The store of the settings, its schema up to date.

        ``mvp_site_database_url`` says where; without one it is the file ``campaigns.sqlite3`` in
        ``mvp_site_data_dir``.

        Raises:
            SettingsError: the URL cannot be used.
            StoreError: the database cannot be reached, or is newer than this package.
        """
        settings = settings_of(settings)
        return cls.from_url(urls.database_url(settings), clock=clock,
                            timeout=settings.mvp_site_database_timeout)

    @classmethod
    def from_url(cls, url: str | sa.URL, *, clock: Clock = utc_now, timeout: float | None = None,
                 ) -> Self:
        """As :meth:`open`, at a database URL; ``timeout`` is ``mvp_site_database_timeout``."""
        database = Database.at(urls.parse(url), timeout)
        try:
            migrating.bring_up_to_date(database)
        except BaseException:
            database.close()
            raise
        return cls(database, clock)

    def check(self) -> None:
        """See that campaigns can be read, and that SQLite can write more.

        Raises:
            StoreError: they cannot, and what mends it.
        """
        self._database.check()
        migrating.check_tables(self._database)

    def close(self) -> None:
        """Close the connections. The store is not used afterwards."""
        self._database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def reading(self) -> AbstractContextManager[None]:
        """What this thread reads in the block is as of one moment, and read over one connection."""
        return self._database.shared("reading a campaign")

    def create(self, campaign_id: str, state: Mapping[str, Any], title: str = "") -> Campaign:
        """A new campaign at version 1.

        Raises:
            CampaignExistsError: there is one of this id.
            InvalidTurnError: the id or the state cannot be stored.
        """
        moment = self._clock()
        campaign = Campaign(campaign_id, 1, 0, moment, moment, state, title=title)
        row = rows.row_of(campaign)
        with self._writing(campaign_id, "creating") as connection:
            self._insert(connection, row)
        return campaign

    def load(self, campaign_id: str) -> Campaign:
        """The campaign as it stands.

        Raises:
            UnknownCampaignError: there is none; the message names near matches.
        """
        with self._reading(campaign_id) as connection:
            row = queries.campaign(connection, campaign_id)
        return rows.record_of(Campaign, row)

    def version(self, campaign_id: str) -> tuple[int, datetime.datetime] | None:
        """Another pair for another state of the campaign, without reading it; None: there is none.

        It is of one that was deleted and begun anew, too.
        """
        query = sa.select(campaigns.c.version, campaigns.c.updated).where(
            campaigns.c.id == campaign_id)
        with self._reading(campaign_id) as connection:
            row = connection.execute(query).one_or_none()
        return row and (row.version, rows.read_time(row.updated, f"campaign {campaign_id!r}"))

    def campaigns(self, limit: int = 100, offset: int = 0) -> tuple[CampaignSummary, ...]:
        """Campaigns without their states, last changed first."""
        query = queries.newest_campaigns(rows.count(limit, "limit"), rows.count(offset, "offset"))
        with self._database.read("listing campaigns") as connection:
            records = connection.execute(query).all()
        return tuple(rows.record_of(CampaignSummary, row) for row in records)

    def counting(self, campaign_id: str, upto: int | None = None) -> int:
        """How many turns of a campaign count: all, or those up to the one of a number."""
        query = sa.select(sa.func.count()).where(
            turns.c.campaign_id == campaign_id, turns.c.withdrawn.is_(None),
            *(() if upto is None else (turns.c.number <= upto,)))
        with self._reading(campaign_id) as connection:
            return int(connection.execute(query).scalar_one())

    def history(self, campaign_id: str, last: int | None = None, then: int | None = None,
                ) -> tuple[StoredExchange, ...]:
        """What was said in the accepted turns, or the ``last`` of them; oldest first.

        With ``then``, what counted when the turn of that number was taken.

        Raises:
            UnknownCampaignError: there is no such campaign.
        """
        return self._said(StoredExchange, campaign_id, last, then)

    def memories(self, campaign_id: str, then: int | None = None) -> tuple[StoredMemory, ...]:
        """What is remembered of the accepted turns, oldest first; as :meth:`history` has them.

        Raises:
            UnknownCampaignError: there is no such campaign.
        """
        return self._said(StoredMemory, campaign_id, None, then)

    def _said(self, kind: type[Said], campaign_id: str, last: int | None, then: int | None,
              ) -> tuple[Said, ...]:
        if last is not None:
            rows.count(last, "last")
        with self._reading(campaign_id) as connection:
            records = connection.execute(queries.conversation(kind, campaign_id, last, then)).all()
            if not records:
                queries.campaign(connection, campaign_id, whole=False)
        return tuple(
            rows.record_of(kind, row, f"turn {shown(row.number)} of campaign {campaign_id!r}")
            for row in reversed(records)
        )

    def taken_on(self, campaign_id: str, number: int) -> Mapping[str, Any] | None:
        """The state that the turn of a ``number`` was taken on; None where there is no such turn.

        It may have been taken back since.
        """
        query: sa.Select[Any] = sa.select(turns.c.id, turns.c.manifest, turns.c.state_before).where(
            turns.c.campaign_id == campaign_id, turns.c.number == number)
        with self._reading(campaign_id) as connection:
            row = connection.execute(query).one_or_none()
        return None if row is None else rows.record_of(StoredState, row).taken_on

    def before(self, turn_id: str) -> tuple[Campaign, int]:
        """The campaign as it would be without its last turn that counts, and that turn's number.

        Raises:
            UnknownTurnError: there is none of this id.
            CampaignConflictError: it is not the last that counts.
        """
        with self._database.read("reading a campaign before its last turn") as connection:
            current, last = queries.last_counting(connection, turn_id)
        campaign = rows.record_of(Campaign, current)
        state = rows.read_document(last.state_before, f"the state before turn {turn_id!r}")
        return replace(campaign, state=state), last.number

    def commit(
        self, turn: TurnRecord, state: Mapping[str, Any], expected_version: int,
        replaces: str | None = None, result: KeptResult | None = None,
    ) -> Campaign:
        """The campaign with ``turn`` added and ``state`` in place of its own; all or nothing.

        ``expected_version`` is the version that the turn was taken on, and ``turn.number`` one
        more than the turns that it had. With :data:`~mvp_site.store.types.NEW` the campaign begins
        here, with the state before the turn. The turn ``replaces``, the last that counts, is taken
        back. The ``result`` is found by its key for a day (:meth:`result_by_key`).

        Raises:
            CampaignConflictError: another writer was faster, or has used the key; nothing was
                written.
            UnknownCampaignError: there is no such campaign.
            InvalidTurnError: a field or the state cannot be stored.
            StoreError: the id or the number of the turn is taken or out of turn.
        """
        turn_row = rows.row_of(turn)
        version, moment = rows.count(expected_version, "expected_version") or 1, self._clock()
        new = Campaign(turn.campaign_id, version, 0, moment, moment, turn.state_before)
        updated = rows.microseconds(moment, "the clock's time")
        # The condition and the change are one statement: no other writer comes between them.
        advance = sa.update(campaigns).where(
            campaigns.c.id == turn.campaign_id, campaigns.c.version == version,
            campaigns.c.turns == turn.number - 1,
        ).values(
            version=campaigns.c.version + 1, turns=turn.number, updated=updated,
            state=rows.document(state, "state"),
        )
        result_row = None if result is None else {
            "campaign_id": turn.campaign_id, "key": rows.name(result.key, "the idempotency key"),
            "digest": result.digest, "created": updated,
            "result": rows.document(result.result, "the result"),
        }
        with self._database.write(f"committing turn {turn.id!r}") as connection:
            if expected_version == NEW:
                self._insert(connection, rows.row_of(new), CampaignConflictError(
                    f"campaign {new.id!r} was begun by another writer, who was faster. Nothing was "
                    "written; take the turn again"))
            if connection.execute(advance).rowcount != 1:
                raise queries.why_not_advanced(connection, turn, version)
            try:
                connection.execute(sa.insert(turns), turn_row)
            except IntegrityError:
                raise StoreError(
                    f"a turn {turn.id!r} is in the store already, so nothing was written: give "
                    "every turn an id of its own"
                ) from None
            if result_row is not None:
                connection.execute(sa.delete(turn_results).where(
                    turn_results.c.created < updated - DAY // datetime.timedelta(microseconds=1)))
                connection.execute(sa.insert(turn_results), result_row)
            if replaces is not None:
                connection.execute(sa.update(turns).where(
                    turns.c.id == replaces, turns.c.campaign_id == turn.campaign_id
                ).values(withdrawn=turn.number - 1))
            row = queries.campaign(connection, turn.campaign_id, whole=False)
        return Campaign(
            turn.campaign_id, version + 1, turn.number,
            rows.time(row.created, "created"), rows.time(updated, "updated"), state,
            title=rows.read_text(row.title, "the title"),
        )

    def result_by_key(self, campaign_id: str, key: str) -> KeptResult | None:
        """What came of the turn that was sent with a key within the last day; None: there is none.

        Raises:
            InvalidTurnError: the key cannot be one.
        """
        since = rows.microseconds(self._clock() - DAY, "the clock's time")
        query = sa.select(turn_results.c.digest, turn_results.c.result).where(
            turn_results.c.campaign_id == rows.name(campaign_id, "the campaign id"),
            turn_results.c.key == rows.name(key, "the idempotency key"),
            turn_results.c.created >= since,
        )
        with self._database.read("looking for a turn's key") as connection:
            row = connection.execute(query).one_or_none()
        return row and KeptResult(
            key, row.digest, rows.read_document(row.result, "the result of a turn"))

    def withdraw(self, turn_id: str) -> Campaign:
        """The campaign as it was before its last turn that counts, which is taken back, and kept.

        Raises:
            UnknownTurnError: there is none of this id.
            CampaignConflictError: it is not the last that counts; nothing was written.
        """
        updated = rows.microseconds(self._clock(), "the clock's time")
        with self._database.write("taking a turn back") as connection:
            current, last = queries.last_counting(connection, turn_id, lock=True)
            connection.execute(
                sa.update(turns).where(turns.c.id == turn_id).values(withdrawn=current.turns)
            )
            connection.execute(sa.update(campaigns).where(campaigns.c.id == current.id).values(
                version=current.version + 1, updated=updated, state=last.state_before,
            ))
            return rows.record_of(Campaign, queries.campaign(connection, current.id))

    def retake(self, turn_id: str, state: Mapping[str, Any]) -> Campaign:
        """The campaign with a copy of a turn that was taken back as its last, and ``state``.

        The turn follows the last that counts, as it did; or it is another version of that one,
        which is taken back.

        Raises:
            UnknownTurnError: there is none of this id.
            CampaignConflictError: it counts, or the story has gone on; nothing was written.
        """
        updated = rows.microseconds(self._clock(), "the clock's time")
        with self._database.write("taking a turn again") as connection:
            name = queries.turn(connection, turn_id).campaign_id
            current = queries.campaign(connection, name, lock=True)
            old = queries.turn(connection, turn_id)
            last = connection.execute(queries.standing(name, current.turns + 1)).one_or_none()
            followed = connection.execute(queries.standing(name, old.number)).one_or_none()
            replaces = last if last is not None and last != followed else None
            if old.withdrawn is None or (replaces is not None and (
                    replaces.audience != old.audience or followed != connection.execute(
                        queries.standing(name, replaces.number)).one_or_none())):
                raise CampaignConflictError(
                    f"this turn counts, or the story of campaign {name!r} has gone on since it was "
                    "taken back: take back what came after it first"
                )
            if replaces is not None:
                connection.execute(sa.update(turns).where(turns.c.id == replaces.id).values(
                    withdrawn=current.turns))
            connection.execute(queries.copied(
                turns.c.id == turn_id, id=sa.literal(uuid.uuid4().hex), created=sa.literal(updated),
                withdrawn=sa.cast(None, sa.BigInteger), number=sa.literal(current.turns + 1)))
            connection.execute(sa.update(campaigns).where(campaigns.c.id == name).values(
                version=current.version + 1, turns=current.turns + 1, updated=updated,
                state=rows.document(state, "state"),
            ))
            return rows.record_of(Campaign, queries.campaign(connection, name))

    def branch(self, turn_id: str, campaign_id: str, most: int | None = None, title: str = "",
               ) -> Campaign:
        """A new campaign: another's turns up to one, as it stood then, notes, limit and all.

        Without a ``title`` it has the other's.
        Copies of turns have ids of their own; their manifests name what they are copies of. A
        campaign has at most ``most`` branches at once, those of its branches too.

        Raises:
            UnknownTurnError: there is none of this id.
            CampaignExistsError: there is a campaign ``campaign_id``.
            NotEntitledError: there are as many as there may be.
            InvalidTurnError: the turn has been taken back, or the id cannot be stored.
        """
        moment = self._clock()
        with self._writing(campaign_id, "creating") as connection:
            last = queries.turn(connection, turn_id)
            if last.withdrawn is not None:
                raise InvalidTurnError(
                    "this turn has been taken back: branch from one that counts"
                )
            source = queries.campaign(connection, last.campaign_id)
            origin = source.origin or source.id
            if most is not None and queries.branches(connection, origin) >= most:
                raise NotEntitledError(
                    f"campaign {source.id!r} and what it was branched from have {most} branches, "
                    "as many as players may make: play on in one of them, or ask the DM"
                )
            state = connection.execute(sa.select(turns.c.state_before).where(
                turns.c.campaign_id == source.id, turns.c.number == last.number + 1
            )).scalar() or source.state
            campaign = Campaign(campaign_id, 1, last.number, moment, moment,
                                rows.read_document(state, "the state"),
                                title=title or rows.read_text(source.title, "the title"))
            self._insert(connection, {**rows.row_of(campaign), "origin": origin})
            connection.execute(queries.copied(
                sa.and_(turns.c.campaign_id == source.id, turns.c.number <= last.number),
                id=sa.literal(f"{uuid.uuid4().hex}-") + sa.cast(turns.c.number, sa.String),
                campaign_id=sa.literal(campaign_id),
            ))
            new_documents = self.documents.read(connection, last.campaign_id)
            self.documents.write(connection, campaign_id, new_documents)
            bound = sa.select(sources.c.source_id).where(sources.c.campaign_id == last.campaign_id)
            for book in connection.execute(bound).scalars().all():
                connection.execute(
                    sa.insert(sources), {"campaign_id": campaign_id, "source_id": book}
                )
            self._set_limit(connection, campaign_id, self._limit(connection, last.campaign_id))
        return campaign

    def turn(self, turn_id: str) -> TurnRecord:
        """One turn whole.

        Raises:
            UnknownTurnError: there is none of this id.
        """
        with self._database.read("reading a turn") as connection:
            return rows.record_of(TurnRecord, queries.turn(connection, turn_id))

    def turns(
        self, limit: int = 50, campaign_id: str | None = None, sparse: bool | None = None,
        before: str | None = None, *, fallback: bool | None = None, text: str = "",
    ) -> tuple[TurnRecord, ...]:
        """Turns whole, newest first: of one campaign, or sparse ones, or only others.

        ``fallback`` likewise: those that have one, or only others. ``text`` is what the player's
        words have in them, whatever the case.

        Those of one campaign are ordered by their numbers, all others as they were written,
        whatever the clock said. ``before`` is the id of a turn, the last of one page: what comes
        is the next page.

        Raises:
            UnknownCampaignError: there is no such campaign.
            UnknownTurnError: there is no turn ``before``.
        """
        rows.count(limit, "limit")
        if campaign_id is not None:
            rows.name(campaign_id, "the campaign id")
        with self._database.read("listing turns") as connection:
            mark = None
            if before is not None:
                last = queries.turn(connection, before)
                mark = last.seq if campaign_id is None else last.number
            query = queries.newest_turns(limit, campaign_id, sparse, mark, fallback, text)
            records = connection.execute(query).all()
            if not records and campaign_id is not None:
                queries.campaign(connection, campaign_id, whole=False)
        return tuple(rows.record_of(TurnRecord, row) for row in records)

    def retrievals(self, limit: int, campaign_id: str | None = None) -> Iterator[StoredRetrieval]:
        """What the last turns retrieved, of all campaigns or one, newest first; no states.

        Turns that were taken back are among them. They are read in pages, as they are asked for.

        Raises:
            UnknownCampaignError: there is no such campaign.
        """
        rows.count(limit, "limit")
        before, doing = None, "reading what turns retrieved"
        if campaign_id is not None:
            with self._database.read(doing) as connection:
                queries.campaign(
                    connection, rows.name(campaign_id, "the campaign id"), whole=False)
        while limit:
            query = queries.retrievals(min(limit, PAGE), campaign_id, before)
            with self._database.read(doing) as connection:
                page = connection.execute(query).all()
            yield from (rows.record_of(StoredRetrieval, row) for row in page)
            if not page:
                return
            limit, before = limit - len(page), page[-1].seq

    def neighbours(self, turn: TurnRecord) -> tuple[str | None, str | None]:
        """The ids of the turns before and after one in its campaign; None where there is none."""
        query = sa.select(turns.c.number, turns.c.id).where(
            turns.c.campaign_id == turn.campaign_id,
            turns.c.number.in_((turn.number - 1, turn.number + 1)),
        )
        with self._database.read("finding the turns beside one") as connection:
            by_number = {row.number: row.id for row in connection.execute(query)}
        return by_number.get(turn.number - 1), by_number.get(turn.number + 1)

    def export(self, campaign_id: str) -> dict[str, Any]:
        """The whole campaign, as of one moment, as a document that ``json`` can write.

        It has the campaign's sheets and notes with what is the DM's: it is the DM's to read.

        Raises:
            UnknownCampaignError: there is no such campaign.
        """
        with self._reading(campaign_id, snapshot=True) as connection:
            campaign = queries.campaign(connection, campaign_id)
            of_it = sa.select(turns).where(turns.c.campaign_id == campaign_id)
            log = connection.execute(of_it.order_by(turns.c.number)).all()
            new_documents = self.documents.read(connection, campaign_id)
        return documents.to_document(
            rows.record_of(Campaign, campaign), [rows.record_of(TurnRecord, row) for row in log],
            new_documents,
        )

    def import_document(self, document: Mapping[str, Any]) -> Campaign:
        """The campaign that :meth:`export` gave as ``document``, as it was, times and all.

        Raises:
            CampaignExistsError: there is one of its id.
            StoreError: the document cannot be used, or a turn of it is in the store already.
        """
        campaign, turn_rows, new_documents = documents.from_document(document)
        with self._database.write(f"importing campaign {campaign.id!r}") as connection:
            self._insert(connection, rows.row_of(campaign))
            queries.require_new_turns(connection, [row["id"] for row in turn_rows])
            if turn_rows:
                connection.execute(sa.insert(turns), turn_rows)
            self.documents.write(connection, campaign.id, new_documents)
        return campaign

    def rename(self, campaign_id: str, title: str) -> Campaign:
        """The campaign under another title.

        Raises:
            UnknownCampaignError: there is no such campaign.
            InvalidTurnError: the title cannot be stored.
        """
        with self._writing(campaign_id, "renaming") as connection:
            queries.campaign(connection, campaign_id, whole=False, lock=True)
            connection.execute(sa.update(campaigns).where(campaigns.c.id == campaign_id).values(
                title=rows.written(title, "the title")))
            return rows.record_of(Campaign, queries.campaign(connection, campaign_id))

    def delete(self, campaign_id: str) -> int:
        """The number of turns that went with the campaign: it is gone, notes and all.

        Raises:
            UnknownCampaignError: there is no such campaign.
        """
        with self._writing(campaign_id, "deleting") as connection:
            # Its row is locked first, as a writer of turns does, so that none comes in between.
            queries.campaign(connection, campaign_id, whole=False, lock=True)
            of_it = sa.delete(turns).where(turns.c.campaign_id == campaign_id)
            removed = connection.execute(of_it).rowcount
            for table in (sources, spending_limits, campaign_documents, campaign_builds, routings,
                          turn_results):
                connection.execute(sa.delete(table).where(table.c.campaign_id == campaign_id))
            connection.execute(sa.delete(campaigns).where(campaigns.c.id == campaign_id))
        with suppress(StoreError):  # it is deleted all the same
            self._database.wipe()
        return removed

    def collect(self, *, removed: bool) -> int:
        """How many questions of campaigns that are gone are kept; with ``removed`` they are gone.

        So are results of turns whose idempotency keys have expired.
        """
        since = rows.microseconds(self._clock() - DAY, "the clock's time")
        known = sa.select(campaigns.c.id).union(sa.select(campaign_documents.c.campaign_id))
        of_none = routings.c.campaign_id.is_not(None) & routings.c.campaign_id.not_in(known)
        expired = turn_results.c.created < since
        with self._database.write("looking for what belongs to nothing") as connection:
            count = sum(
                connection.scalar(sa.select(sa.func.count()).select_from(table).where(where)) or 0
                for table, where in ((routings, of_none), (turn_results, expired)))
            if removed:
                connection.execute(sa.delete(routings).where(of_none))
                connection.execute(sa.delete(turn_results).where(expired))
        return count

    def bind(self, campaign_id: str, source_ids: Collection[str]) -> None:
        """Bind a campaign, which need not be there yet, to these sources of the library alone.

        Without any it is bound to none.

        Raises:
            InvalidTurnError: an id cannot be stored.
        """
        bindings = [{"campaign_id": campaign_id, "source_id": rows.name(source_id, "the source id")}
                 for source_id in dict.fromkeys(source_ids)]
        with self._writing(campaign_id, "binding") as connection:
            connection.execute(sa.delete(sources).where(sources.c.campaign_id == campaign_id))
            if bindings:
                connection.execute(sa.insert(sources), bindings)

    def bound(self, campaign_id: str) -> tuple[str, ...]:
        """The sources that a campaign is bound to, by id; () where it is bound to none."""
        query = sa.select(sources.c.source_id).where(sources.c.campaign_id == campaign_id)
        with self._reading(campaign_id) as connection:
            return tuple(sorted(connection.execute(query).scalars()))

    def limit_spending(self, campaign_id: str, usd: float | None) -> None:
        """Let a campaign, which need not be there yet, cost so many US dollars; None: no own limit.

        Raises:
            InvalidTurnError: the id or the limit cannot be stored.
        """
        if usd is not None and not (isfinite(usd) and usd > 0):
            raise InvalidTurnError(f"a spending limit of ${usd}: give a number above 0, or None")
        with self._writing(campaign_id, "limiting") as connection:
            self._set_limit(connection, campaign_id, usd)

    def spending_limit(self, campaign_id: str) -> float | None:
        """The US dollars that a campaign may cost; None where it has no limit of its own."""
        with self._reading(campaign_id) as connection:
            return self._limit(connection, campaign_id)

    def _reading(self, campaign_id: str, *, snapshot: bool = False,
                 ) -> AbstractContextManager[sa.Connection]:
        """A transaction that reads of a campaign whose id can be one."""
        name = rows.name(campaign_id, "the campaign id")
        return self._database.read(f"reading campaign {name!r}", snapshot=snapshot)

    def _writing(self, campaign_id: str, doing: str) -> AbstractContextManager[sa.Connection]:
        """A transaction that writes of such a campaign."""
        name = rows.name(campaign_id, "the campaign id")
        return self._database.write(f"{doing} campaign {name!r}")

    @staticmethod
    def _limit(connection: sa.Connection, campaign_id: str) -> float | None:
        return connection.scalar(sa.select(spending_limits.c.usd).where(
            spending_limits.c.campaign_id == campaign_id))

    @staticmethod
    def _set_limit(connection: sa.Connection, campaign_id: str, usd: float | None) -> None:
        of_it = spending_limits.c.campaign_id == campaign_id
        connection.execute(sa.delete(spending_limits).where(of_it))
        if usd is not None:
            connection.execute(sa.insert(spending_limits), {"campaign_id": campaign_id, "usd": usd})

    @staticmethod
    def _insert(connection: sa.Connection, row: dict[str, Any], conflict: StoreError | None = None,
                ) -> None:
        try:
            connection.execute(sa.insert(campaigns), row)
        except IntegrityError:
            raise conflict or CampaignExistsError(
                f"there is a campaign {row['id']!r} already: take another id, or delete that one"
            ) from None
