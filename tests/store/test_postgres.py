"""The server of these tests: what becomes of a run where there is none."""

from __future__ import annotations

import pytest

from . import conftest


def test_without_a_server_its_tests_are_skipped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(conftest.REQUIRED, raising=False)
    with pytest.raises(pytest.skip.Exception, match="no server"):
        conftest.missing("no server")


def test_where_it_is_required_they_fail(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(conftest.REQUIRED, "1")
    with pytest.raises(pytest.fail.Exception, match="no server, and CI_REQUIRE_POSTGRES is set"):
        conftest.missing("no server")
