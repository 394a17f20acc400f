"""The tables. Migrations make them; a test holds the two together.

Documents and the players' texts are JSON (:func:`mvp_site.text.strict_json.write`) and stand
last, so that SQLite reads a row's short columns without walking through its long ones. A time is
whole microseconds since 1970 in UTC: exact and in the same order on every engine.
"""

from __future__ import annotations

from typing import Final

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Dialect,
    Float,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
    TypeDecorator,
    UniqueConstraint,
)

NAMES: Final = {
    "pk": "pk_%(table_name)s",
    "fk": "fk_%(table_name)s_%(column_0_name)s",
    "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    "ix": "ix_%(table_name)s_%(column_0_N_name)s",
}

metadata: Final = MetaData(naming_convention=NAMES)


def _name() -> String:
    """A short ASCII name, which sorts by its bytes on every engine."""
    return String(100).with_variant(String(100, collation="C"), "postgresql")


class _SessionNumber(TypeDecorator[float]):
    """A session's number, 0.5 of half a session; a whole one is an int."""

    impl = Float
    cache_ok = True

    def process_result_value(self, value: float | None, dialect: Dialect,  # noqa: ARG002
                             ) -> float | None:
        return int(value) if value is not None and value == int(value) else value


campaigns: Final = Table(
    "campaigns", metadata,
    Column("id", _name(), primary_key=True),
    Column("version", BigInteger, nullable=False),
    Column("turns", BigInteger, nullable=False),
    Column("created", BigInteger, nullable=False),
    Column("updated", BigInteger, nullable=False),
    Column("origin", _name()),
    Column("title", Text, nullable=False),
    Column("state", Text, nullable=False),
    Index(None, "updated", "id"),
    Index(None, "origin"),
)

# Of a branch ``origin`` names the campaign that it, or what it is a branch of, was branched from.
# ``seq`` orders turns as they were written, ``number`` those of a campaign.
turns: Final = Table(
    "campaign_turns", metadata,
    Column("seq", BigInteger().with_variant(Integer, "sqlite"), primary_key=True),
    Column("id", _name(), nullable=False, unique=True),
    Column("campaign_id", _name(), ForeignKey("campaigns.id"), nullable=False),
    Column("number", BigInteger, nullable=False),
    Column("mode", String(16), nullable=False),
    Column("audience", String(16), nullable=False),
    Column("fallback", _name()),
    Column("sparse", Boolean, nullable=False),
    Column("created", BigInteger, nullable=False),
    Column("withdrawn", BigInteger),
    Column("memory", Text, nullable=False),
    Column("user_input", Text, nullable=False),
    Column("answer", Text, nullable=False),
    Column("state_before", Text, nullable=False),
    Column("manifest", Text, nullable=False),
    UniqueConstraint("campaign_id", "number"),
    Index(None, "sparse", "seq"),
)

# What came of turns that were sent with an idempotency key, by it; ``digest`` is of what was sent.
# It is kept for a day.
turn_results: Final = Table(
    "campaign_turn_results", metadata,
    Column("campaign_id", _name(), primary_key=True),
    Column("key", _name(), primary_key=True),
    Column("digest", _name(), nullable=False),
    Column("created", BigInteger, nullable=False),
    Column("result", Text, nullable=False),
    Index(None, "created"),
)

# A campaign may be bound before its first turn, so it need not stand among the campaigns.
sources: Final = Table(
    "campaign_sources", metadata,
    Column("campaign_id", _name(), primary_key=True),
    Column("source_id", _name(), primary_key=True),
)

# What a campaign's turns may cost, in US dollars, where it has a limit of its own.
spending_limits: Final = Table(
    "campaign_spending_limits", metadata,
    Column("campaign_id", _name(), primary_key=True),
    Column("usd", Float, nullable=False),
)

# Characters and session notes; ``source`` is what is kept of one, ``vectors`` are those of its
# windows by ``encoder``, half precision, with the keys of their texts. A campaign may have
# documents before its first turn.
campaign_documents: Final = Table(
    "campaign_documents", metadata,
    Column("campaign_id", _name(), primary_key=True),
    Column("kind", _name(), primary_key=True),
    Column("id", _name(), primary_key=True),
    Column("number", _SessionNumber),
    Column("digest", _name(), nullable=False),
    Column("updated", BigInteger, nullable=False),
    Column("title", Text, nullable=False),
    Column("source", Text, nullable=False),
    Column("encoder", _name()),
    Column("vector_keys", LargeBinary),
    Column("vectors", LargeBinary),
)

# What was built of the documents of a large campaign, for the next process: ``version`` says of
# which and by what, ``piece`` orders its pieces.
campaign_builds: Final = Table(
    "campaign_builds", metadata,
    Column("campaign_id", _name(), primary_key=True),
    Column("part", _name(), primary_key=True),
    Column("piece", Integer, primary_key=True),
    Column("version", _name(), nullable=False),
    Column("content", LargeBinary, nullable=False),
)

# What routers decided for a question, and what somebody says they should have; both are JSON.
routings: Final = Table(
    "routings", metadata,
    Column("seq", BigInteger().with_variant(Integer, "sqlite"), primary_key=True),
    Column("id", _name(), nullable=False, unique=True),
    Column("campaign_id", _name()),
    Column("created", BigInteger, nullable=False),
    Column("asked", Text, nullable=False),
    Column("decided", Text, nullable=False),
    Column("corrected", Text),
)

# Requests of an address, and who is signed in, by a digest, until a time.
shared_counts: Final = Table(
    "shared_counts", metadata,
    Column("key", _name(), primary_key=True),
    Column("count", BigInteger, nullable=False),
    Column("expires", BigInteger, nullable=False),
    Index(None, "expires"),
)

# The collection of an engine that this database's processes have agreed on, by what it is for;
# ``made`` says that somebody has made it. Under '' stands a mark that tells this database from
# others at the same engine.
engine_collections: Final = Table(
    "engine_collections", metadata,
    Column("name", _name(), primary_key=True),
    Column("generation", _name(), nullable=False),
    Column("made", Boolean, nullable=False),
)
