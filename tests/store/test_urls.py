"""Database URLs: the forms that are taken, and passwords that no message shows."""

from __future__ import annotations

import sys

import pytest

from mvp_site import Settings
from mvp_site.errors import SettingsError
from mvp_site.store import urls
from mvp_site.store.campaigns import CampaignStore
from mvp_site.store.database import Database


@pytest.mark.parametrize(("text", "driver", "place"), [
    ("sqlite:///a/b.sqlite3", "sqlite+pysqlite", "the SQLite file a/b.sqlite3"),
    ("sqlite+pysqlite:////a.db", "sqlite+pysqlite", "the SQLite file /a.db"), ("sqlite://", "sqlite+pysqlite", "the SQLite database in memory"),
    ("sqlite:///:memory:", "sqlite+pysqlite", "the SQLite database in memory"), ("postgresql://u:p@h/n", "postgresql+psycopg", "the PostgreSQL database 'n' at h"),
    ("postgres://u@h:99/n", "postgresql+psycopg", "the PostgreSQL database 'n' at h:99"),
    ("postgresql+psycopg://h/n", "postgresql+psycopg", "the PostgreSQL database 'n' at h"),
    ("postgresql:///n", "postgresql+psycopg", "the PostgreSQL database 'n' at the local socket"),
    ("postgresql://u@/n?host=/run/pg", "postgresql+psycopg", "the PostgreSQL database 'n' at /run/pg"),
    ("postgresql:///n?host=a:1&host=b:2", "postgresql+psycopg", "the PostgreSQL database 'n' at a:1, b:2"),
    ("postgresql://u:p@[::1]:5/n", "postgresql+psycopg", "the PostgreSQL database 'n' at ::1:5"),
])
def test_urls_that_are_taken(text: str, driver: str, place: str) -> None:
    url = urls.parse(text)
    assert (url.drivername, urls.place(url)) == (driver, place)


@pytest.mark.parametrize(("text", "message"), [
    ("", "MVP_SITE_DATABASE_URL is no database URL: write sqlite:///"), ("campaigns.sqlite3", "is no database URL"), ("s3cret", "is no database URL"),
    ("mysql://u:s3cret@h/n", "asks for 'mysql': write sqlite:///"), ("postgresql+psycopg2://u:s3cret@h/n", "asks for 'postgresql+psycopg2'"),
    ("postgresql://u:s3cret@h", "names no database"), ("postgresql://u:s3cret@h/", "names no database"),
    ("postgresql://u:a@s3cret@h/n", "has an @ too many"), ("postgresql://u:a@b/s3cret@h/n", "has an @ too many"),
    ("postgresql://u:a@b:s3cret@h/n", "is no database URL"), ("postgresql://u:a@b?s3cret@h/n", "names no database"),
    ("postgresql://u/s3cret@h/n", "has an @ too many"), ("postgresql://u:p@h:s3cret/n", "is no database URL"),
    ("sqlite://campaigns.sqlite3", "has too few slashes"), ("sqlite://u:s3cret@h/n", "has too few slashes"),
    ("sqlite:///a.db?mode=ro", "has options after ?, and SQLite takes none"),
])
def test_urls_that_are_refused(text: str, message: str) -> None:
    with pytest.raises(SettingsError) as caught:
        CampaignStore.from_url(text)
    assert message in str(caught.value)
    assert "s3cret" not in str(caught.value)
    assert caught.value.__cause__ is None
    assert caught.value.__suppress_context__ or caught.value.__context__ is None
    with pytest.raises(SettingsError, match="MVP_SITE_DATABASE_URL"):
        CampaignStore.open(Settings(mvp_site_database_url=text or "x"))


def test_without_the_driver_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(SettingsError, match=r"not installed: pip install 'PATH\[postgres\]'"):
        CampaignStore.from_url("postgresql://u:p@h/n")


def test_an_option_that_the_driver_does_not_take(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("psycopg")

    def refuse(*_: object, **__: object) -> None:
        raise TypeError("postgresql://u:s3cret@h/n")

    monkeypatch.setattr("mvp_site.store.database.create_engine", refuse)
    with pytest.raises(SettingsError, match="has an option after \\? that cannot be used") as caught:
        Database.at(urls.parse("postgresql://u:s3cret@h/n"))
    assert "s3cret" not in str(caught.value)
